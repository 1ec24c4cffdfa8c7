//! Tasks that ask models: loops of questions and calls, what they may see, and how they end.

use std::time::Duration;

use planloom_engine::llm::Message;
use planloom_engine::views::{RunStatus, TaskStatus, TaskView};
use planloom_tests::models::{Line, call, late, refuse, say, submit, using};
use planloom_tests::rig::{Rig, agent, granting, output_of, plan, state_of, states, story, task, with};
use planloom_tests::script::Act;
use serde_json::{Value, json};

fn do_it(id: &str) -> (&'static str, Value) {
    ("read.do", json!({ "id": id }))
}

#[tokio::test(start_paused = true)]
async fn a_model_task_gives_the_answer_that_its_schema_asks_for() {
    let rig = Rig::with_models();
    let schema = json!({ "type": "object", "required": ["n"], "properties": { "n": { "type": "integer" } } });
    let model = json!({
        "id": "m", "instruction": "Count them.", "task_type": "model", "output_schema": schema,
        "inputs": { "list": [1, 2] },
    });
    rig.model
        .on("Count", [using(say(r#"{"n": 9007199254740993}"#), 10, 5)]);
    let shown = rig.run(&plan(&[model])).await;
    assert_eq!(states(&shown), "SUCCEEDED: m COMPLETED");
    assert_eq!(output_of(&shown, "m").to_string(), r#"{"n":9007199254740993}"#);
    let run = shown.row.run.as_str().into();
    insta::assert_snapshot!(story(&rig.engine, &run).await, @r"
     1 run_opened
     2 plan_revised
     3 approved
     4 run_claimed
     5 task_ready         m
     6 task_started       m
     7 call_started       m
     8 call_finished      m
     9 task_completed     m
    10 run_finished
    ");
}

#[tokio::test(start_paused = true)]
#[expect(clippy::too_many_lines, reason = "a story is told in one piece")]
async fn an_agent_calls_tools_until_it_hands_in_its_result() {
    let rig = Rig::with_models();
    rig.model.on(
        "Work on a",
        [
            call(&[do_it("x")]),
            call(&[do_it("y"), do_it("z")]),
            submit(json!({ "result": "done" })),
        ],
    );
    rig.read
        .on("y", [Act::Slow(Duration::from_secs(3), json!("late"))]);
    let shown = rig
        .run(&granting(&["x", "y", "z"], &[agent("a", &["read.do"])]))
        .await;
    assert_eq!(states(&shown), "SUCCEEDED: a COMPLETED");
    assert_eq!(output_of(&shown, "a"), json!("done"));
    assert_eq!(
        rig.read.most_at_once(),
        2,
        "calls of one turn are made at the same time"
    );
    let told: Vec<String> = rig.model.requests()[2]
        .messages
        .iter()
        .filter_map(|m| match m {
            Message::Observation { content, .. } => Some(content.clone()),
            Message::User(_) | Message::Assistant { .. } => None,
        })
        .collect();
    assert_eq!(
        told,
        ["x", "late", "z"],
        "in the order of asking, whichever came first"
    );

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
    13 call_started       a
    14 call_started       a
    15 call_finished      a
    16 call_finished      a
    17 call_started       a
    18 call_finished      a
    19 task_completed     a
    20 run_finished
    ");
    let detail = rig.engine.task_detail(&run, "a").await.unwrap();
    let calls: Vec<String> = detail.attempts[0]
        .calls
        .iter()
        .map(|c| {
            format!(
                "{} {} {}",
                c.tool,
                c.turn.as_deref().unwrap_or("-"),
                c.result.is_some()
            )
        })
        .collect();
    insta::assert_snapshot!(calls.join("\n"), @r"
    scripted/model - true
    read.do 1.0 true
    scripted/model - true
    read.do 2.0 true
    read.do 2.1 true
    scripted/model - true
    ");
    assert_eq!(detail.attempts[0].calls[3].arguments, r#"{"id":"y"}"#);
    assert_eq!(detail.attempts[0].calls[3].result.as_deref(), Some(r#""late""#));
}

#[tokio::test(start_paused = true)]
async fn what_can_not_be_called_is_told_to_the_model() {
    let rig = Rig::with_models();
    rig.model.on(
        "Work on a",
        [
            call(&[("no.such", json!({}))]),
            call(&[("read.do", json!({ "id": 7 }))]),
            submit(json!({ "result": 1 })),
        ],
    );
    rig.read.on("x", [Act::Permanent]);
    let shown = rig.run(&granting(&["x"], &[agent("a", &["read.do"])])).await;
    assert_eq!(output_of(&shown, "a"), json!(1));
    assert_eq!(rig.read.calls().len(), 0);
    let last = format!("{:?}", rig.model.requests()[2].messages);
    assert!(
        last.contains("There is no such tool") && last.contains("don't fit"),
        "{last}"
    );

    rig.model
        .on("Work on a", [call(&[do_it("x")]), submit(json!({ "result": 2 }))]);
    let shown = rig.run(&granting(&["x"], &[agent("a", &["read.do"])])).await;
    assert_eq!(
        output_of(&shown, "a"),
        json!(2),
        "a failure is an observation, not the end"
    );
    let last = format!("{:?}", rig.model.requests()[4].messages);
    assert!(last.contains("The call failed (refused)"), "{last}");
}

#[tokio::test(start_paused = true)]
async fn answers_that_do_not_fit_are_sent_back_and_people_hear_of_it() {
    let rig = Rig::with_models();
    let schema = json!({ "type": "object", "required": ["a"], "properties": { "a": { "type": "string" } } });
    let task = with(
        json!({ "id": "m", "instruction": "Say it.", "task_type": "model" }),
        json!({ "output_schema": schema }),
    );
    let long = format!("{{\"b\": \"{}\"}}", "many words of it ".repeat(30));
    rig.model.on("Say it", [say(&long), say(r#"{"a": "test"}"#)]);
    let shown = rig.run(&plan(std::slice::from_ref(&task))).await;
    let run = shown.row.run.as_str().into();
    let detail = rig.engine.task_detail(&run, "m").await.unwrap();
    assert_eq!(detail.accepted_after_rejections, 1);
    assert!(
        !detail.flags.is_empty() && detail.flags[0].ends_with('.'),
        "{:?}",
        detail.flags
    );
    let told = &detail.events.last().unwrap().text;
    assert_eq!(
        told,
        "m is done, after 1 answer that did not fit. Look at its output before you rely on it."
    );

    rig.model
        .on("Say it", std::iter::repeat_with(|| say("no")).take(4));
    let shown = rig.run(&plan(&[task])).await;
    assert_eq!(states(&shown), "BLOCKED: m FAILED");
    assert_eq!(shown.tasks[0].error.as_ref().unwrap().code, "output_schema");
    assert_eq!(
        rig.model.asked("Say it"),
        6,
        "three are sent back, and a retry is a person's word"
    );
}

#[tokio::test(start_paused = true)]
async fn loops_end_by_the_guard_and_by_the_steps() {
    let rig = Rig::with_models();
    rig.model
        .otherwise(|_| Some(call(&[("read.do", json!({ "id": "x" }))])));
    let shown = rig.run(&granting(&["x"], &[agent("a", &["read.do"])])).await;
    assert_eq!(shown.tasks[0].error.as_ref().unwrap().code, "no_progress");
    let few = with(agent("a", &["read.do"]), json!({ "max_steps": 2 }));
    let shown = rig.run(&granting(&["x"], &[few])).await;
    assert_eq!(shown.tasks[0].error.as_ref().unwrap().code, "max_steps");
}

#[tokio::test(start_paused = true)]
async fn a_refusal_fails_at_once() {
    let rig = Rig::with_models();
    rig.model.on("Work on a", [refuse("I won't.")]);
    let shown = rig.run(&plan(&[agent("a", &[])])).await;
    assert_eq!(states(&shown), "BLOCKED: a FAILED");
    assert_eq!(shown.tasks[0].error.as_ref().unwrap().code, "refusal");
    assert_eq!(shown.tasks[0].attempts, 1);
}

/// Rule 1: neither the goal, nor the plan, nor another task is ever in a question.
#[tokio::test(start_paused = true)]
async fn a_model_sees_its_task_alone() {
    let rig = Rig::with_models();
    rig.model.on(
        "Work on mine",
        [call(&[do_it("x")]), submit(json!({ "result": 1 }))],
    );
    let mine = with(
        agent("mine", &["read.do"]),
        json!({ "dependencies": ["given", "hidden"], "inputs": { "word": { "$from": "given" } } }),
    );
    let mut plan = granting(
        &["x"],
        &[
            task("given", "read.do", &[]),
            task("hidden", "read.do", &[]),
            mine,
            task("later", "read.do", &["mine"]),
        ],
    );
    plan["goal"] = json!("Conquer the world");
    let value = |text: &str| Act::Give(json!(text));
    rig.read.on("given", [value("an apple")]);
    rig.read.on("hidden", [value("a pear")]);
    let shown = rig.run(&plan).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded);
    assert_eq!(rig.model.requests().len(), 2);
    for request in rig.model.requests() {
        let text = serde_json::to_string(&request).unwrap();
        assert!(text.contains("an apple"), "{text}");
        for foreign in ["Conquer", "a pear", "hidden", "given", "later", "Do "] {
            assert!(!text.contains(foreign), "{foreign} in {text}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn each_item_of_a_map_has_its_own_agent() {
    let rig = Rig::with_models();
    rig.model.otherwise(|request| {
        let said = format!("{:?}", request.messages[0]);
        let n = if said.contains("first") { "first" } else { "second" };
        Some(match request.messages.len() {
            1 => late(call(&[("read.do", json!({ "id": n }))]), Duration::from_secs(1)),
            _ => submit(json!({ "result": n })),
        })
    });
    let inner = json!({
        "id": "each", "instruction": "Work.", "task_type": "agent", "tools": ["read.do"],
        "inputs": { "word": { "$item": "" } },
    });
    let map = json!({
        "id": "m", "instruction": "All.", "task_type": "map", "over": { "$literal": ["first", "second"] }, "task": inner,
    });
    let shown = rig.run(&granting(&["first", "second"], &[map])).await;
    assert_eq!(
        output_of(&shown, "m"),
        json!(["first", "second"]),
        "{}",
        states(&shown)
    );
    assert_eq!(rig.model.most_at_once(), 2);
    assert_eq!(rig.model.requests().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_provider_is_asked_no_more_at_once_than_its_cap() {
    let rig = Rig::with_models();
    let many: Vec<Value> = (0..20).map(|n| agent(&format!("a{n}"), &[])).collect();
    rig.model
        .otherwise(|_| Some(late(say("ok"), Duration::from_secs(1))));
    let run = rig.open(&plan(&many)).await;
    rig.engine.resume(&run).await.unwrap();
    while rig.model.running() < 8 {
        tokio::task::yield_now().await;
    }
    rig.until(&run, "a19", TaskStatus::Running).await;
    let shown = rig.show(&run).await;
    let told = |text: &str| {
        let waits = |task: &&TaskView| task.wait.as_ref().is_some_and(|wait| wait.text == text);
        shown.tasks.iter().filter(waits).count()
    };
    assert_eq!(told("Waits for a free slot of scripted (8 at once)"), 12);
    rig.engine.until_left(&run).await.unwrap();
    let shown = rig.show(&run).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded);
    assert_eq!(
        rig.model.most_at_once(),
        planloom_engine::model::caps::PER_PROVIDER as usize
    );
}

#[tokio::test(start_paused = true)]
async fn models_must_be_set_up_and_known() {
    let rig = Rig::in_memory();
    let refused = rig.try_open(&plan(&[agent("a", &[])])).await.unwrap_err();
    assert_eq!(refused.code(), "unknown_model");
    assert!(refused.to_string().contains("agent (a)"), "{refused}");
    assert!(refused.to_string().contains("OPENAI_API_KEY"), "{refused}");
    let path = rig.write_plan("p.plan.json", &plan(&[agent("a", &[])]));
    let warned = rig.engine.check(path).await;
    assert!(serde_json::to_string(&warned).unwrap().contains("unknown_model"));

    let rig = Rig::with_models();
    let strange = plan(&[with(agent("a", &[]), json!({ "model": "no/such" }))]);
    let refused = rig.try_open(&strange).await.unwrap_err();
    let path = rig.write_plan("s.plan.json", &strange);
    let told = rig.engine.check(path).await;
    assert!(
        matches!(&told[..], [one] if one.pointer == "/tasks/0/model" && one.message.contains("`no/such` is not set up")),
        "{told:?}"
    );
    assert!(
        matches!(&refused, planloom_engine::Error::Problems { problems } if *problems == told),
        "{refused}"
    );
    let path = rig.write_plan("p.plan.json", &plan(&[agent("a", &[])]));
    assert_eq!(rig.engine.check(path).await, []);
}

#[tokio::test(start_paused = true)]
async fn a_pause_lets_the_question_end_and_goes_on_after_it() {
    let rig = Rig::with_models();
    rig.model.on(
        "Work on a",
        [
            late(call(&[do_it("x")]), Duration::from_secs(5)),
            submit(json!({ "result": 1 })),
        ],
    );
    let run = rig.open(&granting(&["x"], &[agent("a", &["read.do"])])).await;
    rig.engine.resume(&run).await.unwrap();
    rig.until(&run, "a", TaskStatus::Running).await;
    rig.engine.pause(&run).await.unwrap();
    rig.engine.until_left(&run).await.unwrap();
    let shown = rig.show(&run).await;
    assert_eq!(states(&shown), "PAUSED: a READY");
    assert_eq!((rig.model.requests().len(), rig.read.calls().len()), (1, 0));
    let shown = rig.go_on(&run).await;
    assert_eq!(output_of(&shown, "a"), json!(1));
    assert_eq!((rig.model.requests().len(), rig.read.calls().len()), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn a_stop_cuts_the_question_short() {
    let rig = Rig::with_models();
    rig.model.on("Work on a", [Line::Hang]);
    rig.model.on("Work on b", [Line::Deaf]);
    let run = rig.open(&plan(&[agent("a", &[]), agent("b", &[])])).await;
    rig.engine.resume(&run).await.unwrap();
    rig.until(&run, "b", TaskStatus::Running).await;
    rig.engine.cancel(&run).await.unwrap();
    rig.engine.until_left(&run).await.unwrap();
    let shown = rig.show(&run).await;
    assert_eq!(states(&shown), "CANCELLED: a CANCELLED, b CANCELLED");
    assert_eq!(rig.model.running(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_panics_is_a_failure_like_another() {
    let rig = Rig::with_models();
    rig.model.on("Work on a", [Line::Panic]);
    let shown = rig.run(&plan(&[agent("a", &[])])).await;
    assert_eq!(state_of(&shown, "a"), TaskStatus::Completed);
    assert_eq!(rig.model.requests().len(), 2);
}
