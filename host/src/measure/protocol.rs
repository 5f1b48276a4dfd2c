//! What the parent asks of a runner, and what it hears back.
//!
//! A request is one message: a header and, behind it, the precompiled components that it points
//! into. Replies are small frames. A runner announces what it is about to do before it does it, so
//! that the parent knows whom to blame when it has to kill the process.

use super::rehearsal::Rehearsal;
use crate::artifact::{Folders, PackedFolders};
use crate::sandbox::{Breach, Imports, Peak};
use bakeoff_domain::attempt::Attempt;
use bakeoff_domain::measurement::{Baseline, CaseIndex, Sample, VariantIndex};
use bakeoff_domain::plan::ReplicaPlan;
use bakeoff_domain::spec::Limits;
use serde::{Deserialize, Deserializer, Serialize};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A place in the bytes behind the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blob {
    start: u64,
    len: u64,
}

/// What a runner is to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    /// The path of the export that is called.
    pub call: Vec<String>,
    /// The limits of every call, workload or prototype.
    pub limits: Limits,
    /// Where inputs come from.
    pub inputs: Inputs,
    /// The work itself.
    pub task: Task,
}

/// Where inputs come from and who judges the answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Inputs {
    /// The workload component.
    Generated {
        /// Its code, in the checked profile.
        workload: Blob,
        /// By case: the size that `generate` is asked for.
        sizes: Vec<u32>,
        /// Whether the generated value is the argument list (a tuple) or the only argument.
        arguments: Arguments,
        /// Whether it exports `check`.
        oracle: bool,
        /// Whether it exports `assess`.
        assesses: bool,
    },
    /// Calls and expected answers, in WAVE.
    Cases(Vec<WaveCase>),
}

/// What `generate` returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arguments {
    /// A tuple with one item for each parameter.
    Tuple,
    /// The only argument.
    Single,
}

/// A case of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaveCase {
    /// The call.
    pub call: String,
    /// The answer, if one is expected.
    pub expect: Option<String>,
}

/// The kinds of work.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Task {
    /// Parse the cases against a component's types.
    ReadCases {
        /// A component of the problem's signature, checked profile.
        component: Blob,
    },
    /// Run every case of one variant with fuel, and judge the answers.
    Gate {
        /// The variant, checked profile.
        component: Blob,
        /// The files that it is granted, if any.
        files: Option<Blob>,
        /// Inputs follow from these.
        seeds: GateSeeds,
    },
    /// Repeat one call of a variant in its diagnostic build.
    Diagnose {
        /// The diagnostic build, checked profile.
        component: Blob,
        /// The calls to make in one instance, in order: case and seed of each.
        calls: Vec<(CaseIndex, u64)>,
    },
    /// Time several variants against each other.
    Replica(ReplicaTask),
}

/// What the inputs of a gate follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateSeeds {
    /// For the inputs on which every case is checked.
    pub cases: u64,
    /// For those of the rehearsal, which must not be known beforehand.
    pub rehearsal: u64,
}

/// One replica, or the pilot before them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReplicaTask {
    /// By variant: its code in the timed profile, or `None` for one that has left the race.
    pub contestants: Vec<Option<Contestant>>,
    /// A component of the same signature that does nothing, timed profile.
    pub calibrator: Blob,
    /// What is run, in which order, on which inputs.
    pub plan: ReplicaPlan,
}

/// A variant in the race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contestant {
    /// Its code in the timed profile.
    pub component: Blob,
    /// The files that it is granted, if any.
    pub files: Option<Blob>,
    /// How its instances are used.
    pub instances: Instances,
}

/// How instances are used in timed trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Instances {
    /// One for the life of a replica.
    Kept,
    /// A fresh one for every call.
    Fresh,
}

/// What a runner is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Doing {
    /// Make the inputs of a case, or judge answers: the workload's own work.
    Workload,
    /// Call a variant.
    Calling {
        /// Which.
        variant: VariantIndex,
        /// How many calls, none of which may take longer than the wall limit.
        calls: u32,
    },
}

/// What the parent hears.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// Before anything that runs guest code.
    About {
        /// On which case.
        case: CaseIndex,
        /// What.
        doing: Doing,
    },
    /// All cases could be read, or by case why not.
    Cases(Vec<Result<(), String>>),
    /// A case of the gate is done.
    Checked(CheckedCase),
    /// The calls of a replica were rehearsed.
    Rehearsed(Rehearsal),
    /// A call failed: whose, and how. The runner ends with it.
    Failed {
        /// Whose; `None` for the workload.
        variant: Option<VariantIndex>,
        /// The last calls on the same instance, up to the failing one: case and seed of each.
        calls: Vec<(CaseIndex, u64)>,
        /// How.
        breach: Breach,
    },
    /// What the variant of a gate tried and was refused. The last word of a gate but for a failure.
    Attempted(Vec<Attempt>),
    /// What a diagnostic build reported before it trapped, if it did.
    Diagnosis(Vec<String>),
    /// One timed sample.
    Sample(Sample),
    /// What a replica found out beside its samples.
    Replica(ReplicaFacts),
}

/// What the gate found out about a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckedCase {
    /// Which.
    pub case: CaseIndex,
    /// Fuel of the first call on a fresh instance.
    pub fuel: u64,
    /// Fuel of the same call after others on the same instance.
    pub fuel_later: u64,
    /// Memory of the first call.
    pub peak: Peak,
    /// Digest of the answer, for the comparison between variants.
    pub answer: String,
    /// The answer as text, shortened.
    pub shown: String,
    /// Numbers that the workload's `assess` gave the answer.
    #[serde(deserialize_with = "null_is_nan")]
    pub assessed: Vec<(String, f64)>,
    /// Calls made.
    pub calls: u32,
}

/// JSON, in which results are kept, has no number that is not finite: it is written as null, and
/// read as NaN. The protocol between processes has them all.
fn null_is_nan<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(String, f64)>, D::Error> {
    if !from.is_human_readable() {
        return Vec::deserialize(from);
    }
    let numbers = Vec::<(String, Option<f64>)>::deserialize(from)?;
    let number = |(name, number): (String, Option<f64>)| (name, number.unwrap_or(f64::NAN));
    Ok(numbers.into_iter().map(number).collect())
}

/// What a replica found out beside its samples.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReplicaFacts {
    /// By case.
    pub baselines: Vec<Baseline>,
    /// By variant: the first call on a fresh instance.
    pub cold_ns: Vec<Option<u64>>,
    /// By case: bytes of one input and one answer, as the host holds them, at most.
    pub input_bytes: Vec<u64>,
    /// Cost of reading the thread clock, in nanoseconds.
    pub clock_ns: f64,
    /// CPU time of the yardstick, the median of readings between the samples, in nanoseconds.
    pub yardstick_ns: Option<f64>,
    /// Involuntary context switches.
    pub preemptions: u64,
    /// Calls of guest code, warm-up included.
    pub calls: u64,
}

/// A request being put together.
#[derive(Debug, Default)]
pub struct Bundle {
    bytes: Vec<u8>,
    /// Granted files by their digest: many variants may have the same.
    files: BTreeMap<String, Blob>,
}

impl Bundle {
    /// Adds a component's bytes.
    pub fn add(&mut self, bytes: &[u8]) -> Blob {
        let start = self.bytes.len() as u64;
        self.bytes.extend_from_slice(bytes);
        Blob {
            start,
            len: bytes.len() as u64,
        }
    }

    /// Adds granted files, once.
    pub fn add_files(&mut self, files: &PackedFolders) -> Blob {
        if let Some(blob) = self.files.get(&files.digest) {
            return *blob;
        }
        let blob = self.add(&files.bytes);
        self.files.insert(files.digest.clone(), blob);
        blob
    }

    /// The whole message.
    ///
    /// # Errors
    /// The header cannot be written, which no request of ours is.
    pub fn seal(self, request: &Request) -> Result<Vec<u8>, postcard::Error> {
        let header = postcard::to_stdvec(request)?;
        let mut message = Vec::with_capacity(8 + header.len() + self.bytes.len());
        message.extend_from_slice(&(header.len() as u64).to_le_bytes());
        message.extend_from_slice(&header);
        message.extend_from_slice(&self.bytes);
        Ok(message)
    }
}

/// A message taken apart.
#[derive(Debug)]
pub struct Opened<'a> {
    /// The header.
    pub request: Request,
    blobs: &'a [u8],
    /// Granted files that were read already: variants share them.
    folders: RefCell<Vec<(Blob, Arc<Folders>)>>,
}

impl<'a> Opened<'a> {
    /// Reads a message.
    ///
    /// # Errors
    /// The message is not one of [`Bundle::seal`].
    pub fn read(message: &'a [u8]) -> Result<Self, String> {
        let (len, rest) = message
            .split_first_chunk::<8>()
            .ok_or("a request without a header")?;
        let len = usize::try_from(u64::from_le_bytes(*len)).map_err(|error| error.to_string())?;
        let header = rest
            .get(..len)
            .ok_or("a request that is shorter than its header")?;
        let request = postcard::from_bytes(header).map_err(|error| error.to_string())?;
        Ok(Self {
            request,
            blobs: &rest[len..],
            folders: RefCell::default(),
        })
    }

    /// The bytes behind a blob.
    ///
    /// # Errors
    /// It points outside the message.
    pub fn blob(&self, blob: Blob) -> Result<&'a [u8], String> {
        let start = usize::try_from(blob.start).map_err(|error| error.to_string())?;
        let len = usize::try_from(blob.len).map_err(|error| error.to_string())?;
        start
            .checked_add(len)
            .and_then(|end| self.blobs.get(start..end))
            .ok_or_else(|| "a component outside the request".to_owned())
    }

    /// What a variant may import: WASI, with the files that it is granted.
    ///
    /// # Errors
    /// The blob points outside the message, or is not what [`Folders::to_bytes`] wrote.
    pub fn imports(&self, files: Option<Blob>) -> Result<Imports, String> {
        let Some(files) = files else {
            return Ok(Imports::Wasi(Arc::default()));
        };
        let mut read = self.folders.borrow_mut();
        if let Some((_, folders)) = read.iter().find(|(blob, _)| *blob == files) {
            return Ok(Imports::Wasi(Arc::clone(folders)));
        }
        let folders = Arc::new(Folders::from_bytes(self.blob(files)?)?);
        read.push((files, Arc::clone(&folders)));
        Ok(Imports::Wasi(folders))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::Peak;

    #[test]
    fn a_number_that_is_none_survives_the_store() {
        let case = CheckedCase {
            case: 0,
            fuel: 1,
            fuel_later: 1,
            peak: Peak::default(),
            answer: String::new(),
            shown: String::new(),
            assessed: vec![("error".into(), f64::NAN), ("rank".into(), 2.0)],
            calls: 1,
        };
        let text = serde_json::to_string(&case).unwrap();
        let read: CheckedCase = serde_json::from_str(&text).unwrap();
        assert!(read.assessed[0].1.is_nan());
        assert_eq!(read.assessed[1], case.assessed[1]);
        let bytes = postcard::to_stdvec(&case).unwrap();
        let read: CheckedCase = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(read.assessed[1], case.assessed[1]);
    }
}
