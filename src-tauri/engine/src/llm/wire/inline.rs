//! Thoughts that a server leaves in the text, between tags at its beginning. Tags in the middle of prose are prose. It
//! must not know who thinks.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// The thought and the answer. Some templates write the opening tag themselves, so that only the closing one is seen;
/// it counts on a line of its own.
pub(super) fn split(text: &str) -> (String, String) {
    if let Some(inside) = text.trim_start().strip_prefix(OPEN) {
        let (thought, answer) = inside.split_once(CLOSE).unwrap_or((inside, ""));
        return (thought.trim().to_owned(), answer.trim_start().to_owned());
    }
    let is_alone = |at: &usize| {
        let before = text[..*at].trim_end_matches([' ', '\t']);
        let behind = text[at + CLOSE.len()..].trim_start_matches([' ', '\t', '\r']);
        (before.is_empty() || before.ends_with('\n')) && (behind.is_empty() || behind.starts_with('\n'))
    };
    match text.match_indices(CLOSE).map(|(at, _)| at).find(is_alone) {
        Some(at) => {
            let answer = &text[at + CLOSE.len()..];
            (text[..at].trim().to_owned(), answer.trim_start().to_owned())
        }
        None => (String::new(), text.to_owned()),
    }
}

/// The same for news on its way, as far as it can be known then.
#[derive(Default)]
pub(super) struct Live {
    held: String,
    place: Place,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Start,
    Thought,
    Answer,
}

impl Live {
    /// What is thought and what is said in this piece.
    pub fn take(&mut self, piece: &str) -> (String, String) {
        let mut thought = String::new();
        self.held.push_str(piece);
        if self.place == Place::Start {
            let begun = self.held.trim_start();
            if let Some(inside) = begun.strip_prefix(OPEN) {
                self.held = inside.to_owned();
                self.place = Place::Thought;
            } else if OPEN.starts_with(begun) {
                return (thought, String::new());
            } else {
                self.place = Place::Answer;
            }
        }
        if self.place == Place::Thought {
            match self.held.split_once(CLOSE) {
                Some((inside, answer)) => {
                    thought = inside.to_owned();
                    self.held = answer.trim_start().to_owned();
                    self.place = Place::Answer;
                }
                None => {
                    // The end may be the beginning of the tag.
                    let part = (0..CLOSE.len())
                        .rev()
                        .find(|len| self.held.ends_with(&CLOSE[..*len]));
                    let rest = self.held.split_off(self.held.len() - part.unwrap_or(0));
                    return (std::mem::replace(&mut self.held, rest), String::new());
                }
            }
        }
        (thought, std::mem::take(&mut self.held))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tags_at_the_beginning_hold_thoughts() {
        for (text, thought, answer) in [
            ("<think>sum is 41</think>41", "sum is 41", "41"),
            ("\n<think>\nhm\n</think>\n\n41", "hm", "41"),
            ("<think>never closed", "never closed", ""),
            ("</think>\n41", "", "41"),
            (
                "first this\nthen that\n</think>\n\n41",
                "first this\nthen that",
                "41",
            ),
            (
                "Write <think> tags like this: `<think>`.",
                "",
                "Write <think> tags like this: `<think>`.",
            ),
            (
                "Close it with </think>, always.",
                "",
                "Close it with </think>, always.",
            ),
            ("41", "", "41"),
            ("", "", ""),
        ] {
            assert_eq!(split(text), (thought.to_owned(), answer.to_owned()), "{text}");
        }
    }

    #[test]
    fn news_is_told_apart_wherever_it_is_cut() {
        let text = " <think>héllo < </thin you</think>\n4<think>1";
        for size in 1..9 {
            let chars: Vec<char> = text.chars().collect();
            let mut live = Live::default();
            let (mut thought, mut answer) = (String::new(), String::new());
            for piece in chars.chunks(size) {
                let (thinks, says) = live.take(&piece.iter().collect::<String>());
                thought.push_str(&thinks);
                answer.push_str(&says);
            }
            assert_eq!(
                (thought.as_str(), answer.trim_start()),
                ("héllo < </thin you", "4<think>1")
            );
        }
    }
}
