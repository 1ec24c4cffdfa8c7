//! What would only come up in the run is told before it: code, templates, SQL and other texts in a language of their own,
//! secrets where none may stand, and what outputs and conditions can't hold.

use planloom_engine::model::{Code, Json, Problem, Setting, Severity};
use planloom_engine::tools::Registry;
use serde_json::json;

use crate::support::{draft, place};

fn problems(plan: &Json) -> Vec<Problem> {
    let registry = Registry::builtin();
    let place = place();
    let setting = Setting {
        catalog: registry.catalog(),
        place: &place,
        has_models: true,
    };
    let problems = draft(plan).problems_in(&setting);
    for problem in &problems {
        assert!(plan.pointer(&problem.pointer).is_some(), "{problem:?}");
        let message = &problem.message;
        assert!(
            message.ends_with(['.', '?']) && !message.ends_with(".."),
            "{message}"
        );
    }
    problems
}

fn tool(name: &str, inputs: Json) -> Json {
    json!({"id": "t", "instruction": "i", "task_type": "tool", "tool": name, "inputs": inputs})
}

fn plan(tasks: Json) -> Json {
    json!({"tasks": tasks, "grants": {"read": ["/plans/**"], "hosts": ["a.example.com", "POST a.example.com"],
           "databases": ["/plans/a.db"], "write": ["/plans/**"], "commands": ["git *"]}})
}

/// All that is told of one call, each with its place in the task.
fn told_of(name: &str, inputs: Json) -> String {
    let told = problems(&plan(json!([tool(name, inputs)])));
    told.iter()
        .map(|p| {
            format!(
                "{:?} {} {}\n",
                p.code,
                p.pointer.trim_start_matches("/tasks/0"),
                p.message
            )
        })
        .collect()
}

#[test]
fn code_is_read_before_the_run() {
    let code = |source: &str| {
        let task = json!({"id": "c", "instruction": "i", "task_type": "code", "inputs": {"rows": [1]}, "source": source});
        problems(&plan(json!([task])))
    };
    for fine in [
        "return rows.length",
        "throw new Error('no')",
        "if (rows) { return {} }\nreturn `}`",
    ] {
        assert_eq!(code(fine), [], "{fine}");
    }
    let wrong = &code("const a = 1;\nreturn a b;")[..];
    assert!(
        matches!(wrong, [one] if one.code == Code::BadExpression && one.pointer == "/tasks/0/source"),
        "{wrong:?}"
    );
    assert!(
        wrong[0].message.starts_with("Task `c`: ") && wrong[0].message.contains("line 2, column 10"),
        "{wrong:?}"
    );
    assert!(code("let rows = 2; return rows")[0].message.contains("line 1"));
    let escape = code("} ); (function(){ return 1");
    assert!(escape[0].message.contains("did not open"), "{escape:?}");
    let nothing = code("rows.map(row => row + 1)");
    assert!(
        nothing[0].severity == Severity::Warning && nothing[0].message.contains("no `return`"),
        "{nothing:?}"
    );
}

/// Code inside maps and nested plans is read as well, and each of many sources by itself.
#[test]
fn code_is_read_wherever_it_stands() {
    let bad = json!({"instruction": "i", "task_type": "code", "source": "return ("});
    let mut inner = bad.clone();
    inner["id"] = "in".into();
    let plan = plan(json!([
        {"id": "m", "instruction": "i", "task_type": "map", "over": [1], "task": bad},
        {"id": "s", "instruction": "i", "task_type": "subplan", "plan": {"tasks": [inner]}},
    ]));
    let told = problems(&plan);
    let places: Vec<&str> = told.iter().map(|p| p.pointer.as_str()).collect();
    assert_eq!(places, ["/tasks/0/task/source", "/tasks/1/plan/tasks/0/source"]);
    assert!(told[1].message.starts_with("Task `s/in`"), "{told:?}");
}

/// A tool, its arguments, and what is told of them.
type Wrong = (&'static str, Json, &'static str);

fn texts() -> Vec<Wrong> {
    vec![
        (
            "text.template",
            json!({"template": "{% if %}"}),
            "BadExpression /inputs/template",
        ),
        (
            "text.template",
            json!({"template": "{{ a }} {{ b }}", "with": {"a": 1}}),
            "reads `b`",
        ),
        (
            "text.template",
            json!({"template": "Hello {{ name }}"}),
            "reads `name`",
        ),
        (
            "text.template",
            json!({"template": {"$literal": "{{"}}),
            "/inputs/template/$literal",
        ),
        (
            "json.query",
            json!({"value": [1], "expression": "a.[b"}),
            "BadExpression /inputs/expression",
        ),
        (
            "json.query",
            json!({"value": [1], "expression": "lenght(@)"}),
            "no function `lenght`",
        ),
        (
            "sql.query",
            json!({"database": "a.db", "sql": "SELEC 1"}),
            "BadExpression /inputs/sql",
        ),
        (
            "sql.query",
            json!({"database": "a.db", "sql": "DROP TABLE t"}),
            "`DROP` changes",
        ),
        (
            "sql.execute",
            json!({"database": "a.db", "sql": "INSRT INTO t"}),
            "near `INSRT`",
        ),
        (
            "text.template",
            json!({"template": "{{ 1 | shout }}"}),
            "no filter `shout`",
        ),
    ]
}

fn others() -> Vec<Wrong> {
    vec![
        (
            "file.list",
            json!({"path": "a", "glob": "a{b"}),
            "BadArguments /inputs/glob",
        ),
        (
            "csv.read",
            json!({"path": "a", "delimiter": "\""}),
            "BadArguments /inputs/delimiter",
        ),
        (
            "http.get",
            json!({"url": "https://a.example.com", "headers": {"a b": "1"}}),
            "BadArguments /inputs/headers",
        ),
        (
            "http.get",
            json!({"url": "https://a.example.com", "headers": {"Host": "x"}}),
            "set by Planloom itself",
        ),
        (
            "http.request",
            json!({"url": "https://a.example.com", "body": "x"}),
            "BadArguments /inputs/body",
        ),
        (
            "http.request",
            json!({"url": "https://a.example.com", "method": "TRACE"}),
            "BadArguments /inputs/method",
        ),
        ("shell.run", json!({"program": "git log"}), "goes into `args`"),
        ("html.to_markdown", json!({}), "exactly one of `html` and `path`"),
        (
            "csv.read",
            json!({"path": "a", "delimiter": "tab"}),
            "longer than 1",
        ),
        (
            "http.get",
            json!({"url": "https://a.example.com", "headers": {"a\nb": "1"}}),
            "`a\\nb` is no header name",
        ),
    ]
}

/// What a call is refused for whatever lies on the disk.
fn refused() -> Vec<Wrong> {
    vec![
        (
            "file.read",
            json!({"path": "a", "encoding": "klingon"}),
            "BadArguments /inputs/encoding Task `t`: `encoding` of `file.read`: there is no encoding `klingon`",
        ),
        (
            "shell.run",
            json!({"program": "git", "encoding": "klingon"}),
            "BadArguments /inputs/encoding",
        ),
        (
            "file.write",
            json!({"path": "run:/", "text": "x"}),
            "BadArguments /inputs/path Task `t`: `path` of `file.write`: `run:/` names a folder",
        ),
        (
            "file.write",
            json!({"path": "/plans/out/", "text": "x"}),
            "names a folder",
        ),
        ("file.read", json!({"path": "run:/."}), "names a folder"),
        ("csv.read", json!({"path": ".."}), "names a folder"),
        ("pdf.to_text", json!({"path": "/"}), "names a folder"),
        (
            "sql.execute",
            json!({"database": "a.db", "sql": "VACUUM"}),
            "BadExpression /inputs/sql Task `t`: `sql` of `sql.execute`: `ATTACH`, `DETACH` and `VACUUM` reach",
        ),
        (
            "sql.query",
            json!({"database": "a.db", "sql": "SELECT ?1, ?2 FROM t", "params": [1]}),
            "BadArguments /inputs/params Task `t`: `params` of `sql.query`: the statement has 2 parameters, and this holds 1",
        ),
        (
            "sql.execute",
            json!({"database": "a.db", "sql": "DELETE FROM t; INSERT INTO t VALUES (?)", "params": [1]}),
            "go with a single statement",
        ),
        (
            "sql.query",
            json!({"tables": {"sqlite_master": "a.csv"}, "sql": "SELECT 1"}),
            "BadArguments /inputs/tables",
        ),
    ]
}

#[test]
fn arguments_in_a_language_of_their_own_are_read() {
    for (name, inputs, expected) in texts().into_iter().chain(others()).chain(refused()) {
        let told = told_of(name, inputs);
        assert!(
            told.contains(expected) && told.lines().count() == 1,
            "{name}: {expected}: {told}"
        );
    }
}

/// What only the run will know is left to it, and so is what a tool may get elsewhere.
#[test]
fn what_may_be_right_is_not_told() {
    let first =
        json!({"id": "a", "instruction": "i", "task_type": "tool", "tool": "echo", "inputs": {"value": 1}});
    for (name, inputs) in [
        ("text.template", json!({"template": {"$from": "a"}})),
        (
            "text.template",
            json!({"template": "{{ x }}", "with": {"$from": "a"}}),
        ),
        (
            "text.template",
            json!({"template": "{{ x }}", "with": {"x": {"$from": "a"}}}),
        ),
        (
            "text.template",
            json!({"template": "{{ x | default('-') }}{% if y is defined %}{{ y }}{% endif %}"}),
        ),
        (
            "text.template",
            json!({"template": "{% for i in range(3) %}{{ i }}{{ loop.index }}{% endfor %}"}),
        ),
        (
            "json.query",
            json!({"value": {"$from": "a"}, "expression": "a[?b > `1`]"}),
        ),
        (
            "sql.query",
            json!({"database": "a.db", "sql": "SELECT x FROM t WHERE y = ?", "params": [{"$from": "a"}]}),
        ),
        (
            "http.request",
            json!({"url": "https://a.example.com", "method": {"$from": "a"}, "body": "x"}),
        ),
        (
            "http.get",
            json!({"url": "https://a.example.com", "headers": {"X-A": {"$from": "a"}}, "accept_status": [{"$from": "a"}]}),
        ),
        (
            "http.get",
            json!({"url": "https://a.example.com", "query": {"$from": "a"}}),
        ),
    ] {
        let mut task = tool(name, inputs.clone());
        task["dependencies"] = json!(["a"]);
        assert_eq!(problems(&plan(json!([first, task]))), [], "{name} {inputs}");
    }
}

#[test]
fn secrets_stand_only_where_the_run_would_take_them() {
    let secret = json!({"$secret": "KEY"});
    let echo = told_of("echo", json!({"value": {"deep": [secret]}}));
    assert!(
        echo.starts_with(
            "BadArguments /inputs/value/deep/0 Task `t`: the secret `KEY` can't be given to `echo`"
        ),
        "{echo}"
    );
    let template = json!({"template": "x", "with": {"a": {"$template": "{{ k }}", "with": {"k": secret}}}});
    assert!(told_of("text.template", template).contains("/inputs/with/a/with/k"));
    let command = told_of("shell.run", json!({"program": "git", "args": ["push", secret]}));
    assert!(command.contains("give it as `stdin`"), "{command}");
    let header = json!({"url": "https://a.example.com", "headers": {"Authorization": {"$template": "Bearer {{ k }}", "with": {"k": secret}}}});
    assert_eq!(told_of("http.get", header), "");
    let given = told_of(
        "shell.run",
        json!({"program": "git", "args": ["push"], "stdin": secret}),
    );
    assert!(!given.contains("secret"), "{given}");
}

fn synthesis(template: &str) -> Vec<String> {
    let mut plan = plan(json!([
        {"id": "rows", "instruction": "i", "task_type": "tool", "tool": "csv.read", "inputs": {"path": "a.csv"}},
        {"id": "my-sum", "instruction": "i", "task_type": "code", "source": "return 1", "dependencies": ["rows"]},
        {"id": "greet", "instruction": "i", "task_type": "tool", "tool": "text.template", "inputs": {"template": "x"}},
    ]));
    plan["parameters"] = json!({"who": {"type": "string", "default": "Ada"}});
    plan["synthesis"] = json!({ "template": template });
    problems(&plan).into_iter().map(|p| p.message).collect()
}

#[test]
fn a_synthesis_reads_only_what_there_will_be() {
    for fine in [
        "{{ outputs.greet.text }} {{ outputs['my-sum'] }} {{ greet.text }} {{ goal }} {{ parameters.who }}",
        "{% for name, value in outputs|items %}{{ name }}: {{ value }}{% endfor %}",
        "{{ outputs.nope|default('-') }}{% if outputs.no is defined %}{{ outputs.no.x }}{% endif %}",
        "outputs.nope",
    ] {
        assert_eq!(synthesis(fine), Vec::<String>::new(), "{fine}");
    }
    for (template, expected) in [
        (
            "{{ outputs.nope }}",
            "there is no task `nope`. `outputs` holds `my-sum` and `greet`.",
        ),
        ("{{ outputs['gret'].text }}", "Did you mean `greet`?"),
        ("{{ outputs.rows }}", "`my-sum` depends on `rows`"),
        ("{{ rows.columns }}", "`my-sum` depends on `rows`"),
        (
            "{{ outputs.greet.txt }}",
            "the output of `greet` has no `txt`. Did you mean `text`?",
        ),
        ("{{ parameters.whom }}", "the plan has no parameter `whom`"),
        ("{{ output.greet }}", "Did you mean `outputs`?"),
        ("{{ outputs.", "can't be used"),
    ] {
        let told = synthesis(template);
        assert!(
            told.len() == 1 && told[0].contains(expected),
            "{template}: {told:?}"
        );
    }
}

#[test]
fn an_input_reads_only_fields_that_an_output_can_have() {
    let reads = |path: &str| {
        problems(&plan(json!([
            {"id": "rows", "instruction": "i", "task_type": "tool", "tool": "csv.read", "inputs": {"path": "a.csv"}},
            {"id": "n", "instruction": "i", "task_type": "code", "source": "return x", "dependencies": ["rows"],
             "inputs": {"x": {"$from": "rows", "path": path}}},
        ])))
    };
    assert_eq!(reads("/rows/0/any"), []);
    assert_eq!(reads(""), []);
    let told = &reads("/row")[..];
    assert!(
        matches!(told, [one] if one.pointer == "/tasks/1/inputs/x/path" && one.code == Code::UnknownInput),
        "{told:?}"
    );
    assert!(
        told[0]
            .message
            .ends_with("which has only `columns` and `rows`. Did you mean `rows`?"),
        "{told:?}"
    );
}

#[test]
fn a_condition_sees_only_what_the_task_is_given() {
    let told = |second: Json| {
        let first = json!({"id": "ask", "instruction": "i", "task_type": "tool", "tool": "echo", "inputs": {"value": true}});
        let mut second = second;
        second["id"] = "next".into();
        second["instruction"] = "i".into();
        second["dependencies"] = json!(["ask"]);
        let found = problems(&plan(json!([first, second])));
        found
            .into_iter()
            .map(|p| format!("{} {}", p.pointer, p.message))
            .collect::<String>()
    };
    let echo = json!({"task_type": "tool", "tool": "echo", "inputs": {"value": 1}, "when": "ask == true"});
    let of_tool = told(echo);
    assert!(
        of_tool.starts_with("/tasks/1/when") && of_tool.contains("only the arguments of its tool (`value`)"),
        "{of_tool}"
    );
    let code = told(json!({"task_type": "code", "source": "return 1", "when": "ask"}));
    assert!(
        code.contains(r#"add "ask": {"$from": "ask"} to `inputs`"#),
        "{code}"
    );
    let seen = json!({"task_type": "code", "source": "return 1", "inputs": {"a": {"$from": "ask"}}, "when": "a", "check": "output == 1"});
    assert_eq!(told(seen), "");
    assert!(
        told(json!({"task_type": "code", "source": "return 1", "check": "outptu"}))
            .contains("Did you mean `output`?")
    );
}
