//! `servers secret`: keeps a secret for servers in the system's keychain, or takes it out. It is never shown.

use planloom_engine::llm::setup::Keychain;
use planloom_engine::tools::mcp::is_secret_name;
use planloom_engine::{Error, kept_as};
use serde_json::json;

use crate::exit::Exit;
use crate::models::read_key;
use crate::out::{Out, piece};

pub async fn secret(name: &str, forget: bool, out: &Out) -> Result<Exit, Error> {
    if !is_secret_name(name) {
        return Err(Error::Invalid {
            code: "bad_name",
            message: format!(
                "`{}` can't be the name of a secret; nothing was kept",
                piece(name)
            ),
        });
    }
    let keychain = Keychain::system();
    let failed = |error: planloom_engine::llm::setup::NoKeychain| Error::Store {
        code: "no_keychain",
        message: format!(
            "{error}. Nothing was changed. Set the variable {name} instead; it then holds for that session."
        ),
    };
    let words = if forget {
        match keychain.forget(&kept_as(name)).await.map_err(failed)? {
            true => format!("The secret {name} is no longer in the keychain."),
            false => format!("The keychain has no secret {name}."),
        }
    } else {
        let key = read_key(name).await?;
        keychain.keep(&kept_as(name), &key).await.map_err(failed)?;
        format!("The secret {name} is kept in this system's keychain.")
    };
    if out.json {
        out.object(&json!({ "secret": name, "kept": !forget }));
    } else {
        out.say(&words);
    }
    Ok(Exit::Done)
}
