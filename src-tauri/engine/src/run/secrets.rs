//! The secrets that plans name: where they are kept, and what they are while they are needed. It writes none anywhere
//! but to the keychain, and must not know what a secret is good for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use crate::llm::Key;
use crate::llm::setup::{Facts, Files, Keychain, NoKeychain};
use crate::model::plan::is_secret_name;

/// How a secret is named in the keychain and in the list of what is kept there: never like a provider.
const PREFIX: &str = "secret/";
/// A shorter one is no secret.
pub const SHORTEST: usize = 4;
/// More than a keychain takes.
const LONGEST: usize = 2048;

/// A cloneable handle. What was read from the keychain is held as long as one lives.
#[derive(Clone)]
pub struct Secrets {
    keychain: Keychain,
    /// Names of what is kept, never a value. The keychain is only asked for these: it may put a question to a person.
    facts: Option<PathBuf>,
    held: Arc<Mutex<BTreeMap<String, String>>>,
}

/// Why a secret was not kept.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    #[error(
        "`{0}` can't be the name of a secret: use letters, digits, `_`, `-` and `.`, at most 100; nothing was kept"
    )]
    Name(String),
    #[error("the value is empty; nothing was kept")]
    Empty,
    #[error(
        "a value of less than {SHORTEST} characters can't be taken out of what comes back, as any text holds such; nothing was kept"
    )]
    TooShort,
    #[error("the value is longer than {LONGEST} bytes; nothing was kept")]
    TooLong,
    #[error(
        "{0}. The value was not kept anywhere. Set it as an environment variable of that name instead; it then holds \
         for that session."
    )]
    Keychain(#[from] NoKeychain),
    #[error(
        "{0}. Nothing was removed. If the secret `{1}` is an environment variable, unset it where it is set."
    )]
    NotRemoved(NoKeychain, String),
    #[error("what the keychain keeps could not be noted beside the database ({0}); try again")]
    Note(#[from] std::io::Error),
}

impl Secrets {
    /// The environment alone.
    pub fn environment() -> Self {
        Self::of(Keychain::missing(), None)
    }

    /// The environment, and this system's keychain for what is noted beside the database.
    pub fn beside(db: &Path) -> Self {
        Self::of(Keychain::system(), Some(Files::beside(db).facts))
    }

    pub fn of(keychain: Keychain, facts: Option<PathBuf>) -> Self {
        Self {
            keychain,
            facts,
            held: Arc::default(),
        }
    }

    /// Reads what is kept of these from the keychain, so that it is at hand. What can't be read is told when it is used.
    pub async fn load(&self, names: impl IntoIterator<Item = String>) {
        let names: BTreeSet<String> = names.into_iter().collect();
        let facts = self.facts();
        for name in names {
            let place = format!("{PREFIX}{name}");
            if self.is_held(&name) || !facts.has_key(&place) {
                continue;
            }
            match self.keychain.get(&place).await {
                Ok(Some(kept)) => {
                    let bytes = STANDARD_NO_PAD.decode(kept.expose()).unwrap_or_default();
                    if let Ok(text) = String::from_utf8(bytes) {
                        self.hold(&name, text);
                    }
                }
                Ok(None) => {}
                Err(error) => tracing::warn!("the secret {name} was not read: {error}"),
            }
        }
    }

    /// What was loaded from the keychain goes before the environment.
    pub fn get(&self, name: &str) -> Option<String> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let found = held.get(name).cloned();
        found
            .or_else(|| std::env::var(name).ok())
            .filter(|text| !text.is_empty())
    }

    /// Names of what the keychain keeps, sorted.
    pub fn names(&self) -> Vec<String> {
        let all = self.facts().keys().into_iter();
        all.filter_map(|name| name.strip_prefix(PREFIX).map(str::to_owned))
            .collect()
    }

    /// Whether one of that name is kept or set. Asks nobody for its value.
    pub fn is_known(&self, name: &str) -> bool {
        self.get(name).is_some() || self.facts().has_key(&format!("{PREFIX}{name}"))
    }

    pub async fn keep(&self, name: &str, value: &str) -> Result<(), SecretError> {
        check_name(name)?;
        if value.is_empty() {
            return Err(SecretError::Empty);
        }
        if value.chars().count() < SHORTEST {
            return Err(SecretError::TooShort);
        }
        let encoded = STANDARD_NO_PAD.encode(value);
        let key = Key::new(&encoded).map_err(|_| SecretError::TooLong)?;
        if value.len() > LONGEST {
            return Err(SecretError::TooLong);
        }
        let place = format!("{PREFIX}{name}");
        self.keychain.keep(&place, &key).await?;
        self.hold(name, value.to_owned());
        self.facts().note_key(&place, true)?;
        Ok(())
    }

    /// True if there was one.
    pub async fn forget(&self, name: &str) -> Result<bool, SecretError> {
        check_name(name)?;
        let place = format!("{PREFIX}{name}");
        let is_kept = self.facts().has_key(&place);
        let was_there = match self.keychain.forget(&place).await {
            Ok(was_there) => was_there,
            // Nothing was ever kept there.
            Err(NoKeychain::Missing(_)) if !is_kept => return Ok(false),
            Err(error) => return Err(SecretError::NotRemoved(error, name.to_owned())),
        };
        self.held
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(name);
        self.facts().note_key(&place, false)?;
        Ok(was_there)
    }

    /// As they are now: another process may have kept one meanwhile.
    fn facts(&self) -> Facts {
        self.facts.as_deref().map_or_else(Facts::in_memory, Facts::read)
    }

    fn is_held(&self, name: &str) -> bool {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.contains_key(name)
    }

    fn hold(&self, name: &str, value: String) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.insert(name.to_owned(), value);
    }
}

fn check_name(name: &str) -> Result<(), SecretError> {
    if is_secret_name(name) {
        return Ok(());
    }
    Err(SecretError::Name(name.chars().take(100).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_secret_is_kept_found_and_forgotten_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let facts = folder.path().join("model-facts.json");
        let store = keyring_core::mock::Store::new().unwrap();
        let secrets = Secrets::of(Keychain::of(store.clone()), Some(facts.clone()));
        secrets
            .keep("SHOP_KEY", "pass phrase, 日本 \"x\"\n")
            .await
            .unwrap();
        let written = std::fs::read_to_string(&facts).unwrap();
        assert!(
            written.contains("secret/SHOP_KEY") && !written.contains("phrase"),
            "{written}"
        );

        let later = Secrets::of(Keychain::of(store), Some(facts.clone()));
        assert_eq!(later.names(), ["SHOP_KEY"]);
        assert_eq!(
            later.get("SHOP_KEY"),
            None,
            "the keychain is asked when it is needed"
        );
        later.load(["SHOP_KEY".to_owned(), "OTHER".to_owned()]).await;
        assert_eq!(
            later.get("SHOP_KEY").as_deref(),
            Some("pass phrase, 日本 \"x\"\n")
        );
        assert!(later.forget("SHOP_KEY").await.unwrap());
        assert_eq!((later.get("SHOP_KEY"), later.names()), (None, Vec::new()));
    }

    #[tokio::test]
    async fn without_a_keychain_nothing_is_kept_and_that_is_said() {
        let secrets = Secrets::environment();
        let told = secrets.keep("SHOP_KEY", "canary").await.unwrap_err().to_string();
        assert!(
            told.contains("no keychain") && told.contains("not kept anywhere"),
            "{told}"
        );
        assert!(!told.contains("canary"));
        assert_eq!(secrets.get("SHOP_KEY"), None);
        assert!(
            !secrets.forget("SHOP_KEY").await.unwrap(),
            "nothing is kept, nothing goes"
        );
        assert!(matches!(
            secrets.keep("a b", "x").await,
            Err(SecretError::Name(_))
        ));
        assert!(matches!(secrets.keep("A", "").await, Err(SecretError::Empty)));
        assert!(matches!(
            secrets.keep("A", "abc").await,
            Err(SecretError::TooShort)
        ));
        assert!(matches!(
            secrets.keep("A", &"x".repeat(3000)).await,
            Err(SecretError::TooLong)
        ));
    }
}
