//! The tools that plans are judged against, which change when servers are set up and removed. It must not know where they
//! come from.

use std::sync::{Arc, PoisonError, RwLock};

use crate::model::Json;
use crate::model::problem::{Code, Problem};
use crate::model::tool::{Catalog, Effect, Idempotency, ToolSpec};

/// The catalog of now, shared by all that read plans.
#[derive(Clone, Default)]
pub struct Catalogs(Arc<RwLock<Arc<Catalog>>>);

impl Catalogs {
    pub fn of(catalog: Catalog) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(catalog))))
    }

    pub fn now(&self) -> Arc<Catalog> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn put(&self, catalog: Catalog) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(catalog);
    }
}

/// The catalog with those servers' tools that a plan names and that are gone; `None` where that mends nothing. Nothing of
/// them is known but the name, so that no signature fits them.
pub fn with_gone(catalog: &Catalog, problems: &[Problem], document: &Json) -> Option<Catalog> {
    let missing = problems
        .iter()
        .filter(|problem| problem.code == Code::UnknownTool);
    let names = missing.filter_map(|problem| document.pointer(&problem.pointer)?.as_str());
    let gone: Vec<Arc<ToolSpec>> = names.filter(|name| name.contains('/')).map(gone).collect();
    (!gone.is_empty()).then(|| catalog.with(gone))
}

fn gone(name: &str) -> Arc<ToolSpec> {
    Arc::new(ToolSpec {
        name: name.to_owned(),
        description: "It is set up no more.".to_owned(),
        arguments: Json::Bool(true),
        result: Json::Bool(true),
        effect: Effect::Spend,
        idempotency: Idempotency::Not,
        touches: Vec::new(),
        method_argument: None,
        is_source_untrusted: true,
        needs: Vec::new(),
        definition: None,
    })
}
