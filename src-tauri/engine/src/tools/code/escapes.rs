//! Sources made to stand outside of the function that they are the body of: none does.

use serde_json::json;

use super::CodeError;
use super::tests::{quick, try_run};

/// Sources that close the function which they are the body of, and open something else for what closes it.
pub(super) const ESCAPES: &[&str] = &[
    "return 1 }",
    "return 1 } //",
    "return 1 } /*",
    "*/ } ); (function() { /*",
    "return 1 }) ; (function() { return 2",
    "} ); (function() { return 1",
    "}); globalThis.x = 1; (function() { return x",
    "})(); (function() { return 1",
    "}(0), function() { return 1",
    "}[0], function() { return 1",
    "}[0] = function() { return 1",
    "}`x`, function() { return 1",
    "}.x = function() { return 1",
    "}?.x, function() { return 1",
    "} / 1, function() { return 1",
    "}, function() { return 1",
    "}, function*() { return 1",
    "}, async function() { return 1",
    "}, x => { return 1",
    "}, class { m() { return 1 }",
    "}, { m() { return 1 }",
    "}, m() { return 1",
    "}, get x() { return 1",
    "}, x: function() { return 1",
    "}, ...function() { return 1",
    "}, [0]: function() { return 1",
    "} m() { return 1",
    "}; m() { return 1",
    "} static { 1",
    "} static m() { return 1",
    "} [0] = function() { return 1",
    "}}); ({m() { return 1",
    "}}); (class {m() { return 1",
    "}}, function() {{ return 1",
    "}}}); (function() {{{ return 1",
    "} => { return 1",
    "}) => { return 1",
    "}) => {}, (function() { return 1",
    "}\n(function() { return 1",
    "} /* } */ ); (function() { /* { */ return 1",
    "return `${1}` } ); (function() { return `${2}`",
    "return /}/ } ); (function() { return /{/",
    "return '{' } ); (function() { return '}'",
    "return 1 <!-- x\n} ); (function() { return 2",
    "\n--> x\n} ); (function() { return 2",
    "// \u{2028}} ); (function() { return 1",
    "// \u{2029}} ); (function() { return 1",
    "// \r} ); (function() { return 1",
    "'use strict' } ); (function() { return 1",
    "if (1) { } } ); (function() { return 1",
    "} ); function String() {} (function() { return 1",
    "} ); let inputs; (function() { return 1",
    "} ); import('x'); (function() { return 1",
    "} ); for (;;) {} (function() { return 1",
    "} ); throw 0; (function() { return 1",
];

#[tokio::test]
async fn a_source_never_leaves_its_function() {
    for source in ESCAPES {
        match try_run(source, json!({}), quick()).await {
            Err(CodeError::Threw { message, .. }) => {
                assert!(message.contains("SyntaxError"), "{source}: {message}")
            }
            other => panic!("{source}: {other:?}"),
        }
    }
}
