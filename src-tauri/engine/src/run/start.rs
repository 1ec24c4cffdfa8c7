//! Starting a task: its `when`, its approval, its arguments and the gate, then the intent and the launch.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::attempt::{Flight, Job, Work};
use super::changed_call::Keys;
use super::choice::{Choice, Chosen, Which};
use super::driver::{DriveError, Driver};
use super::inputs::Resolved;
use super::other_effects::{Other, tools_of_call};
use super::worth::{is_program_foreign, untrusted_names};
use crate::model::events::{
    Again, CallStarted, Failure, FailureClass, SkipReason, TaskFailed, TaskReady, TaskSkipped, TaskStarted,
};
use crate::model::expr;
use crate::model::grants::{self, Allowed, CallFacts, Concern, Labels, Need, Reason, Verdict};
use crate::model::key::CallIdentity;
use crate::model::plan::{Task, TaskIx, TaskKind};
use crate::model::state::Made;
use crate::model::status::TaskStatus;
use crate::model::tool::{Effect, Idempotency};
use crate::model::{Digest, Json};
use crate::tools::{CallContext, Permit, Tool};

impl Driver {
    /// All dependencies are settled: the task is ready, or passed over with all of them.
    pub(super) fn make_ready(&mut self, ix: TaskIx) -> Result<(), DriveError> {
        let dependencies = self.state.tree.parents(ix).count() as u32;
        let is_passed_over = dependencies > 0 && self.state.task(ix).skipped == dependencies;
        if is_passed_over && self.state.pin_of(ix).is_none() {
            return self.emit(
                Some(ix),
                TaskSkipped {
                    reason: SkipReason::Dependencies,
                },
            );
        }
        self.emit(Some(ix), TaskReady { again: None })?;
        self.push_ready(ix);
        Ok(())
    }

    pub(super) fn ready_again(&mut self, ix: TaskIx, why: Again) -> Result<(), DriveError> {
        self.emit(Some(ix), TaskReady { again: Some(why) })?;
        self.push_ready(ix);
        Ok(())
    }

    pub(super) async fn start(&mut self, ix: TaskIx) -> Result<(), DriveError> {
        let status = self.state.task(ix).status;
        if !matches!(status, TaskStatus::Ready | TaskStatus::Retrying) {
            return Ok(());
        }
        if self.complete_pinned(ix)? {
            return Ok(());
        }
        if self.is_left_out(ix) {
            return self.emit(
                Some(ix),
                TaskSkipped {
                    reason: SkipReason::Withheld,
                },
            );
        }
        let resolved = match self.resolve(ix).await? {
            Ok(resolved) => resolved,
            Err(error) => return self.refuse(ix, "bad_input", error.to_string()),
        };
        let task = self.state.def(ix).clone();
        if let Some(when) = &task.when {
            match expr::eval_bool(when, pairs(&resolved.shown)) {
                Ok(true) => {}
                Ok(false) => {
                    return self.emit(
                        Some(ix),
                        TaskSkipped {
                            reason: SkipReason::When,
                        },
                    );
                }
                Err(error) => return self.refuse(ix, "bad_expression", format!("when: {error}")),
            }
        }
        let is_approved = self.state.task(ix).allowed.as_ref().is_some_and(|a| a.start);
        if task.needs_approval && !is_approved {
            return self.ask_approval(ix, &resolved);
        }
        match &task.kind {
            TaskKind::Tool { tool } => self.start_tool(ix, tool, resolved).await,
            TaskKind::Code { source } => self.start_code(ix, source.to_string(), resolved),
            TaskKind::Human { form } => self.ask(ix, form.clone(), &resolved),
            TaskKind::Map { over, .. } => self.start_map(ix, over, resolved).await,
            TaskKind::Subplan { .. } if self.start_answer(ix)? => Ok(()),
            TaskKind::Subplan { plan: Some(plan), .. } => self.start_subplan(ix, plan, resolved),
            TaskKind::Agent { .. } | TaskKind::Model => self.start_agent(ix, resolved).await,
            TaskKind::Subplan { plan: None, .. } => {
                let message = "the nested plan's file was not at hand".to_owned();
                self.refuse(ix, "unsupported", message)
            }
        }
    }

    /// The task fails before it has begun; nothing was called.
    pub(super) fn refuse(&mut self, ix: TaskIx, code: &str, message: String) -> Result<(), DriveError> {
        let error = Failure {
            class: FailureClass::Permanent,
            code: code.to_owned(),
            message,
        };
        self.emit(Some(ix), TaskFailed { error })
    }

    fn start_code(&mut self, ix: TaskIx, source: String, resolved: Resolved) -> Result<(), DriveError> {
        let attempt = self.state.task(ix).attempts + 1;
        self.emit(
            Some(ix),
            TaskStarted {
                attempt,
                goes_on: false,
            },
        )?;
        let cancel = CancellationToken::new();
        let (inputs, kept) = self.keep_for_check(ix, resolved.shown);
        let inputs = if let Json::Object(map) = inputs {
            map.into_iter().collect()
        } else {
            Vec::new()
        };
        let work = Work::Code {
            source,
            inputs,
            workers: self.tools.workers().clone(),
        };
        let timeout = self.state.def(ix).timeout;
        self.launch(Job {
            ix,
            call: 0,
            work,
            timeout,
            cancel: cancel.clone(),
        });
        let flight = Flight {
            inputs: kept,
            labels: resolved.labels,
            ..Flight::new(cancel)
        };
        self.flights.insert(ix, 0, flight);
        Ok(())
    }

    /// The inputs for the attempt, and a copy for its check if there is one.
    fn keep_for_check(&self, ix: TaskIx, inputs: Json) -> (Json, Json) {
        let kept = if self.state.def(ix).check.is_some() {
            inputs.clone()
        } else {
            Json::Null
        };
        (inputs, kept)
    }

    async fn start_tool(&mut self, ix: TaskIx, name: &str, resolved: Resolved) -> Result<(), DriveError> {
        let (chosen, keys, resolved) = self.choose_as_changed(ix, name, resolved).await?;
        let key = keys.key;
        let choice = match chosen {
            Chosen::Call(choice) => choice,
            Chosen::Hold { endpoint, until_ms } => return self.hold_behind(ix, &endpoint, until_ms),
            Chosen::Doubt => return self.doubt_unsent(ix, key),
            Chosen::Refuse { code, message } => return self.refuse(ix, code, message),
        };
        if self.queues_for(ix, choice.slot.as_ref()) {
            return Ok(());
        }
        if !resolved.secrets.is_empty() {
            Arc::make_mut(&mut self.redactor).add(resolved.secrets.iter().map(String::as_str));
        }
        let strands = &resolved.strands;
        let cwd = resolved.shown.get("cwd").and_then(Json::as_str);
        let is_file_foreign = self.runs_foreign_file(ix, &choice.needs, cwd);
        let is_program_foreign =
            is_file_foreign || is_program_foreign(choice.tool.spec(), &choice.needs, strands);
        let circumstances =
            self.circumstances(ix, &choice.needs, untrusted_names(strands), is_program_foreign);
        let facts = CallFacts {
            effect: choice.effect,
            needs: &choice.needs,
            labels: Labels {
                untrusted: resolved.labels.untrusted || is_file_foreign,
                ..resolved.labels
            },
            circumstances,
        };
        let other = self.beside_other_calls(ix, &choice, keys);
        if other == Other::Leave {
            return self.take_result_before(ix, &choice, key, &resolved).await;
        }
        match self.gate(ix, &choice, keys.shown, &facts) {
            Verdict::Allow => match self.state.made.get(&key).cloned() {
                Some(made @ Made::Done(_)) => {
                    let known = (key, made, resolved.labels);
                    self.reuse(ix, &choice, known, &resolved.shown).await
                }
                Some(Made::Begun) if !is_repeatable(&choice, self.state.def(ix), &resolved) => {
                    let known = (key, Made::Begun, resolved.labels);
                    self.reuse(ix, &choice, known, &resolved.shown).await
                }
                Some(Made::Begun) | None if other == Other::Ask => {
                    self.ask_about_call(ix, &choice, keys, Vec::new(), &resolved)
                        .await
                }
                Some(Made::Begun) | None => self.start_call(ix, choice, key, resolved).await,
            },
            Verdict::Gate(Reason::NotGranted(missing)) => self.ask_grant(ix, missing),
            Verdict::Gate(Reason::Flow(concerns)) => {
                self.ask_about_call(ix, &choice, keys, concerns, &resolved).await
            }
            Verdict::Deny(message) => self.refuse(ix, "not_granted", message),
        }
    }

    fn beside_other_calls(&self, ix: TaskIx, choice: &Choice, keys: Keys) -> Other {
        if self.state.made.contains_key(&keys.key) {
            // This very effect: it is taken over, in doubt, or made again with its key.
            return Other::Make;
        }
        let tools = tools_of_call(self.state.def(ix));
        let bound = bound_to(choice, keys.shown);
        self.beside_others(ix, (keys.key, bound), &tools, choice.effect)
    }

    /// Why a person is asked: what the call is made of, and what the task has made before.
    async fn ask_about_call(
        &mut self,
        ix: TaskIx,
        choice: &Choice,
        keys: Keys,
        concerns: Vec<Concern>,
        resolved: &Resolved,
    ) -> Result<(), DriveError> {
        let parts = self.parts_of(&resolved.strands);
        let tool = &choice.tool.spec().name;
        let mut provenance = self.provenance(tool, concerns, &choice.needs, parts);
        if self.beside_other_calls(ix, choice, keys) == Other::Ask {
            let task = self.state.def(ix).clone();
            provenance.earlier = self.earlier(ix, keys.key, &tools_of_call(&task)).await?;
        }
        self.ask_effect(ix, bound_to(choice, keys.shown), &resolved.shown, provenance)
    }

    /// A person does not want the other effect made: what came of the earlier one is the task's output.
    async fn take_result_before(
        &mut self,
        ix: TaskIx,
        choice: &Choice,
        key: Digest,
        resolved: &Resolved,
    ) -> Result<(), DriveError> {
        let task = self.state.def(ix).clone();
        match self.result_before(ix, key, &tools_of_call(&task)) {
            Some((before, made)) => {
                let known = (before.key, made, resolved.labels.join(before.labels));
                self.reuse(ix, choice, known, &resolved.shown).await
            }
            None => {
                let message = "a person did not want this call made beside the earlier one, of which no result is known";
                self.refuse(ix, "denied", message.to_owned())
            }
        }
    }

    pub(super) fn key_of(&self, ix: TaskIx, tool: &str, shown: &Json) -> Digest {
        let address = self.state.tree.address(ix);
        CallIdentity {
            run: &self.run,
            address: address.as_str(),
            generation: self.state.generation(ix),
            tool,
            arguments: shown,
            occurrence: 0,
        }
        .key()
    }

    /// The one gate, asked at the moment of the call.
    fn gate(&mut self, ix: TaskIx, choice: &Choice, key: Digest, facts: &CallFacts<'_>) -> Verdict {
        let place = self.place_of(ix);
        let frozen = self.frozen_needs(ix, choice.which);
        let answered = self.answered_needs(ix);
        let allowed = self.state.task(ix).allowed.as_ref();
        let bound = bound_to(choice, key);
        let allowed = Allowed {
            grants: &self.grants_of(ix),
            frozen: &frozen,
            withheld: self.withheld(),
            answered: &answered,
            is_effect_allowed: allowed.is_some_and(|a| a.effect == Some(bound)),
            place: &place,
        };
        grants::decide(&allowed, facts)
    }

    fn answered_needs(&self, ix: TaskIx) -> Vec<Need> {
        let mut needs = self.state.allowed.clone();
        if let Some(own) = &self.state.task(ix).allowed {
            needs.extend(own.task.iter().chain(&own.once).cloned());
        }
        needs
    }

    /// Write ahead: the intent is part of the commit that the launch waits for, on disk if the call has an effect.
    async fn start_call(
        &mut self,
        ix: TaskIx,
        choice: Choice,
        key: Digest,
        resolved: Resolved,
    ) -> Result<(), DriveError> {
        let task = self.state.def(ix).clone();
        let is_repeatable = is_repeatable(&choice, &task, &resolved);
        let told = choice.effect.is_effect().then(|| resolved.shown.clone());
        let (shown, kept) = self.keep_for_check(ix, resolved.shown);
        let arguments = resolved.real.unwrap_or(shown);
        let cancel = CancellationToken::new();
        let cx = self.call_context(ix, choice.which, key, cancel.clone());
        let has_secrets = !resolved.secrets.is_empty();
        let before = self.before(&*choice.tool, &arguments, has_secrets, &cx).await?;
        let brought = self
            .brought_by_choice(ix, &choice, &arguments, resolved.labels)
            .await;
        let (attempt, goes_on) = (self.state.task(ix).attempts + 1, false);
        self.emit(Some(ix), TaskStarted { attempt, goes_on })?;
        let told = self.remember(choice.effect, &before, told);
        let started = CallStarted {
            tool: choice.tool.spec().name.clone(),
            effect: choice.effect,
            repeatable: is_repeatable,
            key,
            arguments: told,
            reserve: None,
            before,
            model: false,
            call: None,
            labels: resolved.labels,
            touches: choice.needs.clone(),
        };
        self.emit(Some(ix), started)?;
        if choice.effect.is_effect() {
            self.barrier();
        }
        let labels = resolved.labels.join(brought);
        self.take_place(choice.endpoint.as_deref(), choice.is_probe, choice.slot.as_ref());
        let flight = Flight {
            inputs: kept,
            labels,
            is_repeatable,
            has_secrets,
            ..flight_of(&choice, cancel.clone())
        };
        let work = Work::Tool {
            tool: choice.tool,
            arguments,
            cx: Box::new(cx),
        };
        self.launch(Job {
            ix,
            call: 0,
            work,
            timeout: task.timeout,
            cancel,
        });
        self.flights.insert(ix, 0, flight);
        Ok(())
    }

    /// What the call brings in; and that what it is to write is clean, where it is.
    async fn brought_by_choice(
        &self,
        ix: TaskIx,
        choice: &Choice,
        arguments: &Json,
        labels: Labels,
    ) -> Labels {
        let (spec, needs) = (choice.tool.spec(), &choice.needs);
        self.note_clean_write(spec, needs, arguments, labels).await;
        self.brought(ix, spec, choice.effect, needs).await
    }

    fn call_context(
        &mut self,
        ix: TaskIx,
        which: Which,
        key: Digest,
        cancel: CancellationToken,
    ) -> CallContext {
        let mut needs = self.frozen_needs(ix, which).to_vec();
        needs.extend(self.answered_needs(ix));
        CallContext {
            place: self.place_of(ix),
            permit: Permit {
                grants: self.grants_of(ix),
                needs: needs.into(),
                withheld: self.withheld().into(),
            },
            idempotency_key: key.to_string(),
            is_idempotent: self.state.def(ix).is_idempotent,
            cancel,
            ask: Some(self.midcall.asker(ix, 0)),
        }
    }
}

fn flight_of(choice: &Choice, cancel: CancellationToken) -> Flight {
    Flight {
        is_effect: choice.effect.is_effect(),
        is_call: true,
        endpoint: choice.endpoint.clone(),
        is_probe: choice.is_probe,
        slot: choice.slot.clone(),
        ..Flight::new(cancel)
    }
}

/// Whether the call may be made again when its outcome is unknown.
fn is_repeatable(choice: &Choice, task: &Task, resolved: &Resolved) -> bool {
    let arguments = resolved.real.as_ref().unwrap_or(&resolved.shown);
    may_repeat(&*choice.tool, task, choice.effect, arguments)
}

/// The same of any call that the task makes.
pub(super) fn may_repeat(tool: &dyn Tool, task: &Task, effect: Effect, arguments: &Json) -> bool {
    let is_harmless = match tool.idempotency_of(arguments) {
        Idempotency::Natural | Idempotency::ByKey => true,
        Idempotency::Not => task.is_idempotent,
    };
    !effect.is_effect() || is_harmless
}

/// What a person's word about an effect is bound to: the call, and which tool makes it.
pub(super) fn bound_to(choice: &Choice, key: Digest) -> Digest {
    match choice.which {
        Which::First => key,
        Which::Fallback => Digest::of(format!("{key} {}", choice.tool.spec().name).as_bytes()),
    }
}

/// Inputs as an expression's variables.
pub(super) fn pairs(inputs: &Json) -> impl Iterator<Item = (&str, &Json)> {
    inputs
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.as_str(), value))
}
