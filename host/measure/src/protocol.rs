//! The protocol between the parent and a runner: requests and replies.
//!
//! A request is one message: a header and, behind it, the precompiled components that it points into. Replies are small
//! frames. The next step of a runner is an [announcement](super::announcement), not a reply.

use super::checked_case::{AssessedAnswer, CheckedCase, Rehearsal};
use super::instances::Instances;
use super::lowering_clock::LoweringClock;
use super::overheads::OverheadTotals;
use super::repeated_call::{CallTexts, RepeatedCall};
use super::requests::Requests;
use super::wave_case::{WaveCase, WrongCase};
use bakeoff_confine::Frames;
use bakeoff_domain::attempt::Attempt;
use bakeoff_domain::measurement::{Baseline, CaseIndex, PartTimes, Sample, VariantIndex};
use bakeoff_domain::oracle::TestedAnswer;
use bakeoff_domain::plan::{ReplicaPlan, Secret};
use bakeoff_domain::report::{AddedSection, CaseLabel};
use bakeoff_domain::spec::{EvaluatedCriterion, Limits};
use bakeoff_sandbox::{
    CompletionQuestion, Completions, CpuWallTime, GivenProposal, GivenReading, GuestError, Imports,
    KnownEvidence, ProposerTask,
};
use bakeoff_source::{Folders, PackedFolders};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A range of the bytes behind the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blob {
    start: u64,
    len: u64,
}

/// A request to a runner.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    /// The path of the export that is called.
    pub call: Vec<String>,
    /// The limits of every call, workload or prototype.
    pub limits: Limits,
    /// The source of inputs.
    pub inputs: Inputs<Blob>,
    /// The task of the runner.
    pub task: Task,
}

/// The source of inputs and judge of answers. `W` is the workload's code in the checked profile:
/// its bytes, or their place in a request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Inputs<W> {
    /// The workload component.
    Workload {
        /// The code of the workload.
        code: W,
        /// The requests to `generate`, one for each case.
        requests: Requests,
        /// The meaning of the generated value: the argument list (a tuple) or the only argument.
        arguments: Arguments,
        /// `true` if the workload exports `check`.
        oracle: bool,
        /// `true` if the workload exports `assess`.
        assesses: bool,
    },
    /// Calls and expected answers, in WAVE.
    Cases(Vec<WaveCase>),
}

impl<W> Inputs<W> {
    /// Returns the number of cases.
    pub fn cases(&self) -> usize {
        match self {
            Self::Workload { requests, .. } => requests.cases(),
            Self::Cases(cases) => cases.len(),
        }
    }

    /// Returns true if right answers can be told from wrong ones.
    pub fn has_oracle(&self) -> bool {
        match self {
            Self::Workload { oracle, .. } => *oracle,
            Self::Cases(cases) => cases.iter().all(|case| case.expect.is_some()),
        }
    }

    /// Returns true if the cases are instances of one set.
    pub fn are_instances(&self) -> bool {
        matches!(
            self,
            Self::Workload {
                requests: Requests::Instances(_),
                ..
            }
        )
    }

    /// Returns the label of each case in reports: its size, its name, or the call itself.
    pub fn labels(&self) -> Vec<CaseLabel> {
        match self {
            Self::Workload { requests, .. } => requests.labels(),
            Self::Cases(cases) => {
                let calls = cases.iter().map(|case| case.call.clone());
                calls.map(CaseLabel::Call).collect()
            }
        }
    }

    /// Returns the same inputs with the workload's code in another form.
    pub fn map_code<V>(&self, form: impl FnOnce(&W) -> V) -> Inputs<V> {
        match self {
            Self::Cases(cases) => Inputs::Cases(cases.clone()),
            Self::Workload {
                code,
                requests,
                arguments,
                oracle,
                assesses,
            } => Inputs::Workload {
                code: form(code),
                requests: requests.clone(),
                arguments: *arguments,
                oracle: *oracle,
                assesses: *assesses,
            },
        }
    }
}

/// The meaning of the value that `generate` returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arguments {
    /// A tuple with one item for each parameter.
    Tuple,
    /// The only argument.
    Single,
}

/// A task of a runner.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Task {
    /// Parse the cases against a component's types.
    ReadCases {
        /// A component of the problem's signature, in the checked profile.
        component: Blob,
    },
    /// Call one variant on every case with fuel counted, and judge the answers.
    Gate {
        /// The variant, in the checked profile.
        component: Blob,
        /// The files that the variant is granted, if any.
        files: Option<Blob>,
        /// The keys of the inputs.
        secrets: GateSecrets,
        /// Units of fuel that calls beyond one on each case may take, if that is less than usual.
        repeats_fuel: Option<u64>,
    },
    /// Call one variant on many inputs, and let the workload assess its answers.
    Assess {
        /// The variant, in the checked profile.
        component: Blob,
        /// The files that the variant is granted, if any.
        files: Option<Blob>,
        /// The key of the inputs.
        secret: Secret,
    },
    /// Repeat the calls of a failure in a variant's diagnostic build.
    Diagnose {
        /// The diagnostic build, in the checked profile.
        component: Blob,
        /// The files and parameter values that the variant is granted, if any.
        files: Option<Blob>,
        /// The calls to make in one instance, in order: case and seed of each.
        calls: Vec<(CaseIndex, u64)>,
    },
    /// Make calls of a prototype, each on a fresh instance.
    Repeat(RepeatTask),
    /// Call a prototype, and let the oracle judge its answers as they are and changed.
    TestOracle(RepeatTask),
    /// Time several variants against each other.
    Replica(ReplicaTask),
    /// Ask an evaluator for its criteria.
    Describe {
        /// The evaluator, in the checked profile.
        evaluator: Blob,
    },
    /// Ask an evaluator for its readings of a variant.
    Evaluate(EvaluateTask),
    /// Ask an aggregator for its sections of a report.
    Aggregate {
        /// The aggregator, in the checked profile.
        aggregator: Blob,
        /// The report, in JSON.
        report: Blob,
    },
    /// Ask a proposer for approaches.
    Propose {
        /// The proposer, in the checked profile.
        proposer: Blob,
        /// The problem, its approaches and their results.
        task: ProposerTask,
        /// The proposer's questions to a model so far, with their answers.
        completions: Completions,
    },
}

/// The task of evaluating one variant.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EvaluateTask {
    /// The evaluator, in the checked profile.
    pub evaluator: Blob,
    /// The variant, in the checked profile, if its answers are wanted.
    pub component: Option<Blob>,
    /// The files that the variant is granted, if any.
    pub files: Option<Blob>,
    /// The key of the inputs.
    pub secret: Secret,
    /// The evidence of the variant that needs no calls.
    pub evidence: KnownEvidence,
}

/// The keys of a gate's inputs. Nothing that is timed follows from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateSecrets {
    /// The key of the inputs on which every case is checked.
    pub cases: Secret,
    /// The key of the rehearsal's inputs, which must not be known beforehand.
    pub rehearsal: Secret,
}

/// The task of making calls, each on a fresh instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepeatTask {
    /// The prototype, in the checked profile.
    pub component: Blob,
    /// The files that the prototype is granted, if any.
    pub files: Option<Blob>,
    /// True for a diagnostic build, which reports its panics.
    pub diagnostic: bool,
    /// The case of each call, and the seed of its input. Calls that break a limit end the task early.
    pub calls: Vec<(CaseIndex, u64)>,
    /// True if an input that is too much work for the workload ends the task as well, even as the first.
    pub as_many_as_possible: bool,
    /// Length of arguments and answers in the replies: shortened or whole.
    pub texts: CallTexts,
}

/// The task of one replica of the race or of the pilot.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReplicaTask {
    /// The code of each variant in the timed profile; `None` for one that has left the race.
    pub payloads: Vec<Option<VariantPayload>>,
    /// A component of the same signature that does nothing, in the timed profile.
    pub calibrator: Blob,
    /// The plan: the order of trials and their inputs.
    pub plan: ReplicaPlan,
    /// The use of instances, the same for all variants.
    pub instances: Instances,
    /// The clock of the allocator's calls for arguments, the same for all variants.
    pub lowering: LoweringClock,
    /// The most bytes of memory that one of the variants used in the gate.
    pub resident_bytes: u64,
}

/// The code of a variant in the race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariantPayload {
    /// The component in the timed profile.
    pub component: Blob,
    /// The files that the variant is granted, if any.
    pub files: Option<Blob>,
    /// True if the host recodes the component's strings, so that all of a call counts as its time.
    pub recodes: bool,
    /// True if a later call on an instance takes less work than the first.
    pub gains_by_state: bool,
}

/// A reply of a runner to the parent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// The result of parsing each case.
    Cases(Vec<Result<(), WrongCase>>),
    /// The result of one case of the gate.
    Checked(CheckedCase),
    /// The result of the rehearsal.
    Rehearsed(Rehearsal),
    /// The numbers that the workload's `assess` gives one answer.
    Assessed(AssessedAnswer),
    /// The failure of a call. The runner ends with it.
    Failed {
        /// The variant that failed; `None` for the workload.
        variant: Option<VariantIndex>,
        /// The last calls on the same instance, up to the failing one: case and seed of each.
        calls: Vec<(CaseIndex, u64)>,
        /// The error of the call.
        error: GuestError,
    },
    /// The attempts of the variant in a gate. Only a failure may follow this reply.
    Attempted(Vec<Attempt>),
    /// The reports of a diagnostic build before it trapped, if it made any.
    Diagnosis(Vec<String>),
    /// The outcome of a call that was made again.
    RepeatedCall(RepeatedCall),
    /// The oracle's judgements of an answer, and of the same answer changed.
    OracleTested(Box<TestedAnswer>),
    /// Timed samples of a replica, in the order in which they were taken. All of them are sent at its
    /// end: each frame wakes the parent, and samples of a replica that does not end are of no use.
    Samples(Vec<Sample>),
    /// The facts of a replica beside its samples.
    Replica(ReplicaFacts),
    /// The criteria of an evaluator.
    Described(Vec<EvaluatedCriterion>),
    /// The number of answers that an evaluator gets, where the text of all is too large.
    AnswersCut(u32),
    /// Some readings of an evaluator.
    Evaluated(Vec<GivenReading>),
    /// The reason why an evaluator has no readings.
    NotEvaluated(String),
    /// The sections of an aggregator.
    Aggregated(Vec<AddedSection>),
    /// The reason why an aggregator has no sections.
    NotAggregated(String),
    /// The question of a proposer to a model.
    Asks(CompletionQuestion),
    /// An approach of a proposer.
    Proposed(GivenProposal),
    /// The reason why a proposer has no approaches.
    NotProposed(String),
}

impl Reply {
    /// Sends the reply to the parent.
    pub(super) fn send(&self, frames: &mut Frames) -> Result<(), String> {
        let bytes = postcard::to_stdvec(self).map_err(|error| error.to_string())?;
        frames.send(&bytes).map_err(|error| error.to_string())
    }
}

/// The facts that a replica reports beside its samples.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReplicaFacts {
    /// The baseline of each case.
    pub baselines: Vec<Baseline>,
    /// CPU time of the first call on a fresh instance in nanoseconds, by variant.
    pub cold_ns: Vec<Option<u64>>,
    /// Times of the parts of calls, where they are worth a report; each variant and case at most once.
    pub parts: Vec<PartTimes>,
    /// The most bytes of one input with its answer, as the host holds them, by case.
    pub input_bytes: Vec<u64>,
    /// Cost of reading the thread clock, in nanoseconds.
    pub clock_ns: f64,
    /// Cost of reading the monotonic clock, in nanoseconds.
    pub cheap_clock_ns: f64,
    /// CPU time of the contention probe, the median of readings between the samples, in
    /// nanoseconds.
    pub contention_probe_ns: Option<f64>,
    /// The mean ratio of the contention probe's two pieces.
    pub core_contention: Option<f64>,
    /// True if timed instances came from a pool.
    pub pooled: bool,
    /// The number of involuntary context switches.
    pub preemptions: u64,
    /// The number of calls of guest code, warm-up included.
    pub calls: u64,
    /// Wall time of warm-up and blocks, in nanoseconds.
    pub work_ns: u64,
    /// The guest's time in all calls.
    pub guest: CpuWallTime,
    /// Wall time around the calls, by case.
    pub overheads: Vec<OverheadTotals>,
}

/// A request that is being put together.
#[derive(Debug, Default)]
pub struct Bundle {
    bytes: Vec<u8>,
    /// Granted files by their digest: several variants may have the same ones.
    files: BTreeMap<String, Blob>,
}

impl Bundle {
    /// Adds a component's bytes, and returns their place.
    pub fn add(&mut self, bytes: &[u8]) -> Blob {
        let start = self.bytes.len() as u64;
        self.bytes.extend_from_slice(bytes);
        Blob {
            start,
            len: bytes.len() as u64,
        }
    }

    /// Adds granted files unless they are there already, and returns their place.
    pub fn add_files(&mut self, files: &PackedFolders) -> Blob {
        if let Some(blob) = self.files.get(&files.digest) {
            return *blob;
        }
        let blob = self.add(&files.bytes);
        self.files.insert(files.digest.clone(), blob);
        blob
    }

    /// Returns the whole message.
    ///
    /// # Errors
    /// The header cannot be written. No valid request causes this.
    pub fn seal(self, request: &Request) -> Result<Vec<u8>, postcard::Error> {
        let header = postcard::to_stdvec(request)?;
        let mut message = Vec::with_capacity(8 + header.len() + self.bytes.len());
        message.extend_from_slice(&(header.len() as u64).to_le_bytes());
        message.extend_from_slice(&header);
        message.extend_from_slice(&self.bytes);
        Ok(message)
    }
}

/// A request message, read.
#[derive(Debug)]
pub struct Opened<'a> {
    /// The header.
    pub request: Request,
    blobs: &'a [u8],
    /// Granted files that were read already, shared between variants.
    folders: RefCell<Vec<(Blob, Arc<Folders>)>>,
}

impl<'a> Opened<'a> {
    /// Reads a message.
    ///
    /// # Errors
    /// The message was not made by [`Bundle::seal`].
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

    /// Returns the bytes of a blob.
    ///
    /// # Errors
    /// The blob points outside the message.
    pub fn blob(&self, blob: Blob) -> Result<&'a [u8], String> {
        let start = usize::try_from(blob.start).map_err(|error| error.to_string())?;
        let len = usize::try_from(blob.len).map_err(|error| error.to_string())?;
        start
            .checked_add(len)
            .and_then(|end| self.blobs.get(start..end))
            .ok_or_else(|| "a component outside the request".to_owned())
    }

    /// Returns the imports of a variant: WASI, with the files that it is granted.
    ///
    /// # Errors
    /// The blob points outside the message, or was not written by [`Folders::to_bytes`].
    pub fn imports(&self, granted: Option<Blob>) -> Result<Imports, String> {
        self.granted(granted).map(Imports::Wasi)
    }

    /// Returns the granted folders, which are read once for all variants that have the same.
    pub fn granted(&self, granted: Option<Blob>) -> Result<Arc<Folders>, String> {
        let Some(granted) = granted else {
            return Ok(Arc::default());
        };
        let mut read = self.folders.borrow_mut();
        if let Some((_, folders)) = read.iter().find(|(blob, _)| *blob == granted) {
            return Ok(Arc::clone(folders));
        }
        let folders = Arc::new(Folders::from_bytes(self.blob(granted)?)?);
        read.push((granted, Arc::clone(&folders)));
        Ok(folders)
    }
}
