//! Tags of plans and runs: laid on and taken off as facts of their logs, in the way of names. It must not know who looks for
//! them.

use std::collections::BTreeSet;

use super::{Engine, Error};
use crate::model::RunId;
use crate::model::events::{EventBody, RunTagged};
use crate::model::tags::{self, BadTag, Tags};

impl Engine {
    /// Lays tags on the plan or run and takes others off; gives those that it has then. What it has already, or has not,
    /// is no change.
    pub async fn tag_run(
        &self,
        run: &RunId,
        add: &[String],
        remove: &[String],
    ) -> Result<Vec<String>, Error> {
        let (add, remove) = (read_all(add)?, read_all(remove)?);
        if let Some(both) = add.intersection(&remove).next() {
            let message =
                format!("`{both}` can't be added and removed at once. Nothing was recorded; name it once");
            return Err(Error::invalid("bad_tag", message));
        }
        let cached = self.cached(run).await?;
        if cached.is_draft && !cached.is_planning {
            let Some(tagged) = self.change_of(&cached.tags, &add, &remove)? else {
                return Ok(cached.tags.to_vec());
            };
            let mut after = cached.tags.clone();
            after.take(&tagged);
            self.note(cached, vec![self.event(None, tagged)], Vec::new())
                .await?;
            return Ok(after.to_vec());
        }
        let after = std::sync::Mutex::new(Vec::new());
        self.append_request_of(run, None, Vec::new(), |state| {
            let change = self.change_of(&state.tags, &add, &remove)?;
            let mut then = state.tags.clone();
            change.iter().for_each(|tagged| then.take(tagged));
            *after.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = then.to_vec();
            Ok(change.map(EventBody::from))
        })
        .await?;
        Ok(after
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    /// What is really added and taken off; nothing where all is as it shall be.
    fn change_of(
        &self,
        has: &Tags,
        add: &BTreeSet<String>,
        remove: &BTreeSet<String>,
    ) -> Result<Option<RunTagged>, Error> {
        let added: Vec<String> = add.iter().filter(|tag| !has.has(tag)).cloned().collect();
        let removed: Vec<String> = remove.iter().filter(|tag| has.has(tag)).cloned().collect();
        if added.is_empty() && removed.is_empty() {
            return Ok(None);
        }
        let after = has.count() + added.len() - removed.len();
        if after > tags::MOST {
            let message = format!(
                "a run has at most {} tags, this one would have {after}. Nothing was recorded; take some off first",
                tags::MOST
            );
            return Err(Error::invalid("many_tags", message));
        }
        let by = self.face();
        Ok(Some(RunTagged { added, removed, by }))
    }
}

fn read_all(words: &[String]) -> Result<BTreeSet<String>, Error> {
    let refused = |bad: BadTag| Error::invalid("bad_tag", format!("{bad}. Nothing was recorded"));
    words
        .iter()
        .map(|word| tags::read(word).map_err(refused))
        .collect()
}
