//! What every command is given: the engine, the settings and the open watches. Holds no plan and no run.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use planloom_engine::Engine;

use crate::closing::Closing;
use crate::commands::window::Environment;
use crate::fault::Fault;
use crate::models::Models;
use crate::paint::FirstPaint;
use crate::plannings::Plannings;
use crate::renderer::{self, Renderer};
use crate::servers::Servers;
use crate::settings::Settings;
use crate::watches::Watches;

struct Opened {
    engine: Result<Engine, Fault>,
    /// Nothing of it is changed: a newer version has written it.
    is_looked_at: bool,
}

pub struct Desk {
    /// A database that can't be opened is told by each command, so that the window can show why.
    engine: Mutex<Opened>,
    db: PathBuf,
    renderer: Renderer,
    notices: Vec<String>,
    open_first: Mutex<Option<String>>,
    pub settings: Settings,
    pub models: Models,
    pub plannings: Plannings,
    pub servers: Servers,
    pub watches: Watches,
    pub first_paint: FirstPaint,
    pub closing: Closing,
}

impl Desk {
    pub fn new(
        engine: Result<Engine, Fault>,
        db: PathBuf,
        settings: Settings,
        renderer: Renderer,
        open_first: Option<String>,
    ) -> Self {
        let notices = settings.notice().into_iter().collect();
        Self {
            engine: Mutex::new(Opened {
                engine,
                is_looked_at: false,
            }),
            models: Models::beside(&db),
            servers: Servers::beside(&db),
            db,
            renderer,
            notices,
            open_first: Mutex::new(open_first),
            settings,
            plannings: Plannings::default(),
            watches: Watches::default(),
            first_paint: FirstPaint::default(),
            closing: Closing::default(),
        }
    }

    pub fn engine(&self) -> Result<Engine, Fault> {
        self.opened().engine.clone()
    }

    /// From now on this database is looked at, and nothing of it is changed.
    pub fn look_through(&self, engine: Engine) {
        *self.opened() = Opened {
            engine: Ok(engine),
            is_looked_at: true,
        };
    }

    fn opened(&self) -> MutexGuard<'_, Opened> {
        // Whole at any moment: nothing can panic while it is changed.
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn environment(&self) -> Environment {
        let opened = self.opened();
        Environment {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            db_path: self.db.to_string_lossy().into_owned(),
            safe_renderer: self.settings.safe_renderer(),
            offer_safe_renderer: renderer::is_a_choice(std::env::consts::OS, self.renderer),
            platform: std::env::consts::OS.to_owned(),
            notices: self.notices.clone(),
            open_first: self.take_open_first(),
            no_database: opened.engine.as_ref().err().cloned(),
            is_looked_at: opened.is_looked_at,
        }
    }

    /// Told once: a reload of the page does not open the plan again.
    fn take_open_first(&self) -> Option<String> {
        self.open_first.lock().ok().and_then(|mut path| path.take())
    }
}
