//! Every provider's word for why an answer ended. It must not know what the answer holds.

/// What a word for stopping means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The answer is whole, with or without calls.
    Whole,
    /// At the limit of output.
    Cut,
    /// The model's context was full before the answer was whole.
    Full,
    /// The model or a policy said no: the fault's code.
    Refused(&'static str),
    /// The provider failed, and says so here only.
    Failed,
    /// The model wrote a call that the provider couldn't read.
    MalformedCall,
    /// A word that nobody knows.
    Unknown,
}

/// Letter case doesn't matter.
pub fn finish(word: &str) -> Finish {
    match word.to_ascii_lowercase().as_str() {
        "stop" | "end_turn" | "stop_sequence" | "eos" | "eos_token" | "end_of_text" | "complete"
        | "completed" | "done" | "end" | "tool_calls" | "tool_call" | "tool_use" | "function_call"
        | "submit" => Finish::Whole,
        "length"
        | "max_tokens"
        | "max_output_tokens"
        | "max_completion_tokens"
        | "max_new_tokens"
        | "token_limit"
        | "output_limit"
        | "incomplete"
        | "limit" => Finish::Cut,
        "model_context_window_exceeded" | "context_length_exceeded" | "model_length" | "context_length" => {
            Finish::Full
        }
        "refusal" => Finish::Refused("refusal"),
        "content_filter"
        | "content_filtered"
        | "safety"
        | "recitation"
        | "blocklist"
        | "prohibited_content"
        | "spii"
        | "image_safety"
        | "image_prohibited_content"
        | "image_recitation"
        | "guardrail_intervened"
        | "sensitive"
        | "bio_policy"
        | "language" => Finish::Refused("content_filter"),
        "error"
        | "network_error"
        | "server_error"
        | "internal_error"
        | "abort"
        | "aborted"
        | "cancelled"
        | "canceled"
        | "failed"
        | "timeout"
        | "overloaded"
        | "insufficient_system_resource"
        | "engine_overloaded"
        | "upstream_error"
        | "unavailable" => Finish::Failed,
        "malformed_function_call" | "unexpected_tool_call" | "too_many_tool_calls" | "malformed_response" => {
            Finish::MalformedCall
        }
        _ => Finish::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_mean_the_same_in_any_case() {
        for (word, means) in [
            ("STOP", Finish::Whole),
            ("tool_calls", Finish::Whole),
            ("end_turn", Finish::Whole),
            ("MAX_TOKENS", Finish::Cut),
            ("length", Finish::Cut),
            ("model_context_window_exceeded", Finish::Full),
            ("refusal", Finish::Refused("refusal")),
            ("SAFETY", Finish::Refused("content_filter")),
            ("RECITATION", Finish::Refused("content_filter")),
            ("network_error", Finish::Failed),
            ("MALFORMED_FUNCTION_CALL", Finish::MalformedCall),
            ("pause_turn", Finish::Unknown),
            ("", Finish::Unknown),
        ] {
            assert_eq!(finish(word), means, "{word}");
        }
    }
}
