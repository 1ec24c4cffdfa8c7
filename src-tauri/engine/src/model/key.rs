//! Idempotency keys (rule 5): the same call of the same run has the same key for ever, whatever restarts in between.

use super::json::canonical;
use super::{Digest, Json, RunId};

/// What identifies one call.
pub struct CallIdentity<'a> {
    pub run: &'a RunId,
    /// `id`, `id[3]` or `id/inner`.
    pub address: &'a str,
    /// Raised only when a person chooses to do the effect again.
    pub generation: u32,
    pub tool: &'a str,
    /// With secrets as their references, never as their values.
    pub arguments: &'a Json,
    /// How many equal calls this generation of the task has made before.
    pub occurrence: u32,
}

impl CallIdentity<'_> {
    pub fn key(&self) -> Digest {
        let quoted = |text: &str| Json::String(text.to_owned()).to_string();
        let text = format!(
            "[\"planloom-call-1\",{},{},{},{},{},{}]",
            quoted(self.run.as_str()),
            quoted(self.address),
            self.generation,
            quoted(self.tool),
            canonical(self.arguments),
            self.occurrence,
        );
        Digest::of(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn identity(arguments: &Json, generation: u32) -> Digest {
        let run = RunId::from("r");
        CallIdentity {
            run: &run,
            address: "t",
            generation,
            tool: "http.request",
            arguments,
            occurrence: 0,
        }
        .key()
    }

    #[test]
    fn key_order_of_arguments_does_not_matter_but_values_do() {
        let one = identity(&json!({"a": 1, "b": 2}), 0);
        assert_eq!(one, identity(&json!({"b": 2, "a": 1}), 0));
        assert_ne!(one, identity(&json!({"a": 1, "b": 3}), 0));
        assert_ne!(one, identity(&json!({"a": 1, "b": 2}), 1));
    }
}
