//! `run`, `resume`, `pause` and `cancel`: streams what happens, leaves the run durable, and says how it ended.

use planloom_engine::model::{RunId, Seq};
use planloom_engine::views::{DecisionKind, EventView, RunRow, RunStatus, StatusCount, TaskStatus, TaskView};
use planloom_engine::{Consent, Engine, Error, Parameters, Shown, Watch};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::args::{Resume, Run};
use crate::asked;
use crate::exit::Exit;
use crate::look::{counts, raw, readable};
use crate::out::{Out, piece, rfc3339, sentence};
use crate::silence::{Silence, tell_run};
use crate::spent::until;
use crate::standing::Standing;

/// A wait that people would rather not sit out, in milliseconds.
const LONG_WAIT: f64 = 60_000.0;

pub async fn run(engine: &Engine, args: Run, out: &Out) -> Result<Exit, Error> {
    let Some(plan) = args.plan else {
        return Box::pin(crate::plan::run(engine, args, out)).await;
    };
    let consent = if args.yes { Consent::Given } else { Consent::Asked };
    let run = engine
        .open_run(plan, &Parameters::Text(args.params), &consent)
        .await?;
    let watch = engine.watch_all(&run, 0).await?;
    if !args.yes {
        match crate::ask::approval(engine, &run, out).await? {
            Some(true) => engine.approve_as_opened(&run).await?,
            Some(false) | None => return finish(engine, &run, watch, out, None).await,
        }
    }
    Box::pin(drive(engine, &run, watch, args.max_parallel, false, out)).await
}

pub async fn resume(engine: &Engine, args: Resume, out: &Out) -> Result<Exit, Error> {
    let run = engine.find_run(&args.run).await?;
    Box::pin(go_on(engine, &run, args, out)).await
}

/// Approves where that is still to be done, and drives.
pub async fn go_on(engine: &Engine, run: &RunId, args: Resume, out: &Out) -> Result<Exit, Error> {
    let since = engine.show(run, None).await?.seq;
    go_on_since(engine, run, since, args, out).await
}

/// The same, telling all that came after that event.
pub async fn go_on_since(
    engine: &Engine,
    run: &RunId,
    since: Seq,
    args: Resume,
    out: &Out,
) -> Result<Exit, Error> {
    let shown = engine.show(run, None).await?;
    let watch = engine.watch_all(run, since).await?;
    if shown.row.status == RunStatus::AwaitingApproval {
        return Box::pin(approve(engine, run, watch, args, out)).await;
    }
    if shown.row.status.is_over() {
        return finish(engine, run, watch, out, None).await;
    }
    Box::pin(drive(engine, run, watch, args.max_parallel, args.take_over, out)).await
}

/// Plans on where that is still to be done, and drives what is approved.
pub async fn approve(
    engine: &Engine,
    run: &RunId,
    mut watch: Watch,
    mut args: Resume,
    out: &Out,
) -> Result<Exit, Error> {
    let how = (args.yes, args.take_over);
    // A plan that was there before could be looked at.
    let is_seen = engine
        .planning(run)
        .await?
        .is_none_or(|planning| planning.state != "open");
    if let Some(exit) = Box::pin(crate::plan::plan_on(engine, run, &mut watch, how, out)).await? {
        return finish(engine, run, watch, out, Some(exit)).await;
    }
    args.yes = args.yes && (is_seen || crate::plan::may_sign(engine, run, out).await?);
    Box::pin(consent(engine, run, watch, args, out)).await
}

/// Drives what is approved.
pub async fn consent(
    engine: &Engine,
    run: &RunId,
    watch: Watch,
    args: Resume,
    out: &Out,
) -> Result<Exit, Error> {
    // Asked first, so that what is signed is what is shown now, whoever changes it in the meantime. Whoever says yes to it
    // unseen means it as it stands, too, not as it was when it was asked about.
    if !args.yes || is_asked(engine, run).await? {
        engine.ask_approval(run).await?;
    }
    let is_approved = args.yes || crate::ask::approval(engine, run, out).await? == Some(true);
    if !is_approved {
        return finish(engine, run, watch, out, None).await;
    }
    engine.approve_as_opened(run).await?;
    Box::pin(drive(engine, run, watch, args.max_parallel, args.take_over, out)).await
}

async fn is_asked(engine: &Engine, run: &RunId) -> Result<bool, Error> {
    let shown = engine.show(run, None).await?;
    let mut open = shown.decisions.iter();
    Ok(open.any(|asked| asked.kind == DecisionKind::Approval && asked.task.is_none()))
}

async fn drive(
    engine: &Engine,
    run: &RunId,
    mut watch: Watch,
    max_parallel: Option<u16>,
    by_force: bool,
    out: &Out,
) -> Result<Exit, Error> {
    let cap = max_parallel.map_or_else(|| engine.max_parallel(), usize::from);
    tell_waits(&engine.show(run, None).await?, out);
    match engine.resume_with(run, cap, by_force).await {
        // Somebody else has brought it to its end since it was looked at.
        Err(Error::Invalid { code: "over", .. }) => return finish(engine, run, watch, out, None).await,
        begun => begun?,
    }
    let mut signals = Signals::new();
    let left = engine.until_left(run);
    tokio::pin!(left);
    let mut is_interrupted = false;
    let mut trouble = None;
    let mut is_told_of_leaving = false;
    let mut silence = Silence::new();
    let end = loop {
        tokio::select! {
            end = &mut left => break end?,
            news = watch.next() => match news {
                Some(news) => {
                    let news = news?;
                    silence.broken();
                    tell_trouble(&mut trouble, news.run.trouble, out);
                    print_events(&news.events, out);
                    if !is_told_of_leaving && news.tasks.iter().any(waits_long) {
                        is_told_of_leaving = true;
                        tell_of_leaving(run, out);
                    }
                }
                None => break left.await?,
            },
            long = silence.long() => tell_run(engine, run, long, out).await?,
            () = signals.next(), if !is_interrupted => {
                is_interrupted = true;
                out.note("Pausing; the run can be resumed.");
                let engine = engine.clone();
                tokio::spawn(async move { engine.close().await });
            }
        }
    };
    if let Some(trouble) = end.trouble {
        finish(engine, run, watch, out, None).await?;
        out.note(&format!("planloom: {trouble}"));
        return Ok(Exit::Machine);
    }
    let interrupted = (is_interrupted && !end.status.is_over()).then_some(Exit::Cancelled);
    finish(engine, run, watch, out, interrupted).await
}

/// What was told when it began to wait is told again to whoever takes the run up.
fn tell_waits(shown: &Shown, out: &Out) {
    for task in &shown.tasks {
        if let Some(wait) = task.wait.as_ref().filter(|wait| wait.until.is_some()) {
            let text = format!("{} waits. {}{}", task.id, wait.text, until(wait));
            out.note(&piece(&text));
        }
    }
}

fn waits_long(task: &TaskView) -> bool {
    let until = task.wait.as_ref().and_then(|wait| wait.until);
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = since.map_or(0.0, |since| since.as_secs_f64() * 1000.0);
    until.is_some_and(|until| until - now > LONG_WAIT)
}

/// Nobody has to sit a long wait out.
pub fn tell_of_leaving(run: &RunId, out: &Out) {
    out.note(&format!(
        "You can leave it with Ctrl+C: nothing is lost, the wait goes on counting, and it is taken up with: {}",
        out.resuming(run)
    ));
}

/// What the run waits out, such as a full disk, is told once; and that it is over.
fn tell_trouble(told: &mut Option<String>, now: Option<String>, out: &Out) {
    if *told == now {
        return;
    }
    match &now {
        Some(trouble) => out.note(&format!("planloom: {}", piece(trouble))),
        None => out.note("planloom: everything that was held is stored; the run goes on"),
    }
    *told = now;
}

/// Everything up to `seq`, as far as it has not been told.
pub async fn tell_until(watch: &mut Watch, seq: u64, out: &Out) -> Result<(), Error> {
    while watch.seq() < seq {
        match watch.next().await {
            Some(news) => print_events(&news?.events, out),
            None => break,
        }
    }
    Ok(())
}

/// Prints what has not been printed yet, then the last line.
pub async fn finish(
    engine: &Engine,
    run: &RunId,
    mut watch: Watch,
    out: &Out,
    exit: Option<Exit>,
) -> Result<Exit, Error> {
    let shown = engine.show(run, None).await?;
    tell_until(&mut watch, shown.seq, out).await?;
    #[derive(serde::Serialize)]
    struct Last<'a> {
        run: &'a str,
        state: String,
        output: Option<Box<RawValue>>,
        decisions: Vec<Value>,
        counts: Value,
        folder: String,
        /// What became of the planning of a draft that has no plan.
        #[serde(skip_serializing_if = "Option::is_none")]
        planning: Option<&'static str>,
    }
    let standing = Standing::of(engine, &shown.row).await;
    let status = shown.row.status;
    if out.json {
        let decisions = shown.decisions.iter().map(asked::to_json).collect();
        let (state, output) = (status.to_string(), raw(shown.output.as_deref()));
        let folder = engine.folder(run).to_string_lossy().into_owned();
        out.object(&Last {
            run: run.as_str(),
            state,
            output,
            decisions,
            counts: counts(&shown.row),
            folder,
            planning: standing.planning(),
        });
    } else {
        if let Some(output) = &shown.output {
            out.give(&readable(output));
        }
        let stop = shown.paused_at.as_ref();
        let at = stop.map(|s| piece(&format!(" at the breakpoint {} {}", s.side, s.task)));
        let at = at.unwrap_or_else(|| passed_over(&shown.row));
        out.say(&format!("Run {run}: {}{at}", standing.word()));
        // Of a run that is over nothing is asked any more.
        for decision in shown.decisions.iter().filter(|_| !status.is_over()) {
            out.say(&asked::lines(decision, out));
        }
        if let Some(folder) = own_folder(engine, run) {
            out.say(&folder);
        }
        for way in standing.ways_on(run, out) {
            out.say(&way);
        }
    }
    Ok(exit.unwrap_or_else(|| Exit::of_state(status)))
}

/// Where its own files lie, once there are any.
pub fn own_folder(engine: &Engine, run: &RunId) -> Option<String> {
    let folder = engine.folder(run);
    let is_used = std::fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some());
    is_used.then(|| piece(&format!("Its own files (run:/) lie in {}", folder.display())))
}

/// A run can succeed although not all of it was done; whoever reads only this line must hear of that.
fn passed_over(row: &RunRow) -> String {
    let is_one = |c: &&StatusCount| {
        row.status == RunStatus::Succeeded && matches!(c.status, TaskStatus::Skipped | TaskStatus::Failed)
    };
    let words: Vec<String> = row
        .counts
        .iter()
        .filter(is_one)
        .map(|c| format!("{} {}", c.count, c.status.to_string().to_lowercase()))
        .collect();
    if words.is_empty() {
        String::new()
    } else {
        format!(" ({})", words.join(", "))
    }
}

pub fn print_events(events: &[EventView], out: &Out) {
    for event in events {
        if out.json {
            out.object(&json!({
                "seq": event.seq, "at": rfc3339(event.at), "kind": event.kind, "task": event.task, "text": event.text,
            }));
        } else if is_told(&event.kind) {
            out.note(&format!("{:>5}  {}", event.seq, piece(&sentence(&event.text))));
        }
    }
}

/// People are spared the events that say twice what another one says.
fn is_told(kind: &str) -> bool {
    !matches!(
        kind,
        "task_ready" | "call_started" | "call_finished" | "run_opened" | "plan_revised" | "task_waiting"
    )
}

pub async fn pause(engine: &Engine, run: &str, out: &Out) -> Result<Exit, Error> {
    let run = engine.find_run(run).await?;
    engine.pause(&run).await?;
    tell(engine, &run, "Asked to pause.", out).await
}

pub async fn cancel(engine: &Engine, run: &str, out: &Out) -> Result<Exit, Error> {
    let run = engine.find_run(run).await?;
    engine.cancel(&run).await?;
    tell(engine, &run, "Asked to stop.", out).await
}

async fn tell(engine: &Engine, run: &RunId, what: &str, out: &Out) -> Result<Exit, Error> {
    let row = engine.show(run, None).await?.row;
    if out.json {
        out.object(&json!({ "run": run.as_str(), "state": row.status.to_string() }));
    } else {
        let word = Standing::of(engine, &row).await.word();
        out.say(&format!("{what} The run is {word}."));
    }
    Ok(Exit::Done)
}

/// SIGINT, SIGTERM and SIGHUP; elsewhere Ctrl-C.
pub struct Signals {
    #[cfg(unix)]
    interrupt: Option<tokio::signal::unix::Signal>,
    #[cfg(unix)]
    terminate: Option<tokio::signal::unix::Signal>,
    #[cfg(unix)]
    hangup: Option<tokio::signal::unix::Signal>,
}

impl Signals {
    #[cfg(unix)]
    pub fn new() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        Self {
            interrupt: signal(SignalKind::interrupt()).ok(),
            terminate: signal(SignalKind::terminate()).ok(),
            hangup: signal(SignalKind::hangup()).ok(),
        }
    }

    #[cfg(unix)]
    pub async fn next(&mut self) {
        async fn one(signal: &mut Option<tokio::signal::unix::Signal>) {
            match signal {
                Some(signal) => {
                    signal.recv().await;
                }
                None => std::future::pending().await,
            }
        }
        tokio::select! {
            () = one(&mut self.interrupt) => {}
            () = one(&mut self.terminate) => {}
            () = one(&mut self.hangup) => {}
        }
    }

    #[cfg(not(unix))]
    pub fn new() -> Self {
        Self {}
    }

    #[cfg(not(unix))]
    pub async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
