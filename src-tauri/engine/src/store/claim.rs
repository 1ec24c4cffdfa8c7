//! Claiming a run: the lock, then the raised epoch and its event in one transaction.

use rusqlite::{TransactionBehavior, params};

use super::commit::Durability;
use super::lease::{Lease, Owner};
use super::runs::RunKey;
use super::{Store, StoreError, death, seal};
use crate::model::events::{EventBody, NewEvent, RunClaimed};
use crate::model::{RunId, Seq};

/// A claimed run. Every write of its owner carries the epoch.
pub struct Claim {
    pub lease: Lease,
    pub epoch: u64,
    /// Position of the `run_claimed` event.
    pub seq: Seq,
}

impl Store {
    /// Claims the run for this process if its head is still `head`. Two claims at once: one wins, the other hears
    /// who did. With `by_force` a live but stopped owner is deposed.
    pub async fn claim(
        &self,
        run: &RunId,
        head: Seq,
        owner: &Owner,
        at_ms: i64,
        by_force: bool,
    ) -> Result<Claim, StoreError> {
        // An owner that is passed over loses its lock only once the log says so: else a claim that fails would leave a run
        // that seems to be nobody's.
        let lease = match self.take_lease(run, owner, false).await {
            Ok(lease) => Some(lease),
            Err(StoreError::Owned(..)) if by_force => None,
            Err(error) => return Err(error),
        };
        let (id, me) = (run.clone(), owner);
        let (run, owner) = (run.clone(), owner.to_string());
        let claimed = self
            .write(move |conn| {
                conn.pragma_update(None, "synchronous", "FULL")?;
                let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let record = super::runs::find(&tx, &run)?;
                if record.head != head {
                    return Err(StoreError::Moved {
                        expected: head,
                        head: record.head,
                    });
                }
                let (epoch, seq) = (record.epoch + 1, head + 1);
                let body = EventBody::from(RunClaimed {
                    epoch,
                    owner: owner.clone(),
                });
                let text = body.encode().map_err(|e| StoreError::Io(e.into()))?;
                let row = seal::Row {
                    seq,
                    at_ms,
                    kind: body.number(),
                    task: None,
                    body: &text,
                };
                tx.execute(
                    "INSERT INTO events (key, at_ms, kind, body, seal) VALUES (?1, ?2, ?3, ?4, ?5)",
                    params![record.key.key(seq), at_ms, row.kind, text, row.seal()],
                )?;
                tx.execute(
                    "UPDATE runs SET epoch = ?2, owner = ?3, head = ?4, changed_ms = ?5 WHERE run = ?1",
                    params![record.key.0, epoch as i64, owner, seq as i64, at_ms],
                )?;
                death::may_come("claim");
                tx.commit()?;
                death::may_come("claimed");
                Ok((epoch, seq, record.key, body))
            })
            .await;
        let (epoch, seq, key, body) = claimed?;
        let lease = match lease {
            Some(lease) => lease,
            None => self.inner.leases.take(&id, me, true)?,
        };
        let task = None;
        let told = self.testimony(key, &[NewEvent { at_ms, task, body }], Durability::Disk);
        self.testify(told, seq);
        self.tell();
        Ok(Claim { lease, epoch, seq })
    }

    /// Somebody who only looks whether the run is driven holds its lock for an instant; that is waited out.
    pub async fn take_lease(&self, run: &RunId, owner: &Owner, by_force: bool) -> Result<Lease, StoreError> {
        let mut tries = 0;
        loop {
            match self.inner.leases.take(run, owner, by_force) {
                Err(StoreError::Owned(..)) if tries < 5 && self.path().is_some() => {
                    tries += 1;
                    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
                }
                taken => return taken,
            }
        }
    }

    /// Whether this epoch still owns the run: asked right before an effect, since an owner may have been stopped for
    /// long between two lines of its program.
    pub async fn is_owner(&self, run: RunKey, epoch: u64) -> Result<bool, StoreError> {
        let found = self.read(move |conn| super::runs::by_key(conn, run)).await?;
        Ok(found.epoch == epoch)
    }

    /// A lock that was not let go of within the time is most likely held by whoever drives a run and was stopped.
    pub(super) fn who_holds(&self, error: StoreError) -> StoreError {
        if !matches!(error, StoreError::Busy(_)) {
            return error;
        }
        let mut others = self.inner.leases.holders();
        others.retain(|owner| owner.pid != std::process::id());
        if others.is_empty() {
            return error;
        }
        StoreError::Held(others)
    }

    /// Who drives the run at this moment, in any process.
    pub fn holder(&self, run: &RunId) -> Option<Owner> {
        self.inner.leases.holder(run)
    }
}
