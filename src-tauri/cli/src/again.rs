//! `rewind`, `fork`, `retry` and `rerun`: says what is taken over and which effects were made already.

use planloom_engine::model::events::FilesRestored;
use planloom_engine::views::{EffectView, FileNow, FileView};
use planloom_engine::{Again, Effects, Engine, Error, Files};
use serde_json::{Value, json};

use crate::args::{self, Fork, Replanning, Rerun, Resume};
use crate::asked;
use crate::exit::Exit;
use crate::out::{Out, few, grouped, piece, rfc3339};
use crate::standing::Standing;

/// Effects and files that are told one by one; `--json` has all.
const SHOWN: usize = 8;

pub async fn rewind(
    engine: &Engine,
    run: &str,
    to: u64,
    files: &args::Files,
    out: &Out,
) -> Result<Exit, Error> {
    let run = engine.find_run(run).await?;
    let told = engine.rewind(&run, to, fate_of(files)).await?;
    let shown = engine.show(&run, None).await?;
    let status = shown.row.status.to_string();
    if out.json {
        out.object(&json!({
            "run": run.as_str(), "to": to, "seq": shown.seq, "state": status, "tasks": told.tasks,
            "reused": told.reused, "effects": effects(&told.effects), "files": told.files,
            "restored": restored(told.restored.as_ref()),
        }));
        return Ok(Exit::Done);
    }
    let standing = Standing::of(engine, &shown.row).await;
    out.say(&format!(
        "The run is as it was after event {to}: {}. Nothing was deleted.",
        standing.word()
    ));
    tell(
        &told,
        "They stay made. Where a task comes to the same call again, its result is taken over; a call with other arguments is another one.",
        out,
    );
    out.say(&format!("Go on with: {}", out.resuming(&run)));
    Ok(Exit::Done)
}

pub async fn fork(engine: &Engine, args: Fork, out: &Out) -> Result<Exit, Error> {
    let parent = engine.find_run(&args.run).await?;
    let forked = engine
        .fork(&parent, args.at, args.plan, fate_of(&args.files))
        .await?;
    let told = Again {
        tasks: Vec::new(),
        reused: Vec::new(),
        effects: forked.effects,
        files: forked.files,
        restored: forked.restored,
    };
    tell(
        &told,
        "They stay made. A fork is a new run: what it runs again, it does again.",
        out,
    );
    if args.run_it {
        let resume = Resume {
            run: forked.run.to_string(),
            yes: args.yes,
            max_parallel: args.max_parallel,
            take_over: false,
            replan: Replanning::default(),
        };
        // Told from the fork's own first event on.
        return Box::pin(crate::run::go_on_since(
            engine,
            &forked.run,
            forked.at,
            resume,
            out,
        ))
        .await;
    }
    engine.ask_approval(&forked.run).await?;
    let shown = engine.show(&forked.run, None).await?;
    let status = shown.row.status.to_string();
    if out.json {
        let decisions: Vec<Value> = shown.decisions.iter().map(asked::to_json).collect();
        out.object(&json!({
            "run": forked.run.as_str(), "parent": parent.as_str(), "seq": shown.seq, "state": status,
            "effects": effects(&told.effects), "decisions": decisions, "files": told.files,
            "restored": restored(told.restored.as_ref()),
        }));
    } else {
        let standing = Standing::of(engine, &shown.row).await;
        out.say(&format!("Forked as run {}: {}.", forked.run, standing.word()));
        out.say(&format!("Go on with: {}", out.resuming(&forked.run)));
    }
    Ok(Exit::Done)
}

pub async fn retry(engine: &Engine, run: &str, task: &str, again: bool, out: &Out) -> Result<Exit, Error> {
    let run = engine.find_run(run).await?;
    let told = engine.retry(&run, task, effects_of(again)).await?;
    tell(&told, fate(again), out);
    let resume = Resume {
        run: run.to_string(),
        yes: false,
        max_parallel: None,
        take_over: false,
        replan: Replanning::default(),
    };
    Box::pin(crate::run::go_on(engine, &run, resume, out)).await
}

pub async fn rerun(engine: &Engine, args: Rerun, out: &Out) -> Result<Exit, Error> {
    let run = engine.find_run(&args.run).await?;
    let told = engine
        .rerun(&run, args.from.as_deref(), args.plan, effects_of(args.again))
        .await?;
    tell(&told, fate(args.again), out);
    let resume = Resume {
        run: run.to_string(),
        yes: args.yes,
        max_parallel: args.max_parallel,
        take_over: false,
        replan: Replanning::default(),
    };
    Box::pin(crate::run::go_on(engine, &run, resume, out)).await
}

fn effects_of(again: bool) -> Effects {
    if again { Effects::Again } else { Effects::Keep }
}

fn fate(again: bool) -> &'static str {
    if again {
        "They are made again, under new keys."
    } else {
        "They stay made; where a task comes to the same call, its result is taken over."
    }
}

/// Text for people, out of the way of JSON.
fn tell(told: &Again, fate: &str, out: &Out) {
    if !told.tasks.is_empty() {
        out.note(&format!("Runs again: {}", few(&told.tasks)));
    }
    if !told.reused.is_empty() {
        out.note(&format!("Taken over: {}", few(&told.reused)));
    }
    tell_files(told, out);
    if told.effects.is_empty() {
        return;
    }
    out.note(&format!("Effects already made: {}. {fate}", told.effects.len()));
    for effect in told.effects.iter().take(SHOWN) {
        let known = if effect.is_known { "" } else { ", outcome unknown" };
        let line = format!(
            "  {} by {} (event {}{known})",
            effect.task, effect.tool, effect.seq
        );
        out.note(&piece(&line));
    }
    tell_more(told.effects.len(), out);
}

/// How many of a list were left out.
fn tell_more(all: usize, out: &Out) {
    if let Some(more) = all.checked_sub(SHOWN).filter(|&more| more > 0) {
        out.note(&format!("  and {} more", grouped(more as u64)));
    }
}

fn fate_of(files: &args::Files) -> Files {
    match (files.restore, files.force) {
        (false, _) => Files::Leave,
        (true, false) => Files::Restore,
        (true, true) => Files::Overwrite,
    }
}

fn tell_files(told: &Again, out: &Out) {
    if let Some(restored) = &told.restored {
        for file in restored.paths.iter().take(SHOWN) {
            let what = if file.hash.is_some() {
                "restored"
            } else {
                "removed"
            };
            out.note(&format!("  {what}: {}", piece(&file.path)));
        }
        tell_more(restored.paths.len(), out);
        for file in &restored.failed {
            out.note(&format!(
                "  not restored: {} ({})",
                piece(&file.path),
                piece(&file.why)
            ));
        }
        return;
    }
    if told.files.is_empty() {
        return;
    }
    out.note("Files written since; --restore gives them what they held:");
    for file in told.files.iter().take(SHOWN) {
        out.note(&piece(&format!("  {} ({})", file.path, state_of(file))));
    }
    tell_more(told.files.len(), out);
}

fn state_of(file: &FileView) -> &str {
    match (&file.why_not, file.now) {
        (Some(why), _) => why,
        (None, FileNow::AsThen) => "as it was then",
        (None, FileNow::AsLeft) if file.was_absent => "made by the run",
        (None, FileNow::AsLeft) => "as the run left it",
        (None, FileNow::Changed) => "not as the run left it",
        (None, FileNow::Unknown) => "whether it is as the run left it is not known",
    }
}

fn restored(restored: Option<&FilesRestored>) -> Value {
    let Some(restored) = restored else {
        return Value::Null;
    };
    let paths: Vec<&str> = restored.paths.iter().map(|f| f.path.as_str()).collect();
    json!({ "paths": paths, "failed": restored.failed })
}

fn effects(effects: &[EffectView]) -> Vec<Value> {
    effects
        .iter()
        .map(|e| {
            json!({
                "task": e.task, "tool": e.tool, "effect": e.effect, "seq": e.seq, "at": rfc3339(e.at),
                "known": e.is_known,
            })
        })
        .collect()
}
