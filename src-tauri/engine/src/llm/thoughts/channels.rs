//! Answers in channels, as gpt-oss writes them: what is said is in `final`, all else is thought aloud or meant for
//! programs. Servers should take them apart; some hand them on as they are. It must not know who asks.

const START: &str = "<|start|>";
const CHANNEL: &str = "<|channel|>";
const MESSAGE: &str = "<|message|>";
const MARKS: [&str; 6] = [START, CHANNEL, MESSAGE, "<|end|>", "<|return|>", "<|call|>"];
/// Where the first channel was begun by the template.
const TURNS: &str = "<|start|>assistant<|channel|>final<|message|>";

/// The thought and the answer, if the text is in channels.
pub(super) fn apart(text: &str) -> Option<(String, String)> {
    let mut channels = Channels::default();
    let (thought, answer) = if is_begun(text) {
        channels.take(text)
    } else {
        let at = text
            .find(TURNS)
            .filter(|_| !text.trim_start().starts_with(['{', '[', '"', '`']))?;
        let (thought, answer) = channels.take(&text[at..]);
        let before = text[..at].trim_end().trim_end_matches("<|end|>");
        (format!("{before}\n{thought}"), answer)
    };
    Some((thought.trim().to_owned(), answer.trim().to_owned()))
}

/// The answer alone, if the text is in channels. Whatever stands before its mark was thought, even if it looks like an
/// answer: this is for those who look for one in what is no whole answer.
pub fn final_of(text: &str) -> Option<String> {
    if let Some((_, answer)) = apart(text) {
        return Some(answer);
    }
    let at = text.find(TURNS)?;
    Some(Channels::default().take(&text[at..]).1)
}

pub(super) fn is_begun(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with(CHANNEL) || text.starts_with(START)
}

/// Whether it may become one with what follows.
pub(super) fn may_begin(text: &str) -> bool {
    let text = text.trim_start();
    CHANNEL.starts_with(text) || START.starts_with(text)
}

/// Takes them apart piece by piece.
#[derive(Default)]
pub(super) struct Channels {
    held: String,
    place: Place,
    name: String,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Place {
    /// Who speaks; nothing of it is said.
    #[default]
    Head,
    Name,
    Body,
}

impl Channels {
    /// What is thought and what is said in this piece.
    pub fn take(&mut self, piece: &str) -> (String, String) {
        let (mut thought, mut answer) = (String::new(), String::new());
        self.held.push_str(piece);
        let held = std::mem::take(&mut self.held);
        let mut at = 0;
        while let Some((from, mark)) = next_mark(&held[at..]) {
            self.say(&held[at..at + from], &mut thought, &mut answer);
            at += from + mark.len();
            self.turn(mark);
        }
        let rest = &held[at..];
        let whole = rest.len() - torn(rest);
        self.say(&rest[..whole], &mut thought, &mut answer);
        self.held = rest[whole..].to_owned();
        (thought, answer)
    }

    fn turn(&mut self, mark: &str) {
        self.place = match mark {
            CHANNEL => {
                self.name.clear();
                Place::Name
            }
            MESSAGE => Place::Body,
            _ => Place::Head,
        };
    }

    fn say(&mut self, text: &str, thought: &mut String, answer: &mut String) {
        match self.place {
            Place::Head => {}
            Place::Name => self.name.push_str(text),
            // Behind the name may stand in which format it is.
            Place::Body if self.name.trim_start().starts_with("final") => answer.push_str(text),
            Place::Body => thought.push_str(text),
        }
    }
}

fn next_mark(text: &str) -> Option<(usize, &'static str)> {
    text.match_indices("<|").find_map(|(at, _)| {
        let mark = MARKS.into_iter().find(|mark| text[at..].starts_with(mark))?;
        Some((at, mark))
    })
}

/// How long the beginning of a mark is that the text ends with.
fn torn(text: &str) -> usize {
    let from = text.rfind('<').unwrap_or(text.len());
    let end = &text[from..];
    let is_part = MARKS.iter().any(|mark| mark.starts_with(end));
    if is_part { end.len() } else { 0 }
}
