//! From bytes to text: by the mark at their beginning, by what somebody says of them, else as UTF-8. It never fails; what
//! is no text is said to be none, and nothing is lost as long as the caller keeps the bytes. It must not know where they
//! come from.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};

/// What bytes say.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decoded<'b> {
    /// Without a byte order mark and without NULs, which no database or JSON text may hold.
    pub text: Cow<'b, str>,
    /// Every byte stands in the text.
    pub is_whole: bool,
    /// A picture, an archive or the like rather than text.
    pub is_binary: bool,
}

/// `label` as in a `charset`, such as `gbk` or `shift_jis`; an unknown one says nothing.
pub(super) fn decode<'b>(bytes: &'b [u8], label: Option<&str>) -> Decoded<'b> {
    let told = label.and_then(|label| Encoding::for_label(label.trim().as_bytes()));
    let (encoding, mark) = match Encoding::for_bom(bytes) {
        Some((encoding, length)) => (encoding, length),
        None => (told.unwrap_or(UTF_8), 0),
    };
    let (text, had_errors) = encoding.decode_without_bom_handling(&bytes[mark..]);
    let is_binary = mark == 0 && looks_binary(bytes, &text, had_errors);
    let has_nul = text.contains('\0');
    let text = if has_nul {
        Cow::Owned(text.replace('\0', ""))
    } else {
        text
    };
    Decoded {
        text,
        is_whole: !had_errors && !has_nul,
        is_binary,
    }
}

/// Whether there is an encoding of that name.
pub(super) fn is_known(label: &str) -> bool {
    Encoding::for_label(label.trim().as_bytes()).is_some()
}

/// Code pages by their numbers, as Windows names them.
#[cfg(test)]
fn label_of(code_page: u32) -> Option<&'static str> {
    Some(match code_page {
        932 => "shift_jis",
        936 => "gbk",
        949 => "euc-kr",
        950 => "big5",
        1250 => "windows-1250",
        1251 => "windows-1251",
        1252 => "windows-1252",
        65001 => "utf-8",
        _ => return None,
    })
}

/// More control characters and broken places than text ever has.
fn looks_binary(bytes: &[u8], text: &str, had_errors: bool) -> bool {
    const MAGIC: [&[u8]; 6] = [
        b"\x89PNG",
        b"GIF8",
        b"\xff\xd8\xff",
        b"PK\x03\x04",
        b"\x1f\x8b",
        b"%PDF-",
    ];
    if MAGIC.iter().any(|magic| bytes.starts_with(magic)) {
        return true;
    }
    let shown: Vec<char> = text.chars().take(4096).collect();
    let is_odd = |c: &&char| {
        **c == '\u{fffd}'
            || (c.is_control() && !matches!(**c, '\n' | '\r' | '\t' | '\u{1b}' | '\u{7}' | '\u{8}'))
    };
    had_errors && shown.len() > 16 && shown.iter().filter(is_odd).count() * 5 > shown.len()
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use proptest::prelude::*;

    use super::*;
    use crate::model::Json;

    /// The case `agent-04`: whatever a program writes is read as it was meant, as far as that can be known.
    #[test]
    fn outputs_of_the_case_are_decoded_as_stated() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/cases/agent-04-bytes-that-are-not-utf8/outputs.json"
        );
        let rows: Json = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        for row in rows.as_array().unwrap() {
            let bytes = STANDARD.decode(row["b64"].as_str().unwrap()).unwrap();
            let page = row["codepage"].as_u64().and_then(|page| label_of(page as u32));
            let decoded = decode(&bytes, page);
            let shown = &*decoded.text;
            // Escapes stay in the value; they are taken out of what a model is shown.
            let has_escapes = shown.contains('\u{1b}');
            match row["text"].as_str() {
                Some(text) if has_escapes => assert!(shown.contains(text)),
                Some(text) => assert_eq!(shown, text),
                None => {}
            }
            if let Some(part) = row["text_has"].as_str() {
                assert!(shown.contains(part) && !shown.contains('\0'), "{shown:?}");
            }
            assert_eq!(decoded.is_binary, row["binary"] == true, "{row}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_fail(bytes in prop::collection::vec(any::<u8>(), 0..200), label in prop::option::of("[a-z0-9_-]{0,12}")) {
            let decoded = decode(&bytes, label.as_deref());
            prop_assert!(!decoded.text.contains('\0'));
            if let Ok(text) = std::str::from_utf8(&bytes)
                && label.is_none() && !text.contains('\0') && !text.starts_with('\u{feff}')
            {
                prop_assert_eq!(&*decoded.text, text);
                prop_assert!(decoded.is_whole);
            }
        }
    }
}
