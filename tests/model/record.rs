//! Records what a real small model answers to the questions of the samples (`make recordings`). Tests nothing; what is
//! recorded is played in the samples' own tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use planloom_engine::llm::recorded::{RECORDED, Recordings, TRAITS, print_of};
use planloom_engine::llm::setup::{Keychain, Keys};
use planloom_engine::llm::{Cancelled, ChatModel, Entry, Models, Outcome, Price, Reply, Request, Traits};
use planloom_engine::model::Json;
use planloom_engine::run::Clock;
use planloom_engine::{Config, Consent, Parameters, models_from};
use planloom_tests::rig::Rig;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::small::Small;

/// What made the answers, as people are told.
const MODEL: &str = "Qwen2.5-Coder-1.5B-Instruct (Q4_K_M, llama.cpp)";
const SAMPLES: [&str; 3] = ["build-failure", "reading-digest", "release-notes"];

type Answers = BTreeMap<String, Reply>;

/// Asks the model once for each question, and keeps what it says; what is in the file already is not asked anew.
struct Recorder {
    inner: Arc<dyn ChatModel>,
    known: Answers,
    heard: Arc<Mutex<Answers>>,
}

#[async_trait]
impl ChatModel for Recorder {
    async fn ask(&self, request: &Request, cancel: &CancellationToken) -> Result<Reply, Cancelled> {
        let print = print_of(request);
        if let Some(known) = self.heard.lock().unwrap().get(&print) {
            return Ok(known.clone());
        }
        let reply = match self.known.get(&print) {
            Some(known) => known.clone(),
            None => self.inner.ask(request, cancel).await?,
        };
        if matches!(reply.outcome, Outcome::Complete(_)) {
            self.heard.lock().unwrap().insert(print, reply.clone());
        }
        Ok(reply)
    }

    async fn traits(&self, _: &CancellationToken) -> Result<Traits, Cancelled> {
        Ok(TRAITS)
    }
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/samples")
}

fn known() -> Answers {
    let text = std::fs::read_to_string(samples().join("recorded.json")).unwrap();
    serde_json::from_str::<Recordings>(&text).unwrap().answers
}

/// The small model under the samples' name.
async fn recorder(small: &Small, heard: &Arc<Mutex<Answers>>) -> Models {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("planloom.db");
    let settings = json!({ "models": { "discover": [small.address()] } });
    std::fs::write(db.with_file_name("settings.json"), settings.to_string()).unwrap();
    let found = models_from(&db, &Keys::of(Keychain::missing(), Arc::new(|_| None)), &[])
        .await
        .unwrap()
        .models;
    let inner = found.iter().next().unwrap().model.clone();
    let recorder = Recorder {
        inner,
        known: known(),
        heard: heard.clone(),
    };
    let mut entry = Entry::new(RECORDED, Arc::new(recorder));
    entry.price = Price::Free;
    entry.limits = TRAITS.limits();
    Models::none().with(entry)
}

async fn runs(rig: &Rig, sample: &str) {
    let path = samples().join(format!("{sample}.plan.json"));
    let none = Parameters::Json(Json::Null);
    let run = rig.engine.open_run(path, &none, &Consent::Given).await.unwrap();
    let shown = rig.go_on(&run).await;
    for task in &shown.tasks {
        eprintln!("{sample} {}: {:?}", task.id, task.status);
    }
}

#[tokio::test]
#[ignore = "records, tests nothing"]
async fn the_samples_questions_are_answered() {
    let Some(small) = super::small() else { return };
    let heard = Arc::default();
    let models = recorder(&small, &heard).await;
    let rig = Rig::set_up(|config| Config {
        models,
        clock: Clock::System,
        ..config
    });
    for sample in SAMPLES {
        runs(&rig, sample).await;
    }
    let answers = std::mem::take(&mut *heard.lock().unwrap());
    for reply in answers.values() {
        eprintln!("{:?}", reply.outcome);
    }
    let recordings = Recordings {
        model: MODEL.to_owned(),
        answers,
    };
    let text = serde_json::to_string_pretty(&recordings).unwrap();
    std::fs::write(samples().join("recorded.json"), format!("{text}\n")).unwrap();
}
