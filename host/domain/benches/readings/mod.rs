//! Claims about other readings than the time of calls: qualities of answers, and cold starts.

use crate::FALSE_MAX;
use crate::bulk::{Tally, count, over_seeds, per_cent};
use crate::figures::{Demand, Figures, Unit};
use crate::random::Noise;
use bakeoff_domain::measurement::{Replica, Surroundings};
use bakeoff_domain::metric_share::reading_threshold;
use bakeoff_domain::race::{RaceSettings, analyse};
use bakeoff_domain::reading_verdict::Qualities;
use bakeoff_domain::spec::{Direction, Scale};
use bakeoff_domain::verdict::Verdict;

/// Qualities of the answers of four equally good variants to the same 256 rounds of inputs, seldom
/// worse by much, and of one that is better by 1 % of the range: a claim at any time counts.
pub(crate) fn qualities(runs: u64, figures: &mut Figures) {
    let scales = [
        (
            "in the mean",
            Scale::Linear {
                low: 0.0,
                high: 100.0,
            },
        ),
        ("on more inputs", Scale::Ratio { base: 10.0 }),
    ];
    let settings = RaceSettings::new(4, 1);
    let threshold = reading_threshold(settings.variants, settings.confidence, 0.5);
    for (what, scale) in scales {
        let run = |seed| {
            let mut random = Noise::new(seed ^ 0x5EED);
            let mut variants = vec![Vec::new(); settings.variants];
            let mut better = Vec::new();
            for _ in 0..256 {
                let level = 50.0 + 3.0 * random.normal();
                let mut one = || {
                    let bad_luck = if random.uniform() < 0.1 { 8.0 } else { 0.0 };
                    (level + 1.5 * random.normal() + bad_luck).clamp(0.0, 100.0)
                };
                variants.iter_mut().for_each(|variant| variant.push(one()));
                better.push((one() - 1.0).max(0.0));
            }
            let claims = |a: &[f64], b: &[f64]| {
                let qualities = Qualities {
                    pair: (0, 1),
                    a,
                    b,
                    same_answers: false,
                };
                qualities
                    .judge(scale, Direction::LowerIsBetter, threshold)
                    .verdict
            };
            let pairs = (0..4).flat_map(|a| (a + 1..4).map(move |b| (a, b)));
            let claimed =
                |(a, b): (usize, usize)| claims(&variants[a], &variants[b]) != Verdict::NoCall;
            let wrong = pairs.into_iter().any(claimed);
            Tally([wrong, claims(&better, &variants[0]) == Verdict::Beats].map(u64::from))
        };
        let Tally([wrong, found]) = over_seeds(runs, run);
        let row = format!("quality {what}, 4 equal variants: false claim");
        figures.row("", &row, per_cent(wrong, runs), Unit::PerCent, FALSE_MAX);
        let row = format!("quality {what}: 1 % of the range found");
        figures.row("", &row, per_cent(found, runs), Unit::PerCent, Demand::None);
    }
}

/// Cold starts of four identical variants, whoever is first paying a fifth, in 96 replicas: a claim at
/// any time counts.
pub(crate) fn cold_starts(runs: u64, figures: &mut Figures) {
    let settings = RaceSettings {
        cold_start: true,
        metric_share: 0.5,
        ..RaceSettings::new(4, 1)
    };
    let run = |seed| {
        let mut random = Noise::new(seed ^ 0xC01D);
        let replica = |index| {
            let mut order: Vec<(f64, usize)> = (0..4).map(|one| (random.uniform(), one)).collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            let level = 0.2 * random.normal();
            let mut cold_ns = vec![None; 4];
            for (place, (_, variant)) in order.into_iter().enumerate() {
                let first = if place == 0 { 0.2 } else { 0.0 };
                let tail = if random.uniform() < 0.1 { 0.7 } else { 0.0 };
                let log = level + first + tail + 0.1 * random.normal();
                cold_ns[variant] = Some((150_000.0 * log.exp()) as u64);
            }
            Replica {
                index,
                solo: true,
                samples: Vec::new(),
                baselines: Vec::new(),
                cold_ns,
                parts: Vec::new(),
                surroundings: Surroundings::default(),
            }
        };
        let replicas: Vec<Replica> = (0..96).map(replica).collect();
        let sure = |verdict| matches!(verdict, Verdict::Beats | Verdict::Beaten);
        let analysis = analyse(&settings, None, &replicas);
        analysis.cold_start.iter().any(|pair| sure(pair.verdict))
    };
    let wrong = per_cent(count(runs, run), runs);
    let what = "cold start, 4 identical variants: false claim";
    figures.row("E10", what, wrong, Unit::PerCent, FALSE_MAX);
}
