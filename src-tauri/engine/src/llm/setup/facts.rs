//! What was once found out about models, and for whom the keychain keeps a key: a file beside the database, kept apart
//! from what a person chooses. It holds no key. A broken one is begun anew: everything in it can be found out again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::llm::Traits;

/// A larger file was not written by this program.
const MOST_BYTES: u64 = 4 << 20;
/// More models are not remembered; the oldest go.
const MOST_MODELS: usize = 1000;

/// What one probe found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Probed {
    /// RFC 3339.
    pub at: String,
    #[serde(default)]
    pub traits: Traits,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Written {
    #[serde(default)]
    version: u32,
    /// Providers for which the keychain keeps a key.
    #[serde(default)]
    keys: BTreeSet<String>,
    /// By `provider/model` and address.
    #[serde(default)]
    models: BTreeMap<String, Probed>,
}

/// The file, as read and as written again after each change.
#[derive(Debug, Default)]
pub struct Facts {
    /// `None` in memory.
    path: Option<PathBuf>,
    written: Mutex<Written>,
}

impl Facts {
    pub fn read(path: &Path) -> Self {
        let is_fine = std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= MOST_BYTES);
        let bytes = is_fine.then(|| std::fs::read(path).ok()).flatten();
        let written = bytes.and_then(|bytes| serde_json::from_slice::<Written>(&bytes).ok());
        Self {
            path: Some(path.to_owned()),
            written: Mutex::new(written.filter(|w| w.version <= 1).unwrap_or_default()),
        }
    }

    pub fn in_memory() -> Self {
        Self::default()
    }

    pub fn of(&self, model: &str, base_url: &str) -> Option<Probed> {
        self.locked().models.get(&name(model, base_url)).cloned()
    }

    /// Remembers; an error only means that it will be found out again.
    pub fn remember(&self, model: &str, base_url: &str, probed: Probed) -> std::io::Result<()> {
        self.change(|written| {
            written.models.insert(name(model, base_url), probed);
            while written.models.len() > MOST_MODELS {
                let oldest = written.models.iter().min_by(|a, b| a.1.at.cmp(&b.1.at));
                let Some(oldest) = oldest.map(|(name, _)| name.clone()) else {
                    break;
                };
                written.models.remove(&oldest);
            }
        })
    }

    pub fn has_key(&self, provider: &str) -> bool {
        self.locked().keys.contains(provider)
    }

    /// Providers for which the keychain keeps a key.
    pub fn keys(&self) -> Vec<String> {
        self.locked().keys.iter().cloned().collect()
    }

    pub fn note_key(&self, provider: &str, is_kept: bool) -> std::io::Result<()> {
        self.change(|written| {
            if is_kept {
                written.keys.insert(provider.to_owned());
            } else {
                written.keys.remove(provider);
            }
        })
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Another process may have written meanwhile; what it added is kept.
    fn change(&self, change: impl FnOnce(&mut Written)) -> std::io::Result<()> {
        let mut held = self.locked();
        if let Some(path) = &self.path {
            let now = Self::read(path);
            *held = now.written.into_inner().unwrap_or_else(PoisonError::into_inner);
        }
        change(&mut held);
        held.version = 1;
        let Some(path) = &self.path else { return Ok(()) };
        let text = serde_json::to_string_pretty(&*held)?;
        write_whole(path, &text)
    }
}

fn name(model: &str, base_url: &str) -> String {
    format!("{model} at {base_url}")
}

/// Beside it first, then under its name: nobody reads half of it.
fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut part = path.as_os_str().to_owned();
    part.push(format!(".{}.part", std::process::id()));
    let part = PathBuf::from(part);
    let written = std::fs::File::create(&part)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&part, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Support;

    fn probed(at: &str) -> Probed {
        Probed {
            at: at.to_owned(),
            traits: Traits {
                tools: Support::No,
                context_tokens: Some(9_007_199_254_740_993),
                ..Traits::default()
            },
        }
    }

    #[test]
    fn what_was_found_out_is_remembered_by_name_and_address() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/model-facts.json");
        let (facts, other) = (Facts::read(&path), Facts::read(&path));
        facts
            .remember("ollama/a", "http://127.0.0.1:1", probed("2026-01-01T00:00:00Z"))
            .unwrap();
        facts.note_key("openai", true).unwrap();
        other.note_key("anthropic", true).unwrap();
        let again = Facts::read(&path);
        assert_eq!(again.keys(), ["anthropic", "openai"]);
        assert_eq!(
            again.of("ollama/a", "http://127.0.0.1:1"),
            Some(probed("2026-01-01T00:00:00Z"))
        );
        assert_eq!(again.of("ollama/a", "http://127.0.0.1:2"), None);
        again.note_key("openai", false).unwrap();
        assert!(!Facts::read(&path).has_key("openai"));
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_broken_file_is_begun_anew_and_a_full_one_forgets_the_oldest() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model-facts.json");
        for broken in [
            "",
            "{",
            "[]",
            r#"{"version": 2, "keys": ["x"]}"#,
            r#"{"keys": 7}"#,
        ] {
            std::fs::write(&path, broken).unwrap();
            assert!(Facts::read(&path).keys().is_empty(), "{broken}");
        }
        let facts = Facts::in_memory();
        for n in 0..=MOST_MODELS {
            facts
                .remember(&format!("m/{n}"), "", probed(&format!("{n:06}")))
                .unwrap();
        }
        assert!(facts.of("m/0", "").is_none() && facts.of("m/1", "").is_some());
    }
}
