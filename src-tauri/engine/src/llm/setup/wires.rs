//! The one place where a provider's kind becomes a wire. It must not know roles, prices lists or where a key came from.

use std::sync::Arc;

use url::Url;

use super::Kind;
use super::settings::Waits;
use crate::llm::{ChatModel, Key, Price, Traits};

/// All that a provider's wire needs.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The provider's name among the settings.
    pub name: String,
    pub kind: Kind,
    pub base_url: Url,
    pub key: Option<Key>,
    pub waits: Waits,
}

/// Makes a model that can be asked: provider, what the provider calls the model, what it can do, what it costs. An
/// error where no request can be made at all.
pub type Connect =
    Arc<dyn Fn(&Spec, &str, Traits, Price) -> Result<Arc<dyn ChatModel>, String> + Send + Sync>;

/// This program's own wires.
pub fn connect() -> Connect {
    Arc::new(|spec, _, _, _| Err(format!("the wire of {} is not built yet", spec.kind.title())))
}
