//! A plan as a picture that stands alone: cards, edges, states, drawn as SVG in the look of the canvas; and the same plan
//! as Mermaid text. Pure; it must not know runs, files or how pictures become pixels.

mod card;
mod frame;
mod icons;
mod lay;
mod layout;
mod measure;
mod mermaid;
mod places;
mod route;
mod sketch;
mod svg;
#[cfg(test)]
mod tests;
mod theme;

pub use measure::plain;
pub use mermaid::mermaid;
pub use sketch::{Drawn, sketch};
pub use svg::{Svg, escape, svg};
pub use theme::Theme;

use super::edit::Position;
use super::status::TaskStatus;
use super::tool::Access;

/// What is drawn. Texts are other people's: they are escaped where they are written.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    pub title: String,
    pub cards: Vec<Card>,
    pub links: Vec<Link>,
}

/// One task.
#[derive(Clone, Debug, Default)]
pub struct Card {
    pub id: String,
    pub title: String,
    /// The kind's word, as in the plan.
    pub kind: String,
    /// Tool, model or what else stands in the second line.
    pub detail: String,
    /// Where a person put it.
    pub position: Option<Position>,
    /// Nothing: the plan is a draft, and has no states.
    pub state: Option<TaskStatus>,
    /// More about the state, such as `4 of 4`.
    pub count: String,
    /// What stands at the strip's right: time and cost.
    pub right: String,
    /// What a draft's task asks for: how many entries of each kind.
    pub grants: Vec<(Access, usize)>,
    /// What a map or a nested plan holds.
    pub inner: Option<Inner>,
}

/// What a map runs for each item, and how far its items are; or the tasks of a nested plan.
#[derive(Clone, Debug, Default)]
pub struct Inner {
    /// Of a map: one card, drawn inside. Of a nested plan: all of them, drawn only as text.
    pub cards: Vec<Card>,
    pub links: Vec<Link>,
    pub items: Vec<TaskStatus>,
    pub at_a_time: Option<u64>,
}

/// From one card to another, by their places in the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    pub from: usize,
    pub to: usize,
    pub is_in_loop: bool,
}

/// A card's place and size, in the picture's units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Rect {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl Rect {
    fn right(self) -> f64 {
        self.x + self.width
    }

    fn bottom(self) -> f64 {
        self.y + self.height
    }

    fn middle(self) -> f64 {
        self.x + self.width / 2.0
    }
}

const WIDTH: f64 = 216.0;
const HEIGHT: f64 = 72.0;
/// A map holds its inner card.
const FRAME: f64 = 144.0;
const COLUMN: f64 = 24.0;
const WAVE: f64 = 104.0;
const LINE: f64 = 88.0;
const BUS: f64 = 16.0;
const SNAP: f64 = 8.0;

impl Card {
    fn is_framed(&self) -> bool {
        self.kind == "map"
    }

    fn height(&self) -> f64 {
        if self.is_framed() { FRAME } else { HEIGHT }
    }
}

/// What a kind is called.
pub fn kind_name(kind: &str) -> &str {
    match kind {
        "agent" => "Agent",
        "model" => "Model call",
        "tool" => "Tool",
        "code" => "Code",
        "human" => "Ask a person",
        "map" => "Map",
        "subplan" => "Subplan",
        other => other,
    }
}

/// What a state is called.
pub fn state_name(state: TaskStatus) -> &'static str {
    match state {
        TaskStatus::Pending => "Pending",
        TaskStatus::Ready => "Ready",
        TaskStatus::Running => "Running",
        TaskStatus::Retrying => "Retrying",
        TaskStatus::Waiting => "Waiting for you",
        TaskStatus::InDoubt => "In doubt",
        TaskStatus::Completed => "Done",
        TaskStatus::Failed => "Failed",
        TaskStatus::Skipped => "Skipped",
        TaskStatus::Cancelled => "Cancelled",
        TaskStatus::Pruned => "Removed",
    }
}
