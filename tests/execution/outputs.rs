//! What becomes a task's output fits what the task promises, wherever it comes from: a call made before, a person's answer,
//! a person's word about what is in doubt.

use planloom_engine::views::RunStatus;
use planloom_engine::{Effects, Files};
use planloom_tests::rig::{Rig, output_of, plan, states, task, with};
use planloom_tests::script::Act;
use serde_json::json;

#[tokio::test(start_paused = true)]
async fn an_effect_that_was_made_and_fails_its_check_is_not_made_again_and_does_not_pass_by_a_retry() {
    let checked = [
        json!({ "check": "output.status == 201" }),
        json!({ "output_schema": { "properties": { "status": { "const": 201 } } } }),
    ];
    for promise in checked {
        let rig = Rig::in_memory();
        rig.effect.on("post", [Act::Give(json!({ "status": 200 }))]);
        let run = rig
            .open(&plan(&[with(task("post", "effect.do", &[]), promise)]))
            .await;
        let shown = rig.go_on(&run).await;
        assert_eq!(states(&shown), "BLOCKED: post FAILED");
        rig.answer(&run, "d1", json!("retry")).await;
        let shown = rig.go_on(&run).await;
        assert_eq!(
            states(&shown),
            "BLOCKED: post FAILED",
            "what came of it is still wrong"
        );
        assert_eq!(rig.effect.calls_of("post"), 1, "nothing happens twice");
        rig.engine.cancel(&run).await.unwrap();
        rig.engine.rerun(&run, None, None, Effects::Keep).await.unwrap();
        let shown = rig.go_on(&run).await;
        assert_eq!(states(&shown), "BLOCKED: post FAILED");
        assert_eq!(rig.effect.calls_of("post"), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn the_check_of_a_question_sees_its_inputs_and_a_misfit_is_refused_before_it_is_recorded() {
    let rig = Rig::in_memory();
    let ask = json!({
        "id": "ask", "instruction": "How many?", "task_type": "human", "inputs": { "max": 5 },
        "form": { "type": "object", "properties": { "x": { "type": "integer" } } },
        "output_schema": { "type": "object", "required": ["x"] },
        "check": "output.x <= max",
    });
    let run = rig.open(&plan(&[ask])).await;
    rig.go_on(&run).await;
    for (wrong, told) in [(json!({ "x": 7 }), "output.x <= max"), (json!({}), "\"x\"")] {
        let refused = rig.engine.decide(&run, &"d1".into(), wrong).await.unwrap_err();
        assert_eq!(refused.code(), "bad_answer");
        assert!(refused.to_string().contains(told), "{refused}");
    }
    assert_eq!(
        rig.show(&run).await.decisions.len(),
        1,
        "the question is still open"
    );
    rig.answer(&run, "d1", json!({ "x": 3 })).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(states(&shown), "SUCCEEDED: ask COMPLETED");
    assert_eq!(output_of(&shown, "ask"), json!({ "x": 3 }));
}

#[tokio::test(start_paused = true)]
async fn what_a_person_says_has_come_of_a_call_in_doubt_has_to_fit_too() {
    let rig = Rig::in_memory();
    rig.effect.on("pay", [Act::Unknown]);
    let promise = json!({ "output_schema": { "type": "object", "required": ["receipt"] } });
    let run = rig
        .open(&plan(&[with(task("pay", "effect.do", &[]), promise)]))
        .await;
    rig.go_on(&run).await;
    for wrong in [json!("done"), json!({ "done": { "y": 1 } })] {
        let refused = rig.engine.decide(&run, &"d1".into(), wrong).await.unwrap_err();
        assert_eq!(refused.code(), "bad_answer");
        assert!(refused.to_string().contains("Nothing was recorded"), "{refused}");
    }
    rig.answer(&run, "d1", json!({ "done": { "receipt": 7 } })).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded);
    assert_eq!(output_of(&shown, "pay"), json!({ "receipt": 7 }));
}

#[tokio::test(start_paused = true)]
async fn a_fork_right_behind_a_calls_outcome_does_not_make_the_call_again() {
    let rig = Rig::in_memory();
    let run = rig
        .open(&plan(&[
            task("pay", "effect.do", &[]),
            task("after", "read.do", &["pay"]),
        ]))
        .await;
    rig.go_on(&run).await;
    let story = planloom_tests::rig::story(&rig.engine, &run).await;
    let finished = story
        .lines()
        .position(|line| line.contains("call_finished") && line.contains("pay"))
        .unwrap();
    let at = u64::try_from(finished).unwrap() + 1;
    let fork = rig.engine.fork(&run, Some(at), None, Files::Leave).await.unwrap();
    assert_eq!(fork.at, at + 1, "what follows from it belongs to it");
    rig.engine.approve_as_opened(&fork.run).await.unwrap();
    let shown = rig.go_on(&fork.run).await;
    assert_eq!(states(&shown), "SUCCEEDED: pay COMPLETED, after COMPLETED");
    assert_eq!(rig.effect.calls_of("pay"), 1);
}
