//! Commands about language models: what is at hand, keys, who does which work. No key ever comes back out.

use planloom_engine::llm::setup::{ModelRow, ProviderRow, Survey};
use planloom_engine::llm::{Price, Role};
use serde::Serialize;
use tauri::State;

use crate::desk::Desk;
use crate::fault::Fault;
use crate::models::Kept;

/// What can be asked, and what is to be done where nothing can.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ModelsView {
    pub providers: Vec<ProviderView>,
    pub models: Vec<ModelView>,
    /// Every role, with its models, best first; none where nothing is at hand.
    pub roles: Vec<RoleView>,
    /// What is wrong in the settings, each with its place.
    pub problems: Vec<String>,
    /// When the prices were looked up, and where.
    pub prices_of: String,
    pub prices_source: String,
    /// One sentence of what to start or to set, where nothing can be asked.
    pub advice: Option<String>,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ProviderView {
    pub name: String,
    pub kind: String,
    pub title: String,
    pub base_url: String,
    /// "settings", "key" or "found".
    pub origin: String,
    /// Where its key lies: "keychain", "this session only" or a variable's name.
    pub key: Option<String>,
    pub todo: Option<String>,
    /// Whether a server on this machine answers; null where nobody was asked.
    pub answers: Option<bool>,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ModelView {
    /// `provider/model`.
    pub name: String,
    pub is_free: bool,
    /// Dollars for a million tokens, in and out; null where unknown or free.
    pub price: Option<PriceView>,
    /// "yes", "no" or "unknown", as the two after it.
    pub tools: String,
    pub structured: String,
    pub thinking: String,
    pub context_tokens: Option<f64>,
    /// When it was last asked what it can do, as RFC 3339.
    pub probed: Option<String>,
    pub roles: Vec<String>,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct PriceView {
    pub input: String,
    pub output: String,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct RoleView {
    /// "planner", "executor", "replanner" or "synthesizer".
    pub role: String,
    pub models: Vec<String>,
}

/// What a test of a model found.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ModelTest {
    /// Why something is still unknown; the model may not have answered at all.
    pub trouble: Option<String>,
    pub now: ModelsView,
}

/// Where a key was put, and what can be asked with it.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct KeyKept {
    /// False: there is no keychain here, and the key is forgotten when the window closes.
    pub in_keychain: bool,
    pub now: ModelsView,
}

#[tauri::command]
#[specta::specta]
pub async fn models(desk: State<'_, Desk>) -> Result<ModelsView, Fault> {
    Ok(view(&desk.models.survey(&desk.engine()?).await?))
}

/// Looks for servers, keys and settings anew.
#[tauri::command]
#[specta::specta]
pub async fn find_models(desk: State<'_, Desk>) -> Result<ModelsView, Fault> {
    Ok(view(&desk.models.look_again(&desk.engine()?).await?))
}

/// Asks a model what it can do: a call or two, which may cost a little.
#[tauri::command]
#[specta::specta]
pub async fn test_model(desk: State<'_, Desk>, name: String) -> Result<ModelTest, Fault> {
    let (found, survey) = desk.models.probe(&desk.engine()?, &name).await?;
    Ok(ModelTest {
        trouble: found.trouble,
        now: view(&survey),
    })
}

/// Keeps a provider's key in the system's keychain; where there is none, until the window closes.
#[tauri::command]
#[specta::specta]
pub async fn keep_key(desk: State<'_, Desk>, provider: String, key: String) -> Result<KeyKept, Fault> {
    let engine = desk.engine()?;
    let kept = desk.models.keep_key(&provider, &key).await?;
    Ok(KeyKept {
        in_keychain: kept == Kept::Keychain,
        now: view(&desk.models.look_again(&engine).await?),
    })
}

#[tauri::command]
#[specta::specta]
pub async fn forget_key(desk: State<'_, Desk>, provider: String) -> Result<ModelsView, Fault> {
    let engine = desk.engine()?;
    desk.models.forget_key(&provider).await?;
    Ok(view(&desk.models.look_again(&engine).await?))
}

/// Which models do a role's work, best first; none: the usual ones.
#[tauri::command]
#[specta::specta]
pub async fn choose_role(
    desk: State<'_, Desk>,
    role: String,
    models: Vec<String>,
) -> Result<ModelsView, Fault> {
    let engine = desk.engine()?;
    let Some(role) = Role::parse(&role) else {
        let message = format!("There is no role `{role}`. Nothing was changed.");
        return Err(Fault::new("type", message));
    };
    desk.settings.keep_role(role.word(), &models)?;
    Ok(view(&desk.models.look_again(&engine).await?))
}

fn view(survey: &Survey) -> ModelsView {
    ModelsView {
        providers: survey.providers.iter().map(provider).collect(),
        models: survey.models.iter().map(model).collect(),
        roles: survey
            .roles
            .iter()
            .map(|(role, models)| RoleView {
                role: role.word().to_owned(),
                models: models.clone(),
            })
            .collect(),
        problems: survey.troubles.iter().map(ToString::to_string).collect(),
        prices_of: survey.prices_of.clone(),
        prices_source: survey.prices_source.clone(),
        advice: survey.advice(),
    }
}

fn provider(row: &ProviderRow) -> ProviderView {
    ProviderView {
        name: row.name.clone(),
        kind: row.kind.to_owned(),
        title: row.title.to_owned(),
        base_url: row.base_url.clone(),
        origin: row.origin.word().to_owned(),
        key: row.key.as_ref().map(ToString::to_string),
        todo: row.todo.clone(),
        answers: row.answers,
    }
}

fn model(row: &ModelRow) -> ModelView {
    let price = match row.price {
        Price::PerMillion { input, output, .. } => Some(PriceView {
            input: input.to_string(),
            output: output.to_string(),
        }),
        Price::Free | Price::Unknown => None,
    };
    ModelView {
        name: row.name.clone(),
        is_free: row.price == Price::Free,
        price,
        tools: row.traits.tools.word().to_owned(),
        structured: row.traits.structured.word().to_owned(),
        thinking: row.traits.thinking.word().to_owned(),
        context_tokens: row.traits.context_tokens.map(|tokens| tokens as f64),
        probed: row.probed.as_ref().map(|probed| probed.at.to_string()),
        roles: row.roles.iter().map(|role| role.word().to_owned()).collect(),
    }
}
