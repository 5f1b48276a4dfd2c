//! A thread with a state of its own, which is asked by messages. A store never leaves its thread, and what reads a
//! database blocks: so requests wait for answers here, and never for a disk.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{SyncSender, sync_channel};
use tokio::sync::oneshot;

/// The most questions that wait: more than there are connections.
const WAITING_MAX: usize = 128;
/// Steps of priority that the thread gives up, so that a run on the same cores comes first.
const NICE: i32 = 10;

type Job<S> = Box<dyn FnOnce(&mut S) + Send>;

/// A thread that owns a state.
pub(crate) struct Worker<S> {
    jobs: SyncSender<Job<S>>,
}

impl<S: 'static> Worker<S> {
    /// Starts the thread. `make` makes its state, and makes it anew if a question ends in a panic.
    ///
    /// # Errors
    /// The system starts no thread.
    pub(crate) fn start(name: &str, make: impl Fn() -> S + Send + 'static) -> io::Result<Self> {
        let (jobs, waiting) = sync_channel::<Job<S>>(WAITING_MAX);
        let thread = std::thread::Builder::new().name(name.to_owned());
        thread.spawn(move || {
            // Of this thread alone. Where that is not possible, it is as important as any other.
            let _ = rustix::process::nice(NICE);
            let mut state = make();
            for job in waiting {
                if catch_unwind(AssertUnwindSafe(|| job(&mut state))).is_err() {
                    state = make();
                }
            }
        })?;
        Ok(Self { jobs })
    }

    /// Returns the answer to a question; `None` if too many wait, or answering it failed.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut S) -> T + Send + 'static,
    ) -> Option<T> {
        let (sender, answer) = oneshot::channel();
        let job: Job<S> = Box::new(move |state| {
            // Nobody waits for it any more where this fails.
            let _ = sender.send(question(state));
        });
        self.jobs.try_send(job).ok()?;
        answer.await.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_one_question_and_its_state() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(async {
            let worker = Worker::start("counting", || 0).unwrap();
            let count = |state: &mut i32| {
                *state += 1;
                *state
            };
            assert_eq!(worker.ask(count).await, Some(1));
            assert_eq!(worker.ask(count).await, Some(2));
            let failed: Option<()> = worker
                .ask(|_: &mut i32| std::panic::resume_unwind(Box::new(())))
                .await;
            assert_eq!(failed, None);
            assert_eq!(worker.ask(count).await, Some(1));
        });
    }
}
