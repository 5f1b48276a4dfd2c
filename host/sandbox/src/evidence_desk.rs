//! Evidence of one variant, as evaluators import it: handed over piece by piece.

use super::evidence::KnownEvidence;
use super::guest_error::{GuestError, Refusal};
use super::limits::HOST_CALLS_MAX;
use bakeoff_domain::failure::FailureClass;
use std::sync::Arc;
use wasmtime::component::{HasSelf, Linker, Resource};

/// The most bytes of text that an evaluator may be handed in one call: enough to read each answer
/// several times.
const HANDED_BYTES_MAX: u64 = 1 << 30;

pub(super) mod bindings {
    wasmtime::component::bindgen!({
        path: "../../wit/evaluator",
        world: "evaluator",
        imports: { default: trappable },
        with: { "bakeoff:evaluator/types.evidence": super::EvidenceHandle },
    });
}

use bindings::bakeoff::evaluator::types;

/// Host type of the WIT resource `evidence`. Empty, since a store has the evidence of one variant
/// only.
pub struct EvidenceHandle;

/// The evidence in a store, with the calls and bytes that the guest asked for so far.
#[derive(Default)]
pub(super) struct EvidenceDesk {
    evidence: Arc<KnownEvidence>,
    calls: u64,
    bytes: u64,
}

impl EvidenceDesk {
    /// Makes a desk with the evidence of a variant.
    pub(super) fn of(evidence: KnownEvidence) -> Self {
        Self {
            evidence: Arc::new(evidence),
            ..Self::default()
        }
    }

    /// Counts a call that hands over `bytes` bytes.
    ///
    /// # Errors
    /// The call exceeds [`HOST_CALLS_MAX`] or [`HANDED_BYTES_MAX`]; this ends the guest.
    fn hand_over(&mut self, bytes: usize) -> wasmtime::Result<()> {
        self.calls += 1;
        self.bytes = self.bytes.saturating_add(bytes as u64);
        let (what, limit) = if self.calls > HOST_CALLS_MAX {
            ("asked too often", format!("host calls = {HOST_CALLS_MAX}"))
        } else if self.bytes > HANDED_BYTES_MAX {
            let mib = HANDED_BYTES_MAX >> 20;
            ("asked for too much text", format!("evidence = {mib} MiB"))
        } else {
            return Ok(());
        };
        let mut error = GuestError::new(FailureClass::HostLimit, what);
        error.limit = Some(limit);
        Err(wasmtime::Error::from(Refusal(error)))
    }
}

/// Links the resource `evidence` that evaluators import, in stores whose state has a desk.
pub(super) fn link<T: Send + 'static>(
    linker: &mut Linker<T>,
    desk: fn(&mut T) -> &mut EvidenceDesk,
) -> wasmtime::Result<()> {
    types::add_to_linker::<T, HasSelf<EvidenceDesk>>(linker, desk)
}

impl types::Host for EvidenceDesk {}

fn unavailable<T>(what: String) -> Result<T, types::Error> {
    Err(types::Error::Unavailable(what))
}

impl types::HostEvidence for EvidenceDesk {
    fn variant_name(&mut self, _: Resource<EvidenceHandle>) -> wasmtime::Result<String> {
        let name = self.evidence.variant_name.clone();
        self.hand_over(name.len())?;
        Ok(name)
    }

    fn cases(&mut self, _: Resource<EvidenceHandle>) -> wasmtime::Result<Vec<String>> {
        let cases = self.evidence.cases.clone();
        self.hand_over(cases.iter().map(String::len).sum())?;
        Ok(cases)
    }

    fn sources(&mut self, _: Resource<EvidenceHandle>) -> wasmtime::Result<Vec<String>> {
        let names = self.evidence.sources.iter();
        let names: Vec<String> = names.map(|(name, _)| name.clone()).collect();
        self.hand_over(names.iter().map(String::len).sum())?;
        Ok(names)
    }

    fn read_source(
        &mut self,
        _: Resource<EvidenceHandle>,
        name: String,
    ) -> wasmtime::Result<Result<String, types::Error>> {
        let evidence = Arc::clone(&self.evidence);
        let found = evidence.sources.iter().find(|(known, _)| *known == name);
        let text = found.map_or("", |(_, text)| text.as_str());
        self.hand_over(text.len())?;
        Ok(match found {
            Some(_) => Ok(text.to_owned()),
            None => unavailable("the variant has no source file of this name".to_owned()),
        })
    }

    fn component_size(&mut self, _: Resource<EvidenceHandle>) -> wasmtime::Result<u64> {
        self.hand_over(0)?;
        Ok(self.evidence.component_bytes)
    }

    fn answer_count(&mut self, _: Resource<EvidenceHandle>) -> wasmtime::Result<u32> {
        self.hand_over(0)?;
        Ok(self.evidence.answers.len() as u32)
    }

    fn read_answer(
        &mut self,
        _: Resource<EvidenceHandle>,
        number: u32,
    ) -> wasmtime::Result<Result<types::Answer, types::Error>> {
        let evidence = Arc::clone(&self.evidence);
        let Some(answer) = evidence.answers.get(number as usize) else {
            self.hand_over(0)?;
            let count = evidence.answers.len();
            return Ok(unavailable(match count {
                0 => "there are no answers: a criterion gets them that says so (`per_answer()` or \
                      `needs_answers()`)"
                    .to_owned(),
                _ => format!("there are {count} answers, from 0 on"),
            }));
        };
        self.hand_over(answer.bytes())?;
        Ok(Ok(types::Answer {
            case: answer.case,
            arguments: answer.arguments.clone(),
            answer: answer.answer.clone(),
        }))
    }

    fn samples(
        &mut self,
        _: Resource<EvidenceHandle>,
        case: u32,
    ) -> wasmtime::Result<Vec<types::Sample>> {
        let evidence = Arc::clone(&self.evidence);
        let samples = evidence.samples.get(case as usize);
        let samples = samples.map_or(&[][..], Vec::as_slice);
        self.hand_over(size_of_val(samples))?;
        let sample = |timed: &super::evidence::TimedCalls| types::Sample {
            duration: timed.duration_ns,
            calls: timed.calls,
            replica: timed.replica,
        };
        Ok(samples.iter().map(sample).collect())
    }

    fn drop(&mut self, _: Resource<EvidenceHandle>) -> wasmtime::Result<()> {
        Ok(())
    }
}
