//! The field names of a plan document, in the order in which they are written (DESIGN §2). It must not know
//! what the fields mean.

pub const PLAN: [&str; 9] = [
    "version",
    "goal",
    "parameters",
    "tasks",
    "grants",
    "budget",
    "synthesis",
    "file",
    "layout",
];

/// Fields that every task may have.
pub const TASK: [&str; 18] = [
    "id",
    "title",
    "task_type",
    "instruction",
    "dependencies",
    "inputs",
    "output_schema",
    "retry",
    "timeout_s",
    "optional",
    "when",
    "check",
    "writes",
    "accepts_untrusted",
    "approval",
    "idempotent",
    "model",
    "fallback",
];

/// Fields of one type of task each, in the order in which they are written after the common ones.
pub const TYPED: [(&str, &str); 9] = [
    ("tools", "agent"),
    ("max_steps", "agent"),
    ("tool", "tool"),
    ("source", "code"),
    ("form", "human"),
    ("over", "map"),
    ("task", "map"),
    ("max_parallel", "map"),
    ("plan", "subplan"),
];

pub const TASK_TYPES: [&str; 7] = ["agent", "model", "tool", "code", "human", "map", "subplan"];
pub const RETRY: [&str; 4] = ["max_attempts", "initial_ms", "multiplier", "max_ms"];
pub const BUDGET: [&str; 3] = ["usd", "tokens", "seconds"];
pub const SYNTHESIS: [&str; 3] = ["template", "model", "instruction"];
pub const GRANTS: [&str; 8] = [
    "read",
    "write",
    "hosts",
    "databases",
    "commands",
    "mcp",
    "own_work",
    "private_to",
];

/// The type of task that a typed field belongs to.
pub fn type_of(field: &str) -> Option<&'static str> {
    TYPED
        .iter()
        .find(|(name, _)| *name == field)
        .map(|(_, task_type)| *task_type)
}

/// Every field that some task may have, in writing order.
pub fn of_tasks() -> impl Iterator<Item = &'static str> {
    TASK.into_iter().chain(TYPED.into_iter().map(|(name, _)| name))
}

pub const LAYOUT: [&str; 1] = ["positions"];

/// Whether the writer puts this key of the object at that pointer in its own place, whatever the order of keys.
pub fn is_ordered(parent: &str, key: &str) -> bool {
    let steps: Vec<&str> = parent.split('/').skip(1).collect();
    match steps[..] {
        [] => PLAN.contains(&key),
        ["layout"] => LAYOUT.contains(&key),
        ["layout", "positions"] => true,
        ["grants"] => GRANTS.contains(&key),
        ["budget"] => BUDGET.contains(&key),
        ["synthesis"] => SYNTHESIS.contains(&key),
        ["tasks", _] => of_tasks().any(|name| name == key),
        ["tasks", _, "retry"] => RETRY.contains(&key),
        _ => false,
    }
}

/// Names under which other formats and models write `dependencies`. Reading one of them as "no dependencies"
/// would run everything at once, so such a field is an error and not merely unknown.
const LIKE_DEPENDENCIES: [&str; 30] = [
    "after",
    "afters",
    "ancestors",
    "awaits",
    "blockedby",
    "dependancies",
    "dependant",
    "dependants",
    "dependency",
    "dependencyids",
    "dependent",
    "dependenton",
    "dependents",
    "depends",
    "dependson",
    "dep",
    "deps",
    "follows",
    "need",
    "needs",
    "parent",
    "parentids",
    "parents",
    "predecessors",
    "prereqs",
    "prerequisites",
    "require",
    "requires",
    "runafter",
    "upstream",
];

pub fn looks_like_dependencies(field: &str) -> bool {
    let plain: String = field
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect::<String>()
        .to_lowercase();
    plain.len() <= 40
        && (LIKE_DEPENDENCIES.contains(&plain.as_str()) || strsim::osa_distance(&plain, "dependencies") <= 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_on_the_format_names_every_field() {
        let page = include_str!("../../../../docs/plan-format.md");
        let all = PLAN.into_iter().chain(of_tasks()).chain(TASK_TYPES);
        for field in all.chain(RETRY).chain(BUDGET).chain(SYNTHESIS).chain(GRANTS) {
            assert!(
                page.contains(&format!("`{field}`")),
                "docs/plan-format.md does not tell of `{field}`"
            );
        }
    }

    #[test]
    fn other_words_for_dependencies_are_known() {
        for field in [
            "dependsOn",
            "depends_on",
            "depends-on",
            "DependsOn",
            "deps",
            "requires",
            "after",
            "needs",
        ] {
            assert!(looks_like_dependencies(field), "{field}");
        }
        for field in [
            "Dependencies",
            "dependancies",
            "depedencies",
            "parents",
            "blocked_by",
            "runAfter",
        ] {
            assert!(looks_like_dependencies(field), "{field}");
        }
        for field in [
            "status",
            "output",
            "notes",
            "description",
            "x",
            "priority",
            "tags",
        ] {
            assert!(!looks_like_dependencies(field), "{field}");
        }
    }
}
