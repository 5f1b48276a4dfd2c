//! The notes of a report: facts about the measurement that a reader should know.

use super::constant_arguments;
use super::evaluator_readings;
use super::evidence::Record;
use super::instances;
use super::race_outcome::RaceOutcome;
use super::shown_names::{shown, shown_names};
use super::variant_state::VariantState;
use bakeoff_domain::attempt;
use bakeoff_domain::few_layouts::FEW_LAYOUTS;
use bakeoff_domain::measurement::VariantIndex;
use bakeoff_domain::numbers;
use bakeoff_domain::plan::{LAYOUTS, Sampling, Steadiness};
use bakeoff_domain::race::Analysis;
use bakeoff_domain::report::words::NoteList;
use bakeoff_domain::report::{CaseLabel, Machine, noise, rare_inputs};
use bakeoff_domain::spec::State;
use bakeoff_domain::variant::VariantId;
use bakeoff_domain::verdict::Verdict;
use bakeoff_measure::GateRecord;
use bakeoff_measure::evaluate;
use std::collections::{BTreeSet, HashMap};

/// Returns the notes of a report, those on the variants first.
pub(super) fn notes(
    record: &Record,
    variants: &[VariantState],
    outcome: Option<&RaceOutcome>,
) -> Vec<String> {
    let mut notes = NoteList::default();
    let names = shown_names(variants);
    let name = |id: &VariantId| shown(&names, id);
    let declared = record.experiment.measure.state;
    if declared == State::Kept {
        notes.push(
            "Instances were kept between calls, as the experiment says: a call may have used what \
             earlier ones left."
                .to_owned(),
        );
    }
    let counts_calls = declared == State::Kept
        || variants
            .iter()
            .any(|state| record.program(&state.variant).is_some());
    if counts_calls && record.experiment.assesses() {
        notes.push(UNTIMED_QUALITIES.to_owned());
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
                &name(state.id()),
                ". The host recodes them in every call, and its times include that.",
            );
        }
    }
    let pilot = outcome.and_then(|outcome| outcome.raced.pilot.as_ref());
    if pilot.is_some_and(|pilot| pilot.all_timed) {
        let brings_one = |state: &&VariantState| {
            let build = state.build.as_ref();
            state.races() && build.is_some_and(|build| build.own_allocator)
        };
        for state in variants.iter().filter(brings_one) {
            notes.about("An allocator of its own: ", &name(state.id()), ALL_TIMED);
        }
    }
    for state in variants {
        let attempts = state.gate.as_ref().map(|gate| &gate.attempts);
        if let Some(tried) = attempts.and_then(|attempts| attempt::sentence(attempts)) {
            notes.about("", &name(state.id()), &format!(" {tried}."));
        }
    }
    for state in variants.iter().filter(|state| state.is_alive()) {
        if let Some(program) = record.program(&state.variant) {
            let command = program.command.join(" ");
            let about = format!("{} (`{command}`)", name(state.id()));
            notes.about("Programs: ", &about, PROGRAMS);
        }
    }
    for state in variants.iter().filter(|state| state.is_alive()) {
        if let Some(original) = &state.duplicate_of {
            let same = format!(
                "The same component as {}, byte for byte, which ties without being run: ",
                name(original)
            );
            notes.about(&same, &name(state.id()), ".");
        }
        let once = state.gate.as_ref().map_or(0, GateRecord::cases_called_once);
        if once > 0 {
            let about = format!(
                "{} ({once} of {} cases)",
                name(state.id()),
                record.cases.len()
            );
            notes.about(
                "Checked by a single call on some cases, since more would have taken too long: ",
                &about,
                ". That the answer is the same every time was not tried there.",
            );
        }
        let start = start_note(state, &name(state.id()), outcome, &record.cases);
        if let Some(note) = start.filter(|_| declared == State::Pure) {
            notes.push(note);
            continue;
        }
        let gains = state.gate.as_ref().filter(|gate| gate.gains_by_state());
        if let Some(gate) = gains.filter(|_| declared == State::Pure) {
            let percent = numbers::count((100.0 * gate.first_call_share()) as u64);
            let about = format!("{} (up to {percent} % of a call's fuel)", name(state.id()));
            notes.about(
                "Less work on an instance that has been called before, such as the start of a language: ",
                &about,
                ". Every timed call had a fresh one: if yours are called again and again, run with \
                 `state = \"kept\"` under [measure].",
            );
        }
    }
    evaluator_readings::add_notes(record, variants, &mut notes);
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
        let cores = record.environment.cores;
        on_the_race(&mut notes, outcome, &names, &record.cases, cores);
        if let Some(inputs) = outcome.drawn_inputs(&record.experiment) {
            notes.push(format!(
                "Timed on {} or more drawn inputs of each case: what is rarer than one in {} may not be among them.",
                numbers::count(inputs),
                numbers::count(inputs.div_ceil(3).max(2))
            ));
        }
    }
    notes.into_sentences()
}

/// Returns the note on the start of a variant's instance, if the start is a part of its time that counts.
fn start_note(
    state: &VariantState,
    name: &str,
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
        "{name}: of the {} that a call takes{of_case}, {} are its start: what a language does before the program \
         runs, data that lie scattered over memory, or tables that a first call makes. A later call on the same instance would take {}. Every timed \
         call has the start in it, as each has a fresh instance: if yours are called again and again, run with \
         `state = \"kept\"` under [measure].",
        time(start.call_ns),
        time(start.start_ns),
        time((start.call_ns - start.start_ns).max(0.0)),
    ))
}

/// The note on a race whose instances did not come from a pool.
const ONE_BY_ONE: &str = "There were no addresses for a pool of instances, so each call had one that was \
    made for it alone, and its time includes the page faults of new memory: programs that write more \
    memory look slower than they are. Raise the limit on addresses (`ulimit -v`).";

/// The note on allocators that variants bring, to follow their names.
const ALL_TIMED: &str = ". A call asks it for memory for each of its strings and lists, and what it does there shows in no \
                         clock of its own, so all of every variant's call is timed, what the host copies included: ratios \
                         are nearer to 1 than those of the functions, and a tie is one of whole calls.";

/// The note on programs, to follow their names.
const PROGRAMS: &str = ". Their time is the CPU time of their process from one answer to the next, reading and writing \
                        JSON included; the first call has their start-up. A program may keep what it likes between \
                        calls, knows the time, can tell timed calls from checked ones, and can leave marks that another \
                        one finds, as no component can: what is said of them holds for programs that do not cheat.";

/// The note on qualities where a variant can tell timed calls from others.
const UNTIMED_QUALITIES: &str = "Qualities are those of answers to other calls than the timed ones. Whoever keeps something from \
                                 call to call can tell these apart, and answer the first well and the others fast: what \
                                 is said of quality and time together holds for variants that do not cheat.";

/// The beginning of the sentence on inputs that are known beforehand.
pub(super) const CONSTANT_INPUTS: &str = "The same input from every seed: ";
/// The end of that sentence, behind the cases.
pub(super) const CONSTANT_INPUTS_ADVICE: &str = ". Whoever has the answers in a table is as quick as the table there, whatever work the question \
     is: let `generate` draw from its seed.";

/// Returns the cases on which the workload makes the same input from every seed, as the gates found.
fn constant_cases(record: &Record) -> BTreeSet<usize> {
    let gates = record.gates.iter().flat_map(|gate| &gate.value.cases);
    let constant = gates.filter(|checked| checked.constant_input);
    constant.map(|checked| checked.case).collect()
}

fn on_the_race(
    notes: &mut NoteList,
    outcome: &RaceOutcome,
    names: &HashMap<&str, String>,
    cases: &[CaseLabel],
    cores: u32,
) {
    let name = |variant: usize| shown(names, &outcome.variants[variant]);
    let of_case = |case: usize| match cases.get(case).filter(|_| cases.len() > 1) {
        Some(case) => format!(" of {case}"),
        None => String::new(),
    };
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
        notes.about("Too short to be timed: ", &name(variant), &after);
    }
    let pilot = outcome.raced.pilot.iter();
    for (variant, layouts) in pilot.flat_map(|pilot| pilot.layouts.iter().enumerate()) {
        if *layouts < LAYOUTS {
            let least = 100.0 * FEW_LAYOUTS;
            let places = match layouts {
                1 => "a single place".to_owned(),
                several => format!("{several} places"),
            };
            let about = format!(
                "Machine code in {places} instead of {LAYOUTS}, as there is much of it, or as it is a program's own: "
            );
            let after = format!(
                ". Where code lies can be worth some per cent in every process alike, so intervals are wider \
                 by {least} % at both ends, and no smaller difference is sure."
            );
            notes.about(&about, &name(variant), &after);
        }
    }
    if let (Some(sampling), Some(analysis)) = (sampling, &outcome.raced.analysis) {
        for &slow in &sampling.aside {
            let after = if is_told_apart(analysis, slow) {
                ": it ran in processes of its own beside the fastest of the others, after them."
            } else {
                ": it runs in processes of its own beside the fastest of the others, and the budget had no room \
                     for enough of them. Raise --budget, or leave it out."
            };
            notes.about("More than 10 × slower, and set aside: ", &name(slow), after);
        }
        for overrun in &analysis.settings.overruns {
            let after = format!(
                " took more than {} for a sample of calls{}, far longer than was predicted. It counts as that long, and {} ran in \
                 processes of its own from then on.",
                numbers::reading(overrun.wall_ns as f64, "ns"),
                of_case(overrun.case),
                name(overrun.variant),
            );
            notes.about("Once, ", &name(overrun.variant), &after);
        }
    }
    if let Some(Steadiness::Trending(trends)) = sampling.map(|sampling| &sampling.steadiness) {
        for trend in trends {
            notes.about(
                "No steady state: times of ",
                &name(trend.variant),
                " still change after the warm-up, so instances of that age are compared. Larger inputs make it matter less.",
            );
        }
    }
    if outcome.raced.pilot.as_ref().and_then(|pilot| pilot.pooled) == Some(false) {
        notes.push(ONE_BY_ONE.to_owned());
    }
    let replicas = &outcome.raced.replicas;
    for rare in rare_inputs(replicas) {
        let after = format!(
            " takes far longer in some calls{} than in most: a call takes {} in the mean, and half \
             of the samples less than {}.",
            of_case(rare.case),
            numbers::reading(rare.mean_ns, "ns"),
            numbers::reading(rare.median_ns, "ns")
        );
        notes.about("", &name(rare.variant), &after);
    }
    let used: BTreeSet<_> = replicas.iter().map(|one| one.surroundings.core).collect();
    let machine = Machine {
        cores,
        workers: used.len() as u32,
    };
    for disturbance in noise(replicas, machine) {
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

/// Returns true if a verdict tells the variant apart from another.
fn is_told_apart(analysis: &Analysis, variant: VariantIndex) -> bool {
    let mut pairs = analysis.overall.iter();
    pairs.any(|pair| (pair.a == variant || pair.b == variant) && pair.verdict != Verdict::NoCall)
}
