//! Codes of text, shape and graph, each with the exact place, the tasks, and the mend where there is one.

use planloom_engine::model::edit::PlanEdit;
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
fn syntax() {
    for text in [
        "",
        "{",
        "{\"tasks\": []} x",
        "{\"tasks\": [], \"tasks\": []}",
        "\u{feff}{}",
        "{\"a\": \"\\ud800\"}",
    ] {
        let problems = DraftPlan::parse(text).unwrap_err();
        assert_eq!(problems[0].code, Code::Syntax, "{text}");
        assert!(
            problems[0].message.contains("line 1, column"),
            "{}",
            problems[0].message
        );
    }
    assert_eq!(
        DraftPlan::parse_bytes(b"\xff\xfe{\0}\0").unwrap_err()[0].code,
        Code::Syntax
    );
}

#[test]
fn types() {
    for (plan, pointer) in [
        (json!([task("a", &[])]), ""),
        (json!(null), ""),
        (json!("text"), ""),
        (json!({"tasks": {}}), "/tasks"),
        (json!({"tasks": null}), "/tasks"),
        (json!({"tasks": ["a"]}), "/tasks/0"),
        (json!({"version": 2, "tasks": [task("a", &[])]}), "/version"),
        (json!({"goal": 3, "tasks": [task("a", &[])]}), "/goal"),
        (
            json!({"grants": {"hosts": ["https://example.com/"]}, "tasks": [task("a", &[])]}),
            "/grants/hosts/0",
        ),
        (
            json!({"grants": {"read": "x"}, "tasks": [task("a", &[])]}),
            "/grants/read",
        ),
        (
            json!({"budget": {"tokens": 1.5}, "tasks": [task("a", &[])]}),
            "/budget/tokens",
        ),
        (
            json!({"budget": {"usd": -1}, "tasks": [task("a", &[])]}),
            "/budget/usd",
        ),
        (
            json!({"synthesis": {"template": "x", "model": "planner"}, "tasks": [task("a", &[])]}),
            "/synthesis",
        ),
    ] {
        assert_eq!(place_of(&plan), (Code::Type, pointer.to_owned()), "{plan}");
    }
}

#[test]
fn types_in_tasks() {
    for (plan, pointer) in [
        (one("id", json!(3)), "/tasks/0/id"),
        (one("instruction", json!(null)), "/tasks/0/instruction"),
        (one("title", json!(1)), "/tasks/0/title"),
        (one("optional", json!("yes")), "/tasks/0/optional"),
        (one("idempotent", json!(1)), "/tasks/0/idempotent"),
        (one("approval", json!("always")), "/tasks/0/approval"),
        (one("timeout_s", json!(0)), "/tasks/0/timeout_s"),
        (one("timeout_s", json!("5")), "/tasks/0/timeout_s"),
        (one("retry", json!(3)), "/tasks/0/retry"),
        (
            one("retry", json!({"max_attempts": 0})),
            "/tasks/0/retry/max_attempts",
        ),
        (
            one("retry", json!({"max_attempts": 2.5})),
            "/tasks/0/retry/max_attempts",
        ),
        (
            one("retry", json!({"initial_ms": -1})),
            "/tasks/0/retry/initial_ms",
        ),
        (
            one("retry", json!({"multiplier": 0.5})),
            "/tasks/0/retry/multiplier",
        ),
        (one("writes", json!([1])), "/tasks/0/writes/0"),
        (one("writes", json!("x")), "/tasks/0/writes"),
        (one("inputs", json!([])), "/tasks/0/inputs"),
        (one("when", json!(true)), "/tasks/0/when"),
        (one("dependencies", json!([3])), "/tasks/0/dependencies/0"),
        (one("dependencies", json!("a")), "/tasks/0/dependencies"),
    ] {
        assert_eq!(place_of(&plan), (Code::Type, pointer.to_owned()), "{plan}");
    }
}

#[test]
fn null_is_absent_where_a_field_may_be() {
    let mut all = task("a", &[]);
    for field in [
        "title",
        "dependencies",
        "output_schema",
        "retry",
        "timeout_s",
        "optional",
        "when",
        "check",
        "writes",
        "approval",
        "idempotent",
        "model",
        "fallback",
    ] {
        all[field] = Json::Null;
    }
    let whole = json!({"version": null, "goal": null, "parameters": null, "grants": null, "budget": null,
        "synthesis": null, "layout": null, "tasks": [all]});
    assert_eq!(problems(&whole), []);
}

#[test]
fn missing_fields() {
    for (plan, pointer) in [
        (json!({"goal": "g"}), ""),
        (json!({"tasks": [{"instruction": "i"}]}), "/tasks/0"),
        (json!({"tasks": [{"id": "a"}]}), "/tasks/0"),
        (
            json!({"tasks": [{"id": "a", "instruction": "i", "task_type": "tool"}]}),
            "/tasks/0",
        ),
        (
            json!({"tasks": [{"id": "a", "instruction": "i", "task_type": "code"}]}),
            "/tasks/0",
        ),
        (
            json!({"tasks": [{"id": "a", "instruction": "i", "task_type": "subplan"}]}),
            "/tasks/0",
        ),
        (json!({"synthesis": {}, "tasks": [task("a", &[])]}), "/synthesis"),
    ] {
        assert_eq!(
            place_of(&plan),
            (Code::MissingField, pointer.to_owned()),
            "{plan}"
        );
    }
}

#[test]
fn empty_plan() {
    assert_eq!(
        place_of(&json!({"tasks": []})),
        (Code::EmptyPlan, "/tasks".to_owned())
    );
}

#[test]
fn bad_ids() {
    for id in ["", "4.1", "a b", "é", "a/b", &"x".repeat(65)] {
        assert_eq!(
            place_of(&plan(vec![task(id, &[])])),
            (Code::BadId, "/tasks/0/id".to_owned()),
            "{id}"
        );
    }
    assert_eq!(
        problems(&plan(vec![task(&"x".repeat(64), &[]), task("A-z_09", &[])])),
        []
    );
}

#[test]
fn duplicate_ids() {
    let problem = only(&plan(vec![task("a", &[]), task("b", &["a"]), task("a", &[])]));
    assert_eq!(
        (problem.code, problem.pointer.as_str()),
        (Code::DuplicateId, "/tasks/2/id")
    );
    assert!(
        problem.message.contains("/tasks/0 and /tasks/2"),
        "{}",
        problem.message
    );
}

#[test]
fn a_duplicate_hides_no_loop() {
    let plan = plan(vec![task("a", &[]), task("a", &["b"]), task("b", &["a"])]);
    let codes: Vec<Code> = problems(&plan).into_iter().map(|p| p.code).collect();
    assert_eq!(codes, [Code::DuplicateId, Code::Cycle]);
}

#[test]
fn unknown_dependencies_and_what_may_be_meant() {
    let problem = only(&plan(vec![task("review", &[]), task("mail", &["rewiew"])]));
    assert_eq!(
        (problem.code, problem.pointer.as_str()),
        (Code::UnknownDependency, "/tasks/1/dependencies/0")
    );
    assert!(
        problem.message.contains("Did you mean `review`?"),
        "{}",
        problem.message
    );
    let fix = problem.fix.unwrap();
    assert_eq!(fix.label, "Use `review`");
    let (from, to) = ("rewiew".to_owned(), "mail".to_owned());
    let edit = PlanEdit::Reconnect {
        from,
        to: to.clone(),
        new_from: "review".to_owned(),
        new_to: to,
    };
    assert_eq!(fix.edits, [edit]);

    for wrong in ["Review", "review ", "re view", "ｒｅｖｉｅｗ"] {
        let problem = only(&plan(vec![task("review", &[]), task("mail", &[wrong])]));
        assert_eq!(problem.code, Code::UnknownDependency, "never joined: {wrong}");
        assert!(problem.fix.is_some(), "{wrong}");
    }
    let nothing_near = only(&plan(vec![task("review", &[]), task("mail", &["summary"])]));
    assert_eq!(nothing_near.fix, None);
}

#[test]
fn a_mend_that_would_close_a_loop_is_not_offered() {
    let plan = plan(vec![task("review", &["mail"]), task("mail", &["rewiew"])]);
    let problem = only(&plan);
    assert!(problem.message.contains("Did you mean `review`?"));
    assert_eq!(problem.fix, None);
}

#[test]
fn self_dependencies() {
    let problem = only(&plan(vec![task("a", &["a"])]));
    assert_eq!(
        (problem.code, problem.pointer.as_str()),
        (Code::SelfDependency, "/tasks/0/dependencies/0")
    );
    assert_eq!(
        problem.fix.unwrap().edits,
        [PlanEdit::Disconnect {
            from: "a".into(),
            to: "a".into()
        }]
    );
}

#[test]
fn cycles() {
    let problem = only(&plan(vec![
        task("x", &["c"]),
        task("a", &["c"]),
        task("b", &["a"]),
        task("c", &["b"]),
    ]));
    assert_eq!(
        (problem.code, problem.pointer.as_str()),
        (Code::Cycle, "/tasks/1/dependencies/0")
    );
    assert_eq!(problem.tasks, ["a", "b", "c"].map(Into::into));
    assert!(problem.message.contains("a → b → c → a"), "{}", problem.message);
    assert!(
        problem
            .message
            .contains("Behind the loop, not in it, waits task `x`"),
        "{}",
        problem.message
    );
    assert_eq!(
        problem.fix.unwrap().edits,
        [PlanEdit::Disconnect {
            from: "c".into(),
            to: "a".into()
        }]
    );
}

#[test]
fn repeated_dependencies_collapse_with_a_warning() {
    let doubled = plan(vec![task("a", &[]), task("b", &["a", "a"])]);
    let problem = only(&doubled);
    assert_eq!((problem.code, problem.severity), (Code::Type, Severity::Warning));
    assert_eq!(problem.pointer, "/tasks/1/dependencies");
    assert_eq!(accepted(&doubled).dependencies(1), [0]);
}

#[test]
fn other_words_for_dependencies_are_errors() {
    for field in [
        "dependsOn",
        "depends_on",
        "deps",
        "requires",
        "after",
        "parents",
        "needs",
        "Dependencies",
    ] {
        let plan = plan(vec![
            task("a", &[]),
            with(
                json!({"id": "b", "task_type": "model", "instruction": "i"}),
                field,
                json!(["a"]),
            ),
        ]);
        let problem = only(&plan);
        assert_eq!(
            (problem.code, problem.severity),
            (Code::UnknownField, Severity::Error),
            "{field}"
        );
        assert_eq!(problem.pointer, format!("/tasks/1/{field}"));
        assert_eq!(problem.fix.unwrap().edits.len(), 2);
    }
}
