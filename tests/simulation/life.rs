//! One seed's life: processes that are born, drive, die at any await, and are born again on the same store.

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use planloom_engine::history::folds::Folds;
use planloom_engine::history::load::Surroundings;
use planloom_engine::model::caps::Caps;
use planloom_engine::model::{Json, RunId};
use planloom_engine::run::{Clock, Replan, WhenIdle};
use planloom_engine::tools::{Registry, Tool};
use planloom_engine::views::RunStatus;
use planloom_engine::{Config, Consent, Effects, Engine, Files, Ids, Parameters, Shown};
use tokio::time::Instant;

use crate::dice::Dice;
use crate::disk::Disk;
use crate::heard::Heard;
use crate::minds::Minds;
use crate::people::{self, Repeats};
use crate::plans;
use crate::verdict::{self, Memory};
use crate::world::World;

/// How many processes a life may need at most.
const MOST: u32 = 400;
/// A disk with room, in pages.
const ROOM: u32 = 1_000_000_000;
/// After so many, no process dies any more and nobody goes back, so that every life ends.
const CALM: u32 = 30;
/// One seed in so many lies on a file, whose power may go.
const ON_FILE: u64 = 3;

#[derive(Default)]
pub struct Tally {
    lives: AtomicU64,
    crashes: AtomicU64,
    power: AtomicU64,
    events: AtomicU64,
    again: AtomicU64,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |n: &AtomicU64| n.load(Ordering::Relaxed);
        write!(
            f,
            "{} processes, {} died at some await, {} times the power went, {} rewinds, reruns and forks, {} events",
            of(&self.lives),
            of(&self.crashes),
            of(&self.power),
            of(&self.again),
            of(&self.events)
        )
    }
}

pub fn live(seed: u64) -> String {
    live_counting(seed, &Tally::default())
}

/// Lives the seed to its end and gives the story of its last run.
pub fn live_counting(seed: u64, tally: &Tally) -> String {
    // The same place each time: what is signed names it.
    let folder = tempfile::Builder::new()
        .prefix(&format!("planloom-{}-{seed}", std::process::id()))
        .rand_bytes(0)
        .tempdir()
        .unwrap();
    let heard = Heard::default();
    let world = World::new(seed, &heard);
    let tools = registry(&world);
    let around = surroundings(&tools, folder.path());
    let disk = if seed.is_multiple_of(ON_FILE) {
        Disk::on_file(&heard)
    } else {
        Disk::in_memory(&heard)
    };
    let mut life = Life {
        dice: Dice::new(seed),
        memory: Memory::new(around, heard, Dice::of(seed, "looks", 0)),
        world,
        minds: Minds::new(seed),
        tools,
        policy: *Dice::of(seed, "policy", 0).pick(&[Replan::Off, Replan::Ask, Replan::Auto]),
        disk,
        now_ms: 1_767_225_600_000,
        repeats: Repeats::new(),
        run: None,
        processes: 0,
        ids: Arc::new(AtomicU64::new(seed << 20)),
    };
    let plan = plans::random(&mut life.dice);
    let path = folder.path().join("hold.plan.json");
    std::fs::write(&path, plan.to_string()).unwrap();
    while !life.process(folder.path(), &path, tally) {
        life.processes += 1;
        tally.lives.fetch_add(1, Ordering::Relaxed);
        assert!(life.processes < MOST, "the run never ends");
    }
    tally.events.fetch_add(life.memory.events, Ordering::Relaxed);
    life.memory.story()
}

/// What a log is folded in, as the engine does it.
fn surroundings(tools: &Registry, folder: &Path) -> Surroundings {
    Surroundings {
        own_work: [].into(),
        workspaces: folder.join("runs"),
        catalog: planloom_engine::history::catalogs::Catalogs::of(tools.catalog().clone()),
        has_models: std::sync::Arc::new(true.into()),
        plans: planloom_engine::history::plans::Plans::default(),
        folds: Folds::spaced(5),
    }
}

fn registry(world: &World) -> Registry {
    static BUILTIN: OnceLock<Vec<Arc<dyn Tool>>> = OnceLock::new();
    let mut tools = BUILTIN.get_or_init(planloom_engine::tools::builtin).clone();
    tools.extend(world.tools());
    Registry::new(tools)
}

struct Life {
    dice: Dice,
    world: World,
    minds: Minds,
    tools: Registry,
    /// What may be done by itself when tasks have failed for good.
    policy: Replan,
    disk: Disk,
    now_ms: i64,
    memory: Memory,
    repeats: Repeats,
    run: Option<RunId>,
    processes: u32,
    ids: Arc<AtomicU64>,
}

enum End {
    Died,
    Left,
}

impl Life {
    /// One process, from its start to its death or its last word. True: the run is over and was left so.
    fn process(&mut self, folder: &Path, plan: &Path, tally: &Tally) -> bool {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .unwrap();
        let is_over = runtime.block_on(self.act(folder, plan, tally));
        // Whatever was in flight is gone with its process.
        drop(runtime);
        if !is_over && self.processes <= CALM && self.dice.chance(35) && self.disk.lose_power(&mut self.dice)
        {
            tally.power.fetch_add(1, Ordering::Relaxed);
            self.memory.note_loss_of_power();
        }
        is_over
    }

    async fn act(&mut self, folder: &Path, plan: &Path, tally: &Tally) -> bool {
        let start = Instant::now();
        let engine = self.engine(folder, start);
        // Somebody has made room, and perhaps set the clock.
        engine.limit_pages(ROOM).await.unwrap();
        if self.dice.chance(10) {
            self.now_ms += if self.dice.chance(50) { -90_000 } else { 86_400_000 };
        }
        let run = match &self.run {
            Some(run) => run.clone(),
            None => {
                let none = Parameters::Json(Json::Null);
                let opened = engine.open_run(plan.to_owned(), &none, &Consent::Given).await;
                opened.unwrap_or_else(|e| panic!("{e:?}"))
            }
        };
        self.run = Some(run.clone());
        self.memory.look(self.disk.store(), &run).await;
        let is_over = self.go(&engine, &run, tally).await;
        self.now_ms += start.elapsed().as_millis() as i64;
        is_over
    }

    async fn go(&mut self, engine: &Engine, run: &RunId, tally: &Tally) -> bool {
        let shown = engine.show(run, None).await.unwrap();
        let is_calm = self.processes > CALM;
        match shown.row.status {
            RunStatus::Succeeded | RunStatus::Failed | RunStatus::Cancelled => {
                verdict::at_the_end(&shown, &self.world);
                if is_calm || self.dice.chance(60) {
                    self.judge(engine, run).await;
                    return true;
                }
                tally.again.fetch_add(1, Ordering::Relaxed);
                self.go_again(engine, run, &shown).await;
                return false;
            }
            RunStatus::AwaitingApproval => engine.approve_as_opened(run).await.unwrap(),
            RunStatus::Waiting | RunStatus::Blocked => {
                let open = shown.decisions;
                assert!(!open.is_empty(), "it waits for somebody, but asks nothing");
                people::answer(engine, run, &open, &mut self.dice, &mut self.repeats).await;
            }
            RunStatus::Running | RunStatus::Paused => {
                if !is_calm && self.dice.chance(5) {
                    tally.again.fetch_add(1, Ordering::Relaxed);
                    let to = 1 + self.dice.below(shown.seq - 1);
                    let _ = engine.rewind(run, to, Files::Leave).await;
                }
            }
        }
        if !is_calm && self.dice.chance(10) {
            people::lay_hold(engine, run, &mut self.dice).await;
        }
        match self.drive(engine, run, is_calm).await {
            End::Died => {
                tally.crashes.fetch_add(1, Ordering::Relaxed);
            }
            End::Left => {}
        }
        engine.limit_pages(ROOM).await.unwrap();
        self.judge(engine, run).await;
        false
    }

    async fn judge(&mut self, engine: &Engine, run: &RunId) {
        let (store, memory) = (self.disk.store(), &mut self.memory);
        verdict::at_rest(engine, store, run, memory, &self.world, &self.repeats).await;
    }

    async fn drive(&mut self, engine: &Engine, run: &RunId, is_calm: bool) -> End {
        if let Err(error) = engine.resume(run).await {
            // A stop that was answered may have ended it, or a rewind has made it a draft again.
            assert!(
                error.code() == "over" || error.code() == "not_approved",
                "{error}"
            );
            return End::Left;
        }
        if !is_calm && self.dice.chance(10) {
            engine.pause(run).await.unwrap();
        }
        let death = if is_calm || self.dice.chance(30) {
            None
        } else {
            Some(self.dice.clone())
        };
        self.dice.below(2);
        let dying = async {
            match death {
                None => std::future::pending().await,
                Some(mut dice) => {
                    for _ in 0..dice.below(60) {
                        if dice.chance(30) {
                            tokio::time::sleep(Duration::from_millis(dice.below(400))).await;
                        } else {
                            tokio::task::yield_now().await;
                        }
                    }
                }
            }
        };
        // The disk is full for a while; what can't be stored is held until there is room.
        let full_for = (!is_calm && self.dice.chance(15)).then(|| self.dice.below(20_000));
        if full_for.is_some() {
            engine.limit_pages(1).await.unwrap();
        }
        let filling = async {
            if let Some(ms) = full_for {
                tokio::time::sleep(Duration::from_millis(ms)).await;
                engine.limit_pages(ROOM).await.unwrap();
            }
            std::future::pending::<()>().await
        };
        tokio::select! {
            biased;
            () = dying => End::Died,
            () = filling => End::Left,
            end = engine.until_left(run) => {
                let end = end.unwrap();
                assert!(end.trouble.is_none(), "{:?}", end.trouble);
                End::Left
            }
        }
    }

    /// Rewind, rerun or fork of a run that is over.
    async fn go_again(&mut self, engine: &Engine, run: &RunId, shown: &Shown) {
        match self.dice.below(4) {
            0 => {
                let to = 2 + self.dice.below(shown.seq - 2);
                let _ = engine.rewind(run, to, Files::Leave).await;
            }
            1 => {
                let at = 2 + self.dice.below(shown.seq - 1);
                let forked = engine.fork(run, Some(at), None, Files::Leave).await;
                self.run = Some(forked.unwrap().run);
                self.memory.turn_to_another_run();
            }
            2 => {
                // Items of maps and tasks of nested plans among them, which may have to be rerun as a whole.
                let any = self.dice.below(shown.tasks.len() as u64) as usize;
                let from = &shown.tasks[any].id;
                let rerun = engine.rerun(run, Some(from), None, Effects::Keep).await;
                if let Err(error) = rerun {
                    assert_eq!(error.code(), "inner_task", "{from}: {error}");
                }
            }
            _ => {
                engine.rerun(run, None, None, Effects::Again).await.unwrap();
            }
        }
    }

    fn engine(&self, folder: &Path, start: Instant) -> Engine {
        let config = Config {
            own_work: Vec::new(),
            secrets: planloom_engine::run::Secrets::environment(),
            db: None,
            samples: None,
            servers: Default::default(),
            tools: self.tools.clone(),
            workspaces: Some(folder.join("runs")),
            when_idle: WhenIdle::Leave,
            clock: Clock::Virtual {
                base_ms: self.now_ms,
                start,
            },
            max_parallel: 4,
            models: self.minds.models(),
            ids: Ids::Counted(self.ids.clone()),
            // Folds are kept so often that going on from one is what most looks do.
            fold_every: 7,
            replan: self.policy,
            face: "simulation",
            caps: Caps::default(),
            sync: Default::default(),
            troubles: Vec::new(),
        };
        Engine::open_on(self.disk.store().clone(), config)
    }
}
