//! The calls that an agent asks for: each passes the one gate, has its intent recorded, and is made once, whatever
//! restarts in between. Several of one turn are made at the same time.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::agent::Next;
use super::attempt::{Flight, Job, Part, Work};
use super::choice::endpoint_of;
use super::driver::{DriveError, Driver};
use super::finish::lost;
use super::other_effects::Other;
use super::start::may_repeat;
use super::talk::{BAD_ARGUMENTS, DENIED, NOT_GRANTED, Talk};
use crate::agents::executor::Wanted;
use crate::model::breaker::Admission;
use crate::model::caps::Slot;
use crate::model::events::{Before, CallFinished, CallOutcome, CallStarted, Failure, FailureClass};
use crate::model::grants::{self, Allowed, CallFacts, Concern, Labels, Need, Reason, Verdict};
use crate::model::plan::TaskIx;
use crate::model::provenance::Provenance;
use crate::model::state::Made;
use crate::model::status::DecisionKind;
use crate::model::tool::Effect;
use crate::model::{Digest, Json};
use crate::tools::{CallContext, Permit, Tool};

/// One wanted call, looked at.
struct Candidate {
    wanted: Wanted,
    tool: Arc<dyn Tool>,
    effect: Effect,
    is_repeatable: bool,
    key: Digest,
    endpoint: Option<Arc<str>>,
    /// It is the one call that finds out whether the endpoint is up again.
    is_probe: bool,
    slot: Option<Slot>,
}

/// What becomes of it.
enum Fate {
    Make,
    /// It was made before; this is what came of it.
    Made(CallOutcome),
    /// It is not made, and the agent is told why.
    Refused(Failure),
    AskGrant(Vec<Need>),
    AskEffect(Vec<Concern>),
    /// It was begun before, and nobody knows what came of it.
    Doubt,
    /// What it goes to is down until then.
    Hold(Arc<str>, i64),
    /// What it goes to has as many calls as it may.
    Queue(Slot),
}

impl Driver {
    /// Makes what may be made. Only when nothing of it is under way, the rest waits: for a person, or for its turn.
    pub(super) async fn make_calls(&mut self, ix: TaskIx, wanted: Vec<Wanted>) -> Result<Next, DriveError> {
        let mut open = None;
        for wanted in wanted {
            let may = self
                .talks
                .get(&ix)
                .is_some_and(|talk| talk.tool(&wanted.tool).is_some());
            if !may {
                let message = format!("this task may not use the tool {}", wanted.tool);
                self.refuse_wanted(ix, &wanted, NOT_GRANTED, message)?;
                continue;
            }
            let mut candidate = match self.candidate(ix, wanted) {
                Ok(candidate) => candidate,
                Err(unknown) => {
                    let message = format!("there is no tool {} here", unknown.tool);
                    self.refuse_wanted(ix, &unknown, BAD_ARGUMENTS, message)?;
                    continue;
                }
            };
            let mut fate = self.fate(ix, &candidate);
            if matches!(fate, Fate::Make) {
                fate = self.admit(&mut candidate);
            }
            match fate {
                Fate::Make => self.make(ix, candidate).await?,
                Fate::Made(outcome) => {
                    let labels = self.brought_by(ix, &candidate).await;
                    self.record(ix, &candidate, outcome, labels)?;
                }
                Fate::Refused(error) => {
                    let outcome = CallOutcome::Error(error);
                    self.record(ix, &candidate, outcome, Labels::default())?;
                }
                fate @ (Fate::AskGrant(_)
                | Fate::AskEffect(_)
                | Fate::Doubt
                | Fate::Hold(..)
                | Fate::Queue(_)) => {
                    open.get_or_insert((candidate, fate));
                }
            }
        }
        match open {
            Some((candidate, fate)) if !self.flights.has(ix) => self.wait_for(ix, &candidate, fate).await,
            Some(_) | None => Ok(Next::Look),
        }
    }

    /// Whether what it goes to may be called now (rules 2 and 6).
    fn admit(&self, candidate: &mut Candidate) -> Fate {
        let now = self.clock.now_ms();
        let admission = candidate.endpoint.as_deref().map(|e| self.breakers.admit(e, now));
        match (admission, &candidate.endpoint, &candidate.slot) {
            (Some(Admission::Wait(until)), Some(endpoint), _) => Fate::Hold(endpoint.clone(), until),
            (_, _, Some(slot)) if !self.slots.has_room(slot) => Fate::Queue(slot.clone()),
            (admission, _, _) => {
                candidate.is_probe = admission == Some(Admission::Probe);
                Fate::Make
            }
        }
    }

    async fn wait_for(&mut self, ix: TaskIx, candidate: &Candidate, fate: Fate) -> Result<Next, DriveError> {
        if let Fate::Queue(slot) = &fate {
            self.queues_for(ix, Some(slot));
            return Ok(Next::Wait);
        }
        let key = candidate.key;
        match fate {
            Fate::Hold(endpoint, until_ms) => self.hold_behind(ix, &endpoint, until_ms),
            Fate::AskGrant(needs) => self.ask_grant_for(ix, Some(key), needs),
            Fate::AskEffect(concerns) => {
                let mut provenance = self.provenance_of(ix, candidate, concerns);
                if self.beside_other_wanted(ix, candidate) == Other::Ask {
                    provenance.earlier = self.earlier(ix, key, &[&candidate.wanted.tool]).await?;
                }
                self.ask_effect(ix, key, &candidate.wanted.arguments, provenance)
            }
            Fate::Doubt => {
                let error = self.last_error(ix, key).unwrap_or_else(lost);
                self.barrier();
                let mut calls = self.state.task(ix).calls.iter();
                if !calls.any(|c| c.started.key == key && c.is_unknown()) {
                    // It was begun in an earlier attempt; this one has a call of it too, to be told about.
                    self.begin(
                        ix,
                        candidate,
                        candidate.effect,
                        candidate.is_repeatable,
                        Vec::new(),
                    )?;
                }
                self.doubt_of(ix, Some(key), error)
            }
            Fate::Make | Fate::Made(_) | Fate::Refused(_) | Fate::Queue(_) => Ok(()),
        }?;
        Ok(Next::Look)
    }

    fn last_error(&self, ix: TaskIx, key: Digest) -> Option<Failure> {
        let calls = self.state.task(ix).calls.iter().rev();
        let outcomes = calls.filter(|c| c.started.key == key).map(|c| c.outcome.as_ref());
        outcomes.into_iter().find_map(|outcome| match outcome {
            Some(CallOutcome::Error(error)) => Some(error.clone()),
            Some(CallOutcome::Result(_)) | None => None,
        })
    }

    fn candidate(&mut self, ix: TaskIx, wanted: Wanted) -> Result<Candidate, Box<Wanted>> {
        let Some(tool) = self.tools.get(&wanted.tool).cloned() else {
            return Err(Box::new(wanted));
        };
        let base = self.key_of_nth(ix, &wanted.tool, &wanted.arguments, 0);
        let talk = self.talks.get_mut(&ix);
        let occurrence = talk.map_or(0, |talk| talk.occurrence(wanted.call, base));
        let effect = tool.spec().effect_of(&wanted.arguments);
        let needs = grants::needs_of(tool.spec(), &wanted.arguments, &self.place_of(ix)).ok();
        Ok(Candidate {
            effect,
            is_repeatable: may_repeat(&*tool, self.state.def(ix), effect, &wanted.arguments),
            key: self.key_of_nth(ix, &wanted.tool, &wanted.arguments, occurrence),
            endpoint: needs.and_then(|needs| endpoint_of(tool.spec(), effect, &needs)),
            is_probe: false,
            slot: self.slots.of_tool(&wanted.tool),
            wanted,
            tool,
        })
    }

    fn fate(&self, ix: TaskIx, candidate: &Candidate) -> Fate {
        match self.state.made.get(&candidate.key) {
            Some(Made::Done(value)) => return Fate::Made(CallOutcome::Result(value.clone())),
            Some(Made::Begun) if !candidate.is_repeatable => return Fate::Doubt,
            Some(Made::Begun) | None => {}
        }
        let refused = |code: &str, message: String| {
            Fate::Refused(Failure {
                class: FailureClass::Permanent,
                code: code.to_owned(),
                message,
            })
        };
        let newest = self.answers_about(ix, candidate.key).next_back();
        match newest {
            Some((DecisionKind::Grant | DecisionKind::Effect, word)) if word == "deny" => {
                return refused(DENIED, self.denial(ix, candidate));
            }
            Some(_) | None => {}
        }
        let other = self.beside_other_wanted(ix, candidate);
        let arguments = &candidate.wanted.arguments;
        match grants::needs_of(candidate.tool.spec(), arguments, &self.place_of(ix)) {
            Err(message) => refused(BAD_ARGUMENTS, message),
            Ok(needs) => match self.verdict(ix, candidate, &needs) {
                Verdict::Allow if other == Other::Ask => Fate::AskEffect(Vec::new()),
                Verdict::Allow => Fate::Make,
                Verdict::Gate(Reason::NotGranted(missing)) => Fate::AskGrant(missing),
                Verdict::Gate(Reason::Flow(concerns)) => Fate::AskEffect(concerns),
                Verdict::Deny(message) => refused(NOT_GRANTED, message),
            },
        }
    }

    /// What the agent hears of a person's no.
    fn denial(&self, ix: TaskIx, candidate: &Candidate) -> String {
        let denied = "a person denied this call; it was not made";
        let tool = candidate.wanted.tool.as_str();
        match self.beside_others(ix, (candidate.key, candidate.key), &[tool], candidate.effect) {
            Other::Leave => format!(
                "{denied}, because this task has called {tool} before with other arguments, and that stays made"
            ),
            Other::Make | Other::Ask => denied.to_owned(),
        }
    }

    fn beside_other_wanted(&self, ix: TaskIx, candidate: &Candidate) -> Other {
        if self.state.made.contains_key(&candidate.key) {
            return Other::Make;
        }
        let (key, tool) = (candidate.key, candidate.wanted.tool.as_str());
        self.beside_others(ix, (key, key), &[tool], candidate.effect)
    }

    /// The one gate, asked at the moment of the call, with the labels of all that the model had read by then.
    fn verdict(&self, ix: TaskIx, candidate: &Candidate, needs: &[Need]) -> Verdict {
        let turn = candidate.wanted.call.turn;
        let talk = self.talks.get(&ix);
        let names = talk.map_or_else(Vec::new, |talk| talk.untrusted_names(turn));
        let arguments = &candidate.wanted.arguments;
        let cwd = arguments.get("cwd").and_then(Json::as_str);
        let is_file_foreign = self.runs_foreign_file(ix, needs, cwd);
        let is_program_foreign = is_file_foreign || self.is_code_of_model(ix, needs, arguments);
        let names = names.iter().map(String::as_str);
        let circumstances = self.circumstances(ix, needs, names, is_program_foreign);
        let mut labels = self.labels_of_call(ix, candidate);
        labels.untrusted |= is_file_foreign;
        let facts = CallFacts {
            effect: candidate.effect,
            needs,
            labels,
            circumstances,
        };
        let answered = self.answered_for(ix, candidate.key);
        let own = self.state.task(ix).allowed.as_ref();
        let allowed = Allowed {
            grants: &self.grants_of(ix),
            frozen: &[],
            withheld: self.withheld(),
            answered: &answered,
            is_effect_allowed: own.is_some_and(|own| own.effect == Some(candidate.key)),
            place: &self.place_of(ix),
        };
        grants::decide(&allowed, &facts)
    }

    /// Of what the model had read when it asked for the call. A question whose whole text stood in the task's own words
    /// tells nobody anything that the plan does not.
    fn labels_of_call(&self, ix: TaskIx, candidate: &Candidate) -> Labels {
        let Some(talk) = self.talks.get(&ix) else {
            return Labels::default();
        };
        let arguments = &candidate.wanted.arguments;
        if candidate.effect == Effect::ReadExternal && talk.was_told_to_ask(self.state.def(ix), arguments) {
            return Labels::default();
        }
        talk.labels_before(candidate.wanted.call.turn)
    }

    fn provenance_of(&self, ix: TaskIx, candidate: &Candidate, concerns: Vec<Concern>) -> Box<Provenance> {
        let (spec, arguments) = (candidate.tool.spec(), &candidate.wanted.arguments);
        let needs = grants::needs_of(spec, arguments, &self.place_of(ix)).unwrap_or_default();
        let strands = self.talks.get(&ix).map_or(&[][..], Talk::strands);
        let parts = self.parts_of_talk(ix, strands, self.labels_of_call(ix, candidate));
        self.provenance(&spec.name, concerns, &needs, parts)
    }

    async fn brought_by(&self, ix: TaskIx, candidate: &Candidate) -> Labels {
        let (spec, arguments) = (candidate.tool.spec(), &candidate.wanted.arguments);
        let needs = grants::needs_of(spec, arguments, &self.place_of(ix)).unwrap_or_default();
        self.brought(ix, spec, candidate.effect, &needs).await
    }

    /// What a person has allowed: for the run, for the task, and for this call alone.
    fn answered_for(&self, ix: TaskIx, key: Digest) -> Vec<Need> {
        let mut needs = self.state.allowed.clone();
        if let Some(own) = &self.state.task(ix).allowed {
            needs.extend(own.task.iter().cloned());
            if own.once_for == Some(key) {
                needs.extend(own.once.iter().cloned());
            }
        }
        needs
    }

    /// Write ahead, as for any effect: the launch waits for the commit of its intent.
    async fn make(&mut self, ix: TaskIx, candidate: Candidate) -> Result<(), DriveError> {
        let call = self.state.task(ix).calls.len() as u32;
        let permit = Permit {
            grants: self.grants_of(ix),
            withheld: self.withheld().into(),
            needs: self.answered_for(ix, candidate.key).into(),
        };
        let cancel = CancellationToken::new();
        let cx = CallContext {
            place: self.place_of(ix),
            permit,
            idempotency_key: candidate.key.to_string(),
            is_idempotent: self.state.def(ix).is_idempotent,
            cancel: cancel.clone(),
            ask: Some(self.midcall.asker(ix, call)),
        };
        let arguments = &candidate.wanted.arguments;
        let before = self.before(&*candidate.tool, arguments, false, &cx).await?;
        let labels = self.brought_by(ix, &candidate).await;
        let needs = grants::needs_of(candidate.tool.spec(), arguments, &cx.place).unwrap_or_default();
        let own = self.labels_of_call(ix, &candidate);
        self.note_clean_write(candidate.tool.spec(), &needs, arguments, own)
            .await;
        self.begin(ix, &candidate, candidate.effect, candidate.is_repeatable, before)?;
        if candidate.effect.is_effect() {
            self.barrier();
        }
        self.take_place(
            candidate.endpoint.as_deref(),
            candidate.is_probe,
            candidate.slot.as_ref(),
        );
        let flight = Flight {
            labels,
            is_effect: candidate.effect.is_effect(),
            is_repeatable: candidate.is_repeatable,
            endpoint: candidate.endpoint.clone(),
            is_probe: candidate.is_probe,
            slot: candidate.slot.clone(),
            ..Flight::of_agent(Part::Call, cancel.clone())
        };
        self.launch(Job {
            ix,
            call,
            work: Work::Tool {
                tool: candidate.tool,
                arguments: candidate.wanted.arguments,
                cx: Box::new(cx),
            },
            timeout: self.talks.get(&ix).and_then(Talk::time_left),
            cancel,
        });
        self.flights.insert(ix, call, flight);
        Ok(())
    }

    fn begin(
        &mut self,
        ix: TaskIx,
        candidate: &Candidate,
        effect: Effect,
        repeatable: bool,
        before: Vec<Before>,
    ) -> Result<(), DriveError> {
        let arguments = Some(self.store_value(&candidate.wanted.arguments));
        let (spec, given) = (candidate.tool.spec(), &candidate.wanted.arguments);
        let touches = grants::needs_of(spec, given, &self.place_of(ix)).unwrap_or_default();
        let labels = self.labels_of_call(ix, candidate);
        self.emit(
            Some(ix),
            CallStarted {
                tool: candidate.wanted.tool.clone(),
                effect,
                repeatable,
                key: candidate.key,
                arguments,
                reserve: None,
                before,
                model: false,
                call: Some(candidate.wanted.call.to_string()),
                labels,
                touches,
            },
        )
    }

    /// A call that is not made: what is known of it stands in the log like any other. Nothing is changed by it.
    fn record(
        &mut self,
        ix: TaskIx,
        candidate: &Candidate,
        outcome: CallOutcome,
        labels: Labels,
    ) -> Result<(), DriveError> {
        let call = Some(self.state.task(ix).calls.len() as u32);
        self.begin(ix, candidate, Effect::Pure, true, Vec::new())?;
        let finished = CallFinished {
            call,
            outcome,
            labels,
            usage: None,
        };
        self.emit(Some(ix), finished)
    }

    /// A call that can't be looked at any further: it stands in the log with the reason, and the agent hears it.
    fn refuse_wanted(
        &mut self,
        ix: TaskIx,
        wanted: &Wanted,
        code: &str,
        message: String,
    ) -> Result<(), DriveError> {
        let call = Some(self.state.task(ix).calls.len() as u32);
        let started = CallStarted {
            tool: wanted.tool.clone(),
            effect: Effect::Pure,
            repeatable: true,
            key: self.key_of_nth(ix, &wanted.tool, &Json::Null, 0),
            arguments: None,
            reserve: None,
            before: Vec::new(),
            model: false,
            call: Some(wanted.call.to_string()),
            labels: Labels::default(),
            touches: Vec::new(),
        };
        self.emit(Some(ix), started)?;
        let outcome = CallOutcome::Error(Failure {
            class: FailureClass::Permanent,
            code: code.to_owned(),
            message,
        });
        let finished = CallFinished {
            call,
            outcome,
            labels: Labels::default(),
            usage: None,
        };
        self.emit(Some(ix), finished)
    }
}
