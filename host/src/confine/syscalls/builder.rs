//! The calls that reach beyond a builder's fence: everything that is not named here is allowed,
//! and meets Landlock where it opens or starts something.

use super::rules::{Check, Rules, Signals, any_of, own_pid, word};

/// Refused whatever the arguments.
const ALWAYS: &[i64] = &[
    // the network, and local sockets with a name; socketpair stays, rustc starts its linker by it
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_bind,
    libc::SYS_connect,
    libc::SYS_listen,
    libc::SYS_socket,
    // other processes
    libc::SYS_ioprio_set,
    libc::SYS_kcmp,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_pidfd_getfd,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
    libc::SYS_setpriority,
    // leaving the session or group, by which all of them are killed
    libc::SYS_setpgid,
    libc::SYS_setsid,
    // what Landlock does not know about files
    libc::SYS_fgetxattr,
    libc::SYS_flistxattr,
    libc::SYS_getxattr,
    libc::SYS_lgetxattr,
    libc::SYS_listxattr,
    libc::SYS_llistxattr,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchownat,
    libc::SYS_fchown,
    libc::SYS_fremovexattr,
    libc::SYS_fsetxattr,
    libc::SYS_lremovexattr,
    libc::SYS_lsetxattr,
    libc::SYS_mknodat,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_removexattr,
    libc::SYS_setxattr,
    libc::SYS_truncate,
    libc::SYS_utimensat,
    452, // fchmodat2, Linux 6.6; the same number everywhere
    // watching what others do with files
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    libc::SYS_inotify_add_watch,
    // mounts and namespaces
    libc::SYS_chroot,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_pivot_root,
    libc::SYS_setns,
    libc::SYS_umount2,
    libc::SYS_unshare,
    // large and often broken parts of the kernel
    libc::SYS_add_key,
    libc::SYS_bpf,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_keyctl,
    libc::SYS_perf_event_open,
    libc::SYS_personality,
    libc::SYS_request_key,
    libc::SYS_userfaultfd,
    // memory that no process is seen to hold: memory files, and files that are on their way to another process
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_sendmmsg,
    libc::SYS_sendmsg,
    // memory that outlives the process, or speaks to others
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_msgctl,
    libc::SYS_msgget,
    libc::SYS_msgrcv,
    libc::SYS_msgsnd,
    libc::SYS_semctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_shmget,
    // the machine itself
    libc::SYS_acct,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_finit_module,
    libc::SYS_init_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_vhangup,
];

/// Forerunners of some of these, which only x86-64 has.
#[cfg(target_arch = "x86_64")]
const OLD: &[i64] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_ioperm,
    libc::SYS_iopl,
    libc::SYS_kexec_file_load,
    libc::SYS_lchown,
    libc::SYS_mknod,
    libc::SYS_modify_ldt,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const OLD: &[i64] = &[];

/// Signals to a process that is named: where Landlock does not scope them.
const SIGNALS: &[i64] = &[
    libc::SYS_pidfd_send_signal,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_tkill,
];

/// New namespaces, as flags of clone.
const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWUTS,
];

/// Requests to a handle that send signals to others, or type into a terminal.
const IOCTLS: [u64; 4] = [
    0x5412, // TIOCSTI
    0x541c, // TIOCLINUX
    0x8901, // FIOSETOWN
    0x8902, // SIOCSPGRP
];

/// The rules of the calls that are refused.
pub(super) fn denied(signals: Signals) -> Result<Rules, String> {
    let always = ALWAYS.iter().chain(OLD).map(|&call| (call, Vec::new()));
    let mut rules: Rules = always.collect();
    let namespaces = NAMESPACES.map(|flag| Check::Has(word(flag)));
    // F_SETSIG and F_SETOWN_EX are not in every C library's list.
    let owners = [word(libc::F_SETOWN), 10, 15].map(Check::Is);
    rules.extend([
        (libc::SYS_clone, any_of(0, &namespaces)?),
        (libc::SYS_fcntl, any_of(1, &owners)?),
        (libc::SYS_ioctl, any_of(1, &IOCTLS.map(Check::Is))?),
        // What a process has open is looked at from outside, which another state would hide.
        (
            libc::SYS_prctl,
            any_of(0, &[Check::Is(word(libc::PR_SET_DUMPABLE))])?,
        ),
        // Limits of other processes: a CPU limit kills.
        (libc::SYS_prlimit64, any_of(0, &[Check::IsNot(0)])?),
        // A datagram socket of a pair can be pointed at others.
        (libc::SYS_sendto, any_of(4, &[Check::NotNull])?),
        (
            libc::SYS_socketpair,
            any_of(1, &[Check::LowBits(0xf, word(libc::SOCK_DGRAM))])?,
        ),
    ]);
    if signals == Signals::OnlyOwn {
        rules.extend(SIGNALS.iter().map(|&call| (call, Vec::new())));
        // 0 is the own group, which ends with the builder.
        rules.insert(libc::SYS_kill, any_of(0, &[Check::IsNot(0)])?);
        rules.insert(libc::SYS_tgkill, any_of(0, &[Check::IsNot(own_pid())])?);
    }
    Ok(rules)
}
