//! Thoughts told apart while the answer is on its way, as far as that can be known then. What is told here is for people
//! who watch; the answer itself is taken apart once it is whole. It must not know who thinks.

use super::channels::{self, Channels};
use super::marks::{Look, Mark, look};
use super::quoting::Quoting;

#[derive(Default)]
pub struct Live {
    held: String,
    place: Place,
    /// A thought has been there; only then others may follow.
    has_thought: bool,
    quoting: Quoting,
    channels: Channels,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Start,
    /// Of this kind, with so many of it open.
    Thought(usize, usize),
    Answer,
    Channels,
}

/// What comes next in what is held.
enum Next {
    /// So much before a mark.
    At(usize, Mark),
    /// No mark in so much; what follows may be one.
    Until(usize),
}

impl Live {
    /// What is thought and what is said in this piece.
    pub fn take(&mut self, piece: &str) -> (String, String) {
        let (mut thought, mut answer) = (String::new(), String::new());
        self.held.push_str(piece);
        let held = std::mem::take(&mut self.held);
        let mut rest = &held[..];
        loop {
            let goes_on = match self.place {
                Place::Start => self.start(&mut rest),
                Place::Thought(kind, depth) => self.thought(&mut rest, kind, depth, &mut thought),
                Place::Answer => self.answer(&mut rest, &mut answer),
                Place::Channels => {
                    let (thinks, says) = self.channels.take(rest);
                    thought.push_str(&thinks);
                    answer.push_str(&says);
                    rest = "";
                    false
                }
            };
            if !goes_on {
                break;
            }
        }
        rest.clone_into(&mut self.held);
        (thought, answer)
    }

    fn start(&mut self, rest: &mut &str) -> bool {
        // Blanks before the beginning say nothing.
        *rest = rest.trim_start();
        let begun = *rest;
        if !self.has_thought && channels::is_begun(begun) {
            self.place = Place::Channels;
            return true;
        }
        let is_open = match look(begun) {
            Look::Mark(mark) if mark.is_open => Some(mark),
            Look::Part => return false,
            Look::Mark(_) | Look::Other => None,
        };
        if let Some(mark) = is_open {
            (self.place, self.has_thought) = (Place::Thought(mark.kind, 1), true);
            *rest = &begun[mark.end..];
            return true;
        }
        if begun.is_empty() || (!self.has_thought && channels::may_begin(begun)) {
            return false;
        }
        self.place = Place::Answer;
        true
    }

    fn thought(&mut self, rest: &mut &str, kind: usize, depth: usize, thought: &mut String) -> bool {
        match next(rest, |mark| mark.kind == kind) {
            Next::At(at, mark) => {
                let is_end = !mark.is_open && depth <= 1;
                // Marks in the midst of a thought are part of it.
                thought.push_str(&rest[..if is_end { at } else { mark.end }]);
                *rest = &rest[mark.end..];
                self.place = match (mark.is_open, is_end) {
                    (true, _) => Place::Thought(kind, depth + 1),
                    (false, false) => Place::Thought(kind, depth - 1),
                    // What was said before it goes on behind it.
                    (false, true) if self.quoting.is_begun() => Place::Answer,
                    (false, true) => Place::Start,
                };
                true
            }
            Next::Until(at) => {
                thought.push_str(&rest[..at]);
                *rest = &rest[at..];
                false
            }
        }
    }

    fn answer(&mut self, rest: &mut &str, answer: &mut String) -> bool {
        if !self.has_thought {
            answer.push_str(rest);
            *rest = "";
            return false;
        }
        let (at, mark) = match next(rest, |mark| mark.is_open) {
            Next::At(at, mark) => (at, Some(mark)),
            Next::Until(at) => (at, None),
        };
        answer.push_str(&rest[..at]);
        self.quoting.feed(&rest[..at]);
        *rest = &rest[at..];
        let Some(mark) = mark else { return false };
        let length = mark.end - mark.at;
        if self.quoting.is_quoted() {
            answer.push_str(&rest[..length]);
        } else {
            self.place = Place::Thought(mark.kind, 1);
        }
        *rest = &rest[length..];
        true
    }
}

/// The first mark that is wanted.
fn next(text: &str, is_wanted: impl Fn(&Mark) -> bool) -> Next {
    for (at, _) in text.match_indices(['<', '[']) {
        match look(&text[at..]) {
            Look::Mark(mark) if is_wanted(&mark) => {
                return Next::At(
                    at,
                    Mark {
                        at,
                        end: at + mark.end,
                        ..mark
                    },
                );
            }
            Look::Part => return Next::Until(at),
            Look::Mark(_) | Look::Other => {}
        }
    }
    Next::Until(text.len())
}
