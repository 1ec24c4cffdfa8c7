//! One secret and the forms in which it travels. It must not know what becomes of a place where one is found.

use super::coded::{Alphabet, Coded};

/// How often an escape may be escaped again.
const DEEPEST: usize = 3;
/// Backslashes in front of one character, at most.
const MOST_SLASHES: usize = 16;
/// Bytes of the longest spelling of one character: sixteen backslashes and `uXXXX`, twice, and a zero byte.
const LONGEST_SPELLING: usize = 2 * (MOST_SLASHES + 5) + 6;
/// So many characters of a secret's beginning or end give away too much.
const MOST_SHOWN: usize = 8;
/// Of a shorter secret no part is looked for: too many words are like it.
const SHORTEST_IN_PART: usize = 8;
/// What many texts begin with, secret or not.
const LEADS: &[&str] = &[
    "https://",
    "http://",
    "postgres://",
    "postgresql://",
    "mysql://",
    "redis://",
    "mongodb://",
    "mongodb+srv://",
    "amqp://",
    "Bearer ",
    "Basic ",
    "Token ",
];

#[derive(Clone)]
pub(super) struct Secret {
    text: String,
    /// Bytes of the beginning that are too much to be shown.
    least: usize,
    /// Where the part of the end begins that is too much to be shown; 0: only the whole is looked for.
    tail: usize,
    coded: Vec<Coded>,
}

impl Secret {
    pub fn new(text: &str) -> Self {
        let count = text.chars().count();
        let part = match count {
            0..SHORTEST_IN_PART => count,
            _ => count.div_ceil(2).clamp(SHORTEST_IN_PART - 2, MOST_SHOWN),
        };
        let at = |n: usize| text.char_indices().nth(n).map_or(text.len(), |(at, _)| at);
        let lead = LEADS
            .iter()
            .find(|lead| text.starts_with(**lead))
            .map_or(0, |lead| lead.len());
        let least = at(lead + part);
        let tail = if count < SHORTEST_IN_PART {
            0
        } else {
            at(count - part)
        };
        Self {
            text: text.to_owned(),
            least,
            tail,
            coded: all_coded(text, least, at(count / 2)),
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn longest(&self) -> usize {
        let coded = self.coded.iter().map(Coded::longest).max();
        (self.text.chars().count() * LONGEST_SPELLING).max(coded.unwrap_or(0))
    }

    /// How far its end may reach back behind where it is found.
    pub fn reach(&self) -> usize {
        self.tail
    }

    /// Bytes with which it may begin as a text.
    pub fn mark_starts(&self, starts: &mut [bool; 256]) {
        for text in [&self.text, &self.text[self.tail..]] {
            let first = text.bytes().next().unwrap_or_default();
            for byte in [
                first.to_ascii_lowercase(),
                first.to_ascii_uppercase(),
                b'%',
                b'\\',
                b'&',
            ] {
                starts[usize::from(byte)] = true;
            }
            starts[usize::from(b'+')] |= first == b' ';
        }
    }

    pub fn coded(&self) -> &[Coded] {
        &self.coded
    }

    /// Where the longest spelling of it as a text that begins here ends.
    pub fn end_at(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let rest = &bytes[at..];
        let plain = spelled(&self.text, self.least, rest);
        let end = &self.text[self.tail..];
        let end = if self.tail == 0 {
            None
        } else {
            spelled(end, end.len(), rest)
        };
        plain.max(end).map(|length| at + length)
    }

    /// The text without the places where it stands as a text from its first character to its last; `None`: there are none.
    pub fn without_whole(&self, text: &str) -> Option<String> {
        let (mut clean, mut kept, mut at) = (String::new(), 0, 0);
        while at < text.len() {
            match spelled(&self.text, self.text.len(), &text.as_bytes()[at..]) {
                Some(length) => {
                    clean.push_str(&text[kept..at]);
                    clean.push_str(super::REDACTED);
                    at += length;
                    kept = at;
                }
                None => at += text[at..].chars().next().map_or(1, char::len_utf8),
            }
        }
        (kept > 0).then(|| clean + &text[kept..])
    }

    /// How many bytes before this place are what stands before the secret's end, where that is found here.
    pub fn back_from(&self, bytes: &[u8], at: usize) -> usize {
        let end = &self.text[self.tail..];
        if self.tail == 0 || spelled(end, end.len(), &bytes[at..]).is_none() {
            return 0;
        }
        let head = self.text.as_bytes()[..self.tail].iter().rev();
        let pairs = bytes[..at].iter().rev().zip(head);
        pairs.take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count()
    }
}

/// In every alphabet and behind any number of other bytes; its second half also by itself, and as UTF-16.
fn all_coded(text: &str, least: usize, half: usize) -> Vec<Coded> {
    let wide = |order: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(order).collect::<Vec<u8>>();
    let bytes = text.as_bytes();
    let mut whole = vec![(bytes.to_vec(), least)];
    if bytes.len() - half >= SHORTEST_IN_PART {
        whole.push((bytes[half..].to_vec(), bytes.len() - half));
    }
    let (little, big) = (wide(u16::to_le_bytes), wide(u16::to_be_bytes));
    whole.extend([(little, 2 * least), (big, 2 * least)]);
    let mut found = Vec::new();
    for (bytes, least) in &whole {
        let mut add = |alphabet, before| found.extend(Coded::of(bytes, alphabet, before, *least));
        (0..3).for_each(|before| add(Alphabet::Base64, before));
        add(Alphabet::Hex, 0);
        (0..5).for_each(|before| add(Alphabet::Base32, before));
    }
    found
}

/// The text, or at least so many bytes of it, with each of its characters as it is, in either case, percent-encoded, or
/// escaped as in JSON or HTML; a zero byte may stand around each, as in UTF-16. How long the longest such spelling at the
/// beginning of `rest` is. All readings of what came before are kept, as one may end where another fails.
fn spelled(text: &str, least: usize, rest: &[u8]) -> Option<usize> {
    if !may_begin(text.as_bytes(), rest) {
        return None;
    }
    let mut ends = vec![0];
    let mut found = None;
    for (at, c) in text.char_indices() {
        if at >= least {
            found = ends.iter().copied().max();
        }
        if at > 0 {
            ends = ends
                .into_iter()
                .flat_map(|at| [Some(at), zero(&rest[at..]).map(|n| at + n)])
                .flatten()
                .collect();
        }
        let mut next = Vec::new();
        for at in ends {
            each_spelling(c, &rest[at..], &mut |length| {
                if !next.contains(&(at + length)) {
                    next.push(at + length);
                }
            });
        }
        if next.is_empty() {
            return found;
        }
        ends = next;
    }
    ends.into_iter().max()
}

/// A quick look at the first two bytes: most places are no beginning.
fn may_begin(text: &[u8], rest: &[u8]) -> bool {
    let is_sign = |byte: u8| matches!(byte, b'%' | b'\\' | b'&' | b'+' | 0);
    let is_near = |at: usize| match (text.get(at), rest.get(at)) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(text), Some(found)) => is_sign(*found) || found.eq_ignore_ascii_case(text),
    };
    is_near(0) && (rest.first().is_some_and(|first| is_sign(*first)) || is_near(1))
}

/// A zero byte, as it is or as in JSON.
fn zero(rest: &[u8]) -> Option<usize> {
    [&b"\0"[..], b"\\u0000"]
        .iter()
        .find(|zero| rest.starts_with(zero))
        .map(|zero| zero.len())
}

fn each_spelling(c: char, rest: &[u8], see: &mut dyn FnMut(usize)) {
    let mut buffer = [0; 4];
    let mut ends = vec![0];
    for byte in c.encode_utf8(&mut buffer).bytes() {
        let mut next = Vec::new();
        for at in ends {
            each_byte(byte, &rest[at..], &mut |length| next.push(at + length));
        }
        ends = next;
    }
    ends.into_iter().for_each(&mut *see);
    each_escape(c, rest, see);
    each_entity(c, rest, see);
}

/// The character as HTML writes it, by its name or its number; the `&` may be written so again.
fn each_entity(c: char, rest: &[u8], see: &mut dyn FnMut(usize)) {
    if rest.first() != Some(&b'&') {
        return;
    }
    let mut at = 1;
    for _ in 0..=DEEPEST {
        let here = &rest[at..];
        let name: &[u8] = match c {
            '&' => b"amp;",
            '<' => b"lt;",
            '>' => b"gt;",
            '"' => b"quot;",
            '\'' => b"apos;",
            _ => b"\0",
        };
        if here.starts_with(name) {
            see(at + name.len());
        }
        if let Some(length) = numbered(c, here) {
            see(at + length);
        }
        if !here.starts_with(b"amp;") {
            return;
        }
        at += 4;
    }
}

/// `#107;` and `#x6b;`, with zeros in front.
fn numbered(c: char, rest: &[u8]) -> Option<usize> {
    let number = rest.strip_prefix(b"#")?;
    let (digits, radix, mark) = match number.first()? {
        b'x' | b'X' => (&number[1..], 16, 2),
        _ => (number, 10, 1),
    };
    let end = digits.iter().take(9).position(|b| *b == b';')?;
    let code = u32::from_str_radix(std::str::from_utf8(&digits[..end]).ok()?, radix).ok()?;
    (code == u32::from(c)).then_some(mark + end + 1)
}

/// The byte itself, or `%XX`, where the percent sign may be encoded again; a space also as `+`.
fn each_byte(byte: u8, rest: &[u8], see: &mut dyn FnMut(usize)) {
    let first = rest.first().copied();
    let is_it = first.is_some_and(|found| found.eq_ignore_ascii_case(&byte));
    if is_it || (first == Some(b'+') && byte == b' ') {
        see(1);
    }
    if first != Some(b'%') {
        return;
    }
    let mut at = 1;
    for _ in 0..=DEEPEST {
        let code = rest.get(at..at + 2).and_then(|two| std::str::from_utf8(two).ok());
        let found = code.and_then(|two| u8::from_str_radix(two, 16).ok());
        if found.is_some_and(|found| found.eq_ignore_ascii_case(&byte)) {
            see(at + 2);
        }
        if code != Some("25") {
            return;
        }
        at += 2;
    }
}

/// The character behind backslashes: as itself, by its letter, or by its code. A backslash is also any run of them.
fn each_escape(c: char, rest: &[u8], see: &mut dyn FnMut(usize)) {
    let before = slashes(rest);
    if before == 0 {
        return;
    }
    if c == '\\' {
        (2..=before).for_each(&mut *see);
    }
    let letter = match c {
        '"' | '/' | '\'' => Some(c as u8),
        '\n' => Some(b'n'),
        '\r' => Some(b'r'),
        '\t' => Some(b't'),
        '\u{8}' => Some(b'b'),
        '\u{c}' => Some(b'f'),
        _ => None,
    };
    if letter.is_some() && rest.get(before).copied() == letter {
        see(before + 1);
    }
    let mut units = [0; 2];
    let mut at = 0;
    for unit in c.encode_utf16(&mut units) {
        let more = slashes(&rest[at..]);
        let code = rest
            .get(at + more..at + more + 5)
            .filter(|code| code[0] == b'u' && more > 0);
        let code = code.and_then(|code| std::str::from_utf8(&code[1..]).ok());
        let found = code.and_then(|code| u16::from_str_radix(code, 16).ok());
        if !found.is_some_and(|found| is_same_unit(found, *unit)) {
            return;
        }
        at += more + 5;
    }
    see(at);
}

fn is_same_unit(a: u16, b: u16) -> bool {
    match (u8::try_from(a), u8::try_from(b)) {
        (Ok(a), Ok(b)) => a.eq_ignore_ascii_case(&b),
        _ => a == b,
    }
}

fn slashes(rest: &[u8]) -> usize {
    rest.iter()
        .take(MOST_SLASHES)
        .take_while(|b| **b == b'\\')
        .count()
}
