//! The candidates of a round: each way makes its share, and those that can make more fill the rest.

use super::archive::Archive;
use super::candidate::{MadeOnIsland, NewCandidate, Program};
use super::error::SearchError;
use super::populations::Population;
use super::random::Random;
use super::ways::{self, SearchKnowledge};
use bakeoff_compile::{Mutation, small_changes};
use bakeoff_config::{AfterFailure, CELL_SOURCES, LoadedExperiment, Propose, RoundsTable, Select};
use bakeoff_domain::language::Language;
use bakeoff_domain::spec::{Approach, Experiment, Parameter};
use bakeoff_run::{HostOptions, RunError};
use bakeoff_source::language_of;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Returns the ways of a search, if everything that its options ask for is there.
///
/// # Errors
/// The experiment has nothing that a way could change, or an option asks for something that it does not have.
pub fn wanted_ways(
    loaded: &LoadedExperiment,
    options: &RoundsTable,
) -> Result<Vec<Propose>, SearchError> {
    let ways = ways_of(&loaded.experiment, options)?;
    let mut criteria = loaded.experiment.criteria.iter();
    let is_gated = criteria.any(|one| one.gate.is_some());
    let asks_model = ways.contains(&Propose::Model);
    let missing = if options.until_gates && !is_gated {
        "the search is to end when every gate is passed (`until = \"gates\"`), and no criterion has a `gate`: give one \
         its `gate`, or remove the line"
    } else if options.select == Select::Passing && !is_gated {
        "only those that pass every gate are to race (`select = \"passing\"`), and no criterion has a `gate`: give one its \
         `gate`, or remove the line"
    } else if asks_model && loaded.generate.is_none() {
        "`propose` names \"model\", and there is no [generate] that says which: add it, or remove the word"
    } else if !asks_model && options.mix != RoundsTable::default().mix {
        "`mix` says what a model is asked for, and `propose` does not name \"model\": add the word, or remove `mix`"
    } else if !asks_model && options.ahead {
        "`ahead` asks a model for the next round, and `propose` does not name \"model\": add the word, or remove `ahead`"
    } else if options.islands > 1 && !ways.iter().any(|way| way.has_parents()) {
        "islands make candidates of their own best, which `propose` has no way for: add \"climb\", \"evolve\" or \
         \"mutate\", or remove `islands`"
    } else {
        return unread_axis(&loaded.experiment, options).map_or(Ok(ways), Err);
    };
    Err(SearchError::Nothing(missing.to_owned()))
}

/// Returns the error about a reading of `cells` that nobody gives, if there is one.
fn unread_axis(experiment: &Experiment, options: &RoundsTable) -> Option<SearchError> {
    let is_read = |by: &str| {
        let mut criteria = experiment.criteria.iter();
        CELL_SOURCES.contains(&by) || criteria.any(|one| one.source.name() == by)
    };
    let axis = options.cells.iter().find(|axis| !is_read(&axis.by))?;
    Some(SearchError::Nothing(format!(
        "`cells` go by \"{0}\", and no criterion is from it, so nobody reads it: add a criterion with `from = \"{0}\"`, with \
         `weight = 0` if it is to decide nothing, or remove it from `cells`",
        axis.by
    )))
}

/// Returns the ways of a search: those that are named, or else climbing where an approach has parameters, and changes of
/// sources where none has.
///
/// # Errors
/// The experiment has nothing that a way could change.
fn ways_of(experiment: &Experiment, options: &RoundsTable) -> Result<Vec<Propose>, SearchError> {
    let is_swept = |one: &Approach| !one.sweep.is_empty();
    let has_sweep = experiment.approaches.iter().any(is_swept);
    let is_source =
        |one: &Approach| language_of(&one.code) == Some(Language::Rust) && !is_swept(one);
    let has_source = experiment.approaches.iter().any(is_source);
    if options.propose.is_empty() {
        return match (has_sweep, has_source) {
            (true, _) => Ok(vec![Propose::Climb]),
            (false, true) => Ok(vec![Propose::Mutate]),
            (false, false) => Err(SearchError::Nothing(
                "there is nothing to search: no approach has a `sweep`, whose values rounds try, or is a Rust source, \
                 of which they change a place"
                    .to_owned(),
            )),
        };
    }
    for way in &options.propose {
        let missing = match way {
            Propose::Component if options.proposer.is_none() => "`proposer` names none",
            Propose::Climb | Propose::Evolve | Propose::Draw if !has_sweep => {
                "no approach has a `sweep`"
            }
            Propose::Mutate if !has_source && !has_sweep => "no approach is a Rust source",
            Propose::Mutate if !has_source && !searches_values(&options.propose) => {
                "every approach has a `sweep`, whose values no way tries"
            }
            _ => continue,
        };
        return Err(SearchError::Nothing(format!(
            "`propose` names \"{}\", and {missing}: add one, or remove the word",
            way.name()
        )));
    }
    Ok(options.propose.clone())
}

/// Returns true if a search tries values of parameters.
pub(crate) fn searches_values(ways: &[Propose]) -> bool {
    let by_values = [
        Propose::Climb,
        Propose::Evolve,
        Propose::Draw,
        Propose::Component,
    ];
    ways.iter().any(|way| by_values.contains(way))
}

/// The plan of a round.
pub(crate) struct RoundPlan<'a> {
    pub(crate) ways: &'a [Propose],
    pub(crate) options: &'a RoundsTable,
    /// The number of candidates.
    pub(crate) width: usize,
    /// True if candidates are made from what the search began with, in the place of the best so far.
    pub(crate) is_anew: bool,
}

impl<'a> RoundPlan<'a> {
    /// Plans the next round after all that is known.
    pub(crate) fn of(archive: &Archive, ways: &'a [Propose], options: &'a RoundsTable) -> Self {
        let without_new = match archive.rounds {
            0 => 0,
            _ => archive.without_new,
        };
        Self {
            ways,
            options,
            width: options.width.after(without_new) as usize,
            is_anew: without_new > 0 && options.after_failure == AfterFailure::New,
        }
    }

    /// Returns the number of candidates that each way makes.
    pub(crate) fn share(&self) -> usize {
        self.width.div_ceil(self.ways.len().max(1))
    }
}

/// Facts of an experiment that candidates are made from.
pub(crate) struct Material {
    /// Parameters of the approaches that are searched by their parameters, by name.
    pub(crate) parameters: BTreeMap<String, Vec<Parameter>>,
    /// Sources of the approaches, by name.
    pub(crate) sources: BTreeMap<String, Arc<str>>,
    /// Small changes of sources that were listed so far, by the key of the program.
    changes: BTreeMap<String, Vec<Mutation>>,
}

impl Material {
    pub(crate) fn new(
        parameters: BTreeMap<String, Vec<Parameter>>,
        sources: BTreeMap<String, Arc<str>>,
    ) -> Self {
        Self {
            parameters,
            sources,
            changes: BTreeMap::new(),
        }
    }

    fn known<'a>(&'a self, archive: &'a Archive) -> SearchKnowledge<'a> {
        SearchKnowledge {
            archive,
            parameters: &self.parameters,
            sources: &self.sources,
            changes: &self.changes,
            parents: Vec::new(),
            keys: archive.keys(false),
        }
    }

    /// Lists the small changes of these candidates' sources, each in a child of its own. A source that cannot be read
    /// has none.
    async fn list_changes(
        &mut self,
        archive: &Archive,
        parents: &[usize],
        host: &HostOptions,
    ) -> Result<(), RunError> {
        for parent in parents {
            let program: &Program = &archive.candidates[*parent].program;
            let key = program.key();
            if self.changes.contains_key(&key) {
                continue;
            }
            let Some(source) = self.source(program) else {
                continue;
            };
            let confinement = host.machine.confinement(host.unconfined).await?;
            let changes = small_changes(&confinement, source.as_bytes()).await;
            self.changes.insert(key, changes.unwrap_or_default());
        }
        Ok(())
    }

    /// Returns the source of a program, if it has one.
    pub(crate) fn source(&self, program: &Program) -> Option<Arc<str>> {
        program.source_among(&self.sources)
    }

    /// Makes the candidates of a round, beside those that others `named`.
    ///
    /// # Errors
    /// The machine cannot confine the reader of sources.
    pub(crate) async fn make(
        &mut self,
        archive: &Archive,
        plan: &RoundPlan<'_>,
        host: &HostOptions,
        named: Vec<NewCandidate>,
    ) -> Result<Vec<MadeOnIsland>, RunError> {
        let populations = archive.populations(plan.options, plan.width, plan.is_anew);
        let draws = self.draws(plan.ways);
        if plan.ways.contains(&Propose::Mutate) || (plan.options.control && !draws) {
            let begun = archive.beginnings();
            let control = begun.iter().filter(|_| plan.options.control);
            let parents = populations.iter().flat_map(|one| &one.parents);
            let all: Vec<usize> = parents.chain(control).copied().collect();
            self.list_changes(archive, &all, host).await?;
        }
        Ok(self.made(archive, plan, &populations, named))
    }

    /// Returns true if candidates that have no regard to any result are drawn, and not changed sources.
    fn draws(&self, ways: &[Propose]) -> bool {
        searches_values(ways) && !self.parameters.is_empty()
    }

    /// Makes the candidates of a round from these populations, whose changes are listed.
    pub(crate) fn made(
        &self,
        archive: &Archive,
        plan: &RoundPlan<'_>,
        populations: &[Population],
        named: Vec<NewCandidate>,
    ) -> Vec<MadeOnIsland> {
        let (ways, options) = (plan.ways, plan.options);
        let round = archive.rounds + 1;
        let mut known = self.known(archive);
        let (mut drawn, mut named): (Vec<NewCandidate>, Vec<NewCandidate>) =
            named.into_iter().partition(|one| one.control);
        named.retain(|one| known.is_new(&one.program));
        let islands = dealt(populations).into_iter();
        let mut made: Vec<MadeOnIsland> = (named.into_iter().zip(islands))
            .map(|(made, island)| MadeOnIsland { made, island })
            .collect();
        // In a second turn those that can make more fill what others left.
        for turn in ["share", "rest"] {
            for Population {
                island,
                parents,
                width,
            } in populations
            {
                known.parents.clone_from(parents);
                let share = width.div_ceil(ways.len().max(1));
                for way in ways {
                    let own = made.iter().filter(|one| one.island == *island);
                    let left = width.saturating_sub(own.count());
                    let count = if turn == "share" {
                        share.min(left)
                    } else {
                        left
                    };
                    let number = island.map_or_else(String::new, |island| format!(" {island}"));
                    let label = format!("{} {turn}{number}", way.name());
                    let mut random = Random::new(options.seed, round, &label);
                    let found = match way {
                        Propose::Climb | Propose::Evolve if plan.is_anew => {
                            ways::draw(&mut known, &mut random, count, false)
                        }
                        Propose::Climb => ways::climb(&mut known, &mut random, count),
                        Propose::Evolve => ways::evolve(&mut known, &mut random, count),
                        Propose::Draw => ways::draw(&mut known, &mut random, count, false),
                        Propose::Mutate => {
                            ways::mutate(&mut known, &mut random, count, parents, false)
                        }
                        // These were asked before.
                        Propose::Model | Propose::Component => Vec::new(),
                    };
                    let island = *island;
                    made.extend(found.into_iter().map(|made| MadeOnIsland { made, island }));
                }
            }
        }
        if options.control {
            let mut random = Random::new(options.seed, round, "control");
            known.keys = archive.keys(true);
            drawn.retain(|one| known.is_new(&one.program));
            let count = made.len().saturating_sub(drawn.len());
            drawn.extend(if self.draws(ways) {
                ways::draw(&mut known, &mut random, count, true)
            } else if ways == [Propose::Model] {
                // Its first tries are what it is held against.
                Vec::new()
            } else {
                let begun = archive.beginnings();
                ways::mutate(&mut known, &mut random, count, &begun, true)
            });
            let island = None;
            made.extend(drawn.into_iter().map(|made| MadeOnIsland { made, island }));
        }
        made
    }
}

/// Returns the island of each candidate of a round, one of each island after the other.
fn dealt(populations: &[Population]) -> Vec<Option<u32>> {
    let most = populations.iter().map(|one| one.width).max().unwrap_or(0);
    (0..most)
        .flat_map(|turn| {
            let with_room = populations.iter().filter(move |one| turn < one.width);
            with_room.map(|one| one.island)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn experiment(approaches: &str) -> Experiment {
        let text = format!(
            "name = \"x\"\nproblem = \"?\"\n[interface]\nwit = \"wit\"\ncall = \"f\"\n[workload]\nsource = \"w.rs\"\n\
             sizes = [1]\n{approaches}"
        );
        bakeoff_config::parse(&text, "bakeoff.toml").unwrap()
    }

    #[test]
    fn what_there_is_decides_where_no_way_is_named() {
        let plain = "[[approach]]\nname = \"a\"\nsource = \"a.rs\"\n";
        let swept = "[[approach]]\nname = \"b\"\nsource = \"b.rs\"\nsweep = { n = [1, 2] }\n";
        let component = "[[approach]]\nname = \"c\"\ncomponent = \"c.wasm\"\n";
        let ways = |approaches: &str| ways_of(&experiment(approaches), &RoundsTable::default());
        assert_eq!(ways(plain).unwrap(), [Propose::Mutate]);
        assert_eq!(ways(&format!("{plain}{swept}")).unwrap(), [Propose::Climb]);
        assert!(
            ways(component)
                .unwrap_err()
                .to_string()
                .contains("nothing to search")
        );
        let climbing = RoundsTable {
            propose: vec![Propose::Climb],
            ..RoundsTable::default()
        };
        let said = ways_of(&experiment(plain), &climbing)
            .unwrap_err()
            .to_string();
        assert!(
            said.contains("\"climb\", and no approach has a `sweep`"),
            "{said}"
        );
    }
}
