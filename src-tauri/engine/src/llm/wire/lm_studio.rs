//! LM Studio's server on one's own machine. It must not know which model is loaded there.

use super::chat::{Chat, Habits};
use super::classify::Dialect;

pub type LmStudio = Chat<OfLmStudio>;

pub struct OfLmStudio;

impl Habits for OfLmStudio {
    const DIALECT: Dialect = Dialect::LmStudio;
    const NAME: &'static str = "lm_studio";
    const IS_STRICT: bool = false;
    const NO_TEXT: Option<&'static str> = Some("");
}
