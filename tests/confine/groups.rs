//! Control groups around builders: where this machine lets some be made, everyone is in one, and
//! nothing of it is left.

use super::*;
use bakeoff::confine::Ending;
use std::path::Path;

const REST: Attempt = Attempt::Sleep(FOREVER.as_millis() as u64);

/// The groups of a process that this test's process made, as folders below the mounts.
fn groups_of(pid: u32) -> Vec<String> {
    let groups = std::fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap();
    let own = format!("bakeoff-{}-", std::process::id());
    let paths = groups.lines().filter_map(|line| line.rsplit(':').next());
    paths
        .filter(|path| path.contains(&own))
        .map(str::to_owned)
        .collect()
}

#[tokio::test]
async fn a_builder_is_in_a_group_of_its_own_from_its_start_and_takes_it_along() {
    let confinement = confinement().await;
    if confinement.means().groups.is_none() {
        eprintln!("skipped: no control group can be made here");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let ways = [Attempt::Fork(1), REST];
    let mut child = start(&confinement, builder(folder.path()), &ways, |_| {}).await;
    child.next_frame().await.unwrap().unwrap();
    let pid = child.pid().unwrap();
    let own = groups_of(pid);
    assert_eq!(own.len(), 1, "{own:?}");
    let tasks = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    let forked: u32 = tasks.trim().parse().unwrap();
    assert_eq!(groups_of(forked), own, "what it starts is in there too");
    let runner = start(&confinement, Fence::closed(), &[REST], |_| {}).await;
    assert!(groups_of(runner.pid().unwrap()).is_empty());
    drop(child);
    let mounts = ["", "/unified", "/pids"].map(|tree| format!("/sys/fs/cgroup{tree}"));
    for mount in mounts {
        let left = Path::new(&mount).join(own[0].trim_start_matches('/'));
        assert!(!left.exists(), "{} is left", left.display());
    }
}

/// The same machine without groups has the watchdog, and says that it has no more.
#[tokio::test]
async fn without_groups_the_watchdog_still_counts() {
    let host = Host {
        groups: false,
        ..host()
    };
    let confinement = Confinement::probe_on(host).await.unwrap();
    assert_eq!(confinement.means().groups, None);
    let folder = tempfile::tempdir().unwrap();
    let ways = [Attempt::Fork(20), REST];
    let (_, exit) = run(&confinement, builder(folder.path()), &ways).await;
    assert_eq!(exit.ending, Ending::ProcessWatchdog);
}
