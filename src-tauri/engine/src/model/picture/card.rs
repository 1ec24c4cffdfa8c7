//! One card: tile, title, second line, strip; each state in its own look. It must not know where the card lies.

use super::frame::draw_frame;
use super::measure::{Weight, fitted, width};
use super::svg::{Border, Font, Pen};
use super::theme::Ink;
use super::{Card, HEIGHT, Rect, WIDTH, icons, kind_name, state_name};
use crate::model::status::TaskStatus;
use crate::model::tool::Access;

const BASE: f64 = 49.0;

/// How a state looks: icon, the icon's and label's colour, border, fill of the strip.
pub(super) struct Look {
    pub icon: &'static str,
    pub ink: Ink,
    pub border: Border,
    pub strip: Option<Ink>,
    pub ground: Ink,
    pub title: Ink,
}

pub(super) fn draw_card(pen: &mut Pen, card: &Card, at: Rect) {
    pen.begin(at, &spoken(card));
    if card.is_framed() {
        draw_frame(pen, card);
    } else {
        draw_whole(pen, card);
    }
    pen.end();
}

/// What is read out: the whole title, kind and state.
fn spoken(card: &Card) -> String {
    let state = card.state.map_or("", state_name);
    let parts = [
        card.title.as_str(),
        kind_name(&card.kind),
        &card.detail,
        state,
        &card.count,
    ];
    let parts = parts.iter().filter(|part| !part.is_empty());
    let short = parts.map(|part| crate::model::title::cut_at(&super::plain(part), 300));
    short.collect::<Vec<_>>().join(", ")
}

fn draw_whole(pen: &mut Pen, card: &Card) {
    let look = look_of(card.state);
    let whole = Rect {
        x: 0.0,
        y: 0.0,
        width: WIDTH,
        height: HEIGHT,
    };
    draw_ground(pen, whole, 8.0, &look);
    draw_tile(pen, &card.kind, (9.0, 9.0), 28.0);
    let room = WIDTH - 46.0 - 10.0;
    let is_off = matches!(card.state, Some(TaskStatus::Cancelled | TaskStatus::Pruned));
    let title = fitted(&card.title, 13.0, Weight::SemiBold, room);
    let font = Font::of(13.0, Weight::SemiBold, look.title).struck(is_off);
    pen.label(&title, (46.0, 21.5), font);
    let second = fitted(&second_line(card), 11.0, Weight::Regular, room);
    pen.label(&second, (46.0, 37.0), Font::of(11.0, Weight::Regular, Ink::T3));
    draw_strip(pen, card, &look, (BASE, HEIGHT - 1.0), WIDTH);
}

pub(super) fn second_line(card: &Card) -> String {
    let kind = kind_name(&card.kind);
    if card.detail.is_empty() {
        return kind.to_owned();
    }
    format!("{kind} · {}", card.detail)
}

/// The card's body. Borders of more than one unit lie outside, so that nothing in it shifts.
pub(super) fn draw_ground(pen: &mut Pen, at: Rect, radius: f64, look: &Look) {
    let half = look.border.width / 2.0;
    let out = half - 0.5;
    let line = Rect {
        x: at.x + 0.5 - out,
        y: at.y + 0.5 - out,
        width: at.width - 1.0 + 2.0 * out,
        height: at.height - 1.0 + 2.0 * out,
    };
    pen.rect(line, radius + out - 0.5, Some(look.ground), Some(look.border));
}

/// The tile's shape and tint say who does the work.
pub(super) fn draw_tile(pen: &mut Pen, kind: &str, (x, y): (f64, f64), size: f64) {
    let (icon, back, front) = match kind {
        "agent" => (icons::BOT, Ink::ModelBack, Ink::ModelFront),
        "model" => (icons::MESSAGE, Ink::ModelBack, Ink::ModelFront),
        "tool" => (icons::WRENCH, Ink::ExactBack, Ink::ExactFront),
        "code" => (icons::CODE, Ink::ExactBack, Ink::ExactFront),
        "human" => (icons::PERSON, Ink::PersonBack, Ink::PersonFront),
        "map" => (icons::LAYERS, Ink::ExactBack, Ink::ExactFront),
        "subplan" => (icons::WORKFLOW, Ink::ExactBack, Ink::ExactFront),
        _ => (icons::QUESTION, Ink::ExactBack, Ink::ExactFront),
    };
    let inset = if matches!(kind, "map" | "subplan") {
        1.5
    } else {
        0.0
    };
    let tile = Rect {
        x: x + inset,
        y: y + inset,
        width: size - 2.0 * inset,
        height: size - 2.0 * inset,
    };
    let radius = match kind {
        "agent" | "model" => size * 9.0 / 28.0,
        "human" => size / 2.0,
        _ => 4.0,
    };
    pen.rect(tile, radius, Some(back), None);
    if inset > 0.0 {
        let border = Border {
            ink: front,
            width: 1.5,
            dash: "",
        };
        let around = Rect {
            x: x - 0.75,
            y: y - 0.75,
            width: size + 1.5,
            height: size + 1.5,
        };
        pen.rect(around, 6.0, None, Some(border));
    }
    let mark = (size * 16.0 / 28.0).round();
    pen.icon(
        icon,
        (x + (size - mark) / 2.0, y + (size - mark) / 2.0),
        mark,
        front,
    );
}

/// State at the left, numbers at the right; of a draft what the task asks for.
pub(super) fn draw_strip(pen: &mut Pen, card: &Card, look: &Look, (top, bottom): (f64, f64), wide: f64) {
    let height = bottom - top;
    if let Some(fill) = look.strip {
        pen.fill(&bottom_of(top, height, wide), fill);
    }
    let on = if look.strip == Some(Ink::WaitingFill) {
        Ink::OnWaiting
    } else {
        Ink::T3
    };
    if look.strip.is_none() {
        pen.line(&format!("M1 {top}H{}", wide - 1.0), Ink::Line, 1.0, "");
    }
    let base = top + height / 2.0 + 4.0;
    let font = Font::of(11.0, Weight::Regular, on).to_the_right();
    let right = fitted(&card.right, 11.0, Weight::Regular, wide / 2.0);
    pen.label(&right, (wide - 9.0, base), font);
    if card.state.is_none() {
        draw_grants(pen, card, top, height);
        return;
    }
    pen.icon(look.icon, (9.0, top + (height - 13.0) / 2.0), 13.0, look.ink);
    let name = card.state.map_or("", state_name);
    let label = if card.count.is_empty() {
        name.to_owned()
    } else {
        format!("{name}, {}", card.count)
    };
    let taken = width(&right, 11.0, Weight::Regular);
    let label = fitted(&label, 11.0, Weight::SemiBold, wide - 44.0 - taken);
    pen.label(&label, (27.0, base), Font::of(11.0, Weight::SemiBold, look.ink));
}

/// The strip's shape: its lower corners follow the card's.
fn bottom_of(top: f64, height: f64, wide: f64) -> String {
    let (right, straight) = (wide - 1.0, height - 7.0);
    format!("M1 {top}H{right}v{straight}a7 7 0 0 1 -7 7H8a7 7 0 0 1 -7 -7z")
}

fn draw_grants(pen: &mut Pen, card: &Card, top: f64, height: f64) {
    let base = top + height / 2.0 + 4.0;
    let mut x = 9.0;
    for &(access, count) in &card.grants {
        let icon = match access {
            Access::Read => icons::EYE,
            Access::Write => icons::FILE_PEN,
            Access::Host => icons::GLOBE,
            Access::Database => icons::DATABASE,
            Access::Command => icons::TERMINAL,
            Access::Mcp => icons::PLUG,
        };
        pen.icon(icon, (x, top + (height - 13.0) / 2.0), 13.0, Ink::T2);
        let count = count.to_string();
        pen.label(&count, (x + 17.0, base), Font::of(11.0, Weight::Regular, Ink::T2));
        x += 17.0 + width(&count, 11.0, Weight::Regular) + 9.0;
    }
    if card.grants.is_empty() && card.kind == "human" {
        pen.icon(icons::HAND, (x, top + (height - 13.0) / 2.0), 13.0, Ink::T3);
        pen.label("Asks you", (27.0, base), Font::of(11.0, Weight::Regular, Ink::T3));
    }
}

pub(super) fn look_of(state: Option<TaskStatus>) -> Look {
    let border = |ink, width, dash| Border { ink, width, dash };
    let plain = |icon, ink, border| Look {
        icon,
        ink,
        border,
        strip: None,
        ground: Ink::Raised,
        title: Ink::T1,
    };
    let tinted = |icon, ink, border, strip| Look {
        strip: Some(strip),
        ..plain(icon, ink, border)
    };
    let loud = |icon, ink, width, strip| tinted(icon, ink, border(ink, width, ""), strip);
    let faint = |icon, border| Look {
        title: Ink::T2,
        ..plain(icon, Ink::T3, border)
    };
    let line = border(Ink::Line2, 1.0, "");
    let dashed = border(Ink::Line2, 1.0, "4 3");
    let Some(state) = state else {
        return plain(icons::CIRCLE_DASHED, Ink::T2, line);
    };
    match state {
        TaskStatus::Pending => Look {
            ground: Ink::Panel,
            ..faint(icons::CIRCLE_DASHED, line)
        },
        TaskStatus::Ready => plain(icons::CIRCLE_DOT, Ink::T1, border(Ink::Idle, 1.0, "")),
        TaskStatus::Running => loud(icons::LOADER, Ink::Running, 1.0, Ink::RunningTint),
        TaskStatus::Retrying => loud(icons::ROTATE, Ink::Retrying, 1.0, Ink::RetryingTint),
        TaskStatus::Waiting => tinted(
            icons::HAND,
            Ink::OnWaiting,
            border(Ink::WaitingLine, 1.5, ""),
            Ink::WaitingFill,
        ),
        TaskStatus::InDoubt => tinted(
            icons::QUESTION,
            Ink::Doubt,
            border(Ink::Doubt, 2.0, "1 3.5"),
            Ink::DoubtTint,
        ),
        TaskStatus::Completed => plain(icons::CHECK, Ink::Completed, line),
        TaskStatus::Failed => loud(icons::OCTAGON, Ink::Failed, 1.5, Ink::FailedTint),
        TaskStatus::Skipped => faint(icons::SKIP, dashed),
        TaskStatus::Cancelled => faint(icons::BAN, line),
        TaskStatus::Pruned => faint(icons::SCISSORS, line),
    }
}
