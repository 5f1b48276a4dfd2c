//! Work of another thread that the user may interrupt.

use super::failure::Failure;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::task::JoinHandle;

/// Waits for work of another thread, which ends soon after it was interrupted: the flag says so.
pub(super) async fn interruptible<T>(
    work: JoinHandle<T>,
    interrupted: &AtomicBool,
) -> Result<T, Failure> {
    tokio::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return done.map_err(Failure::infrastructure),
            _ = tokio::signal::ctrl_c() => {
                interrupted.store(true, Ordering::Relaxed);
            }
        }
    }
}
