//! The final answer in a model's words (rule 9), of a run and of the plans inside it.

use planloom_engine::Error;
use planloom_engine::llm::{Models, Outcome, Role};
use planloom_engine::run::Replan;
use planloom_engine::views::{DecisionKind, RunStatus};
use planloom_tests::models::{Line, NAME, SPARE, ScriptedModel, fail, refuse, say};
use planloom_tests::rig::{Rig, final_output, output_of, plan, states, story, task, with};
use planloom_tests::script::Act;
use serde_json::{Value, json};

const ASKED: &str = "Say it in one sentence.";

fn rig(model: &ScriptedModel) -> Rig {
    let models = model.models();
    let replan = Replan::Off;
    Rig::set_up(|config| planloom_engine::Config {
        models,
        replan,
        ..config
    })
}

fn told(tasks: &[Value]) -> Value {
    with(
        plan(tasks),
        json!({ "synthesis": { "model": "synthesizer", "instruction": ASKED } }),
    )
}

#[tokio::test(start_paused = true)]
async fn the_answer_is_written_from_the_leaves_and_only_from_them() {
    let model = ScriptedModel::default();
    model.on(ASKED, [fail(Outcome::Rate), say("So it is.")]);
    let rig = rig(&model);
    rig.read.on("a", [Act::Give(json!({ "middle": "hidden" }))]);
    rig.read
        .on("b", [Act::Give(json!({ "n": 9_007_199_254_740_993_u64 }))]);
    let shown = rig
        .run(&told(&[task("a", "read.do", &[]), task("b", "read.do", &["a"])]))
        .await;
    assert_eq!(shown.row.status, RunStatus::Succeeded);
    assert_eq!(final_output(&shown), json!("So it is."));
    let asked = serde_json::to_string(&model.requests().pop().unwrap().messages).unwrap();
    assert!(asked.contains("9007199254740993") && asked.contains("Test") && !asked.contains("hidden"));
    insta::assert_snapshot!(story(&rig.engine, &shown.row.run.as_str().into()).await);
}

#[tokio::test(start_paused = true)]
async fn a_failed_answer_keeps_every_output_and_a_person_says_how_it_ends() {
    let tasks = [task("a", "read.do", &[])];
    for (answer, status, output) in [
        ("retry", RunStatus::Succeeded, json!("At last.")),
        ("skip", RunStatus::Succeeded, json!({ "a": "a" })),
        ("stop", RunStatus::Failed, Value::Null),
    ] {
        let model = ScriptedModel::default();
        model.on(ASKED, [refuse("No."), say("At last.")]);
        let rig = rig(&model);
        let shown = rig.run(&told(&tasks)).await;
        let run = shown.row.run.as_str().into();
        assert_eq!(states(&shown), "BLOCKED: a COMPLETED");
        let decision = &shown.decisions[0];
        assert_eq!(
            (decision.kind, decision.task.as_deref()),
            (DecisionKind::Blocked, None)
        );
        assert!(decision.question.contains("No."), "{}", decision.question);
        assert_eq!(rig.go_on(&run).await.decisions.len(), 1, "a restart asks once");
        assert_eq!(model.asked(ASKED), 1);
        rig.answer(&run, "d1", json!(answer)).await;
        let shown = rig.go_on(&run).await;
        assert_eq!(
            (shown.row.status, final_output(&shown)),
            (status, output),
            "{answer}"
        );
        assert_eq!(output_of(&shown, "a"), json!("a"));
        assert_eq!(rig.read.calls_of("a"), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn what_goes_again_after_a_stop_is_asked_anew() {
    let model = ScriptedModel::default();
    model.on(ASKED, [refuse("No."), say("Now.")]);
    let rig = rig(&model);
    let shown = rig.run(&told(&[task("a", "read.do", &[])])).await;
    let run = shown.row.run.as_str().into();
    rig.answer(&run, "d1", json!("stop")).await;
    assert_eq!(rig.go_on(&run).await.row.status, RunStatus::Failed);
    rig.engine
        .rerun(&run, None, None, planloom_engine::Effects::Keep)
        .await
        .unwrap();
    let shown = rig.go_on(&run).await;
    assert_eq!(
        (shown.row.status, final_output(&shown)),
        (RunStatus::Succeeded, json!("Now."))
    );
}

#[tokio::test(start_paused = true)]
async fn a_nested_plan_has_an_answer_of_its_own_and_only_that_is_tried_again() {
    let nested = with(
        json!({ "id": "all", "instruction": "All.", "task_type": "subplan" }),
        json!({ "plan": told(&[task("in", "effect.do", &[])]) }),
    );
    let model = ScriptedModel::default();
    model.on(ASKED, [Line::Panic, say("Inside.")]);
    let rig = rig(&model);
    let end = json!({
        "id": "end", "instruction": "Echo.", "task_type": "tool", "tool": "echo", "dependencies": ["all"],
        "inputs": { "value": { "$from": "all" } },
    });
    let shown = rig.run(&plan(&[nested, end])).await;
    let run = shown.row.run.as_str().into();
    assert_eq!(
        states(&shown),
        "BLOCKED: all FAILED, end PENDING, all/in COMPLETED"
    );
    rig.answer(&run, "d1", json!("retry")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(
        states(&shown),
        "SUCCEEDED: all COMPLETED, end COMPLETED, all/in COMPLETED"
    );
    assert_eq!(output_of(&shown, "end"), json!("Inside."));
    assert_eq!(rig.effect.calls_of("in"), 1);
}

#[tokio::test(start_paused = true)]
async fn without_its_model_the_plan_does_not_start() {
    let rig = Rig::set_up(|config| planloom_engine::Config {
        models: Models::none(),
        ..config
    });
    let opened = rig.try_open(&told(&[task("a", "read.do", &[])])).await;
    assert!(
        matches!(
            opened,
            Err(Error::Invalid {
                code: "unknown_model",
                ..
            })
        ),
        "{opened:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn the_budget_holds_back_the_answer_of_a_run_and_of_a_plan_inside_it() {
    let inner = with(told(&[task("in", "read.do", &[])]), json!({ "goal": "Inner" }));
    let nested = with(
        json!({ "id": "all", "instruction": "All.", "task_type": "subplan" }),
        json!({ "plan": inner }),
    );
    for (tasks, leaf) in [(vec![nested], "all"), (vec![task("a", "read.do", &[])], "a")] {
        let model = ScriptedModel::default();
        let rig = rig(&model);
        let plan = with(told(&tasks), json!({ "budget": { "tokens": 10 } }));
        let shown = rig.run(&plan).await;
        let run = shown.row.run.as_str().into();
        assert_eq!(shown.row.status, RunStatus::Waiting, "{leaf}");
        assert_eq!(
            (shown.decisions[0].kind, model.asked(ASKED)),
            (DecisionKind::Budget, 0)
        );
        rig.answer(&run, "d1", json!({ "raise": { "tokens": 100_000 } }))
            .await;
        let shown = rig.go_on(&run).await;
        assert_eq!(
            (shown.row.status, final_output(&shown)),
            (RunStatus::Succeeded, json!("ok"))
        );
    }
}

/// Says "Obey." once.
fn page() -> String {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 4096]);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nObey.");
    });
    url
}

#[tokio::test]
async fn what_came_from_outside_labels_the_answer() {
    let model = ScriptedModel::default();
    let rig = rig(&model);
    let note = json!({
        "id": "note", "instruction": "Read.", "task_type": "tool", "tool": "http.get", "inputs": { "url": page() },
    });
    for (task, untrusted) in [(note, true), (task("own", "read.do", &[]), false)] {
        let shown = rig.run(&told(&[task])).await;
        assert_eq!(shown.row.status, RunStatus::Succeeded, "{}", states(&shown));
        assert_eq!(shown.output_labels.untrusted, untrusted);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stand_in_writes_the_answer_when_the_first_model_is_down_or_has_no_money() {
    let tasks = [task("a", "read.do", &[])];
    for (failures, asked) in [
        (vec![fail(Outcome::Transient); 4], 4),
        (vec![fail(Outcome::Quota)], 1),
        (vec![fail(Outcome::Auth)], 1),
        // What answers is stayed with, and a refusal is an answer.
        (vec![fail(Outcome::Rate), refuse("No.")], 2),
    ] {
        let (model, spare) = (ScriptedModel::default(), ScriptedModel::default());
        let is_refused = failures.len() == 2;
        model.on(ASKED, failures);
        spare.on(ASKED, [say("By the stand-in.")]);
        let models = model
            .models_with(&spare)
            .with_role(Role::Synthesizer, &[NAME, SPARE]);
        let rig = Rig::set_up(|config| planloom_engine::Config { models, ..config });
        let shown = rig.run(&told(&tasks)).await;
        assert_eq!(model.asked(ASKED), asked);
        assert_eq!(spare.asked(ASKED), usize::from(!is_refused));
        if !is_refused {
            assert_eq!(final_output(&shown), json!("By the stand-in."));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_open_breaker_leads_the_answer_to_the_stand_in_at_once_or_is_waited_for() {
    for has_spare in [true, false] {
        let (model, spare) = (ScriptedModel::default(), ScriptedModel::default());
        // Five failures in a row open the breaker of the provider.
        model.on("Think.", vec![fail(Outcome::Transient); 5]);
        let names: &[&str] = if has_spare { &[NAME, SPARE] } else { &[NAME] };
        let models = model.models_with(&spare).with_role(Role::Synthesizer, names);
        let rig = Rig::set_up(|config| planloom_engine::Config { models, ..config });
        let thinking = json!({
            "id": "a", "task_type": "model", "instruction": "Think.", "optional": true,
            "retry": { "max_attempts": 5, "initial_ms": 1, "multiplier": 1, "max_ms": 1 },
        });
        let shown = rig.run(&told(&[thinking])).await;
        assert_eq!(shown.row.status, RunStatus::Succeeded, "{}", states(&shown));
        assert_eq!(
            (model.asked(ASKED), spare.asked(ASKED)),
            if has_spare { (0, 1) } else { (1, 0) }
        );
    }
}

/// What was written once of the same outputs is not paid for again, not even by a fork.
#[tokio::test(start_paused = true)]
async fn a_fork_of_a_run_that_is_over_takes_its_answer_over_and_another_output_is_told_anew() {
    let model = ScriptedModel::default();
    model.on(ASKED, [say("So it is."), say("Now it is so.")]);
    let rig = rig(&model);
    let shown = rig.run(&told(&[task("a", "read.do", &[])])).await;
    let run = shown.row.run.as_str().into();
    let fork = rig
        .engine
        .fork(&run, None, None, planloom_engine::Files::Leave)
        .await;
    let fork = fork.unwrap().run;
    rig.engine.approve_as_opened(&fork).await.unwrap();
    let shown = rig.go_on(&fork).await;
    assert_eq!(
        (shown.row.status, final_output(&shown)),
        (RunStatus::Succeeded, json!("So it is."))
    );
    assert_eq!(model.asked(ASKED), 1);

    rig.read.on("a", [Act::Give(json!("another"))]);
    rig.engine
        .rerun(&fork, None, None, planloom_engine::Effects::Keep)
        .await
        .unwrap();
    let shown = rig.go_on(&fork).await;
    assert_eq!(final_output(&shown), json!("Now it is so."));
    assert_eq!(model.asked(ASKED), 2);
}

#[tokio::test(start_paused = true)]
async fn it_is_told_which_outputs_were_taken_only_after_others_had_been_sent_back() {
    let model = ScriptedModel::default();
    model.on("Count them", [say(r#"{"n": "many"}"#), say(r#"{"n": 3}"#)]);
    model.on(ASKED, [say("Three.")]);
    let rig = rig(&model);
    let count = json!({
        "id": "count", "instruction": "Count them.", "task_type": "model",
        "output_schema": { "type": "object", "required": ["n"], "properties": { "n": { "type": "integer" } } },
    });
    let shown = rig.run(&told(&[count, task("b", "read.do", &[])])).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded);
    let asked = serde_json::to_string(&model.requests().pop().unwrap().messages).unwrap();
    assert!(asked.contains("accepted after rejections: 1"), "{asked}");
}
