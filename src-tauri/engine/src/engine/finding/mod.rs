//! Finding runs again: by what is said of them in the list, and by what stands inside of them. It must not know how words
//! are kept, nor change a run.

mod catch_up;
mod lists;
mod search;
mod sizes;
mod texts;

use crate::model::RunId;
use crate::model::Seq;
use crate::model::query::Query;
use crate::views::RunsAsked;

/// What single runs took when they were last weighed, by how far their logs went.
pub(super) type Weighed = std::collections::HashMap<RunId, (Seq, u64)>;

/// What is kept between two questions.
#[derive(Default)]
pub(super) struct Finding {
    /// One of this process brings the index up to date; others search what there is.
    catching_up: tokio::sync::Mutex<()>,
    weighed: std::sync::Mutex<Weighed>,
}

/// What was asked by flags and by typing, in one.
fn query_of(asked: &RunsAsked, now_ms: i64) -> Query {
    let mut query = Query::read(&asked.text, now_ms);
    query.states.extend(&asked.states);
    let tags = asked
        .tags
        .iter()
        .filter_map(|tag| crate::model::tags::read(tag).ok());
    query.tags.extend(tags);
    let since = asked.since.map(|ms| ms as i64);
    query.since_ms = query.since_ms.max(since);
    let until = asked.until.map(|ms| ms as i64);
    query.until_ms = match (query.until_ms, until) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    };
    query
}
