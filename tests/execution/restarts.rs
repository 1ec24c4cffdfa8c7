//! Cases state-07 and state-02 from the field, on their own inputs: what a person was asked, has allowed and has
//! answered is there again after a restart; a fallback that has done its work does not do it again.

use planloom_engine::views::{RunStatus, TaskStatus};
use planloom_tests::rig::{Rig, plan, state_of, states, task, with};
use planloom_tests::script::Act;
use serde_json::{Value, json};

fn lines(case: &str, file: &str) -> Vec<Value> {
    let path = planloom_tests::process::root()
        .join("tests/cases")
        .join(case)
        .join(file);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// What the recorded log asks and does not answer.
fn open_approvals(events: &[Value]) -> Vec<&str> {
    let of = |kind: &str| -> Vec<&str> {
        let found = events.iter().filter(|e| e["type"] == kind);
        found.map(|e| e["approval"].as_str().unwrap()).collect()
    };
    let answered = of("approval_answered");
    of("approval_requested")
        .into_iter()
        .filter(|a| !answered.contains(a))
        .collect()
}

/// `fetch` wants a program that only the run names, as the recorded run's first grant; `deploy` asks before it starts.
fn deploy() -> Value {
    let fetch = |id: &str| {
        with(
            task(id, "read.do", &[]),
            json!({ "inputs": { "id": { "$template": "{{ n }}", "with": { "n": "http_get" } } } }),
        )
    };
    let mut plan = plan(&[
        fetch("fetch"),
        with(
            task("deploy", "effect.do", &["fetch"]),
            json!({ "approval": "before" }),
        ),
        with(fetch("again"), json!({ "dependencies": ["deploy"] })),
    ]);
    plan["grants"] = json!({ "commands": ["other"] });
    plan
}

#[tokio::test]
async fn an_open_question_and_a_grant_for_the_run_outlive_the_process() {
    let case = "state-07-approval-and-restart";
    let events = lines(case, "events.jsonl");
    assert_eq!(open_approvals(&events), ["ap7"]);
    let kept = events
        .iter()
        .find(|e| e["type"] == "grant" && e["scope"] == "run")
        .unwrap();

    let rig = Rig::on_file();
    let run = rig.open(&deploy()).await;
    let asked = rig.go_on(&run).await;
    assert!(
        asked.decisions[0]
            .question
            .contains(kept["tool"].as_str().unwrap())
    );
    rig.answer(&run, "d1", json!("run")).await;
    rig.go_on(&run).await;
    rig.engine.close().await;

    let second = rig.another();
    let shown = second.show(&run, None).await.unwrap();
    assert_eq!(
        shown.row.status,
        RunStatus::Waiting,
        "not running: nobody is at work"
    );
    let open: Vec<&str> = shown.decisions.iter().map(|d| d.id.as_str()).collect();
    assert_eq!(open, ["d2"], "as many as the recorded log has open");
    assert_eq!(second.inbox().await.unwrap().len(), 1);
    second.decide(&run, &"d2".into(), json!("approve")).await.unwrap();
    second.resume(&run).await.unwrap();
    second.until_left(&run).await.unwrap();
    let done = second.show(&run, None).await.unwrap();
    assert_eq!(
        done.row.status,
        RunStatus::Succeeded,
        "the grant still holds: {}",
        states(&done)
    );
    assert_eq!(rig.effect.calls_of("deploy"), 1);
}

#[tokio::test]
async fn an_answer_is_not_used_up_before_the_work_has_started() {
    let events = lines("state-07-approval-and-restart", "answer-then-start-fails.jsonl");
    assert!(open_approvals(&events).is_empty());
    let rig = Rig::on_file();
    let run = rig.open(&deploy()).await;
    rig.go_on(&run).await;
    rig.answer(&run, "d1", json!("run")).await;
    rig.go_on(&run).await;
    // Answered, and the process that should have started it never did.
    rig.answer(&run, "d2", json!("approve")).await;
    rig.engine.close().await;
    let second = rig.another();
    assert!(second.show(&run, None).await.unwrap().decisions.is_empty());
    second.resume(&run).await.unwrap();
    second.until_left(&run).await.unwrap();
    let done = second.show(&run, None).await.unwrap();
    assert_eq!(done.row.status, RunStatus::Succeeded, "without asking twice");
    assert_eq!(rig.effect.calls_of("deploy"), 1);
    assert!(second.decide(&run, &"d2".into(), json!("approve")).await.is_err());
}

#[tokio::test]
async fn a_fallback_that_has_done_its_work_does_not_do_it_again() {
    let events = lines("state-02-what-is-ready-after-restart", "handler.jsonl");
    let by_fallback = events
        .iter()
        .any(|e| e["type"] == "fallback_completed" && e["node"] == "left");
    assert!(by_fallback);
    let rig = Rig::on_file();
    rig.read.on("left", [Act::Transient(None)]);
    rig.read.on("right", [Act::Hang]);
    let left = with(
        task("left", "read.do", &["src"]),
        json!({ "retry": { "max_attempts": 1 }, "fallback": "keyed.do" }),
    );
    let tasks = [
        task("src", "read.do", &[]),
        left,
        task("right", "read.do", &["src"]),
        task("join", "read.do", &["left", "right"]),
        task("end", "read.do", &["join"]),
    ];
    let run = rig.open(&plan(&tasks)).await;
    rig.engine.resume(&run).await.unwrap();
    rig.until(&run, "left", TaskStatus::Completed).await;
    rig.until(&run, "right", TaskStatus::Running).await;
    rig.engine.close().await;

    let second = rig.another();
    let shown = second.show(&run, None).await.unwrap();
    assert_eq!(
        state_of(&shown, "right"),
        TaskStatus::Ready,
        "begun and not ended is not done"
    );
    assert_eq!(state_of(&shown, "join"), TaskStatus::Pending);
    second.resume(&run).await.unwrap();
    second.until_left(&run).await.unwrap();
    let done = second.show(&run, None).await.unwrap();
    assert_eq!(done.row.status, RunStatus::Succeeded);
    assert_eq!((rig.keyed.calls_of("left"), rig.read.calls_of("left")), (1, 1));
}
