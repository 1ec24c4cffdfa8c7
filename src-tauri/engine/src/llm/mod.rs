//! The seam to language models: what is asked, what comes back, and which models are set up. One file per wire
//! will stand here. This room must not know tools, tasks, the store or any face.

mod key;
mod price;
pub mod recorded;
mod registry;
mod reply;
mod request;
pub mod setup;
mod spoken;
pub mod thoughts;
mod traits;
pub mod wire;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

pub use key::{Key, NoKey};
pub use price::{Cost, Price, Usage};
pub use registry::{Entry, Limits, Models, NoModel, Role};
pub use reply::{Answer, Fault, Outcome, Reply, Sealed, Thought};
pub use request::{Message, Offer, OutputFormat, Request, ToolCall, Unreadable, json_of};
pub use spoken::spoken;
pub use traits::{Support, Traits};

/// One model behind one wire.
#[async_trait]
pub trait ChatModel: Send + Sync + 'static {
    /// Asks once and never retries by itself. Whatever the provider says becomes a [`Reply`] (rule 13): only the
    /// provider's own terminal marker makes it complete. No secret and no key is in any text of it. Must end soon
    /// after `cancel` fires.
    ///
    /// Without `request.tools` the model must be free to answer in text alone, also when earlier messages hold tool
    /// calls; a provider that wants definitions for those gets them with calls forbidden.
    async fn ask(&self, request: &Request, cancel: &CancellationToken) -> Result<Reply, Cancelled>;

    /// The same, with news of the answer on its way where the wire streams.
    async fn ask_live(
        &self,
        request: &Request,
        told: &(dyn Fn(wire::Delta) + Send + Sync),
        cancel: &CancellationToken,
    ) -> Result<Reply, Cancelled> {
        let _ = told;
        self.ask(request, cancel).await
    }

    /// What it can do. Where nobody knows yet, this may ask it a small thing once, and remembers the answer.
    async fn traits(&self, cancel: &CancellationToken) -> Result<Traits, Cancelled> {
        let _ = cancel;
        Ok(Traits::default())
    }
}

/// The call was given up by its caller; what it cost is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;
