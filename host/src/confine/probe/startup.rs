//! Before anything untrusted: what does this machine offer, and does it hold?

use super::attempt::{Attempt, Outcome, PROBE};
use crate::confine::enter::Kernel;
use crate::confine::group::Home;
use crate::confine::outer::Bubblewrap;
use crate::confine::{
    Confinement, Ending, Fence, Job, Level, Processes, SpawnError, Unavailable, files, supervise,
    syscalls,
};
use std::path::{Path, PathBuf};

/// The oldest Landlock that is good enough: before ABI 2, renaming between folders is refused.
const STANDARD_ABI: i32 = 2;

/// From here on Landlock also keeps signals and abstract sockets inside.
const FULL_ABI: i32 = 6;

/// An environment variable that makes bakeoff use no newer Landlock than this ABI, 0 for none: to
/// see what an older kernel would do. It can only take confinement away that is then reported as
/// missing.
const LANDLOCK_AT_MOST: &str = "BAKEOFF_LANDLOCK_AT_MOST";

/// What confinement is probed on: this machine, or a poorer one that it plays.
#[derive(Clone, Debug)]
pub struct Host {
    /// The bakeoff binary, which is started for every child.
    pub program: PathBuf,
    /// Use no newer Landlock than this ABI; 0: none. `None`: what the kernel has.
    pub landlock_at_most: Option<i32>,
    /// Whether to use seccomp if the kernel has it.
    pub seccomp: bool,
    /// Whether to use bubblewrap if it is installed and works.
    pub bubblewrap: bool,
    /// Whether to make control groups for builders if that works.
    pub groups: bool,
}

impl Host {
    /// This machine, and this very binary.
    ///
    /// # Errors
    /// The variable `BAKEOFF_LANDLOCK_AT_MOST` is not a number.
    pub fn current() -> Result<Self, Unavailable> {
        let host = Self::with_program("/proc/self/exe");
        let Some(text) = std::env::var_os(LANDLOCK_AT_MOST) else {
            return Ok(host);
        };
        match text.to_str().and_then(|text| text.parse().ok()) {
            Some(abi) => Ok(Self {
                landlock_at_most: Some(abi),
                ..host
            }),
            None => Err(Unavailable {
                reason: format!("{LANDLOCK_AT_MOST} is {text:?}, which is not a number"),
                next: "unset it, or set it to 0 to play a kernel without Landlock".to_owned(),
            }),
        }
    }

    /// This machine, with another binary for the children: for tests and benches, which are
    /// binaries of their own.
    pub fn with_program(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            landlock_at_most: None,
            seccomp: true,
            bubblewrap: true,
            groups: true,
        }
    }

    /// What the kernel has, and why not more.
    fn means(&self) -> (Kernel, Vec<String>) {
        let mut missing = Vec::new();
        let landlock = match self.landlock_at_most {
            Some(..=0) => Err("this kernel has no Landlock".to_owned()),
            limit => files::abi().map(|abi| limit.map_or(abi, |limit| abi.min(limit))),
        };
        let landlock_abi = match landlock {
            Ok(abi @ STANDARD_ABI..) => Some(abi),
            Ok(abi) => {
                missing.push(format!(
                    "its Landlock is ABI {abi}, and ABI {STANDARD_ABI} is the least"
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
        let means = Kernel {
            landlock_abi,
            seccomp,
        };
        (means, missing)
    }
}

impl Confinement {
    /// Finds out what confines children here, and lets one try to get out.
    ///
    /// # Errors
    /// Nothing confines them, or what should does not hold.
    pub async fn probe() -> Result<Self, Unavailable> {
        Self::probe_on(Host::current()?).await
    }

    /// The same for another binary, or as on a poorer machine.
    ///
    /// # Errors
    /// As for [`probe`](Self::probe).
    pub async fn probe_on(host: Host) -> Result<Self, Unavailable> {
        supervise::expect_endings();
        let (means, missing) = host.means();
        if !missing.is_empty() {
            return Err(unavailable(&missing.join("; ")));
        }
        let level = match means.landlock_abi {
            Some(FULL_ABI..) => Level::Full,
            _ => Level::Standard,
        };
        let confinement = Self {
            program: host.program,
            level,
            means,
            outer: None,
            home: None,
        };
        let (runner, builder) = tokio::join!(confinement.try_runner(), confinement.try_builder());
        runner.and(builder).map_err(|reason| unavailable(&reason))?;
        let confinement = match host.groups {
            true => confinement.with_groups().await,
            false => confinement,
        };
        Ok(match host.bubblewrap {
            true => confinement.with_outer_layer().await,
            false => confinement,
        })
    }

    /// The best there is, were it nothing: the user takes the risk (`--allow-unconfined`).
    ///
    /// # Errors
    /// The system is not Linux, or the variable `BAKEOFF_LANDLOCK_AT_MOST` is not a number.
    pub async fn allow_unconfined() -> Result<Self, Unavailable> {
        Ok(Self::allow_unconfined_on(Host::current()?).await)
    }

    /// The same for another binary, or as on a poorer machine.
    pub async fn allow_unconfined_on(host: Host) -> Self {
        let (means, _) = host.means();
        match Self::probe_on(host.clone()).await {
            Ok(confinement) => confinement,
            Err(_) => Self {
                program: host.program,
                level: Level::Unconfined,
                means,
                outer: None,
                home: None,
            },
        }
    }

    /// Adds control groups for builders, if there is a place where they can be made and a builder
    /// works in one.
    async fn with_groups(self) -> Self {
        for home in Home::candidates() {
            if !home.is_usable() {
                continue;
            }
            let grouped = Self {
                home: Some(home),
                ..self.clone()
            };
            if grouped.try_builder().await.is_ok() {
                return grouped;
            }
        }
        self
    }

    /// Adds bubblewrap around builders, if it is here and a builder works and is shut in inside it.
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

    /// Sends a runner to try the doors.
    async fn try_runner(&self) -> Result<(), String> {
        let canary = Canary::new()?;
        let doors = doors(&canary.file);
        let tried = self.attempt(&Fence::closed(), &doors).await?;
        all_shut(&doors, &tried)
    }

    /// Sends a builder to try the doors, and the gates. What it is given must be open: a probe that
    /// fails at everything would prove nothing.
    async fn try_builder(&self) -> Result<(), String> {
        let (canary, given) = (Canary::new()?, Canary::new()?);
        let (doors, gates) = (doors(&canary.file), gates(&given.file));
        let fence = Fence {
            write: vec![given.folder.path().to_owned()],
            processes: Processes::Spawn { at_most: 4 },
            ..Fence::closed()
        };
        let tried = self.attempt(&fence, &[&doors[..], &gates].concat()).await?;
        let (by_doors, by_gates) = tried.split_at(doors.len());
        all_shut(&doors, by_doors)?;
        all_open(&gates, by_gates)
    }

    /// What comes of `attempts` behind `fence`.
    async fn attempt(&self, fence: &Fence, attempts: &[Attempt]) -> Result<Vec<Outcome>, String> {
        let payload = postcard::to_stdvec(attempts).map_err(|error| error.to_string())?;
        let parts = [&payload[..]];
        let job = Job::new(PROBE.name, &parts, fence.clone());
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
        match exit.ending {
            Ending::Exited(0) if outcomes.len() == attempts.len() => Ok(outcomes),
            other => Err(format!("the probe ended early: {other:?}")),
        }
    }
}

/// A file that a child may, or may not, find.
struct Canary {
    folder: tempfile::TempDir,
    file: PathBuf,
}

impl Canary {
    fn new() -> Result<Self, String> {
        let make = || {
            let folder = tempfile::tempdir()?;
            let file = folder.path().join("canary");
            std::fs::write(&file, "tweet")?;
            Ok(Self { folder, file })
        };
        make().map_err(|error: std::io::Error| {
            format!("cannot make a file to probe with in the temporary folder: {error}")
        })
    }
}

/// What neither a runner nor a builder may do.
fn doors(canary: &Path) -> Vec<Attempt> {
    vec![
        Attempt::Read(canary.to_owned()),
        Attempt::Write(canary.to_owned()),
        Attempt::Socket {
            family: libc::AF_INET,
            kind: libc::SOCK_STREAM,
        },
        Attempt::Socket {
            family: libc::AF_UNIX,
            kind: libc::SOCK_STREAM,
        },
        Attempt::Signal {
            pid: rustix::process::getpid().as_raw_nonzero().get(),
            signal: 0,
        },
    ]
}

/// What a builder must be able to do.
fn gates(given: &Path) -> Vec<Attempt> {
    vec![
        Attempt::Read(given.to_owned()),
        Attempt::Write(given.with_file_name("written")),
        Attempt::Fork(1),
    ]
}

fn all_shut(attempts: &[Attempt], outcomes: &[Outcome]) -> Result<(), String> {
    for (attempt, outcome) in attempts.iter().zip(outcomes) {
        if outcome.is_ok() {
            return Err(format!("the fence does not hold: {attempt:?} succeeded"));
        }
    }
    Ok(())
}

fn all_open(attempts: &[Attempt], outcomes: &[Outcome]) -> Result<(), String> {
    for (attempt, outcome) in attempts.iter().zip(outcomes) {
        if let Err((_, reason)) = outcome {
            return Err(format!("the fence is too tight: {attempt:?}: {reason}"));
        }
    }
    Ok(())
}

fn unavailable(reason: &str) -> Unavailable {
    Unavailable {
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

    const NO: fn() -> Outcome = || Err((libc::EPERM, "not permitted".to_owned()));
    const YES: fn() -> Outcome = || Ok(String::new());

    #[test]
    fn one_open_door_is_enough_to_fail() {
        let doors = doors(Path::new("/canary"));
        let mut outcomes = vec![NO(); doors.len()];
        all_shut(&doors, &outcomes).unwrap();
        outcomes[0] = YES();
        let reason = all_shut(&doors, &outcomes).unwrap_err();
        let expected = "the fence does not hold: Read(\"/canary\") succeeded";
        assert_eq!(reason, expected);
    }

    #[test]
    fn a_fence_without_a_gate_proves_nothing() {
        let gates = gates(Path::new("/given"));
        let mut outcomes = vec![YES(); gates.len()];
        all_open(&gates, &outcomes).unwrap();
        outcomes[1] = NO();
        let reason = all_open(&gates, &outcomes).unwrap_err();
        let expected = "the fence is too tight: Write(\"/written\"): not permitted";
        assert_eq!(reason, expected);
    }
}
