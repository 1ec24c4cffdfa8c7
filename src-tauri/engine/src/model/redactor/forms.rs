//! One secret and the forms in which it travels. It must not know what becomes of a place where one is found.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// Fewer characters of base64 or hex may be a word in any text.
const SHORTEST_CODED: usize = 6;
/// How often an escape may be escaped again.
const DEEPEST: usize = 3;
/// Backslashes in front of one character, at most.
const MOST_SLASHES: usize = 16;
/// Bytes of the longest spelling of one character: sixteen backslashes and `uXXXX`, twice.
const LONGEST_SPELLING: usize = 2 * (MOST_SLASHES + 5);

#[derive(Clone)]
pub(super) struct Secret {
    text: String,
    /// Lower case.
    hex: Vec<u8>,
    /// Only the characters that depend on nothing but the secret, or on its being the last.
    base64: Vec<Vec<u8>>,
}

impl Secret {
    pub fn new(text: &str) -> Self {
        let hex: String = text.bytes().map(|b| format!("{b:02x}")).collect();
        let mut base64: Vec<Vec<u8>> = (0..3).flat_map(|before| encoded_behind(text, before)).collect();
        base64.sort_unstable();
        base64.dedup();
        Self {
            text: text.to_owned(),
            hex: hex.into_bytes(),
            base64,
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn longest(&self) -> usize {
        self.text.chars().count() * LONGEST_SPELLING + self.hex.len()
    }

    pub fn mark_starts(&self, starts: &mut [bool; 256]) {
        let coded = self.base64.iter().map(|form| form[0]);
        let first = [
            self.text.as_bytes()[0],
            b'%',
            b'\\',
            self.hex[0],
            self.hex[0].to_ascii_uppercase(),
        ];
        for byte in first.into_iter().chain(coded) {
            starts[usize::from(byte)] = true;
        }
        if self.text.starts_with(' ') {
            starts[usize::from(b'+')] = true;
        }
    }

    /// Where the longest form of it that begins here ends.
    pub fn end_at(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let rest = &bytes[at..];
        let plain = spelled(&self.text, rest);
        let hex = rest
            .get(..self.hex.len())
            .filter(|found| self.hex.len() >= SHORTEST_CODED && found.eq_ignore_ascii_case(&self.hex))
            .map(|_| self.hex.len());
        let coded = self.base64.iter().filter_map(|form| in_lines(form, rest)).max();
        plain.max(hex).max(coded).map(|length| at + length)
    }
}

/// How base64 shows the secret behind so many other bytes, as in `user:secret`.
fn encoded_behind(secret: &str, before: usize) -> Vec<Vec<u8>> {
    let mut bytes = vec![0; before];
    bytes.extend_from_slice(secret.as_bytes());
    let first = (before * 8).div_ceil(6);
    let end = bytes.len() * 8 / 6;
    let whole = bytes.len() * 8;
    // With its last character where nothing follows the secret.
    let ends = [end, whole.div_ceil(6)];
    [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)]
        .iter()
        .flat_map(|text| ends.map(|end| text.get(first..end).map(|form| form.as_bytes().to_vec())))
        .flatten()
        .filter(|form| form.len() >= SHORTEST_CODED)
        .collect()
}

/// How long a character of base64 is here: itself, percent-encoded as in a URL, or with a backslash as in JSON.
fn coded(byte: u8, rest: &[u8]) -> Option<usize> {
    if byte == b'/' && rest.starts_with(b"\\/") {
        return Some(2);
    }
    let mut longest = None;
    each_byte(byte, rest, &mut |length| longest = longest.max(Some(length)));
    longest
}

/// The form with a line end between any two of its characters.
fn in_lines(form: &[u8], rest: &[u8]) -> Option<usize> {
    let mut at = 0;
    for (ix, byte) in form.iter().enumerate() {
        if ix > 0 {
            at += usize::from(rest.get(at) == Some(&b'\r'));
            at += usize::from(rest.get(at) == Some(&b'\n'));
        }
        at += coded(*byte, &rest[at..])?;
    }
    Some(at)
}

/// The text with each of its characters as it is, percent-encoded or escaped as in JSON: how long the longest such
/// spelling at the beginning of `rest` is. All readings of what came before are kept, as one may end where another fails.
fn spelled(text: &str, rest: &[u8]) -> Option<usize> {
    let mut ends = vec![0];
    for c in text.chars() {
        let mut next = Vec::new();
        for at in ends {
            each_spelling(c, &rest[at..], &mut |length| {
                if !next.contains(&(at + length)) {
                    next.push(at + length);
                }
            });
        }
        if next.is_empty() {
            return None;
        }
        ends = next;
    }
    ends.into_iter().max()
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
}

/// The byte itself, or `%XX`, where the percent sign may be encoded again; a space also as `+`.
fn each_byte(byte: u8, rest: &[u8], see: &mut dyn FnMut(usize)) {
    let first = rest.first().copied();
    if first == Some(byte) || (first == Some(b'+') && byte == b' ') {
        see(1);
    }
    if first != Some(b'%') {
        return;
    }
    let mut at = 1;
    for _ in 0..=DEEPEST {
        let code = rest.get(at..at + 2).and_then(|two| std::str::from_utf8(two).ok());
        if code.and_then(|two| u8::from_str_radix(two, 16).ok()) == Some(byte) {
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
        if code.and_then(|code| u16::from_str_radix(code, 16).ok()) != Some(*unit) {
            return;
        }
        at += more + 5;
    }
    see(at);
}

fn slashes(rest: &[u8]) -> usize {
    rest.iter()
        .take(MOST_SLASHES)
        .take_while(|b| **b == b'\\')
        .count()
}
