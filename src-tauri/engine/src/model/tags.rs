//! Tags: short words by which a person finds plans and runs again. Nothing executes them. It must not know where they are
//! stored or shown.

use std::collections::BTreeSet;
use std::sync::Arc;

use unicode_normalization::UnicodeNormalization;

use super::events::RunTagged;

/// Letters of one.
pub const LONGEST: usize = 32;
/// How many a run has at most.
pub const MOST: usize = 20;

/// Why something is no tag.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadTag {
    #[error("a tag has at least one letter")]
    Empty,
    #[error("a tag has at most {LONGEST} letters, `{0}` has more")]
    Long(String),
    #[error(
        "a tag is one word of letters and digits (and `-`, `_`, `.`, `/` between them), which `{0}` is not"
    )]
    Strange(String),
}

/// A tag as it is kept: in small letters and one Unicode form, so that the same word is the same tag.
pub fn read(text: &str) -> Result<String, BadTag> {
    let text = text.trim();
    let cut = || {
        text.chars()
            .take(LONGEST + 1)
            .filter(|c| !c.is_control())
            .collect::<String>()
    };
    // Before any work that grows with it.
    if text.chars().nth(LONGEST * 4).is_some() {
        return Err(BadTag::Long(cut()));
    }
    let tag: String = text.nfc().flat_map(char::to_lowercase).nfc().collect();
    if tag.is_empty() {
        return Err(BadTag::Empty);
    }
    if tag.chars().count() > LONGEST {
        return Err(BadTag::Long(cut()));
    }
    let is_between = |c: char| matches!(c, '-' | '_' | '.' | '/');
    let is_word = |c: char| c.is_alphanumeric() || unicode_normalization::char::is_combining_mark(c);
    let has_word_first = tag.chars().next().is_some_and(is_word);
    if !has_word_first || !tag.chars().all(|c| is_word(c) || is_between(c)) {
        return Err(BadTag::Strange(cut()));
    }
    Ok(tag)
}

/// The tags of a run, in the order of their letters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags(BTreeSet<Arc<str>>);

impl Tags {
    /// Takes in one more fact of the log.
    pub fn take(&mut self, tagged: &RunTagged) {
        for tag in &tagged.removed {
            self.0.remove(tag.as_str());
        }
        self.0
            .extend(tagged.added.iter().map(|tag| Arc::from(tag.as_str())));
    }

    pub fn has(&self, tag: &str) -> bool {
        self.0.contains(tag)
    }

    pub fn count(&self) -> usize {
        self.0.len()
    }

    pub fn to_vec(&self) -> Vec<String> {
        self.0.iter().map(ToString::to_string).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_word_is_the_same_tag() {
        assert_eq!(read(" Prices "), Ok("prices".into()));
        assert_eq!(read("U\u{308}bersicht"), read("\u{fc}bersicht"));
        assert_eq!(read("q3/2026-final"), Ok("q3/2026-final".into()));
        assert_eq!(read("価格"), Ok("価格".into()));
    }

    #[test]
    fn what_is_no_word_is_refused() {
        assert_eq!(read("  "), Err(BadTag::Empty));
        assert!(matches!(read(&"x".repeat(33)), Err(BadTag::Long(_))));
        assert!(matches!(read(&"x".repeat(1 << 20)), Err(BadTag::Long(_))));
        for bad in [
            "two words",
            "a,b",
            "-a",
            "+a",
            "a\nb",
            "a:b",
            "\u{202e}a",
            "\u{301}",
            "a\0",
        ] {
            let read = read(bad);
            // A mark alone is a sign that stands on nothing; it is one all the same.
            assert!(read.is_err() || bad == "\u{301}", "{bad:?} {read:?}");
        }
    }
}
