//! The picture as SVG: presentation attributes alone, no script, no style sheet, nothing from elsewhere; all texts escaped.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::card::draw_card;
use super::layout::Layout;
use super::measure::{Weight, exact_width, fitted, is_steering};
use super::places::place;
use super::route::{Obstacles, Route, n, route};
use super::theme::{Ink, Theme};
use super::{Card, Picture, Rect};
use crate::model::status::TaskStatus;

/// Room around the cards, and for the title above them.
const MARGIN: f64 = 32.0;
const HEAD: f64 = 40.0;
/// However few cards there are, the title has some room.
const LEAST_WIDTH: f64 = 320.0;

/// A drawn picture.
#[derive(Clone, Debug)]
pub struct Svg {
    pub text: String,
    pub width: f64,
    pub height: f64,
}

/// Draws the picture. The work grows with its cards and links.
pub fn svg(picture: &Picture, theme: Theme) -> Svg {
    let layout = place(picture);
    let bounds = bounds(&layout.places);
    let width = (bounds.width + 2.0 * MARGIN).max(LEAST_WIDTH);
    let height = bounds.height + 2.0 * MARGIN + HEAD;
    let mut pen = Pen::new(theme);
    pen.open(&picture.title, width, height);
    let title = fitted(&picture.title, 16.0, Weight::SemiBold, width - 2.0 * MARGIN);
    pen.label(&title, (MARGIN, 38.0), Font::of(16.0, Weight::SemiBold, Ink::T1));
    let left = MARGIN - bounds.x + ((width - 2.0 * MARGIN - bounds.width) / 2.0).floor();
    pen.group(left, MARGIN + HEAD - bounds.y);
    draw_links(&mut pen, picture, &layout);
    for (card, place) in picture.cards.iter().zip(&layout.places) {
        draw_card(&mut pen, card, *place);
    }
    pen.text.push_str("</g></svg>\n");
    Svg {
        text: pen.text,
        width,
        height,
    }
}

fn bounds(places: &[Rect]) -> Rect {
    let Some(first) = places.first() else {
        return Rect::default();
    };
    let least = |of: fn(&Rect) -> f64| places.iter().map(of).fold(of(first), f64::min);
    let most = |of: fn(&Rect) -> f64| places.iter().map(of).fold(of(first), f64::max);
    let (x, y) = (least(|r| r.x), least(|r| r.y));
    Rect {
        x,
        y,
        width: most(|r| r.right()) - x,
        height: most(|r| r.bottom()) - y,
    }
}

/// How an edge is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Look {
    Pending,
    Skipped,
    Done,
    Running,
    Doubt,
    Loop,
}

fn look(picture: &Picture, link: &super::Link) -> Look {
    if link.is_in_loop {
        return Look::Loop;
    }
    let state = |card: &Card| card.state;
    let (from, to) = (state(&picture.cards[link.from]), state(&picture.cards[link.to]));
    match (from, to) {
        (Some(TaskStatus::Skipped | TaskStatus::Cancelled | TaskStatus::Pruned), _)
        | (_, Some(TaskStatus::Skipped | TaskStatus::Cancelled | TaskStatus::Pruned)) => Look::Skipped,
        (_, Some(TaskStatus::InDoubt)) => Look::Doubt,
        (_, Some(TaskStatus::Running | TaskStatus::Retrying)) => Look::Running,
        (Some(TaskStatus::Completed), _) => Look::Done,
        (_, _) => Look::Pending,
    }
}

/// All edges of one look are one path, and their arrows another.
fn draw_links(pen: &mut Pen, picture: &Picture, layout: &Layout) {
    let around = Obstacles::of(&layout.places);
    let mut looks: BTreeMap<Look, Route> = BTreeMap::new();
    for (link, lane) in picture.links.iter().zip(&layout.lanes) {
        let (from, to) = (layout.places[link.from], layout.places[link.to]);
        let Route { path, arrow } = route(from, to, &around, *lane);
        let whole = looks.entry(look(picture, link)).or_insert_with(|| Route {
            path: String::new(),
            arrow: String::new(),
        });
        whole.path.push_str(&path);
        whole.arrow.push_str(&arrow);
    }
    for (look, Route { path, arrow }) in looks {
        let (ink, width, dash) = match look {
            Look::Pending => (Ink::EdgeDim, 1.25, ""),
            Look::Skipped => (Ink::EdgeDim, 1.25, "2 4"),
            Look::Done => (Ink::Edge, 1.5, ""),
            Look::Running => (Ink::Running, 2.0, "6 4"),
            Look::Doubt => (Ink::Doubt, 2.0, "1 4"),
            Look::Loop => (Ink::Failed, 2.0, "5 4"),
        };
        pen.line(&path, ink, width, dash);
        pen.fill(&arrow, ink);
    }
}

/// How a text is set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Font {
    size: f64,
    weight: Weight,
    ink: Ink,
    is_right: bool,
    is_struck: bool,
}

impl Font {
    pub fn of(size: f64, weight: Weight, ink: Ink) -> Self {
        Self {
            size,
            weight,
            ink,
            is_right: false,
            is_struck: false,
        }
    }

    /// It ends at its point instead of beginning there.
    pub fn to_the_right(self) -> Self {
        Self {
            is_right: true,
            ..self
        }
    }

    pub fn struck(self, is_struck: bool) -> Self {
        Self { is_struck, ..self }
    }
}

/// A border: its colour, width and dashes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Border {
    pub ink: Ink,
    pub width: f64,
    pub dash: &'static str,
}

/// Writes elements. Every text and every colour goes through it.
pub(super) struct Pen {
    text: String,
    theme: Theme,
}

// Writing into a text does not fail.
impl Pen {
    fn new(theme: Theme) -> Self {
        Self {
            text: String::new(),
            theme,
        }
    }

    fn open(&mut self, title: &str, width: f64, height: f64) {
        let (w, h) = (n(width), n(height));
        let _ = write!(
            self.text,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" font-family="Inter, 'Inter Variable', system-ui, sans-serif" fill="none" stroke-linecap="round" stroke-linejoin="round"><title>"#
        );
        escape(&mut self.text, title);
        let ground = self.theme.of(Ink::Canvas);
        let _ = write!(
            self.text,
            r#"</title><rect width="{w}" height="{h}" fill="{ground}"/>"#
        );
    }

    fn group(&mut self, x: f64, y: f64) {
        let _ = write!(self.text, r#"<g transform="translate({} {})">"#, n(x), n(y));
    }

    /// Begins a card, with its whole title for whoever points at it or can't see it.
    pub fn begin(&mut self, at: Rect, title: &str) {
        self.group(at.x, at.y);
        self.text.push_str("<title>");
        escape(&mut self.text, title);
        self.text.push_str("</title>");
    }

    pub fn end(&mut self) {
        self.text.push_str("</g>");
    }

    pub fn line(&mut self, path: &str, ink: Ink, width: f64, dash: &str) {
        let colour = self.theme.of(ink);
        let _ = write!(
            self.text,
            r#"<path d="{path}" stroke="{colour}" stroke-width="{}"{}/>"#,
            n(width),
            dashes(dash)
        );
    }

    pub fn fill(&mut self, path: &str, ink: Ink) {
        let colour = self.theme.of(ink);
        let _ = write!(self.text, r#"<path d="{path}" fill="{colour}"/>"#);
    }

    pub fn rect(&mut self, at: Rect, radius: f64, fill: Option<Ink>, border: Option<Border>) {
        let _ = write!(
            self.text,
            r#"<rect x="{}" y="{}" width="{}" height="{}" rx="{}""#,
            n(at.x),
            n(at.y),
            n(at.width),
            n(at.height),
            n(radius)
        );
        if let Some(ink) = fill {
            let _ = write!(self.text, r#" fill="{}""#, self.theme.of(ink));
        }
        if let Some(border) = border {
            let colour = self.theme.of(border.ink);
            let _ = write!(
                self.text,
                r#" stroke="{colour}" stroke-width="{}"{}"#,
                n(border.width),
                dashes(border.dash)
            );
        }
        self.text.push_str("/>");
    }

    pub fn icon(&mut self, icon: &str, (x, y): (f64, f64), size: f64, ink: Ink) {
        let colour = self.theme.of(ink);
        let _ = write!(
            self.text,
            r#"<path transform="translate({} {}) scale({})" d="{icon}" stroke="{colour}" stroke-width="1.75"/>"#,
            n(x),
            n(y),
            n4(size / 24.0)
        );
    }

    pub fn label(&mut self, text: &str, (x, y): (f64, f64), font: Font) {
        if text.is_empty() {
            return;
        }
        let colour = self.theme.of(font.ink);
        let weight = match font.weight {
            Weight::Regular => 400,
            Weight::SemiBold => 600,
        };
        let _ = write!(
            self.text,
            r#"<text x="{}" y="{}" font-size="{}" font-weight="{weight}" fill="{colour}"{}{}{}>"#,
            n(x),
            n(y),
            n(font.size),
            Self::length_of(text, font),
            if font.is_right {
                r#" text-anchor="end""#
            } else {
                ""
            },
            if font.is_struck {
                r#" text-decoration="line-through""#
            } else {
                ""
            },
        );
        escape(&mut self.text, text);
        self.text.push_str("</text>");
    }

    /// A long line keeps its width where another font stands in for ours, so that it stays in its card. Only of letters
    /// whose widths are known: others would be stretched.
    fn length_of(text: &str, font: Font) -> String {
        const LONG: f64 = 120.0;
        let wide = exact_width(text, font.size, font.weight);
        match wide.filter(|wide| *wide > LONG) {
            Some(wide) => format!(r#" textLength="{}" lengthAdjust="spacingAndGlyphs""#, n(wide)),
            None => String::new(),
        }
    }
}

fn n4(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}

fn dashes(dash: &str) -> String {
    if dash.is_empty() {
        return String::new();
    }
    format!(r#" stroke-dasharray="{dash}""#)
}

/// As text of XML and HTML alike. What may not stand there at all, or steers, is written as what it is.
pub fn escape(into: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => into.push_str("&amp;"),
            '<' => into.push_str("&lt;"),
            '>' => into.push_str("&gt;"),
            '"' => into.push_str("&quot;"),
            '\'' => into.push_str("&#39;"),
            // Joins emoji; it is let through only where `plain` has.
            '\u{200d}' => into.push(c),
            c if is_steering(c) => {
                let _ = write!(into, "\\u{{{:x}}}", c as u32);
            }
            c => into.push(c),
        }
    }
}
