//! Language models for the window: found in the background, so that the window opens at once. Knows no plan.

use std::path::PathBuf;

use planloom_engine::Engine;
use planloom_engine::llm::setup::Keys;

/// Gives the engine what can be asked, once that is known; until then no model is set up.
pub async fn find(engine: Engine, db: PathBuf) {
    match planloom_engine::models_from(&db, &Keys::system(), &[]).await {
        Ok(found) => {
            for trouble in &found.survey.troubles {
                tracing::warn!("{trouble}");
            }
            engine.use_models(found.models);
        }
        Err(error) => tracing::warn!("{error}"),
    }
}
