//! Sample plans: plan files in one folder, shown with their shape.

use std::path::Path;

use super::Engine;
use crate::model::document::DraftPlan;
use crate::model::title;
use crate::views::{Outline, OutlineTask, SampleCard};

/// A folder of samples is small; this keeps a wrong one from stalling the first screen.
const MOST: usize = 50;

impl Engine {
    /// The samples by file name. A file that can't be read as a plan is left out and logged.
    pub(super) async fn samples(&self) -> Vec<SampleCard> {
        let Some(folder) = self.inner.samples.clone() else {
            return Vec::new();
        };
        let read = tokio::task::spawn_blocking(move || cards(&folder)).await;
        read.unwrap_or_default()
    }
}

fn cards(folder: &Path) -> Vec<SampleCard> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<_> = entries
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.to_string_lossy().ends_with(".plan.json"))
        .collect();
    paths.sort();
    paths.iter().take(MOST).filter_map(|path| card(path)).collect()
}

fn card(path: &Path) -> Option<SampleCard> {
    let text = std::fs::read_to_string(path).ok()?;
    let Ok(plan) = DraftPlan::parse(&text) else {
        tracing::warn!(path = %path.display(), "a sample can't be read as a plan");
        return None;
    };
    let shown = path.to_string_lossy();
    Some(SampleCard {
        path: shown.clone().into_owned(),
        title: title::of(Some(&*shown), None),
        description: plan.goal().unwrap_or_default().to_owned(),
        outline: outline(&plan),
    })
}

fn outline(plan: &DraftPlan) -> Outline {
    let text = |task: &crate::model::Json, field: &str| {
        task.get(field)
            .and_then(crate::model::Json::as_str)
            .map(str::to_owned)
    };
    let tasks = plan
        .document()
        .get("tasks")
        .and_then(crate::model::Json::as_array);
    let tasks = tasks.into_iter().flatten().filter_map(|task| {
        let dependencies = task.get("dependencies").and_then(crate::model::Json::as_array);
        Some(OutlineTask {
            id: text(task, "id")?,
            task_type: text(task, "task_type").unwrap_or_else(|| "agent".to_owned()),
            dependencies: dependencies
                .into_iter()
                .flatten()
                .filter_map(|d| d.as_str().map(str::to_owned))
                .collect(),
        })
    });
    Outline {
        tasks: tasks.collect(),
    }
}
