//! A change of the draft that a planner is asked for: proposed whole, taken whole or piece by piece, refused where the draft
//! has moved on; durable, counted and stopped like a planning.

use std::time::Duration;

use planloom_engine::llm::{Entry, Models, Outcome, Role};
use planloom_engine::model::edit::PlanEdit;
use planloom_engine::model::problem::Code;
use planloom_engine::model::proposal::Standing;
use planloom_engine::model::{Digest, RunId};
use planloom_engine::run::{Clock, PlanRest};
use planloom_engine::views::{DecisionKind, DraftView, RunStatus};
use planloom_engine::{Config, Engine, Error, ProposalShown, ProposalState};
use planloom_tests::models::{NAME, ScriptedModel, cut, fail, late, say, using};
use planloom_tests::rig::{Rig, story};
use serde_json::{Value as Json, json};
use tokio_util::sync::CancellationToken;

use crate::support::*;

const WISH: &str = "Check the tickets before they are summed";

/// Two model tasks; the second has what no planner can say.
fn drawn() -> Json {
    json!({ "version": 1, "goal": GOAL, "tasks": [
        { "id": "fetch", "task_type": "model", "instruction": "Do fetch." },
        { "id": "sum", "task_type": "model", "instruction": "Do sum.", "dependencies": ["fetch"],
          "inputs": { "tickets": { "$from": "fetch" } }, "retry": { "max_attempts": 2 }, "approval": "before" },
    ]})
}

/// The same with a task between the two, and a better fetch.
fn checked() -> Json {
    let reads =
        |from: &str| json!({ "inputs": [{ "name": "tickets", "kind": "task", "value": from, "path": "" }] });
    answer(&[
        task("fetch", &[], json!({ "instruction": "Do fetch well." })),
        task("sum", &["check"], reads("check")),
        task("check", &["fetch"], reads("fetch")),
    ])
}

async fn open(rig: &Rig) -> RunId {
    let path = rig.write_plan("drawn.plan.json", &drawn());
    RunId::from(rig.engine.open_plan(path).await.unwrap().run.as_str())
}

async fn ask(engine: &Engine, run: &RunId) -> PlanRest {
    engine
        .propose_edit(run, WISH, &CancellationToken::new())
        .await
        .unwrap()
}

async fn proposed(engine: &Engine, run: &RunId) -> ProposalShown {
    engine.proposal(run).await.unwrap().unwrap()
}

async fn take(engine: &Engine, run: &RunId, ids: &[&str]) -> Result<DraftView, Error> {
    let revision = engine.draft(run).await.unwrap().revision;
    let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
    engine.take_pieces(run, revision, &ids).await
}

fn ids(shown: &ProposalShown) -> Vec<&str> {
    shown.pieces.iter().map(|piece| piece.piece.id.as_str()).collect()
}

#[tokio::test(start_paused = true)]
#[expect(clippy::too_many_lines, reason = "one story")]
async fn a_change_is_proposed_beside_the_draft_and_taken_piece_by_piece() {
    let rig = Rig::with_models();
    rig.model.on(WISH, [using(say(&checked().to_string()), 700, 90)]);
    let run = open(&rig).await;
    let before = rig.engine.draft(&run).await.unwrap();
    assert_eq!(ask(&rig.engine, &run).await, PlanRest::Planned);
    let after = rig.engine.draft(&run).await.unwrap();
    assert_eq!(
        (after.revision, &after.document),
        (1, &before.document),
        "nothing is changed by asking"
    );
    insta::assert_snapshot!(story(&rig.engine, &run).await, @r"
      1 run_opened
      2 plan_revised
      3 edit_asked
      4 call_started
      5 call_finished
      6 edit_settled
    ");
    let question = last_question(&rig);
    assert!(
        question.contains("The plan as it is") && question.contains("Do sum."),
        "{question}"
    );
    let shown = proposed(&rig.engine, &run).await;
    assert_eq!(shown.state, ProposalState::Proposed);
    assert_eq!(ids(&shown), ["change:fetch", "change:sum", "add:check"]);
    assert_eq!(shown.pieces[1].piece.needs, ["add:check"]);
    assert!(shown.problems.is_empty());
    assert_eq!((shown.spent.input_tokens, shown.spent.output_tokens), (700, 90));
    assert_eq!(
        rig.show(&run).await.row.spent.input_tokens,
        700.0,
        "it counts in the run's ledger"
    );

    let view = take(&rig.engine, &run, &["change:sum"]).await.unwrap();
    let document = document(&rig.engine, &run).await;
    assert_eq!((view.revision, view.tasks.len()), (2, 3));
    assert_eq!(document["tasks"][1]["dependencies"], json!(["check"]));
    assert_eq!(
        document["tasks"][1]["retry"],
        json!({ "max_attempts": 2 }),
        "what it can't say stays"
    );
    assert_eq!(document["tasks"][1]["approval"], "before");
    assert_eq!(
        document["tasks"][0]["instruction"], "Do fetch.",
        "the other piece waits"
    );
    assert_eq!(view.undo_label.as_deref(), Some("Take 2 changes of the proposal"));
    assert_eq!(
        rig.show(&run).await.row.spent.input_tokens,
        700.0,
        "edits forget no cost"
    );
    assert_eq!(rig.engine.undo(&run).await.unwrap().document, before.document);
    rig.engine.redo(&run).await.unwrap();
    take(&rig.engine, &run, &["change:fetch"]).await.unwrap();
    assert!(
        rig.engine.proposal(&run).await.unwrap().is_none(),
        "all of it is taken"
    );
    assert!(errors(&rig.engine, &run).await.is_empty());
    rig.engine.approve_as_opened(&run).await.unwrap();
    assert_eq!(rig.engine.proposal(&run).await.unwrap().map(|p| p.wanted), None);
}

#[tokio::test(start_paused = true)]
async fn what_is_wrong_is_sent_back_and_a_persons_own_problems_are_not() {
    let rig = Rig::with_models();
    let mut wrong = checked();
    wrong["tasks"][2]["dependencies"] = json!(["sum"]);
    rig.model
        .on(WISH, [say(&wrong.to_string()), say(&checked().to_string())]);
    let mut plan = drawn();
    plan["tasks"][0]["inputs"] = json!({ "x": { "$param": "nowhere" } });
    let path = rig.write_plan("broken.plan.json", &plan);
    let run = RunId::from(rig.engine.open_plan(path).await.unwrap().run.as_str());
    assert_eq!(ask(&rig.engine, &run).await, PlanRest::Planned);
    let question = last_question(&rig);
    assert!(question.contains("cycle at"), "{question}");
    assert!(!question.contains("unknown_parameter"), "{question}");
    let shown = proposed(&rig.engine, &run).await;
    assert_eq!((shown.state, shown.calls.len()), (ProposalState::Proposed, 2));
}

#[tokio::test(start_paused = true)]
async fn after_three_corrections_it_is_shown_with_its_problems() {
    let rig = Rig::with_models();
    let mut wrong = checked();
    wrong["tasks"][1]["dependencies"] = json!(["chekc"]);
    let wrong = wrong.to_string();
    rig.model.on(WISH, std::iter::repeat_with(|| say(&wrong)).take(9));
    let run = open(&rig).await;
    assert_eq!(ask(&rig.engine, &run).await, PlanRest::Planned);
    let shown = proposed(&rig.engine, &run).await;
    assert_eq!(
        (shown.state, rig.model.requests().len()),
        (ProposalState::Unmended, 4)
    );
    assert!(shown.problems.iter().any(|p| p.code == Code::UnknownDependency));
    assert!(
        errors(&rig.engine, &run).await.is_empty(),
        "the draft has none of them"
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_no_plan_changes_nothing_and_says_so() {
    for lines in [
        vec![say("I would rather not."), say("No.")],
        vec![cut("{"), cut("{"), cut("{")],
    ] {
        let rig = Rig::with_models();
        rig.model.on(WISH, lines);
        let run = open(&rig).await;
        ask(&rig.engine, &run).await;
        let shown = proposed(&rig.engine, &run).await;
        assert!(shown.pieces.is_empty(), "{:?}", ids(&shown));
        assert!(
            shown.error.is_some() || shown.notes.join(" ").contains("No."),
            "{shown:?}"
        );
        rig.engine.drop_pieces(&run, &[]).await.unwrap();
        assert!(rig.engine.proposal(&run).await.unwrap().is_none());
    }
    let rig = Rig::with_models();
    let run = open(&rig).await;
    let never = CancellationToken::new();
    assert!(rig.engine.propose_edit(&run, "  ", &never).await.is_err());
    let bare = Rig::in_memory();
    let run = open(&bare).await;
    let error = bare.engine.propose_edit(&run, WISH, &never).await.unwrap_err();
    assert!(error.to_string().contains("No model is set up"), "{error}");
    assert!(rig.model.requests().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_person_may_edit_meanwhile_and_nothing_of_theirs_is_written_over() {
    let rig = Rig::with_models();
    rig.model
        .on(WISH, [late(say(&checked().to_string()), Duration::from_secs(5))]);
    let run = open(&rig).await;
    let (engine, asked) = (rig.engine.clone(), run.clone());
    let asking = tokio::spawn(async move { ask(&engine, &asked).await });
    while rig.model.running() == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let again = rig.engine.open_edit(&run, "Something else").await.unwrap_err();
    assert!(again.to_string().contains("already"), "{again}");
    let mine = PlanEdit::SetTask {
        id: "fetch".to_owned(),
        field: "/instruction".to_owned(),
        value: Some("\"My own.\"".to_owned()),
    };
    rig.engine.edit_draft(&run, 1, vec![mine]).await.unwrap();
    assert_eq!(asking.await.unwrap(), PlanRest::Planned);
    let shown = proposed(&rig.engine, &run).await;
    assert!(
        matches!(&shown.pieces[0].standing, Standing::Moved(why) if why.contains("`instruction` of fetch"))
    );
    let refused = take(&rig.engine, &run, &["change:fetch"]).await.unwrap_err();
    assert!(
        matches!(refused, Error::Conflict { code: "moved_on", .. }),
        "{refused}"
    );
    let stale = rig
        .engine
        .take_pieces(&run, 1, &["add:check".to_owned()])
        .await
        .unwrap_err();
    assert!(
        matches!(stale, Error::Conflict { code: "revised", .. }),
        "{stale}"
    );
    take(&rig.engine, &run, &["change:sum"]).await.unwrap();
    assert_eq!(
        document(&rig.engine, &run).await["tasks"][0]["instruction"],
        "My own."
    );
    rig.engine
        .drop_pieces(&run, &["change:fetch".to_owned()])
        .await
        .unwrap();
    assert!(rig.engine.proposal(&run).await.unwrap().is_none());
}

/// What is signed is what was shown, whatever the planner is being asked meanwhile.
#[tokio::test(start_paused = true)]
async fn a_plan_that_is_signed_while_a_change_is_asked_for_is_the_one_that_was_shown() {
    let rig = Rig::with_models();
    rig.model.on(
        WISH,
        [late(say(&checked().to_string()), Duration::from_secs(500))],
    );
    let run = open(&rig).await;
    let seen = rig.engine.approval(&run).await.unwrap();
    let digest = Digest::parse(&seen.digest).unwrap();
    let (engine, asked) = (rig.engine.clone(), run.clone());
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let asking = tokio::spawn(async move { engine.propose_edit(&asked, WISH, &cancel).await });
    while rig.model.running() == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    // Asking changes nothing of what was shown, but one who is asking has the draft: it is stopped first.
    let refused = rig.engine.approve(&run, digest, Json::Null).await.unwrap_err();
    assert_eq!(refused.code(), "planning", "{refused}");
    assert!(rig.engine.draft(&run).await.unwrap().is_draft);
    stop.cancel();
    assert_eq!(asking.await.unwrap().unwrap(), PlanRest::Stopped);
    let (first, second) = tokio::join!(
        rig.engine.approve(&run, digest, Json::Null),
        rig.engine.approve(&run, digest, Json::Null)
    );
    assert!(
        first.is_ok() != second.is_ok(),
        "of two at once, one wins: {first:?} {second:?}"
    );
    assert_eq!(
        document(&rig.engine, &run).await["tasks"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

/// Taken pieces make another plan, which what was shown before does not sign.
#[tokio::test(start_paused = true)]
async fn a_piece_that_is_taken_after_a_person_has_looked_is_not_signed() {
    let rig = Rig::with_models();
    rig.model.on(WISH, [say(&checked().to_string())]);
    let run = open(&rig).await;
    let seen = rig.engine.approval(&run).await.unwrap();
    ask(&rig.engine, &run).await;
    let unchanged = rig.engine.approval(&run).await.unwrap();
    assert_eq!(unchanged.digest, seen.digest, "a proposal lies beside the plan");
    take(&rig.engine, &run, &["change:fetch"]).await.unwrap();
    let digest = Digest::parse(&seen.digest).unwrap();
    let refused = rig.engine.approve(&run, digest, Json::Null).await.unwrap_err();
    assert_eq!(refused.code(), "digest");
    let now = rig.engine.approval(&run).await.unwrap();
    let digest = Digest::parse(&now.digest).unwrap();
    rig.engine.approve(&run, digest, Json::Null).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_is_dropped_takes_what_needs_it_along() {
    let rig = Rig::with_models();
    rig.model.on(WISH, [say(&checked().to_string())]);
    let run = open(&rig).await;
    ask(&rig.engine, &run).await;
    rig.engine
        .drop_pieces(&run, &["add:check".to_owned()])
        .await
        .unwrap();
    let shown = proposed(&rig.engine, &run).await;
    let dropped: Vec<bool> = shown.pieces.iter().map(|piece| piece.is_dropped).collect();
    assert_eq!(dropped, [false, true, true]);
    assert!(
        rig.engine
            .drop_pieces(&run, &["add:nothing".to_owned()])
            .await
            .is_err()
    );
}

#[tokio::test(start_paused = true)]
async fn one_that_is_stopped_leaves_the_draft_and_its_cost_is_not_made_up() {
    let rig = Rig::with_models();
    rig.model.on(WISH, [late(say("late"), Duration::from_secs(500))]);
    let run = open(&rig).await;
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(3)).await;
        stop.cancel();
    });
    let rest = rig.engine.propose_edit(&run, WISH, &cancel).await.unwrap();
    assert_eq!(rest, PlanRest::Stopped);
    assert!(rig.engine.proposal(&run).await.unwrap().is_none());
    let shown = rig.show(&run).await;
    assert_eq!(
        (shown.row.status, shown.row.spent.lost),
        (RunStatus::AwaitingApproval, 1)
    );
    assert_eq!(rig.engine.draft(&run).await.unwrap().revision, 1);
    rig.engine.approve_as_opened(&run).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn after_a_crash_another_process_goes_on_and_asks_nothing_twice() {
    let rig = Rig::on_file_with_models();
    let mut wrong = checked();
    wrong["tasks"][2]["dependencies"] = json!(["sum"]);
    rig.model.on(
        WISH,
        [
            say(&wrong.to_string()),
            late(say("late"), Duration::from_secs(500)),
            say(&checked().to_string()),
        ],
    );
    let run = open(&rig).await;
    let (engine, asked) = (rig.engine.clone(), run.clone());
    let asking = tokio::spawn(async move { ask(&engine, &asked).await });
    while rig.model.requests().len() < 2 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    asking.abort();
    let _ = asking.await;
    let other = rig.another_modelled(Clock::System);
    assert_eq!(proposed(&other, &run).await.state, ProposalState::Open);
    assert_eq!(
        other.edit_on(&run, &CancellationToken::new()).await.unwrap(),
        PlanRest::Planned
    );
    assert_eq!(
        rig.model.requests().len(),
        3,
        "the first answer was not asked for again"
    );
    let shown = proposed(&other, &run).await;
    assert_eq!((shown.state, shown.spent.lost), (ProposalState::Proposed, 1));
}

#[tokio::test(start_paused = true)]
async fn the_plans_cap_holds_and_a_person_is_asked_before_it_is_passed() {
    let model = ScriptedModel::default();
    let models = Models::none()
        .with(Entry::new(NAME, std::sync::Arc::new(model.clone())))
        .with_role(Role::Planner, &[NAME]);
    let rig = Rig::set_up(|config| Config { models, ..config });
    model.on(WISH, [fail(Outcome::Transient), say(&checked().to_string())]);
    let mut plan = drawn();
    plan["budget"] = json!({ "tokens": 10 });
    let path = rig.write_plan("capped.plan.json", &plan);
    let run = RunId::from(rig.engine.open_plan(path).await.unwrap().run.as_str());
    assert_eq!(ask(&rig.engine, &run).await, PlanRest::Asks);
    assert!(model.requests().is_empty());
    let asked = rig.show(&run).await.decisions.remove(0);
    assert_eq!(asked.kind, DecisionKind::Budget);
    rig.answer(&run, &asked.id, json!({ "raise": { "tokens": 900_000 } }))
        .await;
    let rest = rig.engine.edit_on(&run, &CancellationToken::new()).await.unwrap();
    assert_eq!(
        (rest, model.requests().len()),
        (PlanRest::Planned, 2),
        "what passes by itself is asked again"
    );
    assert_eq!(ids(&proposed(&rig.engine, &run).await).len(), 3);
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_told_while_it_grows_and_is_in_the_log_only_when_it_is_whole() {
    let rig = Rig::with_models();
    rig.model
        .on(WISH, [late(say(&checked().to_string()), Duration::from_secs(5))]);
    let run = open(&rig).await;
    let mut grown = rig.engine.watch_answer(&run);
    // One that never looks holds nobody up.
    let _deaf = rig.engine.watch_answer(&run);
    let (engine, asked) = (rig.engine.clone(), run.clone());
    let asking = tokio::spawn(async move { ask(&engine, &asked).await });
    while grown.borrow_and_update().total == 0 {
        grown.changed().await.unwrap();
    }
    let told = grown.borrow().clone();
    assert_eq!(told.since(0), (checked().to_string().as_str(), true));
    assert!(
        story(&rig.engine, &run)
            .await
            .trim_end()
            .ends_with("4 call_started")
    );
    assert_eq!(asking.await.unwrap(), PlanRest::Planned);
    assert_eq!(grown.borrow().answer, 1);
}
