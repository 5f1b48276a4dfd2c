//! The environment of a run and the size of its measurement, in words.

use bakeoff_domain::crates::LockedCrate;
use bakeoff_domain::report::words::numbers;
use bakeoff_domain::report::{Protocol, Report};

/// Returns the environment and the measurement, as pairs of name and value.
pub(super) fn pairs(report: &Report) -> Vec<(&'static str, String)> {
    let environment = &report.environment;
    let protocol = &report.protocol;
    let mut confinement = environment.confinement.clone();
    if !environment.fences.is_empty() {
        confinement += &format!(" ({})", environment.fences.join(", "));
    }
    let mut compiler = environment.compiler.clone();
    if !environment.compiler_choice.is_empty() {
        compiler += &format!(", {}", environment.compiler_choice);
    }
    let mut pairs = vec![
        ("Confinement", confinement),
        ("Engine", environment.engine.clone()),
        ("Compiler", compiler),
    ];
    // Of a question in words no machine had a part.
    if report.in_words.is_none() {
        let machine = format!(
            "{}, {} cores, {}",
            environment.cpu, environment.cores, environment.system
        );
        pairs.push(("Machine", machine));
    }
    if !environment.crates.is_empty() {
        let exact = |one: &LockedCrate| format!("{} {}", one.name, one.version);
        let all: Vec<String> = environment.crates.iter().map(exact).collect();
        pairs.push(("Crates", all.join(", ")));
    }
    if environment.policy != "defaults" {
        pairs.push(("Host policy", environment.policy.clone()));
    }
    if protocol.replicas > 0 {
        let measured = format!(
            "{}; {} confidence over all verdicts; practical threshold {}",
            measured(protocol),
            numbers::confidence(protocol.confidence),
            numbers::percent(protocol.practical)
        );
        pairs.push(("Measured", measured));
    }
    let experiment = &report.experiment;
    let mut seed = format!("{0} (repeat with --seed {0})", experiment.seed);
    if experiment.check_seed != experiment.seed {
        seed += &format!("; check seed {}", experiment.check_seed);
    }
    pairs.push(("Seed", seed));
    pairs.retain(|(_, text)| !text.trim().is_empty());
    pairs
}

/// Returns the size of the measurement: `12 replicas, 5,400 or more drawn inputs of each case`.
fn measured(protocol: &Protocol) -> String {
    let replicas = match protocol.replicas {
        1 => "1 replica".to_owned(),
        replicas => format!("{replicas} replicas"),
    };
    match protocol.inputs {
        Some(inputs) => format!(
            "{replicas}, {} or more drawn inputs of each case",
            numbers::count(inputs)
        ),
        None => replicas,
    }
}
