//! Where a provider's key comes from: this session, the keychain, or the environment. It writes none anywhere but to
//! the keychain, and must not know what is asked with one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Keychain, NoKeychain};
use crate::llm::Key;

/// Reads a variable of the environment.
pub type Variables = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// All keys that can be had.
#[derive(Clone)]
pub struct Keys {
    pub keychain: Keychain,
    variables: Variables,
    session: Arc<Mutex<BTreeMap<String, Key>>>,
}

/// Where a key was found. Never the key itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    Session,
    Keychain,
    Variable(String),
}

/// What was found for a provider.
#[derive(Clone, Debug, Default)]
pub struct FoundKey {
    pub key: Option<(Key, KeySource)>,
    /// What stood in the way of another place.
    pub trouble: Option<String>,
}

impl Keys {
    /// This process's environment and this system's keychain.
    pub fn system() -> Self {
        Self::of(Keychain::system(), Arc::new(|name| std::env::var(name).ok()))
    }

    pub fn of(keychain: Keychain, variables: Variables) -> Self {
        Self {
            keychain,
            variables,
            session: Arc::default(),
        }
    }

    /// Holds until this process ends, and is written nowhere.
    pub fn hold(&self, provider: &str, key: Key) {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        session.insert(provider.to_owned(), key);
    }

    /// Takes the key out of this session.
    pub fn drop_held(&self, provider: &str) {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        session.remove(provider);
    }

    pub fn variable(&self, name: &str) -> Option<String> {
        (self.variables)(name).filter(|value| !value.trim().is_empty())
    }

    /// What was given last by hand wins, then the keychain, then the first of the variables that is set. The keychain
    /// is only asked where something is kept for this provider: it may put a question to the person.
    pub async fn find(&self, provider: &str, variables: &[String], is_kept: bool) -> FoundKey {
        let held = {
            let session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
            session.get(provider).cloned()
        };
        if let Some(key) = held {
            return FoundKey::of(key, KeySource::Session);
        }
        let mut found = FoundKey::default();
        if is_kept {
            match self.keychain.get(provider).await {
                Ok(Some(key)) => return FoundKey::of(key, KeySource::Keychain),
                Ok(None) => {}
                Err(error) => found.trouble = Some(format!("the key of `{provider}` was not read: {error}")),
            }
        }
        for name in variables {
            let Some(text) = self.variable(name) else { continue };
            match Key::new(&text) {
                Ok(key) => {
                    found.key = Some((key, KeySource::Variable(name.clone())));
                    return found;
                }
                Err(wrong) => found.trouble = Some(format!("the variable {name} holds no key: {wrong}")),
            }
        }
        found
    }

    /// Puts a key into the keychain, where there is one.
    pub async fn keep(&self, provider: &str, key: &Key) -> Result<(), NoKeychain> {
        self.keychain.keep(provider, key).await
    }
}

impl FoundKey {
    fn of(key: Key, source: KeySource) -> Self {
        Self {
            key: Some((key, source)),
            trouble: None,
        }
    }
}

impl std::fmt::Display for KeySource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Session => f.write_str("this session only"),
            Self::Keychain => f.write_str("keychain"),
            Self::Variable(name) => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(keychain: Keychain) -> Keys {
        let variables: Variables = Arc::new(|name| match name {
            "A_KEY" => Some("from-a".to_owned()),
            "EMPTY_KEY" => Some("  ".to_owned()),
            "BROKEN_KEY" => Some("canary with spaces".to_owned()),
            _ => None,
        });
        Keys::of(keychain, variables)
    }

    async fn found(keys: &Keys, variables: &[&str], is_kept: bool) -> FoundKey {
        let variables: Vec<String> = variables.iter().map(|&name| name.to_owned()).collect();
        keys.find("openai", &variables, is_kept).await
    }

    #[tokio::test]
    async fn what_was_given_by_hand_wins_over_the_keychain_over_the_environment() {
        let keys = keys(Keychain::of(keyring_core::mock::Store::new().unwrap()));
        let source = |found: FoundKey| found.key.unwrap().1;
        let variables = ["NONE_KEY", "EMPTY_KEY", "A_KEY"];
        assert_eq!(
            source(found(&keys, &variables, true).await),
            KeySource::Variable("A_KEY".to_owned())
        );
        keys.keep("openai", &Key::new("kept").unwrap()).await.unwrap();
        assert_eq!(source(found(&keys, &variables, true).await), KeySource::Keychain);
        assert_eq!(
            source(found(&keys, &variables, false).await),
            KeySource::Variable("A_KEY".to_owned())
        );
        keys.hold("openai", Key::new("held").unwrap());
        assert_eq!(source(found(&keys, &variables, true).await), KeySource::Session);
        keys.drop_held("openai");
        assert_eq!(source(found(&keys, &variables, true).await), KeySource::Keychain);
    }

    #[tokio::test]
    async fn what_stands_in_the_way_is_told_without_the_key() {
        let keys = keys(Keychain::missing());
        let told = found(&keys, &["A_KEY"], true).await;
        assert!(told.key.is_some() && told.trouble.unwrap().contains("no keychain here"));
        let broken = found(&keys, &["BROKEN_KEY"], false).await;
        assert!(broken.key.is_none());
        let trouble = broken.trouble.unwrap();
        assert!(
            trouble.contains("BROKEN_KEY") && !trouble.contains("canary"),
            "{trouble}"
        );
    }
}
