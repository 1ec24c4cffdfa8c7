//! Commands from start to end, by real processes: those that do not end by themselves end all the same, with all that they
//! started.

use std::time::{Duration, Instant};

use planloom_engine::model::Json;
use planloom_engine::tools::sandbox::confinement;
use planloom_engine::views::TaskStatus;
use planloom_tests::rig::{Rig, output_of, plan, state_of};
use serde_json::json;

const ROWS: &str = include_str!("../cases/agent-06-shell-that-does-not-end/commands.json");

/// Whether there is a sandbox; else says why not.
fn is_off() -> bool {
    let why = confinement().why_not();
    why.inspect(|why| eprintln!("skipped: {why}")).is_some()
}

fn command(inputs: Json) -> Json {
    json!({ "id": "run", "instruction": "Run it.", "task_type": "tool", "tool": "shell.run", "inputs": inputs,
        "dependencies": [] })
}

/// Processes with this in their command line.
fn living(mark: &str) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines
        .filter(|line| String::from_utf8_lossy(line).contains(mark))
        .count()
}

/// Case agent-06: each row ends in time, says what it should, and leaves nothing behind.
#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_does_not_end_is_ended() {
    if is_off() {
        return;
    }
    let rows: Vec<Json> = serde_json::from_str(ROWS).unwrap();
    assert_eq!(rows.len(), 11);
    let rig = Rig::on_file();
    for (ix, row) in rows.iter().enumerate() {
        // Told apart from other sleepers on this machine.
        let script = row["cmd"]
            .as_str()
            .unwrap()
            .replace("sleep 60", &format!("sleep 60.7{ix:03}"));
        let inputs =
            json!({ "program": "/bin/sh", "args": ["-c", script], "timeout_s": 2, "accept_code": [3, 127] });
        let since = Instant::now();
        let shown = rig.run(&plan(&[command(inputs)])).await;
        let took = since.elapsed().as_secs_f64();
        let max = row["max_s"].as_f64().unwrap();
        assert!(took < max, "{script} took {took} s");
        let error = shown.tasks[0].error.as_ref();
        let failed = error.map_or(String::new(), |e| format!("{}: {}", e.code, e.message));
        match row["status"].as_str() {
            Some("killed by signal 9") => assert!(
                failed.starts_with("killed: `/bin/sh` was killed by signal 9"),
                "{failed}"
            ),
            Some("timeout") => assert!(failed.starts_with("timeout: "), "{script}: {failed}"),
            Some(_) => assert!(
                failed.starts_with("timeout: ") || failed.starts_with("output_limit: "),
                "{failed}"
            ),
            None => assert_eq!(failed, "", "{script}"),
        }
        let output = output_of(&shown, "run");
        if let Some(exit) = row.get("exit") {
            assert_eq!(&output["code"], exit, "{script}");
        }
        if let Some(stdout) = row.get("stdout") {
            assert_eq!(&output["stdout"], stdout, "{script}");
        }
        if let Some(bytes) = row["stdout_bytes"].as_u64() {
            assert_eq!(output["stdout"].as_str().unwrap().len() as u64, bytes, "{script}");
        }
    }
    // Three seconds after the last one; the others had longer.
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(living("60.7"), 0);
    // None that ended is still to be waited for, either.
    let own = std::process::id().to_string();
    let stats = std::fs::read_dir("/proc").unwrap().flatten();
    let stats = stats.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    let zombies = stats.filter(|stat| stat.contains(&format!(") Z {own} "))).count();
    assert_eq!(zombies, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_reads_and_writes_what_is_granted_and_its_files_are_restored_on_a_word() {
    if is_off() {
        return;
    }
    let rig = Rig::on_file();
    let at = |name: &str| rig.folder().join(name);
    std::fs::create_dir_all(at("data")).unwrap();
    std::fs::create_dir_all(at("out")).unwrap();
    std::fs::write(at("data/a.txt"), "b\na\n").unwrap();
    std::fs::write(at("out/sorted.txt"), "old\n").unwrap();
    let task =
        command(json!({ "program": "sort", "args": ["-o", "../out/sorted.txt", "a.txt"], "cwd": "data" }));
    let mut document = plan(&[task]);
    document["grants"] = json!({ "write": ["out/**"] });
    let shown = rig.run(&document).await;
    assert_eq!(
        state_of(&shown, "run"),
        TaskStatus::Completed,
        "{:?}",
        shown.tasks[0].error
    );
    assert_eq!(std::fs::read_to_string(at("out/sorted.txt")).unwrap(), "a\nb\n");
    let files = rig
        .engine
        .written_since(&shown.row.run.as_str().into(), 0)
        .await
        .unwrap();
    let told: Vec<String> = files
        .iter()
        .map(|file| {
            let name = file.path.replace(rig.folder().to_str().unwrap(), "");
            format!("{name} {}", file.why_not.as_deref().unwrap_or("kept"))
        })
        .collect();
    let listed = "only listed: what this tool writes is not kept";
    assert_eq!(
        told,
        [
            format!("/out {listed}"),
            "/out/sorted.txt kept".to_owned(),
            format!("run:/ {listed}")
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn failing_is_failing_unless_the_code_is_accepted() {
    if is_off() {
        return;
    }
    let rig = Rig::on_file();
    let script = "cat; echo why >&2; exit 4";
    let inputs = json!({ "program": "sh", "args": ["-c", script], "stdin": "in" });
    let shown = rig.run(&plan(&[command(inputs.clone())])).await;
    let error = shown.tasks[0].error.clone().unwrap();
    assert_eq!(error.code, "exit_code");
    assert_eq!(error.message, "`sh` ended with 4; stderr: why; stdout: in");
    let mut accepting = inputs;
    accepting["accept_code"] = json!([4]);
    let shown = rig.run(&plan(&[command(accepting)])).await;
    assert_eq!(
        output_of(&shown, "run"),
        json!({ "code": 4, "stdout": "in", "stderr": "why\n" })
    );
}

/// Stopping the run ends its commands; what they did stays in doubt, as with any effect that is cut short.
#[tokio::test(flavor = "multi_thread")]
async fn cancelling_a_run_leaves_no_process() {
    if is_off() {
        return;
    }
    let rig = Rig::on_file();
    let inputs = json!({ "program": "sh", "args": ["-c", "setsid sleep 61.7001 & sleep 61.7001"] });
    let run = rig.open(&plan(&[command(inputs)])).await;
    rig.engine.resume(&run).await.unwrap();
    let since = Instant::now();
    while living("61.7001") < 3 {
        assert!(since.elapsed() < Duration::from_secs(5), "it did not start");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    rig.engine.cancel(&run).await.unwrap();
    let since = Instant::now();
    while living("61.7001") > 0 {
        assert!(since.elapsed() < Duration::from_secs(2), "it lives on");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
