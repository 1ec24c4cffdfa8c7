//! `shell.run`: one program with its arguments, in a sandbox that shows it what the plan grants. No shell, unless the program
//! is one.
//!
//! It has no network at all, whatever hosts are granted: a process can't be held to single hosts, and a grant that says
//! one host must not open all of them. Plans fetch and send with `http.get` and `http.request`.

mod kept;
mod outcome;
mod program;
#[cfg(test)]
#[cfg(unix)]
mod tests;
mod view;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::json;

use super::sandbox::{self, Beside, Confined, Limits, confinement};
use super::{CallContext, Hands, Keeper, Tool, ToolError, Written, arguments, spec};
use crate::model::Json;
use crate::model::foreseen::{Fault, Foresee, Foreseen};
use crate::model::tool::{Access, Effect, Idempotency, ToolSpec, Touch};

/// Seconds that a program may take, unless the call says otherwise.
const USUAL_SECONDS: u64 = 60;
const MOST_SECONDS: u64 = 3600;

pub(super) struct ShellRun {
    spec: Arc<ToolSpec>,
    closed: Arc<[PathBuf]>,
    hands: Hands,
    beside: Beside,
}

impl ShellRun {
    pub(super) fn new(closed: Arc<[PathBuf]>, hands: Hands) -> Self {
        let arguments = json!({
            "program": { "type": "string", "minLength": 1, "maxLength": 4096, "description": "Its name, such as `git`, or a path; not a line for a shell" },
            "args": { "type": "array", "items": { "type": "string" }, "maxItems": 1000, "description": "Its arguments, one by one; nothing in them is expanded" },
            "stdin": { "type": "string", "maxLength": 16_777_216, "description": "What it reads; nothing by default" },
            "cwd": spec::path("Where it starts, by default the run's own folder; it may read all in it"),
            "accept_code": { "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 255 }, "description": "Exit codes beside 0 that are results" },
            "encoding": { "type": "string", "description": "Of what it writes, such as gbk or shift_jis; UTF-8 without it, UTF-16 where it is marked so" },
            "timeout_s": { "type": "number", "exclusiveMinimum": 0, "maximum": MOST_SECONDS, "default": USUAL_SECONDS, "description": "Seconds until it is ended with all that it started" },
        });
        let result = json!({
            "code": { "type": "integer" },
            "stdout": { "type": "string" },
            "stderr": { "type": "string" },
            "stdout_base64": { "type": "string", "description": "The bytes, where `stdout` does not hold all of them: what is no text, and NULs" },
            "stderr_base64": { "type": "string" },
            "left_out": { "type": "integer", "minimum": 0, "description": "Bytes in the midst of long output that are not here" },
        });
        let spec = Arc::new(ToolSpec {
            name: "shell.run".to_owned(),
            description: "Runs one program in a sandbox, without network; it sees the folders that the plan grants and the \
                          run's own one."
                .to_owned(),
            arguments: spec::shown(
                spec::object(arguments, &["program"]),
                json!({ "program": "git", "args": ["log", "--oneline", "-5"], "cwd": "repo" }),
            ),
            result: spec::object(result, &["code", "stdout", "stderr"]),
            effect: Effect::Exec,
            idempotency: Idempotency::Not,
            touches: vec![
                Touch::command("program", "args"),
                Touch::own_or("cwd", Access::Read),
            ],
            method_argument: None,
            is_source_untrusted: true,
            needs: Vec::new(),
            definition: None,
        });
        Self {
            spec,
            closed,
            hands,
            beside: Beside::default(),
        }
    }
}

#[async_trait]
impl Tool for ShellRun {
    fn spec(&self) -> &Arc<ToolSpec> {
        &self.spec
    }

    fn why_off(&self) -> fn() -> Option<&'static str> {
        || confinement().why_not()
    }

    fn foresee(&self) -> Foresee {
        foresee
    }

    async fn before(&self, _: &Json, cx: &CallContext) -> Vec<Written> {
        kept::before(&self.closed, cx).await
    }

    fn keeper(&self) -> Option<Keeper> {
        Some(Keeper::new(self.closed.clone()))
    }

    async fn call(&self, arguments: Json, cx: &CallContext) -> Result<Json, ToolError> {
        let asked = Asked::read(&arguments)?;
        let (closed, context) = (self.closed.clone(), cx.clone());
        let (hands, beside) = (self.hands.clone(), self.beside.clone());
        let confine = move || {
            let confined = asked.confined(&closed, &context)?;
            let confined = Confined {
                hands,
                beside,
                ..confined
            };
            Ok::<_, ToolError>((asked, confined))
        };
        let broken = |_| ToolError::permanent("broken", "the tool broke down; nothing was started");
        let (asked, confined) = tokio::task::spawn_blocking(confine).await.map_err(broken)??;
        let ended = sandbox::run(&confined, asked.stdin.clone(), &cx.cancel).await;
        outcome::of(&asked, &confined, ended)
    }
}

/// A line for a shell where a program is named, and what no program can be given.
fn foresee(known: &Foreseen<'_>) -> Vec<Fault> {
    let program = known.text("program").unwrap_or_default();
    let is_line = !program.contains('/') && program.trim().contains(char::is_whitespace);
    let line = is_line.then(|| {
        let message = "it is a program's name alone; what is to follow it goes into `args`, one by one";
        Fault::argument("program", message)
    });
    let items = known.arguments.get("args").and_then(Json::as_array);
    let mut texts = items.into_iter().flatten().filter_map(Json::as_str);
    let has_nul = texts.any(|text| text.contains('\0'));
    let nul = has_nul.then(|| Fault::argument("args", "a NUL character can't be given to a program"));
    let encoding = arguments::unknown_encoding(known);
    line.into_iter().chain(nul).chain(encoding).collect()
}

/// A call's arguments.
struct Asked {
    program: String,
    args: Vec<String>,
    stdin: Option<Vec<u8>>,
    cwd: Option<String>,
    encoding: Option<String>,
    accepted: Vec<i64>,
    wall: Duration,
}

impl Asked {
    fn read(arguments: &Json) -> Result<Self, ToolError> {
        let list = |name: &str| match arguments::given(arguments, name) {
            None => Ok(Vec::new()),
            Some(Json::Array(items)) => Ok(items.clone()),
            Some(_) => Err(arguments::bad(format!("`{name}` must be an array"))),
        };
        let text = |value: &Json| value.as_str().map(str::to_owned);
        let args: Option<Vec<String>> = list("args")?.iter().map(text).collect();
        let accepted: Option<Vec<i64>> = list("accept_code")?.iter().map(Json::as_i64).collect();
        let stdin = arguments::optional_text(arguments, "stdin")?;
        let encoding = arguments::optional_text(arguments, "encoding")?;
        encoding.map_or(Ok(()), arguments::known_encoding)?;
        let seconds = match arguments::given(arguments, "timeout_s") {
            None => USUAL_SECONDS as f64,
            Some(value) => {
                let seconds = value.as_f64().filter(|s| *s > 0.0 && *s <= MOST_SECONDS as f64);
                let wrong =
                    || arguments::bad(format!("`timeout_s` must be above 0 and at most {MOST_SECONDS}"));
                seconds.ok_or_else(wrong)?
            }
        };
        Ok(Self {
            program: arguments::text(arguments, "program")?.to_owned(),
            args: args.ok_or_else(|| arguments::bad("`args` must hold texts"))?,
            stdin: stdin.map(|text| text.as_bytes().to_vec()),
            cwd: arguments::optional_text(arguments, "cwd")?.map(str::to_owned),
            encoding: encoding.map(str::to_owned),
            accepted: accepted.ok_or_else(|| arguments::bad("`accept_code` must hold whole numbers"))?,
            wall: Duration::from_secs_f64(seconds),
        })
    }

    /// Looks up the program and the folders that are granted; starts nothing.
    fn confined(&self, closed: &Arc<[PathBuf]>, cx: &CallContext) -> Result<Confined, ToolError> {
        if let Some(why) = confinement().why_not() {
            return Err(ToolError::permanent(
                "shell_off",
                format!("shell.run is off: {why}. Nothing was run"),
            ));
        }
        let view = view::view(closed, cx, view::Missing::Make)?;
        let program = program::find(&self.program, &view, cx)?;
        let cwd = view.working_folder(self.cwd.as_deref(), cx)?;
        let args = self.args.iter().map(OsString::from).collect();
        Ok(Confined {
            cwd: Some(cwd),
            read: view.read,
            write: view.write,
            own: vec![view.own],
            closed: closed.to_vec(),
            limits: Limits {
                wall: self.wall,
                ..Limits::default()
            },
            ..Confined::new(program, args)
        })
    }
}
