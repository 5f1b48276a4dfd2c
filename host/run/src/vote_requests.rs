//! The votes of a run: who gives opinions is asked once for each vote, when nothing is timed any more.

use super::error::RunError;
use super::judge::{JudgeQuestion, JudgedKind, JudgedNumber, JudgedSource, PendingVote};
use super::opinions::{approach_of, judged, key, place, source_of, sources};
use super::options::RunOptions;
use super::session::Run;
use super::variant_state::VariantState;
use bakeoff_config::LoadedExperiment;
use bakeoff_domain::plan::{RunSeed, round_order};
use bakeoff_domain::report::{JUDGED_SOURCES_MAX, OpinionVote};
use bakeoff_store::events::Event;
use bakeoff_store::{Key, Owner, ResultKind, Store};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::task::JoinSet;

/// The most bytes of all sources that are shown in one question.
const SOURCES_BYTES_MAX: usize = 256 << 10;

/// Asking for the votes of a run.
pub(super) struct VoteRequests<'a> {
    pub(super) loaded: &'a LoadedExperiment,
    pub(super) options: &'a RunOptions,
    pub(super) variants: &'a [VariantState],
    /// The seed of the run, from which the orders are drawn.
    pub(super) seed: RunSeed,
    pub(super) store: &'a mut Store,
}

impl Run<'_> {
    /// Asks for the votes that are not kept, if the user lets a model be asked.
    pub(super) async fn ask_judge(&mut self) -> Result<(), RunError> {
        let judging = VoteRequests {
            loaded: self.loaded,
            options: self.options,
            variants: &self.variants,
            seed: self.context.config.seed,
            store: &mut self.store,
        };
        judging.ask().await
    }
}

impl VoteRequests<'_> {
    /// Asks for the votes that are not kept, all at the same time, if the user lets a model be asked.
    pub(super) async fn ask(self) -> Result<(), RunError> {
        let experiment = &self.loaded.experiment;
        let Some(table) = &self.loaded.judge else {
            return Ok(());
        };
        let (identity, votes) = (table.identity(), table.votes);
        let addresses = sources(experiment, self.variants);
        if addresses.is_empty() {
            return Ok(());
        }
        let mut open: BTreeMap<(usize, u32), Key> = BTreeMap::new();
        for (index, criterion) in judged(experiment) {
            for vote in 1..=votes {
                let key = key(&identity, experiment, criterion, &addresses, vote);
                let owner = owner(index, vote);
                let kept: Option<OpinionVote> = self.store.get(ResultKind::Opinion, &key, owner)?;
                if kept.is_none_or(|kept| kept.failure.is_some()) {
                    open.insert((index, vote), key);
                }
            }
        }
        let Some(judge) = self.options.judge.clone() else {
            return Ok(());
        };
        let mut asked: JoinSet<((usize, u32), OpinionVote)> = JoinSet::new();
        let shown = self.shown_sources(&addresses);
        for place in open.keys().copied() {
            let vote: PendingVote = match &shown {
                Ok(sources) => Arc::clone(&judge).vote(self.question(place, sources)),
                Err(why) => Box::pin(std::future::ready(OpinionVote {
                    failure: Some(why.clone()),
                    ..OpinionVote::default()
                })),
            };
            asked.spawn(async move { (place, vote.await) });
        }
        loop {
            let next = tokio::select! {
                next = asked.join_next() => next,
                () = self.options.interrupt.raised() => return Err(RunError::Interrupted),
            };
            let Some(ended) = next else {
                return Ok(());
            };
            let ((index, number), vote) = ended.map_err(|error| {
                RunError::Machine(format!("a vote ended without a result: {error}"))
            })?;
            if let Some(why) = &vote.failure {
                let name = &experiment.criteria[index].name;
                let message = format!("{name}: no opinion in vote {number}: {why}");
                self.store.emit(Event::Warning { message })?;
            }
            let key = &open[&(index, number)];
            let owner = owner(index, number);
            self.store.put(ResultKind::Opinion, key, owner, &vote)?;
        }
    }

    /// Returns the sources with their texts.
    ///
    /// # Errors
    /// The reason why they cannot be shown: there are too many, or they are too long.
    fn shown_sources(&self, addresses: &[String]) -> Result<Vec<JudgedSource>, String> {
        let experiment = &self.loaded.experiment;
        if addresses.len() > JUDGED_SOURCES_MAX {
            return Err(format!(
                "there are {} different sources, and at most {JUDGED_SOURCES_MAX} are shown in a question",
                addresses.len()
            ));
        }
        let text = |address: &String| {
            let mut states = self.variants.iter();
            let state = states.find(|one| source_of(experiment, one) == Some(address))?;
            let words = approach_of(experiment, &state.variant)?.code.words();
            let text = words.or_else(|| state.code.as_ref()?.text())?;
            Some(JudgedSource {
                address: address.clone(),
                text: text.to_owned(),
            })
        };
        let shown: Option<Vec<JudgedSource>> = addresses.iter().map(text).collect();
        let shown = shown.ok_or("the text of a source is not known")?;
        let bytes: usize = shown.iter().map(|one| one.text.len()).sum();
        if bytes > SOURCES_BYTES_MAX {
            return Err(format!(
                "the sources have {bytes} bytes in all, and at most {SOURCES_BYTES_MAX} are shown in a question"
            ));
        }
        Ok(shown)
    }

    /// Returns the question of a vote. Its order is drawn from the seed of the run; every second vote has the opposite
    /// order of the one before, so that no source gains by its place.
    fn question(&self, (index, vote): (usize, u32), sources: &[JudgedSource]) -> JudgeQuestion {
        let experiment = &self.loaded.experiment;
        let criterion = &experiment.criteria[index];
        let secret = self.seed.secret();
        let round = place(index, vote.div_ceil(2));
        let mut order = round_order(&secret, "opinions", round, sources.len());
        if vote.is_multiple_of(2) {
            order.reverse();
        }
        JudgeQuestion {
            problem: experiment.problem.clone(),
            kind: if experiment.is_in_words() {
                JudgedKind::Texts
            } else {
                JudgedKind::Sources
            },
            criterion: index as u32 + 1,
            vote,
            question: (criterion.source.judged())
                .map(|one| one.question.clone())
                .unwrap_or_default(),
            number: JudgedNumber::of(criterion),
            sources: order.into_iter().map(|one| sources[one].clone()).collect(),
        }
    }
}

fn owner(criterion: usize, vote: u32) -> Owner<'static> {
    Owner {
        iteration: place(criterion, vote),
        ..Owner::RUN
    }
}
