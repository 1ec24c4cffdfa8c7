//! Servers of tools that mean harm: what they say of their tools, what they answer, what they ask for, and what they
//! change behind an approval. `tests/mcp/hostile.py` is the adversary.

mod answers;
mod questions;
mod walls;
mod words;

use std::path::Path;
use std::time::Duration;

use planloom_engine::tools::ToolError;
use planloom_engine::tools::mcp::{Looked, NotUp, Patience, Servers};
use planloom_tests::servers::{Bench, script};
use serde_json::json;

/// The hostile server, set up to harm in this way. Its one secret is a variable of every test's environment.
fn hostile(way: &str) -> Bench {
    let mut bench = Bench::default();
    let marks = bench.folder().to_str().unwrap().to_owned();
    let entry = json!({
        "command": "python3", "args": [script("hostile.py"), way, marks], "unconfined": true,
        "env": { "TOKEN": "${CARGO_MANIFEST_DIR}" }, "folders": ["/only/this"],
    });
    bench.set("h", entry);
    bench.patience = Patience {
        silence: Duration::from_secs(20),
        call: Duration::from_secs(3),
        longest_call: Duration::from_secs(5),
        ..Patience::default()
    };
    bench
}

async fn look(way: &str) -> (Bench, Result<Looked, NotUp>) {
    let bench = hostile(way);
    let looked = bench.look("h").await;
    (bench, looked)
}

/// Names of the tools that can be used after a look, without the server's.
fn usable(servers: &Servers) -> Vec<String> {
    servers
        .tools()
        .iter()
        .map(|tool| tool.spec().name.clone())
        .collect()
}

/// What the server's marks say.
fn marks(folder: &Path, name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn message(error: &ToolError) -> String {
    match error {
        ToolError::Transient { message, .. }
        | ToolError::Unknown { message, .. }
        | ToolError::Permanent { message, .. } => message.clone(),
        ToolError::NotGranted { .. } | ToolError::Cancelled => error.to_string(),
    }
}
