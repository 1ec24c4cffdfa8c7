//! Going again: rewind, fork, retry, rerun, by the same plan or another; nothing that was done outside happens twice.

use planloom_engine::model::RunId;
use planloom_engine::views::{RunStatus, TaskStatus};
use planloom_engine::{Effects, Files, Shown};
use planloom_tests::rig::{Rig, final_output, plan, seq_of, state_of, states, story, task, with};
use planloom_tests::script::Act;
use serde_json::{Value, json};

fn chain() -> Value {
    plan(&[
        task("a", "read.do", &[]),
        task("b", "effect.do", &["a"]),
        task("c", "read.do", &["b"]),
    ])
}

fn id(shown: &Shown) -> RunId {
    shown.row.run.as_str().into()
}

#[tokio::test(start_paused = true)]
async fn a_rewound_run_is_as_it_was_and_goes_on_without_repeating_effects() {
    let rig = Rig::in_memory();
    let shown = rig.run(&chain()).await;
    let run = id(&shown);
    let to = seq_of(&rig, &run, "task_completed", "a").await;
    let told = rig.engine.rewind(&run, to, Files::Leave).await.unwrap();
    assert_eq!(told.tasks, ["b", "c"]);
    assert_eq!(told.reused, ["a"]);
    assert_eq!(told.effects.len(), 1);
    assert_eq!(
        (told.effects[0].task.as_str(), told.effects[0].is_known),
        ("b", true)
    );

    let rewound = rig.show(&run).await;
    assert_eq!(states(&rewound), "PAUSED: a COMPLETED, b PENDING, c PENDING");
    let before = rig.engine.show(&run, Some(shown.seq)).await.unwrap();
    assert_eq!(
        states(&before),
        "SUCCEEDED: a COMPLETED, b COMPLETED, c COMPLETED",
        "the past stays"
    );

    let again = rig.go_on(&run).await;
    assert_eq!(again.row.status, RunStatus::Succeeded);
    assert_eq!(rig.effect.calls_of("b"), 1, "the effect was made once");
    assert_eq!((rig.read.calls_of("a"), rig.read.calls_of("c")), (1, 2));
    assert_eq!(final_output(&again), final_output(&shown));
}

#[tokio::test(start_paused = true)]
async fn rewinds_of_rewinds_find_every_position_again() {
    let rig = Rig::in_memory();
    let run = id(&rig.run(&chain()).await);
    let mut pictures = Vec::new();
    for _ in 0..3 {
        let head = rig.show(&run).await.seq;
        for at in 1..=head {
            pictures.push((at, states(&rig.engine.show(&run, Some(at)).await.unwrap())));
        }
        let to = seq_of(&rig, &run, "task_started", "b").await;
        rig.engine.rewind(&run, to, Files::Leave).await.unwrap();
        rig.go_on(&run).await;
    }
    for (at, picture) in pictures {
        assert_eq!(
            states(&rig.engine.show(&run, Some(at)).await.unwrap()),
            picture,
            "at {at}"
        );
    }
    assert_eq!(rig.effect.calls_of("b"), 1);
}

#[tokio::test(start_paused = true)]
async fn an_effect_whose_outcome_is_unknown_is_still_in_doubt_after_a_rewind() {
    let rig = Rig::in_memory();
    rig.effect.on("b", [Act::Unknown]);
    let shown = rig.run(&chain()).await;
    let run = id(&shown);
    assert_eq!(state_of(&shown, "b"), TaskStatus::InDoubt);
    let to = seq_of(&rig, &run, "task_completed", "a").await;
    rig.engine.rewind(&run, to, Files::Leave).await.unwrap();
    let again = rig.go_on(&run).await;
    assert_eq!(state_of(&again, "b"), TaskStatus::InDoubt, "{}", states(&again));
    assert_eq!(rig.effect.calls_of("b"), 1);
    let decision = again.decisions[0].id.clone();
    assert_eq!(decision, "d2", "the first one belongs to what was taken back");
    rig.answer(&run, &decision, json!("retry")).await;
    let done = rig.go_on(&run).await;
    assert_eq!(done.row.status, RunStatus::Succeeded);
    assert_eq!(rig.effect.calls_of("b"), 2, "a person chose to send it again");
}

#[tokio::test(start_paused = true)]
async fn a_fork_is_a_new_run_that_waits_for_its_own_approval() {
    let rig = Rig::in_memory();
    let parent = id(&rig.run(&chain()).await);
    let before = story(&rig.engine, &parent).await;
    let at = seq_of(&rig, &parent, "task_completed", "a").await;
    let forked = rig
        .engine
        .fork(&parent, Some(at), None, Files::Leave)
        .await
        .unwrap();
    rig.engine.ask_approval(&forked.run).await.unwrap();
    let shown = rig.show(&forked.run).await;
    assert_eq!(
        states(&shown),
        "AWAITING_APPROVAL: a COMPLETED, b PENDING, c PENDING"
    );
    rig.engine.ask_approval(&forked.run).await.unwrap();
    rig.engine.ask_approval(&forked.run).await.unwrap();
    assert_eq!(rig.show(&forked.run).await.decisions.len(), 1, "asked once");
    assert!(
        rig.engine.resume(&forked.run).await.is_err(),
        "nobody has approved it"
    );
    rig.engine.approve_as_opened(&forked.run).await.unwrap();
    let done = rig.go_on(&forked.run).await;
    assert_eq!(done.row.status, RunStatus::Succeeded);
    assert_eq!(rig.read.calls_of("a"), 1, "what succeeded is not paid twice");
    let keys: Vec<String> = rig.effect.calls().into_iter().map(|c| c.key).collect();
    assert_eq!(keys.len(), 2);
    assert_ne!(keys[0], keys[1], "a fork is a new run");
    assert_eq!(
        story(&rig.engine, &parent).await,
        before,
        "the parent is untouched"
    );
}

#[tokio::test(start_paused = true)]
async fn forks_of_forks_read_through_their_whole_line() {
    let rig = Rig::in_memory();
    let mut run = id(&rig.run(&chain()).await);
    for _ in 0..4 {
        let at = seq_of(&rig, &run, "task_completed", "a").await;
        let fork = rig
            .engine
            .fork(&run, Some(at), None, Files::Leave)
            .await
            .unwrap()
            .run;
        rig.engine.approve_as_opened(&fork).await.unwrap();
        let done = rig.go_on(&fork).await;
        assert_eq!(done.row.status, RunStatus::Succeeded);
        run = rig
            .engine
            .fork(&fork, None, None, Files::Leave)
            .await
            .unwrap()
            .run;
        assert_eq!(
            states(&rig.show(&run).await),
            "AWAITING_APPROVAL: a COMPLETED, b COMPLETED, c COMPLETED"
        );
    }
    assert_eq!(rig.read.calls_of("a"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_fork_with_another_plan_takes_over_what_is_the_same() {
    let rig = Rig::in_memory();
    let parent = id(&rig.run(&chain()).await);
    let other = plan(&[
        task("a", "read.do", &[]),
        with(
            task("b", "effect.do", &["a"]),
            json!({ "inputs": { "id": "b2" } }),
        ),
        task("c", "read.do", &["b"]),
        task("d", "read.do", &["a"]),
    ]);
    let path = rig.write_plan("other.plan.json", &other);
    let fork = rig
        .engine
        .fork(&parent, None, Some(path), Files::Leave)
        .await
        .unwrap()
        .run;
    rig.engine.approve_as_opened(&fork).await.unwrap();
    let done = rig.go_on(&fork).await;
    assert_eq!(
        states(&done),
        "SUCCEEDED: a COMPLETED, b COMPLETED, c COMPLETED, d COMPLETED"
    );
    assert_eq!(rig.read.calls_of("a"), 1);
    assert_eq!(rig.effect.order(), ["b", "b2"]);
    assert_eq!((rig.read.calls_of("c"), rig.read.calls_of("d")), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn a_rerun_keeps_effects_unless_a_person_says_again() {
    let rig = Rig::in_memory();
    let run = id(&rig.run(&chain()).await);
    let told = rig
        .engine
        .rerun(&run, Some("b"), None, Effects::Keep)
        .await
        .unwrap();
    assert_eq!(
        (told.tasks, told.reused),
        (vec!["b".to_owned(), "c".to_owned()], vec!["a".to_owned()])
    );
    assert_eq!(told.effects.len(), 1);
    assert_eq!(
        states(&rig.show(&run).await),
        "PAUSED: a COMPLETED, b PENDING, c PENDING"
    );
    assert_eq!(rig.go_on(&run).await.row.status, RunStatus::Succeeded);
    assert_eq!((rig.effect.calls_of("b"), rig.read.calls_of("c")), (1, 2));

    rig.engine.rerun(&run, None, None, Effects::Again).await.unwrap();
    assert_eq!(rig.go_on(&run).await.row.status, RunStatus::Succeeded);
    assert_eq!((rig.read.calls_of("a"), rig.effect.calls_of("b")), (2, 2));
    let keys: Vec<String> = rig.effect.calls().into_iter().map(|c| c.key).collect();
    assert_ne!(keys[0], keys[1], "again means a new key");
}

#[tokio::test(start_paused = true)]
async fn a_rerun_by_another_plan_needs_a_new_signature_and_reruns_what_differs() {
    let rig = Rig::in_memory();
    let run = id(&rig.run(&chain()).await);
    let other = plan(&[
        task("a", "read.do", &[]),
        task("b", "effect.do", &["a"]),
        with(task("c", "read.do", &["b"]), json!({ "inputs": { "id": "c2" } })),
    ]);
    let path = rig.write_plan("other.plan.json", &other);
    rig.engine
        .rerun(&run, Some("c"), Some(path), Effects::Keep)
        .await
        .unwrap();
    assert!(rig.engine.resume(&run).await.is_err());
    rig.engine.approve_as_opened(&run).await.unwrap();
    let done = rig.go_on(&run).await;
    assert_eq!(final_output(&done), json!({ "c": "c2" }));
    assert_eq!((rig.read.calls_of("a"), rig.effect.calls_of("b")), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_map_is_set_back_with_its_items() {
    let rig = Rig::in_memory();
    let inner =
        json!({ "instruction": "Send.", "task_type": "tool", "tool": "keyed.do", "inputs": { "id": "x" } });
    let each =
        json!({ "id": "each", "instruction": "Each.", "task_type": "map", "over": [1, 2], "task": inner });
    let run = id(&rig.run(&plan(&[each])).await);
    rig.engine.rerun(&run, None, None, Effects::Keep).await.unwrap();
    assert_eq!(states(&rig.show(&run).await), "PAUSED: each PENDING");
    let done = rig.go_on(&run).await;
    assert_eq!(
        states(&done),
        "SUCCEEDED: each COMPLETED, each[0] COMPLETED, each[1] COMPLETED"
    );
    assert_eq!(rig.keyed.calls().len(), 2, "made before, taken over");
}

#[tokio::test(start_paused = true)]
async fn a_failed_run_is_taken_up_again_by_retrying_its_task() {
    let rig = Rig::in_memory();
    rig.read.on("a", [Act::Permanent]);
    let run = id(&rig.run(&chain()).await);
    rig.answer(&run, "d1", json!("stop")).await;
    let failed = rig.go_on(&run).await;
    assert_eq!(states(&failed), "FAILED: a FAILED, b CANCELLED, c CANCELLED");
    assert!(rig.engine.retry(&run, "b", Effects::Keep).await.is_err());
    rig.engine.retry(&run, "a", Effects::Keep).await.unwrap();
    let done = rig.go_on(&run).await;
    assert_eq!(done.row.status, RunStatus::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn bad_requests_change_nothing() {
    let rig = Rig::in_memory();
    let run = id(&rig.run(&chain()).await);
    let before = story(&rig.engine, &run).await;
    let head = rig.show(&run).await.seq;
    for to in [0, head, head + 1, u64::MAX] {
        assert!(rig.engine.rewind(&run, to, Files::Leave).await.is_err());
    }
    for at in [0, head + 1] {
        assert!(rig.engine.fork(&run, Some(at), None, Files::Leave).await.is_err());
    }
    assert!(
        rig.engine
            .rerun(&run, Some("z"), None, Effects::Keep)
            .await
            .is_err()
    );
    assert!(rig.engine.retry(&run, "c", Effects::Keep).await.is_err());
    let broken = rig.write_plan("broken.plan.json", &json!({ "tasks": [] }));
    assert!(
        rig.engine
            .fork(&run, None, Some(broken.clone()), Files::Leave)
            .await
            .is_err()
    );
    assert!(
        rig.engine
            .rerun(&run, None, Some(broken), Effects::Keep)
            .await
            .is_err()
    );
    assert_eq!(story(&rig.engine, &run).await, before);
    assert_eq!(rig.engine.runs().await.unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_fork_that_goes_back_into_what_another_run_was_allowed_needs_its_own_word() {
    let rig = Rig::in_memory();
    let parent = id(&rig.run(&chain()).await);
    let at = seq_of(&rig, &parent, "task_completed", "a").await;
    let fork = rig
        .engine
        .fork(&parent, Some(at), None, Files::Leave)
        .await
        .unwrap()
        .run;
    for to in [at, 4, 3] {
        rig.engine.rewind(&fork, to, Files::Leave).await.unwrap();
        let shown = rig.show(&fork).await;
        assert_eq!(shown.row.status, RunStatus::AwaitingApproval, "to {to}");
        assert!(rig.engine.resume(&fork).await.is_err(), "nobody has approved it");
    }
    assert_eq!(rig.effect.calls_of("b"), 1);
    rig.engine.approve_as_opened(&fork).await.unwrap();
    let done = rig.go_on(&fork).await;
    assert_eq!(done.row.status, RunStatus::Succeeded);
    assert_eq!(rig.effect.calls_of("b"), 2, "a fork does what it runs");
}

#[tokio::test(start_paused = true)]
async fn again_means_again_inside_maps_and_after_rewinds() {
    let rig = Rig::in_memory();
    let inner =
        json!({ "instruction": "Send.", "task_type": "tool", "tool": "effect.do", "inputs": { "id": "x" } });
    let each =
        json!({ "id": "each", "instruction": "Each.", "task_type": "map", "over": [1, 2], "task": inner });
    let run = id(&rig.run(&plan(&[each, task("s", "effect.do", &[])])).await);
    assert_eq!((rig.effect.calls_of("x"), rig.effect.calls_of("s")), (2, 1));
    rig.engine.rerun(&run, None, None, Effects::Again).await.unwrap();
    rig.go_on(&run).await;
    assert_eq!((rig.effect.calls_of("x"), rig.effect.calls_of("s")), (4, 2));
    rig.engine.rewind(&run, 4, Files::Leave).await.unwrap();
    rig.go_on(&run).await;
    assert_eq!(
        (rig.effect.calls_of("x"), rig.effect.calls_of("s")),
        (4, 2),
        "taken over"
    );
    rig.engine.rerun(&run, None, None, Effects::Again).await.unwrap();
    rig.go_on(&run).await;
    assert_eq!(
        (rig.effect.calls_of("x"), rig.effect.calls_of("s")),
        (6, 3),
        "no key comes twice"
    );
}

#[tokio::test(start_paused = true)]
async fn what_was_cut_off_before_it_ran_runs_with_what_needs_it() {
    let rig = Rig::in_memory();
    rig.read.on("a", [Act::Hang]);
    let run = rig.open(&chain()).await;
    rig.engine.resume(&run).await.unwrap();
    rig.until(&run, "a", TaskStatus::Running).await;
    rig.engine.cancel(&run).await.unwrap();
    rig.engine.until_left(&run).await.unwrap();
    let told = rig
        .engine
        .rerun(&run, Some("b"), None, Effects::Keep)
        .await
        .unwrap();
    assert_eq!(told.tasks, ["a", "b", "c"]);
    assert_eq!(rig.go_on(&run).await.row.status, RunStatus::Succeeded);
    assert_eq!(rig.read.calls_of("a"), 2);
}

#[tokio::test(start_paused = true)]
async fn a_persons_word_that_it_happened_holds_for_reruns_too() {
    let rig = Rig::in_memory();
    rig.effect.on("b", [Act::Unknown]);
    let run = id(&rig.run(&chain()).await);
    rig.answer(&run, "d1", json!({ "done": 7 })).await;
    rig.go_on(&run).await;
    rig.engine.rerun(&run, None, None, Effects::Keep).await.unwrap();
    let done = rig.go_on(&run).await;
    assert_eq!(done.row.status, RunStatus::Succeeded, "{}", states(&done));
    assert_eq!(planloom_tests::rig::output_of(&done, "b"), json!(7));
    assert_eq!(rig.effect.calls_of("b"), 1);
}

#[tokio::test(start_paused = true)]
async fn an_approval_that_was_answered_binds_no_later_plan() {
    let rig = Rig::in_memory();
    let mut first = chain();
    first["parameters"] = json!({ "n": { "type": "integer" } });
    let path = rig.write_plan("first.plan.json", &first);
    let given = planloom_engine::Parameters::Json(json!({ "n": 5 }));
    let run = rig
        .engine
        .open_run(path, &given, &planloom_engine::Consent::Asked)
        .await
        .unwrap();
    rig.answer(&run, "d1", json!("approve")).await;
    rig.go_on(&run).await;
    let mut other = first.clone();
    other["tasks"][2]["inputs"] = json!({ "id": "c2" });
    let path = rig.write_plan("other.plan.json", &other);
    rig.engine
        .rerun(&run, Some("c"), Some(path), Effects::Keep)
        .await
        .unwrap();
    rig.engine.approve_as_opened(&run).await.unwrap();
    let done = rig.go_on(&run).await;
    assert_eq!(done.row.status, RunStatus::Succeeded);
    assert_eq!(rig.read.calls_of("c2"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_fork_or_a_rewind_of_a_cancelled_run_runs_what_was_cut_off() {
    let rig = Rig::in_memory();
    rig.read.on("a", [Act::Hang]);
    let run = rig.open(&chain()).await;
    rig.engine.resume(&run).await.unwrap();
    rig.until(&run, "a", TaskStatus::Running).await;
    rig.engine.cancel(&run).await.unwrap();
    rig.engine.until_left(&run).await.unwrap();
    let fork = rig.engine.fork(&run, None, None, Files::Leave).await.unwrap().run;
    assert_eq!(
        states(&rig.show(&fork).await),
        "AWAITING_APPROVAL: a PENDING, b PENDING, c PENDING"
    );
    rig.engine.approve_as_opened(&fork).await.unwrap();
    assert_eq!(
        states(&rig.go_on(&fork).await),
        "SUCCEEDED: a COMPLETED, b COMPLETED, c COMPLETED"
    );
    // In the midst of being cancelled, too.
    let to = seq_of(&rig, &run, "task_cancelled", "b").await;
    rig.engine.rewind(&run, to, Files::Leave).await.unwrap();
    assert_eq!(
        states(&rig.go_on(&run).await),
        "SUCCEEDED: a COMPLETED, b COMPLETED, c COMPLETED"
    );
}

#[tokio::test(start_paused = true)]
async fn a_rerun_never_runs_beside_a_dependency_that_was_cut_off() {
    let rig = Rig::in_memory();
    rig.read.on("x", [Act::Hang]);
    let run = rig
        .open(&plan(&[
            task("x", "read.do", &[]),
            task("a", "read.do", &[]),
            task("both", "read.do", &["x", "a"]),
        ]))
        .await;
    rig.engine.resume(&run).await.unwrap();
    rig.until(&run, "a", TaskStatus::Completed).await;
    rig.engine.cancel(&run).await.unwrap();
    rig.engine.until_left(&run).await.unwrap();
    let told = rig
        .engine
        .rerun(&run, Some("a"), None, Effects::Keep)
        .await
        .unwrap();
    assert_eq!(told.tasks, ["x", "a", "both"]);
    let done = rig.go_on(&run).await;
    assert_eq!(
        states(&done),
        "SUCCEEDED: x COMPLETED, a COMPLETED, both COMPLETED"
    );
}
