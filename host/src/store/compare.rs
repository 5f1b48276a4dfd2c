//! What became different between two runs, from their reports.

use bakeoff_domain::report::{CaseLabel, Report, Status, Variant};
use bakeoff_domain::verdict::Verdict;
use serde::Serialize;

/// Two runs side by side.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RunComparison {
    /// What was recommended: before, after.
    pub winner: (Option<String>, Option<String>),
    /// What differs in where it was measured: name, before, after. Times may not be compared if
    /// this is not empty.
    pub environment: Vec<(String, String, String)>,
    /// By variant, in the order of the later report, then those that are gone.
    pub variants: Vec<VariantChange>,
    /// Verdicts that both runs give about a pair, and that differ.
    pub verdicts: Vec<VerdictChange>,
}

/// A variant in two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VariantChange {
    /// Its id.
    pub id: String,
    /// What became of it; `None` in the run that does not have it.
    pub status: (Option<Status>, Option<Status>),
    /// Its rank.
    pub rank: (Option<u32>, Option<u32>),
    /// Its total, from 0 to 1.
    pub total: (Option<f64>, Option<f64>),
    /// Readings that both have: source, before, after, unit.
    pub readings: Vec<(String, f64, f64, String)>,
}

/// A pair about which two runs say different things.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerdictChange {
    /// The variant that is spoken of.
    pub a: String,
    /// The variant it is held against.
    pub b: String,
    /// `None`: all cases together.
    pub case: Option<CaseLabel>,
    /// What was said of `a`.
    pub before: Verdict,
    /// What is said of it now.
    pub after: Verdict,
}

/// Compares two runs by their reports.
pub fn compare(before: &Report, after: &Report) -> RunComparison {
    let gone = before
        .variants
        .iter()
        .filter(|variant| find(after, &variant.id).is_none());
    let ids = after.variants.iter().chain(gone).map(|variant| &variant.id);
    RunComparison {
        winner: (
            before.recommendation.winner.clone(),
            after.recommendation.winner.clone(),
        ),
        environment: environments(before, after),
        variants: ids
            .map(|id| variant(id, find(before, id), find(after, id)))
            .collect(),
        verdicts: verdicts(before, after),
    }
}

fn find<'a>(report: &'a Report, id: &str) -> Option<&'a Variant> {
    report.variants.iter().find(|variant| variant.id == id)
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

fn variant(id: &str, before: Option<&Variant>, after: Option<&Variant>) -> VariantChange {
    let both = |read: fn(&Variant) -> Option<f64>| (before.and_then(read), after.and_then(read));
    let readings = before.zip(after).map_or_else(Vec::new, |(old, new)| {
        let pairs = old.readings.iter().filter_map(|(source, reading)| {
            let now = new.readings.get(source)?;
            Some((source.clone(), reading.value, now.value, now.unit.clone()))
        });
        pairs.collect()
    });
    VariantChange {
        id: id.to_owned(),
        status: (before.map(|v| v.status), after.map(|v| v.status)),
        rank: (before.and_then(|v| v.rank), after.and_then(|v| v.rank)),
        total: both(|variant| variant.total.map(|total| total.value)),
        readings,
    }
}

fn verdicts(before: &Report, after: &Report) -> Vec<VerdictChange> {
    let said_before = |a: &str, b: &str, case: &Option<CaseLabel>| {
        before.verdicts.iter().find_map(|row| {
            let same = (row.a == a && row.b == b).then_some(row.verdict);
            let turned = (row.a == b && row.b == a).then(|| row.verdict.reversed());
            same.or(turned).filter(|_| row.case == *case)
        })
    };
    let changed = after.verdicts.iter().filter_map(|row| {
        let earlier = said_before(&row.a, &row.b, &row.case)?;
        (earlier != row.verdict).then(|| VerdictChange {
            a: row.a.clone(),
            b: row.b.clone(),
            case: row.case.clone(),
            before: earlier,
            after: row.verdict,
        })
    });
    changed.collect()
}
