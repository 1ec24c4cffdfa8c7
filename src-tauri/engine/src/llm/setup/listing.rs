//! What a server's answers say: which kind it is and which models it has. Pure; a hostile answer is read as far as it
//! makes sense, within bounds.

use super::Kind;
use crate::llm::{Support, Traits};
use crate::model::Json;

/// More models of one server are not listed.
const MOST: usize = 500;
const LONGEST_NAME: usize = 200;
/// No context is larger than this; a larger number is none.
const LARGEST: u64 = 1 << 40;

/// A model that a server has.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    pub name: String,
    pub traits: Traits,
    /// Bytes, where it is told: the larger, the abler.
    pub size: u64,
    /// Is in memory now.
    pub is_loaded: bool,
    /// Runs on somebody else's machine, whatever machine lists it.
    pub is_remote: bool,
}

/// The answers of one server; `None` where it gave none.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// `/v1/models`
    pub models: Option<Json>,
    /// `/props`, llama.cpp's own
    pub props: Option<Json>,
    /// `/api/v0/models`, LM Studio's own
    pub studio: Option<Json>,
    /// `/api/tags`, Ollama's own, which others imitate
    pub tags: Option<Json>,
    /// `/version`, vLLM's own
    pub version: Option<Json>,
}

/// The kind and the models; `None` where no server of models answers.
pub fn tell(answers: &Answers) -> Option<(Kind, Vec<Listed>)> {
    let kind = kind(answers)?;
    let own = match kind {
        Kind::Ollama => answers.tags.as_ref().map(ollama),
        Kind::LmStudio => answers.studio.as_ref().map(studio),
        Kind::LlamaCpp
        | Kind::Vllm
        | Kind::Openai
        | Kind::OpenaiResponses
        | Kind::Anthropic
        | Kind::Gemini
        | Kind::Openrouter
        | Kind::OpenaiCompatible => None,
    };
    let mut models = own.unwrap_or_else(|| answers.models.as_ref().map(openai).unwrap_or_default());
    if kind == Kind::LlamaCpp {
        let context = answers.props.as_ref().and_then(props_context);
        for model in &mut models {
            model.traits.context_tokens = context.or(model.traits.context_tokens);
        }
    }
    Some((kind, models))
}

fn kind(answers: &Answers) -> Option<Kind> {
    let owner = answers.models.as_ref().and_then(|models| {
        let first = models["data"].as_array()?.first()?;
        first["owned_by"].as_str()
    });
    let has = |answer: &Option<Json>, field: &str| answer.as_ref().is_some_and(|a| a[field].is_array());
    let props = answers.props.as_ref();
    if owner == Some("llamacpp") || props.is_some_and(|p| p["default_generation_settings"].is_object()) {
        return Some(Kind::LlamaCpp);
    }
    if has(&answers.studio, "data") {
        return Some(Kind::LmStudio);
    }
    if owner == Some("vllm") {
        return Some(Kind::Vllm);
    }
    if has(&answers.tags, "models") {
        return Some(Kind::Ollama);
    }
    if !has(&answers.models, "data") {
        return None;
    }
    let is_vllm = answers.version.as_ref().is_some_and(|v| v["version"].is_string());
    Some(if is_vllm {
        Kind::Vllm
    } else {
        Kind::OpenaiCompatible
    })
}

fn entries<'a>(list: &'a Json, field: &str) -> impl Iterator<Item = &'a Json> {
    list[field].as_array().into_iter().flatten().take(MOST)
}

fn listed(entry: &Json, field: &str) -> Option<Listed> {
    let name = entry[field].as_str()?;
    let is_name = (1..=LONGEST_NAME).contains(&name.len()) && !name.chars().any(char::is_control);
    (is_name && !is_embedding(name)).then(|| Listed {
        name: name.to_owned(),
        traits: Traits::default(),
        size: 0,
        is_loaded: false,
        is_remote: false,
    })
}

/// Models that answer with vectors say so in their names.
fn is_embedding(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["embed", "rerank", "bge-", "whisper"]
        .iter()
        .any(|word| name.contains(word))
}

fn tokens(value: &Json) -> Option<u64> {
    value.as_u64().filter(|tokens| (1..=LARGEST).contains(tokens))
}

fn ollama(tags: &Json) -> Vec<Listed> {
    let read = |entry: &Json| {
        let mut model = listed(entry, "model").or_else(|| listed(entry, "name"))?;
        model.size = entry["size"].as_u64().unwrap_or(0);
        model.is_remote = entry["remote_host"].is_string() || model.name.ends_with("cloud");
        model.traits = ollama_abilities(entry);
        Some(model)
    };
    entries(tags, "models").filter_map(read).collect()
}

/// `capabilities` of `/api/show`, and of `/api/tags` in newer versions.
fn ollama_abilities(entry: &Json) -> Traits {
    let Some(abilities) = entry["capabilities"].as_array() else {
        return Traits::default();
    };
    let can = |word: &str| Support::of(abilities.iter().any(|ability| ability == word));
    Traits {
        tools: can("tools"),
        thinking: can("thinking"),
        ..Traits::default()
    }
}

/// What `/api/show` tells of one model. The context it was made for is not the one that it runs with, but no more.
pub fn ollama_show(show: &Json) -> Traits {
    let context = show["model_info"].as_object().and_then(|facts| {
        let (_, value) = facts.iter().find(|(key, _)| key.ends_with(".context_length"))?;
        tokens(value)
    });
    Traits {
        context_tokens: context,
        ..ollama_abilities(show)
    }
}

fn studio(models: &Json) -> Vec<Listed> {
    let read = |entry: &Json| {
        if entry["type"].as_str().is_some_and(|word| word == "embeddings") {
            return None;
        }
        let mut model = listed(entry, "id")?;
        model.is_loaded = entry["state"] == "loaded";
        model.traits.context_tokens =
            tokens(&entry["loaded_context_length"]).or_else(|| tokens(&entry["max_context_length"]));
        if let Some(abilities) = entry["capabilities"].as_array() {
            model.traits.tools = Support::of(abilities.iter().any(|ability| ability == "tool_use"));
        }
        Some(model)
    };
    entries(models, "data").filter_map(read).collect()
}

fn openai(models: &Json) -> Vec<Listed> {
    let read = |entry: &Json| {
        let mut model = listed(entry, "id")?;
        model.traits.context_tokens = tokens(&entry["max_model_len"])
            .or_else(|| tokens(&entry["meta"]["n_ctx"]))
            .or_else(|| tokens(&entry["context_length"]));
        model.size = entry["meta"]["size"].as_u64().unwrap_or(0);
        Some(model)
    };
    entries(models, "data").filter_map(read).collect()
}

/// `n_ctx` of one slot: what one request has.
fn props_context(props: &Json) -> Option<u64> {
    tokens(&props["default_generation_settings"]["n_ctx"]).or_else(|| tokens(&props["n_ctx"]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names(models: &[Listed]) -> Vec<&str> {
        models.iter().map(|m| m.name.as_str()).collect()
    }

    #[test]
    fn each_kind_is_told_by_what_only_it_answers() {
        let list =
            |owner: &str| Some(json!({ "data": [{ "id": "m", "owned_by": owner, "max_model_len": 4096 }] }));
        let tags = Some(json!({ "models": [{ "name": "m" }] }));
        let told = |answers: Answers| tell(&answers).map(|(kind, _)| kind);
        let llama = Answers {
            models: list("llamacpp"),
            tags: tags.clone(),
            ..Answers::default()
        };
        assert_eq!(told(llama), Some(Kind::LlamaCpp));
        let ollama = Answers {
            models: list("library"),
            tags,
            ..Answers::default()
        };
        assert_eq!(told(ollama), Some(Kind::Ollama));
        let vllm = Answers {
            models: list("vllm"),
            ..Answers::default()
        };
        assert_eq!(tell(&vllm).unwrap().1[0].traits.context_tokens, Some(4096));
        assert_eq!(told(vllm), Some(Kind::Vllm));
        let studio = Answers {
            models: list("organization_owner"),
            studio: Some(json!({ "data": [] })),
            ..Answers::default()
        };
        assert_eq!(told(studio), Some(Kind::LmStudio));
        let other = Answers {
            models: list("me"),
            ..Answers::default()
        };
        assert_eq!(told(other), Some(Kind::OpenaiCompatible));
        for no_server in [json!([]), json!({ "data": 7 }), json!("hello"), json!({})] {
            assert_eq!(
                told(Answers {
                    models: Some(no_server),
                    ..Answers::default()
                }),
                None
            );
        }
    }

    #[test]
    fn what_a_server_tells_of_its_models_is_taken() {
        let answers = Answers {
            tags: Some(json!({ "models": [
                { "model": "qwen3:8b", "name": "qwen3", "size": 5_000_000_000_u64, "capabilities": ["completion", "tools"] },
                { "name": "nomic-embed-text" }, { "name": "gpt-oss:120b-cloud", "remote_host": "https://x" } ] })),
            ..Answers::default()
        };
        let (_, models) = tell(&answers).unwrap();
        assert_eq!(names(&models), ["qwen3:8b", "gpt-oss:120b-cloud"]);
        assert_eq!(
            (models[0].traits.tools, models[0].traits.thinking),
            (Support::Yes, Support::No)
        );
        assert!(models[1].is_remote && !models[0].is_remote);

        let show = json!({ "model_info": { "qwen3.context_length": 40960, "general.size": 1 }, "capabilities": ["completion"] });
        assert_eq!(ollama_show(&show).context_tokens, Some(40960));
        assert_eq!(ollama_show(&show).tools, Support::No);
        assert_eq!(ollama_show(&json!(null)), Traits::default());

        let answers = Answers {
            models: Some(
                json!({ "data": [{ "id": "qwen.gguf", "owned_by": "llamacpp", "meta": { "n_ctx": 8192 } }] }),
            ),
            props: Some(json!({ "default_generation_settings": { "n_ctx": 4096 } })),
            ..Answers::default()
        };
        assert_eq!(tell(&answers).unwrap().1[0].traits.context_tokens, Some(4096));
        let answers = Answers {
            studio: Some(json!({ "data": [
                { "id": "a", "type": "llm", "state": "loaded", "max_context_length": 9000, "capabilities": ["tool_use"] },
                { "id": "b", "type": "embeddings" } ] })),
            ..Answers::default()
        };
        let (_, models) = tell(&answers).unwrap();
        assert_eq!(names(&models), ["a"]);
        assert!(models[0].is_loaded && models[0].traits.tools == Support::Yes);
    }

    #[test]
    fn hostile_listings_are_bounded() {
        let many: Vec<Json> = (0..10_000).map(|n| json!({ "id": format!("m{n}") })).collect();
        let answers = |data: Json| Answers {
            models: Some(json!({ "data": data })),
            ..Answers::default()
        };
        assert_eq!(tell(&answers(json!(many))).unwrap().1.len(), MOST);
        let odd = json!([7, null, {}, { "id": "" }, { "id": "a\u{1b}[2J" }, { "id": "x".repeat(201) }, { "id": 5 },
            { "id": "ok", "max_model_len": 1e300, "meta": { "n_ctx": -5 } }]);
        let (_, models) = tell(&answers(odd)).unwrap();
        assert_eq!(names(&models), ["ok"]);
        assert_eq!(models[0].traits.context_tokens, None);
    }
}
