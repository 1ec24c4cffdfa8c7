//! Codes of types, tools, references, schemas, expressions and grants, each with its exact place.

use std::sync::Arc;

use planloom_engine::model::edit::PlanEdit;
use planloom_engine::model::tool::{Access, Catalog, Effect, Idempotency, ToolSpec, Touch};
use planloom_engine::model::{Code, DraftPlan, Json, Severity};
use serde_json::json;

use crate::support::*;

fn place_of(plan: &Json) -> (Code, String) {
    let problem = only(plan);
    (problem.code, problem.pointer)
}

fn one(field: &str, value: Json) -> Json {
    plan(vec![with(task("a", &[]), field, value)])
}

#[test]
fn unknown_task_types() {
    let problem = only(&one("task_type", json!("tools")));
    assert_eq!(
        (problem.code, problem.pointer.as_str()),
        (Code::UnknownTaskType, "/tasks/0/task_type")
    );
    assert!(
        problem.message.contains("Did you mean `tool`?"),
        "{}",
        problem.message
    );
    assert_eq!(only(&one("task_type", json!("llm"))).code, Code::UnknownTaskType);
}

#[test]
fn unknown_tools() {
    let problem = only(&one("tool", json!("ehco")));
    assert_eq!(
        (problem.code, problem.pointer.as_str()),
        (Code::UnknownTool, "/tasks/0/tool")
    );
    assert!(
        problem.message.contains("Did you mean `echo`?"),
        "{}",
        problem.message
    );
    let agent = plan(vec![
        json!({"id": "a", "instruction": "i", "tools": ["echo", "file.raed"]}),
    ]);
    assert_eq!(
        place_of(&agent),
        (Code::UnknownTool, "/tasks/0/tools/1".to_owned())
    );
    assert_eq!(
        only(&one("fallback", json!("echoo"))).pointer,
        "/tasks/0/fallback"
    );
}

#[test]
fn bad_arguments() {
    let call = |tool: &str, inputs: Json| {
        plan(vec![with(
            with(task("a", &[]), "tool", json!(tool)),
            "inputs",
            inputs,
        )])
    };
    for (plan, pointer) in [
        (call("echo", json!({})), "/tasks/0/inputs"),
        (call("wait", json!({"ms": "5"})), "/tasks/0/inputs/ms"),
        (call("wait", json!({"ms": -1})), "/tasks/0/inputs/ms"),
        (
            call("wait", json!({"ms": {"$literal": -1}})),
            "/tasks/0/inputs/ms/$literal",
        ),
        (call("wait", json!({"ms": 1, "mss": 2})), "/tasks/0/inputs/mss"),
        (
            call("http.get", json!({"url": "http://a/", "headers": {"x": 1}})),
            "/tasks/0/inputs/headers/x",
        ),
        (
            call(
                "http.get",
                json!({"url": "http://a/", "headers": {"x": {"$secret": "S"}, "y": 1}}),
            ),
            "/tasks/0/inputs/headers/y",
        ),
    ] {
        assert_eq!(
            place_of(&plan),
            (Code::BadArguments, pointer.to_owned()),
            "{plan}"
        );
    }
    let without = plan(vec![
        json!({"id": "a", "instruction": "i", "task_type": "tool", "tool": "echo"}),
    ]);
    assert_eq!(place_of(&without), (Code::BadArguments, "/tasks/0".to_owned()));
    // A reference counts as present, and its value is judged at the call.
    let held = json!({"parameters": {"p": {}}, "tasks": [with(with(task("a", &[]), "tool", json!("wait")), "inputs", json!({"ms": {"$param": "p"}}))]});
    assert_eq!(problems(&held), []);
}

#[test]
fn unknown_inputs_and_missing_dependencies() {
    let reads = |name: &str| with(task("c", &["b"]), "inputs", json!({"value": {"$from": name}}));
    let chain = |name: &str| {
        plan(vec![
            task("a", &[]),
            task("b", &["a"]),
            reads(name),
            task("other", &[]),
        ])
    };
    assert_eq!(problems(&chain("a")), []);
    assert_eq!(problems(&chain("b")), []);

    let unknown = only(&chain("othr"));
    assert_eq!(
        (unknown.code, unknown.pointer.as_str()),
        (Code::UnknownInput, "/tasks/2/inputs/value/$from")
    );
    let field = "/inputs/value/$from".to_owned();
    let edit = PlanEdit::SetTask {
        id: "c".into(),
        field,
        value: Some("\"other\"".into()),
    };
    assert_eq!(unknown.fix.unwrap().edits, [edit]);

    let missing = only(&chain("other"));
    assert_eq!(
        (missing.code, missing.pointer.as_str()),
        (Code::MissingDependency, "/tasks/2/inputs/value/$from")
    );
    assert_eq!(
        missing.fix.unwrap().edits,
        [PlanEdit::Connect {
            from: "other".into(),
            to: "c".into()
        }]
    );

    let own = only(&chain("c"));
    assert_eq!(own.code, Code::SelfDependency);
}

#[test]
fn a_missing_dependency_that_would_close_a_loop_has_no_mend() {
    let problem = only(&plan(vec![
        with(task("a", &[]), "inputs", json!({"value": {"$from": "b"}})),
        task("b", &["a"]),
    ]));
    assert_eq!(problem.code, Code::MissingDependency);
    assert!(
        problem.message.contains("would close a loop"),
        "{}",
        problem.message
    );
    assert_eq!(problem.fix, None);
}

#[test]
fn unknown_parameters() {
    let plan = json!({"parameters": {"region": {"type": "string"}},
        "tasks": [with(task("a", &[]), "inputs", json!({"value": [{"$param": "regoin"}]}))]});
    let problem = only(&plan);
    assert_eq!(
        (problem.code, problem.pointer.as_str()),
        (Code::UnknownParameter, "/tasks/0/inputs/value/0/$param")
    );
    assert!(
        problem.message.contains("Did you mean `region`?"),
        "{}",
        problem.message
    );
}

#[test]
fn bad_schemas() {
    assert_eq!(
        place_of(&one("output_schema", json!({"type": "strin"}))),
        (Code::BadSchema, "/tasks/0/output_schema".to_owned())
    );
    let human = plan(vec![
        json!({"id": "a", "instruction": "i", "task_type": "human", "form": {"$ref": "https://x/y"}}),
    ]);
    assert_eq!(place_of(&human), (Code::BadSchema, "/tasks/0/form".to_owned()));
    let parameters = |schema: Json| json!({"parameters": {"p": schema}, "tasks": [task("a", &[])]});
    assert_eq!(
        only(&parameters(json!({"pattern": "("}))).pointer,
        "/parameters/p"
    );
    assert_eq!(
        only(&parameters(json!({"type": "integer", "default": "x"}))).pointer,
        "/parameters/p/default"
    );
}

#[test]
fn bad_expressions() {
    assert_eq!(
        place_of(&one("when", json!("value =="))),
        (Code::BadExpression, "/tasks/0/when".to_owned())
    );
    assert_eq!(
        place_of(&one("check", json!("output.("))),
        (Code::BadExpression, "/tasks/0/check".to_owned())
    );
    assert_eq!(
        only(&one("inputs", json!({"value": {"$template": "{{ x"}}))).pointer,
        "/tasks/0/inputs/value/$template"
    );
    assert_eq!(problems(&one("when", json!("value > 1 and range(3)|length"))), []);
    assert_eq!(problems(&one("check", json!("output == value"))), []);
    let unknown = only(&one("check", json!("outpt.rows")));
    assert_eq!(unknown.code, Code::UnknownInput);
    assert!(
        unknown.message.contains("Did you mean `output`?"),
        "{}",
        unknown.message
    );
    assert_eq!(only(&one("when", json!("output"))).code, Code::UnknownInput);
    let synthesis = |template: &str| json!({"parameters": {"x": {"default": 1}}, "synthesis": {"template": template}, "tasks": [task("a", &[])]});
    assert_eq!(problems(&synthesis("{{ goal }} {{ a }} {{ parameters.x }}")), []);
    assert_eq!(
        place_of(&synthesis("{{ b }}")),
        (Code::UnknownInput, "/synthesis/template".to_owned())
    );
}

#[test]
fn unknown_models_are_one_warning() {
    let plan = json!({"tasks": [{"id": "a", "instruction": "i"}, task("b", &[]), {"id": "c", "instruction": "i", "task_type": "model"}]});
    let problems = draft(&plan).problems(&catalog(), &place());
    assert_eq!(problems.len(), 1);
    assert_eq!(
        (problems[0].code, problems[0].severity),
        (Code::UnknownModel, Severity::Warning)
    );
    assert_eq!(
        (problems[0].pointer.as_str(), problems[0].tasks.len()),
        ("/tasks/0", 2)
    );
    assert_eq!(crate::support::problems(&plan), []);
}

#[test]
fn too_large() {
    let deep = format!("{{\"tasks\": {}1{}}}", "[".repeat(64), "]".repeat(64));
    assert_eq!(DraftPlan::parse(&deep).unwrap_err()[0].code, Code::TooLarge);
    let many = format!("{{\"tasks\": [{}{{}}]}}", "{},".repeat(100_000));
    let problem = DraftPlan::parse(&many).unwrap_err().remove(0);
    assert_eq!(
        (problem.code, problem.pointer.as_str()),
        (Code::TooLarge, "/tasks")
    );
    let inside = plan(vec![
        json!({"id": "s", "instruction": "i", "task_type": "subplan",
        "plan": {"tasks": vec![json!({}); 100_000]}}),
    ]);
    assert_eq!(
        place_of(&inside),
        (Code::TooLarge, "/tasks/0/plan/tasks".to_owned())
    );
}

#[test]
fn unknown_fields_are_warned_about_and_kept() {
    let article = plan(vec![with(
        with(task("a", &[]), "status", json!("PENDING")),
        "output",
        json!(null),
    )]);
    let found = found(&article);
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|(code, ..)| *code == Code::UnknownField));
    assert_eq!(found[0].1, "/tasks/0/status");
    assert!(draft(&article).to_text().contains("\"status\": \"PENDING\""));

    let near = only(&one("titel", json!("T")));
    assert!(near.message.contains("Did you mean `title`?"), "{}", near.message);
    assert_eq!(near.fix.unwrap().edits.len(), 2);
    let foreign = only(&one("source", json!("return 1")));
    assert!(
        foreign.message.contains("a field of `code` tasks"),
        "{}",
        foreign.message
    );
    assert_eq!(
        only(&json!({"tsks": 1, "tasks": [task("a", &[])]})).pointer,
        "/tsks"
    );
}

#[test]
fn missing_grants() {
    let reads = |grants: Json| {
        json!({"parameters": {"p": {}}, "grants": grants,
        "tasks": [with(with(task("a", &[]), "tool", json!("file.read")), "inputs", json!({"path": {"$param": "p"}}))]})
    };
    assert_eq!(
        place_of(&reads(json!({}))),
        (Code::MissingGrant, "/tasks/0/inputs/path".to_owned())
    );
    assert_eq!(place_of(&reads(json!({"write": ["out"]}))).0, Code::MissingGrant);
    assert_eq!(problems(&reads(json!({"read": ["data"]}))), []);
    let literal = plan(vec![with(
        with(task("a", &[]), "tool", json!("file.read")),
        "inputs",
        json!({"path": "x"}),
    )]);
    assert_eq!(problems(&literal), []);
    let agent = |grants: Json| json!({"grants": grants, "tasks": [{"id": "a", "instruction": "i", "tools": ["echo", "http.get"]}]});
    assert_eq!(
        place_of(&agent(json!({}))),
        (Code::MissingGrant, "/tasks/0/tools/1".to_owned())
    );
    assert_eq!(problems(&agent(json!({"hosts": ["example.com"]}))), []);
}

/// A tool that runs programs.
fn program_runner() -> Arc<ToolSpec> {
    Arc::new(ToolSpec {
        name: "run".to_owned(),
        description: String::new(),
        arguments: json!({}),
        result: json!({}),
        effect: Effect::Exec,
        idempotency: Idempotency::Not,
        touches: vec![
            Touch::command("program", "args"),
            Touch::own_or("cwd", Access::Read),
        ],
        method_argument: None,
        is_source_untrusted: true,
        needs: Vec::new(),
        definition: None,
    })
}

#[test]
fn commands_that_only_the_run_knows_need_an_entry() {
    let run = program_runner();
    let problems_here = |plan: &Json, catalog: Catalog| {
        let found = draft(plan).problems(&catalog, &place()).into_iter();
        let told = found.filter(|p| p.code != Code::UnknownModel);
        told.map(|p| (p.code, p.pointer, p.severity)).collect::<Vec<_>>()
    };
    let here = || Catalog::new([run.clone()]);
    let task = |grants: Json, inputs: Json| {
        json!({"parameters": {"p": {}}, "grants": grants,
            "tasks": [with(with(task("a", &[]), "tool", json!("run")), "inputs", inputs)]})
    };
    let missing = |pointer: &str| vec![(Code::MissingGrant, pointer.to_owned(), Severity::Error)];
    let literal = json!({"program": "git", "args": ["log", "-p"], "cwd": "data"});
    assert_eq!(problems_here(&task(json!({}), literal), here()), []);
    for inputs in [
        json!({"program": {"$param": "p"}}),
        json!({"program": "git", "args": {"$param": "p"}}),
        json!({"program": "git", "args": ["log", {"$param": "p"}]}),
    ] {
        let at = missing("/tasks/0/inputs/program");
        assert_eq!(
            problems_here(&task(json!({}), inputs.clone()), here()),
            at,
            "{inputs}"
        );
        assert_eq!(
            problems_here(&task(json!({"commands": ["git log *"]}), inputs), here()),
            []
        );
    }
    let moving = json!({"program": "git", "cwd": {"$param": "p"}});
    assert_eq!(
        problems_here(&task(json!({}), moving), here()),
        missing("/tasks/0/inputs/cwd")
    );

    let agent = |grants: Json| json!({"grants": grants, "tasks": [{"id": "a", "instruction": "i", "tools": ["run"]}]});
    assert_eq!(
        problems_here(&agent(json!({})), here()),
        missing("/tasks/0/tools/0")
    );
    // Without a folder to start in, it starts in the run's own.
    assert_eq!(problems_here(&agent(json!({"commands": ["git"]})), here()), []);

    let off = here().asking("run", || Some("there is no sandbox"));
    let told = draft(&agent(json!({"commands": ["git"]}))).problems(&off, &place());
    let warning = told.iter().find(|p| p.code == Code::UnknownTool).unwrap();
    assert_eq!(warning.severity, Severity::Warning);
    assert!(
        warning
            .message
            .contains("off on this machine: there is no sandbox"),
        "{}",
        warning.message
    );
}

#[test]
fn write_conflicts() {
    let writes = |id: &str, dependencies: &[&str], path: &str| {
        with(
            with(task(id, dependencies), "tool", json!("file.write")),
            "inputs",
            json!({"path": path, "text": "x"}),
        )
    };
    let clash = plan(vec![
        writes("a", &[], "out/x.md"),
        writes("b", &[], "./out/../out/x.md"),
    ]);
    let problem = only(&clash);
    assert_eq!(
        (problem.code, problem.severity),
        (Code::WriteConflict, Severity::Warning)
    );
    assert_eq!(problem.tasks, ["a", "b"].map(Into::into));
    assert_eq!(problem.pointer, "/tasks/1/inputs/path");

    let ordered = plan(vec![
        writes("a", &[], "out/x.md"),
        task("m", &["a"]),
        writes("b", &["m"], "out/x.md"),
    ]);
    assert_eq!(problems(&ordered), []);
    let apart = plan(vec![
        writes("a", &[], "out/x.md"),
        writes("b", &[], "out/x.md.bak"),
        writes("c", &[], "out/y.md"),
    ]);
    assert_eq!(problems(&apart), []);

    let folder = plan(vec![
        with(task("a", &[]), "writes", json!(["out"])),
        writes("b", &[], "out/deep/y.md"),
    ]);
    assert_eq!(only(&folder).code, Code::WriteConflict);
    let said = plan(vec![
        with(task("a", &[]), "writes", json!(["run:/r.md"])),
        with(task("b", &[]), "writes", json!(["run:/r.md"])),
    ]);
    assert_eq!(only(&said).pointer, "/tasks/1/writes/0");
}

#[test]
fn everything_is_told_at_once_and_errors_come_first() {
    let plan = json!({"x": 1, "tasks": [
        with(task("a", &["nope"]), "titel", json!("t")), with(task("b", &["b"]), "timeout_s", json!(-1)), task("a", &[]),
    ]});
    let codes: Vec<Code> = problems(&plan).into_iter().map(|p| p.code).collect();
    assert_eq!(
        codes,
        [
            Code::DuplicateId,
            Code::UnknownDependency,
            Code::SelfDependency,
            Code::Type,
            Code::UnknownField,
            Code::UnknownField,
        ]
    );
    assert!(draft(&plan).to_plan(&catalog(), &place()).is_err());
}
