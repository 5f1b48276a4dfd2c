//! What disturbed the measuring, from what was recorded with the replicas, and what to do about it.
//!
//! None of it makes a verdict wrong: it makes verdicts late, or verdicts of a machine that is not
//! always the same. So each sentence says how to get there sooner, or what to make of it.

use crate::measurement::{Metric, Replica};
use crate::numbers::{percent, significant};
use crate::stats::median;

/// Ticks of stolen time in a second, as the system counts them.
const TICKS_PER_SECOND: f64 = 100.0;
/// A hypervisor that takes more than this share of a core is named.
const STEAL_SHARE: f64 = 0.02;
/// So much more load than cores is named.
const LOAD_FACTOR: f64 = 1.25;
/// Interruptions of a runner in a second that are named: bakeoff itself, listening to its runners,
/// causes some.
const PREEMPTIONS_PER_SECOND: f64 = 200.0;
/// A change of the clock's pace by this share is named.
const DRIFT_SHARE: f64 = 0.1;
/// Replicas whose yardsticks lie further apart than this are named.
const CONTENTION_FACTOR: f64 = 1.15;
/// Replicas of which the first third is held against the last, at least.
const DRIFT_REPLICAS_MIN: usize = 9;

/// The machine that the replicas ran on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Cores that the process could use.
    pub cores: u32,
    /// Of these, those that were measured on at once.
    pub workers: u32,
}

/// A sentence for each thing that disturbed the replicas; none on a quiet machine.
pub fn noise(replicas: &[Replica], machine: Machine) -> Vec<String> {
    if replicas.is_empty() {
        return Vec::new();
    }
    let found = [
        few_cores(machine),
        steal(replicas),
        load(replicas, machine),
        preemptions(replicas, machine),
        drift(replicas),
        contention(replicas),
    ];
    found.into_iter().flatten().collect()
}

fn few_cores(machine: Machine) -> Option<String> {
    (machine.cores == 1).then(|| {
        "There is a single core, which measuring shared with bakeoff itself and everything else: a \
         machine with two or more answers sooner."
            .to_owned()
    })
}

fn seconds(replicas: &[Replica]) -> f64 {
    let all = replicas.iter().map(|replica| replica.surroundings.seconds);
    all.sum::<f64>().max(f64::MIN_POSITIVE)
}

fn steal(replicas: &[Replica]) -> Option<String> {
    let ticks = replicas
        .iter()
        .filter_map(|replica| replica.surroundings.steal_ticks)
        .map(|ticks| ticks as f64);
    let share = ticks.sum::<f64>() / TICKS_PER_SECOND / seconds(replicas);
    (share > STEAL_SHARE).then(|| {
        format!(
            "The hypervisor gave {} of the cores' time to other machines. Verdicts take longer \
             here: raise --budget, or run where the cores are your own.",
            percent(share.min(1.0))
        )
    })
}

fn load(replicas: &[Replica], machine: Machine) -> Option<String> {
    let mut loads: Vec<f64> = replicas
        .iter()
        .filter_map(|replica| replica.surroundings.load)
        .collect();
    let load = median(&mut loads)?;
    (load > LOAD_FACTOR * f64::from(machine.cores.max(1))).then(|| {
        format!(
            "Other programs kept the machine busy: the load was {} on {}. Stop what can wait, or \
             raise --budget.",
            significant(load, 2),
            counted(machine.cores, "core")
        )
    })
}

fn preemptions(replicas: &[Replica], machine: Machine) -> Option<String> {
    let all = replicas
        .iter()
        .map(|replica| replica.surroundings.preemptions as f64);
    let rate = all.sum::<f64>() / seconds(replicas);
    let advice = match machine.workers {
        0 | 1 => "Stop what else runs here".to_owned(),
        workers => format!(
            "--workers {} leaves a core to the others",
            workers.saturating_sub(1)
        ),
    };
    (rate > PREEMPTIONS_PER_SECOND).then(|| {
        format!(
            "Runners lost their core {} times a second to something else. {advice}.",
            significant(rate, 2)
        )
    })
}

/// A call that does nothing is the same work in every replica: when its time changes, the pace of
/// the core did.
fn drift(replicas: &[Replica]) -> Option<String> {
    if replicas.len() < DRIFT_REPLICAS_MIN {
        return None;
    }
    let pace = |replicas: &[Replica]| {
        let mut times: Vec<f64> = replicas.iter().filter_map(nothing_ns).collect();
        median(&mut times)
    };
    let third = replicas.len() / 3;
    let (first, last) = (
        pace(&replicas[..third])?,
        pace(&replicas[replicas.len() - third..])?,
    );
    let change = (last / first - 1.0).abs();
    let way = if last > first { "slower" } else { "faster" };
    (change.is_finite() && change > DRIFT_SHARE).then(|| {
        format!(
            "The cores became {} {way} while they were measured on, as a call shows that does \
             nothing: their frequency moves. Fix it (the governor `performance`, no boost), or let \
             the machine cool down first.",
            percent(change)
        )
    })
}

/// The yardstick is the same work in every replica and needs no memory: it takes longer where
/// something else uses the execution units of the same physical core.
fn contention(replicas: &[Replica]) -> Option<String> {
    let mut times: Vec<f64> = replicas
        .iter()
        .filter_map(|replica| replica.surroundings.yardstick_ns)
        .filter(|took| *took > 0.0)
        .collect();
    times.sort_by(f64::total_cmp);
    // Without the tenth at either end: one replica says nothing about a machine.
    let tenth = times.len().div_ceil(10);
    let factor = times.get(times.len().checked_sub(tenth + 1)?)? / times.get(tenth)?;
    (factor.is_finite() && factor > CONTENTION_FACTOR).then(|| {
        format!(
            "Something else used the same physical cores, or their frequency moved: one and the same \
             work took up to {} × as long at times. Where nothing does, two that are close may change \
             places: measure on cores of your own to know.",
            significant(factor, 2)
        )
    })
}

fn nothing_ns(replica: &Replica) -> Option<f64> {
    let mut times: Vec<f64> = replica
        .baselines
        .iter()
        .map(|baseline| baseline.of(Metric::Cpu))
        .filter(|time| *time > 0.0)
        .collect();
    median(&mut times)
}

fn counted(count: u32, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::{Baseline, Surroundings};

    const TWO: Machine = Machine {
        cores: 2,
        workers: 2,
    };

    fn replicas(change: impl Fn(u32, &mut Replica)) -> Vec<Replica> {
        let replica = |index| {
            let mut replica = Replica {
                index,
                solo: false,
                samples: Vec::new(),
                baselines: vec![Baseline {
                    cpu_ns: 1_000.0,
                    wall_ns: 1_200.0,
                }],
                cold_ns: Vec::new(),
                surroundings: Surroundings {
                    seconds: 0.5,
                    load: Some(1.0),
                    steal_ticks: Some(0),
                    ..Surroundings::default()
                },
            };
            change(index, &mut replica);
            replica
        };
        (0..12).map(replica).collect()
    }

    fn only(change: impl Fn(u32, &mut Replica), machine: Machine) -> String {
        let mut said = noise(&replicas(change), machine);
        assert_eq!(said.len(), 1, "{said:?}");
        said.pop().unwrap_or_default()
    }

    #[test]
    fn a_quiet_machine_is_not_spoken_of() {
        assert!(noise(&replicas(|_, _| {}), TWO).is_empty());
        assert!(noise(&[], TWO).is_empty());
    }

    #[test]
    fn each_disturbance_says_what_to_do() {
        let said = only(|_, one| one.surroundings.steal_ticks = Some(5), TWO);
        assert!(said.contains("10 %") && said.contains("--budget"), "{said}");
        let said = only(|_, one| one.surroundings.load = Some(4.2), TWO);
        assert!(said.contains("4.2 on 2 cores"), "{said}");
        let said = only(|_, one| one.surroundings.preemptions = 150, TWO);
        assert!(
            said.contains("300 times") && said.contains("--workers 1"),
            "{said}"
        );
        let one_core = Machine {
            cores: 1,
            workers: 1,
        };
        let said = only(|_, _| {}, one_core);
        assert!(said.contains("single core"), "{said}");
        let slower = |index, one: &mut Replica| {
            one.baselines[0].cpu_ns = if index > 5 { 1_200.0 } else { 1_000.0 };
        };
        let said = only(slower, TWO);
        assert!(
            said.contains("20 % slower") && said.contains("frequency"),
            "{said}"
        );
        let crowded = |index: u32, one: &mut Replica| {
            one.surroundings.yardstick_ns = Some(if index % 2 == 1 { 48_000.0 } else { 30_000.0 });
        };
        let said = only(crowded, TWO);
        assert!(said.contains("1.6 ×") && said.contains("cores"), "{said}");
    }
}
