//! Takes over servers from the files of other programs: `mcpServers` (Claude Desktop, Cursor and others), `servers`
//! (VS Code's `mcp.json`), `mcp.servers` (VS Code's settings). Nothing is started by it.

use std::collections::BTreeMap;

use serde_json::{Map, json};

use crate::model::Json;
use crate::model::json::At;
use crate::model::read;
use crate::model::reader::{BOUNDS, Reader, Trouble};
use crate::tools::mcp::setup::Setup;

/// What a file sets up.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// As they are read here.
    pub servers: BTreeMap<String, Setup>,
    /// The same as they will stand in `settings.json`.
    pub entries: Map<String, Json>,
    pub troubles: Vec<Trouble>,
}

/// What only a person may say here, not a file from elsewhere.
const OURS: [&str; 4] = ["unconfined", "network", "folders", "tools"];

pub fn import(bytes: &[u8], file: &str) -> Imported {
    let mut imported = Imported::default();
    let mut troubles = Vec::new();
    let plain = without_comments(bytes);
    let mut reader = Reader::new(file, &mut troubles);
    let root = match read::read_bytes(&plain, &BOUNDS) {
        Ok(Json::Object(root)) => root,
        Ok(_) => {
            reader.say(&At::Root, "this must be an object with `mcpServers` or `servers`");
            Map::new()
        }
        Err(errors) => {
            errors
                .iter()
                .take(3)
                .for_each(|error| reader.say(&At::Root, error.to_string()));
            Map::new()
        }
    };
    let mcp = root.get("mcp").and_then(Json::as_object);
    let (at, servers) = match (root.get("mcpServers"), mcp, root.get("servers")) {
        (Some(servers), _, _) => (At::Root.key("mcpServers"), servers.as_object()),
        (None, Some(mcp), None) => (At::Root.key("mcp"), mcp.get("servers").and_then(Json::as_object)),
        (None, _, servers) => (At::Root.key("servers"), servers.and_then(Json::as_object)),
    };
    for (name, value) in servers.into_iter().flatten() {
        take(&mut imported, &mut reader, &at, name, value.clone());
    }
    if troubles.is_empty() && servers.is_none() {
        Reader::new(file, &mut troubles).say(&At::Root, "there is no `mcpServers` and no `servers` in it");
    }
    imported.troubles = troubles;
    imported
}

fn take(imported: &mut Imported, reader: &mut Reader<'_>, at: &At<'_>, name: &str, mut value: Json) {
    let at = at.key(name);
    for ours in OURS {
        if value
            .as_object_mut()
            .and_then(|map| map.shift_remove(ours))
            .is_some()
        {
            reader.say(&at.key(ours), "this is for you to say here; it is not taken over");
        }
    }
    if let Some(setup) = super::read::server(reader, &at, name, &value) {
        imported.entries.insert(name.to_owned(), entry_of(&value));
        imported.servers.insert(name.to_owned(), setup);
    }
}

/// Only the fields that mean something here.
fn entry_of(value: &Json) -> Json {
    let mut entry = json!({});
    for field in ["command", "args", "env", "cwd", "url", "headers", "disabled"] {
        if let Some(value) = value.get(field).filter(|value| !value.is_null()) {
            entry[field] = value.clone();
        }
    }
    entry
}

/// Programs that write such files allow comments and a comma behind the last entry.
fn without_comments(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    let mut in_text = false;
    while at < bytes.len() {
        let (byte, next) = (bytes[at], bytes.get(at + 1));
        match (in_text, byte, next) {
            (true, b'\\', Some(next)) => {
                out.extend([byte, *next]);
                at += 2;
                continue;
            }
            (_, b'"', _) => in_text = !in_text,
            (false, b'/', Some(b'/')) => {
                at += bytes[at..]
                    .iter()
                    .position(|b| *b == b'\n')
                    .unwrap_or(bytes.len() - at);
                continue;
            }
            (false, b'/', Some(b'*')) => {
                let end = bytes[at + 2..].windows(2).position(|two| two == b"*/");
                at = end.map_or(bytes.len(), |end| at + 2 + end + 2);
                continue;
            }
            (false, b'}' | b']', _) => {
                let last = out.iter().rposition(|b: &u8| !b.is_ascii_whitespace());
                if let Some(last) = last.filter(|&last| out[last] == b',') {
                    out[last] = b' ';
                }
            }
            (true | false, _, _) => {}
        }
        out.push(byte);
        at += 1;
    }
    out
}
