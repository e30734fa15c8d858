//! A type's name is declared once in the workspace: a search for it finds one thing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the Rust files of a folder, those of tests left out.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        match path.is_dir() {
            true if name != "tests" => found.extend(files(&path)),
            false if name.ends_with(".rs") && name != "tests.rs" => found.push(path),
            _ => {}
        }
    }
    found
}

/// Returns the folders of source: each crate's, and those of Python, the studies and the benches.
fn sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let several = ["crates", "studies"].map(|folder| fs::read_dir(root.join(folder)).unwrap());
    let several = several.into_iter().flatten().map(|entry| entry.unwrap().path());
    let all = several.chain(["python", "benches"].map(|folder| root.join(folder)));
    all.map(|folder| folder.join("src")).filter(|source| source.is_dir()).collect()
}

/// Returns the type that a line declares: at its start, or behind `pub`. What is indented without it is an associated
/// type, or is seen in one function alone.
fn declared(line: &str) -> Option<&str> {
    let code = line.trim_start();
    let code = match code.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.strip_prefix(' ')?,
        None if code.len() == line.len() => code,
        None => return None,
    };
    let code = code.strip_prefix("unsafe ").unwrap_or(code);
    let (word, rest) = code.split_once(' ')?;
    let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    ["struct", "enum", "trait", "type"].contains(&word).then_some(name)
}

/// Returns the types that a file declares, and their lines, counted from 1. Items under `#[cfg(test)]` are left out.
fn types(text: &str) -> Vec<(usize, &str)> {
    let mut found = vec![];
    // How far an item of tests is indented, while it lasts.
    let mut hidden = None;
    for (number, line) in text.lines().enumerate() {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        if hidden.is_none()
            && (code.starts_with("#[cfg(test)]") || code.starts_with("#[cfg(all(test"))
        {
            hidden = Some(indent);
        } else if hidden == Some(indent) && !code.starts_with("#[") && code.ends_with([';', '}']) {
            hidden = None;
        } else if hidden.is_none() {
            found.extend(declared(line).map(|name| (number + 1, name)));
        }
    }
    found
}

#[test]
fn declarations_are_recognised() {
    let text = "struct A;\n    pub enum B {\n    type C = u8;\npub(in crate::d) trait E<T> {\n\
                pub type F<'a> = G;\npub unsafe trait H {}\npublic struct I;\nstructure J\n\
                #[cfg(test)]\n#[allow(x)]\nmod tests {\n    struct K;\n    mod inner {\n    }\n}\n\
                enum L {}\n#[cfg(test)]\nmod tests;\npub struct M(u8);\n";
    let names: Vec<&str> = types(text).into_iter().map(|(_, name)| name).collect();
    assert_eq!(names, ["A", "B", "E", "F", "H", "L", "M"]);
}

#[test]
fn a_name_is_declared_once() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in sources().iter().flat_map(|source| files(source)) {
        let text = fs::read_to_string(&file).unwrap();
        for (line, name) in types(&text) {
            places.entry(name.into()).or_default().push(format!("{}:{line}", file.display()));
        }
    }
    assert!(places.len() > 500, "{} types: are these the sources?", places.len());
    let twice: Vec<String> = places
        .into_iter()
        .filter(|(_, places)| places.len() > 1)
        .map(|(name, places)| format!("{name}\n    {}", places.join("\n    ")))
        .collect();
    assert!(twice.is_empty(), "{} names are declared twice:\n{}", twice.len(), twice.join("\n"));
}
