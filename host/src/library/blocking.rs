//! Asynchronous work for a program that waits for it.

use super::error::Error;
use std::future::Future;

/// Does the work on threads of its own, and returns once it is over.
///
/// # Errors
/// Threads cannot be started, or the work fails.
pub(super) fn blocking<T: Send, F: Future<Output = Result<T, Error>>>(
    work: impl FnOnce() -> F + Send,
) -> Result<T, Error> {
    let run = || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_stack_size(bakeoff_confine::STACK_BYTES)
            .enable_all()
            .build();
        let runtime = runtime.map_err(|error| Error::machine(format!("cannot start: {error}")))?;
        runtime.block_on(work())
    };
    // A runtime cannot be started on a thread that another one runs on.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(bakeoff_confine::STACK_BYTES);
        let started = thread.spawn_scoped(scope, run);
        match started.map(|thread| thread.join()) {
            Ok(Ok(done)) => done,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => Err(Error::machine(format!("cannot start a thread: {error}"))),
        }
    })
}
