//! Watching: the same messages live and in review, complete, and the face never folds.

use std::collections::BTreeMap;
use std::time::Duration;

use planloom_engine::views::{AskedCallView, ReplyView, RunStatus, TaskStatus, TaskView};
use planloom_tests::models::{call, cut, late, say, using};
use planloom_tests::rig::{Rig, agent, granting, plan, states, task};
use planloom_tests::script::Act;
use serde_json::json;

/// Replaces task views, as a face does.
async fn last_picture(
    rig: &Rig,
    run: &planloom_engine::model::RunId,
) -> (Vec<u32>, BTreeMap<String, TaskView>, RunStatus) {
    let mut watch = rig.engine.watch(run, 0).await.unwrap();
    let (mut seqs, mut tasks) = (Vec::new(), BTreeMap::new());
    loop {
        let news = watch.next().await.unwrap().unwrap();
        seqs.extend(news.events.iter().map(|e| e.seq));
        tasks.extend(news.tasks.into_iter().map(|t| (t.id.clone(), t)));
        if matches!(news.run.status, RunStatus::Succeeded | RunStatus::Blocked) {
            return (seqs, tasks, news.run.status);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn live_and_review_show_the_same() {
    let rig = Rig::in_memory();
    rig.read.on("b", [Act::Transient(None)]);
    rig.read.on("d", [Act::Permanent]);
    let tasks = [
        task("a", "read.do", &[]),
        task("b", "read.do", &["a"]),
        task("c", "read.do", &["b"]),
        task("d", "read.do", &["a"]),
        task("e", "read.do", &["d"]),
    ];
    let run = rig.open(&plan(&tasks)).await;
    let (live, ()) = tokio::join!(last_picture(&rig, &run), async {
        rig.engine.resume(&run).await.unwrap();
        rig.engine.until_left(&run).await.unwrap();
    });
    let review = last_picture(&rig, &run).await;
    let seqs: Vec<u32> = (1..=review.0.len() as u32).collect();
    assert_eq!((&live.0, &review.0), (&seqs, &seqs), "every event once, in order");
    let picture = |tasks: &BTreeMap<String, TaskView>| -> Vec<(String, TaskStatus, Option<String>)> {
        tasks
            .values()
            .map(|t| (t.id.clone(), t.status, t.wait.as_ref().map(|w| w.text.clone())))
            .collect()
    };
    assert_eq!(picture(&live.1), picture(&review.1));
    assert_eq!(
        states(&rig.show(&run).await),
        "BLOCKED: a COMPLETED, b COMPLETED, c COMPLETED, d FAILED, e PENDING"
    );
}

#[tokio::test(start_paused = true)]
async fn every_earlier_position_can_be_shown() {
    let rig = Rig::in_memory();
    let shown = rig
        .run(&plan(&[task("a", "read.do", &[]), task("b", "read.do", &["a"])]))
        .await;
    let run = shown.row.run.as_str().into();
    let mut seen = Vec::new();
    for seq in 1..=shown.seq {
        let past = rig.engine.show(&run, Some(seq)).await.unwrap();
        seen.push(
            past.tasks
                .iter()
                .filter(|t| t.status == TaskStatus::Completed)
                .count(),
        );
    }
    assert!(
        seen.is_sorted() && seen.contains(&1) && seen.last() == Some(&2),
        "{seen:?}"
    );
    assert_eq!(
        rig.engine
            .show(&run, Some(shown.seq + 1))
            .await
            .unwrap_err()
            .code(),
        "no_such_event"
    );
    assert_eq!(
        rig.engine.show(&run, Some(0)).await.unwrap_err().code(),
        "no_such_event"
    );
}

#[tokio::test(start_paused = true)]
async fn one_tasks_story_has_its_inputs_calls_and_errors() {
    let rig = Rig::in_memory();
    rig.read
        .on("a", [Act::Transient(None), Act::Give(json!({ "rows": [1, 2] }))]);
    let shown = rig.run(&plan(&[task("a", "read.do", &[])])).await;
    let detail = rig
        .engine
        .task_detail(&shown.row.run.as_str().into(), "a")
        .await
        .unwrap();
    assert_eq!(detail.attempts.len(), 2);
    assert_eq!(detail.attempts[0].error.as_ref().unwrap().code, "busy");
    let call = &detail.attempts[1].calls[0];
    assert_eq!(
        (call.arguments.as_str(), call.result.as_deref()),
        (r#"{"id":"a"}"#, Some(r#"{"rows":[1,2]}"#))
    );
    assert_eq!(detail.inputs[0].name, "id");
    assert_eq!(detail.task.summary.as_deref(), Some("2 rows"));
}

#[tokio::test(start_paused = true)]
async fn a_message_that_nobody_waited_for_comes_with_the_next() {
    let rig = Rig::in_memory();
    let names: Vec<String> = (0..30).map(|n| format!("t{n}")).collect();
    let tasks: Vec<_> = names.iter().map(|n| task(n, "read.do", &[])).collect();
    let run = rig.open(&plan(&tasks)).await;
    let mut watch = rig.engine.watch_all(&run, 0).await.unwrap();
    let mut seqs = Vec::new();
    rig.engine.resume_with(&run, 1, false).await.unwrap();
    let mut turn = 0u64;
    loop {
        turn += 1;
        // Most waits are given up after a moment, wherever they are.
        let wait = std::time::Duration::from_micros(turn % 7 * 5_000);
        if let Ok(news) = tokio::time::timeout(wait, watch.next()).await {
            let news = news.unwrap().unwrap();
            seqs.extend(news.events.iter().map(|e| u64::from(e.seq)));
            if news.run.status == RunStatus::Succeeded {
                break;
            }
        }
    }
    let head = rig.show(&run).await.seq;
    assert_eq!(seqs, (1..=head).collect::<Vec<_>>(), "each event once, in order");
    assert_eq!(watch.seq(), head);
}

#[tokio::test(start_paused = true)]
async fn the_words_of_a_model_are_told_as_they_come_and_its_turns_are_told_when_they_are_whole() {
    let rig = Rig::with_models();
    let reads = call(&[("read.do", json!({ "id": "x" }))]);
    let answer = late(say(r#"{"result": "done"}"#), Duration::from_secs(5));
    rig.model.on(
        "Work on a",
        [using(reads, 10, 5), cut("half of"), using(answer, 30, 7)],
    );
    let run = rig.open(&granting(&["x"], &[agent("a", &["read.do"])])).await;
    let mut words = rig.engine.watch_words(&run, "a");
    let elsewhere = rig.engine.watch_words(&run, "b");
    let (engine, driven) = (rig.engine.clone(), run.clone());
    let driving = tokio::spawn(async move {
        engine.resume(&driven).await.unwrap();
        engine.until_left(&driven).await.unwrap();
    });
    while !words.borrow_and_update().since(0).0.contains("done") {
        words.changed().await.unwrap();
    }
    assert_eq!(rig.show(&run).await.tasks[0].status, TaskStatus::Running);
    assert_eq!(words.borrow().answer, 3, "each answer begins anew");
    driving.await.unwrap();
    assert_eq!(elsewhere.borrow().answer, 0, "it is told of its own task alone");

    let detail = rig.engine.task_detail(&run, "a").await.unwrap();
    assert!(!detail.attempts[0].goes_on);
    let calls = &detail.attempts[0].calls;
    let replies: Vec<&ReplyView> = calls.iter().filter_map(|call| call.reply.as_ref()).collect();
    let asked = AskedCallView {
        name: "read.do".to_owned(),
        arguments: r#"{"id":"x"}"#.to_owned(),
    };
    assert_eq!(replies[0].calls, [asked]);
    assert_eq!(replies[1].text, r#"{"result": "done"}"#);
    assert_eq!(calls[2].error.as_ref().unwrap().code, "cut");
    let tool = &calls[1];
    assert_eq!(
        (tool.turn.as_deref(), tool.reply.is_none(), tool.paid.is_none()),
        (Some("1.0"), true, true)
    );
    let paid = calls[0].paid.as_ref().unwrap();
    assert_eq!(
        (paid.input_tokens, paid.output_tokens, paid.is_counted),
        (10.0, 5.0, true)
    );
    assert!(!calls[2].paid.as_ref().unwrap().is_counted, "nobody counted it");
}
