//! JSON values as the whole engine uses them: numbers keep their digits, objects keep their order.

/// A JSON value. Numbers are kept as the text they were written in (`arbitrary_precision`).
pub type Json = serde_json::Value;

/// The one text of a value that does not depend on key order: keys sorted by code point, no white space.
/// Numbers stand as written, so `1.0` and `1` differ.
pub fn canonical(value: &Json) -> String {
    let mut out = String::new();
    write_canonical(value, &mut out);
    out
}

fn write_canonical(value: &Json, out: &mut String) {
    match value {
        Json::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
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
                write_canonical(&map[key], out);
            }
            out.push('}');
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => out.push_str(&value.to_string()),
    }
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
