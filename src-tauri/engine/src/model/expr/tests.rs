//! Numbers, variables, bounds: what templates and expressions give and refuse.

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
    let source =
        "{% for k, v in o|items %}{{ k }}={{ v }};{% endfor %}{{ o.a|sum }} {{ 'z' in o }} {{ o|length }}";
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
    let told = text("Hello {{ a.b.c }}", r#"{"a": {"b": {}}}"#)
        .unwrap_err()
        .to_string();
    assert_eq!(told, "`a.b.c` has no value.");
    let told = holds("n > 1 and nope < 2", r#"{"n": 2}"#)
        .unwrap_err()
        .to_string();
    assert!(told.contains("nope"), "{told}");
    for (source, output, name) in [
        ("output.x > 0", "1", "`output.x` has no value."),
        (
            "output.a.b == 2 and output.x",
            r#"{"a": {"b": 2}}"#,
            "`output.x` has no value.",
        ),
        ("output.a['no b'] > 1", r#"{"a": {}}"#, "no b"),
        ("output.x", "1", "`output.x` has no value."),
    ] {
        let told = holds(source, &format!("{{\"output\": {output}}}"))
            .unwrap_err()
            .to_string();
        assert!(told.contains(name), "{source}: {told}");
    }
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

#[test]
fn a_text_keeps_the_newline_that_it_ends_with() {
    let none = std::iter::empty;
    assert_eq!(render("a\n", none()).unwrap(), "a\n");
    assert_eq!(render("a\n\n", none()).unwrap(), "a\n\n");
    assert_eq!(render("a", none()).unwrap(), "a");
}
