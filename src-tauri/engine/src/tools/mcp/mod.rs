//! Tools of MCP servers, as `server/tool`. What a server says of itself is data from outside: it is judged, shortened and
//! pinned, and loosens nothing. This room must not know plans, runs or the store.
//!
//! - [`settings`], `setup`: how a person has set servers up, and what other programs' files say.
//! - `definition`, `cache`: what a server says of its tools, and what was seen of it.
//! - `child`, `lines`, `incoming`, `stdio`: a server's process and what comes out of it.
//! - `handshake`, `handler`, `elicit`, `listing`: the protocol, with the library's client.
//! - `ground`: what a process finds around it, behind the sandbox's walls.
//! - `start`, `server`: when a server is there, and what is told when it is not.
//! - `call`, `results`, `tool`: one call.

mod cache;
mod call;
mod calls;
mod child;
mod clean;
mod definition;
mod elicit;
mod ground;
mod handler;
mod handshake;
mod incoming;
mod lines;
mod listing;
mod results;
mod secrets;
mod server;
pub mod settings;
mod setup;
mod start;
mod stdio;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod tool;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::model::tool::Effect;
use crate::model::unread;

pub use call::KEY;
pub use ground::Ground;
pub use lines::{LONGEST_LINE, Lines, TooLong};
pub use secrets::{Secrets, Variables};
pub use server::{Around, Standing};
pub use settings::Trouble;
pub use setup::{Setup, Way, is_secret_name, is_server_name};
pub use start::{NotUp, Patience};

use self::cache::Seen;
use self::server::{NoConnection, Server};
use self::tool::McpTool;
use super::Tool;

/// The servers that are set up beside a database. Cheap to clone. A process ends with the last that knows its server: one of
/// these, or a tool that a run under way has.
#[derive(Clone, Default)]
pub struct Servers {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    servers: BTreeMap<String, Arc<Server>>,
    seen: BTreeMap<String, Seen>,
    cache: Option<PathBuf>,
    troubles: Vec<Trouble>,
}

/// A server, for people.
#[derive(Clone, Debug)]
pub struct ServerRow {
    pub name: String,
    /// The whole command line, or the address.
    pub shown: String,
    pub is_disabled: bool,
    pub is_unconfined: bool,
    pub standing: Standing,
    /// How it names itself and the revision that it speaks, once it was seen.
    pub server: String,
    pub protocol: String,
    /// When it was looked at, in UTC milliseconds.
    pub looked_at: Option<i64>,
    pub tools: Vec<ToolRow>,
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct ToolRow {
    /// `server/tool`.
    pub name: String,
    pub description: String,
    /// What it may change, as a person has said; else the worst.
    pub effect: Option<Effect>,
    /// Whether a person has said something of it.
    pub is_said: bool,
    /// What the server says of it in annotations, which loosens nothing.
    pub hints: Vec<String>,
    /// Why it can't be used.
    pub problem: Option<String>,
}

/// What looking at a server has shown.
#[derive(Clone, Debug)]
pub struct Looked {
    pub row: ServerRow,
    /// The end of its stderr.
    pub stderr: String,
    /// Tools whose definition is another than it was, by name.
    pub changed: Vec<String>,
    /// Tools that were not there when it was looked at before.
    pub added: Vec<String>,
}

impl Servers {
    /// Reads the settings, and what was seen of the servers before. Nothing is started.
    pub fn beside(db: &Path, around: Around) -> Self {
        let settings = db.with_file_name("settings.json");
        let mut troubles = Vec::new();
        let setups = match cache::read_file(&settings) {
            Ok(bytes) => settings::read(&bytes, &mut troubles),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => {
                troubles.push(Trouble {
                    place: "settings.json".to_owned(),
                    message: format!(
                        "the file can't be read: {}; nothing of it is used",
                        unread(&error)
                    ),
                });
                BTreeMap::new()
            }
        };
        if setups.is_empty() && troubles.is_empty() {
            return Self::default();
        }
        let cache = db.with_file_name(CACHE);
        Self::of(setups, Some(cache), around, troubles)
    }

    pub fn of(
        setups: BTreeMap<String, Setup>,
        cache: Option<PathBuf>,
        around: Around,
        troubles: Vec<Trouble>,
    ) -> Self {
        let seen = cache.as_deref().map(cache::load).unwrap_or_default();
        let servers = setups
            .into_iter()
            .map(|(name, setup)| (name, Server::new(setup, around.clone())));
        let inner = Inner {
            servers: servers.collect(),
            seen,
            cache,
            troubles,
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    /// The same, with the processes that servers of the same set-up have already.
    #[must_use]
    pub fn keeping(&self, before: &Self) -> Self {
        let keep = |(name, server): (&String, &Arc<Server>)| {
            let known = before
                .inner
                .servers
                .get(name)
                .filter(|known| known.setup == server.setup);
            (name.clone(), known.unwrap_or(server).clone())
        };
        Self {
            inner: Arc::new(Inner {
                servers: self.inner.servers.iter().map(keep).collect(),
                seen: self.inner.seen.clone(),
                cache: self.inner.cache.clone(),
                troubles: self.inner.troubles.clone(),
            }),
        }
    }

    /// What is wrong in the settings.
    pub fn troubles(&self) -> &[Trouble] {
        &self.inner.troubles
    }

    pub fn is_empty(&self) -> bool {
        self.inner.servers.is_empty()
    }

    /// The tools that were seen and can be used.
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        for (name, server) in self
            .inner
            .servers
            .iter()
            .filter(|(_, server)| !server.setup.is_disabled)
        {
            let seen = self.seen(name);
            let usable = seen.into_iter().flat_map(|seen| &seen.tools);
            for tool in usable.filter_map(|tool| McpTool::new(server.clone(), tool.clone()).ok()) {
                tools.push(Arc::new(tool));
            }
        }
        tools
    }

    pub fn rows(&self) -> Vec<ServerRow> {
        let rows = self.inner.servers.iter();
        rows.map(|(name, server)| row(server, self.seen(name))).collect()
    }

    /// What the server of a tool is doing, where its calls have to wait for it: one sentence.
    pub fn wait_for(&self, tool: &str) -> Option<String> {
        let (name, _) = tool.split_once('/')?;
        match self.inner.servers.get(name)?.standing() {
            Standing::Starting => Some(format!("Waiting for server {name}: starting")),
            Standing::Installing(line) => Some(format!("Waiting for server {name}: installing ({line})")),
            Standing::Idle | Standing::Ready | Standing::Failed(_) => None,
        }
    }

    pub fn is_any_starting(&self) -> bool {
        let standings = self.inner.servers.values().map(|server| server.standing());
        standings
            .into_iter()
            .any(|standing| matches!(standing, Standing::Starting | Standing::Installing(_)))
    }

    /// Starts it, lists its tools and keeps what was seen, so that plans are checked against that as soon as it
    /// is read.
    pub async fn look_at(&self, name: &str, now_ms: i64) -> Result<Looked, NotUp> {
        let unknown = || NotUp {
            message: format!("there is no server `{name}`"),
            is_final: true,
        };
        let server = self.inner.servers.get(name).ok_or_else(unknown)?;
        let never = tokio_util::sync::CancellationToken::new();
        let connection = server.connection(&never).await.map_err(|none| match none {
            NoConnection::NotUp { why, .. } => why,
            NoConnection::Cancelled => NotUp {
                message: "cancelled".to_owned(),
                is_final: false,
            },
        })?;
        let listing = connection.tools().await;
        let (own_name, protocol) = connection.names();
        let seen = Seen {
            identity: server.setup.identity(),
            at_ms: now_ms,
            server: own_name,
            protocol,
            tools: listing.tools.clone(),
            warnings: connection.warnings(),
        };
        if let Some(path) = &self.inner.cache {
            cache::keep(path, name, Some(&seen)).map_err(|e| NotUp {
                message: e.to_string(),
                is_final: true,
            })?;
        }
        let before = self.seen(name);
        let changed = before.map(|before| changed(before, &seen)).unwrap_or_default();
        let added = before.map(|before| added(before, &seen)).unwrap_or_default();
        Ok(Looked {
            row: row(server, Some(&seen)),
            stderr: connection.stderr(),
            changed,
            added,
        })
    }

    /// Starts a server anew at its next call, at once and without a rest.
    pub fn reconnect(&self, name: &str) {
        if let Some(server) = self.inner.servers.get(name) {
            server.reconnect();
        }
    }

    /// What a server is doing; changes are told.
    pub fn watch(&self, name: &str) -> Option<tokio::sync::watch::Receiver<Standing>> {
        Some(self.inner.servers.get(name)?.watch())
    }

    /// Of the set-up that holds now; of another command nothing is known.
    fn seen(&self, name: &str) -> Option<&Seen> {
        let server = self.inner.servers.get(name)?;
        self.inner
            .seen
            .get(name)
            .filter(|seen| seen.identity == server.setup.identity())
    }
}

/// The file beside the database in which seen tools are kept.
pub const CACHE: &str = "mcp-tools.json";

/// Forgets what was seen of a server.
pub fn forget(db: &Path, name: &str) -> Result<(), settings::EditError> {
    cache::keep(&db.with_file_name(CACHE), name, None)
}

fn row(server: &Server, seen: Option<&Seen>) -> ServerRow {
    let tools = seen.into_iter().flat_map(|seen| &seen.tools).map(|tool| {
        let spec = tool.spec(&server.setup);
        ToolRow {
            name: format!("{}/{}", server.setup.name, tool.shown_name()),
            description: tool.description(),
            effect: spec.as_ref().ok().map(|spec| spec.effect),
            is_said: server
                .setup
                .tools
                .get(&tool.name)
                .is_some_and(|word| word.effect.is_some()),
            hints: tool.hints(),
            problem: spec.err(),
        }
    });
    ServerRow {
        name: server.setup.name.clone(),
        shown: server.setup.shown(),
        is_disabled: server.setup.is_disabled,
        is_unconfined: server.setup.is_unconfined,
        standing: server.standing(),
        server: seen.map(|seen| seen.server.clone()).unwrap_or_default(),
        protocol: seen.map(|seen| seen.protocol.clone()).unwrap_or_default(),
        looked_at: seen.map(|seen| seen.at_ms),
        tools: tools.collect(),
        warnings: seen.map(|seen| seen.warnings.clone()).unwrap_or_default(),
    }
}

fn added(before: &Seen, now: &Seen) -> Vec<String> {
    let is_new = |tool: &&definition::Definition| before.tools.iter().all(|old| old.name != tool.name);
    now.tools
        .iter()
        .filter(is_new)
        .map(definition::Definition::shown_name)
        .collect()
}

fn changed(before: &Seen, now: &Seen) -> Vec<String> {
    let is_other = |tool: &&definition::Definition| {
        before
            .tools
            .iter()
            .any(|old| old.name == tool.name && old != *tool)
    };
    now.tools
        .iter()
        .filter(is_other)
        .map(definition::Definition::shown_name)
        .collect()
}
