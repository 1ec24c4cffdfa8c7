//! `plan` and `run --goal`: lets a planner make a plan from a goal, and shows what came of it. It judges no plan.

use std::path::{Path, PathBuf};

use planloom_engine::model::problem::Severity;
use planloom_engine::model::{Json, RunId};
use planloom_engine::run::PlanRest;
use planloom_engine::views::{DraftView, RunStatus};
use planloom_engine::{Engine, Error, Goal, PlanningShown, Watch};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::args::{Plan, Planning, Resume, Run};
use crate::asked;
use crate::exit::Exit;
use crate::look::problem_line;
use crate::out::{Out, piece};
use crate::run::{Signals, print_events, tell_until};
use crate::silence::{Silence, tell_planning};
use crate::standing::Standing;

/// The plan of a goal, as an outline or as JSON; nothing of it runs.
pub async fn plan(engine: &Engine, args: Plan, out: &Out) -> Result<Exit, Error> {
    crate::args::once(&args.params)?;
    let to = args.planning.out.clone();
    let goal = goal_of(args.goal, args.params, args.planning)?;
    let run = engine.open_goal(goal).await?;
    out.note(&format!("Planning as run {run}."));
    let mut watch = engine.watch_all(&run, 0).await?;
    // JSON has one object here, so what happens meanwhile is for people alone.
    let rest = live(engine, &run, &mut watch, &Out::new(false), Way::New).await?;
    let written = write(engine, &run, &rest, to).await?;
    show(engine, &run, &rest, written.as_deref(), out).await
}

/// Plans, then goes on as `run` does with a plan file.
pub async fn run(engine: &Engine, args: Run, out: &Out) -> Result<Exit, Error> {
    let to = args.planning.out.clone();
    let goal = goal_of(args.goal.unwrap_or_default(), args.params, args.planning)?;
    let run = engine.open_goal(goal).await?;
    let mut watch = engine.watch_all(&run, 0).await?;
    let rest = live(engine, &run, &mut watch, out, Way::New).await?;
    write(engine, &run, &rest, to).await?;
    let yes = args.yes && may_sign(engine, &run, out).await?;
    let resume = Resume {
        run: run.to_string(),
        yes,
        max_parallel: args.max_parallel,
        take_over: false,
        replan: args.replan,
    };
    match come_to(engine, &run, &rest, args.yes, out).await? {
        Some(exit) => crate::run::finish(engine, &run, watch, out, Some(exit)).await,
        None => Box::pin(crate::run::consent(engine, &run, watch, resume, out)).await,
    }
}

/// Plans on where that is still to be done. `None`: there is a plan that can be approved; else how this ends.
pub async fn plan_on(
    engine: &Engine,
    run: &RunId,
    watch: &mut Watch,
    (is_yes, by_force): (bool, bool),
    out: &Out,
) -> Result<Option<Exit>, Error> {
    if engine.planning(run).await?.is_none() {
        return Ok(None);
    }
    let rest = live(engine, run, watch, out, Way::Again { by_force }).await?;
    come_to(engine, run, &rest, is_yes, out).await
}

/// Whether `--yes` signs what has just been planned: only the one plan that was given, and only what the goal granted, as
/// nobody has seen the rest. Says so
/// where it does not.
pub async fn may_sign(engine: &Engine, run: &RunId, out: &Out) -> Result<bool, Error> {
    const SHOWN: usize = 8;
    let planned = engine
        .planning(run)
        .await?
        .is_some_and(|planning| planning.state == "planned");
    if !planned {
        return Ok(true);
    }
    if engine.is_one_of_several(run).await? {
        out.note(
            "planloom: the planner's answer held several different plans, and --yes does not choose one. Look at the first, \
             which is kept, and approve it.",
        );
        return Ok(false);
    }
    let beyond = engine.beyond_goal(run).await?;
    if beyond.is_empty() {
        return Ok(true);
    }
    let mut text =
        "planloom: the plan asks for more than the goal was granted, which --yes does not sign:".to_owned();
    for entry in beyond.iter().take(SHOWN) {
        text.push_str(&format!("\n  {}", piece(entry)));
    }
    if let Some(more) = beyond.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        text.push_str(&format!("\n  and {more} more"));
    }
    text.push_str(
        "\nGrant it beforehand with --grant KIND=ENTRY (a secret can't be), or look at the plan and approve it.",
    );
    out.note(&text);
    Ok(false)
}

/// What follows from it. `None`: there is a plan that can be approved; else how this ends.
async fn come_to(
    engine: &Engine,
    run: &RunId,
    rest: &PlanRest,
    is_yes: bool,
    out: &Out,
) -> Result<Option<Exit>, Error> {
    let draft = judged(engine, run).await?;
    let exit = exit_of(rest, &draft);
    match (rest, exit) {
        (PlanRest::Planned, Exit::Done) => return Ok(None),
        // A person may take what a planner could not mend, but nobody else may.
        (PlanRest::Planned, _) if !is_yes && crate::ask::can_ask() => {
            tell_problems(&draft, out);
            let own = engine.draft(run).await?;
            return Ok(has_errors(&own).then_some(exit));
        }
        // Whoever stopped the planner may have gone on by hand.
        (PlanRest::Stopped, _) if draft.is_draft && !has_errors(&draft) => return Ok(None),
        (PlanRest::Planned, _) => tell_problems(&draft, out),
        // The events have just said why, to people at least.
        (PlanRest::Failed(error), _) if out.json => out.note(&format!("planloom: {}", piece(&error.message))),
        (PlanRest::Failed(_), _) => {}
        (PlanRest::Asks | PlanRest::Stopped | PlanRest::Interrupted, _) => {}
    }
    Ok(Some(exit))
}

/// How planning is taken up.
#[derive(Clone, Copy)]
enum Way {
    New,
    /// What failed before is forgotten.
    Again {
        by_force: bool,
    },
}

/// Plans until nothing more can go on without a person; an interrupt leaves it to be gone on with.
async fn live(
    engine: &Engine,
    run: &RunId,
    watch: &mut Watch,
    out: &Out,
    way: Way,
) -> Result<PlanRest, Error> {
    let cancel = CancellationToken::new();
    let planning = async {
        match way {
            Way::New => engine.plan_on(run, &cancel).await,
            Way::Again { by_force } => engine.plan_again(run, &cancel, by_force).await,
        }
    };
    tokio::pin!(planning);
    let mut signals = Signals::new();
    let mut is_told_of_leaving = false;
    let mut silence = Silence::new();
    let rest = loop {
        tokio::select! {
            rest = &mut planning => break rest?,
            news = watch.next() => {
                if let Some(news) = news {
                    let events = news?.events;
                    silence.broken();
                    print_events(&events, out);
                    if !is_told_of_leaving && events.iter().any(|event| event.kind == "planning_waiting") {
                        is_told_of_leaving = true;
                        crate::run::tell_of_leaving(run, out);
                    }
                }
            }
            long = silence.long() => tell_planning(engine, run, long, out).await?,
            () = signals.next(), if !cancel.is_cancelled() => {
                out.note("Leaving the planning; it can be resumed.");
                cancel.cancel();
            }
        }
    };
    // It may be over before its last words have come by.
    let end = engine.show(run, None).await?.seq;
    tell_until(watch, end, out).await?;
    // Whoever leaves wants nothing to follow, even if the plan has just come.
    Ok(if cancel.is_cancelled() {
        PlanRest::Interrupted
    } else {
        rest
    })
}

fn goal_of(text: String, params: Vec<(String, String)>, args: Planning) -> Result<Goal, Error> {
    if let Some(path) = args.out.as_deref().filter(|path| path.exists() && !args.force) {
        return Err(invalid(
            "exists",
            format!(
                "{} exists; nothing was asked. Replace it with --force.",
                path.display()
            ),
        ));
    }
    if let Some(path) = &args.out {
        check_place(path)?;
    }
    let mut budget = Map::new();
    if let Some(usd) = args.max_usd {
        let amount = serde_json::from_str::<serde_json::Number>(&usd);
        let is_amount = |amount: &serde_json::Number| !amount.to_string().starts_with('-');
        let amount = amount.ok().filter(is_amount).ok_or_else(|| {
            invalid(
                "budget",
                format!("{usd} is no amount of dollars, such as 0.25. Nothing was asked."),
            )
        })?;
        budget.insert("usd".to_owned(), Value::Number(amount));
    }
    if let Some(tokens) = args.max_tokens {
        budget.insert("tokens".to_owned(), tokens.into());
    }
    let mut grants = Map::new();
    for (kind, entry) in args.grants {
        let entries = grants.entry(kind).or_insert_with(|| json!([]));
        if let Some(entries) = entries.as_array_mut() {
            entries.push(entry.into());
        }
    }
    Ok(Goal {
        tools: (!args.allow.is_empty()).then_some(args.allow),
        parameters: some(params.into_iter().map(parameter).collect()),
        grants: some(grants),
        budget: some(budget),
        may_ask: !args.no_questions,
        path: args.out,
        ..Goal::new(text)
    })
}

/// A plan that was paid for must have a place to go to.
fn check_place(path: &Path) -> Result<(), Error> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let wrong = match folder {
        _ if path.is_dir() => format!("{} is a folder; name a file", path.display()),
        Some(folder) if !folder.is_dir() => format!("there is no folder {}; make it first", folder.display()),
        Some(_) | None => return Ok(()),
    };
    Err(invalid("no_folder", format!("{wrong}. Nothing was asked.")))
}

fn some(map: Map<String, Value>) -> Json {
    if map.is_empty() {
        Json::Null
    } else {
        Json::Object(map)
    }
}

/// Its schema, with the value as default.
fn parameter((name, text): (String, String)) -> (String, Value) {
    let value = serde_json::from_str(&text).unwrap_or(Value::String(text));
    let kind = match &value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    (name, json!({ "type": kind, "default": value }))
}

fn invalid(code: &'static str, message: String) -> Error {
    Error::Invalid { code, message }
}

/// A plan with problems is written too: it is there to be mended.
async fn write(
    engine: &Engine,
    run: &RunId,
    rest: &PlanRest,
    to: Option<PathBuf>,
) -> Result<Option<PathBuf>, Error> {
    match (rest, to) {
        (PlanRest::Planned, Some(path)) => engine.save_plan(run, Some(path)).await.map(Some),
        (_, _) => Ok(None),
    }
}

/// Why there is no plan, or what speaks against it; nothing where all is well.
pub async fn say_how_it_ended(engine: &Engine, run: &RunId, out: &Out) -> Result<(), Error> {
    let Some(planning) = engine.planning(run).await? else {
        return Ok(());
    };
    match &planning.error {
        Some(error) => out.say(&format!("  planning failed: {}", piece(error))),
        None if planning.state == "open" => out.say("  planning is not over"),
        None => {}
    }
    let left = engine.left_unmended(run).await?;
    if !left.is_empty() {
        out.say("  the planner did not mend these problems:");
    }
    for problem in &left {
        out.say(&problem_line(problem));
    }
    Ok(())
}

/// The draft with what the planner left unmended, whatever the plan would be held for otherwise.
async fn judged(engine: &Engine, run: &RunId) -> Result<DraftView, Error> {
    let mut draft = engine.draft(run).await?;
    let left = engine.left_unmended(run).await?;
    if !left.is_empty() {
        draft.problems = left;
    }
    Ok(draft)
}

fn has_errors(draft: &DraftView) -> bool {
    draft.problems.iter().any(|p| p.severity == Severity::Error)
}

fn exit_of(rest: &PlanRest, draft: &DraftView) -> Exit {
    match rest {
        PlanRest::Planned if has_errors(draft) => Exit::Wrong,
        PlanRest::Planned => Exit::Done,
        PlanRest::Asks => Exit::Waiting,
        PlanRest::Failed(_) => Exit::Failed,
        PlanRest::Stopped | PlanRest::Interrupted => Exit::Cancelled,
    }
}

fn tell_problems(draft: &DraftView, out: &Out) {
    for problem in &draft.problems {
        out.note(&problem_line(problem));
    }
    out.note("The plan has problems that the planner did not mend. Change it, or save it and mend the file.");
}

async fn show(
    engine: &Engine,
    run: &RunId,
    rest: &PlanRest,
    written: Option<&Path>,
    out: &Out,
) -> Result<Exit, Error> {
    let draft = judged(engine, run).await?;
    let planning = engine.planning(run).await?;
    let exit = exit_of(rest, &draft);
    if out.json {
        let whole = whole(engine, run, &draft, planning, written).await?;
        out.object(&whole);
        return Ok(exit);
    }
    let shown = engine.show(run, None).await?;
    match rest {
        PlanRest::Planned => crate::outline::say(engine, run, &draft, planning.as_ref(), out).await?,
        // Why there is none, the events have just said.
        PlanRest::Failed(_) | PlanRest::Asks | PlanRest::Stopped | PlanRest::Interrupted => {}
    }
    for decision in &shown.decisions {
        out.say(&asked::lines(decision, out));
    }
    if let Some(path) = written {
        out.say(&format!("Written to {}.", path.display()));
    }
    if shown.row.status == RunStatus::AwaitingApproval {
        for way in Standing::of(engine, &shown.row).await.ways_on(run, out) {
            out.say(&way);
        }
    }
    Ok(exit)
}

/// Everything about the plan: as JSON text it stands digit for digit.
async fn whole(
    engine: &Engine,
    run: &RunId,
    draft: &DraftView,
    planning: Option<PlanningShown>,
    written: Option<&Path>,
) -> Result<Value, Error> {
    let shown = engine.show(run, None).await?;
    let decisions: Vec<Value> = shown.decisions.iter().map(asked::to_json).collect();
    Ok(json!({
        "run": run.as_str(), "state": shown.row.status.to_string(), "ok": !has_errors(draft),
        "plan": serde_json::from_str::<Value>(&draft.document).unwrap_or_default(),
        "problems": draft.problems, "planning": planning, "decisions": decisions,
        "estimate": engine.estimate(run).await?,
        "out": written.map(|path| path.to_string_lossy()),
        "spent": crate::spent::spent_json(&shown.row),
    }))
}
