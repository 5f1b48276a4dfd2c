//! Limits: each is met by a child that breaks it, and by none that does not.

use super::*;
use bakeoff_confine::{ExitCause, Rlimits};

#[tokio::test]
async fn a_flood_of_stderr_is_cut_and_ends_the_child() {
    let confinement = confinement().await;
    let flood = |bytes| [EscapeAttempt::Flood(bytes), EscapeAttempt::Sleep(0)];
    let bound = |job: &mut ChildJob<'_>| job.stderr_bytes_max = 10_000;
    let within = start(&confinement, Fence::closed(), &flood(10_000), bound).await;
    let (outcomes, exit) = ended(within).await;
    assert_eq!((outcomes.len(), exit.cause), (2, ExitCause::Exited(0)));
    assert_eq!(exit.stderr, vec![b'.'; 10_000]);

    let beyond = start(&confinement, Fence::closed(), &flood(u64::MAX), bound).await;
    let (_, exit) = ended(beyond).await;
    assert_eq!(exit.cause, ExitCause::StderrOverflow);
    assert_eq!(exit.stderr, vec![b'.'; 10_000]);
}

#[tokio::test]
async fn frames_have_a_bound_each_and_in_all() {
    let confinement = confinement().await;
    let frames = vec![EscapeAttempt::Frame(1000); 4];
    let child = start(&confinement, Fence::closed(), &frames, |job| {
        job.output_bytes_max = 3500;
    });
    let (outcomes, exit) = ended(child.await).await;
    assert_eq!((outcomes.len(), exit.cause), (3, ExitCause::OutputOverflow));

    // The child holds itself to the bound on one frame, so that an honest role fails with words.
    let child = start(&confinement, Fence::closed(), &frames, |job| {
        job.frame_bytes_max = 999;
    });
    let (outcomes, exit) = ended(child.await).await;
    assert_eq!(outcomes.len(), 0);
    assert_eq!(exit.cause, ExitCause::Exited(bakeoff_confine::ROLE_FAILED));
    let said = String::from_utf8(exit.stderr).unwrap();
    assert!(said.contains("the job allows 999"), "{said}");
}

#[tokio::test]
async fn what_is_printed_does_not_become_a_frame() {
    let forged = EscapeAttempt::Print("\u{1}\0\0\0\0".to_owned());
    let (outcomes, exit) = run(&confinement().await, Fence::closed(), &[forged]).await;
    assert_eq!(outcomes, [Ok(String::new())]);
    assert_eq!(exit.stderr, b"\x01\0\0\0\0");
}

#[tokio::test]
async fn memory_is_watched_in_a_runner() {
    let confinement = confinement().await;
    let ways = |mib: u64| {
        [
            EscapeAttempt::Allocate(mib << 20),
            EscapeAttempt::Sleep(FOREVER.as_millis() as u64),
        ]
    };
    let bound = |job: &mut ChildJob<'_>| job.rss_bytes_max = Some(128 << 20);
    let child = start(&confinement, Fence::closed(), &ways(256), bound).await;
    let (_, exit) = ended(child).await;
    assert_eq!(exit.cause, ExitCause::MemoryWatchdog);

    let mut child = start(&confinement, Fence::closed(), &ways(8), bound).await;
    child.next_frame().await.unwrap().unwrap();
    let pause = tokio::time::timeout(Duration::from_millis(200), child.next_frame()).await;
    assert!(pause.is_err(), "the child is not killed within its bound");
    child.kill();
    assert_eq!(child.finish().await.cause, ExitCause::Killed);
}

#[tokio::test]
async fn processes_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let confinement = confinement().await;
    let rest = EscapeAttempt::Sleep(FOREVER.as_millis() as u64);
    let fence = builder(folder.path());
    let many = [EscapeAttempt::Fork(20), rest];
    let child = start(&confinement, fence.clone(), &many, |_| {}).await;
    let leader = child.pid().unwrap();
    let (_, exit) = ended(child).await;
    assert_eq!(exit.cause, ExitCause::ProcessWatchdog);
    assert_eq!(alive_in_session(leader), 0);

    let few = [EscapeAttempt::Fork(7), EscapeAttempt::Sleep(200)];
    let (outcomes, exit) = run(&confinement, fence, &few).await;
    assert_eq!((outcomes.len(), exit.cause), (2, ExitCause::Exited(0)));
}

/// Without control groups, which would bound it in the kernel.
async fn watched() -> Confinement {
    let host = ProbeConfig {
        groups: false,
        ..host()
    };
    Confinement::probe_on(host).await.unwrap()
}

/// The kernel shows nothing of such a process under its own number.
#[tokio::test]
async fn memory_counts_where_the_first_thread_has_ended() {
    let folder = tempfile::tempdir().unwrap();
    let rest = EscapeAttempt::Sleep(FOREVER.as_millis() as u64);
    let ways = [EscapeAttempt::LeaderGone(256 << 20), rest];
    let bound = |job: &mut ChildJob<'_>| job.rss_bytes_max = Some(128 << 20);
    let child = start(&watched().await, builder(folder.path()), &ways, bound).await;
    let leader = child.pid().unwrap();
    let ending = tokio::time::timeout(Duration::from_secs(50), ended(child));
    let (_, exit) = ending.await.unwrap();
    assert_eq!(exit.cause, ExitCause::MemoryWatchdog);
    assert_eq!(alive_in_session(leader), 0);
}

#[tokio::test]
async fn threads_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let confinement = watched().await;
    let cores = std::thread::available_parallelism().unwrap().get();
    let with = |threads| {
        let ways = [EscapeAttempt::Threads(threads), EscapeAttempt::Sleep(1_000)];
        let fence = builder(folder.path());
        let confinement = &confinement;
        async move { run(confinement, fence, &ways).await }
    };
    let (_, exit) = with(9 * (cores + 16)).await;
    assert_eq!(exit.cause, ExitCause::ProcessWatchdog);
    let (outcomes, exit) = with(cores + 16).await;
    assert_eq!((outcomes.len(), exit.cause), (2, ExitCause::Exited(0)));
}

#[tokio::test]
async fn cpu_time_is_limited() {
    let fence = Fence {
        rlimits: Rlimits {
            cpu_soft_s: Some(1),
            cpu_hard_s: Some(2),
            ..Rlimits::default()
        },
        ..Fence::closed()
    };
    let (_, exit) = run(&confinement().await, fence, &[EscapeAttempt::Spin]).await;
    assert_eq!(exit.cause, ExitCause::Signalled(libc::SIGXCPU));
    assert!(exit.cpu >= Duration::from_millis(500), "{:?}", exit.cpu);
}

#[tokio::test]
async fn address_space_is_limited() {
    let fence = Fence {
        rlimits: Rlimits {
            address_space_bytes: Some(512 << 20),
            ..Rlimits::default()
        },
        ..Fence::closed()
    };
    let confinement = confinement().await;
    let ask = |mib: u64| [EscapeAttempt::Allocate(mib << 20)];
    let (outcomes, _) = run(&confinement, fence.clone(), &ask(64)).await;
    outcomes[0].as_ref().unwrap();
    let (outcomes, exit) = run(&confinement, fence, &ask(1024)).await;
    assert_eq!(outcomes.len(), 0);
    assert_eq!(exit.cause, ExitCause::Signalled(libc::SIGABRT));
}

#[tokio::test]
async fn a_file_has_a_largest_size() {
    let folder = tempfile::tempdir().unwrap();
    let fence = Fence {
        rlimits: Rlimits {
            file_bytes: Some(3),
            ..Rlimits::default()
        },
        ..builder(folder.path())
    };
    let write = [EscapeAttempt::Write(folder.path().join("file"))];
    let (_, exit) = run(&confinement().await, fence, &write).await;
    assert_eq!(exit.cause, ExitCause::Signalled(libc::SIGXFSZ));
}

#[tokio::test]
async fn a_child_stays_on_its_core() {
    let confinement = confinement().await;
    let cores = rustix::thread::sched_getaffinity(None).unwrap();
    let core = (0..1024).find(|&core| cores.is_set(core)).unwrap();
    let ways = [EscapeAttempt::ProcessState];
    let child = start(&confinement, Fence::closed(), &ways, |job| {
        job.core = Some(core);
    });
    let (outcomes, _) = ended(child.await).await;
    let standing = outcomes[0].as_ref().unwrap();
    assert!(standing.contains("cores Ok(1)"), "{standing}");
}
