//! A machine without control groups. What they do where some can be made is in `tests/needs`.

use super::*;
use bakeoff_confine::ExitCause;

const REST: EscapeAttempt = EscapeAttempt::Sleep(FOREVER.as_millis() as u64);

/// The same machine without groups has the watchdog, and says that it has no more.
#[tokio::test]
async fn without_groups_the_watchdog_still_counts() {
    let host = ProbeConfig {
        groups: false,
        ..host()
    };
    let confinement = Confinement::probe_on(host).await.unwrap();
    assert_eq!(confinement.mechanisms().groups, None);
    let folder = tempfile::tempdir().unwrap();
    let ways = [EscapeAttempt::Fork(20), REST];
    let (_, exit) = run(&confinement, builder(folder.path()), &ways).await;
    assert_eq!(exit.cause, ExitCause::ProcessWatchdog);
}
