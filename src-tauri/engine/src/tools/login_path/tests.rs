//! The case of a PATH that is too short, and shells that get in the way.

#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::time::Instant;

use serde_json::Value;

use super::*;

fn program(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn at(root: &Path, path: &str) -> String {
    let moved: Vec<String> = path
        .split(':')
        .map(|folder| format!("{}{folder}", root.display()))
        .collect();
    moved.join(":")
}

/// The rows of mcp-08 that are about this system, below a root of their own.
#[tokio::test]
async fn the_program_is_found_as_in_a_terminal() {
    let rows = include_str!("../../../tests/cases/mcp-08-path-of-a-gui-app/cases.json");
    let rows: Vec<Value> = serde_json::from_str(rows).unwrap();
    let root = tempfile::tempdir().unwrap();
    let node = "/Users/u/.nvm/versions/node/v22.1.0/bin";
    for file in [
        &format!("{node}/npx"),
        &format!("{node}/node"),
        "/home/u/.local/bin/uvx",
    ] {
        program(&root.path().join(&file[1..]), "#!/bin/sh\n");
    }
    let mut seen = 0;
    for row in rows.iter().filter(|row| row["os"] != "windows") {
        let text = |key: &str| row[key].as_str().map(str::to_owned);
        let own = at(
            root.path(),
            &text("app_path").unwrap_or_else(|| "/usr/bin:/bin".to_owned()),
        );
        let login = text("login_shell_path").map(|path| at(root.path(), &path));
        let search = SearchPath {
            folders: merged(login.as_deref().map(OsStr::new), OsStr::new(&own), None, &[]),
            trouble: None,
        };
        let command = row["command"].as_str().unwrap();
        let named = if command.starts_with('/') {
            at(root.path(), command)
        } else {
            command.to_owned()
        };
        let want = row["want"].as_str().unwrap();
        let found = search.find(&named);
        seen += 1;
        if want.contains("node found by child") || want.contains("child finds node") {
            let found = found.unwrap();
            assert!(found.ends_with(&format!("{node}/npx")[1..]));
            let child = search.for_child(&found);
            assert!(
                std::env::split_paths(&child).any(|folder| folder.join("node").exists()),
                "{row}"
            );
        } else if want.ends_with("/uvx") {
            assert!(found.unwrap().ends_with(&want[1..]));
        } else if want.contains("put arguments in args") {
            assert!(matches!(found, Err(NotFound::Spaces(_))), "{found:?}");
        } else if want.contains("lists the folders") {
            let message = found.unwrap_err().to_string();
            assert!(
                search
                    .folders
                    .iter()
                    .all(|folder| message.contains(&*folder.to_string_lossy())),
                "{message}"
            );
        } else {
            // The hanging profile and the package's own variables have tests of their own.
            seen -= 1;
        }
    }
    assert_eq!(seen, 5);
}

#[tokio::test]
async fn a_profile_that_hangs_or_talks_holds_nothing_up() {
    let root = tempfile::tempdir().unwrap();
    let shell = root.path().join("shell");
    program(
        &shell,
        "#!/bin/sh\necho Welcome!; echo '<b>'\nPATH=/from/profile:/usr/bin:/bin\nshift 2\nexec /bin/sh \"$@\"\n",
    );
    let path = path_of_shell(&shell, Duration::from_secs(10)).await.unwrap();
    assert_eq!(path, "/from/profile:/usr/bin:/bin");

    program(&shell, "#!/bin/sh\necho Welcome!\nexec sleep 20\n");
    let begun = Instant::now();
    let trouble = path_of_shell(&shell, Duration::from_millis(300))
        .await
        .unwrap_err();
    assert!(
        begun.elapsed() < Duration::from_secs(5) && trouble.contains("took more than"),
        "{trouble}"
    );
    let search = SearchPath {
        folders: merged(None, OsStr::new("/usr/bin"), None, &[]),
        trouble: Some(trouble),
    };
    let message = search.find("uvx-that-is-not-there").unwrap_err().to_string();
    assert!(
        message.contains("/usr/bin") && message.contains("took more than"),
        "{message}"
    );

    program(&shell, "#!/bin/sh\nexit 1\n");
    assert!(path_of_shell(&shell, Duration::from_secs(10)).await.is_err());
    assert!(
        path_of_shell(&root.path().join("none"), Duration::from_secs(10))
            .await
            .is_err()
    );
}

#[test]
fn folders_of_the_package_and_of_the_current_place_are_left_out() {
    let own = OsStr::new("/run/.mount_app/usr/bin:/usr/bin:.:relative::/usr/bin");
    assert_eq!(
        merged(None, own, Some(Path::new("/run/.mount_app")), &[]),
        [PathBuf::from("/usr/bin")]
    );
}
