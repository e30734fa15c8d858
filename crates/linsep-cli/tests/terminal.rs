//! What a terminal sees: `script` gives the program one.

#![cfg(target_os = "linux")]

use std::process::Command;

/// Returns what a command prints to a terminal that is `columns` wide, if one can be had.
fn on_terminal(columns: usize, command: &str) -> Option<String> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let program = env!("CARGO_BIN_EXE_linsep");
    let inside = format!("stty rows 40 cols {columns}; {program} {command} --quiet");
    let output = Command::new("script")
        .args(["-qec", &inside, "/dev/null"])
        .current_dir(root)
        .env("TERM", "xterm-256color")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR")
        .output()
        .ok()?;
    Some(String::from_utf8_lossy(&output.stdout).replace('\r', ""))
}

/// Returns the text without what paints it.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, painted)) = rest.split_once('\u{1b}') {
        out.push_str(before);
        rest = painted.split_once('m').map_or("", |(_, after)| after);
    }
    out + rest
}

#[test]
fn a_terminal_has_colours_and_a_width() {
    let inseparable = "decide examples/iris.csv --positive virginica";
    for columns in [80, 60] {
        // Not every machine has the tool.
        let Some(text) = on_terminal(columns, inseparable) else { return };
        assert!(text.starts_with("\u{1b}[1m\u{1b}[31minseparable\u{1b}[0m: "), "{text:?}");
        let plain = plain(&text);
        let longest = plain.lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(columns), "{plain}");
        assert!(plain.contains('…') == (columns == 60), "{plain}");
        assert!(plain.contains('█') && plain.contains('│'), "{plain}");
    }
}

#[test]
fn colours_can_be_had_and_left_out() {
    let separable = "decide examples/iris.csv --positive setosa";
    let Some(text) = on_terminal(80, &format!("{separable} --color never")) else { return };
    assert!(!text.contains('\u{1b}') && text.starts_with("separable: "), "{text:?}");
    let text = on_terminal(80, &format!("{separable} --color always")).unwrap();
    assert!(text.starts_with("\u{1b}[1m\u{1b}[32mseparable"), "{text:?}");
    let text = on_terminal(80, &format!("{separable} --json")).unwrap();
    assert!(text.starts_with("{\"verdict\":\"separable\""), "{text:?}");
}
