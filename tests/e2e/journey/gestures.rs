//! Every gesture of the editor once, by hand in the real window: what it does to the plan, and that going back undoes it.
//! A table, because a gesture that is forgotten shall be missed there.

use std::path::PathBuf;

use fantoccini::key::Key;
use planloom_tests::desktop::{Desktop, Home, Point, Setup};
use planloom_tests::pointer::Button;
use planloom_tests::webdriver::{Outcome, Trouble};
use serde_json::{Value, json};

use super::steps::{
    card, click_at, draft, edge, free_place, mark, on_canvas, open_file, point_near_end, point_on_edge, until,
};

const CTRL: char = '\u{e009}';
const SHIFT: char = '\u{e008}';
const ALT: char = '\u{e00a}';
const DELETE: char = '\u{e017}';
const ENTER: char = '\u{e007}';
const RIGHT: char = '\u{e014}';
const F8: char = '\u{e038}';

/// A place in the window.
#[derive(Clone, Copy)]
enum Spot {
    Card(&'static str),
    /// The lower port of a card, from which connections are drawn.
    Out(&'static str),
    Edge(&'static str, &'static str),
    /// Where an edge is taken hold of to be led elsewhere.
    End(&'static str, &'static str),
    /// Beside the lower left corner of a card.
    Corner(&'static str),
    Palette(&'static str),
    Free,
}

/// What a hand does.
#[derive(Clone, Copy)]
enum Act {
    Click(Spot),
    ClickOn(&'static str),
    With(Button, Spot),
    Twice(Spot),
    Drag(Spot, Spot),
    DragWith(Button, Spot, Spot),
    Press(&'static [char]),
    Type(&'static str),
    /// Right and down.
    Wheel(i64, i64),
    Hold(char),
    LetGo(char),
    See(&'static str),
}

/// What is so afterwards.
enum Then {
    Field(&'static str, &'static str, Value),
    Tasks(usize),
    Edges(usize),
    Chosen(&'static [&'static str]),
    Moved,
    Zoomed,
    Focus(&'static str),
    Differs,
}

use Act::*;
use Spot::*;
use Then::{Chosen, Differs, Edges, Field, Focus, Moved, Tasks, Zoomed};

type Gesture = (&'static str, &'static [Act], Vec<Then>);

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
            "a box chooses what it touches",
            &[Drag(Corner("lone"), Card("lone"))],
            vec![Chosen(&["lone"])],
        ),
        (
            "with Alt only what it covers",
            &[Hold(ALT), Drag(Corner("lone"), Card("lone")), LetGo(ALT)],
            vec![Chosen(&[])],
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

fn gestures_plan(home: &Home) -> PathBuf {
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
    super::steps::plan_file(home.folder(), &tasks)
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
    let mut failed = Vec::new();
    for gesture in [adding(), connecting(), choosing(), changing(), mending()]
        .into_iter()
        .flatten()
    {
        if let Err(trouble) = tried(&window, &run, &gesture, &original).await {
            let picture = window.screenshot(&format!("gesture-{}", failed.len())).await?;
            failed.push(format!("{}: {trouble} ({})", gesture.0, picture.display()));
        }
        window.press(&[Key::Escape.into()]).await?;
        let undone = back(&window, &run, &original).await;
        if undone.is_err() {
            window.screenshot("gesture-back").await?;
        }
        undone.map_err(Trouble::at(format!(
            "{failed:?}, going back after: {}",
            gesture.0
        )))?;
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));

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

async fn document(window: &Desktop<'_>, run: &str) -> Outcome<Value> {
    let view = draft(window, run).await?;
    Ok(serde_json::from_str(view["document"].as_str().expect("text")).expect("a document"))
}

async fn until_document(window: &Desktop<'_>, run: &str, is_so: impl Fn(&Value) -> bool) -> Outcome<()> {
    until("the document", async || {
        Ok(is_so(&document(window, run).await?).then_some(()))
    })
    .await
}

async fn transform(window: &Desktop<'_>) -> Outcome<[f64; 3]> {
    let body = "const m = new DOMMatrix(getComputedStyle(document.querySelector('.react-flow__viewport')).transform);
        return [m.e, m.f, m.a];";
    let found = window.run_script(body, vec![]).await?;
    Ok([0, 1, 2].map(|ix| found[ix].as_f64().unwrap_or_default()))
}

impl Spot {
    async fn place(self, window: &Desktop<'_>) -> Outcome<Point> {
        match self {
            Self::Card(id) => window.centre(&card(id)).await,
            Self::Out(id) => window.centre(&mark(&format!("out-{id}"))).await,
            Self::Edge(from, to) => point_on_edge(window, from, to).await,
            Self::End(from, to) => point_near_end(window, from, to).await,
            Self::Corner(id) => {
                let body =
                    "const { left, bottom } = document.querySelector(arguments[0]).getBoundingClientRect();
                    return [left - 12, bottom + 12];";
                let found = window.run_script(body, vec![json!(card(id))]).await?;
                let at = |ix: usize| found[ix].as_f64().unwrap_or_default();
                Ok(Point { x: at(0), y: at(1) })
            }
            Self::Palette(tool) => {
                window.fill(&mark("palette-find"), tool).await?;
                window.centre(&mark(&format!("palette-tool-{tool}"))).await
            }
            Self::Free => free_place(window).await,
        }
    }
}

impl Act {
    async fn done(self, window: &Desktop<'_>) -> Outcome<()> {
        match self {
            Click(spot) => window.click_at(Button::Left, spot.place(window).await?).await,
            With(button, spot) => window.click_at(button, spot.place(window).await?).await,
            Twice(spot) => {
                let at = spot.place(window).await?;
                window.click_at(Button::Left, at).await?;
                window.click_at(Button::Left, at).await
            }
            ClickOn(id) => window.click(&mark(id)).await,
            Drag(from, to) => Box::pin(DragWith(Button::Left, from, to).done(window)).await,
            DragWith(button, from, to) => {
                let (from, to) = (from.place(window).await?, to.place(window).await?);
                window.drag_with(button, from, to).await?;
                window.let_up(button).await
            }
            Press(keys) => window.press(keys).await,
            Type(text) => window.type_text(text).await,
            Wheel(right, down) => {
                let at = Free.place(window).await?;
                window.turn_wheel(at, right, down).await
            }
            Hold(key) => window.hold(key).await,
            LetGo(key) => window.let_go(key).await,
            See(id) => window.find(&mark(id)).await.map(|_| ()),
        }
    }
}

impl Then {
    async fn so(&self, window: &Desktop<'_>, run: &str, original: &Value, view: &[f64; 3]) -> Outcome<()> {
        let is_so = until("what the gesture does", async || {
            let is_so = match self {
                Field(id, field, wanted) => {
                    super::steps::task(window, run, id)
                        .await?
                        .pointer(field)
                        .unwrap_or(&json!([]))
                        == wanted
                }
                Tasks(count) => draft(window, run).await?["tasks"].as_array().map(Vec::len) == Some(*count),
                Edges(count) => draft(window, run).await?["edges"].as_array().map(Vec::len) == Some(*count),
                Differs => document(window, run).await? != *original,
                Chosen(ids) => chosen(window).await? == sorted(ids),
                Moved => {
                    let now = transform(window).await?;
                    (now[0] - view[0]).hypot(now[1] - view[1]) > 20.0 && (now[2] - view[2]).abs() < 0.001
                }
                Zoomed => transform(window).await?[2] > view[2] + 0.02,
                Focus(id) => {
                    let body = "return document.activeElement?.dataset.testid ?? ''";
                    window.run_script(body, vec![]).await? == json!(id)
                }
            };
            Ok(is_so.then_some(()))
        });
        match is_so.await {
            Ok(()) => Ok(()),
            Err(Trouble(text)) => Err(Trouble(format!(
                "{text}: {}",
                self.instead(window, run, view).await?
            ))),
        }
    }

    async fn instead(&self, window: &Desktop<'_>, run: &str, view: &[f64; 3]) -> Outcome<String> {
        Ok(match self {
            Field(id, field, wanted) => {
                let task = super::steps::task(window, run, id).await?;
                format!("{id}{field} is not {wanted} in {task}")
            }
            Tasks(count) | Edges(count) => format!("not {count} in {}", document(window, run).await?),
            Differs => "nothing has changed".to_owned(),
            Chosen(ids) => format!("{:?} are chosen, not {ids:?}", chosen(window).await?),
            Moved | Zoomed => format!("{:?} after {view:?}", transform(window).await?),
            Focus(id) => format!("{id} has not the focus"),
        })
    }
}

fn sorted(ids: &[&str]) -> Vec<String> {
    let mut ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
    ids.sort();
    ids
}

async fn chosen(window: &Desktop<'_>) -> Outcome<Vec<String>> {
    let body = "return [...document.querySelectorAll('.react-flow__node:has(.card.selected)')].map((n) => n.dataset.id).sort()";
    let found = window.run_script(body, vec![]).await?;
    let ids = found.as_array().cloned().unwrap_or_default();
    Ok(ids
        .iter()
        .filter_map(|id| id.as_str().map(str::to_owned))
        .collect())
}

/// What may be touched and who touches it light each other; what is switched off marks what can't run.
#[tokio::test]
async fn grants_and_their_tasks_light_each_other() -> Outcome<()> {
    let home = Home::new()?;
    let window = home.open(Setup::default()).await?;
    super::steps::open_sample(&window).await?;
    window.click(&mark("to-approve")).await?;
    window.find(&mark("grants")).await?;
    let lit = |id: &str| format!("{} .card.lit", card(id));
    let costs = "//li[starts-with(@data-testid,'grant-')][contains(.,'costs.db')]";
    window.move_mouse(window.centre(costs).await?).await?;
    window.find(&lit("query_costs")).await?;
    assert_eq!(window.count(".card.lit").await?, 1);
    window
        .move_mouse(window.centre(&card("read_rates")).await?)
        .await?;
    window.wait_text(".grant.focused", "exchange-rates.json").await?;

    // By keys: the switch has the focus, X turns it, and what can't run any more says so.
    let focus = "const row = [...document.querySelectorAll('.grant')].find((r) => r.textContent.includes('costs.db'));
        row.querySelector('[data-testid=grant-switch]').focus()";
    window.run_script(focus, vec![]).await?;
    window.press(&['x']).await?;
    window.wait_text(&mark("left-out"), "Query cost database").await?;
    window
        .find(&super::steps::card_in("query_costs", "SKIPPED"))
        .await?;
    window.press(&['x']).await?;
    window.wait_gone(&mark("left-out")).await?;
    assert_eq!(window.count(&edge("query_costs", "work_out_margins")).await?, 1);
    window.terminate().await
}
