//! What no provider counts still counts against the caps: answers without usage, and calls in flight when their process
//! ended (rule 10).

use std::sync::Arc;
use std::time::Duration;

use planloom_engine::Config;
use planloom_engine::llm::{Entry, Limits, Models, Outcome, Price, Role};
use planloom_engine::run::Clock;
use planloom_engine::views::{DecisionKind, RunStatus};
use planloom_tests::models::{Line, NAME, ScriptedModel, call, fail, submit, using};
use planloom_tests::rig::{Rig, agent, granting, plan, states, with};
use serde_json::{Value, json};

/// A dollar for a thousand tokens, and at most a thousand in one answer.
fn priced(model: &ScriptedModel) -> Models {
    let usd = |text: &str| serde_json::from_value(json!(text)).unwrap();
    let entry = Entry {
        price: Price::PerMillion {
            input: usd("1000"),
            output: usd("1000"),
            cached: None,
        },
        limits: Limits {
            max_output_tokens: Some(1000),
            ..Limits::default()
        },
        ..Entry::new(NAME, Arc::new(model.clone()))
    };
    Models::none().with(entry).with_role(Role::Executor, &[NAME])
}

fn many(budget: &Value) -> Value {
    let tasks: Vec<Value> = (0..5)
        .map(|n| {
            let after = if n == 0 {
                json!([])
            } else {
                json!([format!("a{}", n - 1)])
            };
            with(agent(&format!("a{n}"), &[]), json!({ "dependencies": after }))
        })
        .collect();
    with(plan(&tasks), json!({ "budget": budget }))
}

#[tokio::test(start_paused = true)]
async fn answers_without_a_count_are_settled_with_the_most_that_they_may_cost() {
    for budget in [json!({ "usd": 4 }), json!({ "tokens": 4000 })] {
        let model = ScriptedModel::default();
        let models = priced(&model);
        let rig = Rig::set_up(|config| Config { models, ..config });
        let shown = rig.run(&many(&budget)).await;
        assert_eq!(shown.row.status, RunStatus::Waiting, "{}", states(&shown));
        assert_eq!(shown.decisions[0].kind, DecisionKind::Budget);
        let spent = &shown.row.spent;
        assert!((1..4).contains(&spent.guessed), "{spent:?}");
        assert_eq!((spent.estimated, spent.unknown), (spent.guessed, 0));
        assert!(spent.usd.parse::<f64>().unwrap() > 1.0, "{spent:?}");
        assert!(spent.input_tokens + spent.output_tokens > 1000.0, "{spent:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_counted_is_not_guessed() {
    let model = ScriptedModel::default();
    let models = priced(&model);
    let rig = Rig::set_up(|config| Config { models, ..config });
    model.otherwise(|_| Some(using(submit(json!({ "result": 1 })), 100, 10)));
    let shown = rig.run(&many(&json!({ "usd": 4 }))).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded, "{}", states(&shown));
    assert_eq!(
        (shown.row.spent.guessed, shown.row.spent.usd.as_str()),
        (0, "0.55")
    );
}

/// A refusal costs nothing; a line that breaks may have cost all of it.
#[tokio::test(start_paused = true)]
async fn a_call_without_an_answer_counts_at_most() {
    for (class, lost) in [(Outcome::Transient as fn(_) -> _, 1), (Outcome::Rate, 0)] {
        let model = ScriptedModel::default();
        let models = priced(&model);
        let rig = Rig::set_up(|config| Config { models, ..config });
        model.on(
            "Work on a",
            [fail(class), using(submit(json!({ "result": 1 })), 1, 1)],
        );
        let shown = rig.run(&plan(&[agent("a", &[])])).await;
        let spent = &shown.row.spent;
        assert_eq!((spent.lost, spent.unknown), (lost, 1), "{spent:?}");
        assert_eq!(
            spent.lost_usd.parse::<f64>().unwrap() > 1.0,
            lost == 1,
            "{spent:?}"
        );
    }
}

/// A price that nobody knows is no price of nothing.
#[tokio::test(start_paused = true)]
async fn a_call_without_an_answer_and_a_price_is_not_told_as_free() {
    let model = ScriptedModel::default();
    let models = Models::none()
        .with(Entry::new(NAME, Arc::new(model.clone())))
        .with_role(Role::Executor, &[NAME]);
    let rig = Rig::set_up(|config| Config { models, ..config });
    model.on(
        "Work on a",
        [
            fail(Outcome::Transient),
            using(submit(json!({ "result": 1 })), 1, 1),
        ],
    );
    let shown = rig.run(&plan(&[agent("a", &[])])).await;
    let spent = &shown.row.spent;
    assert_eq!(
        (spent.lost, spent.lost_unpriced, spent.lost_usd.as_str()),
        (1, 1, "0"),
        "{spent:?}"
    );
}

/// The question that was in flight is told before and after the run goes on, and its price is not there twice.
#[tokio::test]
async fn a_question_in_flight_at_the_end_of_its_process_is_told_and_counted() {
    let rig = Rig::on_file();
    let model = ScriptedModel::default();
    let open = |models| {
        rig.engine_on(|config| Config {
            models,
            clock: Clock::System,
            ..config
        })
    };
    let engine = open(priced(&model));
    model.on("Work on a", [Line::Hang]);
    let path = rig.write_plan(
        "one.plan.json",
        &with(plan(&[agent("a", &[])]), json!({ "budget": { "usd": 2 } })),
    );
    let run = engine
        .open_run(
            path,
            &planloom_engine::Parameters::Json(Value::Null),
            &planloom_engine::Consent::Given,
        )
        .await
        .unwrap();
    engine.resume(&run).await.unwrap();
    while model.running() == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    engine.close().await;
    let engine = open(priced(&model));
    let shown = engine.show(&run, None).await.unwrap();
    let before = shown.row.spent.clone();
    assert_eq!((before.lost, before.unknown), (1, 1), "{before:?}");
    assert!(before.lost_usd.parse::<f64>().unwrap() > 1.0, "{before:?}");

    engine.resume(&run).await.unwrap();
    engine.until_left(&run).await.unwrap();
    let shown = engine.show(&run, None).await.unwrap();
    assert_eq!(
        shown.row.status,
        RunStatus::Waiting,
        "the same once more would pass the cap: {}",
        states(&shown)
    );
    let after = &shown.row.spent;
    assert_eq!(
        (after.lost, after.lost_usd.as_str()),
        (1, before.lost_usd.as_str())
    );
    assert_eq!(model.requests().len(), 1);
}

/// Taken back is not unpaid: neither what was answered nor what was in flight.
#[tokio::test(start_paused = true)]
async fn a_rewind_takes_back_no_cost_and_invents_none() {
    let model = ScriptedModel::default();
    let models = priced(&model);
    let rig = Rig::set_up(|config| Config { models, ..config });
    model.on(
        "Work on a",
        [
            using(call(&[("read.do", json!({ "id": "x" }))]), 100, 10),
            using(submit(json!({ "result": 1 })), 100, 10),
            using(submit(json!({ "result": 1 })), 100, 10),
        ],
    );
    let shown = rig.run(&granting(&["x"], &[agent("a", &["read.do"])])).await;
    let run = shown.row.run.as_str().into();
    assert_eq!(shown.row.spent.usd, "0.22", "{}", states(&shown));
    let story = planloom_tests::rig::story(&rig.engine, &run).await;
    // While the second question is on its way.
    let asked: Vec<&str> = story.lines().filter(|l| l.contains("call_started")).collect();
    let to: u64 = asked[2].split_whitespace().next().unwrap().parse().unwrap();
    rig.engine
        .rewind(&run, to, planloom_engine::Files::Leave)
        .await
        .unwrap();
    let shown = rig.go_on(&run).await;
    let spent = &shown.row.spent;
    assert_eq!(
        (spent.usd.as_str(), spent.lost),
        ("0.33", 0),
        "it was answered after all: {spent:?}"
    );
}

/// No limit is known of it, and a dollar for a thousand tokens.
fn unbounded(model: &ScriptedModel) -> Models {
    let usd = |text: &str| serde_json::from_value(json!(text)).unwrap();
    let entry = Entry {
        price: Price::PerMillion {
            input: usd("1000"),
            output: usd("1000"),
            cached: None,
        },
        ..Entry::new(NAME, Arc::new(model.clone()))
    };
    Models::none().with(entry).with_role(Role::Executor, &[NAME])
}

/// What is reserved for an answer is also its bound, so that a cap holds though nobody knows the model.
#[tokio::test(start_paused = true)]
async fn a_cap_holds_for_a_model_of_which_no_limit_is_known() {
    for (budget, may_begin) in [
        (json!({ "usd": 4 }), 0),
        (json!({ "tokens": 12_000 }), 1),
        (json!({ "seconds": 1000 }), 5),
    ] {
        let model = ScriptedModel::default();
        let models = unbounded(&model);
        let rig = Rig::set_up(|config| Config { models, ..config });
        let tasks: Vec<Value> = (0..5).map(|n| agent(&format!("a{n}"), &[])).collect();
        for n in 0..5 {
            model.on(&format!("Work on a{n}"), [Line::Hang]);
        }
        let run = rig.open(&with(plan(&tasks), json!({ "budget": budget }))).await;
        rig.engine.resume(&run).await.unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
        let asked = model.requests();
        assert_eq!(asked.len(), may_begin, "{budget}");
        let is_bounded = |request: &planloom_engine::llm::Request| request.max_output_tokens == Some(8192);
        assert_eq!(
            asked.iter().all(is_bounded),
            budget["seconds"].is_null(),
            "{budget}"
        );
        rig.engine.close().await;
    }
}

/// It is paid for what it wrote, by what stands there.
#[tokio::test(start_paused = true)]
async fn an_uncounted_answer_beyond_all_bounds_is_paid_as_long_as_it_is() {
    let model = ScriptedModel::default();
    let models = unbounded(&model);
    let rig = Rig::set_up(|config| Config { models, ..config });
    model.on("Work on a", [submit(json!({ "result": "word ".repeat(20_000) }))]);
    let shown = rig.run(&plan(&[agent("a", &[])])).await;
    let spent = &shown.row.spent;
    assert_eq!(shown.row.status, RunStatus::Succeeded, "{}", states(&shown));
    assert!(spent.output_tokens > 30_000.0, "{spent:?}");
    assert!(spent.usd.parse::<f64>().unwrap() > 30.0, "{spent:?}");
}

/// Who could give much more than may be spent is asked for less of it, before a person is asked for more money.
#[tokio::test(start_paused = true)]
async fn a_long_winded_model_is_bounded_by_what_may_be_spent() {
    let model = ScriptedModel::default();
    let entry = Entry {
        limits: Limits {
            max_output_tokens: Some(128_000),
            ..Limits::default()
        },
        ..Entry::new(NAME, Arc::new(model.clone()))
    };
    let models = Models::none().with(entry).with_role(Role::Executor, &[NAME]);
    let rig = Rig::set_up(|config| Config { models, ..config });
    for (cap, bound) in [(200_000, 128_000), (50_000, 32_768), (10_000, 8192)] {
        let budget = json!({ "budget": { "tokens": cap } });
        let shown = rig.run(&with(plan(&[agent("a", &[])]), budget)).await;
        assert_eq!(
            shown.row.status,
            RunStatus::Succeeded,
            "{cap}: {}",
            states(&shown)
        );
        let asked = model.requests().pop().unwrap();
        assert_eq!(asked.max_output_tokens, Some(bound), "{cap}");
    }
}
