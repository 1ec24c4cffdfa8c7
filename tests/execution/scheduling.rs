//! Rule 2: a task starts the moment its last dependency completes, the longest remaining path first, under a cap.

use std::time::Duration;

use planloom_tests::rig::{Rig, final_output, output_of, plan, states, story, task, with};
use planloom_tests::script::Act;
use serde_json::json;

#[tokio::test(start_paused = true)]
async fn a_diamond_runs_and_gives_its_leaves() {
    let rig = Rig::in_memory();
    let shown = rig
        .run(&plan(&[
            task("a", "read.do", &[]),
            task("b", "read.do", &["a"]),
            task("c", "read.do", &["a"]),
            task("d", "read.do", &["b", "c"]),
        ]))
        .await;
    assert_eq!(
        states(&shown),
        "SUCCEEDED: a COMPLETED, b COMPLETED, c COMPLETED, d COMPLETED"
    );
    assert_eq!(final_output(&shown), json!({ "d": "d" }));
    let run = shown.row.run.as_str().into();
    insta::assert_snapshot!(story(&rig.engine, &run).await);
}

#[tokio::test(start_paused = true)]
async fn no_task_waits_for_a_sibling_of_its_dependency() {
    let rig = Rig::in_memory();
    rig.read
        .on("slow", [Act::Slow(Duration::from_secs(60), json!(1))]);
    let run = rig
        .open(&plan(&[
            task("slow", "read.do", &[]),
            task("quick", "read.do", &[]),
            task("after_quick", "read.do", &["quick"]),
        ]))
        .await;
    rig.engine.resume(&run).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(
        rig.read.calls_of("after_quick"),
        1,
        "it must not wait for the slow sibling"
    );
    rig.engine.until_left(&run).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_longest_remaining_path_goes_first_and_the_cap_holds() {
    let rig = Rig::in_memory();
    let mut tasks = vec![task("short1", "read.do", &[]), task("short2", "read.do", &[])];
    tasks.push(task("long1", "read.do", &[]));
    tasks.push(task("long2", "read.do", &["long1"]));
    tasks.push(task("long3", "read.do", &["long2"]));
    let run = rig.open(&plan(&tasks)).await;
    rig.engine.resume_with(&run, 1, false).await.unwrap();
    rig.engine.until_left(&run).await.unwrap();
    assert_eq!(rig.read.order(), ["long1", "long2", "short1", "short2", "long3"]);
    assert_eq!(rig.read.most_at_once(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_fan_of_five_hundred_never_passes_the_cap() {
    let rig = Rig::in_memory();
    let mut tasks = vec![task("src", "read.do", &[])];
    let names: Vec<String> = (0..498).map(|n| format!("w{n:03}")).collect();
    for name in &names {
        rig.read
            .on(name, [Act::Slow(Duration::from_millis(50), json!(name))]);
        tasks.push(task(name, "read.do", &["src"]));
    }
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    tasks.push(task("sink", "read.do", &all));
    let shown = rig.run(&plan(&tasks)).await;
    assert_eq!(shown.row.status, planloom_engine::views::RunStatus::Succeeded);
    assert_eq!(rig.read.most_at_once(), 16);
    assert_eq!(rig.read.calls().len(), 500);
}

#[tokio::test(start_paused = true)]
async fn inputs_come_from_parents_parameters_and_templates_with_their_digits() {
    let rig = Rig::in_memory();
    rig.read.on(
        "a",
        [Act::Give(
            serde_json::from_str(r#"{"n": 9007199254740993, "d": 12.50}"#).unwrap(),
        )],
    );
    let echo = json!({
        "id": "b", "instruction": "Echo.", "task_type": "tool", "tool": "echo", "dependencies": ["a"],
        "inputs": { "value": {
            "n": { "$from": "a", "path": "/n" }, "all": [{ "$from": "a" }], "p": { "$param": "who" },
            "t": { "$template": "Hello {{ name }}", "with": { "name": { "$param": "who" } } },
            "l": { "$literal": { "$from": "not a reference" } },
        } },
    });
    let mut plan = plan(&[task("a", "read.do", &[]), echo]);
    plan["parameters"] = json!({ "who": { "type": "string", "default": "Ada" } });
    let shown = rig.run(&plan).await;
    let expected = r#"{"n":9007199254740993,"all":[{"n":9007199254740993,"d":12.50}],"p":"Ada","t":"Hello Ada","l":{"$from":"not a reference"}}"#;
    assert_eq!(output_of(&shown, "b").to_string(), expected);
}

#[tokio::test(start_paused = true)]
async fn code_is_a_pure_function_of_its_inputs() {
    let rig = Rig::in_memory();
    let code = json!({
        "id": "c", "instruction": "Add.", "task_type": "code", "source": "let clock = true; try { new Date(); } catch { clock = false; } return { sum: x + BigInt(1), clock };",
        "inputs": { "x": 9_007_199_254_740_993_i64 },
    });
    let shown = rig.run(&plan(&[code])).await;
    assert_eq!(
        output_of(&shown, "c"),
        json!({ "sum": 9_007_199_254_740_994_i64, "clock": false })
    );
}

#[tokio::test(start_paused = true)]
async fn the_template_makes_the_final_answer() {
    let rig = Rig::in_memory();
    let mut plan = plan(&[task("a", "read.do", &[]), task("b-2", "read.do", &[])]);
    plan["synthesis"] = json!({ "template": "{{ goal }}: {{ a }} and {{ outputs['b-2'] }}" });
    let shown = rig.run(&plan).await;
    assert_eq!(final_output(&shown), json!("Test: a and b-2"));
}

#[tokio::test(start_paused = true)]
async fn when_skips_and_a_task_behind_only_skipped_ones_is_skipped_too() {
    let rig = Rig::in_memory();
    let echo = json!({
        "id": "mixed", "instruction": "Echo.", "task_type": "tool", "tool": "echo", "dependencies": ["no", "yes"],
        "inputs": { "value": [{ "$from": "no", "path": "/deep" }, { "$from": "yes" }] },
    });
    let shown = rig
        .run(&plan(&[
            with(task("no", "read.do", &[]), json!({ "when": "id == 'other'" })),
            task("behind", "read.do", &["no"]),
            with(task("yes", "read.do", &[]), json!({ "when": "id == 'yes'" })),
            echo,
        ]))
        .await;
    assert_eq!(
        states(&shown),
        "SUCCEEDED: no SKIPPED, behind SKIPPED, yes COMPLETED, mixed COMPLETED"
    );
    assert_eq!(output_of(&shown, "mixed"), json!([null, "yes"]));
}

#[tokio::test(start_paused = true)]
async fn tasks_without_a_model_are_named_before_anything_runs() {
    let rig = Rig::in_memory();
    let agent = json!({ "id": "think", "instruction": "Think." });
    let refused = rig
        .try_open(&plan(&[task("a", "read.do", &[]), agent]))
        .await
        .unwrap_err();
    assert_eq!(refused.code(), "unknown_model");
    assert!(refused.to_string().contains("agent (think)"), "{refused}");
    assert!(rig.engine.runs().await.unwrap().is_empty(), "nothing was opened");
}

#[tokio::test(start_paused = true)]
async fn a_large_output_reaches_its_dependent_before_it_is_on_disk() {
    let rig = Rig::on_file();
    let large = json!({ "rows": (0..2000).map(|n| format!("row {n}")).collect::<Vec<_>>() });
    rig.read.on("a", [Act::Give(large.clone())]);
    let echo = json!({
        "id": "b", "instruction": "Echo.", "task_type": "tool", "tool": "echo", "dependencies": ["a"],
        "inputs": { "value": { "$from": "a" } },
    });
    let shown = rig.run(&plan(&[task("a", "read.do", &[]), echo])).await;
    assert_eq!(output_of(&shown, "b"), large);
}
