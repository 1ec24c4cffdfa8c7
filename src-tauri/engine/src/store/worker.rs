//! One connection and the thread that owns it. Jobs are taken in order; commits that wait together are one commit.
//! In memory the caller's thread does the job at once, so that tests with a paused clock never wait.

use std::sync::Mutex;

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::StoreError;
use super::commit::Queued;

/// How many jobs may wait; senders beyond that wait themselves.
const QUEUE: usize = 1024;
/// How many appends go into one commit at most.
const GROUP: usize = 512;

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

pub(super) enum Task {
    Append(Box<Queued>),
    Run(Job),
}

pub(super) enum Worker {
    Thread(mpsc::Sender<Task>),
    Inline(Box<Mutex<Connection>>),
}

impl Worker {
    pub fn thread(name: &str, conn: Connection) -> Result<Self, StoreError> {
        let (tx, rx) = mpsc::channel(QUEUE);
        std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || serve(conn, rx))?;
        Ok(Self::Thread(tx))
    }

    pub fn inline(conn: Connection) -> Self {
        Self::Inline(Box::new(Mutex::new(conn)))
    }

    pub async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        match self {
            Self::Thread(queue) => {
                let (tx, rx) = oneshot::channel();
                let job: Job = Box::new(move |conn| {
                    // The asker may have gone; the job is done all the same.
                    let _ = tx.send(done(job, conn));
                });
                queue.send(Task::Run(job)).await.map_err(|_| StoreError::Closed)?;
                rx.await.map_err(|_| StoreError::Closed)?
            }
            Self::Inline(conn) => done(job, &mut *conn.lock().map_err(|_| StoreError::Closed)?),
        }
    }

    pub async fn append(&self, queued: Queued) -> Result<(), StoreError> {
        match self {
            Self::Thread(queue) => queue
                .send(Task::Append(Box::new(queued)))
                .await
                .map_err(|_| StoreError::Closed),
            Self::Inline(conn) => {
                super::commit::commit(&mut *conn.lock().map_err(|_| StoreError::Closed)?, vec![queued]);
                Ok(())
            }
        }
    }
}

/// A failure names the file that it came from.
fn done<T>(
    job: impl FnOnce(&mut Connection) -> Result<T, StoreError>,
    conn: &mut Connection,
) -> Result<T, StoreError> {
    job(conn).map_err(|error| error.in_file(conn.path()))
}

fn serve(mut conn: Connection, mut queue: mpsc::Receiver<Task>) {
    while let Some(first) = queue.blocking_recv() {
        let mut group = Vec::new();
        let mut next = Some(first);
        while let Some(task) = next.take() {
            match task {
                Task::Append(queued) => {
                    group.push(*queued);
                    if group.len() < GROUP {
                        next = queue.try_recv().ok();
                    }
                }
                Task::Run(job) => {
                    // What was asked before is done before.
                    super::commit::commit(&mut conn, std::mem::take(&mut group));
                    job(&mut conn);
                }
            }
        }
        super::commit::commit(&mut conn, group);
    }
}
