//! The `models` part of `settings.json`: providers, which model does which work, prices. What is wrong in it is told
//! with its place and left out; what is good is kept. It must not know any key, nor send anything.

use std::collections::BTreeMap;

use serde_json::Map;
use url::Url;

use super::catalog::{PRICE, TRAITS, read_address, read_kind, read_price, read_traits};
use super::{Catalog, Kind, address};
use crate::llm::wire;
use crate::llm::{Price, Role, Traits};
use crate::model::Json;
use crate::model::json::At;
use crate::model::reader::{Reader, Trouble};

/// The name of the file, as troubles tell it.
const NAME: &str = "settings.json";

/// What a person has chosen about models.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    pub discover: Discover,
    /// By name: the part of a model's name before its first `/`.
    pub providers: BTreeMap<String, ChosenProvider>,
    /// Best first; each `provider/model`.
    pub roles: BTreeMap<Role, Vec<String>>,
    /// Laid over the list of prices.
    pub prices: BTreeMap<String, Price>,
}

/// Where servers on this machine are looked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Discover {
    /// Where each kind listens by default.
    #[default]
    Usual,
    Nowhere,
    /// At these addresses alone.
    At(Vec<Url>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct ChosenProvider {
    pub kind: Kind,
    /// `None`: where this kind stands by itself.
    pub base_url: Option<Url>,
    /// The variable that holds its key.
    pub key_from: Option<String>,
    pub waits: Waits,
    /// Models that it has, with what is known of them.
    pub models: Vec<(String, Traits)>,
}

/// How long is waited for what, in seconds; what is not set is the sender's choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    pub connect_s: Option<u64>,
    pub first_byte_s: Option<u64>,
    pub idle_s: Option<u64>,
    pub whole_s: Option<u64>,
}

/// A day.
const LONGEST_WAIT: u64 = 86_400;

impl Settings {
    /// Reads the bytes of `settings.json`.
    pub fn read(bytes: &[u8], catalog: &Catalog, troubles: &mut Vec<Trouble>) -> Self {
        let mut reader = Reader::new(NAME, troubles);
        let Some(file) = reader.file(bytes) else {
            return Self::default();
        };
        let root = At::Root;
        let at = root.key("models");
        let Some(models) = reader.object_in(&root, &file, "models") else {
            return Self::default();
        };
        reader.only(&at, models, &["discover", "providers", "roles", "prices"]);
        let providers = read_providers(&mut reader, &at, models, catalog);
        Self {
            discover: read_discover(&mut reader, &at, models),
            roles: read_roles(&mut reader, &at, models),
            prices: read_prices(&mut reader, &at, models),
            providers,
        }
    }
}

/// Whether a text can be the name of a provider.
pub fn is_provider_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        && Role::parse(name).is_none()
}

/// `provider/model`, apart.
pub fn split(name: &str) -> Option<(&str, &str)> {
    let (provider, model) = name.split_once('/')?;
    let is_model = (1..=200).contains(&model.len()) && !model.chars().any(char::is_control);
    (is_provider_name(provider) && is_model).then_some((provider, model))
}

fn read_discover(reader: &mut Reader<'_>, at: &At<'_>, models: &Map<String, Json>) -> Discover {
    let at = at.key("discover");
    match models.get("discover") {
        None | Some(Json::Null | Json::Bool(true)) => Discover::Usual,
        Some(Json::Bool(false)) => Discover::Nowhere,
        Some(value @ (Json::Number(_) | Json::Object(_))) => {
            let wanted = "true, false, or addresses of this machine such as \"127.0.0.1:8080\"";
            reader.wrong(&at, wanted, value);
            Discover::Usual
        }
        Some(value) => {
            let mut urls = Vec::new();
            for text in reader.texts(&at, value) {
                match address::read(&text, Kind::Ollama) {
                    Ok(url) if wire::is_loopback(&url) => urls.push(url),
                    Ok(url) => {
                        let url = address::text(&url);
                        let message = format!(
                            "{url} is not on this machine, and servers are found on this machine alone; name it \
                             under `providers` with its `kind` and `base_url`"
                        );
                        reader.say(&at, message);
                    }
                    // An address that may hold a secret is not shown.
                    Err(wrong) => reader.say(&at, format!("one of its addresses is not looked at: {wrong}")),
                }
            }
            Discover::At(urls)
        }
    }
}

fn read_providers(
    reader: &mut Reader<'_>,
    at: &At<'_>,
    models: &Map<String, Json>,
    catalog: &Catalog,
) -> BTreeMap<String, ChosenProvider> {
    let mut providers = BTreeMap::new();
    let at = at.key("providers");
    for (name, value) in reader
        .object_in(&At::Root.key("models"), models, "providers")
        .into_iter()
        .flatten()
    {
        let at = at.key(name);
        if !is_provider_name(name) {
            reader.say(
                &at,
                "a provider's name is 1 to 64 letters, digits, `-`, `_` or `.`, and no role; it is not used",
            );
            continue;
        }
        if let Some(provider) = read_provider(reader, &at, value, catalog) {
            providers.insert(name.clone(), provider);
        }
    }
    providers
}

fn read_provider(
    reader: &mut Reader<'_>,
    at: &At<'_>,
    value: &Json,
    catalog: &Catalog,
) -> Option<ChosenProvider> {
    let map = reader.object(at, value)?;
    for secret in ["key", "api_key", "apiKey", "token", "secret"] {
        if map.contains_key(secret) {
            let message = "a key does not belong into this file and is not read from it; give it with \
                           `planloom models key NAME`, or name the variable that holds it as `key_from`";
            reader.say(&at.key(secret), message);
        }
    }
    let known: Map<String, Json> = map
        .iter()
        .filter(|(key, _)| !["key", "api_key", "apiKey", "token", "secret"].contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    reader.only(at, &known, &["kind", "base_url", "key_from", "limits", "models"]);
    let kind = read_kind(reader, at, map)?;
    let base_url = match reader.text(at, map, "base_url") {
        Some(typed) => Some(read_address(reader, &at.key("base_url"), &typed, kind)?),
        // What can't be read must not lead a key elsewhere than was meant.
        None if map.get("base_url").is_some_and(|value| !value.is_null()) => return None,
        None => None,
    };
    if base_url.is_none() && kind.port().is_none() && !catalog.providers.iter().any(|p| is_like(p.kind, kind))
    {
        reader.say(at, "the field `base_url` is missing; the provider is not used");
        return None;
    }
    Some(ChosenProvider {
        kind,
        base_url,
        key_from: reader.text(at, map, "key_from"),
        waits: read_waits(reader, at, map),
        models: read_models(reader, at, map),
    })
}

/// Whether both kinds are ways to speak to the same provider. The open kind is nobody's.
pub(super) fn is_like(one: Kind, other: Kind) -> bool {
    let company = |kind| {
        if kind == Kind::OpenaiResponses {
            Kind::Openai
        } else {
            kind
        }
    };
    one != Kind::OpenaiCompatible && company(one) == company(other)
}

fn read_waits(reader: &mut Reader<'_>, at: &At<'_>, map: &Map<String, Json>) -> Waits {
    let Some(limits) = reader.object_in(at, map, "limits") else {
        return Waits::default();
    };
    let at = at.key("limits");
    reader.only(&at, limits, &["connect_s", "first_byte_s", "idle_s", "whole_s"]);
    let mut wait = |key| reader.count(&at, limits, key, 1..=LONGEST_WAIT);
    Waits {
        connect_s: wait("connect_s"),
        first_byte_s: wait("first_byte_s"),
        idle_s: wait("idle_s"),
        whole_s: wait("whole_s"),
    }
}

/// A list of names, or an object of names with what is known of each.
fn read_models(reader: &mut Reader<'_>, at: &At<'_>, map: &Map<String, Json>) -> Vec<(String, Traits)> {
    let Some(value) = map.get("models") else {
        return Vec::new();
    };
    let at = at.key("models");
    let Json::Object(models) = value else {
        let names = reader.texts(&at, value);
        return names.into_iter().map(|name| (name, Traits::default())).collect();
    };
    let mut found = Vec::new();
    for (name, value) in models {
        let at = at.key(name);
        if let Some(map) = reader.object(&at, value) {
            reader.only(&at, map, &TRAITS);
            found.push((name.clone(), read_traits(reader, &at, map)));
        }
    }
    found
}

fn read_roles(
    reader: &mut Reader<'_>,
    at: &At<'_>,
    models: &Map<String, Json>,
) -> BTreeMap<Role, Vec<String>> {
    let mut roles = BTreeMap::new();
    let at = at.key("roles");
    let Some(map) = models.get("roles").filter(|value| !value.is_null()) else {
        return roles;
    };
    let Some(map) = reader.object(&at, map) else {
        return roles;
    };
    reader.only(&at, map, &Role::ALL.map(Role::word));
    for (word, value) in map {
        let Some(role) = Role::parse(word) else { continue };
        let at = at.key(word);
        let mut names = Vec::new();
        for name in reader.texts(&at, value) {
            if split(&name).is_some() {
                names.push(name);
            } else {
                let shown: String = name.chars().take(100).collect();
                reader.say(&at, format!("`{shown}` is no `provider/model`; it is not used"));
            }
        }
        if !names.is_empty() {
            roles.insert(role, names);
        }
    }
    roles
}

fn read_prices(reader: &mut Reader<'_>, at: &At<'_>, models: &Map<String, Json>) -> BTreeMap<String, Price> {
    let mut prices = BTreeMap::new();
    let at = at.key("prices");
    let Some(map) = models.get("prices").filter(|value| !value.is_null()) else {
        return prices;
    };
    for (name, value) in reader.object(&at, map).into_iter().flatten() {
        let at = at.key(name);
        if value.as_str() == Some("free") {
            prices.insert(name.clone(), Price::Free);
        } else if let Some(map) = reader.object(&at, value) {
            reader.only(&at, map, &PRICE);
            prices.insert(name.clone(), read_price(reader, &at, map));
        }
    }
    prices
}

#[cfg(test)]
mod tests;
