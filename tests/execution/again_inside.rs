//! Going again inside of maps and nested plans: one item runs again, the others keep what they have.

use planloom_engine::Effects;
use planloom_engine::model::RunId;
use planloom_engine::views::RunStatus;
use planloom_tests::rig::{Rig, granting, output_of, plan, states, task};
use planloom_tests::script::Act;
use serde_json::{Value, json};

fn read_item() -> Value {
    json!({ "instruction": "Read.", "task_type": "tool", "tool": "read.do", "inputs": { "id": { "$item": "" } } })
}

fn each(inner: Value) -> Value {
    json!({ "id": "each", "instruction": "Each.", "task_type": "map", "over": ["x", "y", "z"], "task": inner })
}

fn id(shown: &planloom_engine::Shown) -> RunId {
    shown.row.run.as_str().into()
}

#[tokio::test(start_paused = true)]
async fn one_item_runs_again_with_what_waits_for_its_map_and_the_others_are_kept() {
    let rig = Rig::in_memory();
    rig.read
        .on("y", [Act::Give(json!("wrong")), Act::Give(json!("right"))]);
    let tasks = [
        task("before", "read.do", &[]),
        each(read_item()),
        task("after", "read.do", &["each"]),
        task("beside", "read.do", &["before"]),
    ];
    let shown = rig.run(&granting(&["x", "y", "z"], &tasks)).await;
    assert_eq!(output_of(&shown, "each"), json!(["x", "wrong", "z"]));
    let run = id(&shown);
    let told = rig.engine.rerun_preview(&run, Some("each[1]")).await.unwrap();
    assert_eq!(told.tasks, ["after", "each[1]"]);
    let told = rig
        .engine
        .rerun(&run, Some("each[1]"), None, Effects::Keep)
        .await
        .unwrap();
    assert_eq!(told.tasks, ["after", "each[1]"]);
    assert_eq!(
        states(&rig.show(&run).await),
        "PAUSED: before COMPLETED, each READY, after PENDING, beside COMPLETED, \
         each[0] COMPLETED, each[1] PENDING, each[2] COMPLETED"
    );
    let done = rig.go_on(&run).await;
    assert_eq!(done.row.status, RunStatus::Succeeded);
    assert_eq!(output_of(&done, "each"), json!(["x", "right", "z"]));
    let calls = ["x", "y", "z", "before", "after", "beside"].map(|id| rig.read.calls_of(id));
    assert_eq!(calls, [1, 2, 1, 1, 2, 1], "nothing else is called again");
}

#[tokio::test(start_paused = true)]
async fn an_effect_of_an_item_is_kept_unless_a_person_says_again() {
    let rig = Rig::in_memory();
    let inner = json!({ "instruction": "Send.", "task_type": "tool", "tool": "effect.do",
        "inputs": { "id": { "$item": "" } } });
    let shown = rig.run(&granting(&["x", "y", "z"], &[each(inner)])).await;
    let run = id(&shown);
    let told = rig
        .engine
        .rerun(&run, Some("each[2]"), None, Effects::Keep)
        .await
        .unwrap();
    assert_eq!(told.effects.len(), 1, "{:?}", told.effects);
    assert_eq!(rig.go_on(&run).await.row.status, RunStatus::Succeeded);
    assert_eq!(rig.effect.calls().len(), 3, "what was sent is taken over");
    rig.engine
        .rerun(&run, Some("each[2]"), None, Effects::Again)
        .await
        .unwrap();
    assert_eq!(rig.go_on(&run).await.row.status, RunStatus::Succeeded);
    assert_eq!((rig.effect.calls_of("x"), rig.effect.calls_of("z")), (1, 2));
    let keys: Vec<String> = rig.effect.calls().into_iter().map(|c| c.key).collect();
    assert_ne!(keys[2], keys[3], "again means a new key");
}

#[tokio::test(start_paused = true)]
async fn a_task_of_a_nested_plan_runs_again_with_all_behind_it_inside_and_outside() {
    let rig = Rig::in_memory();
    let inside = plan(&[
        task("one", "read.do", &[]),
        task("two", "read.do", &["one"]),
        task("three", "read.do", &["two"]),
    ]);
    let item = json!({ "instruction": "Nested.", "task_type": "subplan", "plan": inside });
    let map =
        json!({ "id": "each", "instruction": "Each.", "task_type": "map", "over": [1, 2], "task": item });
    let shown = rig.run(&plan(&[map, task("after", "read.do", &["each"])])).await;
    let run = id(&shown);
    let told = rig
        .engine
        .rerun(&run, Some("each[0]/two"), None, Effects::Keep)
        .await
        .unwrap();
    assert_eq!(told.tasks, ["after", "each[0]/two", "each[0]/three"]);
    let before = rig.show(&run).await;
    let told = states(&before);
    let begun = "PAUSED: each READY, after PENDING, each[0] READY, each[1] COMPLETED, ";
    assert!(told.starts_with(begun), "{told}");
    let done = rig.go_on(&run).await;
    assert_eq!(done.row.status, RunStatus::Succeeded);
    let calls = ["one", "two", "three", "after"].map(|id| rig.read.calls_of(id));
    assert_eq!(calls, [2, 3, 3, 2]);
}

#[tokio::test(start_paused = true)]
async fn what_ended_badly_or_is_pinned_runs_again_only_as_a_whole() {
    let rig = Rig::in_memory();
    rig.read.on("y", [Act::Permanent]);
    let shown = rig.run(&granting(&["x", "y", "z"], &[each(read_item())])).await;
    let run = id(&shown);
    let (decision, head) = (shown.decisions[0].id.clone(), shown.seq);
    // The map is under way: its item can run again, and its failure is asked about no more.
    let again = rig.engine.rerun(&run, Some("each[1]"), None, Effects::Keep).await;
    assert_eq!(again.unwrap().tasks, ["each[1]"]);
    let done = rig.go_on(&run).await;
    assert_eq!(done.row.status, RunStatus::Succeeded);
    let answered = rig
        .engine
        .decide(&run, &decision.as_str().into(), json!("retry"))
        .await;
    assert!(answered.is_err(), "it was asked before event {head} and is moot");

    rig.engine
        .pin(&run, "each", Some(json!([1, 2, 3])))
        .await
        .unwrap();
    let refused = rig.engine.rerun(&run, Some("each[0]"), None, Effects::Keep).await;
    let words = refused.unwrap_err().to_string();
    assert!(
        words.contains("belongs to each, whose output is pinned"),
        "{words}"
    );
}
