//! One owner: an OS file lock per driven run, freed by the kernel when its process dies.
//! The lock only says who is alive; that an older owner can't write is the epoch's work.

use std::collections::HashSet;
use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

use super::StoreError;
use crate::model::RunId;

/// Who drives a run, as people can find it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    pub face: String,
    pub pid: u32,
}

impl Owner {
    pub fn this_process(face: &str) -> Self {
        Self {
            face: face.to_owned(),
            pid: std::process::id(),
        }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pid {
            // It has taken the lock and not yet written its name.
            0 => f.write_str("another process"),
            pid => write!(f, "the {} (process {pid})", self.face),
        }
    }
}

/// Held as long as this process drives the run.
#[derive(Debug)]
pub struct Lease {
    /// Dropping the file frees the lock; none in memory.
    _file: Option<File>,
    slot: Option<(RunId, Arc<Mutex<HashSet<RunId>>>)>,
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some((run, held)) = self.slot.take() else {
            return;
        };
        if let Ok(mut held) = held.lock() {
            held.remove(&run);
        }
    }
}

pub(super) struct Leases {
    folder: Option<PathBuf>,
    /// In memory there is no other process, but there may be another driver.
    held: Arc<Mutex<HashSet<RunId>>>,
}

impl Leases {
    pub fn beside(db: Option<&Path>) -> Self {
        let folder = db.map(|path| {
            let mut name = path.file_name().unwrap_or_default().to_owned();
            name.push(".locks");
            path.with_file_name(name)
        });
        Self {
            folder,
            held: Arc::default(),
        }
    }

    /// Takes the run's lock, or says who holds it. With `by_force` a live owner is passed over.
    pub fn take(&self, run: &RunId, owner: &Owner, by_force: bool) -> Result<Lease, StoreError> {
        match &self.folder {
            Some(folder) => lock_file(folder, run, owner, by_force),
            None => self.take_in_memory(run, owner, by_force),
        }
    }

    /// Takes the lock's file away. Whoever calls this holds the lock; who still has the file open learns from the
    /// database that the run is gone.
    pub fn forget(&self, run: &RunId) {
        if let Some(folder) = &self.folder {
            let _ = std::fs::remove_file(lock_path(folder, run));
        }
    }

    /// Anybody who drives any run at this moment, in any process.
    pub fn any_holder(&self) -> Option<Owner> {
        if self.folder.is_none() {
            let is_held = self.held.lock().is_ok_and(|held| !held.is_empty());
            return is_held.then(|| Owner::this_process("engine"));
        }
        self.each_holder().next()
    }

    /// All other processes that drive runs at this moment, each once.
    pub fn holders(&self) -> Vec<Owner> {
        let mut found: Vec<Owner> = self.each_holder().collect();
        found.sort_by_key(|owner| owner.pid);
        found.dedup();
        found
    }

    fn each_holder(&self) -> impl Iterator<Item = Owner> {
        let locks = self
            .folder
            .as_ref()
            .and_then(|folder| std::fs::read_dir(folder).ok());
        let locks = locks.into_iter().flatten().flatten();
        locks.filter_map(|entry| holder_of(&entry.path()))
    }

    fn take_in_memory(&self, run: &RunId, owner: &Owner, by_force: bool) -> Result<Lease, StoreError> {
        let mut held = self.held.lock().map_err(|_| StoreError::Closed)?;
        if !held.insert(run.clone()) && !by_force {
            return Err(StoreError::Owned(run.clone(), owner.clone()));
        }
        Ok(Lease {
            _file: None,
            slot: Some((run.clone(), self.held.clone())),
        })
    }

    /// Who drives the run at this moment, if anybody.
    pub fn holder(&self, run: &RunId) -> Option<Owner> {
        let Some(folder) = &self.folder else {
            let is_held = self.held.lock().is_ok_and(|held| held.contains(run));
            return is_held.then(|| Owner::this_process("engine"));
        };
        holder_of(&lock_path(folder, run))
    }
}

fn holder_of(lock: &Path) -> Option<Owner> {
    let mut file = OpenOptions::new().read(true).write(true).open(lock).ok()?;
    match file.try_lock() {
        Ok(()) => None,
        Err(_) => Some(read_owner(&mut file)),
    }
}

fn lock_path(folder: &Path, run: &RunId) -> PathBuf {
    // Run ids are our own UUIDs, but the database may be anybody's: keep to one plain file name.
    let name: String = run
        .as_str()
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '-' {
                c
            } else {
                '_'
            }
        })
        .collect();
    folder.join(format!("{name}.lock"))
}

fn lock_file(folder: &Path, run: &RunId, owner: &Owner, by_force: bool) -> Result<Lease, StoreError> {
    std::fs::create_dir_all(folder)?;
    let path = lock_path(folder, run);
    let mut file = open_lock(&path)?;
    match file.try_lock() {
        Ok(()) => hold(file, owner),
        Err(TryLockError::WouldBlock) if by_force => {
            // The stopped owner keeps its lock on the old file, which from now on nobody finds.
            std::fs::remove_file(&path)?;
            let file = open_lock(&path)?;
            file.try_lock()
                .map_err(|_| StoreError::Owned(run.clone(), owner.clone()))?;
            hold(file, owner)
        }
        Err(TryLockError::WouldBlock) => Err(StoreError::Owned(run.clone(), read_owner(&mut file))),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

fn open_lock(path: &Path) -> std::io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
}

fn hold(mut file: File, owner: &Owner) -> Result<Lease, StoreError> {
    file.set_len(0)?;
    file.write_all(serde_json::to_string(owner).unwrap_or_default().as_bytes())?;
    Ok(Lease {
        _file: Some(file),
        slot: None,
    })
}

fn read_owner(file: &mut File) -> Owner {
    let mut text = String::new();
    let _ = file.rewind();
    let _ = file.read_to_string(&mut text);
    serde_json::from_str(&text).unwrap_or(Owner {
        face: "another process".to_owned(),
        pid: 0,
    })
}
