//! Files, sockets, processes, signals, handles: what is out of reach, and what is not.

use super::*;

fn execute(program: &Path) -> EscapeAttempt {
    EscapeAttempt::Execute {
        program: program.to_owned(),
        arguments: Vec::new(),
    }
}

/// A folder with a file that holds a secret.
fn secret() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secret");
    std::fs::write(&file, "canary").unwrap();
    (folder, file)
}

/// Every way to a file that the fence does not name, by both kinds of child, at both levels; and
/// by none at all, where each works.
#[tokio::test]
async fn files_outside_the_fence_are_out_of_reach() {
    let inside = tempfile::tempdir().unwrap();
    let (outside, file) = secret();
    let ways = [
        EscapeAttempt::Read(file.clone()),
        EscapeAttempt::List(outside.path().to_owned()),
        EscapeAttempt::ChangeMode(file.clone()),
        EscapeAttempt::Write(file.clone()),
        EscapeAttempt::Write(outside.path().join("new")),
        EscapeAttempt::Truncate(file.clone()),
        EscapeAttempt::Link {
            target: file.clone(),
            link: outside.path().join("link"),
        },
    ];
    for confinement in [confinement().await, standard().await] {
        for fence in [Fence::closed(), builder(inside.path())] {
            let (outcomes, _) = run(&confinement, fence, &ways).await;
            assert_eq!(outcomes.len(), ways.len());
            outcomes.iter().for_each(refused);
        }
    }
    assert_eq!(std::fs::read(&file).unwrap(), b"canary");
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);

    let (outcomes, _) = run(&unconfined().await, Fence::closed(), &ways).await;
    assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
}

#[tokio::test]
async fn a_builder_reads_and_writes_what_it_is_given_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let (given, file) = secret();
    let fence = Fence {
        read: vec![given.path().to_owned()],
        ..builder(folder.path())
    };
    let confinement = confinement().await;
    let (outcomes, _) = run(
        &confinement,
        fence,
        &[
            EscapeAttempt::Read(file.clone()),
            EscapeAttempt::Write(folder.path().join("new")),
            EscapeAttempt::Write(file.clone()),
            execute(&file),
            EscapeAttempt::Link {
                target: file,
                link: folder.path().join("link"),
            },
        ],
    )
    .await;
    assert_eq!(outcomes[0].as_deref(), Ok("canary"));
    outcomes[1].as_ref().unwrap();
    assert_eq!(
        std::fs::read(folder.path().join("new")).unwrap(),
        b"written"
    );
    outcomes[2..].iter().for_each(refused);
}

#[tokio::test]
async fn a_builder_starts_what_it_is_given_and_a_runner_nothing() {
    let program = PathBuf::from("/bin/true");
    let fence = system_programs();
    let confinement = confinement().await;
    let start = execute(&program);
    let outcome = attempt(&confinement, &fence, start.clone()).await;
    assert_eq!(outcome.as_deref(), Ok("exit status: 0"));
    let readable = Fence {
        read: fence.execute.clone(),
        execute: Vec::new(),
        ..fence.clone()
    };
    refused(&attempt(&confinement, &readable, start.clone()).await);
    let runner = Fence {
        processes: Processes::None,
        ..fence
    };
    refused(&attempt(&confinement, &runner, start).await);
    refused(&attempt(&confinement, &runner, EscapeAttempt::Fork(1)).await);
}

#[tokio::test]
async fn no_socket_but_a_pair() {
    let folder = tempfile::tempdir().unwrap();
    let sockets = [
        (libc::AF_INET, libc::SOCK_STREAM),
        (libc::AF_INET6, libc::SOCK_DGRAM),
        (libc::AF_UNIX, libc::SOCK_STREAM),
        (libc::AF_UNIX, libc::SOCK_DGRAM),
        (libc::AF_NETLINK, libc::SOCK_RAW),
    ]
    .map(|(family, kind)| EscapeAttempt::Socket { family, kind });
    let datagrams = EscapeAttempt::SocketPair {
        kind: libc::SOCK_DGRAM,
    };
    let pair = EscapeAttempt::SocketPair {
        kind: libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC,
    };
    for confinement in [confinement().await, standard().await] {
        for fence in [Fence::closed(), builder(folder.path())] {
            let (outcomes, _) = run(&confinement, fence.clone(), &sockets).await;
            outcomes.iter().for_each(refused);
            refused(&attempt(&confinement, &fence, datagrams.clone()).await);
            attempt(&confinement, &fence, pair.clone()).await.unwrap();
        }
    }
    let free = attempt(&unconfined().await, &Fence::closed(), sockets[2].clone()).await;
    free.unwrap();
}

/// The victim is a process of the same user that is nobody's child here.
#[tokio::test]
async fn other_processes_are_out_of_reach() {
    let folder = tempfile::tempdir().unwrap();
    let confinement = confinement().await;
    let standard = standard().await;
    let victim = start(
        &confinement,
        Fence::closed(),
        &[EscapeAttempt::Sleep(FOREVER.as_millis() as u64)],
        |_| {},
    )
    .await;
    let pid = i32::try_from(victim.pid().unwrap()).unwrap();
    let parent = i32::try_from(std::process::id()).unwrap();
    let mut ways = vec![EscapeAttempt::Trace(pid), EscapeAttempt::LimitOther(pid)];
    let group = -rustix::process::getpgrp().as_raw_nonzero().get();
    for (pid, signal) in [
        (pid, libc::SIGKILL),
        (parent, 0),
        (parent, libc::SIGWINCH),
        (group, 0),
    ] {
        ways.push(EscapeAttempt::Signal { pid, signal });
    }
    for confinement in [&confinement, &standard] {
        for fence in [Fence::closed(), builder(folder.path())] {
            let (outcomes, _) = run(confinement, fence, &ways).await;
            assert_eq!(outcomes.len(), ways.len());
            outcomes.iter().for_each(refused);
        }
    }
    assert!(is_alive(victim.pid().unwrap()));
    let asking = EscapeAttempt::Signal { pid, signal: 0 };
    let free = attempt(&unconfined().await, &Fence::closed(), asking).await;
    free.unwrap();
}

#[tokio::test]
async fn a_runner_has_threads() {
    let outcome = attempt(
        &confinement().await,
        &Fence::closed(),
        EscapeAttempt::Thread,
    )
    .await;
    outcome.unwrap();
}

/// The test's own process has an environment, open files and a working directory; the child has
/// none of them, at any level.
#[tokio::test]
async fn nothing_of_the_parent_leaks() {
    let (_folder, file) = secret();
    // Inherited by every child that does not close it: no close-on-exec.
    let opened = std::fs::File::open(&file).unwrap();
    // SAFETY: duplicates a descriptor that is open; the copy stays open for good.
    assert!(unsafe { libc::dup(std::os::fd::AsRawFd::as_raw_fd(&opened)) } > 2);
    assert!(std::env::vars_os().count() > 0);
    let folder = tempfile::tempdir().unwrap();
    for confinement in [confinement().await, unconfined().await] {
        let ways = [
            EscapeAttempt::Environment,
            EscapeAttempt::Descriptors,
            EscapeAttempt::ProcessState,
        ];
        let (outcomes, _) = run(&confinement, builder(folder.path()), &ways).await;
        assert_eq!(outcomes[0].as_deref(), Ok(""));
        // The empty stdin, stderr twice, and the pipe for frames.
        assert_eq!(outcomes[1].as_deref(), Ok("0\n1\n2\n3\n"));
        let user = rustix::process::getuid().as_raw();
        let cores = std::thread::available_parallelism().unwrap();
        let expected = format!(
            "folder Ok(\"/\")\nuser {user}\ncapabilities Ok(0)\ncore Some(0)\ncores Ok({cores})\n"
        );
        assert_eq!(outcomes[2], Ok(expected));
    }
}
