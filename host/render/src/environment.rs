//! The environment of a run and the size of its measurement, in words.

use bakeoff_domain::crates::LockedCrate;
use bakeoff_domain::report::words::numbers;
use bakeoff_domain::report::{Cost, Protocol, Report, WorkerCost};

/// The largest number of cores that are shown one by one.
const CORES_SHOWN_MAX: usize = 8;

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
        (
            "Machine",
            format!(
                "{}, {} cores, {}",
                environment.cpu, environment.cores, environment.system
            ),
        ),
    ];
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
    pairs.push(("Load", load(cost)));
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

/// Returns the work of each core; of many cores, that of all together.
fn load(cost: &Cost) -> String {
    let work = |tasks: u64, seconds: f64| {
        let seconds = numbers::significant(seconds, 3);
        match tasks {
            1 => format!("1 task in {seconds} s"),
            tasks => format!("{} tasks in {seconds} s", numbers::count(tasks)),
        }
    };
    if cost.workers.len() > CORES_SHOWN_MAX {
        let tasks = cost.workers.iter().map(|worker| worker.tasks).sum();
        let seconds = cost.workers.iter().map(|worker| worker.busy_seconds).sum();
        return format!("{} cores: {}", cost.workers.len(), work(tasks, seconds));
    }
    let of_core = |worker: &WorkerCost| {
        let work = work(worker.tasks, worker.busy_seconds);
        match worker.core {
            Some(core) => format!("core {core}: {work}"),
            None => format!("no core: {work}"),
        }
    };
    let all: Vec<String> = cost.workers.iter().map(of_core).collect();
    all.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_of_many_cores_is_one_sum() {
        let cost = |cores: u32| Cost {
            workers: (0..cores)
                .map(|core| WorkerCost {
                    core: Some(core),
                    tasks: 1 + u64::from(core),
                    busy_seconds: 0.5,
                })
                .collect(),
            ..Cost::default()
        };
        assert_eq!(load(&cost(0)), "");
        assert_eq!(
            load(&cost(2)),
            "core 0: 1 task in 0.500 s; core 1: 2 tasks in 0.500 s"
        );
        assert_eq!(load(&cost(9)), "9 cores: 45 tasks in 4.50 s");
    }
}
