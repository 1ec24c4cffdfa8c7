//! How a person has set up a server: its command or address, its environment, what it may reach, and what was said of
//! its tools. Plain values; it must not know files, nor start anything.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, json};

use crate::model::json::canonical;
use crate::model::redactor::{is_key_name, key_in};
use crate::model::tool::Effect;
use crate::model::{Digest, Json};

/// One server.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    pub name: String,
    pub way: Way,
    /// A person's word that it may run without a sandbox.
    pub is_unconfined: bool,
    /// Whether a confined one may use the network.
    pub has_network: bool,
    /// What a confined one may read and write, and what any is told as its roots.
    pub folders: Vec<PathBuf>,
    /// What a person has said of single tools.
    pub tools: BTreeMap<String, Word>,
    /// How long a call may be silent.
    pub patience: Option<Duration>,
    pub is_disabled: bool,
}

/// How it is reached.
#[derive(Clone, Debug, PartialEq)]
pub enum Way {
    Stdio {
        command: String,
        args: Vec<String>,
        env: BTreeMap<String, Value>,
        cwd: Option<PathBuf>,
    },
    Http {
        url: url::Url,
        headers: BTreeMap<String, Value>,
    },
}

/// A text with secrets in it, which are only put in when the server is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value(pub Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    Text(String),
    Secret(String),
}

/// A person's word about one tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Word {
    pub effect: Option<Effect>,
    /// The server drops a repeated idempotency key.
    pub is_idempotent: bool,
    /// What it gives was not written by somebody outside.
    pub is_trusted: bool,
}

impl Value {
    /// `${NAME}` and `${env:NAME}` are secrets; `$${` stands for `${`.
    pub fn parse(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("${") {
            if rest[..at].ends_with('$') {
                plain.push_str(&rest[..at - 1]);
                plain.push_str("${");
                rest = &rest[at + 2..];
                continue;
            }
            let end = rest[at..].find('}').map(|end| at + end);
            let name = end.map(|end| &rest[at + 2..end]).map(|name| {
                let bare = name.strip_prefix("env:").or_else(|| name.strip_prefix("input:"));
                bare.unwrap_or(name)
            });
            let (Some(end), Some(name)) = (end, name.filter(|name| is_secret_name(name))) else {
                plain.push_str(&rest[..at + 2]);
                rest = &rest[at + 2..];
                continue;
            };
            plain.push_str(&rest[..at]);
            if !plain.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut plain)));
            }
            parts.push(Part::Secret(name.to_owned()));
            rest = &rest[end + 1..];
        }
        plain.push_str(rest);
        if !plain.is_empty() || parts.is_empty() {
            parts.push(Part::Text(plain));
        }
        Self(parts)
    }

    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            Part::Secret(name) => Some(name.as_str()),
            Part::Text(_) => None,
        })
    }

    /// As it may be shown: names of secrets, and of other texts that stand alone nothing.
    pub fn shown(&self) -> String {
        let part = |part: &Part| match part {
            Part::Secret(name) => format!("${{{name}}}"),
            Part::Text(text) => text.clone(),
        };
        self.0.iter().map(part).collect()
    }
}

/// What a variable of the environment can be named.
pub fn is_secret_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    let starts = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    starts && name.len() <= 128 && bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
}

/// Whether a text can be the name of a server: the part of a tool's name before its first `/`.
pub fn is_server_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

impl Setup {
    /// The whole command line, or the address: what a person sees before the first start.
    pub fn shown(&self) -> String {
        match &self.way {
            Way::Stdio {
                command, args, env, ..
            } => {
                let variables = env.iter().map(|(name, value)| {
                    // A value that was typed into the file may be a key all the same.
                    let has_text = value.0.iter().any(|part| matches!(part, Part::Text(_)));
                    let value = if has_text { "…".to_owned() } else { value.shown() };
                    format!("{name}={value}")
                });
                let words = std::iter::once(quoted(command)).chain(args_shown(args));
                variables.chain(words).collect::<Vec<_>>().join(" ")
            }
            Way::Http { url, .. } => url_shown(url),
        }
    }

    /// Keys that were typed into the set-up itself, by the name under which they stand: others may read that file, and what
    /// is done with it.
    pub fn typed_keys(&self) -> Vec<String> {
        let is_typed = |name: &str, value: &Value| {
            let mut plain = value.0.iter().filter_map(|part| match part {
                Part::Text(text) => Some(text.trim()),
                Part::Secret(_) => None,
            });
            plain.any(|text| key_in(text).is_some() || (is_key_name(name) && has_value(text)))
        };
        match &self.way {
            Way::Stdio { args, env, .. } => {
                let variables = env
                    .iter()
                    .filter(|(name, value)| is_typed(name, value))
                    .map(|(name, _)| name.clone());
                variables
                    .chain(keys_in(args).into_iter().map(|(name, _)| name))
                    .collect()
            }
            Way::Http { url, headers } => {
                let named = headers
                    .iter()
                    .filter(|(name, value)| is_typed(name, value))
                    .map(|(name, _)| name.clone());
                let asked = url
                    .query_pairs()
                    .filter(|(name, value)| is_key_name(name) || key_in(value).is_some());
                named.chain(asked.map(|(name, _)| name.into_owned())).collect()
            }
        }
    }

    /// The keys among the arguments and in the address, to be taken out of what the server says.
    pub(super) fn keys_of_way(&self) -> Vec<String> {
        match &self.way {
            Way::Stdio { args, .. } => keys_in(args).into_iter().map(|(_, key)| key.to_owned()).collect(),
            Way::Http { url, .. } => {
                let values = url.query_pairs().map(|(_, value)| value.into_owned());
                values.filter(|value| value.len() >= 8).collect()
            }
        }
    }

    /// Changes whenever other code, or another address, would answer under this name. Values of variables do not count:
    /// keys change.
    pub fn identity(&self) -> Digest {
        let way = match &self.way {
            Way::Stdio {
                command,
                args,
                env,
                cwd,
            } => {
                let names: Vec<&String> = env.keys().collect();
                let cwd = cwd.as_ref().map(|cwd| cwd.to_string_lossy());
                json!({ "command": command, "args": args, "env": names, "cwd": cwd })
            }
            Way::Http { url, headers } => {
                let names: Vec<&String> = headers.keys().collect();
                json!({ "url": url.as_str(), "headers": names })
            }
        };
        let whole: Map<String, Json> = [("name".to_owned(), json!(self.name)), ("way".to_owned(), way)]
            .into_iter()
            .collect();
        Digest::of(canonical(&Json::Object(whole)).as_bytes())
    }
}

/// `Bearer ` alone, in front of a secret's name, is no key.
fn has_value(text: &str) -> bool {
    let bare = ["bearer", "basic", "token"]
        .iter()
        .any(|scheme| text.eq_ignore_ascii_case(scheme));
    !text.is_empty() && !bare
}

/// The keys among arguments, with the option under which each stands: `--api-key=abc`, `--token abc`, `sk-…`.
fn keys_in(args: &[String]) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    let mut before: Option<&str> = None;
    for arg in args {
        let option = arg.starts_with('-').then(|| arg.trim_start_matches('-'));
        let (name, value) = match (option.and_then(|option| option.split_once('=')), before) {
            (Some((name, value)), _) => (Some(name), value),
            (None, before) if option.is_none() => (before, arg.as_str()),
            (None, _) => (None, arg.as_str()),
        };
        let is_named = name.is_some_and(is_key_name) && !value.is_empty();
        if let Some((_, key)) = key_in(value) {
            found.push((name.unwrap_or("an argument").to_owned(), key));
        }
        if is_named {
            found.push((name.unwrap_or_default().to_owned(), value));
        }
        before = option.filter(|option| !option.contains('='));
    }
    found
}

fn args_shown(args: &[String]) -> impl Iterator<Item = String> {
    let mut keys: Vec<&str> = keys_in(args).into_iter().map(|(_, key)| key).collect();
    keys.sort_by_key(|key| std::cmp::Reverse(key.len()));
    args.iter().map(move |arg| {
        let hidden = keys
            .iter()
            .find(|key| arg.ends_with(**key) || arg.contains(**key));
        hidden.map_or_else(|| quoted(arg), |key| quoted(&arg.replace(key, "…")))
    })
}

/// Without the values of its query, which may be keys.
fn url_shown(url: &url::Url) -> String {
    let mut shown = url.clone();
    shown.set_query(None);
    let names: Vec<String> = url.query_pairs().map(|(name, _)| format!("{name}=…")).collect();
    match names.is_empty() {
        true => shown.to_string(),
        false => format!("{shown}?{}", names.join("&")),
    }
}

/// A word as a shell would need it, with nothing in it that can't be seen.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@,+%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("{word:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_named_in_values() {
        let value = Value::parse("Bearer ${env:API_TOKEN}!");
        assert_eq!(value.secrets().collect::<Vec<_>>(), ["API_TOKEN"]);
        assert_eq!(value.shown(), "Bearer ${API_TOKEN}!");
        for plain in ["", "x", "$HOME", "${", "${}", "${a b}", "$${NOT}"] {
            assert_eq!(Value::parse(plain).secrets().count(), 0, "{plain}");
        }
        assert_eq!(Value::parse("$${NOT}").0, [Part::Text("${NOT}".to_owned())]);
        assert_eq!(Value::parse("${A}${B}").secrets().count(), 2);
    }

    #[test]
    fn keys_that_were_typed_are_named_and_never_shown() {
        let args = [
            "--api-key=abc-123",
            "--token",
            "hunter2hunter2",
            "--port",
            "80",
            "sk-ant-aaaaaaaaaaaaaaaaaaaaaaaa",
        ];
        let args: Vec<String> = args.map(str::to_owned).to_vec();
        let found: Vec<String> = keys_in(&args).into_iter().map(|(name, _)| name).collect();
        assert_eq!(found, ["api-key", "token", "an argument"]);
        let shown: Vec<String> = args_shown(&args).collect();
        assert_eq!(shown.join(" "), "\"--api-key=…\" --token \"…\" --port 80 \"…\"");
        let url = "https://x.example/mcp?key=abcdefgh&a=1".parse().unwrap();
        assert_eq!(url_shown(&url), "https://x.example/mcp?key=…&a=…");
    }

    #[test]
    fn the_command_line_is_shown_whole_and_without_values() {
        let setup = Setup {
            name: "x".to_owned(),
            way: Way::Stdio {
                command: "npx".to_owned(),
                args: vec!["-y".to_owned(), "a b".to_owned(), "c\u{202e}d".to_owned()],
                env: [
                    ("KEY".to_owned(), Value::parse("hunter2")),
                    ("TOKEN".to_owned(), Value::parse("${TOKEN}")),
                ]
                .into(),
                cwd: None,
            },
            is_unconfined: false,
            has_network: false,
            folders: Vec::new(),
            tools: BTreeMap::new(),
            patience: None,
            is_disabled: false,
        };
        assert_eq!(setup.shown(), r#"KEY=… TOKEN=${TOKEN} npx -y "a b" "c\u{202e}d""#);
    }
}
