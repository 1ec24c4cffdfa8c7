//! The façade: the one thing that a face holds. It knows no window and no command line.

use std::path::PathBuf;

use crate::model::edit::PlanEdit;
use crate::model::{DecisionId, Digest, Json, RunId, Seq};
use crate::tools::Registry;
use crate::views::{
    ApprovalView, ConnectVerdict, DecisionView, DraftView, HomeView, RunNews, RunRow, TaskDetail, ToolView,
};

/// How an engine is opened.
pub struct Config {
    /// The database; `None` keeps everything in memory, for tests.
    pub db: Option<PathBuf>,
    /// Where sample plans lie, if anywhere.
    pub samples: Option<PathBuf>,
    pub tools: Registry,
    /// Named as the owner of runs, such as "desktop" or "command line".
    pub face: &'static str,
}

/// A cloneable handle; the last one dropped ends the engine, leaving its runs paused and resumable.
#[derive(Clone)]
pub struct Engine {}

/// Why a request was refused. `code` is stable; the message says what happened, what was kept, what to do next.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request, the plan or the answer is wrong.
    #[error("{message}")]
    Invalid { code: &'static str, message: String },
    /// Someone else was first: another process drives the run, or the decision has been answered.
    #[error("{message}")]
    Conflict { code: &'static str, message: String },
    #[error("{message}")]
    NotFound { message: String },
    /// The store or the machine failed.
    #[error("{message}")]
    Store { message: String },
}

/// A live view of one run: first everything, then what is new, coalesced to about one message per frame.
pub struct Watch {}

impl Watch {
    /// The next message; `None` when the engine is closing.
    pub async fn next(&mut self) -> Option<Result<RunNews, Error>> {
        unimplemented!()
    }
}

impl Engine {
    pub fn open(config: Config) -> Result<Self, Error> {
        let _ = config;
        unimplemented!()
    }

    pub async fn home(&self) -> Result<HomeView, Error> {
        unimplemented!()
    }
    pub async fn runs(&self) -> Result<Vec<RunRow>, Error> {
        unimplemented!()
    }
    pub fn tools(&self) -> Vec<ToolView> {
        unimplemented!()
    }

    /// Opens a plan file as a draft; the newest untouched or edited draft of the same file and content is taken up again.
    pub async fn open_plan(&self, path: PathBuf) -> Result<DraftView, Error> {
        let _ = path;
        unimplemented!()
    }
    pub async fn new_plan(&self) -> Result<DraftView, Error> {
        unimplemented!()
    }
    pub async fn draft(&self, run: &RunId) -> Result<DraftView, Error> {
        let _ = run;
        unimplemented!()
    }
    /// A new draft from the plan of any run, as it ran.
    pub async fn draft_from_run(&self, run: &RunId) -> Result<DraftView, Error> {
        let _ = run;
        unimplemented!()
    }
    /// Applies edits to the revision that the face has seen; another one is a `Conflict` and changes nothing.
    pub async fn edit_draft(&self, run: &RunId, revision: u32, edits: Vec<PlanEdit>) -> Result<DraftView, Error> {
        let _ = (run, revision, edits);
        unimplemented!()
    }
    pub async fn undo(&self, run: &RunId) -> Result<DraftView, Error> {
        let _ = run;
        unimplemented!()
    }
    pub async fn redo(&self, run: &RunId) -> Result<DraftView, Error> {
        let _ = run;
        unimplemented!()
    }
    /// For every task, whether an edge from `from` to it may be drawn.
    pub async fn connect_verdicts(&self, run: &RunId, from: &str) -> Result<Vec<ConnectVerdict>, Error> {
        let _ = (run, from);
        unimplemented!()
    }
    /// Writes the plan document to a file, whole or not at all; without a path, to the file it was opened from.
    pub async fn save_plan(&self, run: &RunId, path: Option<PathBuf>) -> Result<PathBuf, Error> {
        let _ = (run, path);
        unimplemented!()
    }

    pub async fn approval(&self, run: &RunId) -> Result<ApprovalView, Error> {
        let _ = run;
        unimplemented!()
    }
    /// Signs exactly this digest and starts the run in this process.
    pub async fn approve(&self, run: &RunId, digest: Digest, parameters: Json) -> Result<(), Error> {
        let _ = (run, digest, parameters);
        unimplemented!()
    }

    pub async fn resume(&self, run: &RunId) -> Result<(), Error> {
        let _ = run;
        unimplemented!()
    }
    pub async fn pause(&self, run: &RunId) -> Result<(), Error> {
        let _ = run;
        unimplemented!()
    }
    pub async fn cancel(&self, run: &RunId) -> Result<(), Error> {
        let _ = run;
        unimplemented!()
    }

    pub async fn inbox(&self) -> Result<Vec<DecisionView>, Error> {
        unimplemented!()
    }
    /// Answers once. `answer` is JSON; a bare word equal to an option is that option.
    pub async fn decide(&self, run: &RunId, decision: &DecisionId, answer: Json) -> Result<(), Error> {
        let _ = (run, decision, answer);
        unimplemented!()
    }

    pub async fn task_detail(&self, run: &RunId, task: &str) -> Result<TaskDetail, Error> {
        let _ = (run, task);
        unimplemented!()
    }
    /// Everything after `since`, then what comes. `since` 0 starts from the beginning.
    pub async fn watch(&self, run: &RunId, since: Seq) -> Result<Watch, Error> {
        let _ = (run, since);
        unimplemented!()
    }

    /// Leaves every run of this process paused and resumable, everything durable.
    pub async fn close(&self) {
        unimplemented!()
    }
}
