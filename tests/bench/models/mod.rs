//! What real wires cost: a turn beside the bare request, 64 agents that stream at once, and the token bill of a plan
//! beside that of one long talk.

mod bill;
mod server;

use std::sync::Arc;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use planloom_engine::llm::wire::{Compatible, Provider, connect};
use planloom_engine::llm::{Entry, Message, Models, Price, Request, Role, Traits};
use planloom_engine::run::WhenIdle;
use planloom_engine::{Config, Engine};
use serde_json::{Value, json};

use self::server::Server;
use crate::disk::{drive, open, runtime};
use crate::table::Table;

pub use self::bill::bill;
pub use self::server::child;

const NAME: &str = "bench/model";
const TURNS: u32 = 200;

fn models(server: &Server) -> Models {
    let provider = Provider::new("bench", server.address());
    let wire = Arc::new(Compatible::new("model", Traits::default()));
    let model = connect(wire, provider, Price::Free).expect("loopback can be reached");
    let entry = Entry {
        price: Price::Free,
        ..Entry::new(NAME, model)
    };
    Models::none().with(entry).with_role(Role::Executor, &[NAME])
}

fn engine(folder: &std::path::Path, models: Models) -> Engine {
    let mut config = Config {
        when_idle: WhenIdle::Leave,
        models,
        ..Config::new(Some(folder.join("bench.db")), "bench")
    };
    config.caps.per_provider = 64;
    Engine::open(config).expect("the bench has a folder of its own")
}

fn agent(id: &str, steps: u32) -> Value {
    json!({
        "id": id, "instruction": "Count.", "task_type": "agent", "tools": ["echo"], "max_steps": steps,
    })
}

/// One agent that calls a tool in every turn but the last, beside as many bare requests to the same server.
pub fn turns(table: &mut Table) {
    let Some(server) = Server::start(&["turns", &TURNS.to_string()]) else {
        return table.tell("model turns", 0.0, "", "left out: the server did not start");
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    runtime().block_on(async {
        let models = models(&server);
        let bare = bare(&models).await;
        let engine = engine(folder.path(), models);
        let plan = json!({ "version": 1, "goal": "Bench", "tasks": [agent("a", TURNS + 10)] });
        let run = open(&engine, folder.path(), &plan).await;
        let (cpu, wall) = (ProcessTime::now(), Instant::now());
        drive(&engine, &run, 1).await;
        let per = |time: Duration| time.as_secs_f64() * 1e3 / f64::from(TURNS);
        let (cpu, wall) = (per(cpu.elapsed()), per(wall.elapsed()));
        engine.close().await;
        let note =
            format!("{TURNS} turns in one talk, each synced to disk; a bare request takes {bare:.2} ms");
        table.at_most("CPU per model turn", cpu, 10.0, "ms", note);
        table.tell(
            "wall per model turn",
            wall,
            "ms",
            "the talk grows, and is sent whole each time",
        );
    });
}

async fn bare(models: &Models) -> f64 {
    let entry = models.find("executor").expect("it is set up");
    let request = Request {
        model: NAME.to_owned(),
        system: "Count.".to_owned(),
        messages: vec![Message::User("Begin.".to_owned())],
        tools: Vec::new(),
        output: None,
        max_output_tokens: None,
        temperature: None,
    };
    let began = Instant::now();
    for _ in 0..TURNS {
        let cancel = tokio_util::sync::CancellationToken::new();
        let _ = entry.model.ask(&request, &cancel).await;
    }
    began.elapsed().as_secs_f64() * 1e3 / f64::from(TURNS)
}

const AGENTS: usize = 64;
const TOKENS: usize = 400;
const PER_SECOND: usize = 50;

/// 64 tasks whose answers come at 50 tokens a second each, all at once.
pub fn streams(table: &mut Table) {
    let args = ["streams", &TOKENS.to_string(), &PER_SECOND.to_string()];
    let Some(server) = Server::start(&args) else {
        return table.tell("streams", 0.0, "", "left out: the server did not start");
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    runtime().block_on(async {
        let engine = engine(folder.path(), models(&server));
        let task = |n: usize| json!({ "id": format!("t{n}"), "task_type": "model", "instruction": "Tell." });
        let tasks: Vec<Value> = (0..AGENTS).map(task).collect();
        let plan = json!({ "version": 1, "goal": "Bench", "tasks": tasks });
        let run = open(&engine, folder.path(), &plan).await;
        let before = resident();
        let (cpu, wall) = (ProcessTime::now(), Instant::now());
        drive(&engine, &run, AGENTS).await;
        let (cpu, wall) = (cpu.elapsed().as_secs_f64(), wall.elapsed().as_secs_f64());
        let grown = resident() - before;
        let shown = engine.show(&run, None).await.expect("it is there");
        let told = Value::String(server::told(TOKENS));
        let outputs = planloom_tests::rig::final_output(&shown);
        let whole = outputs
            .as_object()
            .map_or(0, |all| all.values().filter(|text| **text == told).count());
        engine.close().await;
        let least = TOKENS as f64 / PER_SECOND as f64;
        table.at_most(
            "64 streams: answers not whole",
            (AGENTS - whole) as f64,
            0.0,
            "",
            "400 tokens each",
        );
        table.at_most(
            "64 streams: CPU share",
            cpu / wall * 100.0,
            60.0,
            "% of a core",
            "3,200 tokens a second",
        );
        table.at_most(
            "64 streams: time ÷ the server's own",
            wall / least,
            1.2,
            "",
            "all at once",
        );
        table.at_most(
            "64 streams: memory",
            grown,
            24.0,
            "MiB",
            "resident, grown while they stream",
        );
    });
}

/// MiB.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find_map(|l| l.strip_prefix("VmRSS:"))
        .unwrap_or("0 kB");
    let kib: f64 = line.trim().trim_end_matches(" kB").parse().unwrap_or(0.0);
    kib / 1024.0
}
