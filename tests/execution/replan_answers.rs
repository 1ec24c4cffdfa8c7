//! What a person may say to a new plan beside yes and no: only some of it, their own version, or another one with a note.
//! All of it is durable, said once, and means the same after any restart.

use planloom_engine::model::{DecisionId, RunId};
use planloom_engine::run::Replan;
use planloom_engine::views::{DecisionKind, ReplanFate, RunStatus};
use planloom_engine::{Config, Engine, Error, Shown};
use planloom_tests::models::ScriptedModel;
use planloom_tests::rig::{Rig, plan, states, task, with};
use planloom_tests::script::Act;
use serde_json::{Value, json};

use crate::replanning::{ASKED, another_way, proposal, rig, weekly};

fn id(shown: &Shown) -> RunId {
    shown.row.run.as_str().into()
}

/// `clean` is replaced, and `extra` comes beside it, which nothing needs.
fn with_extra() -> Value {
    let mut way = another_way();
    way["add"]
        .as_array_mut()
        .unwrap()
        .push(task("extra", "echo", &["fetch"]));
    way
}

const CLEAN_PIECES: [&str; 3] = ["add:tidy", "change:chart", "remove:clean"];

fn failing(model: &ScriptedModel, replan: Replan) -> Rig {
    let rig = rig(model, replan);
    rig.read.on("clean", std::iter::repeat_n(Act::Permanent, 20));
    rig
}

async fn refused(engine: &Engine, run: &RunId, decision: &str, answer: Value) -> String {
    let seq = engine.show(run, None).await.unwrap().seq;
    let refused = engine.decide(run, &DecisionId::from(decision), answer).await;
    let error = refused.expect_err("it is refused");
    assert_eq!(
        engine.show(run, None).await.unwrap().seq,
        seq,
        "nothing was recorded"
    );
    error.to_string()
}

#[tokio::test(start_paused = true)]
async fn a_part_of_it_is_signed_and_runs_and_what_is_left_out_is_told() {
    let model = ScriptedModel::default();
    model.on(ASKED, [proposal(&with_extra())]);
    let rig = failing(&model, Replan::Ask);
    let run = id(&rig.run(&weekly()).await);
    let view = rig.engine.replan(&run, 1).await.unwrap();
    let mut pieces: Vec<&str> = view.pieces.iter().map(|piece| piece.id.as_str()).collect();
    pieces.sort_unstable();
    assert_eq!(pieces, ["add:extra", "add:tidy", "change:chart", "remove:clean"]);
    assert_eq!((view.row.fate, view.most), (ReplanFate::Waiting, 3));
    assert_eq!(view.errors.len(), 1, "{:?}", view.errors);

    let preview = rig
        .engine
        .preview_replan(&run, &"d1".into(), &json!({ "accept": CLEAN_PIECES }))
        .await
        .unwrap();
    assert_eq!((preview.refused.len(), preview.beyond.len()), (0, 0));
    assert_eq!(preview.left_out, ["add:extra"]);

    // `chart` needs `tidy`, and a piece that nobody proposed is none.
    let lacks = refused(&rig.engine, &run, "d1", json!({ "accept": ["change:chart"] })).await;
    assert!(lacks.contains("`change:chart` can't be taken without"), "{lacks}");
    let unknown = refused(&rig.engine, &run, "d1", json!({ "accept": ["add:other"] })).await;
    assert!(unknown.contains("add:other"), "{unknown}");
    let useless = refused(&rig.engine, &run, "d1", json!({ "accept": ["add:extra"] })).await;
    assert!(useless.contains("`clean` has failed and stays"), "{useless}");

    rig.answer(&run, "d1", json!({ "accept": CLEAN_PIECES })).await;
    let done = rig.go_on(&run).await;
    assert_eq!(
        states(&done),
        "SUCCEEDED: fetch COMPLETED, clean PRUNED, chart COMPLETED, tidy COMPLETED"
    );
    let row = &rig.engine.replans(&run).await.unwrap().attempts[0];
    assert_eq!(
        (row.fate, &row.left_out[..]),
        (ReplanFate::AcceptedInPart, &["add:extra".to_owned()][..])
    );
    let twice = rig.engine.decide(&run, &"d1".into(), json!("reject")).await;
    assert!(
        matches!(twice, Err(Error::Conflict { code: "answered", .. })),
        "{twice:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_persons_own_version_is_judged_like_any_other_and_then_signed() {
    let model = ScriptedModel::default();
    model.on(ASKED, [proposal(&another_way())]);
    let rig = failing(&model, Replan::Ask);
    let run = id(&rig.run(&weekly()).await);
    let after = rig.engine.replan(&run, 1).await.unwrap().after;
    let mut document: Value = serde_json::from_str(&after.document).unwrap();
    let tasks = document["tasks"].as_array_mut().unwrap();
    let tidy = tasks.iter_mut().find(|task| task["id"] == "tidy").unwrap();
    tidy["inputs"] = json!({ "value": "mine" });

    // What is done can't be changed by anybody.
    let mut other = document.clone();
    other["tasks"][0]["instruction"] = json!("Fetch something else.");
    let why = refused(&rig.engine, &run, "d1", json!({ "edit": other })).await;
    assert!(why.contains("`fetch` is over"), "{why}");
    let mut dangling = document.clone();
    dangling["tasks"]
        .as_array_mut()
        .unwrap()
        .retain(|task| task["id"] != "tidy");
    let why = refused(&rig.engine, &run, "d1", json!({ "edit": dangling })).await;
    assert!(why.contains("tidy"), "{why}");

    rig.answer(&run, "d1", json!({ "edit": document })).await;
    let done = rig.go_on(&run).await;
    assert_eq!(
        states(&done),
        "SUCCEEDED: fetch COMPLETED, clean PRUNED, chart COMPLETED, tidy COMPLETED"
    );
    assert_eq!(planloom_tests::rig::output_of(&done, "tidy"), json!("mine"));
    let view = rig.engine.replan(&run, 1).await.unwrap();
    assert_eq!(view.row.fate, ReplanFate::AcceptedEdited);
    assert!(view.after.document.contains("mine"));
}

/// A person's version may ask for more; then all of it has to have been looked at.
#[tokio::test(start_paused = true)]
async fn a_version_that_asks_for_more_is_signed_only_by_the_name_of_what_was_looked_at() {
    let model = ScriptedModel::default();
    model.on(ASKED, [proposal(&another_way())]);
    let rig = failing(&model, Replan::Ask);
    let run = id(&rig.run(&weekly()).await);
    let after = rig.engine.replan(&run, 1).await.unwrap().after;
    let mut document: Value = serde_json::from_str(&after.document).unwrap();
    document["grants"] = json!({ "hosts": ["feeds.example"] });
    let edit = json!({ "edit": document });
    let why = refused(&rig.engine, &run, "d1", edit.clone()).await;
    assert!(why.contains("feeds.example") && why.contains("digest"), "{why}");
    let preview = rig
        .engine
        .preview_replan(&run, &"d1".into(), &edit)
        .await
        .unwrap();
    assert_eq!(preview.beyond.len(), 1);
    assert!(
        preview.beyond[0].contains("feeds.example"),
        "{:?}",
        preview.beyond
    );
    let stale = json!({ "edit": document, "digest": "0".repeat(64) });
    let why = refused(&rig.engine, &run, "d1", stale).await;
    assert!(why.contains("not what was looked at"), "{why}");
    rig.answer(&run, "d1", json!({ "edit": document, "digest": preview.digest }))
        .await;
    assert_eq!(rig.go_on(&run).await.row.status, RunStatus::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn another_one_is_asked_for_with_the_persons_words_and_what_became_of_the_last() {
    let model = ScriptedModel::default();
    let second = json!({ "drop": ["clean"], "add": [task("feed", "echo", &["fetch"]), task("chart", "read.do", &["feed"])] });
    model.on(ASKED, [proposal(&another_way()), proposal(&second)]);
    let rig = failing(&model, Replan::Ask);
    let run = id(&rig.run(&weekly()).await);
    rig.answer(&run, "d1", json!({ "again": "Use the daily feed instead." }))
        .await;
    let shown = rig.go_on(&run).await;
    let [decision] = &shown.decisions[..] else {
        panic!("{:?}", shown.decisions)
    };
    assert_eq!(
        (decision.kind, decision.id.as_str()),
        (DecisionKind::Replan, "d2")
    );
    let requests = model.requests();
    let told = format!("{:?}", requests.last().unwrap().messages);
    assert!(
        told.contains("The person says to it: Use the daily feed instead."),
        "{told}"
    );
    assert!(
        told.contains("a person did not take it and wants another one"),
        "{told}"
    );
    assert!(told.contains("tidy"), "the earlier proposal is told");
    let list = rig.engine.replans(&run).await.unwrap();
    let fates: Vec<ReplanFate> = list.attempts.iter().map(|row| row.fate).collect();
    assert_eq!(fates, [ReplanFate::AskedAgain, ReplanFate::Waiting]);
    assert_eq!(list.attempts[1].asked_with, "Use the daily feed instead.");
    rig.answer(&run, "d2", json!("accept")).await;
    let done = rig.go_on(&run).await;
    assert_eq!(
        states(&done),
        "SUCCEEDED: fetch COMPLETED, clean PRUNED, chart COMPLETED, feed COMPLETED"
    );
}

#[tokio::test(start_paused = true)]
async fn asking_again_counts_and_ends_with_the_third() {
    let model = ScriptedModel::default();
    let number = std::sync::atomic::AtomicUsize::new(0);
    model.otherwise(move |_| {
        let n = number.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let name = format!("way{n}");
        Some(proposal(&json!({ "drop": ["clean"], "add": [task(&name, "echo", &["fetch"]), task("chart", "read.do", &[&name])] })))
    });
    let rig = failing(&model, Replan::Ask);
    let run = id(&rig.run(&weekly()).await);
    for decision in ["d1", "d2"] {
        rig.answer(&run, decision, json!("again")).await;
        rig.go_on(&run).await;
    }
    let shown = rig.show(&run).await;
    let words: Vec<&str> = shown.decisions[0]
        .options
        .iter()
        .map(|o| o.answer.as_str())
        .collect();
    assert_eq!(words, ["accept", "reject", "stop"], "no fourth");
    for answer in [json!("again"), json!({ "again": "Once more." })] {
        refused(&rig.engine, &run, "d3", answer).await;
    }
    assert_eq!(model.asked(ASKED), 3);
}

/// Gone back to any moment, it goes on to the same end, without asking the replanner for anything again.
#[tokio::test(start_paused = true)]
async fn whatever_was_answered_means_the_same_after_a_cut_anywhere() {
    for answer in [
        json!({ "accept": CLEAN_PIECES }),
        json!({ "again": "Otherwise." }),
    ] {
        let model = ScriptedModel::default();
        model.otherwise(|request| {
            let is_told = format!("{:?}", request.messages).contains("Otherwise.");
            Some(proposal(&if is_told { another_way() } else { with_extra() }))
        });
        let rig = failing(&model, Replan::Ask);
        let run = rig.open(&weekly()).await;
        let answering = async |run: &RunId| loop {
            let shown = rig.go_on(run).await;
            let Some(decision) = shown.decisions.first() else {
                return shown;
            };
            let is_first = rig.engine.replans(run).await.unwrap().attempts.len() == 1;
            let given = if is_first { answer.clone() } else { json!("accept") };
            rig.answer(run, &decision.id, given).await;
        };
        let whole = answering(&run).await;
        assert_eq!(whole.row.status, RunStatus::Succeeded);
        let end = whole.seq;
        for at in 4..end {
            rig.engine
                .rewind(&run, at, planloom_engine::Files::Leave)
                .await
                .unwrap();
            let shown = answering(&run).await;
            assert_eq!(states(&shown), states(&whole), "{answer}, cut off after {at}");
        }
    }
}

/// The process ends between the proposal and the answer, and between the answer and what follows from it.
#[tokio::test]
async fn a_proposal_and_its_answer_outlive_the_process() {
    for (answer, end) in [
        (
            json!({ "accept": CLEAN_PIECES }),
            "SUCCEEDED: fetch COMPLETED, clean PRUNED, chart COMPLETED, tidy COMPLETED",
        ),
        (
            json!({ "again": "Otherwise." }),
            "WAITING: fetch COMPLETED, clean FAILED, chart PENDING",
        ),
    ] {
        let model = ScriptedModel::default();
        model.on(ASKED, [proposal(&with_extra()), proposal(&another_way())]);
        let rig = Rig::on_file();
        rig.read.on("clean", std::iter::repeat_n(Act::Permanent, 20));
        let set_up = |config| Config {
            models: model.models(),
            replan: Replan::Ask,
            ..config
        };
        let first = rig.engine_on(set_up);
        let run = rig.open(&weekly()).await;
        first.approve_as_opened(&run).await.ok();
        first.resume(&run).await.unwrap();
        first.until_left(&run).await.unwrap();
        drop(first);
        let second = rig.engine_on(set_up);
        let shown = second.show(&run, None).await.unwrap();
        assert_eq!(
            shown.decisions[0].kind,
            DecisionKind::Replan,
            "{}",
            states(&shown)
        );
        second.decide(&run, &"d1".into(), answer.clone()).await.unwrap();
        drop(second);
        let third = rig.engine_on(set_up);
        third.resume(&run).await.unwrap();
        third.until_left(&run).await.unwrap();
        assert_eq!(states(&third.show(&run, None).await.unwrap()), end, "{answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_applied_by_itself_is_shown_afterwards() {
    let model = ScriptedModel::default();
    model.on(ASKED, [proposal(&another_way())]);
    let rig = failing(&model, Replan::Auto);
    let run = id(&rig.run(&weekly()).await);
    let view = rig.engine.replan(&run, 1).await.unwrap();
    assert_eq!(
        (view.row.fate, view.row.decision.as_deref()),
        (ReplanFate::Applied, None)
    );
    let changes: Vec<String> = view
        .diff
        .tasks
        .iter()
        .filter(|task| task.change != planloom_engine::views::PlanChange::Kept)
        .map(|task| format!("{} {:?}", task.task, task.change))
        .collect();
    assert_eq!(changes, ["chart Changed", "tidy Added", "clean Removed"]);
    assert!(!view.lines.is_empty() && view.still_after.is_some());
    let nobody = rig.engine.replan(&run, 2).await;
    assert!(matches!(nobody, Err(Error::NotFound { .. })));
}

#[tokio::test(start_paused = true)]
async fn strange_answers_are_refused_with_what_would_be_taken() {
    let model = ScriptedModel::default();
    model.on(ASKED, [proposal(&another_way())]);
    let rig = failing(&model, Replan::Ask);
    let run = id(&rig.run(&weekly()).await);
    for answer in [
        json!({ "accept": [] }),
        json!({ "accept": "all" }),
        json!({ "edit": [] }),
        json!({ "edit": { "tasks": "none" } }),
        json!({ "again": 7 }),
        json!({ "again": "x".repeat(10_000) }),
        json!({ "maybe": true }),
        json!([]),
        json!(null),
    ] {
        let why = refused(&rig.engine, &run, "d1", answer.clone()).await;
        assert!(!why.is_empty(), "{answer}");
    }
    let other = plan(&[with(task("a", "read.do", &[]), json!({}))]);
    let why = refused(&rig.engine, &run, "d1", json!({ "edit": other })).await;
    assert!(!why.is_empty());
}
