//! A plan that is there in the planner's dialect, and back: what the planner repeats stays as it was written, with all
//! that the dialect has no word for, and only what it says otherwise is taken. It must not know whether the plan is right.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, json};

use super::{Brief, convert};
use crate::model::{DraftPlan, Json};

/// Kinds of grants that the dialect has.
const GRANTS: [&str; 5] = ["read", "write", "hosts", "databases", "commands"];
/// What a task has by its type; of another type it means nothing.
const OF_TYPE: [&str; 10] = [
    "tools",
    "tool",
    "max_steps",
    "source",
    "form",
    "over",
    "task",
    "plan",
    "max_parallel",
    "fallback",
];

/// The plan as a planner would have answered it, and the tasks that it can't write: plans inside the plan.
pub(super) fn as_answer(base: &DraftPlan) -> (Json, Vec<String>) {
    let document = base.document();
    let tasks: Vec<&Map<String, Json>> = named_tasks(base).into_iter().map(|(_, task)| task).collect();
    let nested = tasks.iter().filter(|task| is_nested(task));
    let nested = nested.map(|task| text(task, "id").to_owned()).collect();
    let grants = GRANTS.map(|kind| {
        (
            kind.to_owned(),
            list_at(document.pointer(&format!("/grants/{kind}"))),
        )
    });
    let answer = json!({
        "questions": [], "assumptions": [],
        "tasks": tasks.into_iter().map(restated).collect::<Vec<Json>>(),
        "grants": Map::from_iter(grants),
        "answer": document.pointer("/synthesis/instruction").cloned().unwrap_or_default(),
    });
    (answer, nested)
}

/// The plan with what the answer says otherwise. The goal, the parameters, the budget and whatever else the planner has
/// no word for are the person's.
pub(super) fn revised(brief: &Brief<'_>, base: &DraftPlan, answer: &Json) -> Json {
    let (shown, _) = as_answer(base);
    let none = Map::new();
    let said = answer.as_object().unwrap_or(&none);
    let mut document = base.document().clone();
    let tasks = said.get("tasks").unwrap_or(answer);
    if let Json::Array(tasks) = tasks {
        document["tasks"] = Json::Array(tasks_of(brief, base, tasks));
    } else {
        // Another shape is told by the validator.
        document["tasks"] = tasks.clone();
    }
    revise_grants(&mut document, &shown["grants"], said.get("grants"));
    revise_answer(&mut document, &shown["answer"], said.get("answer"));
    document
}

/// In the order of the base, new ones behind.
fn tasks_of(brief: &Brief<'_>, base: &DraftPlan, given: &[Json]) -> Vec<Json> {
    let known: HashMap<&str, &Map<String, Json>> = named_tasks(base).into_iter().collect();
    let mut said: HashMap<&str, &Map<String, Json>> = HashMap::new();
    let mut new: Vec<Json> = Vec::new();
    for task in given {
        let id = task.get("id").and_then(Json::as_str);
        match (id.filter(|id| known.contains_key(id)), task.as_object()) {
            (Some(id), Some(map)) if !said.contains_key(id) => {
                said.insert(id, map);
            }
            (Some(_) | None, _) => new.push(converted(brief, task.clone())),
        }
    }
    let all = base.document().get("tasks").and_then(Json::as_array);
    let mut seen = HashSet::new();
    let stays = all.into_iter().flatten().filter_map(|task| {
        let id = task
            .get("id")
            .and_then(Json::as_str)
            .filter(|id| seen.insert(*id));
        // What has no name of its own can't be spoken of, so it stays.
        let Some((id, map)) = id.zip(task.as_object()) else {
            return Some(task.clone());
        };
        said.get(id)
            .map(|given| Json::Object(revised_task(brief, map, given)))
    });
    stays.chain(new).collect()
}

/// Whatever field comes out of the answer as it comes out of the task's own words stays as it was.
fn revised_task(brief: &Brief<'_>, base: &Map<String, Json>, given: &Map<String, Json>) -> Map<String, Json> {
    let shown = restated(base);
    let mut said = shown.as_object().cloned().unwrap_or_default();
    if given.contains_key("tool") && !given.contains_key("tools") {
        said.remove("tools");
    }
    said.extend(given.clone());
    let before = converted(brief, shown.clone());
    let after = converted(brief, Json::Object(said));
    let (Json::Object(before), Json::Object(after)) = (before, after) else {
        return base.clone();
    };
    let mut task = base.clone();
    if before.get("task_type") != after.get("task_type") {
        task.retain(|name, _| !OF_TYPE.contains(&name.as_str()));
    }
    take_changes(&mut task, &before, &after);
    task
}

/// Recursion is bounded by the depth of what was read.
fn take_changes(into: &mut Map<String, Json>, before: &Map<String, Json>, after: &Map<String, Json>) {
    for (name, value) in after {
        match (into.get_mut(name), before.get(name), value) {
            (_, Some(old), value) if old == value => {}
            (Some(Json::Object(mine)), Some(Json::Object(old)), Json::Object(new)) if is_merged(name) => {
                take_changes(mine, old, new);
            }
            (_, _, value) => {
                into.insert(name.clone(), value.clone());
            }
        }
    }
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        into.shift_remove(name);
    }
}

/// The inputs are taken one by one, and the task of a map field by field.
fn is_merged(name: &str) -> bool {
    matches!(name, "inputs" | "task")
}

/// One task as a document, without what no model may say.
fn converted(brief: &Brief<'_>, task: Json) -> Json {
    let whole = convert::document(brief, &json!({ "tasks": [task] }));
    whole.pointer("/tasks/0").cloned().unwrap_or_default()
}

fn revise_grants(document: &mut Json, shown: &Json, given: Option<&Json>) {
    let Some(given) = given.and_then(Json::as_object) else {
        return;
    };
    for kind in GRANTS {
        let Some(list) = given
            .get(kind)
            .filter(|list| list.is_array() && **list != shown[kind])
        else {
            continue;
        };
        if !document.get("grants").is_some_and(Json::is_object) {
            document["grants"] = json!({});
        }
        document["grants"][kind] = list.clone();
    }
}

fn revise_answer(document: &mut Json, shown: &Json, given: Option<&Json>) {
    let Some(given) = given.filter(|given| *given != shown) else {
        return;
    };
    let words = given.as_str().map(str::trim).filter(|words| !words.is_empty());
    match (words, document.get_mut("synthesis")) {
        (Some(words), Some(Json::Object(synthesis))) if synthesis.contains_key("instruction") => {
            synthesis.insert("instruction".to_owned(), json!(words));
        }
        (Some(words), _) => document["synthesis"] = json!({ "model": "synthesizer", "instruction": words }),
        (None, Some(_)) if !shown.is_null() => {
            if let Some(map) = document.as_object_mut() {
                map.shift_remove("synthesis");
            }
        }
        (None, Some(_) | None) => {}
    }
}

/// The first task of each id.
fn named_tasks(base: &DraftPlan) -> Vec<(&str, &Map<String, Json>)> {
    let tasks = base.document().get("tasks").and_then(Json::as_array);
    let mut seen = HashSet::new();
    let named = tasks.into_iter().flatten().filter_map(|task| {
        let map = task.as_object()?;
        Some((map.get("id")?.as_str()?, map))
    });
    named.filter(|(id, _)| seen.insert(*id)).collect()
}

fn is_nested(task: &Map<String, Json>) -> bool {
    let inner = task.get("task").and_then(Json::as_object).unwrap_or(task);
    matches!(text(inner, "task_type"), "subplan" | "map")
}

fn restated(task: &Map<String, Json>) -> Json {
    let inner = match task.get("task").and_then(Json::as_object) {
        Some(inner) if text(task, "task_type") == "map" && !is_nested(task) => Some(inner),
        Some(_) | None => None,
    };
    let own = inner.unwrap_or(task);
    let task_type = match text(own, "task_type") {
        "" => "agent",
        "subplan" | "map" => "model",
        other => other,
    };
    let mut inputs: Vec<Json> = match own.get("inputs") {
        Some(Json::Object(inputs)) => inputs.iter().map(|(name, value)| input(name, value)).collect(),
        Some(_) | None => Vec::new(),
    };
    let over = inner.and_then(|inner| {
        let name = free_input(inner);
        inputs.push(input(&name, task.get("over")?));
        Some(name)
    });
    let tools = match own.get("tool") {
        Some(tool) => json!([tool]),
        None => list_at(own.get("tools")),
    };
    let instruction = Some(own)
        .and_then(|own| own.get("instruction"))
        .or_else(|| task.get("instruction"));
    json!({
        "id": task.get("id"), "title": task.get("title"), "task_type": task_type, "instruction": instruction,
        "dependencies": list_at(task.get("dependencies")), "tools": tools, "inputs": inputs, "for_each": over,
        "output_schema": as_text(own.get("output_schema")), "check": own.get("check"), "when": task.get("when"),
        "writes": list_at(task.get("writes")), "optional": task.get("optional") == Some(&Json::Bool(true)),
        "tier": tier(task_type, own), "source": own.get("source"), "form": as_text(own.get("form")),
    })
}

fn tier(task_type: &str, own: &Map<String, Json>) -> &'static str {
    match task_type {
        "agent" | "model" if text(own, "model") == "planner" => "strong",
        "agent" | "model" => "cheap",
        _ => "none",
    }
}

fn input(name: &str, value: &Json) -> Json {
    let path = || value.get("path").and_then(Json::as_str).unwrap_or_default();
    let only = value.as_object().filter(|map| map.len() == 1);
    let word = |key: &str| only.and_then(|map| map.get(key)).and_then(Json::as_str);
    let (kind, said, path) = if let Some(text) = value.as_str() {
        ("text", text.to_owned(), "")
    } else if let Some(from) = value.get("$from").and_then(Json::as_str) {
        ("task", from.to_owned(), path())
    } else if let Some(name) = word("$param") {
        ("parameter", name.to_owned(), "")
    } else if let Some(name) = word("$secret") {
        ("secret", name.to_owned(), "")
    } else if let Some(template) = word("$template") {
        ("template", template.to_owned(), "")
    } else if let Some(item) = word("$item") {
        ("item", String::new(), item)
    } else {
        ("json", value.to_string(), "")
    };
    json!({ "name": name, "kind": kind, "value": said, "path": path })
}

fn free_input(inner: &Map<String, Json>) -> String {
    let taken = inner.get("inputs").and_then(Json::as_object);
    let is_free = |name: &String| taken.is_none_or(|taken| !taken.contains_key(name));
    let names = std::iter::once("items".to_owned()).chain((2..).map(|n| format!("items_{n}")));
    names.into_iter().find(is_free).unwrap_or_default()
}

fn list_at(value: Option<&Json>) -> Json {
    value
        .filter(|value| value.is_array())
        .cloned()
        .unwrap_or_else(|| json!([]))
}

fn as_text(value: Option<&Json>) -> Json {
    value
        .filter(|value| !value.is_null())
        .map_or(Json::Null, |value| json!(value.to_string()))
}

fn text<'a>(map: &'a Map<String, Json>, name: &str) -> &'a str {
    map.get(name).and_then(Json::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = r#"{"goal": "g", "grants": {"hosts": ["a.example"], "mcp": ["s/t"]}, "layout": {"positions": {}}, "tasks": [
        {"id": "get", "task_type": "tool", "tool": "http.get", "instruction": "Get.", "inputs": {"url": "https://a.example", "n": 9007199254740993},
         "retry": {"max_attempts": 2}, "approval": "before", "odd": 1.10},
        {"id": "each", "task_type": "map", "instruction": "All.", "dependencies": ["get"], "over": {"$from": "get", "path": "/body"}, "max_parallel": 3,
         "task": {"id": "one", "task_type": "model", "instruction": "All.", "inputs": {"row": {"$item": "/x"}}, "model": "local/m"}},
        {"id": "inner", "task_type": "subplan", "instruction": "Deep.", "plan": {"tasks": []}, "inputs": {"p": {"$from": "each"}}, "dependencies": ["each"]},
        {"instruction": "nameless"}]}"#;

    fn said(answer: &Json) -> Json {
        let place = crate::model::grants::Place {
            folder: None,
            workspace: "/w".into(),
        };
        let setting = crate::model::Setting {
            catalog: &crate::model::tool::Catalog::new([]),
            place: &place,
            has_models: true,
        };
        let base = DraftPlan::parse(BASE).unwrap();
        let brief = Brief {
            model: "planner",
            goal: "g",
            tools: &[],
            parameters: &Json::Null,
            grants: &Json::Null,
            budget: &Json::Null,
            revising: None,
            may_ask: false,
            form: super::super::Form::Strict,
            setting: &setting,
            most_output: None,
            is_small: false,
        };
        revised(&brief, &base, answer)
    }

    fn shown() -> Json {
        as_answer(&DraftPlan::parse(BASE).unwrap()).0
    }

    #[test]
    fn a_plan_that_is_only_repeated_stays_as_it_was_to_the_last_digit() {
        let base: Json = serde_json::from_str(BASE).unwrap();
        assert_eq!(said(&shown()).to_string(), base.to_string());
        let ids = json!({ "tasks": [{ "id": "get" }, { "id": "each" }, { "id": "inner" }] });
        assert_eq!(said(&ids).to_string(), base.to_string(), "what is not said stays");
        assert_eq!(as_answer(&DraftPlan::parse(BASE).unwrap()).1, ["inner"]);
    }

    #[test]
    fn only_what_is_said_otherwise_is_taken() {
        let mut answer = shown();
        answer["tasks"][0]["instruction"] = json!("Get it all.");
        answer["tasks"][0]["inputs"][0]["value"] = json!("https://b.example");
        answer["tasks"][1]["inputs"] = json!([answer["tasks"][1]["inputs"][1], { "name": "k", "kind": "text", "value": "v", "path": "" }]);
        answer["tasks"][2]["accepts_untrusted"] = json!(["p"]);
        answer["grants"]["hosts"] = json!(["b.example"]);
        answer["grants"]["own_work"] = json!(["/"]);
        answer["answer"] = json!("Say it.");
        let mut expected: Json = serde_json::from_str(BASE).unwrap();
        expected["tasks"][0]["instruction"] = json!("Get it all.");
        expected["tasks"][0]["inputs"]["url"] = json!("https://b.example");
        expected["tasks"][1]["task"]["inputs"] = json!({ "k": "v" });
        expected["grants"]["hosts"] = json!(["b.example"]);
        expected["synthesis"] = json!({ "model": "synthesizer", "instruction": "Say it." });
        assert_eq!(said(&answer), expected);
    }

    #[test]
    fn what_is_left_out_goes_and_what_is_new_comes_last() {
        let mut answer = shown();
        let tasks = answer["tasks"].as_array_mut().unwrap();
        tasks.remove(1);
        tasks.insert(
            0,
            json!({ "id": "new", "instruction": "New.", "tools": [], "dependencies": [] }),
        );
        let after = said(&answer);
        let ids: Vec<&str> = after["tasks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|t| t["id"].as_str().unwrap_or("-"))
            .collect();
        assert_eq!(ids, ["get", "inner", "-", "new"]);
    }

    #[test]
    fn another_type_takes_nothing_of_the_old_one_with_it() {
        let mut answer = shown();
        answer["tasks"][1]["task_type"] = json!("code");
        answer["tasks"][1]["for_each"] = Json::Null;
        answer["tasks"][1]["source"] = json!("return 1;");
        let each = &said(&answer)["tasks"][1];
        assert_eq!(each["task_type"], "code");
        assert_eq!(
            (each.get("over"), each.get("task"), each.get("max_parallel")),
            (None, None, None)
        );
        assert_eq!(each["source"], "return 1;");
    }
}
