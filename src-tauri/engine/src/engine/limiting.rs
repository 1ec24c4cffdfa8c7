//! What the settings say of how much goes on at once and what is synced: shown, and taken over while the engine is open. Runs
//! that go on keep what they began with. It must not know who writes the settings.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use super::{Engine, MAX_PARALLEL, chosen};
use crate::model::caps::{PER_PROVIDER, PER_RUN};
use crate::store::Syncing;
use crate::views::{LimitsView, ToolLimit};

impl Engine {
    /// As the settings say it now; what they do not say is as usual.
    pub fn limits(&self) -> LimitsView {
        let chosen = self.db().map(chosen::beside).unwrap_or_default();
        let chosen = chosen.with_unknown(&self.catalog());
        let tools = chosen.caps.tools.iter();
        LimitsView {
            per_run: chosen.per_run.unwrap_or(PER_RUN),
            per_provider: chosen.caps.per_provider,
            tools: tools
                .map(|(tool, at_once)| ToolLimit {
                    tool: tool.clone(),
                    at_once: *at_once,
                })
                .collect(),
            usual_per_run: PER_RUN,
            usual_per_provider: PER_PROVIDER,
            syncs_everything: chosen.sync == Syncing::Everything,
            troubles: chosen.troubles.iter().map(ToString::to_string).collect(),
        }
    }

    /// Reads them anew: whatever begins from now on keeps to them, and what is written is synced as they say.
    pub fn use_limits(&self) {
        let chosen = self.db().map(chosen::beside).unwrap_or_default();
        let caps = std::sync::Arc::new(chosen.caps);
        *self.inner.caps.write().unwrap_or_else(PoisonError::into_inner) = caps.clone();
        self.inner.doors.widen(caps);
        let most = chosen.per_run.map_or(MAX_PARALLEL, |most| most as usize);
        self.inner.max_parallel.store(most, Ordering::Relaxed);
        self.inner.store.sync(chosen.sync);
    }
}
