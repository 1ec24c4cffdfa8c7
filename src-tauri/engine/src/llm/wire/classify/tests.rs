//! One row of the table each, and the shapes in which it is said.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::json;

use super::Dialect::{Anthropic, Compatible, Gemini, LlamaCpp, LmStudio, Ollama, OpenAi, OpenRouter, Vllm};
use super::*;

fn told_with(dialect: Dialect, status: u16, headers: &[(&str, &str)], body: &str) -> Outcome {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.insert(
            HeaderName::from_bytes(name.as_bytes()).unwrap(),
            HeaderValue::from_str(value).unwrap(),
        );
    }
    let plain = Plain {
        status,
        headers: &map,
        body: body.as_bytes(),
    };
    response(dialect, &plain)
}

fn dialect(name: &str) -> Dialect {
    let all = [
        OpenAi, OpenRouter, Anthropic, Gemini, Ollama, LmStudio, LlamaCpp, Vllm, Compatible,
    ];
    let named = all.into_iter().find(|dialect| format!("{dialect:?}") == name);
    named.unwrap_or_else(|| panic!("no dialect `{name}`"))
}

/// `OpenAi 429 rate rate_limit {"error":…}`; `-` for the status of what came in a stream.
fn check(row: &str) {
    let mut parts = row.splitn(5, ' ');
    let mut part = || parts.next().unwrap_or_default();
    let (who, status, word, code, body) = (dialect(part()), part(), part(), part(), part());
    let outcome = match status.parse() {
        Ok(status) => told_with(who, status, &[], body),
        Err(_) => event(who, &serde_json::from_str(body).unwrap()),
    };
    let fault = outcome.fault().unwrap();
    assert_eq!((outcome.word(), fault.code.as_str()), (word, code), "{row}");
}

#[test]
fn every_row_means_what_it_says() {
    let rows = include_str!("rows.txt").lines();
    let rows = rows.filter(|row| !row.is_empty() && !row.starts_with('#'));
    assert!(rows.map(check).count() >= 90);
}

#[test]
fn a_402_that_names_a_wait_passes() {
    let body = r#"{"error":{"code":402,"message":"m"}}"#;
    assert_eq!(
        told_with(OpenRouter, 402, &[("retry-after", "30")], body).word(),
        "rate"
    );
    assert_eq!(told_with(OpenRouter, 402, &[], body).word(), "quota");
}

#[test]
fn a_proxy_is_not_the_server() {
    let via = [("via", "1.1 proxy.example.net"), ("server", "squid")];
    let outcome = told_with(OpenAi, 403, &via, "<html>Access Denied</html>");
    let fault = outcome.fault().unwrap();
    assert_eq!((outcome.word(), fault.code.as_str()), ("permanent", "proxy"));
    assert!(fault.message.starts_with("a proxy answered"), "{}", fault.message);
    assert_eq!(told_with(OpenAi, 502, &via, "<html>").word(), "transient");
    // A provider behind its own gateway answers in JSON.
    let own = told_with(
        OpenAi,
        403,
        &[("via", "1.1 google")],
        r#"{"error":{"message":"no"}}"#,
    );
    assert_eq!(own.word(), "auth");
}

#[test]
fn messages_keep_what_was_said() {
    let body = r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":14429,"n_ctx":8192}}"#;
    let outcome = told_with(LlamaCpp, 400, &[], body);
    assert_eq!(
        outcome.fault().unwrap().message,
        "the request exceeds the available context size (HTTP 400, exceed_context_size_error, 14429 tokens sent, \
         room for 8192)"
    );
    let long = format!(r#"{{"error":{{"message":"{}"}}}}"#, "é".repeat(10_000));
    let outcome = told_with(OpenAi, 400, &[], &long);
    assert!(outcome.fault().unwrap().message.chars().count() < 1600);
    let gemini =
        json!({"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"34.07s"}]}});
    assert_eq!(
        event(Gemini, &gemini).fault().unwrap().retry_after_ms,
        Some(34_070)
    );
}

#[test]
fn no_body_breaks_it() {
    for body in [
        "",
        "{",
        "[]",
        "null",
        "\u{feff}{}",
        "[[[[[[[[[[\"x\"]]]]]]]]]]",
        "\"x\"",
    ] {
        for status in [200, 400, 500, 999] {
            assert!(told_with(Compatible, status, &[], body).fault().is_some());
        }
    }
    let deep = "[".repeat(100_000);
    assert_eq!(told_with(OpenAi, 500, &[], &deep).word(), "transient");
}
