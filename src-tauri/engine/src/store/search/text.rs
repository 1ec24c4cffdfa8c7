//! Texts as the index has them: cut into parts, cleaned, and with scripts that know no blanks cut letter by letter, so that
//! any piece of a Chinese, Japanese, Korean or Thai word finds it, also one of two letters (which trigrams would not). It
//! must not know where texts come from.

/// Bytes of one part; a hit is shown out of one part.
const PART: usize = 16 * 1024;
/// Parts of one text; what lies beyond is not found.
const MOST_PARTS: usize = 64;

/// Stands between letters that are words of their own; to the tokenizer it is no letter.
pub(super) const JOINT: char = '\u{200b}';

/// The text without what would steer whoever shows it, in parts that end between words where they can.
pub(super) fn parts(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() && parts.len() < MOST_PARTS {
        let (part, after) = rest.split_at(end_of_part(rest));
        rest = after;
        let part = clean(part);
        if !part.trim().is_empty() {
            parts.push(part);
        }
    }
    parts
}

fn end_of_part(text: &str) -> usize {
    if text.len() <= PART {
        return text.len();
    }
    let end = (0..=PART)
        .rev()
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(text.len());
    let blank = text[..end]
        .char_indices()
        .rev()
        .take(256)
        .find(|(_, c)| c.is_whitespace());
    blank.map_or(end, |(at, c)| at + c.len_utf8())
}

fn clean(text: &str) -> String {
    let steady = |c: char| if c.is_control() || c == JOINT { ' ' } else { c };
    text.chars().map(steady).collect()
}

/// The text as the tokenizer is given it.
pub(super) fn spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut was_alone = false;
    for c in text.chars() {
        let is_alone = stands_alone(c);
        if is_alone || was_alone {
            out.push(JOINT);
        }
        out.push(c);
        was_alone = is_alone;
    }
    out
}

/// A letter of a script that is written without blanks between words (Hangul has some, and endings grown onto words).
fn stands_alone(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0EFF          // Thai, Lao
        | 0x1000..=0x109F        // Burmese
        | 0x1780..=0x17FF        // Khmer
        | 0x3005..=0x3007
        | 0x3040..=0x30FF        // kana
        | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF // Han
        | 0xAC00..=0xD7AF        // Hangul
        | 0xFF66..=0xFF9D)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_lose_nothing_and_end_between_words() {
        let text = "word ".repeat(20_000);
        let cut = parts(&text);
        assert_eq!(cut.concat(), text);
        assert!(cut.len() > 5 && cut.iter().all(|part| part.len() <= PART && part.ends_with(' ')));
        let solid = "ä".repeat(PART);
        assert_eq!(parts(&solid).concat(), solid);
        assert_eq!(parts(&"x".repeat(PART * 100)).len(), MOST_PARTS);
        assert_eq!(parts("a\u{1b}[31m\u{200b}b"), ["a [31m b"]);
        assert!(parts(" \n").is_empty());
    }

    #[test]
    fn scripts_without_blanks_are_cut_letter_by_letter() {
        let shown = |text: &str| spaced(text).replace(JOINT, "|");
        assert_eq!(shown("東京tower"), "|東|京|tower");
        assert_eq!(shown("plain Übung"), "plain Übung");
        assert_eq!(shown("학교에서"), "|학|교|에|서");
    }
}
