//! Work of another thread that the user may interrupt.

use super::failure::Failure;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::task::JoinHandle;

/// Exit status of a command that the user interrupted.
const INTERRUPTED: i32 = 130;

/// Waits for work of another thread, which ends soon after it was interrupted: the flag says so. Whoever interrupts once
/// more does not wait for that.
pub(super) async fn interruptible<T>(
    work: JoinHandle<T>,
    interrupted: &AtomicBool,
) -> Result<T, Failure> {
    tokio::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return done.map_err(Failure::infrastructure),
            _ = tokio::signal::ctrl_c() => {
                if interrupted.swap(true, Ordering::Relaxed) {
                    anstream::eprintln!("it was interrupted twice, and ends at once");
                    // The runtime would wait for the work; what it started ends with this process.
                    std::process::exit(INTERRUPTED);
                }
            }
        }
    }
}
