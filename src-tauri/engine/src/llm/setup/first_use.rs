//! A model that is probed when it is first asked, if nobody knows yet what it can do. It must not know what for it is
//! asked.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use super::facts::{Facts, Probed};
use super::probe::{self, Found};
use super::wires::{Connect, Spec};
use super::{Kind, address, listing, look};
use crate::llm::wire;
use crate::llm::wire::Delta;
use crate::llm::{Cancelled, ChatModel, Fault, Outcome, Price, Reply, Request, Support, Traits, spoken};

/// One model of one provider.
#[derive(Clone)]
pub struct Named {
    pub spec: Spec,
    /// What the provider calls it.
    pub model: String,
    pub price: Price,
    /// What is known without asking it.
    pub traits: Traits,
    pub connect: Connect,
    pub facts: Arc<Facts>,
}

impl Named {
    /// `provider/model`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.spec.name, self.model)
    }

    /// Who gets what it is asked; none where that stays on this machine. A server here may pass models on: such are not free.
    pub fn host(&self) -> Option<String> {
        let url = &self.spec.base_url;
        let host = url.host_str()?;
        let port = url.port().map_or(String::new(), |port| format!(":{port}"));
        if !wire::is_loopback(url) {
            return Some(format!("{host}{port}"));
        }
        let is_passed_on = self.spec.kind == Kind::Ollama && self.model.ends_with("cloud");
        is_passed_on.then(|| format!("{host}{port}, which passes it on"))
    }

    /// To be worked with: it sees calls of tools in whatever way the model can make them.
    pub fn spoken(&self, traits: Traits) -> Result<Arc<dyn ChatModel>, String> {
        self.connected(traits).map(|model| spoken(model, traits))
    }

    fn connected(&self, traits: Traits) -> Result<Arc<dyn ChatModel>, String> {
        (self.connect)(&self.spec, &self.model, traits, self.price)
    }

    /// Asks the server, then the model, and remembers. What stays unknown is not remembered, so that it is asked again.
    pub async fn probe(&self, cancel: &CancellationToken) -> Result<Found, Cancelled> {
        let told = self.told().await;
        let open = Traits {
            tools: Support::Unknown,
            structured: Support::Unknown,
            ..self.traits
        };
        let mut found = match self.connected(open) {
            Ok(model) => probe::probe(&*model, &self.name(), cancel).await?,
            Err(trouble) => Found {
                trouble: Some(trouble),
                ..Found::default()
            },
        };
        found.traits = found.traits.or(told).or(self.traits);
        if found.trouble.is_none() {
            let probed = Probed {
                at: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
                traits: found.traits,
            };
            let base_url = address::text(&self.spec.base_url);
            if let Err(error) = self.facts.remember(&self.name(), &base_url, probed) {
                tracing::warn!(%error, "what was found out about a model could not be written down");
            }
        }
        Ok(found)
    }

    /// What its server tells of it, beside what a listing tells.
    async fn told(&self) -> Traits {
        let is_here = wire::is_loopback(&self.spec.base_url);
        if !is_here || self.spec.kind != Kind::Ollama {
            return Traits::default();
        }
        let body = serde_json::json!({ "model": self.model });
        let show = look::post(&self.spec.base_url, "/api/show", &body).await;
        let told = show.map(|show| listing::ollama_show(&show)).unwrap_or_default();
        // The context that it was made for is not the one that its server runs it with.
        Traits {
            context_tokens: None,
            ..told
        }
    }
}

/// The same as something to ask.
pub struct FirstUse {
    named: Named,
    ready: OnceCell<Ready>,
}

struct Ready {
    model: Arc<dyn ChatModel>,
    traits: Traits,
}

impl FirstUse {
    pub fn new(named: Named) -> Self {
        Self {
            named,
            ready: OnceCell::new(),
        }
    }

    async fn ready(&self, cancel: &CancellationToken) -> Result<Option<&Ready>, Cancelled> {
        let ready = self.ready.get_or_try_init(|| self.make_ready(cancel)).await;
        match ready {
            Ok(ready) => Ok(Some(ready)),
            Err(NotReady::Cancelled) => Err(Cancelled),
            Err(NotReady::Unanswered) => Ok(None),
        }
    }

    async fn make_ready(&self, cancel: &CancellationToken) -> Result<Ready, NotReady> {
        let found = self
            .named
            .probe(cancel)
            .await
            .map_err(|Cancelled| NotReady::Cancelled)?;
        if found.trouble.is_some() {
            return Err(NotReady::Unanswered);
        }
        let model = self
            .named
            .spoken(found.traits)
            .map_err(|_| NotReady::Unanswered)?;
        Ok(Ready {
            model,
            traits: found.traits,
        })
    }

    /// The model as nothing is known of it: what stood in the way of the probe will stand in the way of the question
    /// too, and is told as its outcome.
    fn unprobed(&self) -> Arc<dyn ChatModel> {
        let made = self.named.spoken(self.named.traits);
        made.unwrap_or_else(|trouble| Arc::new(Unreachable(format!("{}: {trouble}", self.named.name()))))
    }
}

/// A model to which no request can be made at all.
struct Unreachable(String);

#[async_trait]
impl ChatModel for Unreachable {
    async fn ask(&self, _: &Request, _: &CancellationToken) -> Result<Reply, Cancelled> {
        let fault = Fault::new("setup", self.0.clone());
        Ok(Reply::of(Outcome::Permanent(fault)))
    }
}

enum NotReady {
    Cancelled,
    Unanswered,
}

#[async_trait]
impl ChatModel for FirstUse {
    async fn ask(&self, request: &Request, cancel: &CancellationToken) -> Result<Reply, Cancelled> {
        self.ask_live(request, &|_| (), cancel).await
    }

    async fn ask_live(
        &self,
        request: &Request,
        told: &(dyn Fn(Delta) + Send + Sync),
        cancel: &CancellationToken,
    ) -> Result<Reply, Cancelled> {
        if let Some(ready) = self.ready(cancel).await? {
            return ready.model.ask_live(request, told, cancel).await;
        }
        self.unprobed().ask_live(request, told, cancel).await
    }

    async fn traits(&self, cancel: &CancellationToken) -> Result<Traits, Cancelled> {
        let ready = self.ready(cancel).await?;
        Ok(ready.map_or(self.named.traits, |ready| ready.traits))
    }
}

/// A model of which enough is known.
pub struct Known {
    pub model: Arc<dyn ChatModel>,
    pub traits: Traits,
}

#[async_trait]
impl ChatModel for Known {
    async fn ask(&self, request: &Request, cancel: &CancellationToken) -> Result<Reply, Cancelled> {
        self.model.ask(request, cancel).await
    }

    async fn ask_live(
        &self,
        request: &Request,
        told: &(dyn Fn(Delta) + Send + Sync),
        cancel: &CancellationToken,
    ) -> Result<Reply, Cancelled> {
        self.model.ask_live(request, told, cancel).await
    }

    async fn traits(&self, _: &CancellationToken) -> Result<Traits, Cancelled> {
        Ok(self.traits)
    }
}
