//! Every gesture of the editor once, by hand in the real window: what it does to the plan, and that going back undoes it.
//! A table, because a gesture that is forgotten shall be missed there.

use std::path::PathBuf;

use fantoccini::key::Key;
use planloom_tests::desktop::{Desktop, Home, Setup};
use planloom_tests::pointer::Button;
use planloom_tests::webdriver::{Outcome, Trouble};
use serde_json::{Value, json};

use super::hand::Act::{self, *};
use super::hand::Spot::*;
use super::hand::Then::{self, Chosen, Differs, Edges, Field, Focus, Is, Moved, Shows, Tasks, Zoomed};
use super::hand::{document, transform, until_document};
use super::steps::{card, click_at, free_place, mark, on_canvas, open_file, plan_file};

const CTRL: char = '\u{e009}';
const SHIFT: char = '\u{e008}';
const ALT: char = '\u{e00a}';
const DELETE: char = '\u{e017}';
const ENTER: char = '\u{e007}';
const RIGHT: char = '\u{e014}';
const F8: char = '\u{e038}';

pub type Gesture = (&'static str, &'static [Act], Vec<Then>);

/// In the view as it is opened.
fn boxing() -> Vec<Gesture> {
    vec![
        (
            "a box chooses what it touches",
            &[Drag(Corner("lone"), Card("lone"))],
            vec![Chosen(&["lone"])],
        ),
        (
            "with Alt only what it covers",
            &[Hold(ALT), Drag(Corner("lone"), Card("lone")), LetGo(ALT)],
            vec![Chosen(&[])],
        ),
    ]
}

fn adding() -> Vec<Gesture> {
    vec![
        (
            "a key adds under what is chosen",
            &[Click(Card("table")), Press(&['c'])],
            vec![Field("code", "/dependencies", json!(["table"]))],
        ),
        (
            "a tool from the palette is put into an edge",
            &[Drag(Palette("echo"), Edge("rates", "table"))],
            vec![
                Field("echo", "/dependencies", json!(["rates"])),
                Field("table", "/dependencies", json!(["echo"])),
            ],
        ),
        (
            "a lone card is put into an edge",
            &[Drag(Card("lone"), Edge("table", "show"))],
            vec![
                Field("lone", "/dependencies", json!(["table"])),
                Field("show", "/dependencies", json!(["lone"])),
            ],
        ),
        (
            "a connection let go over nothing opens the palette there",
            &[
                Drag(Out("rates"), Free),
                See("add-menu"),
                Type("code"),
                Press(&[ENTER]),
            ],
            vec![Field("code", "/dependencies", json!(["rates"]))],
        ),
        (
            "the buttons at an edge insert",
            &[
                Click(Edge("table", "show")),
                ClickOn("edge-insert"),
                See("add-menu"),
                Type("code"),
                Press(&[ENTER]),
            ],
            vec![Field("show", "/dependencies", json!(["code"]))],
        ),
        (
            "the menu of the plan adds",
            &[
                With(Button::Right, Free),
                ClickOn("act-add"),
                See("add-menu"),
                Type("code"),
                Press(&[ENTER]),
            ],
            vec![Tasks(7)],
        ),
        (
            "the menu of a card duplicates",
            &[With(Button::Right, Card("lone")), ClickOn("act-duplicate")],
            vec![Tasks(7)],
        ),
    ]
}

fn connecting() -> Vec<Gesture> {
    vec![
        (
            "one output that fits is mapped by itself",
            &[Drag(Out("rates"), Card("sheet"))],
            vec![Field(
                "sheet",
                "/inputs/path",
                json!({"$from": "rates", "path": "/text"}),
            )],
        ),
        (
            "several outputs that fit are asked about",
            &[Drag(Out("rates"), Card("lone")), ClickOn("map-0")],
            vec![Field("lone", "/dependencies", json!(["rates"])), Differs],
        ),
        (
            "an edge is led to another card",
            &[Drag(End("table", "show"), Card("lone"))],
            vec![
                Field("lone", "/dependencies", json!(["table"])),
                Field("show", "/dependencies", json!([])),
            ],
        ),
        (
            "an edge whose end is dragged away is gone",
            &[Drag(End("table", "show"), Free)],
            vec![Field("show", "/dependencies", json!([]))],
        ),
        (
            "an edge that is chosen is deleted",
            &[Click(Edge("table", "show")), Press(&[DELETE])],
            vec![Field("show", "/dependencies", json!([]))],
        ),
        (
            "the inspector disconnects",
            &[Click(Card("show")), ClickOn("disconnect-table")],
            vec![Field("show", "/dependencies", json!([]))],
        ),
    ]
}

fn choosing() -> Vec<Gesture> {
    vec![
        ("a click chooses", &[Click(Card("lone"))], vec![Chosen(&["lone"])]),
        (
            "with Shift another one too",
            &[
                Click(Card("lone")),
                Hold(SHIFT),
                Click(Card("rates")),
                LetGo(SHIFT),
            ],
            vec![Chosen(&["lone", "rates"])],
        ),
        (
            "a key chooses all",
            &[Press(&[CTRL, 'a'])],
            vec![Chosen(&["rates", "table", "show", "lone", "sheet", "reader"])],
        ),
        (
            "a double click opens",
            &[Twice(Card("lone"))],
            vec![Chosen(&["lone"]), Focus("field-title")],
        ),
        ("the wheel pans", &[Wheel(0, 60)], vec![Moved]),
        (
            "the wheel with Ctrl zooms",
            &[Hold(CTRL), Wheel(0, -120), LetGo(CTRL)],
            vec![Zoomed],
        ),
        (
            "the middle button pans",
            &[DragWith(Button::Middle, Free, Card("rates"))],
            vec![Moved, Chosen(&[])],
        ),
        (
            "Space and a drag pan",
            &[Hold(' '), Drag(Free, Card("rates")), LetGo(' ')],
            vec![Moved, Chosen(&[])],
        ),
    ]
}

fn changing() -> Vec<Gesture> {
    vec![
        (
            "copies keep the edges among them",
            &[
                Click(Card("rates")),
                Hold(SHIFT),
                Click(Card("table")),
                LetGo(SHIFT),
                Press(&[CTRL, 'c']),
                Press(&[CTRL, 'v']),
            ],
            vec![Tasks(8), Edges(3)],
        ),
        (
            "what is cut can be pasted",
            &[
                Click(Card("lone")),
                Press(&[CTRL, 'x']),
                See("undo"),
                Press(&[CTRL, 'v']),
            ],
            vec![Tasks(6)],
        ),
        (
            "a key duplicates",
            &[Click(Card("lone")), Press(&[CTRL, 'd'])],
            vec![Tasks(7)],
        ),
        (
            "a key deletes",
            &[Click(Card("lone")), Press(&[DELETE])],
            vec![Tasks(5)],
        ),
        (
            "several become one",
            &[
                Click(Card("rates")),
                Hold(SHIFT),
                Click(Card("table")),
                LetGo(SHIFT),
                Press(&[CTRL, 'g']),
            ],
            vec![Tasks(5)],
        ),
    ]
}

fn lining_up() -> Vec<Gesture> {
    vec![
        (
            "the bar lines cards up",
            &[
                Click(Card("show")),
                Hold(SHIFT),
                Click(Card("lone")),
                LetGo(SHIFT),
                ClickOn("bar-align-left"),
            ],
            vec![Is("in one column", |plan| {
                let x = |id: &str| plan.pointer(&format!("/layout/positions/{id}/x")).cloned();
                x("show").is_some() && x("show") == x("lone")
            })],
        ),
        (
            "a card that is looked at from near opens",
            &[
                Click(Card("lone")),
                Press(&[CTRL, '+']),
                Press(&[CTRL, '+']),
                Press(&[CTRL, '+']),
            ],
            vec![Shows("near-card")],
        ),
        (
            "words are found and replaced in one step",
            &[
                Press(&[CTRL, 'h']),
                See("find-text"),
                Type("Work"),
                ClickOn("find-by"),
                Type("see to"),
                ClickOn("replace-all"),
            ],
            vec![
                Field("lone", "/instruction", json!("see to it out.")),
                Field("show", "/instruction", json!("see to it out.")),
            ],
        ),
    ]
}

fn mending() -> Vec<Gesture> {
    vec![
        (
            "a key moves the card",
            &[Click(Card("lone")), Press(&[ALT, RIGHT])],
            vec![Differs],
        ),
        (
            "a drag moves the card",
            &[Drag(Card("sheet"), Free)],
            vec![Differs],
        ),
        (
            "a key leaves a task out",
            &[Click(Card("lone")), Press(&['d'])],
            vec![Differs],
        ),
        (
            "what is typed quickly is one step",
            &[Click(Card("show")), ClickOn("field-title"), Type(" it at once")],
            vec![Field("show", "/title", json!("show it at once"))],
        ),
        (
            "a key leads to the problem, and another mends it",
            &[Press(&[F8]), Press(&[F8]), Press(&[CTRL, '.'])],
            vec![Field("reader", "/dependencies", json!(["rates"]))],
        ),
    ]
}

pub fn gestures_plan(home: &Home) -> PathBuf {
    let code = |id: &str, after: &[&str], inputs: Value| {
        json!({ "id": id, "title": id, "task_type": "code",
        "instruction": "Work it out.", "source": "return 1;", "dependencies": after, "inputs": inputs })
    };
    let tool = |id: &str, tool: &str, inputs: Value| {
        json!({ "id": id, "title": id, "task_type": "tool",
        "instruction": "Do it.", "tool": tool, "inputs": inputs })
    };
    let tasks = json!([
        tool("rates", "file.read", json!({ "path": "rates.txt" })),
        code(
            "table",
            &["rates"],
            json!({ "rates": { "$from": "rates", "path": "/text" } })
        ),
        code("show", &["table"], json!({ "n": { "$from": "table" } })),
        code("lone", &[], json!({})),
        tool("sheet", "csv.read", json!({})),
        code(
            "reader",
            &[],
            json!({ "text": { "$from": "rates", "path": "/text" } })
        ),
    ]);
    std::fs::write(home.folder().join("rates.txt"), "1.10").expect("the window's home can be written");
    plan_file(home.folder(), &tasks)
}

#[tokio::test]
async fn each_gesture_does_what_it_says_and_is_undone() -> Outcome<()> {
    let home = Home::new()?;
    let setup = Setup {
        chosen_file: Some(gestures_plan(&home)),
        ..Setup::default()
    };
    let window = home.open(setup.clone()).await?;
    let run = open_file(&window).await?;
    let original = document(&window, &run).await?;
    let table = [
        boxing(),
        adding(),
        connecting(),
        choosing(),
        changing(),
        lining_up(),
        mending(),
    ];
    each_is_tried(&window, &run, &table.concat()).await?;

    // Undo outlives the window.
    window.click(&card("lone")).await?;
    window.press(&[DELETE]).await?;
    until_document(&window, &run, |now| *now != original).await?;
    window.terminate().await?;
    let window = home.open(setup).await?;
    window.click(&mark("rail-plans")).await?;
    window
        .click(&format!("{} .run-name", mark(&format!("run-{run}"))))
        .await?;
    on_canvas(&window, "screen-plan").await?;
    window.press(&[CTRL, 'z']).await?;
    until_document(&window, &run, |now| *now == original).await?;
    window.terminate().await
}

/// Each of them from the plan as it was opened, and back to it by undo. All that fail are told together.
pub async fn each_is_tried(window: &Desktop<'_>, run: &str, table: &[Gesture]) -> Outcome<()> {
    let original = document(window, run).await?;
    let mut failed = Vec::new();
    for gesture in table {
        if let Err(trouble) = tried(window, run, gesture, &original).await {
            let picture = window
                .screenshot(&format!("gesture-{}", gesture.0.replace(' ', "-")))
                .await?;
            failed.push(format!("{}: {trouble} ({})", gesture.0, picture.display()));
        }
        window.press(&[Key::Escape.into()]).await?;
        let undone = back(window, run, &original).await;
        if undone.is_err() {
            window.screenshot("gesture-back").await?;
        }
        undone.map_err(Trouble::at(format!(
            "{failed:?}, going back after: {}",
            gesture.0
        )))?;
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}

async fn tried(window: &Desktop<'_>, run: &str, (_, acts, then): &Gesture, original: &Value) -> Outcome<()> {
    window.click(&mark("zoom-fit")).await?;
    let view = transform(window).await?;
    for act in *acts {
        act.done(window).await?;
    }
    for wanted in then {
        wanted.so(window, run, original, &view).await?;
    }
    Ok(())
}

/// Back to the plan as it was, step by step: no gesture takes more than three.
async fn back(window: &Desktop<'_>, run: &str, original: &Value) -> Outcome<()> {
    let place = free_place(window).await?;
    click_at(window, place).await?;
    for _ in 0..3 {
        if document(window, run).await? == *original {
            return Ok(());
        }
        let before = document(window, run).await?;
        window.click(&mark("undo")).await?;
        until_document(window, run, |now| *now != before).await?;
    }
    until_document(window, run, |now| now == original).await
}
