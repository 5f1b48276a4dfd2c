//! `[rounds]`: a search for better approaches before the race, in rounds.

use super::amounts::{duration, whole};
use super::cells;
use super::error::{Finding, quoted};
use super::fields::field::Field;
use super::fields::kinds::{Choice, List, Whole};
use super::fields::rounds::{
    AFTER_FAILURE, AHEAD, ALLOCATE, CONTROL, COUNT, FINALISTS, ISLANDS, MIGRATE_EVERY, MIX,
    PARENTS, PATIENCE, PROPOSE, PROPOSER, SEED, SELECT, TIME, UNTIL,
};
use super::paths::{self, FileKind, FileRef};
use super::reference;
use super::round_width::{Width, width};
use super::search_choices::{AfterFailure, Allocate, Propose, Select, Wish};
use super::section::Section;
use bakeoff_domain::reference::ComponentReference;
use bakeoff_domain::report::CellAxis;
use bakeoff_domain::spec::Code;
use std::time::Duration;

/// The number of rounds between two migrations where none is given.
const MIGRATE_EVERY_DEFAULT: u32 = 5;

/// The number of rounds where none is given.
pub const ROUNDS_DEFAULT: u32 = 5;

/// Options of a search in rounds: the table `[rounds]`.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundsTable {
    /// The most rounds.
    pub count: u32,
    /// The number of candidates of a round.
    pub width: Width,
    /// The ways of making candidates, which share a round; empty if what there is decides.
    pub propose: Vec<Propose>,
    /// Wishes that a model is asked for in turn.
    pub mix: Vec<Wish>,
    /// The proposer among the ways, if it is one of them.
    pub proposer: Option<Code>,
    /// Making of a round that comes after one without a new best.
    pub after_failure: AfterFailure,
    /// Choice of the candidates of a round that are timed.
    pub allocate: Allocate,
    /// Choice of the candidates that race.
    pub select: Select,
    /// The number of best candidates that others are made from.
    pub parents: u32,
    /// The readings that make cells, each of which keeps its best; empty if there are none.
    pub cells: Vec<CellAxis>,
    /// The number of islands: searches beside each other.
    pub islands: u32,
    /// The number of rounds after which the best of each island is copied to the next.
    pub migrate_every: u32,
    /// The number of candidates that race when the search is over, beside the approaches of the experiment.
    pub finalists: u32,
    /// The number of rounds without a new best candidate after which the search ends.
    pub patience: u32,
    /// True if the search ends as soon as a candidate passes the gates of all criteria.
    pub until_gates: bool,
    /// The time for all rounds; none is begun that would not end within it.
    pub time: Option<Duration>,
    /// The seed that candidates follow from.
    pub seed: u64,
    /// True if a model is asked for the next round while one is looked at.
    pub ahead: bool,
    /// True if as many candidates are drawn without regard to any result, to show whether rounds help.
    pub control: bool,
}

impl Default for RoundsTable {
    fn default() -> Self {
        Self {
            count: ROUNDS_DEFAULT,
            width: Width::Fixed(8),
            propose: Vec::new(),
            mix: Wish::ALL.map(|(_, wish)| wish).to_vec(),
            proposer: None,
            after_failure: AfterFailure::default(),
            allocate: Allocate::default(),
            select: Select::default(),
            parents: 3,
            cells: Vec::new(),
            islands: 1,
            migrate_every: MIGRATE_EVERY_DEFAULT,
            finalists: 2,
            patience: 3,
            until_gates: false,
            time: None,
            seed: 0,
            ahead: false,
            control: false,
        }
    }
}

/// `[rounds]`
pub(super) fn rounds(
    mut section: Section<'_>,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> RoundsTable {
    let none = RoundsTable::default();
    let width = width(&mut section, found);
    let mut number = |field: &Field<Whole>, found: &mut Vec<Finding>| {
        let at = whole(&mut section, field, found)?;
        u32::try_from(at.value).ok()
    };
    let count = number(&COUNT, found);
    let parents = number(&PARENTS, found);
    let finalists = number(&FINALISTS, found);
    let patience = number(&PATIENCE, found);
    let islands = number(&ISLANDS, found);
    let migrate_every = number(&MIGRATE_EVERY, found);
    let cells = cells::cells(&mut section, found);
    cells::refuse_contradictions(&section, (parents, islands), found);
    let propose = words(&mut section, &PROPOSE, found);
    let mix = words(&mut section, &MIX, found);
    let proposer = proposer(&mut section, &propose, files, found);
    let after_failure = section.choice(&AFTER_FAILURE, found);
    let allocate = section.choice(&ALLOCATE, found);
    let select = section.choice(&SELECT, found);
    let until = section.choice(&UNTIL, found);
    let time = duration(&mut section, &TIME, found);
    let seed = whole(&mut section, &SEED, found);
    let ahead = section.flag(&AHEAD, found);
    let control = section.flag(&CONTROL, found);
    section.close(found);
    RoundsTable {
        count: count.unwrap_or(none.count),
        width: width.unwrap_or(none.width),
        propose,
        mix: if mix.is_empty() { none.mix } else { mix },
        proposer,
        after_failure: after_failure.map(|at| at.value).unwrap_or_default(),
        allocate: allocate.map(|at| at.value).unwrap_or_default(),
        select: select.map(|at| at.value).unwrap_or_default(),
        parents: parents.unwrap_or(none.parents),
        cells,
        islands: islands.unwrap_or(none.islands),
        migrate_every: migrate_every.unwrap_or(none.migrate_every),
        finalists: finalists.unwrap_or(none.finalists),
        patience: patience.unwrap_or(none.patience),
        until_gates: until.is_some_and(|at| at.value),
        time: time.map(|at| at.value),
        seed: seed.map_or(none.seed, |at| at.value.unsigned_abs()),
        ahead: ahead.is_some_and(|at| at.value),
        control: control.is_some_and(|at| at.value),
    }
}

/// `proposer`, which is there if and only if it is one of the ways.
fn proposer(
    section: &mut Section<'_>,
    ways: &[Propose],
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> Option<Code> {
    let is_way = ways.contains(&Propose::Component);
    let Some(named) = section.text(&PROPOSER, found) else {
        if is_way {
            section.missing_field(&PROPOSER, "`propose` names \"component\"", found);
        }
        return None;
    };
    if !is_way {
        found.push(Finding::new(
            named.span,
            "`proposer` is never asked",
            "`propose` does not name \"component\"",
            "add \"component\" to `propose`, or remove the key",
        ));
        return None;
    }
    if ComponentReference::is_meant(named.value) || named.value.ends_with(".wasm") {
        return reference::component(&named, files, found);
    }
    let file = paths::relative(&named, FileKind::Source, found)?;
    files.push(file.clone());
    Some(Code::Source(file.path))
}

/// A list of words, each once; empty if there is none.
fn words<T: Copy + PartialEq>(
    section: &mut Section<'_>,
    field: &Field<List<Choice<T>>>,
    found: &mut Vec<Finding>,
) -> Vec<T> {
    let (key, Choice(all)) = (field.key, &field.kind.of);
    let known: Vec<String> = all.iter().map(|(name, _)| format!("\"{name}\"")).collect();
    let known = known.join(", ");
    let Some(list) = section.array(field, "a list of words", found) else {
        return Vec::new();
    };
    let mut words = Vec::new();
    if list.value.is_empty() {
        found.push(Finding::new(
            list.span,
            format!("`{key}` is empty"),
            "nobody makes candidates",
            format!("name some of {known}, or remove the key"),
        ));
    }
    for element in list.value {
        let word = element.value.as_str();
        let meant = all.iter().find(|(name, _)| Some(*name) == word);
        match (word, meant) {
            (_, Some((_, meant))) if !words.contains(meant) => words.push(*meant),
            (Some(word), meant) => found.push(Finding::new(
                element.span,
                match meant {
                    Some(_) => format!("`{key}` names {} twice", quoted(word)),
                    None => format!("`{key}` cannot contain {}", quoted(word)),
                },
                "unknown or repeated word",
                format!("it contains some of {known}, each once"),
            )),
            (None, _) => found.push(Finding::new(
                element.span,
                format!("`{key}` has an element that is no word"),
                "this is not a word",
                format!("it contains some of {known}"),
            )),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::super::experiment::decode;
    use super::*;

    fn read(table: &str) -> Result<RoundsTable, Vec<String>> {
        let text = format!(
            "name = \"x\"\nproblem = \"y\"\n[interface]\nwit = \"wit\"\ncall = \"f\"\n[workload]\nsource = \"w.rs\"\n\
             sizes = [9]\n[[approach]]\nname = \"a\"\nsource = \"a.rs\"\n[rounds]\n{table}"
        );
        let decoded = decode(&text);
        let found = decoded.found.into_iter().map(|one| one.message);
        let found: Vec<String> = found.collect();
        match decoded.rounds {
            Some(rounds) if found.is_empty() => Ok(rounds),
            _ => Err(found),
        }
    }

    #[test]
    fn every_key_has_a_default() {
        assert_eq!(read("").unwrap(), RoundsTable::default());
        let all = "count = 9\nwidth = 4\npropose = [\"climb\", \"model\"]\nparents = 1\nfinalists = 4\n\
                   patience = 2\nuntil = \"gates\"\ntime = \"10 min\"\nseed = 7\ncontrol = true\nselect = \"passing\"\n\
               mix = [\"new\", \"improve\"]\nafter_failure = \"new\"\nallocate = \"equal\"\nahead = true\n";
        let found = read(all).unwrap();
        assert_eq!(
            (found.select, found.after_failure, found.allocate),
            (Select::Passing, AfterFailure::New, Allocate::Equal)
        );
        let islands = read("islands = 3\nmigrate_every = 2\n").unwrap();
        assert_eq!((islands.islands, islands.migrate_every), (3, 2));
        let proposing =
            "propose = [\"component\"]\nproposer = \"own/x.rs\"\nwidth = \"adaptive\"\n";
        let other = read(proposing).unwrap();
        assert_eq!(other.proposer, Some(Code::Source("own/x.rs".into())));
        assert_eq!(other.width, Width::Adaptive);
        let read = found;
        assert_eq!(read.propose, [Propose::Climb, Propose::Model]);
        assert_eq!((read.count, read.width, read.seed), (9, Width::Fixed(4), 7));
        assert_eq!((read.parents, read.finalists, read.patience), (1, 4, 2));
        assert_eq!(read.time, Some(Duration::from_secs(600)));
        assert!(read.until_gates && read.control && read.ahead);
    }

    #[test]
    fn what_cannot_be_is_named() {
        for (table, why) in [
            ("count = 0", "`count`"),
            ("width = 49", "`width`"),
            ("width = \"wide\"", "`width`"),
            ("propose = [\"component\"]", "`proposer`"),
            ("proposer = \"x.rs\"", "never asked"),
            (
                "propose = [\"component\"]\nproposer = \"../x.rs\"",
                "../x.rs",
            ),
            ("allocate = \"priority\"", "`allocate`"),
            ("propose = []", "is empty"),
            ("propose = [\"luck\"]", "cannot contain `luck`"),
            ("propose = [\"climb\", \"climb\"]", "names `climb` twice"),
            ("propose = [1]", "no word"),
            ("mix = [\"luck\"]", "`mix` cannot contain `luck`"),
            ("until = \"late\"", "`until` cannot be"),
            ("time = \"0 s\"", "`time`"),
            ("archipelago = 3", "does not know the key"),
            ("islands = 9", "`islands`"),
            ("migrate_every = 2", "there is one island"),
            ("islands = 1\nmigrate_every = 2", "there is one island"),
            (
                "islands = 2\ncells = [{ by = \"fuel\", bounds = [1] }]",
                "two ways to keep different programs",
            ),
            (
                "parents = 1\ncells = [{ by = \"fuel\", bounds = [1] }]",
                "one parent leaves none to draw",
            ),
        ] {
            let said = read(table).unwrap_err().join("\n");
            assert!(said.contains(why), "{table}: {said}");
        }
    }

    #[test]
    fn ways_have_the_words_of_files() {
        for (name, way) in Propose::ALL {
            assert_eq!(way.name(), name);
        }
    }
}
