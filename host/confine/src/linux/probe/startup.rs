//! The search for the mechanisms that this machine has, and the proof that they hold, before anything untrusted
//! runs.

use super::escape::{EscapeAttempt, EscapeOutcome, PROBE};
use crate::error::{ConfinementError, SpawnError};
use crate::exit::ExitCause;
use crate::job::{ChildJob, Fence, Level, Processes};
use crate::linux::bubblewrap::Bubblewrap;
use crate::linux::cgroup::CgroupParent;
use crate::linux::enter::KernelFeatures;
use crate::linux::spawn::Confinement;
use crate::linux::{landlock_rules, supervise, syscalls};
use bakeoff_files::Scratch;
use std::path::{Path, PathBuf};

/// The oldest Landlock that is good enough: before ABI 2, renaming between folders is refused.
const STANDARD_ABI: i32 = 2;

/// The oldest Landlock that also keeps signals and abstract sockets inside.
const FULL_ABI: i32 = 6;

/// The environment variable that limits Landlock to this ABI, 0 for none, to see what an older kernel
/// would do. It can only take confinement away, which is then reported as missing.
const LANDLOCK_AT_MOST: &str = "BAKEOFF_LANDLOCK_AT_MOST";

/// The mechanisms that a probe may use: all that this machine has, or fewer.
#[derive(Clone, Debug)]
pub struct ProbeConfig {
    /// The bakeoff binary, which is started for every child.
    pub program: PathBuf,
    /// The newest Landlock ABI to use; 0: none. `None`: that of the kernel.
    pub landlock_at_most: Option<i32>,
    /// True to use seccomp if the kernel has it.
    pub seccomp: bool,
    /// True to use bubblewrap if it is installed and works.
    pub bubblewrap: bool,
    /// True to make control groups for builders if that works.
    pub groups: bool,
}

impl ProbeConfig {
    /// Returns all mechanisms of this machine, and this binary.
    ///
    /// # Errors
    /// The variable `BAKEOFF_LANDLOCK_AT_MOST` is not a number.
    pub fn current() -> Result<Self, ConfinementError> {
        let config = Self::with_program("/proc/self/exe");
        let Some(text) = std::env::var_os(LANDLOCK_AT_MOST) else {
            return Ok(config);
        };
        match text.to_str().and_then(|text| text.parse().ok()) {
            Some(abi) => Ok(Self {
                landlock_at_most: Some(abi),
                ..config
            }),
            None => Err(ConfinementError {
                reason: format!("{LANDLOCK_AT_MOST} is {text:?}, which is not a number"),
                next: "unset it, or set it to 0 to simulate a kernel without Landlock".to_owned(),
            }),
        }
    }

    /// Returns all mechanisms of this machine, and another binary for the children: for tests and benches.
    pub fn with_program(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            landlock_at_most: None,
            seccomp: true,
            bubblewrap: true,
            groups: true,
        }
    }

    /// Returns the Landlock ABI that may be used.
    ///
    /// # Errors
    /// The reason why there is none.
    pub(crate) fn landlock_abi(&self) -> Result<i32, String> {
        let (kernel, missing) = self.kernel_features();
        kernel.landlock_abi.ok_or_else(|| missing.join("; "))
    }

    /// Returns the features of the kernel, and what is missing.
    fn kernel_features(&self) -> (KernelFeatures, Vec<String>) {
        let mut missing = Vec::new();
        let landlock = match self.landlock_at_most {
            Some(..=0) => Err("this kernel has no Landlock".to_owned()),
            limit => landlock_rules::abi().map(|abi| limit.map_or(abi, |limit| abi.min(limit))),
        };
        let landlock_abi = match landlock {
            Ok(abi @ STANDARD_ABI..) => Some(abi),
            Ok(abi) => {
                missing.push(format!(
                    "its Landlock is ABI {abi}, and ABI {STANDARD_ABI} is the oldest that works"
                ));
                None
            }
            Err(reason) => {
                missing.push(reason);
                None
            }
        };
        let seccomp = self.seccomp && syscalls::available();
        if !seccomp {
            missing.push("this kernel has no seccomp filters".to_owned());
        }
        let kernel = KernelFeatures {
            landlock_abi,
            seccomp,
        };
        (kernel, missing)
    }
}

impl Confinement {
    /// Finds the mechanisms of this machine, and lets children try to get out.
    ///
    /// # Errors
    /// A mechanism is missing, or does not hold.
    pub async fn probe() -> Result<Self, ConfinementError> {
        Self::probe_on(ProbeConfig::current()?).await
    }

    /// Probes with the binary and the mechanisms of `config`.
    ///
    /// # Errors
    /// The errors of [`probe`](Self::probe).
    pub async fn probe_on(config: ProbeConfig) -> Result<Self, ConfinementError> {
        supervise::restore_sigchld();
        Canary::new().map_err(no_folder)?;
        let (kernel, missing) = config.kernel_features();
        if !missing.is_empty() {
            return Err(unavailable(&missing.join("; ")));
        }
        let level = match kernel.landlock_abi {
            Some(FULL_ABI..) => Level::Full,
            _ => Level::Standard,
        };
        let mut confinement = Self {
            program: config.program,
            level,
            kernel,
            outer: None,
            cgroup_parent: None,
        };
        let groups = async {
            if config.groups {
                confinement.usable_groups().await
            } else {
                None
            }
        };
        let (runner, builder, cgroup_parent) =
            tokio::join!(confinement.try_runner(), confinement.try_builder(), groups);
        runner.and(builder).map_err(|reason| unavailable(&reason))?;
        confinement.cgroup_parent = cgroup_parent;
        Ok(if config.bubblewrap {
            confinement.with_outer_layer().await
        } else {
            confinement
        })
    }

    /// Returns a confinement by whatever mechanisms there are, even none: the user takes the risk
    /// (`--allow-unconfined`).
    ///
    /// # Errors
    /// The variable `BAKEOFF_LANDLOCK_AT_MOST` is not a number.
    pub async fn allow_unconfined() -> Result<Self, ConfinementError> {
        Ok(Self::allow_unconfined_on(ProbeConfig::current()?).await)
    }

    /// Returns a confinement by whatever mechanisms of `config` there are, even none.
    pub async fn allow_unconfined_on(config: ProbeConfig) -> Self {
        let (kernel, _) = config.kernel_features();
        match Self::probe_on(config.clone()).await {
            Ok(confinement) => confinement,
            Err(_) => Self {
                program: config.program,
                level: Level::Unconfined,
                kernel,
                outer: None,
                cgroup_parent: None,
            },
        }
    }

    /// Returns where control groups for builders can be made, and a builder works in one.
    async fn usable_groups(&self) -> Option<CgroupParent> {
        for parent in CgroupParent::candidates() {
            if !parent.is_usable() {
                continue;
            }
            let grouped = Self {
                cgroup_parent: Some(parent),
                ..self.clone()
            };
            if grouped.try_builder().await.is_ok() {
                return grouped.cgroup_parent;
            }
        }
        None
    }

    /// Adds bubblewrap around builders, if it is installed and a builder inside it works and is
    /// confined.
    async fn with_outer_layer(self) -> Self {
        let Some(outer) = Bubblewrap::find(&self.program) else {
            return self;
        };
        let wrapped = Self {
            outer: Some(outer),
            ..self.clone()
        };
        match wrapped.try_builder().await {
            Ok(()) => wrapped,
            Err(_) => self,
        }
    }

    /// Lets a runner attempt what is forbidden.
    async fn try_runner(&self) -> Result<(), String> {
        let canary = Canary::new()?;
        let forbidden = forbidden(&canary.file);
        let tried = self.attempt(&Fence::closed(), &forbidden).await?;
        require_refused(&forbidden, &tried)
    }

    /// Lets a builder attempt what is forbidden and what is allowed: a probe that fails at everything
    /// would prove nothing.
    async fn try_builder(&self) -> Result<(), String> {
        let (canary, given) = (Canary::new()?, Canary::new()?);
        let (forbidden, allowed) = (forbidden(&canary.file), allowed(&given.file));
        let fence = Fence {
            write: vec![given.folder.work().to_owned()],
            processes: Processes::Spawn { at_most: 4 },
            ..Fence::closed()
        };
        let tried = self
            .attempt(&fence, &[&forbidden[..], &allowed].concat())
            .await?;
        let (on_forbidden, on_allowed) = tried.split_at(forbidden.len());
        require_refused(&forbidden, on_forbidden)?;
        require_allowed(&allowed, on_allowed)
    }

    /// Runs `attempts` in a child behind `fence`.
    async fn attempt(
        &self,
        fence: &Fence,
        attempts: &[EscapeAttempt],
    ) -> Result<Vec<EscapeOutcome>, String> {
        let payload = postcard::to_stdvec(attempts).map_err(|error| error.to_string())?;
        let parts = [&payload[..]];
        let job = ChildJob::new(PROBE.name, &parts, fence.clone());
        let mut child = self.spawn(job).await.map_err(|error| match error {
            SpawnError::Fence { reason, .. } => reason,
            other => other.to_string(),
        })?;
        let mut outcomes = Vec::new();
        while let Some(frame) = child
            .next_frame()
            .await
            .map_err(|error| error.to_string())?
        {
            outcomes.push(postcard::from_bytes(&frame).map_err(|error| error.to_string())?);
        }
        let exit = child.finish().await;
        match exit.cause {
            ExitCause::Exited(0) if outcomes.len() == attempts.len() => Ok(outcomes),
            other => Err(format!("the probe ended early: {other:?}")),
        }
    }
}

/// A file for a child to read or write.
struct Canary {
    folder: Scratch,
    file: PathBuf,
}

impl Canary {
    fn new() -> Result<Self, String> {
        let make = || {
            let folder = Scratch::new()?;
            let file = folder.work().join("canary");
            std::fs::write(&file, "tweet")?;
            Ok(Self { folder, file })
        };
        make().map_err(|error: std::io::Error| {
            format!(
                "cannot write to the temporary folder {}: {error}",
                std::env::temp_dir().display()
            )
        })
    }
}

/// Attempts that must fail for runners and builders.
fn forbidden(canary: &Path) -> Vec<EscapeAttempt> {
    vec![
        EscapeAttempt::Read(canary.to_owned()),
        EscapeAttempt::Write(canary.to_owned()),
        EscapeAttempt::Socket {
            family: libc::AF_INET,
            kind: libc::SOCK_STREAM,
        },
        EscapeAttempt::Socket {
            family: libc::AF_UNIX,
            kind: libc::SOCK_STREAM,
        },
        EscapeAttempt::Signal {
            pid: rustix::process::getpid().as_raw_nonzero().get(),
            signal: 0,
        },
    ]
}

/// Attempts that must succeed for builders.
fn allowed(given: &Path) -> Vec<EscapeAttempt> {
    vec![
        EscapeAttempt::Read(given.to_owned()),
        EscapeAttempt::Write(given.with_file_name("written")),
        EscapeAttempt::Fork(1),
    ]
}

fn require_refused(attempts: &[EscapeAttempt], outcomes: &[EscapeOutcome]) -> Result<(), String> {
    for (attempt, outcome) in attempts.iter().zip(outcomes) {
        if outcome.is_ok() {
            return Err(format!("the fence does not hold: {attempt:?} succeeded"));
        }
    }
    Ok(())
}

fn require_allowed(attempts: &[EscapeAttempt], outcomes: &[EscapeOutcome]) -> Result<(), String> {
    for (attempt, outcome) in attempts.iter().zip(outcomes) {
        if let Err((_, reason)) = outcome {
            return Err(format!("the fence is too tight: {attempt:?}: {reason}"));
        }
    }
    Ok(())
}

/// Returns the error of a machine without a folder to try the confinement in. It says nothing about the confinement.
fn no_folder(reason: String) -> ConfinementError {
    ConfinementError {
        reason,
        next: "set TMPDIR to a folder with room that you may write to".to_owned(),
    }
}

/// Endings of the system's messages where it has no more processes, memory or files to give: EAGAIN, ENOMEM, ENFILE and
/// EMFILE.
const LIMITS: [&str; 4] = [
    "(os error 11)",
    "(os error 12)",
    "(os error 23)",
    "(os error 24)",
];

fn unavailable(reason: &str) -> ConfinementError {
    // These say nothing of fences, and are no reason to go without.
    if LIMITS.iter().any(|limit| reason.contains(limit)) {
        return ConfinementError {
            reason: reason.to_owned(),
            next: "end other programs, or raise the limit that is met (`ulimit -a`)".to_owned(),
        };
    }
    ConfinementError {
        reason: reason.to_owned(),
        next: "use Linux 5.19 or later with Landlock (landlock in the kernel's lsm= list) and \
               seccomp, or pass --allow-unconfined if you trust every prototype as you trust your \
               own code"
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO: fn() -> EscapeOutcome = || Err((libc::EPERM, "not permitted".to_owned()));
    const YES: fn() -> EscapeOutcome = || Ok(String::new());

    #[test]
    fn a_limit_of_the_system_is_no_reason_to_go_without_fences() {
        let error = unavailable("cannot start it: Too many open files (os error 24)");
        assert!(error.next.contains("ulimit"), "{}", error.next);
        assert!(!error.next.contains("unconfined"), "{}", error.next);
        let missing = unavailable("no Landlock: Function not implemented (os error 38)");
        assert!(missing.next.contains("Landlock"), "{}", missing.next);
    }

    #[test]
    fn one_forbidden_attempt_that_succeeds_fails_the_probe() {
        let forbidden = forbidden(Path::new("/canary"));
        let mut outcomes = vec![NO(); forbidden.len()];
        require_refused(&forbidden, &outcomes).unwrap();
        outcomes[0] = YES();
        let reason = require_refused(&forbidden, &outcomes).unwrap_err();
        let expected = "the fence does not hold: Read(\"/canary\") succeeded";
        assert_eq!(reason, expected);
    }

    #[test]
    fn one_allowed_attempt_that_fails_fails_the_probe() {
        let allowed = allowed(Path::new("/given"));
        let mut outcomes = vec![YES(); allowed.len()];
        require_allowed(&allowed, &outcomes).unwrap();
        outcomes[1] = NO();
        let reason = require_allowed(&allowed, &outcomes).unwrap_err();
        let expected = "the fence is too tight: Write(\"/written\"): not permitted";
        assert_eq!(reason, expected);
    }
}
