//! Candidates of a round that others name: a model, or a proposer.

use super::archive::Archive;
use super::candidate::{NamedCandidates, NewCandidate, Program};
use super::error::SearchError;
use super::round_candidates::{Material, RoundPlan};
use super::told_knowledge;
use bakeoff_config::{LoadedExperiment, Propose, Wish};
use bakeoff_propose::{Improver, RoundProposer, SearchLessons};
use bakeoff_run::{Interrupt, RunError};

/// A round whose candidates others are asked for.
pub(crate) struct OpenRound<'a> {
    /// The number of the round.
    pub(crate) round: u32,
    pub(crate) plan: &'a RoundPlan<'a>,
    pub(crate) archive: &'a Archive,
    pub(crate) loaded: &'a LoadedExperiment,
    pub(crate) material: &'a Material,
    pub(crate) model: Option<&'a Improver>,
    pub(crate) proposer: Option<&'a RoundProposer>,
    pub(crate) interrupt: &'a Interrupt,
}

impl OpenRound<'_> {
    /// Has a model name its share of the round, if it is a way of the search.
    pub(crate) async fn ask_model(
        &self,
        say: &mut (dyn FnMut(&str) + Send),
    ) -> Result<NamedCandidates, SearchError> {
        let is_way = self.plan.ways.contains(&Propose::Model);
        let Some(model) = self.model.filter(|_| is_way) else {
            return Ok(NamedCandidates::default());
        };
        let (archive, options) = (self.archive, self.plan.options);
        let source = |program: &Program| self.material.source(program);
        let Some((parent, mut learnt)) = told_knowledge::learnt(archive, options.count, source)
        else {
            return Ok(NamedCandidates::default());
        };
        learnt.round = self.round;
        learnt.wishes = if self.plan.is_anew {
            vec![Wish::New]
        } else {
            options.mix.clone()
        };
        let mut named = self.improved(model, parent, &learnt, say).await?;
        let first = told_knowledge::first_try(archive, &learnt, source);
        let is_wanted = options.control && named.silent.is_none();
        if let Some((parent, learnt)) = first.filter(|_| is_wanted) {
            let tries = self.improved(model, parent, &learnt, say).await?;
            named.made.extend(tries.made);
            named.silent = tries.silent;
        }
        Ok(named)
    }

    /// Has a model write its share of candidates, of which this one is the parent.
    async fn improved(
        &self,
        model: &Improver,
        parent: usize,
        learnt: &SearchLessons,
        say: &mut (dyn FnMut(&str) + Send),
    ) -> Result<NamedCandidates, SearchError> {
        let round = learnt.round;
        let share = self.plan.share();
        let kind = if learnt.is_first_try {
            " first tries, told nothing of the search"
        } else {
            ""
        };
        say(&format!(
            "round {round}: asking {} for {share}{kind}",
            model.name()
        ));
        let improved = tokio::select! {
            improved = model.improve(learnt, share) => improved?,
            () = self.interrupt.raised() => return Err(RunError::Interrupted.into()),
        };
        for reason in &improved.failed {
            say(&format!("round {round}: one was not written: {reason}"));
        }
        let program = &self.archive.candidates[parent].program;
        let made = improved.made.into_iter().map(|one| NewCandidate {
            parent,
            by: "model".into(),
            change: one.change,
            wish: Some(one.wish.name().to_owned()),
            program: Program {
                source: Some(one.source.into()),
                ..program.clone()
            },
            control: learnt.is_first_try,
        });
        let silent = improved
            .ended
            .map(|error| format!("the model gives no more answers ({error})"));
        let nothing = improved.failed.first();
        let nothing = nothing.map(|reason| format!("no reply of the model can be used ({reason})"));
        Ok(NamedCandidates {
            made: made.collect(),
            silent,
            nothing,
        })
    }

    /// Has a proposer name its share of the round, if it is a way of the search.
    pub(crate) async fn ask_proposer(
        &self,
        say: &mut (dyn FnMut(&str) + Send),
    ) -> Result<NamedCandidates, SearchError> {
        let is_way = self.plan.ways.contains(&Propose::Component);
        let archive = self.archive;
        let Some(proposer) = self.proposer.filter(|_| is_way) else {
            return Ok(NamedCandidates::default());
        };
        let known = told_knowledge::programs(archive, self.loaded);
        let results = told_knowledge::results(archive);
        let share = self.plan.share();
        let asking = proposer.propose(known, results, share);
        let answer = tokio::select! {
            answer = asking => answer?,
            () = self.interrupt.raised() => return Err(RunError::Interrupted.into()),
        };
        let programs = match answer {
            Ok(programs) => programs,
            Err(why) => {
                let round = self.round;
                let nothing = format!("the proposer names nothing ({why})");
                say(&format!("round {round}: {nothing}"));
                return Ok(NamedCandidates {
                    nothing: Some(nothing),
                    ..NamedCandidates::default()
                });
            }
        };
        for why in &programs.refused {
            say(&format!(
                "round {}: one proposal cannot be tried: {why}",
                self.round
            ));
        }
        let nothing = programs.refused.first();
        let nothing = nothing.map(|why| format!("no proposal can be tried ({why})"));
        let made = programs.usable.into_iter().filter_map(|one| {
            let named = (one.source.as_str(), one.values);
            let (parent, program) = told_knowledge::descent(archive, self.loaded, named)?;
            Some(NewCandidate {
                parent,
                by: "component".into(),
                change: one.change,
                wish: None,
                program,
                control: false,
            })
        });
        Ok(NamedCandidates {
            made: made.collect(),
            silent: None,
            nothing,
        })
    }
}
