//! Inputs at any depth, maps and plans inside plans.

use planloom_engine::model::plan::{Input, Over, TaskKind};
use planloom_engine::model::{Code, Json};
use serde_json::json;

use crate::support::*;

fn input(value: Json) -> Json {
    json!({"parameters": {"p": {}}, "tasks": [task("a", &[]), with(task("b", &["a"]), "inputs", json!({"value": value}))]})
}

fn wrong(value: Json) -> (Code, String) {
    let problem = only(&input(value));
    (problem.code, problem.pointer)
}

#[test]
fn references_are_read_at_any_depth() {
    let exact: Json = serde_json::from_str("1.50").unwrap();
    let plan = accepted(&input(json!({
        "l": [exact, {"$literal": {"$from": "x"}}],
        "f": [{"$from": "a", "path": "/rows/0"}, {"$from": "a"}],
        "t": {"$template": "{{ n }}", "with": {"n": {"$param": "p"}}}
    })));
    let Input::Object(entries) = &plan.tasks[1].inputs[0].1 else {
        panic!()
    };
    let Input::Literal(literal) = &entries[0].1 else {
        panic!()
    };
    assert_eq!(
        literal.to_string(),
        r#"[1.50,{"$from":"x"}]"#,
        "a literal is data, to the digit"
    );
    let Input::Array(items) = &entries[1].1 else {
        panic!()
    };
    assert!(matches!(&items[0], Input::From { task: 0, path } if &**path == "/rows/0"));
    assert!(matches!(&items[1], Input::From { task: 0, path } if path.is_empty()));
    assert!(
        matches!(&entries[2].1, Input::Template { source, with: Some(with) } if &**source == "{{ n }}" && with.len() == 1)
    );
    let mut secret = input(json!(1));
    secret["tasks"][1]["tool"] = "http.get".into();
    secret["tasks"][1]["inputs"] =
        json!({"url": "https://a.example", "headers": {"deep": {"$secret": "KEY"}}});
    let plan = accepted(&secret);
    assert!(
        matches!(&plan.tasks[1].inputs[1].1, Input::Object(inner) if matches!(&inner[0].1, Input::Secret(name) if &**name == "KEY"))
    );
}

#[test]
fn an_object_without_references_is_one_literal() {
    let plan = accepted(&input(json!({"a": [1, {"b": "{{ x }}"}]})));
    assert!(plan.tasks[1].inputs[0].1.as_literal().is_some());
}

#[test]
fn shapes_that_mean_nothing_are_told() {
    for (value, pointer) in [
        (json!({"$fron": "a"}), "/tasks/1/inputs/value/$fron"),
        (json!({"$": 1}), "/tasks/1/inputs/value/$"),
        (
            json!({"$from": "a", "$param": "p"}),
            "/tasks/1/inputs/value/$param",
        ),
        (
            json!({"$from": "a", "default": 1}),
            "/tasks/1/inputs/value/default",
        ),
        (json!({"$param": "p", "path": "/x"}), "/tasks/1/inputs/value/path"),
        (json!({"$literal": 1, "x": 2}), "/tasks/1/inputs/value/x"),
        (json!([{"$from": 3}]), "/tasks/1/inputs/value/0/$from"),
        (
            json!({"$from": "a", "path": "rows"}),
            "/tasks/1/inputs/value/path",
        ),
        (
            json!({"$from": "a", "path": "/a~2"}),
            "/tasks/1/inputs/value/path",
        ),
        (json!({"$from": "a", "path": 0}), "/tasks/1/inputs/value/path"),
        (json!({"$template": 1}), "/tasks/1/inputs/value/$template"),
        (
            json!({"$template": "x", "with": []}),
            "/tasks/1/inputs/value/with",
        ),
        (json!({"$secret": ""}), "/tasks/1/inputs/value/$secret"),
        (json!({"$item": ""}), "/tasks/1/inputs/value/$item"),
        (json!({"$index": true}), "/tasks/1/inputs/value/$index"),
    ] {
        assert_eq!(wrong(value.clone()), (Code::Type, pointer.to_owned()), "{value}");
    }
}

#[test]
fn secrets_are_for_tools_only() {
    let plan = plan(vec![
        json!({"id": "a", "task_type": "model", "instruction": "i", "inputs": {"k": {"$secret": "KEY"}}}),
    ]);
    let problem = only(&plan);
    assert_eq!(
        (problem.code, problem.pointer.as_str()),
        (Code::Type, "/tasks/0/inputs/k/$secret")
    );
}

#[test]
fn templates_read_the_other_inputs() {
    let template = |inputs: Json| {
        plan(vec![
            json!({"id": "a", "task_type": "model", "instruction": "i", "inputs": inputs}),
        ])
    };
    assert_eq!(
        problems(&template(
            json!({"name": "x", "text": {"$template": "{{ name }}"}})
        )),
        []
    );
    let unknown = only(&template(
        json!({"name": "x", "text": {"$template": "{{ nam }}"}}),
    ));
    assert_eq!(
        (unknown.code, unknown.pointer.as_str()),
        (Code::UnknownInput, "/tasks/0/inputs/text/$template")
    );
    assert!(
        unknown.message.contains("`nam`") && unknown.message.contains("Did you mean `name`?"),
        "{}",
        unknown.message
    );
    assert_eq!(
        only(&template(json!({"text": {"$template": "{{ text }}"}}))).code,
        Code::UnknownInput
    );
    let with = json!({"name": 1, "text": {"$template": "{{ name }}", "with": {"other": 1}}});
    assert_eq!(only(&template(with)).code, Code::UnknownInput);
    let ring = json!({"a": {"$template": "{{ b }}"}, "b": {"$template": "{{ a }}"}});
    assert_eq!(only(&template(ring)).code, Code::BadExpression);
    let chain = json!({"a": {"$template": "{{ b }}"}, "b": {"$template": "{{ c }}"}, "c": 1});
    assert_eq!(problems(&template(chain)), []);
}

fn map(over: Json, inner: Json) -> Json {
    let map = json!({"id": "m", "task_type": "map", "instruction": "i", "dependencies": ["a"],
        "inputs": {"rows": {"$from": "a"}}, "over": over, "task": inner});
    plan(vec![task("a", &[]), task("z", &[]), map])
}

#[test]
fn maps_are_checked_in_place() {
    let inner = |value: Json| json!({"task_type": "tool", "tool": "echo", "inputs": {"value": value}});
    for (over, value) in [
        (json!("rows"), json!({"$item": ""})),
        (
            json!({"$from": "a", "path": "/rows"}),
            json!([{"$item": "/sku"}, {"$index": true}]),
        ),
        (json!([1, 2]), json!({"$from": "a"})),
    ] {
        assert_eq!(problems(&map(over, inner(value))), []);
    }
    for (over, value, code, pointer) in [
        (json!("row"), json!(1), Code::UnknownInput, "/tasks/2/over"),
        (
            json!({"$from": "z"}),
            json!(1),
            Code::MissingDependency,
            "/tasks/2/over/$from",
        ),
        (json!({"a": 1}), json!(1), Code::Type, "/tasks/2/over"),
        (json!(3), json!(1), Code::Type, "/tasks/2/over"),
        (
            json!("rows"),
            json!({"$item": "x"}),
            Code::Type,
            "/tasks/2/task/inputs/value/$item",
        ),
        (
            json!("rows"),
            json!({"$index": 1}),
            Code::Type,
            "/tasks/2/task/inputs/value/$index",
        ),
        (
            json!("rows"),
            json!({"$from": "z"}),
            Code::MissingDependency,
            "/tasks/2/task/inputs/value/$from",
        ),
    ] {
        let problem = only(&map(over, inner(value)));
        assert_eq!((problem.code, problem.pointer.as_str()), (code, pointer));
        assert_eq!(problem.tasks, ["m".into()]);
    }
    let unknown_tool = map(json!("rows"), json!({"task_type": "tool", "tool": "ecco"}));
    assert_eq!(only(&unknown_tool).pointer, "/tasks/2/task/tool");
    let none = plan(vec![json!({"id": "m", "task_type": "map", "instruction": "i"})]);
    assert_eq!(found(&none).len(), 2);
    let typed = accepted(&map(json!("rows"), inner(json!(1))));
    let TaskKind::Map { over, .. } = &typed.tasks[2].kind else {
        panic!("{:?}", typed.tasks[2]);
    };
    assert!(matches!(&**over, Over::Input(name) if &**name == "rows"));
}

fn subplan(inputs: Json, inner: Json) -> Json {
    plan(vec![
        json!({"id": "s", "task_type": "subplan", "instruction": "i", "inputs": inputs, "plan": inner}),
    ])
}

#[test]
fn plans_inside_plans_are_checked_whole() {
    assert_eq!(problems(&subplan(json!({}), json!("other.plan.json"))), []);
    let loops = subplan(
        json!({}),
        json!({"tasks": [task("a", &["b"]), task("b", &["a"])]}),
    );
    let problem = only(&loops);
    assert_eq!(
        (problem.code, problem.pointer.as_str()),
        (Code::Cycle, "/tasks/0/plan/tasks/0/dependencies/0")
    );
    assert_eq!(problem.tasks, ["s/a", "s/b"].map(Into::into));
    assert_eq!(problem.fix, None);
    let deep = subplan(
        json!({}),
        subplan(json!({}), json!({"tasks": [task("a", &["x"])]})),
    );
    assert_eq!(only(&deep).tasks, ["s/s/a".into()]);
    assert_eq!(
        only(&subplan(json!({}), json!({"tasks": []}))).pointer,
        "/tasks/0/plan/tasks"
    );
    assert_eq!(only(&subplan(json!({}), json!(""))).code, Code::Type);
    // An id of the outer plan means nothing inside.
    let outer = json!({"tasks": [task("a", &[]), {"id": "s", "task_type": "subplan", "instruction": "i", "dependencies": ["a"],
        "plan": {"tasks": [with(task("b", &[]), "inputs", json!({"value": {"$from": "a"}}))]}}]});
    assert_eq!(only(&outer).code, Code::UnknownInput);
}

#[test]
fn inputs_of_a_subplan_bind_its_parameters() {
    let inner = |schema: Json| json!({"parameters": {"region": schema}, "tasks": [task("a", &[])]});
    assert_eq!(problems(&subplan(json!({"region": 1}), inner(json!({})))), []);
    assert_eq!(problems(&subplan(json!({}), inner(json!({"default": 1})))), []);
    let unbound = only(&subplan(json!({}), inner(json!({}))));
    assert_eq!(
        (unbound.code, unbound.pointer.as_str()),
        (Code::MissingField, "/tasks/0")
    );
    let unknown = only(&subplan(json!({"regoin": 1}), inner(json!({"default": 1}))));
    assert_eq!(
        (unknown.code, unknown.pointer.as_str()),
        (Code::UnknownParameter, "/tasks/0/inputs/regoin")
    );
}
