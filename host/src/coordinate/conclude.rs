//! From all that a run found out to its report.

use super::timing::Timed;
use super::{Candidate, Run, RunError, Workshop};
use crate::config::Policy;
use crate::engine::{self, Profile};
use crate::evaluate::{self, Subject};
use crate::events::{Event, Stage};
use crate::measure::{self, GateRecord, Hidden};
use crate::store::SafeId;
use bakeoff_domain::attempt;
use bakeoff_domain::measurement::Metric;
use bakeoff_domain::plan::Steadiness;
use bakeoff_domain::race::{Basis, Control, Factor, StopReason, analyse};
use bakeoff_domain::report::{
    self, CaseLabel, Cost, CriterionSummary, Ended, Environment, ExperimentSummary, Facts, Machine,
    Protocol, ReplicaTimes, Report, Status, Variant, VerdictRow, noise,
};
use bakeoff_domain::spec::{Experiment, State};
use bakeoff_domain::verdict::PairVerdict;
use std::collections::{BTreeMap, BTreeSet};

/// Where it is measured.
pub(super) fn environment(workshop: &Workshop, policy: &Policy) -> Environment {
    let uname = rustix::system::uname();
    Environment {
        engine: engine::fingerprint(Profile::Timed).unwrap_or_default(),
        compiler: workshop
            .tools
            .compiler
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned(),
        cpu: measure::cpu_model(),
        cores: std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32),
        system: format!(
            "{} {}",
            uname.sysname().to_string_lossy(),
            uname.release().to_string_lossy()
        ),
        confinement: workshop.tools.confinement.level().name().to_owned(),
        policy: policy.summary(),
        fences: workshop.tools.confinement.means().list(),
    }
}

/// What is known when nothing more is to be run. A report follows from it alone, so that a kept run
/// can be concluded again.
pub(super) struct Findings<'a> {
    /// What was asked, with every default filled in.
    pub(super) experiment: &'a Experiment,
    /// By case: what it is called.
    pub(super) cases: &'a [CaseLabel],
    /// What is timed follows from it.
    pub(super) seed: u64,
    pub(super) candidates: &'a [Candidate],
}

impl Run<'_> {
    pub(super) fn conclude(
        &mut self,
        id: String,
        environment: Environment,
        timed: Option<Timed>,
    ) -> Result<Report, RunError> {
        self.stage(Stage::Score, 1)?;
        let (cost, notes) = (self.cost(), std::mem::take(&mut self.notes));
        let findings = Findings {
            experiment: &self.loaded.experiment,
            cases: &self.workshop.cases,
            seed: self.workshop.setting.seed,
            candidates: &self.candidates,
        };
        let report = report::assemble(Facts {
            cost,
            ..findings.facts(id, environment, timed.as_ref(), notes)
        });
        for variant in &report.variants {
            self.store
                .files()
                .write_variant(&SafeId::new(&variant.id)?, variant)?;
        }
        self.tell(&report)?;
        self.stage_done(Stage::Score)?;
        Ok(report)
    }

    fn cost(&self) -> Cost {
        let alive = self
            .candidates
            .iter()
            .filter(|candidate| candidate.is_alive())
            .count();
        let sources = self
            .candidates
            .iter()
            .filter_map(|candidate| candidate.source());
        Cost {
            seconds: self.store.spent_seconds(),
            trials: self.trials,
            tokens: 0,
            usd: 0.0,
            workers: Vec::new(),
            success_rate: alive as f64 / self.candidates.len().max(1) as f64,
            files: sources.clone().count() as u64,
            source_lines: sources.map(|text| text.lines().count() as u64).sum(),
        }
    }

    fn tell(&mut self, report: &Report) -> Result<(), RunError> {
        let mut matrix = BTreeMap::new();
        for variant in &report.variants {
            let scores: BTreeMap<String, Option<f64>> = report
                .criteria
                .iter()
                .map(|criterion| {
                    (
                        criterion.name.clone(),
                        variant.scores.get(&criterion.name).map(|score| score.value),
                    )
                })
                .collect();
            matrix.insert(variant.id.clone(), scores.clone());
            self.store.emit(Event::ApproachComplete {
                approach_id: variant.id.clone(),
                scores,
            })?;
        }
        let top_approach = report.recommendation.winner.clone();
        self.store.emit(Event::EvaluationComplete {
            top_approach,
            comparison_matrix: matrix,
        })?;
        Ok(())
    }
}

impl Findings<'_> {
    /// All that a report is assembled from, except for what it cost.
    pub(super) fn facts(
        &self,
        id: String,
        environment: Environment,
        timed: Option<&Timed>,
        mut notes: Vec<String>,
    ) -> Facts {
        let experiment = self.experiment;
        let ids: Vec<String> = self
            .candidates
            .iter()
            .map(|candidate| candidate.id.clone())
            .collect();
        let cases = self.cases;
        let (overall, by_case, wall) = self.verdicts(timed);
        let rows = |pairs: &[PairVerdict]| -> Vec<VerdictRow> {
            pairs
                .iter()
                .filter_map(|pair| VerdictRow::named(pair, &ids, cases))
                .collect()
        };
        let mut verdicts = rows(&overall);
        for (row, pair) in verdicts.iter_mut().zip(&overall) {
            row.settle_seconds = settle_seconds(pair, timed);
        }
        verdicts.extend(rows(&by_case));
        notes.extend(self.remarks(timed, environment.cores));
        Facts {
            experiment: ExperimentSummary {
                id,
                name: experiment.name.clone(),
                problem: experiment.problem.clone(),
                seed: self.seed,
                check_seed: experiment.workload.seed.unwrap_or(self.seed),
                cases: cases.to_vec(),
            },
            environment,
            criteria: experiment
                .criteria
                .iter()
                .map(CriterionSummary::from)
                .collect(),
            variants: self.variants(timed),
            verdicts,
            wall_verdicts: rows(&wall),
            replicas: timed.map(|timed| replica_times(timed, &ids)),
            protocol: self.protocol(timed),
            options: experiment.report,
            cost: Cost::default(),
            notes,
        }
    }

    /// Verdicts between candidates: those of the race, and what follows for twins.
    fn verdicts(
        &self,
        timed: Option<&Timed>,
    ) -> (Vec<PairVerdict>, Vec<PairVerdict>, Vec<PairVerdict>) {
        let Some((timed, analysis)) =
            timed.and_then(|timed| Some((timed, timed.raced.analysis.as_ref()?)))
        else {
            return Default::default();
        };
        let mut settings = analysis.settings.clone();
        settings.metric = Metric::Wall;
        let wall = analyse(&settings, &timed.raced.replicas).overall;
        let named = |pairs: &[PairVerdict]| -> Vec<PairVerdict> {
            let candidates = |pair: &PairVerdict| PairVerdict {
                a: timed.racers[pair.a],
                b: timed.racers[pair.b],
                ..pair.clone()
            };
            self.with_twins(pairs.iter().map(candidates).collect())
        };
        (
            named(&analysis.overall),
            named(&analysis.by_case),
            named(&wall),
        )
    }

    /// The same component is the same: a twin ties with its like, and has all its verdicts.
    fn with_twins(&self, mut pairs: Vec<PairVerdict>) -> Vec<PairVerdict> {
        let likes = |twin: usize| self.candidates[twin].twin_of;
        for twin in (0..self.candidates.len()).filter(|index| likes(*index).is_some()) {
            let Some(like) = likes(twin).filter(|like| self.candidates[*like].is_alive()) else {
                continue;
            };
            let mut own: Vec<PairVerdict> = pairs
                .iter()
                .filter(|pair| pair.a == like || pair.b == like)
                .map(|pair| match pair.a == like {
                    true => PairVerdict {
                        a: twin,
                        ..pair.clone()
                    },
                    false => PairVerdict {
                        b: twin,
                        ..pair.clone()
                    },
                })
                .collect();
            own.push(PairVerdict {
                below_threshold: true,
                ..PairVerdict::identical(like, twin, None)
            });
            pairs.extend(own);
        }
        pairs
    }

    fn variants(&self, timed: Option<&Timed>) -> Vec<Variant> {
        let racer = |index: usize| {
            let like = self.candidates[index].twin_of.unwrap_or(index);
            timed.and_then(|timed| timed.racers.iter().position(|racer| *racer == like))
        };
        let variant = |(index, candidate): (usize, &Candidate)| {
            let subject = Subject {
                built: candidate.built.as_deref(),
                gate: candidate.gate.as_ref(),
                cases: self.cases,
                racer: racer(index),
                analysis: timed.and_then(|timed| timed.raced.analysis.as_ref()),
                replicas: timed.map_or(&[], |timed| timed.raced.replicas.as_slice()),
                settings: timed
                    .and_then(|timed| timed.raced.analysis.as_ref())
                    .map(|analysis| &analysis.settings),
            };
            let failure = candidate.failure.clone().or_else(|| {
                candidate
                    .twin_of
                    .and_then(|like| self.candidates[like].failure.clone())
            });
            Variant {
                id: candidate.id.clone(),
                name: candidate.name.clone(),
                approach: candidate.name.clone(),
                iteration: 1,
                parameters: BTreeMap::new(),
                status: Status::Unranked,
                rank: None,
                total: None,
                scores: BTreeMap::new(),
                readings: evaluate::readings(&subject),
                failure,
                pure: candidate
                    .gate
                    .as_ref()
                    .filter(|_| candidate.is_alive())
                    .map(GateRecord::is_pure),
                file: candidate.file.clone(),
                description: candidate.description.clone(),
                reason: None,
                growth: evaluate::growth(&subject),
                imports: candidate
                    .built
                    .as_ref()
                    .map(|built| built.imports.clone())
                    .unwrap_or_default(),
                attempts: candidate
                    .gate
                    .as_ref()
                    .map(|gate| gate.attempts.clone())
                    .unwrap_or_default(),
            }
        };
        self.candidates.iter().enumerate().map(variant).collect()
    }

    /// What a reader should know about how the numbers came about.
    fn remarks(&self, timed: Option<&Timed>, cores: u32) -> Vec<String> {
        let mut notes = Vec::new();
        for candidate in self.candidates {
            let attempts = candidate.gate.as_ref().map(|gate| &gate.attempts);
            let tried = attempts.and_then(|attempts| attempt::sentence(attempts));
            notes.extend(tried.map(|tried| format!("{} {tried}.", candidate.id)));
        }
        for candidate in self
            .candidates
            .iter()
            .filter(|candidate| candidate.is_alive())
        {
            if let Some(like) = candidate.twin_of {
                notes.push(format!(
                    "{} and {} are the same component byte for byte: they tie without being run.",
                    self.candidates[like].id, candidate.id
                ));
            }
            if let Some(hidden) = candidate.gate.as_ref().and_then(GateRecord::state) {
                notes.push(self.stateful(candidate, hidden));
            }
        }
        let Some(timed) = timed else { return notes };
        let id = |variant: usize| &self.candidates[timed.racers[variant]].id;
        for short in timed
            .raced
            .pilot
            .iter()
            .flat_map(|pilot| &pilot.sampling.too_short)
        {
            notes.push(format!(
                "Case {} is too short to time for anyone: a call of {} takes less than {:.0} µs. Put more work into one case.",
                self.cases[short.case], id(short.variant), short.call_ns_min / 1e3
            ));
        }
        let pilot = timed.raced.pilot.as_ref();
        if let Some(Steadiness::Trending(trends)) = pilot.map(|pilot| &pilot.sampling.steadiness) {
            let who: Vec<&str> = trends
                .iter()
                .map(|trend| id(trend.variant).as_str())
                .collect();
            notes.push(format!(
                "No steady state: times of {} still move after the warm-up, and what is compared is instances of that age. Larger inputs make it matter less.",
                who.join(", ")
            ));
        }
        if let Some(analysis) = &timed.raced.analysis {
            if analysis.settings.basis == Basis::Solo
                || matches!(analysis.control, Control::Differs { .. })
            {
                notes.push(
                    "What ran beside them changed the ranking, so only replicas that ran alone count: --workers 1 measures alone from the start.".to_owned(),
                );
            }
            for dependence in &analysis.dependences {
                let with = match dependence.factor {
                    Factor::Time => "time",
                    Factor::Load => "the machine's load",
                };
                notes.push(format!(
                    "The ratio of {} to {} moved with {with} while it was measured: run again later to see whether it stays where it is.",
                    id(dependence.a),
                    id(dependence.b)
                ));
            }
        }
        let replicas = timed.raced.replicas.iter();
        let used: BTreeSet<_> = replicas.map(|one| one.surroundings.core).collect();
        let machine = Machine {
            cores,
            workers: used.len() as u32,
        };
        notes.extend(noise(&timed.raced.replicas, machine));
        notes
    }

    fn stateful(&self, candidate: &Candidate, hidden: Hidden) -> String {
        let what = match hidden {
            Hidden::BetweenCalls => {
                "keeps state between calls: what a call costs depends on those before it"
            }
            Hidden::BeforeTheFirst => {
                "does work before its first call, in its start functions, that calls rest on"
            }
        };
        let timed = match self.experiment.measure.state {
            State::Kept => "Its instances were kept, as the experiment says",
            State::Pure => {
                "It was timed with a fresh instance for every call, and their start counts"
            }
        };
        format!("{} {what}. {timed}.", candidate.id)
    }

    fn protocol(&self, timed: Option<&Timed>) -> Protocol {
        let measure = self.experiment.measure;
        let analysis = timed.and_then(|timed| timed.raced.analysis.as_ref());
        Protocol {
            confidence: measure.confidence,
            practical: measure.practical,
            budget_seconds: measure.budget.as_secs_f64(),
            replicas: analysis.map_or(0, |analysis| analysis.replicas),
            ended: match timed.map(|timed| timed.raced.stop) {
                None | Some(StopReason::NothingToTime) => Ended::NotMeasured,
                Some(StopReason::Budget) => Ended::Budget,
                Some(StopReason::ReplicaLimit) => Ended::ReplicaLimit,
                Some(StopReason::Precision) => Ended::Precision,
                Some(_) => Ended::Settled,
            },
        }
    }
}

/// For a pair without a verdict, with about how many seconds of measuring in all there would be
/// one: what the replicas foretell, at their pace.
fn settle_seconds(pair: &PairVerdict, timed: Option<&Timed>) -> Option<f64> {
    if !pair.is_open() || pair.replicas == 0 {
        return None;
    }
    let raced = &timed?.raced;
    let settings = &raced.analysis.as_ref()?.settings;
    let forecast = pair.forecast(settings.threshold(), settings.practical_log());
    let ends = raced.replicas.iter().map(|replica| {
        let surroundings = &replica.surroundings;
        surroundings.started_s + surroundings.seconds
    });
    let spent = ends.fold(0.0, f64::max);
    Some(spent * f64::from(forecast.replicas) / f64::from(pair.replicas))
}

/// By replica and candidate: the mean over cases of the logarithm of its time.
fn replica_times(timed: &Timed, ids: &[String]) -> ReplicaTimes {
    let weights = timed
        .raced
        .analysis
        .as_ref()
        .map(|analysis| analysis.settings.weights())
        .unwrap_or_default();
    let row = |replica: &bakeoff_domain::measurement::Replica| {
        let mut row = vec![None; ids.len()];
        for (variant, candidate) in timed.racers.iter().enumerate() {
            row[*candidate] = evaluate::log_time(replica, variant, &weights);
        }
        row
    };
    ReplicaTimes {
        variants: ids.to_vec(),
        log_times: timed.raced.replicas.iter().map(row).collect(),
    }
}
