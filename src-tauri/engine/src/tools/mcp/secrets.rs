//! Secrets of a server's environment and headers: looked up when it starts, and taken out of whatever it says. It must
//! not know where they are kept.

use async_trait::async_trait;

use super::setup::{Part, Value};
use crate::model::redactor::{Redactor, is_key_name, key_in};

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

/// The values with their secrets in place, and what hides these.
pub(super) async fn filled<'v>(
    secrets: &dyn Secrets,
    values: impl IntoIterator<Item = (&'v String, &'v Value)>,
) -> Result<(Vec<(String, String)>, Redactor), String> {
    let (mut whole, mut veil) = (Vec::new(), Redactor::default());
    for (name, value) in values {
        let mut text = String::new();
        for part in &value.0 {
            match part {
                Part::Text(plain) => {
                    // A key may have been typed where its name should stand.
                    if is_key_name(name) || key_in(plain).is_some() {
                        veil.add(secrets_in(plain));
                    }
                    text.push_str(plain);
                }
                Part::Secret(secret) => {
                    let found = secrets.find(secret).await?;
                    let found = found.ok_or_else(|| {
                        format!("the secret `{secret}` (for `{name}`) is not set; set the variable {secret}, or keep it with `planloom secret set {secret}`")
                    })?;
                    veil.add([found.as_str()]);
                    text.push_str(&found);
                }
            }
        }
        whole.push((name.clone(), text));
    }
    Ok((whole, veil))
}

/// What of a typed value is the key: `Bearer abc` is said of any.
fn secrets_in(plain: &str) -> impl Iterator<Item = &str> {
    let words = plain.split_whitespace().filter(|word| word.len() >= 8);
    std::iter::once(plain.trim()).chain(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_key_that_was_typed_is_taken_out_too_and_a_setting_is_not() {
        let typed = [
            ("API_TOKEN".to_owned(), Value::parse("hunter2hunter2")),
            ("Authorization".to_owned(), Value::parse("Bearer abcdefgh12")),
            ("MODE".to_owned(), Value::parse("production")),
            ("OTHER".to_owned(), Value::parse("AKIAIOSFODNN7EXAMPLE")),
        ];
        let values = typed.iter().map(|(name, value)| (name, value));
        let (_, veil) = filled(&Variables, values).await.unwrap();
        let said = "hunter2hunter2 abcdefgh12 production AKIAIOSFODNN7EXAMPLE";
        assert_eq!(veil.text(said), "••• ••• production •••");
    }
}
