//! The tables of a report, with plain text in their cells: each format adds its own escapes.

use super::failed_call::failed_call;
use bakeoff_domain::report::words::{self, numbers};
use bakeoff_domain::report::{
    CaseLabel, Environment, Interval, Report, VariantReport, VariantStatus,
};
use bakeoff_domain::spec::{Direction, GateOn, Scale};
use bakeoff_domain::verdict::Verdict;
use std::collections::BTreeSet;

/// Largest number of characters of a cell. Names and units come from outside and may be long; JSON
/// and CSV have them in full.
const CELL_CHARS_MAX: usize = 64;

/// The alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    /// For words.
    Left,
    /// For numbers.
    Right,
}

/// A table: a caption, a heading for each column, and rows with as many cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Table {
    /// Its caption.
    pub(super) caption: String,
    /// The heading and alignment of each column.
    pub(super) columns: Vec<(String, Align)>,
    /// The rows; the first cell of each is its heading.
    pub(super) rows: Vec<Vec<String>>,
}

impl Table {
    fn new(caption: &str) -> Self {
        Self {
            caption: caption.to_owned(),
            columns: vec![("variant".to_owned(), Align::Left)],
            rows: Vec::new(),
        }
    }

    fn column(&mut self, title: &str, align: Align) {
        self.columns
            .push((super::clipped(title, CELL_CHARS_MAX), align));
    }

    fn row(&mut self, cells: Vec<String>) {
        let cells = cells
            .iter()
            .map(|cell| super::clipped(cell, CELL_CHARS_MAX));
        self.rows.push(cells.collect());
    }
}

/// The content of a cell without a value.
pub(super) const NO_VALUE: &str = "–";

/// The rank in texts: `1`; `2=` if it is shared; the status of a variant without a rank.
pub(super) fn rank(report: &Report, variant: &VariantReport) -> String {
    match (variant.status, variant.rank) {
        (VariantStatus::Ranked, Some(rank)) => {
            let of_rank = report.variants.iter().filter(|v| v.rank == Some(rank));
            let sign = if of_rank.count() > 1 { "=" } else { "" };
            format!("{rank}{sign}")
        }
        (status, _) => status_name(status).to_owned(),
    }
}

/// The name of a status, as in `report.json`.
pub(super) fn status_name(status: VariantStatus) -> &'static str {
    match status {
        VariantStatus::Ranked => "ranked",
        VariantStatus::Eliminated => "eliminated",
        VariantStatus::Failed => "failed",
        VariantStatus::Unranked => "unranked",
    }
}

/// The comparison matrix: a score for each criterion, the total, the rank.
pub(super) fn matrix(report: &Report) -> Table {
    let mut table = Table::new("Scores from 0 to 10, higher is better; total from 0 to 1");
    for criterion in &report.criteria {
        table.column(&criterion.name, Align::Right);
    }
    table.column("total", Align::Right);
    table.column("rank", Align::Right);
    for variant in &report.variants {
        let mut row = vec![words::name(report, &variant.id)];
        row.extend(report.criteria.iter().map(|criterion| {
            let score = variant.scores.get(&criterion.name);
            score.map_or(NO_VALUE.to_owned(), |s| numbers::score(s.value))
        }));
        let total = variant.total.map(|total| numbers::total(total.value));
        row.push(total.unwrap_or(NO_VALUE.to_owned()));
        row.push(rank(report, variant));
        table.row(row);
    }
    table
}

/// The comparison matrix with intervals: the table of the chart of scores.
pub(super) fn scores(report: &Report) -> Table {
    let mut table = matrix(report);
    table.caption = "Scores with their intervals".to_owned();
    for (row, variant) in table.rows.iter_mut().zip(&report.variants) {
        for (cell, criterion) in row[1..].iter_mut().zip(&report.criteria) {
            if let Some(score) = variant.scores.get(&criterion.name) {
                *cell = with_interval(score, numbers::score);
            }
        }
        if let Some(total) = &variant.total {
            let cell = row.len() - 2;
            row[cell] = with_interval(total, numbers::total);
        }
    }
    table
}

/// A value with its interval: `8.1 (7.9–8.3)`; without it if both ends are shown alike.
fn with_interval(interval: &Interval, show: fn(f64) -> String) -> String {
    let value = show(interval.value);
    match (interval.low.map(show), interval.high.map(show)) {
        (Some(low), Some(high)) if low == high => value,
        (Some(low), Some(high)) => format!("{value} ({low}–{high})"),
        (Some(low), None) => format!("{value} (at least {low})"),
        (None, Some(high)) => format!("{value} (at most {high})"),
        (None, None) => format!("{value} (interval unknown)"),
    }
}

/// The time of a variant against the fastest one.
pub(super) struct RatioRow<'a> {
    /// The variant.
    pub(super) variant: &'a VariantReport,
    /// The ratio of times; `None` for the fastest itself, or if it is not known.
    pub(super) ratio: Option<Interval>,
    /// The verdict; `None` for the fastest itself.
    pub(super) verdict: Option<Verdict>,
    /// Whether the difference is sure, but smaller than the practical threshold.
    pub(super) below_threshold: bool,
    /// Ratio, interval and certainty: `1.83 × slower, 1.79–1.88, sure`.
    pub(super) summary: String,
}

impl RatioRow<'_> {
    /// The verdict in words: `slower`, `the fastest`.
    pub(super) fn verdict_text(&self) -> String {
        let verdict = self.verdict.map_or("the fastest", verdict_name);
        match self.below_threshold {
            true => format!("{verdict}, below the practical threshold"),
            false => verdict.to_owned(),
        }
    }
}

/// All timed variants, the fastest first, then by ratio.
pub(super) fn ratios_to_fastest(report: &Report) -> Vec<RatioRow<'_>> {
    let Some(fastest) = words::fastest(report) else {
        return Vec::new();
    };
    let mut list: Vec<RatioRow<'_>> = report
        .variants
        .iter()
        .filter(|variant| variant.id != fastest.id)
        .filter_map(|variant| {
            let row = words::ordered_row(report, &variant.id, &fastest.id, None)?;
            let ratio = row.ratio.map(|value| Interval {
                value,
                low: row.low,
                high: row.high,
            });
            Some(RatioRow {
                variant,
                ratio,
                verdict: Some(row.verdict),
                below_threshold: row.below_threshold,
                summary: words::pair_short(report, &row),
            })
        })
        .collect();
    let value = |row: &RatioRow<'_>| row.ratio.map_or(f64::INFINITY, |ratio| ratio.value);
    list.sort_by(|a, b| value(a).total_cmp(&value(b)));
    let first = RatioRow {
        variant: fastest,
        ratio: None,
        verdict: None,
        below_threshold: false,
        summary: "the fastest".to_owned(),
    };
    list.insert(0, first);
    list
}

/// The name of a verdict in texts.
pub(super) fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Beats => "faster",
        Verdict::Beaten => "slower",
        Verdict::Tie => "tie",
        Verdict::NoCall => "no call",
    }
}

/// Ratios of times with intervals: the table of the chart of ratios.
pub(super) fn ratios(report: &Report) -> Table {
    let list = ratios_to_fastest(report);
    let fastest = list
        .first()
        .map(|best| words::name(report, &best.variant.id));
    let caption = format!(
        "Time against {}, all cases together",
        fastest.unwrap_or_default()
    );
    let mut table = Table::new(&caption);
    table.column("time", Align::Right);
    table.column("verdict", Align::Left);
    table.rows = list
        .iter()
        .map(|row| {
            let ratio = match (row.ratio, row.verdict) {
                (Some(ratio), _) => numbers::times(ratio),
                (None, None) => "1 ×".to_owned(),
                (None, Some(_)) => NO_VALUE.to_owned(),
            };
            let name = words::name(report, &row.variant.id);
            vec![name, ratio, row.verdict_text()]
        })
        .collect();
    table
}

/// Times by case: the table of the chart of times by size.
pub(super) fn by_case(report: &Report) -> Option<Table> {
    let cases = &report.experiment.cases;
    let timed: Vec<&VariantReport> = report
        .variants
        .iter()
        .filter(|variant| {
            let time = variant.readings.get("time");
            time.is_some_and(|time| time.by_case.len() == cases.len())
        })
        .collect();
    if cases.len() < 2 || timed.is_empty() {
        return None;
    }
    let mut table = Table::new("Time of one call, by case");
    for case in cases {
        let title = match case {
            CaseLabel::Size(size) => numbers::count(u64::from(*size)),
            CaseLabel::Call(call) => super::clipped(call, 24),
        };
        table.column(&title, Align::Right);
    }
    for variant in timed {
        let mut row = vec![words::name(report, &variant.id)];
        let time = &variant.readings["time"];
        row.extend(time.by_case.iter().map(|value| match value {
            Some(value) => numbers::reading(*value, &time.unit),
            None => NO_VALUE.to_owned(),
        }));
        table.row(row);
    }
    Some(table)
}

/// All readings, in their own units.
pub(super) fn readings(report: &Report) -> Option<Table> {
    let sources: BTreeSet<&String> = report
        .variants
        .iter()
        .flat_map(|variant| variant.readings.keys())
        .collect();
    if sources.is_empty() {
        return None;
    }
    let mut table = Table::new("Readings");
    for source in &sources {
        table.column(source, Align::Right);
    }
    for variant in report.variants.iter().filter(|v| !v.readings.is_empty()) {
        let mut row = vec![words::name(report, &variant.id)];
        row.extend(sources.iter().map(|source| {
            let reading = variant.readings.get(*source);
            reading.map_or(NO_VALUE.to_owned(), |r| numbers::reading(r.value, &r.unit))
        }));
        table.row(row);
    }
    Some(table)
}

/// The criteria: weight, source, direction, scale and gate.
pub(super) fn criteria(report: &Report) -> Table {
    let mut table = Table::new("Criteria");
    table.columns[0].0 = "criterion".to_owned();
    for title in ["weight", "from", "better", "scale", "gate"] {
        table.column(title, Align::Left);
    }
    for criterion in &report.criteria {
        let better = match criterion.direction {
            Direction::LowerIsBetter => "lower",
            Direction::HigherIsBetter => "higher",
        };
        let scale = match criterion.scale {
            Scale::Ratio { base } => format!("10 points for each factor of {base}"),
            Scale::Linear { low, high } => format!("linear from {low} to {high}"),
        };
        let gate = criterion.gate.map_or(NO_VALUE.to_owned(), |gate| {
            let (on, unit) = match gate.on {
                GateOn::Score => ("score", ""),
                GateOn::Reading => ("reading", criterion.unit.as_str()),
            };
            let bound = |what: &str, bound: Option<f64>| {
                bound.map(|bound| format!("{what} {}", numbers::reading(bound, unit)))
            };
            let bounds: Vec<String> = [bound("at least", gate.min), bound("at most", gate.max)]
                .into_iter()
                .flatten()
                .collect();
            format!("{on} {}", bounds.join(", "))
        });
        table.row(vec![
            criterion.name.clone(),
            numbers::weight(criterion.weight),
            criterion.source.clone(),
            better.to_owned(),
            scale,
            gate,
        ]);
    }
    table
}

/// A variant that is not ranked.
pub(super) struct UnrankedVariant {
    /// Its name.
    pub(super) name: String,
    /// Its status: `failed: wrong-answer`, `eliminated`, `unranked`.
    pub(super) status: String,
    /// May have several lines.
    pub(super) reason: String,
    /// The call that failed, and the command for it.
    pub(super) call: Option<String>,
}

/// All variants without a rank, with the reason.
pub(super) fn unranked(report: &Report) -> Vec<UnrankedVariant> {
    let unranked = report
        .variants
        .iter()
        .filter(|v| v.status != VariantStatus::Ranked);
    unranked
        .map(|variant| {
            let name = words::name(report, &variant.id);
            match &variant.failure {
                Some(failure) => {
                    let limit = |l: &String| format!(" (limit: {})", super::clipped(l, 200));
                    let limit = failure.limit.as_ref().map_or(String::new(), limit);
                    UnrankedVariant {
                        name,
                        status: format!("failed: {}", failure.class),
                        reason: super::clipped(&failure.message, super::MESSAGE_CHARS_MAX) + &limit,
                        call: failed_call(variant),
                    }
                }
                None => UnrankedVariant {
                    name,
                    status: status_name(variant.status).to_owned(),
                    reason: super::clipped(
                        variant.reason.as_deref().unwrap_or_default(),
                        super::MESSAGE_CHARS_MAX,
                    ),
                    call: None,
                },
            }
        })
        .collect()
}

/// The level of the confinement, with its mechanisms.
fn confinement(environment: &Environment) -> String {
    match environment.fences.is_empty() {
        true => environment.confinement.clone(),
        false => format!(
            "{} ({})",
            environment.confinement,
            environment.fences.join(", ")
        ),
    }
}

/// The environment and the measurement, as pairs of name and value.
pub(super) fn environment(report: &Report) -> Vec<(&'static str, String)> {
    let environment = &report.environment;
    let protocol = &report.protocol;
    let mut pairs = vec![
        ("Confinement", confinement(environment)),
        ("Engine", environment.engine.clone()),
        ("Compiler", environment.compiler.clone()),
        (
            "Machine",
            format!(
                "{}, {} cores, {}",
                environment.cpu, environment.cores, environment.system
            ),
        ),
    ];
    if environment.policy != "defaults" {
        pairs.push(("Host policy", environment.policy.clone()));
    }
    if protocol.replicas > 0 {
        let measured = format!(
            "{} replicas; {} confidence over all verdicts; practical threshold {}",
            protocol.replicas,
            numbers::percent(protocol.confidence),
            numbers::percent(protocol.practical)
        );
        pairs.push(("Measured", measured));
    }
    let cost = &report.cost;
    let mut spent = format!(
        "{} s, {} calls",
        numbers::significant(cost.seconds, 3),
        numbers::count(cost.trials)
    );
    if cost.tokens > 0 {
        spent += &format!(", {} tokens, ${:.2}", numbers::count(cost.tokens), cost.usd);
    }
    pairs.push(("Cost", spent));
    let experiment = &report.experiment;
    let mut seed = format!("{0} (repeat with --seed {0})", experiment.seed);
    if experiment.check_seed != experiment.seed {
        seed += &format!("; check seed {}", experiment.check_seed);
    }
    pairs.push(("Seed", seed));
    pairs.retain(|(_, text)| !text.trim().is_empty());
    pairs
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use bakeoff_domain::report::{Cost, Environment, ExperimentSummary, Facts, Protocol, assemble};
    use std::collections::BTreeMap;

    /// A report with one variant of that name and nothing else.
    pub(in crate::render) fn named(name: &str) -> Report {
        assemble(Facts {
            experiment: ExperimentSummary {
                id: "id".to_owned(),
                name: "experiment".to_owned(),
                problem: "problem".to_owned(),
                seed: 1,
                check_seed: 1,
                cases: Vec::new(),
            },
            environment: Environment::default(),
            criteria: Vec::new(),
            variants: vec![VariantReport {
                id: "v".to_owned(),
                name: name.to_owned(),
                approach: "a".to_owned(),
                iteration: 1,
                parameters: BTreeMap::new(),
                status: VariantStatus::Unranked,
                rank: None,
                total: None,
                scores: BTreeMap::new(),
                readings: BTreeMap::new(),
                failure: None,
                failed_call: None,
                pure: None,
                file: String::new(),
                description: None,
                reason: None,
                growth: None,
                imports: Vec::new(),
                attempts: Vec::new(),
            }],
            verdicts: Vec::new(),
            wall_verdicts: Vec::new(),
            reading_verdicts: std::collections::BTreeMap::new(),
            replicas: None,
            protocol: Protocol::default(),
            options: bakeoff_domain::spec::ReportOptions::default(),
            cost: Cost::default(),
            notes: Vec::new(),
        })
    }

    #[test]
    fn a_variant_without_scores_is_shown_without_a_rank() {
        let report = named("x");
        assert_eq!(matrix(&report).rows, [["x", NO_VALUE, "unranked"]]);
        assert_eq!(unranked(&report)[0].status, "unranked");
    }
}
