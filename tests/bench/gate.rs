//! What the gate costs: the needs of a call and the decision about it, beside the bare call that it guards.

use std::sync::Arc;

use cpu_time::ProcessTime;
use planloom_engine::model::grants::{
    Allowed, CallFacts, Circumstances, Grants, Labels, Place, Verdict, decide, needs_of,
};
use planloom_engine::tools::{CallContext, Permit, Registry};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::table::Table;

const DECISIONS: usize = 20_000;
const CALLS: usize = 2_000;

pub fn per_call(table: &mut Table) {
    let folder = tempfile::tempdir().expect("there is a temporary folder");
    std::fs::write(folder.path().join("a.txt"), "text\n".repeat(100)).expect("it can be written");
    let place = Place {
        folder: Some(folder.path().to_owned()),
        workspace: folder.path().join("run"),
    };
    // As many entries as a large plan has; the one that covers is the last.
    let mut read: Vec<String> = (0..20).map(|ix| format!("folder{ix}/*.csv")).collect();
    read.push("*.txt".to_owned());
    let grants = Arc::new(Grants {
        read,
        ..Grants::default()
    });
    let registry = Registry::builtin();
    let tool = registry.get("file.read").expect("it is built in").clone();
    let arguments = json!({ "path": "a.txt" });

    let began = ProcessTime::now();
    for _ in 0..DECISIONS {
        let needs = needs_of(tool.spec(), &arguments, &place).expect("it is a path");
        let allowed = Allowed {
            withheld: &[],
            grants: &grants,
            frozen: &[],
            answered: &[],
            is_effect_allowed: false,
            place: &place,
        };
        let facts = CallFacts {
            effect: tool.spec().effect_of(&arguments),
            needs: &needs,
            labels: Labels {
                untrusted: true,
                private: true,
            },
            circumstances: Circumstances::default(),
        };
        assert_eq!(decide(&allowed, &facts), Verdict::Allow);
    }
    let decision_us = began.elapsed().as_secs_f64() * 1e6 / DECISIONS as f64;

    let runtime = tokio::runtime::Runtime::new().expect("there is a runtime");
    let cx = CallContext {
        ask: None,
        place,
        permit: Permit {
            withheld: std::sync::Arc::default(),
            grants,
            needs: Arc::new([]),
        },
        idempotency_key: "bench".to_owned(),
        is_idempotent: false,
        cancel: CancellationToken::new(),
    };
    let began = ProcessTime::now();
    runtime.block_on(async {
        for _ in 0..CALLS {
            let read = tool.call(arguments.clone(), &cx).await;
            assert!(read.is_ok(), "{read:?}");
        }
    });
    let call_us = began.elapsed().as_secs_f64() * 1e6 / CALLS as f64;
    table.at_most(
        "gate: CPU of one decision ÷ CPU of the bare `file.read` that it guards",
        decision_us / call_us,
        0.5,
        "",
        format!("{decision_us:.1} µs for each of {DECISIONS} decisions with 21 entries; a bare call {call_us:.1} µs"),
    );
}
