//! A provider's key: something that can be used and never shown. It must not know where it is kept.

use std::fmt;

/// The secret that a provider asks for. Neither printed, nor compared, nor stored, nor turned into JSON; whoever sends
/// it says [`Key::expose`], so that each such place can be found.
#[derive(Clone)]
pub struct Key(String);

/// Why a text is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoKey {
    #[error("the key is empty")]
    Empty,
    #[error("the key has a character that can't be sent: keys are printable ASCII without spaces")]
    Character,
    #[error("the key is longer than any provider's")]
    TooLong,
}

/// More than any provider's key has.
const LONGEST: usize = 4096;

impl Key {
    /// No provider gives shorter ones; what is shorter is made up, such as `ollama`, and may be a word in any text.
    pub const SHORTEST_REAL: usize = 16;

    /// The text without white space around it, as it comes from a file or a terminal.
    pub fn new(text: &str) -> Result<Self, NoKey> {
        let text = text.trim();
        if text.is_empty() {
            return Err(NoKey::Empty);
        }
        if text.len() > LONGEST {
            return Err(NoKey::TooLong);
        }
        if !text.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(NoKey::Character);
        }
        Ok(Self(text.to_owned()))
    }

    /// The secret itself, for the one header that carries it, the store that keeps it, and to take it out of texts.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_never_printed() {
        let key = Key::new("  sk-canary-1234\n").unwrap();
        assert_eq!(key.expose(), "sk-canary-1234");
        assert_eq!(format!("{key:?} {:?}", Some(&key)), "[secret] Some([secret])");
    }

    #[test]
    fn what_can_not_be_sent_is_no_key() {
        assert_eq!(Key::new(" \n").unwrap_err(), NoKey::Empty);
        for text in ["a b", "a\nb", "schlüssel", "a\u{0}"] {
            assert_eq!(Key::new(text).unwrap_err(), NoKey::Character, "{text:?}");
        }
        assert_eq!(Key::new(&"x".repeat(5000)).unwrap_err(), NoKey::TooLong);
    }
}
