//! Going back and forth in one run: what its files hold and what counts as made agree, whatever the way; the time in which
//! nobody drove it is no time of the run.

use planloom_engine::Files;
use planloom_engine::model::RunId;
use planloom_engine::views::RunStatus;
use planloom_tests::rig::{Rig, plan, seq_of, states, task};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

fn append(id: &str, text: &str, after: &[&str]) -> Value {
    json!({ "id": id, "instruction": "Add.", "task_type": "tool", "tool": "file.write", "dependencies": after,
            "inputs": { "path": "log.txt", "text": text, "append": true } })
}

async fn ran(rig: &Rig) -> RunId {
    let tasks = [
        append("w1", "one\n", &[]),
        task("a", "effect.do", &["w1"]),
        append("w2", "two\n", &["a"]),
        task("b", "effect.do", &["w2"]),
    ];
    let shown = rig.run(&plan(&tasks)).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded, "{}", states(&shown));
    shown.row.run.as_str().into()
}

fn log(rig: &Rig) -> String {
    std::fs::read_to_string(rig.folder().join("log.txt")).unwrap_or_default()
}

async fn end(rig: &Rig, run: &RunId) {
    if rig.show(run).await.row.status != RunStatus::Succeeded {
        let shown = rig.go_on(run).await;
        assert_eq!(shown.row.status, RunStatus::Succeeded, "{}", states(&shown));
    }
}

async fn once_each(rig: &Rig, run: &RunId) {
    end(rig, run).await;
    assert_eq!(log(rig), "one\ntwo\n");
    assert_eq!((rig.effect.calls_of("a"), rig.effect.calls_of("b")), (1, 1));
}

/// The second restoring brings back what the first one had undone, and the write is there though it was made anew since.
#[tokio::test(start_paused = true)]
async fn a_restoring_forward_leaves_made_what_the_files_then_hold() {
    let rig = Rig::in_memory();
    let run = ran(&rig).await;
    let before = seq_of(&rig, &run, "task_completed", "w1").await;
    let behind = seq_of(&rig, &run, "task_completed", "b").await;
    rig.engine.rewind(&run, before, Files::Restore).await.unwrap();
    assert_eq!(log(&rig), "one\n");
    once_each(&rig, &run).await;
    rig.engine.rewind(&run, behind, Files::Restore).await.unwrap();
    once_each(&rig, &run).await;
    rig.engine.rewind(&run, before, Files::Leave).await.unwrap();
    once_each(&rig, &run).await;
}

#[tokio::test(start_paused = true)]
async fn what_was_undone_and_is_there_again_is_not_made_once_more() {
    let rig = Rig::in_memory();
    let run = ran(&rig).await;
    let before = seq_of(&rig, &run, "task_completed", "w1").await;
    let behind = seq_of(&rig, &run, "task_completed", "b").await;
    rig.engine.rewind(&run, before, Files::Restore).await.unwrap();
    let told = rig.engine.rewind(&run, behind, Files::Restore).await.unwrap();
    assert_eq!(log(&rig), "one\ntwo\n");
    assert_eq!(told.restored.unwrap().redone.len(), 1);
    rig.engine.rewind(&run, before, Files::Leave).await.unwrap();
    once_each(&rig, &run).await;
}

/// Going back and giving the files what they held is one act: nobody can go in between, where tasks and files disagree.
#[tokio::test(start_paused = true)]
async fn there_is_no_moment_between_going_back_and_the_files() {
    let rig = Rig::in_memory();
    let run = ran(&rig).await;
    let before = seq_of(&rig, &run, "task_completed", "w1").await;
    rig.engine.rewind(&run, before, Files::Restore).await.unwrap();
    let rewound = seq_of(&rig, &run, "run_rewound", "").await;
    let refused = rig.engine.rewind(&run, rewound, Files::Restore).await;
    let refused = refused.unwrap_err();
    assert_eq!(refused.code(), "no_such_event");
    let told = refused.to_string();
    assert!(
        told.contains("are one act, and the run stands right behind it"),
        "{told}"
    );
    for view in [
        rig.engine.rewind_preview(&run, rewound).await.unwrap(),
        rig.engine.fork_preview(&run, rewound).await.unwrap(),
    ] {
        assert_eq!(u64::from(view.seq), rewound + 1);
    }
    let far = rig.engine.fork_preview(&run, u64::MAX).await;
    assert_eq!(far.unwrap_err().code(), "no_such_event");
    once_each(&rig, &run).await;
    rig.engine.rewind(&run, rewound, Files::Restore).await.unwrap();
    assert_eq!(log(&rig), "one\n");
    once_each(&rig, &run).await;
}

/// `(where to, restore, go on)`
type Step = (u64, bool, bool);

async fn goes_back_and_forth(steps: Vec<Step>) {
    let rig = Rig::in_memory();
    let run = ran(&rig).await;
    let first = seq_of(&rig, &run, "run_claimed", "").await;
    for (place, restore, goes_on) in steps.iter().copied() {
        let head = rig.show(&run).await.seq;
        let to = first + place % (head - first);
        let files = if restore { Files::Restore } else { Files::Leave };
        // Where files were put back last, the run stands already.
        if let Err(error) = rig.engine.rewind(&run, to, files).await {
            assert_eq!((error.code(), to), ("no_such_event", head - 1));
        }
        if goes_on {
            end(&rig, &run).await;
        }
    }
    end(&rig, &run).await;
    let log = log(&rig);
    for line in ["one", "two"] {
        assert!(log.matches(line).count() <= 1, "{log:?} after {steps:?}");
    }
    if steps.iter().all(|&(_, restore, _)| restore) {
        assert_eq!(log, "one\ntwo\n", "after {steps:?}");
    }
    assert_eq!(
        (rig.effect.calls_of("a"), rig.effect.calls_of("b")),
        (1, 1),
        "after {steps:?}"
    );
}

#[test]
fn no_way_back_and_forth_makes_anything_twice() {
    let step = (0..200_u64, any::<bool>(), any::<bool>());
    let ways = proptest::collection::vec(step, 1..6);
    let mut runner = TestRunner::new(Config {
        cases: 60,
        failure_persistence: None,
        ..Config::default()
    });
    runner
        .run(&ways, |steps| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .start_paused(true)
                .build()
                .unwrap();
            runtime.block_on(goes_back_and_forth(steps));
            Ok(())
        })
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_call_that_was_under_way_is_among_what_was_made() {
    let rig = Rig::in_memory();
    let run = ran(&rig).await;
    let in_call = seq_of(&rig, &run, "call_started", "a").await;
    let shown = rig.engine.rewind_preview(&run, in_call).await.unwrap();
    let told = rig.engine.rewind(&run, in_call, Files::Leave).await.unwrap();
    for effects in [shown.effects, told.effects] {
        let tasks: Vec<&str> = effects.iter().map(|effect| effect.task.as_str()).collect();
        assert_eq!(tasks, ["a", "w2", "b"]);
    }
}

#[tokio::test(start_paused = true)]
async fn time_in_which_nobody_drives_is_no_time_of_the_run() {
    let rig = Rig::in_memory();
    let run = ran(&rig).await;
    let ran_ms = rig.show(&run).await.row.ran_ms;
    let to = seq_of(&rig, &run, "task_completed", "w1").await;
    tokio::time::sleep(std::time::Duration::from_secs(900)).await;
    rig.engine.rewind(&run, to, Files::Leave).await.unwrap();
    assert_eq!(rig.show(&run).await.row.ran_ms, ran_ms);
    tokio::time::sleep(std::time::Duration::from_secs(900)).await;
    let done = rig.go_on(&run).await;
    assert!(done.row.ran_ms.unwrap() < 60_000.0, "{:?}", done.row.ran_ms);
}

/// Ways that once lost a write.
#[tokio::test(start_paused = true)]
async fn ways_that_lost_a_write_lose_none() {
    for steps in [
        vec![(21, true, false), (3, true, false), (123, true, false)],
        vec![(126, true, false), (175, true, false), (124, true, true)],
    ] {
        goes_back_and_forth(steps).await;
    }
}
