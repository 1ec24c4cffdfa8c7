//! JSON values as the whole engine uses them: numbers keep their digits, objects keep their order.

/// A JSON value. Numbers are kept as the text they were written in (`arbitrary_precision`).
pub type Json = serde_json::Value;

/// The one text of a value that does not depend on key order: keys sorted by code point, no white space.
/// Numbers stand as written, so `1.0` and `1` differ.
pub fn canonical(value: &Json) -> String {
    let mut out = String::new();
    write_canonical(value, &mut out, &mut |_| ());
    out
}

/// The hash of the canonical text.
pub fn canonical_digest(value: &Json) -> super::Digest {
    let mut hashed = HashedText::default();
    hashed.write_canonical(value);
    hashed.digest()
}

/// A text that is hashed piece by piece as it is made, so that a large one never stands as a whole.
#[derive(Default)]
pub(super) struct HashedText {
    hasher: blake3::Hasher,
    piece: String,
}

impl HashedText {
    /// Pieces of about this many bytes go into the hash.
    const PIECE: usize = 64 * 1024;

    /// Adds what is written.
    pub fn write(&mut self, write: impl FnOnce(&mut String)) {
        write(&mut self.piece);
        if self.piece.len() >= Self::PIECE {
            self.hasher.update(self.piece.as_bytes());
            self.piece.clear();
        }
    }

    /// Adds the canonical text of a value.
    pub fn write_canonical(&mut self, value: &Json) {
        let hasher = &mut self.hasher;
        write_canonical(value, &mut self.piece, &mut |piece| {
            if piece.len() >= Self::PIECE {
                hasher.update(piece.as_bytes());
                piece.clear();
            }
        });
    }

    pub fn digest(mut self) -> super::Digest {
        self.hasher.update(self.piece.as_bytes());
        super::Digest::from_bytes(*self.hasher.finalize().as_bytes())
    }
}

/// `after` is asked after each value, and may take away what has been written.
fn write_canonical(value: &Json, out: &mut String, after: &mut impl FnMut(&mut String)) {
    match value {
        Json::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_canonical(item, out, after);
            }
            out.push(']');
        }
        Json::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort_unstable();
            out.push('{');
            for (i, key) in keys.into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                push_string(key, out);
                out.push(':');
                write_canonical(&map[key], out, after);
            }
            out.push('}');
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => out.push_str(&value.to_string()),
    }
    after(out);
}

/// Adds a string as JSON text, quoted and escaped.
pub fn push_string(text: &str, out: &mut String) {
    out.push('"');
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0c => "\\f",
            0..=0x1f => {
                out.push_str(&text[plain..at]);
                out.push_str(&format!("\\u{byte:04x}"));
                plain = at + 1;
                continue;
            }
            _ => continue,
        };
        out.push_str(&text[plain..at]);
        out.push_str(escape);
        plain = at + 1;
    }
    out.push_str(&text[plain..]);
    out.push('"');
}

/// Adds one step to a JSON Pointer (RFC 6901).
pub fn push_step(pointer: &mut String, step: &str) {
    pointer.push('/');
    for c in step.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// Whether a text is a JSON Pointer: empty, or steps that begin with `/` and escape `~` as `~0` or `~1`.
pub fn is_pointer(text: &str) -> bool {
    (text.is_empty() || text.starts_with('/'))
        && text
            .split('~')
            .skip(1)
            .all(|after| after.starts_with('0') || after.starts_with('1'))
}

/// The steps of a JSON Pointer, unescaped.
pub fn steps(pointer: &str) -> impl Iterator<Item = String> + '_ {
    pointer
        .split('/')
        .skip(1)
        .map(|step| step.replace("~1", "/").replace("~0", "~"))
}

/// Where a value stands, as a chain on the stack: the text is only made when something must be said about it.
#[derive(Clone, Copy, Debug)]
pub enum At<'a> {
    Root,
    Key(&'a At<'a>, &'a str),
    Item(&'a At<'a>, usize),
}

impl<'a> At<'a> {
    pub fn key(&'a self, key: &'a str) -> At<'a> {
        At::Key(self, key)
    }
    pub fn item(&'a self, ix: usize) -> At<'a> {
        At::Item(self, ix)
    }
    /// The JSON Pointer.
    pub fn pointer(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }
    fn write(&self, out: &mut String) {
        match self {
            At::Root => {}
            At::Key(parent, key) => {
                parent.write(out);
                push_step(out, key);
            }
            At::Item(parent, ix) => {
                parent.write(out);
                push_step(out, &ix.to_string());
            }
        }
    }
}

#[cfg(test)]
mod digest_tests {
    use super::*;

    #[test]
    fn the_hash_made_by_pieces_is_the_hash_of_the_text() {
        let many: Vec<Json> = (0..5000)
            .map(|n| serde_json::json!({ "b": [n, "x\ny"], "a": null, "c": 1.50 }))
            .collect();
        for value in [Json::Array(many), serde_json::json!({}), serde_json::json!("a")] {
            assert_eq!(
                canonical_digest(&value),
                super::super::Digest::of(canonical(&value).as_bytes())
            );
        }
    }
}
