//! A JMESPath expression, made safe to evaluate: its numbers mended, its comparisons exact, its growth bounded.

use jmespath::ast::{Ast, Comparator};
use jmespath::{Rcvar, Runtime, Variable, parse};

use super::{faults, functions};
use crate::tools::ToolError;

/// How many copies of the value one expression may make.
const MOST_COPIES: u64 = 10_000;
/// How the JSON reader hands a number over when it keeps its digits, which the library takes for an object.
const NUMBER: &str = "$serde_json::private::Number";

pub(super) const LONGEST: usize = 8 << 10;

pub(super) fn read(text: &str) -> Result<Ast, ToolError> {
    if text.len() > LONGEST {
        return Err(ToolError::permanent(
            "too_large",
            format!("the expression has more than {LONGEST} bytes"),
        ));
    }
    let ast = parse(text).map_err(|e| ToolError::permanent("bad_expression", faults::told(text, &e)))?;
    if copies(&ast) > MOST_COPIES {
        return Err(ToolError::permanent(
            "too_large",
            "the expression multiplies its value too often",
        ));
    }
    Ok(mended(ast))
}

/// Whether it can be read, and names only functions that there are.
pub(super) fn check(text: &str) -> Result<(), ToolError> {
    let ast = read(text)?;
    if !text.contains('(') {
        return Ok(());
    }
    match unknown(&ast, &functions::runtime()) {
        None => Ok(()),
        Some(name) => {
            let message = format!("there is no function `{name}`");
            Err(ToolError::permanent("bad_expression", message))
        }
    }
}

/// The first function that it names and that nobody knows.
fn unknown<'a>(ast: &'a Ast, runtime: &Runtime) -> Option<&'a str> {
    let any = |nodes: &'a [Ast]| nodes.iter().find_map(|node| unknown(node, runtime));
    match ast {
        Ast::Identity { .. }
        | Ast::Field { .. }
        | Ast::Index { .. }
        | Ast::Slice { .. }
        | Ast::Literal { .. } => None,
        Ast::Function { name, .. } if runtime.get_function(name).is_none() => Some(name),
        Ast::Function { args: nodes, .. } | Ast::MultiList { elements: nodes, .. } => any(nodes),
        Ast::MultiHash { elements, .. } => elements.iter().find_map(|pair| unknown(&pair.value, runtime)),
        Ast::Expref { ast: node, .. }
        | Ast::Flatten { node, .. }
        | Ast::Not { node, .. }
        | Ast::ObjectValues { node, .. } => unknown(node, runtime),
        Ast::Comparison { lhs, rhs, .. }
        | Ast::Condition {
            predicate: lhs,
            then: rhs,
            ..
        }
        | Ast::Projection { lhs, rhs, .. }
        | Ast::And { lhs, rhs, .. }
        | Ast::Or { lhs, rhs, .. }
        | Ast::Subexpr { lhs, rhs, .. } => unknown(lhs, runtime).or_else(|| unknown(rhs, runtime)),
    }
}

fn mended(mut ast: Ast) -> Ast {
    match &mut ast {
        Ast::Identity { .. } | Ast::Field { .. } | Ast::Index { .. } | Ast::Slice { .. } => {}
        Ast::Literal { value, .. } => *value = literal(value),
        Ast::Expref { ast: node, .. }
        | Ast::Flatten { node, .. }
        | Ast::Not { node, .. }
        | Ast::ObjectValues { node, .. } => mend(node),
        Ast::Function { args: nodes, .. } | Ast::MultiList { elements: nodes, .. } => {
            nodes.iter_mut().for_each(mend)
        }
        Ast::MultiHash { elements, .. } => elements.iter_mut().for_each(|pair| mend(&mut pair.value)),
        Ast::Comparison { lhs, rhs, .. }
        | Ast::Condition {
            predicate: lhs,
            then: rhs,
            ..
        }
        | Ast::Projection { lhs, rhs, .. }
        | Ast::And { lhs, rhs, .. }
        | Ast::Or { lhs, rhs, .. }
        | Ast::Subexpr { lhs, rhs, .. } => {
            mend(lhs);
            mend(rhs);
        }
    }
    let Ast::Comparison {
        offset,
        comparator,
        lhs,
        rhs,
    } = ast
    else {
        return ast;
    };
    Ast::Function {
        offset,
        name: function_for(&comparator).to_owned(),
        args: vec![*lhs, *rhs],
    }
}

fn mend(node: &mut Ast) {
    let taken = std::mem::replace(node, Ast::Identity { offset: 0 });
    *node = mended(taken);
}

fn function_for(comparator: &Comparator) -> &'static str {
    match comparator {
        Comparator::Equal => functions::EQUAL,
        Comparator::NotEqual => functions::NOT_EQUAL,
        Comparator::LessThan => functions::LESS,
        Comparator::LessThanEqual => functions::LESS_OR_EQUAL,
        Comparator::GreaterThan => functions::GREATER,
        Comparator::GreaterThanEqual => functions::GREATER_OR_EQUAL,
    }
}

fn literal(value: &Variable) -> Rcvar {
    if let Variable::Array(items) = value {
        return Rcvar::new(Variable::Array(items.iter().map(|v| literal(v)).collect()));
    }
    let Variable::Object(map) = value else {
        return Rcvar::new(value.clone());
    };
    let number = map
        .get(NUMBER)
        .and_then(|v| v.as_string())
        .and_then(|digits| digits.parse().ok());
    Rcvar::new(match number {
        Some(number) if map.len() == 1 => Variable::Number(number),
        _ => Variable::Object(map.iter().map(|(k, v)| (k.clone(), literal(v))).collect()),
    })
}

/// An upper bound: selecting lists and hashes add up, what is piped or projected multiplies.
fn copies(ast: &Ast) -> u64 {
    let sum = |nodes: &[Ast]| nodes.iter().map(copies).fold(0, u64::saturating_add).max(1);
    match ast {
        Ast::Identity { .. }
        | Ast::Field { .. }
        | Ast::Index { .. }
        | Ast::Slice { .. }
        | Ast::Literal { .. } => 1,
        Ast::Expref { ast: node, .. }
        | Ast::Flatten { node, .. }
        | Ast::Not { node, .. }
        | Ast::ObjectValues { node, .. } => copies(node),
        Ast::Function { args, .. } => sum(args),
        Ast::MultiList { elements, .. } => sum(elements),
        Ast::MultiHash { elements, .. } => elements
            .iter()
            .map(|pair| copies(&pair.value))
            .fold(0, u64::saturating_add)
            .max(1),
        Ast::Comparison { lhs, rhs, .. } | Ast::And { lhs, rhs, .. } | Ast::Or { lhs, rhs, .. } => {
            copies(lhs).saturating_add(copies(rhs))
        }
        Ast::Condition { predicate, then, .. } => copies(predicate).saturating_add(copies(then)),
        Ast::Projection { lhs, rhs, .. } | Ast::Subexpr { lhs, rhs, .. } => {
            copies(lhs).saturating_mul(copies(rhs))
        }
    }
}
