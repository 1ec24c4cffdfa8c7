//! Makespan ÷ the bound that no scheduler can beat: max(critical path, work ÷ in flight).

use std::time::Instant;

use crate::disk::{drive, engine, open, runtime};
use crate::plans;
use crate::table::Table;

pub fn makespans(table: &mut Table) {
    let dags = plans::latency_dags();
    if dags.is_empty() {
        table.tell(
            "makespan ÷ bound",
            0.0,
            "",
            "left out: the latency DAGs are not at hand (PLANLOOM_DAGS)",
        );
    }
    for dag in &dags {
        for (cap, bound) in [(4, 1.20), (16, 1.05)] {
            let best = (0..2)
                .map(|_| ratio(dag, cap))
                .min_by(f64::total_cmp)
                .unwrap_or(f64::MAX);
            let gate = format!("{} makespan ÷ bound, {cap} in flight", dag.name);
            table.at_most(&gate, best, bound, "", "better of 2");
        }
    }
}

fn ratio(dag: &plans::Latencies, cap: usize) -> f64 {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bound_ms = dag.critical_path_ms.max(dag.total_work_ms / cap as f64);
    let wall_ms = runtime().block_on(async {
        let engine = engine(folder.path());
        let run = open(&engine, folder.path(), &dag.plan).await;
        let began = Instant::now();
        drive(&engine, &run, cap).await;
        began.elapsed().as_secs_f64() * 1e3
    });
    wall_ms / bound_ms
}
