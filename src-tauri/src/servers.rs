//! Servers of tools as the settings have them now, and what checking them has shown since the window opened. It starts one
//! only where a person asks for it. What is set up, looked at or removed here is what plans have from then on; a run under
//! way keeps what it began with.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use planloom_engine::tools::mcp::settings::{NewServer, NotKept, edit, import, keep, warnings};
use planloom_engine::tools::mcp::{Looked, ServerRow, Servers as Set, Setup, Standing, Trouble, forget};
use planloom_engine::{Config, Engine};

use crate::fault::Fault;
use crate::settings::Settings;
use crate::start::FACE;

/// The longest text of another program's settings.
const LONGEST: usize = 4 << 20;

pub struct Servers {
    db: PathBuf,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// Those that are being checked, with whom.
    checking: HashMap<String, Set>,
    looked: HashMap<String, Result<Looked, String>>,
}

/// A server with what checking it has shown.
pub struct Shown {
    pub row: ServerRow,
    pub is_checking: bool,
    pub looked: Option<Result<Looked, String>>,
}

pub struct Listed {
    pub servers: Vec<Shown>,
    pub troubles: Vec<Trouble>,
}

/// What was taken in, or would be.
pub struct Taken {
    pub setups: Vec<Setup>,
    pub warnings: Vec<String>,
    pub troubles: Vec<Trouble>,
}

impl Servers {
    pub fn beside(db: &Path) -> Self {
        Self {
            db: db.to_owned(),
            known: Mutex::default(),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn settings(&self) -> PathBuf {
        self.db.with_file_name("settings.json")
    }

    /// As the settings say now. Nothing is started.
    fn at_hand(&self) -> Set {
        Config::of_program(Some(self.db.clone()), FACE).servers
    }

    /// Reads the settings and what was seen before; plans have the same from now on.
    pub fn list(&self, engine: &Engine) -> Listed {
        engine.read_servers();
        let set = engine.servers();
        let known = self.known();
        let shown = |mut row: ServerRow| {
            let checking = known.checking.get(&row.name);
            let standing = checking.and_then(|set| set.rows().into_iter().find(|now| now.name == row.name));
            if let Some(now) = standing {
                row.standing = now.standing;
            }
            Shown {
                is_checking: checking.is_some(),
                looked: known.looked.get(&row.name).cloned(),
                row,
            }
        };
        let servers = set.rows().into_iter().map(shown).collect();
        Listed {
            servers,
            troubles: set.troubles().to_vec(),
        }
    }

    /// Starts it, lists its tools and keeps what was seen.
    pub async fn check(&self, name: &str) -> Result<(), Fault> {
        let set = self.at_hand();
        if !set.rows().iter().any(|row| row.name == name) {
            return Err(unknown(name));
        }
        if self.known().checking.contains_key(name) {
            return Err(Fault::new("checking", "this server is being checked already"));
        }
        self.known().checking.insert(name.to_owned(), set.clone());
        let now_ms = std::time::SystemTime::UNIX_EPOCH.elapsed();
        let now_ms = now_ms.map_or(0, |time| i64::try_from(time.as_millis()).unwrap_or(i64::MAX));
        let looked = set.look_at(name, now_ms).await.map_err(|why| why.message);
        let mut known = self.known();
        known.checking.remove(name);
        known.looked.insert(name.to_owned(), looked);
        Ok(())
    }

    /// Judged as it will be read, and kept; where it is set up already only with `replace`.
    pub fn add(&self, settings: &Settings, server: &NewServer, replace: bool) -> Result<Taken, Fault> {
        let (entry, setup) = server.judged().map_err(bad)?;
        let entries = [(server.name.clone(), entry)].into_iter().collect();
        settings
            .undisturbed(|| keep(&self.settings(), &entries, replace))
            .map_err(not_kept)?;
        self.known().looked.remove(&server.name);
        Ok(taken(vec![setup], Vec::new()))
    }

    /// Another program's settings; without `keep` only what would be taken in.
    pub fn import(&self, settings: &Settings, text: &str, file: &str, how: Import) -> Result<Taken, Fault> {
        if text.len() > LONGEST {
            return Err(bad("it is larger than 4 MiB. Nothing was changed.".to_owned()));
        }
        let found = import(text.as_bytes(), file);
        if found.entries.is_empty() {
            let why = found
                .troubles
                .first()
                .map(ToString::to_string)
                .unwrap_or_default();
            return Err(bad(format!(
                "no server was found in it. {why}. Nothing was changed."
            )));
        }
        if let Import::Keep { replace } = how {
            settings
                .undisturbed(|| keep(&self.settings(), &found.entries, replace))
                .map_err(not_kept)?;
            let mut known = self.known();
            found
                .entries
                .keys()
                .for_each(|name| drop(known.looked.remove(name)));
        }
        Ok(taken(found.servers.into_values().collect(), found.troubles))
    }

    pub fn remove(&self, settings: &Settings, name: &str) -> Result<(), Fault> {
        let path = self.settings();
        let was_there = settings.undisturbed(|| edit(&path, |servers| servers.shift_remove(name).is_some()));
        if !was_there.map_err(|error| Fault::new("settings", error.to_string()))? {
            return Err(unknown(name));
        }
        self.known().looked.remove(name);
        forget(&self.db, name).map_err(|error| Fault::new("settings", error.to_string()))
    }
}

/// Whether what was found is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Import {
    Look,
    Keep { replace: bool },
}

fn taken(setups: Vec<Setup>, troubles: Vec<Trouble>) -> Taken {
    Taken {
        warnings: setups.iter().flat_map(warnings).collect(),
        setups,
        troubles,
    }
}

/// How it stands, in one word, with what there is to say of that.
pub fn standing(shown: &Shown) -> (&'static str, Option<String>) {
    let failed = shown.looked.as_ref().and_then(|looked| looked.as_ref().err());
    match (&shown.row.standing, failed) {
        _ if shown.row.is_disabled => ("off", None),
        (Standing::Starting, _) => ("starting", None),
        (Standing::Installing(line), _) => ("installing", Some(line.clone())),
        _ if shown.is_checking => ("starting", None),
        (Standing::Failed(why), _) => ("failed", Some(why.clone())),
        (Standing::Idle | Standing::Ready, Some(why)) => ("failed", Some(why.clone())),
        (Standing::Ready, None) => ("running", None),
        (Standing::Idle, None) if shown.row.looked_at.is_none() => ("unseen", None),
        (Standing::Idle, None) => ("idle", None),
    }
}

fn bad(message: String) -> Fault {
    Fault::new("bad_server", message)
}

fn not_kept(why: NotKept) -> Fault {
    match why {
        NotKept::Taken(_) => Fault::new("taken", why.to_string()),
        NotKept::Edit(error) => Fault::new("settings", error.to_string()),
    }
}

fn unknown(name: &str) -> Fault {
    Fault::new(
        "not_found",
        format!("there is no server `{name}` in the settings"),
    )
}
