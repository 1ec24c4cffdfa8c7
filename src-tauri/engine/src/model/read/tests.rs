//! What is read, what is refused, and where.

use super::*;

fn error(text: &str) -> ReadError {
    read(text, &PLAN).unwrap_err().remove(0)
}

#[test]
fn numbers_keep_every_digit() {
    let text = "[9007199254740993,1.10,-0,1E5,0.1234567890123456789,123456789012345678901234567890]";
    assert_eq!(read(text, &PLAN).unwrap().to_string(), text);
}

#[test]
fn strings_are_unescaped() {
    let value = read(r#""a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é""#, &PLAN).unwrap();
    assert_eq!(value, Json::from("a\"\\/\u{8}\u{c}\n\r\té😀é"));
}

#[test]
fn bad_text_is_named_by_line_and_column() {
    for (text, line, column) in [
        ("", 1, 1),
        ("{\"a\": 1,\n \"b\" 2}", 2, 6),
        ("[1, 2] x", 1, 8),
        ("\u{feff}{}", 1, 1),
        ("{\"é\": \u{0}}", 1, 7),
        ("\"a\u{0}\"", 1, 3),
        ("\"\\ud800\"", 1, 2),
        ("\"\\ud800\\u0041\"", 1, 2),
        ("\"\\udc00\"", 1, 2),
        ("[01]", 1, 3),
        ("[1.]", 1, 4),
        ("[+1]", 1, 2),
        ("[NaN]", 1, 2),
        ("{a: 1}", 1, 2),
        ("[1,]", 1, 4),
        ("nulL", 1, 1),
        ("\"\\x\"", 1, 3),
    ] {
        let error = error(text);
        assert_eq!(error.kind, ReadErrorKind::Syntax, "{text:?}");
        assert_eq!((error.line, error.column), (line, column), "{text:?}: {error}");
    }
}

#[test]
fn every_repeated_key_is_named_by_its_pointer() {
    let errors = read(r#"{"tasks": [{"id": 1, "i\u0064": 2}], "tasks": 3}"#, &PLAN).unwrap_err();
    let pointers: Vec<&str> = errors.iter().map(|e| e.pointer.as_str()).collect();
    assert_eq!(pointers, ["/tasks/0/id", "/tasks"]);
    assert!(errors.iter().all(|e| e.kind == ReadErrorKind::RepeatedKey));
}

#[test]
fn repeats_are_found_in_large_objects() {
    let keys = |n: usize| {
        (0..n)
            .map(|k| format!("\"k{k}\":{k}"))
            .collect::<Vec<_>>()
            .join(",")
    };
    for n in [31, 32, 33, 34, 100] {
        assert_eq!(
            read(&format!("{{{}}}", keys(n)), &PLAN)
                .unwrap()
                .as_object()
                .unwrap()
                .len(),
            n
        );
        for again in [0, n - 1] {
            let text = format!("{{{},\"k{again}\":0}}", keys(n));
            assert_eq!(error(&text).pointer, format!("/k{again}"), "{n}");
        }
    }
}

#[test]
fn depth_is_bounded_without_overflow() {
    let ok = format!("{}{}", "[".repeat(64), "]".repeat(64));
    assert!(read(&ok, &PLAN).is_ok());
    for open in ["[", "{\"a\":"] {
        assert_eq!(error(&open.repeat(100_000)).kind, ReadErrorKind::TooLarge);
    }
}

#[test]
fn bounds_hold_while_reading() {
    let few = Bounds {
        bytes: 60,
        depth: 3,
        values: 8,
        tasks: 2,
    };
    for text in [
        "{\"tasks\":[1,2,3]}".to_owned(),
        "[1,2,3,4,5,6,7,8]".to_owned(),
        "[[[[]]]]".to_owned(),
        " ".repeat(61),
    ] {
        assert_eq!(
            read(&text, &few).unwrap_err()[0].kind,
            ReadErrorKind::TooLarge,
            "{text}"
        );
    }
    assert!(read("{\"tasks\":[1,2],\"t\":[1,2,3]}", &few).is_ok());
}

#[test]
fn the_marker_of_numbers_can_not_be_smuggled_in() {
    assert_eq!(
        error(r#"{"$serde_json::private::Number": "1"}"#).kind,
        ReadErrorKind::Syntax
    );
}

#[test]
fn bytes_must_be_utf8() {
    let errors = read_bytes(b"{\n\"a\": \"\xff\"}", &PLAN).unwrap_err();
    assert_eq!((errors[0].line, errors[0].column), (2, 7));
}
