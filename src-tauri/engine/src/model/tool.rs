//! What a tool declares of itself: shapes, effect, idempotency and what in its arguments names a resource.
//! Pure data: the code that does the work lives in `tools`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Json;
use super::foreseen::{Foresee, ReadCode, StartReading};
use super::grants::Need;

/// What a call may change (DESIGN §6), from harmless to costly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    Pure,
    Read,
    ReadExternal,
    Write,
    WriteExternal,
    Exec,
    Spend,
}

impl Effect {
    /// Whether such a call changes something outside the run, so that its intent must be durable first.
    pub fn is_effect(self) -> bool {
        match self {
            Self::Pure | Self::Read | Self::ReadExternal => false,
            Self::Write | Self::WriteExternal | Self::Exec | Self::Spend => true,
        }
    }
}

/// What makes a repeated call harmless.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum Idempotency {
    /// Doing it twice is the same as once (a read, a whole-file write).
    Natural,
    /// The receiver drops a repeated idempotency key.
    ByKey,
    /// Nothing does.
    Not,
}

/// A kind of resource that an argument can name; also the kind of grant that covers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    Read,
    Write,
    Host,
    Database,
    Command,
    Mcp,
}

/// Where in the arguments a resource is named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Touch {
    /// Top-level argument, such as `path` or `url`.
    pub argument: &'static str,
    /// The argument is an object whose values are the resources (`tables` of `sql.query`).
    pub each_value: bool,
    pub access: Access,
    /// For a program: the argument that holds its arguments, an array of texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest: Option<&'static str>,
    /// Left out, the argument stands for the run's own folder, which needs no grant.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_own_by_default: bool,
}

impl Touch {
    /// A program with its arguments, which together are what is granted.
    pub const fn command(program: &'static str, rest: &'static str) -> Self {
        Self {
            rest: Some(rest),
            ..Self::one(program, Access::Command)
        }
    }
    /// A folder, by default the run's own one.
    pub const fn own_or(argument: &'static str, access: Access) -> Self {
        Self {
            is_own_by_default: true,
            ..Self::one(argument, access)
        }
    }
    pub const fn one(argument: &'static str, access: Access) -> Self {
        Self {
            argument,
            each_value: false,
            access,
            rest: None,
            is_own_by_default: false,
        }
    }
    pub const fn each(argument: &'static str, access: Access) -> Self {
        Self {
            argument,
            each_value: true,
            access,
            rest: None,
            is_own_by_default: false,
        }
    }
}

/// The whole declaration of a tool. Its canonical JSON is part of what an approval freezes.
#[derive(Clone, Debug, Serialize)]
pub struct ToolSpec {
    pub name: String,
    /// One sentence, for people and for models.
    pub description: String,
    /// JSON Schema (2020-12) of the arguments object.
    pub arguments: Json,
    /// JSON Schema of the result.
    pub result: Json,
    /// The greatest effect that a call can have; `http.request` with GET or HEAD has less (see [`ToolSpec::effect_of`]).
    pub effect: Effect,
    pub idempotency: Idempotency,
    pub touches: Vec<Touch>,
    /// For HTTP tools: the argument that holds the method, with GET and HEAD being only `read_external`.
    pub method_argument: Option<&'static str>,
    /// Whether what comes back was written by somebody outside.
    pub is_source_untrusted: bool,
    /// Needs of every call, whatever its arguments: `server/tool` for a tool of an MCP server.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<Need>,
    /// For a tool that somebody else defines: the hash of that definition and of how its maker is reached, so that an
    /// approval holds for exactly these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
}

impl ToolSpec {
    /// Whether a call can change local files.
    pub fn writes_files(&self) -> bool {
        self.runs_programs() || self.touches.iter().any(|t| t.access == Access::Write)
    }

    /// Whether a call runs a program, which may read and write whatever the plan grants, beside what the arguments name.
    pub fn runs_programs(&self) -> bool {
        self.touches.iter().any(|t| t.rest.is_some())
    }

    /// Whether a secret may be among its arguments at all: what a tool that only computes gives would be one too.
    pub fn takes_secrets(&self) -> bool {
        self.effect != Effect::Pure
    }

    /// Whether what stands in this argument becomes part of a command, where every program can read it.
    pub fn shows_to_all(&self, argument: &str) -> bool {
        let mut commands = self.touches.iter().filter(|t| t.access == Access::Command);
        commands.any(|t| t.argument == argument || t.rest == Some(argument))
    }

    /// Whether no call of it touches anything that a grant could be about.
    pub fn touches_nothing(&self) -> bool {
        self.touches.is_empty() && self.needs.is_empty()
    }

    /// The effect of one call with these arguments.
    pub fn effect_of(&self, arguments: &Json) -> Effect {
        match self.method_of(arguments) {
            Some(method) if method == "GET" || method == "HEAD" => Effect::ReadExternal,
            Some(_) | None => self.effect,
        }
    }

    /// Whether one call with these arguments may be made twice: GET and HEAD may, else what the tool declares.
    /// Ask the tool itself (`Tool::idempotency_of`) where it is at hand: it may know more.
    pub fn idempotency_of(&self, arguments: &Json) -> Idempotency {
        match self.method_of(arguments) {
            Some(method) if method == "GET" || method == "HEAD" => Idempotency::Natural,
            Some(_) | None => self.idempotency,
        }
    }

    /// The HTTP method in upper case, where the tool has one: the named argument, else GET.
    pub fn method_of(&self, arguments: &Json) -> Option<String> {
        let argument = self.method_argument?;
        let named = arguments.get(argument).and_then(Json::as_str).unwrap_or("GET");
        Some(named.to_ascii_uppercase())
    }
}

/// The tools that a plan may name. Looked up by exact name.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    specs: std::collections::BTreeMap<String, Arc<ToolSpec>>,
    off: std::collections::BTreeMap<String, WhyOff>,
    foresee: std::collections::BTreeMap<String, Foresee>,
    code: Option<StartReading>,
    closed: Arc<[String]>,
    models: Option<FindModel>,
    is_of_signed: bool,
}

/// Who knows of a role or a model's name why nothing can be asked by it, if so.
#[derive(Clone)]
pub struct FindModel(Arc<WhyNoModel>);

type WhyNoModel = dyn Fn(&str) -> Option<String> + Send + Sync;

impl FindModel {
    pub fn new(why_not: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(why_not))
    }
}

impl std::fmt::Debug for FindModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FindModel")
    }
}

/// Tells why a tool can't be called on this machine, if so. Asked late: to find out may take a moment.
pub type WhyOff = fn() -> Option<&'static str>;

impl Catalog {
    pub fn new(specs: impl IntoIterator<Item = Arc<ToolSpec>>) -> Self {
        Self {
            specs: specs.into_iter().map(|s| (s.name.clone(), s)).collect(),
            ..Self::default()
        }
    }
    /// The same with these, too.
    #[must_use]
    pub fn with(&self, specs: impl IntoIterator<Item = Arc<ToolSpec>>) -> Self {
        let mut all = self.clone();
        all.specs.extend(specs.into_iter().map(|s| (s.name.clone(), s)));
        all
    }
    /// The same knowledge about these tools only.
    pub fn only(&self, specs: impl IntoIterator<Item = Arc<ToolSpec>>) -> Self {
        Self {
            specs: specs.into_iter().map(|s| (s.name.clone(), s)).collect(),
            ..self.clone()
        }
    }
    /// The same, with what that tool finds wrong with arguments before the run.
    pub fn foreseeing(mut self, name: &str, foresee: Foresee) -> Self {
        self.foresee.insert(name.to_owned(), foresee);
        self
    }
    /// What the tool finds wrong with arguments before the run; nothing, where it has nothing to say.
    pub fn foresee(&self, name: &str) -> Option<Foresee> {
        self.foresee.get(name).filter(|_| self.foresees()).copied()
    }
    /// The same, for a plan that has been signed before: what is wrong in the run only, its log tells.
    #[must_use]
    pub fn of_signed(&self) -> Self {
        Self {
            is_of_signed: true,
            ..self.clone()
        }
    }
    /// Whether it is asked for what would only fail in the run.
    pub fn foresees(&self) -> bool {
        !self.is_of_signed
    }
    /// The same, with places that no tool opens whatever is granted: absolute paths of files and folders.
    #[must_use]
    pub fn closing(mut self, closed: impl IntoIterator<Item = String>) -> Self {
        self.closed = closed.into_iter().collect();
        self
    }
    /// The closed place that is, or is around, this path in its normal form.
    pub fn closed_around(&self, path: &str) -> Option<&str> {
        let mut closed = self.closed.iter().filter(|_| self.foresees());
        closed
            .find(|place| crate::model::grants::is_in_folder(path, place))
            .map(String::as_str)
    }
    /// The same, with whom to ask for models.
    #[must_use]
    pub fn finding_models(mut self, models: FindModel) -> Self {
        self.models = Some(models);
        self
    }
    /// Why nothing can be asked by this name of a model or role, where that is known.
    pub fn why_no_model(&self, name: &str) -> Option<String> {
        let FindModel(why_not) = self.models.as_ref().filter(|_| self.foresees())?;
        why_not(name)
    }
    /// The same, with who reads the code of tasks.
    pub fn reading_code(mut self, start: StartReading) -> Self {
        self.code = Some(start);
        self
    }
    /// Who reads the code of one plan's tasks, where anybody can.
    pub fn code_reader(&self) -> Option<Box<dyn ReadCode>> {
        self.code.filter(|_| self.foresees()).map(|start| start())
    }
    /// The same, with whom to ask whether that tool can be called here.
    pub fn asking(mut self, name: &str, why_off: WhyOff) -> Self {
        self.off.insert(name.to_owned(), why_off);
        self
    }
    /// Why the tool can't be called on this machine, if so.
    pub fn why_off(&self, name: &str) -> Option<&'static str> {
        self.off.get(name).and_then(|why_off| why_off())
    }
    pub fn get(&self, name: &str) -> Option<&Arc<ToolSpec>> {
        self.specs.get(name)
    }
    pub fn iter(&self) -> impl Iterator<Item = &Arc<ToolSpec>> {
        self.specs.values()
    }
}
