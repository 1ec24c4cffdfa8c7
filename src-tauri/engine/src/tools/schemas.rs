//! Checks of arguments against a tool's schema, each schema compiled once. Knows no tool.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jsonschema::Validator;

use crate::model::Json;
use crate::model::tool::ToolSpec;

/// Mistakes that one message tells.
const MOST_TOLD: usize = 5;

pub(super) fn check_arguments(spec: &Arc<ToolSpec>, arguments: &Json) -> Result<(), String> {
    let validator = compiled(spec)?;
    if validator.is_valid(arguments) {
        return Ok(());
    }
    let told = validator.iter_errors(arguments).take(MOST_TOLD).map(|error| {
        let place = error.instance_path().to_string();
        let place = if place.is_empty() {
            "the arguments".to_owned()
        } else {
            format!("`{place}`")
        };
        format!("{place}: {}", error.masked())
    });
    Err(told.collect::<Vec<_>>().join("; "))
}

/// Keeps the declaration beside its validator, so that no other can come to lie at the same address.
type Compiled = HashMap<usize, (Arc<ToolSpec>, Arc<Validator>)>;

fn compiled(spec: &Arc<ToolSpec>) -> Result<Arc<Validator>, String> {
    static COMPILED: OnceLock<Mutex<Compiled>> = OnceLock::new();
    let cache = COMPILED.get_or_init(Mutex::default);
    let address = Arc::as_ptr(spec).addr();
    if let Some((_, known)) = cache.lock().unwrap_or_else(PoisonError::into_inner).get(&address) {
        return Ok(known.clone());
    }
    let made = jsonschema::validator_for(&spec.arguments);
    let made = Arc::new(made.map_err(|e| format!("the schema of `{}` can't be used: {e}", spec.name))?);
    let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
    cache.insert(address, (spec.clone(), made.clone()));
    Ok(made)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Tool;
    use super::super::wait::Wait;

    #[test]
    fn mistakes_are_told_without_the_values() {
        let wait = Wait::new();
        assert_eq!(wait.check_arguments(&json!({"ms": 1.5})), Ok(()));
        let told = wait
            .check_arguments(&json!({"ms": "hunter2", "more": "hunter3"}))
            .unwrap_err();
        assert!(told.contains("`/ms`"), "{told}");
        assert!(told.contains("more"), "{told}");
        assert!(!told.contains("hunter"), "{told}");
        assert!(wait.check_arguments(&json!({})).is_err());
        assert!(wait.check_arguments(&json!(null)).is_err());
    }
}
