//! What can be typed to find runs again. It must not know what is done with it.

use std::ffi::OsString;

use clap::Args;

#[derive(Args)]
pub struct Runs {
    /// Only those with this tag. May be repeated: with all of them.
    #[arg(long = "tag", value_name = "WORD")]
    pub tags: Vec<String>,
    /// Only those in this state: draft, running, paused, waiting, blocked, succeeded, failed or cancelled. May be repeated.
    #[arg(long = "state", value_name = "STATE")]
    pub states: Vec<String>,
    /// Only those that hold all these words in one place: in the plan, a call, an answer or an output. Filters may stand
    /// among them as in `search`.
    #[arg(long, value_name = "QUERY")]
    pub search: Option<String>,
    /// At most so many.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), default_value = "500")]
    pub limit: u32,
}

impl Runs {
    pub fn is_filtered(&self) -> bool {
        !self.tags.is_empty() || !self.states.is_empty() || self.search.is_some()
    }
}

#[derive(Args)]
pub struct Search {
    /// Words, "phrases" and beginnings*, with filters among them: tag:WORD, state:STATE, since:DAY, until:DAY, run:RUN.
    #[arg(required = true, value_name = "QUERY")]
    pub query: Vec<String>,
    /// At most so many.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=500), default_value = "20")]
    pub limit: u32,
}

/// What was typed, with `-word` of `tag` written so that it is not taken for flags: as `+-word`, which is no tag to add.
pub fn spelled(typed: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let (mut is_value, mut verb, mut is_rest) = (true, None, false);
    let mut spelled = Vec::new();
    for word in typed {
        let text = word.to_str().unwrap_or_default();
        is_rest |= text == "--";
        let is_removal = text.len() > 1 && text.starts_with('-') && !text.starts_with("--") && text != "-h";
        let is_of_tag = verb.as_deref() == Some("tag") && !is_rest && !is_value;
        let next_is_value = matches!(text, "--db" | "--model");
        if verb.is_none() && !is_value && !text.starts_with('-') {
            verb = Some(text.to_owned());
        }
        spelled.push(match is_of_tag && is_removal {
            true => format!("+{text}").into(),
            false => word,
        });
        is_value = next_is_value;
    }
    spelled
}
