//! Templates and expressions: one minijinja environment with strict variables, bounded work and no way out
//! (no includes, no files, no clock). It must not know where the variables come from.

mod chains;
mod values;

use std::collections::BTreeSet;
use std::io;
use std::sync::OnceLock;

use minijinja::value::Value;
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior};

pub use chains::chains_of_template;

use super::Json;

/// Work that one rendering may do: about one unit per step and per 64 bytes made.
const FUEL: u64 = 2_000_000;
/// Text that one rendering may give.
const OUTPUT_BYTES: usize = 16 << 20;
/// A longer source is refused before it is compiled.
const SOURCE_BYTES: usize = 1 << 20;
/// Operators that one `{{ … }}`, one `{% … %}` or one expression may chain. The compiler recurses along them.
const CHAINED: usize = 400;
/// Brackets inside each other, as far as one part of a source goes.
const NESTED: usize = 40;
/// `elif`s in one template.
const BRANCHES: usize = 200;

/// Why a template or an expression gave nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExprError {
    /// It can't be read; the message names the line where there is more than one.
    #[error("{0}")]
    Syntax(String),
    /// A variable or an attribute does not exist.
    #[error("{0}")]
    Undefined(String),
    /// It asks for too much work or text.
    #[error("{0}")]
    TooMuch(String),
    #[error("{0}")]
    Failed(String),
}

/// Renders a template once. What the variables hold is data: placeholders in it stay as they are.
pub fn render<'v>(
    source: &str,
    variables: impl IntoIterator<Item = (&'v str, &'v Json)>,
) -> Result<String, ExprError> {
    check_size(source, Mode::Text)?;
    let environment = environment();
    let template = environment
        .template_from_str(source)
        .map_err(|e| told(source, e))?;
    let mut out = Capped(Vec::new());
    template
        .render_captured_to(values::context(variables), &mut out)
        .map_err(|e| told(source, e))?;
    String::from_utf8(out.0).map_err(|_| ExprError::Failed("The template's text is not UTF-8.".to_owned()))
}

/// Whether an expression holds: false, 0, null, and empty texts, lists and objects do not.
pub fn eval_bool<'v>(
    source: &str,
    variables: impl IntoIterator<Item = (&'v str, &'v Json)>,
) -> Result<bool, ExprError> {
    Ok(evaluate(source, variables)?.is_true())
}

/// What an expression gives, as JSON.
pub fn eval_json<'v>(
    source: &str,
    variables: impl IntoIterator<Item = (&'v str, &'v Json)>,
) -> Result<Json, ExprError> {
    values::to_json(&evaluate(source, variables)?).map_err(|e| told(source, e))
}

fn evaluate<'v>(
    source: &str,
    variables: impl IntoIterator<Item = (&'v str, &'v Json)>,
) -> Result<Value, ExprError> {
    check_size(source, Mode::Code)?;
    let environment = environment();
    let expression = environment
        .compile_expression(source)
        .map_err(|e| told(source, e))?;
    let variables: Vec<(&str, &Json)> = variables.into_iter().collect();
    let value = match expression.eval(values::context(variables.iter().copied())) {
        Ok(value) => value,
        Err(error) if error.kind() == ErrorKind::UndefinedError && named(source, &error).is_none() => {
            return Err(undefined(source, &variables));
        }
        Err(error) => return Err(told(source, error)),
    };
    if value.is_undefined() {
        return Err(undefined(source, &variables));
    }
    Ok(value)
}

/// Names what has no value, where the engine says only that something has none.
fn undefined(source: &str, variables: &[(&str, &Json)]) -> ExprError {
    const SHORT: usize = 80;
    let chains = chains::chains_of_template(&format!("{{{{ {source} }}}}")).unwrap_or_default();
    let is_missing = |chain: &chains::Chain| {
        let mut steps = chain.iter();
        let root = variables
            .iter()
            .find(|(name, _)| steps.as_slice().first().is_some_and(|first| first == name));
        let Some((_, root)) = root else { return false };
        steps.next();
        let mut value = *root;
        steps.any(|step| match value.get(step.as_str()) {
            Some(inner) => {
                value = inner;
                false
            }
            None => true,
        })
    };
    let missing = chains.into_iter().find(is_missing).map(|chain| chain.join("."));
    let part = missing.unwrap_or_else(|| source.trim().to_owned());
    let shown: String = part.chars().take(SHORT).collect();
    let dots = if shown.len() < part.len() { "…" } else { "" };
    ExprError::Undefined(format!("`{shown}{dots}` has no value."))
}

/// The variables that a template reads, or why it can't be compiled. Names that it sets itself are left out.
pub fn variables_of_template(source: &str) -> Result<BTreeSet<String>, ExprError> {
    check_size(source, Mode::Text)?;
    let environment = environment();
    let template = environment
        .template_from_str(source)
        .map_err(|e| told(source, e))?;
    check_filters(chains::filters_of_template(source))?;
    Ok(own_names(environment, template.undeclared_variables(false)))
}

/// The same for an expression.
pub fn variables_of_expression(source: &str) -> Result<BTreeSet<String>, ExprError> {
    check_size(source, Mode::Code)?;
    let environment = environment();
    let expression = environment
        .compile_expression(source)
        .map_err(|e| told(source, e))?;
    check_filters(chains::filters_of_expression(source))?;
    Ok(own_names(environment, expression.undeclared_variables(false)))
}

/// A filter that there is not would only be missed when it is come to.
fn check_filters(names: Vec<String>) -> Result<(), ExprError> {
    let mut state = environment().empty_state();
    let is_unknown = |name: &String| {
        let tried = state.apply_filter(name, &[]);
        tried.is_err_and(|error| error.kind() == ErrorKind::UnknownFilter)
    };
    match names.into_iter().find(is_unknown) {
        None => Ok(()),
        Some(name) => {
            let shown: String = name.chars().take(60).collect();
            Err(ExprError::Syntax(format!("There is no filter `{shown}`.")))
        }
    }
}

fn own_names(environment: &Environment<'_>, names: impl IntoIterator<Item = String>) -> BTreeSet<String> {
    let is_builtin = |name: &str| environment.globals().any(|(global, _)| global == name);
    names.into_iter().filter(|name| !is_builtin(name)).collect()
}

fn environment() -> &'static Environment<'static> {
    static SHARED: OnceLock<Environment<'static>> = OnceLock::new();
    SHARED.get_or_init(build)
}

fn build() -> Environment<'static> {
    let mut environment = Environment::new();
    // A text keeps the newline that it ends with: whoever adds lines to a file means them.
    if let Ok(syntax) = minijinja::syntax::SyntaxConfig::builder()
        .keep_trailing_newline(true)
        .build()
    {
        environment.set_syntax(syntax);
    }
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    environment.set_fuel(Some(FUEL));
    environment.set_recursion_limit(100);
    environment.set_debug(false);
    environment.remove_global("debug");
    environment.add_filter("tojson", values::tojson);
    environment.add_filter("int", values::int);
    environment.add_filter("float", values::float);
    environment
}

/// Refuses sources whose compilation would recurse too deep: the parser bounds its own nesting, but for a
/// larger stack than every thread has, and it does not bound chains such as `a + a + a …`.
fn check_size(source: &str, first: Mode) -> Result<(), ExprError> {
    if source.len() > SOURCE_BYTES {
        let most = SOURCE_BYTES >> 10;
        return Err(ExprError::TooMuch(format!("The text is longer than {most} KiB.")));
    }
    if source.matches("elif").count() > BRANCHES {
        return Err(ExprError::TooMuch(format!(
            "It has more than {BRANCHES} branches."
        )));
    }
    let mut scan = Scan {
        mode: first,
        last: ' ',
        chained: 0,
        nested: 0,
    };
    for c in source.chars() {
        scan.step(c);
        if scan.chained > CHAINED {
            return Err(ExprError::TooMuch(format!(
                "One part of it chains more than {CHAINED} operators."
            )));
        }
        if scan.nested > NESTED {
            return Err(ExprError::TooMuch(format!("It nests more than {NESTED} levels.")));
        }
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Text,
    Code,
    Quoted(char),
}

/// How far into a source we are. It may count too much, never too little.
struct Scan {
    mode: Mode,
    last: char,
    chained: usize,
    nested: usize,
}

impl Scan {
    fn step(&mut self, c: char) {
        match (self.mode, self.last, c) {
            (Mode::Text, '{', '{' | '%') => (self.mode, self.chained, self.nested) = (Mode::Code, 0, 0),
            (Mode::Text, _, _) => {}
            (Mode::Quoted(quote), last, c) if c == quote && last != '\\' => self.mode = Mode::Code,
            // A doubled backslash escapes itself, not what follows it.
            (Mode::Quoted(_), '\\', '\\') => return self.last = ' ',
            (Mode::Quoted(_), _, _) => {}
            (Mode::Code, _, '"' | '\'') => self.mode = Mode::Quoted(c),
            (Mode::Code, '}' | '%', '}') => self.mode = Mode::Text,
            (Mode::Code, last, c) => self.code(last, c),
        }
        self.last = c;
    }

    fn code(&mut self, last: char, c: char) {
        match c {
            '(' | '[' | '{' => {
                self.chained += 1;
                self.nested += 1;
            }
            ')' | ']' | '}' => self.nested = self.nested.saturating_sub(1),
            '+' | '-' | '*' | '/' | '~' | '|' | '.' | '<' | '>' | '=' | '!' | '%' => self.chained += 1,
            // `and`, `or`, `not`, `is`, `in`, `if`, `else` begin after a blank or a bracket.
            'a' | 'o' | 'n' | 'i' | 'e' if !last.is_alphanumeric() && last != '_' => self.chained += 1,
            _ => {}
        }
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "an enum of another crate that may grow"
)]
fn told(source: &str, error: Error) -> ExprError {
    let mut message = sentence(source, &error);
    // The cause is where a filter's or an iteration's own words are.
    if let Some(cause) = std::error::Error::source(&error) {
        message.push_str(&format!(" ({cause})"));
    }
    message.push('.');
    match error.kind() {
        ErrorKind::SyntaxError
        | ErrorKind::BadEscape
        | ErrorKind::UnknownFilter
        | ErrorKind::UnknownTest
        | ErrorKind::InvalidDelimiter => ExprError::Syntax(message),
        ErrorKind::UndefinedError => ExprError::Undefined(message),
        ErrorKind::OutOfFuel => ExprError::TooMuch("It asks for too much work or text.".to_owned()),
        ErrorKind::WriteFailure => {
            ExprError::TooMuch(format!("It gives more than {} MiB of text.", OUTPUT_BYTES >> 20))
        }
        _ => ExprError::Failed(message),
    }
}

fn sentence(source: &str, error: &Error) -> String {
    let detail = error
        .detail()
        .map_or_else(|| error.kind().to_string(), str::to_owned);
    let mut letters = detail.chars();
    let detail: String = letters
        .next()
        .map(char::to_uppercase)
        .into_iter()
        .flatten()
        .chain(letters)
        .collect();
    let detail = match named(source, error) {
        Some(name) if error.kind() == ErrorKind::UndefinedError => format!("`{name}` has no value"),
        Some(name) => format!("{detail} (at `{name}`)"),
        None => detail,
    };
    match error.line() {
        Some(line) if line > 1 => format!("{detail} in line {line}"),
        Some(_) | None => detail,
    }
}

/// The part of the source that it is about, where that is short.
fn named<'s>(source: &'s str, error: &Error) -> Option<&'s str> {
    const SHORT: usize = 60;
    let part = source.get(error.range()?)?.trim();
    (!part.is_empty() && part.len() <= SHORT && !part.contains('\n')).then_some(part)
}

/// Text up to a bound; beyond it the rendering fails.
struct Capped(Vec<u8>);

impl io::Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > OUTPUT_BYTES {
            return Err(io::Error::other("too much text"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
