//! The colours of the window before and around the page. Knows no style of the page beyond its background.

use planloom_engine::model::Json;
use tauri::window::Color;
use tauri::{AppHandle, Manager, Theme as Native, WebviewWindow};

/// The person's choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    System,
    Dark,
    Light,
}

impl Theme {
    pub fn from_setting(setting: Option<&Json>) -> Self {
        match setting.and_then(Json::as_str) {
            Some("dark") => Self::Dark,
            Some("light") => Self::Light,
            Some(_) | None => Self::System,
        }
    }

    /// `None` follows the system.
    pub fn native(self) -> Option<Native> {
        match self {
            Self::System => None,
            Self::Dark => Some(Native::Dark),
            Self::Light => Some(Native::Light),
        }
    }
}

/// Gives the window a theme, and its background at once, so that no other colour flashes.
pub fn apply(app: &AppHandle, theme: Theme) {
    let Some(window) = app.get_webview_window(crate::window::LABEL) else {
        return;
    };
    let set = window
        .set_theme(theme.native())
        .and_then(|()| paint_background(&window, theme));
    if let Err(error) = set {
        tracing::warn!(%error, "the window's theme was not set");
    }
}

/// Paints what lies under the page.
pub fn paint_background(window: &WebviewWindow, theme: Theme) -> tauri::Result<()> {
    let native = theme.native().map_or_else(|| window.theme(), Ok)?;
    window.set_background_color(Some(background(native)))
}

/// The page's own ground (`--app` of its styles).
pub fn background(theme: Native) -> Color {
    if theme == Native::Light {
        Color(0xE9, 0xE6, 0xDE, 0xFF)
    } else {
        Color(0x10, 0x17, 0x1C, 0xFF)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_themes_follow_the_system() {
        assert_eq!(Theme::from_setting(Some(&Json::from("dark"))), Theme::Dark);
        assert_eq!(Theme::from_setting(Some(&Json::from("light"))), Theme::Light);
        for other in [
            Json::from("system"),
            Json::from("pink"),
            Json::Null,
            Json::from(1),
        ] {
            assert_eq!(Theme::from_setting(Some(&other)), Theme::System);
        }
        assert_eq!(Theme::from_setting(None), Theme::System);
    }
}
