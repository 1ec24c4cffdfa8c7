//! Messages that quote messages: put together so that none ends with two full stops, and none lacks the blank before the
//! next. It must not know what they are about.

const ENDS: [char; 4] = ['.', '!', '?', '…'];

/// The text without the full stop that it may end with, so that more can follow.
pub fn unstopped(text: &str) -> &str {
    let text = text.trim_end();
    match text.strip_suffix('.') {
        // Three of them mean that something was left out.
        Some(rest) if !rest.ends_with('.') => rest,
        Some(_) | None => text,
    }
}

/// All parts as sentences: each ends with one full stop, unless it ends otherwise, and a blank stands between them.
pub fn sentence<'t>(parts: impl IntoIterator<Item = &'t str>) -> String {
    let mut whole = String::new();
    for part in parts.into_iter().map(str::trim).filter(|part| !part.is_empty()) {
        if !whole.is_empty() {
            whole.push(' ');
        }
        // Where a message was put behind another, both may have brought their full stop.
        let part = if part.ends_with("..") && !part.ends_with("...") {
            format!("{}.", unstopped(&part[..part.len() - 1]))
        } else {
            part.to_owned()
        };
        whole.push_str(&part);
        if !part.ends_with(ENDS) {
            whole.push('.');
        }
    }
    whole
}

/// Characters of a failure that a question shows.
const SPOKEN: usize = 600;

/// What a failure says to whoever is asked about it: in one line, without the headers of a message, and not endless. The
/// whole of it stands with the failure itself.
pub fn spoken(message: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let mut is_in_headers = false;
    for (nth, line) in message.lines().map(str::trim).enumerate() {
        // They stand right behind the first line, up to a blank one.
        is_in_headers = (nth == 1 || is_in_headers) && is_header(line);
        if !is_in_headers && !line.is_empty() {
            parts.push(line);
        }
    }
    let mut whole = String::new();
    for (nth, part) in parts.iter().enumerate() {
        match nth {
            0 => {}
            // What follows the first line is what somebody else said.
            1 if !parts[0].ends_with([':', ';', ',']) && !parts[0].ends_with(ENDS) => whole.push_str(": "),
            _ => whole.push(' '),
        }
        whole.push_str(part);
    }
    match whole.char_indices().nth(SPOKEN) {
        Some((end, _)) => format!("{}…", whole[..end].trim_end()),
        None => whole,
    }
}

/// `content-type: text/plain`
fn is_header(line: &str) -> bool {
    let name = line.split_once(':').map(|(name, _)| name);
    name.is_some_and(|name| {
        !name.is_empty()
            && name
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_".contains(&b))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_neither_glued_nor_stopped_twice() {
        assert_eq!(unstopped("It failed. "), "It failed");
        assert_eq!(unstopped("It failed"), "It failed");
        assert_eq!(unstopped("and so on..."), "and so on...");
        assert_eq!(
            sentence(["It failed", "", " Nothing was kept. ", "Why?"]),
            "It failed. Nothing was kept. Why?"
        );
        assert_eq!(sentence([]), "");
        assert_eq!(sentence(["at column 1.."]), "at column 1.");
        assert_eq!(sentence(["and so on..."]), "and so on...");
    }

    #[test]
    fn a_question_is_asked_in_one_line_and_without_headers() {
        let answer =
            "GET https://a.example/x answered 500\ncontent-type: text/html\nx-id: 1\n\nOut of\n  luck: none";
        assert_eq!(
            spoken(answer),
            "GET https://a.example/x answered 500: Out of luck: none"
        );
        assert_eq!(
            spoken("exit code 1:\nno such file\n"),
            "exit code 1: no such file"
        );
        assert_eq!(spoken("GET x answered 404\nserver: y"), "GET x answered 404");
        assert_eq!(spoken("one line"), "one line");
        let long = spoken(&"word ".repeat(1000));
        assert!(
            long.ends_with("word…") && long.chars().count() <= SPOKEN + 1,
            "{long}"
        );
    }
}
