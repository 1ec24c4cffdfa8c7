//! A file's bytes as a stored JSON value and back: text as it is, anything else in base64. Touches no disk.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::Json;

pub fn to_json(bytes: Vec<u8>) -> Json {
    match String::from_utf8(bytes) {
        Ok(text) => Json::String(text),
        Err(error) => serde_json::json!({ "base64": STANDARD.encode(error.as_bytes()) }),
    }
}

/// `None`: it was not made by [`to_json`].
pub fn from_json(value: Json) -> Option<Vec<u8>> {
    match value {
        Json::String(text) => Some(text.into_bytes()),
        Json::Object(map) => STANDARD.decode(map.get("base64")?.as_str()?).ok(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        for bytes in [
            Vec::new(),
            b"plain\r\n".to_vec(),
            "\u{feff}mark".into(),
            (0..=255).collect(),
            b"a\0b".to_vec(),
        ] {
            assert_eq!(from_json(to_json(bytes.clone())), Some(bytes));
        }
        assert_eq!(from_json(serde_json::json!({ "base64": "no!" })), None);
        assert_eq!(from_json(serde_json::json!([1])), None);
    }
}
