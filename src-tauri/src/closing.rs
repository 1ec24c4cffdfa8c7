//! The way out: every run is left paused and resumable before the process ends. Knows no run by name.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use tauri::{AppHandle, ExitRequestApi, Manager};

use crate::desk::Desk;
use crate::fault::Fault;
use crate::window;

/// After this the process ends anyway: what is recorded stays recorded, as after a crash.
const PATIENCE: Duration = Duration::from_secs(20);

const OPEN: u8 = 0;
const CLOSING: u8 = 1;
const CLOSED: u8 = 2;

#[derive(Default)]
pub struct Closing(AtomicU8);

impl Closing {
    /// True for the one caller that must close.
    fn begin(&self) -> bool {
        self.0
            .compare_exchange(OPEN, CLOSING, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }
    fn finish(&self) {
        self.0.store(CLOSED, Ordering::Release);
    }
    fn is_closed(&self) -> bool {
        self.0.load(Ordering::Acquire) == CLOSED
    }
}

/// Holds the exit back until the engine is closed, then lets it through.
pub fn on_exit_requested(app: &AppHandle, api: &ExitRequestApi, code: Option<i32>) {
    let Some(desk) = app.try_state::<Desk>() else {
        return;
    };
    if desk.closing.is_closed() {
        return;
    }
    api.prevent_exit();
    if !desk.closing.begin() {
        return;
    }
    window::keep_frame(app);
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        close(&app).await;
        app.exit(code.unwrap_or(0));
    });
}

/// Ends this process and starts it anew, runs left as at any exit.
pub async fn restart(app: &AppHandle) {
    if app.try_state::<Desk>().is_some_and(|desk| desk.closing.begin()) {
        close(app).await;
        app.request_restart();
    }
}

/// Ends this process once another one has begun on that database.
pub fn start_with(app: &AppHandle, db: &Path) -> Result<(), Fault> {
    let begun = std::env::current_exe().and_then(|exe| Command::new(exe).arg("--db").arg(db).spawn());
    match begun {
        Ok(_) => {
            app.exit(0);
            Ok(())
        }
        Err(error) => Err(Fault::internal(&error.to_string())),
    }
}

async fn close(app: &AppHandle) {
    let Some(desk) = app.try_state::<Desk>() else {
        return;
    };
    desk.watches.end_all();
    if let Ok(engine) = desk.engine() {
        // On a task of its own: a panic in it must not keep the process from ending.
        let closed = tauri::async_runtime::spawn(async move { engine.close().await });
        if !matches!(tokio::time::timeout(PATIENCE, closed).await, Ok(Ok(()))) {
            tracing::warn!("the engine did not close in time; its runs can be resumed at the next start");
        }
    }
    desk.closing.finish();
}

/// A polite request to end from outside is the same as closing the window.
pub async fn exit_on_signal(app: AppHandle) {
    if let Err(error) = signal().await {
        tracing::warn!(%error, "signals are not heard");
        return;
    }
    app.exit(0);
}

#[cfg(unix)]
async fn signal() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut term, mut int, mut hup) = (
        signal(SignalKind::terminate())?,
        signal(SignalKind::interrupt())?,
        signal(SignalKind::hangup())?,
    );
    tokio::select! { _ = term.recv() => (), _ = int.recv() => (), _ = hup.recv() => () }
    Ok(())
}

#[cfg(not(unix))]
async fn signal() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_caller_closes_and_the_exit_waits_for_it() {
        let closing = Closing::default();
        assert!(closing.begin() && !closing.begin() && !closing.is_closed());
        closing.finish();
        assert!(closing.is_closed() && !closing.begin());
    }
}
