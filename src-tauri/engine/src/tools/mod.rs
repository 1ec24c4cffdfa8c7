//! What touches the world for a task: the tool seam, the registry and one file per tool.
//! This room must not know the store, the run or any face.

mod arguments;
mod blocking;
pub mod code;
mod csv_read;
mod csv_table;
mod decimal;
mod decode;
pub mod documents;
mod echo;
mod files;
pub mod hands;
mod http;
mod json_query;
mod login_path;
pub mod mcp;
pub mod own_folder;
pub mod sandbox;
mod schemas;
mod shell;
mod spec;
mod sql;
#[cfg(test)]
mod testing;
mod text_template;
mod wait;
pub mod worker;
mod written;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

pub use files::{Keeper, Now};
pub use hands::Hands;
pub use worker::Workers;
pub use written::{Found, Written, unreadable};

use crate::model::Json;
use crate::model::foreseen::Foresee;
use crate::model::grants::{self, Grants, Need, Place, Withheld};
use crate::model::tool::{Catalog, Idempotency, ToolSpec};

/// One deterministic tool. The run has validated the arguments and asked the gate before `call`.
#[async_trait]
pub trait Tool: Send + Sync + 'static {
    fn spec(&self) -> &Arc<ToolSpec>;

    /// Whether this very call may be made twice. Differs from the declaration where an argument decides it:
    /// `file.write` is natural, but not with `append`; `http.request` is natural with GET and HEAD.
    fn idempotency_of(&self, arguments: &Json) -> Idempotency {
        self.spec().idempotency_of(arguments)
    }

    /// Asked where it matters: why the tool can't be called on this machine at all, if so.
    fn why_off(&self) -> fn() -> Option<&'static str> {
        || None
    }

    /// What is certainly wrong with arguments that are known before the run, beyond the schema: texts in a language of
    /// their own, such as SQL. Reads what a plan's author wrote, which may be hostile, and touches nothing.
    fn foresee(&self) -> Foresee {
        |_| Vec::new()
    }

    /// What is wrong with the arguments by the tool's own schema. Names places and rules, never the values: they may
    /// be secrets.
    fn check_arguments(&self, arguments: &Json) -> Result<(), String> {
        schemas::check_arguments(self.spec(), arguments)
    }

    /// The files that the call may change, as they are now. Changes nothing and never fails: what can't be read is said.
    async fn before(&self, arguments: &Json, cx: &CallContext) -> Vec<Written> {
        written::listed(self.spec(), arguments, &cx.place, &Found::Listed)
    }

    /// What looks at the files that this tool writes and puts them back; none where its files are only listed.
    fn keeper(&self) -> Option<Keeper> {
        None
    }

    /// Does it once. Must end soon after `cx.cancel` fires. Never retries by itself.
    async fn call(&self, arguments: Json, cx: &CallContext) -> Result<Json, ToolError>;
}

/// What a call may know: where it lies, what it may touch on the way (redirects), and its key.
#[derive(Clone)]
pub struct CallContext {
    pub place: Place,
    pub permit: Permit,
    /// Sent as `Idempotency-Key` by HTTP tools.
    pub idempotency_key: String,
    /// The person's word that the receiver honours the key.
    pub is_idempotent: bool,
    pub cancel: CancellationToken,
    /// By which a call can ask the person in its midst; nobody, where none can be asked.
    pub ask: Option<Arc<dyn Ask>>,
}

/// Asks the person in the midst of a call. The question is a decision of the run, and lasts as long as the call does.
#[async_trait]
pub trait Ask: Send + Sync {
    /// An answer that fits the form. `None`: nobody will answer any more.
    async fn ask(&self, question: String, form: Json) -> Option<Json>;

    /// How long a person has been waited for so far: that is no time of the call's.
    fn thought(&self) -> Duration {
        Duration::ZERO
    }
}

/// What this call was allowed, for checks that only the tool can make on the way, such as a redirect's next host.
#[derive(Clone)]
pub struct Permit {
    pub grants: Arc<Grants>,
    /// The task's literal needs, frozen at approval, and what a person has allowed since.
    pub needs: Arc<[Need]>,
    /// What a person has switched off at the approval.
    pub withheld: Arc<[Withheld]>,
}

impl Permit {
    pub fn covers(&self, need: &Need, place: &Place) -> bool {
        !grants::is_withheld(&self.withheld, need, place)
            && (self.needs.contains(need) || grants::covers(&self.grants, need, place))
    }
}

/// The typed outcome of a failed call (DESIGN rules 4 and 13). What a call may have changed decides what may follow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// May be tried again: nothing has reached the receiver, or the call only reads.
    #[error("{message}")]
    Transient {
        code: &'static str,
        message: String,
        retry_after: Option<Duration>,
    },
    /// The call may have reached the receiver and its answer is lost. Reads are tried again; an effect is in doubt.
    #[error("{message}")]
    Unknown {
        code: &'static str,
        message: String,
        retry_after: Option<Duration>,
    },
    /// Trying again can't help.
    #[error("{message}")]
    Permanent { code: &'static str, message: String },
    /// Met on the way: something that nothing grants.
    #[error("not granted: {}", listed(needs))]
    NotGranted { needs: Vec<Need> },
    #[error("cancelled")]
    Cancelled,
}

fn listed(needs: &[Need]) -> String {
    let needs: Vec<String> = needs.iter().map(Need::to_string).collect();
    needs.join(", ")
}

impl ToolError {
    /// For what trying again can't help. `code` is a stable word, `message` for people.
    fn permanent(code: &'static str, message: impl Into<String>) -> Self {
        Self::Permanent {
            code,
            message: message.into(),
        }
    }
}

/// The tools that come with Planloom.
pub fn builtin() -> Vec<Arc<dyn Tool>> {
    builtin_guarding(Arc::new([]), &Workers::here(), &Hands::default())
}

/// The same, with folders that no file tool opens whatever is granted, such as Planloom's own data, and with those who
/// read documents and databases, and the book of who could write where. The workspaces of runs may lie in such a folder.
pub fn builtin_guarding(closed: Arc<[PathBuf]>, workers: &Workers, hands: &Hands) -> Vec<Arc<dyn Tool>> {
    let workers = || workers.clone();
    vec![
        Arc::new(csv_read::CsvRead::new(closed.clone())),
        Arc::new(echo::Echo::new()),
        Arc::new(files::FileList::new(closed.clone())),
        Arc::new(files::FileRead::new(closed.clone())),
        Arc::new(files::FileWrite::new(closed.clone())),
        Arc::new(http::HttpGet::new()),
        Arc::new(http::HttpRequest::new()),
        Arc::new(json_query::JsonQuery::new()),
        Arc::new(documents::HtmlToMarkdown::new(closed.clone(), workers())),
        Arc::new(documents::PdfToText::new(closed.clone(), workers())),
        Arc::new(documents::SheetRead::new(closed.clone(), workers())),
        Arc::new(shell::ShellRun::new(closed.clone(), hands.clone())),
        Arc::new(sql::SqlExecute::new(closed.clone(), workers())),
        Arc::new(sql::SqlQuery::new(closed, workers())),
        Arc::new(text_template::TextTemplate::new()),
        Arc::new(wait::Wait::new()),
    ]
}

/// The tools by name.
#[derive(Clone)]
pub struct Registry {
    tools: std::collections::BTreeMap<String, Arc<dyn Tool>>,
    catalog: Catalog,
    workers: Workers,
    hands: Hands,
    closed: Arc<[PathBuf]>,
}

impl Registry {
    pub fn builtin() -> Self {
        Self::new(builtin())
    }
    pub fn new(tools: Vec<Arc<dyn Tool>>) -> Self {
        let catalog = Catalog::new(tools.iter().map(|t| t.spec().clone()));
        let told = |catalog: Catalog, tool: &Arc<dyn Tool>| {
            let name = &tool.spec().name;
            catalog
                .asking(name, tool.why_off())
                .foreseeing(name, tool.foresee())
        };
        let catalog = tools.iter().fold(catalog, told).reading_code(code::reader);
        let tools = tools.into_iter().map(|t| (t.spec().name.clone(), t)).collect();
        Self {
            tools,
            catalog,
            workers: Workers::here(),
            hands: Hands::default(),
            closed: Arc::new([]),
        }
    }
    /// The same tools, with tasks' code run by these.
    pub fn with_workers(self, workers: Workers) -> Self {
        Self { workers, ..self }
    }
    /// The same tools, with this book of who could write where.
    pub fn with_hands(self, hands: Hands) -> Self {
        Self { hands, ..self }
    }
    /// The same tools, with the places that are closed to them, so that plans are told before the run.
    pub fn closing(mut self, closed: &[PathBuf]) -> Self {
        self.closed = closed.into();
        let named = closed.iter().filter_map(|place| place.to_str());
        self.catalog = self.catalog.closing(named.map(str::to_owned));
        self
    }
    /// The same built-in tools, with these of servers in the place of those before.
    #[must_use]
    pub fn with_those_of(&self, servers: Vec<Arc<dyn Tool>>) -> Self {
        let own = self.tools.iter().filter(|(name, _)| !name.contains('/'));
        let tools = own.map(|(_, tool)| tool.clone()).chain(servers).collect();
        Self::new(tools)
            .with_workers(self.workers.clone())
            .with_hands(self.hands.clone())
            .closing(&self.closed)
    }
    pub fn hands(&self) -> &Hands {
        &self.hands
    }
    pub fn workers(&self) -> &Workers {
        &self.workers
    }
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.get(name)
    }
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }
}
