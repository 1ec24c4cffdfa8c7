//! A task as its executor sees it: scoped context (rule 1). It must not know the plan that the task stands in.

use std::sync::Arc;

use crate::model::Json;
use crate::model::tool::Catalog;
use crate::tools::Tool;

/// What one attempt is about. All of it comes from the approved plan but the inputs' values, which are foreign.
#[derive(Clone, Copy)]
pub struct Assignment<'a> {
    pub kind: Kind,
    /// A role or `provider/model`.
    pub model: &'a str,
    pub instruction: &'a str,
    /// Resolved, in the document's order. No secret is ever among them.
    pub inputs: &'a [(String, Json)],
    /// The tools that may be called; without any, the answer is asked for at once.
    pub tools: &'a [Arc<dyn Tool>],
    pub output_schema: Option<&'a Json>,
    /// An expression over `output` and the inputs that must hold.
    pub check: Option<&'a str>,
    /// All tools that there are, so that one which this task may not use is told from one that does not exist.
    pub catalog: Option<&'a Catalog>,
    pub bounds: Bounds,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A loop of at most this many turns; each answer of the model is one, whatever is in it.
    Agent { max_steps: u32 },
    /// One structured answer, asked again only where it does not fit.
    Model,
}

/// How much of what is shown to a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Bytes of one observation; of a longer one, head and tail are shown.
    pub observation_bytes: usize,
    /// Calls that one reply may make; further ones are refused, which the model is told.
    pub calls_at_once: usize,
    /// Tokens that the model takes in and gives out in one call, if that is known.
    pub context_tokens: Option<u64>,
    pub max_output_tokens: Option<u32>,
    pub temperature: Option<f64>,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            observation_bytes: 16 * 1024,
            calls_at_once: 16,
            context_tokens: None,
            max_output_tokens: None,
            temperature: None,
        }
    }
}
