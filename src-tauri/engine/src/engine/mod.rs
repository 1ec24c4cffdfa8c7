//! The façade: the one thing that a face holds. It knows no window and no command line.

mod again;
mod approving;
mod beyond;
mod caps;
mod carrying;
mod choosing;
mod chosen;
mod comparing;
mod details;
mod draft_rows;
mod drafts;
mod error;
mod estimating;
mod exporting;
mod finding;
mod forking;
mod guessing;
mod holding;
mod holding_drafts;
mod keeping;
mod limiting;
mod live;
mod logged;
mod looking;
mod made;
mod models;
mod nested_files;
mod overtaken;
mod own_work;
mod parameters;
mod pasted;
mod plan_files;
mod planning;
mod proposing;
mod replanning;
mod restoring;
mod reviewing;
mod revising;
mod said;
mod samples;
mod seen;
mod sending;
mod servers;
mod setting_up;
mod settings_file;
mod signing;
mod since;
mod stored;
mod tagging;
mod trying;
mod watch;
mod whole_file;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

pub use again::{Again, Effects};
pub use carrying::{BackedUp, Exported, Imported};
pub use details::TaskDetails;
pub use error::Error;
pub use estimating::EstimateShown;
pub use exporting::{Form, Rendered, Saved, Wanted};
pub use forking::Forked;
pub use keeping::{Deleted, Freed};
pub use live::RunEnd;
pub use logged::{Log, Logged, Lost};
pub use looking::Shown;
pub use parameters::Parameters;
pub use planning::{Goal, PlannerCall, PlanningShown};
pub use proposing::{PieceShown, ProposalShown, ProposalState, spent_view};
pub use restoring::Files;
pub use sending::{Endpoint, Sent};
pub use setting_up::models_from;
pub use signing::Consent;
pub use watch::Watch;
pub use whole_file::Replace;

use crate::history::catalogs::Catalogs;
use crate::history::folds::{Folds, SPACING};
use crate::history::load::Surroundings;
use crate::history::past::Past;
use crate::history::plans::Plans;
use crate::llm::Models;
use crate::model::RunId;
use crate::model::caps::Caps;
use crate::model::reader::Trouble;
use crate::model::tool::{Catalog, FindModel};
use crate::run::{Clock, Handle, Replan, Secrets, WhenIdle};
use crate::store::{Owner, Store, Syncing};
use crate::tools::mcp::Servers;
use crate::tools::{Hands, Registry, Workers, builtin_guarding};
use own_work::own_work_beside;

/// How an engine is opened.
pub struct Config {
    /// The database; `None` keeps everything in memory, for tests.
    pub db: Option<PathBuf>,
    /// Where sample plans lie, if anywhere.
    pub samples: Option<PathBuf>,
    /// Where each run gets its own folder; by default `runs` beside the database.
    pub workspaces: Option<PathBuf>,
    pub tools: Registry,
    /// Whose tools are among these.
    pub servers: Servers,
    /// None by default: then plans with tasks that ask one can't run.
    pub models: Models,
    /// What may be done by itself when a task has failed for good.
    pub replan: Replan,
    /// Named as the owner of runs, such as "desktop app" or "command line".
    pub face: &'static str,
    pub when_idle: WhenIdle,
    pub clock: Clock,
    /// How many tasks of one run may be in flight.
    pub max_parallel: usize,
    /// How many calls to one tool, or to one provider of models.
    pub caps: Caps,
    pub sync: Syncing,
    /// What of these can't be used as the settings say it.
    pub troubles: Vec<Trouble>,
    pub ids: Ids,
    /// A fold of a log is kept in memory at least so many events after the one before.
    pub fold_every: u64,
    /// Folders whose files were written by the person and nobody else: by default those of the settings.
    pub own_work: Vec<String>,
    pub secrets: Secrets,
}

/// Where the ids of new runs come from.
#[derive(Clone, Debug, Default)]
pub enum Ids {
    /// UUIDs of version 7.
    #[default]
    Random,
    /// One number after the other, for tests whose runs must be the same each time.
    Counted(Arc<std::sync::atomic::AtomicU64>),
}

impl Ids {
    fn next(&self) -> RunId {
        let uuid = match self {
            Self::Random => uuid::Uuid::now_v7(),
            Self::Counted(count) => {
                let number = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                uuid::Uuid::from_u128(u128::from(number))
            }
        };
        RunId::from(uuid.to_string())
    }
}

/// The cap that holds unless a face asks for another one (rule 2).
pub const MAX_PARALLEL: usize = crate::model::caps::PER_RUN as usize;

impl Config {
    /// The built-in tools on this database and those of the servers that are set up beside it, with documents, code and SQL
    /// in processes of the program that runs now: it must answer to [`crate::tools::worker::WORD`].
    pub fn of_program(db: Option<PathBuf>, face: &'static str) -> Self {
        Self::working_with(db, face, Workers::of_this_program())
    }

    /// The same, all in this process.
    pub fn new(db: Option<PathBuf>, face: &'static str) -> Self {
        Self::working_with(db, face, Workers::here())
    }

    pub fn working_with(db: Option<PathBuf>, face: &'static str, workers: Workers) -> Self {
        let mut closed = db.as_deref().map(own_files).unwrap_or_default();
        let own_work = db.as_deref().map(own_work_beside).unwrap_or_default();
        let chosen = db.as_deref().map(chosen::beside).unwrap_or_default();
        let secrets = match db.as_deref() {
            Some(db) => Secrets::beside(&real_path(db)),
            None => Secrets::environment(),
        };
        let hands = db.as_deref().map(|db| Hands::beside(&real_path(db)));
        let hands = hands.unwrap_or_default();
        let servers = db
            .as_deref()
            .map(|db| servers::beside(db, closed.clone(), secrets.clone(), hands.clone()));
        let servers = servers.unwrap_or_default();
        // What servers have installed is run by them; no tool writes there. A run's own folder is open to that run alone.
        closed.extend(db.as_deref().map(servers::homes));
        closed.extend(db.as_deref().map(|db| real_path(db).with_file_name(WORKSPACES)));
        closed.extend(db.as_deref().and_then(own_folder));
        let closed: Arc<[PathBuf]> = closed.into();
        let mut tools = builtin_guarding(closed.clone(), &workers, &hands);
        tools.extend(servers.tools());
        let tools = Registry::new(tools)
            .with_workers(workers)
            .with_hands(hands)
            .closing(&closed);
        let chosen = chosen.with_unknown(tools.catalog());
        Self {
            own_work,
            secrets,
            db,
            samples: None,
            workspaces: None,
            tools,
            servers,
            models: Models::none(),
            replan: Replan::Ask,
            face,
            when_idle: WhenIdle::Stay,
            clock: Clock::System,
            max_parallel: chosen.per_run.map_or(MAX_PARALLEL, |most| most as usize),
            caps: chosen.caps,
            sync: chosen.sync,
            troubles: chosen.troubles,
            ids: Ids::Random,
            fold_every: SPACING,
        }
    }
}

/// A cloneable handle to one database and the runs that this process drives.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    around: Surroundings,
    tools: RwLock<Registry>,
    servers: RwLock<Servers>,
    models: RwLock<Arc<Models>>,
    replan: Replan,
    samples: Option<PathBuf>,
    owner: Owner,
    when_idle: WhenIdle,
    clock: Clock,
    max_parallel: AtomicUsize,
    caps: RwLock<Arc<Caps>>,
    /// What plannings share at the providers.
    doors: crate::run::Doors,
    /// Answers of planners while they grow.
    growing: crate::run::Growing,
    ids: Ids,
    secrets: Secrets,
    /// The runs that this process drives, or drove until they ended in trouble.
    handles: Mutex<HashMap<RunId, Handle>>,
    /// The draft that was looked at last, so that an edit does not read its whole log again.
    draft: Mutex<Option<drafts::CachedDraft>>,
    /// What earlier runs came to, for estimates.
    past: Past,
    finding: finding::Finding,
    is_closing: tokio_util::sync::CancellationToken,
}

impl Engine {
    /// Opens or creates the database. Nothing is resumed by itself.
    pub fn open(config: Config) -> Result<Self, Error> {
        // One file, one name: locks and workspaces lie beside the real database, whatever link led to it.
        let db = config.db.as_deref().map(real_path);
        let store = match &db {
            Some(path) => Store::open(path)?,
            None => Store::in_memory()?,
        };
        Ok(Self::open_on(store, Config { db, ..config }))
    }

    /// Opens the database to look at it: nothing of it is changed, and what would change it is refused.
    pub fn look(config: Config) -> Result<Self, Error> {
        let db = config.db.as_deref().map(real_path);
        let store = match &db {
            Some(path) => Store::look(path)?,
            None => Store::in_memory()?,
        };
        Ok(Self::open_on(store, Config { db, ..config }))
    }

    /// The same for one that a newer version has written. What that has come to know and this one has not is told run by run;
    /// an error where its tables are arranged otherwise.
    pub fn look_at_newer(config: Config) -> Result<Self, Error> {
        let db = config.db.as_deref().map(real_path);
        let store = match &db {
            Some(path) => Store::look_at_newer(path)?,
            None => Store::in_memory()?,
        };
        Ok(Self::open_on(store, Config { db, ..config }))
    }

    /// For whoever looks for runs: says so where the database is empty, or was cut to nothing.
    pub fn expect_runs(db: &Path) -> Result<(), Error> {
        Ok(Store::expect_some(&real_path(db))?)
    }

    /// The same on a store that is open already, so that several engines can share one in memory.
    pub fn open_on(store: Store, config: Config) -> Self {
        store.sync(config.sync);
        let db = config.db;
        let workspaces = config
            .workspaces
            .unwrap_or_else(|| workspaces_beside(db.as_deref()));
        let caps: Arc<Caps> = config.caps.into();
        let around = Surroundings {
            workspaces,
            catalog: Catalogs::of(config.tools.catalog().clone()),
            plans: Plans::default(),
            own_work: own_work::normal(&config.own_work).into(),
            has_models: Arc::new((!config.models.is_empty()).into()),
            folds: Folds::spaced(config.fold_every),
        };
        Self {
            inner: Arc::new(Inner {
                store,
                around,
                tools: RwLock::new(config.tools),
                servers: RwLock::new(config.servers),
                models: RwLock::new(Arc::new(config.models)),
                replan: config.replan,
                samples: config.samples,
                owner: Owner::this_process(config.face),
                when_idle: config.when_idle,
                clock: config.clock,
                max_parallel: config.max_parallel.into(),
                doors: crate::run::Doors::new(caps.clone()),
                growing: crate::run::Growing::default(),
                caps: RwLock::new(caps),
                ids: config.ids,
                secrets: config.secrets,
                handles: Mutex::default(),
                draft: Mutex::default(),
                past: Past::default(),
                finding: finding::Finding::default(),
                is_closing: tokio_util::sync::CancellationToken::new(),
            }),
        }
    }

    /// What the store has done since it was opened; the bench reads it.
    pub fn store_counts(&self) -> crate::store::Counts {
        self.inner.store.counts()
    }

    /// For tests: the database grows to this many pages and no further; 0 takes the limit away. Gives its size now.
    #[doc(hidden)]
    pub async fn limit_pages(&self, pages: u32) -> Result<u32, Error> {
        Ok(self.inner.store.limit_pages(pages).await?)
    }

    /// The database file; `None` in memory.
    pub fn db(&self) -> Option<&Path> {
        self.inner.store.path()
    }

    /// The run's own folder, where `run:/name` lies.
    pub fn folder(&self, run: &RunId) -> PathBuf {
        self.inner.around.place(run, None).workspace
    }

    /// From now on these are the models; what runs goes on with those that it began with.
    pub fn use_models(&self, models: Models) {
        let has_models = !models.is_empty();
        *self.inner.models.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(models);
        self.inner.around.has_models.store(has_models, Ordering::Relaxed);
        self.inner.around.plans.forget();
    }

    /// How many tasks of one run may be in flight, unless a face asks for another number.
    pub fn max_parallel(&self) -> usize {
        self.inner.max_parallel.load(Ordering::Relaxed)
    }

    fn caps(&self) -> Arc<Caps> {
        let caps = self.inner.caps.read().unwrap_or_else(PoisonError::into_inner);
        caps.clone()
    }

    /// The tools that are set up now.
    fn tools_now(&self) -> Registry {
        let tools = self.inner.tools.read().unwrap_or_else(PoisonError::into_inner);
        tools.clone()
    }

    /// What plans are judged against now.
    fn catalog(&self) -> Arc<Catalog> {
        let models = self.models();
        let why_not = move |name: &str| models.find(name).err().map(|why| why.before_the_run());
        let catalog = Catalog::clone(&self.inner.around.catalog.now());
        Arc::new(catalog.finding_models(FindModel::new(why_not)))
    }

    /// Where the secrets that plans name come from.
    pub fn secrets(&self) -> &Secrets {
        &self.inner.secrets
    }

    /// The models that are set up now.
    pub fn models(&self) -> Arc<Models> {
        let models = self.inner.models.read().unwrap_or_else(PoisonError::into_inner);
        models.clone()
    }

    fn now_ms(&self) -> i64 {
        self.inner.clock.now_ms()
    }

    fn face(&self) -> String {
        self.inner.owner.to_string()
    }
}

/// The path without links; of a file that is still to be made, its folder's.
fn real_path(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    let folder = path.parent().and_then(|f| f.canonicalize().ok());
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        (Some(_) | None, _) => path,
    }
}

/// The database with what lies beside it: no tool opens these, whatever a plan was granted.
fn own_files(db: &Path) -> Vec<PathBuf> {
    let db = real_path(db);
    let beside = |suffix: &str| {
        let mut name = db.file_name().unwrap_or_default().to_owned();
        name.push(suffix);
        db.with_file_name(name)
    };
    vec![
        db.clone(),
        beside("-wal"),
        beside("-shm"),
        beside("-journal"),
        beside(".locks"),
        beside(".search"),
        beside(".search-wal"),
        beside(".search-shm"),
        beside(".search-journal"),
        db.with_file_name("settings.json"),
        db.with_file_name("models.json"),
        db.with_file_name("model-facts.json"),
        db.with_file_name(crate::tools::mcp::CACHE),
        db.with_file_name(crate::tools::hands::HANDS),
    ]
}

/// The folder that holds nothing but our own data; a database that a person has put elsewhere lies among their files.
fn own_folder(db: &Path) -> Option<PathBuf> {
    let own = default_db()?;
    (real_path(&own) == real_path(db)).then(|| real_path(db).parent().map(Path::to_owned))?
}

/// Where the runs' own folders lie, beside the database.
const WORKSPACES: &str = "runs";

fn workspaces_beside(db: Option<&Path>) -> PathBuf {
    match db {
        // Made absolute now: the process may change its folder later.
        Some(path) => std::path::absolute(path)
            .unwrap_or_else(|_| path.to_owned())
            .with_file_name(WORKSPACES),
        None => std::env::temp_dir().join(format!("planloom-{}", std::process::id())),
    }
}

/// The database that both faces share: `planloom.db` in the user's data folder.
pub fn default_db() -> Option<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", "planloom")?;
    Some(folders.data_dir().join("planloom.db"))
}

/// UTC milliseconds since 1970 as RFC 3339 with `Z`, to the millisecond, so that it sorts as text.
pub fn rfc3339(ms: i64) -> String {
    let at = jiff::Timestamp::from_millisecond(ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    format!("{at:.3}")
}
