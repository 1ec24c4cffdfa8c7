//! A JMESPath expression, made safe to evaluate: its numbers mended, its comparisons exact, its growth bounded.

use jmespath::ast::{Ast, Comparator};
use jmespath::{Rcvar, Variable, parse};

use super::functions;
use crate::tools::ToolError;

/// How many copies of the value one expression may make.
const MOST_COPIES: u64 = 10_000;
/// How the JSON reader hands a number over when it keeps its digits, which the library takes for an object.
const NUMBER: &str = "$serde_json::private::Number";

pub(super) fn read(text: &str) -> Result<Ast, ToolError> {
    let ast =
        parse(text).map_err(|e| ToolError::permanent("bad_expression", super::first_line(&e.to_string())))?;
    if copies(&ast) > MOST_COPIES {
        return Err(ToolError::permanent(
            "too_large",
            "the expression multiplies its value too often",
        ));
    }
    Ok(mended(ast))
}

fn mended(ast: Ast) -> Ast {
    let inner = |node: Box<Ast>| Box::new(mended(*node));
    match ast {
        Ast::Comparison {
            offset,
            comparator,
            lhs,
            rhs,
        } => {
            let name = function_for(&comparator).to_owned();
            Ast::Function {
                offset,
                name,
                args: vec![mended(*lhs), mended(*rhs)],
            }
        }
        Ast::Condition {
            offset,
            predicate,
            then,
        } => Ast::Condition {
            offset,
            predicate: inner(predicate),
            then: inner(then),
        },
        Ast::Expref { offset, ast } => Ast::Expref {
            offset,
            ast: inner(ast),
        },
        Ast::Flatten { offset, node } => Ast::Flatten {
            offset,
            node: inner(node),
        },
        Ast::Function { offset, name, args } => Ast::Function {
            offset,
            name,
            args: args.into_iter().map(mended).collect(),
        },
        Ast::Literal { offset, value } => Ast::Literal {
            offset,
            value: literal(&value),
        },
        Ast::MultiList { offset, elements } => Ast::MultiList {
            offset,
            elements: elements.into_iter().map(mended).collect(),
        },
        Ast::MultiHash { offset, mut elements } => {
            for pair in &mut elements {
                let value = std::mem::replace(&mut pair.value, Ast::Identity { offset });
                pair.value = mended(value);
            }
            Ast::MultiHash { offset, elements }
        }
        Ast::Not { offset, node } => Ast::Not {
            offset,
            node: inner(node),
        },
        Ast::Projection { offset, lhs, rhs } => Ast::Projection {
            offset,
            lhs: inner(lhs),
            rhs: inner(rhs),
        },
        Ast::ObjectValues { offset, node } => Ast::ObjectValues {
            offset,
            node: inner(node),
        },
        Ast::And { offset, lhs, rhs } => Ast::And {
            offset,
            lhs: inner(lhs),
            rhs: inner(rhs),
        },
        Ast::Or { offset, lhs, rhs } => Ast::Or {
            offset,
            lhs: inner(lhs),
            rhs: inner(rhs),
        },
        Ast::Subexpr { offset, lhs, rhs } => Ast::Subexpr {
            offset,
            lhs: inner(lhs),
            rhs: inner(rhs),
        },
        leaf @ (Ast::Identity { .. } | Ast::Field { .. } | Ast::Index { .. } | Ast::Slice { .. }) => leaf,
    }
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
    Rcvar::new(match value {
        Variable::Array(items) => Variable::Array(items.iter().map(|v| literal(v)).collect()),
        Variable::Object(map) => {
            let number = map
                .get(NUMBER)
                .and_then(|v| v.as_string())
                .and_then(|digits| digits.parse().ok());
            match number {
                Some(number) if map.len() == 1 => Variable::Number(number),
                _ => Variable::Object(map.iter().map(|(k, v)| (k.clone(), literal(v))).collect()),
            }
        }
        other => other.clone(),
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
