//! Reads JSON text without loss and within bounds. It must not know what a plan is, beyond the one bound on a
//! list of tasks. Numbers keep their digits, objects their order, and a key that stands twice is refused.

mod again;
mod faults;

use std::collections::HashSet;

use serde_json::{Map, Number};

use super::Json;
pub(super) use again::{read_again, read_around_tasks, read_field_again};
use faults::position;

/// How much a text may hold. Checked while reading, so that a hostile text costs little.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub bytes: usize,
    /// Containers inside each other; the outermost one counts.
    pub depth: usize,
    /// Values in all. A text of 64 MiB can hold 30 million of them, which no memory should have to.
    pub values: usize,
    /// Entries of the list `tasks` of the outermost object.
    pub tasks: usize,
}

/// The bounds of a plan document (DESIGN §2).
pub const PLAN: Bounds = Bounds {
    bytes: 64 << 20,
    depth: 64,
    values: 4_000_000,
    tasks: 100_000,
};

/// Why a text can't be taken. Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} at line {line}, column {column}")]
pub struct ReadError {
    pub kind: ReadErrorKind,
    pub message: String,
    pub line: usize,
    pub column: usize,
    /// JSON Pointer of the value in which reading stopped.
    pub pointer: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadErrorKind {
    /// The text is not JSON.
    Syntax,
    /// A bound was passed.
    TooLarge,
    /// A key stands twice in one object, so one of its values would be lost.
    RepeatedKey,
}

/// Repeated keys beyond this many are not listed one by one.
const LISTED_REPEATS: usize = 100;
/// Prefix of the keys by which `serde_json` marks numbers and raw values inside its own machinery.
const RESERVED: &str = "$serde_json::private::";

/// Reads one JSON value that is the whole text. All repeated keys are reported together.
pub fn read(text: &str, bounds: &Bounds) -> Result<Json, Vec<ReadError>> {
    Reader::new(text, bounds).whole().map(|(value, _)| value)
}

/// Reads bytes: the same, and they must be UTF-8.
pub fn read_bytes(bytes: &[u8], bounds: &Bounds) -> Result<Json, Vec<ReadError>> {
    match std::str::from_utf8(bytes) {
        Ok(text) => read(text, bounds),
        Err(error) => {
            let good = &bytes[..error.valid_up_to()];
            let good = std::str::from_utf8(good).unwrap_or_default();
            let (line, column) = position(good, good.len());
            let message = "The text is not UTF-8: it has a byte that belongs to no character".to_owned();
            Err(vec![ReadError {
                kind: ReadErrorKind::Syntax,
                message,
                line,
                column,
                pointer: String::new(),
            }])
        }
    }
}

/// One step from a container to a value in it. Keys are remembered by their place in the text, not copied.
#[derive(Clone, Copy)]
enum Step {
    Key(usize),
    Item(usize),
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    values: usize,
    bounds: &'t Bounds,
    path: Vec<Step>,
    repeats: Vec<ReadError>,
    /// Where tasks begin, if that is asked for; then they themselves are let go once they have been read.
    task_starts: Option<Vec<u32>>,
}

type Read<T> = Result<T, ReadError>;

impl<'t> Reader<'t> {
    fn new(text: &'t str, bounds: &'t Bounds) -> Self {
        Self {
            text,
            at: 0,
            values: 0,
            bounds,
            path: Vec::new(),
            repeats: Vec::new(),
            task_starts: None,
        }
    }

    fn whole(mut self) -> Result<(Json, Vec<u32>), Vec<ReadError>> {
        match self.document() {
            Ok(value) if self.repeats.is_empty() => Ok((value, self.task_starts.unwrap_or_default())),
            Ok(_) => Err(self.repeats),
            Err(error) => Err(vec![error]),
        }
    }

    fn document(&mut self) -> Read<Json> {
        if self.text.len() > self.bounds.bytes {
            let (had, most) = (self.text.len(), self.bounds.bytes);
            return Err(self.too_large(format!("The text has {had} bytes; at most {most} can be taken")));
        }
        if self.text.starts_with('\u{feff}') {
            return Err(self.syntax(
                "JSON allows no byte order mark (BOM): save the text as UTF-8 without it; one stands",
            ));
        }
        self.blank();
        let value = self.value()?;
        self.blank();
        match self.peek() {
            None => Ok(value),
            Some(_) => Err(self.syntax("There is more text after the end of the JSON value")),
        }
    }

    /// Recursion is bounded by `bounds.depth`.
    fn value(&mut self) -> Read<Json> {
        self.values += 1;
        if self.values > self.bounds.values {
            let most = self.bounds.values;
            return Err(self.too_large(format!("The text holds more than {most} values")));
        }
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string().map(|text| Json::String(fitting(text))),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(b'/' | b'#') => Err(self.syntax("JSON has no comments: a value was expected here")),
            Some(b'\'') => Err(self.syntax("A text stands in double quotes in JSON")),
            Some(b'}' | b']') => Err(self.syntax("A value was expected before this bracket")),
            Some(_) => Err(self.syntax("A JSON value was expected here")),
            None => Err(self.syntax("The text ends where a JSON value was expected")),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Read<Json>) -> Read<Json> {
        if self.path.len() >= self.bounds.depth {
            return Err(self.too_large(self.too_deep()));
        }
        read(self)
    }

    fn object(&mut self) -> Read<Json> {
        self.at += 1;
        // Collected first, so that the map takes no more room than it needs: a plan of 10,000 tasks shows it.
        let mut entries: Vec<(String, Json)> = Vec::new();
        let mut keys = Keys::default();
        self.blank();
        if self.eat(b'}') {
            return Ok(Json::Object(Map::new()));
        }
        loop {
            self.blank();
            match self.peek() {
                Some(b'"') => {}
                Some(b'}') => return Err(self.syntax("A comma stands before the closing bracket")),
                Some(b'/' | b'#') => return Err(self.syntax("JSON has no comments: a key was expected here")),
                Some(_) | None => return Err(self.syntax("A key in double quotes was expected here")),
            }
            let start = self.at;
            let key = self.string()?;
            self.path.push(Step::Key(start));
            self.check_key(&key, start, keys.has(&key, &entries))?;
            self.blank();
            if !self.eat(b':') {
                return Err(self.syntax("A colon was expected after the key"));
            }
            self.blank();
            let value = self.value()?;
            self.path.pop();
            entries.push((fitting(key), value));
            self.blank();
            match self.next() {
                Some(b',') => {}
                Some(b'}') => return Ok(Json::Object(exact(entries))),
                Some(_) => return Err(self.syntax_before("A comma or `}` was expected here")),
                None => return Err(self.syntax("The text ends inside an object")),
            }
        }
    }

    fn check_key(&mut self, key: &str, start: usize, is_repeated: bool) -> Read<()> {
        if key.starts_with(RESERVED) {
            return Err(self.error(
                ReadErrorKind::Syntax,
                start,
                format!("The key `{key}` is reserved"),
            ));
        }
        if is_repeated && self.repeats.len() < LISTED_REPEATS {
            let message = format!("The key `{key}` stands twice in one object; one of the two would be lost");
            let repeat = self.error(ReadErrorKind::RepeatedKey, start, message);
            self.repeats.push(repeat);
        }
        Ok(())
    }

    fn array(&mut self) -> Read<Json> {
        self.at += 1;
        let mut items = Vec::new();
        let mut count = 0;
        let is_task_list = self.is_task_list();
        let most = if is_task_list {
            self.bounds.tasks
        } else {
            usize::MAX
        };
        self.blank();
        if self.eat(b']') {
            return Ok(Json::Array(items));
        }
        loop {
            if count >= most {
                return Err(self.too_large(format!("The plan has more than {most} tasks")));
            }
            self.blank();
            self.path.push(Step::Item(count));
            count += 1;
            let start = self.at as u32;
            let value = self.value()?;
            match &mut self.task_starts {
                Some(starts) if is_task_list => starts.push(start),
                Some(_) | None => items.push(value),
            }
            self.path.pop();
            self.blank();
            match self.next() {
                Some(b',') => {}
                Some(b']') => {
                    items.shrink_to_fit();
                    return Ok(Json::Array(items));
                }
                Some(_) => return Err(self.syntax_before("A comma or `]` was expected here")),
                None => return Err(self.syntax("The text ends inside a list")),
            }
        }
    }

    fn is_task_list(&self) -> bool {
        matches!(self.path[..], [Step::Key(start)] if self.text[start..].starts_with("\"tasks\""))
    }

    fn word(&mut self, word: &str, value: Json) -> Read<Json> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.syntax("A JSON value was expected here"));
        }
        self.at += word.len();
        Ok(value)
    }

    /// Checks the grammar of RFC 8259 and keeps the text as it stands.
    fn number(&mut self) -> Read<Json> {
        let start = self.at;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _ = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        Ok(Json::Number(Number::from_string_unchecked(
            self.text[start..self.at].to_owned(),
        )))
    }

    fn digits(&mut self) -> Read<()> {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start {
            Err(self.syntax("A digit was expected here"))
        } else {
            Ok(())
        }
    }

    fn string(&mut self) -> Read<String> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let start = self.at;
            while self.peek().is_some_and(|b| b != b'"' && b != b'\\' && b >= 0x20) {
                self.at += 1;
            }
            out.push_str(&self.text[start..self.at]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                Some(_) => return Err(self.syntax("A control character must be written as an escape")),
                None => return Err(self.syntax("The text ends inside a string")),
            }
        }
    }

    fn escape(&mut self) -> Read<char> {
        self.at += 1;
        match self.next() {
            Some(b'"') => Ok('"'),
            Some(b'\\') => Ok('\\'),
            Some(b'/') => Ok('/'),
            Some(b'b') => Ok('\u{8}'),
            Some(b'f') => Ok('\u{c}'),
            Some(b'n') => Ok('\n'),
            Some(b'r') => Ok('\r'),
            Some(b't') => Ok('\t'),
            Some(b'u') => self.unicode(),
            Some(_) => {
                Err(self.syntax_before("There is no such escape; a backslash itself is written twice"))
            }
            None => Err(self.syntax("The text ends inside a string")),
        }
    }

    /// After `\u`: one code unit, or two that form a pair.
    fn unicode(&mut self) -> Read<char> {
        let start = self.at - 2;
        let lone = "Half of a surrogate pair stands alone: it is no character";
        let first = self.four_hex()?;
        let code = match first {
            0xd800..=0xdbff => {
                if !(self.eat(b'\\') && self.eat(b'u')) {
                    return Err(self.error(ReadErrorKind::Syntax, start, lone.to_owned()));
                }
                let second = self.four_hex()?;
                if !(0xdc00..=0xdfff).contains(&second) {
                    return Err(self.error(ReadErrorKind::Syntax, start, lone.to_owned()));
                }
                0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
            }
            other => other,
        };
        char::from_u32(code).ok_or_else(|| self.error(ReadErrorKind::Syntax, start, lone.to_owned()))
    }

    fn four_hex(&mut self) -> Read<u32> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|b| char::from(b).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.syntax("Four hexadecimal digits were expected after `\\u`"));
            };
            self.at += 1;
            code = code * 16 + digit;
        }
        Ok(code)
    }

    fn blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn eat(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }
}

/// The same text without room to grow.
fn fitting(mut text: String) -> String {
    text.shrink_to_fit();
    text
}

fn exact(entries: Vec<(String, Json)>) -> Map<String, Json> {
    let mut map = Map::with_capacity(entries.len());
    map.extend(entries);
    map
}

/// Which keys an object has so far. Small objects are searched, large ones are indexed.
#[derive(Default)]
struct Keys {
    indexed: HashSet<String>,
}

impl Keys {
    const SEARCHED: usize = 32;

    fn has(&mut self, key: &str, entries: &[(String, Json)]) -> bool {
        if entries.len() <= Self::SEARCHED {
            return entries.iter().any(|(known, _)| known == key);
        }
        if self.indexed.is_empty() {
            self.indexed
                .extend(entries.iter().map(|(known, _)| known.clone()));
        }
        !self.indexed.insert(key.to_owned())
    }
}

#[cfg(test)]
mod tests;
