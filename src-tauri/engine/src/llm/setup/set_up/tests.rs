//! From files, variables and a keychain to models and roles; the wires are a closure that remembers what it was given.

use std::sync::Mutex;

use async_trait::async_trait;

use super::*;
use crate::llm::setup::{Keychain, Kind, Spec, Variables};
use crate::llm::{Answer, NoModel, Outcome, Reply, Request, Support, ToolCall};
use crate::model::Json;

/// Does what a probe asks, and counts.
#[derive(Clone, Default)]
struct Able(Arc<Mutex<u32>>);

#[async_trait]
impl ChatModel for Able {
    async fn ask(&self, request: &Request, _: &CancellationToken) -> Result<Reply, Cancelled> {
        tokio::task::yield_now().await;
        *self.0.lock().unwrap() += 1;
        let answer = if request.tools.is_empty() {
            Answer::text(r#"{"greeting":"zq7"}"#)
        } else {
            Answer::calls(vec![ToolCall {
                id: String::new(),
                name: "note_color".to_owned(),
                arguments: r#"{"color":"red"}"#.to_owned(),
                sealed: None,
            }])
        };
        Ok(Reply::of(Outcome::Complete(answer)))
    }
}

struct Desk {
    folder: tempfile::TempDir,
    variables: Vec<(&'static str, &'static str)>,
    keychain: Keychain,
    asked: Able,
    specs: Arc<Mutex<Vec<Spec>>>,
}

impl Desk {
    fn new(settings: &Json) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("settings.json"), settings.to_string()).unwrap();
        Self {
            folder,
            variables: Vec::new(),
            keychain: Keychain::missing(),
            asked: Able::default(),
            specs: Arc::default(),
        }
    }

    /// Nothing but what the variables set.
    fn bare(variables: &[(&'static str, &'static str)]) -> Self {
        Self {
            variables: variables.to_vec(),
            ..Self::new(&serde_json::json!({ "models": { "discover": false } }))
        }
    }

    fn keys(&self) -> Keys {
        let variables = self.variables.clone();
        let read: Variables = Arc::new(move |name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        });
        Keys::of(self.keychain.clone(), read)
    }

    async fn set_up(&self, chosen: &[(Role, &str)]) -> Result<SetUp, BadChoice> {
        let files = Files::beside(&self.folder.path().join("planloom.db"));
        let chosen: Vec<(Role, String)> = chosen
            .iter()
            .map(|(role, name)| (*role, (*name).to_owned()))
            .collect();
        let (asked, specs) = (self.asked.clone(), self.specs.clone());
        let connect: Connect = Arc::new(move |spec, _, _, _| {
            specs.lock().unwrap().push(spec.clone());
            Ok(Arc::new(asked.clone()))
        });
        set_up_with(&files, &self.keys(), &chosen, connect).await
    }

    async fn fine(&self) -> SetUp {
        let set_up = self.set_up(&[]).await.unwrap();
        assert_eq!(set_up.survey.troubles, []);
        set_up
    }
}

fn of_role(set_up: &SetUp, role: Role) -> Vec<String> {
    let chain = set_up.models.chain(role.word()).unwrap();
    chain.iter().map(|entry| entry.name.to_string()).collect()
}

#[tokio::test]
async fn a_variable_of_the_settings_that_is_not_set_is_named() {
    let settings = serde_json::json!({ "models": { "discover": false, "providers": { "office": {
        "kind": "openai_compatible", "base_url": "http://127.0.0.1:1", "key_from": "OFFICE_KEY", "models": ["big"] } } } });
    let set_up = Desk::new(&settings).set_up(&[]).await.unwrap();
    let told: Vec<String> = set_up.survey.troubles.iter().map(ToString::to_string).collect();
    assert!(
        told.len() == 1
            && told[0].starts_with(
                "settings.json#/models/providers/office/key_from: the variable OFFICE_KEY is not set"
            ),
        "{told:?}"
    );
}

#[tokio::test]
async fn a_key_alone_sets_up_strong_and_cheap() {
    let desk = Desk::bare(&[("ANTHROPIC_API_KEY", "sk-a"), ("GOOGLE_API_KEY", "g")]);
    let set_up = desk.fine().await;
    let strong = of_role(&set_up, Role::Planner);
    assert_eq!(strong, of_role(&set_up, Role::Replanner));
    let cheap = of_role(&set_up, Role::Executor);
    assert_eq!(cheap, of_role(&set_up, Role::Synthesizer));
    assert!(strong != cheap && strong[0].starts_with("anthropic/") && cheap[0].starts_with("anthropic/"));
    assert!(set_up.models.iter().any(|entry| entry.provider() == "gemini"));
    let entry = set_up.models.find("planner").unwrap();
    assert!(matches!(entry.price, Price::PerMillion { .. }) && entry.limits.context_tokens.is_some());
    let row = set_up
        .survey
        .models
        .iter()
        .find(|row| row.name == strong[0])
        .unwrap();
    assert_eq!(row.roles, [Role::Planner, Role::Replanner]);
    let specs = desk.specs.lock().unwrap();
    assert!(specs.iter().all(|spec| spec.key.is_some()));
    assert!(!format!("{specs:?} {:?}", set_up.survey).contains("sk-a"));
}

#[tokio::test]
async fn with_nothing_at_hand_one_sentence_says_what_to_do() {
    let set_up = Desk::bare(&[]).fine().await;
    assert!(set_up.models.is_empty());
    let advice = set_up.survey.advice().unwrap();
    assert!(
        advice.contains("Ollama") && advice.contains("OPENAI_API_KEY"),
        "{advice}"
    );
    assert_eq!(set_up.models.find("executor").unwrap_err(), NoModel::None);
}

#[tokio::test]
async fn roles_come_from_this_call_then_the_settings_then_the_usual_choice() {
    let desk = Desk {
        variables: vec![("OPENAI_API_KEY", "k"), ("WORK_KEY", "w")],
        ..Desk::new(&serde_json::json!({ "models": { "discover": false,
            "providers": { "work": { "kind": "openai_compatible", "base_url": "https://w.example/v1",
                "key_from": "WORK_KEY", "models": { "big": { "tools": false } } } },
            "roles": { "executor": ["work/big", "gone/x", "openai/gpt-5.4"] } } }))
    };
    let set_up = desk
        .set_up(&[(Role::Planner, "work/other"), (Role::Planner, "openai/new-one")])
        .await
        .unwrap();
    assert_eq!(of_role(&set_up, Role::Planner), ["work/other", "openai/new-one"]);
    assert_eq!(of_role(&set_up, Role::Executor), ["work/big", "openai/gpt-5.4"]);
    assert!(of_role(&set_up, Role::Synthesizer)[0].starts_with("openai/"));
    let [trouble] = &set_up.survey.troubles[..] else {
        panic!("{:?}", set_up.survey.troubles)
    };
    assert_eq!(trouble.place, "settings.json#/models/roles/executor");
    assert!(trouble.message.contains("gone/x"), "{trouble}");
    let big = set_up.models.find("work/big").unwrap();
    assert_eq!(big.price, Price::Unknown);
    assert_eq!(
        big.model.traits(&CancellationToken::new()).await.unwrap().tools,
        Support::No
    );
    assert_eq!(
        *desk.asked.0.lock().unwrap(),
        0,
        "what costs is not asked by itself"
    );
}

#[tokio::test]
async fn what_is_chosen_for_a_call_must_be_there() {
    let desk = Desk::bare(&[("OPENAI_API_KEY", "k")]);
    for (name, why) in [
        ("gpt-5", "no `provider/model`"),
        ("anthropic/claude-opus-5-5", "Set ANTHROPIC_API_KEY"),
        ("nobody/x", "There are: openai"),
    ] {
        let refused = desk.set_up(&[(Role::Planner, name)]).await.err().unwrap();
        assert!(refused.to_string().contains(why), "{refused}");
    }
}

#[tokio::test]
async fn a_provider_without_its_key_is_shown_and_says_what_to_do() {
    let desk = Desk::new(&serde_json::json!({ "models": { "discover": false,
        "providers": { "claude": { "kind": "anthropic" } }, "roles": { "planner": "claude/claude-opus-5" } } }));
    let set_up = desk.fine().await;
    assert!(set_up.models.is_empty());
    let error = set_up.models.find("planner").unwrap_err().to_string();
    assert!(
        error.contains("claude/claude-opus-5") && error.contains("ANTHROPIC_API_KEY"),
        "{error}"
    );
    assert!(
        set_up
            .survey
            .advice()
            .unwrap()
            .contains("`planloom models key claude`")
    );
}

#[tokio::test]
async fn a_known_key_goes_to_its_own_place_alone() {
    let settings = serde_json::json!({ "models": { "discover": false, "providers": {
        "openai": { "kind": "openai", "base_url": "https://elsewhere.example/v1" },
        "mine": { "kind": "openai", "base_url": "https://api.openai.com/v1" } } } });
    let desk = Desk {
        variables: vec![("OPENAI_API_KEY", "k")],
        ..Desk::new(&settings)
    };
    let set_up = desk.fine().await;
    let usable: Vec<&str> = set_up
        .survey
        .providers
        .iter()
        .filter(|row| row.key.is_some())
        .map(|row| row.name.as_str())
        .collect();
    assert_eq!(usable, ["mine"]);
    assert!(desk.specs.lock().unwrap().iter().all(|spec| spec.name == "mine"));
}

#[tokio::test]
async fn a_variable_leads_a_known_provider_elsewhere() {
    let desk = Desk::bare(&[
        ("OPENAI_API_KEY", "k"),
        ("OPENAI_BASE_URL", "http://127.0.0.1:9/v1/"),
    ]);
    desk.fine().await;
    let spec = desk.specs.lock().unwrap()[0].clone();
    assert_eq!(
        (spec.kind, spec.base_url.as_str()),
        (Kind::Openai, "http://127.0.0.1:9/v1")
    );
    let desk = Desk::bare(&[("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "0.0.0.0:9")]);
    let set_up = desk.set_up(&[]).await.unwrap();
    assert!(set_up.models.is_empty(), "the key goes nowhere else");
    assert_eq!(set_up.survey.troubles[0].place, "OPENAI_BASE_URL");
}

#[tokio::test]
async fn the_keychain_is_asked_only_where_something_is_kept() {
    let keychain = Keychain::of(keyring_core::mock::Store::new().unwrap());
    let desk = Desk {
        keychain: keychain.clone(),
        ..Desk::bare(&[])
    };
    keychain
        .keep("anthropic", &crate::llm::Key::new("kept").unwrap())
        .await
        .unwrap();
    assert!(desk.fine().await.models.is_empty());
    let facts = Facts::read(&desk.folder.path().join("model-facts.json"));
    facts.note_key("anthropic", true).unwrap();
    let set_up = desk.fine().await;
    assert_eq!(
        set_up.survey.providers[0].key.as_ref().unwrap().to_string(),
        "keychain"
    );
    assert!(!set_up.models.is_empty());
}

#[tokio::test]
async fn a_model_on_this_machine_is_probed_once_when_first_used() {
    let desk = Desk::new(&serde_json::json!({ "models": { "discover": false,
        "providers": { "home": { "kind": "llama_cpp", "base_url": "127.0.0.1:9/v1", "models": ["qwen"] } } } }));
    let cancel = CancellationToken::new();
    let set_up = desk.fine().await;
    assert_eq!(of_role(&set_up, Role::Planner), ["home/qwen"]);
    let entry = set_up.models.find("executor").unwrap();
    assert_eq!(entry.price, Price::Free);
    let traits = entry.model.traits(&cancel).await.unwrap();
    assert_eq!((traits.tools, traits.structured), (Support::Yes, Support::Yes));
    entry.model.traits(&cancel).await.unwrap();
    assert_eq!(*desk.asked.0.lock().unwrap(), 2, "two questions, once");
    let again = desk.fine().await;
    let entry = again.models.find("executor").unwrap();
    assert_eq!(entry.model.traits(&cancel).await.unwrap().tools, Support::Yes);
    assert_eq!(*desk.asked.0.lock().unwrap(), 2, "what was found is remembered");
    assert!(again.survey.models[0].probed.is_some());
}

/// The address of a server that says the same to everybody, as long as the test runs.
async fn saying(response: &'static str) -> String {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 4096];
            let read = stream.read(&mut request).await.unwrap_or(0);
            let is_for_it = String::from_utf8_lossy(&request[..read]).contains("/v1/models ");
            let said = if is_for_it { response } else { NOTHING_THERE };
            let _ = stream.write_all(said.as_bytes()).await;
        }
    });
    format!("http://{address}")
}

const LIST: &str = "HTTP/1.1 200 OK\r\ncontent-length: 42\r\nconnection: close\r\n\r\n{\"data\":[{\"id\":\"there\",\"object\":\"model\"}]}";
const NOTHING_THERE: &str = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
const NO_KEY: &str = "HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";

fn provider_at(base_url: &str) -> Json {
    serde_json::json!({ "kind": "openai_compatible", "base_url": base_url, "models": ["chosen"] })
}

#[tokio::test]
async fn who_answers_works_before_who_does_not() {
    let there = saying(LIST).await;
    let settings = serde_json::json!({ "models": { "discover": [there],
        "providers": { "dead": provider_at("http://127.0.0.1:9/v1") } } });
    let set_up = Desk::new(&settings).fine().await;
    assert_eq!(of_role(&set_up, Role::Planner), ["local/there"]);
    let answers = |name: &str| {
        let mut rows = set_up.survey.providers.iter();
        rows.find(|row| row.name == name).unwrap().answers
    };
    assert_eq!((answers("dead"), answers("local")), (Some(false), Some(true)));
    // Where there is nothing else, it is worth a try.
    let alone = serde_json::json!({ "models": { "discover": false,
        "providers": { "dead": provider_at("http://127.0.0.1:9/v1") } } });
    assert_eq!(
        of_role(&Desk::new(&alone).fine().await, Role::Planner),
        ["dead/chosen"]
    );
}

#[tokio::test]
async fn nobody_is_called_silent_who_was_not_asked_or_only_wants_a_key() {
    let shut = saying(NO_KEY).await;
    let settings = serde_json::json!({ "models": { "discover": false, "providers": {
        "far": provider_at("https://far.example/v1"), "shut": provider_at(&format!("{shut}/gateway/v1")) } } });
    let desk = Desk {
        variables: vec![
            ("OPENAI_API_KEY", "k"),
            ("OPENAI_BASE_URL", "http://127.0.0.1:9/v1"),
        ],
        ..Desk::new(&settings)
    };
    let rows = desk.fine().await.survey.providers;
    let answers: Vec<(&str, Option<bool>)> =
        rows.iter().map(|row| (row.name.as_str(), row.answers)).collect();
    assert_eq!(
        answers,
        [("far", None), ("shut", Some(true)), ("openai", Some(false))]
    );
}

#[tokio::test]
async fn anybody_on_this_machine_is_probed_and_nobody_far_away() {
    let near = saying(LIST).await;
    let settings = serde_json::json!({ "models": { "discover": false, "providers": {
        "near": provider_at(&near), "far": provider_at("https://far.example/v1") } } });
    let desk = Desk::new(&settings);
    let set_up = desk.fine().await;
    let cancel = CancellationToken::new();
    for (name, support, asked) in [
        ("far/chosen", Support::Unknown, 0),
        ("near/chosen", Support::Yes, 2),
        ("near/there", Support::Yes, 4),
    ] {
        let entry = set_up.models.find(name).unwrap();
        assert_eq!(
            entry.model.traits(&cancel).await.unwrap().structured,
            support,
            "{name}"
        );
        assert_eq!(*desk.asked.0.lock().unwrap(), asked, "{name}");
    }
}

#[tokio::test]
async fn a_broken_file_is_told_and_leaves_what_needs_none() {
    let desk = Desk::bare(&[("OPENAI_API_KEY", "k")]);
    std::fs::write(desk.folder.path().join("models.json"), "{").unwrap();
    let set_up = desk.set_up(&[]).await.unwrap();
    assert!(set_up.survey.troubles[0].place == "models.json" && !set_up.models.is_empty());
}
