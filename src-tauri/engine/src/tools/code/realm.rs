//! One interpreter for one call: built, hardened, used, thrown away. Blocks its thread.

use std::collections::{HashMap, HashSet};

use rquickjs::context::EvalOptions;
use rquickjs::context::intrinsic::{
    Eval, Json as JsJson, MapSet, Promise, RegExp, RegExpCompiler, TypedArrays,
};
use rquickjs::function::{Args, This};
use rquickjs::{CaughtError, Context, Ctx, Error, Object, Runtime, Value};

use super::body::{self, Misread};
use super::hardening::{self, Kept};
use super::values::{self, Reader};
use super::{CodeError, Fuse, Limits};
use crate::model::Json;

/// No `Date`, no `performance`, no weak references: nothing that tells the time or the collector's mood.
/// No `Proxy`, so that an array's length is its length.
type Common = (Eval, RegExpCompiler, RegExp, JsJson, Promise);
/// A third of a context's cost, and few need it.
type Whole = (Common, MapSet, TypedArrays);

/// A source without these names nothing that [`Whole`] has more than [`Common`]: such objects come only from globals, and
/// a global only by its name, which escapes may hide, or from `globalThis`.
const OF_WHOLE: &str = "Map Set 8Array 16Array 32Array 64Array ClampedArray Buffer DataView globalThis";

pub(super) const LONGEST_SOURCE: usize = 1 << 20;
const LONGEST_MESSAGE: usize = 2000;

pub(super) fn evaluate(
    source: &str,
    inputs: &[(String, Json)],
    limits: Limits,
    fuse: &Fuse,
) -> Result<Json, CodeError> {
    if source.len() > LONGEST_SOURCE {
        return Err(threw("the source has more than 1 MiB", None));
    }
    if source.contains('\0') {
        return Err(threw("the source holds a NUL character", None));
    }
    let runtime = Runtime::new().map_err(|_| out_of_memory(limits))?;
    runtime.set_memory_limit(limits.memory);
    runtime.set_max_stack_size(limits.stack);
    let handler = fuse.clone();
    runtime.set_interrupt_handler(Some(Box::new(move || handler.must_stop())));
    let context = if needs_whole(source) {
        Context::custom::<Whole>(&runtime)
    } else {
        Context::custom::<Common>(&runtime)
    };
    let context = context.map_err(|_| out_of_memory(limits))?;
    context.with(|ctx| {
        let realm = Realm { ctx, limits, fuse };
        realm.evaluate(source, inputs).map_err(|e| with_hint(e, source))
    })
}

fn needs_whole(source: &str) -> bool {
    source.contains('\\') || OF_WHOLE.split(' ').any(|name| source.contains(name))
}

struct Realm<'js, 'a> {
    ctx: Ctx<'js>,
    limits: Limits,
    fuse: &'a Fuse,
}

impl<'js> Realm<'js, '_> {
    fn evaluate(&self, source: &str, inputs: &[(String, Json)]) -> Result<Json, CodeError> {
        let kept = hardening::apply(&self.ctx).map_err(|e| self.failed(e))?;
        let bag = Object::new(self.ctx.clone()).map_err(|e| self.failed(e))?;
        let mut given = HashMap::new();
        for (name, input) in inputs {
            let value = self.take_in(&kept, name, input)?;
            values::define(&bag, name, value.clone()).map_err(|e| self.failed(e))?;
            given.entry(name.as_str()).or_insert(value);
        }
        let names = inputs.iter().map(|(name, _)| name.as_str());
        let names: Vec<&str> = names.filter(|name| is_identifier(&self.ctx, name)).collect();
        let names = variables(&names);
        let value = |name: &&str| {
            given
                .get(name)
                .cloned()
                .unwrap_or_else(|| bag.clone().into_value())
        };
        let arguments = names.iter().map(value).collect();
        let result = self.call(source, &names, arguments)?;
        self.give_out(&kept, result)
    }

    fn take_in(&self, kept: &Kept<'js>, name: &str, input: &Json) -> Result<Value<'js>, CodeError> {
        values::to_js(&self.ctx, &kept.integer, input).map_err(|problem| match problem {
            values::Refused::Engine(error) => self.failed(error),
            values::Refused::Value(message) => CodeError::BadInput {
                name: name.to_owned(),
                message,
            },
        })
    }

    fn call(
        &self,
        source: &str,
        names: &[&str],
        arguments: Vec<Value<'js>>,
    ) -> Result<Value<'js>, CodeError> {
        let function = body::function(&self.ctx, names, source).map_err(|misread| self.misread(misread))?;
        let mut call = Args::new(self.ctx.clone(), arguments.len());
        let nothing = Value::new_undefined(self.ctx.clone());
        call.this(nothing)
            .and_then(|()| call.push_args(arguments))
            .map_err(|e| self.failed(e))?;
        function.call_arg(call).map_err(|e| self.failed(e))
    }

    fn give_out(&self, kept: &Kept<'js>, result: Value<'js>) -> Result<Json, CodeError> {
        if result.is_undefined() {
            return Err(bad_result("", "missing: the source must `return` a value"));
        }
        let kind_of = |value: &Value<'js>| kept.kind.call::<_, String>((This(value.clone()),));
        let mut reader = Reader::new(kept.text.clone(), &kind_of, self.fuse);
        reader.read(&result).map_err(|problem| match problem {
            values::Refused::Engine(error) => self.failed(error),
            values::Refused::Value(what) => bad_result(&reader.pointer(), &what),
        })
    }

    fn misread(&self, misread: Misread) -> CodeError {
        let Misread {
            line,
            column,
            message,
        } = misread;
        let place = column.map_or_else(String::new, |column| format!(" (column {column})"));
        let told = if message == body::NO_MEMORY {
            out_of_memory(self.limits)
        } else {
            threw(&format!("SyntaxError: {message}{place}"), line)
        };
        self.fuse.error().unwrap_or(told)
    }

    /// Turns whatever the interpreter raised into words.
    fn failed(&self, error: Error) -> CodeError {
        let caught = CaughtError::from_error(&self.ctx, error);
        let told = self.tell(caught);
        self.fuse.error().unwrap_or(told)
    }

    fn tell(&self, caught: CaughtError<'js>) -> CodeError {
        match caught {
            CaughtError::Error(Error::Allocation) => out_of_memory(self.limits),
            CaughtError::Error(error) => threw(&error.to_string(), None),
            CaughtError::Exception(exception) => {
                let message = exception.message().unwrap_or_default();
                if message == "out of memory" {
                    return out_of_memory(self.limits);
                }
                let name = exception.get::<_, String>("name").unwrap_or_default();
                let line = exception.stack().as_deref().and_then(line_in);
                self.ctx.catch();
                let label = if name.is_empty() || name == "Error" {
                    String::new()
                } else {
                    format!("{name}: ")
                };
                threw(&format!("{label}{message}"), line)
            }
            // An allocation that fails while the error is made leaves no error at all.
            CaughtError::Value(value) if value.is_null() => out_of_memory(self.limits),
            CaughtError::Value(value) => threw(&format!("the code threw {}", self.describe(&value)), None),
        }
    }

    fn describe(&self, value: &Value<'js>) -> String {
        let text = value.as_string().and_then(|s| s.to_string().ok());
        let json = || {
            self.ctx
                .json_stringify(value.clone())
                .ok()
                .flatten()
                .and_then(|s| s.to_string().ok())
        };
        let described = text
            .or_else(json)
            .unwrap_or_else(|| with_article(value.type_name()));
        self.ctx.catch();
        described
    }
}

/// The variables of a source: every input whose name can be one, and all of them in `inputs`, unless one is called that.
pub(super) fn variables<'n>(names: &[&'n str]) -> Vec<&'n str> {
    let mut variables: Vec<&str> = Vec::with_capacity(names.len() + 1);
    if !names.contains(&"inputs") {
        variables.push("inputs");
    }
    let mut seen = HashSet::new();
    variables.extend(names.iter().copied().filter(|name| seen.insert(*name)));
    variables
}

/// Whether the name can stand as a parameter. Its characters are looked at first, so that nothing else is read.
pub(super) fn is_identifier(ctx: &Ctx<'_>, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    if name.is_empty() || name.chars().count() > 200 || !name.chars().all(is_part) {
        return false;
    }
    if is_plain(name) {
        return true;
    }
    let script = format!("(function({name}) {{}})");
    let is_good = ctx
        .eval_with_options::<Value<'_>, _>(script, options("inner"))
        .is_ok();
    if !is_good {
        ctx.catch();
    }
    is_good
}

/// What may mean something else than a name where code is strict. The interpreter is asked about these.
const WORDS: &str = "arguments async await break case catch class const continue debugger default delete do else enum eval \
    export extends false finally for function get if implements import in instanceof interface let new null of package \
    private protected public return set static super switch this throw true try typeof undefined using var void while \
    with yield";

/// A name beyond doubt, so that most need not be asked about.
fn is_plain(name: &str) -> bool {
    let is_part = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'$';
    !name.starts_with(|c: char| c.is_ascii_digit())
        && name.bytes().all(is_part)
        && !WORDS.split(' ').any(|word| word == name)
}

pub(super) fn options(file: &str) -> EvalOptions {
    let mut options = EvalOptions::default();
    options.filename = Some(file.to_owned());
    options
}

fn with_article(thing: &str) -> String {
    let article = if thing.starts_with(['a', 'e', 'i', 'o']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {thing}")
}

/// The line of the first frame in the source: `… (code:3:5)`.
fn line_in(stack: &str) -> Option<u32> {
    let (_, rest) = stack.split_once(&format!("{}:", body::FILE))?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn with_hint(error: CodeError, source: &str) -> CodeError {
    let CodeError::Threw { message, line } = error else {
        return error;
    };
    let hint = hint(&message, source);
    CodeError::Threw {
        message: format!("{message}{hint}"),
        line,
    }
}

/// What was taken away is missed under its name; why it is not there stands nowhere else.
fn hint(message: &str, source: &str) -> &'static str {
    let misses = |word: &str| message.starts_with("ReferenceError") && message.contains(word);
    if misses("Date") {
        "; code has no clock here, give the time as an input"
    } else if message.contains("not a function") && source.contains("Math.random") {
        "; code has no randomness here, give a number as an input"
    } else if ["setTimeout", "setInterval", "fetch", "require", "process"]
        .iter()
        .any(|w| misses(w))
    {
        "; code reaches nothing outside, use a tool task for that"
    } else {
        ""
    }
}

fn threw(message: &str, line: Option<u32>) -> CodeError {
    let mut short: String = message.chars().take(LONGEST_MESSAGE).collect();
    if short.len() < message.len() {
        short.push('…');
    }
    CodeError::Threw { message: short, line }
}

fn bad_result(pointer: &str, what: &str) -> CodeError {
    CodeError::BadResult {
        pointer: pointer.to_owned(),
        what: what.to_owned(),
    }
}

fn out_of_memory(limits: Limits) -> CodeError {
    CodeError::OutOfMemory { limit: limits.memory }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokio_util::sync::CancellationToken;

    use super::*;

    /// What few sources need is made only for those: none that could reach it goes without.
    #[test]
    fn a_source_that_names_a_global_has_it() {
        let runtime = Runtime::new().unwrap();
        let names = |context: Context| -> Vec<String> {
            context.with(|ctx| ctx.eval("Object.getOwnPropertyNames(globalThis)").unwrap())
        };
        let common = names(Context::custom::<Common>(&runtime).unwrap());
        let whole = names(Context::custom::<Whole>(&runtime).unwrap());
        let more: Vec<&String> = whole.iter().filter(|name| !common.contains(name)).collect();
        assert!(more.len() > 10, "{more:?}");
        // What is taken away again needs no name.
        let gone = ["Atomics", "SharedArrayBuffer"];
        for name in more.into_iter().filter(|name| !gone.contains(&name.as_str())) {
            assert!(needs_whole(&format!("return typeof {name}")), "{name}");
        }
        assert!(
            needs_whole("return new \\u0053et([1]).size") && needs_whole("return globalThis['S' + 'et']")
        );
        assert!(!needs_whole("return inputs.a.map(x => x + 1)"));
    }

    #[test]
    fn maps_sets_and_typed_arrays_are_there() {
        for (source, told) in [
            ("return [...new Set([1, 1, 2])]", json!([1, 2])),
            ("return new \\u0053et([1, 1]).size", json!(1)),
            ("return new Map([['a', 1]]).get('a')", json!(1)),
            ("return new Uint8Array([257])[0]", json!(1)),
            (
                "return new globalThis['Data' + 'View'](new ArrayBuffer(2)).byteLength",
                json!(2),
            ),
            ("return typeof globalThis['Ma' + 'p']", json!("function")),
        ] {
            let limits = Limits::default();
            let fuse = Fuse::new(limits, CancellationToken::new());
            assert_eq!(evaluate(source, &[], limits, &fuse).unwrap(), told, "{source}");
        }
    }
}
