//! Secrets of a server's environment and headers: looked up when it starts, and taken out of whatever it says. It must
//! not know where they are kept.

use async_trait::async_trait;
use base64::Engine as _;

use super::setup::{Part, Value};
use crate::model::Json;

/// Shorter ones would tear ordinary text apart and protect nothing.
const SHORTEST: usize = 6;
const HIDDEN: &str = "•••";

/// Where a secret is looked up.
#[async_trait]
pub trait Secrets: Send + Sync {
    /// `Ok(None)`: there is none of that name.
    async fn find(&self, name: &str) -> Result<Option<String>, String>;
}

/// The variables of this process.
pub struct Variables;

#[async_trait]
impl Secrets for Variables {
    async fn find(&self, name: &str) -> Result<Option<String>, String> {
        Ok(std::env::var(name).ok().filter(|value| !value.is_empty()))
    }
}

/// Hides what a server was given.
#[derive(Clone, Debug, Default)]
pub(super) struct Veil(Vec<String>);

/// The values with their secrets in place, and what hides these.
pub(super) async fn filled<'v>(
    secrets: &dyn Secrets,
    values: impl IntoIterator<Item = (&'v String, &'v Value)>,
) -> Result<(Vec<(String, String)>, Veil), String> {
    let (mut whole, mut veil) = (Vec::new(), Veil::default());
    for (name, value) in values {
        let mut text = String::new();
        for part in &value.0 {
            match part {
                Part::Text(plain) => text.push_str(plain),
                Part::Secret(secret) => {
                    let found = secrets.find(secret).await?;
                    let found = found.ok_or_else(|| {
                        format!("the secret `{secret}` (for `{name}`) is not set; set the variable {secret}, or keep it with `planloom servers secret {secret}`")
                    })?;
                    veil.add(&found);
                    text.push_str(&found);
                }
            }
        }
        whole.push((name.clone(), text));
    }
    Ok((whole, veil))
}

impl Veil {
    pub fn add(&mut self, secret: &str) {
        if secret.len() < SHORTEST {
            return;
        }
        let encoded = base64::engine::general_purpose::STANDARD_NO_PAD.encode(secret);
        let url: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
        self.0.extend([secret.to_owned(), encoded, url]);
        self.0.sort_by_key(|form| std::cmp::Reverse(form.len()));
        self.0.dedup();
    }

    pub fn text(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| {
            text.replace(secret.as_str(), HIDDEN)
        })
    }

    pub fn value(&self, value: Json) -> Json {
        if self.0.is_empty() {
            return value;
        }
        match value {
            Json::String(text) => Json::String(self.text(&text)),
            Json::Array(items) => Json::Array(items.into_iter().map(|item| self.value(item)).collect()),
            Json::Object(map) => Json::Object(
                map.into_iter()
                    .map(|(key, item)| (self.text(&key), self.value(item)))
                    .collect(),
            ),
            other @ (Json::Null | Json::Bool(_) | Json::Number(_)) => other,
        }
    }
}
