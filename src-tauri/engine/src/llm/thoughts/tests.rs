//! Texts with thoughts in them, whole and on their way.

use proptest::prelude::*;

use super::*;

/// Text, thought, answer.
const ROWS: &[(&str, &str, &str)] = &[
    ("<think>sum is 41</think>41", "sum is 41", "41"),
    ("\n<think>\nhm\n</think>\n\n41", "hm", "41"),
    ("<think>never closed", "never closed", ""),
    ("</think>\n41", "", "41"),
    (
        "first this\nthen that\n</think>\n\n41",
        "first this\nthen that",
        "41",
    ),
    ("41", "", "41"),
    ("", "", ""),
    // Every pair of the table.
    ("<THINK>hm</Think>41", "hm", "41"),
    ("<thinking>hm</thinking>41", "hm", "41"),
    ("<thought>hm</thought>41", "hm", "41"),
    ("<reasoning>hm</reasoning>41", "hm", "41"),
    ("<think type=\"x\">hm</think >41", "hm", "41"),
    ("[THINK]hm[/THINK]41", "hm", "41"),
    ("hm\n[/THINK]\n41", "hm", "41"),
    // Nested, several, and thoughts that speak of their own tag.
    (
        "<think>a <think>b</think> c</think>41",
        "a <think>b</think> c",
        "41",
    ),
    ("<thought>a <think>b</thought>41", "a <think>b", "41"),
    (
        "<think>write <think> first</think>41",
        "write <think> first",
        "41",
    ),
    ("<think>a</think>\n<think>b</think>\n41", "a\nb", "41"),
    ("<think>a</think>4<think>b</think>2", "a\nb", "42"),
    (
        "<think>a</think>Wait.\n<think>never closed",
        "a\nnever closed",
        "Wait.\n",
    ),
    ("<think>a</think>b\n</think>\n41", "a\nb", "41"),
    // Channels.
    (
        "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>41<|return|>",
        "hm",
        "41",
    ),
    (
        "<|start|>assistant<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary<|message|>b<|end|>\
         <|start|>assistant<|channel|>final <|constrain|>json<|message|>{\"n\": 1}",
        "ab",
        "{\"n\": 1}",
    ),
    (
        "hm<|end|><|start|>assistant<|channel|>final<|message|>41",
        "hm",
        "41",
    ),
    ("<|channel|>analysis<|message|>cut off", "cut off", ""),
];

/// Answers that only speak of marks stay as they are.
const PROSE: &[&str] = &[
    "Write <think> tags like this: `<think>`.",
    "Close it with </think>, always.",
    "{\"a\": \"<think>x</think>\"}",
    "Sure:\n```xml\n<thinking>\nhm\n</thinking>\n```\n",
    "Sure:\n```\n</think>\n```\n",
    "<answer>\n<reasoning>\nhm\n</reasoning>\n</answer>",
    "[think] of it",
    "[THINKING] aloud",
    "<thinker>x</thinker>",
    "<think about it> is no tag",
    "It ends with <|end|> and <|channel|>.",
    "`<|start|>assistant<|channel|>final<|message|>` begins the answer",
];

#[test]
fn thoughts_are_taken_out() {
    for (text, thought, answer) in ROWS {
        assert_eq!(
            split(text),
            ((*thought).to_owned(), (*answer).to_owned()),
            "{text}"
        );
    }
    for text in PROSE {
        assert_eq!(split(text), (String::new(), (*text).to_owned()));
    }
    // Nor does a thought before it change that.
    for text in &PROSE[2..5] {
        let (thought, answer) = split(&format!("<think>a</think>{text}"));
        assert_eq!((thought.as_str(), answer.as_str()), ("a", *text));
    }
}

fn told(text: &str, size: usize) -> (String, String) {
    let chars: Vec<char> = text.chars().collect();
    let mut live = Live::default();
    let (mut thought, mut answer) = (String::new(), String::new());
    for piece in chars.chunks(size) {
        let (thinks, says) = live.take(&piece.iter().collect::<String>());
        thought.push_str(&thinks);
        answer.push_str(&says);
    }
    (thought, answer)
}

#[test]
fn news_is_told_apart_wherever_it_is_cut() {
    let text = " <think>héllo < </thin you</think>\n4<think>1</think>2";
    for size in 1..9 {
        let (thought, answer) = told(text, size);
        assert_eq!(
            (thought.as_str(), answer.trim_start()),
            ("héllo < </thin you1", "42")
        );
    }
    // Whatever needs no look ahead is told as it will be.
    let ahead = [
        "</think>\n41",
        "first",
        "hm\n",
        "hm<",
        "<think>write",
        "<think>a</think>b",
    ];
    let plain = |text: &str| text.replace('\n', "");
    for (text, thought, answer) in ROWS
        .iter()
        .filter(|row| !ahead.iter().any(|begin| row.0.starts_with(begin)))
    {
        for size in [1, 3, 1000] {
            let (thinks, says) = told(text, size);
            let want = (plain(thought), plain(answer));
            assert_eq!((plain(&thinks), plain(&says)), want, "{text} in {size}");
        }
    }
    for text in &PROSE[2..5] {
        let text = format!("<think>a</think>{text}");
        assert_eq!(told(&text, 2).1, text["<think>a</think>".len()..], "{text}");
    }
}

#[test]
fn hostile_texts_end_soon() {
    let pieces = [
        "<think>",
        "</think>",
        "\n</think>\n",
        "<think></think>",
        "y<think>",
        "\n<thought>",
        "[THINK]",
        "<",
        "[",
        "<think ",
        "<|channel|>",
        "<|",
        "`<think>",
    ];
    for piece in pieces {
        for before in ["", "<think>a</think>x"] {
            let text = before.to_owned() + &piece.repeat(20_000);
            split(&text);
            let mut live = Live::default();
            text.as_bytes().chunks(4096).for_each(|piece| {
                live.take(&String::from_utf8_lossy(piece));
            });
        }
    }
}

proptest! {
    /// Nothing is made up, and without a mark nothing is taken away.
    #[test]
    fn any_text_is_split(text in "(<think>|</think>|<|\\[THINK\\]|\\[/THINK\\]|```|\n|a|\"|\\{|<\\|channel\\|>|final|<\\|message\\|>|ü){0,12}", size in 1usize..5) {
        let (thought, answer) = split(&text);
        prop_assert!(thought.len() + answer.len() <= text.len() + 12);
        if !text.contains(['<', '[']) {
            prop_assert_eq!(&answer, &text);
        }
        told(&text, size);
    }
}
