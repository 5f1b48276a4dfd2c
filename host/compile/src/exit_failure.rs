//! Classification of the exit of a builder child or a compiler as a failure.

use super::build_protocol::BuildStage;
use super::failures::{build_failure, load_failure, with_limit};
use super::limits::{
    ADDRESS_SPACE_BYTES, CPU_HARD_S, CPU_SOFT_S, FILE_BYTES, FOLDER_BYTES_MAX, OUTPUT_BYTES_MAX,
    RESIDENT_BYTES_MAX, STDERR_BYTES_MAX, WALL,
};
use bakeoff_confine::{Exit, ExitCause};
use bakeoff_domain::failure::{Failure, FailureClass};
use serde::{Deserialize, Serialize};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

/// The state of a build's wall time at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum WallTime {
    /// The build ended in time.
    Kept,
    /// The worker killed the build when its wall time was over.
    Exceeded,
}

/// The cause of a child's end, with the limit that it met, or the way in which it crashed.
enum Cause {
    Time(String),
    Memory(String),
    Output(String),
    Processes(String),
    Crash(String),
}

/// Returns the failure of a child that ended without reporting one. It was allowed `processes_max`
/// processes at a time.
pub(super) fn classify_exit(
    stage: Option<BuildStage>,
    exit: &Exit,
    wall_time: WallTime,
    processes_max: usize,
    shown: &str,
) -> Failure {
    let cause = match wall_time {
        WallTime::Exceeded => Cause::Time(format!("wall = {} s", WALL.as_secs())),
        WallTime::Kept => cause(exit, processes_max),
    };
    let compiling = stage == Some(BuildStage::Component);
    let (class, what, limit) = match cause {
        Cause::Time(limit) => (FailureClass::BuildTimeout, "more time", limit),
        Cause::Memory(limit) => (FailureClass::BuildMemory, "more memory", limit),
        Cause::Output(limit) => (FailureClass::BuildOutputLimit, "more output", limit),
        Cause::Processes(limit) => (FailureClass::BuildCrashed, "more processes", limit),
        Cause::Crash(how) => {
            let failure = if compiling {
                load_failure(
                    FailureClass::LoadCompileLimit,
                    format!("compiling {shown} to machine code ended the compiler: {how}"),
                )
            } else {
                build_failure(
                    FailureClass::BuildCrashed,
                    format!("building {shown} ended the builder: {how}"),
                )
            };
            return failure;
        }
    };
    let failure = if compiling {
        load_failure(
            FailureClass::LoadCompileLimit,
            format!("compiling {shown} to machine code needs {what} than a build may have"),
        )
    } else {
        build_failure(
            class,
            format!("building {shown} needs {what} than a build may have"),
        )
    };
    with_limit(failure, limit)
}

/// The explanation for a process that was killed before it met any limit.
const NO_LIMIT_MET: &str = "but met no limit of the build: the system may have run out of memory";

/// Returns true if a signal is the kernel's at the CPU limit: SIGXCPU at the soft limit, SIGKILL at
/// the hard one. A kill that comes earlier has another reason.
fn is_cpu_limit(signal: i32, cpu: Duration) -> bool {
    match signal {
        libc::SIGXCPU => true,
        // The kernel counts in ticks, so the time that is read may lag behind.
        libc::SIGKILL => cpu >= Duration::from_secs(CPU_HARD_S - 1),
        _ => false,
    }
}

fn cause(exit: &Exit, processes_max: usize) -> Cause {
    let bytes = |name: &str, bytes: u64| format!("{name} = {bytes} bytes");
    let stderr = String::from_utf8_lossy(&exit.stderr);
    let last = stderr
        .lines()
        .rev()
        .find(|line| !line.trim().is_empty() && !line.starts_with("note: run with `RUST_BACKTRACE"))
        .unwrap_or_default();
    match exit.cause {
        ExitCause::Signalled(signal) if is_cpu_limit(signal, exit.cpu) => {
            Cause::Time(format!("cpu = {CPU_SOFT_S} s"))
        }
        ExitCause::Signalled(libc::SIGKILL) => {
            Cause::Crash(format!("it was killed, {NO_LIMIT_MET}"))
        }
        ExitCause::MemoryWatchdog => Cause::Memory(bytes("resident memory", RESIDENT_BYTES_MAX)),
        ExitCause::Signalled(_) | ExitCause::Exited(_)
            if stderr.contains("memory allocation of") =>
        {
            Cause::Memory(bytes("address space", ADDRESS_SPACE_BYTES))
        }
        ExitCause::FolderWatchdog => Cause::Output(bytes("folder", FOLDER_BYTES_MAX)),
        ExitCause::OutputOverflow => Cause::Output(bytes("output", OUTPUT_BYTES_MAX)),
        ExitCause::StderrOverflow => Cause::Output(bytes("stderr", STDERR_BYTES_MAX as u64)),
        ExitCause::Signalled(libc::SIGXFSZ) => Cause::Output(bytes("file", FILE_BYTES)),
        ExitCause::ProcessWatchdog => Cause::Processes(format!("processes = {processes_max}")),
        ExitCause::Signalled(signal) => Cause::Crash(format!("signal {signal}")),
        ExitCause::Exited(status) => Cause::Crash(format!("status {status}: {last}")),
        ExitCause::Killed => Cause::Crash("it was killed".to_owned()),
    }
}

/// Returns the failure of a compiler that ran out of memory or was ended by a signal; `None` if it
/// ended by itself. `raw` is its stderr without diagnostics.
pub(super) fn classify_compiler_exit(
    status: ExitStatus,
    cpu: Duration,
    raw: &str,
) -> Option<Failure> {
    let memory = [
        "memory allocation of",
        "out of memory",
        "Cannot allocate memory",
        "bad_alloc",
    ];
    if memory.iter().any(|words| raw.contains(words)) {
        let message = "the compiler needs more memory for this file than a build may have";
        let limit = format!("address space = {ADDRESS_SPACE_BYTES} bytes");
        return Some(with_limit(
            build_failure(FailureClass::BuildMemory, message),
            limit,
        ));
    }
    let (class, message, limit) = match status.signal()? {
        signal if is_cpu_limit(signal, cpu) => (
            FailureClass::BuildTimeout,
            "the compiler needs more time for this file than a build may have".to_owned(),
            Some(format!("cpu = {CPU_SOFT_S} s")),
        ),
        libc::SIGXFSZ => (
            FailureClass::BuildOutputLimit,
            "the compiler writes a larger file than a build may".to_owned(),
            Some(format!("file = {FILE_BYTES} bytes")),
        ),
        libc::SIGKILL => (
            FailureClass::BuildCrashed,
            format!("the compiler was killed on this file, {NO_LIMIT_MET}"),
            None,
        ),
        signal => (
            FailureClass::BuildCrashed,
            format!("the compiler died on this file, by signal {signal}"),
            None,
        ),
    };
    let failure = build_failure(class, message);
    Some(match limit {
        Some(limit) => with_limit(failure, limit),
        None => failure,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(
        stage: BuildStage,
        cause: ExitCause,
        stderr: &str,
        wall_time: WallTime,
    ) -> (&'static str, Option<String>) {
        let exit = Exit {
            cause,
            stderr: stderr.into(),
            cpu: Duration::ZERO,
            max_rss_bytes: 0,
        };
        let failure = classify_exit(Some(stage), &exit, wall_time, 8, "a.rs");
        assert!(failure.message.contains("a.rs"), "{}", failure.message);
        (failure.class.name(), failure.limit)
    }

    #[test]
    fn the_exit_of_a_child_is_explained_by_the_limit_it_met() {
        let memory = "address space = 3221225472 bytes";
        let aborted = ExitCause::Signalled(libc::SIGABRT);
        for (ending, stderr, wall_time, class, limit) in [
            (
                ExitCause::Killed,
                "",
                WallTime::Exceeded,
                "build-timeout",
                "wall = 600 s",
            ),
            (
                ExitCause::Signalled(libc::SIGXCPU),
                "",
                WallTime::Kept,
                "build-timeout",
                "cpu = 30 s",
            ),
            (
                ExitCause::MemoryWatchdog,
                "",
                WallTime::Kept,
                "build-memory",
                "resident memory = 3221225472 bytes",
            ),
            (
                aborted,
                "memory allocation of 9 bytes failed",
                WallTime::Kept,
                "build-memory",
                memory,
            ),
            (
                ExitCause::OutputOverflow,
                "",
                WallTime::Kept,
                "build-output-limit",
                "output = 536870912 bytes",
            ),
            (
                ExitCause::StderrOverflow,
                "",
                WallTime::Kept,
                "build-output-limit",
                "stderr = 262144 bytes",
            ),
            (
                ExitCause::Signalled(libc::SIGXFSZ),
                "",
                WallTime::Kept,
                "build-output-limit",
                "file = 67108864 bytes",
            ),
            (
                ExitCause::ProcessWatchdog,
                "",
                WallTime::Kept,
                "build-crashed",
                "processes = 8",
            ),
            (
                ExitCause::Signalled(libc::SIGSEGV),
                "",
                WallTime::Kept,
                "build-crashed",
                "",
            ),
            (
                ExitCause::Exited(71),
                "why",
                WallTime::Kept,
                "build-crashed",
                "",
            ),
        ] {
            let limit = (!limit.is_empty()).then(|| limit.to_owned());
            assert_eq!(
                of(BuildStage::Source, ending, stderr, wall_time),
                (class, limit.clone())
            );
            // While a component is compiled, the same exits mean that it is too much for the engine.
            assert_eq!(
                of(BuildStage::Component, ending, stderr, wall_time),
                ("load-compile-limit", limit)
            );
        }
    }

    /// The kernel kills at the hard limit, and when the machine's memory runs out.
    #[test]
    fn a_kill_is_the_cpu_limits_only_once_that_time_is_used() {
        let killed = |seconds| Exit {
            cause: ExitCause::Signalled(libc::SIGKILL),
            stderr: Vec::new(),
            cpu: Duration::from_secs(seconds),
            max_rss_bytes: 0,
        };
        let of = |seconds| {
            let exit = killed(seconds);
            classify_exit(Some(BuildStage::Source), &exit, WallTime::Kept, 8, "a.rs")
        };
        let (late, early) = (of(34), of(33));
        assert_eq!(late.class, FailureClass::BuildTimeout);
        assert_eq!(late.limit.as_deref(), Some("cpu = 30 s"));
        assert_eq!(early.class, FailureClass::BuildCrashed);
        assert_eq!(early.limit, None);
        assert!(
            early.message.contains("run out of memory"),
            "{}",
            early.message
        );
    }
}
