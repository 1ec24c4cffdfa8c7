//! Why a file or a text could not be read, in plain words and with its place. Opens none.

use serde_json::Error;

/// What the system says of a file, without its numbers.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the library's enum grows; what is new is told as it is"
)]
pub fn unread(error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        ErrorKind::PermissionDenied => "the system does not allow it".to_owned(),
        ErrorKind::NotADirectory => "a part of its path is no folder".to_owned(),
        ErrorKind::IsADirectory => "it is a folder".to_owned(),
        ErrorKind::InvalidFilename => "its name is too long".to_owned(),
        _ => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or_default().to_owned()
        }
    }
}

/// Such as `the name of a field needs double quotes (at character 2)`.
pub fn misread(error: &Error) -> String {
    let whole = error.to_string();
    let said = whole.split(" at line ").next().unwrap_or_default();
    let why = in_words(said);
    match (error.line(), error.column()) {
        (0, _) => why.to_owned(),
        (1, at) => format!("{why} (at character {at})"),
        (line, at) => format!("{why} (at line {line}, character {at})"),
    }
}

/// Why a connection came to nothing, without the names of a library's layers and the system's numbers.
pub fn unconnected(why: &str) -> String {
    const LAYERS: [&str; 5] = [
        "client error (Connect)",
        "client error (SendRequest)",
        "tcp connect error",
        "failed to lookup address information",
        "error sending request",
    ];
    let parts = why
        .split(": ")
        .map(|part| part.split(" (os error").next().unwrap_or(part));
    let told: Vec<&str> = parts.filter(|part| !LAYERS.contains(part)).collect();
    match told[..] {
        [] => why.to_owned(),
        ["Connection refused"] => "nothing listens there (connection refused)".to_owned(),
        _ => told.join(": "),
    }
}

/// What does not fit a schema, with its place (a JSON Pointer) where it is not the whole value.
pub fn misfit(what: &str, place: &str) -> String {
    match place {
        "" => what.to_owned(),
        place => format!("{what} at \"{place}\""),
    }
}

/// What the library says, for those who know no parser.
fn in_words(said: &str) -> &str {
    const WORDS: &[(&str, &str)] = &[
        ("EOF while", "the text ends too early"),
        (
            "expected ident",
            "this is no JSON value; text needs double quotes",
        ),
        (
            "expected value",
            "this is no JSON value; text needs double quotes",
        ),
        ("key must be a string", "the name of a field needs double quotes"),
        ("trailing characters", "something follows the end of the value"),
        ("trailing comma", "a comma stands before the closing bracket"),
        ("expected `,` or `}`", "a comma or a closing `}` is missing"),
        ("expected `,` or `]`", "a comma or a closing `]` is missing"),
        ("expected `:`", "a colon is missing behind the name of a field"),
        (
            "control character",
            "a text holds a line end or another control character as it is; write it as \\n or \\u…",
        ),
        (
            "invalid escape",
            "a backslash stands before a character that can't be escaped",
        ),
        ("invalid number", "this is no number"),
        ("number out of range", "the number is too large"),
        ("recursion limit", "it is nested too deep"),
        (
            "lone leading surrogate",
            "an escape \\u… stands for half a character",
        ),
        ("unexpected end of hex escape", "an escape \\u… is cut off"),
        ("invalid unicode code point", "a text is not UTF-8"),
    ];
    let known = WORDS.iter().find(|(start, _)| said.starts_with(start));
    known.map_or(said, |(_, words)| words)
}

#[cfg(test)]
mod tests {
    use super::{misread, unconnected};

    #[test]
    fn a_failed_connection_is_told_without_layers_and_numbers() {
        for (why, expected) in [
            (
                "client error (Connect): tcp connect error: Connection refused (os error 111)",
                "nothing listens there (connection refused)",
            ),
            (
                "failed to lookup address information: Name or service not known",
                "Name or service not known",
            ),
            ("client error (Connect)", "client error (Connect)"),
            ("it took too long", "it took too long"),
        ] {
            assert_eq!(unconnected(why), expected);
        }
    }

    #[test]
    fn what_is_no_json_is_told_in_plain_words() {
        for (text, expected) in [
            ("nul", "the text ends too early (at character 3)"),
            (
                "nope",
                "this is no JSON value; text needs double quotes (at character 2)",
            ),
            (
                "hello",
                "this is no JSON value; text needs double quotes (at character 1)",
            ),
            (
                "{yes: 1}",
                "the name of a field needs double quotes (at character 2)",
            ),
            ("1 2", "something follows the end of the value (at character 3)"),
            (
                "[1,]",
                "a comma stands before the closing bracket (at character 4)",
            ),
            (
                "{\"a\": 1\n\"b\"",
                "a comma or a closing `}` is missing (at line 2, character 1)",
            ),
            ("[1 2", "a comma or a closing `]` is missing (at character 4)"),
            (
                "{\"a\" 1}",
                "a colon is missing behind the name of a field (at character 6)",
            ),
            (
                "\"a\\q\"",
                "a backslash stands before a character that can't be escaped (at character 4)",
            ),
        ] {
            let error = serde_json::from_str::<serde_json::Value>(text).unwrap_err();
            assert_eq!(misread(&error), expected, "{text}");
        }
    }
}
