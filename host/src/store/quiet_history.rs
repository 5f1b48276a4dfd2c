//! What the contention probe read lately on this machine: a file beside the build cache, which tells later
//! runs what a quiet core is. It decides nothing but that; without it, a run knows what its pilot saw.

use crate::events::{Clock as _, SystemClock};
use crate::files::{NewFile, parse_json, read_bounded};
use crate::measure::{self, CoreReading};
use bakeoff_domain::race::{QuietCore, QuietReplicas};
use serde::{Deserialize, Serialize};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// The name of the file.
const FILE: &str = "quiet-cores.json";
/// The most bytes of the file.
const BYTES_MAX: u64 = 1 << 20;
/// The format of the file; another one counts as none.
const VERSION: u32 = 1;
/// The time for which a reading counts: neighbours change, and so may what is under a virtual machine.
const KEPT: Duration = Duration::from_hours(7 * 24);
/// The most readings of a machine that are kept: the last ones.
const READINGS_MAX: usize = 2_000;
/// The most machines that are kept: those of one folder that several of them share, and earlier boots.
const MACHINES_MAX: usize = 4;

/// The readings of this machine, as far as they still count.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QuietHistory {
    readings: Vec<TimedReading>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct TimedReading {
    /// Seconds since 1970.
    at: u64,
    #[serde(flatten)]
    reading: CoreReading,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    version: u32,
    /// The one that was written last stands last.
    machines: Vec<KeptMachine>,
}

#[derive(Debug, Serialize, Deserialize)]
struct KeptMachine {
    machine: String,
    readings: Vec<TimedReading>,
}

impl QuietHistory {
    /// Reads what is kept in the folder of the build cache; nothing if that cannot be read.
    pub fn read(folder: &Path) -> Self {
        Self::of_machine(folder, &measure::probe_name(), now())
    }

    fn of_machine(folder: &Path, machine: &str, now: u64) -> Self {
        let mut readings = Vec::new();
        for kept in kept(&path(folder)).machines {
            if kept.machine == machine {
                readings.extend(kept.readings);
            }
        }
        let since = now.saturating_sub(KEPT.as_secs());
        readings.retain(|one| one.at >= since && one.at <= now && one.reading.could_be());
        Self { readings }
    }

    /// These readings, with others of now.
    #[must_use]
    pub fn with(mut self, readings: &[CoreReading]) -> Self {
        let at = now();
        let readings = readings.iter();
        self.readings.extend(readings.map(|reading| TimedReading {
            at,
            reading: *reading,
        }));
        self
    }

    /// What the probe read in each process whose core was quiet.
    pub fn quiet_readings(&self) -> Vec<f64> {
        let readings = self.readings.iter();
        readings.filter_map(|one| one.reading.quiet).collect()
    }

    /// How often a core was quiet, by what is known of it now; `None` if nothing was measured.
    pub fn share(&self) -> Option<QuietReplicas> {
        let quiet_core = QuietCore::new(&self.quiet_readings());
        let quiet = self.readings.iter();
        let quiet = quiet.filter(|one| quiet_core.is_some_and(|of| of.is_quiet(one.reading.mean)));
        (!self.readings.is_empty()).then(|| QuietReplicas {
            quiet: quiet.count() as u32,
            of: self.readings.len() as u32,
        })
    }

    /// Keeps these readings of now beside those that others have kept since.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(folder: &Path, readings: &[CoreReading]) -> io::Result<()> {
        match readings {
            [] => Ok(()),
            _ => Self::add_of_machine(folder, &measure::probe_name(), now(), readings),
        }
    }

    fn add_of_machine(
        folder: &Path,
        machine: &str,
        now: u64,
        readings: &[CoreReading],
    ) -> io::Result<()> {
        let mut own = Self::of_machine(folder, machine, now).readings;
        own.extend(readings.iter().map(|reading| TimedReading {
            at: now,
            reading: *reading,
        }));
        own.drain(..own.len().saturating_sub(READINGS_MAX));
        let mut machines = kept(&path(folder)).machines;
        machines.retain(|kept| kept.machine != machine);
        machines.drain(..machines.len().saturating_sub(MACHINES_MAX - 1));
        machines.push(KeptMachine {
            machine: machine.to_owned(),
            readings: own,
        });
        let kept = Kept {
            version: VERSION,
            machines,
        };
        let new = NewFile::private(&path(folder))?;
        new.file().write_all(&serde_json::to_vec(&kept)?)?;
        new.put_in_place()
    }
}

fn path(folder: &Path) -> PathBuf {
    folder.join(FILE)
}

/// What a file has, if it is one of ours.
fn kept(path: &Path) -> Kept {
    let bytes = read_bounded(path, BYTES_MAX).ok().flatten();
    let kept = bytes.and_then(|bytes| parse_json::<Kept>(&bytes).ok());
    kept.filter(|kept| kept.version == VERSION)
        .unwrap_or_default()
}

fn now() -> u64 {
    let since = SystemClock::new().wall().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: CoreReading = CoreReading {
        mean: 1.01,
        quiet: Some(1.0),
    };
    const CROWDED: CoreReading = CoreReading {
        mean: 1.3,
        quiet: None,
    };

    #[test]
    fn readings_are_kept_by_machine_and_expire() {
        let folder = tempfile::tempdir().unwrap();
        let add = |machine, now, readings: &[CoreReading]| {
            QuietHistory::add_of_machine(folder.path(), machine, now, readings).unwrap();
        };
        let share = |machine, now| QuietHistory::of_machine(folder.path(), machine, now).share();
        let day = 24 * 3600;
        add("a", 10 * day, &[QUIET, CROWDED]);
        add("b", 10 * day, &[CROWDED]);
        add("a", 12 * day, &[QUIET]);
        let found = share("a", 12 * day);
        assert_eq!(found, Some(QuietReplicas { quiet: 2, of: 3 }));
        assert_eq!(
            share("b", 12 * day),
            Some(QuietReplicas { quiet: 0, of: 1 })
        );
        assert_eq!(share("c", 12 * day), None);
        let found = share("a", 18 * day);
        assert_eq!(found, Some(QuietReplicas { quiet: 1, of: 1 }));
        assert_eq!(
            share("a", 11 * day),
            Some(QuietReplicas { quiet: 1, of: 2 })
        );
        for machine in ["c", "d", "e", "f"] {
            add(machine, 12 * day, &[QUIET]);
        }
        assert_eq!(share("a", 12 * day), None, "the oldest are forgotten");
        assert!(share("f", 12 * day).is_some());
    }

    #[test]
    fn what_is_none_of_ours_counts_as_nothing_and_is_written_anew() {
        let folder = tempfile::tempdir().unwrap();
        let long = format!("[{}]", "0,".repeat(1 << 20));
        let forged = r#"{"version":1,"machines":[{"machine":"m","readings":[{"at":5,"mean":1.0,"quiet":-3.0}]}]}"#;
        let newer = r#"{"version":2,"machines":[]}"#;
        for text in ["", "{}", "[1", &long, forged, newer] {
            std::fs::write(path(folder.path()), text).unwrap();
            let found = QuietHistory::of_machine(folder.path(), "m", 9);
            assert_eq!(found.share(), None, "{:.40}", text);
            QuietHistory::add_of_machine(folder.path(), "m", 9, &[QUIET]).unwrap();
            let found = QuietHistory::of_machine(folder.path(), "m", 9);
            assert_eq!(found.quiet_readings(), [1.0]);
        }
    }

    #[test]
    fn the_last_readings_stay() {
        let folder = tempfile::tempdir().unwrap();
        for at in [1, 2] {
            let many = vec![QUIET; READINGS_MAX - 10];
            QuietHistory::add_of_machine(folder.path(), "m", at, &many).unwrap();
        }
        let found = QuietHistory::of_machine(folder.path(), "m", 2);
        assert_eq!(found.readings.len(), READINGS_MAX);
        assert_eq!(found.readings.iter().filter(|one| one.at == 1).count(), 10);
    }
}
