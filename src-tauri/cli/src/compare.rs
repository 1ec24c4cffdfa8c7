//! `compare`: two runs side by side, for people. What is told as JSON is in `compared`. It decides nothing about runs.

use planloom_engine::views::{
    CompareView, ComparedRun, ComparedTask, CostView, Difference, Hunk, HunkLine, OutputDiff, PlanChange,
    PlanDiff, Pointers, ShownValue, TextDiff, ValueDiff, ValueSide, Verdict,
};
use planloom_engine::{Engine, Error, Spaces};

use crate::args;
use crate::exit::Exit;
use crate::out::{Out, counted, grouped, piece};
use crate::spent::seconds;

pub async fn compare(engine: &Engine, args: &args::Compare, out: &Out) -> Result<Exit, Error> {
    let (a, b) = (engine.find_run(&args.a).await?, engine.find_run(&args.b).await?);
    let view = engine.compare(&a, &b).await?;
    let spaces = if args.ignore_spaces {
        Spaces::Ignored
    } else {
        Spaces::Count
    };
    let task = args.task.as_deref();
    let output = engine.compare_outputs(&a, &b, task, spaces).await?;
    if out.json {
        out.object(&crate::compared::to_json(&view, &output));
        return Ok(Exit::Done);
    }
    say_heads(&view, out);
    say_numbers(&view, out);
    say_plan(&view, out);
    say_tasks(&view, task, out);
    say_output(&output, out);
    Ok(Exit::Done)
}

fn say_heads(view: &CompareView, out: &Out) {
    for (name, run) in [("A", &view.a), ("B", &view.b)] {
        let row = &run.row;
        let models = match run.executors.as_slice() {
            [] => String::new(),
            models => format!("  {}", piece(&models.join(", "))),
        };
        out.say(&format!(
            "{name}  {}  {}  {}  revision {}{models}",
            row.run,
            piece(&row.title),
            row.status,
            row.revision
        ));
        if !run.has_begun {
            out.say(&format!(
                "   {name} has not been approved, so nothing of it has run."
            ));
        }
    }
    if view.a.row.run == view.b.row.run {
        out.say("Both are the same run.");
        return;
    }
    out.say(&match &view.shared {
        None => "They have nothing of their logs in common.".to_owned(),
        Some(shared) => format!(
            "The same up to event {} ({}, {}), which is in the numbers of both.",
            shared.seq,
            seconds(shared.ran_ms / 1000.0),
            money(&shared.cost)
        ),
    });
}

fn say_numbers(view: &CompareView, out: &Out) {
    let (a, b) = (&view.a, &view.b);
    let count = |of: fn(&ComparedRun) -> u64| (grouped(of(a)), grouped(of(b)));
    let text = |of: fn(&ComparedRun) -> String| (of(a), of(b));
    let rows = [
        ("Time", text(|run| seconds(run.numbers.ran_ms / 1000.0))),
        (
            "Waited for you",
            text(|run| seconds(run.numbers.waited_ms / 1000.0)),
        ),
        ("Cost", text(|run| money(&run.numbers.cost))),
        ("Tokens in", count(|run| run.numbers.cost.input_tokens as u64)),
        ("Tokens out", count(|run| run.numbers.cost.output_tokens as u64)),
        ("Model calls", count(|run| run.numbers.cost.calls.into())),
        ("Tool calls", count(|run| run.numbers.tool_calls.into())),
        ("Retries", count(|run| run.numbers.retries.into())),
        ("Replans", count(|run| run.numbers.replans.into())),
    ];
    for (name, (a, b)) in rows {
        // Who had none of it in either run need not read of it.
        if a != b || matches!(name, "Time" | "Cost") {
            out.say(&format!("  {name:<16} {a:>16} → {b}"));
        }
    }
    for (name, run) in [("A", a), ("B", b)] {
        for model in &run.models {
            let (calls, cost) = (counted(model.cost.calls as usize, "call"), money(&model.cost));
            out.say(&format!("  {name}: {}: {calls}, {cost}", piece(&model.name)));
        }
    }
}

fn money(cost: &CostView) -> String {
    match (cost.calls, cost.unknown) {
        (0, _) => "no money".to_owned(),
        (_, 0) => format!("${}", cost.usd),
        (_, n) => format!(
            "${} and {} of unknown cost",
            cost.usd,
            counted(n as usize, "call")
        ),
    }
}

fn say_plan(view: &CompareView, out: &Out) {
    let plan = match (&view.plan, &view.plan_trouble) {
        (Some(plan), _) => plan,
        (None, trouble) => {
            let why = trouble.as_deref().unwrap_or("one of them can't be read");
            return out.say(&format!("Plan: not compared: {}", piece(why)));
        }
    };
    let lines = plan_lines(plan);
    if lines.is_empty() {
        return out.say("Plan: the same.");
    }
    let what = if plan.executes {
        "Plan: what runs differs."
    } else {
        "Plan: nothing that runs differs."
    };
    out.say(what);
    for line in lines {
        out.say(&format!("  {line}"));
    }
}

fn plan_lines(plan: &PlanDiff) -> Vec<String> {
    let mut lines = Vec::new();
    for task in &plan.tasks {
        let sign = match task.change {
            PlanChange::Added => '+',
            PlanChange::Removed => '-',
            PlanChange::Changed => '~',
            PlanChange::Kept => continue,
        };
        lines.push(format!("{sign} {}", piece(&task.task)));
        lines.extend(
            task.fields
                .iter()
                .map(|field| format!("    {}", field_line(field))),
        );
    }
    lines.extend(plan.edges.iter().map(|edge| {
        let sign = if edge.is_added { '+' } else { '-' };
        format!("{sign} {} → {}", piece(&edge.from), piece(&edge.to))
    }));
    lines.extend(plan.plan.iter().map(field_line));
    if !plan.moved.is_empty() {
        lines.push(format!("{} moved", counted(plan.moved.len(), "card")));
    }
    if plan.is_reordered {
        lines.push("the tasks stand in another order".to_owned());
    }
    lines
}

fn field_line(field: &planloom_engine::views::FieldDiff) -> String {
    let value = |value: &Option<String>| value.as_deref().map_or("–".to_owned(), short);
    format!(
        "{}: {} → {}",
        piece(&field.pointer),
        value(&field.before),
        value(&field.after)
    )
}

/// One line's worth of a value.
fn short(text: &str) -> String {
    const LONGEST: usize = 100;
    match text.char_indices().nth(LONGEST) {
        None => piece(text),
        Some((at, _)) => format!("{}… ({} bytes more)", piece(&text[..at]), text.len() - at),
    }
}

fn say_tasks(view: &CompareView, wanted: Option<&str>, out: &Out) {
    let differing = view.tasks.len() + view.tasks_left_off as usize;
    let time = match view.same_but_time {
        0 => String::new(),
        n => format!(", {} in nothing but time", grouped(n.into())),
    };
    out.say(&format!(
        "Tasks: {} differ{time}, {} the same.",
        grouped(differing as u64),
        grouped(view.same.into())
    ));
    for task in view
        .tasks
        .iter()
        .filter(|task| wanted.is_none_or(|wanted| task.task == wanted))
    {
        out.say(&format!("  {:<28} {}", piece(&task.task), task_line(task)));
    }
    if view.tasks_left_off > 0 && wanted.is_none() {
        out.say(&format!("  and {} more", grouped(view.tasks_left_off.into())));
    }
}

fn task_line(task: &ComparedTask) -> String {
    let (Some(a), Some(b)) = (&task.a, &task.b) else {
        return match (&task.a, &task.b) {
            (Some(a), _) => format!("only in A: {}", a.status),
            (None, Some(b)) => format!("only in B: {}", b.status),
            (None, None) => "in neither".to_owned(),
        };
    };
    let told = |difference: &Difference| match difference {
        Difference::Plan => "plan".to_owned(),
        Difference::State => format!("{} → {}", a.status, b.status),
        Difference::Output => format!("output {}", verdict(task.output)),
        Difference::Error => "error".to_owned(),
        Difference::Attempts => format!("attempts {} → {}", a.attempts, b.attempts),
        Difference::Cost => format!("cost {} → {}", money(&a.cost), money(&b.cost)),
    };
    task.differs.iter().map(told).collect::<Vec<_>>().join(", ")
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::None => "in neither",
        Verdict::Same => "the same",
        Verdict::Differs => "differs",
        Verdict::OnlyA => "only in A",
        Verdict::OnlyB => "only in B",
    }
}

fn say_output(output: &OutputDiff, out: &Out) {
    let what = match &output.task {
        Some(task) => format!("Output of {}", piece(task)),
        None => "Answer".to_owned(),
    };
    out.say(&format!("{what}: {}.", verdict(output.verdict)));
    for (name, side) in [("A", &output.a), ("B", &output.b)] {
        if let Some(trouble) = &side.trouble {
            out.say(&format!("  that of {name} can't be read: {}", piece(trouble)));
        }
    }
    if output.is_too_large {
        out.say(&format!(
            "  too large to be looked into: {} against {}",
            size(&output.a),
            size(&output.b)
        ));
    }
    for value in &output.values {
        out.say(&format!("  {}", value_line(value)));
    }
    if output.values_left_off > 0 {
        out.say(&format!(
            "  and {} more",
            counted(output.values_left_off as usize, "value")
        ));
    }
    for text in &output.texts {
        say_text(text, out);
    }
}

fn size(side: &ValueSide) -> String {
    let bytes = side.bytes.map(|bytes| counted_bytes(bytes as u64));
    let digest = side.digest.as_ref().map(|digest| format!(" ({digest})"));
    format!(
        "{}{}",
        bytes.unwrap_or_else(|| "nothing".to_owned()),
        digest.unwrap_or_default()
    )
}

fn counted_bytes(bytes: u64) -> String {
    format!("{} bytes", grouped(bytes))
}

fn value_line(value: &ValueDiff) -> String {
    let side = |side: &Option<ShownValue>| match side {
        None => "–".to_owned(),
        Some(shown) if shown.left_out > 0 => format!(
            "{} ({} bytes in all)",
            short(&shown.json),
            shown.json.len() + shown.left_out as usize
        ),
        Some(shown) => short(&shown.json),
    };
    format!("{}: {} → {}", place(&value.at), side(&value.a), side(&value.b))
}

fn place(at: &Pointers) -> String {
    let shown = |pointer: &str| {
        if pointer.is_empty() {
            "the whole".to_owned()
        } else {
            piece(pointer)
        }
    };
    match (&at.a, &at.b) {
        (Some(a), Some(b)) if a != b => format!("{} (in B {})", shown(a), shown(b)),
        (Some(one), _) | (None, Some(one)) => shown(one),
        (None, None) => String::new(),
    }
}

/// As a unified diff.
fn say_text(text: &TextDiff, out: &Out) {
    out.say(&format!("--- A {}", place(&text.at)));
    out.say(&format!("+++ B {}", place(&text.at)));
    if text.is_coarse {
        out.say(
            "(Too long to be compared line by line everywhere: there, all of A stands against all of B.)",
        );
    }
    for hunk in &text.hunks {
        say_hunk(hunk, out);
    }
    if text.hunks_left_off > 0 {
        out.say(&format!(
            "… {} more",
            counted(text.hunks_left_off as usize, "place")
        ));
    }
    if text.changes == 0 {
        out.say("(Nothing but spaces differs.)");
    }
}

fn say_hunk(hunk: &Hunk, out: &Out) {
    let first = |of: fn(&HunkLine) -> Option<u32>| hunk.lines.iter().find_map(of).unwrap_or(0);
    let many = |of: fn(&HunkLine) -> Option<u32>| hunk.lines.iter().filter_map(of).count();
    out.say(&format!(
        "@@ -{},{} +{},{} @@",
        first(|line| line.a),
        many(|line| line.a) + hunk.a_left_out as usize,
        first(|line| line.b),
        many(|line| line.b) + hunk.b_left_out as usize,
    ));
    for line in &hunk.lines {
        let sign = match (line.a, line.b) {
            (Some(_), Some(_)) => ' ',
            (Some(_), None) => '-',
            (None, _) => '+',
        };
        let more = match line.left_out {
            0 => String::new(),
            n => format!("… ({} more)", counted(n as usize, "character")),
        };
        out.give(&format!("{sign}{}{more}", piece(&line.text)));
    }
    for (name, left_out) in [("A", hunk.a_left_out), ("B", hunk.b_left_out)] {
        if left_out > 0 {
            out.say(&format!(
                "… {} of {name} not shown",
                counted(left_out as usize, "line")
            ));
        }
    }
}
