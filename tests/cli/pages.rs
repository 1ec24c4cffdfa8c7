//! What the README and the pages of docs/ show is what the program takes: every block of JSON is checked by it.

use std::path::PathBuf;

use planloom_tests::process::{Desk, root};
use serde_json::{Value, json};

/// A block of JSON with the word behind `json` that says what it is.
struct Block {
    place: String,
    kind: String,
    text: String,
}

fn pages() -> Vec<PathBuf> {
    let docs = std::fs::read_dir(root().join("docs")).unwrap();
    let mut pages: Vec<PathBuf> = docs.map(|entry| entry.unwrap().path()).collect();
    pages.retain(|page| page.extension().is_some_and(|end| end == "md"));
    pages.push(root().join("README.md"));
    assert!(pages.len() > 5, "{pages:?}");
    pages
}

fn blocks() -> Vec<Block> {
    let mut blocks = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        let mut open: Option<Block> = None;
        for (line, n) in text.lines().zip(1..) {
            match (&mut open, line.strip_prefix("```")) {
                (None, Some(told)) => {
                    open = Some(Block {
                        place: format!("{}:{n}", page.display()),
                        kind: told.to_owned(),
                        text: String::new(),
                    });
                }
                (Some(_), Some(_)) => blocks.extend(open.take()),
                (Some(block), None) => block.text += &format!("{line}\n"),
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{}: a block does not end", page.display());
    }
    blocks
}

fn parsed(block: &Block) -> Value {
    serde_json::from_str(&block.text).unwrap_or_else(|e| panic!("{}: {e}", block.place))
}

/// Everything that the checker finds, but for models, of which there are none here.
fn problems(desk: &Desk, plan: &Value) -> Vec<Value> {
    let path = desk.write("shown.plan.json", plan);
    let said = desk.say(&["check", path.to_str().unwrap()]);
    let found = said.last()["problems"].as_array().unwrap().clone();
    found
        .into_iter()
        .filter(|problem| problem["code"] != "unknown_model")
        .collect()
}

/// One task, with the tasks that it depends on.
fn around(task: Value) -> Value {
    let before = task["dependencies"].as_array().cloned().unwrap_or_default();
    let echo = |id: Value| json!({ "id": id, "instruction": "Echo.", "task_type": "tool", "tool": "echo", "inputs": { "value": 1 } });
    let tasks: Vec<Value> = before.into_iter().map(echo).chain([task]).collect();
    json!({ "tasks": tasks })
}

#[test]
fn every_plan_that_is_shown_is_one() {
    let desk = Desk::default();
    let mut checked = 0;
    for block in blocks() {
        let plan = match block.kind.as_str() {
            "json plan" => parsed(&block),
            "json task" => around(parsed(&block)),
            "json settings" => continue,
            other => panic!(
                "{}: a block of `{other}`; say what it is: plan, task or settings",
                block.place
            ),
        };
        let problems = problems(&desk, &plan);
        assert_eq!(problems, Vec::<Value>::new(), "{}", block.place);
        checked += 1;
    }
    assert!(checked > 8, "only {checked} plans were found");
}

#[test]
fn every_file_of_settings_that_is_shown_is_read_without_a_word() {
    let mut checked = 0;
    for block in blocks().iter().filter(|block| block.kind == "json settings") {
        let desk = Desk::default();
        let mut settings = parsed(block);
        // Nobody is looked for while this is tested.
        if let Some(models) = settings.get_mut("models") {
            models["discover"] = json!(false);
        }
        std::fs::write(desk.db().with_file_name("settings.json"), settings.to_string()).unwrap();
        for verb in ["models", "servers"] {
            let mut command = desk.command(&[verb]);
            command
                .env("WORK_KEY", "a-key")
                .env("ANTHROPIC_API_KEY", "a-key")
                .env("WIKI_TOKEN", "t");
            let output = command.output().unwrap();
            let said: Value = serde_json::from_slice(&output.stdout).unwrap();
            let wrong: Vec<&Value> = said["problems"].as_array().unwrap().iter().collect();
            // A role may name a server that is not here.
            let wrong: Vec<_> = wrong
                .into_iter()
                .filter(|w| !w.to_string().contains("no provider"))
                .collect();
            assert_eq!(wrong, Vec::<&Value>::new(), "{}", block.place);
        }
        checked += 1;
    }
    assert!(checked > 1, "only {checked} files of settings were found");
}

/// The page on tools names each with its arguments, as the program has them.
#[test]
fn the_page_on_tools_names_each_with_its_arguments() {
    let page = std::fs::read_to_string(root().join("docs/tools.md")).unwrap();
    let tools = Desk::default().say(&["tools"]).last();
    for tool in tools["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        let row = page
            .lines()
            .find(|line| line.starts_with(&format!("| `{name}` |")));
        let row = row.unwrap_or_else(|| panic!("docs/tools.md has no row of {name}"));
        // What is the same as in the row above stands there.
        if row.contains("the same") {
            continue;
        }
        for argument in tool["arguments"]["properties"].as_object().unwrap().keys() {
            assert!(
                row.contains(&format!("`{argument}`")),
                "docs/tools.md: `{argument}` of {name}"
            );
        }
    }
}
