//! A secret in an alphabet of its own, such as base64 or hex: what stands there digit by digit, also where its first and
//! last digit hold bits of what is around it. It must not know where a text comes from.

/// Fewer digits may be a word in any text.
const SHORTEST: usize = 6;
/// What may stand between two digits: so much for each digit, and once so much more.
const BETWEEN: usize = 8;
const BETWEEN_ALL: usize = 80;
/// The column of characters of a dump of bytes, with what is around it.
const COLUMN: usize = 28;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// Standard and of URLs.
    Base64,
    Base32,
    Hex,
}

impl Alphabet {
    fn bits(self) -> usize {
        match self {
            Self::Base64 => 6,
            Self::Base32 => 5,
            Self::Hex => 4,
        }
    }

    fn value(self, byte: u8) -> Option<u8> {
        match (self, byte) {
            (Self::Base64, b'A'..=b'Z') => Some(byte - b'A'),
            (Self::Base64, b'a'..=b'z') => Some(byte - b'a' + 26),
            (Self::Base64, b'0'..=b'9') => Some(byte - b'0' + 52),
            (Self::Base64, b'+' | b'-') => Some(62),
            (Self::Base64, b'/' | b'_') => Some(63),
            (Self::Base32, b'A'..=b'Z') => Some(byte - b'A'),
            (Self::Base32, b'a'..=b'z') => Some(byte - b'a'),
            (Self::Base32, b'2'..=b'7') => Some(byte - b'2' + 26),
            (Self::Hex, b'0'..=b'9') => Some(byte - b'0'),
            (Self::Hex, b'a'..=b'f') => Some(byte - b'a' + 10),
            (Self::Hex, b'A'..=b'F') => Some(byte - b'A' + 10),
            (Self::Base64 | Self::Base32 | Self::Hex, _) => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Coded {
    alphabet: Alphabet,
    /// For each digit its bits, and which of them are the secret's.
    digits: Vec<(u8, u8)>,
    /// So many of them already give away too much.
    least: usize,
}

impl Coded {
    /// `before` bytes of something else stand in front; from `least` bytes on a beginning counts as found. `None`: it is too
    /// short to be told from other text.
    pub fn of(bytes: &[u8], alphabet: Alphabet, before: usize, least: usize) -> Option<Self> {
        let bits = alphabet.bits();
        let skipped = before * 8 % bits;
        let whole = skipped + bytes.len() * 8;
        let bit = |at: usize| {
            let at = at.checked_sub(skipped)?;
            let byte = bytes.get(at / 8)?;
            Some(byte >> (7 - at % 8) & 1)
        };
        let digit = |ix: usize| {
            (0..bits).fold((0, 0), |(value, mask), place| match bit(ix * bits + place) {
                Some(bit) => (value << 1 | bit, mask << 1 | 1),
                None => (value << 1, mask << 1),
            })
        };
        let digits: Vec<(u8, u8)> = (0..whole.div_ceil(bits)).map(digit).collect();
        let least = (skipped + least * 8)
            .div_ceil(bits)
            .clamp(SHORTEST, digits.len().max(SHORTEST));
        (digits.len() >= SHORTEST).then_some(Self {
            alphabet,
            digits,
            least,
        })
    }

    /// In bytes, with all that may stand between.
    pub fn longest(&self) -> usize {
        self.digits.len() * (BETWEEN + 3) + BETWEEN_ALL
    }

    /// The key under which its beginning is looked up; see [`keys_at`].
    pub fn key(&self) -> u32 {
        let is_whole = self.digits[0].1 == (1 << self.alphabet.bits()) - 1;
        let from = usize::from(!is_whole);
        let digits = &self.digits[from..from + KEYED];
        key(self.alphabet, from, digits.iter().map(|(value, _)| *value))
    }

    fn is_digit(&self, ix: usize, found: u8) -> bool {
        let (value, mask) = self.digits[ix];
        found & mask == value
    }

    /// How long it is here, at least its beginning.
    pub fn length(&self, rest: &[u8]) -> Option<usize> {
        let mut left = self.digits.len() * BETWEEN + BETWEEN_ALL;
        let (mut at, mut found) = (0, None);
        for ix in 0..self.digits.len() {
            if ix > 0 {
                let skipped = self.alphabet.between(ix, &rest[at..]);
                let Some(more) = left.checked_sub(skipped) else {
                    return found;
                };
                (left, at) = (more, at + skipped);
            }
            match self.alphabet.digit(&rest[at..]) {
                Some((value, length)) if self.is_digit(ix, value) => at += length,
                Some(_) | None => return found,
            }
            if ix + 1 >= self.least {
                found = Some(at);
            }
        }
        Some(at)
    }
}

/// So many digits are looked up at once.
const KEYED: usize = 4;

fn key(alphabet: Alphabet, from: usize, digits: impl Iterator<Item = u8>) -> u32 {
    let digits = digits.fold(0, |key, digit| key << 6 | u32::from(digit));
    let kind = match alphabet {
        Alphabet::Base64 => 0,
        Alphabet::Base32 => 1,
        Alphabet::Hex => 2,
    };
    digits | (kind * 2 + from as u32) << 24
}

/// The keys of all forms that could begin here: of its first digits, and of those behind the first, which may be shared.
pub(super) fn keys_at(rest: &[u8], see: &mut dyn FnMut(u32)) {
    for alphabet in [Alphabet::Base64, Alphabet::Base32, Alphabet::Hex] {
        let mut digits = [0; KEYED + 1];
        let mut at = 0;
        let mut count = 0;
        while count <= KEYED {
            if count > 0 {
                at += alphabet.between(count, &rest[at..]);
            }
            let Some((value, length)) = alphabet.digit(&rest[at..]) else {
                break;
            };
            digits[count] = value;
            (count, at) = (count + 1, at + length);
        }
        if count >= KEYED {
            see(key(alphabet, 0, digits[..KEYED].iter().copied()));
        }
        if count > KEYED {
            see(key(alphabet, 1, digits[1..].iter().copied()));
        }
    }
}

impl Alphabet {
    /// The digit that stands here, and how long it is: itself, percent-encoded as in a URL, or with a backslash as in JSON.
    fn digit(self, rest: &[u8]) -> Option<(u8, usize)> {
        let first = *rest.first()?;
        if let Some(value) = self.value(first) {
            return Some((value, 1));
        }
        match (self, first) {
            (Self::Base64, b'\\') if rest.get(1) == Some(&b'/') => Some((63, 2)),
            (Self::Base64, b'%') => {
                let mut at = 1;
                // The percent sign may be encoded again.
                while rest[at..].starts_with(b"25") && at < 7 {
                    at += 2;
                }
                let code = std::str::from_utf8(rest.get(at..at + 2)?).ok()?;
                let byte = u8::from_str_radix(code, 16).ok()?;
                Some((self.value(byte)?, at + 2))
            }
            (Self::Base64 | Self::Base32 | Self::Hex, _) => None,
        }
    }

    /// How much of what may stand between two digits is here.
    fn between(self, ix: usize, rest: &[u8]) -> usize {
        match self {
            Self::Base64 | Self::Base32 => line_break(rest),
            Self::Hex if ix.is_multiple_of(2) => between_bytes(rest),
            Self::Hex => 0,
        }
    }
}

/// A line end, as it is or as in JSON, and the spaces with which the next line begins.
fn line_break(rest: &[u8]) -> usize {
    let mut at = 0;
    while at < BETWEEN {
        match rest.get(at) {
            Some(b'\r' | b'\n') => at += 1,
            Some(b' ' | b'\t') if at > 0 => at += 1,
            Some(b'\\') if matches!(rest.get(at + 1), Some(b'n' | b'r')) => at += 2,
            Some(_) | None => break,
        }
    }
    at
}

/// `6b 65`, `6b:65`, `\x6b\x65`, `0x6b, 0x65`, and from one line of a dump to the next.
fn between_bytes(rest: &[u8]) -> usize {
    let mut at = 0;
    while at < BETWEEN {
        match rest.get(at) {
            Some(b' ' | b'\t' | b'\r' | b'\n' | b':' | b'-' | b',' | b';' | b'_' | b'.') => at += 1,
            Some(b'\\' | b'0') if matches!(rest.get(at + 1), Some(b'x' | b'X')) => at += 2,
            Some(b'\\') if matches!(rest.get(at + 1), Some(b'n' | b'r' | b't' | b'\\')) => at += 2,
            Some(_) | None => break,
        }
    }
    dump_line(rest).unwrap_or(at)
}

/// The column of characters, the line end and the count of bytes in front of the next line, as `xxd`, `od` and `hexdump`
/// write them.
fn dump_line(rest: &[u8]) -> Option<usize> {
    let is_end = rest.starts_with(b"  ") || rest.starts_with(b"\n") || rest.starts_with(b"\r\n");
    if !is_end {
        return None;
    }
    let end = rest.iter().take(COLUMN).position(|b| *b == b'\n')?;
    let mut at = end + 1;
    let digits = rest[at..]
        .iter()
        .take(17)
        .take_while(|b| b.is_ascii_hexdigit())
        .count();
    if !(4..=16).contains(&digits) {
        return None;
    }
    at += digits;
    at += usize::from(rest.get(at) == Some(&b':'));
    let spaces = rest[at..]
        .iter()
        .take(4)
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count();
    (spaces > 0).then_some(at + spaces)
}
