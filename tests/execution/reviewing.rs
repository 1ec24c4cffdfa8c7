//! Looking back: what each task did when, any moment of a run, what it was billed, and what going back would mean.

use std::fmt::Write as _;
use std::time::Duration;

use planloom_engine::model::RunId;
use planloom_engine::views::{RunStatus, SpanEnd, SpanKind, TaskStatus, TickKind, TimelineView};
use planloom_engine::{Effects, Files};
use planloom_tests::models::{call, say, submit, using};
use planloom_tests::rig::{Rig, agent, granting, plan, states, task};
use planloom_tests::script::Act;
use serde_json::{Value, json};

/// Each span as a line: task, what, from and to in seconds, how it ended.
fn spans(line: &TimelineView) -> String {
    let time = |seq: u32| line.at[seq as usize - 1] / 1000.0;
    let mut told = String::new();
    for span in &line.spans {
        let name = span
            .track
            .map_or("the run", |t| line.tracks[t as usize].task.as_str());
        let (from, to) = (time(span.from), time(span.to));
        let lane = span.lane.map_or(String::new(), |lane| format!(" lane {lane}"));
        let code = span
            .code
            .as_deref()
            .map_or(String::new(), |code| format!(" {code}"));
        let aside = if span.is_set_aside { " set aside" } else { "" };
        let (kind, end) = (word(span.kind), format!("{:?}", span.end));
        writeln!(
            told,
            "{name:<8} {kind:<8} {from:>5.1} {to:>5.1} {end}{lane}{code}{aside}"
        )
        .unwrap();
    }
    told
}

fn word(kind: SpanKind) -> String {
    format!("{kind:?}")
}

fn ticks(line: &TimelineView, kind: TickKind) -> Vec<String> {
    let those = line.ticks.iter().filter(|tick| tick.kind == kind);
    let name = |track: Option<u32>| {
        track
            .map_or("the run", |t| line.tracks[t as usize].task.as_str())
            .to_owned()
    };
    those.map(|tick| name(tick.track)).collect()
}

fn critical(line: &TimelineView) -> Vec<&str> {
    let those = line.tracks.iter().filter(|track| track.is_critical);
    those.map(|track| track.task.as_str()).collect()
}

fn slow(seconds: u64) -> Act {
    Act::Slow(Duration::from_secs(seconds), json!("done"))
}

#[tokio::test(start_paused = true)]
async fn a_time_axis_tells_queue_work_retries_and_what_the_end_waited_for() {
    let rig = Rig::in_memory();
    rig.read.on("a", [slow(2)]);
    rig.read
        .on("b", [Act::Transient(Some(Duration::from_secs(4))), slow(3)]);
    rig.read.on("c", [slow(1)]);
    let shown = rig
        .run(&plan(&[
            task("a", "read.do", &[]),
            task("b", "read.do", &[]),
            task("c", "read.do", &["a", "b"]),
            task("d", "effect.do", &["c"]),
        ]))
        .await;
    let run = RunId::from(shown.row.run.as_str());
    let line = rig.engine.timeline(&run).await.unwrap();
    insta::assert_snapshot!(spans(&line), @r"
    a        Queue      0.0   0.0 Left
    b        Queue      0.0   0.0 Left
    a        Work       0.0   2.0 Done lane 0
    b        Work       0.0   0.0 Failed lane 1 busy
    b        Backoff    0.0   4.0 Left
    b        Work       4.0   7.0 Done lane 0
    c        Queue      7.0   7.0 Left
    c        Work       7.0   8.0 Done lane 0
    d        Queue      8.0   8.0 Left
    d        Work       8.0   8.0 Done lane 0
    ");
    assert_eq!(critical(&line), ["b", "c", "d"]);
    assert_eq!(line.lanes, 2, "two were at work at once");
    assert_eq!(ticks(&line, TickKind::Failure), ["b"]);
    assert_eq!(ticks(&line, TickKind::Effect), ["d"]);
    assert_eq!(line.at.len() as u32, line.head);
    assert!(line.at.is_sorted());
    let work: Vec<f64> = line.tracks.iter().map(|track| track.work_ms).collect();
    assert_eq!(work, [2000.0, 3000.0, 1000.0, 0.0]);
}

#[tokio::test(start_paused = true)]
async fn people_and_doubt_are_told_apart_from_work() {
    let rig = Rig::in_memory();
    rig.effect.on("send", [Act::Unknown]);
    let ask =
        json!({ "id": "ask", "instruction": "Keep?", "task_type": "human", "form": { "type": "object" } });
    let run = rig.open(&plan(&[ask, task("send", "effect.do", &[])])).await;
    rig.go_on(&run).await;
    let line = rig.engine.timeline(&run).await.unwrap();
    let open = line.spans.iter().filter(|span| span.end == SpanEnd::Open);
    let open: Vec<SpanKind> = open.map(|span| span.kind).collect();
    assert_eq!(open, [SpanKind::Person, SpanKind::Doubt]);

    rig.answer(&run, "d1", json!({})).await;
    rig.answer(&run, "d2", json!("done")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded, "{}", states(&shown));
    let line = rig.engine.timeline(&run).await.unwrap();
    assert!(
        line.spans.iter().all(|span| span.end != SpanEnd::Open),
        "{}",
        spans(&line)
    );
    let checkpoints = ticks(&line, TickKind::Checkpoint);
    assert!(
        checkpoints.iter().filter(|name| *name == "ask").count() >= 1,
        "{checkpoints:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_blocked_run_waits_for_a_person_at_the_task_that_failed() {
    let rig = Rig::in_memory();
    rig.read.on("a", [Act::Permanent]);
    let shown = rig
        .run(&plan(&[task("a", "read.do", &[]), task("b", "read.do", &["a"])]))
        .await;
    let run = RunId::from(shown.row.run.as_str());
    let line = rig.engine.timeline(&run).await.unwrap();
    let last = line.spans.last().unwrap();
    assert_eq!((last.kind, last.end), (SpanKind::Person, SpanEnd::Open));
    let failed = line
        .spans
        .iter()
        .find(|span| span.end == SpanEnd::Failed)
        .unwrap();
    assert_eq!((failed.kind, failed.code.is_some()), (SpanKind::Work, true));
}

#[tokio::test(start_paused = true)]
async fn what_a_rewind_took_back_is_set_aside_on_the_axis() {
    let rig = Rig::in_memory();
    let shown = rig
        .run(&plan(&[task("a", "read.do", &[]), task("b", "read.do", &["a"])]))
        .await;
    let run = RunId::from(shown.row.run.as_str());
    let line = rig.engine.timeline(&run).await.unwrap();
    let done = line.spans.iter().find(|span| span.end == SpanEnd::Done).unwrap();
    rig.engine
        .rewind(&run, u64::from(done.to), Files::Leave)
        .await
        .unwrap();
    rig.go_on(&run).await;
    let again = rig.engine.timeline(&run).await.unwrap();
    let of_b: Vec<bool> = again
        .spans
        .iter()
        .filter(|span| span.track == Some(1) && span.kind == SpanKind::Work)
        .map(|span| span.is_set_aside)
        .collect();
    assert_eq!(of_b, [true, false]);
    assert_eq!(again.set_aside.len(), 1);
    assert_eq!(
        (again.set_aside[0].after, again.set_aside[0].before),
        (done.to, line.head + 1)
    );
    assert_eq!(ticks(&again, TickKind::Rewind).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn items_of_a_map_are_tracks_of_their_own_in_lanes() {
    let rig = Rig::in_memory();
    let map = json!({
        "id": "all", "instruction": "Each.", "task_type": "map", "over": "list", "max_parallel": 2,
        "inputs": { "list": ["x", "y", "z"] },
        "task": { "id": "one", "instruction": "One.", "task_type": "tool", "tool": "echo", "inputs": { "value": { "$item": "" } } },
    });
    let shown = rig.run(&plan(&[map])).await;
    let run = RunId::from(shown.row.run.as_str());
    let line = rig.engine.timeline(&run).await.unwrap();
    let names: Vec<(&str, Option<u32>)> = line.tracks.iter().map(|t| (t.task.as_str(), t.owner)).collect();
    assert_eq!(
        names,
        [
            ("all", None),
            ("all[0]", Some(0)),
            ("all[1]", Some(0)),
            ("all[2]", Some(0))
        ]
    );
    assert!(line.lanes <= 2, "{}", spans(&line));
    let head = u64::from(line.head);
    let moment = rig.engine.moment(&run, head).await.unwrap();
    assert_eq!(moment.items[0].states, [TaskStatus::Completed; 3]);
    assert_eq!(moment.tasks.len(), 1, "items are told by their states alone");
}

#[tokio::test(start_paused = true)]
async fn any_moment_is_shown_as_it_was() {
    let rig = Rig::in_memory();
    rig.read
        .on("a", [Act::Transient(None), Act::Give(json!("first\nsecond"))]);
    let shown = rig
        .run(&plan(&[task("a", "read.do", &[]), task("b", "read.do", &["a"])]))
        .await;
    let run = RunId::from(shown.row.run.as_str());
    let mut of_a = Vec::new();
    for seq in 1..=shown.seq {
        let moment = rig.engine.moment(&run, seq).await.unwrap();
        assert_eq!((u64::from(moment.seq), u64::from(moment.event.seq)), (seq, seq));
        let Some(a) = moment.tasks.iter().find(|t| t.id == "a") else {
            continue;
        };
        if of_a.last() != Some(&a.status) {
            of_a.push(a.status);
        }
        let line = moment.outputs.iter().find(|line| line.task == "a");
        assert_eq!(
            line.map(|l| l.line.as_str()),
            (a.status == TaskStatus::Completed).then_some("first")
        );
    }
    use TaskStatus::{Completed, Pending, Ready, Retrying, Running};
    assert_eq!(of_a, [Pending, Ready, Running, Retrying, Running, Completed]);
    assert_eq!(
        rig.engine.moment(&run, 0).await.unwrap_err().code(),
        "no_such_event"
    );
    let past = rig.engine.moment(&run, shown.seq + 1).await.unwrap_err();
    assert_eq!(past.code(), "no_such_event");
}

#[tokio::test(start_paused = true)]
async fn the_bill_adds_up_by_task_model_role_and_turn() {
    let rig = Rig::with_models();
    rig.model.on(
        "Work on a",
        [
            using(call(&[("read.do", json!({ "id": "x" }))]), 100, 10),
            using(submit(json!({ "result": "done" })), 200, 20),
        ],
    );
    rig.model.on("Say b", [using(say("\"b\""), 40, 4)]);
    let b = json!({ "id": "b", "instruction": "Say b.", "task_type": "model" });
    let shown = rig.run(&granting(&["x"], &[agent("a", &["read.do"]), b])).await;
    let run = RunId::from(shown.row.run.as_str());
    let line = rig.engine.timeline(&run).await.unwrap();
    let bill = &line.bill;
    assert_eq!((bill.whole.calls, bill.whole.input_tokens), (3, 340.0));
    assert_eq!(bill.whole.output_tokens, shown.row.spent.output_tokens);
    assert_eq!(bill.whole.usd, shown.row.spent.usd);
    assert_eq!(bill.roles.len(), 1);
    assert_eq!(bill.roles[0].name, "executor");
    assert_eq!(bill.models.iter().map(|row| row.cost.calls).sum::<u32>(), 3);
    let turns: Vec<(Option<&str>, u32)> = bill.turns.iter().map(|t| (t.task.as_deref(), t.turn)).collect();
    assert!(turns.contains(&(Some("a"), 2)), "{turns:?}");
    let by_task: Vec<f64> = line.tracks.iter().map(|t| t.cost.input_tokens).collect();
    assert_eq!(by_task, [300.0, 40.0]);
}

fn chain() -> Value {
    plan(&[
        task("a", "read.do", &[]),
        task("b", "effect.do", &["a"]),
        task("c", "read.do", &["b"]),
    ])
}

async fn done_at(rig: &Rig, run: &RunId, task: &str) -> u64 {
    let line = rig.engine.timeline(run).await.unwrap();
    let is_it = |tick: &&planloom_engine::views::TickView| {
        tick.kind == TickKind::Checkpoint && tick.track.is_some_and(|t| line.tracks[t as usize].task == task)
    };
    u64::from(line.ticks.iter().find(is_it).unwrap().seq)
}

#[tokio::test(start_paused = true)]
async fn a_preview_says_what_a_rewind_and_a_fork_then_do() {
    let rig = Rig::in_memory();
    let shown = rig.run(&chain()).await;
    let run = RunId::from(shown.row.run.as_str());
    let at = done_at(&rig, &run, "a").await;
    let told = rig.engine.rewind_preview(&run, at).await.unwrap();
    assert_eq!(
        (told.reused.as_slice(), told.again.as_slice()),
        (&["a".to_owned()][..], &["b".to_owned(), "c".to_owned()][..])
    );
    assert_eq!(told.effects.len(), 1);
    assert_eq!(told.why_not, None);
    assert_eq!(rig.show(&run).await.seq, shown.seq, "nothing was recorded");
    let end = rig.engine.rewind_preview(&run, shown.seq).await.unwrap();
    assert!(end.why_not.is_some(), "there is nothing to take back");

    let fork = rig.engine.fork_preview(&run, at).await.unwrap();
    assert_eq!((&fork.reused, &fork.again), (&told.reused, &told.again));
    let forked = rig.engine.fork(&run, Some(at), None, Files::Leave).await.unwrap();
    assert_eq!(forked.at, u64::from(fork.seq));
    let done = rig.engine.rewind(&run, at, Files::Leave).await.unwrap();
    assert_eq!((done.reused, done.tasks), (told.reused, told.again));

    rig.go_on(&run).await;
    let rerun = rig.engine.rerun_view(&run, "b").await.unwrap();
    assert_eq!(
        (rerun.reused.as_slice(), rerun.again.len()),
        (&["a".to_owned()][..], 2)
    );
    assert_eq!(rerun.effects.len(), 1);
    let done = rig
        .engine
        .rerun(&run, Some("b"), None, Effects::Keep)
        .await
        .unwrap();
    assert_eq!(done.tasks, rerun.again);
}

#[tokio::test(start_paused = true)]
async fn a_fork_is_edited_like_any_draft_and_what_is_equal_is_not_done_again() {
    let rig = Rig::in_memory();
    rig.read.on("c", [Act::Permanent]);
    let shown = rig.run(&chain()).await;
    let run = RunId::from(shown.row.run.as_str());
    let at = done_at(&rig, &run, "b").await;
    let then = rig.engine.plan_at(&run, at).await.unwrap();
    assert!(!then.is_draft, "it is to be looked at");
    let forked = rig.engine.fork(&run, Some(at), None, Files::Leave).await.unwrap();
    let draft = rig.engine.draft(&forked.run).await.unwrap();
    assert!(draft.is_draft, "a fork may be edited until somebody signs it");
    let edit = planloom_engine::model::edit::PlanEdit::SetTask {
        id: "c".to_owned(),
        field: "/inputs/id".to_owned(),
        value: Some("\"other\"".to_owned()),
    };
    rig.engine
        .edit_draft(&forked.run, draft.revision, vec![edit])
        .await
        .unwrap();
    rig.engine.approve_as_opened(&forked.run).await.unwrap();
    let done = rig.go_on(&forked.run).await;
    assert_eq!(states(&done), "SUCCEEDED: a COMPLETED, b COMPLETED, c COMPLETED");
    assert_eq!(rig.effect.calls_of("b"), 1, "what was done is taken over");
    assert_eq!((rig.read.calls_of("c"), rig.read.calls_of("other")), (1, 1));
    assert_eq!(
        rig.show(&run).await.row.status,
        RunStatus::Blocked,
        "the parent stays"
    );
}

#[tokio::test(start_paused = true)]
async fn looking_back_at_a_run_that_goes_on_says_why_it_cannot_be_rewound() {
    let rig = Rig::in_memory();
    rig.read.on("b", [Act::Hang]);
    let run = rig
        .open(&plan(&[task("a", "read.do", &[]), task("b", "read.do", &["a"])]))
        .await;
    rig.engine.resume(&run).await.unwrap();
    rig.until(&run, "b", TaskStatus::Running).await;
    let at = done_at(&rig, &run, "a").await;
    let told = rig.engine.rewind_preview(&run, at).await.unwrap();
    assert!(told.why_not.unwrap().contains("driven"));
    assert_eq!(
        rig.engine.fork_preview(&run, at).await.unwrap().why_not,
        None,
        "a fork takes nothing from it"
    );
}

#[tokio::test(start_paused = true)]
async fn stepping_through_a_long_log_shows_what_a_look_from_afar_shows() {
    let rig = Rig::in_memory();
    let tasks: Vec<Value> = (0..60).map(|n| task(&format!("t{n}"), "read.do", &[])).collect();
    let shown = rig.run(&plan(&tasks)).await;
    let run = RunId::from(shown.row.run.as_str());
    assert!(shown.seq > 300, "{}", shown.seq);
    rig.engine.forget_folds();
    let picture = async |seq: u64| {
        let moment = rig.engine.moment(&run, seq).await.unwrap();
        let states: Vec<TaskStatus> = moment.tasks.iter().map(|task| task.status).collect();
        (moment.row.status, states)
    };
    // From the end back, then on again: each from a fold near the one before.
    let back: Vec<u64> = (100..=shown.seq).rev().collect();
    let on: Vec<u64> = (100..=shown.seq).collect();
    let mut near = Vec::new();
    for &seq in back.iter().chain(&on) {
        near.push((seq, picture(seq).await));
    }
    for (seq, seen) in near {
        rig.engine.forget_folds();
        assert_eq!(picture(seq).await, seen, "at {seq}");
    }
}
