//! Answers that were read, found broken and sent back. It must not know what they were for.

use super::data::cut;
use crate::llm::Message;

/// Answers that are sent back; then a person sees the last one as it is (DESIGN §2).
pub const MOST_SENT_BACK: usize = 3;
/// Bytes of the problems of one answer.
const TOLD: usize = 8 * 1024;

/// An answer that could not be taken, with everything that is wrong about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentBack {
    /// As the model gave it.
    pub answer: String,
    /// For the model to mend, such as the messages of all problems, one a line.
    pub problems: String,
}

/// The talk after the first question: each answer, and what was said to it.
pub(super) fn talk(sent_back: &[SentBack]) -> impl Iterator<Item = Message> + '_ {
    sent_back.iter().flat_map(|one| {
        let problems = cut(&one.problems, TOLD);
        let told = format!(
            "This can't be taken:\n{problems}\nGive the whole answer again, mended, and nothing around it."
        );
        [
            Message::Assistant {
                text: one.answer.clone(),
                calls: Vec::new(),
                thoughts: Vec::new(),
            },
            Message::User(told),
        ]
    })
}

/// Cuts each text so that all of them together stay near `all` bytes; none is cut below `least`.
pub(super) fn share(all: usize, count: usize, least: usize) -> usize {
    (all / count.max(1)).max(least)
}
