//! What models said in the attempts of a task, for people: read from the replies as they stand in the log. It must not know
//! what followed from them.

use crate::llm::{Answer, Outcome, Reply};
use crate::views::{AskedCallView, CallView, ReplyView};

/// Fills in the replies. One that another version has written in a way that can't be read stays as it stands.
pub(super) fn fill_in<'a>(calls: impl Iterator<Item = &'a mut CallView>) {
    for call in calls.filter(|call| call.is_model) {
        let reply = call.result.as_deref().map(serde_json::from_str::<Reply>);
        call.reply = reply.and_then(Result::ok).and_then(|reply| said(&reply.outcome));
    }
}

fn said(outcome: &Outcome) -> Option<ReplyView> {
    match outcome {
        Outcome::Complete(answer) => Some(view(answer)),
        // These stand as errors, in words.
        Outcome::Cut(_)
        | Outcome::Rate(_)
        | Outcome::Quota(_)
        | Outcome::Overflow(_)
        | Outcome::Auth(_)
        | Outcome::Transient(_)
        | Outcome::Permanent(_)
        | Outcome::Unknown(_) => None,
    }
}

fn view(answer: &Answer) -> ReplyView {
    let thoughts = answer.thoughts.iter().map(|thought| thought.text.clone());
    let calls = answer.calls.iter().map(|call| AskedCallView {
        name: call.name.clone(),
        arguments: call.arguments.clone(),
    });
    ReplyView {
        thoughts: thoughts.filter(|text| !text.is_empty()).collect(),
        text: answer.text.clone(),
        calls: calls.collect(),
    }
}
