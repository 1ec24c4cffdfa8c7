//! The one window: how it opens, what it refuses, when its frame is kept. Knows nothing of the page's content.

use std::sync::Mutex;
use std::time::Duration;

use tauri::webview::{NewWindowResponse, PageLoadEvent};
use tauri::{
    AppHandle, Manager, Monitor as Screen, PhysicalPosition, Url, WebviewUrl, WebviewWindow,
    WebviewWindowBuilder, WindowEvent,
};

use crate::desk::Desk;
use crate::frame::{self, Area, Frame, MIN_SIZE, Monitor, Seen};
use crate::look::{self, Theme};

pub const LABEL: &str = "main";

/// How long a frame must stand still before it is written.
const STILL: Duration = Duration::from_millis(400);

/// Opens the window where it was, in its colours, and shows it before the page has loaded:
/// a window that waits for its page can't say that the page does not come.
pub fn open(app: &AppHandle, frame: &Frame, theme: Theme) -> tauri::Result<WebviewWindow> {
    let window = builder(app, frame, theme).build()?;
    if let Some((x, y)) = frame.position {
        window.set_position(PhysicalPosition::new(x, y))?;
    }
    // Asked for again: GTK passes the builder's theme to the frame, but not to the page.
    window.set_theme(theme.native())?;
    look::paint_background(&window, theme)?;
    if frame.is_maximised {
        window.maximize()?;
    }
    window.show()?;
    keep_frame_when_still(&window);
    Ok(window)
}

fn builder<'a>(
    app: &'a AppHandle,
    frame: &Frame,
    theme: Theme,
) -> WebviewWindowBuilder<'a, tauri::Wry, AppHandle> {
    WebviewWindowBuilder::new(app, LABEL, WebviewUrl::default())
        .title("Planloom")
        .decorations(cfg!(target_os = "macos"))
        .inner_size(frame.size.w, frame.size.h)
        // A screen or a person's own window may be smaller than what the page is made for.
        .min_inner_size(MIN_SIZE.w.min(frame.size.w), MIN_SIZE.h.min(frame.size.h))
        .visible(false)
        .theme(theme.native())
        .background_color(look::background(theme.native().unwrap_or(tauri::Theme::Dark)))
        .initialization_script(theme_script(theme))
        // The page has its own drag and drop.
        .disable_drag_drop_handler()
        .on_navigation(is_own_page)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .on_download(|_, _| false)
        .on_page_load(|window, load| {
            if matches!(load.event(), PageLoadEvent::Started)
                && let Some(desk) = window.try_state::<Desk>()
            {
                desk.watches.end_all();
            }
        })
}

/// Names the theme before the first style is read, so that the page does not flash in another one.
fn theme_script(theme: Theme) -> &'static str {
    match theme {
        Theme::Dark => "document.documentElement.dataset.theme = 'dark'",
        Theme::Light => "document.documentElement.dataset.theme = 'light'",
        Theme::System => {
            "document.documentElement.dataset.theme = matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark'"
        }
    }
}

/// The page is the only one that this window ever shows.
fn is_own_page(url: &Url) -> bool {
    let is_bundled = match url.scheme() {
        "tauri" => url.host_str() == Some("localhost"),
        "http" | "https" => url.host_str() == Some("tauri.localhost"),
        scheme => scheme == "about" && url.path() == "blank",
    };
    let is_dev_server = tauri::is_dev() && url.host_str() == Some("127.0.0.1") && url.port() == Some(1420);
    is_bundled || is_dev_server
}

pub fn monitors(app: &AppHandle) -> Vec<Monitor> {
    let primary = app.primary_monitor().ok().flatten();
    let is_primary = |screen: &Screen| {
        primary
            .as_ref()
            .is_some_and(|p| p.position() == screen.position())
    };
    let screens = app.available_monitors().unwrap_or_default();
    screens
        .iter()
        .map(|screen| monitor(screen, is_primary(screen)))
        .collect()
}

fn monitor(screen: &Screen, is_primary: bool) -> Monitor {
    let work = screen.work_area();
    let (position, size) = (work.position, work.size);
    let work = Area {
        x: position.x.into(),
        y: position.y.into(),
        w: size.width.into(),
        h: size.height.into(),
    };
    Monitor {
        work,
        scale: screen.scale_factor(),
        is_primary,
    }
}

/// Writes the frame some time after the last change to it, and when the window is about to go.
fn keep_frame_when_still(window: &WebviewWindow) {
    let app = window.app_handle().clone();
    let waiting: Mutex<Option<tauri::async_runtime::JoinHandle<()>>> = Mutex::new(None);
    window.on_window_event(move |event| {
        if let WindowEvent::CloseRequested { .. } = event {
            keep_frame(&app);
        }
        if let WindowEvent::Resized(_) | WindowEvent::Moved(_) = event
            && let Ok(mut waiting) = waiting.lock()
        {
            let app = app.clone();
            let next = tauri::async_runtime::spawn(async move {
                tokio::time::sleep(STILL).await;
                keep_frame(&app);
            });
            if let Some(before) = waiting.replace(next) {
                before.abort();
            }
        }
    });
}

pub fn keep_frame(app: &AppHandle) {
    let (Some(window), Some(desk)) = (app.get_webview_window(LABEL), app.try_state::<Desk>()) else {
        return;
    };
    let before = desk.settings.frame();
    let Some(now) = seen(&window).ok().and_then(|seen| frame::capture(&seen, before)) else {
        return;
    };
    if before == Some(now) {
        return;
    }
    if let Err(fault) = desk.settings.keep_frame(&now) {
        tracing::warn!("{}", fault.message);
    }
}

fn seen(window: &WebviewWindow) -> tauri::Result<Seen> {
    let (position, size) = (window.outer_position()?, window.inner_size()?);
    Ok(Seen {
        bounds: Area {
            x: position.x.into(),
            y: position.y.into(),
            w: size.width.into(),
            h: size.height.into(),
        },
        scale: window.scale_factor()?,
        is_minimised: window.is_minimized()?,
        is_maximised: window.is_maximized()? || window.is_fullscreen()?,
    })
}

/// Brings the window before the person's eyes.
/// Whether a person has it before them: shown, and with the keyboard.
pub fn is_in_front(app: &AppHandle) -> bool {
    let window = app.get_webview_window(LABEL);
    window
        .is_some_and(|window| window.is_focused().unwrap_or(true) && !window.is_minimized().unwrap_or(false))
}

pub fn focus(app: &AppHandle) {
    let Some(window) = app.get_webview_window(LABEL) else {
        return;
    };
    let shown = window
        .unminimize()
        .and_then(|()| window.show())
        .and_then(|()| window.set_focus());
    if let Err(error) = shown {
        tracing::warn!(%error, "the window could not be brought to the front");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_own_page_is_shown() {
        let is_own = |url: &str| is_own_page(&Url::parse(url).expect("a URL"));
        assert!(is_own("tauri://localhost/") && is_own("tauri://localhost/index.html#/run/1"));
        assert!(is_own("http://tauri.localhost/") && is_own("about:blank"));
        for other in [
            "https://example.com/",
            "http://tauri.localhost.example.com/",
            "tauri://example.com/",
            "file:///etc/passwd",
            "data:text/html,x",
            "javascript:alert(1)",
            "about:srcdoc",
            "http://127.0.0.1:8080/",
        ] {
            assert!(!is_own(other), "{other}");
        }
    }
}
