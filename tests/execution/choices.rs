//! What a person switches off when they sign, and the ways of foreign text that they let go: kept to by the run, whatever
//! restarts in between. And what is told before the signature: what is new, and when each task would run.

use planloom_engine::model::conditions::{Choices, FlowChoice};
use planloom_engine::model::edit::PlanEdit;
use planloom_engine::model::grants::Withheld;
use planloom_engine::model::tool::Access;
use planloom_engine::model::{Digest, Json, RunId};
use planloom_engine::views::{DecisionKind, RunStatus, TaskStatus};
use planloom_engine::{Consent, Error, Files, Parameters};
use planloom_tests::models::{call, say};
use planloom_tests::rig::{Rig, agent, granting, plan, state_of, states, task, with};
use serde_json::json;

async fn draft(rig: &Rig, plan: &Json) -> RunId {
    let path = rig.write_plan("choices.plan.json", plan);
    let none = Parameters::Json(Json::Null);
    rig.engine.open_run(path, &none, &Consent::Asked).await.unwrap()
}

async fn sign(rig: &Rig, run: &RunId, choices: &Choices) -> Result<(), Error> {
    let digest = Digest::parse(&rig.engine.approval(run).await?.digest).unwrap();
    rig.engine.approve_with(run, digest, Json::Null, choices).await
}

fn off(names: &[&str]) -> Choices {
    let row = |name: &&str| Withheld {
        access: Access::Command,
        resource: (*name).to_owned(),
        method: None,
    };
    Choices {
        off: names.iter().map(row).collect(),
        flows: Vec::new(),
    }
}

fn chain() -> Json {
    plan(&[
        task("a", "read.do", &[]),
        task("b", "effect.do", &["a"]),
        task("c", "read.do", &["b"]),
        task("free", "read.do", &[]),
    ])
}

#[tokio::test(start_paused = true)]
async fn what_is_switched_off_is_left_out_with_all_behind_it() {
    let rig = Rig::on_file();
    let run = draft(&rig, &chain()).await;
    let told = rig.engine.weigh(&run, &off(&["b"])).await.unwrap();
    let rows: Vec<_> = told
        .left_out
        .iter()
        .map(|l| (l.task.as_str(), l.after.as_deref()))
        .collect();
    assert_eq!(rows, [("b", None), ("c", Some("b"))]);
    assert_eq!(told.refusal, None);
    sign(&rig, &run, &off(&["b"])).await.unwrap();
    rig.engine.until_left(&run).await.unwrap();
    let shown = rig.show(&run).await;
    assert_eq!(
        states(&shown),
        "SUCCEEDED: a COMPLETED, b SKIPPED, c SKIPPED, free COMPLETED"
    );
    assert_eq!(rig.effect.calls().len(), 0);
}

/// It belongs to the signature: another process reads the same, and a fork that is signed without a word keeps it.
#[tokio::test(start_paused = true)]
async fn what_is_switched_off_stays_off_in_a_fork_and_another_process() {
    let rig = Rig::on_file();
    let run = draft(&rig, &chain()).await;
    sign(&rig, &run, &off(&["b"])).await.unwrap();
    rig.engine.until_left(&run).await.unwrap();
    // Opened, its plan, the question, the answer, and the signature.
    let fork = rig
        .engine
        .fork(&run, Some(5), None, Files::Leave)
        .await
        .unwrap()
        .run;
    assert_eq!(rig.engine.approval(&fork).await.unwrap().off, off(&["b"]).off);
    rig.engine.approve_as_opened(&fork).await.unwrap();
    let again = rig.another();
    again.resume(&fork).await.unwrap();
    again.until_left(&fork).await.unwrap();
    let shown = again.show(&fork, None).await.unwrap();
    assert_eq!(
        (state_of(&shown, "b"), state_of(&shown, "free")),
        (TaskStatus::Skipped, TaskStatus::Completed)
    );
    again.close().await;
    assert_eq!(rig.effect.calls().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn choices_that_leave_nothing_or_name_nothing_are_refused() {
    let rig = Rig::in_memory();
    let run = draft(&rig, &chain()).await;
    let all = off(&["a", "free"]);
    assert!(rig.engine.weigh(&run, &all).await.unwrap().refusal.is_some());
    for choices in [all, off(&["nothing"])] {
        let refused = sign(&rig, &run, &choices).await.unwrap_err();
        assert_eq!(refused.code(), "choices", "{refused}");
    }
    let nowhere = Choices {
        flows: vec![FlowChoice {
            source: "a".into(),
            sink: "b".into(),
            ask: false,
        }],
        ..Choices::default()
    };
    assert_eq!(sign(&rig, &run, &nowhere).await.unwrap_err().code(), "choices");
    assert_eq!(rig.show(&run).await.row.status, RunStatus::AwaitingApproval);
    assert_eq!(rig.read.calls().len(), 0);
}

/// Nobody is asked about it: the person has said no already.
#[tokio::test(start_paused = true)]
async fn an_agent_goes_on_without_what_is_switched_off() {
    let rig = Rig::with_models();
    rig.model.on(
        "Work on w.",
        [
            call(&[("effect.do", json!({ "id": "a" }))]),
            call(&[("effect.do", json!({ "id": "b" }))]),
            say("done"),
        ],
    );
    let run = draft(&rig, &granting(&["a", "b"], &[agent("w", &["effect.do"])])).await;
    assert_eq!(
        rig.engine.weigh(&run, &off(&["a"])).await.unwrap().left_out.len(),
        0
    );
    sign(&rig, &run, &off(&["a"])).await.unwrap();
    rig.engine.until_left(&run).await.unwrap();
    let shown = rig.show(&run).await;
    assert_eq!(states(&shown), "SUCCEEDED: w COMPLETED");
    assert_eq!((rig.effect.calls_of("a"), rig.effect.calls_of("b")), (0, 1));
    assert!(shown.decisions.is_empty());
}

fn sending(after: &[&str]) -> Json {
    let inputs: Vec<(String, Json)> = after
        .iter()
        .map(|id| ((*id).to_owned(), json!({ "$from": id })))
        .collect();
    let mut inputs: serde_json::Map<String, Json> = inputs.into_iter().collect();
    inputs.insert("id".to_owned(), json!("send"));
    with(task("send", "effect.do", after), json!({ "inputs": inputs }))
}

#[tokio::test(start_paused = true)]
async fn a_way_that_is_let_go_is_not_asked_about_and_no_other() {
    let (page, other) = (task("page", "outside.do", &[]), task("other", "outside.do", &[]));
    let one = plan(&[page.clone(), sending(&["page"])]);
    let two = plan(&[page, other, sending(&["page", "other"])]);
    // Of two ways only one is let go: the other one is asked about.
    for (plan, ask, calls) in [(&one, false, 1), (&one, true, 0), (&two, false, 0)] {
        let choices = Choices {
            flows: vec![FlowChoice {
                source: "page".into(),
                sink: "send".into(),
                ask,
            }],
            ..Choices::default()
        };
        let rig = Rig::in_memory();
        let run = draft(&rig, plan).await;
        sign(&rig, &run, &choices).await.unwrap();
        rig.engine.until_left(&run).await.unwrap();
        let shown = rig.show(&run).await;
        assert_eq!(rig.effect.calls().len(), calls, "{ask}: {}", states(&shown));
        let is_asked = shown
            .decisions
            .iter()
            .any(|decision| decision.kind == DecisionKind::Effect);
        assert_eq!(is_asked, calls == 0);
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_new_since_the_last_approval_is_told() {
    let rig = Rig::in_memory();
    let run = draft(&rig, &chain()).await;
    assert!(rig.engine.approval(&run).await.unwrap().since_last.is_none());
    sign(&rig, &run, &Choices::default()).await.unwrap();
    rig.engine.until_left(&run).await.unwrap();

    let mut more = chain();
    more["tasks"]
        .as_array_mut()
        .unwrap()
        .push(task("d", "effect.do", &["c"]));
    let next = draft(&rig, &more).await;
    let since = rig.engine.approval(&next).await.unwrap().since_last.unwrap();
    assert_eq!((since.run, since.revision), (run.to_string(), 1));
    assert_eq!(since.tasks, ["d"]);
    let needs: Vec<_> = since.needs.iter().map(|need| need.resource.as_str()).collect();
    assert_eq!(needs, ["d"]);
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_calls_nothing_and_tells_what_it_does_not_know() {
    let rig = Rig::in_memory();
    let run = draft(&rig, &chain()).await;
    let told = rig.engine.dry_run(&run, &Json::Null, &[]).await.unwrap();
    assert_eq!((told.tasks.len(), told.lanes), (4, 2));
    assert_eq!(told.untimed.len(), 4);
    assert!(
        told.tasks
            .iter()
            .all(|task| task.is_assumed && task.end.high.is_none())
    );
    assert_eq!(rig.read.calls().len() + rig.effect.calls().len(), 0);
    // A plan with errors has no schedule.
    let path = rig.write_plan("wrong.plan.json", &chain());
    let wrong = rig.engine.open_plan(path).await.unwrap();
    let edit = PlanEdit::SetTask {
        id: "a".into(),
        field: "/tool".into(),
        value: Some("\"nobody.do\"".into()),
    };
    let id = RunId::from(wrong.run.as_str());
    rig.engine
        .edit_draft(&id, wrong.revision, vec![edit])
        .await
        .unwrap();
    assert!(rig.engine.dry_run(&id, &Json::Null, &[]).await.is_err());
    assert!(rig.engine.estimate_view(&id).await.unwrap().is_none());
}

/// What is switched off costs nothing and takes no time: the estimate and the schedule are those of what is left.
#[tokio::test(start_paused = true)]
async fn the_estimate_and_the_schedule_are_of_what_would_run() {
    let rig = Rig::on_file();
    let run = draft(&rig, &chain()).await;
    let whole = rig.engine.approval(&run).await.unwrap().estimate.unwrap();
    let ids = |tasks: &[planloom_engine::views::TaskEstimateView]| {
        tasks.iter().map(|t| t.task.clone()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&whole.tasks), ["a", "b", "c", "free"]);
    assert_eq!(whole.critical, ["a", "b", "c"]);
    let told = rig.engine.weigh(&run, &off(&["b"])).await.unwrap();
    assert_eq!(ids(&told.estimate.tasks), ["a", "free"]);
    assert_eq!(told.estimate.critical.len(), 1);
    assert_eq!(told.estimate.untimed, ["a", "free"]);
    let dry = rig
        .engine
        .dry_run(&run, &Json::Null, &off(&["b"]).off)
        .await
        .unwrap();
    let drawn: Vec<_> = dry.tasks.iter().map(|t| t.task.as_str()).collect();
    assert_eq!(
        (drawn, dry.left_out),
        (vec!["a", "free"], vec!["b".to_owned(), "c".to_owned()])
    );
    // What the plan does not ask for can't be switched off.
    assert!(
        rig.engine
            .dry_run(&run, &Json::Null, &off(&["nothing"]).off)
            .await
            .is_err()
    );
}
