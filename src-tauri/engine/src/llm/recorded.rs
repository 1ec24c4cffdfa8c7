//! Answers of a real model, recorded for the sample plans, so that these run where no model is set up. It asks nobody, and
//! what was not recorded it does not know.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::wire::Delta;
use super::{Cancelled, ChatModel, Cost, Entry, Fault, Outcome, Price, Reply, Request, Support, Traits};

pub use crate::model::plan::RECORDED;

const BUILT_IN: &str = include_str!("../../../../assets/samples/recorded.json");
/// Words come as they would from a model, but nobody waits long for what is known already.
const PIECE: usize = 24;
const PAUSE: Duration = Duration::from_millis(25);
const MOST_PAUSES: usize = 40;

/// The file of the recordings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recordings {
    /// Which model answered, and where; for people.
    pub model: String,
    /// [`print_of`] the question → what came back.
    pub answers: BTreeMap<String, Reply>,
}

/// What makes a question the same one: all that the model is told, and nothing of limits or names.
pub fn print_of(request: &Request) -> String {
    let told = serde_json::json!({
        "system": request.system, "messages": request.messages, "tools": request.tools, "output": request.output,
    });
    blake3::hash(told.to_string().as_bytes()).to_hex()[..32].to_owned()
}

/// The model that plays them; the same one each time.
pub(super) fn entry() -> &'static Entry {
    static ENTRY: LazyLock<Entry> = LazyLock::new(|| {
        // The file is part of the program, and a test reads it.
        let recordings = serde_json::from_str(BUILT_IN).unwrap_or_default();
        playing(recordings)
    });
    &ENTRY
}

/// A model that gives these answers.
pub fn playing(recordings: Recordings) -> Entry {
    let mut entry = Entry::new(RECORDED, Arc::new(Recorded(recordings)));
    entry.price = Price::Free;
    entry.limits = TRAITS.limits();
    entry
}

/// What the samples are recorded with: the forms of questions follow from it.
pub const TRAITS: Traits = Traits {
    tools: Support::Yes,
    structured: Support::Yes,
    thinking: Support::No,
    context_tokens: Some(16_384),
    max_output_tokens: None,
};

struct Recorded(Recordings);

#[async_trait]
impl ChatModel for Recorded {
    async fn ask(&self, request: &Request, cancel: &CancellationToken) -> Result<Reply, Cancelled> {
        self.ask_live(request, &|_| {}, cancel).await
    }

    async fn ask_live(
        &self,
        request: &Request,
        told: &(dyn Fn(Delta) + Send + Sync),
        cancel: &CancellationToken,
    ) -> Result<Reply, Cancelled> {
        let Some(reply) = self.0.answers.get(&print_of(request)) else {
            return Ok(unknown());
        };
        if let Outcome::Complete(answer) = &reply.outcome {
            say(&answer.text, told, cancel).await?;
        }
        // It was counted when it was recorded, and costs nothing now.
        Ok(Reply {
            cost: Cost::Zero,
            ..reply.clone()
        })
    }

    async fn traits(&self, _: &CancellationToken) -> Result<Traits, Cancelled> {
        Ok(TRAITS)
    }
}

async fn say(
    text: &str,
    told: &(dyn Fn(Delta) + Send + Sync),
    cancel: &CancellationToken,
) -> Result<(), Cancelled> {
    let letters: Vec<char> = text.chars().collect();
    for piece in letters.chunks(PIECE.max(letters.len().div_ceil(MOST_PAUSES))) {
        tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(Cancelled),
            () = tokio::time::sleep(PAUSE) => {}
        }
        told(Delta::Text(piece.iter().collect()));
    }
    Ok(())
}

fn unknown() -> Reply {
    let message = "No answer was recorded for this question: the sample's data, a task's words or its tools are other \
                   than when it was recorded. Nothing was asked. Choose a model for the task to ask one.";
    Reply {
        outcome: Outcome::Permanent(Fault::new("not_recorded", message)),
        usage: super::Usage::default(),
        cost: Cost::Zero,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::super::{Answer, Message};
    use super::*;

    fn question(text: &str) -> Request {
        Request {
            model: RECORDED.to_owned(),
            system: "You carry out one task.".to_owned(),
            messages: vec![Message::User(text.to_owned())],
            tools: Vec::new(),
            output: None,
            max_output_tokens: None,
            temperature: None,
        }
    }

    fn one_answer() -> Entry {
        let reply = Reply::complete(Answer::text("Two of them are late, and one of these is urgent."));
        playing(Recordings {
            model: "a real one".to_owned(),
            answers: BTreeMap::from([(print_of(&question("How many are late?")), reply)]),
        })
    }

    #[test]
    fn the_shipped_recordings_can_be_read() {
        let read: Recordings = serde_json::from_str(BUILT_IN).unwrap();
        assert!(!read.answers.is_empty() && !read.model.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_recorded_question_gets_its_answer_word_by_word_for_nothing() {
        let heard = Mutex::new(Vec::new());
        let hear = |delta| {
            if let Delta::Text(text) = delta {
                heard.lock().unwrap().push(text);
            }
        };
        let mut asked = question("How many are late?");
        // Limits are no part of the question.
        asked.max_output_tokens = Some(300);
        let reply = one_answer()
            .model
            .ask_live(&asked, &hear, &CancellationToken::new())
            .await
            .unwrap();
        let Outcome::Complete(answer) = reply.outcome else {
            panic!("{reply:?}");
        };
        let heard = heard.into_inner().unwrap();
        assert!(heard.len() > 1);
        assert_eq!((heard.concat(), reply.cost), (answer.text, Cost::Zero));
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_not_recorded_is_not_made_up() {
        let stop = CancellationToken::new();
        let entry = one_answer();
        for asked in ["How many are late", "How many are late? Ignore it."] {
            let reply = entry.model.ask(&question(asked), &stop).await.unwrap();
            let Outcome::Permanent(fault) = reply.outcome else {
                panic!("{reply:?}");
            };
            assert_eq!(fault.code, "not_recorded");
        }
    }

    #[tokio::test]
    async fn an_answer_that_is_given_up_ends_at_once() {
        let stop = CancellationToken::new();
        stop.cancel();
        let given_up = one_answer()
            .model
            .ask(&question("How many are late?"), &stop)
            .await;
        assert_eq!(given_up, Err(Cancelled));
    }
}
