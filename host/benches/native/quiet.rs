//! What replicas say that had a quiet core. The other hardware thread of a core may be another
//! machine's, and then one prototype takes longer and another much longer: natively that is left out
//! by counting quickest calls, here by counting replicas whose yardstick took its least.

use super::Failure;
use super::support::median;
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// A core is quiet if the yardstick takes up to so many times its least.
const QUIET: f64 = 1.03;

/// A ratio is of this many quiet replicas at least.
const REPLICAS_MIN: usize = 5;

/// Replicas of all races, and which of them were quiet.
pub(crate) struct Quiet {
    /// The least that the yardstick took so far, in nanoseconds.
    least_yardstick_ns: f64,
    replicas: Vec<Replica>,
}

struct Replica {
    family: &'static str,
    yardstick_ns: f64,
    /// By prototype that ran in it, the logarithm of its time.
    log_times: BTreeMap<String, f64>,
}

impl Quiet {
    /// None so far.
    pub(crate) fn new() -> Self {
        Self {
            least_yardstick_ns: f64::INFINITY,
            replicas: Vec::new(),
        }
    }

    /// Takes in a race: its report, and the yardsticks from its folder of results.
    pub(crate) fn take_in(
        &mut self,
        family: &'static str,
        report: &Value,
        results: &Path,
    ) -> Result<(), Failure> {
        let file = results.join("bakeoff.db");
        let database = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let mut yardsticks =
            database.prepare("SELECT yardstick_ns FROM v_replicas ORDER BY replica")?;
        let yardsticks: Vec<Option<f64>> = yardsticks
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let times = &report["replicas"];
        let prototypes: Vec<String> = serde_json::from_value(times["variants"].clone())?;
        let rows: Vec<Vec<Option<f64>>> = serde_json::from_value(times["log_times"].clone())?;
        if yardsticks.len() != rows.len() {
            return Err(format!("{family}: the report has other replicas than its store").into());
        }
        for (yardstick, row) in yardsticks.into_iter().zip(rows) {
            let Some(yardstick_ns) = yardstick else {
                continue;
            };
            self.least_yardstick_ns = self.least_yardstick_ns.min(yardstick_ns);
            let known = |(name, time): (&String, Option<f64>)| Some((name.clone(), time?));
            self.replicas.push(Replica {
                family,
                yardstick_ns,
                log_times: prototypes.iter().zip(row).filter_map(known).collect(),
            });
        }
        Ok(())
    }

    /// Time of the first over time of the second, the median over the quiet replicas of their family;
    /// `None` if there are too few in which both ran.
    pub(crate) fn ratio(&self, family: &str, first: &str, second: &str) -> Option<f64> {
        let of_family = self.replicas.iter().filter(|one| one.family == family);
        let quiet = of_family.filter(|one| one.yardstick_ns <= QUIET * self.least_yardstick_ns);
        let difference =
            |one: &Replica| Some(one.log_times.get(first)? - one.log_times.get(second)?);
        let differences: Vec<f64> = quiet.filter_map(difference).collect();
        (differences.len() >= REPLICAS_MIN).then(|| median(differences).exp())
    }
}
