//! Servers as a person types them, on their way into `settings.json`: judged as they will be read, kept all or none. It must
//! not know who asks, nor start anything.

use std::path::{Path, PathBuf};

use serde_json::{Map, json};

use super::edit::{EditError, edit};
use crate::model::Json;
use crate::tools::mcp::setup::Setup;

/// A server in a person's words.
#[derive(Clone, Debug, Default)]
pub struct NewServer {
    pub name: String,
    /// Where it is reached over HTTP; else it is a program.
    pub url: Option<String>,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Texts, with `${NAME}` for a secret.
    pub env: Vec<(String, String)>,
    pub headers: Vec<(String, String)>,
    /// What it may read and write.
    pub folders: Vec<PathBuf>,
    pub network: bool,
    pub unconfined: bool,
}

/// Why servers were not kept.
#[derive(Debug, thiserror::Error)]
pub enum NotKept {
    #[error("{}: set up already. Nothing was changed.", .0.join(", "))]
    Taken(Vec<String>),
    #[error(transparent)]
    Edit(#[from] EditError),
}

impl NewServer {
    /// As it will stand in the settings, and as it will be read there; else what is wrong with it.
    pub fn judged(&self) -> Result<(Json, Setup), String> {
        let entry = self.entry()?;
        let file = json!({ "mcp": { "servers": { &self.name: &entry } } });
        let mut troubles = Vec::new();
        let setup = super::read(file.to_string().as_bytes(), &mut troubles).remove(&self.name);
        match (setup, troubles.first()) {
            (Some(setup), None) => Ok((entry, setup)),
            (_, Some(trouble)) => Err(format!("{trouble}. Nothing was changed.")),
            (None, None) => Err("this is no server. Nothing was changed.".to_owned()),
        }
    }

    fn entry(&self) -> Result<Json, String> {
        let mut entry = Map::new();
        match (&self.url, self.command.split_first()) {
            (Some(url), _) => {
                entry.insert("url".to_owned(), json!(url));
            }
            (None, Some((command, rest))) => {
                entry.insert("command".to_owned(), json!(command));
                entry.insert("args".to_owned(), json!(rest));
            }
            (None, None) => {
                return Err("a server needs a command or an address. Nothing was changed.".to_owned());
            }
        }
        let folders: Result<Vec<PathBuf>, _> = self.folders.iter().map(std::path::absolute).collect();
        let folders =
            folders.map_err(|error| format!("a folder has no whole path: {error}. Nothing was changed."))?;
        let said = [
            ("env", !self.env.is_empty(), json!(pairs(&self.env))),
            ("headers", !self.headers.is_empty(), json!(pairs(&self.headers))),
            ("folders", !folders.is_empty(), json!(folders)),
            ("network", self.network, json!(true)),
            ("unconfined", self.unconfined, json!(true)),
        ];
        let said = said.into_iter().filter(|(_, is_said, _)| *is_said);
        entry.extend(said.map(|(key, _, value)| (key.to_owned(), value)));
        Ok(Json::Object(entry))
    }
}

fn pairs(pairs: &[(String, String)]) -> Map<String, Json> {
    pairs
        .iter()
        .map(|(name, value)| (name.clone(), json!(value)))
        .collect()
}

/// All of them or none.
pub fn keep(settings: &Path, entries: &Map<String, Json>, replace: bool) -> Result<(), NotKept> {
    let taken = edit(settings, |servers| {
        let taken: Vec<String> = entries
            .keys()
            .filter(|name| servers.contains_key(*name))
            .cloned()
            .collect();
        if taken.is_empty() || replace {
            servers.extend(entries.clone());
            return Vec::new();
        }
        taken
    })?;
    if taken.is_empty() {
        Ok(())
    } else {
        Err(NotKept::Taken(taken))
    }
}

/// Of keys that stand in the set-up itself: what is wrong with that, and what to do instead.
pub fn warnings(setup: &Setup) -> Vec<String> {
    let mut names = setup.typed_keys();
    names.dedup();
    let warning = |name: &String| {
        let secret = secret_for(&setup.name, name);
        format!(
            "a key stands in settings.json as it is: {name} of the server {}. Keep it with `planloom secret set {secret}`, and \
             write ${{{secret}}} in `env` or `headers`: what stands in arguments every program of this machine can read.",
            setup.name
        )
    };
    names.iter().map(warning).collect()
}

/// What such a key may be called where it is kept: keys of one name, of two servers, are two keys.
fn secret_for(server: &str, name: &str) -> String {
    let word = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_uppercase()
        } else {
            '_'
        }
    };
    let (server, name): (String, String) = (
        server.chars().map(word).collect(),
        name.chars().map(word).collect(),
    );
    let whole = match name.starts_with(&server) {
        true => name,
        false => format!("{server}_{name}"),
    };
    if whole.starts_with(|c: char| c.is_ascii_digit()) {
        format!("_{whole}")
    } else {
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(name: &str, command: &[&str]) -> NewServer {
        NewServer {
            name: name.to_owned(),
            command: command.iter().map(|word| (*word).to_owned()).collect(),
            ..NewServer::default()
        }
    }

    #[test]
    fn keys_of_one_name_are_kept_under_the_names_of_their_servers() {
        for (server, name, secret) in [
            ("maps", "API_KEY", "MAPS_API_KEY"),
            ("git-hub", "x-api-key", "GIT_HUB_X_API_KEY"),
            ("brave", "BRAVE_API_KEY", "BRAVE_API_KEY"),
            ("7z", "key", "_7Z_KEY"),
        ] {
            assert_eq!(secret_for(server, name), secret);
            assert!(crate::tools::mcp::setup::is_secret_name(secret));
        }
    }

    #[test]
    fn what_is_typed_becomes_an_entry_and_what_is_wrong_is_told_before() {
        let (entry, setup) = NewServer {
            env: vec![("TOKEN".to_owned(), "${TOKEN}".to_owned())],
            unconfined: true,
            ..new("files", &["npx", "-y", "server"])
        }
        .judged()
        .unwrap();
        assert_eq!(
            entry,
            json!({ "command": "npx", "args": ["-y", "server"], "env": { "TOKEN": "${TOKEN}" }, "unconfined": true })
        );
        assert!(setup.is_unconfined && warnings(&setup).is_empty());
        for (server, word) in [
            (new("files", &[]), "a command or an address"),
            // As a pointer names it.
            (new("a/b", &["npx"]), "a~1b"),
            (
                NewServer {
                    url: Some("no address".to_owned()),
                    ..new("web", &[])
                },
                "url",
            ),
        ] {
            let wrong = server.judged().unwrap_err();
            assert!(
                wrong.contains(word) && wrong.contains("Nothing was changed"),
                "{wrong}"
            );
        }
    }

    #[test]
    fn all_are_kept_or_none_and_typed_keys_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        std::fs::write(
            &path,
            r#"{"theme": "dark", "mcp": {"servers": {"old": {"command": "x"}}}}"#,
        )
        .unwrap();
        let (entry, setup) = NewServer {
            env: vec![("API_KEY".to_owned(), "sk-ant-aaaaaaaaaaaaaaaaaaaaaaaa".to_owned())],
            ..new("old", &["npx"])
        }
        .judged()
        .unwrap();
        let [warning] = &warnings(&setup)[..] else {
            panic!("one key was typed")
        };
        assert!(
            warning.contains("planloom secret set OLD_API_KEY") && !warning.contains("sk-ant"),
            "{warning}"
        );
        let both: Map<String, Json> = [("old".to_owned(), entry.clone()), ("new".to_owned(), entry)]
            .into_iter()
            .collect();
        let refused = keep(&path, &both, false).unwrap_err().to_string();
        assert_eq!(refused, "old: set up already. Nothing was changed.");
        assert!(!std::fs::read_to_string(&path).unwrap().contains("new"));
        keep(&path, &both, true).unwrap();
        let kept: Json = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(
            (&kept["theme"], &kept["mcp"]["servers"]["new"]["command"]),
            (&json!("dark"), &json!("npx"))
        );
    }
}
