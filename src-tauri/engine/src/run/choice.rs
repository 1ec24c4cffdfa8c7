//! Which tool a task calls now: its own, or its fallback when that one is down or used up (rules 4, 5 and 6).

use std::sync::Arc;

use super::driver::Driver;
use super::inputs::Resolved;
use crate::model::breaker::Admission;
use crate::model::caps::Slot;
use crate::model::grants::{self, Need};
use crate::model::plan::{Task, TaskIx, TaskKind};
use crate::model::state::Made;
use crate::model::tool::{Access, Effect, Idempotency, ToolSpec};
use crate::model::{Digest, Json};
use crate::tools::Tool;

/// Of the two tools that a task may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Which {
    First,
    Fallback,
}

/// The call that would be made.
pub(super) struct Choice {
    pub tool: Arc<dyn Tool>,
    pub which: Which,
    pub effect: Effect,
    pub needs: Vec<Need>,
    pub endpoint: Option<Arc<str>>,
    /// It is the one call that finds out whether the endpoint is up again.
    pub is_probe: bool,
    pub slot: Option<Slot>,
}

pub(super) enum Chosen {
    Call(Choice),
    /// Whatever it could call is down.
    Hold {
        endpoint: Arc<str>,
        until_ms: i64,
    },
    /// An earlier call may have arrived, and the only tool left is another one.
    Doubt,
    Refuse {
        code: &'static str,
        message: String,
    },
}

/// What a breaker is about: the tool, for those that go to hosts the tool at its host. What only computes has none.
pub(super) fn endpoint_of(spec: &ToolSpec, effect: Effect, needs: &[Need]) -> Option<Arc<str>> {
    if effect == Effect::Pure {
        return None;
    }
    let host = needs.iter().find(|need| need.access == Access::Host);
    Some(match host {
        Some(host) => format!("{} {}", spec.name, host.resource).into(),
        None => spec.name.as_str().into(),
    })
}

impl Driver {
    pub(super) fn choose(&self, ix: TaskIx, key: Digest, resolved: &Resolved) -> Chosen {
        let task = self.state.def(ix);
        let TaskKind::Tool { tool: first } = &task.kind else {
            return refuse("unsupported", "the task calls no tool".to_owned());
        };
        let is_used_up = self.state.is_first_used_up(ix);
        let own = (!is_used_up).then_some((Which::First, &**first));
        let other = task.fallback_tool().map(|name| (Which::Fallback, name));
        let now = self.clock.now_ms();
        let mut held = None;
        for (which, name) in own.into_iter().chain(other) {
            let mut choice = match self.weigh(ix, (which, name), resolved) {
                Ok(choice) => choice,
                // A fallback that does not fit is none as long as the first may come back.
                Err(_) if held.is_some() => break,
                Err(refused) => return refused,
            };
            let arguments = resolved.real.as_ref().unwrap_or(&resolved.shown);
            if self.would_cross(ix, key, &choice) && !self.may_cross(task, arguments) {
                continue;
            }
            let admission = choice.endpoint.as_deref().map(|e| self.breakers.admit(e, now));
            match (admission, &choice.endpoint) {
                (Some(Admission::Wait(until_ms)), Some(endpoint)) => {
                    held.get_or_insert((endpoint.clone(), until_ms));
                }
                (admission, _) => {
                    choice.is_probe = admission == Some(Admission::Probe);
                    return Chosen::Call(choice);
                }
            }
        }
        match held {
            Some((endpoint, until_ms)) => Chosen::Hold { endpoint, until_ms },
            None => Chosen::Doubt,
        }
    }

    fn weigh(&self, ix: TaskIx, (which, name): (Which, &str), resolved: &Resolved) -> Result<Choice, Chosen> {
        let about = |message: String| match which {
            Which::First => message,
            Which::Fallback => format!("the fallback {name}: {message}"),
        };
        let Some(tool) = self.tools.get(name).cloned() else {
            return Err(refuse("unknown_tool", format!("there is no tool {name} here")));
        };
        let arguments = resolved.real.as_ref().unwrap_or(&resolved.shown);
        let wrong = |message: String| refuse("bad_arguments", about(message));
        tool.check_arguments(arguments).map_err(wrong)?;
        let spec = tool.spec();
        let effect = spec.effect_of(arguments);
        if !resolved.secrets.is_empty() && !spec.takes_secrets() {
            let message = "a tool that only computes takes no secrets: what it gives would be one too";
            return Err(wrong(message.to_owned()));
        }
        let needs = grants::needs_of(spec, arguments, &self.place_of(ix)).map_err(wrong)?;
        let names_secret = |need: &Need| {
            need.access == Access::Command
                && resolved.secrets.iter().any(|secret| grants::names(need, secret))
        };
        if needs.iter().any(names_secret) {
            let message = "a secret must not stand in a command, where every program on this machine can read it; \
                           give it as `stdin`";
            return Err(wrong(message.to_owned()));
        }
        Ok(Choice {
            which,
            effect,
            endpoint: endpoint_of(spec, effect, &needs),
            needs,
            is_probe: false,
            slot: self.slots.of_tool(name),
            tool,
        })
    }

    /// Whether an effect may have been made already by the task's other tool, so that this one could make it twice.
    fn would_cross(&self, ix: TaskIx, key: Digest, choice: &Choice) -> bool {
        let is_begun = matches!(self.state.made.get(&key), Some(Made::Begun));
        let last = self.state.task(ix).calls.last();
        let is_other = last.is_none_or(|call| call.started.tool != choice.tool.spec().name);
        let has_other = self.state.def(ix).fallback_tool().is_some();
        has_other && is_begun && is_other && choice.effect.is_effect()
    }

    /// Only the key, which both tools send, keeps two receivers from doing it twice; that a repetition of one tool's
    /// call is harmless says nothing of the other's.
    fn may_cross(&self, task: &Task, arguments: &Json) -> bool {
        let TaskKind::Tool { tool } = &task.kind else {
            return false;
        };
        let is_keyed = |name: &str| {
            let tool = self.tools.get(name);
            tool.is_some_and(|tool| tool.idempotency_of(arguments) == Idempotency::ByKey)
        };
        task.is_idempotent || (is_keyed(tool) && task.fallback_tool().is_some_and(is_keyed))
    }

    pub(super) fn frozen_needs(&mut self, ix: TaskIx, which: Which) -> Arc<[Need]> {
        if let Some(known) = self.frozen.get(&(ix, which)) {
            return known.clone();
        }
        let task = self.state.def(ix);
        let name = match (&task.kind, which) {
            (TaskKind::Tool { tool }, Which::First) => Some(&**tool),
            (_, Which::Fallback) => task.fallback_tool(),
            (_, Which::First) => None,
        };
        let tool = name.and_then(|name| self.tools.get(name));
        let needs: Arc<[Need]> = match tool {
            // Most calls only compute; ten thousand of them need not be remembered for that.
            Some(tool) if tool.spec().touches_nothing() => return Arc::default(),
            Some(tool) => grants::needs_of_inputs(tool.spec(), &task.inputs, &self.place_of(ix))
                .0
                .into(),
            None => Arc::new([]),
        };
        self.frozen.insert((ix, which), needs.clone());
        needs
    }
}

fn refuse(code: &'static str, message: String) -> Chosen {
    Chosen::Refuse { code, message }
}
