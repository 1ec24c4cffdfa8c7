//! Servers of tools as faces see them: what each is doing, and which tasks wait for one. It starts none.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;

use super::Engine;
use crate::model::plan::TaskIx;
use crate::model::state::RunState;
use crate::model::status::{TaskStatus, WaitReason};
use crate::run;
use crate::tools::Hands;
use crate::tools::mcp::{Around, Ground, Patience, Secrets, Servers};
use crate::views::{TaskView, WaitView};

/// Where plans' secrets are kept, too.
struct Kept(run::Secrets);

#[async_trait]
impl Secrets for Kept {
    async fn find(&self, name: &str) -> Result<Option<String>, String> {
        self.0.load([name.to_owned()]).await;
        Ok(self.0.get(name))
    }
}

/// The servers that are set up beside a database. None of them sees this program's own files.
pub(super) fn beside(db: &Path, closed: Vec<PathBuf>, secrets: run::Secrets, hands: Hands) -> Servers {
    let db = super::real_path(db);
    let around = Around {
        secrets: Arc::new(Kept(secrets)),
        patience: Patience::default(),
        ground: Ground {
            homes: Some(homes(&db)),
            closed: closed.into(),
            hands,
        },
    };
    Servers::beside(&db, around)
}

/// Where each server has a folder of its own.
pub(super) fn homes(db: &Path) -> PathBuf {
    super::real_path(db).with_file_name("servers")
}

impl Engine {
    /// The servers of tools that are set up.
    pub fn servers(&self) -> &Servers {
        &self.inner.servers
    }

    /// What a task under way here waits for, where that is a server that is not up yet.
    pub(super) fn waits_for_server(&self, state: &RunState, ix: TaskIx) -> Option<String> {
        let task = state.task(ix);
        if self.inner.servers.is_empty() || task.status != TaskStatus::Running {
            return None;
        }
        task.open_calls()
            .find_map(|call| self.inner.servers.wait_for(&call.tool))
    }

    /// The same in a view of the task, if nothing else is said in it.
    pub(super) fn with_server(&self, state: &RunState, ix: TaskIx, view: TaskView) -> TaskView {
        let wait = view.wait.clone().or_else(|| {
            let text = self.waits_for_server(state, ix)?;
            Some(WaitView {
                reason: WaitReason::Server,
                text,
                until: None,
            })
        });
        TaskView { wait, ..view }
    }
}
