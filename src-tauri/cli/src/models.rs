//! `models`: what can be asked, what it can do and costs, and which model does which work. Never shows a key.

mod key;
mod table;

use std::path::Path;

use planloom_engine::llm::setup::{Keys, ModelRow, ProviderRow, SetUp, Survey};
use planloom_engine::llm::{Models, Price, Role};
use planloom_engine::{Error, models_from};
use serde_json::{Map, Value, json};

use crate::args::{self, ModelsVerb};
use crate::exit::Exit;
use crate::out::{Out, piece};

/// The models for a verb that may ask one; what is wrong in the settings is told to people.
pub async fn at_hand(db: &Path, chosen: &[(Role, String)], out: &Out) -> Result<Models, Error> {
    let set_up = models_from(db, &Keys::system(), chosen).await?;
    tell_troubles(&set_up.survey, out);
    Ok(set_up.models)
}

fn tell_troubles(survey: &Survey, out: &Out) {
    for trouble in &survey.troubles {
        out.note(&format!("planloom: {}", piece(&trouble.to_string())));
    }
}

pub async fn models(
    db: &Path,
    args: args::Models,
    chosen: &[(Role, String)],
    out: &Out,
) -> Result<Exit, Error> {
    if let Some(ModelsVerb::Key { provider, forget }) = args.verb {
        return key::key(db, &provider, forget, out).await;
    }
    let mut set_up = models_from(db, &Keys::system(), chosen).await?;
    let is_probed = match args.probe {
        Some(name) => probe(&mut set_up, &name, out).await?,
        None => true,
    };
    if out.json {
        out.object(&shown(&set_up.survey));
    } else {
        for line in table::lines(&set_up.survey) {
            out.say(&line);
        }
    }
    tell_troubles(&set_up.survey, out);
    Ok(match (is_probed, has_lost_file(&set_up.survey)) {
        (_, true) => Exit::Wrong,
        (true, false) => Exit::Done,
        (false, false) => Exit::Machine,
    })
}

/// Whether nothing of a file of settings could be used: what is shown is then not what was set.
fn has_lost_file(survey: &Survey) -> bool {
    let is_whole = |place: &str| matches!(place, "settings.json" | "models.json");
    survey.troubles.iter().any(|trouble| is_whole(&trouble.place))
}

/// Asks what is named, or all that do work here. False if one did not answer.
async fn probe(set_up: &mut SetUp, name: &str, out: &Out) -> Result<bool, Error> {
    let names: Vec<String> = if name.is_empty() {
        let rows = set_up.survey.models.iter();
        rows.filter(|row| !row.roles.is_empty() || row.price == Price::Free)
            .map(|row| row.name.clone())
            .collect()
    } else {
        vec![name.to_owned()]
    };
    let cancel = tokio_util::sync::CancellationToken::new();
    let mut is_fine = true;
    for name in names {
        let shown = piece(&name);
        out.note(&format!("Asking {shown} …"));
        let found = set_up.probe(&name, &cancel).await;
        match found.unwrap_or_default() {
            Some(found) => {
                if let Some(trouble) = found.trouble {
                    is_fine = false;
                    out.note(&format!("{shown} could not be asked: {}", piece(&trouble)));
                }
            }
            None => {
                let message = match set_up.models.find(&name) {
                    Err(none) => none.to_string(),
                    Ok(_) => format!("The model `{shown}` is not set up."),
                };
                return Err(Error::Invalid {
                    code: "unknown_model",
                    message,
                });
            }
        }
    }
    Ok(is_fine)
}

/// The shape of `--json`.
fn shown(survey: &Survey) -> Value {
    let roles: Map<String, Value> = survey
        .roles
        .iter()
        .map(|(role, names)| (role.word().to_owned(), json!(names)))
        .collect();
    let problems: Vec<Value> = survey
        .troubles
        .iter()
        .map(|trouble| json!({ "place": trouble.place, "message": trouble.message }))
        .collect();
    json!({
        "models": survey.models.iter().map(model).collect::<Vec<_>>(),
        "roles": roles,
        "providers": survey.providers.iter().map(provider).collect::<Vec<_>>(),
        "problems": problems,
        "prices": { "date": survey.prices_of, "source": survey.prices_source },
        "advice": survey.advice(),
    })
}

fn model(row: &ModelRow) -> Value {
    let price = match row.price {
        Price::Free => json!("free"),
        Price::PerMillion {
            input,
            output,
            cached,
        } => json!({ "input": input, "output": output, "cached": cached }),
        Price::Unknown => Value::Null,
    };
    json!({
        "model": row.name,
        "price": price,
        "tools": row.traits.tools.word(),
        "structured": row.traits.structured.word(),
        "thinking": row.traits.thinking.word(),
        "context_tokens": row.traits.context_tokens,
        "max_output_tokens": row.traits.max_output_tokens,
        "probed": row.probed.as_ref().map(|probed| &probed.at),
        "roles": row.roles.iter().map(|role| role.word()).collect::<Vec<_>>(),
    })
}

fn provider(row: &ProviderRow) -> Value {
    json!({
        "provider": row.name,
        "kind": row.kind,
        "base_url": row.base_url,
        "origin": row.origin.word(),
        "key": row.key.as_ref().map(ToString::to_string),
        "answers": row.answers,
        "todo": row.todo,
    })
}
