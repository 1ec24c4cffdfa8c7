//! `import`, `delete`, `backup` and `vacuum`: what is kept, where, and what goes.

use std::path::{Path, PathBuf};

use planloom_engine::{Engine, Error, Replace};
use serde_json::{Value, json};

use crate::args::Target;
use crate::exit::Exit;
use crate::out::{Out, counted};

pub async fn import(engine: &Engine, file: &Path, out: &Out) -> Result<Exit, Error> {
    let done = engine.import_run(file).await?;
    if out.json {
        out.object(&json!({
            "run": done.run.as_str(), "file": shown(file), "events": done.events, "bytes": done.bytes,
            "imported": done.is_new,
        }));
    } else if done.is_new {
        out.say(&format!(
            "Run {} was imported with {}. It can be looked at, but not gone on with here.\n\
             Look at it with: {}",
            done.run,
            counted(done.events, "event"),
            out.command(&["show"], &[done.run.as_str()])
        ));
    } else {
        out.say(&format!(
            "Run {} is here already, exactly as in the file; nothing was changed.",
            done.run
        ));
    }
    Ok(Exit::Done)
}

/// All of them are looked for before the first one goes.
pub async fn delete(engine: &Engine, names: &[String], out: &Out) -> Result<Exit, Error> {
    let mut runs = Vec::new();
    for name in names {
        let run = engine.find_run(name).await?;
        if !runs.contains(&run) {
            runs.push(run);
        }
    }
    let mut deleted: Vec<Value> = Vec::new();
    for run in &runs {
        let done = engine.delete_run(run).await?;
        deleted.push(json!({
            "run": run.as_str(), "events": done.events, "kept": done.kept, "folder": done.had_folder,
        }));
        let rest = match done.kept {
            0 => String::new(),
            1 => " Its forks still read its first event, which goes with the last of them.".to_owned(),
            kept => format!(" Its forks still read its first {kept} events, which go with the last of them."),
        };
        out.say(&format!("Run {run} is deleted.{rest}"));
    }
    if out.json {
        out.object(&json!({ "deleted": deleted }));
    } else {
        out.say(&format!(
            "Give the space back with: {}",
            out.command(&["vacuum"], &[])
        ));
    }
    Ok(Exit::Done)
}

pub async fn backup(engine: &Engine, target: Target, out: &Out) -> Result<Exit, Error> {
    let done = engine.backup(&target.to, replace(&target)).await?;
    let file = shown(&done.file);
    if out.json {
        out.object(&json!({ "file": file, "bytes": done.bytes }));
    } else {
        out.say(&format!(
            "The database is copied to {file} ({}).",
            size(done.bytes)
        ));
    }
    Ok(Exit::Done)
}

pub async fn vacuum(engine: &Engine, out: &Out) -> Result<Exit, Error> {
    let freed = engine.vacuum().await?;
    if let Some(owner) = &freed.held_by {
        out.note(&format!(
            "A run is driven by {owner}, so the file was not rewritten; in it, {} can be used for what comes next. \
             When no run is going on: {}",
            size(freed.free),
            out.command(&["vacuum"], &[])
        ));
    }
    if out.json {
        out.object(&json!({
            "bytes": freed.bytes, "free": freed.free, "payloads": freed.payloads, "events": freed.events,
            "folders": freed.folders, "rewritten": freed.held_by.is_none(),
        }));
    } else {
        out.say(&format!(
            "{} freed; {} went that no event names.",
            size(freed.bytes),
            counted(freed.payloads, "stored value")
        ));
    }
    Ok(Exit::Done)
}

fn replace(target: &Target) -> Replace {
    if target.force {
        Replace::Allowed
    } else {
        Replace::Never
    }
}

pub fn shown(path: &Path) -> String {
    let path: PathBuf = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    path.to_string_lossy().into_owned()
}

pub fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => counted(bytes, "byte"),
        10_000..10_000_000 => format!("{} kB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}
