//! Templates and expressions: one minijinja environment with strict variables, bounded work and no way out
//! (no includes, no files, no clock). It must not know where the variables come from.

mod values;

use std::collections::BTreeSet;
use std::io;
use std::sync::OnceLock;

use minijinja::value::Value;
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior};

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
    let template = environment.template_from_str(source).map_err(told)?;
    let mut out = Capped(Vec::new());
    template
        .render_captured_to(values::context(variables), &mut out)
        .map_err(told)?;
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
    values::to_json(&evaluate(source, variables)?).map_err(told)
}

fn evaluate<'v>(
    source: &str,
    variables: impl IntoIterator<Item = (&'v str, &'v Json)>,
) -> Result<Value, ExprError> {
    check_size(source, Mode::Code)?;
    let environment = environment();
    let expression = environment.compile_expression(source).map_err(told)?;
    let value = expression.eval(values::context(variables)).map_err(told)?;
    if value.is_undefined() {
        return Err(ExprError::Undefined(
            "The expression gives a value that does not exist.".to_owned(),
        ));
    }
    Ok(value)
}

/// The variables that a template reads, or why it can't be compiled. Names that it sets itself are left out.
pub fn variables_of_template(source: &str) -> Result<BTreeSet<String>, ExprError> {
    check_size(source, Mode::Text)?;
    let environment = environment();
    let template = environment.template_from_str(source).map_err(told)?;
    Ok(own_names(&environment, template.undeclared_variables(false)))
}

/// The same for an expression.
pub fn variables_of_expression(source: &str) -> Result<BTreeSet<String>, ExprError> {
    check_size(source, Mode::Code)?;
    let environment = environment();
    let expression = environment.compile_expression(source).map_err(told)?;
    Ok(own_names(&environment, expression.undeclared_variables(false)))
}

fn own_names(environment: &Environment<'_>, names: impl IntoIterator<Item = String>) -> BTreeSet<String> {
    let is_builtin = |name: &str| environment.globals().any(|(global, _)| global == name);
    names.into_iter().filter(|name| !is_builtin(name)).collect()
}

/// A copy of the one environment; its parts are shared.
fn environment() -> Environment<'static> {
    static SHARED: OnceLock<Environment<'static>> = OnceLock::new();
    SHARED.get_or_init(build).clone()
}

fn build() -> Environment<'static> {
    let mut environment = Environment::new();
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

fn told(error: Error) -> ExprError {
    let mut message = sentence(&error);
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

fn sentence(error: &Error) -> String {
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
    match error.line() {
        Some(line) if line > 1 => format!("{detail} in line {line}"),
        Some(_) | None => detail,
    }
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
mod tests {
    use super::*;
    use crate::model::read;

    fn vars(text: &str) -> Json {
        read::read(text, &read::PLAN).unwrap()
    }

    fn pairs(vars: &Json) -> impl Iterator<Item = (&str, &Json)> {
        vars.as_object()
            .unwrap()
            .iter()
            .map(|(name, value)| (name.as_str(), value))
    }

    fn text(source: &str, variables: &str) -> Result<String, ExprError> {
        render(source, pairs(&vars(variables)))
    }

    fn holds(source: &str, variables: &str) -> Result<bool, ExprError> {
        eval_bool(source, pairs(&vars(variables)))
    }

    #[test]
    fn numbers_keep_their_digits() {
        let numbers = r#"{"a": 9223372036854775807, "b": 18446744073709551615, "c": 1.25,
            "d": 0.1234567890123456789, "e": 123456789012345678901234567890123456789012345, "f": -170141183460469231731687303715884105728}"#;
        assert_eq!(
            text("{{a}} {{b}} {{c}} {{d}} {{e}} {{f}}", numbers).unwrap(),
            "9223372036854775807 18446744073709551615 1.25 0.1234567890123456789 \
             123456789012345678901234567890123456789012345 -170141183460469231731687303715884105728"
        );
        assert_eq!(
            text("{{ a + 0 }} {{ c * 2 }}", numbers).unwrap(),
            "9223372036854775807 2.5"
        );
        assert!(holds("a == 9223372036854775807 and a > 9223372036854775806", numbers).unwrap());
        assert_eq!(text("{{ d|float > 0.1 }}", numbers).unwrap(), "True");
    }

    #[test]
    fn tojson_and_whole_values_keep_every_digit() {
        let rows = r#"{"rows": [{"sku": "a", "price": 1.10, "big": 12345678901234567890123, "n": null, "ok": true}], "p": 0.12345678901234567890}"#;
        let row = r#"{"sku":"a","price":1.10,"big":12345678901234567890123,"n":null,"ok":true}"#;
        assert_eq!(text("{{ rows|tojson }}", rows).unwrap(), format!("[{row}]"));
        assert_eq!(text("{{ rows[0] }}", rows).unwrap(), row);
        assert_eq!(text("{{ p|tojson }}", rows).unwrap(), "0.12345678901234567890");
        assert_eq!(
            text("{{ [1, 'x', rows[0].big]|tojson }}", rows).unwrap(),
            r#"[1,"x",12345678901234567890123]"#
        );
        assert_eq!(text("{{ rows[0].price|tojson(indent=2) }}", rows).unwrap(), "1.1");
        assert_eq!(eval_json("rows[0]", pairs(&vars(rows))).unwrap().to_string(), row);
        assert_eq!(
            eval_json("rows|length", pairs(&vars(rows))).unwrap().to_string(),
            "1"
        );
    }

    #[test]
    fn objects_keep_their_order_and_can_be_walked() {
        let variables = r#"{"o": {"z": 1, "a": [1, 2, 3]}}"#;
        let source = "{% for k, v in o|items %}{{ k }}={{ v }};{% endfor %}{{ o.a|sum }} {{ 'z' in o }} {{ o|length }}";
        assert_eq!(text(source, variables).unwrap(), "z=1;a=[1,2,3];6 True 2");
    }

    #[test]
    fn placeholders_in_data_stay_data() {
        assert_eq!(
            text("{{ a }}", r#"{"a": "{{ b }} {% x %}"}"#).unwrap(),
            "{{ b }} {% x %}"
        );
        assert_eq!(text("{{ a }}", r#"{"a": "<b>&'"}"#).unwrap(), "<b>&'");
    }

    #[test]
    fn what_does_not_exist_is_an_error() {
        assert!(matches!(text("{{ nope }}", "{}"), Err(ExprError::Undefined(_))));
        assert!(matches!(
            text("{{ a.nope }}", r#"{"a": {}}"#),
            Err(ExprError::Undefined(_))
        ));
        assert!(matches!(holds("nope", "{}"), Err(ExprError::Undefined(_))));
        assert!(matches!(
            holds("a.b > 1", r#"{"a": {}}"#),
            Err(ExprError::Undefined(_))
        ));
        assert_eq!(text("{{ a.b|default('-') }}", r#"{"a": {}}"#).unwrap(), "-");
    }

    #[test]
    fn expressions_are_true_or_false() {
        let variables = r#"{"rows": [1], "none": null, "empty": [], "t": "x", "zero": 0}"#;
        for (source, expected) in [
            ("rows|length > 0", true),
            ("none", false),
            ("none is none", true),
            ("empty", false),
            ("t", true),
            ("zero", false),
            ("rows and not empty", true),
        ] {
            assert_eq!(holds(source, variables).unwrap(), expected, "{source}");
        }
    }

    #[test]
    fn bad_syntax_and_unknown_words_are_told() {
        for source in [
            "{{ a",
            "{% for %}",
            "{{ a|nope }}",
            "{% include 'x' %}",
            "{% import 'x' as y %}",
        ] {
            assert!(
                matches!(variables_of_template(source), Err(ExprError::Syntax(_))) || source.contains("nope")
            );
            assert!(text(source, r#"{"a": 1}"#).is_err(), "{source}");
        }
        assert!(matches!(
            variables_of_expression("a ==="),
            Err(ExprError::Syntax(_))
        ));
        assert!(text("{{ debug() }}", "{}").is_err());
    }

    #[test]
    fn variables_are_found() {
        let names =
            variables_of_template("{% for r in rows %}{{ r.x + top }}{{ range(3) }}{% endfor %}").unwrap();
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["rows", "top"]);
        let names = variables_of_expression("output.rows|length > limit").unwrap();
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["limit", "output"]);
    }

    #[test]
    fn bombs_are_stopped() {
        for source in [
            "{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}",
            "{{ 'x' * 999999999 }}",
            "{{ range(99999)|list * 99999 }}",
            "{% set x = 'aaaaaaaaaaaaaaaa' * 4096 %}{% for a in range(999) %}{{ x }}{% endfor %}",
        ] {
            assert!(
                matches!(
                    text(source, "{}"),
                    Err(ExprError::TooMuch(_) | ExprError::Failed(_))
                ),
                "{source}"
            );
        }
    }

    /// On the smallest stack that a thread of the program has, in an unoptimised build.
    #[test]
    fn no_source_overflows_the_stack() {
        let check = || {
            for link in [
                " + 1",
                "|upper",
                ".a",
                "[0]",
                " and 1",
                " or 1",
                " if 1 else 1",
                " ~ 1",
                " is odd",
                "()",
                " == 1",
                " in 1",
                " not in 1",
                "-1",
                "*1",
                "|d|e",
            ] {
                for times in [40, 140, 395, 5_000, 100_000] {
                    let source = format!("1{}", link.repeat(times));
                    let _ = eval_bool(&source, []);
                    let _ = variables_of_expression(&source);
                    let _ = render(&format!("{{{{ {source} }}}}"), []);
                }
            }
            for open in [
                "(",
                "[",
                "not ",
                "-",
                "{1:",
                "a(",
                "{% if 1 %}",
                "{% for a in b %}",
                "{{",
                "{% set a %}",
            ] {
                for times in [40, 140, 395, 5_000, 100_000] {
                    let source = open.repeat(times);
                    let _ = eval_bool(&source, []);
                    let _ = render(&source, []);
                }
            }
            for times in [40, 140, 199, 50_000] {
                let elifs = format!("{{% if 0 %}}{}{{% endif %}}", "{% elif 0 %}".repeat(times));
                let _ = render(&elifs, []);
                let blocks = ("{% if 1 %}".repeat(times), "{% endif %}".repeat(times));
                let _ = render(&[blocks.0, blocks.1].concat(), []);
                let blocks = ("{% for a in [1] %}".repeat(times), "{% endfor %}".repeat(times));
                let _ = render(&[blocks.0, blocks.1].concat(), []);
            }
        };
        std::thread::Builder::new()
            .stack_size(2 << 20)
            .spawn(check)
            .unwrap()
            .join()
            .unwrap();
    }
}
