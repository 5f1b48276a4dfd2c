//! The comparison of two runs, from their reports.

use super::alignment::{Alignment, ItemPair};
use bakeoff_domain::report::{CaseLabel, Report, VariantReport, VariantStatus, VerdictRow};
use bakeoff_domain::verdict::Verdict;
use serde::Serialize;

/// Two runs side by side.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RunComparison {
    /// The recommended variant: before, after.
    pub winner: (Option<String>, Option<String>),
    /// The differences of the environment: name, before, after. Times should not be compared unless
    /// this is empty.
    pub environment: Vec<(String, String, String)>,
    /// The variants in the order of the later report, then those that only the earlier one has.
    pub variants: Vec<VariantChange>,
    /// The verdicts that both runs give about a pair and that differ.
    pub verdicts: Vec<VerdictChange>,
    /// The number of verdicts about a pair that both runs give, those that differ among them.
    pub pairs_in_both: usize,
}

/// A variant in two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VariantChange {
    /// Id of the variant.
    pub id: String,
    /// The status of the variant; `None` in a run that lacks it.
    pub status: (Option<VariantStatus>, Option<VariantStatus>),
    /// Rank of the variant: before, after.
    pub rank: (Option<u32>, Option<u32>),
    /// Total of the variant, from 0 to 1: before, after.
    pub total: (Option<f64>, Option<f64>),
    /// The readings that both runs have: source, before, after, unit.
    pub readings: Vec<(String, f64, f64, String)>,
}

/// A pair on which two runs give different verdicts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerdictChange {
    /// The variant that the verdicts are about.
    pub a: String,
    /// The variant that it is compared with.
    pub b: String,
    /// The case; `None` for all cases together.
    pub case: Option<CaseLabel>,
    /// The earlier verdict on `a`.
    pub before: Verdict,
    /// The later verdict on `a`.
    pub after: Verdict,
}

/// Compares two runs by their reports.
pub fn compare_runs(before: &Report, after: &Report) -> RunComparison {
    let aligned = Alignment::of(before, after);
    let in_both = aligned.verdicts.iter();
    let in_both = in_both.filter(|both| both.before.is_some() && both.after.is_some());
    RunComparison {
        pairs_in_both: in_both.count(),
        winner: (
            before.recommendation.winner.clone(),
            after.recommendation.winner.clone(),
        ),
        environment: environments(before, after),
        variants: aligned.variants.into_iter().filter_map(variant).collect(),
        verdicts: aligned.verdicts.into_iter().filter_map(verdict).collect(),
    }
}

fn environments(before: &Report, after: &Report) -> Vec<(String, String, String)> {
    let (old, new) = (&before.environment, &after.environment);
    let fields = [
        ("engine", old.engine.clone(), new.engine.clone()),
        ("compiler", old.compiler.clone(), new.compiler.clone()),
        ("cpu", old.cpu.clone(), new.cpu.clone()),
        ("cores", old.cores.to_string(), new.cores.to_string()),
        ("system", old.system.clone(), new.system.clone()),
        (
            "confinement",
            old.confinement.clone(),
            new.confinement.clone(),
        ),
        ("fences", old.fences.join(", "), new.fences.join(", ")),
    ];
    let differ = fields.into_iter().filter(|(_, old, new)| old != new);
    differ
        .map(|(name, old, new)| (name.to_owned(), old, new))
        .collect()
}

fn variant(both: ItemPair<&VariantReport>) -> Option<VariantChange> {
    let ItemPair { before, after } = both;
    let id = &after.or(before)?.id;
    let readings = before.zip(after).map_or_else(Vec::new, |(old, new)| {
        let pairs = old.readings.iter().filter_map(|(source, reading)| {
            let now = new.readings.get(source)?;
            Some((source.clone(), reading.value, now.value, now.unit.clone()))
        });
        pairs.collect()
    });
    let rank = |variant: &VariantReport| variant.rank;
    let total = |variant: &VariantReport| variant.total.map(|total| total.value);
    Some(VariantChange {
        id: id.clone(),
        status: (before.map(|one| one.status), after.map(|one| one.status)),
        rank: (before.and_then(rank), after.and_then(rank)),
        total: (before.and_then(total), after.and_then(total)),
        readings,
    })
}

/// Returns the change of a verdict that both runs give; `None` if it is the same.
fn verdict(both: ItemPair<VerdictRow>) -> Option<VerdictChange> {
    let (before, after) = both.before.zip(both.after)?;
    (before.verdict != after.verdict).then_some(VerdictChange {
        a: before.a,
        b: before.b,
        case: before.case,
        before: before.verdict,
        after: after.verdict,
    })
}
