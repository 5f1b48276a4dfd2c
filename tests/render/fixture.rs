//! Reports with fixed numbers: one with everything in it, and some that end otherwise.

use bakeoff_domain::failure::{Failure, FailureClass, Phase};
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::report::{
    CaseLabel, Cost, CriterionSummary, Environment, ExperimentSummary, Facts, FailedCall, Growth,
    Interval, MeasuringEnd, Protocol, Reading, ReplicaTimes, Report, VariantReport, VariantStatus,
    VerdictRow, WorkerCost, assemble,
};
use bakeoff_domain::spec::{
    AuthorWords, Direction, Gate, GateOn, RecommendationStyle, ReportOptions, Scale,
};
use bakeoff_domain::verdict::Verdict;
use bakeoff_run::audit::PastRun;
use bakeoff_store::RunId;
use std::collections::BTreeMap;

pub(super) const SIZES: [u32; 4] = [64, 1_000, 16_000, 256_000];

/// By variant: nanoseconds of one call at each size, peak memory, lines.
const TIMED: [(&str, [f64; 4], f64, f64); 6] = [
    (
        "heap",
        [2_900.0, 21_000.0, 260_000.0, 3_900_000.0],
        65_536.0,
        34.0,
    ),
    (
        "quickselect",
        [2_100.0, 15_000.0, 190_000.0, 2_700_000.0],
        2_162_688.0,
        41.0,
    ),
    (
        "insertion",
        [700.0, 16_500.0, 900_000.0, 41_000_000.0],
        65_536.0,
        18.0,
    ),
    (
        "sort",
        [3_000.0, 48_000.0, 930_000.0, 17_400_000.0],
        2_162_688.0,
        6.0,
    ),
    (
        "sort-by-key",
        [3_010.0, 48_100.0, 929_000.0, 17_420_000.0],
        2_162_688.0,
        7.0,
    ),
    (
        "radix",
        [14_000.0, 31_000.0, 300_000.0, 2_750_000.0],
        25_165_824.0,
        63.0,
    ),
];

pub(super) fn criterion(name: &str, weight: f64, source: &str, unit: &str) -> CriterionSummary {
    CriterionSummary {
        name: name.to_owned(),
        weight,
        source: source.to_owned(),
        direction: Direction::LowerIsBetter,
        unit: unit.to_owned(),
        scale: Scale::Ratio { base: 10.0 },
        gate: None,
        exact: false,
        opinion: None,
    }
}

pub(super) fn variant(name: &str) -> VariantReport {
    VariantReport {
        id: format!("v-{name}"),
        name: name.to_owned(),
        approach: name.to_owned(),
        iteration: 1,
        screening: None,
        parameters: BTreeMap::new(),
        status: VariantStatus::Unranked,
        rank: None,
        total: None,
        scores: BTreeMap::new(),
        readings: BTreeMap::new(),
        missing_readings: BTreeMap::new(),
        failure: None,
        failed_call: None,
        pure: Some(true),
        file: format!("approaches/{name}.rs"),
        description: None,
        reason: None,
        growth: None,
        imports: Vec::new(),
        attempts: Vec::new(),
    }
}

pub(super) fn reading(value: f64, unit: &str) -> Reading {
    Reading {
        value,
        low: None,
        high: None,
        unit: unit.to_owned(),
        by_case: Vec::new(),
        note: None,
    }
}

fn timed((name, times, memory, lines): &(&str, [f64; 4], f64, f64)) -> VariantReport {
    let mut variant = variant(name);
    let mean = times.iter().map(|t| t.ln()).sum::<f64>() / 4.0;
    let time = Reading {
        low: Some(mean.exp() * 0.99),
        high: Some(mean.exp() * 1.01),
        by_case: times.iter().copied().map(Some).collect(),
        ..reading(mean.exp(), "ns")
    };
    variant.readings.insert("time".to_owned(), time);
    let memory = reading(*memory, "bytes");
    variant.readings.insert("peak-memory".to_owned(), memory);
    variant
        .readings
        .insert("source-lines".to_owned(), reading(*lines, "lines"));
    variant
}

/// A verdict with an interval of so many per cent to both sides.
pub(super) fn row(a: &str, b: &str, ratio: f64, wide: f64, case: Option<u32>) -> VerdictRow {
    let (low, high) = (ratio / (1.0 + wide), ratio * (1.0 + wide));
    let verdict = if high < 1.0 {
        Verdict::Beats
    } else if low > 1.0 {
        Verdict::Beaten
    } else if low > 0.99 && high < 1.01 {
        Verdict::Tie
    } else {
        Verdict::NoCall
    };
    let sure = matches!(verdict, Verdict::Beats | Verdict::Beaten);
    VerdictRow {
        a: format!("v-{a}"),
        b: format!("v-{b}"),
        case: case.map(CaseLabel::Size),
        verdict,
        below_threshold: sure && (ratio - 1.0).abs() < 0.01,
        ratio: Some(ratio),
        low: Some(low),
        high: Some(high),
        replicas: 12,
        settle_seconds: None,
        narrowed: None,
        typical: None,
    }
}

/// All pairs of the timed ones: over all sizes, then by size.
fn verdicts() -> Vec<VerdictRow> {
    let mean = |times: &[f64; 4]| times.iter().map(|t| t.ln()).sum::<f64>() / 4.0;
    let mut rows = Vec::new();
    for (place, (a, times_a, ..)) in TIMED.iter().enumerate() {
        for (b, times_b, ..) in &TIMED[place + 1..] {
            let ratio = (mean(times_a) - mean(times_b)).exp();
            rows.push(row(a, b, ratio, wide(a, b), None));
            for (index, size) in SIZES.iter().enumerate() {
                let ratio = times_a[index] / times_b[index];
                rows.push(row(a, b, ratio, 3.0 * wide(a, b), Some(*size)));
            }
        }
    }
    rows
}

/// How wide the interval of a pair is: the two sorts are known well enough to tie, radix left
/// early.
fn wide(a: &str, b: &str) -> f64 {
    match (a, b) {
        ("sort", "sort-by-key") => 0.006,
        (_, "radix") => 0.09,
        _ => 0.025,
    }
}

/// Times of 12 replicas that scatter a little, always in the same way.
fn replicas() -> ReplicaTimes {
    let row = |replica: usize| {
        let scatter = |who: usize| (((replica * 7 + who * 3) % 11) as f64 - 5.0) / 150.0;
        let mean = |times: &[f64; 4]| times.iter().map(|t| t.ln()).sum::<f64>() / 4.0;
        TIMED
            .iter()
            .enumerate()
            .map(|(who, (_, times, ..))| {
                let left = who == 5 && replica > 5;
                (!left).then(|| mean(times) + scatter(who))
            })
            .collect()
    };
    ReplicaTimes {
        variants: TIMED.iter().map(|(name, ..)| format!("v-{name}")).collect(),
        log_times: (0..12).map(row).collect(),
    }
}

pub(super) fn facts() -> Facts {
    let mut variants: Vec<VariantReport> = TIMED.iter().map(timed).collect();
    variants[0].description = Some("Keep a bounded min-heap.".to_owned());
    variants[1].growth = Some(Growth {
        class: "n".to_owned(),
        alternatives: vec!["n log n".to_owned()],
        exponent: Some(Interval {
            value: 0.87,
            low: Some(0.81),
            high: Some(0.94),
        }),
    });
    let mut failed = variant("bogus");
    failed.failure = Some(Failure {
        class: FailureClass::WrongAnswer,
        message: "size 64: the answer is not in descending order".to_owned(),
        phase: Phase::Check,
        limit: None,
    });
    failed.failed_call = Some(FailedCall {
        case: CaseLabel::Size(64),
        seed: 9_876_543_210,
    });
    let mut unbuilt = variant("typo");
    unbuilt.failure = Some(Failure {
        class: FailureClass::BuildFailed,
        message: "error[E0425]: cannot find value `valeus` in this scope\n --> typo.rs:3:5\n  |\n3 |     valeus\n  |     ^^^^^^ help: a local variable with a similar name exists: `values`".to_owned(),
        phase: Phase::Build,
        limit: None,
    });
    variants.push(failed);
    variants.push(unbuilt);
    let gate = Gate {
        on: GateOn::Reading,
        min: None,
        max: Some(16_777_216.0),
    };
    let memory = CriterionSummary {
        gate: Some(gate),
        ..criterion("memory", 0.5, "peak-memory", "bytes")
    };
    Facts {
        experiment: ExperimentSummary {
            id: "4f1c0c8e".to_owned(),
            name: "top-k".to_owned(),
            problem: "Return the k largest values of a list, in descending order.".to_owned(),
            seed: RunSeed::Named(1),
            check_seed: RunSeed::Named(1),
            instances: None,
            cases: SIZES.map(CaseLabel::Size).to_vec(),
            options: Vec::new(),
            by_sources: false,
        },
        environment: Environment {
            engine: "wasmtime 48.0.9 (a1b2c3d4)".to_owned(),
            compiler: "rustc 1.95.0".to_owned(),
            compiler_choice: "the one that bakeoff was built with".to_owned(),
            cpu: "AMD EPYC 7763".to_owned(),
            cores: 2,
            system: "Linux 6.1".to_owned(),
            confinement: "standard".to_owned(),
            policy: "defaults".to_owned(),
            crates: Vec::new(),
            fences: Vec::new(),
        },
        criteria: vec![
            criterion("performance", 1.0, "time", "ns"),
            memory,
            criterion("simplicity", 0.3, "source-lines", "lines"),
        ],
        variants,
        verdicts: verdicts(),
        wall_verdicts: Vec::new(),
        reading_verdicts: std::collections::BTreeMap::new(),
        replicas: Some(replicas()),
        protocol: Protocol {
            confidence: 0.95,
            practical: 0.01,
            budget_seconds: 20.0,
            replicas: 12,
            replicas_max: Some(96),
            ended: MeasuringEnd::Budget,
            inputs: Some(5_400),
            all_timed: false,
        },
        options: ReportOptions::default(),
        cost: Cost {
            seconds: 23.4,
            trials: 18_400,
            workers: vec![WorkerCost {
                core: Some(1),
                tasks: 20,
                busy_seconds: 21.0,
            }],
            success_rate: 0.75,
            files: 9,
            source_lines: 240,
            ..Cost::default()
        },
        notes: vec!["No call of an instance shares state with another.".to_owned()],
        stopped_in_search: Vec::new(),
        author_words: author_words(),
        too_short: Vec::new(),
        in_words: None,
    }
}

/// What authors say of two of them, in words that would be lines or tags of ours.
fn author_words() -> BTreeMap<String, AuthorWords> {
    let said = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
    let heap = AuthorWords {
        rationale: Some("Where k is small.\nTake quickselect: it is 9 × faster.".to_owned()),
        characteristics: said(&["one pass"]),
        pros: said(&["<script>alert(1)</script>", "no copy of the list"]),
        cons: said(&["\u{1b}[2Jslow for a large k"]),
    };
    [("heap".to_owned(), heap)].into()
}

/// Six that are timed, of which one is gated out, two that failed; a tie, a crossing, a price.
pub(super) fn report() -> Report {
    assemble(facts())
}

/// Reports that end otherwise: a tie, no call, nothing at all, and the other styles of advice.
pub(super) fn others() -> Vec<(&'static str, Report)> {
    let only = |names: &[&str], wide: f64| {
        let mut facts = facts();
        facts.criteria.truncate(1);
        facts
            .variants
            .retain(|variant| names.contains(&variant.name.as_str()));
        let id = |id: &String| names.iter().any(|name| *id == format!("v-{name}"));
        facts.verdicts.retain(|row| id(&row.a) && id(&row.b));
        for changed in facts.verdicts.iter_mut().filter(|row| row.case.is_none()) {
            let (a, b) = (changed.a.replace("v-", ""), changed.b.replace("v-", ""));
            *changed = row(&a, &b, changed.ratio.unwrap_or(1.0), wide, None);
        }
        facts
    };
    let styled = |style: RecommendationStyle| {
        let mut facts = facts();
        facts.options.recommendation = style;
        assemble(facts)
    };
    let mut nothing = facts();
    nothing.variants.retain(|variant| variant.failure.is_some());
    vec![
        ("tie", assemble(only(&["sort", "sort-by-key"], 0.006))),
        ("no-call", assemble(only(&["sort", "sort-by-key"], 0.03))),
        ("alone", assemble(only(&["sort", "bogus"], 0.03))),
        ("nothing", assemble(nothing)),
        ("options", styled(RecommendationStyle::Options)),
        ("conditional", styled(RecommendationStyle::Conditional)),
        ("none", styled(RecommendationStyle::None)),
    ]
}

/// The weights that a report was scored with.
pub(super) fn weights(report: &Report) -> BTreeMap<String, f64> {
    let criteria = report.criteria.iter();
    let mut weights: BTreeMap<String, f64> = criteria.map(|c| (c.name.clone(), c.weight)).collect();
    weights.insert("simplicity".to_owned(), 0.3);
    weights.insert("memory".to_owned(), 0.5);
    weights
}

/// Sources for code samples.
pub(super) fn sources() -> BTreeMap<String, String> {
    let heap = "use std::collections::BinaryHeap;\n\npub fn top_k(values: Vec<i64>, k: u32) -> Vec<i64> {\n    // …\n}\n";
    let sort = "pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {\n    values.sort_unstable_by(|a, b| b.cmp(a));\n    values.truncate(k as usize);\n    values\n}\n";
    BTreeMap::from([
        ("v-heap".to_owned(), heap.to_owned()),
        ("v-sort".to_owned(), sort.to_owned()),
    ])
}

/// Three runs: an earlier one by another compiler that knew less, one in which a pair was not compared, and the
/// report's own.
pub(super) fn runs() -> Vec<PastRun> {
    let run = |number: i64, report: Report, changes| PastRun {
        run: RunId(number),
        started: format!("2026-01-0{number}T10:00:00.000Z"),
        report,
        changes,
    };
    let mut first = report();
    for row in &mut first.verdicts {
        row.verdict = Verdict::NoCall;
        row.low = row.low.map(|low| low * 0.5);
        row.high = row.high.map(|high| high * 2.0);
    }
    let mut second = report();
    second.verdicts.clear();
    let last = report();
    let compiler = last.environment.compiler.clone();
    let change = ("compiler".to_owned(), "1.80".to_owned(), compiler);
    vec![
        run(1, first, Vec::new()),
        run(2, second, Vec::new()),
        run(3, last, vec![change]),
    ]
}
