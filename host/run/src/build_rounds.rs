//! Rounds in which builds were timed, and the verdicts that follow from them.

use bakeoff_domain::measurement::Metric;
use bakeoff_domain::metric_share::reading_threshold;
use bakeoff_domain::paired_times::PairedTimes;
use bakeoff_domain::report::{Claim, ReadingVerdict};
use bakeoff_domain::spec::Experiment;
use bakeoff_domain::verdict::{PairVerdict, practical_log};
use serde::{Deserialize, Serialize};

/// The resolution of a process's CPU time, in nanoseconds.
const CLOCK_NS: f64 = 1e3;

/// A round: each prototype was built once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BuildRound {
    /// The builds, in the order of declaration.
    pub builds: Vec<BuildTime>,
    /// Wall time of the round, in seconds.
    pub seconds: f64,
}

/// One build of a prototype.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BuildTime {
    /// The ids of the variants with this code.
    pub variants: Vec<String>,
    /// CPU time of the build, in nanoseconds; `None` if it failed this time.
    pub cpu_ns: Option<u64>,
}

/// Returns the evidence that a claim about a pair of this many prototypes needs, in nats.
pub(super) fn threshold(experiment: &Experiment, builds: usize) -> f64 {
    let share = experiment.metric_share();
    reading_threshold(builds, experiment.measure.confidence, share)
}

/// Returns the verdicts about the pairs of prototypes, by their places in each round.
pub(super) fn compare<'r>(
    experiment: &Experiment,
    rounds: impl Iterator<Item = &'r BuildRound> + Clone,
) -> Vec<PairVerdict> {
    let builds = rounds.clone().map(|round| round.builds.len());
    let builds = builds.max().unwrap_or(0);
    let practical = practical_log(experiment.measure.practical, Metric::Cpu);
    let threshold = threshold(experiment, builds);
    let mut times = PairedTimes::new(builds, threshold, practical, CLOCK_NS);
    for round in rounds {
        let of_round: Vec<Option<u64>> = round.builds.iter().map(|build| build.cpu_ns).collect();
        times.push(&of_round);
    }
    times.verdicts()
}

/// Returns the verdicts about all pairs of variants for which `counts` is true. Pairs of the same code tie.
pub(super) fn build_verdicts<'r>(
    experiment: &Experiment,
    rounds: impl Iterator<Item = &'r BuildRound> + Clone,
    counts: impl Fn(&str) -> bool,
) -> Vec<ReadingVerdict<String>> {
    let Some(first) = rounds.clone().next() else {
        return Vec::new();
    };
    let ids = |build: usize| {
        let ids = first
            .builds
            .get(build)
            .map(|build| build.variants.as_slice());
        let ids = ids.unwrap_or_default().iter();
        ids.filter(|id| counts(id)).collect::<Vec<&String>>()
    };
    let mut rows = Vec::new();
    let mut put = |verdict: ReadingVerdict, a: &String, b: &String| {
        let ids = [a, b];
        let places = ReadingVerdict {
            a: 0,
            b: 1,
            ..verdict
        };
        rows.extend(places.renamed(|place: usize| Some((*ids.get(place)?).clone())));
    };
    for pair in compare(experiment, rounds.clone()) {
        for a in ids(pair.a) {
            for b in ids(pair.b) {
                put(ReadingVerdict::from(&pair), a, b);
            }
        }
    }
    for build in 0..first.builds.len() {
        let same = ids(build);
        for (place, a) in same.iter().enumerate() {
            for b in &same[place + 1..] {
                put(ReadingVerdict::same(0, 1, Claim::Ratio), a, b);
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::verdict::Verdict;

    fn round(number: u64) -> BuildRound {
        let build = |variants: &[&str], cpu_ns: u64| BuildTime {
            variants: variants.iter().map(|id| (*id).to_owned()).collect(),
            cpu_ns: Some(cpu_ns + number % 5 * 1_000_000),
        };
        BuildRound {
            builds: vec![
                build(&["a", "twin", "gone"], 200_000_000),
                build(&["b"], 300_000_000),
            ],
            seconds: 1.0,
        }
    }

    #[test]
    fn those_of_the_same_code_tie_and_others_are_told_apart_by_rounds() {
        let text = "name = \"x\"\nproblem = \"?\"\n[interface]\nwit = \"wit\"\ncall = \"f\"\n\
            [workload]\nsource = \"w.rs\"\nsizes = [1, 2]\n[[approach]]\nname = \"a\"\n\
            source = \"a.rs\"\n";
        let experiment = bakeoff_config::parse(text, "bakeoff.toml").unwrap();
        let rounds: Vec<BuildRound> = (0..16).map(round).collect();
        let rows = build_verdicts(&experiment, rounds.iter(), |id| id != "gone");
        let of = |a: &str, b: &str| rows.iter().find(|row| row.a == a && row.b == b).unwrap();
        assert_eq!(rows.len(), 3);
        assert_eq!(of("a", "b").verdict, Verdict::Beats);
        assert_eq!(of("twin", "b").verdict, Verdict::Beats);
        assert_eq!(of("a", "twin").verdict, Verdict::Tie);
        let few = build_verdicts(&experiment, rounds[..3].iter(), |_| true);
        assert_eq!(
            few.iter().find(|row| row.b == "b").unwrap().verdict,
            Verdict::NoCall
        );
    }
}
