//! A problem of a plan document: what is wrong, where, and which tasks it concerns.

use serde::Serialize;

use super::TaskId;

/// Every way in which a plan document can be wrong (DESIGN, "Validation").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    // Of a file that can't be read at all.
    Unreadable,
    Syntax,
    Type,
    MissingField,
    EmptyPlan,
    BadId,
    DuplicateId,
    UnknownDependency,
    SelfDependency,
    Cycle,
    UnknownInput,
    MissingDependency,
    UnknownTaskType,
    UnknownTool,
    BadArguments,
    UnknownParameter,
    BadSchema,
    BadExpression,
    UnknownModel,
    TooLarge,
    UnknownField,
    MissingGrant,
    WriteConflict,
    SecretInPlan,
    HeldOutput,
    // A cap lies below the least that the plan is expected to come to.
    BudgetTooLow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Error,
    Warning,
}

/// One problem. `pointer` is a JSON Pointer (RFC 6901) into the document, `""` for the whole of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, specta::Type)]
pub struct Problem {
    pub code: Code,
    pub severity: Severity,
    pub message: String,
    pub pointer: String,
    #[specta(type = Vec<String>)]
    pub tasks: Vec<TaskId>,
    /// What would mend it, where that is certain: one click in the window, one hint on the command line.
    pub fix: Option<QuickFix>,
}

/// A mend that a person may accept. It is never applied by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, specta::Type)]
pub struct QuickFix {
    /// What the button says, such as "Use review".
    pub label: String,
    /// The edits that make it so.
    pub edits: Vec<super::edit::PlanEdit>,
    /// Where it is no edit: the task whose held output is let go of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unpins: Option<String>,
}
