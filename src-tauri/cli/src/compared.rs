//! Two runs side by side as one JSON object. Values stand digit for digit.

use planloom_engine::views::{
    CompareView, ComparedRun, ComparedTask, CostView, HunkLine, OutputDiff, ShownValue, TaskFacts, TextDiff,
    ValueDiff, ValueSide,
};
use serde_json::{Map, Value, json};

pub fn to_json(view: &CompareView, output: &OutputDiff) -> Value {
    let tasks: Map<String, Value> = view
        .tasks
        .iter()
        .map(|task| (task.task.clone(), task_json(task)))
        .collect();
    json!({
        "a": run_json(&view.a),
        "b": run_json(&view.b),
        "shared": view.shared.as_ref().map(|shared| json!({
            "run": shared.run, "seq": shared.seq, "seconds": shared.ran_ms / 1000.0, "cost": cost_json(&shared.cost),
        })),
        "plan": view.plan.as_ref().map(plan_json),
        "plan_trouble": view.plan_trouble,
        "tasks": tasks,
        "tasks_left_off": view.tasks_left_off,
        "same": view.same,
        "same_but_time": view.same_but_time,
        "answer": view.answer,
        "output": output_json(output),
    })
}

fn run_json(run: &ComparedRun) -> Value {
    let models: Map<String, Value> = run
        .models
        .iter()
        .map(|row| (row.name.clone(), cost_json(&row.cost)))
        .collect();
    json!({
        "run": run.row.run, "state": run.row.status.to_string(), "title": run.row.title, "revision": run.row.revision,
        "seq": run.head, "seconds": run.numbers.ran_ms / 1000.0, "waited_seconds": run.numbers.waited_ms / 1000.0,
        "cost": cost_json(&run.numbers.cost), "models": models, "executors": run.executors,
        "tool_calls": run.numbers.tool_calls, "retries": run.numbers.retries, "replans": run.numbers.replans,
        "decisions": run.numbers.decisions,
    })
}

fn cost_json(cost: &CostView) -> Value {
    json!({
        "usd": cost.usd, "input_tokens": cost.input_tokens as u64, "output_tokens": cost.output_tokens as u64,
        "calls": cost.calls, "unknown": cost.unknown, "guessed": cost.guessed,
    })
}

/// Only what differs; of the tasks that are kept, nothing.
fn plan_json(plan: &planloom_engine::views::PlanDiff) -> Value {
    let changed = plan
        .tasks
        .iter()
        .filter(|task| task.change != planloom_engine::views::PlanChange::Kept);
    let field = |field: &planloom_engine::views::FieldDiff| json!({ "pointer": field.pointer, "before": value(field.before.as_deref()), "after": value(field.after.as_deref()) });
    let tasks: Vec<Value> = changed
        .map(|task| json!({
            "task": task.task, "change": task.change, "fields": task.fields.iter().map(field).collect::<Vec<_>>(),
        }))
        .collect();
    let edges = plan
        .edges
        .iter()
        .map(|edge| json!({ "from": edge.from, "to": edge.to, "added": edge.is_added }));
    json!({
        "executes": plan.executes, "tasks": tasks, "edges": edges.collect::<Vec<_>>(),
        "plan": plan.plan.iter().map(field).collect::<Vec<_>>(), "moved": plan.moved, "reordered": plan.is_reordered,
    })
}

/// A JSON text as the value that it is.
fn value(text: Option<&str>) -> Value {
    text.map_or(Value::Null, |text| {
        serde_json::from_str(text).unwrap_or_else(|_| text.into())
    })
}

fn task_json(task: &ComparedTask) -> Value {
    json!({
        "differs": task.differs, "plan": task.plan, "output": task.output,
        "a": task.a.as_ref().map(facts_json), "b": task.b.as_ref().map(facts_json),
    })
}

fn facts_json(facts: &TaskFacts) -> Value {
    json!({
        "state": facts.status.to_string(), "attempts": facts.attempts, "seconds": facts.work_ms / 1000.0,
        "cost": cost_json(&facts.cost), "error": facts.error,
    })
}

fn output_json(output: &OutputDiff) -> Value {
    json!({
        "task": output.task, "verdict": output.verdict, "a": side_json(&output.a), "b": side_json(&output.b),
        "too_large": output.is_too_large,
        "values": output.values.iter().map(value_json).collect::<Vec<_>>(),
        "values_left_off": output.values_left_off, "equal_values": output.equal_values,
        "texts": output.texts.iter().map(text_json).collect::<Vec<_>>(),
    })
}

fn side_json(side: &ValueSide) -> Value {
    json!({ "bytes": side.bytes.map(|bytes| bytes as u64), "digest": side.digest, "trouble": side.trouble })
}

/// What is cut is the beginning of its JSON as a text, beside how many bytes of it are left out.
fn value_json(found: &ValueDiff) -> Value {
    let shown = |side: &Option<ShownValue>| match side {
        None => Value::Null,
        Some(shown) if shown.left_out > 0 => shown.json.clone().into(),
        Some(shown) => value(Some(&shown.json)),
    };
    let left_out = |side: &Option<ShownValue>| side.as_ref().map_or(0, |shown| shown.left_out);
    json!({
        "a_pointer": found.at.a, "b_pointer": found.at.b, "a": shown(&found.a), "b": shown(&found.b),
        "a_left_out": left_out(&found.a), "b_left_out": left_out(&found.b),
    })
}

fn text_json(text: &TextDiff) -> Value {
    let line =
        |line: &HunkLine| json!({ "a": line.a, "b": line.b, "text": line.text, "left_out": line.left_out });
    let hunks = text.hunks.iter().map(|hunk| {
        let lines: Vec<Value> = hunk.lines.iter().map(line).collect();
        json!({ "lines": lines, "a_left_out": hunk.a_left_out, "b_left_out": hunk.b_left_out })
    });
    json!({
        "a_pointer": text.at.a, "b_pointer": text.at.b, "changes": text.changes, "equal_lines": text.equal_lines,
        "a_lines": text.a_lines, "b_lines": text.b_lines, "coarse": text.is_coarse,
        "hunks": hunks.collect::<Vec<_>>(), "hunks_left_off": text.hunks_left_off,
    })
}
