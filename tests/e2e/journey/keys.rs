//! Every key of the canvas, of moving on it and of the problems once in the real window, as the key sheet names them: what it
//! does, and that going back undoes it.

use planloom_tests::desktop::{Home, Setup};
use planloom_tests::webdriver::Outcome;
use serde_json::{Value, json};

use super::gestures::{Gesture, each_is_tried, gestures_plan};
use super::hand::Act::*;
use super::hand::Spot::*;
use super::hand::Then::{
    Active, Chosen, Differs, Field, Focus, Hides, Is, Moved, Scale, Shows, Tasks, Zoomed,
};
use super::steps::open_file;

const CTRL: char = '\u{e009}';
const SHIFT: char = '\u{e008}';
const ALT: char = '\u{e00a}';
const DELETE: char = '\u{e017}';
const ENTER: char = '\u{e007}';
const TAB: char = '\u{e004}';
const LEFT: char = '\u{e012}';
const UP: char = '\u{e013}';
const RIGHT: char = '\u{e014}';
const DOWN: char = '\u{e015}';
const F2: char = '\u{e032}';
const F8: char = '\u{e038}';

fn kinds() -> Vec<Gesture> {
    let field = "/task_type";
    vec![
        (
            "A adds an agent",
            &[Click(Card("lone")), Press(&['a'])],
            vec![Field("agent", field, json!("agent"))],
        ),
        (
            "M adds a model call",
            &[Click(Card("lone")), Press(&['m'])],
            vec![Field("model", field, json!("model"))],
        ),
        (
            "T adds a tool",
            &[Click(Card("lone")), Press(&['t'])],
            vec![Field("tool", field, json!("tool"))],
        ),
        (
            "C adds code",
            &[Click(Card("lone")), Press(&['c'])],
            vec![Field("code", field, json!("code"))],
        ),
        (
            "Q asks a person",
            &[Click(Card("lone")), Press(&['q'])],
            vec![Field("ask", field, json!("human"))],
        ),
        (
            "F adds a map",
            &[Click(Card("lone")), Press(&['f'])],
            vec![Field("map", field, json!("map"))],
        ),
        (
            "S adds a subplan",
            &[Click(Card("lone")), Press(&['s'])],
            vec![Field("subplan", field, json!("subplan"))],
        ),
    ]
}

fn looks() -> Vec<Gesture> {
    vec![
        (
            "H pans",
            &[Press(&['h']), Drag(Free, Card("rates")), Press(&['v'])],
            vec![Moved, Chosen(&[])],
        ),
        (
            "V chooses again",
            &[Press(&['h']), Press(&['v']), Drag(Corner("lone"), Card("lone"))],
            vec![Chosen(&["lone"])],
        ),
        (
            "L shows the list, and the canvas again",
            &[Press(&['l']), See("list-view"), Press(&['l'])],
            vec![Shows("canvas-flow"), Hides("list-view")],
        ),
        (
            "/ finds in the palette",
            &[Press(&['/'])],
            vec![Focus("palette-find")],
        ),
        (
            "Ctrl M hides the small map",
            &[Click(Free), Press(&[CTRL, 'm'])],
            vec![Hides("minimap")],
        ),
        (
            "Ctrl M shows the small map",
            &[Press(&[CTRL, 'm'])],
            vec![Shows("minimap")],
        ),
        (
            "Ctrl S keeps a version",
            &[Press(&[CTRL, 's'])],
            vec![Shows("save-dialog")],
        ),
        (
            "Enter opens the inspector",
            &[Click(Card("lone")), Press(&[ENTER])],
            vec![Focus("field-title")],
        ),
        (
            "F2 renames",
            &[Click(Card("lone")), Press(&[F2]), Type("x")],
            vec![Focus("field-title"), Differs],
        ),
    ]
}

fn edits() -> Vec<Gesture> {
    vec![
        (
            "E connects",
            &[
                Click(Card("lone")),
                Press(&['e']),
                Type("reader"),
                See("choice-reader"),
                Press(&[ENTER]),
            ],
            vec![Field("reader", "/dependencies", json!(["lone"]))],
        ),
        (
            "Shift E disconnects",
            &[
                Click(Card("show")),
                Press(&[SHIFT, 'E']),
                See("connect-dialog"),
                Press(&[ENTER]),
            ],
            vec![Field("show", "/dependencies", json!([]))],
        ),
        (
            "Ctrl Shift Z does it again",
            &[
                Click(Card("lone")),
                Press(&[DELETE]),
                Press(&[CTRL, 'z']),
                Press(&[CTRL, SHIFT, 'Z']),
            ],
            vec![Tasks(5)],
        ),
        (
            "Ctrl Shift G opens up what Ctrl G has made",
            &[
                Click(Card("rates")),
                Hold(SHIFT),
                Click(Card("table")),
                LetGo(SHIFT),
                Press(&[CTRL, 'g']),
                See("task-subplan"),
                Press(&[CTRL, SHIFT, 'G']),
            ],
            vec![Tasks(6), Field("table", "/dependencies", json!(["rates"]))],
        ),
    ]
}

fn places() -> Vec<Gesture> {
    vec![
        (
            "Shift T tidies what was put by hand, when nothing else would move",
            &[Drag(Card("sheet"), Free), See("undo"), Press(&[SHIFT, 'T'])],
            vec![Is("laid out anew", |plan| {
                let at = |what: &str| plan.pointer(&format!("/layout/{what}/sheet")).cloned();
                at("positions") == at("tidied")
            })],
        ),
        (
            "Alt Shift and an arrow move by one",
            &[
                Click(Card("lone")),
                Press(&[ALT, RIGHT]),
                Press(&[ALT, SHIFT, LEFT]),
            ],
            vec![Is("moved by 7", |plan| {
                let x = plan.pointer("/layout/positions/lone/x").and_then(Value::as_i64);
                x.is_some_and(|x| (x - 7) % 8 == 0)
            })],
        ),
    ]
}

fn walks() -> Vec<Gesture> {
    vec![
        (
            "Down follows an edge",
            &[Click(Card("rates")), Press(&[DOWN])],
            vec![Active("table")],
        ),
        (
            "Up follows it back",
            &[Click(Card("show")), Press(&[UP])],
            vec![Active("table")],
        ),
        (
            "Right and Left stay in the wave",
            &[Click(Card("lone")), Press(&[RIGHT]), Press(&[LEFT])],
            vec![Active("lone")],
        ),
        (
            "Tab goes on in run order",
            &[Click(Card("rates")), Press(&[TAB]), Press(&[SHIFT, TAB])],
            vec![Active("rates")],
        ),
        ("Ctrl and + zoom in", &[Press(&[CTRL, '+'])], vec![Zoomed]),
        (
            "Ctrl and 0 show it at its size",
            &[Press(&[CTRL, '-']), Press(&[CTRL, '-']), Press(&[CTRL, '0'])],
            vec![Scale(1.0)],
        ),
        (
            "Shift 2 fits what is chosen",
            &[Wheel(900, 900), Press(&[CTRL, 'a']), Press(&[SHIFT, '2'])],
            vec![Shows("task-lone")],
        ),
        (
            "Shift 1 fits all",
            &[Wheel(900, 900), Press(&[SHIFT, '1'])],
            vec![Shows("task-lone")],
        ),
    ]
}

fn problems() -> Vec<Gesture> {
    vec![
        (
            "F8 goes to the problem of what is chosen",
            &[Click(Card("sheet")), Press(&[F8])],
            vec![Chosen(&["sheet"])],
        ),
        (
            "F8 goes on to the next one",
            &[Click(Card("reader")), Press(&[F8]), Press(&[F8])],
            vec![Chosen(&["sheet"])],
        ),
        (
            "Shift F8 goes back",
            &[Click(Card("reader")), Press(&[F8]), Press(&[SHIFT, F8])],
            vec![Chosen(&["sheet"])],
        ),
        (
            "Ctrl . mends it",
            &[Click(Card("reader")), Press(&[CTRL, '.'])],
            vec![Field("reader", "/dependencies", json!(["rates"]))],
        ),
    ]
}

#[tokio::test]
async fn each_key_does_what_the_sheet_says() -> Outcome<()> {
    let home = Home::new()?;
    let setup = Setup {
        chosen_file: Some(gestures_plan(&home)),
        ..Setup::default()
    };
    let window = home.open(setup).await?;
    let run = open_file(&window).await?;
    let table = [looks(), kinds(), edits(), places(), walks(), problems()];
    each_is_tried(&window, &run, &table.concat()).await?;
    window.terminate().await
}
