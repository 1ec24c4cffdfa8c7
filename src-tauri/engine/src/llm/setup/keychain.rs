//! The system's own store of secrets: Keychain, Credential Manager or Secret Service. It must not know what a key is
//! good for, and writes none to a file.

use std::sync::Arc;
use std::time::Duration;

use keyring_core::{CredentialStore, Entry, Error};

use crate::llm::Key;

/// How this program is named in the store.
const SERVICE: &str = "planloom";
/// A store may ask a person to unlock it.
const PATIENCE: Duration = Duration::from_secs(60);

/// Which store is asked.
#[derive(Clone)]
pub struct Keychain(Where);

#[derive(Clone)]
enum Where {
    System,
    Given(Arc<CredentialStore>),
    Nowhere,
}

/// Why the store gave nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoKeychain {
    #[error("there is no keychain here ({0})")]
    Missing(String),
    #[error("the keychain could not be opened ({0}); unlock it and try again")]
    Locked(String),
    #[error("the keychain did not answer within a minute")]
    Silent,
    #[error("the keychain failed ({0})")]
    Failed(String),
}

impl Keychain {
    /// The one of this system.
    pub fn system() -> Self {
        Self(Where::System)
    }

    /// One that is open already, such as the library's store in memory.
    pub fn of(store: Arc<CredentialStore>) -> Self {
        Self(Where::Given(store))
    }

    pub fn missing() -> Self {
        Self(Where::Nowhere)
    }

    /// The key that is kept for this provider.
    pub async fn get(&self, provider: &str) -> Result<Option<Key>, NoKeychain> {
        self.with(provider, |entry| match entry.get_password() {
            Ok(text) => Key::new(&text)
                .map(Some)
                .map_err(|wrong| NoKeychain::Failed(wrong.to_string())),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(told(&error)),
        })
        .await
    }

    pub async fn keep(&self, provider: &str, key: &Key) -> Result<(), NoKeychain> {
        let key = key.clone();
        self.with(provider, move |entry| {
            entry.set_password(key.expose()).map_err(|error| told(&error))
        })
        .await
    }

    /// True if there was one.
    pub async fn forget(&self, provider: &str) -> Result<bool, NoKeychain> {
        self.with(provider, |entry| match entry.delete_credential() {
            Ok(()) => Ok(true),
            Err(Error::NoEntry) => Ok(false),
            Err(error) => Err(told(&error)),
        })
        .await
    }

    /// The store's calls block, and may wait for a person. It is opened and closed where they do: its connection can't
    /// be let go of elsewhere.
    async fn with<T: Send + 'static>(
        &self,
        provider: &str,
        ask: impl FnOnce(&Entry) -> Result<T, NoKeychain> + Send + 'static,
    ) -> Result<T, NoKeychain> {
        let (place, provider) = (self.0.clone(), provider.to_owned());
        let asked = tokio::task::spawn_blocking(move || {
            let store = match place {
                Where::System => system_store().map_err(|error| NoKeychain::Missing(words(&error)))?,
                Where::Given(store) => store,
                Where::Nowhere => return Err(NoKeychain::Missing("none was looked for".to_owned())),
            };
            let entry = store
                .build(SERVICE, &provider, None)
                .map_err(|error| told(&error))?;
            ask(&entry)
        });
        match tokio::time::timeout(PATIENCE, asked).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(broken)) => Err(NoKeychain::Failed(broken.to_string())),
            Err(_) => Err(NoKeychain::Silent),
        }
    }
}

#[cfg(target_os = "macos")]
fn system_store() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(apple_native_keyring_store::keychain::Store::new()?)
}

#[cfg(windows)]
fn system_store() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(windows_native_keyring_store::Store::new()?)
}

#[cfg(all(unix, not(target_os = "macos")))]
fn system_store() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(zbus_secret_service_keyring_store::Store::new()?)
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the library may add errors; all others are told alike"
)]
fn told(error: &Error) -> NoKeychain {
    match error {
        Error::NoStorageAccess(_) => NoKeychain::Locked(words(error)),
        Error::NoDefaultStore => NoKeychain::Missing(words(error)),
        _ => NoKeychain::Failed(words(error)),
    }
}

/// Two of the library's errors carry the stored bytes; those are never told.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the library may add errors; all others are told alike"
)]
fn words(error: &Error) -> String {
    match error {
        Error::BadEncoding(_) | Error::BadDataFormat(..) => "what it keeps is no key".to_owned(),
        Error::PlatformFailure(cause) | Error::NoStorageAccess(cause) => {
            cause.to_string().chars().take(200).collect()
        }
        _ => error.to_string().chars().take(200).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Keychain {
        Keychain::of(keyring_core::mock::Store::new().unwrap())
    }

    #[tokio::test]
    async fn a_key_is_kept_found_and_forgotten() {
        let chain = memory();
        assert!(chain.get("openai").await.unwrap().is_none());
        chain
            .keep("openai", &Key::new("sk-canary").unwrap())
            .await
            .unwrap();
        let found = chain.get("openai").await.unwrap().unwrap();
        assert_eq!(found.expose(), "sk-canary");
        assert!(chain.get("anthropic").await.unwrap().is_none());
        assert!(chain.forget("openai").await.unwrap());
        assert!(!chain.forget("openai").await.unwrap());
        assert!(chain.get("openai").await.unwrap().is_none());
    }

    #[tokio::test]
    async fn where_there_is_none_that_is_said() {
        let error = Keychain::missing().get("openai").await.unwrap_err();
        assert!(
            error.to_string().starts_with("there is no keychain here"),
            "{error}"
        );
    }

    #[test]
    fn stored_bytes_are_never_told() {
        let error = Error::BadEncoding(b"sk-canary\xff".to_vec());
        assert!(!told(&error).to_string().contains("canary"));
    }
}
