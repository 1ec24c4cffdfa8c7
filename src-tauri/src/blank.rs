//! What is said when the page paints nothing: native dialogs, which need no webview. Runs go on meanwhile.

use std::time::Duration;

use tauri::{AppHandle, Manager};
use tauri_plugin_dialog::{DialogExt, MessageDialogButtons, MessageDialogKind};
use tokio::sync::oneshot;

use crate::closing;
use crate::desk::Desk;
use crate::renderer::{self, Advice, Renderer};

/// A page that has not painted by then counts as blank.
const PATIENCE: Duration = Duration::from_secs(10);

const TITLE: &str = "Planloom's window stays blank";

/// Waits for the first paint; without one, says what can be done.
pub async fn watch_first_paint(app: AppHandle, renderer: Renderer) {
    let Some(desk) = app.try_state::<Desk>() else {
        return;
    };
    let has_painted = desk.first_paint.is_seen_within(PATIENCE).await;
    match renderer::advice(std::env::consts::OS, renderer, has_painted) {
        Advice::Nothing => {}
        Advice::OfferSafeRenderer => offer(&app, &desk).await,
        Advice::NameVariable => say(
            &app,
            &format!(
                "It has drawn nothing for 10 seconds. Your runs go on. {} is set in your environment, so Planloom \
                 leaves it alone: start Planloom with {}=1 to draw in the safest way.",
                renderer::VARIABLE,
                renderer::VARIABLE
            ),
        ),
        Advice::NameLog => say(
            &app,
            "It has drawn nothing for 10 seconds, though the safe renderer is on. Your runs go on. Start \
             planloom-desktop from a terminal to see what it reports; the planloom command line works without a window.",
        ),
    }
}

async fn offer(app: &AppHandle, desk: &Desk) {
    let (answer, accepted) = oneshot::channel();
    app.dialog()
        .message(
            "It has drawn nothing for 10 seconds, which some graphics drivers cause. Your runs go on. Planloom can \
             start again with the safe renderer and use it on this machine from now on; Settings can undo that.",
        )
        .title(TITLE)
        .kind(MessageDialogKind::Warning)
        .buttons(MessageDialogButtons::OkCancelCustom("Start again".to_owned(), "Not now".to_owned()))
        .show(|is_accepted| {
            // Nobody waits any more only where the process is ending.
            let _ = answer.send(is_accepted);
        });
    if accepted.await != Ok(true) {
        return;
    }
    match desk.settings.keep_safe_renderer(true) {
        Ok(()) => closing::restart(app).await,
        Err(fault) => say(app, &fault.message),
    }
}

fn say(app: &AppHandle, message: &str) {
    app.dialog()
        .message(message)
        .title(TITLE)
        .kind(MessageDialogKind::Warning)
        .show(drop);
}
