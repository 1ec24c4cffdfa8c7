//! Large plans: linear work, no recursion, and little memory for what is kept.

use planloom_engine::model::{Code, Json};
use serde_json::json;

use crate::support::*;

const MANY: usize = 10_000;

fn chain(last_reads: impl Fn(usize) -> Json) -> Json {
    let tasks = (0..MANY).map(|n| {
        let dependencies = if n == 0 {
            json!([])
        } else {
            json!([format!("t{}", n - 1)])
        };
        with(
            with(task(&format!("t{n}"), &[]), "dependencies", dependencies),
            "inputs",
            json!({"value": last_reads(n)}),
        )
    });
    plan(tasks.collect())
}

/// On a stack that recursion along the chain would overflow.
fn on_a_small_stack(run: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(run)
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn a_chain_of_ten_thousand() {
    on_a_small_stack(|| {
        let plan = accepted(&chain(|n| json!(n)));
        assert_eq!(plan.remaining(0), MANY as u32 - 1);
        assert_eq!(plan.order().len(), MANY);
    });
}

#[test]
fn a_ring_of_ten_thousand() {
    on_a_small_stack(|| {
        let mut ring = chain(|n| json!(n));
        ring["tasks"][0]["dependencies"] = json!([format!("t{}", MANY - 1)]);
        let problem = only(&ring);
        assert_eq!((problem.code, problem.tasks.len()), (Code::Cycle, MANY));
        assert!(problem.message.len() < 1_000);
    });
}

/// Each task reads the first one, far above it, and one half of the way up.
#[test]
fn far_references_are_judged_together() {
    let far = |n: usize| match n {
        0 => json!(0),
        n => json!([{"$from": "t0"}, {"$from": format!("t{}", n / 2)}]),
    };
    assert_eq!(problems(&chain(far)), []);
    let below = |n: usize| {
        if n + 2 < MANY {
            json!({"$from": format!("t{}", n + 2)})
        } else {
            json!(0)
        }
    };
    let errors = errors(&chain(below));
    assert_eq!(errors.len(), MANY - 2);
    assert!(
        errors
            .iter()
            .all(|p| p.code == Code::MissingDependency && p.fix.is_none())
    );
}

#[test]
fn a_wide_fan_reads_everything() {
    let ids: Vec<String> = (0..MANY).map(|n| format!("t{n}")).collect();
    let mut tasks: Vec<Json> = ids.iter().map(|id| task(id, &[])).collect();
    let all: Vec<Json> = ids.iter().map(|id| json!({"$from": id})).collect();
    tasks.push(with(
        with(task("sink", &[]), "dependencies", json!(ids)),
        "inputs",
        json!({"value": all}),
    ));
    let plan = accepted(&plan(tasks));
    assert_eq!(plan.dependencies(MANY as u32).len(), MANY);
}

#[test]
fn ten_thousand_wrong_names_and_repeated_ids() {
    let wrong = (0..MANY).map(|n| task(&format!("t{n}"), &[&format!("x{n}")]));
    assert_eq!(errors(&plan(wrong.collect())).len(), MANY);
    let same = (0..MANY).map(|n| task("same", if n == 0 { &[] } else { &["same"] }));
    let codes = errors(&plan(same.collect()));
    assert_eq!(
        codes.len(),
        MANY,
        "each depends on itself, and one problem names all positions"
    );
}

#[test]
fn ten_thousand_writers_of_one_file() {
    let writer = |n: usize| {
        with(
            task(&format!("t{n}"), &[]),
            "writes",
            json!(["out/x.md", format!("out/{n}.md"), "out"]),
        )
    };
    let problems = problems(&plan((0..MANY).map(writer).collect()));
    assert!(problems.iter().all(|p| p.code == Code::WriteConflict));
    assert!(!problems.is_empty());
}
