//! From what a person has chosen, set and started to the models that can be asked: settings, keys, servers found on
//! this machine, what is known of models, and who does which work. It must not know tasks, the store or any face.
//!
//! - `settings`, `catalog`, `facts`: the three files: chosen, known, found out; `reader` reads what people write.
//! - `keys`, `keychain`: where a key comes from.
//! - `local`, `listing`, `look`: servers on this machine.
//! - `probe`, `first_use`: what a model can do.
//! - `providers`, `choose`, [`set_up`]: all of it put together; `wires` is where a kind becomes a wire.

mod address;
mod catalog;
mod choose;
mod facts;
mod first_use;
mod keychain;
mod keys;
mod kind;
mod listing;
mod local;
mod look;
mod probe;
mod providers;
mod set_up;
mod settings;
mod survey;
mod wires;

pub use crate::model::reader::Trouble;
pub use catalog::Catalog;
pub use facts::{Facts, Probed};
pub use keychain::{Keychain, NoKeychain};
pub use keys::{KeySource, Keys, Variables};
pub use kind::Kind;
pub use probe::{Found, probe};
pub use providers::Origin;
pub use set_up::{BadChoice, Files, SetUp, provider_names, set_up, set_up_with};
pub use settings::{Settings, Waits, is_provider_name};
pub use survey::{ModelRow, ProviderRow, Survey};
pub use wires::{Connect, Spec};
