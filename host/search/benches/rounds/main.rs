//! What a search claims about candidates that are all the same, in bulk: the archive and the race are the real ones, and
//! times are those of a recorded machine.
//!
//! ```text
//! cargo bench -p bakeoff-search --bench rounds [-- [SEARCHES] [--json FILE]]
//! ```
//!
//! 200 searches of 1,000 candidates unless said otherwise, over all cores: a minute. A candidate's noise comes from
//! `host/domain/benches/trace/busy.trace`, where identical variants ran on a busy machine: each look at it is the mean
//! over four recorded replicas, those that are looked at together being of the same ones. The race among the two best and
//! the approach that the search began with takes other replicas, drawn anew.
//!
//! Beside it stand the figures of who keeps the highest score that a candidate ever had, as most loops do.

#[expect(dead_code, reason = "other benches use the rest")]
#[path = "../../../domain/benches/bulk/mod.rs"]
mod bulk;
#[expect(dead_code, reason = "other benches use the rest")]
#[path = "../../../domain/benches/figures/mod.rs"]
mod figures;
#[path = "../../../domain/benches/random/mod.rs"]
mod random;
#[path = "../../../domain/benches/recorded/mod.rs"]
mod recorded;
#[path = "../../../domain/benches/trace/mod.rs"]
mod trace;

use bakeoff_domain::race::{NextStep, Race, RaceSettings, RemainingBudget, first_scales};
use bakeoff_domain::verdict::Verdict;
use bakeoff_run::{Identity, Looked, TIMED_MAX};
use bakeoff_search::{Archive, NewCandidate, Program};
use bulk::{over_seeds, per_cent};
use figures::{Demand, Figures, Unit};
use random::Noise;
use recorded::{below, hands};
use std::collections::BTreeMap;
use std::ops::AddAssign;
use trace::Trace;

/// The trace that ships.
const BUSY: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../domain/benches/trace/busy.trace"
);
/// Searches of a row unless the command line says otherwise.
const SEARCHES: u64 = 200;
/// Candidates of a search; of a round of identical ones; and of a round where screening by fuel is held against timing all.
const CANDIDATES: usize = 1_000;
const WIDTH: usize = 8;
const WIDE: usize = 24;
/// The best that others are made from, and that race.
const PARENTS: usize = 3;
const FINALISTS: usize = 2;
/// Replicas of a look.
const LOOK_REPLICAS: usize = 4;
/// The most replicas of a race.
const RACE_REPLICAS: u32 = 96;
/// Searches whose candidates differ: the standard deviation of a candidate's time from that of the approach, as a
/// logarithm, and of fuel from time.
const TIME_SD: f64 = 0.1;
const FUEL_SD: f64 = 0.05;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let searches = std::env::args().find_map(|argument| argument.parse().ok());
    let searches: u64 = searches.unwrap_or(SEARCHES).max(10);
    let bytes = std::fs::read(BUSY).map_err(|error| format!("{BUSY}: {error}"))?;
    let trace = Trace::read(&bytes).map_err(|error| format!("{BUSY}: {error}"))?;
    println!("{searches} searches a row, {CANDIDATES} candidates each, {WIDTH} in a round");
    let mut figures = Figures::begin();
    identical(&trace, searches, &mut figures);
    different(&trace, searches, &mut figures);
    Ok(figures.finish()?)
}

/// Sums over searches.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    /// Searches after whose race anything is claimed that is not so.
    false_claims: u64,
    /// Searches after whose race a candidate is said to be surely ahead of the approach.
    false_gains: u64,
    /// The speed at which the best finalist was found, over that of the approach.
    found: f64,
    /// The highest speed that any candidate ever had in a look.
    highest: f64,
    /// True logarithm of the speed of the best finalist.
    truth: f64,
    /// Samples of looks that were taken.
    looks: u64,
}

impl AddAssign for Sums {
    fn add_assign(&mut self, other: Self) {
        self.false_claims += other.false_claims;
        self.false_gains += other.false_gains;
        self.found += other.found;
        self.highest += other.highest;
        self.truth += other.truth;
        self.looks += other.looks;
    }
}

/// A search in progress.
struct Search<'a> {
    trace: &'a Trace,
    random: Noise,
    archive: Archive,
    /// True logarithm of each candidate's time, and of its fuel.
    time: Vec<f64>,
    fuel: Vec<f64>,
    /// Candidates of a round, and the most of them that are timed.
    width: usize,
    timed: usize,
    sums: Sums,
}

impl<'a> Search<'a> {
    /// Searches among candidates whose times differ by this standard deviation. Of a round of this width, so many
    /// are timed at most.
    fn over(trace: &'a Trace, seed: u64, sd: f64, (width, timed): (usize, usize)) -> Self {
        let mut archive = Archive::default();
        let first = archive.begin_with(vec![("a".to_owned(), program(0))]);
        let mut search = Self {
            trace,
            random: Noise::new(seed),
            archive,
            time: vec![0.0],
            fuel: vec![0.0],
            width,
            timed,
            sums: Sums::default(),
        };
        search.look(&first, &[]);
        while search.time.len() <= CANDIDATES {
            search.round(sd);
        }
        search.sums.highest = search.sums.highest.max(1.0);
        search
    }

    fn round(&mut self, sd: f64) {
        let elites = self.archive.elites.clone();
        let made = (0..self.width).map(|place| NewCandidate {
            parent: elites[place % elites.len()],
            by: "bench".into(),
            change: String::new(),
            wish: None,
            program: program(self.time.len() + place),
            control: false,
        });
        let made: Vec<NewCandidate> = made.collect();
        for _ in &made {
            let time = sd * self.random.normal();
            self.time.push(time);
            self.fuel.push(time + FUEL_SD * self.random.normal());
        }
        let round = self.archive.rounds + 1;
        let new = self.archive.add(round, made);
        let mut again = elites;
        if !again.contains(&0) {
            again.push(0);
        }
        self.look(&new, &again);
        self.archive.rounds += 1;
    }

    /// Looks at new candidates beside others.
    fn look(&mut self, new: &[usize], again: &[usize]) {
        let mut by_fuel = new.to_vec();
        by_fuel.sort_by(|a, b| self.fuel[*a].total_cmp(&self.fuel[*b]));
        let mut all: Vec<usize> = again.to_vec();
        all.extend(by_fuel.iter().take(self.timed));
        let mut times: BTreeMap<usize, f64> = BTreeMap::new();
        for group in all.chunks(self.trace.variants) {
            times.extend(self.times(group));
        }
        self.sums.looks += (all.len() * LOOK_REPLICAS) as u64;
        let reference = times.get(&0).copied();
        let mut placed: Vec<(usize, f64)> = times.iter().map(|(index, ns)| (*index, *ns)).collect();
        placed.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut rest = by_fuel;
        rest.retain(|index| !times.contains_key(index));
        let order: Vec<usize> = placed.iter().map(|one| one.0).chain(rest).collect();
        let seen: Vec<(usize, Looked)> = (1..)
            .zip(order)
            .map(|(place, index)| (index, looked(index, place, times.get(&index).copied())))
            .collect();
        if let Some(reference) = reference {
            let ratios = new.iter().filter_map(|index| times.get(index));
            let highest = ratios.map(|ns| reference / ns).fold(0.0, f64::max);
            self.sums.highest = self.sums.highest.max(highest);
        }
        self.archive.take_in(&seen, new, PARENTS);
    }

    /// Returns the mean times of candidates that are looked at together.
    fn times(&mut self, group: &[usize]) -> Vec<(usize, f64)> {
        let mut sums = vec![(0.0, 0_u32); group.len()];
        for _ in 0..LOOK_REPLICAS {
            let place = below(&mut self.random, self.trace.replicas.len());
            let hands = hands(&mut self.random, self.trace.variants, group.len());
            for taken in self.trace.replicas[place].iter().flatten() {
                if let Some(own) = hands.iter().position(|hand| *hand == taken.variant) {
                    sums[own].0 += (taken.cpu + self.time[group[own]]).exp();
                    sums[own].1 += 1;
                }
            }
        }
        let means = sums.iter().map(|(sum, count)| sum / f64::from(*count));
        group.iter().copied().zip(means).collect()
    }

    /// Races the best candidates against the approach that the search began with, and returns the sums.
    fn confirmed(mut self) -> Sums {
        let best: Vec<usize> = (self.archive.ranked.iter().copied())
            .filter(|index| *index > 0)
            .take(FINALISTS)
            .collect();
        let found = best
            .first()
            .and_then(|index| self.archive.candidates[*index].ratio);
        self.sums.found = found.unwrap_or(1.0);
        self.sums.truth = best.first().map_or(0.0, |index| -self.time[*index]);
        let racing: Vec<f64> = (std::iter::once(0).chain(best))
            .map(|index| self.time[index])
            .collect();
        let settings = recorded::settings(self.trace, racing.len());
        let verdicts = race(self.trace, &settings, &racing, &mut self.random);
        for ((a, b), verdict) in verdicts {
            // The verdict of a; a ratio of times above 1 says that a is the slower one.
            let is_false = match verdict {
                Verdict::Beats => racing[a] >= racing[b],
                Verdict::Beaten => racing[a] <= racing[b],
                _ => false,
            };
            self.sums.false_claims |= u64::from(is_false);
            let is_gain = is_false
                && ((a == 0 && verdict == Verdict::Beaten)
                    || (b == 0 && verdict == Verdict::Beats));
            self.sums.false_gains |= u64::from(is_gain);
        }
        self.sums
    }
}

/// A race to its stop: the verdict of each pair.
fn race(
    trace: &Trace,
    settings: &RaceSettings,
    times: &[f64],
    random: &mut Noise,
) -> Vec<((usize, usize), Verdict)> {
    let replica = |index: u32, random: &mut Noise| {
        let mut replica = recorded::replica(trace, index, times.len(), 0.0, random);
        for sample in &mut replica.samples {
            let more = times[sample.variant].exp();
            sample.cpu_ns = (sample.cpu_ns as f64 * more) as u64;
            sample.wall_ns = (sample.wall_ns as f64 * more) as u64;
        }
        replica
    };
    let pilot = replica(0, random);
    let mut settings = settings.clone();
    settings.first_scales = first_scales(&settings, &pilot);
    let mut race = Race::new(settings, Some(&pilot));
    let endless = RemainingBudget {
        seconds: 1.0,
        whole_seconds: 1.0,
    };
    for index in 0..RACE_REPLICAS {
        if let NextStep::Stop(_) = race.analysis().next(endless, |_| 0.0) {
            break;
        }
        race.push(replica(index, random));
    }
    let analysis = race.analysis();
    let pairs = analysis.overall.iter();
    pairs.map(|one| ((one.a, one.b), one.verdict)).collect()
}

fn program(number: usize) -> Program {
    Program {
        origin: "a".to_owned(),
        values: BTreeMap::from([("n".to_owned(), number.to_string())]),
        source: None,
    }
}

fn looked(index: usize, place: u32, time_ns: Option<f64>) -> Looked {
    Looked {
        approach: String::new(),
        identity: Some(Identity {
            component: index.to_string(),
            files: None,
        }),
        failure: None,
        readings: BTreeMap::new(),
        place: Some(place),
        fuel_place: None,
        total: None,
        time_ns,
        against: BTreeMap::new(),
        passes: true,
    }
}

fn identical(trace: &Trace, searches: u64, figures: &mut Figures) {
    let sums = over_seeds(searches, |seed| {
        Search::over(trace, seed, 0.0, (WIDTH, TIMED_MAX)).confirmed()
    });
    let mut share = |what: &str, count: u64, demand| {
        let value = per_cent(count, searches);
        figures.row("", what, value, Unit::PerCent, demand);
    };
    let most = Demand::AtMost(5.0);
    share(
        "identical: any false claim of the race",
        sums.false_claims,
        most,
    );
    share("  a candidate is said to be ahead", sums.false_gains, most);
    let mean = |sum: f64| 100.0 * (sum / searches as f64 - 1.0);
    let what = "  gain at which the best was found, mean";
    figures.row("", what, mean(sums.found), Unit::PerCent, Demand::None);
    let what = "  gain of the highest score of all, mean";
    figures.row("", what, mean(sums.highest), Unit::PerCent, Demand::None);
}

fn different(trace: &Trace, searches: u64, figures: &mut Figures) {
    let runs = searches / 4;
    let mut looks = Vec::new();
    for (name, timed) in [("eight best by fuel timed", TIMED_MAX), ("all timed", WIDE)] {
        let sums = over_seeds(runs, |seed| {
            Search::over(trace, seed, TIME_SD, (WIDE, timed)).confirmed()
        });
        let gain = 100.0 * ((sums.truth / runs as f64).exp() - 1.0);
        let what = format!("different, {name}: true gain, mean");
        figures.row("", &what, gain, Unit::PerCent, Demand::None);
        let what = "  any false claim of the race";
        let value = per_cent(sums.false_claims, runs);
        figures.row("", what, value, Unit::PerCent, Demand::AtMost(5.0));
        looks.push(sums.looks as f64);
    }
    let ratio = looks[0] / looks[1];
    let what = "samples of looks, eight of 24 over all";
    figures.row("", what, ratio, Unit::One, Demand::None);
}
