//! What the data of a call is worth, for the gate: what is known of it beside its labels, and what the call itself
//! brings in. It must not know whether the call may be made.

use std::path::Path;
use std::sync::Arc;

use super::driver::Driver;
use super::strands::Strand;
use crate::model::Json;
use crate::model::grants::{self, Circumstances, Grants, Labels, Need, OwnWork, Place, Withheld};
use crate::model::plan::TaskIx;
use crate::model::tool::{Access, Effect, ToolSpec};

impl Driver {
    /// `sources` are the names by which the untrusted data has come: all of them must be accepted.
    pub(super) fn circumstances<'s>(
        &self,
        ix: TaskIx,
        needs: &[Need],
        mut sources: impl Iterator<Item = &'s str>,
        is_program_foreign: bool,
    ) -> Circumstances {
        let accepted = &self.state.def(ix).accepts_untrusted;
        let signed = self.state.approved.as_ref().map(|signed| &signed.conditions);
        let signed = signed.filter(|conditions| !conditions.accepts.is_empty());
        let address = signed.map(|_| self.state.tree.address(ix));
        let is_signed = |name: &str| {
            let both = signed.zip(address.as_ref());
            both.is_some_and(|(conditions, address)| conditions.accepts(address, name))
        };
        let is_accepted = (!accepted.is_empty() || signed.is_some())
            && sources.all(|name| accepted.iter().any(|a| **a == *name) || is_signed(name));
        let mut written = needs
            .iter()
            .filter(|need| need.access == Access::Write)
            .peekable();
        // Most calls write nothing, and need not be looked at any further.
        let writes_own_work = written.peek().is_some() && {
            let (grants, place) = (self.grants_of(ix), self.place_of(ix));
            let own = self.own_work(&grants, &place);
            written.any(|need| own.covers(&need.resource))
        };
        Circumstances {
            is_accepted,
            is_program_foreign,
            writes_own_work,
        }
    }

    /// The plan's grants without what was switched off at the approval.
    pub(super) fn grants_of(&self, ix: TaskIx) -> Arc<Grants> {
        let grants = &self.state.tree.scope(ix).plan.grants;
        match self.withheld() {
            [] => grants.clone(),
            off => Arc::new(grants::without(grants, off)),
        }
    }

    /// What a person switched off when they signed.
    pub(super) fn withheld(&self) -> &[Withheld] {
        self.state
            .approved
            .as_ref()
            .map_or(&[], |signed| &signed.conditions.off)
    }

    /// The signature leaves the task out: it, or one before it, needs what was switched off.
    pub(super) fn is_left_out(&self, ix: TaskIx) -> bool {
        let left_out = self
            .state
            .approved
            .as_ref()
            .map(|signed| &signed.conditions.left_out);
        left_out
            .is_some_and(|left_out| !left_out.is_empty() && left_out.contains(&self.state.tree.address(ix)))
    }

    fn own_work<'a>(&'a self, grants: &'a Grants, place: &'a Place) -> OwnWork<'a> {
        OwnWork {
            folders: &self.own_folders,
            grants,
            place,
        }
    }

    /// The labels of what the call gives, beside those of its arguments.
    pub(super) async fn brought(
        &self,
        ix: TaskIx,
        spec: &ToolSpec,
        effect: Effect,
        needs: &[Need],
    ) -> Labels {
        if effect == Effect::Pure && needs.is_empty() {
            return Labels {
                untrusted: spec.is_source_untrusted,
                private: false,
            };
        }
        let (grants, place) = (self.grants_of(ix), self.place_of(ix));
        let own = self.own_work(&grants, &place);
        let marked: Vec<(String, String)> = needs
            .iter()
            .filter(|need| matches!(need.access, Access::Read | Access::Database))
            .filter_map(|need| Some((need.resource.clone(), own.folder_of(&need.resource)?)))
            .collect();
        let real = if marked.is_empty() {
            Vec::new()
        } else {
            // Off the runtime's threads: a disk may be slow.
            let hands = self.tools.hands().clone();
            let looked = tokio::task::spawn_blocking(move || {
                let is_real = |(path, folder): &(String, String)| {
                    lies_where_it_says(path, folder) && !hands.is_foreign(Path::new(path))
                };
                marked.into_iter().filter(is_real).map(|(path, _)| path).collect()
            });
            looked.await.unwrap_or_default()
        };
        let real: Vec<String> = real;
        grants::brought(spec, effect, needs, &own, &self.state.files, |path| {
            real.iter().any(|known| known == path)
        })
    }
}

impl Driver {
    /// What has been written to the files of a call since it began to read them: it may have read that. The newest call,
    /// or the one of this number.
    pub(super) fn written_meanwhile(&self, ix: TaskIx, call: Option<u32>) -> Labels {
        let calls = &self.state.task(ix).calls;
        let call = match call {
            Some(number) => calls.get(number as usize),
            None => calls.last(),
        };
        let touches = call.map_or(&[][..], |call| &call.started.touches);
        let mut reads = touches
            .iter()
            .filter(|need| matches!(need.access, Access::Read | Access::Database))
            .peekable();
        if reads.peek().is_none() {
            return Labels::default();
        }
        let (grants, place) = (self.grants_of(ix), self.place_of(ix));
        let own = self.own_work(&grants, &place);
        reads.fold(Labels::default(), |labels, need| {
            let mut labels = labels.join(self.state.files.by_now(&need.resource, &own));
            // Another run's program may have been at it.
            if !labels.untrusted && own.covers(&need.resource) {
                labels.untrusted = self.tools.hands().is_foreign(Path::new(&need.resource));
            }
            labels
        })
    }

    /// What is written with clean data is known to be so by its content, for runs to come.
    pub(super) async fn note_clean_write(
        &self,
        spec: &ToolSpec,
        needs: &[Need],
        arguments: &Json,
        labels: Labels,
    ) {
        let is_whole = !arguments
            .get("append")
            .is_some_and(|append| append != false && !append.is_null());
        if spec.name != "file.write" || labels.untrusted || !is_whole {
            return;
        }
        let written = needs.iter().find(|need| need.access == Access::Write);
        let text = arguments.get("text").and_then(Json::as_str);
        let (Some(need), Some(text)) = (written.filter(|n| !n.resource.starts_with("run:/")), text) else {
            return;
        };
        let (path, text, hands) = (need.resource.clone(), text.to_owned(), self.tools.hands().clone());
        let noted = tokio::task::spawn_blocking(move || hands.is_to_hold(Path::new(&path), text.as_bytes()));
        // Without the note it counts as foreign.
        if let Ok(Err(error)) = noted.await {
            tracing::warn!("that a file was written by a clean call could not be noted: {error}");
        }
    }
}

/// Whether no link stands between the marked folder and the file: behind one lies what nobody has marked.
fn lies_where_it_says(path: &str, folder: &str) -> bool {
    let (path, folder) = (Path::new(path), Path::new(folder));
    let (Ok(real), Ok(real_folder)) = (path.canonicalize(), folder.canonicalize()) else {
        return false;
    };
    path.strip_prefix(folder)
        .is_ok_and(|inside| real_folder.join(inside) == real)
}

/// Whether what is to be run was chosen by data from outside, or is that data: no plan can accept that before it is known.
pub(super) fn is_program_foreign(spec: &ToolSpec, needs: &[Need], strands: &[Strand]) -> bool {
    let mut touches = spec
        .touches
        .iter()
        .filter(|touch| touch.access == Access::Command);
    touches.any(|touch| {
        let words: Vec<String> = needs
            .iter()
            .filter(|need| need.access == Access::Command)
            .flat_map(grants::words_of_command)
            .collect();
        let words: Vec<Option<&str>> = words.iter().map(|word| Some(word.as_str())).collect();
        let program = format!("/{}", touch.argument);
        let rest = touch.rest.map(|rest| format!("/{rest}"));
        let below = |at: &str, place: &str| at == place || at.starts_with(&format!("{place}/"));
        let is_run = |at: &str| match &rest {
            _ if below(at, &program) => true,
            // Of a whole list each word counts.
            Some(rest) if at == rest => (0..words.len()).any(|ix| grants::runs_argument(&words, ix)),
            Some(rest) if below(at, rest) => {
                let ix = at[rest.len() + 1..]
                    .split('/')
                    .next()
                    .and_then(|ix| ix.parse().ok());
                ix.is_none_or(|ix| grants::runs_argument(&words, ix))
            }
            _ => below(at, "/stdin") && grants::runs_stdin(&words),
        };
        strands
            .iter()
            .filter(|s| s.labels.untrusted)
            .any(|s| is_run(&s.at))
    })
}

impl Driver {
    /// Whether a program's code lies in a file that this run, or a program of an earlier one, may have filled with what
    /// somebody outside wrote.
    pub(super) fn runs_foreign_file(&self, ix: TaskIx, needs: &[Need], cwd: Option<&str>) -> bool {
        let Some(command) = needs.iter().find(|need| need.access == Access::Command) else {
            return false;
        };
        let (grants, place) = (self.grants_of(ix), self.place_of(ix));
        let own = self.own_work(&grants, &place);
        let files = grants::files_run(command, cwd.unwrap_or("run:/"), &place);
        files.into_iter().any(|resource| {
            // A word need be no file: then nobody has written it.
            let real = grants::real_path(&resource, &place);
            if !real.exists() {
                return false;
            }
            let is_filled = self.state.files.by_now(&resource, &own).untrusted;
            is_filled || (!resource.starts_with("run:/") && self.tools.hands().is_foreign(&real))
        })
    }

    /// The same of a call that a model asked for, after it had read what somebody outside wrote: it may run what the plan
    /// spells out, but is not to write programs.
    pub(super) fn is_code_of_model(&self, ix: TaskIx, needs: &[Need], arguments: &Json) -> bool {
        let Some(command) = needs.iter().find(|need| need.access == Access::Command) else {
            return false;
        };
        let words = grants::words_of_command(command);
        let words: Vec<Option<&str>> = words.iter().map(|word| Some(word.as_str())).collect();
        let reads = arguments.get("stdin").is_some_and(|text| !text.is_null());
        let is_spelt_out = grants::is_spelt_out(&self.grants_of(ix), command, &self.place_of(ix));
        let is_written = (0..words.len()).any(|ix| grants::runs_argument(&words, ix));
        (reads && grants::runs_stdin(&words)) || (!is_spelt_out && is_written)
    }
}

/// The names by which untrusted data has come into these inputs.
pub(super) fn untrusted_names(strands: &[Strand]) -> impl Iterator<Item = &str> {
    strands.iter().filter(|s| s.labels.untrusted).map(Strand::name)
}
