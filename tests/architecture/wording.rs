//! Counted things are worded in one place: `1 rows` is no English.

use crate::source::{File, files};

/// Things that are counted in texts for people.
const THINGS: [&str; 11] = [
    "columns", "errors", "events", "fields", "files", "items", "lines", "problems", "rows", "tools",
    "warnings",
];

/// `{n} rows` outside of tests, where `n` may be 1.
fn uncounted(file: &File) -> Vec<String> {
    let own = file.text.split("#[cfg(test)]").next().unwrap_or_default();
    let is_bad = |line: &&str| {
        let is_text = !line.trim_start().starts_with("//") && line.contains('"');
        // A bound is never 1.
        let is_bound = line.contains("more than {")
            || line.contains("at most")
            || line.contains("first {")
            || line.contains("{MOST");
        let is_counted = |thing: &&str| {
            let written = format!("}} {thing}");
            let mut after = line.split(&written).skip(1);
            after.any(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == ':'))
        };
        is_text && !is_bound && THINGS.iter().any(is_counted)
    };
    let bad = own.lines().filter(is_bad);
    bad.map(|line| format!("{}: {}", file.path, line.trim()))
        .collect()
}

#[test]
fn counted_things_are_worded_in_one_place() {
    let is_ours = |file: &File| file.has_end(&[".rs"]) && !file.path.contains("/tests");
    let files = ["src-tauri/engine/src", "src-tauri/cli/src", "src-tauri/src"].map(files);
    let bad: Vec<String> = files
        .iter()
        .flatten()
        .filter(|file| is_ours(file))
        .flat_map(uncounted)
        .collect();
    assert_eq!(bad, Vec::<String>::new(), "use `model::counted`");
}

#[test]
fn what_is_counted_by_hand_is_found() {
    let of = |text: &str| {
        let file = File {
            path: "a.rs".to_owned(),
            text: text.to_owned(),
        };
        uncounted(&file).len()
    };
    assert_eq!(of("let a = format!(\"{} rows\", n);"), 1);
    assert_eq!(of("let a = format!(\"{n} items.\");\n// \"{n} rows\""), 1);
    assert_eq!(
        of("format!(\"more than {most} rows\");\nformat!(\"{name} toolsmith\");"),
        0
    );
}
