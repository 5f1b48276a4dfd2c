//! The rounds of a search, one after the other, each kept when it is over.

use super::archive::{Archive, short};
use super::basis::{code_of, heaviest, identity, search_folder, sources, with_sources};
use super::candidate::{Candidate, NamedCandidates, Program};
use super::error::SearchError;
use super::experiments::{experiment_of, first_program};
use super::function_fuel;
use super::journal::{Journal, JournalPlace, SOURCE_BYTES_MAX};
use super::niches::Niching;
use super::open_round::OpenRound;
use super::request::{FinishedSearch, SearchRequest, open_proposer};
use super::round_candidates::{Material, RoundPlan, searches_values, wanted_ways};
use super::summary;
use bakeoff_config::{Allocate, LoadedExperiment, Propose};
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::report::{self, ModelCost, RoundTook};
use bakeoff_propose::{Improver, RoundProposer};
use bakeoff_run::{LookOptions, Looked, RunError, RunOptions, asks_for_time, draw_seed, look};
use bakeoff_source::RunFiles;
use bakeoff_store::{Mode, Start};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// A search in progress.
struct Searching<'a> {
    request: &'a SearchRequest<'a>,
    /// The proposer that names candidates, if one is a way of the search.
    proposer: Option<RoundProposer>,
    /// The experiment, with the sources of its approaches as they were when the search began: whatever is written to
    /// their files meanwhile, the race is of the same programs.
    loaded: LoadedExperiment,
    ways: Vec<Propose>,
    inputs: RunSeed,
    material: Material,
    place: JournalPlace,
    /// Cost of the questions to the model when this session began, and that of the search in earlier ones.
    opened_at: ModelCost,
    cost_before: Option<ModelCost>,
    journal: Journal,
}

/// Searches in rounds, or goes on with a search that was stopped. Progress goes to `say`.
///
/// # Errors
/// See [`SearchError`]. Rounds that are over by then stay where they are.
pub async fn search(
    request: &SearchRequest<'_>,
    say: &mut (dyn FnMut(&str) + Send),
) -> Result<FinishedSearch, SearchError> {
    // No other search or run goes on there meanwhile.
    let held = request.results.open(Mode::Write)?;
    let proposer = open_proposer(request, say).await?;
    let mut searching = Searching::open(request, proposer, say)?;
    let ended = searching.go(say).await?;
    drop(held);
    Ok(searching.over(ended))
}

/// Returns one sight of each candidate: of an approach whose values are not searched the best combination.
fn best_of_each(seen: impl Iterator<Item = (usize, Looked)>) -> Vec<(usize, Looked)> {
    let mut best: BTreeMap<usize, Looked> = BTreeMap::new();
    for (index, one) in seen {
        let place = |one: &Looked| one.place.unwrap_or(u32::MAX);
        if best
            .get(&index)
            .is_none_or(|known| place(&one) < place(known))
        {
            best.insert(index, one);
        }
    }
    best.into_iter().collect()
}

impl<'a> Searching<'a> {
    fn open(
        request: &'a SearchRequest<'a>,
        proposer: Option<RoundProposer>,
        say: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Self, SearchError> {
        let loaded = request.loaded;
        let ways = wanted_ways(loaded, &request.options)?;
        if ways.contains(&Propose::Model) && request.model.is_none() {
            return Err(SearchError::Nothing(
                "`propose` names \"model\", which is not asked without leave: give --generate, with [generate] in the \
                 experiment, or remove the word"
                    .to_owned(),
            ));
        }
        let files = RunFiles::read(loaded, &request.host.vendored())?;
        let named = proposer.as_ref();
        let named = named.map_or("", RoundProposer::content_address);
        let identity = identity(loaded, &files, &ways, &request.options, named);
        let mode = match request.start {
            Start::Resume => Mode::Write,
            Start::Fresh => Mode::SetAside,
        };
        // It makes the folder, and sets aside what is there if that is wanted.
        let folder = search_folder(&request.results);
        drop(folder.open(mode)?);
        let place = JournalPlace::of(folder.open_folder()?);
        let code = code_of(&loaded.experiment.approaches, &files);
        let mut kept = match request.start {
            Start::Resume => place.read(&identity, say)?,
            Start::Fresh => {
                place.set_known_aside("another was asked for", say)?;
                None
            }
        };
        if kept.as_ref().is_some_and(|one| one.has_other_code(&code)) {
            place.set_aside("an approach that it began with has changed or is gone", say)?;
            kept = None;
        }
        let mut journal = match kept {
            Some(journal) => journal,
            None => Journal {
                identity,
                inputs: draw_seed()?.to_string(),
                cost_base: request.model.as_ref().map(Improver::cost),
                ..Journal::default()
            },
        };
        journal.code = code;
        journal.archive.by = heaviest(&loaded.experiment);
        journal.archive.niching = Niching::of(&request.options);
        let inputs = journal.inputs.parse().or_else(|_| draw_seed())?;
        let by_values = searches_values(&ways);
        let approaches = loaded.experiment.approaches.iter();
        let searched = approaches
            .clone()
            .filter(|one| by_values && !one.sweep.is_empty());
        let parameters = searched.map(|one| (one.name.clone(), one.sweep.clone()));
        let material = Material::new(
            parameters.collect(),
            sources(approaches.as_slice(), &files, by_values),
        );
        journal.archive.sources.clone_from(&material.sources);
        Ok(Self {
            request,
            proposer,
            loaded: with_sources(loaded, &files),
            ways,
            inputs,
            material,
            place,
            opened_at: (request.model.as_ref()).map_or_else(ModelCost::default, Improver::cost),
            cost_before: journal.cost,
            journal,
        })
    }

    /// Makes rounds until there is a reason to end, and returns it.
    async fn go(&mut self, say: &mut (dyn FnMut(&str) + Send)) -> Result<String, SearchError> {
        let mut joining = self.joining()?;
        if self.journal.archive.reference.is_none() {
            self.round((&joining, Vec::new(), None), Instant::now(), say)
                .await?;
            joining.clear();
        }
        let until = self.more_until(say);
        self.journal.more_until = until;
        loop {
            if self.journal.archive.elites.is_empty() {
                return Ok("no approach that it began with passed its checks".to_owned());
            }
            if let Some(reason) = self.reason_to_end(until) {
                // Whoever asks for more after that asks for others.
                if self.journal.more_until.take().is_some() {
                    self.place.write(&self.journal)?;
                }
                return Ok(reason);
            }
            let started = Instant::now();
            self.count_fuel(say).await?;
            let (archive, request) = (&self.journal.archive, self.request);
            let round = archive.rounds + 1;
            let plan = RoundPlan::of(archive, &self.ways, &request.options);
            let asking = self.asking(round, &plan, archive);
            let mut named = self.journal.ahead.clone();
            if named == NamedCandidates::default() {
                named = asking.ask_model(say).await?;
            }
            let silent = named.silent.take();
            let proposed = asking.ask_proposer(say).await?;
            named.made.extend(proposed.made);
            let known = (!named.made.is_empty())
                .then(|| "all that was named for it had been tried before".to_owned());
            let nothing = silent.clone().or(named.nothing).or(proposed.nothing);
            let nothing = nothing.or(known);
            let made = (self.material)
                .make(archive, &plan, &request.host, named.made)
                .await?;
            if made.is_empty() {
                return Ok(
                    nothing.unwrap_or_else(|| "the ways had nothing further to try".to_owned())
                );
            }
            // What is asked ahead of this round knows nothing of it.
            let known = self.asks_ahead(silent.as_ref(), until);
            let known = known.then(|| self.journal.archive.clone());
            joining.extend(self.journal.archive.add_to_islands(round, made));
            let new = std::mem::take(&mut joining);
            let ahead = known.as_ref();
            self.round((&new, self.looked_again(), ahead), started, say)
                .await?;
            if let Some(reason) = silent {
                return Ok(reason);
            }
        }
    }

    /// Finds out where the fuel of the best goes, if somebody is asked who is told that. It is kept when the round is over.
    async fn count_fuel(&mut self, say: &mut (dyn FnMut(&str) + Send)) -> Result<(), SearchError> {
        let made_from = (&self.loaded, &self.material, &self.journal.archive);
        let counted = function_fuel::count(self.request, &self.ways, made_from, say).await?;
        for (index, fuel) in counted {
            self.journal.archive.candidates[index].fuel_by_function = Some(fuel);
        }
        Ok(())
    }

    /// Returns true if a model is to be asked for the next round while this one is looked at.
    fn asks_ahead(&self, silent: Option<&String>, until: Option<u32>) -> bool {
        let options = &self.request.options;
        let last = until.unwrap_or(options.count);
        let is_way = self.ways.contains(&Propose::Model);
        options.ahead && is_way && silent.is_none() && self.journal.archive.rounds + 1 < last
    }

    fn asking<'b>(
        &'b self,
        round: u32,
        plan: &'b RoundPlan<'b>,
        archive: &'b Archive,
    ) -> OpenRound<'b> {
        OpenRound {
            round,
            plan,
            archive,
            loaded: &self.loaded,
            material: &self.material,
            model: self.request.model.as_ref(),
            proposer: self.proposer.as_ref(),
            interrupt: &self.request.interrupt,
        }
    }

    /// Returns the cost of questions to the model, those of earlier sessions included.
    fn cost(&self) -> ModelCost {
        let now = self.request.model.as_ref().map(Improver::cost);
        let Some(now) = now else {
            return self.journal.cost.unwrap_or_default();
        };
        // A record of replies has what earlier sessions paid for, and calls that were under way when one was killed. A replay
        // has none.
        let since_begin = now.minus(&self.journal.cost_base.unwrap_or_default());
        let session = now.minus(&self.opened_at);
        let of_all = match &self.cost_before {
            Some(before) => before.plus(&session),
            None => session,
        };
        if since_begin.calls >= of_all.calls {
            since_begin
        } else {
            of_all
        }
    }

    /// Adds the approaches of the experiment that the search does not know yet, and returns their indexes.
    fn joining(&mut self) -> Result<Vec<usize>, SearchError> {
        let archive = &mut self.journal.archive;
        let find = |name: &str| archive.candidates.iter().find(|one| one.name == name);
        let mut new: Vec<(String, Program)> = Vec::new();
        for one in &self.request.loaded.experiment.approaches {
            match find(&one.name) {
                None => {
                    let is_searched = self.material.parameters.contains_key(&one.name);
                    new.push((one.name.clone(), first_program(one, is_searched)));
                }
                Some(known) if known.round == 0 => {}
                Some(_) => {
                    return Err(SearchError::Nothing(format!(
                        "the approach \"{}\" has the name of a candidate of the search: give it another, or begin anew \
                         with --fresh",
                        one.name
                    )));
                }
            }
        }
        Ok(archive.begin_with(new))
    }

    /// Returns the indexes of those that are looked at beside the new ones: the best so far, and the reference.
    fn looked_again(&self) -> Vec<usize> {
        let archive = &self.journal.archive;
        let mut again = archive.elites.clone();
        again.extend(archive.reference.iter().chain(&archive.drawn));
        again.extend(archive.islands.iter().flatten());
        let mut known = BTreeSet::new();
        again.retain(|index| known.insert(*index));
        again
    }

    /// Looks at new candidates beside others, takes in what is seen, and keeps it. They have been in the making since
    /// `begun`. A model is asked meanwhile for those of the next round, of which `ahead` is what it is told from.
    async fn round(
        &mut self,
        (new, again, ahead): (&[usize], Vec<usize>, Option<&Archive>),
        begun: Instant,
        say: &mut (dyn FnMut(&str) + Send),
    ) -> Result<(), SearchError> {
        // Those that are known come first: where nothing tells two apart, the earlier one stays ahead.
        let in_cells = if again.is_empty() {
            Vec::new()
        } else {
            self.journal.archive.in_cells_beside(&again)
        };
        let indexes = again.iter().chain(&in_cells).chain(new);
        let indexes: Vec<usize> = indexes.copied().collect();
        let candidates: Vec<&Candidate> = (indexes.iter())
            .map(|index| &self.journal.archive.candidates[*index])
            .collect();
        let experiment = experiment_of(&self.loaded, &candidates);
        let names: BTreeMap<String, usize> = (candidates.iter().map(|one| one.name.clone()))
            .zip(indexes.iter().copied())
            .collect();
        let timed = match self.request.options.allocate {
            Allocate::Racing => &again,
            Allocate::Equal => &indexes,
        };
        let timed = (timed.iter())
            .map(|index| self.journal.archive.candidates[*index].name.clone())
            .collect();
        let making = begun.elapsed();
        let wanted = LookOptions {
            timed: &timed,
            shared: self.request.model.as_ref().map(Improver::cores),
        };
        let options = self.options();
        let looking = look(&experiment, &options, wanted, say, |_| {});
        let mut told = Vec::new();
        let asking = async {
            let Some(archive) = ahead else {
                return Ok(NamedCandidates::default());
            };
            let plan = RoundPlan::of(archive, &self.ways, &self.request.options);
            let asking = self.asking(archive.rounds + 2, &plan, archive);
            asking
                .ask_model(&mut |text| told.push(text.to_owned()))
                .await
        };
        let looking = async { Ok(looking.await?) };
        let (look, named) = tokio::try_join!(looking, asking)?;
        told.iter().for_each(|text| say(text));
        self.journal.ahead = named;
        let seen = look.candidates.into_iter();
        let seen = seen.filter_map(|one| Some((*names.get(&one.approach)?, one)));
        let seen = best_of_each(seen);
        let archive = &mut self.journal.archive;
        archive.take_in(&seen, new, self.request.options.parents as usize);
        let is_first = again.is_empty();
        if !is_first {
            archive.rounds += 1;
            archive.migrate(self.request.options.parents as usize);
        }
        let mut took = RoundTook {
            round: archive.rounds,
            making_seconds: making.as_secs_f64(),
            checking_seconds: look.checking.as_secs_f64(),
            timing_seconds: look.timing.as_secs_f64(),
            cost: ModelCost::default(),
            best: summary::best_then(archive),
        };
        if self.request.model.is_some() {
            let cost = self.cost();
            took.cost = cost.minus(&self.journal.cost.unwrap_or_default());
            self.journal.cost = Some(cost);
        }
        self.journal.took.push(took);
        self.place.write(&self.journal)?;
        if !is_first {
            let asks_for_time = asks_for_time(&self.loaded.experiment);
            say(&summary::of_round(
                &self.journal.archive,
                new,
                asks_for_time,
            ));
        }
        if self.request.interrupt.is_raised() {
            return Err(RunError::Interrupted.into());
        }
        Ok(())
    }

    fn options(&self) -> RunOptions {
        let folder = search_folder(&self.request.results);
        RunOptions {
            seed: Some(self.inputs),
            resume: self.request.resume.clone(),
            interrupt: self.request.interrupt.clone(),
            ..RunOptions::new(folder, Start::Resume, self.request.host.clone())
        }
    }

    /// Returns the number of rounds that are to be over when as many more as were asked for are made; those that were asked
    /// for in a session that was stopped are not added to.
    fn more_until(&self, say: &mut (dyn FnMut(&str) + Send)) -> Option<u32> {
        let more = self.request.more?;
        let rounds = self.journal.archive.rounds;
        match self.journal.more_until.filter(|until| *until > rounds) {
            Some(until) => {
                say(&format!(
                    "going on with the rounds that were asked for before: {} more",
                    until - rounds
                ));
                Some(until)
            }
            None => Some(rounds.saturating_add(more)),
        }
    }

    /// Returns the reason to make no further round, if there is one; `until` is the number of rounds that somebody asked
    /// for beyond those that the experiment wants.
    fn reason_to_end(&self, until: Option<u32>) -> Option<String> {
        let (archive, options) = (&self.journal.archive, &self.request.options);
        let rounds = archive.rounds;
        if archive.source_bytes() > SOURCE_BYTES_MAX {
            return Some("its record has as many sources as it can have".to_owned());
        }
        if let Some(until) = until {
            return (rounds >= until)
                .then(|| "as many more were made as were asked for".to_owned());
        }
        let best = archive.best().filter(|_| options.until_gates);
        if let Some(best) = best.filter(|best| best.outcome == super::CandidateOutcome::Passed) {
            return Some(match best.round {
                0 => format!("the approach {} passes every gate already", best.name),
                _ => format!("{} passes every gate", best.name),
            });
        }
        if rounds >= options.count {
            return Some("as many were made as were asked for".to_owned());
        }
        if rounds > 0 && archive.without_new >= options.patience {
            return Some(format!(
                "{} in a row found nothing better",
                options.patience
            ));
        }
        let left = options.time?.as_secs_f64() - self.journal.seconds();
        (left < self.journal.last_seconds().max(f64::MIN_POSITIVE))
            .then(|| "another would not end within the time for all".to_owned())
    }

    /// Returns the experiment that races, and what the report says of the rounds.
    fn over(self, ended: String) -> FinishedSearch {
        let archive = &self.journal.archive;
        let begun = archive.candidates.iter().filter(|one| one.round == 0);
        let model = self.request.model.as_ref();
        let cost = self.cost();
        let finalists = summary::finalists(archive, &self.request.options);
        let racing: Vec<&Candidate> = begun
            .chain(finalists.iter().map(|index| &archive.candidates[*index]))
            .collect();
        FinishedSearch {
            inputs: self.inputs,
            experiment: experiment_of(&self.loaded, &racing),
            rounds: report::Rounds {
                prompts: model.map_or_else(Vec::new, Improver::prompts),
                model: model.map(Improver::name).unwrap_or_default(),
                cost,
                ..summary::rounds(
                    archive,
                    &finalists,
                    (short(&ended), &self.journal.took, self.request.options.seed),
                )
            },
        }
    }
}
