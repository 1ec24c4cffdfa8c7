//! Reads one server's object, field by field. It must not know which file it stands in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Map;

use super::{BOUNDS, Trouble};
use crate::model::Json;
use crate::model::json::At;
use crate::model::near::Names;
use crate::model::read;
use crate::model::tool::Effect;
use crate::tools::mcp::setup::{Part, Setup, Value, Way, Word, is_secret_name, is_server_name};

/// More troubles of one file are not told one by one.
const MOST_TOLD: usize = 50;
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

pub(super) struct Reader<'a> {
    file: &'a str,
    troubles: &'a mut Vec<Trouble>,
    told: usize,
}

impl<'a> Reader<'a> {
    pub fn new(file: &'a str, troubles: &'a mut Vec<Trouble>) -> Self {
        Self {
            file,
            troubles,
            told: 0,
        }
    }

    pub fn say(&mut self, at: &At<'_>, message: impl Into<String>) {
        self.told += 1;
        if self.told > MOST_TOLD {
            return;
        }
        let pointer = at.pointer();
        let mark = if pointer.is_empty() { "" } else { "#" };
        self.troubles.push(Trouble {
            place: format!("{}{mark}{pointer}", self.file),
            message: message.into(),
        });
    }

    pub fn file(&mut self, bytes: &[u8]) -> Option<Map<String, Json>> {
        match read::read_bytes(bytes, &BOUNDS) {
            Ok(Json::Object(map)) => Some(map),
            Ok(_) => {
                self.say(&At::Root, "this must be an object; nothing of the file is used");
                None
            }
            Err(errors) => {
                for error in errors.iter().take(3) {
                    self.say(&At::Root, format!("{error}; nothing of the file is used"));
                }
                None
            }
        }
    }

    pub fn object_in<'v>(
        &mut self,
        at: &At<'_>,
        map: &'v Map<String, Json>,
        key: &str,
    ) -> Option<&'v Map<String, Json>> {
        let value = map.get(key).filter(|value| !value.is_null())?;
        if value.as_object().is_none() {
            self.wrong(&at.key(key), "an object");
        }
        value.as_object()
    }

    pub fn only(&mut self, at: &At<'_>, map: &Map<String, Json>, known: &[&str]) {
        for key in map.keys().filter(|key| !known.contains(&key.as_str())) {
            let mut near = Names::new(known.iter().copied());
            let meant = near
                .nearest(key)
                .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            self.say(
                &at.key(key),
                format!("this field is not known and not used{meant}"),
            );
        }
    }

    pub fn servers<'v>(
        &mut self,
        at: &At<'_>,
        entries: impl Iterator<Item = (&'v String, &'v Json)>,
    ) -> BTreeMap<String, Setup> {
        let mut servers = BTreeMap::new();
        for (name, value) in entries {
            let at = at.key(name);
            if servers.len() == MOST_SERVERS {
                self.say(
                    &at,
                    format!("more than {MOST_SERVERS} servers; this one is not used"),
                );
                continue;
            }
            if let Some(setup) = self.server(&at, name, value) {
                servers.insert(name.clone(), setup);
            }
        }
        servers
    }

    pub fn server(&mut self, at: &At<'_>, name: &str, value: &Json) -> Option<Setup> {
        if !is_server_name(name) {
            self.say(
                at,
                "a server's name is 1 to 64 letters, digits, `-`, `_` or `.`; it is not used",
            );
            return None;
        }
        let Some(map) = value.as_object() else {
            self.wrong(at, "an object");
            return None;
        };
        let known = map.iter().filter(|(key, _)| !PASSED_OVER.contains(&key.as_str()));
        let known: Map<String, Json> = known.map(|(key, value)| (key.clone(), value.clone())).collect();
        self.only(at, &known, &FIELDS);
        for approval in ["alwaysAllow", "autoApprove"] {
            if map.contains_key(approval) {
                self.say(
                    &at.key(approval),
                    "approvals of other programs do not count here; it is not used",
                );
            }
        }
        let way = self.way(at, map)?;
        Some(Setup {
            name: name.to_owned(),
            way,
            is_unconfined: self.flag(at, map, "unconfined"),
            has_network: self.flag(at, map, "network"),
            folders: self.folders(at, map),
            tools: self.words(at, map),
            patience: self.seconds(at, map, "timeout_s"),
            is_disabled: self.flag(at, map, "disabled"),
        })
    }

    fn way(&mut self, at: &At<'_>, map: &Map<String, Json>) -> Option<Way> {
        let (command, url) = (self.text(at, map, "command"), self.text(at, map, "url"));
        if matches!(map.get("type").and_then(Json::as_str), Some("sse")) {
            self.say(
                &at.key("type"),
                "servers that speak the old HTTP+SSE only are not supported; it is not used",
            );
            return None;
        }
        match (command, url) {
            (Some(command), None) => Some(Way::Stdio {
                command,
                args: self.texts(at, map, "args")?,
                env: self.values(at, map, "env", is_secret_name)?,
                cwd: self.text(at, map, "cwd").map(PathBuf::from),
            }),
            (None, Some(url)) => Some(Way::Http {
                url: self.url(&at.key("url"), &url)?,
                headers: self.values(at, map, "headers", is_header_name)?,
            }),
            (Some(_), Some(_)) => {
                self.say(
                    at,
                    "a server has a `command` or a `url`, not both; it is not used",
                );
                None
            }
            (None, None) => {
                self.say(at, "a server needs a `command` or a `url`; it is not used");
                None
            }
        }
    }

    fn url(&mut self, at: &At<'_>, text: &str) -> Option<url::Url> {
        let url = url::Url::parse(text)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        match url {
            Some(url) if url.username().is_empty() && url.password().is_none() => Some(url),
            Some(_) => {
                self.say(
                    at,
                    "an address with a password in it is not used; give that as a header",
                );
                None
            }
            None => {
                self.say(at, "this is no http or https address; the server is not used");
                None
            }
        }
    }

    fn text(&mut self, at: &At<'_>, map: &Map<String, Json>, key: &str) -> Option<String> {
        let value = map.get(key).filter(|value| !value.is_null())?;
        let text = value
            .as_str()
            .filter(|text| !text.trim().is_empty() && !text.contains('\0'));
        if text.is_none() {
            self.wrong(&at.key(key), "a text that is not empty");
        }
        text.map(str::to_owned)
    }

    fn flag(&mut self, at: &At<'_>, map: &Map<String, Json>, key: &str) -> bool {
        let Some(value) = map.get(key).filter(|value| !value.is_null()) else {
            return false;
        };
        if value.as_bool().is_none() {
            self.wrong(&at.key(key), "true or false");
        }
        value.as_bool().unwrap_or(false)
    }

    fn seconds(&mut self, at: &At<'_>, map: &Map<String, Json>, key: &str) -> Option<Duration> {
        let value = map.get(key).filter(|value| !value.is_null())?;
        let seconds = value.as_u64().filter(|seconds| (1..=86_400).contains(seconds));
        if seconds.is_none() {
            self.wrong(&at.key(key), "a whole number from 1 to 86400");
        }
        seconds.map(Duration::from_secs)
    }

    /// `None` where something in it can't be read: a command with an argument less would be another command.
    fn texts(&mut self, at: &At<'_>, map: &Map<String, Json>, key: &str) -> Option<Vec<String>> {
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
            self.say(
                &at.key(key),
                "this must be a list of texts; the server is not used",
            );
        }
        texts
    }

    fn values(
        &mut self,
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
            self.say(&at, "this must be an object of texts; the server is not used");
            return None;
        };
        for (name, value) in entries {
            match value_of(value).filter(|_| is_name(name)) {
                Some(value) => {
                    values.insert(name.clone(), value);
                }
                // Never the value itself: it may be a key.
                None => {
                    self.say(
                        &at.key(name),
                        "this must be a name with a text or {\"$secret\": NAME}; it is not used",
                    );
                }
            }
        }
        Some(values)
    }

    fn folders(&mut self, at: &At<'_>, map: &Map<String, Json>) -> Vec<PathBuf> {
        let folders = self.texts(at, map, "folders").unwrap_or_default();
        let (whole, other): (Vec<_>, Vec<_>) = folders
            .into_iter()
            .map(PathBuf::from)
            .partition(|folder| folder.is_absolute() && !has_climb(folder));
        for folder in other {
            let message = format!("`{}` is no absolute path; it is not used", folder.display());
            self.say(&at.key("folders"), message);
        }
        whole
    }

    fn words(&mut self, at: &At<'_>, map: &Map<String, Json>) -> BTreeMap<String, Word> {
        let mut words = BTreeMap::new();
        let tools = self.object_in(at, map, "tools");
        let at = at.key("tools");
        for (name, value) in tools.into_iter().flatten() {
            let at = at.key(name);
            let Some(map) = value.as_object() else {
                self.wrong(&at, "an object");
                continue;
            };
            self.only(&at, map, &["effect", "idempotent", "trusted"]);
            let word = Word {
                effect: self.effect(&at, map),
                is_idempotent: self.flag(&at, map, "idempotent"),
                is_trusted: self.flag(&at, map, "trusted"),
            };
            words.insert(name.clone(), word);
        }
        words
    }

    fn effect(&mut self, at: &At<'_>, map: &Map<String, Json>) -> Option<Effect> {
        let value = map.get("effect").filter(|value| !value.is_null())?;
        let effect = value.as_str().and_then(effect_of);
        if effect.is_none() {
            let wanted =
                "one of read_external, write_external, exec, spend (what a server does is never only `pure`)";
            self.wrong(&at.key("effect"), wanted);
        }
        effect
    }

    fn wrong(&mut self, at: &At<'_>, wanted: &str) {
        self.say(at, format!("this must be {wanted}; it is not used"));
    }
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
