//! The `mcp` part of `settings.json`, and the JSON by which other programs set up servers. What is wrong is told with
//! its place and left out; what is good is kept. It must not know how a server is started.

mod edit;
mod import;
mod keeping;
mod read;
#[cfg(test)]
mod tests;

pub(super) use edit::replace;
pub use edit::{EditError, edit};
pub use import::{Imported, import};
pub use keeping::{NewServer, NotKept, keep, warnings};

use std::collections::BTreeMap;

use super::setup::Setup;
use crate::model::json::At;
use crate::model::reader::Reader;
pub use crate::model::reader::Trouble;

/// The servers that are set up in these bytes of `settings.json`, by name.
pub fn read(bytes: &[u8], troubles: &mut Vec<Trouble>) -> BTreeMap<String, Setup> {
    let mut reader = Reader::new("settings.json", troubles);
    let Some(file) = reader.file(bytes) else {
        return BTreeMap::new();
    };
    let (root, part) = (At::Root, "mcp");
    let at = root.key(part);
    let Some(mcp) = reader.object_in(&root, &file, part) else {
        return BTreeMap::new();
    };
    reader.only(&at, mcp, &["servers"]);
    let servers = reader.object_in(&at, mcp, "servers");
    let at = at.key("servers");
    read::servers(&mut reader, &at, servers.into_iter().flatten())
}
