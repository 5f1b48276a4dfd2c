//! What the end of a child that built nothing says about the code.

use super::limits::{
    ADDRESS_SPACE_BYTES, CPU_HARD_S, CPU_SOFT_S, FILE_BYTES, OUTPUT_BYTES_MAX, RESIDENT_BYTES_MAX,
    STDERR_BYTES_MAX, WALL,
};
use super::order::{Stage, build_failure, load_failure, with_limit};
use crate::confine::{Ending, Exit};
use bakeoff_domain::failure::{Failure, FailureClass};
use std::time::Duration;

/// Whether the parent cut a build short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// No.
    None,
    /// Its wall time was up.
    Wall,
}

/// What a child died of; the bound that it met, where it met one.
enum Cause {
    Time(String),
    Memory(String),
    Output(String),
    Processes(String),
    Crash(String),
}

/// The failure of a child that ended without a word about one. It could have `processes_max`
/// processes at a time.
pub(super) fn of_death(
    stage: Option<Stage>,
    exit: &Exit,
    cut: Cut,
    processes_max: usize,
    shown: &str,
) -> Failure {
    let cause = match cut {
        Cut::Wall => Cause::Time(format!("wall = {} s", WALL.as_secs())),
        Cut::None => cause(exit, processes_max),
    };
    let compiling = stage == Some(Stage::Component);
    let (class, what, limit) = match cause {
        Cause::Time(limit) => (FailureClass::BuildTimeout, "more time", limit),
        Cause::Memory(limit) => (FailureClass::BuildMemory, "more memory", limit),
        Cause::Output(limit) => (FailureClass::BuildOutputLimit, "more output", limit),
        Cause::Processes(limit) => (FailureClass::BuildCrashed, "more processes", limit),
        Cause::Crash(how) => {
            let failure = match compiling {
                true => load_failure(
                    FailureClass::LoadCompileLimit,
                    format!("compiling {shown} to machine code ended the compiler: {how}"),
                ),
                false => build_failure(
                    FailureClass::BuildCrashed,
                    format!("building {shown} ended the builder: {how}"),
                ),
            };
            return failure;
        }
    };
    let failure = match compiling {
        true => load_failure(
            FailureClass::LoadCompileLimit,
            format!("compiling {shown} to machine code takes {what} than a build may have"),
        ),
        false => build_failure(
            class,
            format!("building {shown} takes {what} than a build may have"),
        ),
    };
    with_limit(failure, limit)
}

/// What is said of a process that was killed before it met any bound.
pub(super) const NO_BOUND: &str = "and not for a bound of the build: as a rule the system does so \
                                   when the machine runs out of memory";

/// Whether a signal is the kernel's at the CPU limit: it tells first, and kills later. A kill that
/// comes earlier has another reason.
pub(super) fn is_cpu_limit(signal: i32, cpu: Duration) -> bool {
    match signal {
        libc::SIGXCPU => true,
        // The kernel counts in ticks of its own, so that what is read may lag behind.
        libc::SIGKILL => cpu >= Duration::from_secs(CPU_HARD_S - 1),
        _ => false,
    }
}

fn cause(exit: &Exit, processes_max: usize) -> Cause {
    let bytes = |name: &str, bytes: u64| format!("{name} = {bytes} bytes");
    let said = String::from_utf8_lossy(&exit.stderr);
    let last = said
        .lines()
        .rev()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    match exit.ending {
        Ending::Signalled(signal) if is_cpu_limit(signal, exit.cpu) => {
            Cause::Time(format!("cpu = {CPU_SOFT_S} s"))
        }
        Ending::Signalled(libc::SIGKILL) => Cause::Crash(format!("it was killed, {NO_BOUND}")),
        Ending::MemoryWatchdog => Cause::Memory(bytes("resident memory", RESIDENT_BYTES_MAX)),
        Ending::Signalled(_) | Ending::Exited(_) if said.contains("memory allocation of") => {
            Cause::Memory(bytes("address space", ADDRESS_SPACE_BYTES))
        }
        Ending::OutputOverflow => Cause::Output(bytes("output", OUTPUT_BYTES_MAX)),
        Ending::StderrOverflow => Cause::Output(bytes("stderr", STDERR_BYTES_MAX as u64)),
        Ending::Signalled(libc::SIGXFSZ) => Cause::Output(bytes("file", FILE_BYTES)),
        Ending::ProcessWatchdog => Cause::Processes(format!("processes = {processes_max}")),
        Ending::Signalled(signal) => Cause::Crash(format!("signal {signal}")),
        Ending::Exited(status) => Cause::Crash(format!("status {status}: {last}")),
        Ending::Killed => Cause::Crash("it was killed".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(stage: Stage, ending: Ending, stderr: &str, cut: Cut) -> (&'static str, Option<String>) {
        let exit = Exit {
            ending,
            stderr: stderr.into(),
            cpu: Duration::ZERO,
            max_rss_bytes: 0,
        };
        let failure = of_death(Some(stage), &exit, cut, 8, "a.rs");
        assert!(failure.message.contains("a.rs"), "{}", failure.message);
        (failure.class.name(), failure.limit)
    }

    #[test]
    fn the_end_of_a_child_is_explained_by_the_bound_it_met() {
        let memory = "address space = 3221225472 bytes";
        let aborted = Ending::Signalled(libc::SIGABRT);
        for (ending, stderr, cut, class, limit) in [
            (
                Ending::Killed,
                "",
                Cut::Wall,
                "build-timeout",
                "wall = 60 s",
            ),
            (
                Ending::Signalled(libc::SIGXCPU),
                "",
                Cut::None,
                "build-timeout",
                "cpu = 30 s",
            ),
            (
                Ending::MemoryWatchdog,
                "",
                Cut::None,
                "build-memory",
                "resident memory = 3221225472 bytes",
            ),
            (
                aborted,
                "memory allocation of 9 bytes failed",
                Cut::None,
                "build-memory",
                memory,
            ),
            (
                Ending::OutputOverflow,
                "",
                Cut::None,
                "build-output-limit",
                "output = 536870912 bytes",
            ),
            (
                Ending::StderrOverflow,
                "",
                Cut::None,
                "build-output-limit",
                "stderr = 262144 bytes",
            ),
            (
                Ending::Signalled(libc::SIGXFSZ),
                "",
                Cut::None,
                "build-output-limit",
                "file = 67108864 bytes",
            ),
            (
                Ending::ProcessWatchdog,
                "",
                Cut::None,
                "build-crashed",
                "processes = 8",
            ),
            (
                Ending::Signalled(libc::SIGSEGV),
                "",
                Cut::None,
                "build-crashed",
                "",
            ),
            (Ending::Exited(71), "why", Cut::None, "build-crashed", ""),
        ] {
            let limit = (!limit.is_empty()).then(|| limit.to_owned());
            assert_eq!(
                of(Stage::Source, ending, stderr, cut),
                (class, limit.clone())
            );
            // The same while a component is compiled says that it is too much for that.
            assert_eq!(
                of(Stage::Component, ending, stderr, cut),
                ("load-compile-limit", limit)
            );
        }
    }

    /// The kernel kills at the hard limit, and when the machine's memory runs out.
    #[test]
    fn a_kill_is_the_cpu_limits_only_once_that_time_is_used() {
        let killed = |seconds| Exit {
            ending: Ending::Signalled(libc::SIGKILL),
            stderr: Vec::new(),
            cpu: Duration::from_secs(seconds),
            max_rss_bytes: 0,
        };
        let of = |seconds| {
            let exit = killed(seconds);
            of_death(Some(Stage::Source), &exit, Cut::None, 8, "a.rs")
        };
        let (late, early) = (of(34), of(33));
        assert_eq!(late.class, FailureClass::BuildTimeout);
        assert_eq!(late.limit.as_deref(), Some("cpu = 30 s"));
        assert_eq!(early.class, FailureClass::BuildCrashed);
        assert_eq!(early.limit, None);
        assert!(
            early.message.contains("runs out of memory"),
            "{}",
            early.message
        );
    }
}
