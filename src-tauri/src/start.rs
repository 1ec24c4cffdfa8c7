//! From process start to a running window, in order. Each step lives in a file of its own.

use std::path::{Path, PathBuf};

use clap::Parser;
use planloom_engine::{Config, Engine, Error};
use tauri::{AppHandle, Manager, RunEvent};
use tauri_specta::Event;

use crate::arguments::Arguments;
use crate::bindings::{self, PlanNamed};
use crate::desk::Desk;
use crate::fault::Fault;
use crate::places::{self, Places};
use crate::renderer::Renderer;
use crate::settings::Settings;
use crate::{blank, closing, environment, frame, telling, window};

/// How this process is named as the owner of a run.
pub const FACE: &str = "desktop app";

/// Runs the window until it is closed; answers the exit code.
pub fn start(context: tauri::Context) -> i32 {
    let arguments = Arguments::parse();
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::WARN)
        .with_writer(|| planloom_engine::run::CleanStderr)
        .init();
    planloom_engine::run::clean_panics();
    let Some(places) = Places::find(&arguments) else {
        tracing::error!("There is no data folder for this user; name a database with --db.");
        return 4;
    };
    environment::renew_if_needed(&places.settings);
    let folder = std::env::current_dir().unwrap_or_default();
    let open_first = arguments.plan_from(&folder);
    match build(context, places, open_first) {
        Ok(app) => app.run_return(on_event),
        Err(error) => {
            tracing::error!("Planloom could not open its window: {error}");
            4
        }
    }
}

fn build(context: tauri::Context, places: Places, open_first: Option<String>) -> tauri::Result<tauri::App> {
    let bindings = bindings::builder();
    let mut builder = tauri::Builder::default().invoke_handler(bindings.invoke_handler());
    if places.is_default {
        // First of the plugins: a second start must be noticed before anything else happens.
        builder = builder.plugin(tauri_plugin_single_instance::init(|app, words, folder| {
            on_second_start(app, &words, Path::new(&folder));
        }));
    }
    builder
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_store::Builder::default().build())
        .setup(move |app| {
            bindings.mount_events(app);
            Ok(open(app.handle(), &places, open_first)?)
        })
        .build(context)
}

/// Opens engine, settings and window. Only a window that can't be opened ends the start;
/// what else fails is said in the window.
fn open(app: &AppHandle, places: &Places, open_first: Option<String>) -> Result<(), Failure> {
    let settings = Settings::open(app, &places.settings).map_err(|fault| Failure(fault.message))?;
    let (frame, theme) = (
        frame::restore(settings.frame(), &window::monitors(app)),
        settings.theme(),
    );
    let renderer = Renderer::current();
    let engine = open_engine(app, places);
    app.manage(Desk::new(
        engine,
        places.db.clone(),
        settings,
        renderer,
        open_first,
    ));
    window::open(app, &frame, theme).map_err(|error| Failure(error.to_string()))?;
    tauri::async_runtime::spawn(find_models(app.clone()));
    tauri::async_runtime::spawn(telling::tell(app.clone()));
    tauri::async_runtime::spawn(closing::exit_on_signal(app.clone()));
    tauri::async_runtime::spawn(blank::watch_first_paint(app.clone(), renderer));
    Ok(())
}

/// In the background, so that the window opens at once; until it is done, no model is set up.
async fn find_models(app: AppHandle) {
    let desk = app.state::<Desk>();
    if let Ok(engine) = desk.engine()
        && let Err(fault) = desk.models.survey(&engine).await
    {
        tracing::warn!("{}", fault.message);
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Failure(String);

/// On a task of its own, so that a panic in it is told in the window instead of ending the start.
fn open_engine(app: &AppHandle, places: &Places) -> Result<Engine, Fault> {
    let config = config(app, places.db.clone());
    for trouble in &config.troubles {
        tracing::warn!("{trouble}");
    }
    tauri::async_runtime::block_on(opened(config, Engine::open))
}

/// A database that a newer version has written, to be looked at.
pub async fn look(app: &AppHandle, db: PathBuf) -> Result<Engine, Fault> {
    opened(config(app, db), Engine::look_at_newer).await
}

fn config(app: &AppHandle, db: PathBuf) -> Config {
    let samples = places::samples(app.path().resource_dir().ok().as_deref());
    Config {
        samples,
        ..Config::of_program(Some(db), FACE)
    }
}

async fn opened(config: Config, open: fn(Config) -> Result<Engine, Error>) -> Result<Engine, Fault> {
    match tauri::async_runtime::spawn(async move { open(config) }).await {
        Ok(engine) => engine.map_err(Fault::from),
        Err(broken) => Err(Fault::internal(&broken.to_string())),
    }
}

/// The first window comes to the front and opens the plan that the second start named.
fn on_second_start(app: &AppHandle, words: &[String], folder: &Path) {
    window::focus(app);
    let Ok(arguments) = Arguments::try_parse_from(words) else {
        return;
    };
    if let Some(path) = arguments.plan_from(folder)
        && let Err(error) = (PlanNamed { path }).emit(app)
    {
        tracing::warn!(%error, "the window could not be told of the plan");
    }
}

fn on_event(app: &AppHandle, event: RunEvent) {
    if let RunEvent::ExitRequested { api, code, .. } = event {
        closing::on_exit_requested(app, &api, code);
    }
}
