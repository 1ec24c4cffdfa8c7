//! Making a talk smaller when the model can't take it in: old observations first, then newer ones, then the inputs;
//! never the instruction, and no call without what was heard of it. It must not know what the texts say.

use super::shown::read_on;
use crate::agents::data::{cut, cut_with};
use crate::llm::{Message, Request, ToolCall};

/// How much is left of what.
#[derive(Clone, Copy)]
pub(super) struct Squeeze {
    /// Bytes of each observation but those of the newest turn.
    old: usize,
    /// Bytes of each observation of the newest turn.
    new: usize,
    /// Bytes of what was said before the newest turn, and of the arguments of calls.
    words: usize,
    /// Bytes of the inputs.
    pub inputs: usize,
    pub is_none: bool,
}

/// From none to the most that makes sense.
pub(super) const LEVELS: [Squeeze; 4] = [
    Squeeze {
        old: usize::MAX,
        new: usize::MAX,
        words: usize::MAX,
        inputs: usize::MAX,
        is_none: true,
    },
    Squeeze {
        old: 1024,
        new: usize::MAX,
        words: 4096,
        inputs: usize::MAX,
        is_none: false,
    },
    Squeeze {
        old: 200,
        new: 4096,
        words: 500,
        inputs: 32 * 1024,
        is_none: false,
    },
    Squeeze {
        old: 100,
        new: 1024,
        words: 200,
        inputs: 4 * 1024,
        is_none: false,
    },
];

/// The talk behind its opening, made smaller.
pub(super) fn squeezed(messages: &[Message], by: Squeeze) -> Vec<Message> {
    let newest = messages
        .iter()
        .rposition(|m| matches!(m, Message::Assistant { .. }))
        .unwrap_or(0);
    let at = |ix: usize, message: &Message| match message {
        Message::Observation {
            call,
            content,
            is_error,
        } => Message::Observation {
            call: call.clone(),
            content: cut_with(content, if ix > newest { by.new } else { by.old }, &read_on(call))
                .into_owned(),
            is_error: *is_error,
        },
        Message::Assistant {
            text,
            calls,
            thoughts,
        } if ix < newest => Message::Assistant {
            text: cut(text, by.words).into_owned(),
            calls: calls.iter().map(|call| shorter(call, by.words)).collect(),
            thoughts: thoughts.clone(),
        },
        Message::Assistant { .. } | Message::User(_) => message.clone(),
    };
    messages
        .iter()
        .enumerate()
        .map(|(ix, message)| at(ix, message))
        .collect()
}

/// Arguments stay an object.
fn shorter(call: &ToolCall, most: usize) -> ToolCall {
    if call.arguments.len() <= most {
        return call.clone();
    }
    let left_out = serde_json::json!({ "left_out": format!("{} bytes", call.arguments.len()) });
    ToolCall {
        arguments: left_out.to_string(),
        ..call.clone()
    }
}

/// Whether the request and an answer of usual length fit into so many tokens, as far as that can be guessed.
pub(super) fn fits(request: &Request, context_tokens: u64) -> bool {
    const ANSWER: u64 = 1024;
    let answer = request.max_output_tokens.map_or(ANSWER, u64::from);
    let answer = answer.min(context_tokens / 2);
    request.guessed_input_tokens().saturating_add(answer) <= context_tokens
}
