//! `[limits]` and `[measure]` of an experiment file that is written.

use super::units::{show_bytes, show_duration};
use bakeoff_domain::spec::{Limits, Measure, RaceMachines, State, Workers};

/// Returns limits as an experiment file declares them: those that are not the default; empty if all are.
pub fn limits_text(limits: &Limits) -> String {
    let default = Limits::default();
    let mut lines = Vec::new();
    if limits.memory_bytes != default.memory_bytes {
        lines.push(format!("memory = \"{}\"", show_bytes(limits.memory_bytes)));
    }
    if limits.fuel != default.fuel {
        lines.push(format!("fuel = {}", limits.fuel));
    }
    if limits.wall != default.wall {
        lines.push(format!("wall = \"{}\"", show_duration(limits.wall)));
    }
    if limits.output_bytes != default.output_bytes {
        lines.push(format!("output = \"{}\"", show_bytes(limits.output_bytes)));
    }
    table("limits", &lines)
}

/// Returns options of measuring as an experiment file declares them: the budget, and those that are not the default.
pub fn measure_text(measure: &Measure) -> String {
    let default = Measure::default();
    let mut lines = vec![format!("budget = \"{}\"", show_duration(measure.budget))];
    if measure.confidence != default.confidence {
        lines.push(format!("confidence = {:?}", measure.confidence));
    }
    if measure.practical != default.practical {
        lines.push(format!("practical = {:?}", measure.practical));
    }
    if let Some(precision) = measure.precision {
        lines.push(format!("precision = {precision:?}"));
    }
    if let Workers::Exactly(cores) = measure.workers {
        lines.push(format!("workers = {cores}"));
    }
    if measure.state == State::Kept {
        lines.push("state = \"kept\"".to_owned());
    }
    if measure.machines == RaceMachines::Each {
        lines.push("machines = \"each\"".to_owned());
    }
    table("measure", &lines)
}

fn table(name: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        String::new()
    } else {
        format!("[{name}]\n{}\n\n", lines.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn what_is_written_reads_back_the_same() {
        let limits = Limits {
            memory_bytes: 3 << 19,
            fuel: 12_345,
            wall: Duration::from_micros(1_500),
            output_bytes: 1_001,
        };
        let measure = Measure {
            confidence: 0.9,
            practical: 0.02,
            budget: Duration::from_millis(1_500),
            workers: Workers::Exactly(2),
            state: State::Kept,
            precision: Some(0.005),
            machines: RaceMachines::Each,
            ..Measure::default()
        };
        let defaults = (Limits::default(), Measure::default());
        for (limits, measure) in [(limits, measure), defaults] {
            let text = format!(
                "name = \"x\"\nproblem = \"y\"\n[interface]\nwit = \"wit\"\ncall = \"f\"\n[workload]\nsource = \"w.rs\"\n\
                 sizes = [9]\n[[approach]]\nname = \"a\"\nsource = \"a.rs\"\n{}{}",
                limits_text(&limits),
                measure_text(&measure)
            );
            let experiment = crate::parse(&text, "x").unwrap();
            assert_eq!((experiment.limits, experiment.measure), (limits, measure));
        }
        assert_eq!(limits_text(&Limits::default()), "");
    }
}
