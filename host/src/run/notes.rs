//! The notes of a report: what a reader should know about how the numbers were measured.

use super::constant_arguments;
use super::evaluated;
use super::evidence::Record;
use super::instances;
use super::race_outcome::RaceOutcome;
use super::variant_state::VariantState;
use crate::evaluate;
use crate::measure::GateRecord;
use bakeoff_domain::attempt;
use bakeoff_domain::few_layouts::FEW_LAYOUTS;
use bakeoff_domain::measurement::{CaseIndex, VariantIndex};
use bakeoff_domain::numbers;
use bakeoff_domain::plan::{LAYOUTS, Sampling, Steadiness};
use bakeoff_domain::race::{Analysis, Basis, ClaimScope, Factor, SoloComparison};
use bakeoff_domain::report::words::{NoteList, basis};
use bakeoff_domain::report::{CaseLabel, Machine, noise, rare_inputs};
use bakeoff_domain::spec::State;
use bakeoff_domain::stats::replicas_needed;
use bakeoff_domain::verdict::Verdict;
use std::collections::BTreeSet;

/// Returns the notes of a report, those on the variants first.
pub(super) fn notes(
    record: &Record,
    variants: &[VariantState],
    outcome: Option<&RaceOutcome>,
) -> Vec<String> {
    let mut notes = NoteList::default();
    let declared = record.experiment.measure.state;
    if declared == State::Kept {
        notes.push(
            "Instances were kept between calls, as the experiment says: a call may have used what \
             earlier ones left."
                .to_owned(),
        );
    }
    if let Some(set) = instances::summary(record, variants)
        && set.checked < set.count
    {
        notes.push(format!(
            "Checked on the first {} of {} instances: all of them would take too long. Qualities are \
             those of the answers to these.",
            numbers::count(u64::from(set.checked)),
            numbers::count(u64::from(set.count))
        ));
    }
    for note in instances::notes(record, variants) {
        notes.push(note);
    }
    for state in variants {
        if state.is_alive() && state.build.as_ref().is_some_and(|build| build.recodes) {
            notes.about(
                "Strings in another encoding than UTF-8: ",
                state.id().as_str(),
                ". The host recodes them in every call, and its times include that.",
            );
        }
    }
    for state in variants {
        let attempts = state.gate.as_ref().map(|gate| &gate.attempts);
        if let Some(tried) = attempts.and_then(|attempts| attempt::sentence(attempts)) {
            notes.about("", state.id().as_str(), &format!(" {tried}."));
        }
    }
    for state in variants.iter().filter(|state| state.is_alive()) {
        if let Some(original) = &state.duplicate_of {
            let same = format!(
                "The same component as {original}, byte for byte, which ties without being run: "
            );
            notes.about(&same, state.id().as_str(), ".");
        }
        let once = state.gate.as_ref().map_or(0, GateRecord::cases_called_once);
        if once > 0 {
            let about = format!("{} ({once} of {} cases)", state.id(), record.cases.len());
            notes.about(
                "Checked by a single call on some cases, since more would have taken too long: ",
                &about,
                ". That the answer is the same every time was not tried there.",
            );
        }
        let start = start_note(state, outcome, &record.cases);
        if let Some(note) = start.filter(|_| declared == State::Pure) {
            notes.push(note);
            continue;
        }
        let gains = state.gate.as_ref().filter(|gate| gate.gains_by_state());
        if let Some(gate) = gains.filter(|_| declared == State::Pure) {
            let percent = numbers::count((100.0 * gate.first_call_share()) as u64);
            let about = format!("{} (up to {percent} % of a call's fuel)", state.id());
            notes.about(
                "Less work on an instance that has been called before, such as the start of a language: ",
                &about,
                ". Every timed call had a fresh one: if yours are called again and again, run with \
                 `state = \"kept\"` under [measure].",
            );
        }
    }
    evaluated::add_notes(record, variants, &mut notes);
    for case in constant_cases(record) {
        let case = record.cases[case].to_string();
        notes.about(CONSTANT_INPUTS, &case, CONSTANT_INPUTS_ADVICE);
    }
    let gates = record.gates.iter().map(|gate| &gate.value);
    for (argument, cases) in constant_arguments::constant_arguments(gates) {
        let beginning = constant_arguments::beginning(argument);
        for case in cases.iter().filter_map(|case| record.cases.get(*case)) {
            notes.about(&beginning, &case.to_string(), constant_arguments::ADVICE);
        }
    }
    if let Some(outcome) = outcome {
        on_the_race(&mut notes, outcome, &record.cases, record.environment.cores);
    }
    notes.into_sentences()
}

/// What of a variant's time is the start of its instance, if that is a part that counts.
fn start_note(
    state: &VariantState,
    outcome: Option<&RaceOutcome>,
    cases: &[CaseLabel],
) -> Option<String> {
    let outcome = outcome?;
    let racer = outcome.index_of(state.id())?;
    let start = evaluate::start_of_call(outcome.counted(), racer)?;
    let of_case = match cases.get(start.case).filter(|_| cases.len() > 1) {
        Some(case) => format!(" on {case}"),
        None => String::new(),
    };
    let time = |ns: f64| numbers::reading(ns, "ns");
    Some(format!(
        "{}: of the {} that a call takes{of_case}, {} are its start: what a language does before the program \
         runs, or tables that a first call makes. A later call on the same instance would take {}. Every timed \
         call has the start in it, as each has a fresh instance: if yours are called again and again, run with \
         `state = \"kept\"` under [measure].",
        state.id(),
        time(start.call_ns),
        time(start.start_ns),
        time((start.call_ns - start.start_ns).max(0.0)),
    ))
}

/// The replicas of single calls that only set a pair's first scale, which the pilot gives only of full
/// samples.
const FIRST_SCALE_REPLICAS: u32 = 2;

/// What it means that there was no pool of instances.
const ONE_BY_ONE: &str = "There were no addresses for a pool of instances, so each call had one that was \
    made for it alone, and its time includes the page faults of new memory: programs that write more \
    memory look slower than they are. Raise the limit on addresses (`ulimit -v`).";

/// The beginning of the sentence on inputs that are known beforehand.
pub(super) const CONSTANT_INPUTS: &str = "The same input from every seed: ";
/// Its end, behind the cases.
pub(super) const CONSTANT_INPUTS_ADVICE: &str = ". Whoever has the answers in a table is as quick as the table there, whatever work the question \
     is: let `generate` draw from its seed.";

/// Returns the cases of which the workload makes the same input from every seed, by what the gates saw.
fn constant_cases(record: &Record) -> BTreeSet<usize> {
    let gates = record.gates.iter().flat_map(|gate| &gate.value.cases);
    let constant = gates.filter(|checked| checked.constant_input);
    constant.map(|checked| checked.case).collect()
}

fn on_the_race(notes: &mut NoteList, outcome: &RaceOutcome, cases: &[CaseLabel], cores: u32) {
    let id = |variant: usize| outcome.variants[variant].as_str();
    let sampling = outcome.raced.pilot.as_ref().map(|pilot| &pilot.sampling);
    if let Some(note) = sampling.and_then(short_instances) {
        notes.push(note);
    }
    let untimed = sampling.map_or(&[][..], |sampling| &sampling.untimed);
    for &variant in untimed {
        let mut short = sampling.iter().flat_map(|sampling| &sampling.too_short);
        let least = short.find(|short| short.variant == variant);
        let least = least.map_or(0.0, |short| short.call_ns_min / 1e3);
        let after = format!(
            ": its calls take less than {least:.0} µs. No verdict names it, and it may be the fastest: \
             put more work into one case."
        );
        notes.about("Too short to be timed: ", id(variant), &after);
    }
    let pilot = outcome.raced.pilot.iter();
    for (variant, layouts) in pilot.flat_map(|pilot| pilot.layouts.iter().enumerate()) {
        if *layouts < LAYOUTS {
            let least = 100.0 * FEW_LAYOUTS;
            let places = match layouts {
                1 => "a single place".to_owned(),
                several => format!("{several} places"),
            };
            let about =
                format!("Machine code in {places} instead of {LAYOUTS}, as there is much of it: ");
            let after = format!(
                ". Where code lies can be worth some per cent in every process alike, so intervals are wider \
                 by {least} % at both ends, and no smaller difference is sure."
            );
            notes.about(&about, id(variant), &after);
        }
    }
    for slow in sampling.iter().flat_map(|sampling| &sampling.single_calls) {
        notes.about(
            "Compared by single calls, more than 10 × slower than the best on a case: every pair with ",
            id(slow.variant),
            ". One call in each process says less than a sample of many, so intervals of such pairs are wider.",
        );
    }
    if let (Some(sampling), Some(analysis)) = (sampling, &outcome.raced.analysis) {
        for slow in &sampling.single_calls {
            if let Some(why) = too_slow_for_a_verdict(sampling, analysis, slow.variant) {
                notes.about(
                    "Far slower, and without a verdict: ",
                    id(slow.variant),
                    &why,
                );
            }
        }
    }
    if let Some(Steadiness::Trending(trends)) = sampling.map(|sampling| &sampling.steadiness) {
        for trend in trends {
            notes.about(
                "No steady state: times of ",
                id(trend.variant),
                " still change after the warm-up, so instances of that age are compared. Larger inputs make it matter less.",
            );
        }
    }
    if outcome.raced.pilot.as_ref().and_then(|pilot| pilot.pooled) == Some(false) {
        notes.push(ONE_BY_ONE.to_owned());
    }
    if let Some(analysis) = &outcome.raced.analysis {
        on_the_analysis(notes, analysis, id);
    }
    let replicas = &outcome.raced.replicas;
    for rare in rare_inputs(replicas) {
        let of_case = match cases.get(rare.case).filter(|_| cases.len() > 1) {
            Some(case) => format!(" of {case}"),
            None => String::new(),
        };
        let after = format!(
            " takes far longer on some inputs{of_case} than on most: a call takes {} in the mean, and half \
             of the samples less than {}.",
            numbers::reading(rare.mean_ns, "ns"),
            numbers::reading(rare.median_ns, "ns")
        );
        notes.about("", id(rare.variant), &after);
    }
    let used: BTreeSet<_> = replicas.iter().map(|one| one.surroundings.core).collect();
    let machine = Machine {
        cores,
        workers: used.len() as u32,
    };
    let settings = outcome.raced.analysis.as_ref().map(|of| &of.settings);
    let knows_quiet = settings.is_some_and(|settings| settings.quiet.is_some());
    for disturbance in noise(replicas, machine, knows_quiet) {
        notes.push(disturbance);
    }
}

/// The note about instances of a set that are too short to time.
fn short_instances(sampling: &Sampling) -> Option<String> {
    sampling.instances_per_block?;
    let short = sampling.calls.iter().filter(|calls| **calls == 0).count();
    let least = sampling.too_short.first()?.call_ns_min / 1e3;
    Some(format!(
        "{} of {} instances are too short to time (a call takes less than {least:.0} µs): what is \
         said of time is about the others.",
        numbers::count(short as u64),
        numbers::count(sampling.calls.len() as u64)
    ))
}

/// What is known of a variant of which the race had no room for the single calls that tell it apart from
/// the others, and what to do; `None` if it has a verdict.
fn too_slow_for_a_verdict(
    sampling: &Sampling,
    analysis: &Analysis,
    variant: VariantIndex,
) -> Option<String> {
    let pairs = analysis.overall.iter();
    let pairs: Vec<_> = pairs
        .filter(|pair| pair.a == variant || pair.b == variant)
        .collect();
    let needed = replicas_needed(analysis.settings.threshold(ClaimScope::AllCases));
    let needed = needed + FIRST_SCALE_REPLICAS;
    let made = pairs.iter().map(|pair| pair.replicas).max()?;
    let told = pairs.iter().any(|pair| pair.verdict != Verdict::NoCall);
    let (call_ns, ratio) = match longest_timed_call(sampling, analysis, variant) {
        Some(timed) => timed,
        None => sampling.longest_single_call(variant)?,
    };
    (!told).then(|| {
        format!(
            ". One call takes about {}, some {} × as long as the quickest. An obvious verdict takes \
             {needed} rounds of such calls or more, and the budget had room for {made}: raise --budget, \
             or leave it out.",
            numbers::reading(call_ns, "ns"),
            numbers::significant(ratio, 2)
        )
    })
}

/// The longest of a variant's single calls as the race timed it: its time in nanoseconds, and how many times that
/// of the quickest variant on its case it is. `None` if there was none.
fn longest_timed_call(
    sampling: &Sampling,
    analysis: &Analysis,
    variant: VariantIndex,
) -> Option<(f64, f64)> {
    let own = sampling
        .single_calls
        .iter()
        .find(|own| own.variant == variant)?;
    let of_case = |case: &CaseIndex| {
        let times = analysis.times.iter().filter(|time| time.case == *case);
        let quickest = times.clone().map(|time| time.median_ns);
        let quickest = quickest.fold(f64::INFINITY, f64::min);
        let mut times = times.filter(|time| time.variant == variant);
        let call_ns = times.next()?.median_ns;
        Some((call_ns, call_ns / quickest))
    };
    let calls = own.cases.iter().filter_map(of_case);
    calls.max_by(|one, other| one.0.total_cmp(&other.0))
}

fn on_the_analysis<'a>(notes: &mut NoteList, analysis: &Analysis, id: impl Fn(usize) -> &'a str) {
    let note = basis::note(analysis.settings.basis, analysis.quiet_replicas());
    if let Some(note) = note {
        notes.push(note);
    }
    if analysis.settings.basis == Basis::Solo
        || matches!(analysis.solo_comparison, SoloComparison::Differs { .. })
    {
        notes.push(
            "Running side by side changed the ranking, so only replicas that ran alone count: --workers 1 measures alone from the start.".to_owned(),
        );
    }
    for dependence in &analysis.dependences {
        let with = match dependence.factor {
            Factor::Time => "time",
            Factor::Load => "the machine's load",
        };
        let after = format!(
            " changed with {with} during measuring: run again later to see whether it stays."
        );
        let pair = format!("{} to {}", id(dependence.a), id(dependence.b));
        notes.about("The ratio of ", &pair, &after);
    }
}
