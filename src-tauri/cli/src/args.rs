//! What can be typed: verbs and flags, nothing of what they do.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Plans, runs and decisions from a terminal.
#[derive(Parser)]
#[command(name = "planloom", version, about = "Durable plan-and-execute runs from a terminal", long_about = None)]
pub struct Cli {
    /// The database (default: planloom.db in the user's data folder, shared with the window).
    #[arg(long, global = true, value_name = "FILE")]
    pub db: Option<PathBuf>,
    /// One JSON object on stdout, or JSON lines for streams; text for people goes to stderr.
    #[arg(long, global = true)]
    pub json: bool,
    #[command(subcommand)]
    pub verb: Verb,
}

#[derive(Subcommand)]
pub enum Verb {
    /// List every problem of a plan file; nothing runs and nothing is stored.
    Check { plan: PathBuf },
    /// Open a plan file as a run, ask for approval, and run it.
    Run(Run),
    /// Go on with a run where its log ends.
    Resume(Resume),
    /// Let what is in flight finish, then pause.
    Pause { run: String },
    /// End a run; what is done stays done.
    Cancel { run: String },
    /// List runs, newest first.
    Runs,
    /// Show a run and its tasks, now or right after an event.
    Show {
        run: String,
        /// Position in the run's log.
        #[arg(long, value_name = "SEQ")]
        at: Option<u64>,
    },
    /// List what a run asks, or answer it. Records the answer and starts nothing.
    Decide {
        run: String,
        decision: Option<String>,
        /// JSON, or one of the options as a bare word.
        answer: Option<String>,
    },
    /// List the built-in tools with their arguments.
    Tools,
}

#[derive(Args)]
pub struct Run {
    pub plan: PathBuf,
    /// A parameter: JSON where its schema is not a string, else text. May be repeated.
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = pair)]
    pub params: Vec<(String, String)>,
    /// Approve exactly this plan without asking.
    #[arg(long)]
    pub yes: bool,
    /// How many tasks may be in flight.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub max_parallel: Option<u16>,
}

#[derive(Args)]
pub struct Resume {
    pub run: String,
    /// Approve the plan first if it waits for that.
    #[arg(long)]
    pub yes: bool,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub max_parallel: Option<u16>,
    /// Take the run over from an owner that is alive but stopped; what that owner still does is refused.
    #[arg(long)]
    pub take_over: bool,
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        Some(_) | None => Err("expected NAME=VALUE".to_owned()),
    }
}
