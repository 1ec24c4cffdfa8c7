//! A run or a draft as a file for other eyes: report, picture, Mermaid text, trace. Nothing is recorded, and nothing leaves
//! the machine from here.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::approving::gather;
use super::carrying::finish;
use super::made::effects_of;
use super::pasted::named_secrets;
use super::whole_file::{Replace, WholeFile};
use super::{Engine, Error};
use crate::history::bill::Bill;
use crate::history::load::{self, Loaded};
use crate::history::otlp::{self, Contents, Traced};
use crate::history::pixels;
use crate::history::report::{self, Around};
use crate::history::report::{spent, took};
use crate::model::picture::{Drawn, Picture, Svg, Theme, mermaid, sketch, svg};
use crate::model::plan::{TaskIx, TaskKind};
use crate::model::redactor::Redactor;
use crate::model::state::RunState;
use crate::model::status::TaskStatus;
use crate::model::{Json, RunId};
use crate::run::END;
use crate::views::{DraftView, NeedView};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a run is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The whole log, to be imported again.
    Run,
    Markdown,
    Html,
    Svg,
    Png,
    Mermaid,
    Otlp,
}

impl Form {
    pub const ALL: [Self; 7] = [
        Self::Run,
        Self::Markdown,
        Self::Html,
        Self::Svg,
        Self::Png,
        Self::Mermaid,
        Self::Otlp,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Mermaid => "mermaid",
            Self::Otlp => "otlp",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.word() == word)
    }

    /// What a file's name says; what says nothing is the run itself.
    pub fn of_file(path: &Path) -> Self {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_lowercase();
        let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
        if ends(&[".md", ".markdown"]) {
            Self::Markdown
        } else if ends(&[".html", ".htm"]) {
            Self::Html
        } else if ends(&[".svg"]) {
            Self::Svg
        } else if ends(&[".png"]) {
            Self::Png
        } else if ends(&[".mmd", ".mermaid"]) {
            Self::Mermaid
        } else if ends(&[".otlp.json", ".otlp.jsonl", ".otlp"]) {
            Self::Otlp
        } else {
            Self::Run
        }
    }

    /// Whether it can be read as text.
    pub fn is_text(self) -> bool {
        match self {
            Self::Markdown | Self::Html | Self::Svg | Self::Mermaid | Self::Otlp => true,
            Self::Run | Self::Png => false,
        }
    }
}

/// How something is to be written.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    pub form: Form,
    pub theme: Theme,
    /// Of a trace: whether what was said, given and returned goes along.
    pub contents: Contents,
}

/// What came of it, before it is anywhere.
#[derive(Clone, Debug)]
pub struct Rendered {
    pub bytes: Vec<u8>,
    /// What a person should know of it, a sentence each.
    pub notes: Vec<String>,
}

/// A file that was written.
#[derive(Clone, Debug)]
pub struct Saved {
    pub file: PathBuf,
    pub bytes: u64,
    pub notes: Vec<String>,
}

impl Engine {
    /// Writes the run in a form to a file, which appears whole or not at all.
    pub async fn export_as(
        &self,
        run: &RunId,
        wanted: Wanted,
        to: &Path,
        replace: Replace,
    ) -> Result<Saved, Error> {
        if wanted.form == Form::Run {
            let done = self.export_run(run, to, replace).await?;
            let note = "The files of the run's own folder are not in it.".to_owned();
            return Ok(Saved {
                file: done.file,
                bytes: done.bytes,
                notes: vec![note],
            });
        }
        // What can't be written there is not worked out first.
        let whole = WholeFile::begin(to, replace, &self.own_files())?;
        let rendered = self.render(run, wanted).await?;
        whole
            .file()?
            .write_all(&rendered.bytes)
            .map_err(|error| whole.failed(&error))?;
        let (file, bytes) = finish(whole).await?;
        Ok(Saved {
            file,
            bytes,
            notes: rendered.notes,
        })
    }

    /// The run in a form, of those that are not the log itself.
    pub async fn render(&self, run: &RunId, wanted: Wanted) -> Result<Rendered, Error> {
        let loaded = load::load(&self.inner.store, &self.inner.around, run, END).await?;
        let view = self.plan_at(run, loaded.record.head).await?;
        let redactor = self.redactor_of(&view).await;
        match wanted.form {
            Form::Run => Err(Error::invalid(
                "usage",
                "a run's log is written to a file of its own; name one",
            )),
            Form::Markdown => {
                let story = self.story(&loaded, &view, &redactor).await?;
                Ok(plain(report::to_markdown(&story)))
            }
            Form::Html => {
                let story = self.story(&loaded, &view, &redactor).await?;
                let drawn = draw(picture(&loaded, &view, &redactor), Theme::Page).await?;
                Ok(plain(report::to_html(&story, Some(&drawn))))
            }
            Form::Svg => {
                let drawn = draw(picture(&loaded, &view, &redactor), wanted.theme).await?;
                Ok(plain(drawn.text))
            }
            Form::Png => points(draw(picture(&loaded, &view, &redactor), wanted.theme).await?).await,
            Form::Mermaid => Ok(plain(mermaid(&picture(&loaded, &view, &redactor)))),
            Form::Otlp => {
                let traced = self.spans(run, &loaded, wanted.contents, &redactor).await?;
                Ok(lines(&traced))
            }
        }
    }

    /// The run's trace, to be sent.
    pub(super) async fn traced(&self, run: &RunId, contents: Contents) -> Result<Traced, Error> {
        let loaded = load::load(&self.inner.store, &self.inner.around, run, END).await?;
        let view = self.plan_at(run, loaded.record.head).await?;
        let redactor = self.redactor_of(&view).await;
        self.spans(run, &loaded, contents, &redactor).await
    }

    async fn spans(
        &self,
        run: &RunId,
        loaded: &Loaded,
        contents: Contents,
        redactor: &Redactor,
    ) -> Result<Traced, Error> {
        let mut inputs = HashMap::new();
        if contents == Contents::Included {
            inputs = self.inputs_of(loaded, redactor).await?;
        }
        let store = &self.inner.store;
        Ok(otlp::trace(store, loaded, run, contents, redactor, &inputs).await?)
    }

    /// What the tasks that call one tool were given, as JSON text.
    async fn inputs_of(
        &self,
        loaded: &Loaded,
        redactor: &Redactor,
    ) -> Result<HashMap<String, String>, Error> {
        let state = &loaded.state;
        let mut inputs = HashMap::new();
        for ix in state.nodes() {
            let is_tool = matches!(state.def(ix).kind, TaskKind::Tool { .. });
            if !is_tool || state.task(ix).started_ms == 0 {
                continue;
            }
            let given = crate::run::resolve_shown(&self.inner.store, state, ix).await?;
            let given = given.unwrap_or_default().into_iter().collect();
            let clean = redactor.value(Json::Object(given));
            inputs.insert(state.tree.address(ix).to_string(), clean.to_string());
        }
        Ok(inputs)
    }

    async fn story(
        &self,
        loaded: &Loaded,
        view: &DraftView,
        redactor: &Redactor,
    ) -> Result<report::Story, Error> {
        let is_driven = self.inner.store.holder(&loaded.record.id).is_some();
        let goal = loaded.goal.as_deref();
        let row = self.row_at(&loaded.record, &loaded.state, goal, is_driven, self.now_ms());
        let asked = view.tasks.iter().flat_map(|task| task.needs.iter().cloned());
        let needs = gather(asked).into_iter().map(|need| NeedView {
            resource: redactor.text(&need.resource),
            ..need
        });
        let around = Around {
            title: row.title.clone(),
            needs: needs.collect(),
            effects: effects_of(&loaded.events, 0, &loaded.state),
            redactor,
            version: VERSION,
            row,
        };
        Ok(report::gather(&self.inner.store, loaded, around).await?)
    }

    /// Every secret that is known here: keys of models, what the keychain has given, what the plan names.
    async fn redactor_of(&self, view: &DraftView) -> Redactor {
        let secrets = &self.inner.secrets;
        let mut names = secrets.names();
        let document: Json = serde_json::from_str(&view.document).unwrap_or_default();
        names.extend(named_secrets(&document));
        secrets.load(names.clone()).await;
        let mut redactor = Redactor::of(self.models().keys().map(|key| key.expose()));
        for name in names {
            redactor.add(secrets.get(&name).as_deref());
        }
        redactor
    }
}

fn plain(text: String) -> Rendered {
    Rendered {
        bytes: text.into_bytes(),
        notes: Vec::new(),
    }
}

/// A batch of spans in each line.
fn lines(traced: &Traced) -> Rendered {
    let mut text = String::new();
    for spans in traced.spans.chunks(otlp::BATCH) {
        text.push_str(&otlp::batch(spans, VERSION).to_string());
        text.push('\n');
    }
    let count = crate::model::counted(traced.spans.len() as u64, "span");
    Rendered {
        bytes: text.into_bytes(),
        notes: vec![format!("{count} of trace {}.", traced.trace)],
    }
}

/// The plan as it is drawn, with what the run knows of its tasks.
fn picture(loaded: &Loaded, view: &DraftView, redactor: &Redactor) -> Picture {
    let mut tasks = view.tasks.clone();
    if !redactor.is_empty() {
        for task in &mut tasks {
            task.title = redactor.text(&task.title);
            task.detail = redactor.text(&task.detail);
            task.document = redactor.text(&task.document);
        }
    }
    let drawn = if loaded.state.has_begun {
        drawn(loaded)
    } else {
        HashMap::new()
    };
    sketch(&redactor.text(&view.title), &tasks, &view.edges, drawn)
}

fn drawn(loaded: &Loaded) -> HashMap<String, Drawn> {
    let state = &loaded.state;
    let costs = Bill::of(&loaded.events, state).by_task();
    let one = |&ix: &TaskIx| {
        let id = state.tree.address(ix).to_string();
        let task = state.task(ix);
        let is_over = task.ended_ms >= task.started_ms && task.started_ms > 0;
        let time = is_over.then(|| took(task.ended_ms - task.started_ms));
        let money = costs.get(&id).filter(|cost| cost.calls > 0).map(spent);
        let right: Vec<String> = time.into_iter().chain(money).collect();
        let count =
            (task.attempts > 1).then(|| format!("{} of {}", task.attempts, state.def(ix).most_attempts()));
        let drawn = Drawn {
            state: Some(task.status),
            count: count.unwrap_or_default(),
            right: right.join(" · "),
            items: items(state, ix),
        };
        (id, drawn)
    };
    state.tree.root().nodes.iter().map(one).collect()
}

/// The states of a map's items.
fn items(state: &RunState, ix: TaskIx) -> Vec<TaskStatus> {
    let Some(inner) = &state.task(ix).inner else {
        return Vec::new();
    };
    let is_map = state.tree.item(inner.first).is_some_and(|(map, _)| map == ix);
    if !is_map {
        return Vec::new();
    }
    let all = inner.first..inner.first + inner.count;
    all.map(|item| state.task(item).status).collect()
}

/// Large plans take a moment, which no other work has to wait for.
async fn draw(picture: Picture, theme: Theme) -> Result<Svg, Error> {
    let drawing = tokio::task::spawn_blocking(move || svg(&picture, theme));
    drawing.await.map_err(|error| undrawn(&error))
}

async fn points(drawn: Svg) -> Result<Rendered, Error> {
    let drawing = tokio::task::spawn_blocking(move || pixels::png(&drawn));
    let png = drawing
        .await
        .map_err(|error| undrawn(&error))?
        .map_err(|error| undrawn(&error))?;
    let mut notes = vec![format!("{} × {} points.", png.width, png.height)];
    if png.scale < 0.7 {
        notes.push(format!(
            "The plan is too large for a picture of points: it is drawn at {} % of its size, and titles may not be \
             readable. As SVG it is whole.",
            (png.scale * 100.0).round()
        ));
    }
    Ok(Rendered {
        bytes: png.bytes,
        notes,
    })
}

fn undrawn(error: &dyn std::fmt::Display) -> Error {
    Error::Store {
        code: "drawing",
        message: format!(
            "the plan was not drawn: {error}. Nothing was written; export it as SVG or Mermaid instead."
        ),
    }
}
