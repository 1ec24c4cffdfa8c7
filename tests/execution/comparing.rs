//! Two runs side by side: what they share, what differs and what is equal, at rest, on their way and before they began.

use std::time::Duration;

use planloom_engine::model::RunId;
use planloom_engine::model::edit::PlanEdit;
use planloom_engine::views::{CompareView, ComparedTask, Difference, Kin, PlanChange, TaskStatus, Verdict};
use planloom_engine::{Files, Spaces};
use planloom_tests::models::{say, using};
use planloom_tests::rig::{Rig, plan, task};
use planloom_tests::script::Act;
use serde_json::{Value, json};

fn chain() -> Value {
    plan(&[
        task("a", "read.do", &[]),
        task("b", "read.do", &["a"]),
        task("c", "read.do", &["b"]),
    ])
}

async fn finished(rig: &Rig, plan: &Value) -> RunId {
    RunId::from(rig.run(plan).await.row.run.as_str())
}

/// The run up to where the task is done, as a fork with another argument for another task.
async fn fork_with_an_edit(rig: &Rig, run: &RunId, done: &str, edited: &str) -> RunId {
    let line = rig.engine.timeline(run).await.unwrap();
    let place = line.tracks.iter().position(|track| track.task == done).unwrap();
    let tick = line
        .ticks
        .iter()
        .find(|tick| tick.track == u32::try_from(place).ok())
        .unwrap();
    let at = Some(u64::from(tick.seq));
    let fork = rig.engine.fork(run, at, None, Files::Leave).await.unwrap().run;
    let draft = rig.engine.draft(&fork).await.unwrap();
    let edit = PlanEdit::SetTask {
        id: edited.to_owned(),
        field: "/inputs/id".to_owned(),
        value: Some("\"other\"".to_owned()),
    };
    rig.engine
        .edit_draft(&fork, draft.revision, vec![edit])
        .await
        .unwrap();
    fork
}

async fn compare(rig: &Rig, a: &RunId, b: &RunId) -> CompareView {
    rig.engine.compare(a, b).await.unwrap()
}

fn told(view: &CompareView) -> Vec<(&str, &[Difference])> {
    view.tasks
        .iter()
        .map(|task| (task.task.as_str(), task.differs.as_slice()))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_run_compared_with_itself_differs_in_nothing() {
    let rig = Rig::in_memory();
    let run = finished(&rig, &chain()).await;
    let view = compare(&rig, &run, &run).await;
    assert_eq!((view.tasks.len(), view.same, view.same_but_time), (0, 3, 0));
    assert_eq!(view.answer, Verdict::Same);
    let plan = view.plan.unwrap();
    assert!(plan.tasks.iter().all(|task| task.change == PlanChange::Kept) && !plan.executes);
    assert_eq!(view.a.numbers, view.b.numbers);
    let shared = view.shared.unwrap();
    assert_eq!((shared.run, shared.seq), (run.to_string(), view.a.head));
    let outputs = rig
        .engine
        .compare_outputs(&run, &run, None, Spaces::Count)
        .await
        .unwrap();
    assert_eq!(outputs.verdict, Verdict::Same);
}

/// The same with A and B in each other's place.
fn is_the_mirror(turned: &CompareView, view: &CompareView) {
    assert_eq!(turned.shared, view.shared);
    let mirror = |task: &ComparedTask| ComparedTask {
        a: task.b.clone(),
        b: task.a.clone(),
        ..task.clone()
    };
    assert_eq!(turned.tasks, view.tasks.iter().map(mirror).collect::<Vec<_>>());
    assert_eq!(
        (&turned.a.numbers, &turned.b.numbers),
        (&view.b.numbers, &view.a.numbers)
    );
}

#[tokio::test(start_paused = true)]
async fn a_fork_with_an_edit_differs_from_where_it_went_its_own_way() {
    let rig = Rig::in_memory();
    rig.read
        .on("a", [Act::Slow(Duration::from_secs(4), json!("one"))]);
    rig.read.on(
        "b",
        [Act::Give(json!({ "text": "first\nsecond\nthird", "n": 1 }))],
    );
    rig.read.on(
        "other",
        [
            Act::Transient(Some(Duration::from_secs(2))),
            Act::Give(json!({ "text": "first\n2nd\nthird", "n": 2 })),
        ],
    );
    let run = finished(&rig, &chain()).await;
    let fork = fork_with_an_edit(&rig, &run, "a", "b").await;
    rig.engine.approve_as_opened(&fork).await.unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
    rig.go_on(&fork).await;

    let view = compare(&rig, &run, &fork).await;
    let shared = view.shared.as_ref().unwrap();
    assert_eq!((shared.run.as_str(), shared.ran_ms), (run.as_str(), 4000.0));
    assert_eq!(
        told(&view),
        [(
            "b",
            &[Difference::Plan, Difference::Output, Difference::Attempts][..]
        )]
    );
    assert_eq!((view.same + view.same_but_time, view.tasks_left_off), (2, 0));
    let changed = &view.plan.as_ref().unwrap().tasks[1];
    assert_eq!(
        (changed.change, changed.fields[0].pointer.as_str()),
        (PlanChange::Changed, "/inputs/id")
    );
    let (of_a, of_b) = (&view.a.numbers, &view.b.numbers);
    assert_eq!(
        (of_a.ran_ms, of_b.ran_ms),
        (4000.0, 6000.0),
        "what is shared counts in both"
    );
    assert_eq!((of_a.retries, of_b.retries), (0, 1));
    assert_eq!((of_a.tool_calls, of_b.tool_calls), (3, 4));
    assert_eq!(view.answer, Verdict::Same, "the leaf gives the same");

    let outputs = rig
        .engine
        .compare_outputs(&run, &fork, Some("b"), Spaces::Count)
        .await
        .unwrap();
    assert_eq!(outputs.verdict, Verdict::Differs);
    assert_eq!((outputs.values.len(), outputs.texts.len()), (1, 1));
    assert_eq!(outputs.values[0].at.a.as_deref(), Some("/n"));
    assert_eq!((outputs.texts[0].changes, outputs.texts[0].equal_lines), (1, 2));

    is_the_mirror(&compare(&rig, &fork, &run).await, &view);
}

#[tokio::test(start_paused = true)]
async fn runs_of_different_plans_share_nothing_and_are_compared_all_the_same() {
    let rig = Rig::in_memory();
    let one = finished(&rig, &chain()).await;
    let two = finished(
        &rig,
        &plan(&[task("a", "read.do", &[]), task("z", "read.do", &["a"])]),
    )
    .await;
    let view = compare(&rig, &one, &two).await;
    assert_eq!(view.shared, None);
    assert_eq!(
        told(&view).into_iter().map(|(task, _)| task).collect::<Vec<_>>(),
        ["b", "c", "z"]
    );
    assert_eq!(view.same + view.same_but_time, 1);
    let of = |task: &str| view.tasks.iter().find(|one| one.task == task).unwrap();
    assert_eq!((of("b").plan, of("b").b.is_none()), (PlanChange::Removed, true));
    assert_eq!(
        (of("z").plan, of("z").output),
        (PlanChange::Added, Verdict::OnlyB)
    );
    assert_eq!(view.answer, Verdict::Differs);
    let missing = rig
        .engine
        .compare_outputs(&one, &two, Some("nobody"), Spaces::Count)
        .await;
    assert_eq!(missing.unwrap_err().code(), "not_found");
    let unknown = rig.engine.compare(&one, &RunId::from("nowhere")).await;
    assert_eq!(unknown.unwrap_err().code(), "not_found");
}

#[tokio::test(start_paused = true)]
async fn a_draft_and_a_run_that_goes_on_are_compared_as_they_are() {
    let rig = Rig::in_memory();
    let run = finished(&rig, &chain()).await;
    let draft = fork_with_an_edit(&rig, &run, "a", "c").await;
    let view = compare(&rig, &run, &draft).await;
    assert!(view.a.has_begun);
    let of_c = view.tasks.iter().find(|task| task.task == "c").unwrap();
    assert_eq!(of_c.b.as_ref().unwrap().status, TaskStatus::Pending);
    assert_eq!((of_c.output, view.answer), (Verdict::OnlyA, Verdict::OnlyA));

    let never = rig.engine.new_plan().await.unwrap();
    let view = compare(&rig, &run, &RunId::from(never.run.as_str())).await;
    assert!(!view.b.has_begun && view.b.numbers.ran_ms == 0.0);

    rig.read.on("slow", [Act::Hang]);
    let live = rig.open(&plan(&[task("slow", "read.do", &[])])).await;
    rig.engine.resume(&live).await.unwrap();
    rig.until(&live, "slow", TaskStatus::Running).await;
    let view = compare(&rig, &run, &live).await;
    let of_slow = view.tasks.iter().find(|task| task.task == "slow").unwrap();
    assert_eq!(of_slow.b.as_ref().unwrap().status, TaskStatus::Running);
}

#[tokio::test(start_paused = true)]
async fn times_alone_make_no_difference_and_models_are_told() {
    let rig = Rig::with_models();
    let ask = plan(&[json!({ "id": "b", "instruction": "Say b.", "task_type": "model" })]);
    rig.model.on(
        "Say b",
        [
            using(say("\"b\""), 40, 4),
            using(say("\"b\""), 40, 4),
            using(say("\"c\""), 40, 5),
        ],
    );
    let one = finished(&rig, &ask).await;
    let two = finished(&rig, &ask).await;
    let three = finished(&rig, &ask).await;
    let view = compare(&rig, &one, &two).await;
    assert_eq!((view.tasks.len(), view.same + view.same_but_time), (0, 1));
    assert_eq!((view.a.executors.len(), &view.a.models), (1, &view.b.models));
    let view = compare(&rig, &one, &three).await;
    assert_eq!(told(&view), [("b", &[Difference::Output, Difference::Cost][..])]);
    assert_eq!(view.b.numbers.cost.output_tokens, 5.0);
}

#[tokio::test(start_paused = true)]
async fn an_output_that_is_damaged_or_too_large_says_so() {
    let rig = Rig::on_file();
    let long = |letter: &str| json!(letter.repeat(9_000));
    rig.read.on("a", [Act::Give(long("x")), Act::Give(long("y"))]);
    let only_a = plan(&[task("a", "read.do", &[])]);
    let (one, two) = (finished(&rig, &only_a).await, finished(&rig, &only_a).await);
    let whole = rig
        .engine
        .compare_outputs(&one, &two, Some("a"), Spaces::Count)
        .await
        .unwrap();
    let shown = whole.values[0].a.as_ref().unwrap();
    assert_eq!(shown.json.len() + shown.left_out as usize, 9_002);
    assert!(whole.a.digest.is_some() && whole.a.digest != whole.b.digest);

    let digest = whole.b.digest.unwrap();
    let conn = rusqlite::Connection::open(rig.db()).unwrap();
    let damaged = conn.execute(
        "UPDATE payloads SET data = zeroblob(40), codec = 0 WHERE lower(hex(hash)) = ?1",
        [&digest],
    );
    assert_eq!(damaged.unwrap(), 1, "{digest}");
    let broken = rig
        .engine
        .compare_outputs(&one, &two, Some("a"), Spaces::Count)
        .await
        .unwrap();
    assert_eq!((broken.verdict, broken.a.trouble), (Verdict::Differs, None));
    assert!(broken.b.trouble.unwrap().contains("damaged"));
    assert_eq!(
        compare(&rig, &one, &two).await.tasks.len(),
        1,
        "the rest is told all the same"
    );
}

#[tokio::test(start_paused = true)]
async fn forks_are_a_tree_before_other_runs_of_the_plan_and_the_rest() {
    let rig = Rig::in_memory();
    let other = rig.engine.new_plan().await.unwrap().run;
    let run = finished(&rig, &chain()).await;
    let fork = fork_with_an_edit(&rig, &run, "a", "c").await;
    let below = rig
        .engine
        .fork(&fork, None, None, Files::Leave)
        .await
        .unwrap()
        .run;
    let forked = rig.engine.fork(&run, Some(9), None, Files::Leave).await.unwrap();
    let (beside, at) = (forked.run, forked.at as u32);
    let again = finished(&rig, &chain()).await;
    for asked in [&run, &below, &beside] {
        let family = rig.engine.family(asked).await.unwrap();
        let told: Vec<(&str, Kin, u32)> = family
            .rows
            .iter()
            .map(|one| (one.row.run.as_str(), one.kin, one.depth))
            .collect();
        let expected = [
            (run.as_str(), Kin::Fork, 0),
            (fork.as_str(), Kin::Fork, 1),
            (below.as_str(), Kin::Fork, 2),
            (beside.as_str(), Kin::Fork, 1),
            (again.as_str(), Kin::SamePlan, 0),
            (other.as_str(), Kin::Other, 0),
        ];
        assert_eq!(told, expected, "asked for {asked}");
        assert_eq!(family.rows[2].parent.as_deref(), Some(fork.as_str()));
    }
    let shared = compare(&rig, &below, &beside).await.shared.unwrap();
    assert_eq!((shared.run.as_str(), shared.seq), (run.as_str(), at));
    rig.engine.delete_run(&run).await.unwrap();
    let family = rig.engine.family(&below).await.unwrap();
    assert_eq!(
        (family.rows[0].row.run.as_str(), family.rows[0].depth),
        (fork.as_str(), 0)
    );
    assert_eq!(compare(&rig, &below, &beside).await.shared.unwrap().seq, at);
}

#[tokio::test(start_paused = true)]
async fn very_many_tasks_are_counted_and_not_all_told() {
    let rig = Rig::in_memory();
    let map = |last: &str| {
        let items: Vec<String> = (0..3_000).map(|n| format!("{n}{last}")).collect();
        plan(&[json!({
            "id": "all", "instruction": "Each.", "task_type": "map", "over": "list", "inputs": { "list": items },
            "task": { "id": "one", "instruction": "One.", "task_type": "tool", "tool": "echo", "inputs": { "value": { "$item": "" } } },
        })])
    };
    let (one, two) = (finished(&rig, &map("a")).await, finished(&rig, &map("b")).await);
    let view = compare(&rig, &one, &two).await;
    assert_eq!((view.tasks.len(), view.tasks_left_off), (2_000, 1_001));
    let outputs = rig
        .engine
        .compare_outputs(&one, &two, Some("all"), Spaces::Count)
        .await
        .unwrap();
    assert_eq!((outputs.values.len(), outputs.values_left_off), (1_000, 2_000));
}
