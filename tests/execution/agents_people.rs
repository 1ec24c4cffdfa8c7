//! Agents in whose midst a person decides: what was not granted, what came from outside, what is in doubt.

use planloom_engine::model::RunId;
use planloom_engine::views::DecisionKind;
use planloom_tests::models::{Line, call, submit};
use planloom_tests::rig::{Rig, agent, granting, output_of, states, story, task, with};
use planloom_tests::script::Act;
use serde_json::{Value, json};

fn use_tool(tool: &str, id: &str) -> Line {
    call(&[(tool, json!({ "id": id }))])
}

fn one(tools: &[&str]) -> Value {
    granting(&["x"], &[agent("a", tools)])
}

async fn begin(rig: &Rig, plan: &Value, lines: impl IntoIterator<Item = Line>) -> RunId {
    rig.model.on("Work on a", lines);
    let run = rig.open(plan).await;
    rig.go_on(&run).await;
    run
}

#[tokio::test(start_paused = true)]
#[expect(clippy::too_many_lines, reason = "a story is told in one piece")]
async fn what_was_not_granted_is_asked_for_and_then_exactly_that_call_is_made() {
    let rig = Rig::with_models();
    let both = call(&[
        ("read.do", json!({ "id": "x" })),
        ("read.do", json!({ "id": "secret" })),
        ("read.do", json!({ "id": "secret" })),
    ]);
    let run = begin(&rig, &one(&["read.do"]), [both, submit(json!({ "result": 1 }))]).await;
    let shown = rig.show(&run).await;
    assert_eq!(states(&shown), "WAITING: a WAITING");
    assert_eq!(shown.decisions[0].kind, DecisionKind::Grant);
    assert!(
        shown.decisions[0].question.contains("run secret"),
        "{}",
        shown.decisions[0].question
    );
    assert_eq!(rig.read.order(), ["x"], "what was granted is done meanwhile");
    let deny = shown.decisions[0].options.iter().find(|o| o.is_default).unwrap();
    assert!(
        deny.consequence.contains("the agent hears so"),
        "{}",
        deny.consequence
    );

    rig.answer(&run, "d1", json!("once")).await;
    rig.go_on(&run).await;
    assert_eq!(rig.read.order(), ["x", "secret"], "once is once");
    rig.answer(&run, "d2", json!("deny")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(
        output_of(&shown, "a"),
        json!(1),
        "the agent hears that it was denied, and goes on"
    );
    assert_eq!(rig.read.calls().len(), 2);
    assert_eq!((rig.model.requests().len(), shown.tasks[0].attempts), (2, 1));
    let last = format!("{:?}", rig.model.requests()[1].messages);
    assert!(last.contains("The call failed (denied)"), "{last}");
    insta::assert_snapshot!(story(&rig.engine, &run).await, @r"
     1 run_opened
     2 plan_revised
     3 approved
     4 run_claimed
     5 task_ready         a
     6 task_started       a
     7 call_started       a
     8 call_finished      a
     9 call_started       a
    10 call_finished      a
    11 decision_opened    a
    12 task_waiting       a
    13 run_waiting
    14 decision_answered
    15 run_claimed
    16 task_ready         a
    17 task_started       a
    18 call_started       a
    19 call_finished      a
    20 decision_opened    a
    21 task_waiting       a
    22 run_waiting
    23 decision_answered
    24 run_claimed
    25 task_ready         a
    26 task_started       a
    27 call_started       a
    28 call_finished      a
    29 call_started       a
    30 call_finished      a
    31 task_completed     a
    32 run_finished
    ");
}

#[tokio::test(start_paused = true)]
async fn what_is_allowed_for_the_run_is_asked_once() {
    let rig = Rig::with_models();
    let lines = [
        use_tool("read.do", "secret"),
        call(&[
            ("read.do", json!({ "id": "x" })),
            ("read.do", json!({ "id": "secret" })),
        ]),
        submit(json!({ "result": 1 })),
    ];
    let run = begin(&rig, &one(&["read.do"]), lines).await;
    rig.answer(&run, "d1", json!("run")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(output_of(&shown, "a"), json!(1));
    assert_eq!(rig.read.order(), ["secret", "x", "secret"]);
}

/// R1: what an agent has read outside must not leave again unseen, also not by what the model makes of it.
#[tokio::test(start_paused = true)]
async fn an_agent_that_has_read_the_outside_asks_before_it_sends() {
    let rig = Rig::with_models();
    let tools = ["outside.do", "effect.do"];
    let lines = [
        use_tool("effect.do", "x"),
        use_tool("outside.do", "x"),
        use_tool("effect.do", "x"),
        submit(json!({ "result": 1 })),
    ];
    let plan = granting(&["x"], &[agent("a", &tools), task("b", "effect.do", &["a"])]);
    let plan = {
        let mut plan = plan;
        plan["tasks"][1]["inputs"] = json!({ "id": { "$from": "a", "path": "" } });
        plan
    };
    rig.model.on("Work on a", lines);
    let run = rig.open(&plan).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(states(&shown), "WAITING: a WAITING, b PENDING");
    assert_eq!(shown.decisions[0].kind, DecisionKind::Effect);
    assert_eq!(shown.decisions[0].about.as_deref(), Some(r#"{"id":"x"}"#));
    assert!(
        shown.decisions[0].question.contains("effect.do"),
        "{}",
        shown.decisions[0].question
    );
    assert_eq!(
        rig.effect.calls_of("x"),
        1,
        "before it had read anything, it was free to send"
    );
    rig.answer(&run, "d1", json!("deny")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(rig.effect.calls_of("x"), 1);
    assert_eq!(output_of(&shown, "a"), json!(1));
    assert!(
        states(&shown).contains("b FAILED"),
        "its output is no id: {}",
        states(&shown)
    );
}

#[tokio::test(start_paused = true)]
async fn what_an_agent_has_read_outside_taints_its_output() {
    let rig = Rig::with_models();
    let sent = with(
        task("b", "effect.do", &["a"]),
        json!({ "inputs": { "id": { "$from": "a" } } }),
    );
    let plan = granting(&["x"], &[agent("a", &["outside.do"]), sent]);
    let run = begin(
        &rig,
        &plan,
        [use_tool("outside.do", "x"), submit(json!({ "result": "x" }))],
    )
    .await;
    let shown = rig.show(&run).await;
    assert_eq!(states(&shown), "WAITING: a COMPLETED, b WAITING");
    assert_eq!(shown.decisions[0].kind, DecisionKind::Effect);
    rig.answer(&run, "d1", json!("allow")).await;
    assert_eq!(
        states(&rig.go_on(&run).await),
        "SUCCEEDED: a COMPLETED, b COMPLETED"
    );
    assert_eq!(rig.effect.calls_of("x"), 1);
}

async fn in_doubt(rig: &Rig) -> RunId {
    let lines = [
        call(&[
            ("effect.do", json!({ "id": "x" })),
            ("effect.do", json!({ "id": "x" })),
        ]),
        submit(json!({ "result": 1 })),
    ];
    rig.effect.on("x", [Act::Unknown, Act::Give(json!("sent"))]);
    let run = begin(rig, &one(&["effect.do"]), lines).await;
    assert_eq!(states(&rig.show(&run).await), "WAITING: a IN_DOUBT");
    assert_eq!(rig.effect.calls().len(), 2, "its neighbour is not held up");
    run
}

#[tokio::test(start_paused = true)]
async fn an_effect_in_doubt_is_sent_again_only_by_a_persons_word() {
    let rig = Rig::with_models();
    let run = in_doubt(&rig).await;
    rig.answer(&run, "d1", json!("retry")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(output_of(&shown, "a"), json!(1));
    let calls = rig.effect.calls();
    assert_eq!(calls.len(), 3);
    assert_eq!(calls[0].key, calls[2].key);
    assert_eq!(rig.model.requests().len(), 2);
    insta::assert_snapshot!(story(&rig.engine, &run).await, @r"
     1 run_opened
     2 plan_revised
     3 approved
     4 run_claimed
     5 task_ready         a
     6 task_started       a
     7 call_started       a
     8 call_finished      a
     9 call_started       a
    10 call_started       a
    11 call_finished      a
    12 call_finished      a
    13 task_in_doubt      a
    14 decision_opened    a
    15 run_waiting
    16 decision_answered
    17 run_claimed
    18 task_ready         a
    19 task_started       a
    20 call_started       a
    21 call_finished      a
    22 call_started       a
    23 call_finished      a
    24 task_completed     a
    25 run_finished
    ");
}

#[tokio::test(start_paused = true)]
async fn what_a_person_says_of_an_effect_is_told_to_the_agent() {
    for (answer, told) in [
        (json!("done"), "null"),
        (json!({ "done": { "receipt": 7 } }), "receipt"),
    ] {
        let rig = Rig::with_models();
        let run = in_doubt(&rig).await;
        rig.answer(&run, "d1", answer).await;
        let shown = rig.go_on(&run).await;
        assert_eq!(output_of(&shown, "a"), json!(1));
        assert_eq!(rig.effect.calls().len(), 2, "it was not sent again");
        let last = format!("{:?}", rig.model.requests()[1].messages);
        assert!(last.contains(told), "{last}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_in_doubt_can_be_passed_over() {
    let rig = Rig::with_models();
    let run = in_doubt(&rig).await;
    rig.answer(&run, "d1", json!("skip")).await;
    assert_eq!(states(&rig.go_on(&run).await), "SUCCEEDED: a SKIPPED");
}

/// A tool that exists and was not given to the task is refused where the call is recorded, granted or not.
#[tokio::test(start_paused = true)]
async fn a_tool_that_is_not_the_tasks_own_is_refused_in_the_log() {
    let rig = Rig::with_models();
    let lines = [use_tool("keyed.do", "x"), submit(json!({ "result": "no" }))];
    let run = begin(&rig, &one(&["read.do"]), lines).await;
    let shown = rig.show(&run).await;
    assert_eq!(output_of(&shown, "a"), json!("no"));
    assert_eq!(rig.keyed.calls().len(), 0);
    let told = format!("{:?}", rig.model.requests()[1].messages);
    assert!(
        told.contains("(not_granted): this task may not use the tool keyed.do"),
        "{told}"
    );
    let detail = rig.engine.task_detail(&run, "a").await.unwrap();
    assert!(
        detail.events.iter().any(|event| event.text.contains("keyed.do")),
        "the log has it"
    );
}

/// A call that asks the person in its midst can't be kept waiting by a process that ends: the agent waits, the answer makes
/// that call again with its key, and no model is asked twice.
#[tokio::test(start_paused = true)]
async fn a_call_that_asks_is_made_again_with_the_answer() {
    let rig = Rig::with_models();
    rig.effect.on("x", [Act::Ask, Act::Ask]);
    let lines = [use_tool("effect.do", "x"), submit(json!({ "result": "done" }))];
    let run = begin(&rig, &one(&["effect.do"]), lines).await;
    let shown = rig.show(&run).await;
    assert_eq!(states(&shown), "WAITING: a WAITING");
    assert_eq!(shown.decisions[0].kind, DecisionKind::Question);
    assert!(shown.decisions[0].question.contains("may then happen twice"));
    rig.answer(&run, "d1", json!({ "which": 1 })).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(states(&shown), "SUCCEEDED: a COMPLETED");
    let calls = rig.effect.calls();
    assert!(calls.len() == 2 && calls[0].key == calls[1].key, "{calls:?}");
    assert_eq!(rig.model.requests().len(), 2);
}
