//! `servers`: which MCP servers are set up, what was seen of them, and how they are set up. It decides nothing about what
//! their tools may do.

mod change;
mod table;

use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;

use planloom_engine::tools::mcp::{Looked, ServerRow, Servers, Standing};
use planloom_engine::{Config, Error};
use serde_json::{Value, json};

use crate::args::{self, ServersVerb};
use crate::exit::Exit;
use crate::out::{Out, piece};

pub async fn servers(db: &Path, args: args::Servers, out: &Out) -> Result<Exit, Error> {
    match args.verb {
        None => Ok(list(db, out)),
        Some(ServersVerb::Add(add)) => change::add(db, add, out),
        Some(ServersVerb::Import { file, force }) => change::import(db, &file, force, out),
        Some(ServersVerb::Remove { name }) => change::remove(db, &name, out),
        Some(ServersVerb::Check { name, yes }) => check(db, &name, yes, out).await,
    }
}

/// The servers beside this database, as every other verb sees them.
fn at_hand(db: &Path) -> Servers {
    Config::new(Some(db.to_owned()), crate::FACE).servers
}

fn list(db: &Path, out: &Out) -> Exit {
    let servers = at_hand(db);
    let rows = servers.rows();
    if out.json {
        let troubles = servers.troubles().iter();
        let problems: Vec<Value> = troubles
            .map(|trouble| json!({ "place": trouble.place, "message": trouble.message }))
            .collect();
        out.object(&json!({ "servers": rows.iter().map(|row| shown(row, out)).collect::<Vec<_>>(), "problems": problems }));
    } else {
        for line in table::lines(&rows, out) {
            out.say(&line);
        }
    }
    for trouble in servers.troubles() {
        out.note(&format!("planloom: {}", piece(&trouble.to_string())));
    }
    Exit::Done
}

/// Starts the server. Before the first time its whole command line is shown, and a person says yes.
async fn check(db: &Path, name: &str, yes: bool, out: &Out) -> Result<Exit, Error> {
    let servers = at_hand(db);
    let Some(row) = servers.rows().into_iter().find(|row| row.name == name) else {
        return Err(unknown(name));
    };
    out.note(&format!("{}: {}", piece(name), piece(&row.shown)));
    if row.looked_at.is_none() && !yes && !says_yes().await? {
        let way = out.command(&["servers", "check", "--yes"], &[name]);
        out.note(&format!("Nothing was started. Start it with: {way}"));
        return Ok(Exit::Wrong);
    }
    let now_ms = std::time::SystemTime::UNIX_EPOCH
        .elapsed()
        .map_or(0, |time| time.as_millis() as i64);
    let looking = servers.look_at(name, now_ms);
    let looked = tell_while(&servers, name, out, looking).await;
    match looked {
        Ok(looked) => {
            tell(&looked, out);
            Ok(Exit::Done)
        }
        Err(why) => Err(Error::Store {
            code: "server_down",
            message: why.message,
        }),
    }
}

async fn tell_while<T>(servers: &Servers, name: &str, out: &Out, looking: impl Future<Output = T>) -> T {
    let mut looking = std::pin::pin!(looking);
    let Some(mut standing) = servers.watch(name) else {
        return looking.await;
    };
    loop {
        tokio::select! {
            looked = &mut looking => return looked,
            changed = standing.changed() => {
                if changed.is_err() {
                    return looking.await;
                }
                if let Standing::Installing(line) = standing.borrow_and_update().clone() {
                    out.note(&format!("installing: {}", piece(&line)));
                }
            }
        }
    }
}

async fn says_yes() -> Result<bool, Error> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Ok(false);
    }
    let asked = tokio::task::spawn_blocking(|| {
        let _ = write!(std::io::stderr().lock(), "Start this? [y/N] ");
        let mut line = String::new();
        let _ = std::io::stdin().lock().read_line(&mut line);
        matches!(line.trim(), "y" | "Y" | "yes")
    });
    Ok(asked.await.unwrap_or(false))
}

fn tell(looked: &Looked, out: &Out) {
    if out.json {
        let mut value = shown(&looked.row, out);
        value["changed"] = json!(looked.changed);
        value["stderr"] = json!(looked.stderr);
        out.object(&value);
        return;
    }
    for line in table::whole(&looked.row, out) {
        out.say(&line);
    }
    for name in &looked.changed {
        out.say(&format!(
            "  {} is defined otherwise than before; plans that use it need a new approval",
            piece(name)
        ));
    }
    let end: Vec<&str> = looked.stderr.lines().rev().take(10).collect();
    if !end.is_empty() {
        out.note("The end of what it wrote to stderr:");
        end.iter()
            .rev()
            .for_each(|line| out.note(&format!("  {}", piece(line))));
    }
}

/// The shape of `--json`.
fn shown(row: &ServerRow, out: &Out) -> Value {
    let tools: Vec<Value> = row
        .tools
        .iter()
        .map(|tool| json!({ "name": tool.name, "description": tool.description, "problem": tool.problem }))
        .collect();
    json!({
        "server": row.name,
        "starts": row.shown,
        "state": table::state(row, out),
        "unconfined": row.is_unconfined,
        "name": row.server,
        "protocol": row.protocol,
        "looked_at": row.looked_at.map(planloom_engine::rfc3339),
        "tools": tools,
        "warnings": row.warnings,
    })
}

fn unknown(name: &str) -> Error {
    Error::NotFound {
        message: format!(
            "there is no server `{}`; `planloom servers` lists them",
            piece(name)
        ),
    }
}
