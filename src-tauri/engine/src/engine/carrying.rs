//! Runs as files: export, import, and a backup of the whole database.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};

use super::whole_file::{Replace, WholeFile};
use super::{Engine, Error};
use crate::history::drafting::DraftingError;
use crate::history::load::{self, LoadError};
use crate::history::portable::{self, Came, Refused, Writing};
use crate::model::events::{NewEvent, RunImported};
use crate::model::state::RunState;
use crate::model::{RunId, Seq, title};
use crate::run::{END, summary_of};
use crate::store::{Arrival, StoreError, Summary};

/// How much is read from or written to a file at a time.
const BUFFER: usize = 256 * 1024;

#[derive(Clone, Debug)]
pub struct Exported {
    pub run: RunId,
    pub file: PathBuf,
    pub events: u64,
    pub bytes: u64,
}

#[derive(Clone, Debug)]
pub struct Imported {
    pub run: RunId,
    /// As the file has them.
    pub events: u64,
    pub bytes: u64,
    /// False: this very run was here already, and nothing was done.
    pub is_new: bool,
}

#[derive(Clone, Debug)]
pub struct BackedUp {
    pub file: PathBuf,
    pub bytes: u64,
}

/// A run of another machine goes on nowhere: its effects and its locks belong there.
pub(super) fn refuse_imported(run: &RunId, state: &RunState) -> Result<(), Error> {
    if !state.is_imported {
        return Ok(());
    }
    Err(Error::invalid(
        "imported",
        format!(
            "run {run} was imported: what it did belongs to the machine that ran it, so it can be looked at, exported \
             and deleted, but not gone on with here. Fork it, or run its plan as a new run."
        ),
    ))
}

impl Engine {
    /// Writes the run, a fork with all that it shares, as one file that stands alone.
    pub async fn export_run(&self, run: &RunId, to: &Path, replace: Replace) -> Result<Exported, Error> {
        self.inner.store.run(run).await?;
        let whole = WholeFile::begin(to, replace, &self.own_files())?;
        let writing = Writing::new(BufWriter::with_capacity(BUFFER, whole.file()?));
        let carried = self
            .inner
            .store
            .carry_out(run, writing, |writing, piece| Ok(writing.put(piece)?))
            .await;
        let writing = carried.map_err(|error| {
            if let StoreError::Io(error) = error {
                whole.failed(&error)
            } else {
                error.into()
            }
        })?;
        let (_, written) = writing.end().map_err(|error| whole.failed(&error))?;
        let (file, bytes) = finish(whole).await?;
        Ok(Exported {
            run: run.clone(),
            file,
            events: written.events,
            bytes,
        })
    }

    /// Copies the whole database as of this moment, everything acknowledged included, while runs go on.
    pub async fn backup(&self, to: &Path, replace: Replace) -> Result<BackedUp, Error> {
        let whole = WholeFile::begin(to, replace, &self.own_files())?;
        let copied = self.inner.store.copy_into(whole.part().to_owned()).await;
        copied.map_err(|error| whole.failed(&error))?;
        let (file, bytes) = finish(whole).await?;
        Ok(BackedUp { file, bytes })
    }

    /// Takes a run in from its file: whole and checked, or not at all. The same run again is left as it is.
    pub async fn import_run(&self, from: &Path) -> Result<Imported, Error> {
        let path = from.to_owned();
        let read = tokio::task::spawn_blocking(move || portable::read(open(&path)?)).await;
        let came = read
            .unwrap_or_else(|e| Err(Refused::Io(std::io::Error::other(e))))
            .map_err(|refused| not_imported(from, refused))?;
        let summary_and_time = self.look_over(from, &came).await?;
        let run = came.scratch.run().clone();
        let is_new = match self.inner.store.run(&run).await {
            Ok(_) => {
                self.expect_same(from, &came).await?;
                false
            }
            Err(StoreError::NoRun(_) | StoreError::Deleted { .. }) => {
                self.take_over(from, &came, summary_and_time).await?;
                self.inner.around.plans.forget();
                true
            }
            Err(other) => return Err(other.into()),
        };
        Ok(Imported {
            run,
            events: came.events,
            bytes: came.bytes,
            is_new,
        })
    }

    /// Folds the whole log, as anybody who looks at the run will.
    async fn look_over(&self, from: &Path, came: &Came) -> Result<(Summary, i64), Error> {
        let (store, run) = (came.scratch.store(), came.scratch.run());
        let loaded = match load::load(store, &self.inner.around.apart(), run, END).await {
            Ok(loaded) => loaded,
            Err(error) => {
                let seq = self.first_illegal(came).await;
                let line = came.lines.get(seq as usize - 1).copied().unwrap_or_default();
                let what = what_is_illegal(error);
                return Err(not_imported(from, Refused::Line { line, what }));
            }
        };
        let mut state = loaded.state;
        let at_ms = self.now_ms();
        let event = NewEvent {
            at_ms,
            task: None,
            body: imported(came).into(),
        };
        state.apply(&event.at(came.events + 1)).map_err(LoadError::from)?;
        let goal = loaded.goal.as_deref();
        let title = title::of(state.path.as_deref(), goal);
        Ok((summary_of(&state, &title, goal), at_ms))
    }

    /// Every beginning of a legal log is legal, so the first event that is not is found by halving.
    async fn first_illegal(&self, came: &Came) -> Seq {
        let (store, run) = (came.scratch.store(), came.scratch.run());
        let around = self.inner.around.apart();
        let (mut low, mut high) = (1, came.events);
        while low < high {
            let middle = low.midpoint(high);
            if load::load(store, &around, run, middle).await.is_err() {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }

    async fn expect_same(&self, from: &Path, came: &Came) -> Result<(), Error> {
        if self.inner.store.is_same(&came.scratch, came.digest).await? {
            return Ok(());
        }
        Err(differs(from, came.scratch.run()))
    }

    async fn take_over(
        &self,
        from: &Path,
        came: &Came,
        (summary, at_ms): (Summary, i64),
    ) -> Result<(), Error> {
        let arrival = Arrival {
            imported: imported(came),
            at_ms,
            summary,
        };
        match self.inner.store.take_over(&came.scratch, arrival).await {
            // Somebody imported it at the same time.
            Err(StoreError::Exists(run)) => Err(differs(from, &run)),
            other => Ok(other?),
        }
    }

    pub(super) fn own_files(&self) -> Vec<PathBuf> {
        self.db().map(super::own_files).unwrap_or_default()
    }
}

fn imported(came: &Came) -> RunImported {
    RunImported {
        version: came.version.clone(),
        file: came.digest,
    }
}

fn open(path: &Path) -> Result<BufReader<File>, Refused> {
    // Opening a FIFO or a device could wait for ever.
    let found = std::fs::metadata(path)?;
    if found.is_dir() {
        return Err(std::io::Error::other("it is a folder").into());
    }
    if !found.is_file() {
        return Err(std::io::Error::other("it is a device or a pipe, not a file").into());
    }
    Ok(BufReader::with_capacity(BUFFER, File::open(path)?))
}

pub(super) async fn finish(whole: WholeFile) -> Result<(PathBuf, u64), Error> {
    tokio::task::spawn_blocking(|| whole.finish())
        .await
        .unwrap_or_else(|_| Err(StoreError::Closed.into()))
}

fn what_is_illegal(error: LoadError) -> String {
    match error {
        LoadError::Illegal(illegal) => illegal.to_string(),
        LoadError::Plan(plan) => format!("the approved plan does not fit this version or its tools: {plan}"),
        LoadError::Drafting(DraftingError::Revision { revision, message }) => {
            format!("revision {revision} of the plan can't be read: {message}")
        }
        LoadError::Store(error) | LoadError::Drafting(DraftingError::Store(error)) => error.to_string(),
    }
}

fn not_imported(from: &Path, refused: Refused) -> Error {
    if let Refused::Store(error) = refused {
        return error.into();
    }
    Error::invalid(
        "bad_file",
        format!(
            "{} was not imported: {refused}. The database is as it was.",
            from.display()
        ),
    )
}

fn differs(from: &Path, run: &RunId) -> Error {
    Error::conflict(
        "exists",
        format!(
            "{} was not imported: run {run} is here already, and its log is another one than the file's. \
             It was not touched.",
            from.display()
        ),
    )
}
