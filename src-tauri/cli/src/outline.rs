//! A plan as lines that a person can read: tasks in the order in which they can run, with what they wait for. It knows
//! no run.

use planloom_engine::model::RunId;
use planloom_engine::views::DraftView;
use planloom_engine::{Engine, Error, PlanningShown};
use serde_json::Value;

use crate::look::problem_line;
use crate::out::{Out, piece};

/// Characters of an instruction that stand in the outline; the document has all of it.
const INSTRUCTION: usize = 160;

pub async fn say(
    engine: &Engine,
    run: &RunId,
    draft: &DraftView,
    planning: Option<&PlanningShown>,
    out: &Out,
) -> Result<(), Error> {
    let document: Value = serde_json::from_str(&draft.document).unwrap_or_default();
    for line in tasks(&document) {
        out.say(&line);
    }
    // The head of it is the plan's title.
    for line in crate::ask::lines(&engine.approval(run).await?) {
        out.say(&line);
    }
    if let Some(estimate) = engine.estimate(run).await? {
        out.say(&crate::estimate::line(&estimate));
    }
    for note in planning.into_iter().flat_map(|planning| &planning.notes) {
        out.say(&format!("  note: {}", piece(note)));
    }
    for problem in &draft.problems {
        out.say(&problem_line(problem));
    }
    Ok(())
}

fn tasks(document: &Value) -> Vec<String> {
    let tasks = document.get("tasks").and_then(Value::as_array);
    tasks.into_iter().flatten().flat_map(task).collect()
}

fn task(task: &Value) -> [String; 2] {
    let text = |name: &str| task.get(name).and_then(Value::as_str).unwrap_or_default();
    let names = |name: &str| {
        let items = task.get(name).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
    };
    let inner = task.get("task").unwrap_or(task);
    let named = |name: &str| inner.get(name).and_then(Value::as_str).unwrap_or_default();
    let mut what = vec![text("task_type").to_owned(), named("tool").to_owned()];
    what.push(names("tools"));
    let model = named("model");
    what.push(if model.is_empty() {
        String::new()
    } else {
        format!("model {model}")
    });
    what.retain(|part| !part.is_empty());
    let after = names("dependencies");
    let after = if after.is_empty() {
        String::new()
    } else {
        format!("  after {after}")
    };
    let instruction: String = text("instruction").chars().take(INSTRUCTION).collect();
    [
        piece(&format!("{} [{}]{after}", text("id"), what.join(" "))),
        piece(&format!("    {instruction}")),
    ]
}
