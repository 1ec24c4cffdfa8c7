//! Undo over edits, pins and breakpoints alike, in the order of time, read off the log.

use planloom_engine::Engine;
use planloom_engine::model::RunId;
use planloom_engine::model::edit::PlanEdit;
use planloom_engine::views::{BreakpointView, DraftView};
use planloom_tests::rig::{Rig, plan, task};
use serde_json::json;

fn id(view: &DraftView) -> RunId {
    view.run.as_str().into()
}

async fn titled(engine: &Engine, view: &DraftView, title: &str) {
    let edit = PlanEdit::SetTask {
        id: "a".to_owned(),
        field: "/title".to_owned(),
        value: Some(format!("\"{title}\"")),
    };
    engine
        .edit_draft(&id(view), view.revision, vec![edit])
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn undo_takes_back_what_was_laid_in_its_turn_also_after_a_restart() {
    let rig = Rig::on_file();
    let path = rig.write_plan(
        "draft.plan.json",
        &plan(&[task("a", "read.do", &[]), task("b", "read.do", &["a"])]),
    );
    let first = rig.engine.open_plan(path).await.unwrap();
    let run = id(&first);
    titled(&rig.engine, &first, "One").await;
    rig.engine
        .break_at(&run, "a", Some(BreakpointView::Before))
        .await
        .unwrap();
    let view = rig.engine.hold(&run, "a", Some(json!([1]))).await.unwrap();
    titled(&rig.engine, &view, "Two").await;
    let view = rig.engine.hold(&run, "a", Some(json!([2]))).await.unwrap();
    let again = rig.engine.hold(&run, "a", Some(json!([2]))).await.unwrap();
    assert_eq!(view.undo_label, again.undo_label, "the same again is no step");

    let engine = rig.another();
    let mut seen = Vec::new();
    while engine.draft(&run).await.unwrap().can_undo {
        let view = engine.undo(&run).await.unwrap();
        let held = engine.held_output(&run, "a").await.unwrap();
        seen.push(format!(
            "{} {held:?} {:?}",
            view.tasks[0].title, view.tasks[0].breakpoint
        ));
    }
    assert_eq!(
        seen,
        [
            "Two Some(\"[1]\") Some(Before)",
            "One Some(\"[1]\") Some(Before)",
            "One None Some(Before)",
            "One None None",
            "a None None",
        ]
    );
    // And forth again, from a log that is read anew in between.
    for _ in 0..4 {
        engine.redo(&run).await.unwrap();
    }
    let engine = rig.another();
    let view = engine.redo(&run).await.unwrap();
    assert_eq!(
        engine.held_output(&run, "a").await.unwrap().as_deref(),
        Some("[2]")
    );
    assert!(!view.can_redo);

    // A step of its own ends what could be done again.
    engine.undo(&run).await.unwrap();
    let view = engine
        .break_at(&run, "b", Some(BreakpointView::After))
        .await
        .unwrap();
    assert!(!view.can_redo);
    assert_eq!(view.undo_label.as_deref(), Some("Set the breakpoint of b"));
}
