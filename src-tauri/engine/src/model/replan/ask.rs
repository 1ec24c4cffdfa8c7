//! What a replan asks for beyond the plan that was approved: a person must see it first (rule 7; LIBRARIES R5). It
//! must not know who is asked, or how.

use serde::{Deserialize, Serialize};

use crate::model::TaskId;
use crate::model::grants::Need;
use crate::model::tool::{Access, Effect};

/// One thing that the approved plan did not ask for. An address is `id`, `id/inner` or `id[]` (a map's inner task).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    /// A new entry of the grants; of a nested plan's, where a task is named.
    Grant {
        access: Access,
        entry: String,
        task: Option<TaskId>,
    },
    /// A task's literal argument names a resource that neither the grants nor the approved needs cover.
    Need { task: TaskId, need: Need },
    /// An agent gets a tool that it did not have, or a task calls one whose effect names no resource.
    Tool {
        task: TaskId,
        tool: String,
        effect: Effect,
    },
    /// A task is handed a secret that it was not handed before.
    Secret { task: TaskId, name: String },
    /// A model (`provider/model`) that the approved plan does not name.
    Model { task: TaskId, model: String },
    /// A plan file to be run as a task; what stands in it has not been approved.
    PlanFile { task: TaskId, path: String },
    /// A cap is raised.
    Budget { field: String, from: String, to: String },
    /// A person was to be asked here, or before it (`approval`, a `human` task), and no longer is.
    Unattended { task: TaskId },
    /// A task claims that its receiver honours idempotency keys: that is for a person to say.
    Idempotent { task: TaskId },
    /// Text from outside could reach this sink in a way that was not approved; source first.
    Flow { path: Vec<TaskId> },
    /// A new task makes the same call with an effect as one that has begun, under another key: it might happen twice.
    Repeats { task: TaskId, of: TaskId },
    /// The task has failed, but what it did outside stays done: in another form it would do it again.
    StaysDone { task: TaskId },
    /// The final answer is made in another way.
    Synthesis,
    /// Nothing is left to run: the run would end with what it has.
    NothingLeft,
}
