//! vLLM's server. It must not know which model it serves.

use super::chat::{Chat, Habits};
use super::classify::Dialect;

pub type Vllm = Chat<OfVllm>;

pub struct OfVllm;

impl Habits for OfVllm {
    const DIALECT: Dialect = Dialect::Vllm;
    const NAME: &'static str = "vllm";
    const IS_STRICT: bool = false;
    const NO_TEXT: Option<&'static str> = Some("");
}
