//! Children that are told what to try, and what is to be known of them.

use bakeoff_confine::{
    Child, ChildJob, Confinement, EscapeAttempt, EscapeOutcome, Exit, Fence, Level, PROBE,
    ProbeConfig, Processes,
};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// This machine, with the real binary for the children, and without an outer layer: what is told
/// apart here are the fences themselves.
pub(crate) fn host() -> ProbeConfig {
    ProbeConfig {
        bubblewrap: false,
        ..ProbeConfig::with_program(env!("CARGO_BIN_EXE_bakeoff"))
    }
}

pub(crate) async fn confinement() -> Confinement {
    Confinement::probe_on(host()).await.unwrap()
}

/// The same with an older Landlock.
pub(crate) async fn standard() -> Confinement {
    let host = ProbeConfig {
        landlock_at_most: Some(2),
        ..host()
    };
    Confinement::probe_on(host).await.unwrap()
}

/// As on a machine that has nothing: the control of every test here. What a fence stops must
/// succeed without one, or the test shows nothing.
pub(crate) async fn unconfined() -> Confinement {
    let host = ProbeConfig {
        landlock_at_most: Some(0),
        seccomp: false,
        ..host()
    };
    let confinement = Confinement::allow_unconfined_on(host).await;
    assert_eq!(confinement.level(), Level::Unconfined);
    confinement
}

/// A builder's fence that may write in a folder.
pub(crate) fn builder(folder: &Path) -> Fence {
    Fence {
        write: vec![folder.to_owned()],
        processes: Processes::Spawn { at_most: 8 },
        ..Fence::closed()
    }
}

/// A builder's fence that may start the system's programs.
pub(crate) fn system_programs() -> Fence {
    let folders = ["/bin", "/usr", "/lib", "/lib64"].map(PathBuf::from);
    Fence {
        execute: folders.into_iter().filter(|path| path.exists()).collect(),
        processes: Processes::Spawn { at_most: 8 },
        ..Fence::closed()
    }
}

/// Starts a probe; `adjust` may change the job's bounds.
pub(crate) async fn start(
    confinement: &Confinement,
    fence: Fence,
    attempts: &[EscapeAttempt],
    adjust: impl FnOnce(&mut ChildJob<'_>),
) -> Child {
    let payload = postcard::to_stdvec(attempts).unwrap();
    let parts = [&payload[..]];
    let mut job = ChildJob::new(PROBE.name, &parts, fence);
    adjust(&mut job);
    confinement.spawn(job).await.unwrap()
}

/// All that a probe says, and how it ended.
pub(crate) async fn run(
    confinement: &Confinement,
    fence: Fence,
    attempts: &[EscapeAttempt],
) -> (Vec<EscapeOutcome>, Exit) {
    ended(start(confinement, fence, attempts, |_| {}).await).await
}

/// The rest of what a child says, and how it ended.
pub(crate) async fn ended(mut child: Child) -> (Vec<EscapeOutcome>, Exit) {
    let mut outcomes = Vec::new();
    while let Ok(Some(frame)) = child.next_frame().await {
        outcomes.push(postcard::from_bytes(&frame).unwrap());
    }
    (outcomes, child.finish().await)
}

/// What came of a single attempt.
pub(crate) async fn attempt(
    confinement: &Confinement,
    fence: &Fence,
    attempt: EscapeAttempt,
) -> EscapeOutcome {
    let (mut outcomes, exit) = run(confinement, fence.clone(), &[attempt]).await;
    outcomes
        .pop()
        .unwrap_or_else(|| panic!("no outcome, but {exit:?}"))
}

/// Whether a process is there and more than a zombie.
pub(crate) fn is_alive(pid: u32) -> bool {
    // Its first thread may have ended before the others.
    let threads = std::fs::read_dir(format!("/proc/{pid}/task"));
    let mut threads = threads.into_iter().flatten().flatten();
    threads.any(|thread| {
        let stat = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        stat.rsplit_once(") ")
            .is_some_and(|(_, fields)| !fields.starts_with(['Z', 'X']))
    })
}

/// The processes whose session is that of `leader`, zombies left out.
pub(crate) fn alive_in_session(leader: u32) -> usize {
    let leader = leader.to_string();
    let is_in_session = |pid: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
        fields.split_ascii_whitespace().nth(3) == Some(&leader)
    };
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|process| process.file_name().to_str()?.parse().ok())
        .filter(|pid| is_in_session(pid) && is_alive(*pid))
        .count()
}

/// Asserts that an outcome says "not allowed", and not "not there".
#[track_caller]
pub(crate) fn refused(outcome: &EscapeOutcome) {
    match outcome {
        Err((libc::EPERM | libc::EACCES, _)) => {}
        other => panic!("not refused: {other:?}"),
    }
}

/// The processes that were started with a file among their arguments, zombies left out: those have
/// none any more.
pub(crate) fn processes_of(program: &Path) -> usize {
    let program = program.as_os_str().as_encoded_bytes();
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|process| std::fs::read(process.path().join("cmdline")).ok())
        .filter(|line| line.split(|&byte| byte == 0).any(|part| part == program))
        .count()
}

/// How long a child rests that must be killed; never waited out by a test that passes.
pub(crate) const FOREVER: Duration = Duration::from_secs(600);
