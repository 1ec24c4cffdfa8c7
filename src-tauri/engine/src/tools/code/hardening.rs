//! What is taken away before a source runs: compiled once for all calls, run in each context anew. It must not know sources.

use std::sync::LazyLock;

use rquickjs::loader::Loader as _;
use rquickjs::loader::bundle::{Bundle, ScaBundleData};
use rquickjs::{Context, Ctx, Error, Function, Module, Result, Runtime, WriteOptions};

const SOURCE: &str = include_str!("harden.js");
const NAME: &str = "inner";

/// The interpreter's own functions, taken before a source could change them.
pub(super) struct Kept<'js> {
    /// `String`.
    pub(super) text: Function<'js>,
    /// `BigInt`.
    pub(super) integer: Function<'js>,
    /// `Object.prototype.toString`.
    pub(super) kind: Function<'js>,
}

/// Compiled by the very interpreter that runs it. No context has a loader: a source can import no other module than this,
/// and nobody ever answers its promise.
static COMPILED: LazyLock<Option<Bundle<ScaBundleData<&'static [u8]>>>> = LazyLock::new(|| {
    let code: &'static [u8] = Box::leak(compiled().ok()?.into_boxed_slice());
    let modules: ScaBundleData<&'static [u8]> = Box::leak(Box::new([(NAME, code)]));
    Some(Bundle(modules))
});

fn compiled() -> Result<Vec<u8>> {
    let context = Context::full(&Runtime::new()?)?;
    context.with(|ctx| {
        let options = WriteOptions {
            strip_source: true,
            ..WriteOptions::default()
        };
        Module::declare(ctx, NAME, SOURCE)?.write(options)
    })
}

/// If it breaks off, for lack of memory, nothing of it is there to be got.
pub(super) fn apply<'js>(ctx: &Ctx<'js>) -> Result<Kept<'js>> {
    let mut compiled = COMPILED.ok_or(Error::Unknown)?;
    let (module, _) = compiled.load(ctx, NAME, None)?.eval()?;
    Ok(Kept {
        text: module.get("text")?,
        integer: module.get("integer")?,
        kind: module.get("kind")?,
    })
}
