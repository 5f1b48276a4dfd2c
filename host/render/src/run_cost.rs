//! Cost of a run, in words: variants, sources, time, cores and models.

use bakeoff_domain::report::words::numbers;
use bakeoff_domain::report::{Cost, MachineCost, Opinions, Phase, PhaseCost, Report, WorkerCost};
use bakeoff_domain::wording;

/// The heading of the section.
pub(super) const HEADING: &str = "What it took";

/// Length of the bar of a phase that takes all the time, in cells.
const BAR_CELLS: f64 = 20.0;

/// The largest number of cores that are shown one by one.
const CORES_SHOWN_MAX: usize = 8;

/// The largest number of other machines that are shown one by one.
const MACHINES_SHOWN_MAX: usize = 8;

/// Returns what a run took, as pairs of name and value.
pub(super) fn pairs(report: &Report) -> Vec<(&'static str, String)> {
    let cost = &report.cost;
    let mut pairs = vec![
        ("Variants", variants(report)),
        ("Sources", sources(cost)),
        ("Time", time(report)),
        ("Cores", load(cost)),
        ("Elsewhere", elsewhere(cost)),
        ("At once", at_once(cost)),
        ("Models", models(report)),
        ("Opinions", opinions(report)),
    ];
    pairs.extend(phases(cost));
    pairs.retain(|(_, text)| !text.is_empty());
    pairs
}

/// Returns the work of each phase, with a bar of its share.
fn phases(cost: &Cost) -> Vec<(&'static str, String)> {
    let all: f64 = cost.phases.iter().map(|phase| phase.seconds).sum();
    if all <= 0.0 || !all.is_finite() {
        return Vec::new();
    }
    let shown = |phase: &PhaseCost| {
        let share = phase.seconds / all;
        let cells = (share * BAR_CELLS).round() as usize;
        let (name, task) = match phase.phase {
            Phase::Models => ("Asking models", "call"),
            Phase::Building => ("Building", "task"),
            Phase::Checking => ("Checking", "task"),
            Phase::Assessing => ("Assessing", "task"),
            Phase::Measuring => ("Measuring", "task"),
        };
        let s = wording::ending(phase.tasks);
        let text = format!(
            "{} {} %, {} {task}{s} in {} s",
            "█".repeat(cells.max(1)),
            (share * 100.0).round(),
            numbers::count(phase.tasks),
            numbers::significant(phase.seconds, 3)
        );
        (name, text)
    };
    cost.phases.iter().map(shown).collect()
}

/// Returns how many variants have a result: `5 of 6 with a result`.
fn variants(report: &Report) -> String {
    let all = report.variants.len();
    let failed = report.variants.iter().filter(|one| one.failure.is_some());
    let failed = failed.count();
    if let Some(unfinished) = &report.unfinished {
        let checked = unfinished.checked.min(all as u32);
        return format!("{checked} of {all} checked, {failed} failed");
    }
    match failed {
        0 => format!("{all}, all with a result"),
        _ => format!("{} of {all} with a result", all - failed),
    }
}

/// Returns the time that it took, and the number of calls where there were any.
fn time(report: &Report) -> String {
    let seconds = numbers::significant(report.cost.seconds, 3);
    match report.in_words {
        Some(_) => format!("{seconds} s"),
        None => format!("{seconds} s, {} calls", numbers::count(report.cost.trials)),
    }
}

fn sources(cost: &Cost) -> String {
    let files = match cost.files {
        0 => return String::new(),
        1 => "1 file".to_owned(),
        files => format!("{} files", numbers::count(files)),
    };
    format!("{files}, {} lines", numbers::count(cost.source_lines))
}

/// Returns the number of cores that were busy at the same time, on average: their busy time over that of the run.
fn at_once(cost: &Cost) -> String {
    let busy: f64 = cost.workers.iter().map(|worker| worker.busy_seconds).sum();
    let share = busy / cost.seconds;
    if share.is_finite() && share > 0.0 {
        format!("{} cores busy on average", numbers::significant(share, 2))
    } else {
        String::new()
    }
}

/// Returns what was paid for models, beside what was expected.
fn models(report: &Report) -> String {
    let (cost, generation) = (&report.cost, report.generation.as_ref());
    let written = match report.in_words {
        Some(_) => "written",
        None => "passed",
    };
    if cost.tokens == 0 {
        return String::new();
    }
    let Some(made) = generation else {
        return without_generation(cost, report.opinions.as_ref());
    };
    let passed = made.approaches.iter().filter(|one| one.file.is_some());
    let mut text = format!(
        "{} calls, {} tokens, {}; {} of {} approaches {written}",
        numbers::count(made.spent.calls),
        numbers::count(made.spent.tokens),
        price(made.spent.usd, 2),
        passed.count(),
        made.approaches.len()
    );
    if let Some(expected) = &made.expected {
        text += &format!(
            "; expected were {} calls, {} tokens{}",
            numbers::count(expected.calls),
            numbers::count(expected.tokens),
            expected
                .usd
                .map_or_else(String::new, |usd| format!(", ${usd:.2}"))
        );
    }
    text
}

/// Returns what was paid for models where all of it is for opinions.
fn without_generation(cost: &Cost, opinions: Option<&Opinions>) -> String {
    let is_unpriced = opinions.is_some_and(|one| one.spent.usd.is_none());
    let usd = (!is_unpriced).then_some(cost.usd);
    format!("{} tokens, {}", numbers::count(cost.tokens), price(usd, 2))
}

/// Returns a price in US dollars with so many decimals.
pub(super) fn price(usd: Option<f64>, decimals: usize) -> String {
    usd.map_or_else(
        || "at a price that is not known".to_owned(),
        |usd| format!("${usd:.decimals$}"),
    )
}

/// Returns what the opinions took, which is part of what was paid for models.
fn opinions(report: &Report) -> String {
    let spent = report.opinions.as_ref().map(|one| one.spent);
    match spent.filter(|spent| spent.calls > 0) {
        Some(spent) => {
            let usd = price(spent.usd, 4);
            let calls = wording::counted_as(spent.calls, "call", "calls");
            format!("{calls}, {} tokens, {usd}", numbers::count(spent.tokens))
        }
        None => String::new(),
    }
}

/// Returns a number of tasks and their time.
fn work(tasks: u64, seconds: f64) -> String {
    let seconds = numbers::significant(seconds, 3);
    format!(
        "{} in {seconds} s",
        wording::counted_as(tasks, "task", "tasks")
    )
}

/// Returns the work of each other machine; of many machines, that of all together.
fn elsewhere(cost: &Cost) -> String {
    let of_machine = |one: &MachineCost| {
        let work = work(one.tasks, one.busy_seconds);
        let lost = match one.lost {
            0 => String::new(),
            lost => format!(", {} of them lost", numbers::count(lost)),
        };
        format!("{work}{lost}")
    };
    if cost.machines.len() > MACHINES_SHOWN_MAX {
        let sum = |sum: MachineCost, one: &MachineCost| MachineCost {
            machine: String::new(),
            cores: 0,
            tasks: sum.tasks.saturating_add(one.tasks),
            lost: sum.lost.saturating_add(one.lost),
            busy_seconds: sum.busy_seconds + one.busy_seconds,
        };
        let all = cost.machines.iter().fold(MachineCost::default(), sum);
        return format!("{} machines: {}", cost.machines.len(), of_machine(&all));
    }
    let all = cost.machines.iter().map(|one| {
        let cores = wording::counted(one.cores, "core");
        format!("{} ({cores}): {}", one.machine, of_machine(one))
    });
    all.collect::<Vec<String>>().join("; ")
}

/// Returns the work of each core; of many cores, that of all together.
fn load(cost: &Cost) -> String {
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
    fn each_phase_has_a_bar_of_its_share() {
        let phase = |phase, tasks, seconds| PhaseCost {
            phase,
            tasks,
            seconds,
        };
        let cost = Cost {
            phases: vec![
                phase(Phase::Building, 1, 6.0),
                phase(Phase::Checking, 4, 0.05),
                phase(Phase::Measuring, 12, 3.95),
            ],
            ..Cost::default()
        };
        let shown = [
            (
                "Building",
                format!("{} 60 %, 1 task in 6.00 s", "█".repeat(12)),
            ),
            ("Checking", "█ 1 %, 4 tasks in 0.0500 s".to_owned()),
            (
                "Measuring",
                format!("{} 40 %, 12 tasks in 3.95 s", "█".repeat(8)),
            ),
        ];
        assert_eq!(phases(&cost), shown);
        assert!(phases(&Cost::default()).is_empty());
    }

    #[test]
    fn opinions_at_an_unknown_price_cost_no_known_sum() {
        let cost = Cost {
            tokens: 1_200,
            ..Cost::default()
        };
        let told = |opinions: Option<&Opinions>| without_generation(&cost, opinions);
        assert_eq!(told(None), "1200 tokens, $0.00");
        let unpriced = Opinions::default();
        let said = "1200 tokens, at a price that is not known";
        assert_eq!(told(Some(&unpriced)), said);
    }

    #[test]
    fn the_work_of_other_machines_is_shown_for_each_and_of_many_as_one_sum() {
        let cost = |machines: u32| Cost {
            machines: (0..machines)
                .map(|number| MachineCost {
                    machine: format!("build-{number}"),
                    cores: 1 + number,
                    tasks: 1 + u64::from(number),
                    lost: u64::from(number),
                    busy_seconds: 0.5,
                })
                .collect(),
            ..Cost::default()
        };
        assert_eq!(elsewhere(&cost(0)), "");
        assert_eq!(
            elsewhere(&cost(2)),
            "build-0 (1 core): 1 task in 0.500 s; build-1 (2 cores): 2 tasks in 0.500 s, 1 of them lost"
        );
        assert_eq!(
            elsewhere(&cost(9)),
            "9 machines: 45 tasks in 4.50 s, 36 of them lost"
        );
    }

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
