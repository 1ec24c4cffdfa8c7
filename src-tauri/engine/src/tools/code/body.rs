//! A source as the body of one function: whether it can be read, and whether it ends where it was put, so that nothing of it
//! stands outside the function. Compiles, and runs nothing. It must not know inputs' values nor limits.

use rquickjs::{Ctx, Error, Function, Value};

use super::realm::options;

/// Where the source stands in what is compiled. Each frame begins on the source's first line.
#[derive(Clone, Copy)]
enum Frame {
    /// The one that is run.
    Function,
    Method,
    ClassMethod,
}

/// What is wrong with a source. Line and column count from 1 in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Misread {
    pub line: Option<u32>,
    pub column: Option<u32>,
    pub message: String,
}

pub(super) const FILE: &str = "code";
const ESCAPES: &str = "the source closes a brace that it did not open";

pub(super) const NO_MEMORY: &str = "the sandbox has not enough memory to read it";

/// The source as a function of these variables, none of it run yet.
pub(super) fn function<'js>(ctx: &Ctx<'js>, names: &[&str], source: &str) -> Result<Function<'js>, Misread> {
    check_end(ctx, names, source)?;
    let script = Frame::Function.around(names, source);
    let made = ctx.eval_with_options::<Value<'_>, _>(script, options(FILE));
    made.ok().and_then(Value::into_function).ok_or_else(|| {
        ctx.catch();
        explained(ctx, names, source).unwrap_or_else(|| Misread::bare(NO_MEMORY.to_owned()))
    })
}

/// Whether the source can be made such a function.
pub(super) fn check(ctx: &Ctx<'_>, names: &[&str], source: &str) -> Result<(), Misread> {
    check_end(ctx, names, source)?;
    explained(ctx, names, source).map_or(Ok(()), Err)
}

/// Whether all of the source is the body of one function.
///
/// Up to the brace that would close the function, all frames are read alike. After it a comma or another brace has to come
/// in an object, no comma may come in a class, and no brace in an expression. So a source that closes the function that it
/// stands in can't be read in all three, whatever follows.
fn check_end(ctx: &Ctx<'_>, names: &[&str], source: &str) -> Result<(), Misread> {
    if !source.contains('}') {
        return Ok(());
    }
    for frame in [Frame::Method, Frame::ClassMethod] {
        if let Err(misread) = compile(ctx, frame, names, source) {
            return Err(explained(ctx, names, source).unwrap_or(Misread {
                message: ESCAPES.to_owned(),
                ..misread
            }));
        }
    }
    Ok(())
}

/// Why the function itself can't be read, if so.
fn explained(ctx: &Ctx<'_>, names: &[&str], source: &str) -> Option<Misread> {
    let misread = compile(ctx, Frame::Function, names, source).err()?;
    Some(misread.explained(source))
}

impl Frame {
    fn around(self, names: &[&str], source: &str) -> String {
        let (head, tail) = (self.head(names), self.tail());
        format!("{head}{source}\n{tail}")
    }

    fn head(self, names: &[&str]) -> String {
        let names = names.join(",");
        match self {
            Self::Function => format!("(function({names}) {{"),
            Self::Method => format!("({{m({names}) {{"),
            Self::ClassMethod => format!("(class {{m({names}) {{"),
        }
    }

    fn tail(self) -> &'static str {
        match self {
            Self::Function => "})",
            Self::Method | Self::ClassMethod => "}})",
        }
    }
}

/// A script that throws first does nothing more: what stands after it is read and never run.
const STOP: &str = "throw 0;";

fn compile(ctx: &Ctx<'_>, frame: Frame, names: &[&str], source: &str) -> Result<(), Misread> {
    let script = format!("{STOP}{}", frame.around(names, source));
    match ctx.eval_with_options::<Value<'_>, _>(script, options(FILE)) {
        Err(Error::Exception) => {}
        Err(error) => return Err(Misread::bare(error.to_string())),
        Ok(_) => return Err(Misread::bare(ESCAPES.to_owned())),
    }
    let thrown = ctx.catch();
    if thrown.as_int() == Some(0) {
        return Ok(());
    }
    let before = STOP.len() + frame.head(names).chars().count();
    Err(Misread::of(&thrown, u32::try_from(before).unwrap_or(u32::MAX)))
}

impl Misread {
    fn bare(message: String) -> Self {
        Self {
            line: None,
            column: None,
            message,
        }
    }

    /// `before` characters of the first line are the frame's.
    fn of(thrown: &Value<'_>, before: u32) -> Self {
        let Some(exception) = thrown.as_exception() else {
            return Self::bare(NO_MEMORY.to_owned());
        };
        let message = exception.message().unwrap_or_default();
        if message == "out of memory" {
            return Self::bare(NO_MEMORY.to_owned());
        }
        let (line, column) = exception.stack().as_deref().map_or((None, None), place_in);
        let column = match line {
            Some(1) => column.and_then(|column| column.checked_sub(before)),
            Some(_) | None => column,
        };
        Self {
            line,
            column: column.filter(|column| *column > 0),
            message,
        }
    }

    /// What the interpreter says at a brace too many is about its own frame.
    fn explained(self, source: &str) -> Self {
        let closes_more = source.matches('}').count() > source.matches('{').count();
        let lines = u32::try_from(source.split('\n').count()).unwrap_or(u32::MAX);
        // Beyond its end stands the frame's.
        let is_after = self.line.is_some_and(|line| line > lines);
        let lost = ["await", "import"].into_iter().find(|word| source.contains(word));
        if let Some(word) = lost {
            return Self {
                message: format!(
                    "{}; code waits for nothing and imports nothing, so `{word}` has no place in it",
                    self.message
                ),
                ..self
            };
        }
        match (closes_more, is_after) {
            (true, _) => Self {
                message: format!("{}; it closes more braces than it opens", self.message),
                ..self
            },
            (false, true) => Self {
                line: Some(lines),
                column: None,
                message: format!("it ends too early ({})", self.message),
            },
            (false, false) => self,
        }
    }
}

/// Of the first frame in the source: `… (code:3:5)`.
fn place_in(stack: &str) -> (Option<u32>, Option<u32>) {
    let Some((_, rest)) = stack.split_once(&format!("{FILE}:")) else {
        return (None, None);
    };
    let mut numbers = rest.split(|c: char| !c.is_ascii_digit());
    let mut number = || numbers.next().and_then(|digits| digits.parse().ok());
    (number(), number())
}
