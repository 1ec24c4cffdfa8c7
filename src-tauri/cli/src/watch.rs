//! `watch`: a run as it goes on, whoever drives it. On a terminal a table that is drawn anew, elsewhere a line for each event.
//! It changes nothing, and leaving it neither.

mod screen;
mod table;

use std::io::IsTerminal;
use std::time::Duration;

use planloom_engine::model::RunId;
use planloom_engine::views::{RunNews, RunRow, RunStatus};
use planloom_engine::{Engine, Error, Watch};

use crate::exit::Exit;
use crate::out::Out;
use crate::run::{Signals, finish, print_events};
use screen::Screen;
use table::Board;

/// The table is drawn anew so often while nothing happens: times go on.
const TICK: Duration = Duration::from_secs(1);
/// And no more often than this while much happens.
const PACE: Duration = Duration::from_millis(150);

pub async fn watch(engine: &Engine, run: &str, out: &Out) -> Result<Exit, Error> {
    let run = engine.find_run(run).await?;
    let watch = engine.watch_all(&run, 0).await?;
    if !out.json && std::io::stdout().is_terminal() {
        return Box::pin(draw(engine, &run, watch, out)).await;
    }
    Box::pin(tell(engine, &run, watch, out)).await
}

/// Nothing more comes of it by itself.
fn rests(row: &RunRow) -> bool {
    match row.status {
        RunStatus::Running => false,
        // A planner may be at work on it.
        RunStatus::AwaitingApproval => row.owner.is_none(),
        RunStatus::Paused
        | RunStatus::Waiting
        | RunStatus::Blocked
        | RunStatus::Succeeded
        | RunStatus::Failed
        | RunStatus::Cancelled => true,
    }
}

async fn tell(engine: &Engine, run: &RunId, mut watch: Watch, out: &Out) -> Result<Exit, Error> {
    let mut signals = Signals::new();
    loop {
        tokio::select! {
            news = watch.next() => {
                let Some(news) = news else { break };
                let news = news?;
                print_events(&news.events, out);
                if rests(&news.run) {
                    break;
                }
            }
            () = signals.next() => return Ok(left(run, out)),
        }
    }
    finish(engine, run, watch, out, None).await
}

async fn draw(engine: &Engine, run: &RunId, mut watch: Watch, out: &Out) -> Result<Exit, Error> {
    let mut signals = Signals::new();
    let mut screen = Screen::default();
    let mut board = Board::default();
    loop {
        tokio::select! {
            news = watch.next() => {
                let Some(news) = news else { break };
                let news: RunNews = news?;
                let is_at_rest = rests(&news.run);
                board.take(engine, run, news).await?;
                screen.draw(&board);
                if is_at_rest {
                    break;
                }
                tokio::time::sleep(PACE).await;
            }
            () = tokio::time::sleep(TICK) => screen.draw(&board),
            () = signals.next() => return Ok(left(run, out)),
        }
    }
    finish(engine, run, watch, out, None).await
}

fn left(run: &RunId, out: &Out) -> Exit {
    out.note(&format!(
        "The run goes on as before. Watch it again with: {}",
        out.command(&["watch"], &[run.as_str()])
    ));
    Exit::Cancelled
}
