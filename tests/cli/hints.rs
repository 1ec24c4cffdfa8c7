//! Whatever the program tells people to go on with works when it is pasted: it is a whole command, on the same database.

use std::process::{Command, Stdio};

use planloom_tests::process::{Desk, Said, planloom};
use serde_json::json;

use crate::verbs::up_to_the_question;

/// Every `planloom …` in what was said: in back quotes, or behind a colon to the end of its line.
fn commands(said: &Said) -> Vec<String> {
    let mut found = Vec::new();
    for line in said.stdout.lines().chain(said.stderr.lines()) {
        let quoted = line.split('`').skip(1).step_by(2);
        found.extend(
            quoted
                .filter(|part| part.starts_with("planloom "))
                .map(str::to_owned),
        );
        if let Some((_, command)) = line.split_once(": planloom ") {
            found.push(format!("planloom {command}"));
        }
    }
    found
}

/// As a person would, in the same folder.
fn paste(desk: &Desk, command: &str) -> Said {
    let folder = planloom().parent().unwrap().display().to_string();
    let mut shell = Command::new("sh");
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    shell.args(["-c", command]).env("PATH", path).stdin(Stdio::null());
    shell
        .env_remove("DBUS_SESSION_BUS_ADDRESS")
        .env("XDG_RUNTIME_DIR", desk.folder.path());
    shell.current_dir(desk.folder.path());
    Said::of(&shell.output().unwrap())
}

/// Words that stand for something of one's own.
fn is_pattern(command: &str) -> bool {
    command
        .split(' ')
        .any(|word| ["PLAN", "NAME", "my.plan.json"].contains(&word))
}

/// Each command that was told, pasted. There must be at least this many.
fn expect_hints(desk: &Desk, args: &[&str], least: usize) {
    let said = desk.say_plainly(args);
    let told = commands(&said);
    assert!(
        told.len() >= least,
        "{args:?} tells {told:?} in\n{}{}",
        said.stdout,
        said.stderr
    );
    let db = format!("--db '{}'", desk.db().display());
    for command in told {
        assert!(
            command.contains(&db),
            "{args:?} tells `{command}`, which is on another database"
        );
        let stands_for_it = ["RUN", "SEQ", "TASK", "FILE", "DECISION"];
        assert!(
            !command.split(' ').any(|word| stands_for_it.contains(&word)),
            "{args:?} tells `{command}`, which is not whole"
        );
        if is_pattern(&command) {
            continue;
        }
        let pasted = paste(desk, &command);
        let is_read = !pasted.stderr.contains("Usage:") && !pasted.stderr.contains("expected NAME");
        assert!(is_read, "`{command}` is not read:\n{}", pasted.stderr);
        assert!(
            !pasted.stderr.contains("there is no run"),
            "`{command}`:\n{}",
            pasted.stderr
        );
    }
}

#[test]
fn what_a_run_tells_to_go_on_with_can_be_pasted() {
    let desk = Desk::on("my plans.db");
    expect_hints(&desk, &["runs"], 1);
    let (run, _) = up_to_the_question(&desk);
    expect_hints(&desk, &["show", &run], 1);
    expect_hints(&desk, &["show", &run, "--at", "9999"], 1);
    expect_hints(&desk, &["log", &run, "--from", "9999"], 1);
    expect_hints(&desk, &["fork", &run, "--at", "9999"], 1);
    expect_hints(&desk, &["rewind", &run, "--to", "9999"], 1);
    expect_hints(&desk, &["show", "nothing"], 1);
    expect_hints(&desk, &["break", &run, "end"], 0);
    expect_hints(&desk, &["pin", &run, "end", "true"], 1);
    expect_hints(&desk, &["rewind", &run, "--to", "8"], 1);
    expect_hints(&desk, &["fork", &run], 1);
    expect_hints(&desk, &["resume", &run], 2);
    expect_hints(&desk, &["decide", &run], 0);
    let path = desk.folder.path().join("ask.plan.json");
    expect_hints(&desk, &["run", path.to_str().unwrap(), "--param", "who=Ada"], 2);
    let file = desk.folder.path().join("a run.json");
    let file = file.to_str().unwrap();
    assert_eq!(desk.say(&["export", &run, "--to", file]).code, 0);
    expect_hints(&desk, &["delete", &run], 1);
    let other = Desk::on("other plans.db");
    expect_hints(&other, &["import", file], 1);
}

#[test]
fn the_question_of_a_person_is_answered_by_the_command_that_is_told() {
    let desk = Desk::on("my plans.db");
    let plan = desk.write("ask.plan.json", &json!({ "tasks": [{ "id": "ask", "instruction": "How many?", "task_type": "human",
        "form": { "type": "object", "required": ["n", "size"], "properties": {
            "n": { "type": "integer", "minimum": 3 }, "size": { "enum": ["it's large", "small"] }, "on": { "type": "string", "format": "date" } } } }] }));
    let said = desk.say_plainly(&["run", plan.to_str().unwrap(), "--yes"]);
    let answers: Vec<String> = commands(&said)
        .into_iter()
        .filter(|c| c.starts_with("planloom decide"))
        .collect();
    assert_eq!(answers.len(), 1, "{}", said.stdout);
    assert!(answers[0].contains(r#""n":3"#), "{answers:?}");
    let pasted = paste(&desk, &answers[0]);
    assert_eq!(pasted.code, 0, "{}", pasted.stderr);
    let resumed = commands(&pasted);
    assert_eq!(paste(&desk, &resumed[0]).code, 0, "{resumed:?}");
}

#[test]
fn what_the_other_verbs_tell_can_be_pasted() {
    let desk = Desk::on("my plans.db");
    expect_hints(&desk, &["run"], 2);
    expect_hints(&desk, &["secret", "list"], 1);
    expect_hints(&desk, &["servers"], 1);
    expect_hints(&desk, &["servers", "check", "nobody"], 1);
    let added = desk.say_plainly(&["servers", "add", "mine", "--unconfined"]);
    assert_eq!(added.code, 2);
    let mut add = desk.command(&["servers", "add", "mine", "--unconfined"]);
    add.args(["--", "true"]);
    assert!(add.output().unwrap().status.success());
    expect_hints(&desk, &["servers"], 1);
    expect_hints(&desk, &["servers", "check", "mine"], 1);
    let unknown = desk.write(
        "u.plan.json",
        &json!({ "tasks": [
        { "id": "a", "instruction": "Call.", "task_type": "tool", "tool": "mine/nothing", "inputs": {} }] }),
    );
    expect_hints(&desk, &["check", unknown.to_str().unwrap()], 1);
    let secret = desk.write("s.plan.json", &json!({ "grants": { "hosts": ["127.0.0.1:1"] }, "tasks": [
        { "id": "a", "instruction": "Call.", "task_type": "tool", "tool": "http.get",
          "inputs": { "url": "http://127.0.0.1:1/", "headers": { "X": { "$secret": "NOT_SET_ANYWHERE" } } } }] }));
    expect_hints(&desk, &["run", secret.to_str().unwrap(), "--yes"], 3);
    desk.choose_models(&json!({ "discover": false, "providers": {
        "work": { "kind": "openai_compatible", "base_url": "http://127.0.0.1:1", "key_from": "NOT_SET_ANYWHERE", "models": ["big"] } } }));
    expect_hints(&desk, &["models"], 1);
}

/// What has not failed can't be retried, but run again, in a task in a task too.
#[test]
fn an_inner_task_leads_to_the_task_that_can_run_again() {
    let desk = Desk::on("my plans.db");
    let echo = json!({ "id": "y", "instruction": "Echo.", "task_type": "tool", "tool": "echo", "inputs": { "value": 1 } });
    let inner =
        json!({ "id": "in", "instruction": "Nest.", "task_type": "subplan", "plan": { "tasks": [echo] } });
    let plan = desk.write(
        "nest.plan.json",
        &json!({ "tasks": [
        { "id": "s", "instruction": "Nest.", "task_type": "subplan", "plan": { "tasks": [inner] } }] }),
    );
    let ran = desk.say(&["run", plan.to_str().unwrap(), "--yes"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let run = ran.last()["run"].as_str().unwrap().to_owned();
    let said = desk.say_plainly(&["retry", &run, "s/in/y"]);
    assert_eq!(said.code, 2, "{}", said.stderr);
    let told = commands(&said);
    assert!(
        told[0].starts_with(&format!("planloom rerun {run} --from=s/in/y --db ")),
        "{told:?}"
    );
    assert_eq!(paste(&desk, &told[0]).code, 0, "{told:?}");
}

#[test]
fn a_task_that_looks_like_a_flag_can_be_unpinned() {
    let desk = Desk::on("my plans.db");
    let plan = desk.write("dash.plan.json", &json!({ "tasks": [
        { "id": "-x", "instruction": "Echo.", "task_type": "tool", "tool": "echo", "inputs": { "value": 1 } }] }));
    let run = desk.say(&["run", plan.to_str().unwrap(), "--yes"]).last()["run"]
        .as_str()
        .unwrap()
        .to_owned();
    let db = desk.db();
    let line = format!("planloom pin --db '{}' -- {run} -x 2", db.display());
    let pinned = paste(&desk, &line);
    assert_eq!(pinned.code, 0, "{}", pinned.stderr);
    let told = commands(&pinned);
    assert_eq!(paste(&desk, &told[0]).code, 0, "{told:?}");
}
