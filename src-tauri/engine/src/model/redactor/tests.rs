//! No secret survives in any form that is promised, wherever it stands and however it is cut.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn percent(text: &str, is_encoded: impl Fn(usize, u8) -> bool) -> String {
    let code = |(ix, byte): (usize, u8)| match is_encoded(ix, byte) {
        true if ix % 2 == 0 => format!("%{byte:02X}"),
        true => format!("%{byte:02x}"),
        false => char::from(byte).to_string(),
    };
    text.bytes().enumerate().map(code).collect()
}

/// Each promised form of a secret, behind and before other text, by name.
#[expect(clippy::too_many_lines, reason = "one table")]
fn forms(secret: &str, before: &str, after: &str) -> Vec<(&'static str, String)> {
    let around = format!("{before}{secret}{after}");
    let escaped: String = secret
        .encode_utf16()
        .map(|unit| format!("\\u{unit:04x}"))
        .collect();
    let json = json!(around).to_string();
    let lines: Vec<String> = STANDARD
        .encode(&around)
        .as_bytes()
        .chunks(19)
        .map(|line| String::from_utf8_lossy(line).into_owned())
        .collect();
    let form: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    let whole = percent(secret, |_, _| true);
    vec![
        ("plain", around.clone()),
        ("json", json.clone()),
        ("json in json", json!(json).to_string()),
        ("escaped", escaped),
        ("form", form),
        ("percent", whole.clone()),
        (
            "percent of all but letters",
            percent(secret, |_, b| !b.is_ascii_alphanumeric()),
        ),
        (
            "percent, here and there",
            percent(secret, |ix, b| ix % 3 == 0 || !b.is_ascii()),
        ),
        ("percent twice", whole.replace('%', "%25")),
        ("hex", secret.bytes().map(|b| format!("{b:02x}")).collect()),
        ("HEX", secret.bytes().map(|b| format!("{b:02X}")).collect()),
        ("base64", STANDARD.encode(&around)),
        ("base64, no padding", STANDARD_NO_PAD.encode(&around)),
        ("base64 of URLs", URL_SAFE.encode(&around)),
        ("base64 of URLs, no padding", URL_SAFE_NO_PAD.encode(&around)),
        ("base64 in lines", lines.join("\r\n")),
        ("upper case", around.to_ascii_uppercase()),
        ("lower case", around.to_ascii_lowercase()),
        ("hex with colons", spaced(secret, ":")),
        ("hex with spaces", spaced(secret, " ")),
        (
            "hex with marks",
            secret.bytes().map(|b| format!("\\x{b:02x}")).collect(),
        ),
        (
            "hex of C",
            secret.bytes().map(|b| format!("0x{b:02x}, ")).collect(),
        ),
        (
            "HTML, decimal",
            secret.chars().map(|c| format!("&#{};", u32::from(c))).collect(),
        ),
        (
            "HTML, hex",
            secret
                .chars()
                .map(|c| format!("&#x{:X};", u32::from(c)))
                .collect(),
        ),
        ("HTML, named", named(secret)),
        (
            "UTF-16, read as bytes",
            secret.chars().map(|c| format!("{c}\0")).collect(),
        ),
        (
            "UTF-16, hex",
            secret
                .encode_utf16()
                .flat_map(u16::to_le_bytes)
                .map(|b| format!("{b:02x}"))
                .collect(),
        ),
        (
            "UTF-16, base64",
            STANDARD.encode(
                secret
                    .encode_utf16()
                    .flat_map(u16::to_le_bytes)
                    .collect::<Vec<u8>>(),
            ),
        ),
        ("base32", base32(around.as_bytes())),
        ("a dump", dump(around.as_bytes())),
    ]
}

fn spaced(secret: &str, between: &str) -> String {
    let bytes: Vec<String> = secret.bytes().map(|b| format!("{b:02X}")).collect();
    bytes.join(between)
}

fn named(secret: &str) -> String {
    secret
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

fn base32(bytes: &[u8]) -> String {
    let bits: Vec<u8> = bytes
        .iter()
        .flat_map(|byte| (0..8).rev().map(move |at| byte >> at & 1))
        .collect();
    let digit = |bits: &[u8]| {
        let value = (0..5).fold(0, |value, at| value << 1 | bits.get(at).copied().unwrap_or(0));
        char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[usize::from(value)])
    };
    bits.chunks(5).map(digit).collect()
}

/// As `xxd` writes it.
fn dump(bytes: &[u8]) -> String {
    let line = |(ix, line): (usize, &[u8])| {
        let pairs: Vec<String> = line
            .chunks(2)
            .map(|two| two.iter().map(|b| format!("{b:02x}")).collect())
            .collect();
        let shown: String = line
            .iter()
            .map(|&b| if b.is_ascii_graphic() { char::from(b) } else { '.' })
            .collect();
        format!("{:08x}: {:<39}  {shown}\n", ix * 16, pairs.join(" "))
    };
    bytes.chunks(16).enumerate().map(line).collect()
}

/// What is left of the form when the secret has been taken out must not give it away: not found again, and little left.
fn is_gone(redactor: &Redactor, clean: &str) -> bool {
    clean.contains(REDACTED) && !redactor.finds_in(clean.as_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_secret_survives_any_form(
        secret in "[ -~äß🙂]{8,40}",
        before in "[a-z:]{0,5}",
        after in "[a-z!]{0,5}",
    ) {
        let redactor = Redactor::of([secret.as_str()]);
        for (name, text) in forms(&secret, &before, &after) {
            let clean = redactor.text(&text);
            prop_assert!(is_gone(&redactor, &clean), "{name}: {text} became {clean}");
            prop_assert!(!clean.contains(&secret), "{name}");
        }
    }

    #[test]
    fn no_secret_survives_being_cut_anywhere(
        secret in "[!-~ä🙂]{8,24}",
        before in "[a-z ]{0,60}",
        after in "[a-z ]{0,60}",
        cuts in prop::collection::vec(1usize..9, 1..60),
    ) {
        let redactor = Redactor::of([secret.as_str()]);
        for (name, form) in forms(&secret, "", "") {
            let text = format!("{before}{form}{after}");
            let mut stream = redactor.stream();
            let (mut shown, mut rest) = (String::new(), text.as_str());
            for cut in cuts.iter().cycle() {
                let end = rest.char_indices().nth(*cut).map_or(rest.len(), |(at, _)| at);
                shown.push_str(&stream.push(&rest[..end]));
                rest = &rest[end..];
                if rest.is_empty() {
                    break;
                }
            }
            shown.push_str(&stream.finish());
            prop_assert_eq!(&shown, &redactor.text(&text), "{}", name);
            prop_assert!(is_gone(&redactor, &shown), "{name}: {text} became {shown}");
        }
    }

    #[test]
    fn several_secrets_that_overlap_leave_nothing(
        whole in "[a-c]{9,16}",
        first in 0usize..4,
        length in 5usize..9,
    ) {
        let part = &whole[first..(first + length).min(whole.len())];
        let redactor = Redactor::of([&whole[..6], part]);
        let clean = redactor.text(&format!("x{whole}y"));
        prop_assert!(!redactor.finds_in(clean.as_bytes()), "{clean}");
    }

    #[test]
    fn other_text_stays_as_it_is(text in "[a-zäß%\\\\+ ]{0,80}") {
        let redactor = Redactor::of(["S3CRET-value/9"]);
        prop_assert_eq!(redactor.text(&text), text.clone());
        prop_assert_eq!(redactor.value(json!({ &text: [&text, 7] })), json!({ &text: [&text, 7] }));
    }

    #[test]
    fn nothing_makes_it_panic(secret in ".{3,20}", text in ".{0,80}") {
        let redactor = Redactor::of([secret.as_str()]);
        let _ = redactor.told(&text);
        let mut stream = redactor.stream();
        let _ = stream.push(&text);
        let _ = stream.finish();
    }
}

/// What is left around the mask is nothing but the text around the secret, to the last digit.
#[test]
fn base64_leaves_no_digit_that_holds_a_bit_of_it() {
    let secret = "s3cr3t-Key/91?x";
    let redactor = Redactor::of([secret]);
    for before in 0..7 {
        for after in 0..4 {
            let text = format!("{}{secret}{}", "b".repeat(before), "a".repeat(after));
            for encoded in [STANDARD_NO_PAD.encode(&text), URL_SAFE_NO_PAD.encode(&text)] {
                let clean = redactor.text(&encoded);
                let (left, right) = clean.split_once(REDACTED).unwrap();
                assert_eq!(left.len(), before * 8 / 6, "{encoded} became {clean}");
                assert!(right.len() <= (after * 8).div_ceil(6), "{encoded} became {clean}");
            }
        }
    }
}

#[test]
fn a_part_from_either_end_is_taken_out_too() {
    let secret = "sk-fake-0123456789-abcdefgh-ZYXW";
    let redactor = Redactor::of([secret]);
    for (text, told) in [
        ("it begins with sk-fake", "it begins with sk-fake"),
        ("it begins with sk-fake-0.", "it begins with •••."),
        (
            "near \"sk-fake-01234\": syntax error",
            "near \"•••\": syntax error",
        ),
        ("ends in cdefgh-ZYXW.", "ends in •••."),
        ("ends in gh-ZYXW.", "ends in gh-ZYXW."),
        ("3839 2d61 6263 6465 6667 682d 5a59 5857", "•••"),
    ] {
        assert_eq!(redactor.text(text), told);
        let mut stream = redactor.stream();
        let pieces: String = text.chars().map(|c| stream.push(&c.to_string())).collect();
        assert_eq!(pieces + &stream.finish(), told);
    }
    // Of an address the usual beginning is no secret.
    let hook = Redactor::of(["https://hooks.example/T00/B00/abcdef"]);
    assert_eq!(
        hook.text("see https://docs.example/ now"),
        "see https://docs.example/ now"
    );
    assert_eq!(hook.text("see https://hooks.example/T00"), "see •••");
    // Of a short one only the whole.
    assert_eq!(Redactor::of(["passwd7"]).text("passwd passwd7"), "passwd •••");
}

#[test]
fn errors_quote_nothing_of_what_they_were_given() {
    let redactor = Redactor::of(["sk-fake-0123456789-abcdefgh-ZYXW"]);
    assert_eq!(
        redactor.quoted("near \"fake\": syntax error; no such column: abcdefgh in ZYX"),
        "near \"•••\": syntax error; no such column: ••• in ZYX"
    );
}

#[test]
fn every_form_of_a_secret_is_taken_out_of_values_everywhere() {
    let redactor = Redactor::of(["s3cret/key", "20261129", "", "ab"]);
    let value = json!({ "s3cret/key": ["a s3cret/key b", 202_611_290, "czNjcmV0L2tleQ==", "s3cret%2Fkey", "fine ab", 7] });
    assert_eq!(
        redactor.value(value),
        json!({ "•••": ["a ••• b", "•••0", "•••==", "•••", "fine ab", 7] })
    );
}

#[test]
fn credentials_in_headers_are_masked_whatever_they_are() {
    let redactor = Redactor::default();
    let value = json!({
        "headers": { "Authorization": "Bearer x", "x-api-key": ["k"], "Accept": "text/html", "Set-Cookie": "s=1" },
        "response_headers": [["cookie", "a=1"], ["age", "3"], { "name": "Cookie", "value": "b" }],
        "cookie": "with raisins",
    });
    assert_eq!(
        redactor.value(value),
        json!({
            "headers": { "Authorization": "•••", "x-api-key": "•••", "Accept": "text/html", "Set-Cookie": "•••" },
            "response_headers": [["cookie", "•••"], ["age", "3"], { "name": "Cookie", "value": "•••" }],
            "cookie": "with raisins",
        })
    );
    for (text, told) in [
        (
            "GET / HTTP/1.1\r\nAuthorization: Bearer abc\r\nAge: 3",
            "GET / HTTP/1.1\r\nAuthorization: •••\r\nAge: 3",
        ),
        (
            "{\"Cookie\": \"s=1\", \"a\": 1}",
            "{\"Cookie\": \"•••\", \"a\": 1}",
        ),
        (
            "curl -H 'x-api-key: abc' https://x.example",
            "curl -H 'x-api-key: •••' https://x.example",
        ),
        ("Set-Cookie: a=1; Path=/", "Set-Cookie: •••"),
        ("the cookie jar is empty", "the cookie jar is empty"),
    ] {
        assert_eq!(redactor.told(text), told);
    }
}

#[test]
fn base64_is_found_where_its_signs_are_escaped() {
    let secret = "???secret>>>";
    let redactor = Redactor::of([secret]);
    let encoded = STANDARD.encode(secret);
    assert!(encoded.contains('/') && encoded.contains('+'), "{encoded}");
    let url: String = url::form_urlencoded::byte_serialize(encoded.as_bytes()).collect();
    for form in [url, encoded.replace('/', "\\/")] {
        let clean = redactor.text(&format!("a={form}&b"));
        assert!(
            clean.starts_with("a=•••") && clean.chars().count() < 14,
            "{clean}"
        );
    }
}

#[test]
fn two_secret_names_keep_both_their_values() {
    let redactor = Redactor::of(["first-secret", "other-secret"]);
    let twins = json!({ "first-secret": 1, "other-secret": 2, "•••": 3 });
    assert_eq!(redactor.value(twins), json!({ "•••": 1, "••••": 2, "•••••": 3 }));
}

/// As a model writes: a few characters at a time.
#[test]
fn a_live_text_shows_no_secret_that_comes_in_pieces_and_lags_little() {
    let secret = "sk-proj-0123456789abcdefWXYZ";
    let redactor = Redactor::of([secret]);
    let text = format!(
        "{}{secret} and {}",
        "a plan ".repeat(40),
        "more of it ".repeat(40)
    );
    let mut stream = redactor.live();
    let (mut shown, mut come) = (String::new(), 0);
    for piece in text.as_bytes().chunks(3) {
        come += piece.len();
        shown.push_str(&stream.push(std::str::from_utf8(piece).unwrap()));
        assert!(come <= shown.len() + 4 * secret.len(), "it lags");
    }
    shown.push_str(&stream.finish());
    assert_eq!(shown, text.replace(secret, REDACTED));
}
