//! `trace`: what the attempts of tasks thought, called, saw and answered, what that came to and how long it took.

use planloom_engine::views::{AsideView, AttemptView, CallView, ErrorView, TaskDetail};
use planloom_engine::{Engine, Error};
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::out::{Out, counted, grouped, piece, rfc3339, sentence};

/// Letters of a value that people are shown; `--json` has all of it.
const SHOWN: usize = 2_000;
/// Who is asked before there are tasks.
const PLANNER: &str = "planner";

pub async fn trace(engine: &Engine, run: &str, task: Option<&str>, out: &Out) -> Result<Exit, Error> {
    let run = engine.find_run(run).await?;
    let details = engine.task_details(&run).await?;
    let (tasks, asides) = match task {
        Some(task) => (vec![task.to_owned()], Vec::new()),
        None => (details.begun(), details.asides().await?),
    };
    let (before, after): (Vec<_>, Vec<_>) = asides.into_iter().partition(|aside| aside.role == PLANNER);
    tell_asides(&before, out);
    for task in &tasks {
        let detail = details.of(task).await?;
        if out.json {
            out.object(&task_json(&detail));
        } else {
            out.give(&told(&detail));
        }
    }
    tell_asides(&after, out);
    if tasks.is_empty() && before.is_empty() && after.is_empty() {
        out.note("No task has started, so there is no trace yet.");
    }
    Ok(Exit::Done)
}

/// What was asked for the run and for none of its tasks: each role once, its questions in the order of asking.
fn tell_asides(asides: &[AsideView], out: &Out) {
    for of_one in asides.chunk_by(|a, b| a.role == b.role) {
        let [first, ..] = of_one else { continue };
        let calls = of_one.iter().map(|aside| &aside.call);
        if out.json {
            out.object(&json!({ "role": first.role, "calls": calls.map(call_json).collect::<Vec<_>>() }));
            continue;
        }
        let mut lines = vec![format!("The {}, for the whole run", first.role)];
        calls.for_each(|call| tell_turn(call, &mut lines));
        lines.push(String::new());
        out.give(&lines.join("\n"));
    }
}

fn task_json(detail: &TaskDetail) -> Value {
    json!({
        "task": detail.task.id, "title": detail.title, "type": detail.task_type, "state": detail.task.status,
        "output": detail.output.as_deref().map(value),
        "attempts": detail.attempts.iter().map(attempt_json).collect::<Vec<_>>(),
    })
}

fn attempt_json(attempt: &AttemptView) -> Value {
    json!({
        "number": attempt.number, "goes_on": attempt.goes_on, "started": rfc3339(attempt.started_at),
        "ended": attempt.ended_at.map(rfc3339), "error": attempt.error,
        "calls": attempt.calls.iter().map(call_json).collect::<Vec<_>>(),
    })
}

fn call_json(call: &CallView) -> Value {
    let mut line = json!({
        "kind": if call.is_model { "model" } else { "tool" }, "name": call.tool,
        "started": rfc3339(call.started_at), "ended": call.ended_at.map(rfc3339), "error": call.error,
        "untrusted": call.is_untrusted, "private": call.is_private,
    });
    if call.is_model {
        line["reply"] = json!(call.reply);
        line["paid"] = json!(call.paid);
    } else {
        line["arguments"] = value(&call.arguments);
        line["result"] = json!(call.result.as_deref().map(value));
        line["effect"] = json!(call.effect);
        line["touches"] = json!(call.touches);
        line["idempotency_key"] = json!(call.idempotency_key);
    }
    line
}

/// JSON as it stands; what can't be read as such as text.
fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

fn told(detail: &TaskDetail) -> String {
    let state = serde_json::to_value(detail.task.status).unwrap_or_default();
    let mut lines = vec![format!(
        "{} ({}, {}): {}",
        piece(&detail.title),
        detail.task.id,
        detail.task_type,
        state.as_str().unwrap_or_default()
    )];
    for attempt in &detail.attempts {
        tell_attempt(attempt, &mut lines);
    }
    if let Some(output) = &detail.output {
        lines.push(format!("  Output: {}", shown(output, "           ")));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn tell_attempt(attempt: &AttemptView, lines: &mut Vec<String>) {
    let goes_on = if attempt.goes_on { ", going on" } else { "" };
    let took = took(attempt.started_at, attempt.ended_at);
    lines.push(format!(
        "  Attempt {}{goes_on}, {} ({took})",
        attempt.number,
        rfc3339(attempt.started_at)
    ));
    for call in &attempt.calls {
        if call.is_model {
            tell_turn(call, lines);
        } else {
            tell_call(call, lines);
        }
    }
    if let Some(error) = &attempt.error {
        lines.push(format!("    Failed: {}", error_line(error)));
    }
}

fn tell_turn(call: &CallView, lines: &mut Vec<String>) {
    let paid = call.paid.as_ref().map_or(String::new(), |paid| {
        let most = if paid.is_counted { "" } else { "at most " };
        let usd = paid
            .usd
            .as_ref()
            .map_or("cost unknown".to_owned(), |usd| format!("${usd}"));
        let (input, output) = (
            grouped(paid.input_tokens as u64),
            grouped(paid.output_tokens as u64),
        );
        format!(", {most}{input} tokens in, {output} out, {usd}")
    });
    lines.push(format!(
        "    Asked {} ({}{paid})",
        piece(&call.tool),
        took(call.started_at, call.ended_at)
    ));
    if let Some(reply) = &call.reply {
        for thought in &reply.thoughts {
            lines.push(format!("      Thought: {}", text(thought, "               ")));
        }
        if !reply.text.is_empty() {
            lines.push(format!("      Said: {}", text(&reply.text, "            ")));
        }
        for asked in &reply.calls {
            lines.push(format!(
                "      Wants: {} {}",
                piece(&asked.name),
                text(&asked.arguments, "             ")
            ));
        }
    }
    if let Some(error) = &call.error {
        lines.push(format!("      Failed: {}", error_line(error)));
    }
}

fn tell_call(call: &CallView, lines: &mut Vec<String>) {
    let foreign = if call.is_untrusted {
        ", with text from outside"
    } else {
        ""
    };
    lines.push(format!(
        "    Called {} ({}{foreign})",
        piece(&call.tool),
        took(call.started_at, call.ended_at)
    ));
    lines.push(format!("      With: {}", shown(&call.arguments, "            ")));
    if let Some(result) = &call.result {
        lines.push(format!("      Saw: {}", shown(result, "           ")));
    }
    if let Some(error) = &call.error {
        lines.push(format!("      Failed: {}", error_line(error)));
    }
}

fn error_line(error: &ErrorView) -> String {
    format!("{}: {}", error.code, sentence(&error.message))
}

/// A text as itself, other values as JSON.
fn shown(json: &str, indent: &str) -> String {
    match serde_json::from_str::<String>(json) {
        Ok(words) => text(&words, indent),
        Err(_) => text(json, indent),
    }
}

/// Further lines stand below the first; what is left out is said.
fn text(words: &str, indent: &str) -> String {
    let short: String = words.chars().take(SHOWN).collect();
    let left = words.chars().count().saturating_sub(SHOWN);
    let more = match left {
        0 => String::new(),
        left => format!(" … and {} more; --json has all of it", counted(left, "letter")),
    };
    let lines: Vec<&str> = short.lines().collect();
    format!("{}{more}", lines.join(&format!("\n{indent}")))
}

fn took(from: f64, to: Option<f64>) -> String {
    let Some(to) = to else {
        return "not over".to_owned();
    };
    let ms = (to - from).max(0.0) as u64;
    if ms < 1000 {
        return format!("{ms} ms");
    }
    format!("{}:{:02}", ms / 60_000, ms / 1000 % 60)
}
