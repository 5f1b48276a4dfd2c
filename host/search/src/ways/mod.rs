//! The ways of making candidates, each deterministic from the seed of the search and what is known.

mod climb;
mod draw;
mod evolve;
mod mutate;

pub(crate) use climb::climb;
pub(crate) use draw::draw;
pub(crate) use evolve::evolve;
pub(crate) use mutate::mutate;

use super::archive::Archive;
use super::candidate::{Candidate, Program};
use super::space::Space;
use bakeoff_compile::Mutation;
use bakeoff_domain::spec::Parameter;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Everything that a way may look at.
pub(crate) struct SearchKnowledge<'a> {
    pub(crate) archive: &'a Archive,
    /// Parameters of the approaches that are searched by their parameters, by name.
    pub(crate) parameters: &'a BTreeMap<String, Vec<Parameter>>,
    /// Sources of the approaches that the search began with, by name.
    pub(crate) sources: &'a BTreeMap<String, Arc<str>>,
    /// Small changes of sources, by the key of the program.
    pub(crate) changes: &'a BTreeMap<String, Vec<Mutation>>,
    /// Indexes of the candidates that others are made from, the best first.
    pub(crate) parents: Vec<usize>,
    /// Keys of all programs that are known, with those that this round has made.
    pub(crate) keys: BTreeSet<String>,
}

impl SearchKnowledge<'_> {
    fn candidate(&self, index: usize) -> &Candidate {
        &self.archive.candidates[index]
    }

    /// Returns the grid of a candidate's parameters, if it has one that is searched.
    fn space(&self, index: usize) -> Option<Space<'_>> {
        let parameters = self.parameters.get(&self.candidate(index).program.origin)?;
        Some(Space(parameters))
    }

    /// Returns the source of a program, if it has one.
    fn source(&self, program: &Program) -> Option<Arc<str>> {
        program.source_among(self.sources)
    }

    /// Remembers a program; false if it was known.
    pub(crate) fn is_new(&mut self, program: &Program) -> bool {
        self.keys.insert(program.key())
    }
}

#[cfg(test)]
mod tests {
    use super::super::candidate::NewCandidate;
    use super::super::random::Random;
    use super::*;
    use crate::archive::tests::program;

    fn parameters(values: usize) -> BTreeMap<String, Vec<Parameter>> {
        let own = Parameter {
            name: "n".to_owned(),
            values: (0..values).map(|value| value.to_string()).collect(),
        };
        BTreeMap::from([("a".to_owned(), vec![own])])
    }

    fn archive(at: usize) -> Archive {
        let mut archive = Archive::default();
        archive.begin_with(vec![("a".to_owned(), program("a", at))]);
        archive.elites = vec![0];
        archive
    }

    fn values(made: &[NewCandidate]) -> Vec<usize> {
        let value = |one: &NewCandidate| one.program.values["n"].parse().unwrap();
        made.iter().map(value).collect()
    }

    fn with_known<T>(
        values: usize,
        at: usize,
        make: impl FnOnce(&mut SearchKnowledge<'_>) -> T,
    ) -> T {
        let (archive, parameters) = (archive(at), parameters(values));
        let keys = archive.keys(false);
        make(&mut SearchKnowledge {
            archive: &archive,
            parameters: &parameters,
            sources: &BTreeMap::new(),
            changes: &BTreeMap::new(),
            parents: archive.elites.clone(),
            keys,
        })
    }

    #[test]
    fn climbing_begins_with_long_moves_and_goes_on_with_those_that_found_something() {
        let made = with_known(100, 50, |known| {
            climb(known, &mut Random::new(1, 1, "climb"), 6)
        });
        let mut found = values(&made);
        found[..2].sort_unstable();
        found[2..4].sort_unstable();
        found[4..].sort_unstable();
        assert_eq!(found, [25, 75, 38, 62, 44, 56]);
        assert!(made[0].change.starts_with("n 50 → "), "{}", made[0].change);
        // At the edge there is one side, and nothing twice.
        let made = with_known(4, 0, |known| {
            climb(known, &mut Random::new(1, 1, "climb"), 9)
        });
        assert_eq!(values(&made), [1, 2]);

        let mut archive = archive(50);
        let child = NewCandidate {
            parent: 0,
            by: "climb".into(),
            change: String::new(),
            wish: None,
            program: program("a", 56),
            control: false,
        };
        archive.elites = archive.add(1, vec![child]);
        let parameters = parameters(100);
        let keys = archive.keys(false);
        let made = climb(
            &mut SearchKnowledge {
                archive: &archive,
                parameters: &parameters,
                sources: &BTreeMap::new(),
                changes: &BTreeMap::new(),
                parents: archive.elites.clone(),
                keys,
            },
            &mut Random::new(1, 2, "climb"),
            2,
        );
        // Twice as far in the same direction, and then as far; 50 is known.
        assert_eq!(values(&made), [68, 62]);
    }

    #[test]
    fn evolution_stays_on_the_grid_and_repeats_nothing() {
        for seed in 0..20 {
            let made = with_known(10, 5, |known| {
                evolve(known, &mut Random::new(seed, 1, "evolve"), 6)
            });
            let found: BTreeSet<usize> = values(&made).into_iter().collect();
            assert_eq!(found.len(), made.len());
            assert!(
                found.iter().all(|value| *value < 10 && *value != 5),
                "{found:?}"
            );
        }
        let few = with_known(2, 0, |known| {
            evolve(known, &mut Random::new(1, 1, "evolve"), 6)
        });
        assert_eq!(values(&few), [1]);
    }

    #[test]
    fn drawing_reaches_every_point() {
        let made = with_known(10, 5, |known| {
            draw(known, &mut Random::new(3, 1, "draw"), 50, true)
        });
        let mut found = values(&made);
        found.sort_unstable();
        assert_eq!(found, [0, 1, 2, 3, 4, 6, 7, 8, 9]);
        assert!(made.iter().all(|one| one.control && one.by == "draw"));
    }
}
