//! The sandbox: what it computes, what it refuses, and that nothing gets out or goes on for ever.

use proptest::prelude::*;
use serde_json::json;

use super::*;

pub(super) fn quick() -> Limits {
    Limits {
        time: Duration::from_millis(400),
        ..Limits::default()
    }
}

/// For what takes long only on a busy machine.
fn slow() -> Limits {
    Limits {
        time: Duration::from_secs(60),
        ..Limits::default()
    }
}

pub(super) async fn try_run(source: &str, inputs: Json, limits: Limits) -> Result<Json, CodeError> {
    let inputs: Vec<_> = inputs
        .as_object()
        .cloned()
        .unwrap_or_default()
        .into_iter()
        .collect();
    run(source.to_owned(), inputs, limits, CancellationToken::new()).await
}

async fn value(source: &str, inputs: Json) -> Json {
    try_run(source, inputs, Limits::default()).await.unwrap()
}

async fn error(source: &str) -> String {
    try_run(source, json!({}), quick()).await.unwrap_err().to_string()
}

fn parse(text: &str) -> Json {
    serde_json::from_str(text).unwrap()
}

#[tokio::test]
async fn inputs_are_variables() {
    let rows = json!({"rows": [{"a": 1}, {"a": 2}], "unit price": 3, "größe": 4, "class": 5, "$x_1": 6});
    assert_eq!(
        value("return rows.map(r => r.a * 2)", rows.clone()).await,
        json!([2, 4])
    );
    assert_eq!(
        value(
            r#"return inputs["unit price"] + größe + inputs.class + $x_1"#,
            rows
        )
        .await,
        json!(18)
    );
    assert_eq!(value("return inputs", json!({"inputs": 7})).await, json!(7));
    assert_eq!(
        value("return Object.keys(inputs)", json!({"b": 1, "a": 1})).await,
        json!(["b", "a"])
    );
    assert_eq!(value("return 1 // the end", json!({})).await, json!(1));
    assert_eq!(value("return typeof this", json!({})).await, json!("undefined"));
    let odd =
        json!({"a) { return 9 } (function(": 1, "eval": 2, "arguments": 3, "x-y": 4, "": 5, "__proto__": 6});
    let sum = "return Object.entries(inputs).map(e => e[1]).reduce((a, b) => a + b)";
    assert_eq!(value(sum, odd).await, json!(21));
}

#[tokio::test]
async fn numbers_keep_their_worth() {
    let rows = [
        ("9007199254740991", "number", "9007199254740991"),
        ("-9007199254740991", "number", "-9007199254740991"),
        ("9007199254740992", "bigint", "9007199254740992"),
        ("9223372036854775807", "bigint", "9223372036854775807"),
        ("-9223372036854775808", "bigint", "-9223372036854775808"),
        ("18446744073709551615", "bigint", "18446744073709551615"),
        (
            "-123456789012345678901234567890",
            "bigint",
            "-123456789012345678901234567890",
        ),
        ("1.0", "number", "1"),
        ("1e3", "number", "1000"),
        ("0.1", "number", "0.1"),
        ("-0", "number", "0"),
        ("1.50", "number", "1.5"),
        ("1e-7", "number", "1e-7"),
        ("5e-324", "number", "5e-324"),
        ("1e20", "number", "100000000000000000000"),
        ("1e21", "number", "1e+21"),
    ];
    for (given, kind, returned) in rows {
        let inputs = json!({"x": parse(given)});
        assert_eq!(
            value("return typeof x", inputs.clone()).await,
            json!(kind),
            "{given}"
        );
        assert_eq!(value("return x", inputs).await.to_string(), returned, "{given}");
    }
    assert_eq!(
        value("return 2n ** 100n", json!({})).await.to_string(),
        "1267650600228229401496703205376"
    );
    assert_eq!(
        value("return 0.1 + 0.2", json!({})).await.to_string(),
        "0.30000000000000004"
    );
    let too_big = try_run("return 1", json!({"x": parse("1e999")}), quick()).await;
    assert!(matches!(too_big, Err(CodeError::BadInput { name, .. }) if name == "x"));
}

const NO_JSON: &[(&str, &str)] = &[
    ("", "missing: the source must `return`"),
    ("return", "missing"),
    ("return undefined", "missing"),
    ("return {a: [1, undefined]}", "at `/a/1` is undefined"),
    ("return [1,,2]", "at `/1` is undefined"),
    ("return {a: NaN}", "at `/a` is NaN"),
    ("return 1/0", "is infinite"),
    ("return {f() {}}", "at `/f` is a function"),
    ("return class A {}", "is a function"),
    ("return Symbol('x')", "is a symbol"),
    (
        "const a = {}; a['x/y~'] = [a]; return a",
        "at `/x~1y~0/0` is a value that holds itself",
    ),
    ("const a = []; a.push(a); return a", "holds itself"),
    ("return new Map([[1, 2]])", "is a Map"),
    ("return [new Set()]", "at `/0` is a Set"),
    ("return /x/", "is a RegExp"),
    ("return new Error('x')", "an Error"),
    ("return new Uint8Array(2)", "a Uint8Array"),
    ("return new Number(1)", "a Number"),
    ("return (function*() {})()", "a Generator"),
    ("return Promise.resolve(1)", "a promise"),
    ("return (async () => 1)()", "a promise"),
    ("return '\\ud800'", "half a character"),
    ("return {'\\udc00': 1}", "half a character"),
    (
        "let a = 1; for (let i = 0; i < 200; i++) a = [a]; return a",
        "nested more than 100",
    ),
    (
        "let a = 1; for (let i = 0; i < 1e5; i++) a = {a}; return a",
        "nested more than 100",
    ),
    (
        "let a = [1]; for (let i = 0; i < 60; i++) a = [a, a]; return a",
        "too large",
    ),
    ("return new Array(4e9)", "at `/0` is undefined"),
    ("let s = 'x'.repeat(1e6); return Array(100).fill(s)", "too large"),
];

#[tokio::test]
async fn results_that_are_no_json_name_their_place() {
    for (source, expected) in NO_JSON {
        let told = try_run(source, json!({}), slow()).await.unwrap_err().to_string();
        assert!(told.contains(expected), "{source}: {told}");
    }
}

#[tokio::test]
async fn shared_values_are_no_cycle() {
    assert_eq!(
        value("const a = {n: 1}; return [a, a]", json!({})).await,
        json!([{"n": 1}, {"n": 1}])
    );
    assert_eq!(
        value(
            "class P { constructor() { this.x = 1 } } return new P()",
            json!({})
        )
        .await,
        json!({"x": 1})
    );
    assert_eq!(value("return Object.create(null)", json!({})).await, json!({}));
    assert_eq!(
        value("return JSON.parse('{\"__proto__\": 1}')", json!({})).await,
        parse(r#"{"__proto__": 1}"#)
    );
    assert_eq!(
        value("return x", json!({"x": parse(r#"{"__proto__": {"y": 1}}"#)})).await,
        parse(r#"{"__proto__": {"y": 1}}"#)
    );
}

#[tokio::test]
async fn errors_name_the_line() {
    let rows = [
        (
            "return nothing.here",
            Some(1),
            "ReferenceError: nothing is not defined",
        ),
        ("\n\nnull.x", Some(3), "TypeError"),
        ("const a = 1;\nconst a = 2;", Some(2), "SyntaxError"),
        ("return (1 +", Some(1), "SyntaxError: it ends too early"),
        (
            "const f = () => {\n  throw new RangeError('too far')\n}\nf()",
            Some(2),
            "RangeError: too far",
        ),
        ("throw new Error('plain')", Some(1), "plain"),
        ("throw 'text'", None, "threw text"),
        ("throw {a: 1}", None, r#"threw {"a":1}"#),
        ("throw null", None, ""),
        ("throw {get message() { throw 1 }}", None, "threw"),
        ("throw {toJSON() { throw 1 }}", None, "threw an object"),
        ("throw Symbol('x')", None, "threw a symbol"),
        ("await 1", Some(1), "SyntaxError"),
        ("\n[1].join.call(5)", Some(2), "TypeError"),
        ("x = 1", Some(1), "ReferenceError"),
        ("return 1 }", None, "more braces than it opens"),
        ("return 1 }) ; (function() { return 2", None, "did not open"),
        ("\0", None, "NUL"),
    ];
    for (source, line, expected) in rows {
        match try_run(source, json!({}), quick()).await {
            Err(CodeError::Threw { message, line: told }) => {
                assert!(message.contains(expected), "{source}: {message}");
                assert!(
                    line.is_none() || line == told,
                    "{source}: {message} in line {told:?}"
                );
            }
            other => assert!(expected.is_empty(), "{source}: {other:?}"),
        }
    }
}

const TAKEN_AWAY: &[(&str, &str)] = &[
    ("return new Date()", "no clock here"),
    ("return Date.now()", "no clock here"),
    ("return Math.random()", "no randomness here"),
    ("setTimeout(() => 1)", "nothing outside"),
    ("return require('fs')", "nothing outside"),
    ("return eval('1')", "eval is not defined"),
    ("return (0, eval)('1')", "eval is not defined"),
    ("return Function('return 1')()", "made from text"),
    ("return new Function('return 1')()", "made from text"),
    ("return (() => 1).constructor('return 1')()", "made from text"),
    (
        "return (function*(){}).constructor('yield 1')().next()",
        "made from text",
    ),
    (
        "return (async () => 1).constructor('return 1')()",
        "made from text",
    ),
    (
        "return Object.getPrototypeOf(async function*(){}).constructor('x')",
        "made from text",
    ),
    (
        "return Reflect.construct(Function.prototype.constructor, ['return 1'])()",
        "made from text",
    ),
];

#[tokio::test]
async fn nothing_of_the_outside_is_there() {
    for name in [
        "require",
        "process",
        "fetch",
        "XMLHttpRequest",
        "setTimeout",
        "setInterval",
        "queueMicrotask",
        "performance",
        "std",
        "os",
        "Proxy",
        "Date",
        "eval",
        "Deno",
        "navigator",
        "WeakRef",
        "FinalizationRegistry",
        "Atomics",
        "SharedArrayBuffer",
        "WebAssembly",
        "gc",
        "print",
    ] {
        assert_eq!(
            value(&format!("return typeof {name}"), json!({})).await,
            json!("undefined"),
            "{name}"
        );
    }
    for (source, told) in TAKEN_AWAY {
        let error = error(source).await;
        assert!(error.contains(told), "{source}: {error}");
    }
    assert_eq!(
        value("return (() => 1) instanceof Function", json!({})).await,
        json!(true)
    );
    assert_eq!(value("console.log(1); return 2", json!({})).await, json!(2));
    let import = error("return import('fs')").await;
    assert!(import.contains("promise"), "{import}");
}

const ENDLESS: &[&str] = &[
    "for (;;) {}",
    "while (true) { try { for (;;) {} } catch (e) {} }",
    "for (;;) { try { throw 1 } finally { continue } }",
    "return /^(a+)+$/.test('a'.repeat(50) + 'b')",
    "return 'a'.repeat(1e5).replace(/(a*)*b/g, '')",
    "const f = () => f(); for (;;) { try { f() } catch (e) {} }",
    "return Array.prototype.indexOf.call({length: 2 ** 53 - 1}, 1)",
    "return Array.prototype.includes.call({length: 2 ** 53 - 1}, 1)",
    "return Array.prototype.lastIndexOf.call({length: 2 ** 53 - 1}, 1)",
    "return Array.prototype.fill.call({length: 2 ** 53 - 1}, 1)",
    "return Array.prototype.reverse.call({length: 2 ** 53 - 1})",
    "return Array.prototype.unshift.call({length: 2 ** 53 - 2}, 1)",
    "return Array.prototype.splice.call({length: 2 ** 53 - 2}, 1, 1)",
    "return Array.prototype.copyWithin.call({length: 2 ** 53 - 2}, 1, 5)",
    "return Array.prototype.forEach.call({length: 2 ** 53 - 2}, () => 1)",
    "return Array.prototype.join.call({length: 2 ** 53 - 1})",
    "return Array.prototype.sort.call({length: 2 ** 53 - 1})",
    "return Array.prototype.shift.call({length: 2 ** 53 - 1})",
    "return Array.prototype.concat.call({length: 2 ** 53 - 1, [Symbol.isConcatSpreadable]: true}, [1])",
    "return {get x() { for (;;) {} }}",
    "throw {toJSON() { for (;;) {} }}",
    "throw {get message() { for (;;) {} }}",
    "let n = 3n; for (;;) n = n * n",
    "let s = 'ab'; for (;;) s = s.split('').join('b')",
    "const a = []; a.length = 4e9; return a.join()",
    "const a = []; a.length = 4e9; return String(a)",
    "const a = []; a.length = 4e9; return a.reverse()",
    "const a = []; a.length = 4e9; return a.sort()",
    "const a = []; a.length = 4e9; a.shift(); return a",
    "const a = []; a.length = 4e9; a.unshift(1); return a",
    "const a = []; a.length = 4e9; return a.slice(1)",
    "const a = []; a.length = 4e9; return [].concat(a)",
    "const a = []; a.length = 4e9; return a.flat()",
    "const a = []; a.length = 4e9; return a.with(1, 1)",
    "const a = []; a.length = 4e9; return [...a]",
    "const a = []; a.length = 4e9; return JSON.stringify(a)",
    "const a = []; a.length = 4e9; return a.map(x => x)",
    "const a = []; a.length = 4e9; return a.filter(x => x)",
    "const a = []; a.length = 4e9; return a.reduce((x, y) => x)",
    "const a = []; a.length = 4e9; return a.at(-1) ?? a.findLast(x => x)",
    "const a = []; a.length = 4e9; return Object.keys(a).concat(Object.entries(a), a.flatMap(x => x))",
    "const a = []; a.length = 4e9; return a.every(x => x) && a.some(x => x)",
    "const a = []; a.length = 4e9; return Reflect.apply(Math.max, null, a)",
    "return String.raw({raw: {length: 2 ** 53 - 1}})",
    "return new Uint8Array({length: 2 ** 40})",
    "return Reflect.ownKeys({length: 1e15}).concat(Array.from({length: 1e9}))",
    "return new Array(4e9)",
    "const s = new Set([1]); for (const x of s) { s.delete(x); s.add(x + 1) }",
    "return Array.from({length: 1e15}, () => 1)",
    "return [...{*[Symbol.iterator]() { for (;;) yield 1 }}]",
    "return 'x'.padEnd(2 ** 29) + 'y'.repeat(2 ** 29)",
    "const a = []; for (;;) a.push(a)",
    "let o = {}; for (let i = 0;; i++) o['k' + i] = i",
];

#[tokio::test]
async fn what_does_not_end_is_stopped() {
    for source in ENDLESS {
        let started = Instant::now();
        let told = try_run(source, json!({}), quick()).await.unwrap_err();
        assert!(
            started.elapsed() < Duration::from_secs(4),
            "{source} took {:?}: {told}",
            started.elapsed()
        );
    }
}

#[tokio::test]
async fn time_and_memory_have_their_own_errors() {
    let time = try_run("for (;;) {}", json!({}), quick()).await;
    assert_eq!(time, Err(CodeError::TimedOut { limit: quick().time }));
    let memory = try_run(
        "const a = []; for (;;) a.push('x'.repeat(1000) + a.length)",
        json!({}),
        Limits::default(),
    )
    .await;
    assert_eq!(memory, Err(CodeError::OutOfMemory { limit: 64 << 20 }));
    let deep = error("const f = (n) => 1 + f(n + 1); return f(0)").await;
    assert!(deep.contains("stack"), "{deep}");
    for source in [
        "(".repeat(200_000),
        "[".repeat(200_000),
        "{".repeat(200_000),
        "-".repeat(200_000) + "1",
    ] {
        let told = error(&format!("return {source}")).await;
        assert!(told.contains("Error") || told.contains("stack"), "{told}");
    }
    let input = json!({"x": "y".repeat(80 << 20)});
    assert_eq!(
        try_run("return 1", input, Limits::default()).await,
        Err(CodeError::OutOfMemory { limit: 64 << 20 })
    );
}

#[tokio::test]
async fn cancelling_ends_it_at_once() {
    let cancel = CancellationToken::new();
    let task = tokio::spawn(run(
        "for (;;) {}".into(),
        Vec::new(),
        Limits::default(),
        cancel.clone(),
    ));
    tokio::time::sleep(Duration::from_millis(50)).await;
    let started = Instant::now();
    cancel.cancel();
    assert_eq!(task.await.unwrap(), Err(CodeError::Cancelled));
    assert!(started.elapsed() < Duration::from_millis(500));
}

#[tokio::test]
async fn a_changed_world_does_not_change_the_way_out() {
    let source = "
        Object.prototype.toString = function () { return '[object Object]' };
        BigInt.prototype.toString = () => '668';
        String = () => '666'; BigInt = () => 667n;
        Array.prototype.map = null; Object.prototype.toJSON = () => 'lie';
        Object.defineProperty(Object.prototype, 'z', {value: 1, enumerable: true});
        return {big: 2n ** 70n, list: [1]}";
    let told = value(source, json!({})).await;
    assert_eq!(told.to_string(), r#"{"big":1180591620717411303424,"list":[1]}"#);
}

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<u64>().prop_map(Json::from),
        (-100_i64..100).prop_map(Json::from),
        any::<f64>()
            .prop_filter("whole numbers lose their point", |f| f.is_finite()
                && f.fract() != 0.0)
            .prop_map(Json::from),
        "[0-9]{1,40}".prop_map(|d| parse(&format!("-1{d}"))),
        ".{0,12}".prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Json::from),
            prop::collection::btree_map(".{0,6}", inner, 0..6)
                .prop_map(|m| Json::Object(m.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_value_comes_back_as_it_was_and_twice_the_same(given in any_json()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let once = || runtime.block_on(value("return x", json!({"x": given.clone()})));
        let back = once();
        prop_assert_eq!(crate::model::json::canonical(&back), crate::model::json::canonical(&given));
        prop_assert_eq!(back.to_string(), once().to_string());
    }

    #[test]
    fn no_source_breaks_the_sandbox(source in "[a-z(){}\\[\\];=+'\"`$\\\\/*.0-9\n ]{0,60}") {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        if let Err(CodeError::Threw { message, .. }) = runtime.block_on(try_run(&source, json!({"a": 1}), quick())) {
            prop_assert!(!message.contains("broke down"), "{source:?}");
        }
    }
}
