//! Rules 2 and 10: caps on tools, and budgets that a person may raise before anything more begins.

use std::sync::Arc;
use std::time::Duration;

use planloom_engine::llm::{Entry, Models, Price, Role};
use planloom_engine::model::RunId;
use planloom_engine::views::{DecisionKind, RunStatus, TaskStatus, WaitReason};
use planloom_tests::models::{NAME, ScriptedModel, late, say, using};
use planloom_tests::rig::{Rig, agent, plan, state_of, states, story, task, with};
use planloom_tests::script::Act;
use serde_json::{Value, json};

/// Three tasks in a row, each of a second.
fn seconds(rig: &Rig, budget: &Value) -> Value {
    for id in ["a", "b", "c"] {
        rig.read.on(id, [Act::Slow(Duration::from_secs(1), json!(id))]);
    }
    let mut plan = plan(&[
        task("a", "read.do", &[]),
        task("b", "read.do", &["a"]),
        task("c", "read.do", &["b"]),
    ]);
    plan["budget"] = budget.clone();
    plan
}

async fn asked(rig: &Rig) -> RunId {
    let run = rig.open(&seconds(rig, &json!({ "seconds": 1.5 }))).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(states(&shown), "WAITING: a COMPLETED, b COMPLETED, c READY");
    assert_eq!(shown.decisions.len(), 1);
    let asked = &shown.decisions[0];
    assert_eq!((asked.kind, asked.task.as_deref()), (DecisionKind::Budget, None));
    let words: Vec<&str> = asked.options.iter().map(|o| o.answer.as_str()).collect();
    assert_eq!(words, ["raise", "stop"]);
    assert!(asked.options[1].is_default);
    let c = shown.tasks.iter().find(|t| t.id == "c").unwrap();
    assert_eq!(c.wait.as_ref().unwrap().reason, WaitReason::Budget);
    run
}

#[tokio::test(start_paused = true)]
async fn a_run_that_has_used_its_time_asks_before_the_next_task() {
    let rig = Rig::in_memory();
    let run = asked(&rig).await;
    // Waiting for a person is no running; and what was asked is asked once.
    tokio::time::sleep(Duration::from_secs(3600)).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(shown.decisions.len(), 1, "still the same question");
    assert!(shown.row.ran_ms.unwrap() < 3000.0, "{:?}", shown.row.ran_ms);
    rig.answer(&run, "d1", json!("raise")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded);
    assert_eq!(
        shown.row.budget.seconds,
        Some(4.0),
        "twice the two seconds that it came to"
    );
    let story = story(&rig.engine, &run).await;
    assert_eq!(story.matches("budget_raised").count(), 1, "{story}");
}

#[tokio::test(start_paused = true)]
async fn stop_ends_the_run_and_an_exact_amount_adds_to_the_cap() {
    let rig = Rig::in_memory();
    let run = asked(&rig).await;
    rig.answer(&run, "d1", json!("stop")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(states(&shown), "FAILED: a COMPLETED, b COMPLETED, c CANCELLED");

    let rig = Rig::in_memory();
    let run = asked(&rig).await;
    for strange in [
        json!("later"),
        json!({ "raise": { "seconds": 0 } }),
        json!({ "raise": { "eur": 1 } }),
        json!({ "raise": { "usd": "1.00" } }),
    ] {
        let refused = rig.engine.decide(&run, &"d1".into(), strange).await.unwrap_err();
        assert_eq!(refused.code(), "bad_answer");
    }
    rig.answer(&run, "d1", json!({ "raise": { "seconds": 10, "usd": "1.00" } }))
        .await;
    let second = rig
        .engine
        .decide(&run, &"d1".into(), json!("stop"))
        .await
        .unwrap_err();
    assert_eq!(second.code(), "answered");
    let shown = rig.go_on(&run).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded);
    assert_eq!(shown.row.budget.seconds, Some(11.5));
    assert_eq!(shown.row.budget.usd, None, "what had no cap gets none");
}

#[tokio::test(start_paused = true)]
async fn too_little_is_asked_again_and_a_live_owner_goes_on_by_itself() {
    let rig = Rig::that_stays();
    let run = rig.open(&seconds(&rig, &json!({ "seconds": 1.5 }))).await;
    rig.engine.resume(&run).await.unwrap();
    rig.until(&run, "c", TaskStatus::Ready).await;
    rig.answer(&run, "d1", json!({ "raise": { "seconds": 0.1 } }))
        .await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let shown = rig.show(&run).await;
    assert_eq!(shown.decisions[0].id, "d2");
    rig.answer(&run, "d2", json!("raise")).await;
    rig.until(&run, "c", TaskStatus::Completed).await;
}

#[tokio::test(start_paused = true)]
async fn what_is_in_flight_finishes_while_a_person_is_asked() {
    let rig = Rig::in_memory();
    rig.read.on("slow", [Act::Slow(Duration::from_secs(9), json!(1))]);
    let mut plan = seconds(&rig, &json!({ "seconds": 2 }));
    plan["tasks"]
        .as_array_mut()
        .unwrap()
        .push(task("slow", "read.do", &[]));
    let run = rig.open(&plan).await;
    rig.engine.resume(&run).await.unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    let shown = rig.show(&run).await;
    assert_eq!(
        (shown.row.status, shown.decisions.len()),
        (RunStatus::Running, 1),
        "asked, and still at work"
    );
    rig.engine.until_left(&run).await.unwrap();
    let shown = rig.show(&run).await;
    assert_eq!(shown.row.status, RunStatus::Waiting);
    assert_eq!(state_of(&shown, "slow"), TaskStatus::Completed);
}

#[tokio::test(start_paused = true)]
async fn tools_cost_nothing_and_are_counted() {
    let rig = Rig::in_memory();
    let shown = rig.run(&seconds(&rig, &json!({ "usd": 0, "tokens": 0 }))).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded);
    assert_eq!((shown.row.spent.usd.as_str(), shown.row.spent.zero), ("0", 3));
    assert_eq!(shown.row.budget.tokens, Some(0.0));
}

/// Writes into the log what a model's call would have cost.
fn charge(rig: &Rig, usage: &Value) {
    let db = rusqlite::Connection::open(rig.db()).unwrap();
    let changed = db
        .execute(
            "UPDATE events SET seal = NULL, body = json_set(body, '$.usage', json(?1)) WHERE kind = 8",
            [usage.to_string()],
        )
        .unwrap();
    assert!(changed > 0);
}

#[tokio::test]
async fn money_that_is_spent_is_asked_about_before_the_next_call() {
    let rig = Rig::on_file();
    let mut plan = plan(&[
        task("a", "read.do", &[]),
        with(task("b", "read.do", &["a"]), json!({ "approval": "before" })),
    ]);
    plan["budget"] = json!({ "usd": 0.50, "tokens": 100 });
    let run = rig.open(&plan).await;
    rig.go_on(&run).await;
    charge(
        &rig,
        &json!({ "input_tokens": 70, "output_tokens": 20, "usd": "0.6000001", "kind": "estimated" }),
    );
    rig.answer(&run, "d1", json!("approve")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(states(&shown), "WAITING: a COMPLETED, b READY");
    assert_eq!(shown.row.spent.usd, "0.6000001");
    assert!(shown.decisions[0].question.contains("$0.6000001 of $0.5"));
    rig.answer(&run, "d2", json!({ "raise": { "usd": "0.2" } })).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(states(&shown), "SUCCEEDED: a COMPLETED, b COMPLETED");
    assert_eq!(shown.row.budget.usd.as_deref(), Some("0.7"));
    assert_eq!((shown.row.spent.estimated, shown.row.spent.zero), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_capped_tool_has_so_many_calls_at_once_and_who_waits_says_for_what() {
    let rig = Rig::with_caps(&[("read.do", 2)]);
    let mut tasks = Vec::new();
    for n in 0..8 {
        let id = format!("r{n}");
        rig.read.on(&id, [Act::Slow(Duration::from_secs(1), json!(n))]);
        tasks.push(task(&id, "read.do", &[]));
    }
    tasks.push(task("free", "keyed.do", &[]));
    let run = rig.open(&plan(&tasks)).await;
    rig.engine.resume(&run).await.unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    let shown = rig.show(&run).await;
    assert_eq!(state_of(&shown, "free"), TaskStatus::Completed, "others pass by");
    let wait = shown
        .tasks
        .iter()
        .find(|t| t.id == "r7")
        .unwrap()
        .wait
        .clone()
        .unwrap();
    assert_eq!(
        (wait.reason, wait.text.as_str()),
        (WaitReason::Slot, "Waits for a free slot of read.do (2 at once)")
    );
    rig.engine.until_left(&run).await.unwrap();
    let shown = rig.show(&run).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded);
    assert_eq!(rig.read.most_at_once(), 2);
    assert_eq!(
        rig.read.order(),
        (0..8).map(|n| format!("r{n}")).collect::<Vec<_>>()
    );
}

#[tokio::test(start_paused = true)]
async fn caps_of_maps_and_of_tools_hold_together() {
    let rig = Rig::with_caps(&[("read.do", 3)]);
    for id in ["x", "y"] {
        let acts = (0..20).map(|n| Act::Slow(Duration::from_millis(100 + n), json!(n)));
        rig.read.on(id, acts);
    }
    let map = |id: &str, over: &str, most: u32| {
        json!({
            "id": id, "instruction": "All.", "task_type": "map", "over": vec![0; 20], "max_parallel": most,
            "task": { "instruction": "One.", "task_type": "tool", "tool": "read.do", "inputs": { "id": over } },
        })
    };
    let shown = rig.run(&plan(&[map("one", "x", 1), map("many", "y", 9)])).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded);
    assert_eq!(rig.read.calls().len(), 40);
    assert_eq!(rig.read.most_at_once(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_cap_of_money_asks_before_a_call_of_unknown_cost_and_once() {
    for budget in [json!({ "usd": 1 }), json!({ "tokens": 1_000_000 })] {
        let model = ScriptedModel::default();
        let models = Models::none()
            .with(Entry::new(NAME, Arc::new(model.clone())))
            .with_role(Role::Executor, &[NAME]);
        let rig = Rig::set_up(|config| planloom_engine::Config { models, ..config });
        let two = plan(&[
            agent("a", &[]),
            with(agent("b", &[]), json!({ "dependencies": ["a"] })),
        ]);
        let run = rig.open(&with(two, json!({ "budget": budget }))).await;
        let shown = rig.go_on(&run).await;
        if budget.get("usd").is_none() {
            assert_eq!(shown.row.status, RunStatus::Succeeded, "no money is capped");
            continue;
        }
        assert_eq!(states(&shown), "WAITING: a READY, b PENDING");
        assert_eq!(model.requests().len(), 0, "before the call");
        let question = &shown.decisions[0].question;
        assert!(
            question.contains("is not known") && question.contains("$1"),
            "{question}"
        );
        let raise = &shown.decisions[0].options[0].consequence;
        assert!(raise.starts_with("Lets calls of unknown cost be made"), "{raise}");
        rig.answer(&run, "d1", json!("raise")).await;
        let shown = rig.go_on(&run).await;
        assert_eq!(shown.row.status, RunStatus::Succeeded);
        assert_eq!((model.requests().len(), shown.decisions.len()), (2, 0));
        assert_eq!(shown.row.budget.usd.as_deref(), Some("1"), "the cap itself stays");
        let detail = rig.engine.task_detail(&run, "a").await.unwrap();
        let told: Vec<&str> = detail.events.iter().map(|event| event.text.as_str()).collect();
        let held = told.iter().filter(|text| text.contains("held back")).count();
        assert_eq!(
            (held, told.iter().any(|text| text.contains("interrupted"))),
            (1, false)
        );
    }
}

/// The words say what is so: before anything is spent, nothing is used up; and how each cap can be raised.
#[tokio::test(start_paused = true)]
async fn a_first_step_without_room_is_not_called_a_budget_that_is_used_up() {
    let rig = Rig::with_models();
    let one = plan(&[agent("a", &[])]);
    let run = rig.open(&with(one, json!({ "budget": { "tokens": 1 } }))).await;
    let shown = rig.go_on(&run).await;
    let asked = &shown.decisions[0];
    assert!(
        asked
            .question
            .starts_with("The budget has no room for the next step"),
        "{}",
        asked.question
    );
    let raise = &asked.options[0].consequence;
    let about: Value = serde_json::from_str(asked.about.as_deref().unwrap()).unwrap();
    let twice = about["would_come_to"]["tokens"].as_u64().unwrap() * 2;
    assert!(
        asked.question.ends_with(&format!("Raise it to {twice} tokens?")),
        "{}",
        asked.question
    );
    assert!(raise.contains(&format!("to {twice} tokens")), "{raise}");
    for amount in [r#""usd": "1.00""#, r#""tokens": "#, r#""seconds": "#] {
        assert!(raise.contains(amount), "{raise}");
    }
}

/// What is held for calls under way is not spent: as long as some of it may come back, nobody is asked.
#[tokio::test(start_paused = true)]
async fn nobody_is_asked_for_room_that_calls_under_way_will_give_back() {
    let usd = |text: &str| serde_json::from_value(json!(text)).unwrap();
    for cap in [json!({ "tokens": 20_000 }), json!({ "usd": 0.02 })] {
        let model = ScriptedModel::default();
        model.otherwise(|_| Some(late(using(say("done"), 10, 5), Duration::from_secs(1))));
        let entry = Entry {
            price: Price::PerMillion {
                input: usd("1"),
                output: usd("2"),
                cached: None,
            },
            ..Entry::new(NAME, Arc::new(model.clone()))
        };
        let models = Models::none().with(entry).with_role(Role::Executor, &[NAME]);
        let rig = Rig::set_up(|config| planloom_engine::Config { models, ..config });
        let tasks: Vec<Value> = (0..6)
            .map(|n| json!({ "id": format!("m{n}"), "instruction": "Say it.", "task_type": "model" }))
            .collect();
        let mut plan = plan(&tasks);
        plan["budget"] = cap.clone();
        let shown = rig.run(&plan).await;
        assert_eq!(
            shown.row.status,
            RunStatus::Succeeded,
            "{cap}: {}",
            states(&shown)
        );
        assert_eq!(shown.row.spent.input_tokens, 60.0);
        let story = story(&rig.engine, &shown.row.run.as_str().into()).await;
        assert!(!story.contains("decision_opened"), "{story}");
        assert!(model.most_at_once() >= 1 && model.most_at_once() < 6);
    }
}
