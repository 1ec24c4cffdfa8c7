//! Hostile input: every file gets an answer, with its place; nothing panics, hangs or is stored.

use std::time::{Duration, Instant};

use planloom_tests::process::{Desk, Said};
use serde_json::json;

fn check(desk: &Desk, name: &str, bytes: &[u8]) -> Said {
    let path = desk.folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let began = Instant::now();
    let said = desk.say(&["check", path.to_str().unwrap()]);
    assert!(
        began.elapsed() < Duration::from_secs(20),
        "{name} took {:?}",
        began.elapsed()
    );
    assert!(!said.stderr.contains("panicked"), "{name}: {}", said.stderr);
    said
}

fn codes(said: &Said) -> Vec<String> {
    let last = said.last();
    last["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["code"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn what_cannot_be_read_as_a_plan_is_answered_as_json() {
    let desk = Desk::default();
    let deep = "[".repeat(200_000);
    let files: [(&str, &[u8], &str); 12] = [
        ("empty", b"", "syntax"),
        (
            "prose",
            b"No tools are needed for this; the answer is 42.",
            "syntax",
        ),
        ("cut", br#"{"tasks": [{"id": "a""#, "syntax"),
        ("latin1", b"{\"tasks\": \"\xe9\"}", "syntax"),
        ("nul", b"{\"tasks\"\0: []}", "syntax"),
        (
            "twice",
            br#"{"tasks": [{"id": "a", "id": "b", "instruction": "x"}]}"#,
            "syntax",
        ),
        ("null", b"null", "type"),
        ("list", b"[]", "type"),
        ("number", b"1e999999", "type"),
        ("no_tasks", br#"{"goal": "x"}"#, "missing_field"),
        ("empty_plan", br#"{"tasks": []}"#, "empty_plan"),
        ("deep", deep.as_bytes(), "too_large"),
    ];
    for (name, bytes, code) in files {
        let said = check(&desk, name, bytes);
        assert_eq!(said.code, 2, "{name}");
        assert_eq!(said.last()["ok"], false, "{name}");
        assert!(codes(&said).contains(&code.to_owned()), "{name}: {}", said.stdout);
    }
    let missing = desk.say(&["check", "/no/such/file.json"]);
    assert_eq!((missing.code, missing.last()["ok"].as_bool()), (2, Some(false)));
    let folder = desk.say(&["check", desk.folder.path().to_str().unwrap()]);
    assert_eq!(folder.code, 2);
}

/// Settings and servers' files are read by nearly every verb.
#[cfg(unix)]
#[test]
fn a_fifo_or_a_folder_in_place_of_a_file_beside_the_database_is_told_or_passed_over() {
    for name in [
        "settings.json",
        "models.json",
        "mcp-tools.json",
        "model-facts.json",
    ] {
        for is_folder in [false, true] {
            let desk = Desk::default();
            let plan = json!({ "tasks": [{ "id": "a", "instruction": "x", "task_type": "tool", "tool": "echo",
                "inputs": { "value": 1 } }] });
            let plan = desk.write("a.plan.json", &plan);
            assert_eq!(desk.say(&["run", plan.to_str().unwrap(), "--yes"]).code, 0);
            let path = desk.db().with_file_name(name);
            let _ = std::fs::remove_file(&path);
            if is_folder {
                std::fs::create_dir(&path).unwrap();
            } else {
                assert!(
                    std::process::Command::new("mkfifo")
                        .arg(&path)
                        .status()
                        .unwrap()
                        .success()
                );
            }
            for verb in ["runs", "tools", "servers", "models"] {
                let mut said = desk.command(&[verb]);
                said.env("OLLAMA_HOST", "http://127.0.0.1:1");
                let mut child = said
                    .stdout(std::process::Stdio::null())
                    .stderr(std::process::Stdio::null())
                    .spawn()
                    .unwrap();
                let began = Instant::now();
                while child.try_wait().unwrap().is_none() {
                    if began.elapsed() > Duration::from_secs(30) {
                        child.kill().unwrap();
                        panic!("{verb} hangs with {name} (a folder: {is_folder})");
                    }
                    std::thread::sleep(Duration::from_millis(20));
                }
                // What a person has set and can't be read is wrong; what the program has kept is looked up again.
                let is_set = matches!(name, "settings.json" | "models.json");
                let code = if verb == "models" && is_set { 2 } else { 0 };
                assert_eq!(child.wait().unwrap().code(), Some(code), "{verb} with {name}");
            }
            let file = path.to_str().unwrap();
            if !is_folder {
                assert_eq!(desk.say(&["servers", "import", file]).code, 2);
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn a_word_that_is_no_text_is_a_usage_error() {
    use std::os::unix::ffi::OsStrExt;
    let desk = Desk::default();
    let mut command = std::process::Command::new(planloom_tests::process::planloom());
    command
        .arg(std::ffi::OsStr::from_bytes(b"\xff"))
        .arg("--json")
        .current_dir(desk.folder.path());
    let said = Said::of(&command.output().unwrap());
    assert_eq!(said.code, 2, "{}", said.stderr);
    assert!(!said.stderr.contains("panicked"), "{}", said.stderr);
    assert_eq!(said.last()["error"]["code"], "usage");
}

#[test]
fn a_title_of_a_page_leaves_lines_that_can_be_read() {
    let desk = Desk::default();
    let plan = json!({ "goal": "g".repeat(100_000), "tasks": [{ "id": "a", "title": "T".repeat(50_000), "instruction": "Echo.",
        "task_type": "tool", "tool": "echo", "inputs": { "value": 1 } }] });
    let path = desk.write("long.plan.json", &plan);
    let said = desk.say_plainly(&["run", path.to_str().unwrap(), "--yes"]);
    assert_eq!(said.code, 0);
    let longest = said.stdout.lines().chain(said.stderr.lines()).map(str::len).max();
    assert!(longest.unwrap() < 400, "{longest:?}");
    let runs = desk.say_plainly(&["runs"]);
    assert!(
        runs.stdout.contains("  Long  ") && runs.stdout.len() < 400,
        "named after its file: {}",
        runs.stdout
    );
}

#[test]
fn a_plan_with_one_problem_has_one_problem() {
    let desk = Desk::default();
    let path = desk.write(
        "one.plan.json",
        &json!({ "tasks": [{ "id": "a", "instruction": "x", "task_type": "tool", "tool": "none" }] }),
    );
    let said = desk.say_plainly(&["run", path.to_str().unwrap(), "--yes"]);
    assert!(
        said.stderr.contains("the plan has 1 problem; nothing has run."),
        "{}",
        said.stderr
    );
    let said = desk.say_plainly(&["show", "01"]);
    assert!(said.stderr.contains("give its id"), "{}", said.stderr);
    let said = desk.say_plainly(&["check", "/no/such.json"]);
    assert!(
        said.stdout.contains("there is no such file") && !said.stdout.contains("os error"),
        "{}",
        said.stdout
    );
}

#[test]
fn a_fifo_does_not_hang() {
    let desk = Desk::default();
    let path = desk.folder.path().join("fifo");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap()
            .success()
    );
    let said = desk.say(&["check", path.to_str().unwrap()]);
    assert_eq!(said.code, 2);
    assert!(said.stdout.contains("not a regular file"), "{}", said.stdout);
}

#[test]
fn databases_that_are_not_ours_are_refused_and_untouched() {
    let desk = Desk::default();
    std::fs::write(
        desk.db(),
        "This is not a database file, it is a note.\n".repeat(30),
    )
    .unwrap();
    let before = std::fs::read(desk.db()).unwrap();
    let said = desk.say(&["runs"]);
    assert_eq!(
        (said.code, said.last()["error"]["code"].as_str()),
        (4, Some("not_ours"))
    );
    assert_eq!(std::fs::read(desk.db()).unwrap(), before);

    let desk = Desk::default();
    let conn = rusqlite::Connection::open(desk.db()).unwrap();
    conn.execute_batch("CREATE TABLE t (x); PRAGMA application_id = 1347178317; PRAGMA user_version = 99")
        .unwrap();
    drop(conn);
    let said = desk.say(&["runs"]);
    assert_eq!(
        (said.code, said.last()["error"]["code"].as_str()),
        (4, Some("newer"))
    );
}

#[test]
fn a_damaged_run_is_named_and_the_others_can_be_read() {
    let desk = Desk::default();
    let plan = json!({ "tasks": [{ "id": "a", "instruction": "Echo.", "task_type": "tool", "tool": "echo", "inputs": { "value": 1 } }] });
    let path = desk.write("a.plan.json", &plan);
    for _ in 0..2 {
        assert_eq!(desk.say(&["run", path.to_str().unwrap(), "--yes"]).code, 0);
    }
    let run = desk.newest().unwrap();
    let conn = rusqlite::Connection::open(desk.db()).unwrap();
    conn.execute(
        "UPDATE events SET body = '{\"half' WHERE (key >> 32) = 2 AND (key & 4294967295) = 7",
        [],
    )
    .unwrap();
    drop(conn);
    let shown = desk.say(&["show", &run]);
    assert_eq!(shown.code, 4);
    let message = shown.last()["error"]["message"].as_str().unwrap().to_owned();
    assert!(
        message.contains("event 7") && message.contains("Kept"),
        "{message}"
    );
    let runs = desk.say(&["runs"]).last();
    let other = runs["runs"][1]["run"].as_str().unwrap();
    assert_eq!(desk.say(&["show", other]).last()["state"], "SUCCEEDED");
}

#[test]
fn text_from_plans_cannot_steer_the_terminal() {
    let desk = Desk::default();
    let plan = json!({ "goal": "\u{1b}[2J\u{7}evil", "tasks": [{ "id": "a", "instruction": "x" }] });
    let path = desk.write("evil.plan.json", &plan);
    let mut command = std::process::Command::new(planloom_tests::process::planloom());
    let said = command
        .args(["run", path.to_str().unwrap(), "--db"])
        .arg(desk.db())
        .output()
        .unwrap();
    let all = [said.stdout, said.stderr].concat();
    assert!(
        !all.contains(&0x1b) && !all.contains(&0x07),
        "{}",
        String::from_utf8_lossy(&all)
    );
}

#[test]
fn numbers_keep_their_digits_on_every_hop() {
    let desk = Desk::default();
    let text = r#"{"tasks": [
        {"id": "a", "instruction": "Echo.", "task_type": "tool", "tool": "echo",
         "inputs": {"value": {"big": 9223372036854775807, "neg": -9223372036854775808, "dec": 0.1000000000000000055511151231257827, "money": 12.50, "exp": 1E400}}},
        {"id": "b", "instruction": "Echo.", "task_type": "tool", "tool": "echo", "dependencies": ["a"], "inputs": {"value": {"$from": "a"}}}]}"#;
    let path = desk.folder.path().join("digits.plan.json");
    std::fs::write(&path, text).unwrap();
    let ran = desk.say(&["run", path.to_str().unwrap(), "--yes"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    let last = ran.stdout.lines().last().unwrap();
    for digits in [
        "9223372036854775807",
        "-9223372036854775808",
        "0.1000000000000000055511151231257827",
        "12.50",
        "e+400",
    ] {
        assert!(last.contains(digits), "{digits} in {last}");
    }
}

#[test]
fn no_plan_reads_or_changes_planlooms_own_database() {
    let desk = Desk::default();
    // Only the run knows the path: one that stands in the plan is told before it.
    let db = json!({ "$template": "{{ db }}", "with": { "db": desk.db() } });
    let all = json!(["/"]);
    let plan = json!({ "grants": { "read": all, "write": all, "databases": all }, "tasks": [
        { "id": "read", "instruction": "Read.", "task_type": "tool", "tool": "file.read", "inputs": { "path": db } },
        { "id": "query", "instruction": "Ask.", "task_type": "tool", "tool": "sql.query", "inputs": { "database": db, "sql": "SELECT 1" } },
        { "id": "write", "instruction": "Write.", "task_type": "tool", "tool": "file.write", "inputs": { "path": db, "text": "" } },
    ] });
    let path = desk.write("own.plan.json", &plan);
    let ran = desk.say(&["run", path.to_str().unwrap(), "--yes"]);
    assert_eq!(ran.code, 3, "{}", ran.stdout);
    let run = ran.last()["run"].as_str().unwrap().to_owned();
    let shown = desk.say(&["show", &run]).last();
    for task in ["read", "query", "write"] {
        assert_eq!(
            shown["tasks"][task]["error"]["code"], "closed_path",
            "{task}: {shown}"
        );
    }
}

/// A secret that comes back by another task, or in another form, is taken out before anything is stored.
#[test]
fn a_secret_is_written_nowhere() {
    let desk = Desk::default();
    let plan = json!({ "tasks": [
        { "id": "write", "instruction": "Write.", "task_type": "tool", "tool": "file.write",
          "inputs": { "path": "run:/s.txt", "text": { "$secret": "PLANLOOM_TEST_SECRET" } } },
        { "id": "read", "instruction": "Read.", "task_type": "tool", "tool": "file.read", "dependencies": ["write"],
          "inputs": { "path": "run:/s.txt" } },
        { "id": "code", "instruction": "Turn.", "task_type": "code", "source": "return { key: text };",
          "dependencies": ["read"], "inputs": { "text": { "$from": "read", "path": "/text" } } },
    ] });
    let path = desk.write("secret.plan.json", &plan);
    let asked = desk.say(&["run", path.to_str().unwrap()]);
    assert!(
        asked
            .stderr
            .contains("hands over the secret PLANLOOM_TEST_SECRET"),
        "{}",
        asked.stderr
    );
    let mut command = desk.command(&["run", path.to_str().unwrap(), "--yes"]);
    let said = command
        .env("PLANLOOM_TEST_SECRET", "hunter2secret")
        .output()
        .unwrap();
    let run = desk.newest().unwrap();
    let shown = desk.say(&["show", &run]);
    assert_eq!(shown.last()["tasks"]["read"]["output"], json!({ "text": "•••" }));
    assert_eq!(shown.last()["tasks"]["code"]["output"], json!({ "key": "•••" }));
    let mut all = [said.stdout, said.stderr, shown.stdout.into_bytes()].concat();
    for suffix in ["", "-wal"] {
        all.extend(std::fs::read(format!("{}{suffix}", desk.db().display())).unwrap_or_default());
    }
    assert!(!String::from_utf8_lossy(&all).contains("hunter2secret"));
}

#[test]
fn an_answer_that_is_cut_off_is_not_taken_for_text() {
    let desk = Desk::default();
    let plan = json!({ "tasks": [{ "id": "a", "instruction": "Ask.", "task_type": "human" }] });
    let path = desk.write("ask.plan.json", &plan);
    assert_eq!(desk.say(&["run", path.to_str().unwrap(), "--yes"]).code, 3);
    let run = desk.newest().unwrap();
    for wrong in ["{\"yes\": tru", "Ada", ""] {
        assert_eq!(desk.say(&["decide", &run, "d1", wrong]).code, 2, "{wrong:?}");
    }
    assert_eq!(desk.say(&["decide", &run, "d9"]).code, 2);
    assert_eq!(desk.say(&["decide", &run, "d1", "\"Ada\""]).code, 0);
}

#[test]
fn a_link_to_the_database_leads_to_the_same_locks() {
    let desk = Desk::default();
    let plan = json!({ "tasks": [{ "id": "a", "instruction": "Wait.", "task_type": "tool", "tool": "wait", "inputs": { "ms": 60_000 } }] });
    let path = desk.write("wait.plan.json", &plan);
    let mut owner = desk.start(
        &["run", path.to_str().unwrap(), "--yes"],
        &desk.folder.path().join("lines"),
    );
    let began = Instant::now();
    let run = loop {
        if let Some(run) = desk
            .newest()
            .filter(|run| desk.say(&["show", run]).stdout.contains("RUNNING"))
        {
            break run;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "it never started");
    };
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("link.db");
    std::os::unix::fs::symlink(desk.db(), &link).unwrap();
    let mut second = std::process::Command::new(planloom_tests::process::planloom());
    let said = second
        .args(["resume", &run, "--json", "--db"])
        .arg(&link)
        .output()
        .unwrap();
    owner.kill().unwrap();
    owner.wait().unwrap();
    assert_eq!(
        said.status.code(),
        Some(4),
        "{}",
        String::from_utf8_lossy(&said.stdout)
    );
}

#[test]
fn what_cannot_be_written_is_not_success() {
    let desk = Desk::default();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let status = desk.command(&["tools"]).stdout(full).status().unwrap();
    assert_eq!(status.code(), Some(4));
}

#[test]
fn literals_that_name_nothing_are_found_before_the_run() {
    let desk = Desk::default();
    let tool = |id: &str, tool: &str, inputs: serde_json::Value| json!({ "id": id, "instruction": "x", "task_type": "tool", "tool": tool, "inputs": inputs });
    let plan = json!({ "tasks": [
        tool("out", "file.write", json!({ "path": "run:/../../esc.txt", "text": "x" })),
        tool("url", "http.get", json!({ "url": "notaurl" })),
        tool("scheme", "http.get", json!({ "url": "file:///etc/passwd" })),
    ] });
    let path = desk.write("bad.plan.json", &plan);
    let said = desk.say(&["check", path.to_str().unwrap()]);
    let bad = codes(&said).iter().filter(|c| *c == "bad_arguments").count();
    assert_eq!((said.code, bad), (2, 3), "{}", said.stdout);
}
