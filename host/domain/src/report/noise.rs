//! Disturbances of the measuring, as sentences with advice, from the replicas' surroundings.
//!
//! None of them makes a verdict wrong: they make it late, or one about a machine that changes.

use crate::measurement::{Metric, Replica};
use crate::numbers::{percent, significant};
use crate::stats::median;
use crate::wording::counted;

/// Ticks of stolen time per second, as the system counts them.
const TICKS_PER_SECOND: f64 = 100.0;
/// Share of stolen time above which it is reported.
const STEAL_SHARE: f64 = 0.02;
/// Load per core above which it is reported.
const LOAD_FACTOR: f64 = 1.25;
/// Involuntary context switches of a runner per second above which they are reported. For its own
/// looks at a runner bakeoff wakes up 40 times a second, whatever the runner does, so what goes
/// beyond a multiple of that is the doing of others.
const PREEMPTIONS_PER_SECOND: f64 = 200.0;
/// Change of the cores' speed above which it is reported.
const DRIFT_SHARE: f64 = 0.1;
/// Ratio of the slow to the fast contention probes above which it is reported.
const CONTENTION_FACTOR: f64 = 1.15;
/// The same of probes that do not know the core's frequency, and are means over the samples.
const CORE_CONTENTION_FACTOR: f64 = 1.05;
/// Fewest replicas for the first third to be compared with the last.
const DRIFT_REPLICAS_MIN: usize = 9;

/// The machine that the replicas ran on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The number of cores that the process could use.
    pub cores: u32,
    /// The number of these that replicas ran on at once.
    pub workers: u32,
}

/// A sentence for each disturbance of the replicas; none on a quiet machine.
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
        "A single core: it was shared with bakeoff itself and all other programs. A machine with two \
         or more cores answers sooner."
            .to_owned()
    })
}

/// The time that all replicas took together, in seconds.
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
            "{} of the CPU time was stolen by the hypervisor, so verdicts take longer: raise \
             --budget, or use dedicated cores.",
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
            "A load of {} on {}: the machine is busy. Stop other programs, or raise --budget.",
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
        0 | 1 => "Stop other programs".to_owned(),
        workers => format!(
            "--workers {} leaves a core to other programs",
            workers.saturating_sub(1)
        ),
    };
    (rate > PREEMPTIONS_PER_SECOND).then(|| {
        format!(
            "{} context switches per second: the machine is busy. {advice}.",
            significant(rate, 2)
        )
    })
}

/// An empty call is the same work in every replica: if its time changes, the core's speed did.
fn drift(replicas: &[Replica]) -> Option<String> {
    if replicas.len() < DRIFT_REPLICAS_MIN {
        return None;
    }
    let speed = |replicas: &[Replica]| {
        let mut times: Vec<f64> = replicas.iter().filter_map(empty_call_ns).collect();
        median(&mut times)
    };
    let third = replicas.len() / 3;
    let (first, last) = (
        speed(&replicas[..third])?,
        speed(&replicas[replicas.len() - third..])?,
    );
    let change = (last / first - 1.0).abs();
    let way = if last > first { "slower" } else { "faster" };
    (change.is_finite() && change > DRIFT_SHARE).then(|| {
        format!(
            "The cores became {} {way} during the measurement, by the time of an empty call: their \
             frequency changes, or something else used them. Set the governor `performance` and disable \
             boost, let the machine cool down first, or stop other programs.",
            percent(change)
        )
    })
}

/// The contention probe is the same work in every replica and needs no memory: it takes longer if
/// something else uses the execution units of the same physical core.
fn contention(replicas: &[Replica]) -> Option<String> {
    let surroundings = || replicas.iter().map(|replica| &replica.surroundings);
    let ratios: Option<Vec<f64>> = surroundings()
        .map(|around| around.core_contention)
        .collect();
    let (mut readings, least, or_frequency) = match ratios {
        Some(ratios) => (ratios, CORE_CONTENTION_FACTOR, ""),
        None => {
            let times = surroundings().filter_map(|around| around.contention_probe_ns);
            (
                times.collect(),
                CONTENTION_FACTOR,
                ", or their frequency changed",
            )
        }
    };
    readings.retain(|reading| *reading > 0.0);
    readings.sort_by(f64::total_cmp);
    // Without the tenth at either end: one replica says nothing about a machine.
    let tenth = readings.len().div_ceil(10);
    let factor = readings.get(readings.len().checked_sub(tenth + 1)?)? / readings.get(tenth)?;
    (factor.is_finite() && factor > least).then(|| {
        let longer = if factor < 1.1 {
            format!("{} longer", percent(factor - 1.0))
        } else {
            format!("{} × as long", significant(factor, 2))
        };
        format!(
            "The contention probe took up to {longer} at times: something else used the same \
             physical cores{or_frequency}. On a quiet machine close variants may have another order: measure \
             on dedicated cores."
        )
    })
}

/// The median time of an empty call over the cases, in nanoseconds.
fn empty_call_ns(replica: &Replica) -> Option<f64> {
    let mut times: Vec<f64> = replica
        .baselines
        .iter()
        .map(|baseline| baseline.of(Metric::Cpu))
        .filter(|time| *time > 0.0)
        .collect();
    median(&mut times)
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
                parts: Vec::new(),
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
        let mut sentences = noise(&replicas(change), machine);
        assert_eq!(sentences.len(), 1, "{sentences:?}");
        sentences.pop().unwrap_or_default()
    }

    #[test]
    fn a_quiet_machine_is_not_reported() {
        assert!(noise(&replicas(|_, _| {}), TWO).is_empty());
        // What bakeoff itself causes: 80 a second, if both runners' looks hit the same core.
        assert!(noise(&replicas(|_, one| one.surroundings.preemptions = 40), TWO).is_empty());
        assert!(noise(&[], TWO).is_empty());
    }

    #[test]
    fn each_disturbance_says_what_to_do() {
        let text = only(|_, one| one.surroundings.steal_ticks = Some(5), TWO);
        assert!(text.contains("10 %") && text.contains("--budget"), "{text}");
        let text = only(|_, one| one.surroundings.load = Some(4.2), TWO);
        assert!(text.contains("4.2 on 2 cores"), "{text}");
        let text = only(|_, one| one.surroundings.preemptions = 150, TWO);
        assert!(
            text.contains("300 context switches") && text.contains("--workers 1"),
            "{text}"
        );
        let one_core = Machine {
            cores: 1,
            workers: 1,
        };
        let text = only(|_, _| {}, one_core);
        assert!(text.contains("single core"), "{text}");
        let slower = |index, one: &mut Replica| {
            one.baselines[0].cpu_ns = if index > 5 { 1_200.0 } else { 1_000.0 };
        };
        let text = only(slower, TWO);
        assert!(
            text.contains("20 % slower") && text.contains("frequency changes, or something else"),
            "{text}"
        );
        let crowded = |index: u32, one: &mut Replica| {
            one.surroundings.contention_probe_ns =
                Some(if index % 2 == 1 { 48_000.0 } else { 30_000.0 });
        };
        let text = only(crowded, TWO);
        assert!(
            text.contains("1.6 ×") && text.contains("or their frequency"),
            "{text}"
        );
        let crowded = |index: u32, one: &mut Replica| {
            one.surroundings.contention_probe_ns = Some(30_000.0 + f64::from(index) * 1_000.0);
            one.surroundings.core_contention = Some(if index % 2 == 1 { 0.98 } else { 0.9 });
        };
        let text = only(crowded, TWO);
        assert!(
            text.contains("9 % longer") && !text.contains("frequency"),
            "{text}"
        );
    }
}
