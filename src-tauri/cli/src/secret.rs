//! `secret`: the secrets that plans name, kept in the system's keychain. A value is never shown and never an argument.

use std::io::{IsTerminal, Read};
use std::path::Path;

use planloom_engine::Error;
use planloom_engine::run::{SecretError, Secrets};
use serde_json::json;

use crate::args::SecretVerb;
use crate::exit::Exit;
use crate::out::{Out, piece};

/// No secret is longer; what never ends is not waited for.
const LONGEST: u64 = 64 * 1024;

pub async fn secret(db: &Path, verb: SecretVerb, out: &Out) -> Result<Exit, Error> {
    let secrets = Secrets::beside(db);
    match verb {
        SecretVerb::Set { name } => set(&secrets, &name, out).await,
        SecretVerb::List => list(&secrets, out),
        SecretVerb::Remove { name } => remove(&secrets, &name, out).await,
    }
}

async fn set(secrets: &Secrets, name: &str, out: &Out) -> Result<Exit, Error> {
    let value = read(name).await?;
    secrets.keep(name, &value).await.map_err(told)?;
    if out.json {
        out.object(&json!({ "secret": name, "kept": "keychain" }));
    } else {
        out.say(&format!(
            "The secret {name} is kept in this system's keychain. A plan uses it as {{\"$secret\": \"{name}\"}}."
        ));
    }
    Ok(Exit::Done)
}

fn list(secrets: &Secrets, out: &Out) -> Result<Exit, Error> {
    let names = secrets.names();
    if out.json {
        out.object(&json!({ "secrets": names }));
        return Ok(Exit::Done);
    }
    if names.is_empty() {
        let way = out.command(&["secret", "set"], &["NAME"]);
        out.say(&format!("No secrets are kept. Keep one with: {way}"));
    }
    for name in names {
        out.say(&piece(&name));
    }
    Ok(Exit::Done)
}

async fn remove(secrets: &Secrets, name: &str, out: &Out) -> Result<Exit, Error> {
    let was_there = secrets.forget(name).await.map_err(told)?;
    if out.json {
        out.object(&json!({ "secret": name, "removed": was_there }));
    } else if was_there {
        out.say(&format!("The secret {name} is no longer in the keychain."));
    } else {
        out.say(&format!(
            "No secret {name} is kept in a keychain; nothing was changed."
        ));
    }
    Ok(Exit::Done)
}

/// From the terminal without echo, else all of stdin but for a line end behind it.
async fn read(name: &str) -> Result<String, Error> {
    let prompt = format!("Value of {}: ", piece(name));
    let read = tokio::task::spawn_blocking(move || {
        if std::io::stdin().is_terminal() {
            return rpassword::prompt_password(prompt);
        }
        let mut text = String::new();
        std::io::stdin().lock().take(LONGEST).read_to_string(&mut text)?;
        Ok(text)
    });
    let refused = |why: String| Error::Invalid {
        code: "bad_secret",
        message: format!("no value could be read ({why}); nothing was kept"),
    };
    let text = read.await.map_err(|e| refused(e.to_string()))?;
    let text = text.map_err(|e| refused(e.to_string()))?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    Ok(text.strip_suffix('\r').unwrap_or(text).to_owned())
}

fn told(error: SecretError) -> Error {
    let message = error.to_string();
    match error {
        SecretError::Name(_) | SecretError::Empty | SecretError::TooShort | SecretError::TooLong => {
            Error::Invalid {
                code: "bad_secret",
                message,
            }
        }
        SecretError::Keychain(_) | SecretError::NotRemoved(..) => Error::Store {
            code: "no_keychain",
            message,
        },
        SecretError::Note(_) => Error::Store {
            code: "facts",
            message,
        },
    }
}
