//! Changes the servers in `settings.json` and nothing else in it. The file appears whole or stays as it was.

use std::io::Write;
use std::path::Path;

use serde_json::{Map, json};

use crate::model::Json;
use crate::model::read;
use crate::model::reader::BOUNDS;
use crate::model::unread;

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    #[error("{0} can't be read: {why}; nothing was changed", why = unread(.1))]
    Read(String, std::io::Error),
    #[error("{0} is not what it should be: {1}. Nothing was changed; mend it by hand first.")]
    Broken(String, String),
    #[error("{0} can't be written: {why}; it is as it was", why = unread(.1))]
    Write(String, std::io::Error),
}

/// Lets `change` work on the servers' object; what it gives back is given on.
pub fn edit<T>(path: &Path, change: impl FnOnce(&mut Map<String, Json>) -> T) -> Result<T, EditError> {
    let name = path.display().to_string();
    let mut file = match crate::tools::mcp::cache::read_file(path) {
        Ok(bytes) => whole(&bytes).map_err(|wrong| EditError::Broken(name.clone(), wrong))?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Map::new(),
        Err(error) => return Err(EditError::Read(name, error)),
    };
    let servers = servers_of(&mut file).map_err(|wrong| EditError::Broken(name.clone(), wrong))?;
    let given = change(servers);
    let text = serde_json::to_string_pretty(&file).unwrap_or_default();
    replace(path, text.as_bytes()).map_err(|error| EditError::Write(name, error))?;
    Ok(given)
}

fn whole(bytes: &[u8]) -> Result<Map<String, Json>, String> {
    match read::read_bytes(bytes, &BOUNDS) {
        Ok(Json::Object(map)) => Ok(map),
        Ok(_) => Err("it is no object".to_owned()),
        Err(errors) => Err(errors.first().map(ToString::to_string).unwrap_or_default()),
    }
}

fn servers_of(file: &mut Map<String, Json>) -> Result<&mut Map<String, Json>, String> {
    let mcp = file.entry("mcp").or_insert_with(|| json!({}));
    let mcp = mcp.as_object_mut().ok_or("`mcp` is no object")?;
    let servers = mcp.entry("servers").or_insert_with(|| json!({}));
    servers
        .as_object_mut()
        .ok_or_else(|| "`mcp.servers` is no object".to_owned())
}

/// A new file that only its owner may read: keys may stand in it.
fn create(path: &Path) -> std::io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Writes beside and renames, so that no reader ever sees half a file. Afterwards only its owner may read it.
pub(in crate::tools::mcp) fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    // A link stays one; what it leads to is replaced.
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = folder.join(format!(".{name}.{}", uuid::Uuid::now_v7().simple()));
    let written = create(&beside).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    let done = written.and_then(|()| std::fs::rename(&beside, path));
    if done.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    done
}
