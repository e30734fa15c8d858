//! The floor plan of the engine, as ARCHITECTURE.md draws it: which room uses which, and no cycles.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

type Uses = BTreeMap<String, BTreeSet<String>>;

fn decide() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/decide")
}

/// Returns the files of a room: one file, or all in a folder.
fn files(path: &Path) -> Vec<PathBuf> {
    match path.is_dir() {
        true => {
            fs::read_dir(path).unwrap().flat_map(|entry| files(&entry.unwrap().path())).collect()
        }
        false => vec![path.to_path_buf()],
    }
}

/// Returns the rooms that the code of a file uses, tests excluded. `depth` is how many folders below
/// `decide/` it lies.
fn used(text: &str, depth: usize, rooms: &BTreeSet<String>) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]").next().unwrap_or(text);
    // Comments are no code.
    let code: String = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join(" ");
    let prefix = "super::".repeat(depth + 1);
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices(&prefix) {
        // Not the tail of a longer chain, nor the head of one.
        if code[..at].ends_with("super::") || code[at + prefix.len()..].starts_with("super::") {
            continue;
        }
        let rest = &code[at + prefix.len()..];
        let names = match rest.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap_or(""),
            None => rest.split([';', ' ', ',']).next().unwrap_or(""),
        };
        let names = names.split(',').filter_map(|name| name.trim().split("::").next());
        found.extend(names.filter(|name| rooms.contains(*name)).map(str::to_string));
    }
    found
}

fn uses() -> Uses {
    let entries: Vec<PathBuf> =
        fs::read_dir(decide()).unwrap().map(|entry| entry.unwrap().path()).collect();
    let name = |path: &PathBuf| path.file_stem().unwrap().to_str().unwrap().to_string();
    let outside = ["mod", "internals"];
    let rooms: BTreeSet<String> =
        entries.iter().map(name).filter(|name| !outside.contains(&name.as_str())).collect();
    let mut uses = Uses::new();
    for entry in entries.iter().filter(|entry| rooms.contains(&name(entry))) {
        let own = name(entry);
        let all = uses.entry(own.clone()).or_default();
        for file in files(entry) {
            let inside = file.strip_prefix(decide()).unwrap().components().count() - 1;
            // A folder's own module stands one step higher than the files beside it.
            let depth = inside - usize::from(file.ends_with("mod.rs"));
            all.extend(used(&fs::read_to_string(&file).unwrap(), depth, &rooms));
        }
        all.remove(&own);
    }
    uses
}

/// Returns the rooms in an order in which each uses only those before it, or a room in a cycle.
fn ordered(uses: &Uses) -> Result<Vec<String>, String> {
    let mut done: Vec<String> = vec![];
    while done.len() < uses.len() {
        let next = uses
            .iter()
            .find(|(room, needs)| !done.contains(room) && needs.iter().all(|n| done.contains(n)));
        match next {
            Some((room, _)) => done.push(room.clone()),
            None => return Err(format!("a cycle among the rooms that come after {done:?}")),
        }
    }
    Ok(done)
}

#[test]
fn rooms_use_each_other_without_cycles() {
    let uses = uses();
    assert!(uses.len() > 10 && uses["engine"].contains("plan"), "{uses:?}");
    ordered(&uses).unwrap();
    // A cycle would be seen.
    let mut wrong = uses.clone();
    wrong.get_mut("solvers").unwrap().insert("engine".into());
    assert!(ordered(&wrong).is_err());
    for (room, needs) in &uses {
        assert!(!needs.contains("explain"), "{room} uses explain, which is the last room");
    }
}

#[test]
fn solvers_and_folds_keep_to_themselves() {
    let uses = uses();
    assert!(uses["solvers"].is_empty(), "solvers use {:?}", uses["solvers"]);
    for file in files(&decide().join("solvers")) {
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        assert!(!code.contains("Samples"), "{} knows samples", file.display());
    }
}

#[test]
fn only_certify_asks_the_checker() {
    for file in files(&decide()).into_iter().filter(|file| !file.ends_with("certify.rs")) {
        let text = fs::read_to_string(&file).unwrap();
        let code: String =
            text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        for asked in ["verify", "prove_separable"] {
            assert!(!code.contains(asked), "{} asks the checker: {asked}", file.display());
        }
    }
}

/// A fold that is not on the list of those that travel compiles if it goes by the library below.
#[test]
fn only_the_list_of_queries_folds() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let is_code = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "rs");
    for file in
        files(&source).into_iter().filter(|file| is_code(file) && !file.ends_with("queries.rs"))
    {
        let code: String =
            fs::read_to_string(&file).unwrap().lines().map(|line| line.trim()).collect();
        let lists = code.split("data::{").skip(1).filter_map(|rest| rest.split('}').next());
        let names = lists.flat_map(|list| list.split(',').map(str::trim).collect::<Vec<_>>());
        let single = ["data::fold(", "data::fold;", "data::fold_until"];
        let folds = names.into_iter().any(|name| ["fold", "fold_until"].contains(&name));
        assert!(!folds && !single.iter().any(|name| code.contains(name)), "{}", file.display());
    }
}

#[test]
fn the_floor_plan_is_drawn() {
    let drawn =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ARCHITECTURE.md"))
            .unwrap();
    let uses = uses();
    let line = |room: &String| {
        let needs: Vec<&str> = uses[room].iter().map(String::as_str).collect();
        format!("| `{room}` | {} |", if needs.is_empty() { "–".into() } else { needs.join(" ") })
    };
    let lines: Vec<String> = ordered(&uses).unwrap().iter().map(line).collect();
    let missing = lines.iter().any(|line| !drawn.contains(line));
    assert!(!missing, "ARCHITECTURE.md should have the lines\n{}", lines.join("\n"));
}
