//! Servers of tools as faces see them: what each is doing, and which tasks wait for one. It starts none.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

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
    pub fn servers(&self) -> Servers {
        let servers = self.inner.servers.read().unwrap_or_else(PoisonError::into_inner);
        servers.clone()
    }

    /// Reads the settings and what was seen of the servers anew: from now on plannings, drafts and runs that begin have
    /// these tools. A run under way goes on with those that it began with, by the processes that it has.
    pub fn read_servers(&self) {
        let Some(db) = self.inner.store.path().map(Path::to_owned) else {
            return;
        };
        // One after the other: what was read first must not be put in the place of what was read later.
        let mut now = self.inner.servers.write().unwrap_or_else(PoisonError::into_inner);
        let tools = self.tools_now();
        let read = beside(
            &db,
            super::own_files(&db),
            self.inner.secrets.clone(),
            tools.hands().clone(),
        );
        let servers = read.keeping(&now);
        let tools = tools.with_those_of(servers.tools());
        self.inner.around.catalog.put(tools.catalog().clone());
        *self.inner.tools.write().unwrap_or_else(PoisonError::into_inner) = tools;
        let before = std::mem::replace(&mut *now, servers);
        drop(now);
        drop(before);
        self.inner.around.plans.forget();
    }

    /// What a task under way here waits for, where that is a server that is not up yet.
    pub(super) fn waits_for_server(&self, state: &RunState, ix: TaskIx) -> Option<String> {
        let task = state.task(ix);
        let servers = self.servers();
        if servers.is_empty() || task.status != TaskStatus::Running {
            return None;
        }
        task.open_calls().find_map(|call| servers.wait_for(&call.tool))
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
