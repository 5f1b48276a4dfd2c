//! Control groups around builders: everyone is in one, and nothing of it is left.

use crate::probe::{FOREVER, builder, confinement, start};
use bakeoff_confine::{EscapeAttempt, Fence};
use std::path::Path;

const REST: EscapeAttempt = EscapeAttempt::Sleep(FOREVER.as_millis() as u64);

/// Returns true if a control group can be made here.
pub(crate) async fn can_be_made() -> bool {
    confinement().await.mechanisms().groups.is_some()
}

/// The groups of a process that this test's process made, as folders below the mounts.
fn groups_of(pid: u32) -> Vec<String> {
    let groups = std::fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap();
    let own = format!("-{}-", std::process::id());
    let paths = groups.lines().filter_map(|line| line.rsplit(':').next());
    paths
        .filter(|path| path.contains("bakeoff-") && path.contains(&own))
        .map(str::to_owned)
        .collect()
}

pub(crate) fn a_builder_is_in_a_group_of_its_own_from_its_start_and_takes_it_along() {
    crate::block_on(a_builder_is_in_a_group());
}

async fn a_builder_is_in_a_group() {
    let confinement = confinement().await;
    let folder = tempfile::tempdir().unwrap();
    let ways = [EscapeAttempt::Fork(1), REST];
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
