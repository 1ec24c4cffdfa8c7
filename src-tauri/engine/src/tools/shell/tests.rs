//! Single calls, without a run around them.

use serde_json::json;

use super::*;
use crate::model::grants::Grants;
use crate::tools::testing::{Rig, code_of};

fn is_off() -> bool {
    confinement().why_not().is_some()
}

fn tool() -> ShellRun {
    ShellRun::new(Arc::new([]), Hands::default())
}

fn granting(read: &[&str], write: &[&str]) -> Rig {
    let list = |entries: &[&str]| entries.iter().map(|&entry| entry.to_owned()).collect();
    Rig::granting(Grants {
        read: list(read),
        write: list(write),
        ..Grants::default()
    })
}

fn sh(script: &str) -> Json {
    json!({ "program": "/bin/sh", "args": ["-c", script] })
}

#[tokio::test]
async fn of_a_pattern_only_the_matching_files_are_shown() {
    if is_off() {
        return;
    }
    let rig = granting(&["data/*.csv", "deep/**/*.txt", "sub/*/", "one"], &[]);
    for name in [
        "data/a.csv",
        "data/b.txt",
        "data/sub/c.csv",
        "deep/a/b/c.txt",
        "deep/d.md",
        "sub/x/y",
        "one/two",
        "no",
    ] {
        rig.put(name, "x");
    }
    let folder = rig.path().display();
    let found = rig
        .call(&tool(), sh(&format!("cd {folder}; find . -type f | sort")))
        .await
        .unwrap();
    assert_eq!(
        found["stdout"],
        "./data/a.csv\n./deep/a/b/c.txt\n./one/two\n./sub/x/y\n"
    );
}

#[tokio::test]
async fn a_written_folder_is_made_and_the_runs_own_is_always_there() {
    if is_off() {
        return;
    }
    let rig = granting(&[], &["made/deep/"]);
    let script = format!("echo a > {}/made/deep/a; echo b > b; pwd", rig.path().display());
    let done = rig.call(&tool(), sh(&script)).await.unwrap();
    assert_eq!(rig.get("made/deep/a"), "a\n");
    assert_eq!(
        std::fs::read_to_string(rig.workspace.path().join("b")).unwrap(),
        "b\n"
    );
    assert_eq!(
        done["stdout"].as_str().unwrap().trim(),
        rig.workspace.path().to_str().unwrap()
    );
}

#[tokio::test]
async fn a_granted_path_that_became_a_link_is_refused() {
    if is_off() {
        return;
    }
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::write(elsewhere.path().join("key"), "secret").unwrap();
    for entry in ["data/sub/", "data/sub/**", "data/sub/key", "data/sub"] {
        let rig = granting(&[entry], &["data/out/"]);
        rig.put("data/x", "x");
        std::os::unix::fs::symlink(elsewhere.path(), rig.path().join("data/sub")).unwrap();
        let refused = rig.call(&tool(), sh("true")).await;
        assert_eq!(code_of(refused), "leads_outside", "{entry}");
    }
    // A pattern meets the link and shows nothing of it.
    let rig = granting(&["data/**/key"], &[]);
    rig.put("data/x", "x");
    std::os::unix::fs::symlink(elsewhere.path(), rig.path().join("data/sub")).unwrap();
    let script = format!("cat {}/data/sub/key || echo no", rig.path().display());
    let done = rig.call(&tool(), sh(&script)).await.unwrap();
    assert_eq!(done["stdout"], "no\n");
}

#[tokio::test]
async fn too_many_matches_ask_for_a_folder() {
    if is_off() {
        return;
    }
    let rig = granting(&["*.txt"], &[]);
    (0..400).for_each(|n| rig.put(&format!("{n}.txt"), "x"));
    assert_eq!(code_of(rig.call(&tool(), sh("true")).await), "too_many");
}

#[tokio::test]
async fn programs_are_looked_for_on_the_path_alone() {
    if is_off() {
        return;
    }
    let rig = granting(&["**"], &[]);
    rig.put("planloom-tool", "#!/bin/sh\necho found\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(rig.path().join("planloom-tool"), mode).unwrap();
    let run = |program: &str| json!({ "program": program, "cwd": "." });
    assert_eq!(
        code_of(rig.call(&tool(), run("planloom-tool")).await),
        "program_not_found"
    );
    assert_eq!(
        rig.call(&tool(), run("./planloom-tool")).await.unwrap()["stdout"],
        "found\n"
    );
    assert_eq!(
        code_of(rig.call(&tool(), run("./none")).await),
        "program_not_found"
    );
    assert_eq!(
        code_of(rig.call(&tool(), run("/etc/passwd")).await),
        "program_not_found"
    );
    assert_eq!(
        code_of(rig.call(&tool(), run(".git/hooks/x")).await),
        "closed_path"
    );
}

#[tokio::test]
async fn arguments_out_of_bounds_are_refused() {
    for more in [
        json!({ "timeout_s": 0 }),
        json!({ "timeout_s": 4000 }),
        json!({ "timeout_s": -1 }),
        json!({ "args": "a b" }),
        json!({ "args": [1] }),
        json!({ "accept_code": ["1"] }),
        json!({ "stdin": 1 }),
    ] {
        // The schema says no, and so does the tool by itself.
        let mut arguments = sh("true");
        more.as_object()
            .unwrap()
            .iter()
            .for_each(|(k, v)| arguments[k] = v.clone());
        assert!(tool().check_arguments(&arguments).is_err(), "{more}");
        assert!(
            crate::tools::testing::call(&tool(), arguments).await.is_err(),
            "{more}"
        );
    }
}

#[tokio::test]
async fn what_the_system_shows_of_itself_is_not_looked_through() {
    if is_off() {
        return;
    }
    for entry in ["/proc/*", "/proc/**/maps", "/sys/**", "/dev/{a,b}*"] {
        let refused = granting(&[entry], &[]).call(&tool(), sh("true")).await;
        assert_eq!(code_of(refused), "closed_path", "{entry}");
    }
}

/// Who of them has put it there can't be told, so that none of them has simply succeeded.
#[tokio::test]
async fn what_one_of_two_has_planted_fails_both() {
    if is_off() {
        return;
    }
    let rig = granting(&[], &["out/"]);
    let folder = rig.path().join("out");
    let tool = tool();
    let culprit = format!("echo y > {}/.bashrc; sleep 1.2", folder.display());
    let (culprit, innocent) = tokio::join!(
        rig.call(&tool, sh(&culprit)),
        rig.call(&tool, sh("sleep 0.6; echo hi"))
    );
    for ended in [culprit, innocent] {
        let told = ended.as_ref().unwrap_err().to_string();
        assert!(
            told.contains("or a command that could write there at the same time"),
            "{told}"
        );
        assert_eq!(code_of(ended), "closed_path");
    }
    let alone = rig.call(&tool, sh("echo hi")).await.unwrap();
    assert_eq!(alone["stdout"], "hi\n");
}

/// The case `agent-04` through the tool itself: as a program writes it, said in which encoding.
#[tokio::test]
async fn outputs_of_the_case_are_read_as_they_were_meant() {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    if is_off() {
        return;
    }
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/cases/agent-04-bytes-that-are-not-utf8/outputs.json"
    );
    let rows: Json = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let rig = granting(&[], &[]);
    for row in rows.as_array().unwrap() {
        let written = STANDARD.decode(row["b64"].as_str().unwrap()).unwrap();
        std::fs::write(rig.workspace.path().join("out"), &written).unwrap();
        let mut call = sh("cat out; cat out >&2");
        match row["codepage"].as_u64() {
            Some(936) => call["encoding"] = json!("gbk"),
            Some(932) => call["encoding"] = json!("shift_jis"),
            _ => {}
        }
        let done = rig.call(&tool(), call).await.unwrap();
        for name in ["stdout", "stderr"] {
            let text = done[name].as_str().unwrap();
            assert!(!text.contains('\0'), "{row}");
            match row["text"].as_str() {
                Some(want) => assert!(text.contains(want), "{row}: {text:?}"),
                // Nothing is lost of what is no text.
                None => {
                    let kept = done[format!("{name}_base64")].as_str().unwrap();
                    assert_eq!(STANDARD.decode(kept).unwrap(), written, "{row}");
                }
            }
            if let Some(part) = row["text_has"].as_str() {
                assert!(text.contains(part), "{row}");
            }
        }
    }
    let unknown = json!({ "program": "/bin/true", "encoding": "klingon" });
    assert_eq!(code_of(rig.call(&tool(), unknown).await), "bad_arguments");
}
