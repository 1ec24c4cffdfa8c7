//! What is known of who could write where: the lines of the file, taken in one by one. Touches no disk.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::model::Digest;

/// One line. Kinds are only added to; one that can't be read may have said anything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line {
    MayWrite { place: String, since: u64 },
    Wrote { path: String, hash: Digest },
    LookedAt { place: String, at: u64 },
}

#[derive(Debug, Default)]
pub(super) struct Book {
    /// Bytes of the file that are in here.
    pub read: u64,
    /// A line could not be read: nothing is known any more, until a person has looked at everything.
    pub is_damaged: bool,
    since: BTreeMap<String, u64>,
    looked: BTreeMap<String, u64>,
    written: HashMap<String, Digest>,
}

impl Book {
    pub fn take_text(&mut self, line: &[u8]) {
        if line.is_empty() {
            return;
        }
        match serde_json::from_slice(line) {
            Ok(line) => self.take(line),
            Err(_) => self.is_damaged = true,
        }
    }

    pub fn take(&mut self, line: Line) {
        match line {
            Line::MayWrite { place, since } => {
                let known = self.since.entry(place).or_insert(since);
                *known = (*known).min(since);
            }
            Line::Wrote { path, hash } => {
                self.written.insert(path, hash);
            }
            Line::LookedAt { place, at } => {
                self.is_damaged &= !place.is_empty();
                let known = self.looked.entry(place).or_insert(at);
                *known = (*known).max(at);
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.since.is_empty()
    }

    pub fn knows(&self, place: &str) -> bool {
        self.since.contains_key(place)
    }

    pub fn places(&self) -> Vec<(String, u64)> {
        let all = self.since.keys();
        all.map(|place| (place.clone(), self.cutoff(place).unwrap_or_default()))
            .collect()
    }

    /// From when on a change there may be somebody else's; `None`: nobody else could write there.
    pub fn cutoff(&self, path: &str) -> Option<u64> {
        let around = |places: &BTreeMap<String, u64>, choose: fn(u64, u64) -> u64| {
            let covering = places.iter().filter(|(place, _)| is_around(place, path));
            covering.map(|(_, at)| *at).reduce(choose)
        };
        let since = around(&self.since, u64::min)?;
        Some(around(&self.looked, u64::max).map_or(since, |looked| looked.max(since)))
    }

    /// Of all places, the earliest.
    pub fn first(&self) -> Option<u64> {
        self.since.values().copied().min()
    }

    /// Whether somebody could write the folder, or anything in it.
    pub fn touches(&self, folder: &str) -> bool {
        let is_near = |place: &String| is_around(place, folder) || is_around(folder, place);
        self.since.keys().any(is_near)
    }

    pub fn is_written(&self, path: &str) -> bool {
        self.written.contains_key(path)
    }

    pub fn holds(&self, path: &str, hash: &Digest) -> bool {
        self.written.get(path) == Some(hash)
    }
}

fn is_around(place: &str, path: &str) -> bool {
    place.is_empty() || Path::new(path).starts_with(place)
}
