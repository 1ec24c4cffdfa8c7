//! What a granted program, or a plan that is granted one, tries beyond its grant: against real processes.
//!
//! The programs of the first table are shells that may run whatever they find: what holds them is the sandbox alone. The
//! second table is about which commands a grant covers, the third about programs that try to stay.

mod commands;
mod hidden;
mod lasting;
mod scripts;
mod stdin;
mod world;

use std::time::{Duration, Instant};

use planloom_engine::model::Json;
use planloom_engine::views::{DecisionKind, RunStatus};
use serde_json::json;

use commands::COMMANDS;
use scripts::Ends::{Anyhow, Fails, Says};
use scripts::SCRIPTS;
use world::{SECRET, World};

#[tokio::test(flavor = "multi_thread")]
async fn no_script_leaves_the_sandbox() {
    let Some(world) = World::new() else { return };
    let before = world.elsewhere();
    let grants = json!({ "commands": ["sh"], "read": ["data/"], "write": ["out/"] });
    let mut escaped = Vec::new();
    for (script, ends) in SCRIPTS {
        let script = world.filled_in(script);
        let inputs = json!({ "program": "sh", "args": ["-c", script], "timeout_s": 3 });
        let shown = world.run(grants.clone(), inputs).await;
        let output: Json = serde_json::from_str(shown.outputs[0].as_deref().unwrap_or("{}")).unwrap();
        let error = shown.tasks[0].error.clone();
        let told = format!("{script}\n{output}\n{error:?}");
        let is_held = match ends {
            Says(text) => output["stdout"] == world.filled_in(text),
            Fails(code) => error.as_ref().is_some_and(|e| e.code == *code),
            Anyhow => true,
        };
        if !is_held || told.contains(SECRET) || world.elsewhere() != before {
            escaped.push(told);
        }
        world.assert_unreached(&script);
    }
    assert!(
        escaped.is_empty(),
        "{} of {}:\n{}",
        escaped.len(),
        SCRIPTS.len(),
        escaped.join("\n")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn no_command_is_run_but_what_the_words_say() {
    let Some(world) = World::new() else { return };
    for (entry, program, args, why) in COMMANDS {
        let shown = world
            .run(
                json!({ "commands": [entry] }),
                json!({ "program": program, "args": args }),
            )
            .await;
        let told = format!(
            "{entry:?} for {program:?} {args:?}: {:?} {:?}",
            shown.tasks[0].error, shown.decisions
        );
        assert_eq!(shown.row.status, RunStatus::Waiting, "{told}");
        assert_eq!(shown.decisions[0].kind, DecisionKind::Grant, "{told}");
        assert!(shown.decisions[0].question.contains(why), "{told}");
        assert_eq!(shown.tasks[0].attempts, 0, "{told}");
    }
}

/// Arguments that are no command at all, under a grant of everything that could be meant.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_command_fails_before_anything_starts() {
    let Some(world) = World::new() else { return };
    let rows = [
        (json!({ "program": "" }), "bad_arguments"),
        (json!({ "program": "." }), "bad_arguments"),
        (json!({ "program": "sh\n" }), "bad_arguments"),
        (json!({ "program": "sh\u{0}" }), "bad_arguments"),
        (json!({ "program": "run:/../sh" }), "bad_arguments"),
        (json!({ "program": "run:sh/x" }), "bad_arguments"),
        (json!({ "program": "sh", "args": ["-c\u{0}"] }), "bad_arguments"),
        (json!({ "program": "sh", "args": "-c ls" }), "bad_arguments"),
        (json!({ "program": "sh", "args": ["a", 1] }), "bad_arguments"),
        (json!({ "program": "sh", "timeout_s": 1e9 }), "bad_arguments"),
        (json!({ "program": "sh", "cwd": "run:/../.." }), "bad_arguments"),
        (json!({ "program": "sh", "cwd": "run:/none" }), "not_found"),
        (json!({ "program": "nowhere-to-be-found" }), "program_not_found"),
        (json!({ "program": "{plan}/.git/hooks/x" }), "closed_path"),
        (json!({ "program": "{home}/.ssh/id" }), "closed_path"),
        (json!({ "program": "{plan}/data/a.txt" }), "program_not_found"),
    ];
    for (inputs, code) in rows {
        let inputs: Json = serde_json::from_str(&world.filled_in(&inputs.to_string())).unwrap();
        let program = inputs["program"].as_str().unwrap_or_default();
        let named = if program.starts_with('/') { program } else { "sh" };
        let grants = json!({ "commands": ["sh", "nowhere-to-be-found", named], "read": ["data/"] });
        let shown = world.run(grants, inputs.clone()).await;
        let error = shown.tasks[0].error.as_ref();
        assert_eq!(
            error.map(|e| e.code.as_str()),
            Some(code),
            "{inputs}: {error:?} {:?}",
            shown.decisions
        );
    }
}

/// A place to start in that is not granted is asked for, and Planloom's own data can't be had even with a grant.
#[tokio::test(flavor = "multi_thread")]
async fn no_folder_is_opened_by_starting_in_it() {
    let Some(world) = World::new() else { return };
    for cwd in [
        "/",
        "{home}",
        "..",
        "data/..",
        "{plan}/data/folder",
        "/etc",
        "{home}/db",
    ] {
        let inputs = json!({ "program": "sh", "args": ["-c", "ls"], "cwd": world.filled_in(cwd) });
        let shown = world
            .run(json!({ "commands": ["sh"], "read": ["data/a.txt"] }), inputs)
            .await;
        let told = format!("{cwd}: {:?} {:?}", shown.tasks[0].error, shown.decisions);
        assert_eq!(
            shown.decisions.first().map(|d| d.kind),
            Some(DecisionKind::Grant),
            "{told}"
        );
    }
    // What the system shows of processes is closed, so that nobody can be asked for it.
    let inputs = json!({ "program": "sh", "args": ["-c", "ls"], "cwd": "/proc/self" });
    let granted = json!({ "commands": ["sh"], "read": ["data/a.txt"] });
    let shown = world.run(granted, inputs).await;
    let error = shown.tasks[0].error.as_ref();
    assert_eq!(error.map(|e| e.code.as_str()), Some("not_granted"), "{error:?}");
    assert_eq!(
        shown.decisions.first().map(|d| d.kind),
        Some(DecisionKind::Blocked)
    );
    for (grants, code) in [
        (json!({ "write": ["{home}/db/"] }), "closed_path"),
        (json!({ "write": ["{home}/**"] }), "closed_path"),
        (json!({ "write": ["/"] }), "closed_path"),
        (json!({ "read": ["/"] }), "closed_path"),
        (json!({ "read": ["/proc/"] }), "closed_path"),
        (json!({ "write": ["/dev/shm/"] }), "closed_path"),
        (json!({ "read": ["{home}/.ssh/"] }), "closed_path"),
        (json!({ "read": ["data/folder/"] }), "leads_outside"),
        (json!({ "write": ["data/link"] }), "leads_outside"),
    ] {
        let mut grants: Json = serde_json::from_str(&world.filled_in(&grants.to_string())).unwrap();
        grants["commands"] = json!(["sh"]);
        let shown = world
            .run(grants.clone(), json!({ "program": "sh", "args": ["-c", "true"] }))
            .await;
        let error = shown.tasks[0].error.as_ref();
        assert_eq!(error.map(|e| e.code.as_str()), Some(code), "{grants}: {error:?}");
    }
    // Read as a whole, the home shows neither keys nor the database.
    let grants = json!({ "commands": ["sh"], "read": [world.filled_in("{home}/")] });
    let script = world.filled_in(
        "cat {home}/.ssh/id {home}/db/planloom.db {home}/db/settings.json; ls -A {home}/.ssh | wc -l",
    );
    let shown = world
        .run(grants, json!({ "program": "sh", "args": ["-c", script] }))
        .await;
    let output: Json = serde_json::from_str(shown.outputs[0].as_deref().unwrap()).unwrap();
    assert_eq!(output["stdout"], "0\n");
    let told = output["stderr"].as_str().unwrap();
    let barred: Vec<&str> = told
        .lines()
        .filter(|line| line.ends_with("Permission denied"))
        .collect();
    assert_eq!((barred.len(), told.lines().count()), (4, 4), "{told}");
}

/// Of Planloom's own data a command finds its run's folder, and nothing beside it.
#[tokio::test(flavor = "multi_thread")]
async fn other_runs_folders_are_not_to_be_seen() {
    let Some(world) = World::new() else { return };
    std::fs::create_dir_all(world.at("db/runs/other")).unwrap();
    std::fs::write(world.at("db/runs/other/kept.txt"), "theirs").unwrap();
    let grants = json!({ "commands": ["sh"], "read": [world.filled_in("{home}/")] });
    let script = world.filled_in(
        "echo mine > own.txt && cat own.txt; cat {home}/db/runs/other/kept.txt; ls {home}/db/runs; \
         echo x > {home}/db/runs/planted; cat ../other/kept.txt; true",
    );
    let shown = world
        .run(grants, json!({ "program": "sh", "args": ["-c", script] }))
        .await;
    let output: Json = serde_json::from_str(shown.outputs[0].as_deref().unwrap()).unwrap();
    assert_eq!(output["stdout"], "mine\n", "{output}");
    assert_eq!(output["stderr"].as_str().unwrap().lines().count(), 4, "{output}");
    assert!(!world.at("db/runs/planted").exists());
}

/// Programs that try to outlive their call.
const STAYING: &[&str] = &[
    "sleep {n} & true",
    "setsid sleep {n} & true",
    "nohup sleep {n} >/dev/null 2>&1 & true",
    "(setsid sh -c 'sleep {n} & sleep {n}' >/dev/null 2>&1 </dev/null &) ; true",
    "trap '' HUP TERM INT; (trap '' HUP TERM INT; setsid sleep {n} >&- 2>&- <&-) & true",
    "perl -e 'fork and exit; setpgrp; fork and exit; exec \"sleep\", \"{n}\"'",
    "for i in 1 2 3 4 5 6 7 8 9; do setsid sh -c 'setsid sleep {n} &' & done; true",
    "setsid sleep {n}; true",
];

#[tokio::test(flavor = "multi_thread")]
async fn nothing_outlives_its_call() {
    let Some(world) = World::new() else { return };
    for (ix, script) in STAYING.iter().enumerate() {
        let number = format!("62.81{ix}");
        let script = script.replace("{n}", &number);
        let inputs = json!({ "program": "sh", "args": ["-c", script], "timeout_s": 1 });
        world.run(json!({ "commands": ["sh"] }), inputs).await;
        let since = Instant::now();
        while is_living(&number) {
            assert!(since.elapsed() < Duration::from_secs(1), "{script} lives on");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// An engine that is killed without a word takes its commands with it.
#[test]
fn a_killed_engine_leaves_no_command() {
    if World::new().is_none() {
        return;
    }
    // One is killed at its first sign of life, when the walls may not even stand, the other a moment later.
    for (pause, script) in [
        (0, "setsid sleep 62.8299 & trap '' TERM; sleep 62.8299"),
        (300, "setsid sleep 62.8298 & trap '' TERM; sleep 62.8298"),
    ] {
        kill_engine_that_runs(script, Duration::from_millis(pause));
    }
}

fn kill_engine_that_runs(script: &str, pause: Duration) {
    let mark = script.rsplit(' ').next().unwrap();
    let desk = planloom_tests::process::Desk::default();
    let plan = json!({ "tasks": [{ "id": "run", "instruction": "Run it.", "task_type": "tool", "tool": "shell.run",
        "inputs": { "program": "/bin/sh", "args": ["-c", script] } }] });
    let plan = desk.write("a.plan.json", &plan);
    let lines = desk.folder.path().join("lines");
    let mut engine = desk.start(&["run", plan.to_str().unwrap(), "--yes"], &lines);
    let until = |is_wanted: &dyn Fn() -> bool| {
        let since = Instant::now();
        while !is_wanted() && since.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(20));
        }
        is_wanted()
    };
    assert!(until(&|| is_living(mark)), "it did not start");
    std::thread::sleep(pause);
    engine.kill().unwrap();
    engine.wait().unwrap();
    assert!(until(&|| !is_living(mark)), "it lives on after {pause:?}");
}

/// A process that is more than a name waiting to be read by whoever has to.
fn is_living(mark: &str) -> bool {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let mut lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).contains(mark))
}
