//! What can be typed: verbs and flags, nothing of what they do.

mod exporting;
mod finding;
mod setting_up;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use planloom_engine::Error;
use planloom_engine::llm::Role;
use planloom_engine::run::Replan;

pub use exporting::{Export, Theme};
pub use finding::{Runs, Search, spelled};
pub use setting_up::{AddServer, Models, ModelsVerb, SecretVerb, Servers, ServersVerb};

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
    /// A model for a role, for this call alone: planner, executor, replanner or synthesizer. May be repeated; of several
    /// for one role the next stands in for the one before where that is down, or has no money, key or such model. A run
    /// goes on with the models that it was approved with: give them to `resume` too.
    #[arg(long = "model", global = true, value_name = "ROLE=PROVIDER/MODEL", value_parser = role)]
    pub models: Vec<(Role, String)>,
    #[command(subcommand)]
    pub verb: Verb,
}

#[derive(Subcommand)]
pub enum Verb {
    /// List every problem of a plan file; nothing runs and nothing is stored.
    Check {
        /// The plan file.
        plan: PathBuf,
    },
    /// Let a planner turn a goal into a plan: a draft to be looked at, changed and run.
    Plan(Plan),
    /// Open a plan file as a run, or plan from a goal; ask for approval, and run it.
    Run(Run),
    /// Go on with a run where its log ends.
    Resume(Resume),
    /// Let what is in flight finish, then pause.
    Pause {
        /// The run's id, or a beginning of it that no other has.
        run: String,
    },
    /// End a run; what is done stays done.
    Cancel {
        /// The run's id, or a beginning of it that no other has.
        run: String,
    },
    /// List runs, newest first.
    Runs(Runs),
    /// Find the places in plans, calls, answers and outputs that hold all the words.
    Search(Search),
    /// Lay words on a run by which it is found again, or take them off; without any, list those that it has.
    Tag {
        /// The run's id, or a beginning of it that no other has.
        run: String,
        /// A word to add, or to take off.
        #[arg(value_name = "+WORD|-WORD")]
        words: Vec<String>,
    },
    /// Give a run another name; without one, it is named by its file or goal again.
    Rename {
        /// The run's id, or a beginning of it that no other has.
        run: String,
        /// What it is called from now on.
        name: Option<String>,
    },
    /// Watch a run, whoever drives it, until it ends or waits; leaving it changes nothing.
    Watch {
        /// The run's id, or a beginning of it that no other has.
        run: String,
    },
    /// Show a run and its tasks, now or right after an event.
    Show {
        /// The run's id, or a beginning of it that no other has.
        run: String,
        /// Position in the run's log.
        #[arg(long, value_name = "SEQ")]
        at: Option<u64>,
    },
    /// List a run's events, oldest first: their positions are what `show --at`, `rewind --to` and `fork --at` take.
    Log(Log),
    /// Show what differs between two runs: plan, tasks, numbers and answers.
    Compare(Compare),
    /// Go back to an earlier event; nothing is deleted, and what was done outside stays done.
    Rewind {
        /// The run's id, or a beginning of it that no other has.
        run: String,
        /// Position in the run's log whose state the run has again.
        #[arg(long, value_name = "SEQ")]
        to: u64,
        #[command(flatten)]
        files: Files,
    },
    /// Make a new run that shares this one's log up to an event and waits for its own approval.
    Fork(Fork),
    /// Let a failed task run again, and go on with the run.
    Retry {
        /// The run's id, or a beginning of it that no other has.
        run: String,
        task: String,
        /// Make its effects again too, under new keys; without this they stay made and are taken over.
        #[arg(long)]
        again: bool,
    },
    /// Let a task and all behind it run again, or the whole plan, and go on with the run.
    Rerun(Rerun),
    /// Hold a task's output for the next runs: the one that it has, or this value. It is not executed any more.
    Pin {
        /// The run's id, or a beginning of it that no other has.
        run: String,
        task: String,
        /// JSON; text goes in quotes.
        value: Option<String>,
    },
    /// Let a pinned task run again as any other.
    Unpin {
        /// The run's id, or a beginning of it that no other has.
        run: String,
        /// The task's id.
        task: String,
    },
    /// Stop a run before or after a task; the next resume goes past it.
    Break(Break),
    /// List what a run asks, or answer it. Records the answer and starts nothing.
    Decide(Decide),
    /// Write a run as one file that stands alone, or as a report, a picture of its plan or a trace; or send the trace.
    Export(Export),
    /// Tell what each attempt of a task thought, called, saw and answered, and what that came to; without a task, of all.
    Trace {
        /// The run's id, or a beginning of it that no other has.
        run: String,
        /// The task's id, such as `each[3]` or `part/inner`.
        task: Option<String>,
    },
    /// Take a run in from its file, to be looked at. It is not gone on with here.
    Import {
        /// What `export --as run` has written.
        file: PathBuf,
    },
    /// Delete runs that nobody drives, with their own folders. What their forks need stays until these go.
    Delete {
        #[arg(required = true, value_name = "RUN")]
        runs: Vec<String>,
    },
    /// Copy the whole database as of now, while runs go on.
    Backup {
        #[command(flatten)]
        target: Target,
    },
    /// Collect what nothing needs any more, and give its space back.
    Vacuum,
    /// List the tools with their arguments: the built-in ones, and those of MCP servers that were looked at.
    Tools,
    /// Say that what lies in these folders or files now is yours, although a program or server could write there; without
    /// one, list where they could.
    Mine {
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
    },
    /// Keep secrets for plans and servers in this system's keychain, by name.
    Secret {
        #[command(subcommand)]
        verb: SecretVerb,
    },
    /// Show the MCP servers that are set up, with what is known of their tools, and set them up.
    Servers(Servers),
    /// Show which models are at hand, what each can do and costs, and which does what work.
    Models(Models),
}

#[derive(Args)]
pub struct Decide {
    /// The run's id, or a beginning of it that no other has.
    pub run: String,
    pub decision: Option<String>,
    /// JSON, or one of the options as a bare word.
    pub answer: Option<String>,
    /// Of a new plan, with `accept`: take only this piece and the others that are named so. May be repeated.
    #[arg(long, value_name = "PIECE", conflicts_with = "plan")]
    pub only: Vec<String>,
    /// Of a new plan, with `accept`: take the plan in this file instead, your own version of it.
    #[arg(long, value_name = "FILE")]
    pub plan: Option<PathBuf>,
    /// Of a new plan, with `again`: what the replanner shall do differently.
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["plan", "only"])]
    pub note: Option<String>,
    /// With `--only` or `--plan`: also accept what was not shown at first, as this digest from `--look` names it.
    #[arg(long, value_name = "DIGEST")]
    pub digest: Option<String>,
    /// Of a new plan: show what the answer would come to, and record nothing.
    #[arg(long)]
    pub look: bool,
}

#[derive(Args)]
pub struct Plan {
    /// What is to be reached, in plain words.
    pub goal: String,
    /// A parameter that the plan may use, with its value: JSON, else text. May be repeated.
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = pair)]
    pub params: Vec<(String, String)>,
    #[command(flatten)]
    pub planning: Planning,
}

/// How to plan from a goal.
#[derive(Args)]
pub struct Planning {
    /// Write the plan to this file; its relative paths lie in the file's folder.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Replace the file if there is one.
    #[arg(long, requires = "out")]
    pub force: bool,
    /// Plan straight on, without asking back.
    #[arg(long)]
    pub no_questions: bool,
    /// A tool that the plan may use; without any, all. May be repeated, or a list with commas.
    #[arg(long, value_name = "TOOL", value_delimiter = ',')]
    pub allow: Vec<String>,
    /// Something that the plan may touch: read, write, hosts, databases, commands or mcp. May be repeated.
    #[arg(long = "grant", value_name = "KIND=ENTRY", value_parser = grant)]
    pub grants: Vec<(String, String)>,
    /// The most that planning and running may cost, in dollars.
    #[arg(long, value_name = "USD", allow_hyphen_values = true)]
    pub max_usd: Option<String>,
    /// The most tokens that planning and running may take.
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<u64>,
}

#[derive(Args)]
pub struct Run {
    /// A plan file; or `--goal` instead.
    #[arg(conflicts_with = "goal")]
    pub plan: Option<PathBuf>,
    /// Plan from this goal first.
    #[arg(long, value_name = "GOAL")]
    pub goal: Option<String>,
    #[command(flatten)]
    pub planning: Planning,
    /// A parameter: JSON where its schema is not a string, else text. May be repeated.
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = pair)]
    pub params: Vec<(String, String)>,
    /// Approve exactly this plan without asking.
    #[arg(long)]
    pub yes: bool,
    /// How many tasks may be in flight.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub max_parallel: Option<u16>,
    /// Another way after a failure: only by choice, shown first, or by itself where nothing speaks against it.
    #[arg(long, value_enum, default_value = "ask")]
    pub replan: Replanning,
}

impl Run {
    /// There must be something to run.
    pub fn check(&self) -> Result<(), Error> {
        once(&self.params)?;
        if self.plan.is_some() || self.goal.is_some() {
            return Ok(());
        }
        Err(Error::Invalid {
            code: "usage",
            message: "Nothing was said that could run. Give a plan file, as in `planloom run my.plan.json`, or a goal, \
                      as in `planloom run --goal \"Sum up the report\"`. `planloom run --help` lists all flags."
                .to_owned(),
        })
    }
}

#[derive(Args)]
pub struct Log {
    /// The run's id, or a beginning of it that no other has.
    pub run: String,
    /// The first event to list.
    #[arg(long, value_name = "SEQ")]
    pub from: Option<u64>,
    /// The last event to list.
    #[arg(long, value_name = "SEQ")]
    pub to: Option<u64>,
    /// Only what is about this task and what runs inside it.
    #[arg(long, value_name = "TASK")]
    pub task: Option<String>,
}

#[derive(Args)]
pub struct Compare {
    pub a: String,
    pub b: String,
    /// Show this task's outputs in detail; without one, the final answers.
    #[arg(long, value_name = "TASK")]
    pub task: Option<String>,
    /// Take lines that differ in nothing but spaces for equal.
    #[arg(long)]
    pub ignore_spaces: bool,
}

#[derive(Args)]
pub struct Resume {
    /// The run's id, or a beginning of it that no other has.
    pub run: String,
    /// Approve the plan first if it waits for that.
    #[arg(long)]
    pub yes: bool,
    /// How many tasks may be in flight.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub max_parallel: Option<u16>,
    /// Take the run over from an owner that is alive but stopped; what that owner still does is refused.
    #[arg(long)]
    pub take_over: bool,
    /// Another way after a failure: only by choice, shown first, or by itself where nothing speaks against it.
    #[arg(long, value_enum, default_value = "ask")]
    pub replan: Replanning,
}

/// What may be done by itself when a task has failed for good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Replanning {
    Off,
    #[default]
    Ask,
    Auto,
}

impl From<Replanning> for Replan {
    fn from(replanning: Replanning) -> Self {
        match replanning {
            Replanning::Off => Self::Off,
            Replanning::Ask => Self::Ask,
            Replanning::Auto => Self::Auto,
        }
    }
}

#[derive(Args)]
pub struct Fork {
    /// The run's id, or a beginning of it that no other has.
    pub run: String,
    /// Position in the run's log; without one, its end.
    #[arg(long, value_name = "SEQ")]
    pub at: Option<u64>,
    /// Another plan: what has run is taken over where its task is the same.
    #[arg(long, value_name = "PLAN")]
    pub plan: Option<PathBuf>,
    #[command(flatten)]
    pub files: Files,
    /// Run the fork, once it is approved.
    #[arg(long = "run", id = "run_it")]
    pub run_it: bool,
    /// Approve the fork without asking.
    #[arg(long, requires = "run_it")]
    pub yes: bool,
    /// How many tasks may be in flight.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub max_parallel: Option<u16>,
}

/// What becomes of files that the run has written since.
#[derive(Args)]
pub struct Files {
    /// Give the files that the run wrote since what they held then; without this they are listed.
    #[arg(long)]
    pub restore: bool,
    /// Restore also those that are not as the run left them.
    #[arg(long, requires = "restore")]
    pub force: bool,
}

#[derive(Args)]
pub struct Break {
    /// The run's id, or a beginning of it that no other has.
    pub run: String,
    pub task: String,
    /// Before the task starts (the default).
    #[arg(long)]
    pub before: bool,
    /// After it is over.
    #[arg(long)]
    pub after: bool,
    /// Not any more.
    #[arg(long, conflicts_with_all = ["before", "after"])]
    pub clear: bool,
}

#[derive(Args)]
pub struct Rerun {
    /// The run's id, or a beginning of it that no other has.
    pub run: String,
    /// The first task to run again; without one, all of them.
    #[arg(long, value_name = "TASK")]
    pub from: Option<String>,
    /// Another plan: what differs runs again with all behind it, after an approval of its own.
    #[arg(long, value_name = "PLAN")]
    pub plan: Option<PathBuf>,
    /// Make effects again too, under new keys; without this they stay made and are taken over.
    #[arg(long)]
    pub again: bool,
    /// Approve the other plan without asking.
    #[arg(long)]
    pub yes: bool,
    /// How many tasks may be in flight.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub max_parallel: Option<u16>,
}

#[derive(Args)]
pub struct Target {
    /// The file to write; it appears whole or not at all.
    #[arg(long, value_name = "FILE")]
    pub to: PathBuf,
    /// Replace the file if there is one.
    #[arg(long)]
    pub force: bool,
}

/// Each parameter is given once: of two values one would be lost.
pub fn once(params: &[(String, String)]) -> Result<(), Error> {
    let mut seen = std::collections::HashSet::new();
    match params.iter().find(|(name, _)| !seen.insert(name)) {
        None => Ok(()),
        Some((name, _)) => Err(Error::Invalid {
            code: "usage",
            message: format!("the parameter `{name}` is given twice; give it once. Nothing was run."),
        }),
    }
}

fn role(text: &str) -> Result<(Role, String), String> {
    let (word, model) = pair(text).map_err(|_| "expected ROLE=PROVIDER/MODEL".to_owned())?;
    let words = || Role::ALL.map(Role::word).join(", ");
    let role = Role::parse(&word).ok_or_else(|| format!("the roles are {}", words()))?;
    Ok((role, model))
}

fn grant(text: &str) -> Result<(String, String), String> {
    const KINDS: [&str; 6] = ["read", "write", "hosts", "databases", "commands", "mcp"];
    let (kind, entry) = pair(text).map_err(|_| "expected KIND=ENTRY".to_owned())?;
    if KINDS.contains(&kind.as_str()) {
        return Ok((kind, entry));
    }
    Err(format!(
        "there is no grant of {kind}; there are {}",
        KINDS.join(", ")
    ))
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        Some(_) | None => Err("expected NAME=VALUE".to_owned()),
    }
}
