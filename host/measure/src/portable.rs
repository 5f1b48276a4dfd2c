//! Requests to runners on their way to another machine: in place of precompiled code they name the component that it was
//! made of. What comes from another machine is refused unless it keeps to the bounds of this one.

use super::bounds::{EXIT_PATIENCE, GATE_PATIENCE, KEPT_BYTES_MAX, WORKLOAD_PATIENCE};
use super::runner_end::RunnerBounds;
use bakeoff_config::Policy;
use bakeoff_confine::tasks::wire;
use bakeoff_domain::plan::LAYOUTS;
use bakeoff_domain::score::RACING_MAX;
use bakeoff_domain::spec::Limits;
use bakeoff_runner::protocol::{RequestParts, RunnerRequest};
use bakeoff_runner::{ANSWERS_BYTES_MAX, AnyCall};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The most components of a request: a workload, an evaluator and a variant, and one to spare.
const COMPONENTS_MAX: usize = 4;

/// The most variants that such a request may call, an evaluator included.
const PARTICIPANTS_MAX: usize = 4;

/// The most cases of a request: more than an experiment may have.
const CASES_MAX: usize = 1 << 20;

/// The most bytes of an encoded header. Decoding may take a small multiple of that in memory.
const HEADER_BYTES_MAX: usize = 8 << 20;

/// The longest text of a limit, in bytes.
const LIMIT_BYTES_MAX: usize = 256;

/// Length of a component's digest: SHA-256 in hexadecimal.
const DIGEST_CHARS: usize = 64;

/// A component of a request, and the code of it that is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortableCode {
    /// The digest of the component.
    pub digest: String,
    /// The number of the layout of code in the timed profile; `None` for code in the checked one.
    pub layout: Option<u32>,
}

/// Header of a request that goes to another machine. All other contents of the request stand before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct PortableHeader {
    bounds: RunnerBounds,
    /// The header of the runner's request.
    request: Vec<u8>,
    /// The components, in the order of their code in the request.
    components: Vec<PortableCode>,
}

/// Returns the task of a runner as bytes for another machine. `component_of` gives the component of which code was made.
///
/// # Errors
/// The task cannot go to another machine.
pub fn portable(
    task: &[u8],
    mut component_of: impl FnMut(&[u8]) -> Option<PortableCode>,
) -> Result<Vec<u8>, String> {
    let (bounds, message) =
        wire::opened::<RunnerBounds>(task).ok_or("this is no task for a runner")?;
    if !bounds.programs.is_empty() {
        return Err("it starts programs, which run on this machine alone".to_owned());
    }
    let parts = RequestParts::read(message)?;
    let components = parts.code.iter().map(|code| component_of(code));
    let components: Option<Vec<PortableCode>> = components.collect();
    let header = PortableHeader {
        bounds,
        request: parts.header.to_vec(),
        components: components.ok_or("it has code whose component is not known")?,
    };
    Ok(wire::sealed(parts.content.to_vec(), &header))
}

/// A request to a runner that came from another machine. Nothing in it was believed yet.
#[derive(Clone, Debug, PartialEq)]
pub struct PortableRequest {
    header: PortableHeader,
    limits: Limits,
    content: Vec<u8>,
}

impl PortableRequest {
    /// Reads the bytes that [`portable`] made, and holds them against the bounds of this machine.
    ///
    /// # Errors
    /// They are none, or want what this machine does not give.
    pub fn read(bytes: &[u8], policy: &Policy) -> Result<Self, String> {
        let (header, content) =
            wire::opened::<PortableHeader>(bytes).ok_or("this is no task for a worker")?;
        let limits = header.permitted(content.len(), policy)?;
        Ok(Self {
            header,
            limits,
            content: content.to_vec(),
        })
    }

    /// Returns the components that it needs, in order.
    pub fn components(&self) -> &[PortableCode] {
        &self.header.components
    }

    /// Returns the memory that each instance may have, in bytes.
    pub fn memory_bytes(&self) -> u64 {
        self.limits.memory_bytes
    }

    /// Returns the task for a worker of this machine, with the code that was compiled here of the
    /// [components](Self::components), in their order.
    pub fn to_task(&self, code: &[Arc<[u8]>]) -> Vec<u8> {
        let parts = RequestParts {
            header: &self.header.request,
            code: code.iter().map(|code| &code[..]).collect(),
            content: &self.content,
        };
        wire::sealed(parts.to_message(), &self.header.bounds)
    }
}

impl PortableHeader {
    /// Returns the limits of the request, if this machine permits all that it wants.
    fn permitted(&self, content_bytes: usize, policy: &Policy) -> Result<Limits, String> {
        let Self {
            bounds,
            request,
            components,
        } = self;
        if request.len() > HEADER_BYTES_MAX {
            return Err("its header is too large".to_owned());
        }
        let request: RunnerRequest<AnyCall> = postcard::from_bytes(request)
            .map_err(|error| format!("its request is unreadable: {error}"))?;
        let limits = request.limits;
        policy.permit_task(&limits)?;
        let Some(most) = MostOfTask::of(&request.call, &limits) else {
            return Err("it wants what is done on the machine of its run alone".to_owned());
        };
        let is_named_well = |one: &PortableCode| {
            let mut digits = one.digest.bytes();
            one.digest.len() == DIGEST_CHARS
                && digits.all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
                && one
                    .layout
                    .is_none_or(|layout| most.is_timed && layout < LAYOUTS)
        };
        if components.len() > most.components || !components.iter().all(is_named_well) {
            return Err("it names components in a way that no bakeoff does".to_owned());
        }
        let contents = 2 * content_bytes as u64 + 2 * ANSWERS_BYTES_MAX as u64;
        let by_variant = if most.is_timed {
            bounds.participants.len()
        } else {
            0
        };
        let is_within = bounds.call_max <= limits.wall.saturating_mul(GATE_PATIENCE)
            && bounds.workload_max <= WORKLOAD_PATIENCE
            && bounds.exit_max <= EXIT_PATIENCE
            && bounds.guests_bytes <= most.guests_bytes.saturating_add(contents)
            && bounds.participants.len() <= most.participants
            && bounds.cases <= CASES_MAX
            && bounds.wall_limit.len() <= LIMIT_BYTES_MAX
            && bounds.programs.is_empty()
            && bounds.overrun.len() <= by_variant
            && bounds.shares.len() <= by_variant;
        if is_within {
            Ok(limits)
        } else {
            Err("it wants more time or memory than such a task may have".to_owned())
        }
    }
}

/// The most that a task of another machine may have.
struct MostOfTask {
    components: usize,
    participants: usize,
    /// Bytes of memory of all guests together, without contents.
    guests_bytes: u64,
    /// True if code in the timed profile may be run.
    is_timed: bool,
}

impl MostOfTask {
    /// Returns the most that a call may have; `None` for one that is served on the machine of its run alone. Others need
    /// nothing but what is in the request. What a replica times is compared with nothing but replicas of the same machine.
    fn of(call: &AnyCall, limits: &Limits) -> Option<Self> {
        match call {
            AnyCall::Gate(_)
            | AnyCall::Assess(_)
            | AnyCall::Cover(_)
            | AnyCall::Repeat(_)
            | AnyCall::Oracle(_)
            | AnyCall::Evaluate(_) => Some(Self {
                components: COMPONENTS_MAX,
                participants: PARTICIPANTS_MAX,
                guests_bytes: limits.memory_bytes.saturating_mul(COMPONENTS_MAX as u64),
                is_timed: false,
            }),
            AnyCall::Replica(_) => Some(Self {
                // The workload, and the component that does nothing.
                components: RACING_MAX + 2,
                participants: RACING_MAX,
                guests_bytes: KEPT_BYTES_MAX.saturating_add(
                    limits
                        .memory_bytes
                        .saturating_mul(COMPONENTS_MAX as u64 + 1),
                ),
                is_timed: true,
            }),
            AnyCall::ReadCases(_)
            | AnyCall::CountFuel(_)
            | AnyCall::Diagnose(_)
            | AnyCall::Describe(_)
            | AnyCall::Aggregate(_)
            | AnyCall::Propose(_) => None,
        }
    }
}

#[cfg(test)]
mod tests;
