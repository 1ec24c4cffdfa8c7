//! When data may not simply go where a call would take it (LIBRARIES D4, R1 and R2). Pure.

use serde::{Deserialize, Serialize};

use super::{Allowed, CallFacts, Effect, Grants, Need, hosts};
use crate::model::tool::Access;

/// Why a person must look at a call before it is made, though all that it touches is granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum Concern {
    /// What somebody outside wrote would go out, set something off or be paid for (R1).
    Untrusted,
    /// Something private would go where the plan sends nothing private (R2).
    Private,
    /// What somebody outside wrote would be stored where the person's own work is, and be trusted from then on.
    OwnWork,
}

impl Concern {
    /// For people: what would happen.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Untrusted => "it would act on text that somebody outside wrote",
            Self::Private => "it would send private data to where the plan sends none",
            Self::OwnWork => "it would put text that somebody outside wrote among your own work",
        }
    }
}

/// What is known of the data in a call, beside its labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// The plan names every way on which untrusted data has come here (`accepts_untrusted`).
    pub is_accepted: bool,
    /// What is run was chosen by data from outside; no plan can accept that beforehand.
    pub is_program_foreign: bool,
    /// A file is written that lies among the person's own work.
    pub writes_own_work: bool,
}

/// All that a person should look at before this call. Empty: it may go.
pub(super) fn concerns(allowed: &Allowed<'_>, call: &CallFacts<'_>) -> Vec<Concern> {
    let about = call.circumstances;
    let is_foreign = call.labels.untrusted && (!about.is_accepted || about.is_program_foreign);
    let mut found = Vec::new();
    if is_foreign && (is_sink(call.effect) || asks_outside(call.effect, call.needs)) {
        found.push(Concern::Untrusted);
    }
    if call.labels.private && !may_be_private(allowed.grants, call.effect, call.needs) {
        found.push(Concern::Private);
    }
    if is_foreign && about.writes_own_work {
        found.push(Concern::OwnWork);
    }
    found
}

/// Effects through which somebody outside could be reached or something be set off (R1).
pub fn is_sink(effect: Effect) -> bool {
    match effect {
        Effect::WriteExternal | Effect::Exec | Effect::Spend => true,
        Effect::Pure | Effect::Read | Effect::ReadExternal | Effect::Write => false,
    }
}

/// A question to somebody outside tells them what is in it: the address, its query, its headers.
fn asks_outside(effect: Effect, needs: &[Need]) -> bool {
    effect == Effect::ReadExternal && needs.iter().any(is_outside)
}

fn is_outside(need: &Need) -> bool {
    matches!(need.access, Access::Host | Access::Mcp)
}

/// Whether the call tells nobody, or only those to whom the plan gives private data.
pub fn may_be_private(grants: &Grants, effect: Effect, needs: &[Need]) -> bool {
    let leaves = match effect {
        Effect::WriteExternal | Effect::Spend => true,
        Effect::ReadExternal => asks_outside(effect, needs),
        // A program is confined; what of the network it may use is a host that it needs.
        Effect::Exec => needs.iter().any(is_outside),
        Effect::Pure | Effect::Read | Effect::Write => false,
    };
    if !leaves {
        return true;
    }
    let is_named = |need: &Need| {
        grants.private_to.iter().any(|entry| match need.access {
            Access::Host => hosts::entry_covers(entry, need),
            Access::Mcp | Access::Command => *entry == need.resource,
            Access::Read | Access::Write | Access::Database => false,
        })
    };
    let mut receivers = needs
        .iter()
        .filter(|need| is_outside(need) || need.access == Access::Command)
        .peekable();
    receivers.peek().is_some() && receivers.all(is_named)
}
