//! Grants and the one function that decides about a call. Pure and total: no clock, no disk, default deny.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::plan::Input;
use super::tool::{Access, Effect, ToolSpec};
use super::Json;

/// What the plan asks for, entry by entry as written (DESIGN §2, "Grants").
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grants {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub databases: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mcp: Vec<String>,
}

/// Where a run's relative paths lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The plan file's folder; without a plan file, relative paths lie in the workspace.
    pub folder: Option<PathBuf>,
    /// The run's own folder, reached as `run:/name` and free of grants.
    pub workspace: PathBuf,
}

/// One resource that one call touches, in its normal form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Need {
    pub access: Access,
    /// An absolute path without `.` and `..`, `run:/name`, or `host:port`; else the plain name.
    pub resource: String,
    /// For hosts: GET, HEAD, POST …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
}

/// Who wrote a value and who may see it (LIBRARIES D4). The join is the field-wise or.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Labels {
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untrusted: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
}

impl Labels {
    pub fn join(self, other: Self) -> Self {
        Self { untrusted: self.untrusted || other.untrusted, private: self.private || other.private }
    }
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What is asked at the moment of a call.
#[derive(Clone, Debug)]
pub struct CallFacts<'a> {
    pub effect: Effect,
    pub needs: &'a [Need],
    pub labels: Labels,
}

/// What has been allowed for this task: the plan's grants, its own literal needs as frozen at approval,
/// and what a person has allowed since.
#[derive(Clone, Debug)]
pub struct Allowed<'a> {
    pub grants: &'a Grants,
    pub frozen: &'a [Need],
    pub answered: &'a [Need],
    /// A person has allowed this very effect with these arguments.
    pub is_effect_allowed: bool,
    pub place: &'a Place,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Allow,
    /// A person must decide first.
    Gate(Reason),
    Deny(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// These needs are covered by nothing.
    NotGranted(Vec<Need>),
    /// Untrusted data reaches an effect outside (R1).
    UntrustedEffect,
}

/// The needs of a call whose arguments are all known. An argument that names no usable resource is an error text.
pub fn needs_of(spec: &ToolSpec, arguments: &Json, place: &Place) -> Result<Vec<Need>, String> {
    let _ = (spec, arguments, place);
    unimplemented!()
}

/// The needs that the literal inputs of a tool task already tell, and the kinds that only the run will know.
pub fn needs_of_inputs(spec: &ToolSpec, inputs: &[(String, Input)], place: &Place) -> (Vec<Need>, Vec<Access>) {
    let _ = (spec, inputs, place);
    unimplemented!()
}

/// Whether an entry of the plan's grants covers the need.
pub fn covers(grants: &Grants, need: &Need, place: &Place) -> bool {
    let _ = (grants, need, place);
    unimplemented!()
}

/// The one gate. Default deny: a need that nothing covers is never allowed.
pub fn decide(allowed: &Allowed<'_>, call: &CallFacts<'_>) -> Verdict {
    let _ = (allowed, call);
    unimplemented!()
}

/// The path without `.` and `..`, by text alone; links are the tools' business.
pub fn absolute(path: &str, place: &Place) -> PathBuf {
    let _ = (path, place);
    Path::new("").into()
}
