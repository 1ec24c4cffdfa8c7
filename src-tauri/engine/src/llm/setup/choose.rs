//! Which model does which work where nobody chose: the strongest for plans, a cheap one for their tasks, what runs on
//! this machine if there is nothing else, and what was asked and does not answer last of all. Pure.

use super::catalog::Catalog;
use super::listing::Listed;
use super::providers::Provider;
use crate::llm::Role;

/// The model for a role, `provider/model`; `None` where there is none at all.
pub fn usual(role: Role, providers: &[Provider], catalog: &Catalog) -> Option<String> {
    let usable = providers.iter().filter(|provider| provider.is_usable());
    let (silent, others): (Vec<&Provider>, Vec<&Provider>) =
        usable.partition(|provider| provider.answers == Some(false));
    best(role, &others, catalog).or_else(|| best(role, &silent, catalog))
}

fn best(role: Role, providers: &[&Provider], catalog: &Catalog) -> Option<String> {
    let each = || providers.iter().copied();
    each()
        .find_map(|provider| listed_choice(role, provider, catalog))
        .or_else(|| each().find_map(first_chosen))
        .or_else(|| {
            each()
                .filter_map(best_local)
                .max_by_key(|(rank, _)| *rank)
                .map(|(_, name)| name)
        })
}

fn listed_choice(role: Role, provider: &Provider, catalog: &Catalog) -> Option<String> {
    let known = catalog.provider(provider.listed_as.as_deref()?)?;
    let model = match role {
        Role::Planner | Role::Replanner => known.strong.as_ref(),
        Role::Executor | Role::Synthesizer => known.cheap.as_ref(),
    };
    Some(format!("{}/{}", provider.name(), model?))
}

/// The first that the settings list of a provider.
fn first_chosen(provider: &Provider) -> Option<String> {
    let (model, _) = provider.chosen.first()?;
    Some(format!("{}/{model}", provider.name()))
}

/// What is in memory already before what is large; what runs elsewhere only if there is nothing else.
fn best_local(provider: &Provider) -> Option<((bool, bool, u64), String)> {
    let rank = |model: &Listed| (!model.is_remote, model.is_loaded, model.size);
    let models = provider.models.as_deref().unwrap_or_default();
    // Of equals, the one that is listed first.
    let best = models.iter().rev().max_by_key(|model| rank(model))?;
    Some((rank(best), format!("{}/{}", provider.name(), best.name)))
}
