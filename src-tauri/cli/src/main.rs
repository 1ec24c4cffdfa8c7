//! The `planloom` command line: a face like the window, on the same database. It decides nothing about runs.

mod again;
mod args;
mod ask;
mod asked;
mod compare;
mod compared;
mod decide;
mod decide_words;
mod estimate;
mod example;
mod exit;
mod export;
mod find;
mod hint;
mod holds;
mod keep;
mod log;
mod look;
mod mine;
mod models;
mod needs;
mod out;
mod outline;
#[cfg(test)]
mod pages;
mod plan;
mod run;
mod secret;
mod servers;
mod silence;
mod spent;
mod standing;
mod trace;
mod usage;
mod watch;

use std::process::ExitCode;

use clap::Parser;
use planloom_engine::llm::Models;
use planloom_engine::tools::worker;
use planloom_engine::{Config, Engine, Error};

use args::{Cli, Verb};
use exit::Exit;
use out::Out;

fn main() -> ExitCode {
    if std::env::args_os()
        .nth(1)
        .is_some_and(|word| word == worker::WORD)
    {
        return worker::serve();
    }
    let cli = match Cli::try_parse_from(args::spelled(std::env::args_os())) {
        Ok(cli) => cli,
        Err(refusal) => return usage::told(&refusal).into(),
    };
    planloom_engine::run::clean_panics();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            Out::new(false).note(&format!("the machine failed: {error}"));
            return Exit::Machine.into();
        }
    };
    let exit = runtime.block_on(go(cli));
    // A tool that ignores its cancellation must not hold the process.
    runtime.shutdown_timeout(std::time::Duration::from_millis(200));
    exit.into()
}

async fn go(cli: Cli) -> Exit {
    let out = Out::of(&cli);
    match Box::pin(perform(cli, &out)).await {
        Ok(_) if out.is_cut() => Exit::Machine,
        Ok(exit) => exit,
        Err(error) => {
            out.error(&error);
            Exit::of_error(&error)
        }
    }
}

async fn perform(cli: Cli, out: &Out) -> Result<Exit, Error> {
    if let Verb::Run(run) = &cli.verb {
        run.check()?;
    }
    let db = cli.db.or_else(planloom_engine::default_db);
    if let Verb::Tools = cli.verb {
        return tools(db, out);
    }
    if let (Verb::Check { plan }, None) = (&cli.verb, &db) {
        return look::check(plan.clone(), None, Models::none(), out).await;
    }
    let db = db.ok_or_else(no_home)?;
    if cli.verb.needs_runs() {
        Engine::expect_runs(&db)?;
        // One that can't be looked at is told as that, by whoever opens it.
        if matches!(db.try_exists(), Ok(false)) {
            return Err(no_database(&db));
        }
    }
    if let Verb::Secret { verb } = cli.verb {
        return secret::secret(&db, verb, out).await;
    }
    if let Verb::Mine { paths } = &cli.verb {
        return mine::mine(&db, paths, out);
    }
    if let Verb::Servers(args) = cli.verb {
        return servers::servers(&db, args, out).await;
    }
    if let Verb::Models(args) = cli.verb {
        return models::models(&db, args, &cli.models, out).await;
    }
    let models = if cli.verb.needs_models() {
        models::at_hand(&db, &cli.models, out).await?
    } else {
        Models::none()
    };
    if let Verb::Check { plan } = cli.verb {
        return look::check(plan, Some(db), models, out).await;
    }
    let config = Config::of_program(Some(db), FACE);
    for trouble in &config.troubles {
        out.note(&format!("planloom: {}", out::piece(&trouble.to_string())));
    }
    let open = if cli.verb.only_looks() {
        Engine::look
    } else {
        Engine::open
    };
    let engine = open(Config {
        models,
        when_idle: planloom_engine::run::WhenIdle::Leave,
        replan: cli.verb.replanning().into(),
        ..config
    })?;
    Box::pin(on_engine(&engine, cli.verb, out)).await
}

/// The verbs that need the runs.
async fn on_engine(engine: &Engine, verb: Verb, out: &Out) -> Result<Exit, Error> {
    match verb {
        Verb::Plan(args) => plan::plan(engine, args, out).await,
        Verb::Run(run) => Box::pin(run::run(engine, run, out)).await,
        Verb::Resume(resume) => run::resume(engine, resume, out).await,
        Verb::Pause { run } => run::pause(engine, &run, out).await,
        Verb::Cancel { run } => run::cancel(engine, &run, out).await,
        Verb::Runs(args) => find::runs(engine, args, out).await,
        Verb::Search(args) => find::search(engine, args, out).await,
        Verb::Tag { run, words } => find::tag(engine, &run, &words, out).await,
        Verb::Rename { run, name } => find::rename(engine, &run, name, out).await,
        Verb::Watch { run } => Box::pin(watch::watch(engine, &run, out)).await,
        Verb::Show { run, at } => look::show(engine, &run, at, out).await,
        Verb::Log(args) => log::log(engine, &args, out).await,
        Verb::Compare(args) => compare::compare(engine, &args, out).await,
        Verb::Rewind { run, to, files } => again::rewind(engine, &run, to, &files, out).await,
        Verb::Fork(fork) => again::fork(engine, fork, out).await,
        Verb::Retry { run, task, again } => again::retry(engine, &run, &task, again, out).await,
        Verb::Rerun(rerun) => again::rerun(engine, rerun, out).await,
        Verb::Pin { run, task, value } => holds::pin(engine, &run, &task, value.as_deref(), out).await,
        Verb::Unpin { run, task } => holds::unpin(engine, &run, &task, out).await,
        Verb::Break(args) => holds::stop_at(engine, args, out).await,
        Verb::Decide(args) => decide::decide(engine, args, out).await,
        Verb::Export(args) => export::export(engine, args, out).await,
        Verb::Trace { run, task } => trace::trace(engine, &run, task.as_deref(), out).await,
        Verb::Import { file } => keep::import(engine, &file, out).await,
        Verb::Delete { runs } => keep::delete(engine, &runs, out).await,
        Verb::Backup { target } => keep::backup(engine, target, out).await,
        Verb::Vacuum => keep::vacuum(engine, out).await,
        // Done above, without a database.
        Verb::Check { .. }
        | Verb::Tools
        | Verb::Models(_)
        | Verb::Mine { .. }
        | Verb::Secret { .. }
        | Verb::Servers(_) => Ok(Exit::Done),
    }
}

fn no_home() -> Error {
    Error::Invalid {
        code: "no_home",
        message: "there is no data folder for this user; name a database with --db".to_owned(),
    }
}

/// Whoever looks for runs makes no database.
fn no_database(db: &std::path::Path) -> Error {
    Error::Invalid {
        code: "no_database",
        message: format!(
            "there is no database {}, and so no run; nothing was made. Name another one with --db, or start a run with: \
             `planloom run PLAN`",
            db.display()
        ),
    }
}

/// What lies beside the database is read, and the database itself left alone.
fn tools(db: Option<std::path::PathBuf>, out: &Out) -> Result<Exit, Error> {
    let config = Config::new(db, FACE);
    Ok(look::tools(&Engine::open(Config { db: None, ..config })?, out))
}

/// How this process is named as the owner of a run.
const FACE: &str = "command line";
