//! Versions of a plan: listed, named, compared, gone back to. What is laid on a draft holds in its run.

use planloom_engine::Engine;
use planloom_engine::model::edit::PlanEdit;
use planloom_engine::model::problem::{Code, Severity};
use planloom_engine::model::{DecisionId, Digest, RunId};
use planloom_engine::views::{BreakpointView, DraftView, PlanChange, RevisedHow, RunStatus};
use planloom_tests::rig::{Rig, granting, output_of, plan, states, task, with};
use serde_json::{Value, json};

fn chain() -> Value {
    let reading = |id: &str, from: &str| {
        let reads = json!({ "inputs": { "value": { "$from": from } } });
        with(task(id, "echo", &[from]), reads)
    };
    plan(&[task("a", "read.do", &[]), reading("b", "a"), reading("c", "b")])
}

async fn opened(rig: &Rig, document: &Value) -> DraftView {
    let path = rig.write_plan("draft.plan.json", document);
    rig.engine.open_plan(path).await.unwrap()
}

async fn edited(engine: &Engine, view: &DraftView, edits: Vec<PlanEdit>) -> DraftView {
    engine.edit_draft(&id(view), view.revision, edits).await.unwrap()
}

fn id(view: &DraftView) -> RunId {
    view.run.as_str().into()
}

fn titled(id: &str, title: &str) -> PlanEdit {
    PlanEdit::SetTask {
        id: id.to_owned(),
        field: "/title".to_owned(),
        value: Some(format!("\"{title}\"")),
    }
}

fn renamed(id: &str, to: &str) -> PlanEdit {
    let (id, to) = (id.to_owned(), to.to_owned());
    PlanEdit::RenameTask { id, to }
}

async fn approve(rig: &Rig, run: &RunId) {
    let digest = rig.engine.approval(run).await.unwrap().digest;
    let digest = Digest::parse(&digest).unwrap();
    rig.engine.approve(run, digest, Value::Null).await.unwrap();
}

async fn told(rig: &Rig, run: &RunId) -> Vec<String> {
    let all = rig.engine.revisions(run).await.unwrap().revisions;
    let line = |r: planloom_engine::views::RevisionView| {
        let name = r.name.map_or(String::new(), |name| format!(" “{name}”"));
        format!("{} {:?}{name}", r.revision, r.how)
    };
    all.into_iter().map(line).collect()
}

#[tokio::test(start_paused = true)]
async fn every_version_is_listed_named_and_looked_at_and_nothing_of_it_is_lost() {
    let rig = Rig::in_memory();
    let first = opened(&rig, &chain()).await;
    let run = id(&first);
    let second = edited(&rig.engine, &first, vec![titled("a", "Fetch")]).await;
    let third = edited(
        &rig.engine,
        &second,
        vec![PlanEdit::RemoveTasks {
            ids: vec!["c".to_owned()],
        }],
    )
    .await;
    rig.engine
        .name_revision(&run, 2, Some("  Before the cut ".to_owned()))
        .await
        .unwrap();
    rig.engine.undo(&run).await.unwrap();
    assert_eq!(
        told(&rig, &run).await,
        ["4 Undo", "3 Edit", "2 Edit “Before the cut”", "1 Document"]
    );

    let past = rig.engine.draft_at(&run, 3).await.unwrap();
    assert_eq!(
        (past.document, past.is_draft, past.can_undo),
        (third.document.clone(), false, false)
    );
    assert_eq!(rig.engine.draft(&run).await.unwrap().document, second.document);

    // Back to a version by one more edit, which is undone like any other.
    let back = rig.engine.restore_revision(&run, 3).await.unwrap();
    assert_eq!((back.revision, &back.document), (5, &third.document));
    assert_eq!(back.undo_label.as_deref(), Some("Go back to revision 3"));
    assert_eq!(rig.engine.undo(&run).await.unwrap().document, second.document);
    let same = rig.engine.restore_revision(&run, 2).await.unwrap();
    assert_eq!(same.revision, 6, "it is that already");

    rig.engine.name_revision(&run, 2, None).await.unwrap();
    assert!(told(&rig, &run).await.iter().all(|line| !line.contains('“')));
}

#[tokio::test(start_paused = true)]
async fn a_difference_is_told_by_task_and_field() {
    let rig = Rig::in_memory();
    let first = opened(&rig, &chain()).await;
    let run = id(&first);
    let edits = vec![
        titled("b", "Pass on"),
        PlanEdit::RemoveTasks {
            ids: vec!["c".to_owned()],
        },
    ];
    edited(&rig.engine, &first, edits).await;
    let found = rig.engine.diff(&run, 1, 2).await.unwrap();
    let tasks: Vec<_> = found.tasks.iter().map(|t| (t.task.as_str(), t.change)).collect();
    let expected = [
        ("a", PlanChange::Kept),
        ("b", PlanChange::Changed),
        ("c", PlanChange::Removed),
    ];
    assert_eq!(tasks, expected);
    assert_eq!(found.tasks[1].fields[0].pointer, "/title");
    assert_eq!(found.edges.len(), 1);
    let back = rig.engine.diff(&run, 2, 1).await.unwrap();
    assert_eq!(back.tasks[2].change, PlanChange::Added);
    assert!(rig.engine.diff(&run, 2, 2).await.unwrap().edges.is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_is_not_there_or_not_a_name_is_refused_and_changes_nothing() {
    let rig = Rig::in_memory();
    let first = opened(&rig, &chain()).await;
    let run = id(&first);
    let code = |answer: Result<(), planloom_engine::Error>| answer.unwrap_err().code();
    let engine = &rig.engine;
    assert_eq!(
        code(engine.name_revision(&run, 9, Some("x".to_owned())).await),
        "not_found"
    );
    assert_eq!(
        code(engine.name_revision(&run, 1, Some("x".repeat(81))).await),
        "long_name"
    );
    assert_eq!(
        code(engine.name_revision(&run, 1, Some("a\nb".to_owned())).await),
        "bad_name"
    );
    assert_eq!(
        code(engine.restore_revision(&run, 9).await.map(drop)),
        "not_found"
    );
    assert_eq!(code(engine.diff(&run, 0, 1).await.map(drop)), "not_found");
    assert_eq!(told(&rig, &run).await, ["1 Document"]);
}

#[tokio::test(start_paused = true)]
async fn a_run_keeps_its_versions_and_may_name_them_but_not_go_back() {
    let rig = Rig::in_memory();
    let first = opened(&rig, &chain()).await;
    let run = id(&first);
    edited(&rig.engine, &first, vec![titled("a", "Fetch")]).await;
    approve(&rig, &run).await;
    rig.engine.until_left(&run).await.unwrap();
    rig.engine
        .name_revision(&run, 1, Some("Began".to_owned()))
        .await
        .unwrap();
    let all = rig.engine.revisions(&run).await.unwrap().revisions;
    assert_eq!(all.iter().map(|r| r.is_signed).collect::<Vec<_>>(), [true, false]);
    assert_eq!(
        (all[1].how, all[1].name.as_deref()),
        (RevisedHow::Document, Some("Began"))
    );
    assert_eq!(
        rig.engine.restore_revision(&run, 1).await.unwrap_err().code(),
        "approved"
    );
    assert_eq!(rig.show(&run).await.row.status, RunStatus::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn what_is_laid_on_a_draft_holds_in_its_run() {
    let rig = Rig::in_memory();
    let first = opened(&rig, &chain()).await;
    let run = id(&first);
    let engine = &rig.engine;
    engine
        .hold(&run, "a", Some(json!({ "rows": [1] })))
        .await
        .unwrap();
    let view = engine
        .break_at(&run, "c", Some(BreakpointView::Before))
        .await
        .unwrap();
    assert_eq!(view.revision, 1, "the plan is as it was");
    assert!(view.tasks[0].pinned && view.tasks[2].breakpoint == Some(BreakpointView::Before));
    assert_eq!(
        engine.held_output(&run, "a").await.unwrap().as_deref(),
        Some(r#"{"rows":[1]}"#)
    );

    approve(&rig, &run).await;
    engine.until_left(&run).await.unwrap();
    let shown = rig.show(&run).await;
    assert_eq!(states(&shown), "PAUSED: a COMPLETED, b COMPLETED, c READY");
    assert_eq!(rig.read.calls_of("a"), 0);
    assert_eq!(output_of(&shown, "b"), json!({ "rows": [1] }));
    assert_eq!(rig.go_on(&run).await.row.status, RunStatus::Succeeded);
    assert_eq!(engine.hold(&run, "a", None).await.unwrap_err().code(), "approved");
}

#[tokio::test(start_paused = true)]
async fn what_is_laid_after_a_person_has_looked_is_not_signed() {
    let rig = Rig::in_memory();
    let first = opened(&rig, &chain()).await;
    let run = id(&first);
    let seen = Digest::parse(&rig.engine.approval(&run).await.unwrap().digest).unwrap();
    rig.engine.hold(&run, "a", Some(json!(1))).await.unwrap();
    let refused = rig.engine.approve(&run, seen, Value::Null).await.unwrap_err();
    assert_eq!(refused.code(), "digest");
    assert!(
        refused
            .to_string()
            .contains("what is pinned on the plan, or where it stops, has changed"),
        "{refused}"
    );
    approve(&rig, &run).await;
    rig.engine.until_left(&run).await.unwrap();
    assert_eq!(rig.show(&run).await.row.status, RunStatus::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn an_approval_that_was_asked_for_covers_what_was_laid_then_and_is_asked_anew_after_a_change() {
    let rig = Rig::in_memory();
    let first = opened(&rig, &chain()).await;
    let run = id(&first);
    let say_yes = async |decision: &str| {
        let decision = DecisionId::from(decision);
        rig.engine.decide(&run, &decision, json!("approve")).await
    };
    let open = async || {
        let shown = rig.show(&run).await;
        let ids = shown.decisions.iter().map(|asked| asked.id.clone());
        ids.collect::<Vec<_>>()
    };
    rig.engine.ask_approval(&run).await.unwrap();
    rig.engine.ask_approval(&run).await.unwrap();
    assert_eq!(open().await, ["d1"], "the same is asked once");
    rig.engine.hold(&run, "a", Some(json!(1))).await.unwrap();
    assert_eq!(say_yes("d1").await.unwrap_err().code(), "digest");
    rig.engine.ask_approval(&run).await.unwrap();
    assert_eq!(open().await, ["d2"]);
    let view = rig.engine.draft(&run).await.unwrap();
    let otherwise = PlanEdit::SetTask {
        id: "b".to_owned(),
        field: "/instruction".to_owned(),
        value: Some(r#""Otherwise.""#.to_owned()),
    };
    edited(&rig.engine, &view, vec![otherwise]).await;
    let refused = say_yes("d2").await.unwrap_err();
    assert_eq!(refused.code(), "digest");
    assert!(
        refused.to_string().contains("`instruction` of the task b"),
        "{refused}"
    );
    rig.engine.ask_approval(&run).await.unwrap();
    assert_eq!(open().await, ["d3"]);
    say_yes("d3").await.unwrap();
    rig.go_on(&run).await;
    assert_eq!(rig.read.calls_of("a"), 0, "what was pinned then holds");
    assert_eq!(rig.show(&run).await.row.status, RunStatus::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn what_is_laid_goes_with_a_task_that_is_renamed_and_comes_back_with_an_undo() {
    let rig = Rig::in_memory();
    // A draft with errors can be laid upon like any other.
    let first = opened(&rig, &plan(&[task("a", "read.do", &["nobody"])])).await;
    let run = id(&first);
    rig.engine.hold(&run, "a", Some(json!(1))).await.unwrap();
    rig.engine
        .break_at(&run, "a", Some(BreakpointView::Both))
        .await
        .unwrap();
    let view = rig.engine.draft(&run).await.unwrap();
    let laid = |view: &DraftView| {
        (
            view.tasks[0].id.clone(),
            view.tasks[0].pinned,
            view.tasks[0].breakpoint,
        )
    };
    let view = edited(&rig.engine, &view, vec![renamed("a", "b")]).await;
    assert_eq!(laid(&view), ("b".to_owned(), true, Some(BreakpointView::Both)));
    let view = rig.engine.undo(&run).await.unwrap();
    assert_eq!(laid(&view), ("a".to_owned(), true, Some(BreakpointView::Both)));
    rig.engine.break_at(&run, "a", None).await.unwrap();
    let view = rig.engine.hold(&run, "a", None).await.unwrap();
    assert_eq!(laid(&view), ("a".to_owned(), false, None));
    let no = rig.engine.hold(&run, "nobody", Some(json!(1))).await;
    assert_eq!(no.unwrap_err().code(), "not_found");
}

#[tokio::test(start_paused = true)]
async fn a_held_value_must_fit_what_the_task_promises() {
    let rig = Rig::in_memory();
    let typed = with(
        task("a", "read.do", &[]),
        json!({ "output_schema": { "type": "object" } }),
    );
    let first = opened(&rig, &plan(&[typed])).await;
    let wrong = rig
        .engine
        .hold(&id(&first), "a", Some(json!(3)))
        .await
        .unwrap_err();
    assert_eq!(wrong.code(), "bad_output");
    assert!(!rig.engine.draft(&id(&first)).await.unwrap().tasks[0].pinned);
}

#[tokio::test(start_paused = true)]
async fn one_task_is_tried_with_what_the_last_run_gave() {
    let rig = Rig::in_memory();
    let first = opened(&rig, &chain()).await;
    let run = id(&first);
    assert!(rig.engine.last_output(&run, "a").await.unwrap().is_none());
    approve(&rig, &run).await;
    rig.engine.until_left(&run).await.unwrap();

    // Another draft of the same plan sees what the run gave.
    let draft = rig.engine.draft_from_run(&run).await.unwrap();
    let last = rig.engine.last_output(&id(&draft), "b").await.unwrap().unwrap();
    assert_eq!(
        (last.run.as_str(), last.json.as_deref()),
        (run.as_str(), Some("\"a\""))
    );

    let lacking = rig.engine.try_task(&id(&draft), "c", json!({})).await;
    assert_eq!(lacking.unwrap_err().code(), "missing_input");
    let tried = rig
        .engine
        .try_task(&id(&draft), "c", json!({ "b": "given" }))
        .await
        .unwrap();
    let view = rig.engine.draft(&tried).await.unwrap();
    let ids: Vec<_> = view.tasks.iter().map(|t| (t.id.as_str(), t.pinned)).collect();
    assert_eq!(ids, [("b", true), ("c", false)]);
    assert!(view.is_draft, "nothing runs before it is approved");
    approve(&rig, &tried).await;
    rig.engine.until_left(&tried).await.unwrap();
    let shown = rig.show(&tried).await;
    assert_eq!(output_of(&shown, "c"), json!("given"));
    assert_eq!(rig.read.calls_of("a"), 1, "only the whole run has called it");
    // What was given by hand is no real output of the task.
    let last = rig.engine.last_output(&id(&draft), "b").await.unwrap().unwrap();
    assert_eq!(last.run, run.as_str());
}

#[tokio::test(start_paused = true)]
async fn foreign_text_stays_foreign_when_a_task_is_tried_with_it() {
    let rig = Rig::in_memory();
    let reads = json!({ "inputs": { "id": { "$from": "web" } } });
    let first = opened(
        &rig,
        &granting(
            &["web"],
            &[
                task("web", "outside.do", &[]),
                with(task("send", "effect.do", &["web"]), reads),
            ],
        ),
    )
    .await;
    let run = id(&first);
    approve(&rig, &run).await;
    rig.engine.until_left(&run).await.unwrap();
    let last = rig.engine.last_output(&run, "web").await.unwrap().unwrap();
    assert!(last.is_untrusted);
    let given: Value = serde_json::from_str(&last.json.unwrap()).unwrap();
    let tried = rig
        .engine
        .try_task(&run, "send", json!({ "web": given }))
        .await
        .unwrap();
    approve(&rig, &tried).await;
    rig.engine.until_left(&tried).await.unwrap();
    let shown = rig.show(&tried).await;
    assert_eq!(shown.decisions.len(), 1, "a person is asked before it leaves");
    assert_eq!(rig.effect.order().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_new_draft_of_a_run_has_its_pins_and_breakpoints_too() {
    let rig = Rig::in_memory();
    let first = opened(&rig, &chain()).await;
    let run = id(&first);
    // Long enough to lie outside of the event.
    let long = json!({ "rows": ["x".repeat(10_000)] });
    rig.engine.hold(&run, "a", Some(long.clone())).await.unwrap();
    let stop = Some(BreakpointView::After);
    rig.engine.break_at(&run, "b", stop).await.unwrap();
    approve(&rig, &run).await;
    rig.engine.until_left(&run).await.unwrap();

    let copy = rig.engine.draft_from_run(&run).await.unwrap();
    assert!(copy.is_draft && copy.tasks[0].pinned && copy.tasks[1].breakpoint == stop);
    let held = rig.engine.held_output(&id(&copy), "a").await.unwrap().unwrap();
    assert_eq!(serde_json::from_str::<Value>(&held).unwrap(), long);
    // It is the copy's own: letting go of it changes nothing elsewhere, also when the run it came from is gone.
    rig.engine.delete_run(&run).await.unwrap();
    approve(&rig, &id(&copy)).await;
    rig.engine.until_left(&id(&copy)).await.unwrap();
    let shown = rig.show(&id(&copy)).await;
    assert_eq!(states(&shown), "PAUSED: a COMPLETED, b COMPLETED, c PENDING");
    assert_eq!((rig.read.calls_of("a"), output_of(&shown, "b")), (0, long));
}

#[tokio::test(start_paused = true)]
async fn a_held_output_that_fits_no_more_is_a_problem_that_letting_go_mends() {
    let rig = Rig::in_memory();
    let first = opened(&rig, &chain()).await;
    let run = id(&first);
    let view = rig
        .engine
        .hold(&run, "a", Some(json!({ "rows": [1] })))
        .await
        .unwrap();
    assert_eq!(view.problems, []);
    let asks = |schema: &Value| PlanEdit::SetTask {
        id: "a".to_owned(),
        field: "/output_schema".to_owned(),
        value: Some(schema.to_string()),
    };
    let fitting = edited(&rig.engine, &view, vec![asks(&json!({ "required": ["rows"] }))]).await;
    assert_eq!(fitting.problems, []);
    let view = edited(
        &rig.engine,
        &fitting,
        vec![asks(&json!({ "required": ["total"] }))],
    )
    .await;
    let [problem] = &view.problems[..] else {
        panic!("{:?}", view.problems)
    };
    assert_eq!(
        (problem.code, problem.severity),
        (Code::HeldOutput, Severity::Error)
    );
    assert_eq!(problem.pointer, "/tasks/0/output_schema");
    assert!(
        problem.message.contains("\"total\" is a required property"),
        "{}",
        problem.message
    );
    assert_eq!(problem.fix.as_ref().unwrap().unpins.as_deref(), Some("a"));
    // Nobody signs it so, whatever way they come.
    assert_eq!(rig.engine.approval(&run).await.unwrap().problems.len(), 1);
    let refused = rig.engine.approve_as_opened(&run).await.unwrap_err();
    assert_eq!(refused.code(), "problems");
    let view = rig.engine.hold(&run, "a", None).await.unwrap();
    assert_eq!(view.problems, []);
    approve(&rig, &run).await;
}
