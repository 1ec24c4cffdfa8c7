//! Anybody else who speaks like OpenAI, such as DeepSeek, Groq, Mistral or a gateway of one's own. It must not know whom.

use super::chat::{Chat, Habits};
use super::classify::Dialect;

pub type Compatible = Chat<OfOthers>;

pub struct OfOthers;

impl Habits for OfOthers {
    const DIALECT: Dialect = Dialect::Compatible;
    const NAME: &'static str = "compatible";
}
