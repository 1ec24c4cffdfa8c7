//! What would only come up in the run is told before it: places that are closed or empty, models that there are not, forms and
//! outputs that nothing fits, grants that a plan inside a plan has not of its own.

use planloom_engine::model::tool::{Catalog, FindModel};
use planloom_engine::model::{Json, Problem, Setting, Severity};
use planloom_engine::tools::Registry;
use serde_json::json;

use crate::support::{draft, place};

fn catalog() -> Catalog {
    let known = |name: &str| match name {
        "executor" | "near/small" => None,
        other => Some(format!(
            "The model `{other}` is not set up. There are: near/small."
        )),
    };
    let registry = Registry::builtin().closing(&["/data/planloom".into()]);
    registry.catalog().clone().finding_models(FindModel::new(known))
}

fn judged(plan: &Json, catalog: &Catalog) -> Vec<Problem> {
    let place = place();
    let setting = Setting {
        catalog,
        place: &place,
        has_models: true,
    };
    let problems = draft(plan).problems_in(&setting);
    for problem in &problems {
        assert!(plan.pointer(&problem.pointer).is_some(), "{problem:?}");
    }
    problems
}

fn told(plan: &Json) -> Vec<String> {
    let line = |problem: Problem| {
        let word = match problem.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        format!("{word} {} {}", problem.pointer, problem.message)
    };
    judged(plan, &catalog()).into_iter().map(line).collect()
}

/// The one that is told of a plan of this task alone.
fn only(mut task: Json) -> String {
    task["id"] = "t".into();
    task["instruction"] = "i".into();
    let told = told(&json!({"tasks": [task], "grants": {"read": ["/"], "write": ["/"]}}));
    assert!(told.len() < 2, "{told:#?}");
    told.concat()
}

fn tool(name: &str, inputs: Json) -> Json {
    json!({"task_type": "tool", "tool": name, "inputs": inputs})
}

fn named(id: &str, after: &[&str], mut task: Json) -> Json {
    task["id"] = id.into();
    task["instruction"] = "i".into();
    task["dependencies"] = json!(after);
    task
}

#[test]
fn paths_that_no_grant_opens_are_told() {
    for (name, inputs, expected) in [
        (
            "file.read",
            json!({"path": "/proc/self/environ"}),
            "error /tasks/0/inputs/path Task `t`: `/proc/self/environ` is closed to every plan",
        ),
        (
            "file.write",
            json!({"path": "/dev/full", "text": "x"}),
            "is closed to every plan",
        ),
        ("file.list", json!({"path": "/sys"}), "is closed to every plan"),
        (
            "csv.read",
            json!({"path": "/home/ada/.ssh/id.csv"}),
            "`.ssh` holds keys",
        ),
        (
            "sql.query",
            json!({"database": "/data/planloom/planloom.db", "sql": "SELECT 1"}),
            "/inputs/database Task `t`: `/data/planloom/planloom.db` lies in Planloom's own data",
        ),
        (
            "sql.execute",
            json!({"database": "/data/planloom/x", "sql": "DELETE FROM t"}),
            "Planloom's own data",
        ),
        (
            "sql.query",
            json!({"tables": {"a": "/data/planloom/../planloom/a.csv"}, "sql": "SELECT 1"}),
            "error /tasks/0/inputs/tables Task `t`: `/data/planloom/a.csv` lies in",
        ),
        ("file.read", json!({"path": "/data/planlooms/a"}), ""),
        ("file.read", json!({"path": "/dev/shm/a"}), ""),
    ] {
        let told = only(tool(name, inputs.clone()));
        assert!(
            told.contains(expected) && told.is_empty() == expected.is_empty(),
            "{name} {inputs}: {told}"
        );
    }
}

#[test]
fn files_of_the_run_that_nobody_writes_are_told() {
    let read = || tool("file.read", json!({"path": "run:/a.txt"}));
    let write = || tool("file.write", json!({"path": "run:/a.txt", "text": "x"}));
    let missing = only(read());
    assert!(
        missing.starts_with(
            "warning /tasks/0/inputs/path Task `t` reads `run:/a.txt`, which no task before it writes"
        ),
        "{missing}"
    );
    let of = |tasks: Json| told(&json!({"tasks": tasks, "grants": {"commands": ["make"]}}));
    let agent = |tools: Json| json!({"task_type": "agent", "tools": tools});
    let computed = json!({"task_type": "tool", "tool": "file.write", "inputs": {"path": {"$template": "run:/{{ n }}", "with": {"n": 1}}, "text": "x"}});
    for first in [
        write(),
        tool(
            "sql.execute",
            json!({"database": "run:/a.txt", "sql": "CREATE TABLE t (a)"}),
        ),
        tool("file.write", json!({"path": "run:/a.txt/b", "text": "x"})),
        agent(json!(["file.write"])),
        tool("shell.run", json!({"program": "make"})),
        json!({"task_type": "code", "source": "return 1", "writes": ["run:/a.txt"]}),
        json!({"task_type": "subplan", "plan": {"tasks": [named("in", &[], write())]}}),
        json!({"task_type": "map", "over": [1], "task": computed}),
    ] {
        let told = of(json!([
            named("a", &[], first.clone()),
            named("m", &["a"], tool("wait", json!({"ms": 1}))),
            named("b", &["m"], read())
        ]));
        let told: Vec<&String> = told.iter().filter(|line| line.contains(" reads ")).collect();
        assert!(told.is_empty(), "{first}: {told:?}");
    }
    for first in [
        agent(json!(["file.list"])),
        tool("file.write", json!({"path": "run:/ab.txt", "text": "x"})),
    ] {
        let told = of(json!([
            named("a", &[], first.clone()),
            named("b", &["a"], read())
        ]));
        assert!(
            told.iter().any(|line| line.contains("`b` reads")),
            "{first}: {told:?}"
        );
    }
    let unordered = of(json!([named("a", &[], write()), named("b", &[], read())]));
    assert!(
        unordered.len() == 1 && unordered[0].contains("let the one depend on the other"),
        "{unordered:?}"
    );
    let after = of(json!([named("b", &[], read()), named("a", &["b"], write())]));
    assert!(after.len() == 1, "{after:?}");
}

/// What is read in a plan inside may have been written around it, and the reverse.
#[test]
fn files_of_the_run_are_followed_into_plans_inside() {
    let read = tool("file.read", json!({"path": "run:/a.txt"}));
    let write = tool("file.write", json!({"path": "run:/a.txt", "text": "x"}));
    let inner = json!({"task_type": "subplan", "plan": {"tasks": [named("in", &[], read.clone())]}});
    let fine = told(&json!({"tasks": [named("a", &[], write.clone()), named("s", &["a"], inner.clone())]}));
    assert_eq!(fine, [] as [String; 0]);
    let wrong = told(&json!({"tasks": [named("s", &[], inner)]}));
    assert!(
        wrong.len() == 1
            && wrong[0].starts_with("warning /tasks/0/plan/tasks/0/inputs/path Task `s/in` reads"),
        "{wrong:?}"
    );
    let mut optional = read;
    optional["optional"] = true.into();
    assert_eq!(only(optional), "");
    assert_eq!(only(tool("file.list", json!({"path": "run:/"}))), "");
}

#[test]
fn models_that_there_are_not_are_told() {
    let model = |name: &str| json!({"task_type": "model", "model": name});
    assert_eq!(
        only(model("nope/x")),
        "error /tasks/0/model Task `t`: the model `nope/x` is not set up. There are: near/small."
    );
    assert_eq!(
        (only(model("near/small")), only(json!({"task_type": "agent"}))),
        (String::new(), String::new())
    );
    let stands_in = json!({"task_type": "agent", "fallback": "nope/y"});
    assert!(only(stands_in).starts_with("error /tasks/0/fallback Task `t`: the model `nope/y`"));
    let mut plan = json!({"tasks": [named("t", &[], tool("echo", json!({"value": 1})))]});
    plan["synthesis"] = json!({"model": "nope/z", "instruction": "i"});
    assert!(
        told(&plan)
            .concat()
            .starts_with("error /synthesis/model The plan: the model `nope/z`"),
        "{:?}",
        told(&plan)
    );
    let none = Registry::builtin()
        .catalog()
        .clone()
        .finding_models(FindModel::new(|_| Some("No model.".to_owned())));
    let asking =
        json!({"tasks": [named("a", &[], json!({})), named("b", &[], json!({"task_type": "model"}))]});
    let told = judged(&asking, &none);
    assert!(
        told.len() == 1 && told[0].message == "Tasks `a` and `b`: no model." && told[0].tasks.len() == 2,
        "{told:?}"
    );
}

#[test]
fn forms_and_outputs_that_nothing_fits_are_told() {
    let human = |form: Json| only(json!({"task_type": "human", "form": form}));
    assert_eq!(
        human(json!(false)),
        "error /tasks/0/form Task `t`: no answer can fit this: `false` allows no value at all."
    );
    let closed =
        json!({"type": "object", "required": ["zz"], "properties": {"a": {}}, "additionalProperties": false});
    assert!(human(closed).contains("`zz` is required, and not among"));
    assert_eq!(
        human(json!({"type": "object", "properties": {"a": {"type": "boolean"}}})),
        ""
    );
    let read = |schema: Json| {
        let mut task = tool("file.read", json!({"path": "/a"}));
        task["output_schema"] = schema;
        only(task)
    };
    assert_eq!(
        read(json!({"type": "object", "required": ["nope"]})),
        "error /tasks/0/output_schema Task `t`: what `file.read` gives can't fit this: it has no `nope`, but only `text`."
    );
    assert!(read(json!({"type": "array"})).contains("never array"));
    assert!(read(json!({"enum": []})).contains("no output can fit this: its `enum` is empty"));
    assert_eq!(read(json!({"type": "object", "required": ["text"]})), "");
    let map = json!({"task_type": "map", "over": [1], "output_schema": {"type": "object"}, "task": {"task_type": "code", "source": "return 1"}});
    assert!(only(map).contains("the list that a map gives can't fit"));
    let parameter = json!({"tasks": [named("t", &[], tool("echo", json!({"value": 1})))], "parameters": {"n": {"type": "integer", "minimum": 2, "maximum": 1}}});
    assert!(
        told(&parameter)
            .concat()
            .contains("no value of parameter `n` can fit this")
    );
}

#[test]
fn a_plan_inside_needs_grants_of_its_own_and_is_told_so() {
    let url = json!({"url": {"$template": "http://a/{{ n }}", "with": {"n": 1}}});
    let inner =
        json!({"task_type": "subplan", "plan": {"tasks": [named("in", &[], tool("http.get", url.clone()))]}});
    let told_of = |plan: Json| told(&plan).concat();
    let nested = told_of(json!({"grants": {"hosts": ["a"]}, "tasks": [named("s", &[], inner)]}));
    assert!(
        nested.contains(
            "the inner plan grants no host at all (what the plan around it grants does not count in it)"
        ),
        "{nested}"
    );
    let outer = told_of(json!({"tasks": [named("t", &[], tool("http.get", url))]}));
    assert!(
        outer.contains("and the plan grants no host at all: add an entry to `grants.hosts`."),
        "{outer}"
    );
    let agent = json!({"task_type": "subplan", "plan": {"tasks": [named("in", &[], json!({"tools": ["http.get"]}))]}});
    let agent = told_of(json!({"grants": {"hosts": ["a"]}, "tasks": [named("s", &[], agent)]}));
    assert!(
        agent.contains("may use `http.get`, and the inner plan grants no host"),
        "{agent}"
    );
}

#[test]
fn an_empty_grant_is_told_once() {
    for kind in ["hosts", "read", "commands", "own_work", "private_to"] {
        let plan =
            json!({"tasks": [named("t", &[], tool("echo", json!({"value": 1})))], "grants": {kind: [""]}});
        assert_eq!(told(&plan).len(), 1, "{kind}: {:?}", told(&plan));
    }
}

/// What was signed by an earlier version can be read, whatever has been learnt to foresee since.
#[test]
fn a_plan_that_was_signed_is_not_asked_for_what_its_run_told() {
    let plan = json!({"tasks": [
        named("a", &[], tool("file.read", json!({"path": "/proc/1", "encoding": "klingon"}))),
        named("b", &[], json!({"task_type": "human", "form": false})),
        named("c", &[], json!({"task_type": "model", "model": "nope/x"})),
        named("d", &[], tool("file.read", json!({"path": "run:/a"}))),
        named("e", &[], json!({"task_type": "code", "source": "return ("})),
    ]});
    assert_eq!(
        judged(&plan, &catalog()).len(),
        6,
        "{:#?}",
        judged(&plan, &catalog())
    );
    assert_eq!(judged(&plan, &catalog().of_signed()), []);
}
