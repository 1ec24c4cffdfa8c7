//! What looks like a key whoever knows none of them: by how providers write theirs, and by what a setting is called. It must
//! not know what is done about it.

use std::sync::OnceLock;

use regex::Regex;

/// What it is, for people, and how it is written.
const SHAPES: &[(&str, &str)] = &[
    ("a private key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    ("an Anthropic key", r"\bsk-ant-[A-Za-z0-9_-]{20,}"),
    ("an API key", r"\bsk-[A-Za-z0-9_-]{20,}"),
    (
        "a GitHub token",
        r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})",
    ),
    ("a GitLab token", r"\bglpat-[A-Za-z0-9_-]{20,}"),
    ("an AWS key", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    ("a Slack token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
    ("a Google key", r"\bAIza[A-Za-z0-9_-]{35}"),
    ("a Stripe key", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("an npm token", r"\bnpm_[A-Za-z0-9]{30,}"),
    ("a Hugging Face token", r"\bhf_[A-Za-z0-9]{30,}"),
    (
        "a signed token (JWT)",
        r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    ),
];

/// What the first key in the text looks like, and the key.
pub fn key_in(text: &str) -> Option<(&'static str, &str)> {
    static COMPILED: OnceLock<Vec<(&'static str, Regex)>> = OnceLock::new();
    let shapes = COMPILED.get_or_init(|| {
        let compiled = SHAPES
            .iter()
            .map(|(what, shape)| Some((*what, Regex::new(shape).ok()?)));
        compiled.flatten().collect()
    });
    shapes
        .iter()
        .find_map(|(what, shape)| Some((*what, shape.find(text)?.as_str())))
}

/// Whether a variable, header or option of this name usually holds a key: `API_KEY`, `x-auth-token`, `--password`.
pub fn is_key_name(name: &str) -> bool {
    const WHOLE: &[&str] = &[
        "auth",
        "authorization",
        "cookie",
        "credential",
        "credentials",
        "jwt",
        "pass",
        "passphrase",
        "passwd",
        "password",
        "pat",
        "pwd",
        "secret",
        "secrets",
        "token",
        "tokens",
        "apikey",
        "key",
        "accesskey",
        "privatekey",
        "dsn",
    ];
    let mut lower = String::new();
    let mut before = ' ';
    for c in name.chars() {
        // `apiKey` is `api_key`.
        if c.is_uppercase() && before.is_lowercase() {
            lower.push('_');
        }
        lower.extend(c.to_lowercase());
        before = c;
    }
    lower
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| WHOLE.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_known_by_their_look() {
        let long = "a1B2".repeat(12);
        for (text, what) in [
            (format!("Bearer sk-ant-api03-{long}"), "an Anthropic key"),
            (format!("sk-proj-{long}"), "an API key"),
            (format!("x ghp_{long}"), "a GitHub token"),
            (format!("github_pat_{long}"), "a GitHub token"),
            ("AKIAIOSFODNN7EXAMPLE".to_owned(), "an AWS key"),
            (format!("xoxb-{long}"), "a Slack token"),
            (format!("key=AIza{}", &long[..35]), "a Google key"),
            (format!("eyJ{long}.eyJ{long}.{long}"), "a signed token (JWT)"),
            (
                "-----BEGIN OPENSSH PRIVATE KEY-----\nx".to_owned(),
                "a private key",
            ),
        ] {
            assert_eq!(key_in(&text).map(|(what, _)| what), Some(what), "{text}");
        }
        for text in [
            "sk-",
            "task-force-of-twenty-people-or-more",
            "AKIA",
            "risk-free-and-very-long-words",
            "eyJhbGci",
            "-----BEGIN PUBLIC KEY-----",
        ] {
            assert_eq!(key_in(text), None, "{text}");
        }
        for name in [
            "API_KEY",
            "apiKey",
            "x-auth-token",
            "--password",
            "Authorization",
            "GITHUB_PAT",
            "db.pass",
        ] {
            assert!(is_key_name(name), "{name}");
        }
        for name in [
            "NODE_ENV",
            "monkey",
            "keyboard",
            "PATH",
            "author",
            "compass",
            "Content-Type",
        ] {
            assert!(!is_key_name(name), "{name}");
        }
    }
}
