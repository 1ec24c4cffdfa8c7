//! One piece of work, and doing it. It is the same here and in a process; it must not know which of the two.

use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::model::Json;
use crate::tools::documents::{self, Sheet};
use crate::tools::sql::{self, Change, Question};
use crate::tools::{ToolError, code};

/// Bytes of a document travel beside it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::tools) enum Job {
    Code {
        source: String,
        inputs: Vec<(String, Json)>,
        limits: code::Limits,
    },
    Question(Question),
    Change(Change),
    Html,
    Pdf,
    Sheet(Sheet),
}

/// What work without limits of its own may take.
const READING: Duration = Duration::from_secs(60);
/// Beyond a limit that the work keeps by itself.
const GRACE: Duration = Duration::from_secs(5);
pub(super) const HUNG: &str = "worker_hung";

impl Job {
    /// After so long the worker counts as hanging.
    pub(super) fn patience(&self) -> Duration {
        match self {
            Self::Code { limits, .. } => limits.time + GRACE,
            Self::Question(_) | Self::Change(_) => sql::LONGEST + GRACE,
            Self::Html | Self::Pdf | Self::Sheet(_) => READING,
        }
    }

    /// The only folder whose files the work may open.
    pub(super) fn folder(&self) -> Option<&Path> {
        match self {
            Self::Question(question) => question.database.as_deref().and_then(Path::parent),
            Self::Change(change) => change.database.parent(),
            Self::Code { .. } | Self::Html | Self::Pdf | Self::Sheet(_) => None,
        }
    }

    /// What is said of work that changes nothing and whose worker was ended because nothing came of it. Code that never
    /// asks whether its time is over has only outrun its time.
    pub(super) fn overdue(&self) -> ToolError {
        match self {
            Self::Code { limits, .. } => code::CodeError::TimedOut { limit: limits.time }.into(),
            Self::Question(_) | Self::Change(_) | Self::Html | Self::Pdf | Self::Sheet(_) => {
                ToolError::permanent(HUNG, self.hung())
            }
        }
    }

    pub(super) fn hung(&self) -> String {
        format!(
            "{} took more than {} s; the worker process was ended and replaced",
            self.words(),
            self.patience().as_secs()
        )
    }

    /// Why a worker may have ended at this work.
    pub(super) fn guess(&self) -> &'static str {
        match self {
            Self::Sheet(_) | Self::Pdf | Self::Html => {
                "; most likely the document needs more memory than its reader may take"
            }
            Self::Code { .. } | Self::Question(_) | Self::Change(_) => "",
        }
    }

    /// For messages.
    pub(super) fn words(&self) -> &'static str {
        match self {
            Self::Code { .. } => "running this code",
            Self::Question(_) | Self::Change(_) => "running this statement",
            Self::Html | Self::Pdf | Self::Sheet(_) => "reading this document",
        }
    }
}

/// Blocks its thread.
pub(super) fn perform(job: Job, bytes: Vec<u8>, cancel: &CancellationToken) -> Result<Json, ToolError> {
    match job {
        Job::Code {
            source,
            inputs,
            limits,
        } => Ok(code::run_here(source, inputs, limits, cancel.clone())?),
        Job::Question(question) => sql::ask(&question, cancel),
        Job::Change(change) => sql::change(&change, cancel),
        Job::Html => documents::markdown(&bytes),
        Job::Pdf => documents::pages(&bytes, cancel),
        Job::Sheet(sheet) => documents::rows(&sheet, bytes, cancel),
    }
}
