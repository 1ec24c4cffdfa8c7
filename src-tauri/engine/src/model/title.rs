//! The name under which people find a plan: its file's, else its goal's beginning. Pure.

/// Longest title, in characters.
const LONGEST: usize = 60;

/// `margin-report.plan.json` → "Margin report"; without a file, the goal; without both, "Untitled plan".
pub fn of(path: Option<&str>, goal: Option<&str>) -> String {
    path.and_then(of_file)
        .or_else(|| goal.and_then(of_goal))
        .unwrap_or_else(|| "Untitled plan".to_owned())
}

fn of_file(path: &str) -> Option<String> {
    let name = path.rsplit(['/', '\\']).next()?;
    let stem = name.strip_suffix(".json").unwrap_or(name);
    let stem = stem.strip_suffix(".plan").unwrap_or(stem);
    let words: Vec<&str> = stem.split(['-', '_', ' ']).filter(|w| !w.is_empty()).collect();
    let text = words.join(" ");
    let mut letters = text.chars();
    let first = letters.next()?;
    Some(cut(&first.to_uppercase().chain(letters).collect::<String>()))
}

fn of_goal(goal: &str) -> Option<String> {
    let line = goal.lines().map(str::trim).find(|l| !l.is_empty())?;
    Some(cut(line.trim_end_matches('.')))
}

fn cut(text: &str) -> String {
    cut_at(text, LONGEST)
}

/// At most so many characters, the last of them then `…`.
pub fn cut_at(text: &str, longest: usize) -> String {
    if text.chars().nth(longest).is_none() {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(longest - 1).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn a_file_names_the_plan_and_a_goal_stands_in() {
        assert_eq!(
            of(Some("/x/margin-report.plan.json"), Some("goal")),
            "Margin report"
        );
        assert_eq!(of(Some("C:\\plans\\élan_vital.json"), None), "Élan vital");
        assert_eq!(
            of(None, Some("\n  Compare prices.\nThen report.")),
            "Compare prices"
        );
        assert_eq!(of(Some("/x/.json"), None), "Untitled plan");
        assert_eq!(of(None, Some(&"é".repeat(100))).chars().count(), 60);
    }
}
