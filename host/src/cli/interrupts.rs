//! The flag that Ctrl-C raises.

use bakeoff_run::Interrupt;
use std::sync::OnceLock;

/// The flag of this process, once somebody listens for interrupts: a command that runs twice is interrupted between, too.
static INTERRUPT: OnceLock<Interrupt> = OnceLock::new();

/// Returns a flag that the first Ctrl-C raises, to stop after the current replica; the second one
/// stops at once.
pub(super) fn listen_for_interrupts() -> Interrupt {
    if let Some(listening) = INTERRUPT.get() {
        return listening.clone();
    }
    let interrupt = INTERRUPT.get_or_init(Interrupt::default).clone();
    let raised = interrupt.clone();
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() {
            if raised.is_raised() {
                std::process::exit(130);
            }
            raised.raise();
        }
    });
    interrupt
}
