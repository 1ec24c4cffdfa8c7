//! `models key`: puts a provider's key into the system's keychain, or takes it out. The key is never shown.

use std::io::{BufRead, IsTerminal};
use std::path::Path;

use planloom_engine::Error;
use planloom_engine::llm::Key;
use planloom_engine::llm::setup::{
    Catalog, Facts, Files, Keys, NoKeychain, is_provider_name, provider_names,
};
use serde_json::json;

use crate::exit::Exit;
use crate::out::{Out, piece};

pub async fn key(db: &Path, provider: &str, forget: bool, out: &Out) -> Result<Exit, Error> {
    if !is_provider_name(provider) {
        return Err(Error::Invalid {
            code: "bad_name",
            message: format!(
                "`{}` can't be the name of a provider; nothing was kept",
                piece(provider)
            ),
        });
    }
    let files = Files::beside(db);
    let facts = Facts::read(&files.facts);
    if forget {
        return take_out(provider, &facts, out).await;
    }
    let names = provider_names(&files);
    if !names.contains(provider) {
        let names: Vec<String> = names.into_iter().collect();
        return Err(Error::Invalid {
            code: "unknown_provider",
            message: format!(
                "There is no provider `{provider}`; nothing was kept. There are: {}. Name another one in the settings \
                 first.",
                names.join(", ")
            ),
        });
    }
    let key = read_key(provider).await?;
    Keys::system()
        .keep(provider, &key)
        .await
        .map_err(|error| not_kept(provider, &error))?;
    noted(&facts, provider, true)?;
    if out.json {
        out.object(&json!({ "provider": provider, "kept": "keychain" }));
    } else {
        out.say(&format!(
            "The key of {provider} is kept in this system's keychain."
        ));
    }
    Ok(Exit::Done)
}

async fn take_out(provider: &str, facts: &Facts, out: &Out) -> Result<Exit, Error> {
    let forgotten = Keys::system().keychain.forget(provider).await;
    let was_there = forgotten.map_err(|error| Error::Store {
        code: "no_keychain",
        message: format!("{error}; nothing was changed"),
    })?;
    noted(facts, provider, false)?;
    if out.json {
        out.object(&json!({ "provider": provider, "forgotten": was_there }));
    } else if was_there {
        out.say(&format!("The key of {provider} is no longer in the keychain."));
    } else {
        out.say(&format!("The keychain has no key of {provider}."));
    }
    Ok(Exit::Done)
}

/// From the terminal without echo, else the first line of stdin.
async fn read_key(provider: &str) -> Result<Key, Error> {
    let prompt = format!("Key of {provider}: ");
    let read = tokio::task::spawn_blocking(move || {
        if std::io::stdin().is_terminal() {
            return rpassword::prompt_password(prompt);
        }
        let mut line = String::new();
        // No key is longer; what never ends is not waited for.
        std::io::Read::take(std::io::stdin().lock(), 64 * 1024).read_line(&mut line)?;
        Ok(line)
    });
    let refused = |message: String| Error::Invalid {
        code: "bad_key",
        message: format!("{message}; nothing was kept"),
    };
    let text = read
        .await
        .map_err(|_| refused("no key could be read".to_owned()))?
        .map_err(|error| refused(format!("no key could be read ({error})")))?;
    Key::new(&text).map_err(|wrong| refused(wrong.to_string()))
}

/// The environment is the way that is left; this program writes no key to a file.
fn not_kept(provider: &str, error: &NoKeychain) -> Error {
    let catalog = Catalog::read(None, "", &mut Vec::new());
    let variable = catalog
        .provider(provider)
        .and_then(|known| known.keys.first().cloned());
    let instead = match variable {
        Some(variable) => format!("Set {variable} instead"),
        None => format!("Name a variable as `key_from` of `{provider}` in the settings and set that instead"),
    };
    Error::Store {
        code: "no_keychain",
        message: format!(
            "{error}. The key was not kept anywhere. {instead}; it then holds for that session."
        ),
    }
}

fn noted(facts: &Facts, provider: &str, is_kept: bool) -> Result<(), Error> {
    facts.note_key(provider, is_kept).map_err(|error| Error::Store {
        code: "facts",
        message: format!(
            "what the keychain keeps could not be noted beside the database ({error}); try again"
        ),
    })
}
