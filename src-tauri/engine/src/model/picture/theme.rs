//! Colours: those of the design in dark and light, and names of them for a page that has both.

/// Which colours a picture has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    Dark,
    Light,
    /// Names that a page gives its colours to: `var(--t1)`.
    Page,
}

/// One colour of the design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    Canvas,
    Panel,
    Raised,
    Line,
    Line2,
    Line3,
    T1,
    T2,
    T3,
    Idle,
    Running,
    RunningTint,
    Completed,
    Retrying,
    RetryingTint,
    WaitingFill,
    OnWaiting,
    WaitingLine,
    Doubt,
    DoubtTint,
    Failed,
    FailedTint,
    ModelBack,
    ModelFront,
    ExactBack,
    ExactFront,
    PersonBack,
    PersonFront,
    Edge,
    EdgeDim,
}

/// Name, dark, light: as in the design's tokens.
const fn values(ink: Ink) -> (&'static str, &'static str, &'static str) {
    match ink {
        Ink::Canvas => ("canvas", "#0d1318", "#f2f0ea"),
        Ink::Panel => ("panel", "#151d23", "#faf9f6"),
        Ink::Raised => ("raised", "#1b252c", "#ffffff"),
        Ink::Line => ("line", "#26323a", "#dedad0"),
        Ink::Line2 => ("line2", "#3a4853", "#c4bfb2"),
        Ink::Line3 => ("line3", "#627582", "#87826f"),
        Ink::T1 => ("t1", "#e7edf1", "#1a2127"),
        Ink::T2 => ("t2", "#b3c0ca", "#47525b"),
        Ink::T3 => ("t3", "#95a4b0", "#5a646c"),
        Ink::Idle => ("idle", "#a3b2be", "#55616b"),
        Ink::Running => ("running", "#56cbd3", "#0a6673"),
        Ink::RunningTint => ("b-running", "#11343a", "#d6f0f2"),
        Ink::Completed => ("completed", "#74c791", "#1e6b3f"),
        Ink::Retrying => ("retrying", "#f2a566", "#94450a"),
        Ink::RetryingTint => ("b-retrying", "#3a2716", "#fbe6d2"),
        Ink::WaitingFill => ("b-waiting", "#f5cf63", "#ffe08a"),
        Ink::OnWaiting => ("on-waiting", "#1c1503", "#3d2c00"),
        Ink::WaitingLine => ("l-waiting", "#f5cf63", "#a37a00"),
        Ink::Doubt => ("doubt", "#ec9cd3", "#962a77"),
        Ink::DoubtTint => ("b-doubt", "#3b2136", "#f9e1f1"),
        Ink::Failed => ("failed", "#ff8f86", "#b0261e"),
        Ink::FailedTint => ("b-failed", "#421f1f", "#fbe0dd"),
        Ink::ModelBack => ("fm-b", "#1e3446", "#dce9f7"),
        Ink::ModelFront => ("fm-f", "#a9d2f8", "#1a4f8f"),
        Ink::ExactBack => ("fx-b", "#2b373f", "#e9e7e0"),
        Ink::ExactFront => ("fx-f", "#c6d1d9", "#434c53"),
        Ink::PersonBack => ("fp-b", "#3d3725", "#f6eacb"),
        Ink::PersonFront => ("fp-f", "#eedca8", "#5f4700"),
        Ink::Edge => ("edge", "#8090a0", "#6f6b5e"),
        Ink::EdgeDim => ("edge-dim", "#5c6c78", "#8a8576"),
    }
}

impl Theme {
    /// The colour as it stands in an attribute.
    pub(super) fn of(self, ink: Ink) -> String {
        let (name, dark, light) = values(ink);
        match self {
            Self::Dark => dark.to_owned(),
            Self::Light => light.to_owned(),
            Self::Page => format!("var(--{name})"),
        }
    }
}
