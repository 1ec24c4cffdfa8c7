//! The mouse of the real window beyond a plain click: its other buttons, the wheel, keys that are held meanwhile.
//! Knows no screen.

use std::time::Duration;

use fantoccini::actions::{
    InputSource, KeyAction, KeyActions, MOUSE_BUTTON_LEFT, MOUSE_BUTTON_MIDDLE, MOUSE_BUTTON_RIGHT,
    MouseActions, PointerAction, WheelAction, WheelActions,
};

use crate::desktop::{Desktop, Point};
use crate::webdriver::{Outcome, Trouble};

/// Which button of the mouse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Button {
    Left,
    Middle,
    Right,
}

impl Button {
    fn number(self) -> u64 {
        match self {
            Self::Left => MOUSE_BUTTON_LEFT,
            Self::Middle => MOUSE_BUTTON_MIDDLE,
            Self::Right => MOUSE_BUTTON_RIGHT,
        }
    }
}

impl Desktop<'_> {
    pub async fn move_mouse(&self, to: Point) -> Outcome<()> {
        self.act(MouseActions::new("mouse".to_owned()).then(move_to(to)), "moving")
            .await
    }

    pub async fn click_at(&self, button: Button, at: Point) -> Outcome<()> {
        let button = button.number();
        let clicked = MouseActions::new("mouse".to_owned())
            .then(move_to(at))
            .then(PointerAction::Down { button })
            .then(PointerAction::Up { button });
        self.act(clicked, "clicking").await
    }

    /// Turns the wheel over a place: `down` and `right` in pixels, negative for up and left.
    pub async fn turn_wheel(&self, at: Point, right: i64, down: i64) -> Outcome<()> {
        #[expect(clippy::cast_possible_truncation, reason = "a place in a window")]
        let turned = WheelActions::new("wheel".to_owned()).then(WheelAction::Scroll {
            duration: None,
            x: at.x.round() as i64,
            y: at.y.round() as i64,
            delta_x: right,
            delta_y: down,
        });
        let done = self.page().perform_actions(turned).await;
        done.map_err(Trouble::at("turning the wheel"))
    }

    /// Drags as a hand does: press, a small first move, the way in steps, a rest. Ends with [`Desktop::let_up`].
    pub async fn drag_with(&self, button: Button, from: Point, to: Point) -> Outcome<()> {
        let (x, y) = (to.x - from.x, to.y - from.y);
        let length = x.hypot(y).max(1.0);
        // The canvas loses the way to the first move after the press: it must be a small one.
        let stops = [(4.0 / length).min(1.0), 0.25, 0.5, 0.75, 0.95, 1.0];
        let pressed = MouseActions::new("mouse".to_owned())
            .then(move_to(from))
            .then(PointerAction::Down {
                button: button.number(),
            });
        let moved = stops.into_iter().fold(pressed, |way, part| {
            way.then(move_to(Point {
                x: from.x + x * part,
                y: from.y + y * part,
            }))
        });
        let rest = PointerAction::Pause {
            duration: Duration::from_millis(60),
        };
        self.act(moved.then(rest), "dragging").await
    }

    pub async fn let_up(&self, button: Button) -> Outcome<()> {
        let up = PointerAction::Up {
            button: button.number(),
        };
        self.act(
            MouseActions::new("mouse".to_owned()).then(up),
            "releasing the mouse",
        )
        .await
    }

    /// Presses a key and keeps it down, until [`Self::let_go`].
    pub async fn hold(&self, key: char) -> Outcome<()> {
        self.key(KeyAction::Down { value: key }).await
    }

    pub async fn let_go(&self, key: char) -> Outcome<()> {
        self.key(KeyAction::Up { value: key }).await
    }

    async fn key(&self, action: KeyAction) -> Outcome<()> {
        let actions = KeyActions::new("keyboard".to_owned()).then(action);
        let done = self.page().perform_actions(actions).await;
        done.map_err(Trouble::at("holding a key"))
    }

    async fn act(&self, actions: MouseActions, what: &str) -> Outcome<()> {
        self.page()
            .perform_actions(actions)
            .await
            .map_err(Trouble::at(what))
    }
}

fn move_to(point: Point) -> PointerAction {
    PointerAction::MoveTo {
        duration: Some(Duration::from_millis(20)),
        x: point.x.round(),
        y: point.y.round(),
    }
}
