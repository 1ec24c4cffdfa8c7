//! What is at hand, as lines for people.

use planloom_engine::llm::setup::{ModelRow, ProviderRow, Survey};
use planloom_engine::llm::{Price, Support};

use crate::out::piece;

pub fn lines(survey: &Survey) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(advice) = survey.advice() {
        lines.push(piece(&advice));
    }
    if !survey.providers.is_empty() {
        lines.push("Providers".to_owned());
        lines.extend(survey.providers.iter().map(provider));
    }
    if survey.models.is_empty() {
        return lines;
    }
    lines.push("Who does what".to_owned());
    for (role, names) in &survey.roles {
        let names = if names.is_empty() {
            "nobody".to_owned()
        } else {
            names.join(", then ")
        };
        lines.push(piece(&format!("  {:<12} {names}", role.word())));
    }
    let (near, far): (Vec<&ModelRow>, Vec<&ModelRow>) = survey.models.iter().partition(|row| is_near(row));
    lines.push(format!(
        "Models ($ a million tokens in/out, as of {})",
        survey.prices_of
    ));
    lines.extend(near.into_iter().map(model));
    if !far.is_empty() {
        lines.push(format!("  and {} more, which --json lists", far.len()));
    }
    lines
}

/// What people look for first: what works here, runs here or was asked already.
fn is_near(row: &ModelRow) -> bool {
    !row.roles.is_empty() || row.price == Price::Free || row.probed.is_some()
}

fn provider(row: &ProviderRow) -> String {
    let key = row.key.as_ref().map(|source| format!("key: {source}"));
    let state = match (&row.todo, row.answers, key) {
        (Some(todo), _, _) => todo.clone(),
        (None, Some(false), _) => "does not answer".to_owned(),
        (None, _, Some(key)) => key,
        (None, Some(true), None) => "answers".to_owned(),
        (None, None, None) => "not asked yet".to_owned(),
    };
    piece(&format!(
        "  {:<12} {:<18} {}  {state}",
        row.name, row.title, row.base_url
    ))
}

fn model(row: &ModelRow) -> String {
    let price = match row.price {
        Price::Free => "free".to_owned(),
        Price::PerMillion { input, output, .. } => format!("{input}/{output}"),
        Price::Unknown => "price unknown".to_owned(),
    };
    let context = row
        .traits
        .context_tokens
        .map_or_else(String::new, |tokens| format!("  context {tokens}"));
    let probed = row
        .probed
        .as_ref()
        .map_or_else(String::new, |probed| format!("  probed {}", probed.at));
    piece(&format!(
        "  {:<40} {price:<14} tools: {}  schema: {}{context}{probed}",
        row.name,
        can(row.traits.tools),
        can(row.traits.structured)
    ))
}

fn can(support: Support) -> &'static str {
    match support {
        Support::Yes => "yes",
        Support::No => "no",
        Support::Unknown => "?",
    }
}
