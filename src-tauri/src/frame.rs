//! Where the window opens: the saved frame made to fit the monitors of today. Pure rules; knows no window system.
//!
//! Positions are physical pixels of the whole desktop, since monitors of different scale share no logical grid.
//! Sizes are kept as logical pixels, so that a window looks equally large on a screen of another scale.

use planloom_engine::model::Json;
use serde_json::json;

/// The first start's size, in logical pixels.
pub const DEFAULT_SIZE: Size = Size { w: 1440.0, h: 900.0 };
/// Below this the window can't be used; the window system enforces it.
pub const MIN_SIZE: Size = Size { w: 1024.0, h: 640.0 };

/// Height of the title bar that the page draws, in logical pixels.
const BAR: f64 = 40.0;
/// How much of the title bar a hand needs to take hold of, in logical pixels.
const GRIP: f64 = 100.0;
/// A smaller one was no window that a person could have wanted, in logical pixels.
const LEAST: Size = Size { w: 200.0, h: 150.0 };
/// Windows parks minimised windows at −32000.
const PARKED: f64 = -30_000.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    pub w: f64,
    pub h: f64,
}

/// A rectangle in physical pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    pub x: f64,
    pub y: f64,
    pub w: f64,
    pub h: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Monitor {
    /// Without panels and docks.
    pub work: Area,
    pub scale: f64,
    pub is_primary: bool,
}

/// What is stored: the bounds that the window has when it is not maximised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Saved {
    pub bounds: Area,
    pub scale: f64,
    pub is_maximised: bool,
}

/// Where the window opens. Without a position, the window system chooses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    pub position: Option<(i32, i32)>,
    pub size: Size,
    pub is_maximised: bool,
}

/// What the window system says of the window now.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    pub bounds: Area,
    pub scale: f64,
    pub is_minimised: bool,
    pub is_maximised: bool,
}

impl Saved {
    /// Reads a stored frame; anything that was no usable window is `None`.
    pub fn read(stored: &Json) -> Option<Self> {
        let number = |key: &str| stored.get(key).and_then(Json::as_f64).filter(|n| n.is_finite());
        let scale = number("scale")
            .filter(|s| (0.25..=8.0).contains(s))
            .unwrap_or(1.0);
        let is_logical = stored.get("unit").and_then(Json::as_str) == Some("logical");
        let unit = if is_logical { scale } else { 1.0 };
        let bounds = Area {
            x: number("x")?,
            y: number("y")?,
            w: number("w")? * unit,
            h: number("h")? * unit,
        };
        let is_maximised = stored.get("maximised").and_then(Json::as_bool).unwrap_or(false);
        let saved = Self {
            bounds,
            scale,
            is_maximised,
        };
        saved.is_usable().then_some(saved)
    }

    pub fn write(&self) -> Json {
        let Area { x, y, w, h } = self.bounds;
        json!({"x": x, "y": y, "w": w, "h": h, "unit": "physical", "scale": self.scale, "maximised": self.is_maximised})
    }

    fn is_usable(&self) -> bool {
        let Area { x, y, w, h } = self.bounds;
        let is_parked = x <= PARKED || y <= PARKED;
        let fits_a_screen = [x, y, w, h].iter().all(|n| n.abs() < 100_000.0);
        !is_parked && fits_a_screen && w / self.scale >= LEAST.w && h / self.scale >= LEAST.h
    }

    fn size(&self) -> Size {
        Size {
            w: (self.bounds.w / self.scale).round(),
            h: (self.bounds.h / self.scale).round(),
        }
    }
}

/// What to store of the window as it is now. A minimised or vanished window is not stored;
/// a maximised one keeps the bounds that it had before.
pub fn capture(seen: &Seen, before: Option<Saved>) -> Option<Saved> {
    if seen.is_minimised {
        return None;
    }
    if seen.is_maximised {
        let normal = before.unwrap_or(Saved {
            bounds: seen.bounds,
            scale: seen.scale,
            is_maximised: true,
        });
        return Some(Saved {
            is_maximised: true,
            ..normal
        })
        .filter(Saved::is_usable);
    }
    Some(Saved {
        bounds: seen.bounds,
        scale: seen.scale,
        is_maximised: false,
    })
    .filter(Saved::is_usable)
}

/// The frame for the monitors of today: never larger than the work area, and always with a title bar in reach.
pub fn restore(saved: Option<Saved>, monitors: &[Monitor]) -> Frame {
    let Some(primary) = monitors.iter().find(|m| m.is_primary).or(monitors.first()) else {
        let size = saved.map_or(DEFAULT_SIZE, |s| s.size());
        return Frame {
            position: None,
            size,
            is_maximised: false,
        };
    };
    let Some(saved) = saved else {
        return Frame {
            position: None,
            size: fitted(DEFAULT_SIZE, primary),
            is_maximised: false,
        };
    };
    let home = monitor_of(&saved.bounds, monitors).unwrap_or(primary);
    let size = fitted(saved.size(), home);
    let Area { x, y, .. } = saved.bounds;
    let frame = Area {
        x,
        y,
        w: size.w * home.scale,
        h: size.h * home.scale,
    };
    let is_kept = size == saved.size() && monitors.iter().any(|m| is_in_reach(&frame, m));
    let (x, y) = if is_kept {
        (x, y)
    } else {
        moved_inside(&frame, &home.work)
    };
    Frame {
        position: Some((x.round() as i32, y.round() as i32)),
        size,
        is_maximised: saved.is_maximised,
    }
}

fn fitted(size: Size, monitor: &Monitor) -> Size {
    Size {
        w: size.w.min((monitor.work.w / monitor.scale).floor()),
        h: size.h.min((monitor.work.h / monitor.scale).floor()),
    }
}

/// The monitor that shows most of the frame, if any shows some of it.
fn monitor_of<'a>(frame: &Area, monitors: &'a [Monitor]) -> Option<&'a Monitor> {
    let shown = |m: &Monitor| {
        overlap(frame.x, frame.w, m.work.x, m.work.w) * overlap(frame.y, frame.h, m.work.y, m.work.h)
    };
    monitors
        .iter()
        .filter(|m| shown(m) > 0.0)
        .max_by(|a, b| shown(a).total_cmp(&shown(b)))
}

fn is_in_reach(frame: &Area, monitor: &Monitor) -> bool {
    let work = &monitor.work;
    let is_bar_inside = frame.y >= work.y && frame.y + BAR * monitor.scale <= work.y + work.h;
    is_bar_inside && overlap(frame.x, frame.w, work.x, work.w) >= GRIP * monitor.scale
}

fn moved_inside(frame: &Area, work: &Area) -> (f64, f64) {
    let into = |at: f64, length: f64, start: f64, room: f64| at.min(start + room - length).max(start);
    (
        into(frame.x, frame.w, work.x, work.w),
        into(frame.y, frame.h, work.y, work.h),
    )
}

/// How much of one stretch lies in another.
fn overlap(a: f64, a_length: f64, b: f64, b_length: f64) -> f64 {
    ((a + a_length).min(b + b_length) - a.max(b)).max(0.0)
}

#[cfg(test)]
#[path = "frame_tests.rs"]
mod tests;
