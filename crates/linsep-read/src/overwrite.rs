//! No output lands on an input, or on another output.
//!
//! Files are told apart by what they are, not by their names: a link to the data is the data.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Format;

/// Links that are followed before a name is taken as it stands.
const MOST_LINKS: usize = 40;

/// Where something is read or written, and what it is called: an option, or "the data".
#[derive(Clone, Debug)]
pub struct NamedPlace {
    /// What it is called.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// If it is a folder in which files are written, the endings of their names.
    pub endings: &'static [&'static str],
}

impl NamedPlace {
    /// Returns the place of a file, or of a folder of data.
    pub fn new(name: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        NamedPlace { name: name.into(), path: path.into(), endings: &[] }
    }

    /// Returns the place of a folder in which files are written whose names have one of these endings.
    pub fn folder(
        name: impl Into<String>,
        path: impl Into<PathBuf>,
        endings: &'static [&'static str],
    ) -> Self {
        NamedPlace { endings, ..Self::new(name, path) }
    }
}

/// An output that would land on something else.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{output} would overwrite {other}: {}", path.display())]
pub struct Overwrites {
    /// The output.
    pub output: String,
    /// Where it was to go.
    pub path: PathBuf,
    /// What is there, or would be.
    pub other: String,
}

/// Refuses outputs that are one of the inputs, or one another. Looks at no content, so it costs nothing.
///
/// ```
/// use linsep_read::overwrite::{NamedPlace, refuse_overwriting};
///
/// let data = NamedPlace::new("the data", "table.csv");
/// let clash = refuse_overwriting(&[data], &[NamedPlace::new("--proof", "./table.csv")]);
/// assert_eq!(clash.unwrap_err().to_string(), "--proof would overwrite the data: ./table.csv");
/// ```
pub fn refuse_overwriting(inputs: &[NamedPlace], outputs: &[NamedPlace]) -> Result<(), Overwrites> {
    for (k, output) in outputs.iter().enumerate() {
        let written = |other: &NamedPlace| covers(output, other) || covers(other, output);
        let read = inputs.iter().find(|input| written(input) || is_part_of(output, input));
        let other = read.or_else(|| outputs[..k].iter().find(|earlier| written(earlier)));
        if let Some(other) = other {
            return Err(Overwrites {
                output: output.name.clone(),
                path: output.path.clone(),
                other: other.name.clone(),
            });
        }
    }
    Ok(())
}

/// Returns true if what is written to one place may land on the other.
fn covers(one: &NamedPlace, other: &NamedPlace) -> bool {
    // What is not kept, such as /dev/null or a pipe, cannot be lost.
    let kept = |path: &Path| fs::metadata(path).map_or(true, |m| m.is_file() || m.is_dir());
    if !kept(&one.path) || !kept(&other.path) {
        return false;
    }
    if same_file(&one.path, &other.path) {
        return true;
    }
    let ending = other.path.extension();
    let alike = ending.is_some_and(|own| one.endings.iter().any(|e| own.eq_ignore_ascii_case(e)));
    let inside = || resolved(&other.path).parent() == Some(&resolved(&one.path));
    alike && inside()
}

/// Returns true if the output would be one of the files of a folder of data.
fn is_part_of(output: &NamedPlace, input: &NamedPlace) -> bool {
    input.path.is_dir()
        && Format::by_extension(&output.path).is_some()
        && resolved(&output.path).starts_with(resolved(&input.path))
}

/// Returns true if two names are those of one file, by links too.
pub fn same_file(one: &Path, other: &Path) -> bool {
    #[cfg(unix)]
    if let (Ok(one), Ok(other)) = (fs::metadata(one), fs::metadata(other)) {
        use std::os::unix::fs::MetadataExt;
        return (one.dev(), one.ino()) == (other.dev(), other.ino());
    }
    resolved(one) == resolved(other)
}

/// Returns the name without links, of a file that need not exist yet.
fn resolved(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        if let Ok(found) = fs::canonicalize(&path) {
            return found;
        }
        let Some(name) = path.file_name().map(ToOwned::to_owned) else { return path };
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder.to_path_buf(),
            _ => PathBuf::from("."),
        };
        match fs::read_link(&path) {
            Ok(target) => path = folder.join(target),
            Err(_) => return resolved(&folder).join(name),
        }
    }
    path
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn check(folder: &Path, inputs: &[&str], outputs: &[&str], expected: Option<&str>) {
        let place = |name: &&str| NamedPlace::new(*name, folder.join(name));
        let inputs: Vec<NamedPlace> = inputs.iter().map(place).collect();
        let outputs: Vec<NamedPlace> = outputs
            .iter()
            .map(|name| match name.strip_suffix('/') {
                Some(own) => NamedPlace::folder(*name, folder.join(own), &["json"]),
                None => place(name),
            })
            .collect();
        let found = refuse_overwriting(&inputs, &outputs).err();
        let found = found.map(|clash| format!("{} on {}", clash.output, clash.other));
        assert_eq!(found.as_deref(), expected);
    }

    #[test]
    fn files_are_told_apart_by_what_they_are() {
        let folder = std::env::temp_dir().join(format!("linsep-overwrite-{}", std::process::id()));
        fs::create_dir_all(folder.join("parts")).unwrap();
        fs::create_dir_all(folder.join("proofs")).unwrap();
        for name in ["data.csv", "other.csv", "parts/1.parquet", "proofs/index.json"] {
            fs::write(folder.join(name), "x").unwrap();
        }
        symlink("data.csv", folder.join("link.csv")).unwrap();
        symlink("later.json", folder.join("dangling.json")).unwrap();
        fs::hard_link(folder.join("data.csv"), folder.join("hard.csv")).unwrap();
        let check = |inputs: &[&str], outputs: &[&str], expected| {
            check(&folder, inputs, outputs, expected);
        };
        check(&["data.csv"], &["p.json", "r.html"], None);
        check(&["data.csv"], &["other.csv"], None);
        check(&["data.csv"], &["data.csv"], Some("data.csv on data.csv"));
        check(&["data.csv"], &["parts/../data.csv"], Some("parts/../data.csv on data.csv"));
        check(&["data.csv"], &["p.json", "link.csv"], Some("link.csv on data.csv"));
        check(&["link.csv"], &["hard.csv"], Some("hard.csv on link.csv"));
        // Neither exists yet.
        check(&[], &["p.json", "parts/../p.json"], Some("parts/../p.json on p.json"));
        check(&[], &["later.json", "dangling.json"], Some("dangling.json on later.json"));
        // Folders, of data and of proofs.
        check(&["parts"], &["parts/1.parquet"], Some("parts/1.parquet on parts"));
        check(&["parts"], &["parts/2.parquet"], Some("parts/2.parquet on parts"));
        check(&["parts"], &["parts/p.json"], None);
        check(&["proofs/index.json"], &["proofs/"], Some("proofs/ on proofs/index.json"));
        check(&[], &["proofs/", "proofs/a-b.json"], Some("proofs/a-b.json on proofs/"));
        check(&[], &["proofs/", "proofs/page.html"], None);
        check(&[], &["new/", "new/index.json"], Some("new/index.json on new/"));
        fs::remove_dir_all(&folder).unwrap();
        let null = || NamedPlace::new("null", "/dev/null");
        assert!(refuse_overwriting(&[null()], &[null(), null()]).is_ok());
    }
}
