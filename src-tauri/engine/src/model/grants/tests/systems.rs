//! Paths of Windows and macOS, judged on every system: plans travel between machines. The tables are of a recorded case.

use serde_json::Value;

use super::*;
use crate::model::grants::dialect::Dialect;
use crate::model::grants::{forbidden, paths};

macro_rules! case {
    ($name:literal) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/cases/safety-02-platform-path-rules/",
            $name
        ))
    };
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn nowhere() -> Place {
    Place {
        folder: None,
        workspace: "/runs/1".into(),
    }
}

fn is_allowed(dialect: Dialect, entry: &str, path: &str) -> Result<bool, String> {
    let resource = paths::resource_as(dialect, path, &nowhere())?;
    Ok(paths::entry_covers_as(dialect, entry, &resource, &nowhere()))
}

#[test]
fn windows_row_by_row() {
    for row in read(case!("windows.json")).as_array().unwrap() {
        let (path, verdict) = (row[0].as_str().unwrap(), row[1].as_str().unwrap());
        let judged = is_allowed(Dialect::Windows, "C:\\ws\\", path);
        let is_fine = match verdict {
            "allow" | "allow-or-message" => judged == Ok(true),
            "deny" | "deny-or-resolve" | "deny-or-normalise" => judged != Ok(true),
            other => panic!("{other}"),
        };
        assert!(is_fine, "{path:?} is to be {verdict}, but is {judged:?}");
    }
}

#[test]
fn macos_row_by_row() {
    let case = read(case!("macos.json"));
    let rule = case["deny_rule"].as_str().unwrap();
    for row in case["rows"].as_array().unwrap() {
        let (path, verdict) = (row[0].as_str().unwrap(), row[1].as_str().unwrap());
        match verdict {
            "allow" => {
                assert_eq!(is_allowed(Dialect::Mac, "/ws/", path), Ok(true), "{path}");
                assert!(!forbidden::is_inside(path, rule), "{path}");
            }
            "deny" => assert!(forbidden::is_inside(path, rule), "{path}"),
            // Outside of what the text covers; the tools follow links, and judge the place behind them.
            "resolve first" => assert_eq!(is_allowed(Dialect::Mac, "/ws/", path), Ok(false)),
            "one file, found under both spellings" => {
                let (one, other) = path.split_once(" created as ").unwrap();
                let other = format!("/ws/{other}");
                assert_eq!(Dialect::Mac.key(one), Dialect::Mac.key(&other));
                assert_eq!(is_allowed(Dialect::Mac, one, &other), Ok(true));
            }
            other => panic!("{other}"),
        }
    }
}

#[test]
fn a_path_with_control_characters_is_refused_with_a_hint_about_backslashes() {
    let argument = read(case!("json-escape.txt"));
    let told = resource_of_path(argument["path"].as_str().unwrap(), &nowhere()).unwrap_err();
    assert!(told.contains("backslash"), "{told}");
    let text = case!("json-invalid-escape.txt");
    let told = crate::model::read::read(text.trim(), &crate::model::read::PLAN).unwrap_err();
    assert!(told[0].message.contains("backslash"), "{told:?}");
}

#[test]
fn other_systems_keep_their_own_rules() {
    assert_eq!(is_allowed(Dialect::Unix, "/ws/", "/WS/a.txt"), Ok(false));
    assert_eq!(is_allowed(Dialect::Unix, "/ws/", "/ws/NUL"), Ok(true));
    assert_eq!(is_allowed(Dialect::Unix, "/ws/", "/ws/a:b"), Ok(true));
    assert!(is_allowed(Dialect::Unix, "/ws/", "C:\\ws\\a.txt").is_err());
    assert_eq!(
        is_allowed(Dialect::Windows, "C:\\ws\\*.txt", "c:/WS/A.TXT"),
        Ok(true)
    );
    assert_eq!(
        is_allowed(Dialect::Windows, "C:\\ws\\*.txt", "c:/WS/sub/A.TXT"),
        Ok(false)
    );
}

#[test]
fn closed_places_are_closed_in_every_spelling() {
    for path in [
        "/home/ada/.ssh/id_ed25519",
        "/home/ada/.SSH/id_ed25519",
        "/home/ada/.ssh./id_ed25519",
        "/home/ada/.ssh /id_ed25519",
        "C:/Users/ada/.SSH/id_rsa",
        "/home/ada/.Bashrc",
        "/home/ada/repo/.git/hooks/pre-commit",
        "/home/ada/repo/.GIT/Hooks",
        "/home/ada/.Config/Autostart/x.desktop",
        "/proc",
        "/proc/self/environ",
        "/proc/1/root/etc/shadow",
        "/sys/kernel/notes",
        "/dev/mem",
        "/dev/fd/0",
    ] {
        assert!(closed_to_all(path).is_some(), "{path}");
    }
    for path in [
        "/home/ada/ssh/x",
        "/home/ada/.sshx",
        "/home/ada/bashrc",
        "/home/ada/.github/hooks",
        "/home/ada/proc/self/environ",
        "/process/x",
        "/dev/shm/plan/a.csv",
        "run:/proc/x",
    ] {
        assert!(closed_to_all(path).is_none(), "{path}");
    }
}
