//! Rule 8: questions, approvals and grants are durable, bound, and answered once.

use planloom_engine::model::Digest;
use planloom_engine::views::{DecisionKind, RunStatus, TaskStatus};
use planloom_engine::{Consent, Parameters};
use planloom_tests::rig::{Rig, output_of, plan, state_of, states, task, with};
use serde_json::{Value, json};

fn question() -> Value {
    json!({
        "id": "ask", "instruction": "Keep them?", "task_type": "human",
        "form": { "type": "object", "required": ["keep"], "properties": { "keep": { "type": "boolean" } } },
    })
}

#[tokio::test(start_paused = true)]
async fn the_answer_to_a_question_is_the_tasks_output() {
    let rig = Rig::in_memory();
    let run = rig
        .open(&plan(&[
            question(),
            task("b", "read.do", &["ask"]),
            task("c", "read.do", &[]),
        ]))
        .await;
    let shown = rig.go_on(&run).await;
    assert_eq!(states(&shown), "WAITING: ask WAITING, b PENDING, c COMPLETED");
    assert_eq!(shown.decisions[0].question, "Keep them?");
    let wrong = rig
        .engine
        .decide(&run, &"d1".into(), json!({ "keep": "yes" }))
        .await
        .unwrap_err();
    assert_eq!(wrong.code(), "bad_answer");
    assert!(wrong.to_string().contains("/keep"), "{wrong}");
    rig.answer(&run, "d1", json!({ "keep": true })).await;
    assert_eq!(
        rig.show(&run).await.row.status,
        RunStatus::Waiting,
        "decide records and starts nothing"
    );
    let shown = rig.go_on(&run).await;
    assert_eq!(
        states(&shown),
        "SUCCEEDED: ask COMPLETED, b COMPLETED, c COMPLETED"
    );
    assert_eq!(output_of(&shown, "ask"), json!({ "keep": true }));
}

#[tokio::test(start_paused = true)]
async fn a_live_owner_goes_on_by_itself() {
    let rig = Rig::that_stays();
    let run = rig
        .open(&plan(&[question(), task("b", "read.do", &["ask"])]))
        .await;
    rig.engine.resume(&run).await.unwrap();
    rig.until(&run, "ask", TaskStatus::Waiting).await;
    rig.answer(&run, "d1", json!({ "keep": false })).await;
    rig.until(&run, "b", TaskStatus::Completed).await;
}

#[tokio::test(start_paused = true)]
async fn a_task_that_wants_approval_asks_before_it_starts() {
    let rig = Rig::in_memory();
    let plan = plan(&[with(task("a", "effect.do", &[]), json!({ "approval": "before" }))]);
    let run = rig.open(&plan).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(
        (shown.row.status, rig.effect.calls().len()),
        (RunStatus::Waiting, 0)
    );
    assert_eq!(shown.decisions[0].kind, DecisionKind::Approval);
    rig.answer(&run, "d1", json!("approve")).await;
    assert_eq!(states(&rig.go_on(&run).await), "SUCCEEDED: a COMPLETED");
    assert_eq!(rig.effect.calls().len(), 1);

    let run = rig.open(&plan).await;
    rig.go_on(&run).await;
    rig.answer(&run, "d1", json!("reject")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(states(&shown), "BLOCKED: a FAILED");
    assert_eq!(rig.effect.calls().len(), 1, "nothing was sent");
}

#[tokio::test(start_paused = true)]
async fn what_was_not_granted_becomes_a_decision_and_deny_fails_it() {
    let rig = Rig::in_memory();
    std::fs::write(rig.folder().join("secret.txt"), "42").unwrap();
    std::fs::write(rig.folder().join("open.txt"), "1").unwrap();
    let read = json!({
        "id": "read", "instruction": "Read.", "task_type": "tool", "tool": "file.read",
        "inputs": { "path": { "$template": "{{ name }}", "with": { "name": { "$param": "name" } } } },
    });
    let mut plan = plan(&[read]);
    plan["parameters"] = json!({ "name": { "type": "string", "default": "secret.txt" } });
    plan["grants"] = json!({ "read": ["open.txt"] });
    let run = rig.open(&plan).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(
        (shown.row.status, shown.decisions[0].kind),
        (RunStatus::Waiting, DecisionKind::Grant)
    );
    assert!(shown.decisions[0].question.contains("secret.txt"));
    rig.answer(&run, "d1", json!("once")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(output_of(&shown, "read"), json!({ "text": "42" }));

    let run = rig.open(&plan).await;
    rig.go_on(&run).await;
    rig.answer(&run, "d1", json!("deny")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(state_of(&shown, "read"), TaskStatus::Failed);
    assert_eq!(shown.tasks[0].error.as_ref().unwrap().code, "not_granted");
}

#[tokio::test(start_paused = true)]
async fn of_two_approvals_at_once_one_wins_and_the_task_runs_once() {
    let rig = Rig::that_stays();
    let path = rig.write_plan("deploy.plan.json", &plan(&[task("deploy", "effect.do", &[])]));
    let none = Parameters::Json(Value::Null);
    let run = rig.engine.open_run(path, &none, &Consent::Asked).await.unwrap();
    let digest = Digest::parse(&rig.engine.approval(&run).await.unwrap().digest).unwrap();
    let first = "d1".into();
    let (a, b, c) = tokio::join!(
        rig.engine.approve(&run, digest, Value::Null),
        rig.engine.decide(&run, &first, json!("approve")),
        rig.engine.resume(&run),
    );
    assert_eq!(usize::from(a.is_ok()) + usize::from(b.is_ok()), 1, "{a:?} {b:?}");
    drop(c);
    let late = rig
        .engine
        .decide(&run, &"d1".into(), json!("reject"))
        .await
        .unwrap_err();
    assert_eq!(late.code(), "answered");
    rig.engine.resume(&run).await.ok();
    rig.until(&run, "deploy", TaskStatus::Completed).await;
    assert_eq!(rig.effect.calls_of("deploy"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_signature_covers_exactly_what_was_shown() {
    let rig = Rig::in_memory();
    let path = rig.write_plan("p.plan.json", &plan(&[task("a", "read.do", &[])]));
    let draft = rig.engine.open_plan(path).await.unwrap();
    let run = draft.run.as_str().into();
    let shown = Digest::parse(&rig.engine.approval(&run).await.unwrap().digest).unwrap();
    let edit = |field: &str, value: Value| planloom_engine::model::edit::PlanEdit::SetTask {
        id: "a".to_owned(),
        field: field.to_owned(),
        value: Some(value.to_string()),
    };
    let edited = rig
        .engine
        .edit_draft(&run, 1, vec![edit("/instruction", json!("Do more."))])
        .await
        .unwrap();
    assert_eq!(edited.revision, 2);
    let refused = rig.engine.approve(&run, shown, Value::Null).await.unwrap_err();
    assert_eq!(refused.code(), "digest");
    // plan-13: what has changed is named.
    let told = refused.to_string();
    assert!(
        told.contains("`instruction` of the task a. Look at it again"),
        "{told}"
    );
    assert_eq!(rig.read.calls().len(), 0);
    let fresh = Digest::parse(&rig.engine.approval(&run).await.unwrap().digest).unwrap();
    rig.engine.approve(&run, fresh, Value::Null).await.unwrap();
    let late = rig
        .engine
        .edit_draft(&run, 2, vec![edit("/instruction", json!("x"))])
        .await
        .unwrap_err();
    assert_eq!(late.code(), "approved");
}

#[tokio::test(start_paused = true)]
async fn what_is_allowed_for_the_run_settles_the_same_question_of_another_task() {
    let rig = Rig::in_memory();
    std::fs::write(rig.folder().join("both.txt"), "42").unwrap();
    let read = |id: &str| {
        json!({
            "id": id, "instruction": "Read.", "task_type": "tool", "tool": "file.read",
            "inputs": { "path": { "$template": "{{ name }}", "with": { "name": { "$param": "name" } } } },
        })
    };
    let mut plan = plan(&[read("a"), read("b")]);
    plan["parameters"] = json!({ "name": { "type": "string", "default": "both.txt" } });
    plan["grants"] = json!({ "read": ["other.txt"] });
    let run = rig.open(&plan).await;
    assert_eq!(rig.go_on(&run).await.decisions.len(), 2);
    rig.answer(&run, "d1", json!("run")).await;
    assert_eq!(
        states(&rig.go_on(&run).await),
        "SUCCEEDED: a COMPLETED, b COMPLETED"
    );
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_is_defined_otherwise_than_approved_does_not_run() {
    let rig = Rig::on_file();
    let run = rig.open(&plan(&[task("a", "read.do", &[])])).await;
    let later = rig.another_version();
    let refused = later.resume(&run).await.unwrap_err();
    assert_eq!(refused.code(), "definitions");
    assert_eq!(rig.read.calls().len(), 0);
    assert_eq!(
        states(&rig.go_on(&run).await),
        "SUCCEEDED: a COMPLETED",
        "as approved it goes on"
    );
    let run = rig.open(&plan(&[task("b", "read.do", &[])])).await;
    later.cancel(&run).await.unwrap();
    assert_eq!(
        states(&rig.show(&run).await),
        "CANCELLED: b CANCELLED",
        "it can always be ended"
    );
}

/// A fork begins right after the question, before its task waits for it; a person is quicker than the run.
#[tokio::test(start_paused = true)]
async fn an_answer_to_a_question_that_a_fork_has_cut_off_does_not_break_it() {
    let rig = Rig::in_memory();
    let ask =
        json!({ "id": "ask", "instruction": "Well?", "task_type": "human", "form": { "type": "integer" } });
    let parent = rig.run(&plan(&[ask])).await.row.run.as_str().into();
    let story = planloom_tests::rig::story(&rig.engine, &parent).await;
    let asked = story
        .lines()
        .position(|line| line.contains("decision_opened"))
        .unwrap() as u64
        + 1;
    let fork = rig
        .engine
        .fork(&parent, Some(asked), None, planloom_engine::Files::Leave)
        .await
        .unwrap()
        .run;
    rig.engine.approve_as_opened(&fork).await.unwrap();
    rig.answer(&fork, "d1", json!(7)).await;
    let shown = rig.go_on(&fork).await;
    let again = shown.decisions[0].id.clone();
    rig.answer(&fork, &again, json!(8)).await;
    let shown = rig.go_on(&fork).await;
    assert_eq!(states(&shown), "SUCCEEDED: ask COMPLETED");
}
