//! Peak memory of a process that runs 10,000 tasks, read from the system at its end.

use std::process::Command;

use crate::disk::{drive, engine, runtime};
use crate::plans;
use crate::table::Table;

pub fn peak(table: &mut Table) {
    // How much of the program's own pages the system maps beside those that are asked for differs from start to start.
    let least = (0..3).filter_map(|_| of("10000")).reduce(f64::min);
    match least {
        Some(mib) => {
            let small = of("10").unwrap_or(0.0);
            table.at_most(
                "peak memory, 10,000 tasks",
                mib,
                30.0,
                "MiB",
                format!("whole process, least of 3; {small:.1} MiB with 10 tasks"),
            );
        }
        None => table.tell(
            "peak memory, 10,000 tasks",
            0.0,
            "MiB",
            "left out: this system does not tell",
        ),
    }
}

fn of(tasks: &str) -> Option<f64> {
    let exe = std::env::current_exe().ok()?;
    let said = Command::new(exe).args(["memory-of", tasks]).output().ok()?;
    String::from_utf8(said.stdout).ok()?.trim().parse().ok()
}

/// Runs in the process that is measured: the plan file is written by another hand, as it would be.
#[expect(clippy::print_stdout, reason = "the parent reads it")]
pub fn child() {
    let count: usize = std::env::args().nth(2).and_then(|n| n.parse().ok()).unwrap_or(10);
    let folder = tempfile::tempdir().expect("a temporary folder");
    if std::env::args().nth(3).is_none() {
        // Writing the plan needs more memory than running it, so a process of its own does it and runs us.
        let plan = plans::fan(count);
        let path = folder.path().join("plan.json");
        std::fs::write(&path, plan.to_string()).expect("the folder can be written");
        let exe = std::env::current_exe().expect("we run from a file");
        let args = ["memory-of", &count.to_string(), &path.to_string_lossy()].map(str::to_owned);
        let said = Command::new(exe).args(args).output().expect("we can be started");
        println!("{}", String::from_utf8_lossy(&said.stdout).trim());
        return;
    }
    let path = std::env::args().nth(3).unwrap_or_default();
    runtime().block_on(async {
        let engine = engine(folder.path());
        let none = planloom_engine::Parameters::Json(serde_json::Value::Null);
        let run = engine
            .open_run(path.into(), &none, &planloom_engine::Consent::Given)
            .await
            .expect("valid");
        drive(&engine, &run, planloom_engine::MAX_PARALLEL).await;
    });
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status
        .lines()
        .find_map(|l| l.strip_prefix("VmHWM:"))
        .and_then(|l| l.trim().strip_suffix(" kB"));
    if let Some(kib) = peak.and_then(|k| k.trim().parse::<f64>().ok()) {
        println!("{}", kib / 1024.0);
    }
}
