//! The levels, and what is said where confinement is missing.

use super::*;
use bakeoff_confine::ExitCause;

async fn probe(landlock_at_most: Option<i32>, seccomp: bool) -> Result<Level, String> {
    let host = ProbeConfig {
        landlock_at_most,
        seccomp,
        ..host()
    };
    match Confinement::probe_on(host).await {
        Ok(confinement) => Ok(confinement.level()),
        Err(unavailable) => Err(unavailable.to_string()),
    }
}

/// The kernel that runs the tests decides how far up this goes; CI and developers have ABI 6.
#[tokio::test]
async fn the_level_is_that_of_the_kernel() {
    assert_eq!(probe(None, true).await, Ok(Level::Full));
    assert_eq!(probe(Some(6), true).await, Ok(Level::Full));
    for abi in 2..6 {
        assert_eq!(probe(Some(abi), true).await, Ok(Level::Standard), "{abi}");
    }
}

#[tokio::test]
async fn a_machine_without_confinement_is_told_what_is_missing_and_what_to_do() {
    let next = "use Linux 5.19 or later with Landlock (landlock in the kernel's lsm= list) and \
                seccomp, or pass --allow-unconfined if you trust every prototype as you trust \
                your own code";
    let answer = |reason| Err(format!("confinement is not available: {reason}; {next}"));
    assert_eq!(
        probe(Some(0), true).await,
        answer("this kernel has no Landlock")
    );
    assert_eq!(
        probe(Some(1), true).await,
        answer("its Landlock is ABI 1, and ABI 2 is the oldest that works")
    );
    assert_eq!(
        probe(None, false).await,
        answer("this kernel has no seccomp filters")
    );
}

/// With the user's word children start all the same, behind what is left: here seccomp.
#[tokio::test]
async fn without_landlock_the_rest_is_still_applied() {
    let host = ProbeConfig {
        landlock_at_most: Some(0),
        ..host()
    };
    let confinement = Confinement::allow_unconfined_on(host).await;
    assert_eq!(confinement.level(), Level::Unconfined);
    let socket = EscapeAttempt::Socket {
        family: libc::AF_INET,
        kind: libc::SOCK_STREAM,
    };
    let outcome = attempt(&confinement, &Fence::closed(), socket).await;
    assert!(matches!(outcome, Err((libc::EPERM, _))), "{outcome:?}");
}

/// Where confinement works, the user's word does not take it away.
#[tokio::test]
async fn allowing_unconfined_keeps_what_there_is() {
    let confinement = Confinement::allow_unconfined_on(host()).await;
    assert_eq!(confinement.level(), Level::Full);
}

/// A binary that ignores its marker and does as it likes is not a child behind a fence.
#[tokio::test]
async fn a_probe_that_does_not_answer_is_not_a_pass() {
    let host = ProbeConfig::with_program("/bin/true");
    let error = Confinement::probe_on(host).await.unwrap_err();
    assert!(error.reason.contains("ended without a message"), "{error}");
}

/// Where bubblewrap is installed and works, it stands around builders, and everything they are
/// given still works.
#[tokio::test]
async fn an_outer_layer_changes_nothing_for_a_builder_but_what_exists() {
    // A copy, so that its processes can be told from those of other tests. Another process writes
    // it: a child that a test beside this one starts would hold it open, and it could not be run.
    let copy = tempfile::tempdir().unwrap();
    let program = copy.path().join("bakeoff");
    let copied = std::process::Command::new("cp")
        .args([&host().program, &program])
        .status();
    assert!(copied.unwrap().success());
    let host = ProbeConfig::with_program(&program);
    let confinement = Confinement::probe_on(host).await.unwrap();
    if confinement.outer_layer().is_none() {
        eprintln!("bubblewrap is not installed, or does not work here");
        return;
    }
    assert_eq!(confinement.outer_layer(), Some("bubblewrap"));
    let folder = tempfile::tempdir().unwrap();
    let fence = Fence {
        write: vec![folder.path().to_owned()],
        ..system_programs()
    };
    let ways = [
        EscapeAttempt::Write(folder.path().join("new")),
        EscapeAttempt::Execute {
            program: "/bin/true".into(),
            arguments: Vec::new(),
        },
        EscapeAttempt::Read(std::env::current_exe().unwrap()),
        EscapeAttempt::Read("/etc/passwd".into()),
        EscapeAttempt::Signal { pid: 1, signal: 0 },
    ];
    let (outcomes, exit) = run(&confinement, fence.clone(), &ways).await;
    assert_eq!(exit.cause, ExitCause::Exited(0));
    assert!(folder.path().join("new").is_file());
    assert_eq!(outcomes[1].as_deref(), Ok("exit status: 0"));
    for outcome in &outcomes[2..4] {
        assert!(matches!(outcome, Err((libc::ENOENT, _))), "{outcome:?}");
    }
    assert!(outcomes[4].is_err(), "{outcomes:?}");

    let (_, exit) = run(&confinement, fence.clone(), &[EscapeAttempt::Abort]).await;
    assert_eq!(exit.cause, ExitCause::Signalled(libc::SIGABRT));

    let rest = [
        EscapeAttempt::Fork(3),
        EscapeAttempt::Sleep(FOREVER.as_millis() as u64),
    ];
    let mut child = start(&confinement, fence, &rest, |_| {}).await;
    child.next_frame().await.unwrap().unwrap();
    // Outside and inside bubblewrap, the child and the three.
    assert!(processes_of(&program) >= 5);
    drop(child);
    assert_eq!(processes_of(&program), 0);
}
