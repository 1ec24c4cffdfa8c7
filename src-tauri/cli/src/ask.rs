//! Asking for approval on a terminal: what the plan would touch, then yes or no.

use std::io::{BufRead, IsTerminal, Write};

use planloom_engine::model::RunId;
use planloom_engine::views::{ApprovalView, BreakpointView, DraftView};
use planloom_engine::{Engine, Error};

use crate::out::{Out, counted, piece};
use crate::run::Signals;

/// As [`crate::exit::Exit::Cancelled`].
const CANCELLED: i32 = 130;

/// Shows what the run would touch. True: a person at the terminal said yes.
pub async fn approval(engine: &Engine, run: &RunId, out: &Out) -> Result<Option<bool>, Error> {
    let view = engine.approval(run).await?;
    for line in lines(&view) {
        out.note(&line);
    }
    for line in laid(&engine.draft(run).await?) {
        out.note(&line);
    }
    if let Some(estimate) = engine.estimate(run).await? {
        out.note(&crate::estimate::line(&estimate));
    }
    if !can_ask() {
        return Ok(None);
    }
    let answer = tokio::task::spawn_blocking(|| {
        let _ = write!(std::io::stderr().lock(), "Approve and run? [y/N] ");
        let mut line = String::new();
        let _ = std::io::stdin().lock().read_line(&mut line);
        matches!(line.trim(), "y" | "Y" | "yes")
    });
    let mut signals = Signals::new();
    tokio::select! {
        answer = answer => Ok(Some(answer.unwrap_or(false))),
        () = signals.next() => {
            out.note(&format!("Nothing is approved. Go on with: {}", out.resuming(run)));
            // The terminal is still being read, which nothing but the end of the process ends.
            std::process::exit(CANCELLED)
        }
    }
}

/// Whether a person sits at a terminal.
pub fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Names, as many as can be taken in.
fn some(names: &[String]) -> String {
    const NAMED: usize = 12;
    let shown = names[..names.len().min(NAMED)].join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// What a person has laid on the tasks: outputs that are held, and where the run will stop.
pub fn laid(view: &DraftView) -> Vec<String> {
    let mut lines = Vec::new();
    for task in &view.tasks {
        if task.pinned {
            lines.push(piece(&format!(
                "  pinned: {} is not executed; its output is held",
                task.id
            )));
        }
        let stop = match task.breakpoint {
            None => continue,
            Some(BreakpointView::Before) => "before",
            Some(BreakpointView::After) => "after",
            Some(BreakpointView::Both) => "before and after",
        };
        lines.push(piece(&format!("  stops {stop} {}", task.id)));
    }
    lines
}

/// Who is given what the tasks read, and what is told where a task fails.
fn told(view: &ApprovalView) -> Vec<String> {
    let at = |host: &Option<String>| {
        host.as_ref().map_or("on this machine".to_owned(), |host| {
            format!("at {host}, off this machine")
        })
    };
    let mut lines = Vec::new();
    for asked in &view.models {
        let mut uses = Vec::new();
        if !asked.tasks.is_empty() {
            uses.push(some(&asked.tasks));
        }
        if asked.writes_answer {
            uses.push("the final answer".to_owned());
        }
        if !asked.stands_in.is_empty() {
            uses.push(format!("stands in for {}", some(&asked.stands_in)));
        }
        let (model, at) = (&asked.model, at(&asked.host));
        lines.push(piece(&format!("  asks {model} {at}  ({})", uses.join("; "))));
    }
    if let Some(replanner) = view
        .replanner
        .as_ref()
        .filter(|replanner| replanner.host.is_some())
    {
        let held = if replanner.holds_private_back {
            "; private data only by your word"
        } else {
            ""
        };
        lines.push(piece(&format!(
            "  where a task fails for good, asks {} {}: it is given the plan, outputs and errors{held}",
            replanner.model,
            at(&replanner.host)
        )));
    }
    lines
}

pub fn lines(view: &ApprovalView) -> Vec<String> {
    let mut lines = vec![format!(
        "{}: {}, revision {}",
        piece(&view.title),
        counted(view.tasks as usize, "task"),
        view.revision
    )];
    if view.needs.is_empty() && view.secrets.is_empty() {
        lines.push("  touches nothing outside the run".to_owned());
    }
    for need in &view.needs {
        let method = need.method.as_deref().map_or(String::new(), |m| format!("{m} "));
        let access = serde_json::to_value(need.access)
            .ok()
            .and_then(|a| a.as_str().map(str::to_owned));
        lines.push(piece(&format!(
            "  {:<9} {method}{}  ({}{})",
            access.unwrap_or_default(),
            need.resource,
            need.note,
            if need.tasks.is_empty() {
                String::new()
            } else {
                format!("; {}", some(&need.tasks))
            }
        )));
    }
    if let Some(since) = view.since_last.as_ref().filter(|since| !since.needs.is_empty()) {
        let new: Vec<String> = since.needs.iter().map(|need| need.resource.clone()).collect();
        lines.push(piece(&format!(
            "  new since you approved revision {}: {}",
            since.revision,
            some(&new)
        )));
    }
    if !view.off.is_empty() {
        let off: Vec<String> = view.off.iter().map(|row| row.resource.clone()).collect();
        lines.push(piece(&format!("  stays switched off: {}", some(&off))));
    }
    for secret in &view.secrets {
        lines.push(piece(&format!(
            "  hands over the secret {}  ({})",
            secret.name,
            some(&secret.tasks)
        )));
    }
    if !view.asks.is_empty() {
        lines.push(format!("  asks you: {}", some(&view.asks)));
    }
    lines.extend(told(view));
    for mark in &view.marks {
        let what = match mark.kind.as_str() {
            "own_work" => "takes for your own work, but for what a program or server may have changed:",
            _ => "may send private data to",
        };
        lines.push(piece(&format!("  {what} {}", mark.entry)));
    }
    let flows = crate::look::flow_lines(&view.flows, &view.endorsed);
    lines.extend(flows.into_iter().map(|line| format!("  {line}")));
    lines
}
