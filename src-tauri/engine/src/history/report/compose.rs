//! What stands in a report, in which order. It must not know Markdown or HTML.

use super::money::{cost, grouped, size, tokens, took};
use super::rich;
use super::story::{Approval, Asked, Story, Text};
use super::tasks::Task;
use super::{Block, Report, Span};
use crate::model::counted;
use crate::model::moment::moment;
use crate::model::picture::{kind_name, state_name};
use crate::model::status::{RunStatus, TaskStatus};
use crate::model::tool::Access;

/// Tasks in tables, decisions and effects; the rest is counted.
const MOST_ROWS: usize = 2_000;

/// The whole report.
pub(super) fn report(story: &Story) -> Report {
    let mut blocks = Vec::new();
    overview(story, &mut blocks);
    answer(story, &mut blocks);
    plan(story, &mut blocks);
    approved(story, &mut blocks);
    tasks(story, &mut blocks);
    decisions(story, &mut blocks);
    replans(story, &mut blocks);
    effects(story, &mut blocks);
    money(story, &mut blocks);
    blocks.push(Block::Rule);
    blocks.push(Block::Paragraph(Span::text(format!(
        "Written by Planloom {} from the log of the run, whose files are not in it. Text of models and tools stands here as \
         text: none of it is a link, and none was loaded from anywhere.",
        story.version
    ))));
    Report {
        title: story.title.clone(),
        blocks,
    }
}

fn heading(text: &str) -> Block {
    Block::Heading(2, text.to_owned())
}

fn fact(name: &str, spans: Vec<Span>) -> (String, Vec<Span>) {
    (name.to_owned(), spans)
}

fn overview(story: &Story, blocks: &mut Vec<Block>) {
    let mut facts = Vec::new();
    if let Some(goal) = &story.goal {
        facts.push(fact("Goal", Span::text(goal.clone())));
    }
    facts.push(fact("Outcome", vec![run_state(story.row.status)]));
    if let Some((code, message)) = &story.error {
        facts.push(fact(
            "Error",
            vec![Span::Code(code.clone()), Span::Text(format!(" {message}"))],
        ));
    }
    facts.push(fact("Started", Span::text(moment(story.row.started_at as i64))));
    if let Some(ran) = story.row.ran_ms {
        facts.push(fact("Ran for", Span::text(took(ran as i64))));
    }
    facts.push(fact("Tasks", Span::text(counts(story))));
    let bill = &story.bill.whole;
    let came_to = match bill.calls {
        0 => "free, as no model was asked".to_owned(),
        _ => format!("{}; tokens: {}", cost(bill), tokens(bill)),
    };
    facts.push(fact("Cost", Span::text(came_to)));
    facts.push(fact("Run", vec![Span::Code(story.row.run.clone())]));
    let revision = format!("Revision {}", story.row.revision);
    facts.push(fact(
        "Plan",
        match &story.plan_file {
            Some(file) => vec![
                Span::Text(format!("{revision}, opened from ")),
                Span::Code(file.clone()),
            ],
            None => Span::text(revision),
        },
    ));
    if !story.document.is_empty() {
        facts.push(fact("Hash of the plan", vec![Span::Code(story.document.clone())]));
    }
    for (at, to) in &story.rewinds {
        facts.push(fact(
            "Taken back",
            Span::text(format!("to event {to}, {}", moment(*at))),
        ));
    }
    blocks.push(Block::Facts(facts));
}

fn counts(story: &Story) -> String {
    let parts = story.row.counts.iter().map(|count| {
        format!(
            "{} {}",
            grouped(u64::from(count.count)),
            state_name(count.status).to_lowercase()
        )
    });
    match parts.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => counted(story.tasks.len(), "task"),
        parts => parts,
    }
}

fn answer(story: &Story, blocks: &mut Vec<Block>) {
    let Some(answer) = &story.answer else { return };
    blocks.push(heading("Answer"));
    if story.is_untrusted {
        blocks.push(Block::Paragraph(Span::text(
            "Text from outside has gone into this answer. Check it before you rely on it.",
        )));
    }
    if answer.is_words && answer.whole.is_none_or(|_| !answer.text.is_empty()) {
        blocks.push(Block::Quote(rich::read(&answer.text)));
    } else if !answer.text.is_empty() {
        blocks.push(Block::Verbatim(answer.text.clone()));
    }
    blocks.extend(cut_note(
        answer,
        &format!("planloom show {} --json", story.row.run),
    ));
    if story.sources.is_empty() {
        return;
    }
    blocks.push(Block::Heading(3, "What the run has read for it".to_owned()));
    let source = |(what, task): &(String, String)| {
        vec![Block::Paragraph(vec![
            Span::Code(what.clone()),
            Span::Text(format!(" by {task}")),
        ])]
    };
    blocks.push(Block::List(false, story.sources.iter().map(source).collect()));
    blocks.extend(more(story.sources_left_off, "source"));
}

/// Where a text is cut: how much the whole is, and where that can be seen.
fn cut_note(text: &Text, whole_at: &str) -> Option<Block> {
    let bytes = text.whole?;
    let what = if text.text.is_empty() {
        "Not shown here"
    } else {
        "Cut here"
    };
    Some(Block::Paragraph(vec![
        Span::Text(format!("{what}: the whole is {}. See it with ", size(bytes))),
        Span::Code(whole_at.to_owned()),
    ]))
}

fn more(left_off: usize, what: &str) -> Option<Block> {
    (left_off > 0).then(|| {
        let counted = counted(left_off as u64, what);
        Block::Paragraph(Span::text(format!("And {counted} more, left off here.")))
    })
}

fn plan(story: &Story, blocks: &mut Vec<Block>) {
    blocks.push(heading("Plan"));
    blocks.push(Block::Picture);
    let mut waves: Vec<(u32, Vec<&Task>)> = Vec::new();
    let mut own: Vec<&Task> = story.tasks.iter().filter(|task| task.wave.is_some()).collect();
    let left_off = own.len().saturating_sub(MOST_ROWS);
    own.truncate(MOST_ROWS);
    own.sort_by_key(|task| task.wave);
    for task in own {
        let wave = task.wave.unwrap_or_default();
        match waves.last_mut() {
            Some((last, tasks)) if *last == wave => tasks.push(task),
            Some(_) | None => waves.push((wave, vec![task])),
        }
    }
    for (wave, tasks) in waves {
        blocks.push(Block::Heading(3, format!("Wave {wave}")));
        let item = |task: &&Task| {
            let mut line = vec![
                Span::Strong(task.title.clone()),
                Span::Text(format!(" · {} · {}", kind_name(task.kind), task.detail)),
            ];
            if !task.after.is_empty() {
                line.push(Span::Text(format!(", after {}", task.after.join(", "))));
            }
            vec![Block::Paragraph(line)]
        };
        blocks.push(Block::List(false, tasks.iter().map(item).collect()));
    }
    blocks.extend(more(left_off, "task"));
}

fn approved(story: &Story, blocks: &mut Vec<Block>) {
    blocks.push(heading("What was approved"));
    if story.approvals.is_empty() {
        blocks.push(Block::Paragraph(Span::text(
            "Nothing: the plan was not approved.",
        )));
    }
    for approval in &story.approvals {
        blocks.push(Block::Facts(signed(approval)));
    }
    let cap = &story.cap;
    let caps = [
        cap.usd.as_ref().map(|usd| format!("${usd}")),
        cap.tokens
            .map(|tokens| format!("{} tokens", grouped(tokens as u64))),
        cap.seconds.map(|seconds| took((seconds * 1000.0) as i64)),
    ];
    let caps: Vec<String> = caps.into_iter().flatten().collect();
    let caps = if caps.is_empty() {
        "none".to_owned()
    } else {
        caps.join(", ")
    };
    blocks.push(Block::Paragraph(Span::text(format!("Caps: {caps}."))));
    if story.needs.is_empty() {
        blocks.push(Block::Paragraph(Span::text(
            "It asks for nothing outside its own folder.",
        )));
        return;
    }
    let rows = story.needs.iter().take(MOST_ROWS).map(|need| {
        let method = need
            .method
            .as_deref()
            .map_or(String::new(), |method| format!("{method} "));
        vec![
            Span::text(access(need.access)),
            vec![Span::Code(format!("{method}{}", need.resource))],
            Span::text(need.note.clone()),
            Span::text(need.tasks.iter().take(8).cloned().collect::<Vec<_>>().join(", ")),
        ]
    });
    let head = ["May", "What", "Note", "Tasks"].map(str::to_owned).to_vec();
    blocks.push(Block::Table(head, rows.collect()));
    blocks.extend(more(story.needs.len().saturating_sub(MOST_ROWS), "grant"));
}

/// What a grant lets tasks do.
pub(super) fn access(access: Access) -> &'static str {
    match access {
        Access::Read => "read",
        Access::Write => "write",
        Access::Host => "reach",
        Access::Database => "query",
        Access::Command => "run",
        Access::Mcp => "call",
    }
}

fn signed(approval: &Approval) -> Vec<(String, Vec<Span>)> {
    let what = format!(
        "Revision {} by {}, {}",
        approval.revision,
        approval.by,
        moment(approval.at_ms)
    );
    let mut facts = vec![
        fact("Approved", Span::text(what)),
        fact("Signature", vec![Span::Code(approval.digest.clone())]),
    ];
    for (name, value) in &approval.parameters {
        facts.push((format!("Parameter {name}"), vec![Span::Code(value.clone())]));
    }
    if !approval.off.is_empty() {
        facts.push(fact("Switched off", Span::text(approval.off.join(", "))));
    }
    if !approval.left_out.is_empty() {
        facts.push(fact("Left out for it", Span::text(approval.left_out.join(", "))));
    }
    facts
}

fn tasks(story: &Story, blocks: &mut Vec<Block>) {
    blocks.push(heading("Tasks"));
    let head = ["Task", "State", "Attempts", "Calls", "Worked", "Cost"]
        .map(str::to_owned)
        .to_vec();
    let rows = story.tasks.iter().take(MOST_ROWS).map(|task| {
        vec![
            vec![
                Span::Text(task.title.clone()),
                Span::Break,
                Span::Code(task.address.clone()),
            ],
            vec![task_state(task.status)],
            Span::text(task.attempts.to_string()),
            Span::text(calls(task)),
            Span::text(if task.started_ms.is_some() {
                took(task.work_ms)
            } else {
                "–".to_owned()
            }),
            Span::text(if task.cost.calls > 0 {
                cost(&task.cost)
            } else {
                "–".to_owned()
            }),
        ]
    });
    blocks.push(Block::Table(head, rows.collect()));
    blocks.extend(more(story.tasks.len().saturating_sub(MOST_ROWS), "task"));
    let told: Vec<&Task> = story
        .tasks
        .iter()
        .filter(|task| task.is_detailed && has_more(task))
        .collect();
    for task in &told {
        detail(story, task, blocks);
    }
    let left = story.tasks.iter().filter(|task| !task.is_detailed).count();
    if left > 0 {
        blocks.push(Block::Paragraph(vec![
            Span::Text(format!(
                "Outputs and errors of {} more are left off here. See one with ",
                counted(left as u64, "task")
            )),
            Span::Code(format!("planloom trace {} TASK", story.row.run)),
        ]));
    }
}

fn calls(task: &Task) -> String {
    let call = |(tool, all, failed): &(String, u32, u32)| {
        let failed = if *failed > 0 {
            format!(" ({failed} failed)")
        } else {
            String::new()
        };
        format!("{tool} × {all}{failed}")
    };
    match task.calls.iter().map(call).collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => "–".to_owned(),
        calls => calls,
    }
}

fn has_more(task: &Task) -> bool {
    task.output.is_some() || task.error.is_some() || !task.failures.is_empty()
}

fn detail(story: &Story, task: &Task, blocks: &mut Vec<Block>) {
    blocks.push(Block::Heading(3, task.title.clone()));
    if !task.instruction.is_empty() {
        blocks.push(Block::Paragraph(Span::text(task.instruction.clone())));
    }
    if task.is_pinned {
        blocks.push(Block::Paragraph(Span::text(
            "Its output is pinned by a person; nothing was called for it.",
        )));
    }
    let mut facts: Vec<(String, Vec<Span>)> = Vec::new();
    for (number, code, message) in &task.failures {
        let said = vec![Span::Code(code.clone()), Span::Text(format!(" {message}"))];
        facts.push((format!("Attempt {number} failed"), said));
    }
    if let (Some((code, message)), true) = (&task.error, task.failures.is_empty()) {
        facts.push(fact(
            "Error",
            vec![Span::Code(code.clone()), Span::Text(format!(" {message}"))],
        ));
    }
    if !facts.is_empty() {
        blocks.push(Block::Facts(facts));
    }
    if let Some(output) = &task.output {
        if !output.text.is_empty() {
            blocks.push(Block::Verbatim(output.text.clone()));
        }
        blocks.extend(cut_note(
            output,
            &format!("planloom trace {} {}", story.row.run, task.address),
        ));
    }
}

fn decisions(story: &Story, blocks: &mut Vec<Block>) {
    if story.decisions.is_empty() {
        return;
    }
    blocks.push(heading("Decisions"));
    let row = |asked: &Asked| {
        let (answer, by) = match &asked.answer {
            Some((answer, by, at)) => (answer.clone(), format!("{by}, {}", moment(*at))),
            None if asked.is_closed => ("no longer mattered".to_owned(), String::new()),
            None => ("open".to_owned(), String::new()),
        };
        let task = asked
            .task
            .as_ref()
            .map_or(String::new(), |task| format!(" ({task})"));
        vec![
            Span::text(moment(asked.at_ms)),
            Span::text(format!("{}{task}", asked.question)),
            Span::text(answer),
            Span::text(by),
        ]
    };
    let head = ["Asked", "Question", "Answer", "By"].map(str::to_owned).to_vec();
    blocks.push(Block::Table(
        head,
        story.decisions.iter().take(MOST_ROWS).map(row).collect(),
    ));
    blocks.extend(more(story.decisions.len().saturating_sub(MOST_ROWS), "decision"));
}

fn replans(story: &Story, blocks: &mut Vec<Block>) {
    if story.replans.is_empty() {
        return;
    }
    blocks.push(heading("Changes of the plan on the way"));
    let item = |replan: &super::story::Replan| {
        vec![Block::Paragraph(Span::text(format!(
            "{}: {}",
            moment(replan.at_ms),
            replan.text
        )))]
    };
    blocks.push(Block::List(
        false,
        story.replans.iter().take(MOST_ROWS).map(item).collect(),
    ));
}

fn effects(story: &Story, blocks: &mut Vec<Block>) {
    blocks.push(heading("Done outside"));
    if story.effects.is_empty() {
        blocks.push(Block::Paragraph(Span::text(
            "Nothing was changed outside the run.",
        )));
        return;
    }
    let rows = story.effects.iter().take(MOST_ROWS).map(|effect| {
        let outcome = if effect.is_known {
            "done"
        } else {
            "outcome unknown"
        };
        vec![
            Span::text(moment(effect.at as i64)),
            vec![Span::Code(effect.tool.clone())],
            vec![Span::Code(effect.task.clone())],
            Span::text(outcome),
        ]
    });
    let head = ["When", "Tool", "Task", "Outcome"].map(str::to_owned).to_vec();
    blocks.push(Block::Table(head, rows.collect()));
    blocks.extend(more(story.effects.len().saturating_sub(MOST_ROWS), "effect"));
}

fn money(story: &Story, blocks: &mut Vec<Block>) {
    if story.bill.models.is_empty() {
        return;
    }
    blocks.push(heading("Money by model"));
    let rows = story.bill.models.iter().map(|row| {
        vec![
            vec![Span::Code(row.name.clone())],
            Span::text(grouped(u64::from(row.cost.calls))),
            Span::text(tokens(&row.cost)),
            Span::text(cost(&row.cost)),
        ]
    });
    let head = ["Model", "Calls", "Tokens", "Cost"].map(str::to_owned).to_vec();
    blocks.push(Block::Table(head, rows.collect()));
}

fn run_state(status: RunStatus) -> Span {
    match status {
        RunStatus::AwaitingApproval => Span::State("off", "Not approved"),
        RunStatus::Running => Span::State("running", "Running"),
        RunStatus::Paused => Span::State("off", "Paused"),
        RunStatus::Waiting => Span::State("waiting", "Waiting for a person"),
        RunStatus::Blocked => Span::State("failed", "Blocked"),
        RunStatus::Succeeded => Span::State("done", "Succeeded"),
        RunStatus::Failed => Span::State("failed", "Failed"),
        RunStatus::Cancelled => Span::State("off", "Cancelled"),
    }
}

fn task_state(status: TaskStatus) -> Span {
    let class = match status {
        TaskStatus::Completed => "done",
        TaskStatus::Failed => "failed",
        TaskStatus::Running => "running",
        TaskStatus::Retrying | TaskStatus::Waiting => "waiting",
        TaskStatus::InDoubt => "doubt",
        TaskStatus::Pending
        | TaskStatus::Ready
        | TaskStatus::Skipped
        | TaskStatus::Cancelled
        | TaskStatus::Pruned => "off",
    };
    Span::State(class, state_name(status))
}
