//! What the JMESPath library finds wrong, in plain words and with its place. Knows no tool.

use jmespath::{ErrorReason, JmespathError, RuntimeError};

/// Of an expression, so many characters are shown.
const SHOWN: usize = 80;

pub(super) fn told(expression: &str, error: &JmespathError) -> String {
    let short = short(expression);
    match &error.reason {
        ErrorReason::Parse(said) => {
            let (what, place) = (parsed(said), place(expression, error.offset));
            format!("the expression `{short}` can't be read: {what}{place}")
        }
        ErrorReason::Runtime(wrong) => {
            format!(
                "the expression `{short}` can't be evaluated: {}",
                evaluated(wrong)
            )
        }
    }
}

/// Of an expression that was read: here the library has no other word for what one of its functions can't do.
pub(super) fn told_of_result(expression: &str, error: &JmespathError) -> String {
    match &error.reason {
        ErrorReason::Parse(said) => format!(
            "the expression `{}` can't be evaluated: {said}",
            short(expression)
        ),
        ErrorReason::Runtime(_) => told(expression, error),
    }
}

fn short(expression: &str) -> String {
    let short: String = expression.chars().take(SHOWN).collect();
    let more = if short.len() < expression.len() { "…" } else { "" };
    short + more
}

fn place(expression: &str, offset: usize) -> String {
    match expression.get(offset..).and_then(|rest| rest.chars().next()) {
        None => " (at its end)".to_owned(),
        Some(c) => {
            let at = expression[..offset].chars().count() + 1;
            format!(" (at character {at}, `{c}`)")
        }
    }
}

fn parsed(said: &str) -> String {
    if said.ends_with("found Eof") {
        return "it ends too early".to_owned();
    }
    let what = said.split(" -- ").next().unwrap_or(said);
    match what {
        "Unexpected nud token" | "Unexpected led token" | "Did not parse the complete expression" => {
            "this does not belong here".to_owned()
        }
        "Expected Field to start key value pair" => "the name of a field was expected".to_owned(),
        "Too many colons in slice expr" => "a slice has at most two colons".to_owned(),
        what => {
            let what = what.strip_prefix("Serde parse error: ").unwrap_or(what);
            let mut letters = what.chars();
            let first = letters.next().map(|c| c.to_ascii_lowercase());
            first.into_iter().chain(letters).collect()
        }
    }
}

fn evaluated(wrong: &RuntimeError) -> String {
    let number = |n: usize, what: &str| crate::model::counted(n, what);
    match wrong {
        RuntimeError::InvalidSlice => "the step of a slice can't be 0".to_owned(),
        RuntimeError::TooManyArguments { expected, actual } => {
            format!(
                "a function takes {} and got {actual}",
                number(*expected, "argument")
            )
        }
        RuntimeError::NotEnoughArguments { expected, actual } => {
            format!(
                "a function needs {} and got {actual}",
                number(*expected, "argument")
            )
        }
        RuntimeError::UnknownFunction(name) => format!("there is no function `{name}`"),
        RuntimeError::InvalidType {
            expected,
            actual,
            position,
        } => format!(
            "argument {} of a function must be {expected}, and is {actual}",
            position + 1
        ),
        RuntimeError::InvalidReturnType { expected, actual, .. } => {
            format!("what an expression of a function gives must be {expected}, and is {actual}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_function_can_not_reckon_with_was_read_all_the_same() {
        let said =
            ErrorReason::Parse("9007199254740993 has more digits than JMESPath can reckon with".to_owned());
        let told = told_of_result("max(@)", &JmespathError::new("max(@)", 0, said));
        assert!(
            told.contains("can't be evaluated: 9007199254740993 has more digits"),
            "{told}"
        );
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (expression, expected) in [
            (
                "{{ a.[b",
                "the name of a field was expected (at character 2, `{`)",
            ),
            ("a.[b", "it ends too early (at its end)"),
            ("a b", "this does not belong here (at character 3, `b`)"),
            ("\"é\" && ]", "this does not belong here (at character 8, `]`)"),
        ] {
            let error = jmespath::parse(expression).unwrap_err();
            let told = told(expression, &error);
            assert!(told.contains(expected) && told.contains(expression), "{told}");
            assert!(!told.contains('\n') && !told.contains("token"), "{told}");
        }
    }
}
