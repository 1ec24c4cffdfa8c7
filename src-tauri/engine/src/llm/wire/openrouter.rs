//! OpenRouter: many providers behind one address. It must not know them.

use serde_json::json;

use super::chat::{Chat, Habits};
use super::classify::Dialect;
use crate::llm::Traits;
use crate::model::Json;

pub type OpenRouter = Chat<OfOpenRouter>;

pub struct OfOpenRouter;

impl Habits for OfOpenRouter {
    const DIALECT: Dialect = Dialect::OpenRouter;
    const NAME: &'static str = "openrouter";

    /// The price comes with the answer. A provider that would drop tools or the shape of the answer is not asked.
    fn tune(body: &mut Json, _model: &str, _traits: &Traits) {
        body["usage"] = json!({ "include": true });
        if body.get("tools").is_some() || body.get("response_format").is_some() {
            body["provider"] = json!({ "require_parameters": true });
        }
    }
}
