//! Asks a model once, and tells the words of its answer as they come, without what is secret. It must not know who asks,
//! nor who listens.

use std::sync::{Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

use super::growing::Teller;
use crate::llm::wire::Delta;
use crate::llm::{Cancelled, Entry, Reply, Request};
use crate::model::redactor::{Redactor, Stream};

/// Which words are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Words {
    /// The answer alone.
    Answer,
    /// What is thought before it too, with an empty line between them.
    All,
}

/// Each change to it is a single call.
struct Told<'r> {
    stream: Stream<'r>,
    is_thinking: bool,
}

pub(super) async fn ask(
    (entry, request): (&Entry, &Request),
    (teller, redactor, words): (&Teller, &Redactor, Words),
    cancel: &CancellationToken,
) -> Result<Reply, Cancelled> {
    // A secret comes in pieces too.
    let told = Mutex::new(Told {
        stream: redactor.live(),
        is_thinking: false,
    });
    let tell = |delta: Delta| {
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        let shown = match delta {
            Delta::Text(more) if std::mem::take(&mut told.is_thinking) => {
                told.stream.push(&format!("\n\n{more}"))
            }
            Delta::Text(more) => told.stream.push(&more),
            Delta::Thinking(more) if words == Words::All => {
                told.is_thinking = true;
                told.stream.push(&more)
            }
            Delta::Thinking(_) | Delta::Call(_) => return,
        };
        teller.say(&shown);
    };
    entry.model.ask_live(request, &tell, cancel).await
}
