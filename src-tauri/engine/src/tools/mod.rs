//! What touches the world for a task: the tool seam, the registry and one file per tool.
//! This room must not know the store, the run or any face.

pub mod code;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::model::grants::{Grants, Need, Place};
use crate::model::tool::{Catalog, ToolSpec};
use crate::model::Json;

/// One deterministic tool. The run has validated the arguments and asked the gate before `call`.
#[async_trait]
pub trait Tool: Send + Sync + 'static {
    fn spec(&self) -> &Arc<ToolSpec>;

    /// Does it once. Must end soon after `cx.cancel` fires. Never retries by itself.
    async fn call(&self, arguments: Json, cx: &CallContext) -> Result<Json, ToolError>;
}

/// What a call may know: where it lies, what it may touch on the way (redirects), and its key.
#[derive(Clone)]
pub struct CallContext {
    pub place: Place,
    pub permit: Permit,
    /// Sent as `Idempotency-Key` by HTTP tools.
    pub idempotency_key: String,
    /// The person's word that the receiver honours the key.
    pub is_idempotent: bool,
    pub cancel: CancellationToken,
}

/// What this call was allowed, for checks that only the tool can make on the way, such as a redirect's next host.
#[derive(Clone)]
pub struct Permit {
    pub grants: Arc<Grants>,
    /// The task's literal needs, frozen at approval, and what a person has allowed since.
    pub needs: Arc<[Need]>,
}

/// The typed outcome of a failed call (DESIGN rules 4 and 13). What a call may have changed decides what may follow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// May be tried again: nothing has reached the receiver, or the call only reads.
    #[error("{message}")]
    Transient { code: &'static str, message: String, retry_after: Option<Duration> },
    /// The call may have reached the receiver and its answer is lost. Reads are tried again; an effect is in doubt.
    #[error("{message}")]
    Unknown { code: &'static str, message: String, retry_after: Option<Duration> },
    /// Trying again can't help.
    #[error("{message}")]
    Permanent { code: &'static str, message: String },
    /// Met on the way: something that nothing grants.
    #[error("not granted: {needs:?}")]
    NotGranted { needs: Vec<Need> },
    #[error("cancelled")]
    Cancelled,
}

/// The tools by name.
#[derive(Clone)]
pub struct Registry {
    tools: std::collections::BTreeMap<String, Arc<dyn Tool>>,
    catalog: Catalog,
}

impl Registry {
    pub fn new(tools: Vec<Arc<dyn Tool>>) -> Self {
        let catalog = Catalog::new(tools.iter().map(|t| t.spec().clone()));
        let tools = tools.into_iter().map(|t| (t.spec().name.clone(), t)).collect();
        Self { tools, catalog }
    }
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.get(name)
    }
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }
}
