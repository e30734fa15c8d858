//! Runs that are killed at any moment (kill -9) and taken up again end with the bytes of a run that never
//! stopped, and leave nothing behind.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use linsep::data::generate::Generator;
use linsep::data::read::{ReadOptions, Source, read};
use linsep::data::write::{npy_header, npy_labels};
use serde_json::Value;

/// Kills per command.
const KILLS: usize = 15;

/// A folder that is gone in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("linsep-kills-{}-{name}", std::process::id()));
        fs::create_dir_all(path.join("work")).unwrap();
        Folder(path)
    }

    /// Returns where the commands run.
    fn work(&self) -> PathBuf {
        self.0.join("work")
    }

    fn names(&self) -> BTreeSet<String> {
        let names = fs::read_dir(self.work()).unwrap().map(|entry| entry.unwrap().file_name());
        names.map(|name| name.into_string().unwrap()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Writes generated rows, some under the wrong label.
fn write_data(path: &Path, rows: usize, columns: usize, wrong: &[usize]) {
    let (mut values, mut positive) = (vec![0.0_f64; rows * columns], vec![false; rows]);
    Generator::new(rows, columns, 7).fill(0..rows, &mut values, &mut positive);
    wrong.iter().for_each(|&row| positive[row] = !positive[row]);
    let mut bytes = npy_header("<f8", &[rows, columns]);
    bytes.extend(values.iter().flat_map(|v| v.to_le_bytes()));
    fs::write(path, bytes).unwrap();
    fs::write(path.with_extension("labels.npy"), npy_labels(&positive)).unwrap();
}

/// Writes the same rows as text.
fn write_text(folder: &Folder, array: &str, text: &str) {
    let samples = read(&array_in(folder, array), &ReadOptions::default(), &|_| {}).unwrap();
    let mut lines = String::from("a,b,c,d,e,f,label\n");
    for i in 0..samples.rows() {
        samples.features().for_each(i, |_, value| lines.push_str(&format!("{value},")));
        lines.push_str(if samples.positive()[i] { "yes\n" } else { "no\n" });
    }
    fs::write(folder.work().join(text), lines).unwrap();
}

fn array_in(folder: &Folder, name: &str) -> Source {
    Source::File(folder.work().join(name))
}

/// A command, and the file that it writes beside what it prints.
struct Run<'a> {
    folder: &'a Folder,
    command: &'a str,
    output: &'a str,
    checkpoint: Option<&'a str>,
}

impl Run<'_> {
    /// Runs the command, for so long at most. Returns false if it was killed.
    fn go(&self, most: Option<Duration>) -> bool {
        let mut command = Command::new(env!("CARGO_BIN_EXE_linsep"));
        command.args(self.command.split(' ')).arg("--json").current_dir(self.folder.work());
        if let Some(name) = self.checkpoint {
            command.args(["--checkpoint", name]);
            if self.folder.work().join(name).exists() {
                command.arg("--resume");
            }
        }
        let printed = File::create(self.folder.0.join("printed")).unwrap();
        let mut child = command.stdout(printed).stderr(Stdio::piped()).spawn().unwrap();
        if let Some(most) = most {
            std::thread::sleep(most);
            child.kill().unwrap();
        }
        let ended = child.wait_with_output().unwrap();
        match ended.status.code() {
            None => false,
            Some(0 | 1) => true,
            code => panic!("{code:?}: {}", String::from_utf8_lossy(&ended.stderr)),
        }
    }

    /// Returns what was printed, times excluded, and what was written.
    fn bytes(&self) -> (String, Vec<u8>) {
        let printed = fs::read_to_string(self.folder.0.join("printed")).unwrap();
        let mut printed: Value = serde_json::from_str(&printed).unwrap();
        printed.as_object_mut().unwrap().shift_remove("seconds").unwrap();
        (printed.to_string(), fs::read(self.folder.work().join(self.output)).unwrap())
    }
}

/// Kills the command again and again, and returns what was printed in the end.
fn check(folder: &Folder, command: &str, output: &str) -> Value {
    let whole = Run { folder, command, output, checkpoint: None };
    let inputs = folder.names();
    let started = Instant::now();
    assert!(whole.go(None));
    let (time, expected) = (started.elapsed(), whole.bytes());
    let killed = Run { checkpoint: Some("run.checkpoint"), ..whole };
    let mut state = 1_u64;
    let mut delay = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        time.mul_f64((state >> 11) as f64 / (1_u64 << 53) as f64)
    };
    // With the copy of a text, if the command makes one.
    let finished: BTreeSet<String> = inputs.iter().cloned().chain(folder.names()).collect();
    let mut kills = 0;
    while kills < KILLS {
        fs::remove_file(folder.work().join(output)).unwrap();
        folder.names().iter().filter(|name| name.ends_with(".linsep-cache")).for_each(|name| {
            fs::remove_file(folder.work().join(name)).unwrap();
        });
        while !killed.go(Some(delay())) {
            kills += 1;
            let found = folder.names();
            let known = |name: &String| finished.contains(name) || name == "run.checkpoint";
            // A checkpoint that is replaced has another name for microseconds.
            let known = |name: &String| known(name) || name == "run.checkpoint.linsep-new";
            // The copy of a text is there whole, or not at all.
            let known = |name: &String| known(name) || name.ends_with(".linsep-cache");
            assert!(found.iter().all(known), "after a kill: {found:?}");
        }
        assert_eq!(folder.names(), finished, "{command}");
        let found = killed.bytes();
        assert!(found == expected, "{command}: {} against {}", found.0, expected.0);
    }
    serde_json::from_str(&expected.0).unwrap()
}

#[test]
fn decisions() {
    let folder = Folder::new("decisions");
    write_data(&folder.work().join("long.npy"), 120_000, 30, &[]);
    let said = check(&folder, "decide long.npy --margin max --proof proof.json", "proof.json");
    assert!(said["passes"].as_u64() > Some(3), "{}", said["passes"]);
    fs::remove_file(folder.work().join("proof.json")).unwrap();
    write_data(&folder.work().join("wrong.npy"), 60_000, 40, &[12_345, 40_000]);
    let said = check(&folder, "decide wrong.npy --proof proof.json --threads 1", "proof.json");
    assert_eq!(said["verdict"], "inseparable");
    fs::remove_file(folder.work().join("proof.json")).unwrap();
    write_data(&folder.work().join("wide.npy"), 1500, 1000, &[]);
    let said = check(&folder, "decide wide.npy --proof proof.json --threads 2", "proof.json");
    assert!(said["passes"].as_u64() > Some(3), "{}", said["passes"]);
}

#[test]
fn rows_on_the_disk() {
    let folder = Folder::new("disk");
    write_data(&folder.work().join("rows.npy"), 60_000, 6, &[]);
    write_text(&folder, "rows.npy", "rows.csv");
    let command = "decide rows.csv --stream --margin max --proof proof.json";
    let said = check(&folder, command, "proof.json");
    assert_eq!(said["verdict"], "separable");
    let folder = Folder::new("disk-fit");
    write_data(&folder.work().join("rows.npy"), 30_000, 6, &[]);
    let command = "fit rows.npy --stream -o model.json --checkpoint-every 1ms";
    let said = check(&folder, command, "model.json");
    assert_eq!(said["separated"], Value::Bool(true));
}

#[test]
fn fits() {
    let folder = Folder::new("fits");
    write_data(&folder.work().join("points.npy"), 60_000, 20, &[]);
    let command = "fit points.npy -o model.json --checkpoint-every 1ms";
    let said = check(&folder, command, "model.json");
    assert_eq!(said["separated"], Value::Bool(true));
}
