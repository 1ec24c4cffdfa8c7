//! The list of known providers and models: whom a key alone sets up, what is chosen where nobody chose, and prices.
//! It stands in `assets/models.json`; a file of the same shape beside the database is laid over it, entry by entry.
//! It must not know any key.

use std::collections::BTreeMap;

use serde_json::Map;
use url::Url;

use super::{Kind, address};
use crate::llm::{Price, Support, Traits};
use crate::model::Json;
use crate::model::json::At;
use crate::model::reader::{Reader, Trouble};

const BUILT_IN: &str = include_str!("../../../../../assets/models.json");
const NAME: &str = "assets/models.json";

/// A provider that a key alone sets up.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownProvider {
    pub name: String,
    pub kind: Kind,
    pub base_url: Url,
    /// The variable that names another address.
    pub base_url_from: Option<String>,
    /// The variables that may hold its key, the first that is set wins.
    pub keys: Vec<String>,
    /// The model that plans where nobody chose one.
    pub strong: Option<String>,
    /// The model that executes where nobody chose one.
    pub cheap: Option<String>,
}

/// What is known of a model before it was ever asked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct KnownModel {
    pub price: Price,
    pub traits: Traits,
}

#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// In the order in which they are chosen.
    pub providers: Vec<KnownProvider>,
    models: BTreeMap<String, KnownModel>,
    /// When the prices were looked up, and where.
    pub date: String,
    pub source: String,
}

impl Catalog {
    /// The list that the program carries, with what lies over it.
    pub fn read(over: Option<&[u8]>, over_name: &str, troubles: &mut Vec<Trouble>) -> Self {
        let mut catalog = Self::default();
        catalog.lay(BUILT_IN.as_bytes(), NAME, troubles);
        if let Some(over) = over {
            catalog.lay(over, over_name, troubles);
        }
        catalog
    }

    fn lay(&mut self, bytes: &[u8], name: &str, troubles: &mut Vec<Trouble>) {
        let mut reader = Reader::new(name, troubles);
        let Some(file) = reader.file(bytes) else { return };
        let root = At::Root;
        reader.only(&root, &file, &["about", "source", "date", "providers", "models"]);
        for (key, place) in [("date", &mut self.date), ("source", &mut self.source)] {
            if let Some(text) = reader.text(&root, &file, key) {
                *place = text;
            }
        }
        let at = root.key("providers");
        for (name, value) in reader.object_in(&root, &file, "providers").into_iter().flatten() {
            if let Some(provider) = read_provider(&mut reader, &at.key(name), name, value) {
                match self.providers.iter_mut().find(|known| known.name == *name) {
                    Some(known) => *known = provider,
                    None => self.providers.push(provider),
                }
            }
        }
        let at = root.key("models");
        for (name, value) in reader.object_in(&root, &file, "models").into_iter().flatten() {
            if let Some(model) = read_model(&mut reader, &at.key(name), value) {
                self.models.insert(name.clone(), model);
            }
        }
    }

    pub fn provider(&self, name: &str) -> Option<&KnownProvider> {
        self.providers.iter().find(|known| known.name == name)
    }

    /// The provider that stands at this address, whatever a person calls it.
    pub fn at(&self, base_url: &Url) -> Option<&KnownProvider> {
        let host = base_url.host_str();
        self.providers
            .iter()
            .find(|known| host.is_some() && known.base_url.host_str() == host)
    }

    /// A model by the provider's name in this list. A name with a date at its end is that of the same model.
    pub fn model(&self, provider: &str, model: &str) -> Option<KnownModel> {
        let named = |model: &str| self.models.get(&format!("{provider}/{model}")).copied();
        named(model).or_else(|| named(undated(model)?))
    }

    /// All models of a provider in this list.
    pub fn models_of<'a>(&'a self, provider: &'a str) -> impl Iterator<Item = &'a str> {
        self.models
            .keys()
            .filter_map(move |name| name.strip_prefix(provider)?.strip_prefix('/'))
    }
}

/// `claude-haiku-4-5-20251001` and `gpt-5.4-2026-03-05` without their dates.
fn undated(model: &str) -> Option<&str> {
    let is_date = |text: &str| text.len() == 8 && text.bytes().all(|b| b.is_ascii_digit());
    let (front, last) = model.rsplit_once('-')?;
    if is_date(last) {
        return Some(front);
    }
    let from = model.len().checked_sub(11)?;
    let tail = model.get(from..)?;
    let digits: String = tail.chars().filter(|c| *c != '-').collect();
    (tail.starts_with('-') && tail.matches('-').count() == 3 && is_date(&digits)).then(|| &model[..from])
}

fn read_provider(reader: &mut Reader<'_>, at: &At<'_>, name: &str, value: &Json) -> Option<KnownProvider> {
    let map = reader.object(at, value)?;
    let known = ["kind", "base_url", "base_url_from", "keys", "strong", "cheap"];
    reader.only(at, map, &known);
    let keys = map.get("keys").map(|keys| reader.texts(&at.key("keys"), keys));
    let kind = read_kind(reader, at, map)?;
    let typed = reader.text(at, map, "base_url");
    let Some(typed) = typed else {
        reader.say(at, "the field `base_url` is missing; the provider is not used");
        return None;
    };
    let base_url = read_address(reader, &at.key("base_url"), &typed, kind)?;
    Some(KnownProvider {
        name: name.to_owned(),
        kind,
        base_url,
        base_url_from: reader.text(at, map, "base_url_from"),
        keys: keys.unwrap_or_default(),
        strong: reader.text(at, map, "strong"),
        cheap: reader.text(at, map, "cheap"),
    })
}

pub(super) fn read_kind(reader: &mut Reader<'_>, at: &At<'_>, map: &Map<String, Json>) -> Option<Kind> {
    let word = reader.text(at, map, "kind");
    let kind = word.as_deref().and_then(Kind::parse);
    if kind.is_none() {
        let message = format!(
            "`kind` must be one of {}; the provider is not used",
            Kind::words()
        );
        reader.say(&at.key("kind"), message);
    }
    kind
}

pub(super) fn read_address(reader: &mut Reader<'_>, at: &At<'_>, typed: &str, kind: Kind) -> Option<Url> {
    match address::read(typed, kind) {
        Ok(url) => Some(url),
        Err(wrong) => {
            reader.say(at, format!("{wrong}; the provider is not used"));
            None
        }
    }
}

/// Fields of a model's price.
pub(super) const PRICE: [&str; 3] = ["input", "output", "cached"];
/// Fields of what it can do.
pub(super) const TRAITS: [&str; 5] = [
    "tools",
    "structured",
    "thinking",
    "context_tokens",
    "max_output_tokens",
];

fn read_model(reader: &mut Reader<'_>, at: &At<'_>, value: &Json) -> Option<KnownModel> {
    let map = reader.object(at, value)?;
    reader.only(at, map, &[&PRICE[..], &TRAITS[..]].concat());
    Some(KnownModel {
        price: read_price(reader, at, map),
        traits: read_traits(reader, at, map),
    })
}

/// A price needs both of its sides; half of one is unknown.
pub(super) fn read_price(reader: &mut Reader<'_>, at: &At<'_>, map: &Map<String, Json>) -> Price {
    let mut amount = |key| reader.usd(at, map, key);
    match (amount("input"), amount("output"), amount("cached")) {
        (Some(input), Some(output), cached) => Price::PerMillion {
            input,
            output,
            cached,
        },
        (None, None, None) => Price::Unknown,
        (_, _, _) => {
            reader.say(
                at,
                "a price needs `input` and `output`; without both it is unknown",
            );
            Price::Unknown
        }
    }
}

pub(super) fn read_traits(reader: &mut Reader<'_>, at: &At<'_>, map: &Map<String, Json>) -> Traits {
    let mut support = |key| reader.flag(at, map, key).map_or(Support::Unknown, Support::of);
    let (tools, structured, thinking) = (support("tools"), support("structured"), support("thinking"));
    let most = reader.count(at, map, "max_output_tokens", 1..=u64::from(u32::MAX));
    Traits {
        tools,
        structured,
        thinking,
        context_tokens: reader.count(at, map, "context_tokens", 1..=1 << 40),
        max_output_tokens: most.and_then(|most| u32::try_from(most).ok()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Cost;

    fn read(over: Option<&str>) -> (Catalog, Vec<Trouble>) {
        let mut troubles = Vec::new();
        let catalog = Catalog::read(over.map(str::as_bytes), "models.json", &mut troubles);
        (catalog, troubles)
    }

    #[test]
    fn the_list_that_the_program_carries_is_whole() {
        let (catalog, troubles) = read(None);
        assert_eq!(troubles, []);
        assert!(!catalog.date.is_empty() && !catalog.source.is_empty());
        assert!(catalog.providers.len() >= 4);
        for provider in &catalog.providers {
            assert!(!provider.keys.is_empty(), "{}", provider.name);
            for chosen in [&provider.strong, &provider.cheap].into_iter().flatten() {
                assert!(
                    catalog.model(&provider.name, chosen).is_some(),
                    "{}/{chosen} is chosen and not listed",
                    provider.name
                );
            }
        }
    }

    #[test]
    fn a_file_beside_the_database_is_laid_over_entry_by_entry() {
        let over = r#"{ "models": {
            "openai/gpt-6-luna": { "input": 1.5, "output": "7", "context_tokens": 9007199254740993 },
            "mine/own": { "input": "0", "output": "0", "tools": false } } }"#;
        let (catalog, troubles) = read(Some(over));
        assert!(
            troubles.len() == 1 && troubles[0].place.ends_with("/context_tokens"),
            "{troubles:?}"
        );
        let model = catalog.model("openai", "gpt-6-luna").unwrap();
        assert_eq!(
            model.price.at_most(1_000_000, 0),
            Cost::Estimated("1.5".parse().unwrap())
        );
        assert_eq!(model.traits, Traits::default());
        assert_eq!(catalog.model("mine", "own").unwrap().traits.tools, Support::No);
        assert!(catalog.model("anthropic", "claude-haiku-4-5").is_some());
        assert_eq!(catalog.models_of("mine").collect::<Vec<_>>(), ["own"]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place_and_the_rest_is_used() {
        let over = r#"{ "models": { "a/b": { "input": "-1", "output": "2" }, "a/c": 7, "a/d": { "inptu": "1" },
            "a/e": { "input": "1", "output": "2" } }, "providers": { "x": { "kind": "opnai" }, "y": { "kind": "vllm" } } }"#;
        let (catalog, troubles) = read(Some(over));
        let places: Vec<&str> = troubles.iter().map(|t| t.place.as_str()).collect();
        assert_eq!(
            places,
            [
                "models.json#/providers/x/kind",
                "models.json#/providers/y",
                "models.json#/models/a~1b/input",
                "models.json#/models/a~1b",
                "models.json#/models/a~1c",
                "models.json#/models/a~1d/inptu",
            ]
        );
        assert!(
            troubles[5].message.contains("did you mean `input`?"),
            "{}",
            troubles[5]
        );
        assert_eq!(catalog.model("a", "b").unwrap().price, Price::Unknown);
        assert!(matches!(
            catalog.model("a", "e").unwrap().price,
            Price::PerMillion { .. }
        ));
    }

    #[test]
    fn a_dated_name_is_that_of_the_same_model() {
        let (catalog, _) = read(None);
        assert!(catalog.model("anthropic", "claude-haiku-4-5-20251001").is_some());
        assert!(catalog.model("openai", "gpt-5.4-2026-03-05").is_some());
        for other in ["gpt-5.4-mega", "-20251001", "ä-2026-03-05", "2026-03-05", ""] {
            assert!(catalog.model("openai", other).is_none(), "{other}");
        }
    }

    #[test]
    fn a_file_that_is_no_json_leaves_the_list_as_it_is() {
        for broken in ["", "[", "[]", "\u{feff}{", r#"{"models":{},"models":{}}"#] {
            let (catalog, troubles) = read(Some(broken));
            assert!(!troubles.is_empty(), "{broken}");
            assert!(catalog.provider("openai").is_some());
        }
    }
}
