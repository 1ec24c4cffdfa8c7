//! Secrets that are shown half masked, as in `sk-proj-abc****wxyz`. It must not know which secrets there are.

use super::REDACTED;

/// Of a secret that is half masked, so many characters may show.
const MOST_SHOWN: usize = 7;
/// What is masked at all must be a key: of a short secret too many words begin like it.
pub(super) const SHORTEST_MASKED: usize = 12;

/// The text without the places where more of a secret shows around a mask than may, as in `sk-proj-abc****wxyz`; `None`
/// where there is no such place.
pub(super) fn without_masked(text: &str, secret: &str) -> Option<String> {
    let (mut clean, mut kept, mut at) = (String::new(), 0, 0);
    while let Some((from, to)) = mask(text, at) {
        at = to;
        let before = common(secret, |part| text[kept..from].ends_with(part), Side::Beginning);
        let behind = common(secret, |part| text[to..].starts_with(part), Side::End);
        if before + behind > MOST_SHOWN {
            clean.push_str(&text[kept..from - before]);
            clean.push_str(REDACTED);
            kept = to + behind;
            at = kept;
        }
    }
    (kept > 0).then(|| clean + &text[kept..])
}

#[derive(Clone, Copy)]
enum Side {
    Beginning,
    End,
}

/// Bytes of the longest part of the secret, from one side, that stands there.
fn common(secret: &str, stands: impl Fn(&str) -> bool, side: Side) -> usize {
    let part = |n: usize| match side {
        Side::Beginning => secret.get(..n),
        Side::End => secret.get(secret.len() - n..),
    };
    let longest = (1..secret.len()).rev().find(|&n| part(n).is_some_and(&stands));
    longest.unwrap_or(0)
}

/// The next run of characters that stand for others: where it begins and ends.
pub(super) fn mask(text: &str, at: usize) -> Option<(usize, usize)> {
    let is_mask = |c: char| matches!(c, '*' | '•' | '●' | '…' | '.');
    let mut at = at;
    loop {
        let from = at + text[at..].find(is_mask)?;
        let rest = &text[from..];
        let to = from + rest.find(|c| !is_mask(c)).unwrap_or(rest.len());
        // A dot or two is punctuation.
        if to - from > 2 || text[from..to].contains('*') {
            return Some((from, to));
        }
        at = to;
    }
}

#[cfg(test)]
mod tests {
    use super::super::Redactor;
    use super::*;

    /// As providers show a wrong key: a few characters tell a person which it is, more would help somebody else.
    #[test]
    fn of_a_masked_key_only_a_few_characters_may_show() {
        let key = "sk-proj-0123456789abcdefWXYZ";
        let redactor = Redactor::of([key]);
        for said in [
            "key sk-****XYZ.",
            "key ****WXYZ",
            "sk-...",
            "see project 0 ... end",
            "a ** b",
        ] {
            assert_eq!(redactor.clean(said), said);
            assert!(!redactor.finds_in(said), "{said}");
        }
        for (said, expected) in [
            (
                "key sk-proj-*****WXYZ, again sk-proj-0…efWXYZ!",
                "key •••, again •••!",
            ),
            (
                "Incorrect API key provided: sk-proj-01••••",
                "Incorrect API key provided: •••",
            ),
            ("****89abcdefWXYZ and the rest", "••• and the rest"),
        ] {
            assert!(redactor.finds_in(said), "{said}");
            assert_eq!(redactor.clean(said), expected);
        }
    }

    /// A star may be of the secret itself: then the whole of it is there, however it is written.
    #[test]
    fn a_secret_with_stars_in_it_is_taken_out_as_a_whole() {
        for secret in ["0ßää0Aß*\"AAßAA\\", "ab\"c**d\\efghi/jk", "...p4ss\"word..."] {
            let redactor = Redactor::of([secret]);
            let quoted = serde_json::to_string(secret).unwrap();
            assert_eq!(redactor.text(&quoted), format!("\"{REDACTED}\""));
            assert_eq!(redactor.text(&format!("a{secret}b")), format!("a{REDACTED}b"));
        }
    }

    #[test]
    fn hostile_masks_cost_no_more_than_their_length() {
        let redactor = Redactor::of(["sk-proj-ü123456789abcdefWXYZ"]);
        let text = "sk-proj-ü****YZ…".repeat(20_000);
        assert_eq!(redactor.clean(&text).matches(REDACTED).count(), 20_000);
        let stars = "*".repeat(200_000);
        assert_eq!(redactor.clean(&stars), stars);
    }
}
