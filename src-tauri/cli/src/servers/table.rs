//! Servers as lines for people. It knows no file.

use planloom_engine::tools::mcp::{ServerRow, ToolRow};

use crate::out::piece;

/// Characters of a tool's description.
const SHOWN: usize = 90;

pub fn lines(rows: &[ServerRow]) -> Vec<String> {
    if rows.is_empty() {
        return vec!["No server is set up. Add one: planloom servers add NAME -- COMMAND ARGS…".to_owned()];
    }
    rows.iter().flat_map(whole).collect()
}

/// One server with all that is known of it.
pub fn whole(row: &ServerRow) -> Vec<String> {
    let own = if row.server.is_empty() {
        String::new()
    } else {
        format!(" ({})", piece(&row.server))
    };
    let mut lines = vec![
        format!("{}  {}{own}", piece(&row.name), state(row)),
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
pub fn state(row: &ServerRow) -> String {
    let bad = row.tools.iter().filter(|tool| tool.problem.is_some()).count();
    match (row.is_disabled, row.looked_at, bad) {
        (true, _, _) => "off".to_owned(),
        (false, None, _) => format!("not looked at yet: planloom servers check {}", row.name),
        (false, Some(_), 0) => format!("{} tools", row.tools.len()),
        (false, Some(_), bad) => format!("{} tools, {bad} of them can't be used", row.tools.len()),
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
