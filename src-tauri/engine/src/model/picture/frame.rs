//! A map as a frame: its name and how many items are over, the card that runs for each item, and at its foot a cell for each
//! item, or shares of one bar where they are many.

use super::card::{draw_ground, draw_strip, draw_tile, look_of, second_line};
use super::measure::{Weight, fitted, width};
use super::svg::{Border, Font, Pen};
use super::theme::Ink;
use super::{Card, FRAME, Inner, Rect, WIDTH};
use crate::model::status::TaskStatus;

/// Items that have a cell of their own.
const MOST_CELLS: usize = 48;
const FOOT: f64 = FRAME - 24.0;

pub(super) fn draw_frame(pen: &mut Pen, card: &Card) {
    let mut look = look_of(card.state);
    look.border.width = look.border.width.max(1.5);
    let whole = Rect {
        x: 0.0,
        y: 0.0,
        width: WIDTH,
        height: FRAME,
    };
    draw_ground(pen, whole, 10.0, &look);
    let none = Inner::default();
    let inner = card.inner.as_ref().unwrap_or(&none);
    draw_tile(pen, &card.kind, (9.0, 7.0), 21.0);
    let over = over(inner);
    let taken = width(&over, 11.0, Weight::Regular);
    let title = fitted(&card.title, 13.0, Weight::SemiBold, WIDTH - 58.0 - taken);
    let is_off = matches!(card.state, Some(TaskStatus::Cancelled | TaskStatus::Pruned));
    let font = Font::of(13.0, Weight::SemiBold, look.title).struck(is_off);
    pen.label(&title, (38.0, 22.0), font);
    let right = Font::of(11.0, Weight::Regular, Ink::T3).to_the_right();
    pen.label(&over, (WIDTH - 10.0, 21.5), right);
    if let Some(child) = inner.cards.first() {
        draw_inner(pen, card, child);
    }
    draw_foot(pen, card, inner);
}

/// "3 of 12", once there are items; before that how many at a time.
fn over(inner: &Inner) -> String {
    if inner.items.is_empty() {
        return inner
            .at_a_time
            .map_or(String::new(), |n| format!("{n} at a time"));
    }
    let over = inner.items.iter().filter(|state| is_over(**state)).count();
    format!("{over} of {}", inner.items.len())
}

fn is_over(state: TaskStatus) -> bool {
    match state {
        TaskStatus::Completed
        | TaskStatus::Failed
        | TaskStatus::Skipped
        | TaskStatus::Cancelled
        | TaskStatus::Pruned => true,
        TaskStatus::Pending
        | TaskStatus::Ready
        | TaskStatus::Running
        | TaskStatus::Retrying
        | TaskStatus::Waiting
        | TaskStatus::InDoubt => false,
    }
}

fn draw_inner(pen: &mut Pen, card: &Card, child: &Card) {
    let at = Rect {
        x: 11.5,
        y: 34.5,
        width: WIDTH - 23.0,
        height: FOOT - 37.0,
    };
    let border = Border {
        ink: Ink::Line2,
        width: 1.0,
        dash: "",
    };
    pen.rect(at, 7.0, Some(Ink::Panel), Some(border));
    draw_tile(pen, &child.kind, (at.x + 8.0, at.y + 11.0), 22.0);
    let room = at.width - 38.0 - 10.0;
    let title = fitted(&child.title, 12.0, Weight::SemiBold, room);
    pen.label(
        &title,
        (at.x + 38.0, at.y + 20.0),
        Font::of(12.0, Weight::SemiBold, Ink::T1),
    );
    let second = fitted(&second_line(child), 11.0, Weight::Regular, room);
    pen.label(
        &second,
        (at.x + 38.0, at.y + 35.0),
        Font::of(11.0, Weight::Regular, Ink::T3),
    );
    let top = at.y + 46.0;
    pen.line(&format!("M12 {top}H{}", WIDTH - 12.0), Ink::Line, 1.0, "");
    let note = child_note(card, child);
    let font = Font::of(11.0, Weight::Regular, Ink::T3);
    pen.label(
        &fitted(&note, 11.0, Weight::Regular, at.width - 16.0),
        (at.x + 9.0, top + 24.0),
        font,
    );
}

/// What is known of the card that runs for each item.
fn child_note(card: &Card, child: &Card) -> String {
    match (card.state, child.right.as_str()) {
        (None, "") => "for each item".to_owned(),
        (Some(_), "") => card.right.clone(),
        (_, right) => right.to_owned(),
    }
}

fn draw_foot(pen: &mut Pen, card: &Card, inner: &Inner) {
    let look = look_of(card.state);
    if inner.items.is_empty() {
        let short = Card {
            right: String::new(),
            ..card.clone()
        };
        draw_strip(pen, &short, &look, (FOOT, FRAME - 1.0), WIDTH);
        return;
    }
    let (left, room) = (11.0, WIDTH - 22.0);
    let at = |x: f64, width: f64| Rect {
        x,
        y: FOOT + 7.0,
        width,
        height: 9.0,
    };
    if inner.items.len() <= MOST_CELLS {
        let step = (room / inner.items.len() as f64).min(17.0);
        for (nth, state) in inner.items.iter().enumerate() {
            pen.rect(
                at(left + step * nth as f64, step - 1.0),
                2.0,
                Some(cell(*state)),
                None,
            );
        }
        return;
    }
    let mut x = left;
    for state in TaskStatus::ALL {
        let count = inner.items.iter().filter(|other| **other == state).count();
        let share = room * count as f64 / inner.items.len() as f64;
        if count > 0 {
            pen.rect(at(x, share), 0.0, Some(cell(state)), None);
        }
        x += share;
    }
}

fn cell(state: TaskStatus) -> Ink {
    match state {
        TaskStatus::Pending | TaskStatus::Skipped | TaskStatus::Cancelled | TaskStatus::Pruned => Ink::Line2,
        TaskStatus::Ready => Ink::Line3,
        TaskStatus::Running => Ink::Running,
        TaskStatus::Retrying => Ink::Retrying,
        TaskStatus::Waiting => Ink::WaitingLine,
        TaskStatus::InDoubt => Ink::Doubt,
        TaskStatus::Completed => Ink::Completed,
        TaskStatus::Failed => Ink::Failed,
    }
}
