//! Tools of MCP servers in runs: granted, waited for, asked through, pinned, and real ones from the registry.

mod real;

use std::time::Duration;

use planloom_engine::model::{DecisionId, Json, RunId};
use planloom_engine::run::WhenIdle;
use planloom_engine::tools::mcp::Standing;
use planloom_engine::views::{DecisionKind, RunStatus, TaskStatus, WaitReason};
use planloom_engine::{Config, Consent, Engine, Files, Parameters, Shown};
use planloom_tests::rig::{output_of, state_of, states};
use planloom_tests::servers::{Bench, script};
use serde_json::json;

/// As a process opens it: the settings are read from beside the database.
fn engine(bench: &Bench, when_idle: WhenIdle) -> Engine {
    let db = bench.folder().join("planloom.db");
    bench.write_settings();
    Engine::open(Config {
        when_idle,
        ..Config::new(Some(db), "test")
    })
    .unwrap()
}

fn task(id: &str, tool: &str, inputs: &Json, after: &[&str]) -> Json {
    json!({
        "id": id, "instruction": id, "task_type": "tool", "tool": tool, "inputs": inputs, "dependencies": after,
        "retry": { "max_attempts": 2, "initial_ms": 1500 },
    })
}

async fn open(bench: &Bench, engine: &Engine, tasks: &[Json]) -> RunId {
    let path = bench.folder().join("test.plan.json");
    std::fs::write(&path, json!({ "tasks": tasks }).to_string()).unwrap();
    engine
        .open_run(path, &Parameters::Json(Json::Null), &Consent::Given)
        .await
        .unwrap()
}

async fn go_on(engine: &Engine, run: &RunId) -> Shown {
    engine.resume(run).await.unwrap();
    let left = tokio::time::timeout(Duration::from_secs(60), engine.until_left(run))
        .await
        .unwrap()
        .unwrap();
    assert!(left.trouble.is_none(), "{:?}", left.trouble);
    engine.show(run, None).await.unwrap()
}

async fn until(engine: &Engine, run: &RunId, is: impl Fn(&Shown) -> bool) -> Shown {
    for _ in 0..600 {
        let shown = engine.show(run, None).await.unwrap();
        if is(&shown) {
            return shown;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("never: {}", states(&engine.show(run, None).await.unwrap()));
}

fn hostile(way: &str) -> Bench {
    let bench = Bench::default();
    let marks = bench.folder().to_str().unwrap().to_owned();
    bench.python("h", &[&script("hostile.py"), way, &marks])
}

fn play(events: &Json, second: &str) -> Bench {
    let script = script("play.py");
    Bench::default().python("x", &[&script, &events.to_string(), second])
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_server_gave_goes_out_through_another_only_with_a_word() {
    let bench = hostile("honest");
    bench.look("h").await.unwrap();
    let engine = engine(&bench, WhenIdle::Leave);
    let second = task(
        "b",
        "h/good",
        &json!({ "text": { "$from": "a", "path": "/content/0/text" } }),
        &["a"],
    );
    let run = open(&bench, &engine, &[task("a", "h/good", &json!({}), &[]), second]).await;
    let shown = go_on(&engine, &run).await;
    assert_eq!(states(&shown), "WAITING: a COMPLETED, b WAITING");
    assert_eq!(
        output_of(&shown, "a"),
        json!({ "content": [{ "type": "text", "text": "good 1" }] })
    );
    assert_eq!(shown.decisions[0].kind, DecisionKind::Effect);
    engine
        .decide(&run, &DecisionId::from("d1"), json!("allow"))
        .await
        .unwrap();
    assert_eq!(go_on(&engine, &run).await.row.status, RunStatus::Succeeded);
    // Each call had its own key.
    let keys = std::fs::read_to_string(bench.folder().join("keys")).unwrap();
    let keys: Vec<Json> = keys
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let key = |n: usize| keys[n][planloom_engine::tools::mcp::KEY].as_str().unwrap().len();
    assert!(keys.len() == 2 && keys[0] != keys[1] && key(0) > 20, "{keys:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agents_tool_of_a_server_must_be_granted_by_name() {
    let bench = hostile("honest");
    bench.look("h").await.unwrap();
    let engine = engine(&bench, WhenIdle::Leave);
    let path = bench.folder().join("agent.plan.json");
    for (grants, want) in [
        (json!({}), true),
        (json!({ "mcp": ["h/other"] }), true),
        (json!({ "mcp": ["h/good"] }), false),
    ] {
        let agent = json!({ "id": "a", "instruction": "Do.", "tools": ["h/good"] });
        std::fs::write(&path, json!({ "tasks": [agent], "grants": grants }).to_string()).unwrap();
        let problems = engine.check(path.clone()).await;
        let found = problems
            .iter()
            .any(|problem| problem.message.contains("\"h/good\" to `grants.mcp`"));
        assert_eq!(found, want, "{grants}: {problems:?}");
    }
    let unknown = task("b", "h/none", &json!({}), &[]);
    std::fs::write(&path, json!({ "tasks": [unknown] }).to_string()).unwrap();
    let problems = engine.check(path).await;
    assert!(problems[0].message.contains("`planloom servers`"), "{problems:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_whose_tool_is_another_one_now_is_left_as_it_is() {
    let mut bench = hostile("changes");
    bench.look("h").await.unwrap();
    let first = engine(&bench, WhenIdle::Leave);
    let run = open(&bench, &first, &[task("a", "h/good", &json!({}), &[])]).await;
    std::fs::write(bench.folder().join("approved"), "").unwrap();
    // The server says otherwise than what was seen: the call is refused.
    let shown = go_on(&first, &run).await;
    let error = shown.tasks[0].error.as_ref().unwrap();
    assert_eq!(error.code, "definition_changed");
    let way = format!("`planloom fork {run} --run`");
    assert!(
        error.message.contains("`planloom servers check h`") && error.message.contains(&way),
        "{error:?}"
    );
    first
        .decide(&run, &DecisionId::from("d1"), json!("retry"))
        .await
        .unwrap();
    // A person looks again: what was approved is no more.
    let looked = bench.look("h").await.unwrap();
    assert_eq!(looked.changed, ["good"]);
    let refused = engine(&bench, WhenIdle::Leave).resume(&run).await.unwrap_err();
    assert_eq!(refused.code(), "definitions");
    assert!(refused.to_string().contains(&way), "{refused}");
    let fork = engine(&bench, WhenIdle::Leave)
        .fork(&run, None, None, Files::Leave)
        .await
        .unwrap()
        .run;
    let again = engine(&bench, WhenIdle::Leave);
    again.approve_as_opened(&fork).await.unwrap();
    assert_eq!(
        go_on(&again, &fork).await.tasks[0].status,
        TaskStatus::Completed,
        "what was told works"
    );
    // The same with another command under the same name.
    bench.set(
        "h",
        json!({ "command": "python3", "args": ["other.py"], "unconfined": true }),
    );
    let refused = engine(&bench, WhenIdle::Leave).resume(&run).await.unwrap_err();
    assert_eq!(refused.code(), "definitions", "the tool is not known any more");
}

/// How often the server was called, each with its key.
fn calls(bench: &Bench) -> Vec<String> {
    let keys = std::fs::read_to_string(bench.folder().join("keys")).unwrap_or_default();
    let key = |line: &str| {
        let meta: Json = serde_json::from_str(line).unwrap();
        meta[planloom_engine::tools::mcp::KEY].to_string()
    };
    keys.lines().map(key).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_of_a_server_is_a_decision_of_the_run() {
    let bench = hostile("elicit");
    bench.look("h").await.unwrap();
    let engine = engine(&bench, WhenIdle::Stay);
    // What the person takes to think is no time of the call's.
    let mut asking = task("a", "h/good", &json!({}), &[]);
    asking["timeout_s"] = json!(2);
    let run = open(&bench, &engine, &[asking]).await;
    engine.resume(&run).await.unwrap();
    let shown = until(&engine, &run, |shown| {
        !shown.decisions.is_empty() && shown.row.status == RunStatus::Waiting
    })
    .await;
    assert_eq!(state_of(&shown, "a"), TaskStatus::Running);
    assert_eq!(shown.tasks[0].wait.as_ref().unwrap().reason, WaitReason::Question);
    assert!(
        shown.decisions[0].question.contains("The server `h`"),
        "{}",
        shown.decisions[0].question
    );
    let wrong = engine
        .decide(&run, &DecisionId::from("d1"), json!({ "password": 5 }))
        .await
        .unwrap_err();
    assert_eq!(wrong.code(), "bad_answer");
    tokio::time::sleep(Duration::from_millis(3500)).await;
    engine
        .decide(&run, &DecisionId::from("d1"), json!({ "password": "none" }))
        .await
        .unwrap();
    let shown = go_on(&engine, &run).await;
    assert_eq!(states(&shown), "SUCCEEDED: a COMPLETED");
    assert!(was_told(&shown), "{}", output_of(&shown, "a"));
    assert_eq!(calls(&bench).len(), 1);
}

/// Whether the server heard the person's answer.
fn was_told(shown: &Shown) -> bool {
    let text = output_of(shown, "a")["content"][0]["text"].to_string();
    text.contains("accept") && text.contains("none")
}

/// A process that nobody watches does not stay for an answer: it is given later, once, and the call is made again with it.
#[tokio::test(flavor = "multi_thread")]
async fn a_question_of_a_server_outlasts_the_process_that_was_asked() {
    let bench = hostile("elicit");
    bench.look("h").await.unwrap();
    let first = engine(&bench, WhenIdle::Leave);
    let run = open(
        &bench,
        &first,
        &[
            task("a", "h/good", &json!({}), &[]),
            task("b", "echo", &json!({ "value": 1 }), &[]),
        ],
    )
    .await;
    let shown = go_on(&first, &run).await;
    assert_eq!(states(&shown), "WAITING: a WAITING, b COMPLETED");
    let [asked] = &shown.decisions[..] else {
        panic!("{:?}", shown.decisions)
    };
    assert_eq!(asked.kind, DecisionKind::Question);
    for words in [
        "The server `h`",
        "your answer makes it again",
        "may then happen twice",
    ] {
        assert!(asked.question.contains(words), "{words}: {}", asked.question);
    }
    first.close().await;
    // Without an answer nothing is called.
    let second = engine(&bench, WhenIdle::Leave);
    let shown = go_on(&second, &run).await;
    assert_eq!(
        (states(&shown).as_str(), shown.decisions.len()),
        ("WAITING: a WAITING, b COMPLETED", 1)
    );
    assert_eq!(calls(&bench).len(), 1);
    let (asked, answer) = (DecisionId::from("d1"), json!({ "password": "none" }));
    second.decide(&run, &asked, answer.clone()).await.unwrap();
    let again = second.decide(&run, &asked, answer).await.unwrap_err();
    assert_eq!(again.code(), "answered");
    let shown = go_on(&second, &run).await;
    assert_eq!(states(&shown), "SUCCEEDED: a COMPLETED, b COMPLETED");
    assert!(was_told(&shown), "{}", output_of(&shown, "a"));
    let calls = calls(&bench);
    assert!(
        calls.len() == 2 && calls[0] == calls[1],
        "the same key: {calls:?}"
    );
}

/// However the process ends, the question stays: closed properly, paused, or gone from one moment to the next.
#[tokio::test(flavor = "multi_thread")]
async fn a_question_stays_open_however_its_process_ends() {
    for end in ["close", "pause", "die"] {
        let bench = hostile("elicit");
        bench.look("h").await.unwrap();
        let first = engine(&bench, WhenIdle::Stay);
        let run = open(&bench, &first, &[task("a", "h/good", &json!({}), &[])]).await;
        first.resume(&run).await.unwrap();
        until(&first, &run, |shown| !shown.decisions.is_empty()).await;
        let other = tempfile::tempdir().unwrap();
        let mut db = bench.folder().join("planloom.db");
        match end {
            "close" => first.close().await,
            "pause" => {
                first.pause(&run).await.unwrap();
                until(&first, &run, |shown| shown.row.status == RunStatus::Paused).await;
                first.close().await;
            }
            _ => {
                // What the disk holds at this moment, without the lock that its owner has.
                for entry in std::fs::read_dir(bench.folder()).unwrap().flatten() {
                    if entry.file_type().unwrap().is_file() {
                        std::fs::copy(entry.path(), other.path().join(entry.file_name())).unwrap();
                    }
                }
                db = other.path().join("planloom.db");
            }
        }
        let second = Engine::open(Config {
            when_idle: WhenIdle::Leave,
            ..Config::new(Some(db), "test")
        })
        .unwrap();
        let shown = go_on(&second, &run).await;
        assert_eq!(states(&shown), "WAITING: a WAITING", "{end}");
        assert_eq!(shown.decisions.len(), 1, "{end}");
        second
            .decide(&run, &DecisionId::from("d1"), json!({ "password": "none" }))
            .await
            .unwrap();
        let shown = go_on(&second, &run).await;
        assert_eq!(states(&shown), "SUCCEEDED: a COMPLETED", "{end}");
        assert!(was_told(&shown), "{end}: {}", output_of(&shown, "a"));
    }
}

/// The case of a slow start, in a run: what needs the server waits and says for what, all else goes on.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_installs_itself_is_waited_for_by_those_who_need_it() {
    let bench = play(
        &json!([[0.5, "stderr npm http fetch"], [2.5, "initialize ok"]]),
        "1",
    );
    bench.look("x").await.unwrap();
    let engine = engine(&bench, WhenIdle::Leave);
    let tasks = [
        task("a", "x/a", &json!({}), &[]),
        task("b", "echo", &json!({ "value": 1 }), &[]),
    ];
    let run = open(&bench, &engine, &tasks).await;
    let mut watch = engine.watch(&run, 0).await.unwrap();
    engine.resume(&run).await.unwrap();
    let (mut is_b_done, mut waits) = (false, Vec::new());
    while waits.is_empty() || !is_b_done {
        let news = tokio::time::timeout(Duration::from_secs(20), watch.next())
            .await
            .unwrap()
            .unwrap()
            .unwrap();
        for task in news.tasks {
            is_b_done |= task.id == "b" && task.status == TaskStatus::Completed;
            let wait = task
                .wait
                .filter(|wait| wait.reason == WaitReason::Server && wait.text.contains("installing"));
            waits.extend(wait.map(|wait| (task.id, wait.text)));
        }
    }
    let told = "Waiting for server x: installing (npm http fetch)";
    assert_eq!(waits[0], ("a".to_owned(), told.to_owned()));
    let shown = engine.show(&run, None).await.unwrap();
    assert_eq!(
        states(&shown),
        "RUNNING: a RUNNING, b COMPLETED",
        "the other task did not wait"
    );
    assert_eq!(go_on(&engine, &run).await.row.status, RunStatus::Succeeded);
}

/// Nothing was sent, so that the call is tried again and its reason is shown at once.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_does_not_come_up_leaves_nothing_in_doubt() {
    let bench = Bench::default();
    let once = bench.folder().join("once");
    let play = script("play.py");
    let shell = format!(
        "if [ -e '{0}' ]; then echo 'API_TOKEN is not set' >&2; exit 1; fi; touch '{0}'; exec python3 '{play}' '[[0, \"initialize ok\"]]' 1",
        once.display()
    );
    let bench = bench.with(
        "x",
        json!({ "command": "sh", "args": ["-c", shell], "unconfined": true }),
    );
    bench.look("x").await.unwrap();
    let engine = engine(&bench, WhenIdle::Leave);
    let run = open(&bench, &engine, &[task("a", "x/a", &json!({}), &[])]).await;
    engine.resume(&run).await.unwrap();
    let shown = until(&engine, &run, |shown| {
        state_of(shown, "a") == TaskStatus::Retrying
    })
    .await;
    let wait = shown.tasks[0].wait.as_ref().unwrap();
    assert!(wait.text.contains("API_TOKEN is not set"), "{}", wait.text);
    let shown = go_on(&engine, &run).await;
    assert_eq!(
        (state_of(&shown, "a"), shown.decisions[0].kind),
        (TaskStatus::Failed, DecisionKind::Blocked)
    );
    // What it needs is there again: no rest is waited for that is over.
    std::fs::remove_file(&once).unwrap();
    engine.servers().reconnect("x");
    engine
        .decide(&run, &DecisionId::from("d1"), json!("retry"))
        .await
        .unwrap();
    assert_eq!(go_on(&engine, &run).await.row.status, RunStatus::Succeeded);
}

/// What is set up in the window while it is open counts at once, and so does what is removed.
#[tokio::test(flavor = "multi_thread")]
async fn servers_come_and_go_while_the_program_is_open_and_a_run_under_way_keeps_its_own() {
    let bench = hostile("honest");
    let engine = Engine::open(Config::new(Some(bench.folder().join("planloom.db")), "test")).unwrap();
    let path = bench.folder().join("test.plan.json");
    let person = json!({ "id": "p", "instruction": "Ask.", "task_type": "human", "dependencies": ["a"],
        "form": { "type": "object" } });
    let tasks = [
        task("a", "h/good", &json!({}), &[]),
        person,
        task("b", "h/good", &json!({}), &["p"]),
    ];
    std::fs::write(&path, json!({ "tasks": tasks }).to_string()).unwrap();
    let unknown = || async { engine.check(path.clone()).await.len() };
    assert_eq!(unknown().await, 2, "nothing is set up");

    bench.write_settings();
    bench.look("h").await.unwrap();
    engine.read_servers();
    assert_eq!(unknown().await, 0);
    assert!(engine.tools().iter().any(|tool| tool.name == "h/good"));
    let run = open(&bench, &engine, &tasks).await;
    engine.resume(&run).await.unwrap();
    until(&engine, &run, |shown| !shown.decisions.is_empty()).await;
    let ready = |engine: &Engine| engine.servers().rows()[0].standing == Standing::Ready;
    assert!(ready(&engine));
    // Read again with nothing changed: the process stays.
    engine.read_servers();
    assert!(ready(&engine));

    let calls = || {
        std::fs::read_to_string(bench.folder().join("keys"))
            .unwrap()
            .lines()
            .count()
    };
    std::fs::write(bench.folder().join("settings.json"), "{}").unwrap();
    engine.read_servers();
    assert_eq!(unknown().await, 2, "new plans have it no more");
    assert!(engine.servers().is_empty());
    let shown = engine.show(&run, None).await.unwrap();
    assert_eq!(states(&shown), "WAITING: a COMPLETED, p WAITING, b PENDING");
    engine
        .decide(&run, &DecisionId::from("d1"), json!({}))
        .await
        .unwrap();
    let shown = until(&engine, &run, |shown| shown.row.status == RunStatus::Succeeded).await;
    assert_eq!(
        (states(&shown).as_str(), calls()),
        ("SUCCEEDED: a COMPLETED, p COMPLETED, b COMPLETED", 2)
    );
    engine.close().await;

    // Later, too, what ran can be looked at; a new run of it can't be opened.
    let later = Engine::open(Config::new(Some(bench.folder().join("planloom.db")), "test")).unwrap();
    assert_eq!(
        later.show(&run, None).await.unwrap().row.status,
        RunStatus::Succeeded
    );
    let consent = Consent::Given;
    let refused = later
        .open_run(path, &Parameters::Json(Json::Null), &consent)
        .await;
    assert_eq!(refused.unwrap_err().code(), "problems");
}
