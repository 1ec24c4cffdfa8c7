//! The functions of JMESPath, without its roundings: exact where that is easy, refused where a digit would be lost.

use std::cmp::Ordering;

use jmespath::ast::Ast;
use jmespath::{
    Context, DEFAULT_RUNTIME, ErrorReason, JmespathError, Rcvar, Runtime, SearchResult, Variable, interpret,
};
use serde_json::Number;

use crate::tools::decimal::{Decimal, exact_double};

// No expression can name these: they are no identifiers.
pub(super) const EQUAL: &str = "==";
pub(super) const NOT_EQUAL: &str = "!=";
pub(super) const LESS: &str = "<";
pub(super) const LESS_OR_EQUAL: &str = "<=";
pub(super) const GREATER: &str = ">";
pub(super) const GREATER_OR_EQUAL: &str = ">=";

pub(super) fn runtime() -> Runtime {
    let mut runtime = Runtime::new();
    runtime.register_builtin_functions();
    register_comparisons(&mut runtime);
    for name in ["avg", "max", "min", "sort", "ceil", "floor"] {
        runtime.register_function(
            name,
            Box::new(move |args: &[Rcvar], cx: &mut Context<'_>| checked(name, args, cx)),
        );
    }
    for name in ["max_by", "min_by", "sort_by"] {
        runtime.register_function(
            name,
            Box::new(move |args: &[Rcvar], cx: &mut Context<'_>| checked_by(name, args, cx)),
        );
    }
    runtime.register_function("sum", Box::new(sum));
    runtime.register_function("abs", Box::new(abs));
    runtime.register_function("contains", Box::new(contains));
    runtime.register_function("to_number", Box::new(to_number));
    runtime
}

fn register_comparisons(runtime: &mut Runtime) {
    let equal = |is_wanted: bool| {
        move |args: &[Rcvar], _: &mut Context<'_>| Ok(truth(is_equal(&args[0], &args[1]) == is_wanted))
    };
    runtime.register_function(EQUAL, Box::new(equal(true)));
    runtime.register_function(NOT_EQUAL, Box::new(equal(false)));
    let ordered = |holds: fn(Ordering) -> bool| {
        move |args: &[Rcvar], _: &mut Context<'_>| match (&*args[0], &*args[1]) {
            (Variable::Number(a), Variable::Number(b)) => Ok(truth(holds(order(a, b)))),
            _ => Ok(Rcvar::new(Variable::Null)),
        }
    };
    runtime.register_function(LESS, Box::new(ordered(Ordering::is_lt)));
    runtime.register_function(LESS_OR_EQUAL, Box::new(ordered(Ordering::is_le)));
    runtime.register_function(GREATER, Box::new(ordered(Ordering::is_gt)));
    runtime.register_function(GREATER_OR_EQUAL, Box::new(ordered(Ordering::is_ge)));
}

fn truth(is_so: bool) -> Rcvar {
    Rcvar::new(Variable::Bool(is_so))
}

fn number(number: Number) -> Rcvar {
    Rcvar::new(Variable::Number(number))
}

fn order(a: &Number, b: &Number) -> Ordering {
    Decimal::of(a.as_str()).cmp(&Decimal::of(b.as_str()))
}

fn is_equal(a: &Variable, b: &Variable) -> bool {
    match (a, b) {
        (Variable::Number(a), Variable::Number(b)) => order(a, b).is_eq(),
        (Variable::Array(a), Variable::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal(a, b))
        }
        (Variable::Object(a), Variable::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && is_equal(a, b))
        }
        _ => a == b,
    }
}

fn is_integer(number: &Number) -> bool {
    !number.as_str().contains(['.', 'e', 'E'])
}

fn refuse(value: &Number, cx: &Context<'_>) -> JmespathError {
    let message = format!("{value} has more digits than JMESPath can reckon with; use code or SQL");
    JmespathError::from_ctx(cx, ErrorReason::Parse(message))
}

/// Refuses numbers that a double can't hold, here and in lists directly inside.
fn check(value: &Variable, cx: &Context<'_>) -> Result<(), JmespathError> {
    check_one(value, cx)?;
    let items = value.as_array().map_or(&[][..], Vec::as_slice);
    items.iter().try_for_each(|item| check_one(item, cx))
}

fn check_one(value: &Variable, cx: &Context<'_>) -> Result<(), JmespathError> {
    if let Variable::Number(n) = value
        && exact_double(n.as_str()).is_none()
    {
        return Err(refuse(n, cx));
    }
    Ok(())
}

fn builtin(name: &str, args: &[Rcvar], cx: &mut Context<'_>) -> SearchResult {
    match DEFAULT_RUNTIME.get_function(name) {
        Some(function) => function.evaluate(args, cx),
        None => Err(JmespathError::from_ctx(
            cx,
            ErrorReason::Parse(format!("there is no function `{name}`")),
        )),
    }
}

/// A whole number that the library made is written as one.
fn tidy(result: Rcvar) -> Rcvar {
    if let Variable::Number(n) = &*result
        && let Some(Ok(whole)) = n.as_str().strip_suffix(".0").map(str::parse)
    {
        return number(whole);
    }
    result
}

fn checked(name: &str, args: &[Rcvar], cx: &mut Context<'_>) -> SearchResult {
    if let ("ceil" | "floor", [only]) = (name, args)
        && matches!(&**only, Variable::Number(n) if is_integer(n))
    {
        return Ok(only.clone());
    }
    args.iter().try_for_each(|arg| check(arg, cx))?;
    let result = builtin(name, args, cx)?;
    // What was only picked stays as it was written.
    Ok(if matches!(name, "avg" | "ceil" | "floor") {
        tidy(result)
    } else {
        result
    })
}

fn checked_by(name: &str, args: &[Rcvar], cx: &mut Context<'_>) -> SearchResult {
    if let [items, by] = args
        && let (Variable::Array(items), Variable::Expref(by)) = (&**items, &**by)
    {
        check_keys(items, by, cx)?;
    }
    builtin(name, args, cx)
}

fn check_keys(items: &[Rcvar], by: &Ast, cx: &mut Context<'_>) -> Result<(), JmespathError> {
    items.iter().try_for_each(|item| {
        let key = interpret(item, by, cx)?;
        check(&key, cx)
    })
}

fn sum(args: &[Rcvar], cx: &mut Context<'_>) -> SearchResult {
    if let [only] = args
        && let Variable::Array(items) = &**only
    {
        let whole = |item: &Rcvar| {
            let Variable::Number(n) = &**item else { return None };
            n.as_str().parse::<i128>().ok()
        };
        let total = items
            .iter()
            .try_fold(0_i128, |total, item| total.checked_add(whole(item)?));
        if let Some(total) = total.and_then(|t| t.to_string().parse().ok()) {
            return Ok(number(total));
        }
    }
    args.iter().try_for_each(|arg| check(arg, cx))?;
    builtin("sum", args, cx).map(tidy)
}

fn abs(args: &[Rcvar], cx: &mut Context<'_>) -> SearchResult {
    if let [only] = args
        && let Variable::Number(n) = &**only
        && let Ok(positive) = n.as_str().trim_start_matches('-').parse()
    {
        return Ok(number(positive));
    }
    builtin("abs", args, cx)
}

fn contains(args: &[Rcvar], cx: &mut Context<'_>) -> SearchResult {
    if let [list, item] = args
        && let Variable::Array(items) = &**list
    {
        return Ok(truth(items.iter().any(|i| is_equal(i, item))));
    }
    builtin("contains", args, cx)
}

fn to_number(args: &[Rcvar], cx: &mut Context<'_>) -> SearchResult {
    let [only] = args else {
        return builtin("to_number", args, cx);
    };
    if only.is_number() {
        return Ok(only.clone());
    }
    let read = only.as_string().and_then(|text| text.parse().ok());
    Ok(read.map_or(Rcvar::new(Variable::Null), number))
}
