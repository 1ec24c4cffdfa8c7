//! Language models for the window: found in the background, so that the window opens at once. Knows no plan.

use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use planloom_engine::Engine;
use planloom_engine::llm::Key;
use planloom_engine::llm::setup::{Facts, Files, Found, Keys, NoKeychain, SetUp, Survey, provider_names};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::fault::Fault;

/// What can be asked from this window, once it was looked for.
pub struct Models {
    db: PathBuf,
    keys: Keys,
    known: Mutex<Option<SetUp>>,
    /// The same for looking at: nobody waits here for a model that is being asked.
    survey: RwLock<Option<Survey>>,
}

/// Where a key was put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    Keychain,
    /// There is no keychain here: it is forgotten when the window closes.
    Session,
}

impl Models {
    /// This system's keychain and environment, and the files beside this database.
    pub fn beside(db: &Path) -> Self {
        // As the engine does: what is noted must lie beside the real file, whatever link led to it.
        let db = db.canonicalize().unwrap_or_else(|_| db.to_owned());
        Self::with(db, Keys::system())
    }

    fn with(db: PathBuf, keys: Keys) -> Self {
        Self {
            db,
            keys,
            known: Mutex::default(),
            survey: RwLock::default(),
        }
    }

    /// What was found; looked for now where nobody has looked yet.
    pub async fn survey(&self, engine: &Engine) -> Result<Survey, Fault> {
        if let Some(survey) = self.seen() {
            return Ok(survey);
        }
        let mut known = self.known.lock().await;
        match self.seen() {
            Some(survey) => Ok(survey),
            None => self.look(&mut known, engine).await,
        }
    }

    /// Looks anew and gives the engine what can be asked from now on.
    pub async fn look_again(&self, engine: &Engine) -> Result<Survey, Fault> {
        let mut known = self.known.lock().await;
        self.look(&mut known, engine).await
    }

    async fn look(&self, known: &mut Option<SetUp>, engine: &Engine) -> Result<Survey, Fault> {
        let found = planloom_engine::models_from(&self.db, &self.keys, &[]).await?;
        for trouble in &found.survey.troubles {
            tracing::warn!("{trouble}");
        }
        engine.use_models(found.models.clone());
        let survey = self.show(&found.survey);
        *known = Some(found);
        Ok(survey)
    }

    fn seen(&self) -> Option<Survey> {
        self.survey.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn show(&self, survey: &Survey) -> Survey {
        *self.survey.write().unwrap_or_else(PoisonError::into_inner) = Some(survey.clone());
        survey.clone()
    }

    /// Asks a model what it can do: a call or two, which may cost a little.
    pub async fn probe(&self, engine: &Engine, name: &str) -> Result<(Found, Survey), Fault> {
        let mut known = self.known.lock().await;
        if known.is_none() {
            self.look(&mut known, engine).await?;
        }
        let never = CancellationToken::new();
        let Some(set_up) = known.as_mut() else {
            return Err(unknown(name));
        };
        match set_up.probe(name, &never).await {
            Ok(Some(found)) => Ok((found, self.show(&set_up.survey))),
            Ok(None) | Err(_) => Err(unknown(name)),
        }
    }

    /// Keeps a provider's key in the system's keychain; where there is none, until the window closes.
    pub async fn keep_key(&self, provider: &str, text: &str) -> Result<Kept, Fault> {
        let files = self.check_provider(provider)?;
        let key =
            Key::new(text).map_err(|wrong| Fault::new("bad_key", format!("{wrong}. Nothing was kept.")))?;
        match self.keys.keep(provider, &key).await {
            Ok(()) => {}
            Err(NoKeychain::Missing(_)) => {
                self.keys.hold(provider, key);
                return Ok(Kept::Session);
            }
            // There is one, and it may do so in a moment: nobody shall take the key for kept.
            Err(error @ (NoKeychain::Locked(_) | NoKeychain::Silent | NoKeychain::Failed(_))) => {
                return Err(Fault::new(
                    "no_keychain",
                    format!("{error}. The key was not kept anywhere."),
                ));
            }
        }
        self.keys.drop_held(provider);
        noted(&files, provider, true)?;
        Ok(Kept::Keychain)
    }

    /// Takes a key out of the keychain and out of this session.
    pub async fn forget_key(&self, provider: &str) -> Result<(), Fault> {
        let files = self.check_provider(provider)?;
        if !Facts::read(&files.facts).has_key(provider) {
            self.keys.drop_held(provider);
            return Ok(());
        }
        self.keys
            .keychain
            .forget(provider)
            .await
            .map_err(|error| Fault::new("no_keychain", format!("{error}. The key is still where it was.")))?;
        self.keys.drop_held(provider);
        noted(&files, provider, false)
    }

    fn check_provider(&self, provider: &str) -> Result<Files, Fault> {
        let files = Files::beside(&self.db);
        if provider_names(&files).contains(provider) {
            return Ok(files);
        }
        let message = format!("There is no provider `{provider}`. Nothing was kept.");
        Err(Fault::new("unknown_provider", message))
    }
}

fn unknown(name: &str) -> Fault {
    let message = format!("The model `{name}` is not set up. Nothing was asked.");
    Fault::new("unknown_model", message)
}

fn noted(files: &Files, provider: &str, is_kept: bool) -> Result<(), Fault> {
    let noted = Facts::read(&files.facts).note_key(provider, is_kept);
    noted.map_err(|error| {
        let message =
            format!("What the keychain holds could not be noted beside the database ({error}). Try again.");
        Fault::new("facts", message)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use planloom_engine::llm::setup::Keychain;

    use super::*;

    #[tokio::test]
    async fn without_a_keychain_a_key_holds_for_the_session_and_is_written_nowhere() {
        let folder = tempfile::tempdir().expect("a folder");
        let keys = Keys::of(Keychain::missing(), Arc::new(|_| None));
        let models = Models::with(folder.path().join("planloom.db"), keys.clone());
        let canary = "sk-canary-0123456789abcdef";
        assert_eq!(models.keep_key("openai", canary).await, Ok(Kept::Session));
        let found = keys.find("openai", &[], false).await.key.expect("held");
        assert_eq!(found.0.expose(), canary);
        let files: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").collect();
        assert!(files.is_empty(), "{files:?}");
        assert_eq!(models.forget_key("openai").await, Ok(()));
        assert!(keys.find("openai", &[], false).await.key.is_none());
    }

    #[tokio::test]
    async fn what_is_no_key_or_no_provider_is_refused_by_name_and_without_the_key() {
        let folder = tempfile::tempdir().expect("a folder");
        let models = Models::with(
            folder.path().join("planloom.db"),
            Keys::of(Keychain::missing(), Arc::new(|_| None)),
        );
        let wrong = models
            .keep_key("openai", "canary with spaces")
            .await
            .expect_err("no key");
        assert!(
            wrong.code == "bad_key" && !wrong.message.contains("canary"),
            "{wrong:?}"
        );
        let wrong = models
            .keep_key("nobody", "canary-key")
            .await
            .expect_err("no provider");
        assert!(
            wrong.code == "unknown_provider" && !wrong.message.contains("canary"),
            "{wrong:?}"
        );
    }
}
