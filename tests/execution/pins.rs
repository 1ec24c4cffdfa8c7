//! Pinned outputs: held for the next runs, never executed, never set back.

use planloom_engine::model::RunId;
use planloom_engine::views::{RunStatus, TaskStatus};
use planloom_engine::{Effects, Files, Shown};
use planloom_tests::rig::{Rig, output_of, plan, state_of, states, story, task, with};
use planloom_tests::script::Act;
use serde_json::{Value, json};

fn chain() -> Value {
    plan(&[
        task("a", "read.do", &[]),
        task("b", "read.do", &["a"]),
        with(
            task("c", "echo", &["b"]),
            json!({ "inputs": { "value": { "$from": "b" } } }),
        ),
    ])
}

fn id(shown: &Shown) -> RunId {
    shown.row.run.as_str().into()
}

fn is_pinned(shown: &Shown, task: &str) -> bool {
    shown.tasks.iter().any(|t| t.id == task && t.pinned)
}

#[tokio::test(start_paused = true)]
async fn a_pinned_output_is_kept_when_everything_runs_again() {
    let rig = Rig::in_memory();
    let run = id(&rig.run(&chain()).await);
    rig.engine.pin(&run, "b", None).await.unwrap();
    assert!(is_pinned(&rig.show(&run).await, "b"));
    let told = rig.engine.rerun(&run, None, None, Effects::Keep).await.unwrap();
    assert_eq!(
        (told.tasks.join(" "), told.reused.join(" ")),
        ("a c".into(), "b".into())
    );
    assert_eq!(
        states(&rig.show(&run).await),
        "PAUSED: a PENDING, b COMPLETED, c PENDING"
    );
    let done = rig.go_on(&run).await;
    assert_eq!(states(&done), "SUCCEEDED: a COMPLETED, b COMPLETED, c COMPLETED");
    assert_eq!((rig.read.calls_of("a"), rig.read.calls_of("b")), (2, 1));
    // From the pinned task itself: only what is behind it.
    let told = rig
        .engine
        .rerun(&run, Some("b"), None, Effects::Keep)
        .await
        .unwrap();
    assert_eq!(told.tasks, ["c"]);
    rig.go_on(&run).await;

    rig.engine.unpin(&run, "b").await.unwrap();
    assert!(!is_pinned(&rig.show(&run).await, "b"));
    rig.engine.rerun(&run, None, None, Effects::Keep).await.unwrap();
    rig.go_on(&run).await;
    assert_eq!(rig.read.calls_of("b"), 2);
    let twice = rig.engine.unpin(&run, "b").await.unwrap_err();
    assert_eq!(twice.code(), "not_pinned");
}

#[tokio::test(start_paused = true)]
async fn a_value_that_a_person_gives_takes_the_place_of_the_task() {
    let rig = Rig::in_memory();
    let run = id(&rig.run(&chain()).await);
    let big: Value = serde_json::from_str("{\"n\": 9007199254740993, \"d\": 1.10}").unwrap();
    rig.engine.pin(&run, "b", Some(big.clone())).await.unwrap();
    assert_eq!(
        output_of(&rig.show(&run).await, "c"),
        json!("b"),
        "for the next run"
    );
    rig.engine
        .rerun(&run, Some("b"), None, Effects::Keep)
        .await
        .unwrap();
    let done = rig.go_on(&run).await;
    assert_eq!(done.row.status, RunStatus::Succeeded);
    assert_eq!(
        output_of(&done, "c").to_string(),
        big.to_string(),
        "digit for digit"
    );
    assert_eq!(rig.read.calls_of("b"), 1);
    let sentence = rig.engine.task_detail(&run, "b").await.unwrap().events;
    assert!(sentence.iter().any(|e| e.text.contains("its output is pinned")));
}

#[tokio::test(start_paused = true)]
async fn a_rewind_takes_no_pin_back() {
    let rig = Rig::in_memory();
    let run = id(&rig.run(&chain()).await);
    rig.engine.pin(&run, "b", None).await.unwrap();
    rig.engine.rewind(&run, 4, Files::Leave).await.unwrap();
    let rewound = rig.show(&run).await;
    assert_eq!(state_of(&rewound, "b"), TaskStatus::Pending);
    assert!(is_pinned(&rewound, "b"));
    let done = rig.go_on(&run).await;
    assert_eq!(done.row.status, RunStatus::Succeeded);
    assert_eq!((rig.read.calls_of("a"), rig.read.calls_of("b")), (2, 1));
    assert_eq!(output_of(&done, "c"), json!("b"));
}

#[tokio::test(start_paused = true)]
async fn a_fork_sees_its_parents_pins_as_they_are_now() {
    let rig = Rig::in_memory();
    let parent = id(&rig.run(&chain()).await);
    let early = 4;
    rig.engine.pin(&parent, "b", Some(json!("held"))).await.unwrap();
    let before = story(&rig.engine, &parent).await;
    let fork = rig
        .engine
        .fork(&parent, Some(early), None, Files::Leave)
        .await
        .unwrap()
        .run;
    assert!(is_pinned(&rig.show(&fork).await, "b"));
    rig.engine.approve_as_opened(&fork).await.unwrap();
    let done = rig.go_on(&fork).await;
    assert_eq!(output_of(&done, "c"), json!("held"));
    assert_eq!(rig.read.calls_of("b"), 1);
    assert_eq!(story(&rig.engine, &parent).await, before);
}

#[tokio::test(start_paused = true)]
async fn a_pin_mends_what_has_failed_or_waits() {
    let rig = Rig::in_memory();
    rig.read.on("b", [Act::Permanent]);
    let blocked = rig.run(&chain()).await;
    assert_eq!(blocked.row.status, RunStatus::Blocked);
    let run = id(&blocked);
    let nothing = rig.engine.pin(&run, "b", None).await.unwrap_err();
    assert_eq!(nothing.code(), "no_output");
    rig.engine.pin(&run, "b", Some(json!(7))).await.unwrap();
    assert!(rig.show(&run).await.decisions.is_empty());
    let done = rig.go_on(&run).await;
    assert_eq!(states(&done), "SUCCEEDED: a COMPLETED, b COMPLETED, c COMPLETED");
    assert_eq!((output_of(&done, "c"), rig.read.calls_of("b")), (json!(7), 1));
}

#[tokio::test(start_paused = true)]
async fn items_of_a_map_can_be_pinned_and_an_effect_in_doubt_is_not_made_again() {
    let rig = Rig::in_memory();
    let map = json!({ "id": "m", "instruction": "Each.", "task_type": "map", "over": "list",
        "inputs": { "list": ["x", "y"] },
        "task": { "id": "one", "instruction": "One.", "task_type": "tool", "tool": "echo",
                  "inputs": { "value": { "$item": "" } } } });
    let run = id(&rig.run(&plan(&[map])).await);
    for nowhere in ["m[2]", "m/one", "m[0]/x", "m[x]"] {
        assert!(
            rig.engine.pin(&run, nowhere, Some(json!(1))).await.is_err(),
            "{nowhere}"
        );
    }
    rig.engine.pin(&run, "m[1]", Some(json!("held"))).await.unwrap();
    rig.engine.rerun(&run, None, None, Effects::Keep).await.unwrap();
    let done = rig.go_on(&run).await;
    assert_eq!(output_of(&done, "m"), json!(["x", "held"]));

    rig.effect.on("send", [Act::Unknown]);
    let run = id(&rig.run(&plan(&[task("send", "effect.do", &[])])).await);
    rig.engine.pin(&run, "send", Some(json!("sent"))).await.unwrap();
    let done = rig.go_on(&run).await;
    assert_eq!(states(&done), "SUCCEEDED: send COMPLETED");
    assert_eq!(rig.effect.calls_of("send"), 1);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_pinned_is_refused() {
    let rig = Rig::in_memory();
    let typed = with(
        task("a", "read.do", &[]),
        json!({ "output_schema": { "type": "string" } }),
    );
    let run = id(&rig.run(&plan(&[typed])).await);
    let refused = [
        rig.engine.pin(&run, "nowhere", Some(json!(1))).await.unwrap_err(),
        rig.engine.pin(&run, "a/inner", Some(json!(1))).await.unwrap_err(),
        rig.engine.pin(&run, "a[0]", Some(json!(1))).await.unwrap_err(),
        rig.engine.pin(&run, "a", Some(json!(1))).await.unwrap_err(),
    ];
    let codes: Vec<&str> = refused.iter().map(|e| e.code()).collect();
    assert_eq!(codes, ["not_found", "not_found", "not_found", "bad_output"]);

    let live = Rig::that_stays();
    live.read.on("a", [Act::Hang]);
    let run = live.open(&plan(&[task("a", "read.do", &[])])).await;
    live.engine.resume(&run).await.unwrap();
    live.until(&run, "a", TaskStatus::Running).await;
    let owned = live.engine.pin(&run, "a", Some(json!(1))).await.unwrap_err();
    assert_eq!(owned.code(), "owned");
    live.engine.close().await;
}
