//! What files hold before a call may write over them: read off the runtime's threads, and recorded with the intent.

use std::time::Duration;

use super::driver::{DriveError, Driver};
use super::redact::redactor_of;
use super::secrets::Secrets;
use crate::model::Json;
use crate::model::events::{Before, Content, Kept, NotKept, WhyNot};
use crate::model::plan::Plan;
use crate::model::redactor::Redactor;
use crate::model::value::{NewPayload, ValueRef};
use crate::model::{Digest, content};
use crate::tools::{CallContext, Found, Tool, Written};

/// Longer than this no call waits for what its files held before.
const PATIENCE: Duration = Duration::from_secs(20);

impl Driver {
    /// The files that the call may change, as they are now; to be recorded with its intent. Never a reason not to call.
    pub(super) async fn before(
        &mut self,
        tool: &dyn Tool,
        arguments: &Json,
        has_secrets: bool,
        cx: &CallContext,
    ) -> Result<Vec<Before>, DriveError> {
        let spec = tool.spec();
        if !spec.effect_of(arguments).is_effect() || !spec.writes_files() {
            return Ok(Vec::new());
        }
        let looked = tokio::time::timeout(PATIENCE, tool.before(arguments, cx)).await;
        let found = looked.unwrap_or_else(|_| crate::tools::unreadable(spec, arguments, &cx.place));
        let redactor = self.redactor.clone();
        let packed = tokio::task::spawn_blocking(move || pack(found, &redactor, has_secrets)).await;
        let (before, payloads) = packed.unwrap_or_default();
        for payload in payloads {
            self.store_payload(payload);
        }
        Ok(before)
    }
}

/// The same for a file that nobody is about to call for: its content, and what has to be stored with it.
pub async fn keep(found: Found, plan: &Plan, secrets: &Secrets) -> (Content, Vec<NewPayload>) {
    secrets.load(super::redact::names_in(plan)).await;
    let redactor = redactor_of(plan, secrets);
    let keeping = tokio::task::spawn_blocking(move || {
        let mut payloads = Vec::new();
        (content_of(found, &redactor, &mut payloads), payloads)
    });
    let unreadable = NotKept {
        why: WhyNot::Unreadable,
        size: None,
    };
    keeping
        .await
        .unwrap_or((Content::NotKept(unreadable), Vec::new()))
}

fn pack(found: Vec<Written>, redactor: &Redactor, has_secrets: bool) -> (Vec<Before>, Vec<NewPayload>) {
    let mut payloads = Vec::new();
    let before = found.into_iter().map(|file| {
        let content = content_of(file.found, redactor, &mut payloads);
        // The hash of a short text with a secret in it would give the secret away.
        let after = file.after.filter(|_| !has_secrets);
        Before {
            path: file.path,
            content,
            after,
        }
    });
    (before.collect(), payloads)
}

fn content_of(found: Found, redactor: &Redactor, payloads: &mut Vec<NewPayload>) -> Content {
    let not_kept = |why, size| Content::NotKept(NotKept { why, size });
    match found {
        Found::Absent => Content::Absent,
        Found::Bytes(bytes) if redactor.finds_in(&bytes) => not_kept(WhyNot::Secret, None),
        Found::Bytes(bytes) => {
            let hash = Digest::of(&bytes);
            let (value, payload) = ValueRef::of(&content::to_json(bytes));
            payloads.extend(payload);
            Content::Kept(Kept { hash, value })
        }
        Found::Beginning(size) => Content::Beginning(size),
        Found::TooLarge(size) => not_kept(WhyNot::TooLarge, Some(size)),
        Found::Unreadable => not_kept(WhyNot::Unreadable, None),
        Found::Listed => not_kept(WhyNot::Listed, None),
    }
}
