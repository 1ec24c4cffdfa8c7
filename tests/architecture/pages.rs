//! What every file owes its reader: a first line, a bearable length, a place in the README, nothing of one machine.

use std::collections::BTreeSet;

use crate::source::{File, files, folders, root};

/// Written by people, in a language that has comments.
fn written() -> Vec<File> {
    let is_written =
        |file: &File| file.has_end(&[".rs", ".ts", ".tsx"]) && !file.has_end(&["ipc/bindings.ts", ".d.ts"]);
    let files: Vec<File> = ["src-tauri", "tests", "ui"]
        .iter()
        .flat_map(|folder| files(folder))
        .filter(is_written)
        .collect();
    assert!(files.len() > 20, "the source was not found");
    files
}

#[test]
fn files_stay_short() {
    let limit = |file: &File| if file.has_end(&[".tsx"]) { 300 } else { 500 };
    let long = written()
        .into_iter()
        .filter(|file| file.text.lines().count() > limit(file));
    assert_eq!(
        long.map(|file| file.path).collect::<Vec<_>>(),
        Vec::<String>::new(),
        "these are two rooms each"
    );
}

#[test]
fn files_open_with_what_they_are() {
    let is_told = |file: &File| {
        let first = file.text.lines().next().unwrap_or_default();
        let marks = if file.has_end(&[".rs"]) {
            ["//! ", "// "]
        } else {
            ["// ", "/** "]
        };
        marks
            .iter()
            .any(|mark| first.strip_prefix(mark).is_some_and(|said| said.len() > 12))
    };
    let silent = written().into_iter().filter(|file| !is_told(file));
    assert_eq!(
        silent.map(|file| file.path).collect::<Vec<_>>(),
        Vec::<String>::new()
    );
}

/// Folders that are rooms: each is named in the README's table, itself or with the floor that it is on.
fn rooms() -> BTreeSet<String> {
    let mut rooms: BTreeSet<String> = ["assets", "src-tauri/src", "src-tauri/cli", "tests"]
        .map(String::from)
        .into();
    for floor in ["src-tauri/engine/src", "ui/src"] {
        rooms.extend(folders(floor).into_iter().map(|room| format!("{floor}/{room}")));
    }
    rooms
        .into_iter()
        .filter(|room| root().join(room).is_dir())
        .collect()
}

fn is_told(room: &str, named: &BTreeSet<String>) -> bool {
    named
        .iter()
        .any(|path| room == path || room.starts_with(&format!("{path}/")))
}

/// The paths in backticks in the first cell of each table row.
fn named(readme: &str) -> BTreeSet<String> {
    let cells = readme
        .lines()
        .filter_map(|line| line.strip_prefix('|')?.split('|').next());
    let ticked = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    ticked
        .filter(|path| path.contains('/') || root().join(path).is_dir())
        .map(|path| path.trim_end_matches('/').to_owned())
        .collect()
}

/// There is no README before there is a CHANGELOG: both come with the first version that people can use.
#[test]
fn the_readme_names_every_room_and_no_other() {
    let Ok(readme) = std::fs::read_to_string(root().join("README.md")) else {
        assert!(!root().join("CHANGELOG.md").exists(), "README.md is missing");
        return;
    };
    let named = named(&readme);
    let gone: Vec<&String> = named.iter().filter(|path| !root().join(path).exists()).collect();
    assert_eq!(gone, Vec::<&String>::new(), "named in README.md, but not there");
    assert!(named.len() > 5, "README.md has no table of rooms");
    let untold: Vec<String> = rooms()
        .into_iter()
        .filter(|room| !is_told(room, &named))
        .collect();
    assert_eq!(
        untold,
        Vec::<String>::new(),
        "there, but in no row of README.md's table of rooms"
    );
}

#[test]
fn paths_are_read_from_the_first_cell() {
    let table = "| room | what |\n| --- | --- |\n| `tests/`, `ui/src/app` | uses `src-tauri/none` |\n";
    assert_eq!(
        named(table),
        BTreeSet::from(["tests".to_owned(), "ui/src/app".to_owned()])
    );
}

/// Spelled in two halves, so that this file does not mention them either.
#[test]
fn nothing_is_said_of_one_machine_or_registry() {
    let machine = [["/tm", "p/"], ["/wor", "k/"]].map(|halves| halves.concat());
    let registry = [
        ["registry.", "npmjs"],
        ["index.", "crates.io"],
        ["static.", "crates.io"],
        ["files.", "pythonhosted"],
    ]
    .map(|halves| halves.concat());
    let mut found = Vec::new();
    for file in files("") {
        let is_lock = file.has_end(&["Cargo.lock", "package-lock.json"]);
        let words = machine.iter().chain(registry.iter().filter(|_| !is_lock));
        found.extend(
            words
                .filter(|word| file.text.contains(*word))
                .map(|word| format!("{}: {word}", file.path)),
        );
    }
    assert_eq!(found, Vec::<String>::new());
}

/// A lock file written behind a mirror would send everybody there.
#[test]
fn the_page_is_locked_to_no_mirror() {
    let Ok(lock) = std::fs::read_to_string(root().join("ui/package-lock.json")) else {
        return;
    };
    let official = ["https://registry.", "npmjs.org/"].concat();
    let elsewhere = lock
        .lines()
        .filter_map(|line| line.trim().strip_prefix("\"resolved\": \""))
        .find(|url| !url.starts_with(&official));
    assert_eq!(elsewhere, None);
}
