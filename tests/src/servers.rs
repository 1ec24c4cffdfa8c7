//! MCP servers for tests: set up as a person does, looked at, and called as a run calls them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use planloom_engine::model::Json;
use planloom_engine::model::grants::{Grants, Place};
use planloom_engine::tools::mcp::{Around, CACHE, Ground, Looked, NotUp, Patience, Servers, settings};
use planloom_engine::tools::{Ask, CallContext, Permit, Tool, ToolError};
use serde_json::{Map, json};
use tokio_util::sync::CancellationToken;

/// A folder with settings beside a database that is not there.
pub struct Bench {
    folder: tempfile::TempDir,
    entries: Map<String, Json>,
    pub patience: Patience,
}

/// Where scripts of servers lie.
pub fn script(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("mcp")
        .join(name)
        .to_str()
        .unwrap()
        .to_owned()
}

/// Where the reference servers are installed; `None`, told once, where they are not.
pub fn reference(server: &str) -> Option<String> {
    let path = format!("real/node_modules/@modelcontextprotocol/{server}/dist/index.js");
    let path = script(&path);
    if Path::new(&path).exists() {
        return Some(path);
    }
    eprintln!("skipped: {server} is not installed; run `npm ci --ignore-scripts` in tests/mcp/real");
    None
}

impl Default for Bench {
    fn default() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            entries: Map::new(),
            patience: Patience {
                silence: Duration::from_secs(20),
                ..Patience::default()
            },
        }
    }
}

impl Bench {
    pub fn with(mut self, name: &str, entry: Json) -> Self {
        self.set(name, entry);
        self
    }

    pub fn set(&mut self, name: &str, entry: Json) {
        self.entries.insert(name.to_owned(), entry);
    }

    /// A server of a script with these arguments.
    pub fn python(self, name: &str, arguments: &[&str]) -> Self {
        self.with(
            name,
            json!({ "command": "python3", "args": arguments, "unconfined": true }),
        )
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn cache(&self) -> PathBuf {
        self.folder().join(CACHE)
    }

    /// Beside a database in the same folder.
    pub fn write_settings(&self) {
        let file = json!({ "mcp": { "servers": self.entries } });
        std::fs::write(self.folder().join("settings.json"), file.to_string()).unwrap();
    }

    /// As a process would have them that starts now.
    pub fn servers(&self) -> Servers {
        let file = json!({ "mcp": { "servers": self.entries } });
        let mut troubles = Vec::new();
        let setups = settings::read(file.to_string().as_bytes(), &mut troubles);
        assert_eq!(troubles, Vec::new());
        let around = Around {
            patience: self.patience,
            ground: Ground {
                homes: Some(self.folder().join("servers")),
                ..Ground::default()
            },
            ..Around::default()
        };
        Servers::of(setups, Some(self.cache()), around, Vec::new())
    }

    /// Looks at a server, and lets it go again.
    pub async fn look(&self, name: &str) -> Result<Looked, NotUp> {
        let servers = self.servers();
        let looking = servers.look_at(name, 0);
        tokio::time::timeout(Duration::from_secs(60), looking)
            .await
            .expect("the look has an end")
    }

    /// What a call of a run is told.
    pub fn context(&self, ask: Option<Arc<dyn Ask>>) -> CallContext {
        CallContext {
            place: Place {
                folder: Some(self.folder().to_owned()),
                workspace: self.folder().join("run"),
            },
            permit: Permit {
                withheld: std::sync::Arc::default(),
                grants: Arc::new(Grants::default()),
                needs: Arc::new([]),
            },
            idempotency_key: "key-1".to_owned(),
            is_idempotent: false,
            cancel: CancellationToken::new(),
            ask,
        }
    }
}

/// The tool of that name, as the registry has it.
pub fn tool(servers: &Servers, name: &str) -> Option<Arc<dyn Tool>> {
    servers.tools().into_iter().find(|tool| tool.spec().name == name)
}

/// One call, which has an end.
pub async fn call(tool: &dyn Tool, arguments: Json, cx: &CallContext) -> Result<Json, ToolError> {
    if let Err(wrong) = tool.check_arguments(&arguments) {
        return Err(ToolError::Permanent {
            code: "bad_arguments",
            message: wrong,
        });
    }
    let calling = tool.call(arguments, cx);
    tokio::time::timeout(Duration::from_secs(60), calling)
        .await
        .expect("the call has an end")
}

/// How a call ended: a kind and a code.
pub fn end(result: &Result<Json, ToolError>) -> String {
    match result {
        Ok(_) => "done".to_owned(),
        Err(ToolError::Transient { code, .. }) => format!("transient {code}"),
        Err(ToolError::Unknown { code, .. }) => format!("unknown {code}"),
        Err(ToolError::Permanent { code, .. }) => format!("permanent {code}"),
        Err(ToolError::NotGranted { .. }) => "not granted".to_owned(),
        Err(ToolError::Cancelled) => "cancelled".to_owned(),
    }
}
