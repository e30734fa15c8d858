//! Runs the commands in the documents and compares what they print with what the documents say.
//!
//! In a `console` block a line `$ COMMAND` is run by the shell, the lines up to the next command are
//! what it must print (standard output and error), and a last line `? N` is its exit status where
//! that is not 0. `[..]` stands for any text within a line. All blocks of a file share one folder,
//! which starts with a copy of `examples/`.
//!
//! `TRANSCRIPTS=overwrite cargo test -p linsep-cli` writes what the commands print into the files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn readme() {
    check("README.md");
}

#[test]
fn guide() {
    check("GUIDE.md");
}

#[test]
fn bad_input() {
    check("crates/linsep-cli/tests/transcripts/bad_input.md");
}

#[test]
fn reading() {
    check("crates/linsep-cli/tests/transcripts/reading.md");
}

#[test]
fn rows() {
    check("crates/linsep-cli/tests/transcripts/rows.md");
}

#[test]
fn decide() {
    check("crates/linsep-cli/tests/transcripts/decide.md");
}

#[test]
fn explain() {
    check("crates/linsep-cli/tests/transcripts/explain.md");
}

#[test]
fn audit() {
    check("crates/linsep-cli/tests/transcripts/audit.md");
}

#[test]
fn commands() {
    check("crates/linsep-cli/tests/transcripts/commands.md");
}

#[test]
fn verify() {
    check("crates/linsep-cli/tests/transcripts/verify.md");
}

#[test]
fn classes() {
    check("crates/linsep-cli/tests/transcripts/classes.md");
}

#[test]
fn separation() {
    check("crates/linsep-cli/tests/transcripts/separation.md");
}

#[test]
fn questions() {
    check("crates/linsep-cli/tests/transcripts/questions.md");
}

#[test]
fn charts() {
    check("crates/linsep-cli/tests/transcripts/charts.md");
}

#[test]
fn bounds() {
    check("crates/linsep-cli/tests/transcripts/bounds.md");
}

#[test]
fn overwriting() {
    check("crates/linsep-cli/tests/transcripts/overwriting.md");
}

#[test]
fn outcomes() {
    check("crates/linsep-cli/tests/transcripts/outcomes.md");
}

#[test]
fn trace() {
    check("crates/linsep-cli/tests/transcripts/trace.md");
}

fn check(name: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = root.join(name);
    let text = fs::read_to_string(&path).unwrap();
    let folder = Folder::with_examples(&root, name);
    let overwrite = std::env::var("TRANSCRIPTS").is_ok_and(|v| v == "overwrite");
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    let (mut inside, mut ran) = (false, 0);
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        inside = match line {
            "```console" => true,
            "```" => false,
            _ => inside,
        };
        let Some(command) = line.strip_prefix("$ ").filter(|_| inside) else {
            continue;
        };
        let mut expected = vec![];
        while let Some(next) = lines.next_if(|next| !next.starts_with("$ ") && *next != "```") {
            expected.push(next);
        }
        let found = folder.run(command);
        ran += 1;
        let same = expected.len() == found.len()
            && expected.iter().zip(&found).all(|(expected, found)| matches(expected, found));
        if same {
            expected.iter().for_each(|line| out.push_str(&format!("{line}\n")));
        } else if overwrite {
            found.iter().for_each(|line| out.push_str(&format!("{}\n", without_times(line))));
        } else {
            let (expected, found) = (expected.join("\n"), found.join("\n"));
            panic!("{name}: $ {command}\n--- expected\n{expected}\n--- found\n{found}\n---");
        }
    }
    assert!(ran > 0, "{name} has no commands");
    if overwrite {
        fs::write(path, out).unwrap();
    }
}

/// Returns true if the line is as expected, where `[..]` stands for anything.
fn matches(expected: &str, found: &str) -> bool {
    let mut parts = expected.split("[..]");
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = found.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Returns the line with `[..]` for what differs from run to run.
fn without_times(line: &str) -> String {
    let is_time = |word: &str| word.parse::<f64>().is_ok() && word.contains(['.', 'e']);
    if line.starts_with("  work ")
        && let Some((before, _)) = line.rsplit_once(" in ")
    {
        return format!("{before} in [..]");
    }
    match line.rsplit_once(' ') {
        // The last column of a race.
        Some((before, word)) if is_time(word) && before.contains(" % ") => {
            format!("{} [..]", before.trim_end())
        }
        _ => line.to_string(),
    }
}

/// A folder that is gone when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn with_examples(root: &Path, name: &str) -> Self {
        let name = name.replace(['/', '.'], "-");
        let folder = std::env::temp_dir().join(format!("linsep-{}-{name}", std::process::id()));
        fs::create_dir_all(folder.join("examples")).unwrap();
        for entry in fs::read_dir(root.join("examples")).unwrap() {
            let from = entry.unwrap().path();
            fs::copy(&from, folder.join("examples").join(from.file_name().unwrap())).unwrap();
        }
        Folder(folder)
    }

    /// Returns the lines that the command prints, and its exit status if that is not 0.
    fn run(&self, command: &str) -> Vec<String> {
        // Another program of that name, such as one on an emulated processor: `make other-machine`.
        let other = std::env::var_os("LINSEP_PROGRAM").map(PathBuf::from);
        let program = other.unwrap_or_else(|| env!("CARGO_BIN_EXE_linsep").into());
        let program = program.parent().unwrap();
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
        // One pipe for both streams keeps their order.
        let output = Command::new("sh")
            .args(["-c", &format!("({command}) 2>&1")])
            .current_dir(&self.0)
            .env("PATH", path)
            .env("COLUMNS", "100")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
        match output.status.code() {
            Some(0) => {}
            code => lines.push(format!("? {}", code.unwrap_or(-1))),
        }
        lines
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn any_text_matches_the_wildcard_and_nothing_else() {
    assert!(matches("a [..] c", "a b b c") && matches("[..]", "") && matches("x", "x"));
    assert!(!matches("a [..] c", "a b") && !matches("x", "xy") && !matches("[..]b", "a"));
}
