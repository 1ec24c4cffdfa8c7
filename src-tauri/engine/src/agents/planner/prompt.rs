//! What a planner is asked: the rules and examples that never change, then the tools, then the goal. What a tool gave
//! is never in it. It must not know how the answer is read.

use std::sync::LazyLock;

use serde_json::json;

use super::talk::Talk;
use super::{Brief, Form, Revising, restate, schema};
use crate::agents::answers::share;
use crate::agents::data::{cut, fenced};
use crate::llm::{Message, OutputFormat, Request};
use crate::model::Json;
use crate::model::tool::ToolSpec;

const RULES: &str = include_str!("../prompts/planner.md");
const SMALL_RULES: &str = include_str!("../prompts/planner-small.md");
const EDITING: &str = include_str!("../prompts/planner-edit.md");
const EXAMPLES: &str = include_str!("../prompts/planner-examples.json");
/// Bytes of all tools together, and the least that each keeps.
const TOOLS: usize = 128 * 1024;
const LEAST: usize = 200;

/// A goal and a good answer to it.
pub(super) struct Example {
    pub goal: String,
    pub answer: Json,
}

/// In the strict form.
static STRICT: LazyLock<Vec<Example>> = LazyLock::new(|| {
    let all: Vec<Json> = serde_json::from_str(EXAMPLES).unwrap_or_default();
    let read = |one: Json| {
        Some(Example {
            goal: one.get("goal")?.as_str()?.to_owned(),
            answer: one.get("answer")?.clone(),
        })
    };
    all.into_iter().filter_map(read).collect()
});

/// The same in the tuple form.
static TUPLES: LazyLock<Vec<Example>> = LazyLock::new(|| {
    let small = |one: &Example| Example {
        goal: one.goal.clone(),
        answer: as_tuples(&one.answer),
    };
    STRICT.iter().map(small).collect()
});

pub(super) fn examples(form: Form) -> &'static [Example] {
    match form {
        Form::Strict => &STRICT,
        Form::Tuple => &TUPLES,
    }
}

/// Whether the value is the plan of an example, repeated.
pub(super) fn is_example(value: &Json) -> bool {
    let all = STRICT.iter().chain(TUPLES.iter());
    all.into_iter()
        .any(|one| value.get("tasks") == one.answer.get("tasks"))
}

/// The tasks numbered, with only what the tuple form has.
fn as_tuples(answer: &Json) -> Json {
    let tasks = answer.get("tasks").and_then(Json::as_array);
    let tasks: Vec<&Json> = tasks.into_iter().flatten().collect();
    let number = |id: &Json| {
        let at = tasks.iter().position(|task| task.get("id") == Some(id));
        format!("t{}", at.unwrap_or(0) + 1)
    };
    let small: Vec<Json> = tasks
        .iter()
        .map(|task| {
            let after = task["dependencies"].as_array().into_iter().flatten();
            let after: Vec<String> = after.map(number).collect();
            json!({ "id": number(&task["id"]), "instruction": task["instruction"], "tools": task["tools"], "dependencies": after })
        })
        .collect();
    json!({ "tasks": small })
}

pub(super) fn request(brief: &Brief<'_>, talk: &Talk) -> Request {
    let names: Vec<&str> = brief.tools.iter().map(|tool| tool.name.as_str()).collect();
    let mut messages = vec![Message::User(told(brief))];
    messages.extend(talk.messages.iter().cloned());
    if talk.cuts > 0
        && let Some(Message::User(last)) = messages.last_mut()
    {
        last.push_str(&shorter(talk));
    }
    Request {
        model: brief.model.to_owned(),
        system: system(brief),
        messages,
        tools: Vec::new(),
        output: Some(OutputFormat {
            name: "plan".to_owned(),
            schema: schema::of(brief.form, &names),
        }),
        max_output_tokens: Some(talk.limit(brief)),
        temperature: None,
    }
}

/// The same whatever the goal, so that a provider's cache holds it.
fn system(brief: &Brief<'_>) -> String {
    let form = brief.form;
    let rules = match form {
        Form::Strict => RULES,
        Form::Tuple => SMALL_RULES,
    };
    let mut text = rules.to_owned();
    if !brief.is_small {
        text.push_str("\n# Examples\n");
        for example in examples(form) {
            text.push_str(&format!("\nGoal: {}\n{}\n", example.goal, example.answer));
        }
    }
    // Behind all that is the same for a new plan.
    if brief.revising.is_some() {
        text.push('\n');
        text.push_str(EDITING);
    }
    text
}

fn told(brief: &Brief<'_>) -> String {
    let mut text = "The tools that the plan may use, and no others:\n".to_owned();
    let most = if brief.is_small {
        LEAST
    } else {
        share(TOOLS, brief.tools.len(), LEAST)
    };
    let tools: Vec<String> = brief
        .tools
        .iter()
        .map(|tool| line(tool, most, brief.form))
        .collect();
    let tools = if tools.is_empty() {
        "(none)".to_owned()
    } else {
        tools.join("\n")
    };
    text.push_str(&fenced(&tools));
    if let Some(parameters) = brief.parameters.as_object().filter(|map| !map.is_empty()) {
        text.push_str("\n\nThe parameters of the plan, given at launch:\n");
        text.push_str(&fenced(&Json::Object(parameters.clone()).to_string()));
    }
    if let Some(revising) = &brief.revising {
        text.push_str(&told_of_plan(brief, revising));
        return text;
    }
    if let Some(grants) = brief.grants.as_object().filter(|map| !map.is_empty()) {
        text.push_str("\n\nGranted already:\n");
        text.push_str(&fenced(&Json::Object(grants.clone()).to_string()));
    }
    if !brief.may_ask && brief.form == Form::Strict {
        text.push_str(
            "\n\nDon't ask: `questions` is empty. Decide by yourself, and say so in `assumptions`.",
        );
    }
    text.push_str("\n\nThe goal:\n");
    text.push_str(&fenced(brief.goal));
    text
}

/// The plan that is there in the form of an answer, and what is wanted of it. A name in it may be foreign, so that it
/// is data too.
fn told_of_plan(brief: &Brief<'_>, revising: &Revising<'_>) -> String {
    let (answer, nested) = restate::as_answer(revising.base);
    let mut text = String::new();
    if !brief.goal.trim().is_empty() {
        text.push_str("\n\nWhat the plan is for:\n");
        text.push_str(&fenced(brief.goal));
    }
    text.push_str("\n\nThe plan as it is, in the form of your answer:\n");
    text.push_str(&fenced(&answer.to_string()));
    if !nested.is_empty() {
        text.push_str(
            "\n\nThese tasks hold plans of their own, which can't be written in this form; repeat them as they stand, or \
             leave them out:\n",
        );
        text.push_str(&fenced(&nested.join(", ")));
    }
    text.push_str("\n\nDon't ask: `questions` is empty.\n\nThe change that is wanted:\n");
    text.push_str(&fenced(revising.wanted));
    text
}

/// A small model gets what the tool is for; who writes down its calls gets its shapes too.
fn line(tool: &ToolSpec, most: usize, form: Form) -> String {
    let line = match form {
        Form::Tuple => format!("{}: {}", tool.name, tool.description),
        Form::Strict => {
            let effect = serde_json::to_value(tool.effect).unwrap_or_default();
            format!(
                "{} ({}): {} Arguments: {} Result: {}",
                tool.name,
                effect.as_str().unwrap_or_default(),
                tool.description,
                tool.arguments,
                tool.result
            )
        }
    };
    cut(&line, most).into_owned()
}

fn shorter(talk: &Talk) -> String {
    let most = if talk.cuts > 1 { 4 } else { 8 };
    format!(
        "\n\nAn answer was cut at its limit of output, so nothing of it was used. Think less, and give a plan of at most \
         {most} tasks with short instructions; a task may stand for several steps."
    )
}
