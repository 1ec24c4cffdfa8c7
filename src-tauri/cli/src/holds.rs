//! `pin`, `unpin` and `break`: what a person lays on a run's tasks. Records it and starts nothing.

use planloom_engine::model::misread;
use planloom_engine::views::BreakpointView;
use planloom_engine::{Engine, Error};
use serde_json::{Value, json};

use crate::args::Break;
use crate::exit::Exit;
use crate::out::{Out, piece};

pub async fn pin(
    engine: &Engine,
    run: &str,
    task: &str,
    value: Option<&str>,
    out: &Out,
) -> Result<Exit, Error> {
    let run = engine.find_run(run).await?;
    let value = value.map(read_value).transpose()?;
    engine.pin(&run, task, value).await?;
    if out.json {
        out.object(&json!({ "run": run.as_str(), "task": task, "pinned": true }));
    } else {
        out.say(&format!(
            "Pinned: {} is not executed any more; it gives this output until: {}",
            piece(task),
            out.command(&["unpin"], &[run.as_str(), task])
        ));
    }
    Ok(Exit::Done)
}

/// A value that later tasks read must be what the person meant, so text is not guessed.
fn read_value(text: &str) -> Result<Value, Error> {
    serde_json::from_str(text).map_err(|wrong| Error::Invalid {
        code: "bad_value",
        message: format!(
            "the value is not JSON: {}. Nothing was recorded.",
            misread(&wrong)
        ),
    })
}

pub async fn unpin(engine: &Engine, run: &str, task: &str, out: &Out) -> Result<Exit, Error> {
    let run = engine.find_run(run).await?;
    engine.unpin(&run, task).await?;
    if out.json {
        out.object(&json!({ "run": run.as_str(), "task": task, "pinned": false }));
    } else {
        out.say(&format!(
            "Unpinned: {} runs again the next time it is set back.",
            piece(task)
        ));
    }
    Ok(Exit::Done)
}

pub async fn stop_at(engine: &Engine, args: Break, out: &Out) -> Result<Exit, Error> {
    let run = engine.find_run(&args.run).await?;
    let at = match (args.clear, args.before, args.after) {
        (true, _, _) => None,
        (false, true, true) => Some(BreakpointView::Both),
        (false, false, true) => Some(BreakpointView::After),
        (false, _, false) => Some(BreakpointView::Before),
    };
    let before = engine.draft(&run).await?.tasks;
    let before = before.iter().find(|task| task.id == args.task);
    let had_none = at.is_none() && before.is_some_and(|task| task.breakpoint.is_none());
    engine.set_breakpoint(&run, &args.task, at).await?;
    if out.json {
        out.object(&json!({ "run": run.as_str(), "task": args.task, "breakpoint": at }));
        return Ok(Exit::Done);
    }
    let task = piece(&args.task);
    out.say(&match at {
        None if had_none => format!("The run did not stop at {task}; nothing changed."),
        None => format!("The run no longer stops at {task}."),
        Some(BreakpointView::Before) => format!("The run will stop before {task}."),
        Some(BreakpointView::After) => format!("The run will stop after {task}."),
        Some(BreakpointView::Both) => format!("The run will stop before and after {task}."),
    });
    Ok(Exit::Done)
}
