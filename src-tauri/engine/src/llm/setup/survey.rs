//! What is at hand, as a face shows it: providers, models, who does which work, what is wrong. Holds no key.

use super::facts::Probed;
use super::keys::KeySource;
use super::providers::Origin;
use crate::llm::{Price, Role, Traits};
use crate::model::reader::Trouble;

#[derive(Clone, Debug, Default)]
pub struct Survey {
    pub providers: Vec<ProviderRow>,
    pub models: Vec<ModelRow>,
    /// Every role, with its models, best first; none where nothing is at hand.
    pub roles: Vec<(Role, Vec<String>)>,
    pub troubles: Vec<Trouble>,
    /// When the prices were looked up, and where.
    pub prices_of: String,
    pub prices_source: String,
}

#[derive(Clone, Debug)]
pub struct ProviderRow {
    pub name: String,
    /// The word of its kind.
    pub kind: &'static str,
    pub title: &'static str,
    pub base_url: String,
    pub origin: Origin,
    pub key: Option<KeySource>,
    /// One sentence, where something has to be done before it can be asked.
    pub todo: Option<String>,
    /// Whether a server on this machine answers; `None` where nobody was asked.
    pub answers: Option<bool>,
}

#[derive(Clone, Debug)]
pub struct ModelRow {
    /// `provider/model`.
    pub name: String,
    pub price: Price,
    pub traits: Traits,
    /// When it was last asked what it can do.
    pub probed: Option<Probed>,
    pub roles: Vec<Role>,
}

impl Survey {
    /// One sentence of what to start or to set, where nothing can be asked.
    pub fn advice(&self) -> Option<String> {
        if !self.models.is_empty() {
            return None;
        }
        let todo = self.providers.iter().find_map(|provider| provider.todo.clone());
        Some(todo.unwrap_or_else(|| crate::llm::NoModel::None.to_string()))
    }
}

impl Origin {
    pub fn word(self) -> &'static str {
        match self {
            Self::Settings => "settings",
            Self::Key => "key",
            Self::Found => "found",
        }
    }
}
