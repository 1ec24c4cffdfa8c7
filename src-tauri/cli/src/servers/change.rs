//! Changes to the set-up: what a person types or another program's file says becomes entries of `settings.json`.

use std::path::Path;

use planloom_engine::Error;
use planloom_engine::model::unread;
use planloom_engine::tools::mcp::settings::{
    EditError, NewServer, NotKept, edit, import as imported, keep as kept, warnings,
};
use planloom_engine::tools::mcp::{Setup, forget};
use serde_json::{Map, Value, json};

use super::unknown;
use crate::args::AddServer;
use crate::exit::Exit;
use crate::out::{Out, piece};

pub fn add(db: &Path, args: AddServer, out: &Out) -> Result<Exit, Error> {
    let server = NewServer {
        name: args.name,
        url: args.url,
        command: args.command,
        env: args.env,
        headers: args.headers,
        folders: args.folders,
        network: args.network,
        unconfined: args.unconfined,
    };
    let (entry, setup) = server.judged().map_err(invalid)?;
    keep(db, &[(server.name, entry)].into_iter().collect(), args.force)?;
    warn(&[&setup], out);
    told(&[&setup], out);
    Ok(Exit::Done)
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
    keep(db, &found.entries, force)?;
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

/// Of keys that stand in the set-up itself.
fn warn(servers: &[&Setup], out: &Out) {
    for warning in servers.iter().flat_map(|setup| warnings(setup)) {
        out.note(&format!("planloom: WARNING: {}", piece(&warning)));
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
fn keep(db: &Path, entries: &Map<String, Value>, force: bool) -> Result<(), Error> {
    kept(&settings(db), entries, force).map_err(|why| match why {
        NotKept::Taken(names) => {
            let names: Vec<String> = names.iter().map(|name| piece(name)).collect();
            let names = names.join(", ");
            invalid(format!(
                "{names}: set up already. Nothing was changed; replace with --force."
            ))
        }
        NotKept::Edit(error) => told_of(error),
    })
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
