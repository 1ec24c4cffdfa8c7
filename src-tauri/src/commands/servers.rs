//! Commands about servers of tools: which are set up, what they offer, and how they are set up. What they may do is not
//! decided here.

use planloom_engine::model::tool::Effect;
use planloom_engine::rfc3339;
use planloom_engine::tools::mcp::settings::NewServer;
use planloom_engine::tools::mcp::{Looked, ToolRow};
use serde::{Deserialize, Serialize};
use tauri::{AppHandle, State};

use crate::choose;
use crate::desk::Desk;
use crate::fault::Fault;
use crate::servers::{Import, Listed, Shown, Taken, standing};

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ServersView {
    pub servers: Vec<ServerView>,
    /// What is wrong in the settings, each with its place.
    pub problems: Vec<String>,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ServerView {
    pub name: String,
    /// The whole command line, or the address; no value that may be a key.
    pub starts: String,
    /// "off", "unseen", "idle", "starting", "installing", "running" or "failed".
    pub state: String,
    /// The last line of an installation, or why it failed with the end of its stderr.
    pub detail: Option<String>,
    pub is_checking: bool,
    /// It runs without a sandbox, by a person's word.
    pub is_unconfined: bool,
    /// How it names itself, and the protocol's revision that it speaks.
    pub own_name: String,
    pub protocol: String,
    /// When it was last looked at, as RFC 3339.
    pub looked_at: Option<String>,
    pub tools: Vec<ServerTool>,
    pub warnings: Vec<String>,
    /// The end of its stderr at the last check.
    pub stderr: String,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ServerTool {
    /// `server/tool`.
    pub name: String,
    pub description: String,
    /// What it counts as; null where it can't be used.
    pub effect: Option<Effect>,
    /// Whether a person has said so.
    pub is_said: bool,
    /// What the server says of it by itself.
    pub hints: Vec<String>,
    pub problem: Option<String>,
    /// Found by the last check: not there before, or defined otherwise, so that plans need a new approval.
    pub news: Option<ToolNews>,
}

#[derive(Clone, Copy, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub enum ToolNews {
    Added,
    Changed,
}

/// A server as a person types it.
#[derive(Clone, Debug, Deserialize, specta::Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ServerForm {
    pub name: String,
    /// Where it is reached over HTTP; null for a program.
    pub url: Option<String>,
    /// The program and its arguments, one each.
    pub command: Vec<String>,
    /// With `${NAME}` for a secret.
    pub env: Vec<NamedText>,
    pub headers: Vec<NamedText>,
    pub folders: Vec<String>,
    pub network: bool,
    pub unconfined: bool,
}

#[derive(Clone, Debug, Deserialize, specta::Type)]
#[serde(deny_unknown_fields)]
pub struct NamedText {
    pub name: String,
    pub value: String,
}

/// What was taken in, or would be. Nothing of it was started.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ServersTaken {
    pub servers: Vec<ServerTaken>,
    /// Of keys that were typed, and of what was not taken over.
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ServerTaken {
    pub name: String,
    pub starts: String,
}

/// A file that a person has chosen.
#[derive(Clone, Debug, Serialize, specta::Type)]
pub struct ChosenText {
    pub name: String,
    pub text: String,
}

/// The servers that are set up, as they stand now.
#[tauri::command]
#[specta::specta]
pub async fn servers(desk: State<'_, Desk>) -> Result<ServersView, Fault> {
    let engine = desk.engine()?;
    Ok(view(desk.servers.list(&engine)))
}

/// Starts a server and lists its tools; answers how all stand when that is done.
#[tauri::command]
#[specta::specta]
pub async fn check_server(desk: State<'_, Desk>, name: String) -> Result<ServersView, Fault> {
    let engine = desk.engine()?;
    desk.servers.check(&name).await?;
    Ok(view(desk.servers.list(&engine)))
}

/// Keeps a server in the settings; one of the same name only with `replace`.
#[tauri::command]
#[specta::specta]
pub async fn add_server(
    desk: State<'_, Desk>,
    form: ServerForm,
    replace: bool,
) -> Result<ServersTaken, Fault> {
    let pairs = |pairs: Vec<NamedText>| pairs.into_iter().map(|pair| (pair.name, pair.value)).collect();
    let server = NewServer {
        name: form.name,
        url: form.url,
        command: form.command,
        env: pairs(form.env),
        headers: pairs(form.headers),
        folders: form.folders.into_iter().map(Into::into).collect(),
        network: form.network,
        unconfined: form.unconfined,
    };
    let engine = desk.engine()?;
    let taken = desk.servers.add(&desk.settings, &server, replace)?;
    engine.read_servers();
    Ok(told(taken))
}

/// Takes over servers from another program's settings (`mcpServers`); without `keep` only says what would be.
#[tauri::command]
#[specta::specta]
pub async fn import_servers(
    desk: State<'_, Desk>,
    text: String,
    file: String,
    keep: bool,
    replace: bool,
) -> Result<ServersTaken, Fault> {
    let how = if keep {
        Import::Keep { replace }
    } else {
        Import::Look
    };
    let engine = desk.engine()?;
    let taken = desk.servers.import(&desk.settings, &text, &file, how)?;
    engine.read_servers();
    Ok(told(taken))
}

/// The server is set up no more, and what was seen of it is forgotten.
#[tauri::command]
#[specta::specta]
pub async fn remove_server(desk: State<'_, Desk>, name: String) -> Result<ServersView, Fault> {
    let engine = desk.engine()?;
    desk.servers.remove(&desk.settings, &name)?;
    Ok(view(desk.servers.list(&engine)))
}

/// A file of another program's settings, read; null where the person chose nothing.
#[tauri::command]
#[specta::specta]
pub async fn choose_servers_file(app: AppHandle) -> Result<Option<ChosenText>, Fault> {
    choose::small_text(&app)
        .await
        .map(|chosen| chosen.map(|(name, text)| ChosenText { name, text }))
}

fn view(listed: Listed) -> ServersView {
    ServersView {
        servers: listed.servers.into_iter().map(server).collect(),
        problems: listed.troubles.iter().map(ToString::to_string).collect(),
    }
}

fn server(shown: Shown) -> ServerView {
    let (state, detail) = standing(&shown);
    let looked = shown.looked.as_ref().and_then(|looked| looked.as_ref().ok());
    ServerView {
        state: state.to_owned(),
        detail,
        is_checking: shown.is_checking,
        stderr: looked.map(|looked| looked.stderr.clone()).unwrap_or_default(),
        tools: shown.row.tools.iter().map(|row| tool(row, looked)).collect(),
        name: shown.row.name,
        starts: shown.row.shown,
        is_unconfined: shown.row.is_unconfined,
        own_name: shown.row.server,
        protocol: shown.row.protocol,
        looked_at: shown.row.looked_at.map(rfc3339),
        warnings: shown.row.warnings,
    }
}

fn tool(row: &ToolRow, looked: Option<&Looked>) -> ServerTool {
    let own = row.name.split_once('/').map_or(row.name.as_str(), |(_, own)| own);
    let is_in = |names: &[String]| names.iter().any(|name| name == own);
    let news = looked.and_then(|looked| {
        let changed = is_in(&looked.changed).then_some(ToolNews::Changed);
        changed.or_else(|| is_in(&looked.added).then_some(ToolNews::Added))
    });
    ServerTool {
        name: row.name.clone(),
        description: row.description.clone(),
        effect: row.effect,
        is_said: row.is_said,
        hints: row.hints.clone(),
        problem: row.problem.clone(),
        news,
    }
}

fn told(taken: Taken) -> ServersTaken {
    let troubles = taken.troubles.iter().map(ToString::to_string);
    ServersTaken {
        warnings: taken.warnings.iter().cloned().chain(troubles).collect(),
        servers: taken
            .setups
            .iter()
            .map(|setup| ServerTaken {
                name: setup.name.clone(),
                starts: setup.shown(),
            })
            .collect(),
    }
}
