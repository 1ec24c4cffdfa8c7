//! What the settings say of how all runs are carried out: how many calls at once, and what is synced to disk. What is wrong
//! in them is told with its place, and the usual holds instead. It must not know runs.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Map;

use crate::model::Json;
use crate::model::caps::{Caps, PER_PROVIDER};
use crate::model::json::At;
use crate::model::reader::{BOUNDS, Reader, Trouble};
use crate::model::tool::Catalog;
use crate::store::Syncing;

/// The name of the file, as troubles tell it.
const NAME: &str = "settings.json";
/// Calls at once; more would bound nothing.
const MOST: u64 = 10_000;

#[derive(Debug, Default, PartialEq)]
pub(super) struct Chosen {
    pub caps: Caps,
    /// Tasks of one run at once.
    pub per_run: Option<u32>,
    pub sync: Syncing,
    pub troubles: Vec<Trouble>,
}

/// `limits` and `sync` of the settings beside the database. Whether the file can be read at all is told by those who
/// read the models in it.
pub(super) fn beside(db: &Path) -> Chosen {
    let path = super::real_path(db).with_file_name(NAME);
    let is_fine =
        std::fs::metadata(&path).is_ok_and(|file| file.is_file() && file.len() <= BOUNDS.bytes as u64);
    let bytes = is_fine.then(|| std::fs::read(&path).ok()).flatten();
    bytes.map_or_else(Chosen::default, |bytes| read(&bytes))
}

impl Chosen {
    /// The same with what is said of tools that there are not. Those of servers are known only once these were looked at.
    pub fn with_unknown(mut self, tools: &Catalog) -> Self {
        let names = self.caps.tools.keys();
        let unknown = names.filter(|name| !name.contains('/') && tools.get(name).is_none());
        let mut troubles = Vec::new();
        let mut reader = Reader::new(NAME, &mut troubles);
        for name in unknown {
            let at = At::Root;
            let at = at.key("limits");
            let at = at.key("tools");
            let message =
                "there is no tool of this name, so that this limits nothing; `planloom tools` lists them";
            reader.say(&at.key(name), message);
        }
        self.troubles.extend(troubles);
        self
    }
}

fn read(bytes: &[u8]) -> Chosen {
    let Some(file) = Reader::new(NAME, &mut Vec::new()).file(bytes) else {
        return Chosen::default();
    };
    let mut troubles = Vec::new();
    let mut reader = Reader::new(NAME, &mut troubles);
    let (caps, per_run) = read_caps(&mut reader, &file);
    let sync = read_sync(&mut reader, &file);
    Chosen {
        caps,
        per_run,
        sync,
        troubles,
    }
}

fn read_caps(reader: &mut Reader<'_>, file: &Map<String, Json>) -> (Caps, Option<u32>) {
    let root = At::Root;
    let Some(limits) = reader.object_in(&root, file, "limits") else {
        return (Caps::default(), None);
    };
    let at = root.key("limits");
    reader.only(&at, limits, &["per_run", "per_provider", "tools"]);
    let per_run = reader.count(&at, limits, "per_run", 1..=MOST).map(narrow);
    let per_provider = reader.count(&at, limits, "per_provider", 1..=MOST);
    let mut tools = BTreeMap::new();
    if let Some(listed) = reader.object_in(&at, limits, "tools") {
        let at = at.key("tools");
        for name in listed.keys() {
            let most = reader.count(&at, listed, name, 1..=MOST);
            tools.extend(most.map(|most| (name.clone(), narrow(most))));
        }
    }
    let per_provider = per_provider.map_or(PER_PROVIDER, narrow);
    (Caps { tools, per_provider }, per_run)
}

fn narrow(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn read_sync(reader: &mut Reader<'_>, file: &Map<String, Json>) -> Syncing {
    match reader.text(&At::Root, file, "sync").as_deref() {
        None | Some("usual") => Syncing::Usual,
        Some("everything") => Syncing::Everything,
        Some(_) => {
            let message = "this must be \"usual\" or \"everything\"; the usual holds";
            reader.say(&At::Root.key("sync"), message);
            Syncing::Usual
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_and_sync_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let db = folder.path().join("planloom.db");
        assert_eq!(beside(&db), Chosen::default());
        let text = r#"{"limits": {"per_run": 5, "per_provider": 2, "tools": {"http.get": 3, "s/t": 1}}, "sync": "everything", "own_work": []}"#;
        std::fs::write(folder.path().join("settings.json"), text).unwrap();
        let chosen = beside(&db);
        assert!(chosen.troubles.is_empty(), "{:?}", chosen.troubles);
        assert_eq!(chosen.sync, Syncing::Everything);
        assert_eq!((chosen.caps.per_provider, chosen.per_run), (2, Some(5)));
        let tools: Vec<(&str, u32)> = chosen
            .caps
            .tools
            .iter()
            .map(|(name, most)| (&**name, *most))
            .collect();
        assert_eq!(tools, [("http.get", 3), ("s/t", 1)]);
    }

    #[test]
    fn what_is_wrong_is_told_by_its_place_and_the_rest_holds() {
        let chosen = read(
            br#"{"limits": {"per_provider": 0, "tools": {"http.get": "many", "wait": 1}, "tool": {}}, "sync": "all"}"#,
        );
        let places: Vec<&str> = chosen
            .troubles
            .iter()
            .map(|trouble| trouble.place.as_str())
            .collect();
        assert_eq!(
            places,
            [
                "settings.json#/limits/tool",
                "settings.json#/limits/per_provider",
                "settings.json#/limits/tools/http.get",
                "settings.json#/sync",
            ]
        );
        assert_eq!(
            (chosen.caps.per_provider, chosen.sync),
            (PER_PROVIDER, Syncing::Usual)
        );
        assert_eq!(chosen.caps.tools.len(), 1);
        let zero = read(br#"{"limits": {"per_run": 0, "tools": {"nope": 2, "wait": 1, "s/t": 3}}}"#);
        let told = zero
            .with_unknown(crate::tools::Registry::builtin().catalog())
            .troubles;
        let told: Vec<String> = told.iter().map(ToString::to_string).collect();
        assert!(
            told.len() == 2 && told[0].contains("from 1 to 10000, not 0;"),
            "{told:?}"
        );
        assert!(
            told[1].contains("limits/tools/nope") && told[1].contains("no tool of this name"),
            "{told:?}"
        );
        for text in [
            "{",
            "[]",
            r#"{"limits": 7, "sync": {}}"#,
            r#"{"limits": null, "sync": null}"#,
        ] {
            assert_eq!(read(text.as_bytes()).caps, Caps::default(), "{text}");
        }
    }
}
