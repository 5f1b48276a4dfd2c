//! E17: variants that are faster on most inputs, and far slower on a few.

use crate::bulk::{Tally, over_seeds, per_cent};
use crate::figures::{Demand, Figures, Unit};
use crate::machine::{BLOCKS, race, replica, student};
use crate::random::Noise;
use bakeoff_domain::measurement::Replica;
use bakeoff_domain::race::RaceSettings;
use bakeoff_domain::verdict::Verdict;

/// The most replicas of a race.
const REPLICAS: u32 = 24;
/// Spread between processes.
const PROCESS_SD: f64 = 0.02;
/// Scale of the noise of a sample, t with four degrees of freedom.
const NOISE: f64 = 0.02;
/// The number of expected slow inputs from which a race can know of them.
const SEEN: f64 = 3.0;
/// What the row on right verdicts of all is called.
const RIGHT: &str = "  the right verdict";
/// Fewest races for a demand on their share.
const RACES_MIN: u64 = 20;

/// Two variants: the first takes less by `gain` on most inputs, and on a share of them `slow` times the usual.
#[derive(Clone, Copy, Debug)]
struct Tail {
    gain: f64,
    share: f64,
    slow: f64,
    calls: u32,
}

impl Tail {
    /// What an input takes in the mean.
    fn mean(&self) -> f64 {
        (1.0 - self.share) * (1.0 - self.gain) + self.share * self.slow
    }

    fn replica(&self, settings: &RaceSettings, index: u32, random: &mut Noise) -> Replica {
        let process = [0, 1].map(|_| PROCESS_SD * random.normal());
        replica(settings, index, self.calls, |variant, _, _| {
            let noise = (process[variant] + NOISE * student(random, 4)).exp();
            let mean = match variant {
                0 => {
                    let slow = f64::from(successes(random, self.calls, self.share));
                    let calls = f64::from(self.calls);
                    ((calls - slow) * (1.0 - self.gain) + slow * self.slow) / calls
                }
                _ => 1.0,
            };
            mean * noise
        })
    }
}

/// The number of inputs out of so many that have a property which a share has.
fn successes(random: &mut Noise, count: u32, share: f64) -> u32 {
    let (mut found, mut place) = (0, 0.0);
    loop {
        // The distance to the next one is geometric.
        place += 1.0 + ((1.0 - random.uniform()).ln() / (1.0 - share).ln()).floor();
        if place > f64::from(count) {
            return found;
        }
        found += 1;
    }
}

/// Sure verdicts against the sign of the true total, and those that are right.
pub(crate) fn against_totals(runs: u64, figures: &mut Figures) {
    let mut settings = RaceSettings::new(2, 1);
    settings.replicas_max = REPLICAS;
    let mut all = Tally([0; 6]);
    for share in [0.5, 0.05, 0.005, 0.001] {
        for slow in [1.1, 15.0, 300.0] {
            for calls in [1, 20, 500] {
                for gain in [0.02, 0.1, 0.5] {
                    let tail = Tail {
                        gain,
                        share,
                        slow,
                        calls,
                    };
                    if tail.mean().ln().abs() > 0.01 {
                        let found = combination(&tail, &settings, runs);
                        rows(&tail, found, figures);
                        all += found;
                    }
                }
            }
        }
    }
    let Tally([seen, wrong, right, unseen, wrong_unseen, right_unseen]) = all;
    let what = format!("all with ≥ 3/p inputs ({seen} races): against the total");
    let limit = Demand::AtMost(5.0);
    wrong_and_right(&what, RIGHT, [seen, wrong, right], limit, figures);
    let what = format!("all with fewer inputs ({unseen} races): against the total");
    let found = [unseen, wrong_unseen, right_unseen];
    wrong_and_right(&what, RIGHT, found, Demand::None, figures);
}

/// Two rows on so many races: the share of wrong verdicts among them, and that of right ones.
fn wrong_and_right(
    wrong_what: &str,
    right_what: &str,
    [races, wrong, right]: [u64; 3],
    demand: Demand,
    figures: &mut Figures,
) {
    let wrong = per_cent(wrong, races);
    figures.row("E17", wrong_what, wrong, Unit::PerCent, demand);
    let right = per_cent(right, races);
    figures.row("E17", right_what, right, Unit::PerCent, Demand::None);
}

/// Races that timed at least 3/p inputs, and of these wrong and right ones; the same of those that timed fewer.
fn combination(tail: &Tail, settings: &RaceSettings, runs: u64) -> Tally<6> {
    let truth = if tail.mean() < 1.0 {
        Verdict::Beats
    } else {
        Verdict::Beaten
    };
    let run = |seed| {
        let mut random = Noise::new(seed ^ 0xE17);
        let next = |index| tail.replica(settings, index, &mut random);
        let (analysis, _) = race(settings, next);
        let verdict = analysis.overall[0].verdict;
        // The pilot was timed, too.
        let inputs = f64::from((analysis.replicas + 1) * BLOCKS * tail.calls);
        let is_right = verdict == truth;
        let is_wrong = verdict == truth.mirrored();
        let mut tally = [0; 6];
        let place = if inputs * tail.share >= SEEN { 0 } else { 3 };
        tally[place..place + 3].copy_from_slice(&[true, is_wrong, is_right].map(u64::from));
        Tally(tally)
    };
    over_seeds(runs, run)
}

fn rows(tail: &Tail, found: Tally<6>, figures: &mut Figures) {
    let Tally([seen, wrong, right, unseen, wrong_unseen, right_unseen]) = found;
    let Tail {
        gain,
        share,
        slow,
        calls,
    } = tail;
    let named = format!(
        "−{:.0} %, 1/{:.0} at {slow} ×, {calls} call(s)",
        100.0 * gain,
        1.0 / share
    );
    for (which, races, wrong, right) in [
        ("seen", seen, wrong, right),
        ("unseen", unseen, wrong_unseen, right_unseen),
    ] {
        if races == 0 {
            continue;
        }
        let demand = if which == "seen" && races >= RACES_MIN {
            Demand::AtMost(5.0)
        } else {
            Demand::None
        };
        let what = format!("{named}, {which} ({races}): wrong");
        wrong_and_right(&what, "  right", [races, wrong, right], demand, figures);
    }
}
