//! Agents whose models and tools fail for a while: nothing that was paid is paid twice.

use std::time::Duration;

use planloom_engine::llm::{Fault, Outcome, Reply};
use planloom_engine::views::{DecisionKind, RunStatus};
use planloom_tests::models::{Line, call, cut, fail, fail_for, late, say, submit, using};
use planloom_tests::rig::{Rig, agent, granting, output_of, plan, states, story, with};
use planloom_tests::script::Act;
use serde_json::{Value, json};
use tokio::time::Instant;

fn read(id: &str) -> Line {
    call(&[("read.do", json!({ "id": id }))])
}

fn one() -> Value {
    granting(&["x", "y"], &[agent("a", &["read.do"])])
}

#[tokio::test(start_paused = true)]
async fn a_question_that_fails_is_asked_again_and_nothing_before_it_is() {
    let rig = Rig::with_models();
    rig.model.on(
        "Work on a",
        [
            read("x"),
            fail(Outcome::Transient),
            fail_for(Outcome::Rate, Duration::from_secs(60)),
            say(""),
            submit(json!({ "result": "done" })),
        ],
    );
    let began = Instant::now();
    let shown = rig.run(&one()).await;
    assert_eq!(output_of(&shown, "a"), json!("done"));
    assert!(
        began.elapsed() >= Duration::from_secs(61),
        "the provider asked for a minute"
    );
    assert_eq!((rig.model.requests().len(), rig.read.calls().len()), (5, 1));
    let requests = rig.model.requests();
    assert_eq!(requests[1], requests[4], "it is the same question");
    let run = shown.row.run.as_str().into();
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
    11 call_started       a
    12 call_finished      a
    13 task_retrying      a
    14 task_started       a
    15 call_started       a
    16 call_finished      a
    17 task_retrying      a
    18 task_started       a
    19 call_started       a
    20 call_finished      a
    21 task_retrying      a
    22 task_started       a
    23 call_started       a
    24 call_finished      a
    25 task_completed     a
    26 run_finished
    ");
    let detail = rig.engine.task_detail(&run, "a").await.unwrap();
    let calls: Vec<usize> = detail.attempts.iter().map(|a| a.calls.len()).collect();
    assert_eq!(calls, [3, 1, 1, 1], "each attempt shows its own calls");
    assert!(
        detail
            .attempts
            .iter()
            .all(|a| a.calls.iter().all(|c| c.ended_at.is_some()))
    );
}

#[tokio::test(start_paused = true)]
async fn a_model_that_stays_down_fails_the_task_and_a_person_may_begin_anew() {
    let rig = Rig::with_models();
    rig.model.on("Work on a", [read("x")]);
    rig.model.on(
        "Work on a",
        std::iter::repeat_with(|| fail(Outcome::Transient)).take(4),
    );
    let run = rig.open(&one()).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(states(&shown), "BLOCKED: a FAILED");
    assert_eq!((rig.model.requests().len(), shown.tasks[0].attempts), (5, 4));
    rig.answer(&run, "d1", json!("retry")).await;
    rig.model.on("Work on a", [submit(json!({ "result": 1 }))]);
    let shown = rig.go_on(&run).await;
    assert_eq!(output_of(&shown, "a"), json!(1));
    assert_eq!(
        rig.model.requests()[5].messages.len(),
        1,
        "it begins from nothing"
    );
}

#[tokio::test(start_paused = true)]
async fn when_the_first_model_is_down_the_next_one_goes_on_and_stays() {
    let rig = Rig::with_models();
    rig.model.on("Work on a", [read("x")]);
    rig.model.on(
        "Work on a",
        std::iter::repeat_with(|| fail(Outcome::Transient)).take(4),
    );
    rig.spare_model
        .on("Work on a", [read("y"), submit(json!({ "result": "spare" }))]);
    let task = with(agent("a", &["read.do"]), json!({ "model": "planner" }));
    let shown = rig.run(&granting(&["x", "y"], &[task])).await;
    assert_eq!(output_of(&shown, "a"), json!("spare"));
    assert_eq!(
        (rig.model.requests().len(), rig.spare_model.requests().len()),
        (5, 2)
    );
    assert_eq!(rig.read.order(), ["x", "y"]);

    let task = with(agent("a", &[]), json!({ "fallback": "spare/model" }));
    rig.model.on("Work on a", [fail(Outcome::Quota)]);
    let shown = rig.run(&plan(&[task])).await;
    assert_eq!(states(&shown), "SUCCEEDED: a COMPLETED");
    assert_eq!(
        shown.tasks[0].attempts, 1,
        "a quota that is used up is not waited for"
    );
    assert_eq!(rig.spare_model.requests().len(), 3);

    for (nth, elsewhere) in [
        fail(Outcome::Auth),
        Line::Give(Reply::of(Outcome::Permanent(Fault::new(
            "not_found",
            "no such model",
        )))),
    ]
    .into_iter()
    .enumerate()
    {
        let task = with(agent("a", &[]), json!({ "fallback": "spare/model" }));
        rig.model.on("Work on a", [elsewhere]);
        let shown = rig.run(&plan(&[task])).await;
        assert_eq!(states(&shown), "SUCCEEDED: a COMPLETED");
        assert_eq!(rig.spare_model.requests().len(), 4 + nth);
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_fails_for_a_while_costs_no_question() {
    let rig = Rig::with_models();
    rig.model
        .on("Work on a", [read("x"), submit(json!({ "result": 1 }))]);
    rig.read.on("x", [Act::Transient(None), Act::Unknown]);
    let shown = rig.run(&one()).await;
    assert_eq!(output_of(&shown, "a"), json!(1));
    assert_eq!((rig.model.requests().len(), rig.read.calls_of("x")), (2, 3));
    let keys: Vec<String> = rig.read.calls().into_iter().map(|c| c.key).collect();
    assert!(
        keys.iter().all(|key| *key == keys[0]),
        "the same call has the same key"
    );

    rig.model
        .on("Work on a", [read("y"), submit(json!({ "result": 2 }))]);
    rig.read
        .on("y", std::iter::repeat_with(|| Act::Transient(None)).take(9));
    let shown = rig.run(&one()).await;
    assert_eq!(output_of(&shown, "a"), json!(2), "at last the model hears of it");
    assert_eq!(rig.read.calls_of("y"), 4);
}

#[tokio::test(start_paused = true)]
async fn the_time_of_an_attempt_bounds_all_of_it() {
    let rig = Rig::with_models();
    let task = with(agent("a", &["read.do"]), json!({ "timeout_s": 10 }));
    let slow = |id: &str| late(read(id), Duration::from_secs(7));
    rig.model.on(
        "Work on a",
        [slow("x"), Line::Hang, submit(json!({ "result": "in time" }))],
    );
    let began = Instant::now();
    let shown = rig.run(&granting(&["x"], std::slice::from_ref(&task))).await;
    assert_eq!(output_of(&shown, "a"), json!("in time"));
    assert_eq!(shown.tasks[0].attempts, 2);
    let passed = began.elapsed();
    assert!(
        passed > Duration::from_secs(10) && passed < Duration::from_secs(13),
        "{passed:?}"
    );

    rig.model
        .on("Work on a", std::iter::repeat_with(|| Line::Hang).take(9));
    let shown = rig.run(&granting(&["x"], &[task])).await;
    assert_eq!(states(&shown), "BLOCKED: a FAILED");
    assert_eq!(shown.tasks[0].error.as_ref().unwrap().code, "attempt_timeout");
    assert_eq!(shown.tasks[0].attempts, 4);
}

#[tokio::test(start_paused = true)]
async fn equal_calls_that_were_asked_for_twice_are_made_twice() {
    let rig = Rig::with_models();
    let send = || call(&[("keyed.do", json!({ "id": "x" }))]);
    rig.model
        .on("Work on a", [send(), send(), submit(json!({ "result": 1 }))]);
    let shown = rig.run(&granting(&["x"], &[agent("a", &["keyed.do"])])).await;
    assert_eq!(output_of(&shown, "a"), json!(1));
    let calls = rig.keyed.calls();
    assert_eq!(calls.len(), 2);
    assert_ne!(calls[0].key, calls[1].key);
}

/// A new attempt that asks for the same effect gets what came of it the first time.
#[tokio::test(start_paused = true)]
async fn an_effect_of_a_failed_attempt_is_not_made_again() {
    let rig = Rig::with_models();
    let send = || call(&[("effect.do", json!({ "id": "x" }))]);
    rig.model.on("Work on a", [send(), fail(Outcome::Permanent)]);
    let run = rig.open(&granting(&["x"], &[agent("a", &["effect.do"])])).await;
    rig.go_on(&run).await;
    rig.answer(&run, "d1", json!("retry")).await;
    rig.model
        .on("Work on a", [send(), submit(json!({ "result": 1 }))]);
    let shown = rig.go_on(&run).await;
    assert_eq!(output_of(&shown, "a"), json!(1));
    assert_eq!(rig.effect.calls_of("x"), 1);
    assert_eq!(rig.model.requests().len(), 4);
}

/// Rule 10: the run asks before the question that would pass the cap, and goes on with it after the answer.
#[tokio::test(start_paused = true)]
async fn a_budget_is_asked_about_before_the_question_that_would_pass_it() {
    let rig = Rig::with_models();
    rig.model.on(
        "Work on a",
        [using(read("x"), 9000, 100), submit(json!({ "result": 1 }))],
    );
    let mut plan = one();
    plan["budget"] = json!({ "tokens": 12_000 });
    let run = rig.open(&plan).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(shown.decisions[0].kind, DecisionKind::Budget);
    assert_eq!((rig.model.requests().len(), rig.read.calls().len()), (1, 1));
    rig.answer(&run, "d1", json!("raise")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(output_of(&shown, "a"), json!(1));
    assert_eq!((rig.model.requests().len(), shown.tasks[0].attempts), (2, 1));
}

/// Rule 6: a provider that keeps failing is left alone, and its stand-in is asked meanwhile.
#[tokio::test(start_paused = true)]
async fn a_provider_that_is_down_is_left_alone() {
    let rig = Rig::with_models();
    rig.model.otherwise(|_| Some(fail(Outcome::Transient)));
    let many = |model: &str| -> Vec<Value> {
        (0..6)
            .map(|n| {
                with(
                    agent(&format!("a{n}"), &[]),
                    json!({ "model": model, "retry": { "max_attempts": 2 } }),
                )
            })
            .collect()
    };
    let shown = rig.run(&plan(&many("planner"))).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded, "{}", states(&shown));
    assert!(rig.model.requests().len() < 12, "{}", rig.model.requests().len());
    assert_eq!(rig.spare_model.requests().len(), 6);

    // Without a stand-in it is waited for; that costs no attempt.
    let asked = rig.model.requests().len();
    let model = rig.model.clone();
    rig.model.otherwise(move |_| {
        let is_down = model.requests().len() < asked + 8;
        is_down.then(|| fail(Outcome::Transient))
    });
    let patient = |n: usize| {
        with(
            agent(&format!("a{n}"), &[]),
            json!({ "retry": { "max_attempts": 20 } }),
        )
    };
    let tasks: Vec<Value> = (0..6).map(patient).collect();
    let shown = rig.run(&plan(&tasks)).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded, "{}", states(&shown));
    let run = shown.row.run.as_str().into();
    let story = story(&rig.engine, &run).await;
    assert!(
        story.contains("breaker_opened") && story.contains("breaker_closed"),
        "{story}"
    );
}

#[tokio::test(start_paused = true)]
async fn an_overflow_is_asked_again_with_less_and_a_cut_answer_in_brief() {
    let rig = Rig::with_models();
    let long = json!("long ".repeat(2000));
    rig.read.on("x", [Act::Give(long.clone())]);
    rig.read.on("y", [Act::Give(long)]);
    let done = submit(json!({ "result": "done" }));
    rig.model.on(
        "Work on a",
        [read("x"), read("y"), fail(Outcome::Overflow), cut("half"), done],
    );
    let shown = rig.run(&one()).await;
    assert_eq!(output_of(&shown, "a"), json!("done"), "{}", states(&shown));
    let asked = rig.model.requests();
    let weights: Vec<u64> = asked.iter().map(|asked| asked.guessed_input_tokens()).collect();
    assert!(weights[3] < weights[2], "{weights:?}");
    let last = format!("{:?}", asked.last().unwrap().messages);
    assert!(last.contains("cut off") && !last.contains("half"), "{last}");
    assert_eq!((shown.tasks[0].attempts, rig.read.calls().len()), (1, 2));
}

#[tokio::test(start_paused = true)]
async fn overflows_and_cuts_without_end_fail_the_task() {
    for (line, code, asked) in [(fail(Outcome::Overflow), "overflow", 1), (cut("half"), "cut", 3)] {
        let rig = Rig::with_models();
        rig.model.on("Work on a", vec![line; 9]);
        let shown = rig.run(&one()).await;
        assert_eq!(states(&shown), "BLOCKED: a FAILED");
        assert_eq!(shown.tasks[0].error.as_ref().unwrap().code, code);
        assert_eq!(rig.model.requests().len(), asked);
    }
}

/// A server that still loads its model is there; waiting for it opens no breaker.
#[tokio::test(start_paused = true)]
async fn a_model_that_is_loading_is_no_provider_that_is_down() {
    let rig = Rig::with_models();
    let loading = Line::Give(Reply::of(Outcome::Transient(Fault::new(
        "loading",
        "loading the model",
    ))));
    rig.model.on("Work on a", vec![loading; 7]);
    let patient = with(agent("a", &[]), json!({ "retry": { "max_attempts": 9 } }));
    let shown = rig.run(&plan(&[patient])).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded, "{}", states(&shown));
    let log = story(&rig.engine, &shown.row.run.as_str().into()).await;
    assert!(!log.contains("breaker_opened"), "{log}");
}
