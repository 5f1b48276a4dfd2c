//! System calls by their numbers: what is on no list is refused, and some of what is on one.

use super::*;

#[tokio::test]
async fn namespaces_sessions_and_strange_calls_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let confinement = confinement().await;
    let calls = [
        libc::SYS_io_uring_setup,
        libc::SYS_bpf,
        libc::SYS_perf_event_open,
        libc::SYS_userfaultfd,
        libc::SYS_keyctl,
        libc::SYS_mount,
        libc::SYS_shmget,
        libc::SYS_process_vm_readv,
    ];
    let mut ways = vec![EscapeAttempt::Namespace, EscapeAttempt::LeaveSession];
    ways.extend(calls.map(EscapeAttempt::Call));
    for fence in [Fence::closed(), builder(folder.path())] {
        let (outcomes, _) = run(&confinement, fence, &ways).await;
        assert_eq!(outcomes.len(), ways.len());
        outcomes.iter().for_each(refused);
    }
}

/// What a builder has no use for: the list of what it may call does not name it.
const ON_NO_LIST: &[i64] = &[
    // memory that no process shows: in pipes, in files without a name, in the kernel
    libc::SYS_splice,
    libc::SYS_tee,
    libc::SYS_vmsplice,
    libc::SYS_sendfile,
    libc::SYS_sendmsg,
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_shmat,
    libc::SYS_setsockopt,
    libc::SYS_io_setup,
    libc::SYS_landlock_create_ruleset,
    libc::SYS_seccomp,
    libc::SYS_remap_file_pages,
    // threads that have files of their own
    libc::SYS_unshare,
    // the machine, its users and its mounts
    libc::SYS_capset,
    libc::SYS_fsopen,
    libc::SYS_inotify_init1,
    libc::SYS_mbind,
    libc::SYS_open_tree,
    libc::SYS_quotactl_fd,
    libc::SYS_setns,
    libc::SYS_setgroups,
    libc::SYS_sync,
    libc::SYS_syslog,
    // what Landlock does not know about files
    libc::SYS_fchmodat,
    libc::SYS_fsetxattr,
    libc::SYS_getxattr,
    libc::SYS_mknodat,
    libc::SYS_open_by_handle_at,
    libc::SYS_utimensat,
    452, // fchmodat2
];

#[tokio::test]
async fn what_is_on_no_list_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let ways: Vec<_> = ON_NO_LIST
        .iter()
        .map(|call| EscapeAttempt::Call(*call))
        .collect();
    for confinement in [confinement().await, standard().await] {
        let (outcomes, _) = run(&confinement, builder(folder.path()), &ways).await;
        assert_eq!(outcomes.len(), ways.len());
        outcomes.iter().for_each(refused);
    }
}

/// Calls that are on the list, with arguments that are refused, and with arguments that are not.
#[tokio::test]
async fn some_calls_are_refused_by_their_arguments() {
    let folder = tempfile::tempdir().unwrap();
    let none = u64::MAX;
    let bits = |flags: i32| u64::from(flags.cast_unsigned());
    let map = |flags: i32| (libc::SYS_mmap, [0, 4096, 3, bits(flags), none, 0]);
    let clone = |flags: i32| (libc::SYS_clone, [bits(flags), 0, 0, 0, 0, 0]);
    let request = |request: u64| (libc::SYS_fcntl, [1, request, 1 << 16, 0, 0, 0]);
    let thread = libc::CLONE_VM | libc::CLONE_SIGHAND | libc::CLONE_THREAD;
    let call = |(number, arguments)| EscapeAttempt::CallWith(number, arguments);
    let ways = [
        // memory without a file that several processes have
        map(libc::MAP_SHARED | libc::MAP_ANONYMOUS),
        map(libc::MAP_SHARED_VALIDATE | libc::MAP_ANONYMOUS),
        // a thread with open files of its own, a sister, a namespace
        clone(thread),
        clone(libc::CLONE_PARENT | libc::SIGCHLD),
        clone(libc::CLONE_NEWUSER | libc::SIGCHLD),
        (libc::SYS_close_range, [900, 901, 2, 0, 0, 0]),
        // signals by a file, a look at others, a hold on others, a larger pipe
        request(8),
        request(10),
        request(1026),
        request(1024),
        request(1031),
        // typing into a terminal, attributes of a file
        (libc::SYS_ioctl, [1, 0x5412, 0, 0, 0, 0]),
        (libc::SYS_ioctl, [1, 0x4008_6602, 0, 0, 0, 0]),
        // what would hide memory, or change the filter
        (libc::SYS_prctl, [4, 0, 0, 0, 0, 0]),
        (libc::SYS_prctl, [22, 2, 0, 0, 0, 0]),
    ];
    let allowed = [
        map(libc::MAP_PRIVATE | libc::MAP_ANONYMOUS),
        (libc::SYS_close_range, [900, 901, 0, 0, 0, 0]),
        request(1),
        (libc::SYS_ioctl, [1, 0x5450, 0, 0, 0, 0]),
        // to the ids that it has
        (libc::SYS_setresuid, [none, none, none, 0, 0, 0]),
    ];
    for confinement in [confinement().await, standard().await] {
        let all: Vec<_> = ways.into_iter().chain(allowed).map(call).collect();
        let (outcomes, _) = run(&confinement, builder(folder.path()), &all).await;
        assert_eq!(outcomes.len(), all.len());
        let (on_refused, on_allowed) = outcomes.split_at(ways.len());
        on_refused.iter().for_each(refused);
        for outcome in on_allowed {
            outcome.as_ref().unwrap();
        }
    }
    // It is the filter that refuses.
    let open = [ways[0], ways[5]].map(call);
    let (outcomes, _) = run(&unconfined().await, builder(folder.path()), &open).await;
    assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
}

/// A builder that is stopped would not end when bakeoff does. What is signalled here does not exist: a call that gets
/// past the filter says so.
#[tokio::test]
async fn nobody_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let nobody = 0x3fff_ffff;
    let with = |signal: i32| {
        let signal = u64::from(signal.cast_unsigned());
        [
            (libc::SYS_kill, [nobody, signal, 0, 0, 0, 0]),
            (libc::SYS_tkill, [nobody, signal, 0, 0, 0, 0]),
            (libc::SYS_tgkill, [nobody, nobody, signal, 0, 0, 0]),
            (libc::SYS_pidfd_send_signal, [u64::MAX, signal, 0, 0, 0, 0]),
            (libc::SYS_rt_sigqueueinfo, [nobody, signal, 0, 0, 0, 0]),
            (
                libc::SYS_rt_tgsigqueueinfo,
                [nobody, nobody, signal, 0, 0, 0],
            ),
        ]
        .map(|(call, arguments)| EscapeAttempt::CallWith(call, arguments))
    };
    let stops = [libc::SIGSTOP, libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU];
    let stops = stops.map(with).concat();
    for confinement in [confinement().await, standard().await] {
        let (outcomes, _) = run(&confinement, builder(folder.path()), &stops).await;
        assert_eq!(outcomes.len(), stops.len());
        outcomes.iter().for_each(refused);
    }
    let other = with(libc::SIGUSR1);
    let (outcomes, _) = run(&confinement().await, builder(folder.path()), &other).await;
    for outcome in outcomes {
        assert!(
            !matches!(outcome, Ok(_) | Err((libc::EPERM, _))),
            "{outcome:?}"
        );
    }
    // Its own group, itself included, also where the filter knows no other.
    let own = [EscapeAttempt::Signal {
        pid: 0,
        signal: libc::SIGSTOP,
    }];
    for confinement in [confinement().await, standard().await] {
        let (outcomes, _) = run(&confinement, builder(folder.path()), &own).await;
        outcomes.iter().for_each(refused);
    }
}

/// The lists must not have a back door in numbers that they do not know: those of later kernels, and on x86-64 those of
/// x32, where `socket` is 0x40000029.
#[tokio::test]
async fn unknown_calls_do_not_exist() {
    let folder = tempfile::tempdir().unwrap();
    // 453 is the first, 457 and 458 would list the host's mounts (statmount, listmount).
    let ways = [
        libc::SYS_clone3,
        453,
        457,
        458,
        463,
        0x4000_0000 + libc::SYS_socket,
        0x4000_0000 + libc::SYS_getpid,
    ]
    .map(EscapeAttempt::Call);
    let confinement = confinement().await;
    for fence in [Fence::closed(), builder(folder.path())] {
        let (outcomes, _) = run(&confinement, fence, &ways).await;
        assert_eq!(outcomes.len(), ways.len());
        for outcome in outcomes {
            assert!(matches!(outcome, Err((libc::ENOSYS, _))), "{outcome:?}");
        }
    }
}
