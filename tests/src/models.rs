//! A model that says what the test wants, and remembers what it was asked. It knows no provider.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use planloom_engine::llm::wire::Delta;
use planloom_engine::llm::{
    Answer, Cancelled, ChatModel, Entry, Fault, Message, Models, Outcome, Price, Reply, Request, Role,
    ToolCall,
};
use planloom_engine::model::Json;
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// What one question gets.
#[derive(Clone, Debug)]
pub enum Line {
    /// This reply, at once.
    Give(Reply),
    /// This reply, after that long; obeys cancellation.
    Slow(Duration, Reply),
    /// Never answers by itself, but obeys cancellation.
    Hang,
    /// Never answers and does not obey.
    Deaf,
    Panic,
}

/// The name under which a scripted model is set up.
pub const NAME: &str = "scripted/model";
/// The name of another one, when it stands in for the first.
pub const SPARE: &str = "spare/model";

type Closure = dyn Fn(&Request) -> Option<Line> + Send + Sync;

#[derive(Default)]
struct Book {
    /// Words that a question holds, with the next answers to such questions.
    queues: Vec<(String, VecDeque<Line>)>,
    otherwise: Option<Arc<Closure>>,
    requests: Vec<Request>,
    running: usize,
    most: usize,
}

/// Questions are told apart by words in them, such as a task's instruction: a model is never told which task it is.
/// Without a script it answers `"ok"`, as text or by `submit_result`.
#[derive(Clone, Default)]
pub struct ScriptedModel {
    book: Arc<Mutex<Book>>,
}

impl ScriptedModel {
    /// The next questions that hold these words get these answers, one after the other.
    pub fn on(&self, words: &str, lines: impl IntoIterator<Item = Line>) {
        let mut book = self.book.lock().unwrap();
        let known = book.queues.iter().position(|(known, _)| known == words);
        let at = known.unwrap_or_else(|| {
            book.queues.push((words.to_owned(), VecDeque::new()));
            book.queues.len() - 1
        });
        book.queues[at].1.extend(lines);
    }

    /// Asked for every question that no queue answers; `None` leaves it to the usual answer.
    pub fn otherwise(&self, answer: impl Fn(&Request) -> Option<Line> + Send + Sync + 'static) {
        self.book.lock().unwrap().otherwise = Some(Arc::new(answer));
    }

    /// Everything that was asked, in the order of asking.
    pub fn requests(&self) -> Vec<Request> {
        self.book.lock().unwrap().requests.clone()
    }

    /// The questions that hold these words.
    pub fn asked(&self, words: &str) -> usize {
        let book = self.book.lock().unwrap();
        book.requests
            .iter()
            .filter(|request| holds(request, words))
            .count()
    }

    /// How many are being answered now.
    pub fn running(&self) -> usize {
        self.book.lock().unwrap().running
    }

    /// How many were being answered at once, at most.
    pub fn most_at_once(&self) -> usize {
        self.book.lock().unwrap().most
    }

    /// Set up for every role, free of charge.
    pub fn models(&self) -> Models {
        let entry = Entry {
            price: Price::Free,
            ..Entry::new(NAME, Arc::new(self.clone()))
        };
        let models = Models::none().with(entry);
        Role::ALL
            .into_iter()
            .fold(models, |models, role| models.with_role(role, &[NAME]))
    }

    /// The same, as if it ran at this host.
    pub fn models_at(&self, host: &str) -> Models {
        let entry = Entry {
            price: Price::Free,
            host: Some(host.into()),
            ..Entry::new(NAME, Arc::new(self.clone()))
        };
        let roles = |models: Models, role| models.with_role(role, &[NAME]);
        Role::ALL.into_iter().fold(Models::none().with(entry), roles)
    }

    /// Set up for agents alone, with another one behind it for those that name the role `planner`.
    pub fn models_with(&self, spare: &Self) -> Models {
        let free = |name: &str, model: &Self| Entry {
            price: Price::Free,
            ..Entry::new(name, Arc::new(model.clone()))
        };
        Models::none()
            .with(free(NAME, self))
            .with(free(SPARE, spare))
            .with_role(Role::Executor, &[NAME])
            .with_role(Role::Planner, &[NAME, SPARE])
    }

    fn begin(&self, request: &Request) -> (Line, Running) {
        let (queued, otherwise) = {
            let mut book = self.book.lock().unwrap();
            book.requests.push(request.clone());
            book.running += 1;
            book.most = book.most.max(book.running);
            let fits =
                |(words, lines): &&mut (String, VecDeque<Line>)| !lines.is_empty() && holds(request, words);
            let queued = book
                .queues
                .iter_mut()
                .find(fits)
                .and_then(|(_, lines)| lines.pop_front());
            (queued, book.otherwise.clone())
        };
        let running = Running(self.book.clone());
        let line = queued.or_else(|| otherwise.and_then(|answer| answer(request)));
        (line.unwrap_or_else(|| usual(request)), running)
    }
}

struct Running(Arc<Mutex<Book>>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.lock().unwrap().running -= 1;
    }
}

#[async_trait]
impl ChatModel for ScriptedModel {
    async fn ask(&self, request: &Request, cancel: &CancellationToken) -> Result<Reply, Cancelled> {
        self.ask_live(request, &|_| {}, cancel).await
    }

    /// What it will say it tells at once, in two pieces, however long it takes to say it.
    async fn ask_live(
        &self,
        request: &Request,
        told: &(dyn Fn(Delta) + Send + Sync),
        cancel: &CancellationToken,
    ) -> Result<Reply, Cancelled> {
        let (line, _running) = self.begin(request);
        if let Line::Give(reply) | Line::Slow(_, reply) = &line
            && let Outcome::Complete(answer) = &reply.outcome
        {
            let half = answer.text.char_indices().nth(answer.text.chars().count() / 2);
            let (first, rest) = answer.text.split_at(half.map_or(0, |(at, _)| at));
            [first, rest]
                .into_iter()
                .for_each(|text| told(Delta::Text(text.to_owned())));
        }
        match line {
            Line::Give(reply) => {
                tokio::task::yield_now().await;
                Ok(reply)
            }
            Line::Slow(time, reply) => tokio::select! {
                () = tokio::time::sleep(time) => Ok(reply),
                () = cancel.cancelled() => Err(Cancelled),
            },
            Line::Hang => {
                cancel.cancelled().await;
                Err(Cancelled)
            }
            Line::Deaf => std::future::pending().await,
            Line::Panic => panic!("as scripted"),
        }
    }
}

/// Whether the words stand in the system part or in what was said first: the task itself, not what came of it.
fn holds(request: &Request, words: &str) -> bool {
    let is_in_opening = |message: &Message| match message {
        Message::User(text) => text.contains(words),
        Message::Assistant { .. } | Message::Observation { .. } => false,
    };
    request.system.contains(words) || request.messages.first().is_some_and(is_in_opening)
}

fn usual(request: &Request) -> Line {
    if request.tools.iter().any(|offer| offer.name == "submit_result") {
        submit(json!({ "result": "ok" }))
    } else {
        say("ok")
    }
}

/// Plain text.
pub fn say(text: &str) -> Line {
    Line::Give(Reply::complete(Answer::text(text)))
}

/// The final result: the arguments of `submit_result`, `{"result": …}` where no schema says otherwise.
pub fn submit(arguments: Json) -> Line {
    call(&[("submit_result", arguments)])
}

/// Calls of tools, all in one reply.
pub fn call(calls: &[(&str, Json)]) -> Line {
    let calls = calls.iter().enumerate().map(|(ix, (name, arguments))| ToolCall {
        id: format!("given-{ix}"),
        name: (*name).to_owned(),
        arguments: arguments.to_string(),
        sealed: None,
    });
    Line::Give(Reply::complete(Answer::calls(calls.collect())))
}

/// A failure of a class, such as `fail(Outcome::Rate)`.
pub fn fail(class: fn(Fault) -> Outcome) -> Line {
    Line::Give(Reply::of(class(Fault::new("scripted", "as scripted"))))
}

/// The same, asking to wait.
pub fn fail_for(class: fn(Fault) -> Outcome, wait: Duration) -> Line {
    let fault = Fault {
        retry_after_ms: u64::try_from(wait.as_millis()).ok(),
        ..Fault::new("scripted", "as scripted")
    };
    Line::Give(Reply::of(class(fault)))
}

/// A refusal in the model's words.
pub fn refuse(words: &str) -> Line {
    Line::Give(Reply::of(Outcome::Permanent(Fault::refusal(words))))
}

/// An answer that was cut at the limit of output.
pub fn cut(text: &str) -> Line {
    Line::Give(Reply::of(Outcome::Cut(Answer::text(text))))
}

/// The line, with this much used.
pub fn using(line: Line, input: u64, output: u64) -> Line {
    let counted = |mut reply: Reply| {
        reply.usage.input = Some(input);
        reply.usage.output = Some(output);
        reply
    };
    match line {
        Line::Give(reply) => Line::Give(counted(reply)),
        Line::Slow(time, reply) => Line::Slow(time, counted(reply)),
        other @ (Line::Hang | Line::Deaf | Line::Panic) => other,
    }
}

/// The line, that late. What never answers stays so.
pub fn late(line: Line, time: Duration) -> Line {
    match line {
        Line::Give(reply) | Line::Slow(_, reply) => Line::Slow(time, reply),
        other @ (Line::Hang | Line::Deaf | Line::Panic) => other,
    }
}
