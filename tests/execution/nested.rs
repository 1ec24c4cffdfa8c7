//! Maps and nested plans: each item and each inner task is a task of its own.

use std::time::Duration;

use planloom_engine::views::TaskStatus;
use planloom_tests::rig::{Rig, final_output, output_of, plan, state_of, states, story, task, with};
use planloom_tests::script::Act;
use serde_json::{Value, json};

fn map(id: &str, over: Value, inner: Value) -> Value {
    json!({ "id": id, "instruction": "Each.", "task_type": "map", "over": over, "task": inner })
}

fn echo(value: Value) -> Value {
    json!({ "instruction": "Echo.", "task_type": "tool", "tool": "echo", "inputs": { "value": value } })
}

/// An inner task that calls `read.do` with the item as its id.
fn read_item() -> Value {
    json!({ "instruction": "Read.", "task_type": "tool", "tool": "read.do", "inputs": { "id": { "$item": "" } } })
}

fn granting(mut plan: Value, ids: &[&str]) -> Value {
    plan["grants"] = json!({ "commands": ids });
    plan
}

#[tokio::test(start_paused = true)]
async fn a_map_runs_its_task_for_each_item_in_parallel_and_gives_the_list_in_order() {
    let rig = Rig::in_memory();
    rig.read
        .on("a", [Act::Slow(Duration::from_secs(9), json!("first"))]);
    let plan = granting(
        plan(&[
            map("each", json!(["a", "b"]), read_item()),
            task("after", "read.do", &["each"]),
        ]),
        &["a", "b"],
    );
    let shown = rig.run(&plan).await;
    assert_eq!(output_of(&shown, "each"), json!(["first", "b"]));
    assert_eq!(output_of(&shown, "each[1]"), json!("b"));
    assert_eq!(
        states(&shown),
        "SUCCEEDED: each COMPLETED, after COMPLETED, each[0] COMPLETED, each[1] COMPLETED"
    );
    insta::assert_snapshot!(story(&rig.engine, &shown.row.run.as_str().into()).await);
}

#[tokio::test(start_paused = true)]
async fn items_read_their_item_their_number_and_the_tasks_around_the_map() {
    let rig = Rig::in_memory();
    let inner = echo(
        json!({ "n": { "$index": true }, "name": { "$item": "/name" }, "all": { "$from": "src", "path": "/all" } }),
    );
    let mut each = map("each", json!({ "$from": "src", "path": "/rows" }), inner);
    each["dependencies"] = json!(["src"]);
    let rows = json!({ "rows": [{ "name": "x" }, { "name": 12345678901234567890_u64 }], "all": 1 });
    let shown = rig
        .run(&plan(&[with(echo(rows), json!({ "id": "src" })), each]))
        .await;
    assert_eq!(
        output_of(&shown, "each"),
        json!([{ "n": 0, "name": "x", "all": 1 }, { "n": 1, "name": 12345678901234567890_u64, "all": 1 }])
    );
}

#[tokio::test(start_paused = true)]
async fn an_empty_map_gives_an_empty_list_and_what_is_no_list_fails() {
    let rig = Rig::in_memory();
    let shown = rig.run(&plan(&[map("each", json!([]), echo(json!(1)))])).await;
    assert_eq!(final_output(&shown), json!({ "each": [] }));

    let mut each = map("each", json!({ "$from": "src" }), echo(json!(1)));
    each["dependencies"] = json!(["src"]);
    let shown = rig
        .run(&plan(&[with(echo(json!("text")), json!({ "id": "src" })), each]))
        .await;
    assert_eq!(states(&shown), "BLOCKED: src COMPLETED, each FAILED");
}

#[tokio::test(start_paused = true)]
async fn a_failing_item_blocks_alone_and_can_be_retried_alone() {
    let rig = Rig::in_memory();
    rig.read.on("b", [Act::Permanent]);
    let plan = granting(
        plan(&[map("each", json!(["a", "b", "c"]), read_item())]),
        &["a", "b", "c"],
    );
    let shown = rig.run(&plan).await;
    assert_eq!(
        states(&shown),
        "BLOCKED: each WAITING, each[0] COMPLETED, each[1] FAILED, each[2] COMPLETED"
    );
    assert_eq!(shown.decisions[0].task.as_deref(), Some("each[1]"));
    let run = shown.row.run.as_str().into();
    rig.answer(&run, "d1", json!("retry")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(final_output(&shown), json!({ "each": ["a", "b", "c"] }));
    assert_eq!(rig.read.calls_of("a"), 1, "nothing that succeeded runs again");
}

#[tokio::test(start_paused = true)]
async fn an_optional_item_leaves_a_null_and_an_optional_map_is_passed_over() {
    let rig = Rig::in_memory();
    rig.read.on("b", [Act::Permanent, Act::Permanent]);
    let inner = with(read_item(), json!({ "optional": true }));
    let one = granting(plan(&[map("each", json!(["a", "b"]), inner)]), &["a", "b"]);
    assert_eq!(final_output(&rig.run(&one).await), json!({ "each": ["a", null] }));

    let each = with(
        map("each", json!(["a", "b"]), read_item()),
        json!({ "optional": true }),
    );
    let two = granting(plan(&[each, task("after", "read.do", &["each"])]), &["a", "b"]);
    let shown = rig.run(&two).await;
    assert_eq!(
        states(&shown),
        "SUCCEEDED: each FAILED, after COMPLETED, each[0] COMPLETED, each[1] FAILED"
    );
}

#[tokio::test(start_paused = true)]
async fn a_map_keeps_its_own_cap_even_when_items_ask_a_person() {
    let rig = Rig::in_memory();
    let ids: Vec<String> = (0..40).map(|n| format!("i{n}")).collect();
    let names: Vec<&str> = ids.iter().map(String::as_str).collect();
    for id in &ids {
        rig.read.on(id, [Act::Slow(Duration::from_secs(1), json!(id))]);
    }
    let each = with(map("each", json!(ids), read_item()), json!({ "max_parallel": 3 }));
    let shown = rig.run(&granting(plan(&[each]), &names)).await;
    assert_eq!(rig.read.most_at_once(), 3);
    assert_eq!(output_of(&shown, "each"), json!(ids));

    let ask = json!({ "instruction": "Well?", "task_type": "human", "form": {} });
    let each = with(
        map("each", json!([1, 2, 3, 4]), ask),
        json!({ "max_parallel": 2 }),
    );
    let shown = rig.run(&plan(&[each])).await;
    assert_eq!(shown.decisions.len(), 4, "a question takes no place in the cap");
}

#[tokio::test(start_paused = true)]
async fn a_nested_plan_takes_its_inputs_as_parameters_and_gives_its_own_answer() {
    let rig = Rig::in_memory();
    let inner = json!({
        "parameters": { "n": { "type": "integer" }, "unit": { "type": "string", "default": "kg" } },
        "tasks": [
            with(echo(json!({ "$param": "n" })), json!({ "id": "one" })),
            with(echo(json!([{ "$from": "one" }, { "$param": "unit" }])), json!({ "id": "two", "dependencies": ["one"] })),
        ],
        "synthesis": { "template": "{{ two[0] }} {{ two[1] }}" },
    });
    let sub = |n: Value| json!({ "id": "sub", "instruction": "Nest.", "task_type": "subplan", "plan": inner, "inputs": { "n": n }, "dependencies": ["src"] });
    let src = |value: Value| with(echo(value), json!({ "id": "src" }));
    let n = json!({ "$from": "src" });
    let shown = rig.run(&plan(&[src(json!(7)), sub(n.clone())])).await;
    assert_eq!(final_output(&shown), json!({ "sub": "7 kg" }));
    assert_eq!(output_of(&shown, "sub/two"), json!([7, "kg"]));

    let shown = rig.run(&plan(&[src(json!("seven")), sub(n)])).await;
    assert_eq!(states(&shown), "BLOCKED: src COMPLETED, sub FAILED");
}

#[tokio::test(start_paused = true)]
async fn maps_and_plans_nest_in_each_other() {
    let rig = Rig::in_memory();
    let inner_map = map("cells", json!({ "$param": "row" }), echo(json!({ "$item": "" })));
    let mut inner_map = inner_map;
    inner_map["dependencies"] = json!([]);
    let nested = json!({
        "instruction": "Row.", "task_type": "subplan", "inputs": { "row": { "$item": "/cells" } },
        "plan": { "parameters": { "row": { "type": "array" } }, "tasks": [inner_map] },
    });
    let rows = json!([{ "cells": [1, 2] }, { "cells": [] }, { "cells": [3] }]);
    let shown = rig.run(&plan(&[map("rows", rows, nested)])).await;
    assert_eq!(
        final_output(&shown),
        json!({ "rows": [{ "cells": [1, 2] }, { "cells": [] }, { "cells": [3] }] })
    );
    assert_eq!(output_of(&shown, "rows[0]/cells[1]"), json!(2));
}

#[tokio::test(start_paused = true)]
async fn a_map_in_a_map_runs_over_the_items_of_its_item() {
    let rig = Rig::in_memory();
    let cells = map(
        "",
        json!({ "$item": "" }),
        echo(json!([{ "$item": "" }, { "$index": true }])),
    );
    let mut cells = cells;
    cells.as_object_mut().unwrap().remove("id");
    let shown = rig.run(&plan(&[map("rows", json!([[5], [6, 7]]), cells)])).await;
    assert_eq!(
        final_output(&shown),
        json!({ "rows": [[[5, 0]], [[6, 0], [7, 1]]] })
    );
}

#[tokio::test(start_paused = true)]
async fn a_paused_map_goes_on_where_it_was() {
    let rig = Rig::in_memory();
    rig.read.on("a", [Act::Slow(Duration::from_secs(5), json!("a"))]);
    rig.read.on("b", [Act::Slow(Duration::from_secs(1), json!("b"))]);
    let each = with(
        map("each", json!(["a", "b", "c"]), read_item()),
        json!({ "max_parallel": 2 }),
    );
    let run = rig.open(&granting(plan(&[each]), &["a", "b", "c"])).await;
    rig.engine.resume(&run).await.unwrap();
    rig.until(&run, "each[0]", TaskStatus::Running).await;
    rig.engine.pause(&run).await.unwrap();
    rig.engine.until_left(&run).await.unwrap();
    let shown = rig.show(&run).await;
    assert_eq!(
        states(&shown),
        "PAUSED: each READY, each[0] COMPLETED, each[1] COMPLETED, each[2] READY"
    );
    let shown = rig.go_on(&run).await;
    assert_eq!(final_output(&shown), json!({ "each": ["a", "b", "c"] }));
    assert_eq!(rig.read.calls().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn cancelling_ends_the_tasks_inside_too() {
    let rig = Rig::in_memory();
    rig.read.on("a", [Act::Hang]);
    let run = rig
        .open(&granting(plan(&[map("each", json!(["a"]), read_item())]), &["a"]))
        .await;
    rig.engine.resume(&run).await.unwrap();
    rig.until(&run, "each[0]", TaskStatus::Running).await;
    rig.engine.cancel(&run).await.unwrap();
    rig.engine.until_left(&run).await.unwrap();
    assert_eq!(
        states(&rig.show(&run).await),
        "CANCELLED: each CANCELLED, each[0] CANCELLED"
    );
}

#[tokio::test(start_paused = true)]
async fn untrusted_items_stay_untrusted_and_each_effect_has_its_own_key() {
    let rig = Rig::in_memory();
    let inner = json!({ "instruction": "Send.", "task_type": "tool", "tool": "keyed.do", "inputs": { "id": "same" } });
    let shown = rig.run(&plan(&[map("each", json!([1, 2]), inner)])).await;
    assert_eq!(state_of(&shown, "each"), TaskStatus::Completed);
    let calls = rig.keyed.calls();
    assert_eq!(calls.len(), 2);
    assert_ne!(
        calls[0].key, calls[1].key,
        "equal calls of two items are two effects"
    );
}

#[tokio::test(start_paused = true)]
async fn a_plan_file_named_in_a_plan_is_read_once_and_reads_beside_itself() {
    let rig = Rig::in_memory();
    std::fs::create_dir(rig.folder().join("inner")).unwrap();
    std::fs::write(rig.folder().join("inner/words.txt"), "from the inner folder").unwrap();
    let read = json!({
        "id": "read", "instruction": "Read.", "task_type": "tool", "tool": "file.read", "inputs": { "path": "words.txt" },
    });
    rig.write_plan("inner/inner.plan.json", &plan(&[read]));
    let outer = plan(&[json!({
        "id": "sub", "instruction": "Nest.", "task_type": "subplan", "plan": "inner/inner.plan.json",
    })]);
    let run = rig.open(&outer).await;
    // What was approved is what runs, whatever becomes of the file.
    rig.write_plan("inner/inner.plan.json", &json!({ "tasks": [] }));
    let shown = rig.go_on(&run).await;
    assert_eq!(output_of(&shown, "sub/read")["text"], "from the inner folder");
}

#[tokio::test(start_paused = true)]
async fn plan_files_that_name_each_other_or_nothing_are_refused_by_name() {
    let rig = Rig::in_memory();
    let naming = |file: &str| {
        plan(&[json!({ "id": "s", "instruction": "Nest.", "task_type": "subplan", "plan": file })])
    };
    rig.write_plan("a.plan.json", &naming("b.plan.json"));
    rig.write_plan("b.plan.json", &naming("a.plan.json"));
    let ring = rig
        .try_open(&naming("a.plan.json"))
        .await
        .map_err(told)
        .unwrap_err();
    assert!(ring.contains("ring") && ring.contains("b.plan.json"), "{ring}");
    let own = rig
        .try_open(&naming("test.plan.json"))
        .await
        .map_err(told)
        .unwrap_err();
    assert!(own.contains("ring"), "{own}");
    let gone = rig
        .try_open(&naming("gone.plan.json"))
        .await
        .map_err(told)
        .unwrap_err();
    assert!(gone.contains("gone.plan.json"), "{gone}");
    std::fs::write(rig.folder().join("broken.plan.json"), "{").unwrap();
    let broken = rig
        .try_open(&naming("broken.plan.json"))
        .await
        .map_err(told)
        .unwrap_err();
    assert!(broken.contains("broken.plan.json"), "{broken}");
    let inner = rig.try_open(&naming("empty.plan.json")).await;
    assert!(inner.is_err());
}

fn told(error: planloom_engine::Error) -> String {
    match error {
        planloom_engine::Error::Problems { problems } => problems[0].message.clone(),
        other => other.to_string(),
    }
}

#[tokio::test(start_paused = true)]
async fn only_what_is_a_nested_plan_is_read_as_one_however_deep_it_stands() {
    let rig = Rig::in_memory();
    let noted = with(
        echo(json!(1)),
        json!({ "id": "noted", "plan": "a word of somebody's own" }),
    );
    let subplan = |plan: Value| with(plan, json!({ "file": "elsewhere/own-words.json" }));
    let shown = rig.run(&subplan(plan(&[noted]))).await;
    assert_eq!(final_output(&shown), json!({ "noted": 1 }));

    rig.write_plan(
        "leaf.plan.json",
        &plan(&[with(echo(json!(7)), json!({ "id": "leaf" }))]),
    );
    let deep = json!({
        "id": "rows", "instruction": "Rows.", "task_type": "map", "over": [[1], [2]],
        "task": { "instruction": "Cells.", "task_type": "map", "over": { "$item": "" },
            "task": { "instruction": "Nest.", "task_type": "subplan", "plan": "leaf.plan.json" } },
    });
    let shown = rig.run(&plan(&[deep])).await;
    assert_eq!(
        final_output(&shown),
        json!({ "rows": [[{ "leaf": 7 }], [{ "leaf": 7 }]] })
    );
}
