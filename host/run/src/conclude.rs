//! The computation of a report from evidence. A run ends with it, and every later use of the run
//! repeats it.

use super::aggregations;
use super::cost::cost;
use super::evaluator_readings;
use super::evidence::{Evidence, RaceRecord, Record};
use super::instances;
use super::machine_verdicts;
use super::notes::notes;
use super::open_totals::open_totals;
use super::opinions;
use super::race_options::{claims_wall, replay};
use super::race_outcome::RaceOutcome;
use super::reading_verdicts::reading_verdicts;
use super::standing::{Standing, Step};
use super::summary::summary;
use super::unended_samples;
use super::variant_state::{Identity, VariantState, find};
use super::verdicts::{Verdicts, replica_times, verdicts};
use bakeoff_domain::failure::{Failure, FailureClass, Phase};
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::race::StopReason;
use bakeoff_domain::report::words::NoteList;
use bakeoff_domain::report::{
    self, CaseLabel, CriterionSummary, Facts, FailedCall, InWords, MeasuringEnd, Opinions,
    Protocol, Report, TooShortCase, VariantReport, VariantStatus,
};
use bakeoff_domain::spec::{Approach, AuthorWords, Experiment, Source};
use bakeoff_domain::variant::{Variant, VariantId};
use bakeoff_measure::evaluate::{self, VariantEvidence};
use bakeoff_measure::{GateRecord, Raced, StoredRace};
use bakeoff_store::StoredResult;
use std::collections::BTreeMap;

/// Returns the report that follows from evidence. Indexes in the evidence must be in range: in runs
/// of this store they are; any other evidence must be validated before.
///
/// # Errors
/// The evidence contradicts itself.
pub fn conclude(evidence: &Evidence) -> Result<Report, String> {
    let mut variants = states(&evidence.record);
    let notes = settle(&evidence.record, &mut variants)?;
    let ReportFacts {
        mut facts,
        outcome,
        opinions,
    } = facts(evidence, &mut variants, notes)?;
    set_end(&mut facts, &evidence.record.experiment, outcome.as_ref());
    unended_samples::unrank(&mut facts.variants, outcome.as_ref());
    let report = report::assemble(facts);
    let report = completed(report, &evidence.record, opinions);
    let report = match &evidence.natively {
        Some(natively) => natively.added_to(report),
        None => report,
    };
    machine_verdicts::added_to(report, &evidence.record, conclude)
}

/// The facts of a report, and what it has beside them.
pub(super) struct ReportFacts {
    pub(super) facts: Facts,
    /// The race, if there was one.
    pub(super) outcome: Option<RaceOutcome>,
    pub(super) opinions: Option<Opinions>,
}

/// Adds what no score follows from to a report.
pub(super) fn completed(mut report: Report, record: &Record, opinions: Option<Opinions>) -> Report {
    report.sections = aggregations::sections(record);
    report.generation.clone_from(&record.generation);
    report.rounds.clone_from(&record.rounds);
    report.opinions = opinions;
    report
}

/// Applies what is kept of the stages between the gates and the race, in their order. Returns notes of it.
pub(super) fn settle(
    record: &Record,
    variants: &mut [VariantState],
) -> Result<Vec<String>, String> {
    if record.experiment.is_in_words() {
        return Ok(Vec::new());
    }
    let check_seed = record.experiment.workload.seed;
    let check_seed =
        check_seed.map_or_else(|| record.race_seed(), |seed| Ok(RunSeed::Named(seed)))?;
    let ids: Vec<VariantId> = variants.iter().map(|state| state.id().clone()).collect();
    let id = |name: &str| ids.iter().find(|id| id.as_str() == name);
    let mut standing = standing(record, variants);
    let notes = standing.apply(Step::AllGated(check_seed)).notes;
    for evaluation in &record.evaluations {
        if let Some(id) = id(&evaluation.variant) {
            standing.apply(Step::Evaluated(id, &evaluation.value));
        }
    }
    let coarse = record.coarse.as_ref();
    standing.apply(Step::Screened(coarse));
    if let Some(coarse) = coarse {
        standing.apply(Step::RacedCoarsely(coarse));
    }
    for assessment in &record.assessments {
        if let Some(id) = id(&assessment.variant) {
            standing.apply(Step::Assessed(id, &assessment.value));
        }
    }
    standing.apply(Step::Prepared);
    Ok(notes)
}

/// Returns the standing of the variants of a kept run, to be gone on with.
fn standing<'a>(record: &'a Record, variants: &'a mut [VariantState]) -> Standing<'a> {
    Standing {
        experiment: &record.experiment,
        cases: &record.cases,
        oracle: record.oracle,
        variants,
        counted: None,
    }
}

/// Returns the facts of a report, with the race that they rest on and the opinions.
///
/// # Errors
/// The evidence contradicts itself.
pub(super) fn facts(
    evidence: &Evidence,
    variants: &mut [VariantState],
    mut all_notes: Vec<String>,
) -> Result<ReportFacts, String> {
    let record = &evidence.record;
    let cases = record.cases.as_slice();
    let outcome = outcome(variants, evidence, cases)?;
    let variants = &*variants;
    all_notes.extend(notes(record, variants, outcome.as_ref()));
    let claims_wall = claims_wall(&record.experiment);
    let opinions = opinions::of_record(record, variants);
    if let Some(opinions) = &opinions {
        let mut notes = NoteList::default();
        opinions::add_notes(opinions, variants, &mut notes);
        all_notes.extend(notes.into_sentences());
    }
    let Verdicts { by_time, by_wall } = verdicts(variants, cases, outcome.as_ref(), claims_wall);
    let reported = variants.iter().map(|state| {
        let about = (record, opinions.as_ref());
        variant_report(state, variants, about, outcome.as_ref())
    });
    let facts = Facts {
        experiment: summary(record, variants)?,
        environment: record.environment.clone(),
        criteria: record
            .experiment
            .criteria
            .iter()
            .map(CriterionSummary::from)
            .collect(),
        variants: reported.collect(),
        verdicts: by_time,
        wall_verdicts: by_wall,
        reading_verdicts: reading_verdicts(record, variants, outcome.as_ref()),
        replicas: outcome
            .as_ref()
            .map(|outcome| replica_times(outcome, variants)),
        protocol: protocol(&record.experiment, outcome.as_ref()),
        options: record.experiment.report,
        cost: cost((record, opinions.as_ref()), variants, outcome.as_ref()),
        notes: all_notes,
        stopped_in_search: record.stopped_in_search.clone(),
        author_words: author_words(&record.experiment.approaches),
        too_short: too_short(cases, outcome.as_ref()),
        in_words: in_words(record, opinions.as_ref()),
    };
    Ok(ReportFacts {
        facts,
        outcome,
        opinions,
    })
}

/// Returns what the report of a question in words has beside; `None` of an experiment.
fn in_words(record: &Record, opinions: Option<&Opinions>) -> Option<InWords> {
    let experiment = &record.experiment;
    let text = |variant: &Variant| {
        let words = opinions::approach_of(experiment, variant)?.code.words()?;
        Some((variant.id.as_str().to_owned(), words.to_owned()))
    };
    let asked = opinions.map_or(("", 0), |one| (one.model.as_str(), one.spent.calls));
    experiment.is_in_words().then(|| {
        let texts = record.variants.iter().filter_map(text);
        InWords::of(experiment, asked, texts.collect())
    })
}

/// Returns what the authors of approaches say of them, by approach.
fn author_words(approaches: &[Approach]) -> BTreeMap<String, AuthorWords> {
    let saying = approaches.iter().filter(|one| !one.words.is_empty());
    saying
        .map(|one| (one.name.clone(), one.words.clone()))
        .collect()
}

/// Returns the cases on which calls are too short to be timed, each with its shortest calls.
fn too_short(cases: &[CaseLabel], outcome: Option<&RaceOutcome>) -> Vec<TooShortCase> {
    let pilot = outcome.and_then(|outcome| Some((outcome, outcome.raced.pilot.as_ref()?)));
    let Some((outcome, pilot)) = pilot else {
        return Vec::new();
    };
    let sampling = &pilot.sampling;
    // Of a set of instances a note says how many are left out, and one stands for all.
    let most = match sampling.instances_per_block {
        Some(_) if sampling.calls.iter().any(|calls| *calls > 0) => 0,
        Some(_) => 1,
        None => cases.len(),
    };
    let on_case = |(index, case): (usize, &CaseLabel)| {
        let calls = pilot.sampling.too_short.iter();
        let is_timed = |variant| !pilot.sampling.untimed.contains(&variant);
        let calls = calls.filter(|short| short.case == index && is_timed(short.variant));
        let short = calls.min_by(|a, b| a.call_ns.total_cmp(&b.call_ns))?;
        Some(TooShortCase {
            case: case.clone(),
            variant: outcome.variants.get(short.variant)?.to_string(),
            call_ns: short.call_ns,
            call_ns_min: short.call_ns_min,
        })
    };
    let short = cases.iter().enumerate().filter_map(on_case);
    short.take(most).collect()
}

/// Returns the state of every variant after its build and gate.
pub(super) fn states(record: &Record) -> Vec<VariantState> {
    let in_words = record.experiment.is_in_words();
    let is_built = |id: &VariantId| in_words || record.build(id).is_some();
    let declared = record.variants.iter().cloned();
    let declared = declared.map(|variant| VariantState {
        failure: (!is_built(&variant.id)).then(not_built),
        ..VariantState::new(variant)
    });
    let mut variants: Vec<VariantState> = declared.collect();
    let mut standing = standing(record, &mut variants);
    for variant in &record.variants {
        let id = &variant.id;
        if let Some(build) = record.build(id) {
            standing.apply(Step::Built(id, &build.value));
        }
        if let Some(gate) = record.gate(id) {
            standing.apply(Step::Gated(id, &gate.value));
        }
    }
    for state in &mut variants {
        state.identity = record.gate(state.id()).and_then(identity);
    }
    variants
}

/// Returns the identity of a variant, as the key of its gate tells it.
fn identity(gate: &StoredResult<GateRecord>) -> Option<Identity> {
    Some(Identity {
        component: bakeoff_store::input(&gate.inputs, "component")?.to_owned(),
        files: bakeoff_store::input(&gate.inputs, "files")
            .filter(|files| *files != "none")
            .map(str::to_owned),
    })
}

/// Returns the failure of a variant that has no build record.
fn not_built() -> Failure {
    Failure {
        class: FailureClass::BuildFailed,
        message: "it was not built".to_owned(),
        phase: Phase::Build,
        limit: None,
    }
}

/// Returns the result of the race from its stored part, and sets the failures of variants that failed in it.
fn outcome(
    variants: &mut [VariantState],
    evidence: &Evidence,
    cases: &[CaseLabel],
) -> Result<Option<RaceOutcome>, String> {
    let Some(race) = &evidence.record.race else {
        return Ok(None);
    };
    let racing = variants.iter().filter(|state| state.races());
    let ids: Vec<VariantId> = racing.map(|state| state.id().clone()).collect();
    let kept = race.lists.variants.iter().map(String::as_str);
    if !kept.eq(ids.iter().map(VariantId::as_str)) {
        return Err("by what is kept of the gates, other variants would have raced".to_owned());
    }
    let Some(raced) = raced(race, evidence, cases, ids.len()) else {
        return Ok(None);
    };
    let mut standing = standing(&evidence.record, variants);
    for dropout in &raced.failed {
        standing.apply(Step::DroppedOut(&ids[dropout.variant], dropout));
    }
    Ok(Some(RaceOutcome {
        variants: ids,
        raced,
    }))
}

fn raced(
    race: &RaceRecord,
    evidence: &Evidence,
    cases: &[CaseLabel],
    variants: usize,
) -> Option<Raced> {
    let stored = StoredRace {
        pilot: race.pilot.clone(),
        replicas: evidence.replicas.clone(),
        dropped: race.dropouts.clone(),
        overruns: race.overruns.clone(),
        seconds: 0.0,
    };
    match &race.unpiloted {
        Some(unpiloted) if race.pilot.is_none() => Some(Raced::without_pilot(unpiloted.clone())),
        _ => replay(&evidence.record.experiment, cases, variants, stored),
    }
}

fn variant_report(
    state: &VariantState,
    variants: &[VariantState],
    (record, opinions): (&Record, Option<&Opinions>),
    outcome: Option<&RaceOutcome>,
) -> VariantReport {
    let cases = record.cases.as_slice();
    let set = instances::checked(record, variants);
    let assessment = record.assessment(state.id());
    let covered = record.coverage(state.id());
    // A duplicate has the times of the variant that it repeats.
    let timed_as = state.duplicate_of.as_ref().unwrap_or(state.id());
    let analysis = outcome.and_then(|outcome| outcome.raced.analysis.as_ref());
    let evidence = VariantEvidence {
        build: state.build.as_ref(),
        gate: state.gate.as_ref(),
        build_times_ns: &record.build_times_ns(state.id()),
        assessment: assessment.filter(|assessment| assessment.failure.is_none()),
        coverage: covered.and_then(|one| one.coverage.as_ref()),
        cases: if set.is_some() { &[] } else { cases },
        instances: set,
        racer: outcome.and_then(|outcome| outcome.index_of(timed_as)),
        analysis,
        replicas: outcome.map_or(&[], RaceOutcome::counted),
        settings: analysis.map(|analysis| &analysis.settings),
        is_program: record.program(&state.variant).is_some(),
    };
    let mut readings = evaluate::readings(&evidence);
    let mut missing_readings = BTreeMap::new();
    if let Some(unknown) = covered.filter(|one| one.coverage.is_none()) {
        missing_readings.insert(Source::Coverage.name(), unknown.why.clone());
    }
    if state.is_alive() {
        let evaluated = evaluator_readings::readings(record, state.id(), set);
        let judged = opinions::readings(record, opinions, state);
        for (name, reading) in evaluated.into_iter().chain(judged) {
            match reading {
                Ok(reading) => drop(readings.insert(name, reading)),
                Err(why) => drop(missing_readings.insert(name, why)),
            }
        }
    }
    let of_original = || {
        find(variants, state.duplicate_of.as_ref()?)?
            .failure
            .clone()
    };
    let gate = state.gate.as_ref();
    let imports = state.build.as_ref().and_then(|build| build.imports.clone());
    let variant = &state.variant;
    VariantReport {
        id: variant.id.clone().into(),
        name: variant.name.clone(),
        approach: variant.approach.clone(),
        iteration: variant.iteration.number,
        parameters: variant.parameters.clone(),
        status: VariantStatus::Unranked,
        rank: None,
        total: None,
        scores: BTreeMap::new(),
        readings,
        missing_readings,
        failure: state.failure.clone().or_else(of_original),
        failed_call: failed_call(state, variants, cases),
        pure: gate
            .filter(|_| state.is_alive())
            .map(|gate| !gate.gains_by_state()),
        file: variant.file.clone(),
        description: variant.description.clone(),
        reason: None,
        growth: evaluate::growth(&evidence),
        imports: imports.unwrap_or_default(),
        attempts: gate.map(|gate| gate.attempts.clone()).unwrap_or_default(),
        screening: state.screening,
    }
}

/// Returns the call that failed, of a variant or of the one that it duplicates.
fn failed_call(
    state: &VariantState,
    variants: &[VariantState],
    cases: &[CaseLabel],
) -> Option<FailedCall> {
    let original = state
        .duplicate_of
        .as_ref()
        .and_then(|id| find(variants, id));
    let call = state.failed_call.or_else(|| original?.failed_call);
    let (case, seed) = call?;
    Some(FailedCall {
        case: cases.get(case)?.clone(),
        seed,
    })
}

/// Sets why a race ended whose verdicts by time are settled, while totals are open that more times would settle: it went
/// on until there was no room for another replica.
fn set_end(facts: &mut Facts, experiment: &Experiment, outcome: Option<&RaceOutcome>) {
    let analysed = outcome.and_then(|outcome| Some((outcome, outcome.raced.analysis.as_ref()?)));
    let Some((outcome, analysis)) = analysed else {
        return;
    };
    let race = (outcome.variants.as_slice(), analysis);
    if facts.protocol.ended == MeasuringEnd::Settled
        && !open_totals(experiment, facts.clone(), race).is_empty()
    {
        facts.protocol.ended = if analysis.replicas >= experiment.measure.replicas_max {
            MeasuringEnd::ReplicaLimit
        } else {
            MeasuringEnd::Budget
        };
    }
}

fn protocol(experiment: &Experiment, outcome: Option<&RaceOutcome>) -> Protocol {
    let measure = experiment.measure;
    let analysis = outcome.and_then(|outcome| outcome.raced.analysis.as_ref());
    Protocol {
        confidence: measure.confidence,
        practical: measure.practical,
        budget_seconds: measure.budget.as_secs_f64(),
        replicas: analysis.map_or(0, |analysis| analysis.replicas),
        replicas_max: Some(measure.replicas_max),
        ended: match outcome.map(|outcome| outcome.raced.stop) {
            None | Some(StopReason::NothingToTime) => MeasuringEnd::NotMeasured,
            Some(StopReason::Budget) => MeasuringEnd::Budget,
            Some(StopReason::ReplicaLimit) => MeasuringEnd::ReplicaLimit,
            Some(StopReason::Precision) => MeasuringEnd::Precision,
            Some(_) => MeasuringEnd::Settled,
        },
        inputs: outcome.and_then(|outcome| outcome.drawn_inputs(experiment)),
        all_timed: outcome
            .and_then(|outcome| outcome.raced.pilot.as_ref())
            .is_some_and(|pilot| pilot.all_timed),
    }
}
