//! The planner's dialect: its schemas, its examples, and the way from any valid answer to a plan document.

use std::path::PathBuf;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;

use super::schema::{KINDS, TASK_TYPES, TIERS};
use super::*;
use crate::agents::output::{compile, judge};
use crate::llm::Answer;
use crate::model::grants::Place;
use crate::model::problem::Severity;
use crate::model::tool::Catalog;

struct Desk {
    tools: Vec<Arc<ToolSpec>>,
    catalog: Catalog,
    place: Place,
}

fn desk() -> Desk {
    let tools: Vec<Arc<ToolSpec>> = crate::tools::builtin()
        .iter()
        .map(|tool| tool.spec().clone())
        .collect();
    Desk {
        catalog: Catalog::new(tools.iter().cloned()),
        tools,
        place: Place {
            folder: Some(PathBuf::from("/plans")),
            workspace: PathBuf::from("/w"),
        },
    }
}

impl Desk {
    fn names(&self) -> Vec<&str> {
        self.tools.iter().map(|tool| tool.name.as_str()).collect()
    }

    fn plan(&self, form: Form, reply: &str) -> Planned {
        let setting = Setting {
            catalog: &self.catalog,
            place: &self.place,
            has_models: true,
        };
        let brief = Brief {
            model: "planner",
            goal: "Do it",
            tools: &self.tools,
            parameters: &Json::Null,
            grants: &Json::Null,
            budget: &Json::Null,
            revising: None,
            may_ask: false,
            form,
            setting: &setting,
            most_output: None,
            is_small: false,
        };
        let turn = |text: &str| Turn {
            reply: Reply::complete(Answer::text(text)),
            answers: None,
        };
        // The same answer each time, so that it is shown as it is in the end.
        match next(&brief, &[turn(reply), turn(reply), turn(reply), turn(reply)]) {
            Step::Planned(planned) => *planned,
            other @ (Step::Ask(_) | Step::Question { .. } | Step::Failed(_)) => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_examples_fit_their_schema_and_are_plans_without_errors() {
    let desk = desk();
    for form in [Form::Strict, Form::Tuple] {
        let validator = compile(&schema_of(form, &desk.names())).unwrap();
        assert_eq!(prompt::examples(form).len(), 2);
        for example in prompt::examples(form) {
            assert_eq!(judge(&validator, &example.answer), Ok(()), "{}", example.goal);
        }
    }
    for example in prompt::examples(Form::Strict) {
        let mut answer = example.answer.clone();
        // Not the example itself, which is no plan of this goal.
        answer["tasks"][0]["title"] = json!("Begin");
        let planned = desk.plan(Form::Strict, &answer.to_string());
        let errors: Vec<&Problem> = planned
            .problems
            .iter()
            .filter(|p| p.severity == Severity::Error)
            .collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a document, and nothing else")]
fn a_strict_answer_becomes_the_document_that_it_stands_for() {
    let mut answer = prompt::examples(Form::Strict)[1].answer.clone();
    answer["tasks"][1]["title"] = json!("Sum up");
    let planned = desk().plan(Form::Strict, &answer.to_string());
    insta::assert_snapshot!(planned.draft.to_text(), @r###"
    {
      "version": 1,
      "goal": "Do it",
      "tasks": [
        {
          "id": "read_sales",
          "title": "Read the sales",
          "task_type": "tool",
          "instruction": "Read the table of sales.",
          "inputs": {"path": "sales.csv"},
          "tool": "csv.read"
        },
        {
          "id": "add_up",
          "title": "Sum up",
          "task_type": "code",
          "instruction": "Add up the column `amount`.",
          "dependencies": ["read_sales"],
          "inputs": {
            "rows": {"$from": "read_sales", "path": "/rows"}
          },
          "check": "output.count > 0",
          "source": "const sum = rows.reduce((all, row) => all + Number(row.amount), 0); return { sum, count: rows.length };"
        },
        {
          "id": "comment",
          "title": "Comment",
          "task_type": "model",
          "instruction": "Write one friendly sentence for a report about the sum of these sales.",
          "dependencies": ["add_up"],
          "inputs": {
            "sum": {"$from": "add_up", "path": "/sum"}
          },
          "output_schema": {"type": "string"}
        },
        {
          "id": "write_report",
          "title": "Write the report",
          "task_type": "tool",
          "instruction": "Write the report.",
          "dependencies": ["add_up", "comment"],
          "inputs": {
            "path": "report.md",
            "text": {
              "$template": "Sum: {{ sum }}\n\n{{ comment }}\n",
              "with": {
                "sum": {"$from": "add_up", "path": "/sum"},
                "comment": {"$from": "comment"}
              }
            }
          },
          "writes": ["report.md"],
          "tool": "file.write"
        }
      ]
    }
    "###);
}

#[test]
fn digits_survive_and_text_stays_text() {
    let input = |name: &str, kind: &str, value: &str| json!({ "name": name, "kind": kind, "value": value, "path": "" });
    let inputs = [
        input("big", "json", "[18446744073709551617, 1.10]"),
        input("looks", "text", "{\"$from\": \"x\"}"),
        input("broken", "json", "[1,"),
        input("twice", "json", "{\"a\": 1, \"a\": 2}"),
    ];
    let answer =
        json!({ "tasks": [{ "id": "a", "task_type": "model", "instruction": "Go.", "inputs": inputs }] });
    let planned = desk().plan(Form::Strict, &answer.to_string());
    let inputs = &planned.draft.document()["tasks"][0]["inputs"];
    assert_eq!(inputs["big"].to_string(), "[18446744073709551617,1.10]");
    assert_eq!(inputs["looks"], json!("{\"$from\": \"x\"}"));
    assert_eq!(inputs["broken"], json!("[1,"));
    assert_eq!(inputs["twice"], json!("{\"a\": 1, \"a\": 2}"));
}

#[test]
fn a_task_for_each_item_becomes_a_map() {
    let answer = json!({ "tasks": [
        { "id": "list", "task_type": "tool", "instruction": "List.", "tools": ["file.list"],
          "inputs": [{ "name": "path", "kind": "text", "value": "in", "path": "" }] },
        { "id": "each", "task_type": "tool", "instruction": "Read.", "tools": ["file.read"], "dependencies": ["list"],
          "for_each": "files", "inputs": [
            { "name": "files", "kind": "task", "value": "list", "path": "/files" },
            { "name": "path", "kind": "item", "value": "", "path": "" }] },
    ], "grants": { "read": ["in/"] } });
    let planned = desk().plan(Form::Strict, &answer.to_string());
    assert!(planned.problems.is_empty(), "{:?}", planned.problems);
    let task = &planned.draft.document()["tasks"][1];
    assert_eq!(task["task_type"], "map");
    assert_eq!(task["over"], json!({ "$from": "list", "path": "/files" }));
    assert_eq!(task["task"]["inputs"], json!({ "path": { "$item": "" } }));
    assert_eq!(task["task"]["tool"], "file.read");
}

/// A small model's plan has no inputs: each task reads what it depends on.
#[test]
fn a_tuple_answer_becomes_a_plan_of_agents_and_models() {
    let answer = json!({ "tasks": [
        { "id": "t1", "instruction": "Say it loudly.", "tools": ["echo"], "dependencies": [] },
        { "id": "t2", "instruction": "Sum it up.", "tools": [], "dependencies": ["t1"] },
    ] });
    let desk = desk();
    compile(&schema_of(Form::Tuple, &desk.names()))
        .unwrap()
        .validate(&answer)
        .unwrap();
    let planned = desk.plan(Form::Tuple, &answer.to_string());
    assert!(planned.problems.is_empty(), "{:?}", planned.problems);
    let tasks = &planned.draft.document()["tasks"];
    assert_eq!(
        (&tasks[0]["task_type"], &tasks[0]["tools"]),
        (&json!("agent"), &json!(["echo"]))
    );
    assert_eq!(tasks[1]["task_type"], "model");
    assert_eq!(tasks[1]["inputs"], json!({ "t1": { "$from": "t1" } }));
}

#[test]
fn the_request_never_changes_but_for_its_tail() {
    let desk = desk();
    let setting = Setting {
        catalog: &desk.catalog,
        place: &desk.place,
        has_models: true,
    };
    let asked = |goal: &str| {
        let brief = Brief {
            model: "planner",
            goal,
            tools: &desk.tools,
            parameters: &Json::Null,
            grants: &Json::Null,
            budget: &Json::Null,
            revising: None,
            may_ask: true,
            form: Form::Strict,
            setting: &setting,
            most_output: Some(4096),
            is_small: false,
        };
        match next(&brief, &[]) {
            Step::Ask(request) => *request,
            other @ (Step::Planned(_) | Step::Question { .. } | Step::Failed(_)) => panic!("{other:?}"),
        }
    };
    let (one, two) = (asked("one"), asked("two"));
    assert_eq!((&one.system, &one.output), (&two.system, &two.output));
    assert_eq!(
        one.max_output_tokens,
        Some(4096),
        "never more than the model can write"
    );
    assert!(
        one.tools.is_empty(),
        "a plan is asked for as text of a shape, not by a tool"
    );
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c]{0,2}",
        ".{0,8}",
        Just("{\"type\": \"string\"}".to_owned()),
        Just("[1, 2]".to_owned())
    ]
}

fn any_nullable() -> impl Strategy<Value = Json> {
    prop_oneof![Just(Json::Null), any_text().prop_map(Json::from)]
}

fn any_texts() -> impl Strategy<Value = Json> {
    prop::collection::vec(any_text(), 0..3).prop_map(Json::from)
}

fn any_task() -> impl Strategy<Value = Json> {
    let input = (
        any_text(),
        prop::sample::select(&KINDS[..]),
        any_text(),
        any_text(),
    )
        .prop_map(
            |(name, kind, value, path)| json!({ "name": name, "kind": kind, "value": value, "path": path }),
        );
    let tools = prop::collection::vec(prop::sample::select(vec!["echo", "http.get"]), 0..3);
    let words = (
        prop::sample::select(&TASK_TYPES[..]),
        prop::sample::select(&TIERS[..]),
        any::<bool>(),
    );
    let texts = (any_text(), any_text(), any_texts(), any_texts(), tools);
    let nullable = prop::collection::vec(any_nullable(), 7);
    (words, texts, nullable, prop::collection::vec(input, 0..3)).prop_map(
        |(words, texts, nullable, inputs)| {
            let (task_type, tier, optional) = words;
            let (id, instruction, dependencies, writes, tools) = texts;
            json!({
                "id": id, "title": nullable[0], "task_type": task_type, "instruction": instruction,
                "dependencies": dependencies, "tools": tools, "inputs": inputs, "for_each": nullable[1],
                "output_schema": nullable[2], "check": nullable[3], "when": nullable[4], "writes": writes,
                "optional": optional, "tier": tier, "source": nullable[5], "form": nullable[6],
            })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever fits the schema becomes a document with all of its tasks, right or wrong, and reads back the same.
    #[test]
    fn every_valid_answer_becomes_a_document(tasks in prop::collection::vec(any_task(), 1..5), answer in any_nullable(), read in any_texts()) {
        let desk = desk();
        let value = json!({
            "questions": [], "assumptions": [], "tasks": tasks, "answer": answer,
            "grants": { "read": read, "write": [], "hosts": [], "databases": [], "commands": [] },
        });
        let validator = compile(&schema_of(Form::Strict, &desk.names())).unwrap();
        prop_assert_eq!(judge(&validator, &value), Ok(()));
        let planned = desk.plan(Form::Strict, &value.to_string());
        let document = planned.draft.document();
        prop_assert_eq!(document["tasks"].as_array().unwrap().len(), tasks.len());
        for (given, task) in tasks.iter().zip(document["tasks"].as_array().unwrap()) {
            let has_words = !given["instruction"].as_str().unwrap().trim().is_empty();
            prop_assert_eq!(has_words, task.get("instruction").is_some());
        }
        let again = DraftPlan::parse(&planned.draft.to_text()).unwrap();
        prop_assert_eq!(&again, &planned.draft);
    }

    #[test]
    fn any_reply_is_read(reply in ".{0,60}|[\\[\\]{}\",:a-z<>/ \n]{0,80}|\\{\"tasks\":.{0,40}") {
        desk().plan(Form::Strict, &reply);
    }
}
