//! A plan as lines that a person can read: tasks in the order in which they can run, with what they wait for. It knows
//! no run.

use std::io::IsTerminal;

use planloom_engine::model::RunId;
use planloom_engine::views::DraftView;
use planloom_engine::{Engine, Error, PlanningShown};
use serde_json::Value;

use crate::look::problem_line;
use crate::out::{Out, grouped, piece};

/// Characters of an instruction that stand in the outline; the document has all of it.
const INSTRUCTION: usize = 160;
/// Tasks that a terminal shows.
const SHOWN: usize = 40;

pub async fn say(
    engine: &Engine,
    run: &RunId,
    draft: &DraftView,
    planning: Option<&PlanningShown>,
    out: &Out,
) -> Result<(), Error> {
    let document: Value = serde_json::from_str(&draft.document).unwrap_or_default();
    let most = std::io::stdout().is_terminal().then_some(SHOWN);
    for line in tasks(&document, &out.command(&["show"], &[run.as_str()]), most) {
        out.say(&line);
    }
    // The head of it is the plan's title.
    for line in crate::ask::lines(&engine.approval(run).await?) {
        out.say(&line);
    }
    for line in crate::ask::laid(draft) {
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

/// On a terminal, no more than can be looked through; `whole` shows all.
fn tasks(document: &Value, whole: &str, most: Option<usize>) -> Vec<String> {
    let tasks = document.get("tasks").and_then(Value::as_array);
    let tasks = tasks.map(Vec::as_slice).unwrap_or_default();
    let shown = most.unwrap_or(tasks.len()).min(tasks.len());
    let mut lines: Vec<String> = tasks[..shown].iter().flat_map(task).collect();
    if shown < tasks.len() {
        let more = grouped((tasks.len() - shown) as u64);
        lines.push(format!("… and {more} more; see it whole with: {whole}"));
    }
    lines
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_long_plan_is_shortened_on_a_terminal_alone() {
        let tasks_of = |n: usize| {
            (0..n)
                .map(|n| json!({ "id": format!("t{n}") }))
                .collect::<Value>()
        };
        let lines = |n, most| tasks(&json!({ "tasks": tasks_of(n) }), "planloom show r1", most);
        let long = lines(3000, Some(SHOWN));
        assert_eq!(long.len(), 2 * 40 + 1);
        assert_eq!(
            long.last().unwrap(),
            "… and 2,960 more; see it whole with: planloom show r1"
        );
        assert_eq!(lines(3000, None).len(), 6000);
        assert_eq!(lines(40, Some(SHOWN)).len(), 80);
    }
}
