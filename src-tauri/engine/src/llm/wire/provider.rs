//! How one provider is reached, and how long it may take. It must not know its wire.

use std::fmt;
use std::time::Duration;

use url::Url;

use super::address::is_loopback;
use crate::llm::Key;

/// A server that answers. Its key is in no text that this gives.
#[derive(Clone)]
pub struct Provider {
    /// What messages call it, and what stands before the `/` in a model's name.
    pub name: String,
    /// With or without `/v1` and the like; see [`super::base_url`].
    pub base_url: Url,
    pub key: Option<Key>,
    /// Values are taken for secrets.
    pub extra_headers: Vec<(String, String)>,
    pub limits: CallLimits,
}

impl Provider {
    /// Without a key, and with the limits that fit the address.
    pub fn new(name: impl Into<String>, base_url: Url) -> Self {
        Self {
            name: name.into(),
            limits: CallLimits::of(&base_url),
            base_url,
            key: None,
            extra_headers: Vec::new(),
        }
    }
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider")
            .field("name", &self.name)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// How long each part of a call may take. One that is passed ends the call as a transient failure with a code of its
/// own. Time that the machine sleeps doesn't count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallLimits {
    /// `timeout_connect`
    pub connect: Duration,
    /// From the start to the first byte: `timeout_first_byte`.
    pub first_byte: Duration,
    /// From the start to the first piece of text, thought or call; what keeps the line alive is none:
    /// `timeout_first_content`.
    pub first_content: Duration,
    /// From any byte to the next one: `timeout_idle`.
    pub idle: Duration,
    /// `timeout_whole`
    pub whole: Duration,
}

impl CallLimits {
    /// A provider far away: it thinks at once, and some are silent for minutes while they do.
    pub const CLOUD: Self = Self {
        connect: Duration::from_secs(10),
        first_byte: Duration::from_secs(120),
        first_content: Duration::from_secs(900),
        idle: Duration::from_secs(240),
        whole: Duration::from_secs(3600),
    };
    /// A server on this machine: it may first load a model from disk, and read a long prompt slowly.
    pub const LOCAL: Self = Self {
        connect: Duration::from_secs(5),
        first_byte: Duration::from_secs(900),
        first_content: Duration::from_secs(1800),
        idle: Duration::from_secs(600),
        whole: Duration::from_secs(7200),
    };

    pub fn of(base_url: &Url) -> Self {
        if is_loopback(base_url) {
            Self::LOCAL
        } else {
            Self::CLOUD
        }
    }
}
