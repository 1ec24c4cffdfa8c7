//! Verbs that only look: check, tools, show.

use std::path::PathBuf;

use planloom_engine::llm::Models;
use planloom_engine::model::grants::Concern;
use planloom_engine::model::problem::{Problem, Severity};
use planloom_engine::views::{BreakpointView, EndorsedView, FlowView, RunRow, TaskView};
use planloom_engine::{Config, Engine, Error, PlanningShown, Shown};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::asked;
use crate::exit::Exit;
use crate::out::{Out, counted, piece};
use crate::spent::{budget_json, spent_json, spent_lines, until};
use crate::standing::Standing;

/// Earlier runs tell what a plan may come to, where there is a database; nothing is stored.
pub async fn check(plan: PathBuf, db: Option<PathBuf>, models: Models, out: &Out) -> Result<Exit, Error> {
    let config = |db| Config {
        models: models.clone(),
        ..Config::new(db, crate::FACE)
    };
    let db = db.filter(|db| db.exists());
    let engine = Engine::look(config(db)).or_else(|_| Engine::look(config(None)))?;
    let estimate = engine.estimate_file(plan.clone()).await.ok().flatten();
    let problems = engine.check(plan.clone()).await;
    let (flows, endorsed) = engine.flows_of_file(plan).await;
    let errors = problems.iter().filter(|p| p.severity == Severity::Error).count();
    if out.json {
        out.object(&json!({
            "ok": errors == 0, "problems": problems, "estimate": estimate,
            "flows": flows.iter().map(flow_json).collect::<Vec<_>>(), "endorsed": endorsed,
        }));
    } else {
        for problem in &problems {
            out.say(&problem_line(problem));
        }
        let warnings = problems.len() - errors;
        out.say(&match (errors, warnings) {
            (0, 0) => "No problems.".to_owned(),
            _ => format!("{}, {}", counted(errors, "error"), counted(warnings, "warning")),
        });
        for line in flow_lines(&flows, &endorsed) {
            out.say(&line);
        }
        if let Some(estimate) = estimate {
            out.say(&crate::estimate::line(&estimate));
        }
    }
    Ok(if errors == 0 { Exit::Done } else { Exit::Wrong })
}

fn flow_json(flow: &FlowView) -> Value {
    json!({
        "path": flow.path, "source": flow.source, "sink": flow.sink, "concern": flow.concern,
        "accepted": flow.accepted,
    })
}

/// How data could flow, one line for each way that a person would be asked about, or that the plan accepts.
pub fn flow_lines(flows: &[FlowView], endorsed: &[EndorsedView]) -> Vec<String> {
    let line = |flow: &FlowView| {
        let what = match flow.concern {
            Concern::Untrusted => "text from outside can reach",
            Concern::Private => "private data can leave through",
            Concern::OwnWork => "text from outside can be stored among your own work by",
        };
        let asked = if flow.accepted {
            "accepted by the plan"
        } else {
            "you will be asked"
        };
        piece(&format!(
            "{what} {}: {} ({asked})",
            flow.sink,
            flow.path.join(" → ")
        ))
    };
    let narrow = |view: &EndorsedView| {
        let place = if view.path.is_empty() {
            "as a whole"
        } else {
            &view.path
        };
        piece(&format!(
            "what {} gives counts as trusted ({place}): its schema leaves no room for a message",
            view.task
        ))
    };
    flows
        .iter()
        .map(line)
        .chain(endorsed.iter().map(narrow))
        .collect()
}

pub fn problem_line(problem: &Problem) -> String {
    let severity = match problem.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let code = serde_json::to_value(problem.code)
        .ok()
        .and_then(|c| c.as_str().map(str::to_owned));
    let place = if problem.pointer.is_empty() {
        "the document"
    } else {
        &problem.pointer
    };
    let fix = problem
        .fix
        .as_ref()
        .map_or(String::new(), |fix| format!(" [{}]", fix.label));
    format!(
        "{severity} {} at {place}: {}{fix}",
        code.unwrap_or_default(),
        problem.message
    )
}

pub fn tools(engine: &Engine, out: &Out) -> Exit {
    let tools = engine.tools();
    if out.json {
        let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
        let list: Vec<Value> = tools
            .iter()
            .map(|t| {
                json!({
                    "name": t.name, "description": t.description, "effect": t.effect,
                    "idempotency": t.idempotency, "arguments": parse(&t.arguments), "result": parse(&t.result),
                    "off": t.off,
                })
            })
            .collect();
        out.object(&json!({ "tools": list }));
        return Exit::Done;
    }
    for tool in &tools {
        let effect = serde_json::to_value(tool.effect)
            .ok()
            .and_then(|e| e.as_str().map(str::to_owned));
        out.say(&format!(
            "{:<14} {:<14} {}",
            tool.name,
            effect.unwrap_or_default(),
            first_line(&tool.description)
        ));
        if let Some(why) = &tool.off {
            out.say(&format!("{:<29} Off here: {why}", ""));
        }
    }
    Exit::Done
}

/// Servers describe their tools at length.
fn first_line(description: &str) -> String {
    const MOST: usize = 120;
    let line = description.lines().next().unwrap_or_default();
    let cut: String = line.chars().take(MOST).collect();
    let more = if cut.len() < description.len() { " …" } else { "" };
    format!("{}{more}", piece(&cut))
}

pub fn counts(row: &RunRow) -> Value {
    Value::Object(
        row.counts
            .iter()
            .map(|c| (c.status.to_string(), c.count.into()))
            .collect(),
    )
}

pub fn raw(text: Option<&str>) -> Option<Box<RawValue>> {
    text.and_then(|t| RawValue::from_string(t.to_owned()).ok())
}

pub async fn show(engine: &Engine, run: &str, at: Option<u64>, out: &Out) -> Result<Exit, Error> {
    let run = engine.find_run(run).await?;
    let shown = engine.show(&run, at).await?;
    if out.json {
        let planning = engine.planning(&run).await?;
        let folder = engine.folder(&run).to_string_lossy().into_owned();
        out.line(&show_json(&shown, folder, planning));
        return Ok(Exit::Done);
    }
    let standing = Standing::of(engine, &shown.row).await;
    out.say(&format!(
        "{}  {}  {} (event {})",
        shown.row.run,
        piece(&shown.row.title),
        standing.word(),
        shown.seq
    ));
    if at.is_none() {
        crate::plan::say_how_it_ended(engine, &run, out).await?;
    }
    for task in &shown.tasks {
        let why = task
            .wait
            .as_ref()
            .map_or(String::new(), |w| format!("  {}{}", piece(&w.text), until(w)));
        let error = task
            .error
            .as_ref()
            .map_or(String::new(), |e| format!("  {}: {}", e.code, piece(&e.message)));
        let about = if why.is_empty() { error } else { why };
        let size = task.summary.as_deref().unwrap_or_default();
        let marks = marks(task);
        out.say(&format!(
            "  {:<10} {:<28} {size}{marks}{about}",
            task.status.to_string(),
            task.id
        ));
    }
    for line in spent_lines(&shown.row) {
        out.say(&line);
    }
    if let Some(folder) = crate::run::own_folder(engine, &run) {
        out.say(&folder);
    }
    for decision in shown.decisions.iter().filter(|_| !shown.row.status.is_over()) {
        out.say(&asked::lines(decision, out));
    }
    if let Some(output) = &shown.output {
        out.give(&readable(output));
    }
    // What was then has no way on of its own.
    for way in standing.ways_on(&run, out).iter().filter(|_| at.is_none()) {
        out.say(way);
    }
    Ok(Exit::Done)
}

/// What a person has laid on the task.
fn marks(task: &TaskView) -> String {
    let pinned = if task.pinned { "  [pinned]" } else { "" };
    let stop = match task.breakpoint {
        None => "",
        Some(BreakpointView::Before) => "  [stops before]",
        Some(BreakpointView::After) => "  [stops after]",
        Some(BreakpointView::Both) => "  [stops before and after]",
    };
    format!("{pinned}{stop}")
}

/// Values stand as they were stored, digit for digit.
fn show_json(shown: &Shown, folder: String, planning: Option<PlanningShown>) -> String {
    #[derive(serde::Serialize)]
    struct Task<'a> {
        state: String,
        attempts: u32,
        output: Option<Box<RawValue>>,
        error: &'a Option<planloom_engine::views::ErrorView>,
        wait: &'a Option<planloom_engine::views::WaitView>,
        pinned: bool,
        breakpoint: Option<BreakpointView>,
        /// What its newest attempt has touched so far, or what its output came from.
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        touched: &'a [String],
    }
    #[derive(serde::Serialize)]
    struct All<'a> {
        run: &'a str,
        state: String,
        seq: u64,
        /// The breakpoint that it is paused at.
        paused_at: &'a Option<planloom_engine::model::events::Stop>,
        title: &'a str,
        /// Where `run:/` lies.
        folder: String,
        output: Option<Box<RawValue>>,
        spent: Value,
        budget: Value,
        tasks: Map<String, Value>,
        decisions: Vec<Value>,
        /// How the plan came to be, with the raw answers; of a plan from a file nothing.
        #[serde(skip_serializing_if = "Option::is_none")]
        planning: Option<PlanningShown>,
    }
    let mut tasks = Map::new();
    let nothing = Vec::new();
    for (ix, (task, output)) in shown.tasks.iter().zip(&shown.outputs).enumerate() {
        let one = Task {
            state: task.status.to_string(),
            attempts: task.attempts,
            output: raw(output.as_deref()),
            error: &task.error,
            wait: &task.wait,
            pinned: task.pinned,
            breakpoint: task.breakpoint,
            touched: shown.touched.get(ix).unwrap_or(&nothing),
        };
        tasks.insert(task.id.clone(), serde_json::to_value(one).unwrap_or_default());
    }
    let all = All {
        run: &shown.row.run,
        state: shown.row.status.to_string(),
        seq: shown.seq,
        paused_at: &shown.paused_at,
        title: &shown.row.title,
        folder,
        output: raw(shown.output.as_deref()),
        spent: spent_json(&shown.row),
        budget: budget_json(&shown.row.budget),
        tasks,
        decisions: shown.decisions.iter().map(asked::to_json).collect(),
        planning,
    };
    serde_json::to_string(&all).unwrap_or_else(|_| "{}".to_owned())
}

/// Text as it is, anything else as indented JSON.
pub fn readable(json: &str) -> String {
    match serde_json::from_str::<Value>(json) {
        Ok(Value::String(text)) => text,
        Ok(value) => serde_json::to_string_pretty(&value).unwrap_or_else(|_| json.to_owned()),
        Err(_) => json.to_owned(),
    }
}
