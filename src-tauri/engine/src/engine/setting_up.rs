//! The models that can be asked with what lies beside a database. It must not know what a plan asks of them.

use std::path::Path;

use super::Error;
use crate::llm::Role;
use crate::llm::setup::{Files, Keys, SetUp, set_up};

/// Reads the settings beside the database, takes in keys, and looks for servers on this machine. `chosen` goes before
/// the settings and holds for this call.
pub async fn models_from(db: &Path, keys: &Keys, chosen: &[(Role, String)]) -> Result<SetUp, Error> {
    let files = Files::beside(&super::real_path(db));
    let mut made = set_up(&files, keys, chosen)
        .await
        .map_err(|bad| Error::invalid("unknown_model", bad.to_string()))?;
    made.survey
        .troubles
        .extend(super::settings_file::troubles(&files.settings));
    Ok(made)
}
