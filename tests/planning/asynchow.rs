//! 1,998 real plans with known critical paths (AsyncHow), where the data is at hand: `PLANLOOM_DATA`, or `shared/data`
//! beside the project.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use planloom_engine::model::grants::Place;
use planloom_engine::model::tool::Catalog;
use planloom_engine::model::{DraftPlan, Plan};
use planloom_tests::process::root;
use serde_json::{Value, json};

fn data() -> Option<PathBuf> {
    let folder =
        std::env::var_os("PLANLOOM_DATA").map_or_else(|| root().join("../shared/data"), PathBuf::from);
    Some(folder.join("asynchow.jsonl.gz")).filter(|path| path.exists())
}

fn number(value: &Value) -> f64 {
    value.to_string().parse().unwrap()
}

/// The DAG as a plan document, and back as a valid plan.
fn plan_of(dag: &Value) -> Plan {
    let tasks: Vec<Value> = dag["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| json!({ "id": node["id"], "instruction": node["desc"], "dependencies": node["dependencies"] }))
        .collect();
    let document = json!({ "goal": dag["goal"], "tasks": tasks });
    let place = Place {
        folder: None,
        workspace: "/w".into(),
    };
    let draft = DraftPlan::parse(&document.to_string()).unwrap();
    draft
        .to_plan(&Catalog::default(), &place)
        .unwrap_or_else(|p| panic!("{}: {p:?}", dag["name"]))
        .plan
}

/// The longest sum of latencies along any path, over the plan's own order.
fn critical_path(plan: &Plan, latencies: &[f64]) -> f64 {
    let mut end = vec![0.0_f64; plan.tasks.len()];
    for &ix in plan.order() {
        let start = plan
            .dependencies(ix)
            .iter()
            .map(|&d| end[d as usize])
            .fold(0.0, f64::max);
        end[ix as usize] = start + latencies[ix as usize];
    }
    end.into_iter().fold(0.0, f64::max)
}

#[test]
fn every_plan_loads_and_has_the_critical_path_that_the_data_says() {
    let Some(path) = data() else {
        println!("left out: the data is not at hand (PLANLOOM_DATA)");
        return;
    };
    let lines = BufReader::new(flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap())).lines();
    let (mut all, mut agreed) = (0, 0);
    for line in lines {
        let dag: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let plan = plan_of(&dag);
        let latencies: Vec<f64> = dag["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|n| number(&n["latency_ms"]))
            .collect();
        all += 1;
        agreed += u32::from((critical_path(&plan, &latencies) - number(&dag["gold_optimal"])).abs() < 1e-6);
    }
    assert_eq!(all, 1998);
    assert_eq!(
        agreed, 1996,
        "two of the data's own figures are known to be wrong"
    );
}
