//! Exporting, importing, deleting and backing up, as a person does it; and files that are not what they say.

use std::path::{Path, PathBuf};

use planloom_engine::model::Digest;
use planloom_engine::{Config, Engine};
use planloom_tests::process::{Desk, Said};
use serde_json::{Value, json};

use crate::verbs::up_to_the_question;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A run that is over, with a large output.
fn finished(desk: &Desk) -> String {
    let plan = json!({ "goal": "Large", "tasks": [
        { "id": "large", "instruction": "Echo.", "task_type": "tool", "tool": "echo", "inputs": { "value": "x".repeat(9000) } },
        { "id": "save", "instruction": "Save.", "task_type": "tool", "tool": "file.write", "dependencies": ["large"],
          "inputs": { "path": "run:/large.txt", "text": { "$from": "large" } } },
        { "id": "again", "instruction": "Echo.", "task_type": "tool", "tool": "echo", "dependencies": ["save"],
          "inputs": { "value": { "$from": "large" } } },
    ] });
    let path = desk.write("large.plan.json", &plan);
    let ran = desk.say(&["run", text(&path), "--yes"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.last()["run"].as_str().unwrap().to_owned()
}

fn export(desk: &Desk, run: &str, name: &str) -> PathBuf {
    let file = desk.folder.path().join(name);
    let said = desk.say(&["export", run, "--to", text(&file)]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    file
}

/// Everything that the database holds, as one text.
fn content(db: &Path) -> String {
    let conn = rusqlite::Connection::open(db).unwrap();
    let mut all = String::new();
    for sql in [
        "SELECT json_array(run, id, parent, fork_seq, head, epoch, owner, created_ms, changed_ms, summary,
         deleted_ms, kept) FROM runs ORDER BY run",
        "SELECT json_array(key, at_ms, kind, task, body) FROM events ORDER BY key",
        "SELECT json_array(id, hex(hash), bytes, codec, hex(data)) FROM payloads ORDER BY id",
    ] {
        let mut select = conn.prepare(sql).unwrap();
        let rows = select.query_map([], |row| row.get::<_, String>(0)).unwrap();
        all.extend(rows.map(|row| row.unwrap() + "\n"));
    }
    all
}

fn code(said: &Said) -> String {
    said.last()["error"]["code"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

fn message(said: &Said) -> String {
    said.last()["error"]["message"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn a_run_goes_into_a_file_and_comes_back_from_it() {
    let desk = Desk::default();
    let run = finished(&desk);
    let before = desk.say(&["show", &run]).last();
    let file = desk.folder.path().join("run.jsonl");
    let exported = desk.say(&["export", &run, "--to", text(&file)]).last();
    let bytes = std::fs::metadata(&file).unwrap().len();
    assert_eq!(
        exported,
        json!({ "run": run, "file": text(&file), "events": before["seq"], "bytes": bytes })
    );
    let again = desk.say(&["import", text(&file)]);
    assert_eq!((again.code, again.last()["imported"].as_bool()), (0, Some(false)));

    let folder = desk.folder.path().join("runs").join(&run);
    assert!(folder.join("large.txt").exists());
    let deleted = desk.say(&["delete", &run, &run[..13]]);
    assert_eq!(deleted.code, 0, "{}", deleted.stderr);
    assert_eq!(
        deleted.last(),
        json!({ "deleted": [{ "run": run, "events": before["seq"], "kept": 0, "folder": true }] })
    );
    assert!(!folder.exists() && folder.parent().unwrap().exists());
    assert_eq!(desk.newest(), None);
    for verb in ["show", "resume", "export", "delete", "pause", "cancel", "decide"] {
        let mut args = vec![verb, &run];
        let to = desk.folder.path().join("none");
        if verb == "export" {
            args.extend(["--to", text(&to)]);
        }
        let said = desk.say(&args);
        assert_eq!(said.code, 2, "{verb}");
        assert!(
            message(&said).contains("was deleted"),
            "{verb}: {}",
            message(&said)
        );
    }

    let imported = desk.say(&["import", text(&file)]);
    assert_eq!(imported.code, 0, "{}", imported.stderr);
    assert_eq!(imported.last()["imported"], true);
    let after = desk.say(&["show", &run]).last();
    for same in ["run", "state", "title", "output", "tasks"] {
        assert_eq!(after[same], before[same], "{same}");
    }
    assert_eq!(after["seq"].as_u64(), before["seq"].as_u64().map(|seq| seq + 1));
    assert_eq!(desk.say(&["import", text(&file)]).last()["imported"], false);
    assert_eq!(desk.newest(), Some(run));
}

#[test]
fn an_imported_run_is_looked_at_and_never_gone_on_with() {
    let (desk, other) = (Desk::default(), Desk::default());
    let (run, _) = up_to_the_question(&desk);
    let file = export(&desk, &run, "run.jsonl");
    assert_eq!(other.say(&["import", text(&file)]).code, 0);
    let before = content(&other.db());
    for args in [
        &["resume", &run][..],
        &["resume", &run, "--take-over"],
        &["pause", &run],
        &["cancel", &run],
        &["rewind", &run, "--to", "3"],
        &["retry", &run, "greet"],
        &["rerun", &run],
    ] {
        let said = other.say(args);
        assert_eq!((said.code, code(&said).as_str()), (2, "imported"), "{args:?}");
        assert!(
            message(&said).contains("run its plan as a new run"),
            "{}",
            message(&said)
        );
    }
    assert_eq!(other.say(&["decide", &run, "d1", r#"{"yes": true}"#]).code, 2);
    assert_eq!(content(&other.db()), before, "nothing of that was recorded");
    let listed = other.say(&["runs"]).last()["runs"][0].clone();
    assert_eq!(
        listed["open_decisions"], 0,
        "nobody is asked what can't be answered"
    );
    let again = export(&other, &run, "again.jsonl");
    let third = Desk::default();
    assert_eq!(third.say(&["import", text(&again)]).code, 0);
    // The first machine goes on; what others have of the run stays another log.
    desk.say(&["decide", &run, "d1", r#"{"yes": true}"#]);
    let differs = desk.say(&["import", text(&file)]);
    assert_eq!((differs.code, code(&differs).as_str()), (2, "exists"));
    assert_eq!(other.say(&["delete", &run]).code, 0);
}

#[test]
fn a_draft_that_was_imported_is_not_signed_and_not_taken_up() {
    let (desk, other) = (Desk::default(), Desk::default());
    let path = desk.write("ask.plan.json", &json!({ "goal": "G", "tasks": [
        { "id": "a", "instruction": "Echo.", "task_type": "tool", "tool": "echo", "inputs": { "value": 1 } } ] }));
    let run = desk.say(&["run", text(&path)]).last()["run"]
        .as_str()
        .unwrap()
        .to_owned();
    let file = export(&desk, &run, "draft.jsonl");
    assert_eq!(other.say(&["import", text(&file)]).code, 0);
    let said = other.say(&["resume", &run, "--yes"]);
    assert_eq!(said.code, 2, "{}", said.stdout);
    assert_eq!(other.say(&["show", &run]).last()["state"], "AWAITING_APPROVAL");
}

#[test]
fn a_file_appears_whole_and_replaces_nothing_unasked() {
    let desk = Desk::default();
    let run = finished(&desk);
    let folder = desk.folder.path();
    std::fs::write(folder.join("mine"), "precious").unwrap();
    std::fs::create_dir(folder.join("folder")).unwrap();
    let db = desk.db();
    for verb in [vec!["backup"], vec!["export", &run]] {
        let to = |name: &str, force: bool| {
            let path = folder.join(name);
            let mut args = verb.clone();
            args.extend(["--to", text(&path)]);
            args.extend(force.then_some("--force"));
            desk.say(&args)
        };
        for (name, force, expected) in [
            ("mine", false, "file_exists"),
            ("folder", true, "bad_file"),
            ("none/there", false, "bad_file"),
            ("mine/below", true, "bad_file"),
            ("planloom.db", true, "bad_file"),
            ("planloom.db-wal", true, "bad_file"),
            ("planloom.db.locks/x", true, "bad_file"),
        ] {
            let said = to(name, force);
            assert_eq!(
                (said.code, code(&said).as_str()),
                (2, expected),
                "{verb:?} {name}"
            );
        }
        assert_eq!(std::fs::read_to_string(folder.join("mine")).unwrap(), "precious");
        // What a crash has left of an earlier try goes; what looks like it and isn't stays.
        std::fs::write(folder.join(".new.0.part"), "half").unwrap();
        assert_eq!(to("new", false).code, 0);
        assert_eq!(to("new", true).code, 0);
        std::fs::remove_file(folder.join("new")).unwrap();
    }
    let names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|f| f.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    assert!(!names.iter().any(|n| n.ends_with(".part")), "{names:?}");
    assert!(db.exists());
    assert_eq!(desk.say(&["show", &run]).code, 0);
}

/// A secret that a tool gives back is redacted before it is stored, so that no file of a run can hold it.
#[test]
fn no_secret_gets_into_an_export() {
    const CANARY: &str = "canary/7f3c9e-value";
    let desk = Desk::default();
    let plan = json!({ "goal": "Keep it", "tasks": [
        { "id": "save", "instruction": "Save.", "task_type": "tool", "tool": "file.write",
          "inputs": { "path": "run:/note.txt", "text": { "$secret": "PLANLOOM_TEST_CANARY" } } },
        { "id": "read", "instruction": "Read.", "task_type": "tool", "tool": "file.read", "dependencies": ["save"],
          "inputs": { "path": "run:/note.txt" } },
        { "id": "show", "instruction": "Echo.", "task_type": "tool", "tool": "echo", "dependencies": ["read"],
          "inputs": { "value": { "$from": "read" } } },
    ] });
    let path = desk.write("secret.plan.json", &plan);
    let mut run = desk.command(&["run", text(&path), "--yes"]);
    let ran = run.env("PLANLOOM_TEST_CANARY", CANARY).output().unwrap();
    let lines = String::from_utf8(ran.stdout).unwrap();
    assert_eq!(ran.status.code(), Some(0), "{lines}");
    let note = walk(&desk.folder.path().join("runs")).pop().unwrap();
    assert_eq!(std::fs::read_to_string(note).unwrap(), CANARY, "the tool had it");
    let run = desk.newest().unwrap();
    let file = std::fs::read_to_string(export(&desk, &run, "run.jsonl")).unwrap();
    assert!(file.contains("PLANLOOM_TEST_CANARY") && file.contains("•••"));
    let mut texts = vec![file];
    for (name, more) in [
        ("run.md", &[][..]),
        ("run.html", &[]),
        ("run.svg", &[]),
        ("run.mmd", &["--as", "mermaid"]),
        ("run.json", &["--as", "otlp", "--with-content"]),
    ] {
        let to = desk.folder.path().join(name);
        let said = desk.say(&[&["export", &*run, "--to", text(&to)], more].concat());
        assert_eq!(said.code, 0, "{name}: {}", said.stderr);
        texts.push(std::fs::read_to_string(to).unwrap());
    }
    for words in [
        &["trace", &*run][..],
        &["trace", &run, "--json"],
        &["search", "canary", "--json"],
        &["log", &run],
    ] {
        let said = desk.say(words);
        texts.push(said.stdout + &said.stderr);
    }
    for (ix, told) in texts.iter().enumerate() {
        for form in [CANARY, "canary%2F7f3c9e-value", "Y2FuYXJ5LzdmM2M5ZS12YWx1Z"] {
            assert!(!told.contains(form), "{form} in text {ix}");
        }
    }
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    entries
        .flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] })
        .collect()
}

#[test]
fn what_is_no_export_is_refused_and_changes_nothing() {
    let (desk, other) = (Desk::default(), Desk::default());
    let run = finished(&desk);
    let file = export(&desk, &run, "run.jsonl");
    finished(&other);
    let before = content(&other.db());
    let whole = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let bad = other.folder.path().join("bad.jsonl");
    let refuse = |what: &str, bytes: &[u8], expected: &str| {
        std::fs::write(&bad, bytes).unwrap();
        let said = other.say(&["import", text(&bad)]);
        assert_eq!(
            (said.code, code(&said).as_str()),
            (2, "bad_file"),
            "{what}: {}",
            said.stderr
        );
        assert!(message(&said).contains(expected), "{what}: {}", message(&said));
        assert!(message(&said).contains("as it was"), "{what}");
        assert!(!said.stderr.contains("panicked"), "{what}");
    };
    refuse("empty", b"", "the file is empty");
    for cut in 1..lines.len() {
        refuse("cut", lines[..cut].concat().as_bytes(), "was cut off");
    }
    let flipped = whole.replacen("\"attempt\":1", "\"attempt\":2", 1);
    refuse("flipped", flipped.as_bytes(), "the hash of all lines before it");
    refuse("prose", b"Not a run.\n", "not an exported run");
    let missing = other.say(&["import", "nowhere.jsonl"]);
    assert_eq!((missing.code, code(&missing).as_str()), (2, "bad_file"));
    let folder = other.say(&["import", text(other.folder.path())]);
    assert!(
        message(&folder).contains("it is a folder"),
        "{}",
        message(&folder)
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::write(&bad, &whole).unwrap();
        std::fs::set_permissions(&bad, std::fs::Permissions::from_mode(0o000)).unwrap();
        // Root reads it all the same.
        if std::fs::File::open(&bad).is_err() {
            assert_eq!(code(&other.say(&["import", text(&bad)])), "bad_file");
        }
    }
    assert_eq!(content(&other.db()), before);
}

/// The lines of an export with each event's number and a last line that fits what was made of them.
fn sealed(lines: &[Value]) -> String {
    let mut seq = 0;
    let mut payloads = 0;
    let mut body = String::new();
    for line in lines {
        let mut line = line.clone();
        if let Some(event) = line.get_mut("event") {
            seq += 1;
            event["seq"] = seq.into();
        }
        payloads += u32::from(line.get("payload").is_some());
        body += &format!("{line}\n");
    }
    let end =
        json!({ "end": { "events": seq, "payloads": payloads, "blake3": Digest::of(body.as_bytes()) } });
    format!("{body}{end}\n")
}

/// Lines moved, left out, doubled or taken from elsewhere, sealed anew: the log is folded, the first event that does
/// not follow is named by its line, and nothing panics.
#[tokio::test]
async fn a_log_that_breaks_its_rules_is_refused_by_line() {
    let desk = Desk::default();
    let (run, _) = up_to_the_question(&desk);
    let file = export(&desk, &run, "run.jsonl");
    let whole = std::fs::read_to_string(&file).unwrap();
    let mut lines: Vec<Value> = whole.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    lines.pop();
    let db = desk.folder.path().join("other.db");
    let engine = Engine::open(Config::new(Some(db.clone()), "test")).unwrap();
    let bad = desk.folder.path().join("bad.jsonl");

    let started = lines.iter().position(|l| l["event"]["kind"] == 6).unwrap();
    let mut without = lines.clone();
    without.remove(started);
    std::fs::write(&bad, sealed(&without)).unwrap();
    let refused = engine.import_run(&bad).await.unwrap_err().to_string();
    // The call of a task that was never started stands where its start was.
    let expected = format!("line {}: task greet can't become RUNNING from READY", started + 1);
    assert!(refused.contains(&expected), "{refused}");
    let before = content(&db);

    let mut dice: u64 = 0x5eed;
    let mut below = |n: usize| {
        dice = dice
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) as usize % n
    };
    let (mut refusals, mut came) = (0, 0);
    for _ in 0..250 {
        let mut mutant = lines.clone();
        for _ in 0..=below(3) {
            let (a, b) = (1 + below(mutant.len() - 1), 1 + below(mutant.len() - 1));
            match below(5) {
                0 => drop(mutant.remove(a)),
                1 => mutant.swap(a, b),
                2 => mutant.insert(a, mutant[b].clone()),
                3 => mutant[a]["event"]["kind"] = (1 + below(45)).into(),
                _ => mutant[a]["event"]["body"] = mutant[b]["event"]["body"].clone(),
            }
        }
        std::fs::write(&bad, sealed(&mutant)).unwrap();
        match engine.import_run(&bad).await {
            Ok(imported) => {
                came += 1;
                engine.show(&imported.run, None).await.unwrap();
                engine.delete_run(&imported.run).await.unwrap();
            }
            Err(error) => {
                assert_eq!(error.code(), "bad_file", "{error}");
                assert!(error.to_string().contains("line "), "{error}");
                refusals += 1;
            }
        }
    }
    assert!(refusals > 100, "{refusals} refused, {came} came in");
    if came == 0 {
        assert_eq!(content(&db), before);
    }
    std::fs::write(&bad, sealed(&lines)).unwrap();
    engine.import_run(&bad).await.unwrap();
}

#[test]
fn a_fork_outlives_its_parent_and_its_file_stands_alone() {
    let (desk, other) = (Desk::default(), Desk::default());
    let run = finished(&desk);
    let forked = desk.say(&["fork", &run]).last();
    let fork = forked["run"].as_str().unwrap().to_owned();
    let before = desk.say(&["show", &fork]).last();
    let deleted = desk.say(&["delete", &run]).last();
    assert_ne!(deleted["deleted"][0]["kept"], 0, "{deleted}");
    assert_eq!(desk.say(&["vacuum"]).code, 0);
    assert_eq!(desk.say(&["show", &fork]).last(), before);
    assert_eq!(desk.say(&["fork", &run]).code, 2, "nothing new begins from it");

    let file = export(&desk, &fork, "fork.jsonl");
    assert_eq!(other.say(&["import", text(&file)]).code, 0);
    let there = other.say(&["show", &fork]).last();
    assert_eq!(
        (&there["tasks"], &there["state"]),
        (&before["tasks"], &before["state"])
    );
    // From what was imported a fork may go on: it is a run of this machine, and is approved anew.
    let anew = other.say(&["fork", &fork]);
    assert_eq!(anew.code, 0, "{}", anew.stderr);
    assert_eq!(desk.say(&["delete", &fork]).code, 0);
    assert_eq!(desk.say(&["vacuum"]).last()["free"], 0);
    let conn = rusqlite::Connection::open(desk.db()).unwrap();
    for table in ["events", "payloads"] {
        let sql = format!("SELECT count(*) FROM {table}");
        let left: i64 = conn.query_row(&sql, [], |row| row.get(0)).unwrap();
        assert_eq!(left, 0, "{table} went with the last fork");
    }
    let back = desk.say(&["import", text(&file)]);
    assert_eq!(back.code, 0, "{}", back.stderr);
}

#[test]
fn vacuum_tells_what_it_freed() {
    let desk = Desk::default();
    let run = finished(&desk);
    let kept = finished(&desk);
    desk.say(&["delete", &run]);
    let said = desk.say(&["vacuum"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    let freed = said.last();
    assert_eq!((&freed["rewritten"], &freed["free"]), (&json!(true), &json!(0)));
    assert!(freed["bytes"].as_u64().is_some(), "{freed}");
    assert_eq!(
        desk.say(&["show", &kept]).last()["tasks"]["again"]["state"],
        "COMPLETED"
    );
}

/// Where programs could write is kept beside the database, listed, and a person's word on it holds.
#[test]
fn what_programs_could_write_is_listed_and_looked_at() {
    let desk = Desk::default();
    let none = desk.say(&["mine"]);
    assert_eq!((none.code, &none.last()["foreign"]), (0, &json!([])));
    let folder = desk.folder.path().join("out");
    std::fs::create_dir_all(&folder).unwrap();
    let hands = planloom_engine::tools::Hands::beside(&desk.db());
    hands.may_write([folder.as_path()]).unwrap();
    let listed = desk.say(&["mine"]).last();
    let place = folder.canonicalize().unwrap().to_string_lossy().into_owned();
    assert_eq!(listed["foreign"][0]["place"], json!(place));
    assert_eq!(desk.say(&["mine", "nowhere-at-all"]).code, 2);
    let file = folder.join("a");
    std::fs::write(&file, "theirs").unwrap();
    assert!(hands.is_foreign(&file));
    std::thread::sleep(std::time::Duration::from_millis(1_000));
    let said = desk.say(&["mine", folder.to_str().unwrap()]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(!hands.is_foreign(&file));
}
