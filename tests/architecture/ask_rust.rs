//! The walls of the Rust side: engine rooms use only those above them, and Tauri stays in the shell.

use std::collections::BTreeSet;

use crate::source::{File, files, folders, idents_after};

const ENGINE: &str = "src-tauri/engine/src";

/// Each room of the engine with the rooms that it may use. A new one is put here, with its place argued.
const ROOMS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("llm", &["model"]),
    ("tools", &["model"]),
    ("store", &["model"]),
    ("agents", &["model", "llm", "tools"]),
    ("views", &["model"]),
    ("history", &["model", "store", "views"]),
    (
        "run",
        &["model", "llm", "tools", "store", "agents", "history", "views"],
    ),
    (
        "engine",
        &[
            "model", "llm", "tools", "store", "agents", "history", "run", "views",
        ],
    ),
];

/// `src-tauri/engine/src/run/gate.rs` → `run`; `…/views.rs` → `views`; the crate's map `lib.rs` has none.
fn room_of(path: &str) -> Option<&str> {
    let inner = path.strip_prefix(ENGINE)?.strip_prefix('/')?;
    let room = inner.split('/').next()?;
    Some(room.strip_suffix(".rs").unwrap_or(room)).filter(|room| *room != "lib")
}

fn may_use(room: &str, other: &str) -> bool {
    let is_room = ROOMS.iter().any(|(name, _)| *name == other);
    let allowed = ROOMS
        .iter()
        .find(|(name, _)| *name == room)
        .map_or(&[][..], |(_, allowed)| allowed);
    room == other || !is_room || allowed.contains(&other)
}

/// Rooms that a file names: through `crate::`, or by climbing out of its own with `super`.
fn rooms_used(file: &File) -> BTreeSet<(usize, String)> {
    let inner = file
        .path
        .strip_prefix(ENGINE)
        .unwrap_or_default()
        .trim_start_matches('/');
    let climb = "super::".repeat(inner.trim_end_matches("/mod.rs").split('/').count());
    // A `use crate::{` may be spread over lines: joined, it reads like any other.
    let code: String = file.code().map(|(_, line)| line).collect::<Vec<_>>().join(" ");
    let mut used = BTreeSet::new();
    for start in ["crate::", climb.as_str()] {
        used.extend(
            idents_after(&code, start)
                .into_iter()
                .map(|room| (0, room.to_owned())),
        );
    }
    for (at, line) in file.code() {
        used.extend(
            idents_after(line, "crate::")
                .into_iter()
                .map(|room| (at, room.to_owned())),
        );
    }
    used
}

#[test]
fn engine_rooms_use_only_those_above_them() {
    let mut broken = Vec::new();
    let files = files(ENGINE);
    assert!(
        files.iter().filter(|file| file.has_end(&[".rs"])).count() > 5,
        "the engine was not found"
    );
    for file in files.iter().filter(|file| file.has_end(&[".rs"])) {
        let Some(room) = room_of(&file.path) else { continue };
        for (line, other) in rooms_used(file) {
            if !may_use(room, &other) {
                broken.push(format!("{}:{line}: `{room}` must not know `{other}`", file.path));
            }
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn every_engine_room_has_its_place() {
    for folder in folders(ENGINE) {
        assert!(
            ROOMS.iter().any(|(name, _)| *name == folder),
            "{ENGINE}/{folder} has no place among the rooms"
        );
    }
}

#[test]
fn walls_hold_in_every_form() {
    let file = |path: &str, text: &str| File {
        path: format!("{ENGINE}/{path}"),
        text: text.to_owned(),
    };
    let used = |path: &str, text: &str| -> Vec<String> {
        let names: BTreeSet<String> = rooms_used(&file(path, text))
            .into_iter()
            .map(|(_, room)| room)
            .collect();
        names.into_iter().collect()
    };
    assert_eq!(
        used("model/plan.rs", "use crate::{\n    store::Log,\n};"),
        ["store"]
    );
    assert_eq!(
        used("model/plan/read.rs", "use super::super::super::store::Log;"),
        ["store"]
    );
    assert_eq!(used("model/mod.rs", "use super::run::Gate;"), ["run"]);
    assert_eq!(used("model/plan.rs", "// see crate::store"), Vec::<String>::new());
    assert!(!may_use("model", "store") && !may_use("tools", "store") && !may_use("store", "run"));
    assert!(may_use("run", "store") && may_use("model", "model") && may_use("model", "Error"));
}

#[test]
fn tauri_stays_in_the_shell() {
    let mut found = Vec::new();
    for folder in ["src-tauri/engine", "src-tauri/cli"] {
        let files = files(folder);
        assert!(
            files.iter().any(|file| file.has_end(&["Cargo.toml"])),
            "{folder} was not found"
        );
        for file in files.iter().filter(|file| file.has_end(&[".rs", "Cargo.toml"])) {
            let lines = file
                .code()
                .filter(|(_, line)| line.contains("tauri") || line.contains("gtk") || line.contains("wry"));
            found.extend(lines.map(|(at, line)| format!("{}:{at}: {line}", file.path)));
        }
    }
    assert_eq!(found, Vec::<String>::new());
}

/// Only the store speaks SQL; a tool that queries a person's database has a file of its own for it.
#[test]
fn sql_lives_in_the_store() {
    let is_free = |path: &str| path.contains("/store/") || path.contains("/tools/");
    for file in files(ENGINE)
        .iter()
        .filter(|file| file.has_end(&[".rs"]) && !is_free(&file.path))
    {
        let found = file.code().find(|(_, line)| line.contains("rusqlite"));
        assert!(found.is_none(), "{}: {found:?}", file.path);
    }
}

/// What the pure rooms say depends on what they are given and on nothing else.
#[test]
fn the_pure_rooms_know_neither_clock_nor_chance_nor_disk() {
    let words = [
        "async fn",
        "tokio::",
        "std::time::Instant",
        "Instant::now",
        "SystemTime",
        "std::fs",
        "reqwest::",
        "uuid::",
        "rand::",
    ];
    for room in ["model", "agents"] {
        let files = files(&format!("{ENGINE}/{room}"));
        assert!(!files.is_empty(), "{room} was not found");
        for file in files.iter().filter(|file| file.has_end(&[".rs"])) {
            let pure = file.text.split("#[cfg(test)]").next().unwrap_or_default();
            let found = words.iter().find(|word| pure.contains(**word));
            assert!(found.is_none(), "{}: {found:?}", file.path);
        }
    }
}
