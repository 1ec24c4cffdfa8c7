//! What a run asks, for people and as JSON, with the very command that answers it. It judges no answer.

use planloom_engine::views::{DecisionKind, DecisionView, ProvenanceView};
use serde_json::{Value, json};

use crate::example;
use crate::out::{Out, piece, rfc3339, sentence};

/// Letters of a form that is shown whole.
const SHORT_FORM: usize = 300;

pub fn to_json(decision: &DecisionView) -> Value {
    let parse = |text: &Option<String>| {
        text.as_deref()
            .and_then(|t| serde_json::from_str::<Value>(t).ok())
    };
    let words: Vec<&str> = decision.options.iter().map(|o| o.answer.as_str()).collect();
    json!({
        "id": decision.id, "kind": decision.kind, "run": decision.run, "task": decision.task,
        "question": decision.question, "options": words, "form": parse(&decision.form),
        "about": parse(&decision.about), "provenance": decision.provenance, "may_change": decision.may_change, "opened": rfc3339(decision.opened_at), "choices": decision.options,
    })
}

/// The question, and for each answer that may be given a whole command.
pub fn lines(decision: &DecisionView, out: &Out) -> String {
    let mut lines = asked_lines(decision);
    lines.extend(
        changes_of(decision)
            .lines()
            .map(|line| format!("     {}", piece(line))),
    );
    lines.extend(pieces_of(decision));
    let way = |answer: &str| out.command(&["decide"], &[&decision.run, &decision.id, answer]);
    for option in &decision.options {
        let safe = if option.is_default { " (safe)" } else { "" };
        lines.push(format!("     {}{safe}: {}", option.answer, way(&option.answer)));
    }
    if decision.options.is_empty() {
        // With the form's own fields: to be changed before it is sent.
        let form = decision.form.as_deref();
        let form = form.and_then(|text| serde_json::from_str::<Value>(text).ok());
        let form = form.unwrap_or(Value::Bool(true));
        match example::of(&form) {
            Some(example) => lines.push(format!("     answer as in: {}", way(&example.to_string()))),
            None => lines.push(format!("     answer: {}, {}", way("JSON"), fitting(&form))),
        }
    }
    lines.join("\n")
}

/// What JSON has to fit, where it can be told in a line.
fn fitting(form: &Value) -> String {
    let text = form.to_string();
    match text.chars().count() <= SHORT_FORM {
        true => format!("with JSON that fits the form {}", piece(&text)),
        false => "with JSON that fits the form, which `decide --json` shows".to_owned(),
    }
}

/// The question as it is written, line by line; no line of it can be taken for one of ours.
fn asked_lines(decision: &DecisionView) -> Vec<String> {
    let asked = sentence(decision.question.trim());
    let mut lines = asked.lines();
    let first = format!(
        "  {} asks: {}",
        decision.id,
        piece(lines.next().unwrap_or_default())
    );
    let rest = lines.map(|line| format!("     | {}", piece(line)).trim_end().to_owned());
    std::iter::once(first).chain(rest).collect()
}

/// Why a call is asked about, and where each part of it came from.
pub fn provenance_lines(told: &ProvenanceView) -> Vec<String> {
    let mut lines = Vec::new();
    if !told.touches.is_empty() {
        lines.push(piece(&format!("would: {}", told.touches.join(", "))));
    }
    for earlier in &told.earlier {
        lines.push(piece(&format!("made before, and stays made: {}", earlier.text)));
    }
    for part in &told.parts {
        let place = if part.at.is_empty() { "all of it" } else { &part.at };
        let worth = match (part.is_untrusted, part.is_private) {
            (true, true) => "  [from outside, private]",
            (true, false) => "  [from outside]",
            (false, true) => "  [private]",
            (false, false) => "",
        };
        lines.push(piece(&format!("{place}: {}{worth}", part.from)));
        for origin in &part.origins {
            let touches = origin.touches.join(", ");
            lines.push(piece(&format!(
                "  made of what {} got: {} {touches}",
                origin.task, origin.tool
            )));
        }
    }
    lines
}

/// The pieces of a new plan that can be taken one by one, where there are several.
fn pieces_of(decision: &DecisionView) -> Vec<String> {
    let about = decision
        .about
        .as_deref()
        .filter(|_| decision.kind == DecisionKind::Replan);
    let about = about.and_then(|text| serde_json::from_str::<Value>(text).ok());
    let pieces = about
        .and_then(|about| about.get("pieces")?.as_array().cloned())
        .unwrap_or_default();
    if pieces.len() < 2 {
        return Vec::new();
    }
    let name = |piece: &Value| {
        piece
            .get("id")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let line = |one: &Value| {
        let needs = one.get("needs").and_then(Value::as_array);
        let needs: Vec<&str> = needs.into_iter().flatten().filter_map(Value::as_str).collect();
        let with = if needs.is_empty() {
            String::new()
        } else {
            format!(" (with {})", needs.join(", "))
        };
        piece(&format!("       {}{with}", name(one)))
    };
    let head = "     to take only some of it: accept --only PIECE, once for each of".to_owned();
    std::iter::once(head).chain(pieces.iter().map(line)).collect()
}

/// What a new plan would change, as it was described.
fn changes_of(decision: &DecisionView) -> String {
    let about = decision
        .about
        .as_deref()
        .filter(|_| decision.kind == DecisionKind::Replan);
    let about = about.and_then(|text| serde_json::from_str::<Value>(text).ok());
    let text = about.and_then(|about| about.get("text")?.as_str().map(str::to_owned));
    text.unwrap_or_default()
}
