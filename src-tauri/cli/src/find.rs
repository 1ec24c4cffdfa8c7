//! Finding runs again: `runs` with its filters, `search`, `tag` and `rename`. What is found is text of others. It decides
//! nothing about runs.

use std::time::Duration;

use planloom_engine::model::RunId;
use planloom_engine::model::query::states;
use planloom_engine::views::{FoundView, HitView, RunRow, RunsAsked, StatusCount};
use planloom_engine::{Engine, Error};
use serde_json::{Value, json};

use crate::args::{Runs, Search};
use crate::exit::Exit;
use crate::look::counts;
use crate::out::{Out, counted, grouped, piece, rfc3339};
use crate::standing::Standing;

/// After so long it is said how far the looking through has come.
const TOLD: Duration = Duration::from_secs(2);
/// Without any progress, somebody else is at it.
const TRIES: u32 = 5;

pub async fn runs(engine: &Engine, args: Runs, out: &Out) -> Result<Exit, Error> {
    let (rows, more) = match args.is_filtered() {
        false => newest(engine.runs().await?, args.limit),
        true => filtered(engine, &args, out).await?,
    };
    if out.json {
        let mut list: Vec<Value> = Vec::new();
        for r in &rows {
            let planning = Standing::of(engine, r).await.planning();
            list.push(json!({
                    "run": r.run, "state": r.status.to_string(), "goal": r.goal, "title": r.title, "tags": r.tags,
                    "started": rfc3339(r.started_at), "counts": counts(r), "revision": r.revision,
                    "open_decisions": r.open_decisions, "owner": r.owner, "trouble": r.trouble,
                    "planning": planning, "parent": r.parent,
            }));
        }
        out.object(&json!({ "runs": list, "more": more }));
        return Ok(Exit::Done);
    }
    if rows.is_empty() && args.is_filtered() {
        out.say("No run fits.");
    } else if rows.is_empty() {
        out.say(&format!(
            "No runs yet. Start one with: {}",
            out.command(&["run"], &["PLAN"])
        ));
    }
    for row in &rows {
        let standing = Standing::of(engine, row).await;
        out.say(&line(row, &standing));
    }
    if more > 0 {
        out.say(&format!("{} more; `--limit` shows them.", grouped(more)));
    }
    Ok(Exit::Done)
}

fn newest(mut rows: Vec<RunRow>, limit: u32) -> (Vec<RunRow>, u64) {
    let more = rows.len().saturating_sub(limit as usize);
    rows.truncate(limit as usize);
    (rows, more as u64)
}

fn line(row: &RunRow, standing: &Standing) -> String {
    let tags: String = row.tags.iter().map(|tag| format!("  #{}", piece(tag))).collect();
    format!(
        "{}  {:<17}  {}  {}  {}{tags}",
        row.run,
        standing.word(),
        rfc3339(row.started_at),
        piece(&row.title),
        about(row, standing)
    )
}

/// How far its tasks are; of a draft without any, what became of its planning.
fn about(row: &RunRow, standing: &Standing) -> String {
    if let Some(why) = standing.why() {
        return why;
    }
    let state = |c: &StatusCount| format!("{} {}", c.count, c.status.to_string().to_lowercase());
    row.counts.iter().map(state).collect::<Vec<_>>().join(", ")
}

async fn filtered(engine: &Engine, args: &Runs, out: &Out) -> Result<(Vec<RunRow>, u64), Error> {
    let mut asked = RunsAsked {
        tags: args.tags.clone(),
        text: args.search.clone().unwrap_or_default(),
        limit: args.limit,
        ..RunsAsked::default()
    };
    for word in &args.states {
        let named = states(word).ok_or_else(|| Error::Invalid {
            code: "usage",
            message: format!(
                "there is no state `{word}`; states are draft, running, paused, waiting, blocked, succeeded, failed and cancelled"
            ),
        })?;
        asked.states.extend(named);
    }
    if args.search.is_some() {
        look_through(engine, out).await?;
    }
    let page = engine.find_runs_inside(&asked, Duration::ZERO).await?;
    for note in &page.notes {
        out.note(&piece(note));
    }
    let more = u64::from(page.total).saturating_sub(page.rows.len() as u64);
    Ok((page.rows, more))
}

pub async fn search(engine: &Engine, args: Search, out: &Out) -> Result<Exit, Error> {
    let asked = RunsAsked {
        text: args.query.join(" "),
        limit: args.limit,
        ..RunsAsked::default()
    };
    look_through(engine, out).await?;
    let found = engine.search(&asked, Duration::ZERO).await?;
    if out.json {
        let hits: Vec<Value> = found.hits.iter().map(hit_json).collect();
        out.object(&json!({
            "hits": hits, "more": found.more, "behind": found.behind as u64, "notes": found.notes,
        }));
        return Ok(Exit::Done);
    }
    for note in &found.notes {
        out.note(&piece(note));
    }
    if found.hits.is_empty() {
        out.say("Nothing was found.");
    }
    for line in found_lines(&found) {
        out.say(&line);
    }
    if found.more > 0 {
        out.say(&format!(
            "{} more; `--limit` shows them.",
            grouped(u64::from(found.more))
        ));
    }
    if found.behind > 0.0 {
        let events = counted(found.behind as usize, "event");
        out.note(&format!(
            "{events} could not be looked through yet; search again in a while."
        ));
    }
    Ok(Exit::Done)
}

/// Everything is looked through before anything is said to be missing. It only takes long the first time.
async fn look_through(engine: &Engine, out: &Out) -> Result<(), Error> {
    let (mut last, mut idle) = (u64::MAX, 0);
    loop {
        let behind = engine.catch_up(TOLD).await?;
        if behind == 0 {
            return Ok(());
        }
        idle = if behind < last { 0 } else { idle + 1 };
        if idle >= TRIES {
            return Ok(());
        }
        if behind == last {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        last = behind;
        out.note(&format!(
            "{} left to look through",
            counted(behind as usize, "event")
        ));
    }
}

/// Marks are pairs of positions in the snippet, counted in Unicode scalar values.
fn hit_json(hit: &HitView) -> Value {
    let marks: Vec<[u32; 2]> = hit.marks.iter().map(|mark| [mark.from, mark.to]).collect();
    json!({
        "run": hit.run, "title": hit.title, "state": hit.status.to_string(), "task": hit.task,
        "where": hit.place.word(), "seq": hit.seq, "snippet": hit.snippet, "marks": marks,
    })
}

/// Under each run what was found in it, in the order of the best.
fn found_lines(found: &FoundView) -> Vec<String> {
    let mut lines = Vec::new();
    let mut last = "";
    for hit in &found.hits {
        if hit.run != last {
            lines.push(format!("{}  {}  {}", hit.run, hit.status, piece(&hit.title)));
            last = &hit.run;
        }
        let task = hit
            .task
            .as_ref()
            .map_or(String::new(), |task| format!(", {}", piece(task)));
        let at = hit.seq.map_or(String::new(), |seq| format!(", event {seq}"));
        lines.push(format!(
            "  {}{task}{at}: {}",
            hit.place.word(),
            piece(&marked(hit))
        ));
    }
    lines
}

/// What was looked for stands between »«.
fn marked(hit: &HitView) -> String {
    let mut out = String::with_capacity(hit.snippet.len() + 8);
    for (at, letter) in (0u32..).zip(hit.snippet.chars()) {
        if hit.marks.iter().any(|mark| mark.to == at) {
            out.push('«');
        }
        if hit.marks.iter().any(|mark| mark.from == at) {
            out.push('»');
        }
        out.push(letter);
    }
    let end = hit.snippet.chars().count() as u32;
    if hit.marks.iter().any(|mark| mark.to == end) {
        out.push('«');
    }
    out
}

pub async fn tag(engine: &Engine, run: &str, words: &[String], out: &Out) -> Result<Exit, Error> {
    let run = engine.find_run(run).await?;
    let (mut add, mut remove) = (Vec::new(), Vec::new());
    for word in words {
        match (
            word.strip_prefix('+').filter(|tag| !tag.starts_with('-')),
            word.strip_prefix("+-"),
        ) {
            (Some(tag), _) => add.push(tag.to_owned()),
            (None, Some(tag)) => remove.push(tag.to_owned()),
            (None, None) => {
                let message =
                    format!("say +{word} to add the tag, or -{word} to take it off. Nothing was recorded");
                return Err(Error::Invalid {
                    code: "usage",
                    message,
                });
            }
        }
    }
    let tags = match words.is_empty() {
        true => engine.show(&run, None).await?.row.tags,
        false => engine.tag_run(&run, &add, &remove).await?,
    };
    if out.json {
        out.object(&json!({ "run": run.as_str(), "tags": tags }));
    } else if tags.is_empty() {
        out.say(&format!("Run {run} has no tag."));
    } else {
        let tags: Vec<String> = tags.iter().map(|tag| format!("#{}", piece(tag))).collect();
        out.say(&format!("Run {run} has {}.", tags.join(" ")));
    }
    Ok(Exit::Done)
}

pub async fn rename(engine: &Engine, run: &str, name: Option<String>, out: &Out) -> Result<Exit, Error> {
    let run: RunId = engine.find_run(run).await?;
    engine.name_run(&run, name).await?;
    let title = engine.show(&run, None).await?.row.title;
    if out.json {
        out.object(&json!({ "run": run.as_str(), "title": title }));
    } else {
        out.say(&format!("Run {run} is called “{}”.", piece(&title)));
    }
    Ok(Exit::Done)
}
