//! The pairs whose totals a race left open, though more times would tell them apart.

use bakeoff_domain::race::Analysis;
use bakeoff_domain::report::{self, Facts};
use bakeoff_domain::spec::Experiment;
use bakeoff_domain::variant::VariantId;
use bakeoff_domain::verdict::{PairVerdict, Verdict};

/// Returns the pairs that share the first place and have no call by their totals, where more times would bring one.
/// None where an evaluator waits for the race to end, as nobody has a total before.
pub(super) fn open_totals(
    experiment: &Experiment,
    facts: Facts,
    (racing, analysis): (&[VariantId], &Analysis),
) -> Vec<[String; 2]> {
    let mut evaluators = experiment.evaluators.iter();
    if evaluators.any(|one| one.needs().samples) {
        return Vec::new();
    }
    let is_final = |pair: &&PairVerdict| pair.verdict == Verdict::NoCall && !pair.is_open();
    let settled = analysis.overall.iter().filter(is_final);
    let settled = settled.filter_map(|pair| Some([racing.get(pair.a)?, racing.get(pair.b)?]));
    let settled: Vec<[&str; 2]> = settled.map(|ids| ids.map(VariantId::as_str)).collect();
    report::open_by_time(facts, |a, b| {
        settled.contains(&[a, b]) || settled.contains(&[b, a])
    })
}
