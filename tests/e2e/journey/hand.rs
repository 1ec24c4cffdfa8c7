//! What a hand does at the canvas, as data: places, acts, and what is so afterwards. Knows no plan.

use planloom_tests::desktop::{Desktop, Point};
use planloom_tests::pointer::Button;
use planloom_tests::webdriver::{Outcome, Trouble};
use serde_json::{Value, json};

use super::steps::{card, draft, free_place, mark, point_near_end, point_on_edge, task, until};

/// A place in the window.
#[derive(Clone, Copy)]
pub enum Spot {
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
pub enum Act {
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
#[derive(Clone)]
pub enum Then {
    Field(&'static str, &'static str, Value),
    Tasks(usize),
    Edges(usize),
    Chosen(&'static [&'static str]),
    Moved,
    Zoomed,
    Focus(&'static str),
    /// The card that the canvas has under its keys.
    Active(&'static str),
    Shows(&'static str),
    Hides(&'static str),
    Scale(f64),
    /// What the program's document is then, in words and as a rule.
    Is(&'static str, fn(&Value) -> bool),
    Differs,
}

use Act::*;
use Spot::Free;
use Then::{Active, Chosen, Differs, Edges, Field, Focus, Hides, Is, Moved, Scale, Shows, Tasks, Zoomed};

pub async fn document(window: &Desktop<'_>, run: &str) -> Outcome<Value> {
    let view = draft(window, run).await?;
    Ok(serde_json::from_str(view["document"].as_str().expect("text")).expect("a document"))
}

pub async fn until_document(window: &Desktop<'_>, run: &str, is_so: impl Fn(&Value) -> bool) -> Outcome<()> {
    until("the document", async || {
        Ok(is_so(&document(window, run).await?).then_some(()))
    })
    .await
}

pub async fn transform(window: &Desktop<'_>) -> Outcome<[f64; 3]> {
    let body = "const m = new DOMMatrix(getComputedStyle(document.querySelector('.react-flow__viewport')).transform);
        return [m.e, m.f, m.a];";
    let found = window.run_script(body, vec![]).await?;
    Ok([0, 1, 2].map(|ix| found[ix].as_f64().unwrap_or_default()))
}

impl Spot {
    pub async fn place(self, window: &Desktop<'_>) -> Outcome<Point> {
        match self {
            Self::Card(id) => window.centre(&card(id)).await,
            Self::Out(id) => window.centre(&mark(&format!("out-{id}"))).await,
            Self::Edge(from, to) => point_on_edge(window, from, to).await,
            Self::End(from, to) => point_near_end(window, from, to).await,
            Self::Corner(id) => {
                let body =
                    "const { left, bottom } = document.querySelector(arguments[0]).getBoundingClientRect();
                    return [left + 24, bottom + 16];";
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
    pub async fn done(self, window: &Desktop<'_>) -> Outcome<()> {
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
    pub async fn so(
        &self,
        window: &Desktop<'_>,
        run: &str,
        original: &Value,
        view: &[f64; 3],
    ) -> Outcome<()> {
        let is_so = until("what the gesture does", async || {
            let is_so = match self {
                Field(id, field, wanted) => {
                    task(window, run, id).await?.pointer(field).unwrap_or(&json!([])) == wanted
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
                Active(id) => active(window).await? == json!(format!("card-{id}")),
                Shows(id) => window.count(&mark(id)).await? > 0,
                Hides(id) => window.count(&mark(id)).await? == 0,
                Scale(wanted) => (transform(window).await?[2] - wanted).abs() < 0.001,
                Is(_, rule) => rule(&document(window, run).await?),
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
                let task = task(window, run, id).await?;
                format!("{id}{field} is not {wanted} in {task}")
            }
            Tasks(count) | Edges(count) => format!("not {count} in {}", document(window, run).await?),
            Differs => "nothing has changed".to_owned(),
            Chosen(ids) => format!("{:?} are chosen, not {ids:?}", chosen(window).await?),
            Moved | Zoomed => format!("{:?} after {view:?}", transform(window).await?),
            Focus(id) => format!("{id} has not the focus"),
            Active(id) => format!("{} is under the keys, not {id}", active(window).await?),
            Shows(id) => format!("{id} does not show"),
            Hides(id) => format!("{id} still shows"),
            Scale(wanted) => format!("{:?} is not at {wanted}", transform(window).await?),
            Is(what, _) => format!("not {what}: {}", document(window, run).await?),
        })
    }
}

async fn active(window: &Desktop<'_>) -> Outcome<Value> {
    let body =
        "return document.querySelector('[data-testid=canvas-flow]')?.getAttribute('aria-activedescendant')";
    window.run_script(body, vec![]).await
}

pub fn sorted(ids: &[&str]) -> Vec<String> {
    let mut ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
    ids.sort();
    ids
}

pub async fn chosen(window: &Desktop<'_>) -> Outcome<Vec<String>> {
    let body = "return [...document.querySelectorAll('.react-flow__node:has(.card.selected)')].map((n) => n.dataset.id).sort()";
    let found = window.run_script(body, vec![]).await?;
    let ids = found.as_array().cloned().unwrap_or_default();
    Ok(ids
        .iter()
        .filter_map(|id| id.as_str().map(str::to_owned))
        .collect())
}
