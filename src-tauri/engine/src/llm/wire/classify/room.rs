//! How much was sent and how much there is room for, as far as an overflow says it. It must not know whose words those are.

/// Tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    pub used: Option<u64>,
    pub limit: Option<u64>,
}

/// Words that stand before a number.
const USED: &[&str] = &[
    "n_prompt_tokens\":",
    "you requested ",
    "requested ",
    "prompt is too long: ",
    "input token count (",
    "input token count is ",
    "prompt contains ",
    "decoder prompt (length ",
    "the request contains ",
    "your input length is ",
    "keep the first ",
    "however, your messages resulted in ",
];
const LIMIT: &[&str] = &[
    "n_ctx\":",
    "maximum context length is ",
    "maximum context length of ",
    "maximum prompt length is ",
    "maximum number of tokens allowed (",
    "maximum number of tokens allowed is ",
    "maximum model length of ",
    "context length of only ",
    "context window of ",
    "context size of ",
    "context limit of ",
    "context size (",
    " > ",
];

/// Reads it out of what was said, in lower case.
pub fn room(said: &str) -> Room {
    // JSON is written with and without a space behind the colon.
    let said = said.replace("\": ", "\":");
    Room {
        used: USED.iter().find_map(|words| number_behind(&said, words)),
        limit: LIMIT.iter().find_map(|words| number_behind(&said, words)),
    }
}

fn number_behind(said: &str, words: &str) -> Option<u64> {
    said.match_indices(words).find_map(|(at, _)| {
        let digits: String = said[at + words.len()..]
            .chars()
            .take_while(|c| c.is_ascii_digit() || *c == ',')
            .filter(char::is_ascii_digit)
            .collect();
        digits.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_where_they_are_told() {
        for (said, used, limit) in [
            (
                r#"{"n_prompt_tokens": 14429, "n_ctx":8192}"#,
                Some(14429),
                Some(8192),
            ),
            (
                "this model's maximum context length is 8192 tokens. however, you requested 9000 tokens.",
                Some(9000),
                Some(8192),
            ),
            (
                "prompt is too long: 210034 tokens > 200000 maximum",
                Some(210_034),
                Some(200_000),
            ),
            (
                "the input token count (1,200,000) exceeds the maximum number of tokens allowed (1048576).",
                Some(1_200_000),
                Some(1_048_576),
            ),
            ("too long", None, None),
            ("requested 99999999999999999999999 tokens", None, None),
        ] {
            assert_eq!(room(said), Room { used, limit }, "{said}");
        }
    }
}
