//! Everything that a search knows: its candidates, and which of them are the best so far.

use super::candidate::{Candidate, CandidateOutcome, NewCandidate, Program, against};
use super::niches::Niching;
use bakeoff_domain::report::CANDIDATE_TEXT_MAX;
use bakeoff_run::Looked;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The longest beginning of an approach's name in that of a candidate, in characters: no name may be longer than those of
/// approaches.
const ORIGIN_CHARS_MAX: usize = 80;

/// Everything that a search knows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Archive {
    /// All candidates in their order; those that the search began with come first, or join later.
    pub candidates: Vec<Candidate>,
    /// Indexes of the best candidates, the best first.
    pub elites: Vec<usize>,
    /// Indexes of all that passed in the last look, the best first.
    #[serde(default)]
    pub ranked: Vec<usize>,
    /// Indexes of the best candidates that were drawn without regard to any result, the best first.
    #[serde(default)]
    pub drawn: Vec<usize>,
    /// Index of the best candidate of those that the search began with: times are told relative to it.
    pub reference: Option<usize>,
    /// Source of the readings that tell most of a candidate: that of the heaviest criterion, if it is none of time.
    #[serde(default)]
    pub by: Option<String>,
    /// The number of rounds that are over.
    pub rounds: u32,
    /// The number of rounds since a new best candidate was found.
    pub without_new: u32,
    /// Sources of the approaches in which places may change or that a model may rewrite, by name, as they were last read.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sources: BTreeMap<String, Arc<str>>,
    /// Cells and islands, where some were asked for.
    #[serde(default)]
    pub niching: Niching,
    /// The index of the best candidate of each cell that is filled, by the number of the cell.
    #[serde(default)]
    pub cells: BTreeMap<u32, usize>,
    /// The indexes of the best candidates of each island, the best first; empty where there is one island.
    #[serde(default)]
    pub islands: Vec<Vec<usize>>,
    /// The components with their values that were seen, each with the candidate that had it first.
    identities: BTreeMap<String, usize>,
}

impl Archive {
    /// Returns the keys of all programs that are known to the search, or to those that are drawn without regard to any
    /// result (`control`): neither takes anything from the other.
    pub(crate) fn keys(&self, control: bool) -> BTreeSet<String> {
        let own = |one: &&Candidate| one.control == control || one.round == 0;
        self.candidates
            .iter()
            .filter(own)
            .map(|one| one.program.key())
            .collect()
    }

    /// Adds approaches that the search begins with. Returns their indexes.
    pub fn begin_with(&mut self, programs: Vec<(String, Program)>) -> Vec<usize> {
        let first = self.candidates.len();
        let programs = programs.into_iter();
        self.candidates
            .extend(programs.map(|(name, program)| Candidate::first(name, program)));
        (first..self.candidates.len()).collect()
    }

    /// Adds candidates of a round. Returns their indexes.
    pub fn add(&mut self, round: u32, made: Vec<NewCandidate>) -> Vec<usize> {
        let first = self.candidates.len();
        for (place, made) in (1_u32..).zip(made) {
            let name = self.free_name(&made.program.origin, round, place);
            self.candidates.push(Candidate {
                round,
                parent: Some(made.parent),
                by: made.by.into_owned(),
                wish: made.wish,
                change: in_one_line(&made.change),
                control: made.control,
                ..Candidate::first(name, made.program)
            });
        }
        (first..self.candidates.len()).collect()
    }

    /// Returns a name for a candidate that nobody has, not even an approach that the search began with.
    fn free_name(&self, origin: &str, round: u32, place: u32) -> String {
        let origin: String = origin.chars().take(ORIGIN_CHARS_MAX).collect();
        let is_taken = |name: &str| self.candidates.iter().any(|one| one.name == name);
        let mut name = format!("{origin} {round}.{place}");
        for number in 2.. {
            if !is_taken(&name) {
                break;
            }
            name = format!("{origin} {round}.{place} ({number})");
        }
        name
    }

    /// Returns the bytes of all sources that were made.
    pub(crate) fn source_bytes(&self) -> usize {
        let sources = self
            .candidates
            .iter()
            .filter_map(|one| one.program.source.as_ref());
        sources.map(|source| source.len()).sum()
    }

    /// Takes in what a look at candidates saw, of which those with the indexes `new` were not seen before, and keeps the
    /// best `parents`.
    pub fn take_in(&mut self, seen: &[(usize, Looked)], new: &[usize], parents: usize) {
        for (index, looked) in seen {
            if new.contains(index) {
                self.candidates[*index].outcome = self.outcome(*index, looked);
                let one = &mut self.candidates[*index];
                one.total = looked.total;
                one.readings.clone_from(&looked.readings);
            }
        }
        let mut placed: Vec<(u32, usize)> = seen
            .iter()
            .filter(|(index, looked)| {
                looked.failure.is_none() && self.candidates[*index].is_alive()
            })
            .filter_map(|(index, looked)| Some((looked.place?, *index)))
            .collect();
        placed.sort_unstable();
        let of = |is_wanted: &dyn Fn(&Candidate) -> bool| -> Vec<usize> {
            let all = placed.iter().map(|(_, index)| *index);
            all.filter(|index| is_wanted(&self.candidates[*index]))
                .collect()
        };
        if self.reference.is_none() {
            self.reference = of(&|one| one.round == 0).first().copied();
        }
        let mut drawn = of(&|one| one.control);
        drawn.truncate(parents);
        let ranked = of(&|one| !one.control);
        let mut elites = ranked.clone();
        elites.truncate(parents);
        // One that was the best before is no news: of equals, now this one is ahead and now that one.
        let is_new = (elites.first())
            .is_some_and(|best| self.elites.first() != Some(best) && !self.candidates[*best].best);
        self.without_new = if is_new { 0 } else { self.without_new + 1 };
        if !drawn.is_empty() {
            self.drawn = drawn;
        }
        self.elites = elites;
        self.ranked = ranked;
        if let (true, Some(best)) = (is_new, self.elites.first()) {
            self.candidates[*best].best = true;
        }
        let reference = self.reference.and_then(|wanted| {
            let mut seen = seen.iter();
            let (_, looked) = seen.find(|(index, _)| *index == wanted)?;
            looked.time_ns
        });
        // The latest figure is the one by which it has its place.
        let reference_name = self
            .reference
            .map(|index| self.candidates[index].name.clone());
        for (index, looked) in seen {
            let verdict = reference_name
                .as_ref()
                .and_then(|name| looked.against.get(name));
            let own = verdict.map(against);
            let ratio = reference.zip(looked.time_ns).map(|(of, own)| of / own);
            if let Some(ratio) = ratio.filter(|ratio| ratio.is_finite()) {
                self.candidates[*index].ratio = Some(ratio);
                self.candidates[*index].against_reference = own;
            }
        }
        self.fill_cells(seen);
        self.settle_islands(new, parents);
    }

    fn outcome(&mut self, index: usize, looked: &Looked) -> CandidateOutcome {
        if let Some(failure) = &looked.failure {
            return CandidateOutcome::Failed(
                failure.class.name().to_owned(),
                short(&failure.message),
            );
        }
        if let Some(identity) = &looked.identity {
            let files = identity.files.as_deref().unwrap_or("none");
            let arm = if self.candidates[index].control {
                "drawn "
            } else {
                ""
            };
            let key = format!("{arm}{} {files}", identity.component);
            match self.identities.get(&key) {
                Some(first) if *first != index => {
                    return CandidateOutcome::Same(self.candidates[*first].name.clone());
                }
                _ => drop(self.identities.insert(key, index)),
            }
        }
        if looked.passes {
            CandidateOutcome::Passed
        } else {
            CandidateOutcome::Gated
        }
    }

    /// Returns the indexes of the candidates that the search began with and that did not fail.
    pub(crate) fn beginnings(&self) -> Vec<usize> {
        let all = self.candidates.iter().enumerate();
        all.filter(|(_, one)| one.round == 0 && one.is_alive())
            .map(|(index, _)| index)
            .collect()
    }

    /// Returns the number of rounds that found a new best candidate.
    pub(crate) fn successes(&self) -> u32 {
        let best = self
            .candidates
            .iter()
            .filter(|one| one.best && one.round > 0);
        best.map(|one| one.round).collect::<BTreeSet<u32>>().len() as u32
    }

    /// Returns the source of a candidate, if it is known: its own, or that of the approach whose code it has.
    pub fn source_of(&self, one: &Candidate) -> Option<Arc<str>> {
        one.program.source_among(&self.sources)
    }

    /// Returns the reading of a candidate that tells most of it.
    pub fn reading(&self, one: &Candidate) -> Option<f64> {
        one.readings.get(self.by.as_ref()?).copied()
    }

    /// Returns the best candidate.
    pub fn best(&self) -> Option<&Candidate> {
        self.elites.first().map(|index| &self.candidates[*index])
    }

    /// Returns true if all indexes are those of candidates: what was read may be damaged.
    pub(crate) fn is_sound(&self) -> bool {
        let named = self
            .elites
            .iter()
            .chain(&self.ranked)
            .chain(&self.drawn)
            .chain(self.cells.values())
            .chain(self.islands.iter().flatten());
        let parents = self.candidates.iter().filter_map(|one| one.parent.as_ref());
        let seen = self.identities.values();
        let mut all = named.chain(&self.reference).chain(parents).chain(seen);
        let mut placed = self.candidates.iter().enumerate();
        all.all(|index| *index < self.candidates.len())
            && placed.all(|(place, one)| one.parent.is_none_or(|parent| parent < place))
    }
}

/// Returns a text that is not too long to be kept of every candidate.
pub(crate) fn short(text: &str) -> String {
    let end = text.floor_char_boundary(CANDIDATE_TEXT_MAX);
    text[..end].to_owned()
}

/// Returns a text in one line, as names and descriptions are.
fn in_one_line(text: &str) -> String {
    let visible = |c: char| if c.is_control() { ' ' } else { c };
    short(text).chars().map(visible).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use bakeoff_domain::failure::{Failure, FailureClass, Phase};
    use bakeoff_run::Identity;

    pub(crate) fn program(origin: &str, value: usize) -> Program {
        Program {
            origin: origin.to_owned(),
            values: BTreeMap::from([("n".to_owned(), value.to_string())]),
            source: None,
        }
    }

    fn made(parent: usize, value: usize) -> NewCandidate {
        NewCandidate {
            parent,
            by: "climb".into(),
            change: format!("n → {value}"),
            wish: None,
            program: program("a", value),
            control: false,
        }
    }

    fn looked(place: u32, time_ns: f64, component: &str) -> Looked {
        Looked {
            approach: String::new(),
            identity: Some(Identity {
                component: component.to_owned(),
                files: None,
            }),
            failure: None,
            readings: BTreeMap::new(),
            place: Some(place),
            total: Some(1.0 / f64::from(place)),
            fuel_place: Some(place),
            time_ns: Some(time_ns),
            against: BTreeMap::new(),
            passes: true,
        }
    }

    #[test]
    fn the_best_of_a_look_are_kept_and_what_is_known_is_not_seen_twice() {
        let mut archive = Archive::default();
        let own = [
            ("a".to_owned(), program("a", 1)),
            ("b".to_owned(), program("b", 1)),
        ];
        let first = archive.begin_with(own.to_vec());
        let seen = [(0, looked(2, 200.0, "x")), (1, looked(1, 100.0, "y"))];
        archive.take_in(&seen, &first, 2);
        assert_eq!(
            (archive.reference, &archive.elites[..]),
            (Some(1), &[1, 0][..])
        );
        assert_eq!(archive.candidates[0].ratio, Some(0.5));

        let mut failed = looked(9, 1.0, "z");
        failed.failure = Some(Failure {
            class: FailureClass::Trap,
            message: "ü".repeat(CANDIDATE_TEXT_MAX),
            phase: Phase::Check,
            limit: None,
        });
        failed.place = None;
        let mut gated = looked(5, 10.0, "g");
        gated.passes = false;
        let new = archive.add(1, vec![made(0, 2), made(0, 3), made(1, 4), made(1, 5)]);
        assert_eq!(archive.candidates[new[0]].name, "a 1.1");
        let seen = [
            (0, looked(4, 200.0, "x")),
            (1, looked(3, 100.0, "y")),
            (2, looked(1, 50.0, "w")),
            (3, looked(2, 60.0, "x")),
            (4, failed),
            (5, gated),
        ];
        archive.take_in(&seen, &new, 2);
        assert_eq!(archive.elites, [2, 1]);
        assert_eq!(archive.candidates[2].ratio, Some(2.0));
        assert!(archive.candidates[2].best && archive.without_new == 0);
        assert_eq!(
            archive.candidates[3].outcome,
            CandidateOutcome::Same("a".to_owned())
        );
        let CandidateOutcome::Failed(class, message) = &archive.candidates[4].outcome else {
            panic!("{:?}", archive.candidates[4]);
        };
        assert_eq!(class, "trap");
        assert!(message.len() <= CANDIDATE_TEXT_MAX);
        assert_eq!(archive.candidates[5].outcome, CandidateOutcome::Gated);
        assert_eq!(archive.successes(), 1);

        let seen = [(2, looked(1, 50.0, "w")), (1, looked(2, 100.0, "y"))];
        archive.take_in(&seen, &[], 2);
        assert_eq!((archive.without_new, archive.elites[0]), (1, 2));
        // Of two equals that take turns, none is a new best, and the figure is the latest.
        let seen = [(2, looked(2, 100.0, "w")), (1, looked(1, 90.0, "y"))];
        archive.take_in(&seen, &[], 2);
        assert_eq!((archive.without_new, archive.elites[0]), (2, 1));
        assert_eq!(archive.candidates[2].ratio, Some(0.9));
        let seen = [(2, looked(1, 50.0, "w")), (1, looked(2, 100.0, "y"))];
        archive.take_in(&seen, &[], 2);
        assert_eq!(archive.without_new, 3);
        assert!(archive.is_sound());
        archive.elites.push(99);
        assert!(!archive.is_sound());
    }

    #[test]
    fn no_candidate_has_the_name_of_another() {
        let mut archive = Archive::default();
        let long = "ü".repeat(100);
        let own = [("a 1.1", program("a", 1)), (&long, program(&long, 1))];
        let own = own.map(|(name, program)| (name.to_owned(), program));
        archive.begin_with(own.to_vec());
        let mut model = made(0, 2);
        model.change = "two\nlines\u{1b}[2J".to_owned();
        model.program.origin.clone_from(&long);
        let new = archive.add(1, vec![made(0, 3), model]);
        assert_eq!(archive.candidates[new[0]].name, "a 1.1 (2)");
        assert!(archive.candidates[new[1]].name.chars().count() <= 100);
        assert_eq!(archive.candidates[new[1]].change, "two lines [2J");
    }

    #[test]
    fn what_is_drawn_without_regard_to_results_is_nobodys_parent() {
        let mut archive = Archive::default();
        let first = archive.begin_with(vec![("a".to_owned(), program("a", 1))]);
        archive.take_in(&[(0, looked(1, 9.0, "x"))], &first, 2);
        let drawn = |value| NewCandidate {
            control: true,
            ..made(0, value)
        };
        let of_round = vec![drawn(2), made(0, 3), drawn(4), drawn(5)];
        let new = archive.add(1, of_round);
        let seen = [
            (0, looked(3, 9.0, "x")),
            (1, looked(1, 1.0, "y")),
            (2, looked(2, 5.0, "z")),
            (3, looked(5, 9.0, "v")),
            (4, looked(4, 8.0, "w")),
        ];
        archive.take_in(&seen, &new, 2);
        // As many of them as of the others are looked at again.
        assert_eq!(
            (&archive.drawn[..], &archive.elites[..]),
            (&[1, 4][..], &[2, 0][..])
        );
    }
}
