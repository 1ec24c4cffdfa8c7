//! OpenAI's own chat completions. It must not know how they are read.

use super::chat::{Chat, Habits, takes_temperature};
use super::classify::Dialect;
use crate::llm::Traits;
use crate::model::Json;

pub type OpenAi = Chat<OfOpenAi>;

pub struct OfOpenAi;

impl Habits for OfOpenAi {
    const DIALECT: Dialect = Dialect::OpenAi;
    const NAME: &'static str = "openai";
    const MOST_OUTPUT: &'static str = "max_completion_tokens";

    fn tune(body: &mut Json, model: &str, traits: &Traits) {
        if let (false, Some(body)) = (takes_temperature(model, traits), body.as_object_mut()) {
            body.remove("temperature");
        }
    }
}
