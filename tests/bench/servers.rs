//! What a call of an MCP server costs beside the bare protocol: the same requests to the same stub, over the same pipes.

use std::io::{BufRead, Write};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use planloom_engine::model::grants::{Grants, Place};
use planloom_engine::tools::mcp::{Around, Servers, settings};
use planloom_engine::tools::{CallContext, Permit, Tool};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::disk::runtime;
use crate::table::Table;

const CALLS: u32 = 2000;
/// Of user and system time, for one call that goes through the protocol's client and our walls around it.
const MOST_CPU: f64 = 1.5;

/// The stub: answers each request at once.
pub fn child() {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let asked: Value = serde_json::from_str(&line).unwrap_or_default();
        let result = match asked["method"].as_str() {
            Some("initialize") => json!({
                "protocolVersion": asked["params"]["protocolVersion"], "capabilities": { "tools": {} },
                "serverInfo": { "name": "stub", "version": "1" },
            }),
            Some("tools/list") => {
                json!({ "tools": [{ "name": "echo", "inputSchema": { "type": "object" } }] })
            }
            _ => json!({ "content": [{ "type": "text", "text": asked["params"]["arguments"]["text"] }] }),
        };
        if !asked["id"].is_null() {
            let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result });
            if writeln!(out, "{answer}").and_then(|()| out.flush()).is_err() {
                return;
            }
        }
    }
}

pub fn calls(table: &mut Table) {
    let Ok(program) = std::env::current_exe() else {
        return table.tell("MCP call", 0.0, "", "left out: this program does not know itself");
    };
    runtime().block_on(async {
        let bare = bare(&program).await;
        let Some(own) = through(&program).await else {
            return table.tell("MCP call", 0.0, "", "left out: the stub did not start");
        };
        let note = format!(
            "{CALLS} calls of 100 bytes, one after the other; wall {:.3} ms, bare pipes {:.3} ms CPU, {:.3} ms wall",
            own.1, bare.0, bare.1
        );
        table.at_most("MCP call over stdio, CPU", own.0, MOST_CPU, "ms", note);
    });
}

type Cost = (f64, f64);

fn cost(cpu: ProcessTime, wall: Instant) -> Cost {
    let per = |time: Duration| time.as_secs_f64() * 1e3 / f64::from(CALLS);
    (per(cpu.elapsed()), per(wall.elapsed()))
}

/// Lines of JSON written and read, and nothing else.
async fn bare(program: &std::path::Path) -> Cost {
    let mut child = tokio::process::Command::new(program)
        .arg("serve-mcp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("this program starts");
    let mut stdin = child.stdin.take().expect("it has a pipe");
    let mut lines = BufReader::new(child.stdout.take().expect("it has a pipe")).lines();
    let (cpu, wall) = (ProcessTime::now(), Instant::now());
    for id in 0..CALLS {
        let params = json!({ "name": "echo", "arguments": { "text": "x".repeat(100) } });
        let asked = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        stdin
            .write_all(format!("{asked}\n").as_bytes())
            .await
            .expect("the stub reads");
        let line = lines
            .next_line()
            .await
            .expect("the stub answers")
            .unwrap_or_default();
        let answer: Value = serde_json::from_str(&line).unwrap_or_default();
        assert_eq!(answer["id"].as_u64(), Some(u64::from(id)));
    }
    cost(cpu, wall)
}

async fn through(program: &std::path::Path) -> Option<Cost> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let entry = json!({ "command": program, "args": ["serve-mcp"], "unconfined": true });
    let file = json!({ "mcp": { "servers": { "stub": entry } } });
    let open = || {
        let setups = settings::read(file.to_string().as_bytes(), &mut Vec::new());
        Servers::of(
            setups,
            Some(folder.path().join("seen.json")),
            Around::default(),
            Vec::new(),
        )
    };
    open().look_at("stub", 0).await.ok()?;
    let servers = open();
    let tool: Arc<dyn Tool> = servers.tools().pop()?;
    let cx = context(folder.path());
    tool.call(json!({}), &cx).await.ok()?;
    let (cpu, wall) = (ProcessTime::now(), Instant::now());
    for _ in 0..CALLS {
        let result = tool
            .call(json!({ "text": "x".repeat(100) }), &cx)
            .await
            .expect("the stub answers");
        assert_eq!(result["content"][0]["text"].as_str().map(str::len), Some(100));
    }
    Some(cost(cpu, wall))
}

fn context(folder: &std::path::Path) -> CallContext {
    CallContext {
        place: Place {
            folder: None,
            workspace: folder.to_owned(),
        },
        permit: Permit {
            withheld: std::sync::Arc::default(),
            grants: Arc::new(Grants::default()),
            needs: Arc::new([]),
        },
        idempotency_key: "bench".to_owned(),
        is_idempotent: false,
        cancel: Default::default(),
        ask: None,
    }
}
