//! Failures that people met in public with tools like this one, as small inputs.

use planloom_engine::model::digest::{self, Difference};
use planloom_engine::model::{Code, DraftPlan, Json, Problem};
use serde_json::json;

use crate::support::*;

fn of(plan: &Json, code: Code) -> Vec<Problem> {
    problems(plan)
        .into_iter()
        .filter(|problem| problem.code == code)
        .collect()
}

fn names(problem: &Problem) -> Vec<&str> {
    problem.tasks.iter().map(|task| task.as_str()).collect()
}

/// The case writes `llm` and `shell` where this format has other words; the graph is told all the same.
fn with_known_types(mut plan: Json) -> Json {
    for task in plan["tasks"].as_array_mut().unwrap() {
        task["task_type"] = json!("model");
    }
    plan
}

#[test]
fn plan_04_duplicate_ids() {
    const CASE: &str = "plan-04-duplicate-ids";
    let erases = case(CASE, "plan-erases-cycle.json");
    let duplicates = of(&erases, Code::DuplicateId);
    assert_eq!(names(&duplicates[0]), ["A"]);
    assert!(
        duplicates[0].message.contains("/tasks/0 and /tasks/1"),
        "{}",
        duplicates[0].message
    );
    assert_eq!(names(&of(&erases, Code::SelfDependency)[0]), ["A"]);

    assert_eq!(
        of(&case(CASE, "plan-identical-copies.json"), Code::DuplicateId).len(),
        3
    );
    let shadow = of(&case(CASE, "plan-shadow.json"), Code::DuplicateId);
    assert_eq!(names(&shadow[0]), ["T-1"]);
    for file in [
        "plan-erases-cycle.json",
        "plan-identical-copies.json",
        "plan-shadow.json",
    ] {
        let plan = with_known_types(case(CASE, file));
        assert!(draft(&plan).to_plan(&catalog(), &place()).is_err(), "{file}");
    }
}

#[test]
fn plan_05_cycles_fail_closed() {
    const CASE: &str = "plan-05-cycles-fail-closed";
    let ring = of(&case(CASE, "plan-ring.json"), Code::Cycle);
    assert_eq!(ring.len(), 1);
    assert_eq!(names(&ring[0]), ["a", "b", "c", "d"]);
    assert!(
        ring[0].message.contains("a → b → c → d → a"),
        "{}",
        ring[0].message
    );
    assert!(
        ring[0].message.contains("`behind`") && !ring[0].message.contains("`y`"),
        "{}",
        ring[0].message
    );

    let own = of(&case(CASE, "plan-self-loop.json"), Code::SelfDependency);
    assert_eq!(names(&own[0]), ["only"]);
    assert_eq!(of(&case(CASE, "plan-self-loop.json"), Code::Cycle), []);

    let two = of(&case(CASE, "plan-two-rings.json"), Code::Cycle);
    assert_eq!(
        two.iter().map(names).collect::<Vec<_>>(),
        [vec!["p", "q"], vec!["r", "t", "s"]]
    );
    for file in ["plan-ring.json", "plan-self-loop.json", "plan-two-rings.json"] {
        let plan = with_known_types(case(CASE, file));
        assert!(draft(&plan).to_plan(&catalog(), &place()).is_err(), "{file}");
    }
}

#[test]
fn plan_06_unknown_dependency() {
    let plan = case("plan-06-unknown-dependency", "plan.json");
    let unknown = of(&plan, Code::UnknownDependency);
    assert_eq!(unknown.len(), 2);
    assert_eq!(names(&unknown[0]), ["report"]);
    assert!(unknown[0].message.contains("`4.4`"));
    assert_eq!(unknown[0].fix, None, "4.4 is no slip for 4.1 or 4.2");
    assert_eq!(names(&unknown[1]), ["mail"]);
    assert!(unknown[1].message.contains("`rewiew`"));
    assert_eq!(unknown[1].fix.as_ref().unwrap().label, "Use `review`");
}

#[test]
fn plan_08_dependency_field_shapes() {
    const CASE: &str = "plan-08-dependency-field-shapes";
    for row in case(CASE, "shapes.json")["rows"].as_array().unwrap() {
        let mut under_test = json!({"id": "x", "task_type": "model", "instruction": "i"});
        for field in ["dependencies", "dependsOn"] {
            if let Some(value) = row.get(field) {
                under_test[field] = value.clone();
            }
        }
        let plan = plan(vec![task("t1", &[]), task("t2", &[]), task("7", &[]), under_test]);
        let errors = errors(&plan);
        match row["want"].as_str().unwrap() {
            "coerce" => {
                assert_eq!(errors, [], "{row}");
                let wanted: Vec<Json> = row["to"].as_array().unwrap().clone();
                let accepted = accepted(&plan);
                let ids = accepted
                    .dependencies(3)
                    .iter()
                    .map(|ix| json!(accepted.task(*ix).id.as_str()));
                assert_eq!(ids.collect::<Vec<_>>(), wanted, "{row}");
            }
            // This format coerces nothing but null and repeats, so that nobody has to guess what runs when.
            "reject" | "either" => {
                assert_eq!(errors.len(), 1, "{row}");
                assert!(
                    errors[0].pointer.starts_with("/tasks/3/depend"),
                    "{row}: {}",
                    errors[0].pointer
                );
            }
            other => panic!("{other}"),
        }
    }
    let mixed = with_known_types(case(CASE, "plan-mixed.json"));
    let found = found(&mixed);
    let places: Vec<&str> = found.iter().map(|(_, pointer, _)| pointer.as_str()).collect();
    assert_eq!(
        places,
        [
            "/tasks/2/dependencies",
            "/tasks/3/dependencies",
            "/tasks/4/depends_on"
        ]
    );
}

#[test]
fn plan_09_empty_plan() {
    const CASE: &str = "plan-09-empty-plan";
    for (file, code) in [
        ("empty-list.json", Code::EmptyPlan),
        ("bare-list.json", Code::Type),
        ("null.json", Code::Type),
        ("no-key.json", Code::MissingField),
    ] {
        let errors = errors(&case(CASE, file));
        assert_eq!(errors.len(), 1, "{file}");
        assert_eq!(errors[0].code, code, "{file}");
    }
    assert_eq!(
        DraftPlan::parse(&case_text(CASE, "prose.txt")).unwrap_err()[0].code,
        Code::Syntax
    );
    assert_eq!(
        errors(&case(CASE, "replan-empty.json")["replan"])[0].code,
        Code::EmptyPlan
    );
}

#[test]
fn plan_10_five_hundred_nodes() {
    let name = |n: usize| format!("n{n:03}");
    let chain = (0..500)
        .map(|n| (name(n), (n > 0).then(|| name(n - 1)).into_iter().collect()))
        .collect();
    let workers: Vec<String> = (0..498).map(|n| format!("w{n:03}")).collect();
    let mut fan = vec![("src".to_owned(), Vec::new())];
    fan.extend(workers.iter().map(|w| (w.clone(), vec!["src".to_owned()])));
    fan.push(("sink".to_owned(), workers));
    let cell = |row: usize, column: usize| format!("r{row:02}c{column}");
    let above = |row: usize| {
        if row == 0 {
            Vec::new()
        } else {
            (0..10).map(|k| cell(row - 1, k)).collect()
        }
    };
    let lattice = (0..50)
        .flat_map(|row| (0..10).map(move |c| (cell(row, c), above(row))))
        .collect();

    let spec = case("plan-10-five-hundred-nodes", "spec.json");
    type Nodes = Vec<(String, Vec<String>)>;
    let kinds: [(&str, Nodes); 3] = [("chain", chain), ("fan", fan), ("lattice", lattice)];
    for (kind, nodes) in kinds {
        let tasks = nodes
            .iter()
            .map(|(id, d)| task(id, &d.iter().map(String::as_str).collect::<Vec<_>>()));
        let plan = accepted(&plan(tasks.collect()));
        let edges: usize = (0..plan.tasks.len() as u32)
            .map(|ix| plan.dependencies(ix).len())
            .sum();
        let depth = plan.order().iter().map(|ix| plan.remaining(*ix)).max().unwrap() + 1;
        assert_eq!(
            json!({"nodes": plan.tasks.len(), "edges": edges, "depth": depth}),
            spec[kind],
            "{kind}"
        );
    }
}

/// Which change asks for a new approval.
#[test]
fn plan_13_approved_is_what_runs() {
    const CASE: &str = "plan-13-approved-is-what-runs";
    // In this format the list of tools is a field of agents, and such a task is one.
    let mut approved = case(CASE, "approved.json");
    approved["tasks"][1]["task_type"] = json!("agent");
    let rows = case(CASE, "changes.json");
    for row in rows.as_array().unwrap() {
        let change = row["change"].as_str().unwrap();
        let (changed, place) = changed(approved.clone(), change);
        let (old, new) = (draft(&approved), draft(&changed));
        let needs_approval = digest::of_plan(&old) != digest::of_plan(&new);
        assert_eq!(json!(needs_approval), row["needs_approval"], "{change}");
        let differences = digest::differences(&old, &new);
        let expected = place.map(|(task, field)| Difference {
            task: Some(task.into()),
            field: Some(field.into()),
        });
        assert_eq!(differences, expected.into_iter().collect::<Vec<_>>(), "{change}");
        assert_eq!(
            digest::of_document(&old) == digest::of_document(&new),
            change.starts_with("key order"),
            "{change}"
        );
    }
}

/// The plan after a change of the case, and the field that decides, if any does.
fn changed(mut plan: Json, change: &str) -> (Json, Option<(&'static str, &'static str)>) {
    let place = match change {
        "node a moved on the canvas" => {
            plan["layout"] = json!({"positions": {"a": {"x": 10, "y": 20}}});
            None
        }
        "status of a pending -> completed" => {
            plan["tasks"][0]["status"] = json!("completed");
            None
        }
        "key order in inputs changed" => {
            plan["tasks"][0] = json!({"inputs": {"command": "ls data"}, "dependencies": [], "id": "a",
                "instruction": "List the files", "task_type": "shell"});
            None
        }
        "task list order changed, same edges" => {
            plan["tasks"].as_array_mut().unwrap().reverse();
            None
        }
        "a.inputs.command: ls data -> ls data; rm -r data" => {
            plan["tasks"][0]["inputs"]["command"] = json!("ls data; rm -r data");
            Some(("a", "inputs"))
        }
        "edge a->b removed" => {
            plan["tasks"][1]["dependencies"] = json!([]);
            Some(("b", "dependencies"))
        }
        "executor model for b changed" => {
            plan["tasks"][1]["model"] = json!("local/small");
            Some(("b", "model"))
        }
        "instruction of b gains a trailing zero-width space" => {
            plan["tasks"][1]["instruction"] = json!("Do the step.\u{200b}");
            Some(("b", "instruction"))
        }
        "tool list of b gains shell" => {
            plan["tasks"][1]["tools"] = json!(["shell.run"]);
            Some(("b", "tools"))
        }
        "canvas comment edited" => {
            plan["layout"] = json!({"notes": [{"text": "later"}]});
            plan["notes"] = json!("a comment");
            None
        }
        other => panic!("{other}"),
    };
    (plan, place)
}
