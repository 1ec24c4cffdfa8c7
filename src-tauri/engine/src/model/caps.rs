//! How many calls may be under way at once, by what they go to (rule 2). Pure; who waits where is the run's business.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Tasks of one run at once, unless a cap is set.
pub const PER_RUN: u32 = 16;
/// Calls to one provider at once, unless a cap is set.
pub const PER_PROVIDER: u32 = 8;

/// The caps beside the one of the run itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caps {
    /// By the tool's name. A tool that is not named here has no cap of its own.
    pub tools: BTreeMap<String, u32>,
    /// For every provider of models alike.
    pub per_provider: u32,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            tools: BTreeMap::new(),
            per_provider: PER_PROVIDER,
        }
    }
}

/// What a call needs a place at.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    Tool(Arc<str>),
    Provider(Arc<str>),
}

impl Caps {
    /// How many calls may hold the slot at once; none: as many as there are. A cap of 0 would hold them for ever.
    pub fn most(&self, slot: &Slot) -> Option<u32> {
        let most = match slot {
            Slot::Tool(name) => self.tools.get(&**name).copied(),
            Slot::Provider(_) => Some(self.per_provider),
        };
        most.map(|most| most.max(1))
    }
}

impl std::fmt::Display for Slot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Tool(name) | Self::Provider(name) => f.write_str(name),
        }
    }
}
