//! The redactor: no secret of eight bytes or more comes through, in any form that is promised. It must not know who makes
//! up the bytes.
//!
//! Two lines are secrets; the rest is a text in which small control characters stand for a secret in one of its forms.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use planloom_engine::model::redactor::Redactor;
use serde_json::{Value as Json, json};

const SHORTEST: usize = 8;
const REDACTED: char = '•';

pub fn secrets(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.splitn(3, '\n');
    let mut line = || lines.next().unwrap_or_default();
    let (first, second, template) = (line(), line(), line());
    let is_one = |secret: &&str| secret.len() >= SHORTEST && !secret.contains(REDACTED);
    let secrets: Vec<&str> = [first, second].into_iter().filter(is_one).collect();
    let redactor = Redactor::of(secrets.iter().copied());
    let said = filled(template, &secrets);

    let clean = redactor.text(&said);
    secrets.iter().for_each(|secret| is_gone(secret, &clean));
    assert_eq!(redactor.finds_in(said.as_bytes()), clean != said, "{said:?}");
    assert_eq!(Redactor::of(["", "ab"]).text(&said), said);

    // The same where it is the name or a text of a value, and nothing of that is lost.
    let other = said.chars().rev().collect::<String>();
    let value = json!({ said.as_str(): [said, 1], other: null, "x": { "y": said } });
    let many = count(&value);
    let value = redactor.value(value);
    assert_eq!(count(&value), many);
    each_text(&value, &mut |text| {
        secrets.iter().for_each(|secret| is_gone(secret, text))
    });
    if let Ok(number) = serde_json::from_str::<serde_json::Number>(template.trim()) {
        let clean = redactor.value(Json::Number(number)).to_string();
        secrets
            .iter()
            .for_each(|secret| assert!(!clean.contains(secret), "{clean:?}"));
    }
}

fn filled(template: &str, secrets: &[&str]) -> String {
    let mut text = String::new();
    let mut next = secrets.iter().cycle();
    for character in template.chars() {
        let form = u32::from(character);
        match next.next() {
            Some(secret) if form < 0x10 && form != 0x0a => text.push_str(&formed(secret, form)),
            _ => text.push(character),
        }
    }
    text
}

fn formed(secret: &str, form: u32) -> String {
    let percent = |pick: &dyn Fn(usize, u8) -> bool| -> Vec<u8> {
        let coded = secret
            .bytes()
            .enumerate()
            .map(|(at, byte)| match pick(at, byte) || !byte.is_ascii() {
                true => format!("%{byte:02X}").into_bytes(),
                false => vec![byte],
            });
        coded.collect::<Vec<_>>().concat()
    };
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("ASCII");
    let url: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    match form {
        0 => secret.to_owned(),
        1 => url,
        2 => url.to_lowercase(),
        3 => url.replace('+', "%20"),
        // `%` itself is always escaped where percents are.
        4 => text(percent(&|at, byte| at % 2 == 0 || byte == b'%')),
        5 => text(percent(&|_, _| true)).to_lowercase(),
        6 => STANDARD.encode(secret),
        7 => URL_SAFE_NO_PAD.encode(secret),
        8 => STANDARD.encode(format!("u{secret}")),
        9 => URL_SAFE_NO_PAD.encode(format!("us{secret}!")),
        11 => url::form_urlencoded::byte_serialize(STANDARD.encode(format!("user:{secret}")).as_bytes())
            .collect(),
        12 => inner(&json!(secret).to_string()),
        13 => inner(&json!(secret).to_string()).replace('/', "\\/"),
        14 => secret
            .encode_utf16()
            .map(|unit| format!("\\u{unit:04x}"))
            .collect(),
        _ => STANDARD_NO_PAD.encode(format!("{secret}ab")),
    }
}

fn inner(quoted: &str) -> String {
    quoted[1..quoted.len() - 1].to_owned()
}

/// By a second reading: the text undone in each way, and every piece of base64 in it read from every place.
fn is_gone(secret: &str, text: &str) {
    assert!(!text.contains(secret), "{secret:?} in {text:?}");
    let has = |bytes: &[u8]| bytes.windows(secret.len()).any(|part| part == secret.as_bytes());
    let forms = [percent_undone(text, false), percent_undone(text, true)];
    for undone in &forms {
        assert!(!has(undone), "{secret:?} percent-encoded in {text:?}");
        for is_safe in [false, true] {
            assert!(
                !base64_pieces(undone, is_safe).any(|piece| has(&piece)),
                "{secret:?} in base64 in {text:?}"
            );
        }
    }
    if let Ok(Json::String(undone)) = serde_json::from_str(&format!("\"{text}\"")) {
        assert!(!undone.contains(secret), "{secret:?} escaped in {text:?}");
    }
}

fn percent_undone(text: &str, is_form: bool) -> Vec<u8> {
    let bytes = text.as_bytes();
    let (mut undone, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let digits = text
            .get(at + 1..at + 3)
            .filter(|two| two.bytes().all(|b| b.is_ascii_hexdigit()));
        match (bytes[at], digits.and_then(|two| u8::from_str_radix(two, 16).ok())) {
            (b'%', Some(byte)) => {
                undone.push(byte);
                at += 3;
                continue;
            }
            (b'+', _) if is_form => undone.push(b' '),
            (byte, _) => undone.push(byte),
        }
        at += 1;
    }
    undone
}

fn base64_pieces(bytes: &[u8], is_safe: bool) -> impl Iterator<Item = Vec<u8>> {
    let signs: [u8; 2] = if is_safe { [b'-', b'_'] } else { [b'+', b'/'] };
    let runs = bytes.split(move |b| !b.is_ascii_alphanumeric() && !signs.contains(b));
    let long = runs.filter(|run| run.len() * 3 / 4 >= SHORTEST);
    long.flat_map(move |run| (0..4).map(move |skip| decoded(&run[skip..], signs)))
}

/// Four characters are three bytes; what is left over at the end counts as far as it goes.
fn decoded(run: &[u8], signs: [u8; 2]) -> Vec<u8> {
    let digit = |byte: &u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        byte if *byte == signs[0] => 62,
        _ => 63,
    };
    let (mut bits, mut held, mut bytes) = (0_u32, 0, Vec::new());
    for byte in run {
        bits = bits << 6 | u32::from(digit(byte));
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held & 0xff) as u8);
        }
    }
    bytes
}

/// Names and values, however deep.
fn count(value: &Json) -> usize {
    match value {
        Json::Array(items) => 1 + items.iter().map(count).sum::<usize>(),
        Json::Object(map) => 1 + map.len() + map.values().map(count).sum::<usize>(),
        _ => 1,
    }
}

fn each_text(value: &Json, see: &mut dyn FnMut(&str)) {
    match value {
        Json::String(text) => see(text),
        Json::Array(items) => items.iter().for_each(|item| each_text(item, see)),
        Json::Object(map) => map.iter().for_each(|(name, value)| {
            see(name);
            each_text(value, see);
        }),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}
