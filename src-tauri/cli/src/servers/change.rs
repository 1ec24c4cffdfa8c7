//! Changes to the set-up: what a person types or another program's file says becomes entries of `settings.json`.

use std::path::Path;

use planloom_engine::Error;
use planloom_engine::model::unread;
use planloom_engine::tools::mcp::settings::{EditError, edit, import as imported, read};
use planloom_engine::tools::mcp::{Setup, forget};
use serde_json::{Map, Value, json};

use super::unknown;
use crate::args::AddServer;
use crate::exit::Exit;
use crate::out::{Out, piece};

pub fn add(db: &Path, args: AddServer, out: &Out) -> Result<Exit, Error> {
    let entry = entry_of(&args)?;
    let setup = judged(&args.name, &entry)?;
    keep(db, vec![(args.name.clone(), entry)], args.force)?;
    warn(&[&setup], out);
    told(&[&setup], out);
    Ok(Exit::Done)
}

fn entry_of(args: &AddServer) -> Result<Value, Error> {
    let pairs = |pairs: &[(String, String)]| -> Map<String, Value> {
        pairs
            .iter()
            .map(|(name, value)| (name.clone(), json!(value)))
            .collect()
    };
    let mut entry = Map::new();
    match (&args.url, args.command.split_first()) {
        (Some(url), _) => {
            entry.insert("url".to_owned(), json!(url));
        }
        (None, Some((command, rest))) => {
            entry.insert("command".to_owned(), json!(command));
            entry.insert("args".to_owned(), json!(rest));
        }
        (None, None) => {
            return Err(invalid(
                "a server needs a command behind `--`, or --url".to_owned(),
            ));
        }
    }
    let folders = args
        .folders
        .iter()
        .map(std::path::absolute)
        .collect::<Result<Vec<_>, _>>();
    let folders = folders.map_err(|error| invalid(format!("a folder has no whole path: {error}")))?;
    let said = [
        ("env", !args.env.is_empty(), json!(pairs(&args.env))),
        ("headers", !args.headers.is_empty(), json!(pairs(&args.headers))),
        ("folders", !folders.is_empty(), json!(folders)),
        ("network", args.network, json!(true)),
        ("unconfined", args.unconfined, json!(true)),
    ];
    entry.extend(
        said.into_iter()
            .filter(|(_, is_said, _)| *is_said)
            .map(|(key, _, value)| (key.to_owned(), value)),
    );
    Ok(Value::Object(entry))
}

/// As it will be read; what would be wrong with it then is an error now.
fn judged(name: &str, entry: &Value) -> Result<Setup, Error> {
    let file = json!({ "mcp": { "servers": { name: entry } } });
    let mut troubles = Vec::new();
    let setup = read(file.to_string().as_bytes(), &mut troubles).remove(name);
    match (setup, troubles.first()) {
        (Some(setup), None) => Ok(setup),
        (_, Some(trouble)) => Err(invalid(format!("{trouble}. Nothing was changed."))),
        (None, None) => Err(invalid("this is no server. Nothing was changed.".to_owned())),
    }
}

pub fn import(db: &Path, file: &Path, force: bool, out: &Out) -> Result<Exit, Error> {
    let shown = file.display().to_string();
    let bytes = read_whole(file)
        .map_err(|error| invalid(format!("{} can't be read: {}", piece(&shown), unread(&error))))?;
    let found = imported(&bytes, &file.file_name().unwrap_or_default().to_string_lossy());
    for trouble in &found.troubles {
        out.note(&format!("planloom: {}", piece(&trouble.to_string())));
    }
    if found.entries.is_empty() {
        return Err(invalid(format!(
            "no server was found in {}. Nothing was changed.",
            piece(&shown)
        )));
    }
    keep(db, found.entries.into_iter().collect(), force)?;
    let servers = found.servers.values().collect::<Vec<_>>();
    warn(&servers, out);
    told(&servers, out);
    Ok(Exit::Done)
}

/// A pipe or a device might never end, and no file of settings is that long.
fn read_whole(file: &Path) -> std::io::Result<Vec<u8>> {
    const LONGEST: u64 = 4 << 20;
    let found = std::fs::metadata(file)?;
    match (found.is_dir(), found.is_file(), found.len() > LONGEST) {
        (true, _, _) => Err(std::io::Error::other("it is a folder")),
        (_, false, _) => Err(std::io::Error::other("it is a device or a pipe, not a file")),
        (_, _, true) => Err(std::io::Error::other("it is larger than 4 MiB")),
        (false, true, false) => std::fs::read(file),
    }
}

/// Of keys that stand in the set-up itself, by name.
fn warn(servers: &[&Setup], out: &Out) {
    for setup in servers {
        let mut names = setup.typed_keys();
        names.dedup();
        for name in names {
            let secret: String = name
                .chars()
                .map(|c| {
                    if c.is_ascii_alphanumeric() {
                        c.to_ascii_uppercase()
                    } else {
                        '_'
                    }
                })
                .collect();
            out.note(&format!(
                "planloom: WARNING: a key stands in settings.json as it is: {} of the server {}. Keep it with `planloom secret set \
                 {secret}`, and write ${{{secret}}} in `env` or `headers`: what stands in arguments every program of this machine can read.",
                piece(&name),
                piece(&setup.name),
            ));
        }
    }
}

pub fn remove(db: &Path, name: &str, out: &Out) -> Result<Exit, Error> {
    let was_there = edit(&settings(db), |servers| servers.shift_remove(name).is_some()).map_err(told_of)?;
    if !was_there {
        return Err(unknown(name));
    }
    forget(db, name).map_err(told_of)?;
    if out.json {
        out.object(&json!({ "removed": name }));
    } else {
        out.say(&format!("The server {} is set up no more.", piece(name)));
    }
    Ok(Exit::Done)
}

/// All of them or none.
fn keep(db: &Path, entries: Vec<(String, Value)>, force: bool) -> Result<(), Error> {
    let path = settings(db);
    let taken = |servers: &Map<String, Value>| -> Vec<String> {
        entries
            .iter()
            .filter(|(name, _)| servers.contains_key(name))
            .map(|(name, _)| piece(name))
            .collect()
    };
    let known = edit(&path, |servers| {
        let known = taken(servers);
        if known.is_empty() || force {
            servers.extend(entries.iter().cloned());
            return Vec::new();
        }
        known
    })
    .map_err(told_of)?;
    if known.is_empty() {
        return Ok(());
    }
    let names = known.join(", ");
    Err(invalid(format!(
        "{names}: set up already. Nothing was changed; replace with --force."
    )))
}

fn told(setups: &[&Setup], out: &Out) {
    if out.json {
        let list: Vec<Value> = setups
            .iter()
            .map(|setup| json!({ "server": setup.name, "starts": setup.shown() }))
            .collect();
        out.object(&json!({ "servers": list }));
        return;
    }
    for setup in setups {
        out.say(&format!("{}  {}", piece(&setup.name), piece(&setup.shown())));
        out.say(&format!(
            "  Nothing was started yet. Look at its tools with: {}",
            out.command(&["servers", "check"], &[&setup.name])
        ));
    }
}

fn settings(db: &Path) -> std::path::PathBuf {
    db.with_file_name("settings.json")
}

fn invalid(message: String) -> Error {
    Error::Invalid {
        code: "bad_server",
        message,
    }
}

fn told_of(error: EditError) -> Error {
    Error::Store {
        code: "settings",
        message: error.to_string(),
    }
}
