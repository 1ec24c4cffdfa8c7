//! The worker process of the real program: what it may do, and what a fault in it costs.

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use planloom_tests::process::Desk;
use serde_json::json;

/// A moment of work that can't be hurried.
const SLOW: &str = "let n = 0; for (let i = 0; i < 30000000; i++) n += i % 7; return n;";

fn run(desk: &Desk, source: &str) -> Child {
    let plan = desk.write(
        "code.plan.json",
        &json!({ "tasks": [{ "id": "a", "instruction": "Count.", "task_type": "code", "source": source }] }),
    );
    desk.command(&["run", plan.to_str().unwrap(), "--yes"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The worker that this process has started, as soon as it is there and has given up what it gives up.
fn worker_of(parent: u32) -> u32 {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let found = std::fs::read_dir("/proc").unwrap().filter_map(|entry| {
            let pid: u32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
            let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
            let is_child = status.contains(&format!("\nPPid:\t{parent}\n"));
            let command = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
            let is_worker = command.ends_with(b"--worker\0");
            (is_child && is_worker && status.contains("\nSeccomp:\t2\n")).then_some(pid)
        });
        if let Some(pid) = found.into_iter().next() {
            return pid;
        }
        assert!(Instant::now() < until, "no worker of {parent} has come");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_worker_has_given_up_network_memory_and_environment() {
    let desk = Desk::default();
    let program = run(&desk, SLOW);
    let pid = worker_of(program.id());
    let read = |what: &str| std::fs::read_to_string(format!("/proc/{pid}/{what}")).unwrap();
    assert!(read("status").contains("\nNoNewPrivs:\t1\n"));
    let limits = read("limits");
    let memory = limits
        .lines()
        .find(|l| l.starts_with("Max address space"))
        .unwrap();
    assert!(memory.contains("1073741824"), "{memory}");
    assert_eq!(read("environ"), "");
    assert_eq!(
        std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap(),
        Path::new("/")
    );
    let output = program.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    // It ends with the program.
    let until = Instant::now() + Duration::from_secs(10);
    while Path::new(&format!("/proc/{pid}")).exists() {
        assert!(Instant::now() < until, "the worker has outlived its program");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn work_whose_worker_dies_is_done_by_another() {
    let desk = Desk::default();
    let program = run(&desk, SLOW);
    let pid = worker_of(program.id());
    let killed = std::process::Command::new("kill")
        .args(["-9", &pid.to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    let output = program.wait_with_output().unwrap();
    let said = planloom_tests::process::Said::of(&output);
    assert_eq!(said.code, 0, "{}{}", said.stdout, said.stderr);
    assert_eq!(said.last()["output"]["a"], json!(89_999_995));
    // The death was the worker's alone: no attempt of the task's was spent on it.
    let retried = said
        .lines()
        .iter()
        .filter(|l| l["kind"] == "task_retrying")
        .count();
    assert_eq!(retried, 0);
}

/// A terminal tells Ctrl-C to all of a group: what is in flight in the worker is let finish all the same.
#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_of_the_terminal_does_not_end_the_worker() {
    use std::os::unix::process::CommandExt;
    let desk = Desk::default();
    let plan = json!({ "grants": { "databases": ["n.db"], "write": ["n.db"] }, "tasks": [
        { "id": "count", "instruction": "Count.", "task_type": "tool", "tool": "sql.execute", "inputs": { "database": "n.db",
          "sql": "CREATE TABLE n AS WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r WHERE x < 3000000) SELECT max(x) AS x FROM r" } }] });
    let plan = desk.write("count.plan.json", &plan);
    let program = desk
        .command(&["run", plan.to_str().unwrap(), "--yes"])
        .process_group(0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    worker_of(program.id());
    std::thread::sleep(Duration::from_millis(150));
    let group = format!("-{}", program.id());
    let told = std::process::Command::new("kill")
        .args(["-INT", "--", &group])
        .status();
    assert!(told.unwrap().success());
    let output = program.wait_with_output().unwrap();
    let said = planloom_tests::process::Said::of(&output);
    let run = said.last()["run"].as_str().unwrap().to_owned();
    let shown = desk.say(&["show", &run]).last();
    assert_eq!(
        shown["tasks"]["count"]["state"], "COMPLETED",
        "{}{}",
        said.stdout, said.stderr
    );
}

#[test]
fn work_that_breaks_a_worker_costs_its_task_alone() {
    let desk = Desk::default();
    // Ten million rows, each in a cell that no memory holds.
    let bomb = "<div>".repeat(300_000);
    std::fs::write(desk.folder.path().join("bomb.html"), bomb).unwrap();
    let tool = |id: &str, tool: &str, inputs| json!({ "id": id, "instruction": "Do.", "task_type": "tool", "tool": tool, "inputs": inputs, "optional": true });
    let plan = desk.write(
        "bombs.plan.json",
        &json!({ "tasks": [
            tool("deep", "html.to_markdown", json!({"path": "bomb.html"})),
            // What is only known in the run can't be refused before it.
            tool("words", "echo", json!({"value": "WITH RECURSIVE r(x) AS (SELECT zeroblob(9000000) UNION ALL SELECT x FROM r) SELECT group_concat(hex(x)) AS x FROM r"})),
            { "id": "endless", "instruction": "Do.", "task_type": "tool", "tool": "sql.query", "dependencies": ["words"], "optional": true,
              "inputs": {"tables": {"t": "t.csv"}, "sql": {"$from": "words"}} },
            { "id": "memory", "instruction": "Do.", "task_type": "code", "source": "const a = []; while (true) a.push('x'.repeat(1000000) + a.length); return a;", "optional": true },
            { "id": "fine", "instruction": "Do.", "task_type": "code", "source": "return 1;" },
        ] }),
    );
    std::fs::write(desk.folder.path().join("t.csv"), "a\n1\n").unwrap();
    let said = desk.say(&["run", plan.to_str().unwrap(), "--yes"]);
    assert_eq!(said.code, 0, "{}{}", said.stdout, said.stderr);
    assert_eq!(said.last()["output"]["fine"], 1);
    let run = said.last()["run"].as_str().unwrap().to_owned();
    let shown = desk.say(&["show", &run]).last();
    for (id, codes) in [
        ("deep", &["too_deep"][..]),
        (
            "endless",
            &["sql_timeout", "too_large", "sql_denied", "worker_died"],
        ),
        ("memory", &["code_memory"]),
    ] {
        let code = shown["tasks"][id]["error"]["code"].as_str().unwrap_or_default();
        assert!(codes.contains(&code), "{id}: {}", shown["tasks"][id]);
    }
}

#[test]
fn databases_and_tables_are_asked_in_the_worker() {
    let desk = Desk::default();
    std::fs::write(desk.folder.path().join("t.csv"), "sku,cost\nA,1.10\nB,2\n").unwrap();
    let plan = desk.write(
        "sql.plan.json",
        &json!({
            "grants": { "databases": ["shop.db"], "write": ["shop.db"] },
            "tasks": [
                { "id": "make", "instruction": "Do.", "task_type": "tool", "tool": "sql.execute", "inputs": {"database": "shop.db",
                  "sql": "INSERT INTO nowhere VALUES (1)"}, "optional": true },
                { "id": "fill", "instruction": "Do.", "task_type": "tool", "tool": "sql.execute", "dependencies": ["make"], "inputs": {"database": "shop.db",
                  "sql": "CREATE TABLE item(n INTEGER); INSERT INTO item VALUES (9223372036854775807), (2)"} },
                { "id": "ask", "instruction": "Do.", "task_type": "tool", "tool": "sql.query", "dependencies": ["fill"],
                  "inputs": {"database": "shop.db", "sql": "SELECT max(n) AS n FROM item"} },
                { "id": "tables", "instruction": "Do.", "task_type": "tool", "tool": "sql.query",
                  "inputs": {"tables": {"t": "t.csv"}, "sql": "SELECT cost FROM t ORDER BY sku"} },
            ],
        }),
    );
    let said = desk.say(&["run", plan.to_str().unwrap(), "--yes"]);
    assert_eq!(said.code, 0, "{}{}", said.stdout, said.stderr);
    let output = &said.last()["output"];
    assert_eq!(output["ask"]["rows"][0]["n"].to_string(), "9223372036854775807");
    assert_eq!(output["tables"]["rows"], json!([{"cost": "1.10"}, {"cost": "2"}]));
}
