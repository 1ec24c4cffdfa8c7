//! What a person sees of a run that goes on: its tasks, what each does and costs, what was spent of what, and what waits for
//! them. Names and messages are text of others. It must not know the terminal.

use std::collections::{BTreeMap, HashMap};

use planloom_engine::model::RunId;
use planloom_engine::model::ledger::{CostKind, Usage};
use planloom_engine::model::money::Usd;
use planloom_engine::views::{DecisionView, RunNews, RunRow, TaskStatus, TaskView};
use planloom_engine::{Engine, Error};

use crate::out::{counted, piece};
use crate::spent::spent_lines;

/// Letters of a task's id before its line is cut.
const LONGEST_ID: usize = 32;

#[derive(Default)]
pub struct Board {
    run: Option<RunRow>,
    /// In the order of the plan.
    tasks: Vec<TaskView>,
    places: HashMap<String, usize>,
    decisions: Vec<DecisionView>,
    costs: BTreeMap<String, Cost>,
    /// What each task did last.
    steps: HashMap<String, String>,
    /// Up to here the costs are counted.
    counted: u64,
}

/// What a task's calls came to.
#[derive(Clone, Copy, Default)]
struct Cost {
    usd: Usd,
    is_unknown: bool,
}

impl Board {
    pub async fn take(&mut self, engine: &Engine, run: &RunId, news: RunNews) -> Result<(), Error> {
        for event in &news.events {
            if let Some(task) = &event.task {
                self.steps.insert(task.clone(), event.text.clone());
            }
        }
        for task in news.tasks {
            match self.places.get(&task.id) {
                Some(&place) => self.tasks[place] = task,
                None => {
                    self.places.insert(task.id.clone(), self.tasks.len());
                    self.tasks.push(task);
                }
            }
        }
        self.count(engine, run, u64::from(news.seq)).await?;
        self.run = Some(news.run);
        self.decisions = news.decisions;
        Ok(())
    }

    async fn count(&mut self, engine: &Engine, run: &RunId, upto: u64) -> Result<(), Error> {
        if upto <= self.counted {
            return Ok(());
        }
        let mut log = engine.log(run, self.counted + 1, upto).await?;
        loop {
            let events = log.next().await?;
            if events.is_empty() {
                break;
            }
            for logged in events {
                if let (Some(task), Some(usage)) = (logged.event.task, logged.usage) {
                    self.costs.entry(task).or_default().add(&usage);
                }
            }
        }
        self.counted = upto;
        Ok(())
    }

    /// At most so many lines of so many columns.
    pub fn lines(&self, columns: usize, rows: usize) -> Vec<String> {
        let Some(run) = &self.run else { return Vec::new() };
        let mut lines = vec![self.head(run)];
        let mut feet = spent_lines(run);
        feet.extend(
            self.decisions
                .iter()
                .map(|asked| format!("Waits for you: {}", asked.question)),
        );
        feet.truncate(rows.saturating_sub(4) / 2 + 1);
        let room = rows.saturating_sub(lines.len() + feet.len() + 1);
        lines.extend(self.of_tasks(room));
        lines.extend(feet);
        lines.iter().map(|line| cut(&piece(line), columns)).collect()
    }

    fn head(&self, run: &RunRow) -> String {
        let state = |c: &planloom_engine::views::StatusCount| {
            format!("{} {}", c.count, c.status.to_string().to_lowercase())
        };
        let counts: Vec<String> = run.counts.iter().map(state).collect();
        format!("{}  {}  {}", run.status, run.title, counts.join(", "))
    }

    /// What goes on comes first, then what has failed, then what was done last, then what is still to come.
    fn of_tasks(&self, room: usize) -> Vec<String> {
        let mut order: Vec<&TaskView> = self.tasks.iter().collect();
        let newest = |task: &TaskView| -task.ended_at.unwrap_or(0.0) as i64;
        order.sort_by_key(|task| (rank(task.status), newest(task)));
        let is_cut = order.len() > room;
        let shown = if is_cut {
            room.saturating_sub(1)
        } else {
            order.len()
        };
        let id = |task: &&TaskView| width(&piece(&task.id)).min(LONGEST_ID);
        let widest = order.iter().take(shown).map(id).max().unwrap_or(0);
        let mut lines: Vec<String> = order
            .iter()
            .take(shown)
            .map(|task| self.line(task, widest))
            .collect();
        if is_cut {
            lines.push(format!("  … {} more", counted(order.len() - shown, "task")));
        }
        lines
    }

    fn line(&self, task: &TaskView, widest: usize) -> String {
        let attempt = match task.attempts {
            0 => String::new(),
            n => format!("{n}/{}", task.max_attempts.max(n)),
        };
        let took = task
            .started_at
            .map(|since| clock(task.ended_at.unwrap_or_else(now) - since));
        let cost = self.costs.get(&task.id).map_or(String::new(), Cost::shown);
        let about = match (&task.wait, &task.error) {
            (Some(wait), _) => wait.text.clone(),
            (None, Some(error)) => format!("{}: {}", error.code, error.message),
            (None, None) if task.status == TaskStatus::Running => {
                self.steps.get(&task.id).cloned().unwrap_or_default()
            }
            (None, None) => task.summary.clone().unwrap_or_default(),
        };
        let id = cut(&piece(&task.id), LONGEST_ID);
        let blank = " ".repeat(widest.saturating_sub(width(&id)));
        format!(
            "  {:<9}  {id}{blank}  {attempt:>4}  {:>8}  {cost:>8}  {about}",
            task.status.to_string(),
            took.unwrap_or_default()
        )
    }
}

impl Cost {
    fn add(&mut self, usage: &Usage) {
        match usage.kind {
            CostKind::Zero => {}
            CostKind::Estimated => self.usd = self.usd.plus(usage.usd),
            CostKind::Unknown => self.is_unknown = true,
        }
    }

    fn shown(&self) -> String {
        let is_free = self.usd == Usd::default();
        match (is_free, self.is_unknown) {
            (true, true) => "?".to_owned(),
            (true, false) => String::new(),
            (false, true) => format!("≥${}", self.usd),
            (false, false) => format!("${}", self.usd),
        }
    }
}

fn rank(status: TaskStatus) -> u8 {
    match status {
        TaskStatus::Running | TaskStatus::Retrying => 0,
        TaskStatus::Waiting | TaskStatus::InDoubt => 1,
        TaskStatus::Failed => 2,
        TaskStatus::Ready => 3,
        TaskStatus::Completed => 4,
        TaskStatus::Pending => 5,
        TaskStatus::Skipped | TaskStatus::Cancelled | TaskStatus::Pruned => 6,
    }
}

fn now() -> f64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0.0, |since| since.as_secs_f64() * 1000.0)
}

/// `0.4 s`, `1:05`, `2:00:05`.
fn clock(ms: f64) -> String {
    let seconds = (ms.max(0.0) / 1000.0) as u64;
    match seconds {
        0..60 => format!("{:.1} s", ms.max(0.0) / 1000.0),
        60..3600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        _ => format!(
            "{}:{:02}:{:02}",
            seconds / 3600,
            seconds % 3600 / 60,
            seconds % 60
        ),
    }
}

/// Columns that a terminal gives to the text, near enough to keep a line on its line.
fn width(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

fn columns_of(c: char) -> usize {
    match u32::from(c) {
        0x300..=0x36F => 0,
        0x1100..=0x115F
        | 0x2E80..=0xA4CF
        | 0xAC00..=0xD7A3
        | 0xF900..=0xFAFF
        | 0xFE30..=0xFE6F
        | 0xFF00..=0xFF60
        | 0xFFE0..=0xFFE6
        | 0x1F000..=0x1FAFF
        | 0x20000..=0x3FFFD => 2,
        _ => 1,
    }
}

fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let (mut out, mut used) = (String::new(), 0);
    for c in text.chars() {
        used += columns_of(c);
        if used >= columns {
            break;
        }
        out.push(c);
    }
    out.push('…');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_to_their_width_whatever_stands_in_them() {
        assert_eq!(cut("short", 10), "short");
        assert_eq!(cut("a longer line", 8), "a longe…");
        assert_eq!(cut("東京東京東京", 7), "東京東…");
        assert_eq!(width(&cut(&"💥".repeat(100), 80)), 79);
    }

    #[test]
    fn times_are_short() {
        assert_eq!(clock(420.0), "0.4 s");
        assert_eq!(clock(65_000.0), "1:05");
        assert_eq!(clock(7_205_000.0), "2:00:05");
        assert_eq!(clock(-5.0), "0.0 s");
    }
}
