//! Puts it all together: files and keys in, models that can be asked out, with a survey of what was found.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::catalog::Catalog;
use super::choose;
use super::facts::Facts;
use super::first_use::{FirstUse, Known, Named};
use super::keys::Keys;
use super::probe::Found;
use super::providers::{self, Provider};
use super::settings::{Settings, split};
use super::survey::{ModelRow, ProviderRow, Survey};
use super::wires::{self, Connect};
use super::{Kind, address};
use crate::llm::wire::is_loopback;
use crate::llm::{Cancelled, ChatModel, Entry, Models, Price, Role, Traits};
use crate::model::reader::Trouble;
use crate::model::{sentence, unread};

/// A larger file is no file of settings.
const MOST_BYTES: u64 = 4 << 20;

/// The files beside the database.
#[derive(Clone, Debug)]
pub struct Files {
    pub settings: PathBuf,
    /// Laid over the list of known models and prices.
    pub models: PathBuf,
    pub facts: PathBuf,
}

impl Files {
    pub fn beside(db: &Path) -> Self {
        Self {
            settings: db.with_file_name("settings.json"),
            models: db.with_file_name("models.json"),
            facts: db.with_file_name("model-facts.json"),
        }
    }
}

/// A model that was chosen for this call and can't be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadChoice(String);

/// What came of it.
pub struct SetUp {
    pub models: Models,
    pub survey: Survey,
    named: BTreeMap<String, Named>,
}

/// The same with this program's wires. `chosen` holds for this process alone and goes before the settings.
pub async fn set_up(files: &Files, keys: &Keys, chosen: &[(Role, String)]) -> Result<SetUp, BadChoice> {
    set_up_with(files, keys, chosen, wires::connect()).await
}

pub async fn set_up_with(
    files: &Files,
    keys: &Keys,
    chosen: &[(Role, String)],
    connect: Connect,
) -> Result<SetUp, BadChoice> {
    let mut troubles = Vec::new();
    let over = read_file(&files.models, &mut troubles);
    let catalog = Catalog::read(over.as_deref(), "models.json", &mut troubles);
    let settings = read_file(&files.settings, &mut troubles)
        .map(|bytes| Settings::read(&bytes, &catalog, &mut troubles))
        .unwrap_or_default();
    let facts = Arc::new(Facts::read(&files.facts));
    let providers = providers::find(&settings, &catalog, keys, &facts, &mut troubles).await;
    let mut assembly = Assembly {
        settings: &settings,
        catalog: &catalog,
        providers: &providers,
        facts,
        connect,
        troubles,
    };
    let roles = assembly.roles(chosen)?;
    Ok(assembly.finish(roles))
}

/// Every provider that there is a name for: the known ones and those of the settings.
pub fn provider_names(files: &Files) -> BTreeSet<String> {
    let mut troubles = Vec::new();
    let over = read_file(&files.models, &mut troubles);
    let catalog = Catalog::read(over.as_deref(), "models.json", &mut troubles);
    let settings = read_file(&files.settings, &mut troubles);
    let settings = settings.map(|bytes| Settings::read(&bytes, &catalog, &mut troubles));
    let chosen = settings
        .into_iter()
        .flat_map(|settings| settings.providers.into_keys());
    catalog
        .providers
        .iter()
        .map(|known| known.name.clone())
        .chain(chosen)
        .collect()
}

fn read_file(path: &Path, troubles: &mut Vec<Trouble>) -> Option<Vec<u8>> {
    let told = |message: String| Trouble {
        place: path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        message,
    };
    match std::fs::metadata(path) {
        Ok(file) if file.len() > MOST_BYTES => {
            troubles.push(told(
                "the file is too large to be read; nothing of it is used".to_owned(),
            ));
            return None;
        }
        // A pipe or a device might never end.
        Ok(file) if !file.is_file() => {
            troubles.push(told("this is no file; nothing of it is used".to_owned()));
            return None;
        }
        Ok(_) => {}
        Err(_) => return None,
    }
    std::fs::read(path)
        .map_err(|error| {
            troubles.push(told(format!(
                "the file can't be read: {}; nothing of it is used",
                unread(&error)
            )))
        })
        .ok()
}

struct Assembly<'a> {
    settings: &'a Settings,
    catalog: &'a Catalog,
    providers: &'a [Provider],
    facts: Arc<Facts>,
    connect: Connect,
    troubles: Vec<Trouble>,
}

type Roles = BTreeMap<Role, Vec<String>>;

impl Assembly<'_> {
    fn provider(&self, name: &str) -> Option<&Provider> {
        self.providers.iter().find(|provider| provider.name() == name)
    }

    /// Each role's models: as chosen for this process, else by the settings, else the usual ones.
    fn roles(&mut self, chosen: &[(Role, String)]) -> Result<Roles, BadChoice> {
        let mut roles = Roles::new();
        for (role, name) in chosen {
            self.check_choice(*role, name)?;
            let names = roles.entry(*role).or_default();
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        for role in Role::ALL {
            if roles.contains_key(&role) {
                continue;
            }
            let names = match self.settings.roles.get(&role) {
                Some(names) => self.known_of(role, names),
                None => choose::usual(role, self.providers, self.catalog)
                    .into_iter()
                    .collect(),
            };
            if !names.is_empty() {
                roles.insert(role, names);
            }
        }
        Ok(roles)
    }

    fn check_choice(&self, role: Role, name: &str) -> Result<(), BadChoice> {
        let shown: String = name.chars().take(100).collect();
        let refused = |why: String| {
            let word = role.word();
            BadChoice(sentence([
                &*format!("`{shown}` can't be the {word}: {why}"),
                "Nothing was asked",
            ]))
        };
        let Some((provider, _)) = split(name) else {
            return Err(refused("it is no `provider/model`.".to_owned()));
        };
        match self.provider(provider) {
            Some(found) if found.is_usable() => Ok(()),
            Some(found) => Err(refused(format!(
                "its provider has no key. {}",
                found.what_to_do()
            ))),
            None => Err(refused(self.no_provider(provider))),
        }
    }

    fn no_provider(&self, name: &str) -> String {
        if let Some(known) = self.catalog.provider(name) {
            let variable = known.keys.first().map_or("its key", String::as_str);
            return format!(
                "its provider has no key. Set {variable}, or give it with `planloom models key {name}`."
            );
        }
        let names: Vec<&str> = self.providers.iter().map(Provider::name).take(10).collect();
        if names.is_empty() {
            return format!("there is no provider `{name}`, nor any other.");
        }
        format!("there is no provider `{name}`. There are: {}.", names.join(", "))
    }

    /// Those whose provider there is; of the others that is told.
    fn known_of(&mut self, role: Role, names: &[String]) -> Vec<String> {
        let mut known = Vec::new();
        for name in names {
            let provider = split(name).map_or("", |(provider, _)| provider);
            if self.provider(provider).is_some() {
                known.push(name.clone());
                continue;
            }
            let message = self.no_provider(provider);
            self.troubles.push(Trouble {
                place: format!("settings.json#/models/roles/{}", role.word()),
                message: format!("`{name}` is not used: {message}"),
            });
        }
        known
    }

    /// Names of all models that can be asked.
    fn names(&self, roles: &Roles) -> BTreeSet<(usize, String)> {
        let mut names = BTreeSet::new();
        for (ix, provider) in self.providers.iter().enumerate().filter(|(_, p)| p.is_usable()) {
            let mut add = |model: &str| names.insert((ix, model.to_owned()));
            for listed in provider.models.iter().flatten() {
                add(&listed.name);
            }
            for (model, _) in &provider.chosen {
                add(model);
            }
            if let Some(known) = &provider.listed_as {
                self.catalog.models_of(known).for_each(|model| {
                    add(model);
                });
            }
            let named = roles.values().flatten().filter_map(|name| split(name));
            for (_, model) in named.filter(|(name, _)| *name == provider.name()) {
                add(model);
            }
        }
        names
    }

    fn named(&self, provider: &Provider, model: &str) -> Named {
        let name = format!("{}/{model}", provider.name());
        let base_url = address::text(&provider.spec.base_url);
        let listed = provider
            .models
            .iter()
            .flatten()
            .find(|listed| listed.name == model);
        let known = provider
            .listed_as
            .as_deref()
            .and_then(|known| self.catalog.model(known, model))
            .or_else(|| self.catalog.model(provider.name(), model));
        let chosen = provider
            .chosen
            .iter()
            .find(|(name, _)| name == model)
            .map(|(_, traits)| *traits);
        let probed = self.facts.of(&name, &base_url).map(|probed| probed.traits);
        let told = listed.map(|listed| listed.traits);
        // A person's word, then what was seen, then what is told.
        let ranked = [chosen, probed, told, known.map(|known| known.traits)];
        let traits = ranked.into_iter().flatten().fold(Traits::default(), Traits::or);
        let own = provider.own_price(listed);
        let price = self.settings.prices.get(&name).copied();
        let price = price.unwrap_or(match own {
            Price::Free => Price::Free,
            Price::PerMillion { .. } | Price::Unknown => known.map_or(Price::Unknown, |known| known.price),
        });
        let is_of_anthropic = provider.spec.kind == Kind::Anthropic;
        let price = if is_of_anthropic {
            price.with_usual_cache()
        } else {
            price
        };
        Named {
            spec: provider.spec.clone(),
            model: model.to_owned(),
            price,
            traits,
            connect: self.connect.clone(),
            facts: self.facts.clone(),
        }
    }

    fn finish(mut self, roles: Roles) -> SetUp {
        let mut models = Models::none();
        let mut named_models = BTreeMap::new();
        let mut rows = Vec::new();
        for (ix, model) in self.names(&roles) {
            let named = self.named(&self.providers[ix], &model);
            match entry(&named) {
                Ok(entry) => models = models.with(entry),
                Err(message) => {
                    let place = named.name();
                    self.troubles.push(Trouble { place, message });
                    continue;
                }
            }
            rows.push(self.row(&named, &roles));
            named_models.insert(named.name(), named);
        }
        for (role, names) in &roles {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            models = models.with_role(*role, &names);
        }
        for provider in self.providers.iter().filter(|provider| !provider.is_usable()) {
            models = models.with_missing(provider.name(), &provider.what_to_do());
        }
        for key in self
            .providers
            .iter()
            .filter_map(|provider| provider.spec.key.as_ref())
        {
            models = models.with_key(key);
        }
        let survey = Survey {
            providers: self.providers.iter().map(provider_row).collect(),
            models: rows,
            roles: Role::ALL
                .map(|role| (role, roles.get(&role).cloned().unwrap_or_default()))
                .into(),
            troubles: self.troubles,
            prices_of: self.catalog.date.clone(),
            prices_source: self.catalog.source.clone(),
        };
        SetUp {
            models,
            survey,
            named: named_models,
        }
    }

    fn row(&self, named: &Named, roles: &Roles) -> ModelRow {
        let name = named.name();
        let has = |role: &Role| roles.get(role).is_some_and(|names| names.contains(&name));
        ModelRow {
            price: named.price,
            traits: named.traits,
            probed: self.facts.of(&name, &address::text(&named.spec.base_url)),
            roles: Role::ALL.into_iter().filter(has).collect(),
            name,
        }
    }
}

/// Models on this machine are probed when they are first asked, those behind a server of which nothing is known too; of
/// the others enough is known, or they tell it themselves by refusing.
fn entry(named: &Named) -> Result<Entry, String> {
    let is_anybody = named.spec.kind == Kind::OpenaiCompatible && is_loopback(&named.spec.base_url);
    let is_open = !named.traits.is_known() && (named.price == Price::Free || is_anybody);
    let model: Arc<dyn ChatModel> = if is_open {
        Arc::new(FirstUse::new(named.clone()))
    } else {
        Arc::new(Known {
            model: named.spoken(named.traits)?,
            traits: named.traits,
        })
    };
    Ok(Entry {
        price: named.price,
        limits: named.traits.limits(),
        bears_tuples: matches!(named.spec.kind, Kind::LlamaCpp),
        host: named.host().map(Into::into),
        ..Entry::new(&named.name(), model)
    })
}

fn provider_row(provider: &Provider) -> ProviderRow {
    ProviderRow {
        name: provider.name().to_owned(),
        kind: provider.spec.kind.word(),
        title: provider.spec.kind.title(),
        base_url: address::text(&provider.spec.base_url),
        origin: provider.origin,
        key: provider.key_source.clone(),
        todo: (!provider.is_usable()).then(|| provider.what_to_do()),
        answers: provider.answers,
    }
}

impl SetUp {
    /// Asks a model what it can do, and remembers. `None` where it is not set up.
    pub async fn probe(
        &mut self,
        name: &str,
        cancel: &CancellationToken,
    ) -> Result<Option<Found>, Cancelled> {
        let Some(named) = self.named.get(name) else {
            return Ok(None);
        };
        let found = named.probe(cancel).await?;
        let probed = named.facts.of(name, &address::text(&named.spec.base_url));
        if let Some(row) = self.survey.models.iter_mut().find(|row| row.name == name) {
            row.traits = found.traits;
            row.probed = probed;
        }
        Ok(Some(found))
    }
}

#[cfg(test)]
mod tests;
