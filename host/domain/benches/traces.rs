//! What the statistics say on a recorded trace of a busy machine, in bulk, beside the rules that
//! other tools use, replayed on the same trace.
//!
//! ```text
//! cargo bench -p bakeoff-domain --bench traces [-- [SESSIONS] [--json FILE]]
//! ```
//!
//! 100,000 sessions a row unless said otherwise (a tenth of it where a row says so), over all cores:
//! a few minutes. Everything follows from seeds and `trace/busy.trace`. Sessions are never ended
//! early by a tie, so that a false claim has all 96 replicas to come up in.

mod bulk;
mod figures;
mod random;
mod recorded;
mod replay;
mod trace;

use bakeoff_domain::race::{
    ClaimScope, NextStep, Race, RaceSettings, RemainingBudget, analyse, first_scales,
};
use bakeoff_domain::stats::ConfidenceSequence;
use bakeoff_domain::verdict::Verdict;
use bulk::{Tally, count, over_seeds, per_cent};
use figures::{Demand, Figures, Unit};
use random::Noise;
use replay::rivals::{self, Against, Clock, Said, Student};
use replay::{Order, Pool, REPLICAS};
use trace::Trace;

/// The trace that ships.
const BUSY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/trace/busy.trace");
/// Sessions of a row unless the command line says otherwise.
const SESSIONS: u64 = 100_000;
/// The rates of false claims about identical variants: at most 5 % is demanded.
const FALSE_MAX: Demand = Demand::AtMost(5.0);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sessions = std::env::args().find_map(|argument| argument.parse().ok());
    let sessions: u64 = sessions.unwrap_or(SESSIONS).max(10);
    let bytes = std::fs::read(BUSY).map_err(|error| format!("{BUSY}: {error}"))?;
    let trace = Trace::read(&bytes).map_err(|error| format!("{BUSY}: {error}"))?;
    let pool = Pool::new(&trace, Order::Drawn, 0.0);
    println!(
        "{sessions} sessions a row, from {} recorded replicas of {} variants",
        trace.replicas.len(),
        trace.variants
    );
    let mut figures = Figures::begin();
    the_short_way_is_right(&trace, &mut figures);
    identical(&pool, sessions, &mut figures);
    identical_by_others(&trace, sessions / 10, &mut figures);
    different(&trace, sessions / 10, &mut figures);
    coverage(&pool, sessions, &mut figures);
    first_penalty(&trace, sessions, &mut figures);
    layout(&trace, &pool, sessions, &mut figures);
    Ok(figures.finish()?)
}

fn share(figures: &mut Figures, id: &str, what: &str, (found, of): (u64, u64), demand: Demand) {
    figures.row(id, what, per_cent(found, of), Unit::PerCent, demand);
}

/// Returns true if a session claims that a pair differs, in either direction.
fn claims(sequence: &ConfidenceSequence) -> bool {
    let reached = |evidence: f64| evidence >= sequence.threshold();
    reached(sequence.evidence_above(0.0)) || reached(sequence.evidence_below(0.0))
}

/// Sessions below are replayed from differences that are worked out once, by the test over replicas alone. Here
/// some of them go through the race itself, sample by sample: it claims the same, or withholds it.
fn the_short_way_is_right(trace: &Trace, figures: &mut Figures) {
    const CHECKED: u64 = 200;
    let agrees = |seed: u64| {
        let settings = recorded::settings(trace, 2);
        let mut random = Noise::new(seed);
        let mut race = Race::new(settings.clone(), None);
        let mut short = ConfidenceSequence::new(
            settings.threshold(ClaimScope::AllCases),
            settings.practical_log(),
        );
        for index in 0..REPLICAS as u32 {
            let replica = recorded::replica(trace, index, 2, 0.004, &mut random);
            let one = analyse(&settings, None, std::slice::from_ref(&replica));
            let value = one.overall[0].interval.ratio.map_or(f64::NAN, f64::ln);
            short.push(value, 2.0 * trace.resolution);
            race.push(replica);
        }
        let verdict = race.analysis().overall[0].verdict;
        let is_sure = matches!(verdict, Verdict::Beats | Verdict::Beaten);
        Tally([claims(&short) == is_sure, claims(&short) || !is_sure].map(u64::from))
    };
    let Tally([same, held]) = over_seeds(CHECKED, agrees);
    let what = "the race claims what the short way does, effect 0.4 %";
    share(figures, "", what, (held, CHECKED), Demand::AtLeast(98.0));
    let what = "  and nothing is withheld by total times";
    share(figures, "", what, (same, CHECKED), Demand::None);
}

/// Returns true if a variant beats all others, directly or by implication.
fn has_winner(k: usize, sequences: &[ConfidenceSequence]) -> bool {
    let mut better = vec![vec![false; k]; k];
    for ((a, b), sequence) in replay::pairs(k).zip(sequences) {
        // A ratio above 1 says that a takes longer.
        better[b][a] = sequence.evidence_above(0.0) >= sequence.threshold();
        better[a][b] = sequence.evidence_below(0.0) >= sequence.threshold();
    }
    for through in 0..k {
        for a in 0..k {
            for b in 0..k {
                better[a][b] |= better[a][through] && better[through][b];
            }
        }
    }
    (0..k).any(|a| (0..k).all(|b| a == b || better[a][b]))
}

fn identical(pool: &Pool, sessions: u64, figures: &mut Figures) {
    for k in [2, 4, 8] {
        let run = |seed| {
            let sequences = pool.session(&mut Noise::new(seed), k, 0.0, 0.0);
            let any = sequences.iter().any(claims);
            Tally([any, any && has_winner(k, &sequences)].map(u64::from))
        };
        let Tally([any, winners]) = over_seeds(sessions, run);
        let what = format!("{k} identical: false winner, ever in {REPLICAS} replicas");
        share(figures, "E1", &what, (winners, sessions), FALSE_MAX);
        let what = format!("{k} identical: any false claim, ever");
        share(figures, "E1", &what, (any, sessions), FALSE_MAX);
    }
}

fn identical_by_others(trace: &Trace, sessions: u64, figures: &mut Figures) {
    for (clock, clock_name) in [(Clock::Wall, "wall clock"), (Clock::Cpu, "CPU time")] {
        for (against, name) in [
            (Against::Sequel, "one after the other"),
            (Against::Baseline, "against a baseline"),
        ] {
            let says = |seed| {
                let random = &mut Noise::new(seed);
                rivals::in_sequence(trace, clock, against, 0.0, random) != Said::Nothing
            };
            let what = format!("  criterion's rule, {name}, {clock_name}");
            let found = (count(sessions, says), sessions);
            share(figures, "", &what, found, Demand::None);
        }
    }
}

/// A race from the first replica to its stop: the winner, and how many replicas it took.
fn race(trace: &Trace, settings: &RaceSettings, effect: f64, seed: u64) -> (Option<usize>, u32) {
    let mut random = Noise::new(seed);
    let pilot = recorded::replica(trace, 0, 2, effect, &mut random);
    let mut settings = settings.clone();
    settings.first_scales = first_scales(&settings, &pilot);
    let mut race = Race::new(settings, Some(&pilot));
    let endless = RemainingBudget {
        seconds: 1.0,
        whole_seconds: 1.0,
    };
    for index in 0..REPLICAS as u32 {
        if let NextStep::Stop(_) = race.analysis().next(endless, |_| 0.0) {
            break;
        }
        race.push(recorded::replica(trace, index, 2, effect, &mut random));
    }
    let analysis = race.analysis();
    (analysis.winner, analysis.replicas)
}

fn different(trace: &Trace, sessions: u64, figures: &mut Figures) {
    let settings = recorded::settings(trace, 2);
    for (more, demand) in [(0.02_f64, 95.0), (0.05, 99.0), (0.1, 99.0)] {
        let run = |seed| {
            let (winner, replicas) = race(trace, &settings, more.ln_1p(), seed);
            let [right, wrong] = [Some(1), Some(0)].map(|who| u64::from(winner == who));
            Tally([right, wrong, u64::from(replicas)])
        };
        let Tally([right, wrong, replicas]) = over_seeds(sessions, run);
        let percent = more * 100.0;
        let what = format!("+{percent:.0} % found (a tenth of the sessions)");
        share(
            figures,
            "E2",
            &what,
            (right, sessions),
            Demand::AtLeast(demand),
        );
        let what = format!("+{percent:.0} %: wrong sign");
        share(figures, "E2", &what, (wrong, sessions), Demand::AtMost(1.0));
        let replicas = replicas as f64 / sessions as f64;
        let what = format!("+{percent:.0} %: replicas to the verdict, mean");
        figures.row("E2", &what, replicas, Unit::One, Demand::None);
    }
    for (said, word) in [(Said::Slower, "right"), (Said::Faster, "wrong")] {
        let says = |seed| {
            let random = &mut Noise::new(seed);
            let effect = 0.1_f64.ln_1p();
            rivals::in_sequence(trace, Clock::Wall, Against::Sequel, effect, random) == said
        };
        let what = format!("  criterion's rule at +10 %, wall clock: {word}");
        share(
            figures,
            "",
            &what,
            (count(sessions, says), sessions),
            Demand::None,
        );
    }
}

/// One effect stands for all: the interval moves with it.
fn coverage(pool: &Pool, sessions: u64, figures: &mut Figures) {
    let students = Student::new(REPLICAS);
    let effect = 0.05_f64.ln_1p();
    let run = |seed| {
        let sequences = pool.session(&mut Noise::new(seed), 2, effect, 0.0);
        let ours = &sequences[0];
        let holds = |evidence: f64| evidence < ours.threshold();
        let covers = holds(ours.evidence_above(effect)) && holds(ours.evidence_below(effect));
        let student = students.always_covers(ours.values(), effect);
        Tally([covers, student].map(u64::from))
    };
    let Tally([covers, student]) = over_seeds(sessions, run);
    let what = "effect 5 %: interval holds it at all times together";
    let demand = Demand::AtLeast(95.0);
    share(figures, "E3", what, (covers, sessions), demand);
    let what = "  Student's interval, looked at after each replica";
    share(figures, "", what, (student, sessions), Demand::None);
}

fn first_penalty(trace: &Trace, sessions: u64, figures: &mut Figures) {
    let penalty = 0.03_f64.ln_1p();
    let drawn = Pool::new(trace, Order::Drawn, penalty);
    let says = |seed| claims(&drawn.session(&mut Noise::new(seed), 2, 0.0, 0.0)[0]);
    let what = "whoever runs first pays 3 %, order drawn: false";
    share(
        figures,
        "E6",
        what,
        (count(sessions, says), sessions),
        FALSE_MAX,
    );
    let fixed = Pool::new(trace, Order::Fixed, penalty);
    let says = |seed| {
        let random = &mut Noise::new(seed);
        let settings = RaceSettings::new(2, 1);
        let mut sequence = ConfidenceSequence::new(
            settings.threshold(ClaimScope::AllCases),
            settings.practical_log(),
        )
        .with_first_scale(Some(fixed.first_pair_scale(random)));
        (0..REPLICAS).for_each(|_| sequence.push(fixed.first_pair(random), 2.0 * trace.resolution));
        claims(&sequence)
    };
    let tenth = sessions / 10;
    let what = "  in a fixed order instead";
    share(figures, "", what, (count(tenth, says), tenth), Demand::None);
}

fn layout(trace: &Trace, pool: &Pool, sessions: u64, figures: &mut Figures) {
    const LAYOUT_SD: f64 = 0.01;
    let says = |seed| claims(&pool.session(&mut Noise::new(seed), 2, 0.0, LAYOUT_SD)[0]);
    let what = "layout moves 1 % by process: false";
    share(
        figures,
        "E7",
        what,
        (count(sessions, says), sessions),
        FALSE_MAX,
    );
    let students = Student::new(REPLICAS);
    let says = |seed| {
        let random = &mut Noise::new(seed);
        let layout = LAYOUT_SD * (random.normal() - random.normal());
        let replica = recorded::replica(trace, 0, 2, layout, random);
        !students.covers(&replay::block_differences(&replica), 0.0)
    };
    let tenth = sessions / 10;
    let what = "  Student's interval over the blocks of one process";
    share(figures, "", what, (count(tenth, says), tenth), Demand::None);
}
