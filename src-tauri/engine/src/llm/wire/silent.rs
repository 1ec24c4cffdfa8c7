//! Finds out that a server has cut what it was sent without a word: it counted far fewer tokens than there are. It must
//! not know any server.

use crate::llm::{Fault, Message, Outcome, Request};

/// Bytes to a token, rather too many, so that the guess is what was sent at the least. Blanks in a row are one.
const BYTES_PER_TOKEN: u64 = 5;
/// Tokenizers differ; below this part of the guess no tokenizer is the reason.
const ALARM_PERCENT: u64 = 60;

/// An answer made of a prompt that was cut is none. Where nothing was counted, nothing is known.
pub(super) fn checked(outcome: Outcome, request: &Request, counted: Option<u64>) -> Outcome {
    let is_answer = matches!(outcome, Outcome::Complete(_) | Outcome::Cut(_));
    let sent = at_least(request);
    match counted.filter(|counted| is_answer && counted.saturating_mul(100) < sent * ALARM_PERCENT) {
        Some(counted) => Outcome::Overflow(Fault::new(
            "context_length",
            format!(
                "the server read only {counted} tokens of about {sent} and said nothing of the rest; the answer was not \
                 used. Give the model a larger context"
            ),
        )),
        None => outcome,
    }
}

fn at_least(request: &Request) -> u64 {
    let messages = request.messages.iter().map(|message| match message {
        Message::User(text) | Message::Observation { content: text, .. } => bytes(text),
        Message::Assistant { text, calls, .. } => {
            bytes(text) + calls.iter().map(|call| bytes(&call.arguments)).sum::<u64>()
        }
    });
    (bytes(&request.system) + messages.sum::<u64>()) / BYTES_PER_TOKEN
}

fn bytes(text: &str) -> u64 {
    let is_blank = |pair: &&[u8]| pair.iter().all(u8::is_ascii_whitespace);
    (text.len() - text.as_bytes().windows(2).filter(is_blank).count()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Answer;
    use crate::llm::wire::trial;
    use crate::model::Json;

    fn request(tokens: u64) -> Request {
        let words = usize::try_from(tokens * BYTES_PER_TOKEN).unwrap();
        Request {
            model: "executor".to_owned(),
            system: String::new(),
            messages: vec![Message::User("word ".repeat(words / 5))],
            tools: Vec::new(),
            output: None,
            max_output_tokens: None,
            temperature: None,
        }
    }

    #[test]
    fn case_error_03_a_silent_cut_is_an_overflow() {
        let rows = trial::file("cases/error-03-context-overflow-in-many-dresses/silent.json");
        let rows: Vec<Json> = serde_json::from_str(&rows).unwrap();
        assert_eq!(rows.len(), 3);
        for row in rows {
            let sent = request(row["estimated_prompt_tokens"].as_u64().unwrap());
            let counted = row["response"]["prompt_eval_count"].as_u64();
            let outcome = checked(Outcome::Complete(Answer::text("ok")), &sent, counted);
            assert_eq!(
                outcome.word() == "overflow",
                row["verdict"] == "overflow",
                "{row}"
            );
        }
    }

    #[test]
    fn blanks_and_failures_raise_no_alarm() {
        let mut blank = request(0);
        blank.messages = vec![Message::User(format!("a{}b", " ".repeat(100_000)))];
        let whole = || Outcome::Complete(Answer::text("ok"));
        assert_eq!(checked(whole(), &blank, Some(9)), whole());
        assert_eq!(checked(whole(), &request(1000), Some(700)), whole());
        let failed = Outcome::Transient(Fault::new("truncated", "m"));
        assert_eq!(checked(failed.clone(), &request(1000), Some(1)), failed);
    }
}
