//! Another way after a failure: who is asked, what applies, and what never does (rule 7; case plan-11).

use std::time::Duration;

use planloom_engine::Error;
use planloom_engine::llm::{Models, Outcome};
use planloom_engine::model::{DecisionId, RunId};
use planloom_engine::run::Replan;
use planloom_engine::views::{DecisionKind, RunStatus};
use planloom_tests::models::{Line, ScriptedModel, fail, refuse, say};
use planloom_tests::rig::{Rig, final_output, is_over, plan, state_of, states, story, task, with};
use planloom_tests::script::Act;
use serde_json::{Value, json};

/// What every question to the replanner holds.
pub const ASKED: &str = "Where each task stands";

pub fn rig(model: &ScriptedModel, replan: Replan) -> Rig {
    let models = model.models();
    Rig::set_up(|config| planloom_engine::Config {
        models,
        replan,
        ..config
    })
}

/// `fetch` gives, `clean` fails for good, `chart` waits for it.
pub fn weekly() -> Value {
    plan(&[
        task("fetch", "read.do", &[]),
        task("clean", "read.do", &["fetch"]),
        task("chart", "read.do", &["clean"]),
    ])
}

/// Another task does what `clean` could not.
pub fn another_way() -> Value {
    json!({
        "drop": ["clean"],
        "add": [task("tidy", "echo", &["fetch"]), task("chart", "read.do", &["tidy"])],
    })
}

pub fn proposal(value: &Value) -> Line {
    let mut value = value.clone();
    // `echo` takes its value by another name than the scripted tools.
    for list in ["add", "tasks"] {
        for task in value
            .get_mut(list)
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            if task["tool"] == "echo" {
                task["inputs"] = json!({ "value": 1 });
            }
        }
    }
    say(&value.to_string())
}

fn id(shown: &planloom_engine::Shown) -> RunId {
    shown.row.run.as_str().into()
}

#[tokio::test(start_paused = true)]
async fn a_harmless_replan_applies_by_itself_where_the_policy_allows_it() {
    let model = ScriptedModel::default();
    model.on(ASKED, [proposal(&another_way())]);
    let rig = rig(&model, Replan::Auto);
    rig.read.on("clean", [Act::Permanent]);
    let shown = rig.run(&weekly()).await;
    assert_eq!(
        states(&shown),
        "SUCCEEDED: fetch COMPLETED, clean PRUNED, chart COMPLETED, tidy COMPLETED"
    );
    assert_eq!(final_output(&shown), json!({ "chart": "chart" }));
    assert_eq!(
        rig.read.calls_of("fetch"),
        1,
        "what had been done was not done again"
    );
    insta::assert_snapshot!(story(&rig.engine, &id(&shown)).await);
}

#[tokio::test(start_paused = true)]
async fn a_person_sees_the_diff_first_and_what_they_accept_is_signed_and_runs() {
    let model = ScriptedModel::default();
    model.on(ASKED, [proposal(&another_way())]);
    let rig = rig(&model, Replan::Ask);
    rig.read.on("clean", [Act::Permanent]);
    let shown = rig.run(&weekly()).await;
    let run = id(&shown);
    assert_eq!(
        states(&shown),
        "WAITING: fetch COMPLETED, clean FAILED, chart PENDING"
    );
    let [decision] = &shown.decisions[..] else {
        panic!("one decision: {:?}", shown.decisions)
    };
    assert_eq!(
        (decision.kind, decision.task.as_deref()),
        (DecisionKind::Replan, None)
    );
    let answers: Vec<(&str, bool)> = decision
        .options
        .iter()
        .map(|o| (o.answer.as_str(), o.is_default))
        .collect();
    assert_eq!(
        answers,
        [
            ("accept", false),
            ("reject", true),
            ("again", false),
            ("stop", false)
        ]
    );
    let about: Value = serde_json::from_str(decision.about.as_deref().unwrap()).unwrap();
    insta::assert_snapshot!(about["text"].as_str().unwrap(), @r#"
    + Adds `tidy`, the tool `echo`, after `fetch`: Do tidy.
    ~ Changes `dependencies` of `chart`.
        dependencies: ["clean"] → ["tidy"]
        run chart (Runs it)
    - Drops `clean`.
    "#);

    // Nothing runs before the answer, and a restart changes nothing about it.
    let again = rig.go_on(&run).await;
    assert_eq!((again.decisions.len(), model.asked(ASKED)), (1, 1));
    rig.answer(&run, "d1", json!("accept")).await;
    let twice = rig
        .engine
        .decide(&run, &DecisionId::from("d1"), json!("reject"))
        .await;
    assert!(
        matches!(twice, Err(Error::Conflict { code: "answered", .. })),
        "{twice:?}"
    );
    let done = rig.go_on(&run).await;
    assert_eq!(
        states(&done),
        "SUCCEEDED: fetch COMPLETED, clean PRUNED, chart COMPLETED, tidy COMPLETED"
    );
}

#[tokio::test(start_paused = true)]
async fn a_rejected_replan_leaves_the_plan_and_a_person_decides() {
    let model = ScriptedModel::default();
    model.on(ASKED, [proposal(&another_way()), proposal(&another_way())]);
    let rig = rig(&model, Replan::Ask);
    rig.read.on("clean", [Act::Permanent]);
    let run = id(&rig.run(&weekly()).await);
    rig.answer(&run, "d1", json!("reject")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(
        states(&shown),
        "BLOCKED: fetch COMPLETED, clean FAILED, chart PENDING"
    );
    assert_eq!(
        model.asked(ASKED),
        1,
        "a rejected replan is not tried again by itself"
    );
    let words: Vec<&str> = shown.decisions[0]
        .options
        .iter()
        .map(|o| o.answer.as_str())
        .collect();
    assert_eq!(words, ["retry", "skip", "replan", "stop"]);

    // The same proposal for the same failure ends it.
    rig.answer(&run, "d2", json!("replan")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(shown.row.status, RunStatus::Blocked);
    assert_eq!(model.asked(ASKED), 2);
    let decision = &shown.decisions[0];
    assert!(
        decision.question.contains("proposed for the same failure before"),
        "{}",
        decision.question
    );
    assert!(decision.options.iter().all(|o| o.answer != "replan"));
    rig.answer(&run, &decision.id.clone(), json!("stop")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(
        states(&shown),
        "FAILED: fetch COMPLETED, clean FAILED, chart CANCELLED"
    );
}

#[tokio::test(start_paused = true)]
async fn stop_ends_the_run_and_without_a_model_or_with_the_policy_off_nothing_is_asked() {
    let model = ScriptedModel::default();
    model.on(ASKED, [proposal(&another_way())]);
    let asking = rig(&model, Replan::Ask);
    asking.read.on("clean", [Act::Permanent]);
    let run = id(&asking.run(&weekly()).await);
    asking.answer(&run, "d1", json!("stop")).await;
    assert_eq!(asking.go_on(&run).await.row.status, RunStatus::Failed);

    let off = rig(&model, Replan::Off);
    off.read.on("clean", [Act::Permanent]);
    let shown = off.run(&weekly()).await;
    assert_eq!((shown.row.status, model.asked(ASKED)), (RunStatus::Blocked, 1));
    assert!(shown.decisions[0].options.iter().any(|o| o.answer == "replan"));

    let none = Rig::set_up(|config| planloom_engine::Config {
        models: Models::none(),
        replan: Replan::Auto,
        ..config
    });
    none.read.on("clean", [Act::Permanent]);
    let shown = none.run(&weekly()).await;
    assert_eq!(shown.row.status, RunStatus::Blocked);
    assert!(shown.decisions[0].options.iter().all(|o| o.answer != "replan"));
}

#[tokio::test(start_paused = true)]
async fn what_can_not_be_taken_is_sent_back_three_times_and_three_replans_are_the_most() {
    let model = ScriptedModel::default();
    let dangling = json!({ "drop": ["clean"], "keep": ["chart"] });
    model.otherwise(move |_| Some(proposal(&dangling)));
    let rig = rig(&model, Replan::Auto);
    rig.read
        .on("clean", [Act::Permanent, Act::Permanent, Act::Permanent]);
    let run = id(&rig.run(&weekly()).await);
    let shown = rig.show(&run).await;
    assert_eq!(
        states(&shown),
        "BLOCKED: fetch COMPLETED, clean FAILED, chart PENDING"
    );
    assert_eq!(
        model.asked(ASKED),
        4,
        "the question and three answers that were sent back"
    );
    assert!(
        shown.decisions[0].question.contains("`chart`"),
        "{}",
        shown.decisions[0].question
    );
    assert!(
        !shown.decisions[0].question.contains('\n'),
        "it is one line, for people"
    );
    for (attempt, decision) in [(2, "d1"), (3, "d2")] {
        rig.answer(&run, decision, json!("replan")).await;
        let shown = rig.go_on(&run).await;
        assert_eq!(shown.row.status, RunStatus::Blocked);
        assert_eq!(model.asked(ASKED), 4 * attempt);
    }
    let shown = rig.show(&run).await;
    assert!(
        shown.decisions[0].options.iter().all(|o| o.answer != "replan"),
        "no fourth"
    );
}

#[tokio::test(start_paused = true)]
async fn the_model_mends_what_was_sent_back_and_failures_that_pass_are_waited_for() {
    let model = ScriptedModel::default();
    model.on(
        ASKED,
        [
            fail(Outcome::Rate),
            say("I would rather not say."),
            proposal(&json!({ "drop": ["fetch"] })),
            fail(Outcome::Transient),
            proposal(&another_way()),
        ],
    );
    let rig = rig(&model, Replan::Auto);
    rig.read.on("clean", [Act::Permanent]);
    let shown = rig.run(&weekly()).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded);
    let last = model.requests().pop().unwrap();
    assert_eq!(
        last.messages.len(),
        5,
        "the question, and two answers with what was said to them"
    );
    let said = serde_json::to_string(&last.messages).unwrap();
    assert!(said.contains("`fetch` is over and can't be dropped"), "{said}");
}

#[tokio::test(start_paused = true)]
async fn a_model_that_refuses_breaks_or_hangs_leaves_the_run_blocked() {
    for line in [refuse("No."), Line::Panic, Line::Deaf] {
        let model = ScriptedModel::default();
        let told = line.clone();
        model.otherwise(move |_| Some(told.clone()));
        let rig = rig(&model, Replan::Auto);
        rig.read.on("clean", [Act::Permanent]);
        let shown = rig.run(&weekly()).await;
        assert_eq!(shown.row.status, RunStatus::Blocked, "{line:?}");
        assert!(shown.decisions[0].question.contains("No other way was found"));
    }
}

#[tokio::test(start_paused = true)]
async fn what_came_from_outside_or_asks_for_more_is_seen_by_a_person_first() {
    let model = ScriptedModel::default();
    let more = json!({
        "drop": ["clean"],
        "add": [task("pay", "effect.do", &["fetch"]), task("chart", "read.do", &["pay"])],
    });
    model.on(ASKED, [proposal(&more)]);
    let rig = rig(&model, Replan::Auto);
    rig.read.on("clean", [Act::Permanent]);
    let shown = rig.run(&weekly()).await;
    assert_eq!(shown.row.status, RunStatus::Waiting);
    assert!(
        shown.decisions[0].question.contains("more than was approved"),
        "{}",
        shown.decisions[0].question
    );
    assert_eq!(rig.effect.calls_of("pay"), 0);

    // The error text of a tool that reads from outside is text from outside.
    let model = ScriptedModel::default();
    let way = json!({ "drop": ["page"], "add": [task("tidy", "echo", &[])] });
    model.on(ASKED, [proposal(&way)]);
    let rig = self::rig(&model, Replan::Auto);
    let page = json!({
        "id": "page", "instruction": "Get it.", "task_type": "tool", "tool": "http.get",
        "inputs": { "url": "http://127.0.0.1:9/" }, "retry": { "max_attempts": 1 },
    });
    let shown = rig.run(&plan(&[page])).await;
    assert_eq!(shown.row.status, RunStatus::Waiting, "{}", states(&shown));
    assert!(
        shown.decisions[0].question.contains("Text from outside"),
        "{}",
        shown.decisions[0].question
    );
}

#[tokio::test(start_paused = true)]
async fn a_failed_task_that_becomes_another_runs_again_and_its_effect_is_asked_about() {
    let model = ScriptedModel::default();
    let other = json!({ "add": [with(task("clean", "read.do", &["fetch"]), json!({ "check": "true" }))] });
    model.on(ASKED, [proposal(&other)]);
    let rig = rig(&model, Replan::Auto);
    let failing = with(task("clean", "read.do", &["fetch"]), json!({ "check": "false" }));
    let shown = rig
        .run(&plan(&[
            task("fetch", "read.do", &[]),
            failing,
            task("chart", "read.do", &["clean"]),
        ]))
        .await;
    assert_eq!(
        states(&shown),
        "SUCCEEDED: fetch COMPLETED, clean COMPLETED, chart COMPLETED"
    );

    // What it did outside stays done: with its own key it is taken over, as another call a person is asked.
    let model = ScriptedModel::default();
    let mended = json!({ "add": [with(task("pay", "effect.do", &[]), json!({ "check": "true" }))] });
    let changed = json!({ "add": [with(task("pay", "effect.do", &[]),
        json!({ "inputs": { "id": "pay", "note": "again" } }))] });
    model.on(ASKED, [proposal(&changed), proposal(&mended)]);
    let rig = self::rig(&model, Replan::Auto);
    let failing = with(task("pay", "effect.do", &[]), json!({ "check": "false" }));
    let shown = rig.run(&plan(&[failing])).await;
    let run = id(&shown);
    assert_eq!(shown.row.status, RunStatus::Waiting, "{}", states(&shown));
    let about = shown.decisions[0].about.clone().unwrap();
    assert!(about.contains("which stays done"), "{about}");
    rig.answer(&run, "d1", json!("reject")).await;
    rig.go_on(&run).await;
    rig.answer(&run, "d2", json!("replan")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(states(&shown), "SUCCEEDED: pay COMPLETED");
    assert_eq!(rig.effect.calls_of("pay"), 1, "it was done once");
}

#[tokio::test(start_paused = true)]
async fn a_failure_inside_a_nested_plan_is_mended_through_the_task_around_it() {
    let inner = json!({ "tasks": [task("one", "keyed.do", &[]), task("two", "read.do", &["one"])] });
    let nested = |plan: &Value| json!({ "id": "all", "instruction": "All of it.", "task_type": "subplan", "plan": plan });
    let mut other = inner.clone();
    other["tasks"][1] = with(task("two", "echo", &["one"]), json!({ "inputs": { "value": 2 } }));
    let model = ScriptedModel::default();
    model.on(ASKED, [proposal(&json!({ "add": [nested(&other)] }))]);
    let rig = rig(&model, Replan::Ask);
    rig.read.on("two", [Act::Permanent]);
    let shown = rig
        .run(&plan(&[nested(&inner), task("end", "read.do", &["all"])]))
        .await;
    let run = id(&shown);
    assert_eq!(shown.row.status, RunStatus::Waiting, "{}", states(&shown));
    rig.answer(&run, "d1", json!("accept")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(
        states(&shown),
        "SUCCEEDED: all COMPLETED, end COMPLETED, all/one COMPLETED, all/two COMPLETED"
    );
    assert_eq!(rig.keyed.calls_of("one"), 1, "the effect inside was taken over");
    let by = |task: &str| state_of(&shown, task);
    assert_eq!(by("all/two"), planloom_engine::views::TaskStatus::Completed);
}

/// Case plan-11: nothing is ever left running with nothing that runs, and old results stay with old tasks.
#[tokio::test(start_paused = true)]
async fn replans_that_leave_dangling_work_or_reuse_ids_end_with_a_reason() {
    let tasks = |ids: &[(&str, &[&str])]| -> Vec<Value> {
        ids.iter().map(|(id, after)| task(id, "read.do", after)).collect()
    };
    let report = plan(&tasks(&[
        ("fetch", &[]),
        ("clean", &["fetch"]),
        ("chart", &["clean"]),
        ("send", &["chart"]),
    ]));
    let prune =
        json!({ "remove": ["clean"], "add": tasks(&[("fetch2", &["fetch"])]), "keep": ["chart", "send"] });
    let reuse = json!({
        "remove": ["clean", "chart", "send"],
        "add": [with(task("fetch", "read.do", &[]), json!({ "instruction": "Fetch the archive." })),
            task("clean2", "read.do", &["fetch"])],
    });
    for (proposed, word) in [(prune, "`chart`"), (reuse, "`fetch`")] {
        let model = ScriptedModel::default();
        model.otherwise(move |_| Some(proposal(&proposed)));
        let rig = rig(&model, Replan::Auto);
        rig.read.on("clean", [Act::Permanent]);
        let shown = rig.run(&report).await;
        assert_eq!(
            states(&shown),
            "BLOCKED: fetch COMPLETED, clean FAILED, chart PENDING, send PENDING"
        );
        let question = &shown.decisions[0].question;
        assert!(question.contains(word), "{question}");
    }
    let skipped = plan(&[
        with(task("a", "read.do", &[]), json!({ "when": "false" })),
        task("b", "read.do", &["a"]),
        task("c", "read.do", &["b"]),
    ]);
    let shown = rig(&ScriptedModel::default(), Replan::Auto).run(&skipped).await;
    assert!(is_over(&shown));
    assert_eq!(states(&shown), "SUCCEEDED: a SKIPPED, b SKIPPED, c SKIPPED");
}

#[tokio::test(start_paused = true)]
async fn independent_work_goes_on_while_a_pause_or_a_stop_finds_the_question_open() {
    let model = ScriptedModel::default();
    let slow = |line| planloom_tests::models::late(line, Duration::from_secs(5));
    model.on(ASKED, [slow(proposal(&another_way()))]);
    let rig = rig(&model, Replan::Auto);
    rig.read.on("clean", [Act::Permanent]);
    let run = rig.open(&weekly()).await;
    rig.engine.resume(&run).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(model.running(), 1);
    rig.engine.pause(&run).await.unwrap();
    rig.engine.until_left(&run).await.unwrap();
    let shown = rig.show(&run).await;
    assert_eq!(
        states(&shown),
        "PAUSED: fetch COMPLETED, clean FAILED, chart PENDING"
    );
    let shown = rig.go_on(&run).await;
    assert_eq!(
        (shown.row.status, model.asked(ASKED)),
        (RunStatus::Succeeded, 1),
        "the reply was kept"
    );

    let model = ScriptedModel::default();
    model.on(ASKED, [Line::Deaf]);
    let rig = self::rig(&model, Replan::Auto);
    rig.read.on("clean", [Act::Permanent]);
    let run = rig.open(&weekly()).await;
    rig.engine.resume(&run).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    rig.engine.cancel(&run).await.unwrap();
    rig.engine.until_left(&run).await.unwrap();
    assert_eq!(rig.show(&run).await.row.status, RunStatus::Cancelled);
    assert_eq!(model.running(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_budget_is_asked_about_before_the_model_is() {
    let model = ScriptedModel::default();
    model.on(ASKED, [proposal(&another_way())]);
    let rig = rig(&model, Replan::Auto);
    rig.read.on("clean", [Act::Permanent]);
    let shown = rig
        .run(&with(weekly(), json!({ "budget": { "tokens": 10 } })))
        .await;
    let run = id(&shown);
    assert_eq!((shown.row.status, model.asked(ASKED)), (RunStatus::Waiting, 0));
    assert_eq!(shown.decisions[0].kind, DecisionKind::Budget);
    rig.answer(&run, "d1", json!({ "raise": { "tokens": 100_000 } }))
        .await;
    let shown = rig.go_on(&run).await;
    assert_eq!((shown.row.status, model.asked(ASKED)), (RunStatus::Succeeded, 1));
}
