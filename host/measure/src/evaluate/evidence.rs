//! Results of a variant's build, checks and timing, from which its readings follow.

use crate::{Assessment, GateRecord};
use bakeoff_compile::BuildRecord;
use bakeoff_domain::coverage::Coverage;
use bakeoff_domain::measurement::{CaseIndex, Metric, Replica, VariantIndex};
use bakeoff_domain::race::{Analysis, RaceSettings};
use bakeoff_domain::report::CaseLabel;

/// Results of a variant, from which its readings follow.
#[derive(Clone, Copy, Debug)]
pub struct VariantEvidence<'a> {
    /// The record of its build, if it was built.
    pub build: Option<&'a BuildRecord>,
    /// The CPU times of its build in the rounds that timed it, in nanoseconds.
    pub build_times_ns: &'a [f64],
    /// The record of its gate, if it was checked.
    pub gate: Option<&'a GateRecord>,
    /// The assessment of the variant's answers, where a criterion asks for it.
    pub assessment: Option<&'a Assessment>,
    /// The code that the checked inputs reach, where a criterion asks for it.
    pub coverage: Option<&'a Coverage>,
    /// The labels of the cases; none for a set of instances, which is one scope.
    pub cases: &'a [CaseLabel],
    /// The number of instances that every variant was checked on, if the cases are a set of them.
    pub instances: Option<usize>,
    /// The variant's index in the race, if it took part.
    pub racer: Option<VariantIndex>,
    /// The analysis of the race.
    pub analysis: Option<&'a Analysis>,
    /// The race's replicas.
    pub replicas: &'a [Replica],
    /// The settings of the race.
    pub settings: Option<&'a RaceSettings>,
    /// True if it is a program, for which a component stands that does nothing.
    pub is_program: bool,
}

/// Returns the median over blocks of the time of one call; for a variant without full samples on the case, the time of
/// its single call.
pub(super) fn call_ns(
    replica: &Replica,
    variant: VariantIndex,
    case: CaseIndex,
    metric: Metric,
) -> Option<f64> {
    let baseline = replica.baselines.get(case).copied().unwrap_or_default();
    let samples = replica.samples.iter();
    let own = samples.filter(|one| (one.variant, one.case) == (variant, case));
    let (ns, calls) = own.fold((0.0, 0.0), |(ns, calls), sample| {
        let count = f64::from(sample.calls.max(1));
        let call_ns = sample.call_ns(metric, &baseline);
        (ns + count * call_ns, calls + count)
    });
    (calls > 0.0).then_some(ns / calls)
}
