//! E1: two identical variants, run many times. Any winner is a false one.
//!
//! E6 and E7: the verdicts of the same runs, recomputed from samples with an added disturbance that
//! must not make a winner either: a cost for the variant that runs first, and layout noise.

use super::figures::{Demand, Figures, Unit};
use super::noise::Noise;
use super::random::Noise as Random;
use super::spin::{Failure, Listed, Said, Setup, Source, Spin};
use super::{per_cent, runs};
use bakeoff_domain::measurement::{Replica, Sample};
use bakeoff_domain::race::{self, RaceSettings};
use bakeoff_domain::verdict::Verdict;
use bakeoff_run::Evidence;
use bakeoff_store::{Mode, Store};

/// The share of runs that may name a winner, in per cent: 4 of 200. With fewer runs a single one
/// may be more than that.
const FALSE_MAX_PERCENT: f64 = 2.0;

/// The share of runs with an added disturbance that may name a winner, in per cent.
const LAID_ON_MAX_PERCENT: f64 = 5.0;

/// The cost for the variant that runs first in a block, as a factor.
const FIRST_PAYS: f64 = 1.03;

/// The layout noise: the standard deviation of the logarithm of a variant's time between processes.
const LAYOUT_SD: f64 = 0.01;

/// The number of runs with a claim about the pair.
#[derive(Default)]
struct Claims {
    as_they_were: usize,
    first_pays: usize,
    one_always_pays: usize,
    moved: usize,
    ties: usize,
}

/// Runs the identical variants under a generated load.
pub(crate) fn identical(figures: &mut Figures) -> Result<(), Failure> {
    let runs = runs(200, 20);
    let spin = Spin::new(&Setup {
        source: Source::Spin,
        work: &[1000, 1000],
        rounds: &[100_000],
        listed: Listed::AsNumbered,
        measure: "budget = \"800 ms\"",
    })?;
    let mut claims = Claims::default();
    let mut random = Random::new(1);
    {
        let _noise = Noise::begin(2)?;
        for seed in 1..=runs {
            let ran = spin.run(seed)?;
            let (said, _) = ran.first_pair();
            claims.as_they_were += usize::from(matches!(said, Said::First | Said::Second));
            claims.ties += usize::from(said == Said::Tie);
            let store = Store::open(ran.results.path(), Mode::Read)?;
            let run = Evidence::find_finished(&store, None)?;
            let replicas = Evidence::read(&store, run, 0.0)?.replicas;
            claims.count(&replicas, &mut random);
        }
    }
    let mut share = |id: &str, what: &str, count: usize, demand: Demand| {
        figures.row(id, what, per_cent(count, runs), Unit::PerCent, demand);
    };
    let what = format!("2 identical, budget 0.8 s, {runs} runs: false claim");
    let most = Demand::AtMost(FALSE_MAX_PERCENT);
    share("E1", &what, claims.as_they_were, most);
    share("", "  called a tie", claims.ties, Demand::None);
    let most = Demand::AtMost(LAID_ON_MAX_PERCENT);
    let what = "the same, whoever runs first pays 3 %: false claim";
    share("E6", what, claims.first_pays, most);
    let what = "  as if the same one had always run first";
    share("", what, claims.one_always_pays, Demand::None);
    let what = "the same, layout moves 1 % by process: false claim";
    share("E7", what, claims.moved, most);
    Ok(())
}

impl Claims {
    /// Adds the disturbances to a run's samples, and counts the claims.
    fn count(&mut self, replicas: &[Replica], random: &mut Random) {
        let first = |sample: &Sample| {
            if sample.position == 0 {
                FIRST_PAYS
            } else {
                1.0
            }
        };
        let one = |sample: &Sample| if sample.variant == 0 { FIRST_PAYS } else { 1.0 };
        self.first_pays += usize::from(is_claimed(replicas, |_| first));
        self.one_always_pays += usize::from(is_claimed(replicas, |_| one));
        self.moved += usize::from(is_claimed(replicas, |_| {
            let moved = [random.normal(), random.normal()].map(|normal| LAYOUT_SD * normal);
            move |sample: &Sample| moved[sample.variant].exp()
        }));
    }
}

/// Returns true if the replicas of a pair make one of them faster, when their samples take longer
/// by an amount that is drawn for each replica.
fn is_claimed<F: Fn(&Sample) -> f64>(replicas: &[Replica], mut draw: impl FnMut(u32) -> F) -> bool {
    let mut replicas = replicas.to_vec();
    for replica in &mut replicas {
        let factor = draw(replica.index);
        for sample in &mut replica.samples {
            sample.cpu_ns = (sample.cpu_ns as f64 * factor(sample)).round() as u64;
        }
    }
    let analysis = race::analyse(&RaceSettings::new(2, 1), None, &replicas);
    let verdict = analysis.overall.first().map(|pair| pair.verdict);
    matches!(verdict, Some(Verdict::Beats | Verdict::Beaten))
}
