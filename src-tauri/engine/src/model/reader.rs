//! Reads JSON that people write, piece by piece: what is wrong is told with its place and left out, what is good is
//! kept. It must not know what the pieces mean.

use serde_json::Map;

use super::Json;
use super::json::At;
use super::money::Usd;
use super::near::Names;
use super::read::{self, Bounds};

/// Something in a file that can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The file's name with a JSON Pointer into it, such as `settings.json#/models/roles/planner`.
    pub place: String,
    /// What is wrong and what holds instead.
    pub message: String,
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// What a file of settings may hold.
pub const BOUNDS: Bounds = Bounds {
    bytes: 4 << 20,
    depth: 32,
    values: 200_000,
    tasks: 100_000,
};
/// More troubles of one file are not told one by one.
const MOST_TOLD: usize = 50;

/// The troubles of one file.
pub struct Reader<'a> {
    file: &'a str,
    troubles: &'a mut Vec<Trouble>,
    told: usize,
}

impl<'a> Reader<'a> {
    pub fn new(file: &'a str, troubles: &'a mut Vec<Trouble>) -> Self {
        Self {
            file,
            troubles,
            told: 0,
        }
    }

    pub fn say(&mut self, at: &At<'_>, message: impl Into<String>) {
        self.told += 1;
        if self.told > MOST_TOLD {
            return;
        }
        let pointer = at.pointer();
        let mark = if pointer.is_empty() { "" } else { "#" };
        self.troubles.push(Trouble {
            place: format!("{}{mark}{pointer}", self.file),
            message: message.into(),
        });
    }

    /// The whole file as one object.
    pub fn file(&mut self, bytes: &[u8]) -> Option<Map<String, Json>> {
        match read::read_bytes(bytes, &BOUNDS) {
            Ok(Json::Object(map)) => Some(map),
            Ok(other) => {
                self.wrong(&At::Root, "an object", &other);
                None
            }
            Err(errors) => {
                for error in errors.iter().take(3) {
                    self.say(&At::Root, format!("{error}; nothing of the file is used"));
                }
                None
            }
        }
    }

    pub fn object<'v>(&mut self, at: &At<'_>, value: &'v Json) -> Option<&'v Map<String, Json>> {
        if let Json::Object(map) = value {
            return Some(map);
        }
        self.wrong(at, "an object", value);
        None
    }

    /// The entry of an object, if it is one too.
    pub fn object_in<'v>(
        &mut self,
        at: &At<'_>,
        map: &'v Map<String, Json>,
        key: &str,
    ) -> Option<&'v Map<String, Json>> {
        let value = map.get(key).filter(|value| !value.is_null())?;
        self.object(&at.key(key), value)
    }

    /// A text that is not empty.
    pub fn text(&mut self, at: &At<'_>, map: &Map<String, Json>, key: &str) -> Option<String> {
        let value = map.get(key).filter(|value| !value.is_null())?;
        match value.as_str() {
            Some(text) if !text.trim().is_empty() => Some(text.to_owned()),
            Some(_) | None => {
                self.wrong(&at.key(key), "a text that is not empty", value);
                None
            }
        }
    }

    pub fn flag(&mut self, at: &At<'_>, map: &Map<String, Json>, key: &str) -> Option<bool> {
        let value = map.get(key).filter(|value| !value.is_null())?;
        if value.as_bool().is_none() {
            self.wrong(&at.key(key), "true or false", value);
        }
        value.as_bool()
    }

    /// A whole number within these bounds.
    pub fn count(
        &mut self,
        at: &At<'_>,
        map: &Map<String, Json>,
        key: &str,
        range: std::ops::RangeInclusive<u64>,
    ) -> Option<u64> {
        let value = map.get(key).filter(|value| !value.is_null())?;
        let count = value.as_u64().filter(|count| range.contains(count));
        if count.is_none() {
            let wanted = format!("a whole number from {} to {}", range.start(), range.end());
            match value.as_number().map(ToString::to_string) {
                // So short a number is no key.
                Some(number) if number.len() <= 6 => {
                    let message = format!("this must be {wanted}, not {number}; it is not used");
                    self.say(&at.key(key), message.as_str());
                }
                Some(_) | None => self.wrong(&at.key(key), &wanted, value),
            }
        }
        count
    }

    /// An amount of dollars, as a number or as text.
    pub fn usd(&mut self, at: &At<'_>, map: &Map<String, Json>, key: &str) -> Option<Usd> {
        let value = map.get(key).filter(|value| !value.is_null())?;
        let text = match value {
            Json::String(text) => Some(text.clone()),
            Json::Number(number) => Some(number.to_string()),
            Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
        };
        let usd = text.and_then(|text| text.parse().ok());
        if usd.is_none() {
            self.wrong(&at.key(key), "an amount of dollars, such as \"0.25\"", value);
        }
        usd
    }

    /// One text, or a list of texts.
    pub fn texts(&mut self, at: &At<'_>, value: &Json) -> Vec<String> {
        match value {
            Json::String(text) => vec![text.clone()],
            Json::Array(items) => {
                let mut texts = Vec::new();
                for (ix, item) in items.iter().enumerate() {
                    match item.as_str() {
                        Some(text) => texts.push(text.to_owned()),
                        None => self.wrong(&at.item(ix), "a text", item),
                    }
                }
                texts
            }
            Json::Null => Vec::new(),
            Json::Bool(_) | Json::Number(_) | Json::Object(_) => {
                self.wrong(at, "a text or a list of texts", value);
                Vec::new()
            }
        }
    }

    /// Tells of fields that nothing reads, with what may have been meant.
    pub fn only(&mut self, at: &At<'_>, map: &Map<String, Json>, known: &[&str]) {
        for key in map.keys().filter(|key| !known.contains(&key.as_str())) {
            let meant = Names::new(known.iter().copied())
                .nearest(key)
                .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            self.say(
                &at.key(key),
                format!("this field is not known and not used{meant}"),
            );
        }
    }

    pub fn wrong(&mut self, at: &At<'_>, wanted: &str, found: &Json) {
        let found = match found {
            Json::Null => "null",
            Json::Bool(_) => "true or false",
            Json::Number(_) => "a number",
            Json::String(_) => "a text",
            Json::Array(_) => "a list",
            Json::Object(_) => "an object",
        };
        // Never the value itself: people put keys into wrong places.
        self.say(
            at,
            match found.split_once(' ').filter(|_| wanted.contains(found)) {
                Some((_, kind)) => format!("this must be {wanted}, and this {kind} is not; it is not used"),
                None => format!("this must be {wanted}, not {found}; it is not used"),
            },
        );
    }
}
