//! Which providers there are: those of the settings, those that a key sets up by itself, those found on this machine.
//! It must not know which model does which work.

use std::collections::BTreeSet;

use url::Url;

use super::catalog::{Catalog, KnownProvider};
use super::facts::Facts;
use super::keys::{FoundKey, KeySource, Keys};
use super::listing::Listed;
use super::local::{self, Server};
use super::settings::{ChosenProvider, Settings, Waits, is_like};
use super::wires::Spec;
use super::{Kind, address};
use crate::llm::wire;
use crate::llm::{Price, Traits};
use crate::model::reader::Trouble;

/// Where a provider came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Settings,
    /// A key was at hand.
    Key,
    /// A server on this machine answered.
    Found,
}

/// A provider, with or without what it takes to be asked.
#[derive(Clone, Debug)]
pub struct Provider {
    pub spec: Spec,
    pub origin: Origin,
    pub key_source: Option<KeySource>,
    /// The variables that could hold its key.
    pub variables: Vec<String>,
    /// Its name in the list of known providers, if it is one of those.
    pub listed_as: Option<String>,
    /// Whether a server on this machine answers; `None` where nobody was asked.
    pub answers: Option<bool>,
    /// What a server on this machine said it has; `None` where it was not asked or did not answer.
    pub models: Option<Vec<Listed>>,
    /// What the settings say it has.
    pub chosen: Vec<(String, Traits)>,
}

impl Provider {
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// Runs on this very machine.
    pub fn is_local(&self) -> bool {
        wire::is_loopback(&self.spec.base_url)
    }

    /// Whether it can be asked as far as is known.
    pub fn is_usable(&self) -> bool {
        self.spec.key.is_some()
            || self.is_local()
            || (!self.spec.kind.needs_key() && self.variables.is_empty())
    }

    /// Asks a server on this machine what it has.
    async fn look(&mut self) {
        if self.is_local() {
            let said = local::named_at(&self.spec.base_url).await;
            self.answers = Some(said.is_some());
            self.models = said.flatten();
        }
    }

    /// What has to be done before it can be asked.
    pub fn what_to_do(&self) -> String {
        let name = self.name();
        match self.variables.first() {
            Some(variable) => format!("Set {variable}, or give its key with `planloom models key {name}`."),
            None => format!("Give its key with `planloom models key {name}`."),
        }
    }

    /// What is free, and what nobody but the person can price: a gateway on this machine may lead anywhere.
    pub fn own_price(&self, listed: Option<&Listed>) -> Price {
        let is_server = self.spec.kind.port().is_some();
        let is_remote = listed.is_some_and(|listed| listed.is_remote);
        if self.is_local() && is_server && !is_remote {
            Price::Free
        } else {
            Price::Unknown
        }
    }
}

/// All of them, those of the settings first, then in the order of the list, then as found.
pub async fn find(
    settings: &Settings,
    catalog: &Catalog,
    keys: &Keys,
    facts: &Facts,
    troubles: &mut Vec<Trouble>,
) -> Vec<Provider> {
    let places = local::places(&settings.discover, keys.variable("OLLAMA_HOST").as_deref());
    let (found, chosen, keyed) = tokio::join!(
        local::discover(places),
        of_settings(settings, catalog, keys, facts),
        of_keys(settings, catalog, keys, facts)
    );
    let mut providers = Vec::new();
    for told in chosen.into_iter().chain(keyed) {
        match told {
            Told::Provider(provider, trouble) => {
                troubles.extend(trouble);
                providers.push(*provider);
            }
            Told::Nothing(trouble) => troubles.push(trouble),
        }
    }
    add_found(&mut providers, found);
    providers
}

/// A provider, perhaps with something that is wrong about it, or why there is none.
enum Told {
    Provider(Box<Provider>, Option<Trouble>),
    Nothing(Trouble),
}

async fn of_settings(settings: &Settings, catalog: &Catalog, keys: &Keys, facts: &Facts) -> Vec<Told> {
    let mut providers = Vec::new();
    for (name, chosen) in &settings.providers {
        let Some(base_url) = base_of(chosen, catalog) else {
            continue;
        };
        let known = catalog
            .at(&base_url)
            .filter(|known| is_like(known.kind, chosen.kind) || known.kind == chosen.kind);
        let mut variables: Vec<String> = chosen.key_from.iter().cloned().collect();
        // Never a known variable's key to another place than its own.
        variables.extend(known.into_iter().flat_map(|known| known.keys.clone()));
        let found = keys.find(name, &variables, facts.has_key(name)).await;
        let spec = Spec {
            name: name.clone(),
            kind: chosen.kind,
            base_url,
            key: None,
            waits: chosen.waits,
        };
        let listed_as = known.map(|known| known.name.clone());
        let unset = unset(name, chosen, &found);
        let (mut provider, trouble) = made(spec, Origin::Settings, variables, found, listed_as);
        let trouble = trouble.or(unset);
        provider.chosen.clone_from(&chosen.models);
        provider.look().await;
        providers.push(Told::Provider(Box::new(provider), trouble));
    }
    providers
}

/// A variable that the settings name, and that holds nothing: without a word, a server would just refuse.
fn unset(name: &str, chosen: &ChosenProvider, found: &FoundKey) -> Option<Trouble> {
    let variable = chosen.key_from.as_ref()?;
    if found.key.is_some() || found.trouble.is_some() {
        return None;
    }
    Some(Trouble {
        place: format!("settings.json#/models/providers/{name}/key_from"),
        message: format!(
            "the variable {variable} is not set, so there is no key of `{name}`. Set it, or keep the key with \
             `planloom models key {name}`"
        ),
    })
}

fn base_of(chosen: &ChosenProvider, catalog: &Catalog) -> Option<Url> {
    if let Some(base_url) = &chosen.base_url {
        return Some(base_url.clone());
    }
    if let Some(port) = chosen.kind.port() {
        return Url::parse(&format!("http://127.0.0.1:{port}{}", chosen.kind.local_path())).ok();
    }
    let known = catalog
        .providers
        .iter()
        .find(|known| is_like(known.kind, chosen.kind));
    known.map(|known| known.base_url.clone())
}

/// Providers for which a key is at hand, unless the settings speak of them.
async fn of_keys(settings: &Settings, catalog: &Catalog, keys: &Keys, facts: &Facts) -> Vec<Told> {
    let mut providers = Vec::new();
    for known in &catalog.providers {
        if settings.providers.contains_key(&known.name) {
            continue;
        }
        let found = keys
            .find(&known.name, &known.keys, facts.has_key(&known.name))
            .await;
        if found.key.is_none() && found.trouble.is_none() {
            continue;
        }
        let spec = match spec_of_known(known, keys) {
            Ok(spec) => spec,
            Err(trouble) => {
                providers.push(Told::Nothing(trouble));
                continue;
            }
        };
        let listed_as = Some(known.name.clone());
        let (mut provider, trouble) = made(spec, Origin::Key, known.keys.clone(), found, listed_as);
        provider.look().await;
        providers.push(Told::Provider(Box::new(provider), trouble));
    }
    providers
}

/// A variable may lead elsewhere; what stands there speaks OpenAI's common wire, not the newest one. Better no
/// provider than one at a place that was not meant.
fn spec_of_known(known: &KnownProvider, keys: &Keys) -> Result<Spec, Trouble> {
    let mut spec = Spec {
        name: known.name.clone(),
        kind: known.kind,
        base_url: known.base_url.clone(),
        key: None,
        waits: Waits::default(),
    };
    let typed = known
        .base_url_from
        .as_ref()
        .and_then(|variable| Some((variable, keys.variable(variable)?)));
    if let Some((variable, typed)) = typed {
        let url = address::read(&typed, known.kind).map_err(|wrong| Trouble {
            place: variable.clone(),
            message: format!("{wrong}; {} is not used", known.name),
        })?;
        if known.kind == Kind::OpenaiResponses && url.host_str() != known.base_url.host_str() {
            spec.kind = Kind::Openai;
        }
        spec.base_url = url;
    }
    Ok(spec)
}

fn made(
    mut spec: Spec,
    origin: Origin,
    variables: Vec<String>,
    found: FoundKey,
    listed_as: Option<String>,
) -> (Provider, Option<Trouble>) {
    let trouble = found.trouble.map(|message| Trouble {
        place: spec.name.clone(),
        message,
    });
    let (key, key_source) = found.key.unzip();
    spec.key = key;
    let provider = Provider {
        spec,
        origin,
        key_source,
        variables,
        listed_as,
        answers: None,
        models: None,
        chosen: Vec::new(),
    };
    (provider, trouble)
}

/// Servers that no settings speak of, each under a name of its own.
fn add_found(providers: &mut Vec<Provider>, found: Vec<Server>) {
    let mut names: BTreeSet<String> = providers.iter().map(|p| p.spec.name.clone()).collect();
    for server in found {
        let is_known = |known: &Provider| address::is_same(&known.spec.base_url, &server.base_url);
        if providers.iter().any(is_known) {
            continue;
        }
        let port = server.base_url.port_or_known_default().unwrap_or_default();
        let word = if server.kind == Kind::OpenaiCompatible {
            "local"
        } else {
            server.kind.word()
        };
        let mut name = word.to_owned();
        if names.contains(&name) {
            name = format!("{word}-{port}");
        }
        if !names.insert(name.clone()) {
            continue;
        }
        let spec = Spec {
            name,
            kind: server.kind,
            base_url: server.base_url,
            key: None,
            waits: Waits::default(),
        };
        providers.push(Provider {
            spec,
            origin: Origin::Found,
            key_source: None,
            variables: Vec::new(),
            listed_as: None,
            answers: Some(true),
            models: Some(server.models),
            chosen: Vec::new(),
        });
    }
}
