//! What servers were seen to offer, kept in a file beside the database: plans are checked and approved against it
//! without starting anything. It must not know how servers are asked.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, json};

use super::definition::Definition;
use super::settings::EditError;
use crate::model::read::{self, Bounds};
use crate::model::{Digest, Json};

const BOUNDS: Bounds = Bounds {
    bytes: 64 << 20,
    depth: 64,
    values: 4_000_000,
    tasks: 100_000,
};
const VERSION: u64 = 1;

/// What one server was seen to offer.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// Of the set-up that it was seen under: another command is another server.
    pub identity: Digest,
    /// UTC milliseconds.
    pub at_ms: i64,
    /// As the server names itself.
    pub server: String,
    pub protocol: String,
    pub tools: Vec<Definition>,
    /// What was wrong with its list.
    pub warnings: Vec<String>,
}

/// A pipe or a device might never end.
pub(super) fn read_file(path: &Path) -> std::io::Result<Vec<u8>> {
    if std::fs::metadata(path)?.is_file() {
        return std::fs::read(path);
    }
    Err(std::io::Error::other("it is no file"))
}

/// All of them, by the server's name. A file that can't be read counts as none: it is made anew by looking again.
pub fn load(path: &Path) -> BTreeMap<String, Seen> {
    let Ok(bytes) = read_file(path) else {
        return BTreeMap::new();
    };
    let Ok(Json::Object(file)) = read::read_bytes(&bytes, &BOUNDS) else {
        tracing::warn!(path = %path.display(), "the file of seen tools can't be read; servers must be looked at again");
        return BTreeMap::new();
    };
    let servers = file.get("servers").and_then(Json::as_object);
    let seen = servers
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| Some((name.clone(), seen_of(value)?)));
    seen.collect()
}

/// Puts one server's entry in the place of what was known; without one, takes it out.
pub fn keep(path: &Path, name: &str, seen: Option<&Seen>) -> Result<(), EditError> {
    let mut all = load(path);
    match seen {
        Some(seen) => drop(all.insert(name.to_owned(), seen.clone())),
        None if all.remove(name).is_none() => return Ok(()),
        None => {}
    }
    let servers: Map<String, Json> = all
        .iter()
        .map(|(name, seen)| (name.clone(), json_of(seen)))
        .collect();
    let text = json!({ "version": VERSION, "servers": servers }).to_string();
    let failed = |error| EditError::Write(path.display().to_string(), error);
    super::settings::replace(path, text.as_bytes()).map_err(failed)
}

fn seen_of(value: &Json) -> Option<Seen> {
    let text = |key: &str| Some(value.get(key)?.as_str()?.to_owned());
    let list = |key: &str| value.get(key).and_then(Json::as_array).into_iter().flatten();
    Some(Seen {
        identity: Digest::parse(&text("identity")?)?,
        at_ms: value.get("at").and_then(Json::as_i64).unwrap_or_default(),
        server: text("server").unwrap_or_default(),
        protocol: text("protocol").unwrap_or_default(),
        tools: list("tools").filter_map(Definition::of_kept).collect(),
        warnings: list("warnings")
            .filter_map(Json::as_str)
            .map(str::to_owned)
            .collect(),
    })
}

fn json_of(seen: &Seen) -> Json {
    json!({
        "identity": seen.identity.to_string(),
        "at": seen.at_ms,
        "server": seen.server,
        "protocol": seen.protocol,
        "tools": seen.tools.iter().map(Definition::to_json).collect::<Vec<_>>(),
        "warnings": seen.warnings,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mcp-tools.json");
        let tool = json!({ "name": "a", "inputSchema": { "type": "object", "maximum": 1.10 } });
        let seen = Seen {
            identity: Digest::of(b"x"),
            at_ms: 5,
            server: "demo 1".to_owned(),
            protocol: "2025-06-18".to_owned(),
            tools: vec![Definition::read(&tool).unwrap()],
            warnings: vec!["w".to_owned()],
        };
        keep(&path, "one", Some(&seen)).unwrap();
        keep(&path, "two", Some(&seen)).unwrap();
        keep(&path, "one", None).unwrap();
        assert_eq!(load(&path), [("two".to_owned(), seen)].into());
        for broken in ["", "[]", "{\"servers\": 5}", "{\"servers\": {\"a\": []}}"] {
            std::fs::write(&path, broken).unwrap();
            assert_eq!(load(&path), BTreeMap::new());
        }
    }
}
