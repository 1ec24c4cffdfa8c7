//! Reads one server's object, field by field. It must not know which file it stands in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Map;

use crate::model::Json;
use crate::model::json::At;
use crate::model::reader::Reader;
use crate::model::tool::Effect;
use crate::tools::mcp::setup::{Part, Setup, Value, Way, Word, is_secret_name, is_server_name};

/// Servers of one file.
const MOST_SERVERS: usize = 100;
const FIELDS: [&str; 13] = [
    "command",
    "args",
    "env",
    "cwd",
    "url",
    "headers",
    "type",
    "unconfined",
    "network",
    "folders",
    "tools",
    "timeout_s",
    "disabled",
];
/// What other programs write beside these, and what it would mean here is said by the person again.
const PASSED_OVER: [&str; 10] = [
    "alwaysAllow",
    "autoApprove",
    "gallery",
    "version",
    "dev",
    "description",
    "timeout",
    "transport",
    "transportType",
    "envFile",
];

pub(super) fn servers<'v>(
    reader: &mut Reader<'_>,
    at: &At<'_>,
    entries: impl Iterator<Item = (&'v String, &'v Json)>,
) -> BTreeMap<String, Setup> {
    let mut servers = BTreeMap::new();
    for (name, value) in entries {
        let at = at.key(name);
        if servers.len() == MOST_SERVERS {
            reader.say(
                &at,
                format!("more than {MOST_SERVERS} servers; this one is not used"),
            );
            continue;
        }
        if let Some(setup) = server(reader, &at, name, value) {
            servers.insert(name.clone(), setup);
        }
    }
    servers
}

pub(super) fn server(reader: &mut Reader<'_>, at: &At<'_>, name: &str, value: &Json) -> Option<Setup> {
    if !is_server_name(name) {
        reader.say(
            at,
            "a server's name is 1 to 64 letters, digits, `-`, `_` or `.`; it is not used",
        );
        return None;
    }
    let Some(map) = value.as_object() else {
        reader.wrong(at, "an object", value);
        return None;
    };
    let known = map.iter().filter(|(key, _)| !PASSED_OVER.contains(&key.as_str()));
    let known: Map<String, Json> = known.map(|(key, value)| (key.clone(), value.clone())).collect();
    reader.only(at, &known, &FIELDS);
    for approval in ["alwaysAllow", "autoApprove"] {
        if map.contains_key(approval) {
            reader.say(
                &at.key(approval),
                "approvals of other programs do not count here; it is not used",
            );
        }
    }
    let way = way(reader, at, map)?;
    Some(Setup {
        name: name.to_owned(),
        way,
        is_unconfined: reader.flag(at, map, "unconfined").unwrap_or(false),
        has_network: reader.flag(at, map, "network").unwrap_or(false),
        folders: folders(reader, at, map),
        tools: words(reader, at, map),
        patience: reader
            .count(at, map, "timeout_s", 1..=86_400)
            .map(Duration::from_secs),
        is_disabled: reader.flag(at, map, "disabled").unwrap_or(false),
    })
}

fn way(reader: &mut Reader<'_>, at: &At<'_>, map: &Map<String, Json>) -> Option<Way> {
    let (command, url) = (
        plain_text(reader, at, map, "command"),
        plain_text(reader, at, map, "url"),
    );
    if matches!(map.get("type").and_then(Json::as_str), Some("sse")) {
        reader.say(
            &at.key("type"),
            "servers that speak the old HTTP+SSE only are not supported; it is not used",
        );
        return None;
    }
    match (command, url) {
        (Some(command), None) => Some(Way::Stdio {
            command,
            args: texts(reader, at, map, "args")?,
            env: values(reader, at, map, "env", is_secret_name)?,
            cwd: plain_text(reader, at, map, "cwd").map(PathBuf::from),
        }),
        (None, Some(url)) => Some(Way::Http {
            url: address(reader, &at.key("url"), &url)?,
            headers: values(reader, at, map, "headers", is_header_name)?,
        }),
        (Some(_), Some(_)) => {
            reader.say(
                at,
                "a server has a `command` or a `url`, not both; it is not used",
            );
            None
        }
        (None, None) => {
            reader.say(at, "a server needs a `command` or a `url`; it is not used");
            None
        }
    }
}

fn address(reader: &mut Reader<'_>, at: &At<'_>, text: &str) -> Option<url::Url> {
    let url = url::Url::parse(text)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    match url {
        Some(url) if url.username().is_empty() && url.password().is_none() => Some(url),
        Some(_) => {
            reader.say(
                at,
                "an address with a password in it is not used; give that as a header",
            );
            None
        }
        None => {
            reader.say(at, "this is no http or https address; the server is not used");
            None
        }
    }
}

/// `None` where something in it can't be read: a command with an argument less would be another command.
fn texts(reader: &mut Reader<'_>, at: &At<'_>, map: &Map<String, Json>, key: &str) -> Option<Vec<String>> {
    let Some(value) = map.get(key).filter(|value| !value.is_null()) else {
        return Some(Vec::new());
    };
    let items = value.as_array().map(Vec::as_slice);
    let texts: Option<Vec<String>> = items.and_then(|items| {
        let text = |item: &Json| {
            item.as_str()
                .filter(|text| !text.contains('\0'))
                .map(str::to_owned)
        };
        items.iter().map(text).collect()
    });
    if texts.is_none() {
        reader.say(
            &at.key(key),
            "this must be a list of texts; the server is not used",
        );
    }
    texts
}

fn values(
    reader: &mut Reader<'_>,
    at: &At<'_>,
    map: &Map<String, Json>,
    key: &str,
    is_name: fn(&str) -> bool,
) -> Option<BTreeMap<String, Value>> {
    let mut values = BTreeMap::new();
    let Some(entries) = map.get(key).filter(|value| !value.is_null()) else {
        return Some(values);
    };
    let at = at.key(key);
    let Some(entries) = entries.as_object() else {
        reader.say(&at, "this must be an object of texts; the server is not used");
        return None;
    };
    for (name, value) in entries {
        match value_of(value).filter(|_| is_name(name)) {
            Some(value) => {
                values.insert(name.clone(), value);
            }
            // Never the value itself: it may be a key.
            None => {
                reader.say(
                    &at.key(name),
                    "this must be a name with a text or {\"$secret\": NAME}; it is not used",
                );
            }
        }
    }
    Some(values)
}

fn folders(reader: &mut Reader<'_>, at: &At<'_>, map: &Map<String, Json>) -> Vec<PathBuf> {
    let folders = texts(reader, at, map, "folders").unwrap_or_default();
    let (whole, other): (Vec<_>, Vec<_>) = folders
        .into_iter()
        .map(PathBuf::from)
        .partition(|folder| folder.is_absolute() && !has_climb(folder));
    for folder in other {
        let message = format!("`{}` is no absolute path; it is not used", folder.display());
        reader.say(&at.key("folders"), message);
    }
    whole
}

fn words(reader: &mut Reader<'_>, at: &At<'_>, map: &Map<String, Json>) -> BTreeMap<String, Word> {
    let mut words = BTreeMap::new();
    let tools = reader.object_in(at, map, "tools");
    let at = at.key("tools");
    for (name, value) in tools.into_iter().flatten() {
        let at = at.key(name);
        let Some(map) = value.as_object() else {
            reader.wrong(&at, "an object", value);
            continue;
        };
        reader.only(&at, map, &["effect", "idempotent", "trusted"]);
        let word = Word {
            effect: effect(reader, &at, map),
            is_idempotent: reader.flag(&at, map, "idempotent").unwrap_or(false),
            is_trusted: reader.flag(&at, map, "trusted").unwrap_or(false),
        };
        words.insert(name.clone(), word);
    }
    words
}

fn effect(reader: &mut Reader<'_>, at: &At<'_>, map: &Map<String, Json>) -> Option<Effect> {
    let value = map.get("effect").filter(|value| !value.is_null())?;
    let effect = value.as_str().and_then(effect_of);
    if effect.is_none() {
        let wanted =
            "one of read_external, write_external, exec, spend (what a server does is never only `pure`)";
        reader.wrong(&at.key("effect"), wanted, value);
    }
    effect
}

/// Without NULs, which no command line may hold.
fn plain_text(reader: &mut Reader<'_>, at: &At<'_>, map: &Map<String, Json>, key: &str) -> Option<String> {
    let text = reader.text(at, map, key)?;
    if text.contains('\0') {
        reader.say(&at.key(key), "there is a NUL in this text; it is not used");
        return None;
    }
    Some(text)
}

fn value_of(value: &Json) -> Option<Value> {
    match value {
        Json::String(text) if !text.contains('\0') => Some(Value::parse(text)),
        // People write numbers and flags where texts belong; their text is meant.
        Json::Number(number) => Some(Value(vec![Part::Text(number.to_string())])),
        Json::Bool(flag) => Some(Value(vec![Part::Text(flag.to_string())])),
        Json::Object(map) if map.len() == 1 => {
            let name = map.get("$secret")?.as_str().filter(|name| is_secret_name(name))?;
            Some(Value(vec![Part::Secret(name.to_owned())]))
        }
        Json::String(_) | Json::Null | Json::Array(_) | Json::Object(_) => None,
    }
}

fn effect_of(word: &str) -> Option<Effect> {
    match word {
        "read_external" | "read" => Some(Effect::ReadExternal),
        "write_external" | "write" => Some(Effect::WriteExternal),
        "exec" => Some(Effect::Exec),
        "spend" => Some(Effect::Spend),
        _ => None,
    }
}

fn is_header_name(name: &str) -> bool {
    let is_part = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    (1..=128).contains(&name.len()) && name.bytes().all(is_part)
}

fn has_climb(path: &Path) -> bool {
    path.components()
        .any(|part| part == std::path::Component::ParentDir)
}
