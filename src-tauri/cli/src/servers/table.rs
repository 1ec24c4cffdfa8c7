//! Servers as lines for people. It knows no file.

use planloom_engine::tools::mcp::{ServerRow, ToolRow};

use crate::out::{Out, counted, piece};

/// Characters of a tool's description.
const SHOWN: usize = 90;

pub fn lines(rows: &[ServerRow], out: &Out) -> Vec<String> {
    if rows.is_empty() {
        return vec![
            "No server is set up. Add one with `planloom servers add NAME -- COMMAND ARGS`.".to_owned(),
        ];
    }
    rows.iter().flat_map(|row| whole(row, out)).collect()
}

/// One server with all that is known of it.
pub fn whole(row: &ServerRow, out: &Out) -> Vec<String> {
    let own = if row.server.is_empty() {
        String::new()
    } else {
        format!(" ({})", piece(&row.server))
    };
    let mut lines = vec![
        format!("{}  {}{own}", piece(&row.name), state(row, out)),
        format!("  {}", piece(&row.shown)),
    ];
    lines.extend(row.tools.iter().map(tool));
    lines.extend(
        row.warnings
            .iter()
            .map(|warning| format!("  ! {}", piece(warning))),
    );
    lines
}

/// What is known of a server, in a few words.
pub fn state(row: &ServerRow, out: &Out) -> String {
    let bad = row.tools.iter().filter(|tool| tool.problem.is_some()).count();
    match (row.is_disabled, row.looked_at, bad) {
        (true, _, _) => "off".to_owned(),
        (false, None, _) => {
            let way = out.command(&["servers", "check"], &[&row.name]);
            format!("not looked at yet: {way}")
        }
        (false, Some(_), 0) => counted(row.tools.len(), "tool"),
        (false, Some(_), bad) => format!(
            "{}, {bad} of them can't be used",
            counted(row.tools.len(), "tool")
        ),
    }
}

fn tool(tool: &ToolRow) -> String {
    let name = piece(&tool.name);
    match &tool.problem {
        Some(problem) => format!("  {name}  can't be used: {}", piece(problem)),
        None => {
            let line = tool.description.lines().next().unwrap_or_default();
            let cut: String = line.chars().take(SHOWN).collect();
            format!("  {name:<30} {}", piece(&cut))
        }
    }
}
