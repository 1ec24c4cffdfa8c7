//! Servers of tools from a terminal: set up, taken over, looked at, used in a run and removed.

use std::process::Command;

use planloom_tests::process::{Desk, Said, planloom};
use planloom_tests::servers::script;
use serde_json::{Value, json};

/// Words behind `--` belong to the server, so the desk's own go first.
fn say(desk: &Desk, args: &[&str]) -> Said {
    let whole = desk.command(&[]);
    let mut command = Command::new(planloom());
    command
        .arg("--db")
        .arg(desk.db())
        .arg("--json")
        .args(args)
        .current_dir(desk.folder.path());
    for (name, value) in whole.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    Said::of(&command.stdin(std::process::Stdio::null()).output().unwrap())
}

fn settings(desk: &Desk) -> Value {
    let text = std::fs::read_to_string(desk.db().with_file_name("settings.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_server_is_added_looked_at_used_and_removed() {
    let desk = Desk::default();
    let play = script("play.py");
    let events = r#"[[0, "stderr warming up"], [0, "initialize ok"]]"#;
    let added = say(
        &desk,
        &[
            "servers",
            "add",
            "x",
            "--unconfined",
            "--env",
            "TOKEN=hunter2",
            "--",
            "python3",
            &play,
            events,
            "1",
        ],
    );
    assert_eq!(added.code, 0, "{}", added.stderr);
    let starts = added.last()["servers"][0]["starts"].as_str().unwrap().to_owned();
    assert!(
        starts.starts_with("TOKEN=… python3 ") && starts.contains("initialize ok"),
        "{starts}"
    );
    assert_eq!(settings(&desk)["theme"], "dark", "nothing else is touched");
    let again = say(&desk, &["servers", "add", "x", "--", "other"]);
    assert_eq!(
        (again.code, again.last()["error"]["code"].as_str()),
        (2, Some("bad_server"))
    );

    let listed = desk.say(&["servers"]).last();
    assert!(
        listed["servers"][0]["state"]
            .as_str()
            .unwrap()
            .contains("not looked at yet"),
        "{listed}"
    );
    assert!(!desk.say(&["tools"]).stdout.contains("x/a"));
    let unasked = desk.say(&["servers", "check", "x"]);
    assert_eq!(unasked.code, 2);
    assert!(
        unasked.stderr.contains("python3") && unasked.stderr.contains("--yes"),
        "{}",
        unasked.stderr
    );
    let looked = desk.say(&["servers", "check", "x", "--yes"]);
    assert_eq!(looked.code, 0, "{}", looked.stderr);
    assert_eq!(looked.last()["tools"][0]["name"], "x/a");
    assert_eq!(looked.last()["stderr"], "warming up");
    assert_eq!(
        desk.say(&["servers", "check", "x"]).code,
        0,
        "it was started before"
    );
    assert!(desk.say(&["tools"]).stdout.contains("x/a"));
    it_is_used_and_removed(&desk);
}

fn it_is_used_and_removed(desk: &Desk) {
    let task =
        json!({ "id": "a", "instruction": "Call it.", "task_type": "tool", "tool": "x/a", "inputs": {} });
    let path = desk.write("p.plan.json", &json!({ "tasks": [task] }));
    let ran = desk.say(&["run", path.to_str().unwrap(), "--yes"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.last()["output"]["a"]["content"][0]["text"], "ok");

    assert_eq!(desk.say(&["servers", "remove", "x"]).code, 0);
    assert_eq!(desk.say(&["servers", "remove", "x"]).code, 2);
    assert_eq!(desk.say(&["servers"]).last()["servers"], json!([]));
    let unknown = desk.say(&["check", path.to_str().unwrap()]);
    assert_eq!(unknown.last()["problems"][0]["code"], "unknown_tool");
}

#[test]
fn servers_of_another_program_are_taken_over() {
    let desk = Desk::default();
    let file = desk.write(
        "claude.json",
        &json!({ "mcpServers": {
            "one": { "command": "npx", "args": ["-y", "pkg", "--api-key=hunter2222"], "env": { "KEY": "${KEY}", "GITHUB_TOKEN": "hunter3333" }, "alwaysAllow": ["x"], "unconfined": true },
            "two": { "url": "https://example.com/mcp?key=hunter4444", "headers": { "Authorization": "Bearer hunter5555" } },
            "bad/name": { "command": "x" },
        } }),
    );
    let taken = desk.say(&["servers", "import", file.to_str().unwrap()]);
    assert_eq!(taken.code, 0, "{}", taken.stderr);
    assert!(
        taken.stderr.contains("bad~1name") && taken.stderr.contains("alwaysAllow"),
        "{}",
        taken.stderr
    );
    let starts: Vec<Value> = taken.last()["servers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["starts"].clone())
        .collect();
    assert_eq!(
        starts,
        [
            json!("GITHUB_TOKEN=… KEY=${KEY} npx -y pkg \"--api-key=…\""),
            json!("https://example.com/mcp?key=…")
        ]
    );
    for name in ["api-key", "GITHUB_TOKEN", "Authorization", "key"] {
        let warned = format!("as it is: {name} of the server");
        assert!(taken.stderr.contains(&warned), "{name}: {}", taken.stderr);
    }
    let listed = desk.say(&["servers"]);
    let told = format!(
        "{}{}{}{}",
        taken.stdout, taken.stderr, listed.stdout, listed.stderr
    );
    assert!(!told.contains("hunter"), "{told}");
    assert_eq!(settings(&desk)["mcp"]["servers"]["one"].get("unconfined"), None);
    let again = desk.say(&["servers", "import", file.to_str().unwrap()]);
    assert!(
        again.code == 2 && again.stderr.contains("one, two"),
        "{}",
        again.stderr
    );
    assert_eq!(
        desk.say(&["servers", "import", file.to_str().unwrap(), "--force"])
            .code,
        0
    );
    let plain = desk.say_plainly(&["servers"]);
    assert!(
        plain.stdout.contains("planloom servers check two"),
        "{}",
        plain.stdout
    );
}

#[test]
fn what_does_not_start_says_why() {
    let desk = Desk::default();
    for (args, want) in [
        (
            &[
                "add",
                "dies",
                "--unconfined",
                "--",
                "sh",
                "-c",
                "echo API_TOKEN is not set >&2; exit 1",
            ][..],
            "API_TOKEN is not set",
        ),
        (
            &["add", "none", "--unconfined", "--", "no-such-program"],
            "was not found in /",
        ),
        (
            &["add", "spaces", "--unconfined", "--", "npx -y pkg"],
            "each argument into `args`",
        ),
        (
            &[
                "add",
                "secret",
                "--unconfined",
                "--env",
                "T=${PLANLOOM_NO_SUCH}",
                "--",
                "sh",
            ],
            "PLANLOOM_NO_SUCH",
        ),
    ] {
        let whole: Vec<&str> = std::iter::once("servers").chain(args.iter().copied()).collect();
        assert_eq!(say(&desk, &whole).code, 0);
        let looked = desk.say(&["servers", "check", args[1], "--yes"]);
        assert_eq!(looked.code, 4, "{}", looked.stderr);
        let message = looked.last()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains(want), "{message}");
    }
    for args in [
        &["servers", "add", "a/b", "--", "x"][..],
        &["servers", "add", "x", "--url", "ftp://x"],
        &["servers", "add", "x"],
        &["servers", "check", "none-of-that-name"],
        &["servers", "import", "no-such-file.json"],
    ] {
        assert_eq!(say(&desk, args).code, 2, "{args:?}");
    }
    let settings = desk.db().with_file_name("settings.json");
    std::fs::write(&settings, "{ broken").unwrap();
    assert_eq!(say(&desk, &["servers", "add", "y", "--", "x"]).code, 4);
    assert_eq!(std::fs::read_to_string(&settings).unwrap(), "{ broken");
}
