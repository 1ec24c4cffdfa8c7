//! Near misses between names: what a person or a model may have meant. It only points them out; joining is
//! never its business.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;

/// Comparisons by edit distance that one check may make in all, so that a large plan full of wrong names stays
/// linear. Misses by case, spaces, padding and Unicode form are found beyond it.
const COMPARISONS: usize = 200_000;
/// Longer names are not compared letter by letter.
const LONGEST: usize = 64;

/// Names that exist, ready to be asked about names that don't.
pub struct Names<'n> {
    names: Vec<&'n str>,
    /// Plain form → positions in `names`; built when first asked.
    plain: Option<HashMap<String, Vec<u32>>>,
    comparisons_left: usize,
}

impl<'n> Names<'n> {
    pub fn new(names: impl IntoIterator<Item = &'n str>) -> Self {
        Self {
            names: names.into_iter().collect(),
            plain: None,
            comparisons_left: COMPARISONS,
        }
    }

    /// The one name that is meant by `wrong` beyond reasonable doubt; `None` if there are several or none.
    pub fn nearest(&mut self, wrong: &str) -> Option<&'n str> {
        match self.same_when_plain(wrong) {
            Some(found) => found,
            None => self.closest_by_letters(wrong),
        }
    }

    /// Outer `None`: nothing is alike. Inner `None`: several are.
    fn same_when_plain(&mut self, wrong: &str) -> Option<Option<&'n str>> {
        let names = &self.names;
        let plain = self.plain.get_or_insert_with(|| by_plain_form(names));
        let found = plain.get(&plain_form(wrong))?;
        Some(if let [one] = found[..] {
            Some(names[one as usize])
        } else {
            None
        })
    }

    fn closest_by_letters(&mut self, wrong: &str) -> Option<&'n str> {
        let most = allowed_distance(wrong)?;
        if self.names.len() > self.comparisons_left {
            return None;
        }
        self.comparisons_left -= self.names.len();
        let near = |name: &&'n str| {
            let is_plausible = name.len() <= LONGEST
                && name.len().abs_diff(wrong.len()) <= 4 * most
                && digits(name).eq(digits(wrong));
            is_plausible
                .then(|| (strsim::osa_distance(name, wrong), *name))
                .filter(|(d, _)| *d <= most)
        };
        let mut found: Vec<(usize, &str)> = self.names.iter().filter_map(near).collect();
        found.sort_unstable();
        match found[..] {
            [(_, only)] => Some(only),
            [(best, name), (second, _), ..] if best < second => Some(name),
            [..] => None,
        }
    }
}

fn by_plain_form(names: &[&str]) -> HashMap<String, Vec<u32>> {
    let mut plain: HashMap<String, Vec<u32>> = HashMap::with_capacity(names.len());
    for (ix, name) in (0u32..).zip(names) {
        plain.entry(plain_form(name)).or_default().push(ix);
    }
    plain
}

/// Without case, spaces, separators, zero padding and compatibility forms: `Step 01`, `step_1` and `STEP1` are one.
/// Numbers stay apart: `1.12` is not `11.2`.
fn plain_form(name: &str) -> String {
    let mut out = String::new();
    let (mut is_in_number, mut has_gap) = (false, false);
    let start: String = name.chars().take(4 * LONGEST).collect();
    for c in start.nfkc().flat_map(char::to_lowercase) {
        if c.is_whitespace() || matches!(c, '_' | '-' | '.') {
            has_gap = true;
            is_in_number = false;
            continue;
        }
        if c.is_ascii_digit() && has_gap && out.ends_with(|last: char| last.is_ascii_digit()) {
            out.push('.');
        }
        has_gap = false;
        if c != '0' || is_in_number {
            is_in_number = c.is_ascii_digit();
            out.push(c);
        }
    }
    out
}

/// Names that differ in a digit are different on purpose: `step_1` is no slip for `step_2`.
fn digits(name: &str) -> impl Iterator<Item = char> + '_ {
    name.chars().filter(char::is_ascii_digit)
}

fn allowed_distance(wrong: &str) -> Option<usize> {
    match wrong.chars().count() {
        0..=2 => None,
        3..=5 => Some(1),
        6..=LONGEST => Some(2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_different_names_are_not() {
        let known = [
            "review",
            "report",
            "fetch_costs",
            "step_1",
            "step_02",
            "café",
            "4.1",
            "4.2",
        ];
        let mut names = Names::new(known);
        for (wrong, meant) in [
            ("rewiew", Some("review")),
            ("Review", Some("review")),
            (" review ", Some("review")),
            ("fetchCosts", Some("fetch_costs")),
            ("fetch costs", Some("fetch_costs")),
            ("step_2", Some("step_02")),
            ("step_01", Some("step_1")),
            ("cafe\u{301}", Some("café")),
            ("ｒｅｐｏｒｔ", Some("report")),
            ("4.4", None),
            ("step_3", None),
            ("summary", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(names.nearest(wrong), meant, "{wrong:?}");
        }
    }

    #[test]
    fn two_equally_near_names_are_no_answer() {
        assert_eq!(Names::new(["alpha1", "alpha2"]).nearest("alpha"), None);
        assert_eq!(Names::new(["Step", "step"]).nearest("STEP"), None);
        assert_eq!(Names::new(["fetch_a", "fetch_b"]).nearest("fetch_c"), None);
    }

    #[test]
    fn work_is_bounded() {
        let known: Vec<String> = (0..50_000).map(|n| format!("task_{n}")).collect();
        let mut names = Names::new(known.iter().map(String::as_str));
        let found = (0..50_000)
            .filter(|n| names.nearest(&format!("tusk_{n}")).is_some())
            .count();
        assert_eq!(found, COMPARISONS / 50_000);
        assert_eq!(names.nearest("TASK 7"), Some("task_7"));
    }
}
