//! The values of a run, and what is known of the runs of a command together.

use super::options::Decides;
use super::run::EndedRun;
use bakeoff_confine::ProgramMeasurement;
use bakeoff_domain::series::AlsoMeasured;
use sha2::{Digest as _, Sha256};
use std::collections::HashSet;

/// The most different outputs of a command that are told apart.
const OUTPUTS_MAX: usize = 1_000;

/// Sums over the runs of a command that count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sums {
    runs: u64,
    wall_ns: f64,
    cpu_ns: f64,
    peak_bytes: f64,
    /// Digests of what it wrote.
    outputs: HashSet<[u8; 32]>,
    /// The digest of what it wrote first.
    pub(crate) first_output: Option<[u8; 32]>,
    /// The last line that it wrote to stderr in the first run in which it wrote some.
    pub(crate) said: Option<String>,
}

/// Returns the digest of what a run wrote.
pub(crate) fn digest(output: &[u8]) -> [u8; 32] {
    Sha256::digest(output).into()
}

/// Returns the value of a run that is compared.
///
/// # Errors
/// The run has none, in words.
pub(crate) fn value(decides: &Decides, ended: &EndedRun) -> Result<f64, String> {
    // What the system counts as nothing took less than one step of the count.
    let at_least = |number: u64, step: f64| (number as f64).max(step);
    Ok(match decides {
        Decides::Wall => at_least(ended.measured.wall_ns, 1.0),
        Decides::Cpu => at_least(ended.measured.cpu_ns, 1_000.0),
        Decides::Memory => at_least(ended.measured.peak_bytes, 4_096.0),
        Decides::Metric(metric) => metric.find(&ended.output)?,
    })
}

impl Sums {
    /// Adds a run that counts.
    pub(crate) fn add(&mut self, measured: &ProgramMeasurement) {
        self.runs += 1;
        self.wall_ns += measured.wall_ns as f64;
        self.cpu_ns += measured.cpu_ns as f64;
        self.peak_bytes += measured.peak_bytes as f64;
    }

    /// Adds what a run wrote.
    pub(crate) fn add_output(&mut self, digest: [u8; 32]) {
        self.first_output.get_or_insert(digest);
        if self.outputs.len() < OUTPUTS_MAX {
            self.outputs.insert(digest);
        }
    }

    /// The number of different outputs.
    pub(crate) fn outputs(&self) -> usize {
        self.outputs.len()
    }

    /// Quantities that decide nothing.
    pub(crate) fn also(&self, decides: &Decides) -> Vec<AlsoMeasured> {
        if self.runs == 0 {
            return Vec::new();
        }
        let mean = |sum: f64| sum / self.runs as f64;
        let row = |name: &str, unit: &str, sum: f64| AlsoMeasured {
            name: name.to_owned(),
            unit: unit.to_owned(),
            mean: mean(sum),
        };
        let mut rows = Vec::new();
        if !matches!(decides, Decides::Wall) {
            rows.push(row("wall time", "ns", self.wall_ns));
        }
        if !matches!(decides, Decides::Cpu) {
            rows.push(row("CPU time", "ns", self.cpu_ns));
        }
        if !matches!(decides, Decides::Memory) {
            rows.push(row("peak memory", "bytes", self.peak_bytes));
        }
        rows
    }
}
