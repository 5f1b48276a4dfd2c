//! The ratios in replicas that had a quiet core. The other hardware thread of a core may belong to
//! another machine and slow down one prototype more than another. Natively such calls are excluded
//! by counting the quickest calls, here by counting only replicas with the least contention probe.

use super::Failure;
use super::support::median;
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// The greatest contention probe of a quiet core, as a multiple of the least one.
const QUIET: f64 = 1.03;

/// The least number of quiet replicas for a ratio.
const REPLICAS_MIN: usize = 5;

/// The replicas of all races, from which the quiet ones are chosen.
pub(crate) struct Quiet {
    /// The least contention probe so far, in nanoseconds.
    least_contention_probe_ns: f64,
    replicas: Vec<Replica>,
}

struct Replica {
    family: &'static str,
    contention_probe_ns: f64,
    /// The logarithm of the time of each prototype that ran in the replica.
    log_times: BTreeMap<String, f64>,
}

impl Quiet {
    /// Returns an empty set of replicas.
    pub(crate) fn new() -> Self {
        Self {
            least_contention_probe_ns: f64::INFINITY,
            replicas: Vec::new(),
        }
    }

    /// Adds the replicas of a race: its report, and the contention probes from its folder of
    /// results.
    pub(crate) fn take_in(
        &mut self,
        family: &'static str,
        report: &Value,
        results: &Path,
    ) -> Result<(), Failure> {
        let file = results.join("bakeoff.db");
        let database = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let mut statement = database
            .prepare("SELECT contention_probe_ns FROM v_replicas WHERE counts ORDER BY replica")?;
        let counted: Vec<Option<f64>> = statement
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let times = &report["replicas"];
        let prototypes: Vec<String> = serde_json::from_value(times["variants"].clone())?;
        let rows: Vec<Vec<Option<f64>>> = serde_json::from_value(times["log_times"].clone())?;
        if counted.len() != rows.len() {
            return Err(format!("{family}: the report has other replicas than its store").into());
        }
        for (probe, row) in counted.into_iter().zip(rows) {
            let Some(contention_probe_ns) = probe else {
                continue;
            };
            self.least_contention_probe_ns =
                self.least_contention_probe_ns.min(contention_probe_ns);
            let known = |(name, time): (&String, Option<f64>)| Some((name.clone(), time?));
            self.replicas.push(Replica {
                family,
                contention_probe_ns,
                log_times: prototypes.iter().zip(row).filter_map(known).collect(),
            });
        }
        Ok(())
    }

    /// Returns the time of the first over the time of the second, as the median over the quiet
    /// replicas of their family; `None` if there are too few in which both ran.
    pub(crate) fn ratio(&self, family: &str, first: &str, second: &str) -> Option<f64> {
        let of_family = self.replicas.iter().filter(|one| one.family == family);
        let quiet = of_family
            .filter(|one| one.contention_probe_ns <= QUIET * self.least_contention_probe_ns);
        let difference =
            |one: &Replica| Some(one.log_times.get(first)? - one.log_times.get(second)?);
        let differences: Vec<f64> = quiet.filter_map(difference).collect();
        (differences.len() >= REPLICAS_MIN).then(|| median(differences).exp())
    }
}
