//! JMESPath with numbers that keep their digits, and with expressions made to break it.

use serde_json::json;

use super::expression::LONGEST;
use super::*;
use crate::tools::testing::{call, code_of, parse};

async fn ask(value: &str, expression: &str) -> String {
    let arguments = json!({"value": parse(value), "expression": expression});
    match call(&JsonQuery::new(), arguments).await {
        Ok(found) => found.to_string(),
        Err(error) => format!("error: {error}"),
    }
}

#[tokio::test]
async fn picks_and_reshapes() {
    let shop = r#"{"items": [{"n": "pen", "p": 2}, {"n": "ink", "p": 9.50}, {"n": "cap", "p": 9}], "a b": {"c": null}}"#;
    for (expression, found) in [
        ("items[0].n", r#""pen""#),
        ("items[-1].p", "9"),
        ("items[?p > `5`].n", r#"["ink","cap"]"#),
        ("items[?p == `9.5`].p", "[9.50]"),
        ("items[?p >= `9` && p <= `9.50`] | [0].n", r#""ink""#),
        (
            "items[?n != 'pen'].{name: n, price: p}",
            r#"[{"name":"ink","price":9.50},{"name":"cap","price":9}]"#,
        ),
        ("sort_by(items, &p)[*].n", r#"["pen","cap","ink"]"#),
        ("max_by(items, &p).p", "9.50"),
        ("items[*].[n, p][]", r#"["pen",2,"ink",9.50,"cap",9]"#),
        ("length(items)", "3"),
        ("sum(items[*].p)", "20.5"),
        ("avg(items[?p < `9.1`].p)", "5.5"),
        ("sum(`[1, 2, 3]`)", "6"),
        ("max(`[1, 2.0]`)", "2.0"),
        ("\"a b\".c", "null"),
        ("nothing.here", "null"),
        ("`{\"x\": [1, {\"y\": 2.50}]}`", r#"{"x":[1,{"y":2.50}]}"#),
        ("to_number('12.50')", "12.50"),
        ("to_number('x')", "null"),
        ("to_string(`7`)", r#""7""#),
        ("contains(items[*].p, `9.0`)", "true"),
        ("contains('abc', 'b')", "true"),
        ("keys(items[0])", r#"["n","p"]"#),
        ("abs(`-3`)", "3"),
        ("ceil(`1.2`)", "2"),
        ("floor(`-1.2`)", "-2"),
        ("not_null(x, items[0].n)", r#""pen""#),
    ] {
        assert_eq!(ask(shop, expression).await, found, "{expression}");
    }
}

#[tokio::test]
async fn no_digit_is_lost_in_silence() {
    let big = r#"{"a": 9007199254740993, "b": 9007199254740992, "l": [9007199254740993, 1], "d": 0.12345678901234567891, "o": [{"k": 9007199254740993}]}"#;
    for (expression, found) in [
        (
            "[a, b, d]",
            "[9007199254740993,9007199254740992,0.12345678901234567891]",
        ),
        ("a == b", "false"),
        ("a > b", "true"),
        ("a == `9007199254740993`", "true"),
        ("l[?@ == `9007199254740992`]", "[]"),
        ("contains(l, `9007199254740992`)", "false"),
        ("sum(l)", "9007199254740994"),
        ("abs(a)", "9007199254740993"),
        ("floor(a)", "9007199254740993"),
        ("to_string(a)", r#""9007199254740993""#),
        ("to_number('18446744073709551615')", "18446744073709551615"),
        (
            "`123456789012345678901234567890`",
            "123456789012345678901234567890",
        ),
    ] {
        assert_eq!(ask(big, expression).await, found, "{expression}");
    }
    for expression in [
        "avg(l)",
        "max(l)",
        "min(l)",
        "sort(l)",
        "sum([d])",
        "ceil(d)",
        "max_by(o, &k)",
        "sort_by(o, &k)",
    ] {
        let told = ask(big, expression).await;
        assert!(told.contains("more digits"), "{expression}: {told}");
    }
}

#[tokio::test]
async fn what_is_wrong_is_told() {
    for expression in [
        "",
        "a[",
        "nope(@)",
        "sum('x')",
        "`{`",
        "&a",
        "a.`1`",
        "@[?",
        "sort_by(@)",
        "'",
        "a[::0]",
    ] {
        let told = call(
            &JsonQuery::new(),
            json!({"value": {"a": [1]}, "expression": expression}),
        )
        .await;
        assert_eq!(code_of(told), "bad_expression", "{expression}");
    }
}

#[tokio::test]
async fn deep_and_growing_expressions_break_nothing() {
    let n = LONGEST - 10;
    let doubling = format!("[@,@]{}", "|[@,@][]".repeat(60));
    let nested = format!("[@,@]{}", "|[@,@]".repeat(60));
    for expression in [
        "(".repeat(n),
        "!".repeat(n),
        "[".repeat(n),
        "{a:".repeat(n / 3),
        "a.".repeat(n / 2) + "a",
        "a|".repeat(n / 2) + "a",
        "&".repeat(n),
        "a[".repeat(n / 2),
        "a||".repeat(n / 3) + "a",
        "(".repeat(n / 2) + "a" + &")".repeat(n / 2),
        "!".repeat(n) + "a",
        "f(".repeat(n / 2),
        "a[?".repeat(n / 3),
        "[*]".repeat(n / 3),
        "[]".repeat(n / 2),
        "`[".repeat(n / 2),
        doubling,
        format!("to_string({nested})"),
        "@[-2147483648]".to_owned(),
        "@[99999999999]".to_owned(),
        "@[::-2147483648]".to_owned(),
        "a".repeat(LONGEST + 1),
    ] {
        // Any answer will do, as long as there is one.
        let _ = call(
            &JsonQuery::new(),
            json!({"value": {"a": [[1]]}, "expression": expression}),
        )
        .await;
        let list = call(
            &JsonQuery::new(),
            json!({"value": [1, 2], "expression": expression}),
        )
        .await;
        assert!(list.map_or(0, |v| v.to_string().len()) < 100_000);
    }
}

#[test]
fn what_can_not_be_evaluated_is_told_beforehand() {
    let told = |expression: &str| -> String {
        let arguments = json!({"value": null, "expression": expression});
        let known = Foreseen {
            arguments: &arguments,
            holes: &[],
        };
        foresee(&known).into_iter().map(|fault| fault.message).collect()
    };
    for fine in [
        "@",
        "items[?price > `5`].name",
        "sort_by(@, &a)[*].{b: c}",
        "a.b[0] || 'x'",
    ] {
        assert_eq!(told(fine), "", "{fine}");
    }
    for (expression, expected) in [
        ("items[?", "ends too early"),
        ("a b", "character 3"),
        ("", "ends too early"),
        ("lenght(@)", "there is no function `lenght`"),
        ("a[?b == map(&nope(@), c)]", "there is no function `nope`"),
    ] {
        assert!(
            told(expression).contains(expected),
            "{expression}: {}",
            told(expression)
        );
    }
    for hostile in [
        "[".repeat(8000),
        "a.".repeat(4000),
        "!".repeat(8000),
        "a".repeat(LONGEST + 1),
    ] {
        told(&hostile);
    }
}
