//! A small catalog of tools, and short ways to ask for problems.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use planloom_engine::model::grants::Place;
use planloom_engine::model::tool::{Access, Catalog, Effect, Idempotency, ToolSpec, Touch};
use planloom_engine::model::{Code, DraftPlan, Json, Plan, Problem, Setting, Severity, WrittenPlan, digest};
use serde_json::json;

fn spec(name: &str, effect: Effect, arguments: Json, touches: Vec<Touch>) -> Arc<ToolSpec> {
    Arc::new(ToolSpec {
        name: name.to_owned(),
        description: String::new(),
        arguments,
        result: json!({}),
        effect,
        idempotency: Idempotency::Natural,
        touches,
        method_argument: None,
        is_source_untrusted: false,
        needs: Vec::new(),
        definition: None,
    })
}

fn object(required: &[&str], properties: Json) -> Json {
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

pub fn catalog() -> Catalog {
    let text = || json!({"type": "string"});
    Catalog::new([
        spec(
            "echo",
            Effect::Pure,
            object(&["value"], json!({"value": {}})),
            vec![],
        ),
        spec(
            "wait",
            Effect::Pure,
            object(&["ms"], json!({"ms": {"type": "number", "minimum": 0}})),
            vec![],
        ),
        spec(
            "file.read",
            Effect::Read,
            object(&["path"], json!({"path": text()})),
            vec![Touch::one("path", Access::Read)],
        ),
        spec(
            "file.write",
            Effect::Write,
            object(
                &["path", "text"],
                json!({"path": text(), "text": text(), "append": {"type": "boolean"}}),
            ),
            vec![Touch::one("path", Access::Write)],
        ),
        spec(
            "http.get",
            Effect::ReadExternal,
            object(
                &["url"],
                json!({"url": text(), "headers": {"type": "object", "additionalProperties": {"type": "string"}}}),
            ),
            vec![Touch::one("url", Access::Host)],
        ),
    ])
}

pub fn place() -> Place {
    Place {
        folder: Some(PathBuf::from("/plans")),
        workspace: PathBuf::from("/runs/one"),
    }
}

pub fn draft(plan: &Json) -> DraftPlan {
    DraftPlan::parse(&plan.to_string()).unwrap()
}

/// The problems of a plan for which models are set up. Read task by task from its text, it has the very same ones.
pub fn problems(plan: &Json) -> Vec<Problem> {
    let (catalog, place) = (catalog(), place());
    let setting = Setting {
        catalog: &catalog,
        place: &place,
        has_models: true,
    };
    let draft = draft(plan);
    let problems = draft.problems_in(&setting);
    let text = plan.to_string();
    let written = WrittenPlan::read(&text).unwrap();
    assert_eq!(written.digest(), digest::of_document(&draft));
    match (written.to_plan_in(&setting), draft.to_plan_in(&setting)) {
        (Ok(one), Ok(other)) => {
            assert_eq!(one.warnings, problems);
            assert_eq!(one.plan.digest, other.plan.digest);
            let shown = |plan: &Plan| {
                let above: Vec<_> = (0..plan.tasks.len() as u32)
                    .map(|ix| plan.dependencies(ix))
                    .collect();
                format!("{:?} {:?} {above:?} {:?}", plan.goal, plan.tasks, plan.order())
            };
            assert_eq!(shown(&one.plan), shown(&other.plan));
        }
        (Err(one), Err(other)) => assert_eq!((&one, &other), (&problems, &problems)),
        (one, other) => panic!("{one:?} is not {other:?}"),
    }
    for problem in &problems {
        assert!(
            plan.pointer(&problem.pointer).is_some(),
            "{} leads nowhere: {problem:?}",
            problem.pointer
        );
        assert!(problem.message.ends_with(['.', '?']), "{:?}", problem.message);
    }
    problems
}

/// Code, pointer and tasks of each problem.
pub fn found(plan: &Json) -> Vec<(Code, String, Vec<String>)> {
    let told = |problem: Problem| {
        let tasks = problem.tasks.iter().map(ToString::to_string).collect();
        (problem.code, problem.pointer, tasks)
    };
    problems(plan).into_iter().map(told).collect()
}

/// The one problem of a plan.
pub fn only(plan: &Json) -> Problem {
    let mut problems = problems(plan);
    assert_eq!(problems.len(), 1, "{problems:#?}");
    problems.remove(0)
}

pub fn errors(plan: &Json) -> Vec<Problem> {
    problems(plan)
        .into_iter()
        .filter(|problem| problem.severity == Severity::Error)
        .collect()
}

pub fn accepted(plan: &Json) -> Plan {
    problems(plan);
    draft(plan).to_plan(&catalog(), &place()).unwrap().plan
}

/// An `echo` task.
pub fn task(id: &str, dependencies: &[&str]) -> Json {
    json!({
        "id": id, "task_type": "tool", "instruction": "Do it.", "dependencies": dependencies,
        "tool": "echo", "inputs": {"value": 1}
    })
}

pub fn plan(tasks: Vec<Json>) -> Json {
    json!({ "tasks": tasks })
}

/// A task with one field set to something else.
pub fn with(mut task: Json, field: &str, value: Json) -> Json {
    task[field] = value;
    task
}

pub fn case(name: &str, file: &str) -> Json {
    serde_json::from_str(&case_text(name, file)).unwrap()
}

pub fn case_text(name: &str, file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/cases")
        .join(name)
        .join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
