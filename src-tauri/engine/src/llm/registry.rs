//! Which models are set up, by role and by name. It must not know how any of them is reached.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{ChatModel, Key, Price, recorded};

/// Which work a model does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Planner,
    Executor,
    Replanner,
    Synthesizer,
}

impl Role {
    pub const ALL: [Self; 4] = [Self::Planner, Self::Executor, Self::Replanner, Self::Synthesizer];

    /// The word in a plan's `model` and `fallback`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Planner => "planner",
            Self::Executor => "executor",
            Self::Replanner => "replanner",
            Self::Synthesizer => "synthesizer",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.word() == word)
    }
}

/// What one call of a model may take; what is not known is not limited here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Tokens of input and output together.
    pub context_tokens: Option<u64>,
    pub max_output_tokens: Option<u32>,
}

/// A model that is set up.
#[derive(Clone)]
pub struct Entry {
    /// `provider/model`.
    pub name: Arc<str>,
    pub model: Arc<dyn ChatModel>,
    pub price: Price,
    pub limits: Limits,
    /// Its server's grammar holds each place of a list by itself (`prefixItems`, `const`), as that of llama.cpp does.
    pub bears_tuples: bool,
    /// The host that gets what it is asked; none where it runs on this machine.
    pub host: Option<Arc<str>>,
}

impl Entry {
    /// Of unknown price and limits, until told otherwise.
    pub fn new(name: &str, model: Arc<dyn ChatModel>) -> Self {
        Self {
            name: name.into(),
            model,
            price: Price::Unknown,
            limits: Limits::default(),
            bears_tuples: false,
            host: None,
        }
    }

    /// What has a breaker and a cap of calls in flight of its own: the name up to its first `/`.
    pub fn provider(&self) -> &str {
        self.name.split('/').next().unwrap_or(&self.name)
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// All models that are set up; with none, nothing that needs one can run.
#[derive(Clone, Debug, Default)]
pub struct Models {
    entries: BTreeMap<Arc<str>, Entry>,
    roles: BTreeMap<Role, Vec<Arc<str>>>,
    /// Providers that can't be asked yet, with what to do about it.
    missing: BTreeMap<Arc<str>, Arc<str>>,
    keys: Vec<Key>,
}

/// Why a name leads to no model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoModel {
    #[error(
        "No model is set up; nothing was asked. Start Ollama, LM Studio, llama.cpp or vLLM, or set a key such as \
         ANTHROPIC_API_KEY or OPENAI_API_KEY."
    )]
    None,
    #[error("No model is set up for the role `{0}`; nothing was asked. Choose one in the settings.")]
    Role(&'static str),
    #[error("The model `{name}` can't be asked; nothing was. {todo}")]
    Missing { name: String, todo: String },
    #[error("The model `{name}` is not set up; nothing was asked. There are: {known}.")]
    Unknown { name: String, known: String },
}

impl NoModel {
    /// The same of a plan that is only looked at.
    pub fn before_the_run(&self) -> String {
        match self {
            Self::None => "No model is set up.".to_owned(),
            Self::Role(role) => {
                format!("No model is set up for the role `{role}`. Choose one in the settings.")
            }
            Self::Missing { name, todo } => format!("The model `{name}` can't be asked. {todo}"),
            Self::Unknown { name, known } => {
                format!("The model `{name}` is not set up. There are: {known}.")
            }
        }
    }
}

impl Models {
    /// No model at all.
    pub fn none() -> Self {
        Self::default()
    }

    #[must_use]
    pub fn with(mut self, entry: Entry) -> Self {
        self.entries.insert(entry.name.clone(), entry);
        self
    }

    /// Gives a role its model and, behind it, those that stand in for it, best first.
    #[must_use]
    pub fn with_role(mut self, role: Role, names: &[&str]) -> Self {
        self.roles
            .insert(role, names.iter().map(|name| Arc::from(*name)).collect());
        self
    }

    /// A provider that can't be asked yet, with one sentence of what to do about it.
    #[must_use]
    pub fn with_missing(mut self, provider: &str, todo: &str) -> Self {
        self.missing.insert(provider.into(), todo.into());
        self
    }

    /// A key that must not get into any log; one that may be an ordinary word is left out.
    #[must_use]
    pub fn with_key(mut self, key: &Key) -> Self {
        if key.expose().len() >= Key::SHORTEST_REAL {
            self.keys.push(key.clone());
        }
        self
    }

    /// What has to be taken out of texts.
    pub fn keys(&self) -> impl Iterator<Item = &Key> {
        self.keys.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    /// What a plan's `model` or `fallback` names: a role, or `provider/model` exactly.
    pub fn find(&self, name: &str) -> Result<&Entry, NoModel> {
        self.chain(name).map(|chain| chain[0])
    }

    /// The same with those that stand in for it behind it, each once; never empty. Names of a role that are not set
    /// up are passed over.
    pub fn chain(&self, name: &str) -> Result<Vec<&Entry>, NoModel> {
        // It needs no set-up, and is none of what is.
        if name == recorded::RECORDED && !self.entries.contains_key(name) {
            return Ok(vec![recorded::entry()]);
        }
        if self.entries.is_empty() {
            return Err(self.nothing(name));
        }
        let Some(role) = Role::parse(name) else {
            return match self.entries.get(name) {
                Some(entry) => Ok(vec![entry]),
                None => Err(self.unknown(name)),
            };
        };
        let mut chain: Vec<&Entry> = Vec::new();
        for name in self.roles.get(&role).into_iter().flatten() {
            let entry = self.entries.get(name);
            chain.extend(entry.filter(|entry| chain.iter().all(|known| known.name != entry.name)));
        }
        if chain.is_empty() {
            return Err(self.missing_of(role).unwrap_or(NoModel::Role(role.word())));
        }
        Ok(chain)
    }

    /// What an approval freezes of the models: role → names, in order.
    pub fn roles(&self) -> impl Iterator<Item = (Role, &[Arc<str>])> {
        self.roles.iter().map(|(role, names)| (*role, names.as_slice()))
    }

    /// Nothing can be asked at all; where one thing would change that for this name, that is said.
    fn nothing(&self, name: &str) -> NoModel {
        let of_role = Role::parse(name).and_then(|role| self.missing_of(role));
        of_role.or_else(|| self.missing(name)).unwrap_or(NoModel::None)
    }

    fn missing_of(&self, role: Role) -> Option<NoModel> {
        self.roles.get(&role)?.iter().find_map(|name| self.missing(name))
    }

    fn missing(&self, name: &str) -> Option<NoModel> {
        let todo = self.missing.get(name.split('/').next()?)?;
        Some(NoModel::Missing {
            name: name.chars().take(100).collect(),
            todo: todo.to_string(),
        })
    }

    fn unknown(&self, name: &str) -> NoModel {
        if let Some(missing) = self.missing(name) {
            return missing;
        }
        let known: Vec<&str> = self.entries.keys().take(10).map(AsRef::as_ref).collect();
        NoModel::Unknown {
            name: name.chars().take(100).collect(),
            known: known.join(", "),
        }
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use tokio_util::sync::CancellationToken;

    use super::super::{Answer, Cancelled, Reply, Request};
    use super::*;

    struct Echo;

    #[async_trait]
    impl ChatModel for Echo {
        async fn ask(&self, request: &Request, _: &CancellationToken) -> Result<Reply, Cancelled> {
            tokio::task::yield_now().await;
            Ok(Reply::complete(Answer::text(request.system.clone())))
        }
    }

    fn models() -> Models {
        Models::none()
            .with(Entry::new("local/small", Arc::new(Echo)))
            .with(Entry::new("far/large", Arc::new(Echo)))
            .with_role(
                Role::Executor,
                &["local/small", "gone/model", "far/large", "local/small"],
            )
            .with_role(Role::Planner, &["gone/model"])
    }

    #[test]
    fn roles_and_names_lead_to_models() {
        let models = models();
        let names = |name: &str| -> Result<Vec<String>, NoModel> {
            Ok(models
                .chain(name)?
                .iter()
                .map(|entry| entry.name.to_string())
                .collect())
        };
        assert_eq!(names("executor").unwrap(), ["local/small", "far/large"]);
        assert_eq!(names("far/large").unwrap(), ["far/large"]);
        assert_eq!(models.find("executor").unwrap().provider(), "local");
        assert_eq!(names("planner"), Err(NoModel::Role("planner")));
        assert_eq!(names("synthesizer"), Err(NoModel::Role("synthesizer")));
        assert_eq!(
            names("Far/Large").unwrap_err().to_string(),
            "The model `Far/Large` is not set up; nothing was asked. There are: far/large, local/small."
        );
    }

    #[test]
    fn a_provider_without_its_key_says_what_to_do() {
        let models = models().with_missing("gone", "Set GONE_KEY.");
        for name in ["planner", "gone/model"] {
            assert_eq!(
                models.chain(name).unwrap_err().to_string(),
                "The model `gone/model` can't be asked; nothing was. Set GONE_KEY."
            );
        }
        let nothing = Models::none().with_missing("gone", "Set GONE_KEY.");
        assert!(matches!(nothing.chain("gone/x"), Err(NoModel::Missing { .. })));
        assert!(matches!(nothing.chain("executor"), Err(NoModel::None)));
    }

    #[test]
    fn without_models_every_name_says_so() {
        for name in ["executor", "far/large", ""] {
            assert_eq!(Models::none().chain(name).unwrap_err(), NoModel::None);
        }
    }
}
