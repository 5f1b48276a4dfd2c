//! The built-in sources of readings.

use super::evidence::{VariantEvidence, call_ns};
use super::part_readings::part_readings;
use super::set_readings::{log_time_on_set, qualities_on_set};
use crate::GateRecord;
use bakeoff_compile::BuildRecord;
use bakeoff_domain::measurement::{CaseIndex, Metric, Replica, VariantIndex};
use bakeoff_domain::report::Reading;
use bakeoff_domain::spec::Source;
use bakeoff_domain::stats::median;
use bakeoff_runner::{AssessedAnswer, CheckedCase};
use std::collections::BTreeMap;
use std::time::Duration;

/// The share by which the memory of a process may be another one in another run: the system decides which pages it
/// reads, and when.
const PROCESS_MEMORY_SHARE: f64 = 0.1;

/// Returns every reading of a variant by the name of its source. A source without evidence is
/// absent.
pub fn readings(evidence: &VariantEvidence<'_>) -> BTreeMap<String, Reading> {
    let mut found = BTreeMap::new();
    let mut put = |source: Source, reading: Option<Reading>| {
        found.extend(reading.map(|reading| (source.name(), reading)));
    };
    put(Source::Time, time(evidence));
    put(Source::Wall, wall(evidence));
    put(Source::ColdStart, cold_start(evidence));
    let set = evidence.instances;
    let counted = evidence.gate.filter(|_| !evidence.is_program);
    put(Source::Fuel, counted.and_then(|gate| fuel(gate, set)));
    let peak = evidence.gate.and_then(|gate| peak_memory(gate, set));
    put(
        Source::PeakMemory,
        peak.map(|peak| {
            if evidence.is_program {
                of_process(peak)
            } else {
                peak
            }
        }),
    );
    put(
        Source::Growth,
        super::growth::growth(evidence).and_then(|growth| {
            let exponent = growth.exponent?;
            Some(Reading {
                value: exponent.value,
                low: exponent.low,
                high: exponent.high,
                unit: "exponent".to_owned(),
                by_case: Vec::new(),
                note: None,
            })
        }),
    );
    found.extend(part_readings(evidence));
    let mut put = |source: Source, reading: Option<Reading>| {
        found.extend(reading.map(|reading| (source.name(), reading)));
    };
    let assessed = match (evidence.assessment, evidence.gate) {
        (_, Some(gate)) if set.is_some() => qualities_on_set(set.unwrap_or(0), gate),
        (Some(assessment), _) => of_answers(evidence.cases.len(), &assessment.answers),
        (None, Some(gate)) => of_answers(evidence.cases.len(), &answers_of(gate)),
        (None, None) => BTreeMap::new(),
    };
    for (name, reading) in assessed {
        put(Source::Assess(name), Some(reading));
    }
    // What is built for a program does nothing.
    if evidence.is_program {
        return found;
    }
    if let Some(build) = evidence.build.filter(|build| build.digest.is_some()) {
        found.extend(of_build(build));
    }
    if let Some((coverage, share)) = evidence.coverage.and_then(|one| Some((one, one.share()?))) {
        let reading = Reading {
            note: Some(coverage.sentence()),
            ..exact(share * 100.0, "%")
        };
        found.insert(Source::Coverage.name(), reading);
    }
    let mut build_times_ns = evidence.build_times_ns.to_vec();
    if let Some(ns) = median(&mut build_times_ns) {
        found.insert(Source::BuildTime.name(), exact(ns, "ns"));
    }
    found
}

/// Returns the readings of a build by the name of their source: bytes of the component, lines of
/// its source if it has one, CPU time of the only build if it took any.
fn of_build(build: &BuildRecord) -> BTreeMap<String, Reading> {
    let cpu_ns = Duration::try_from_secs_f64(build.cpu_seconds).unwrap_or_default();
    let cpu_ns = cpu_ns.as_nanos() as f64;
    let readings = [
        (
            Source::ComponentSize,
            Some(exact(build.component_bytes as f64, "bytes")),
        ),
        (
            Source::SourceLines,
            build.source_lines.map(|lines| exact(lines as f64, "lines")),
        ),
        (
            Source::BuildTime,
            (cpu_ns > 0.0).then(|| exact(cpu_ns, "ns")),
        ),
    ];
    let named = |(source, reading): (Source, Option<Reading>)| Some((source.name(), reading?));
    readings.into_iter().filter_map(named).collect()
}

fn exact(value: f64, unit: &str) -> Reading {
    Reading {
        value,
        low: None,
        high: None,
        unit: unit.to_owned(),
        by_case: Vec::new(),
        note: None,
    }
}

/// Returns the geometric mean over the cases that count, with the values of the cases.
fn time(evidence: &VariantEvidence<'_>) -> Option<Reading> {
    let (analysis, racer) = (evidence.analysis?, evidence.racer?);
    let row = |case: CaseIndex| {
        analysis
            .times
            .iter()
            .find(|time| time.variant == racer && time.case == case)
            .copied()
    };
    let weights = analysis.settings.time_weights();
    let cases: Vec<_> = (0..weights.len()).map(row).collect();
    let mean = |of: &dyn Fn(&bakeoff_domain::race::TimeSummary) -> Option<f64>| -> Option<f64> {
        let counted = weights
            .iter()
            .zip(&cases)
            .filter(|(weight, _)| **weight > 0.0);
        let logs: Option<Vec<f64>> = counted
            .map(|(weight, case)| Some(weight * of(case.as_ref()?)?.ln()))
            .collect();
        logs.filter(|logs| !logs.is_empty())
            .map(|logs| logs.iter().sum::<f64>().exp())
    };
    Some(Reading {
        value: mean(&|time| Some(time.mean_ns))?,
        low: mean(&|time| time.low_ns),
        high: mean(&|time| time.high_ns),
        unit: "ns".to_owned(),
        by_case: if analysis.settings.instances {
            Vec::new()
        } else {
            let times = cases.iter();
            times.map(|case| Some(case.as_ref()?.mean_ns)).collect()
        },
        note: None,
    })
}

fn wall(evidence: &VariantEvidence<'_>) -> Option<Reading> {
    let racer = evidence.racer?;
    let weights = evidence.settings?.weights();
    if evidence.instances.is_some() {
        let replicas = evidence.replicas.iter();
        let logs =
            replicas.filter_map(|replica| log_time_on_set(replica, racer, Metric::Wall, &weights));
        let mut times: Vec<f64> = logs.map(f64::exp).collect();
        return median(&mut times).map(|ns| exact(ns, "ns"));
    }
    let by_case: Vec<Option<f64>> = (0..evidence.cases.len())
        .map(|case| {
            let mut calls: Vec<f64> = evidence
                .replicas
                .iter()
                .filter_map(|replica| call_ns(replica, racer, case, Metric::Wall))
                .collect();
            median(&mut calls)
        })
        .collect();
    let counted = weights
        .iter()
        .zip(&by_case)
        .filter(|(weight, _)| **weight > 0.0);
    let logs: Option<Vec<f64>> = counted
        .map(|(weight, ns)| Some(weight * (*ns)?.ln()))
        .collect();
    let logs = logs.filter(|logs| !logs.is_empty())?;
    let mut reading = exact(logs.iter().sum::<f64>().exp(), "ns");
    reading.by_case = by_case;
    Some(reading)
}

fn cold_start(evidence: &VariantEvidence<'_>) -> Option<Reading> {
    let racer = evidence.racer?;
    let cold = |replica: &Replica| {
        replica
            .cold_ns
            .get(racer)
            .copied()
            .flatten()
            .map(|ns| ns as f64)
    };
    let mut cold: Vec<f64> = evidence.replicas.iter().filter_map(cold).collect();
    median(&mut cold).map(|ns| exact(ns, "ns"))
}

/// Returns the geometric mean over the cases, as for time; for a set of instances, over the first
/// `set`.
fn fuel(gate: &GateRecord, set: Option<usize>) -> Option<Reading> {
    let counted = gate.cases.iter().take(set.unwrap_or(usize::MAX));
    let by_case: Vec<f64> = counted.map(|case| case.fuel as f64).collect();
    if by_case.is_empty() || gate.failure.is_some() {
        return None;
    }
    let mean = by_case.iter().map(|fuel| fuel.max(1.0).ln()).sum::<f64>() / by_case.len() as f64;
    let mut reading = exact(mean.exp(), "units");
    if set.is_none() {
        reading.by_case = by_case.into_iter().map(Some).collect();
    }
    Some(reading)
}

/// Returns the largest peak of all cases, and of the calls of a whole replica on one instance. The
/// latter shows memory that is kept from call to call to gain time.
fn peak_memory(gate: &GateRecord, set: Option<usize>) -> Option<Reading> {
    let by_case: Vec<f64> = gate
        .cases
        .iter()
        .map(|case| case.peak.bytes as f64)
        .collect();
    if by_case.is_empty() || gate.failure.is_some() {
        return None;
    }
    let mut reading = exact(gate.peak_bytes() as f64, "bytes");
    if set.is_none() {
        reading.by_case = by_case.into_iter().map(Some).collect();
    }
    Some(reading)
}

/// Returns the memory of a process with the interval in which it may be in another run.
fn of_process(peak: Reading) -> Reading {
    Reading {
        low: Some(peak.value * (1.0 - PROCESS_MEMORY_SHARE)),
        high: Some(peak.value * (1.0 + PROCESS_MEMORY_SHARE)),
        ..peak
    }
}

/// Returns the answers of the gate, one to each case.
fn answers_of(gate: &GateRecord) -> Vec<AssessedAnswer> {
    let answer = |case: &CheckedCase| AssessedAnswer {
        case: case.case,
        answer: case.answer.clone(),
        numbers: case.assessed.clone(),
    };
    gate.cases.iter().map(answer).collect()
}

/// Returns the means of the numbers that the workload gives the answers, by name: over the inputs
/// of a case, and then over the cases. A number that is missing or not finite makes that reading
/// absent: it cannot be ranked.
fn of_answers(cases: usize, answers: &[AssessedAnswer]) -> BTreeMap<String, Reading> {
    let mut by_name: BTreeMap<&str, Vec<Vec<f64>>> = BTreeMap::new();
    for answer in answers {
        for (name, number) in &answer.numbers {
            let rows = by_name
                .entry(name)
                .or_insert_with(|| vec![Vec::new(); cases]);
            if let Some(row) = rows.get_mut(answer.case) {
                row.push(*number);
            }
        }
    }
    let reading = |(name, rows): (&str, Vec<Vec<f64>>)| {
        let numbers = rows.iter().flatten();
        let whole = numbers.clone().count() == answers.len() && !rows.is_empty();
        if !whole || !numbers.clone().all(|number| number.is_finite()) {
            return None;
        }
        let means = rows
            .iter()
            .filter(|row| !row.is_empty())
            .map(|row| row.iter().sum::<f64>() / row.len() as f64);
        let by_case: Vec<f64> = means.collect();
        if by_case.len() < rows.len() {
            return None;
        }
        let mut reading = exact(by_case.iter().sum::<f64>() / by_case.len() as f64, "");
        reading.by_case = by_case.into_iter().map(Some).collect();
        Some((name.to_owned(), reading))
    };
    by_name.into_iter().filter_map(reading).collect()
}

/// Returns the weighted mean over cases of the logarithm of a call's time in a replica; `None` if
/// the variant did not run on all of them.
pub fn log_time(replica: &Replica, variant: VariantIndex, weights: &[f64]) -> Option<f64> {
    let counted = weights
        .iter()
        .enumerate()
        .filter(|(_, weight)| **weight > 0.0);
    let logs: Option<Vec<f64>> = counted
        .map(|(case, weight)| Some(weight * call_ns(replica, variant, case, Metric::Cpu)?.ln()))
        .collect();
    logs.filter(|logs| !logs.is_empty())
        .map(|logs| logs.iter().sum())
}
