//! Searches on landscapes that are formulas: nothing is built, and everything follows from the seed.

use super::*;
use crate::candidate::Program;
use crate::niches::Niching;
use crate::round_candidates::{Material, RoundPlan};
use bakeoff_config::{Propose, Width};
use bakeoff_domain::report::CellAxis;
use bakeoff_domain::spec::Parameter;
use bakeoff_run::Identity;

/// The number of values of each parameter.
const SIDE: usize = 100;

/// A landscape: the loss of an approach at a point.
type Landscape = fn(&str, f64, f64) -> f64;

/// Two valleys. Most of the plain leads to the one at (10, 10), whose lowest place has a loss of 20. From there no move of
/// one parameter leads down into the other, at (90, 90), whose lowest place has a loss of 1.
fn two_valleys(_: &str, x: f64, y: f64) -> f64 {
    let near = 20.0 + (x - 10.0).abs() + (y - 10.0).abs();
    let far = 1.0 + 2.0 * ((x - 90.0).abs() + (y - 90.0).abs());
    near.min(far)
}

/// An approach that begins well and comes to nothing, and one that begins badly and leads to a loss of 1.
fn two_approaches(name: &str, x: f64, y: f64) -> f64 {
    match name {
        "quick" => 20.0 + 0.1 * ((x - 10.0).abs() + (y - 10.0).abs()),
        _ => 1.0 + (x - 60.0).abs() + (y - 60.0).abs(),
    }
}

fn cells(bounds: &[f64]) -> Vec<CellAxis> {
    let axis = |by: &str| CellAxis {
        by: by.to_owned(),
        bounds: bounds.to_vec(),
    };
    vec![axis("east"), axis("north")]
}

fn options(count: u32) -> RoundsTable {
    RoundsTable {
        count,
        width: Width::Fixed(8),
        propose: vec![Propose::Climb],
        seed: 3,
        ..RoundsTable::default()
    }
}

fn begun(options: &RoundsTable, approaches: &[&str], landscape: Landscape) -> Archive {
    let mut archive = Archive::default();
    archive.niching = Niching::of(options);
    archive.by = Some("loss".to_owned());
    let program = |name: &&str| Program {
        origin: (*name).to_owned(),
        values: ["x", "y"]
            .map(|name| (name.to_owned(), "0".to_owned()))
            .into(),
        source: None,
    };
    let named = approaches
        .iter()
        .map(|one| (String::from(*one), program(one)));
    let new = archive.begin_with(named.collect());
    look(&mut archive, &new, options, landscape);
    archive
}

/// Looks at new candidates beside the best so far, as a search does.
fn look(archive: &mut Archive, new: &[usize], options: &RoundsTable, landscape: Landscape) {
    let mut seen = archive.elites.clone();
    seen.extend(archive.reference);
    seen.extend(archive.islands.iter().flatten());
    seen.extend(archive.in_cells_beside(&seen));
    seen.extend(new);
    let mut known = BTreeSet::new();
    seen.retain(|index| known.insert(*index));
    let readings = |index: usize| -> BTreeMap<String, f64> {
        let program = &archive.candidates[index].program;
        let at = |name: &str| program.values[name].parse::<f64>().unwrap();
        let loss = landscape(&program.origin, at("x"), at("y"));
        let named = [("east", at("x")), ("north", at("y")), ("loss", loss)];
        named.map(|(name, value)| (name.to_owned(), value)).into()
    };
    seen.sort_by(|a, b| readings(*a)["loss"].total_cmp(&readings(*b)["loss"]));
    let looked = (1..).zip(&seen).map(|(place, index)| {
        let looked = Looked {
            against: BTreeMap::new(),
            approach: String::new(),
            identity: Some(Identity {
                component: archive.candidates[*index].program.key(),
                files: None,
            }),
            failure: None,
            readings: readings(*index),
            place: Some(place),
            fuel_place: Some(place),
            total: None,
            time_ns: None,
            passes: true,
        };
        (*index, looked)
    });
    let looked: Vec<(usize, Looked)> = looked.collect();
    archive.take_in(&looked, new, options.parents as usize);
}

/// Makes rounds until the last one, or until there is nothing further to try.
fn go_on(mut archive: Archive, options: &RoundsTable, landscape: Landscape) -> Archive {
    let values: Vec<String> = (0..SIDE).map(|value| value.to_string()).collect();
    let parameters = ["x", "y"].map(|name| Parameter {
        name: name.to_owned(),
        values: values.clone(),
    });
    let approaches = archive.beginnings().into_iter();
    let names = approaches.map(|index| archive.candidates[index].name.clone());
    let parameters = names.map(|name| (name, parameters.to_vec())).collect();
    let material = Material::new(parameters, BTreeMap::new());
    while archive.rounds < options.count {
        let plan = RoundPlan::of(&archive, &options.propose, options);
        let populations = archive.populations(options, plan.width, plan.is_anew);
        let made = material.made(&archive, &plan, &populations, Vec::new());
        if made.is_empty() {
            break;
        }
        let new = archive.add_to_islands(archive.rounds + 1, made);
        look(&mut archive, &new, options, landscape);
        archive.rounds += 1;
        archive.migrate(options.parents as usize);
    }
    archive
}

fn searched(options: &RoundsTable, approaches: &[&str], landscape: Landscape) -> Archive {
    go_on(begun(options, approaches, landscape), options, landscape)
}

fn loss(archive: &Archive) -> f64 {
    archive.reading(archive.best().unwrap()).unwrap()
}

#[test]
fn cells_find_the_valley_that_the_best_alone_do_not_lead_to() {
    let plain = options(60);
    let found = searched(&plain, &["walker"], two_valleys);
    assert_eq!(loss(&found), 20.0);
    assert_eq!(found.map(), None);
    let with_cells = RoundsTable {
        cells: cells(&[25.0, 50.0, 75.0]),
        ..plain
    };
    let found = searched(&with_cells, &["walker"], two_valleys);
    assert_eq!(loss(&found), 1.0);

    let map = found.map().unwrap();
    assert!(map.is_possible());
    assert_eq!((map.count(), map.by.as_str()), (16, "loss"));
    let at = |place: [usize; 2]| map.cells.iter().find(|one| one.at == place).unwrap();
    assert_eq!(at([0, 0]).reading, Some(20.0));
    assert_eq!(at([3, 3]).reading, Some(1.0));
    assert_eq!(at([3, 3]).name, found.best().unwrap().name);
    // The best of others are what stands beside the best, the nearest first.
    let others = found.best_of_other_cells();
    assert_eq!(others.len(), map.cells.len() - 1);
    assert!(others.iter().all(|one| one.name != at([3, 3]).name));
    let losses: Vec<f64> = others
        .iter()
        .map(|one| found.reading(one).unwrap())
        .collect();
    assert!(losses.is_sorted(), "{losses:?}");
}

#[test]
fn islands_develop_an_approach_that_begins_behind() {
    let plain = RoundsTable {
        parents: 1,
        ..options(60)
    };
    let approaches = ["quick", "slow"];
    let found = searched(&plain, &approaches, two_approaches);
    assert_eq!(loss(&found), 20.0);
    let with_islands = RoundsTable {
        islands: 2,
        migrate_every: 8,
        ..plain
    };
    let found = searched(&with_islands, &approaches, two_approaches);
    assert_eq!(loss(&found), 1.0);
    // Until its best is copied, an island has only what was made on it.
    let early = RoundsTable {
        count: 7,
        ..with_islands.clone()
    };
    let early = searched(&early, &approaches, two_approaches);
    let origins = |archive: &Archive| -> Vec<String> {
        let firsts = archive.islands.iter().map(|members| members[0]);
        firsts
            .map(|index| archive.candidates[index].program.origin.clone())
            .collect()
    };
    assert_eq!(origins(&early), ["quick", "slow"]);
    for one in early.candidates.iter().filter(|one| one.parent.is_some()) {
        let wanted = if one.program.origin == "quick" { 1 } else { 2 };
        assert_eq!(one.island, Some(wanted), "{one:?}");
    }
    // The better one comes to the other island after eight rounds.
    let later = RoundsTable {
        count: 8,
        ..with_islands
    };
    let later = go_on(early, &later, two_approaches);
    assert_eq!(origins(&later), ["slow", "slow"]);
}

#[test]
fn one_cell_or_one_island_is_the_search_without() {
    let plain = options(12);
    let wanted = searched(&plain, &["walker"], two_valleys);
    let one_island = RoundsTable {
        islands: 1,
        ..plain.clone()
    };
    let found = searched(&one_island, &["walker"], two_valleys);
    assert_eq!(found.candidates, wanted.candidates);
    let one_cell = RoundsTable {
        cells: cells(&[1e6]),
        ..plain
    };
    let found = searched(&one_cell, &["walker"], two_valleys);
    assert_eq!(found.candidates, wanted.candidates);
    assert_eq!(found.cells.len(), 1);
}

#[test]
fn a_search_that_goes_on_from_its_record_makes_the_same_candidates() {
    let with_cells = RoundsTable {
        cells: cells(&[25.0, 50.0, 75.0]),
        ..options(20)
    };
    let with_islands = RoundsTable {
        islands: 3,
        migrate_every: 2,
        ..options(20)
    };
    for options in [with_cells, with_islands] {
        let whole = searched(&options, &["walker"], two_valleys);
        for rounds in [1, 7, 12] {
            let first = RoundsTable {
                count: rounds,
                ..options.clone()
            };
            let stopped = searched(&first, &["walker"], two_valleys);
            let record = serde_json::to_string(&stopped).unwrap();
            let kept: Archive = serde_json::from_str(&record).unwrap();
            assert!(kept.is_sound());
            let gone_on = go_on(kept, &options, two_valleys);
            assert_eq!(gone_on, whole, "{rounds}");
        }
    }
}

#[test]
fn a_round_is_shared_by_all_islands_and_an_approach_joins_the_next_one() {
    let options = RoundsTable {
        islands: 3,
        width: Width::Fixed(7),
        ..options(3)
    };
    let mut found = searched(&options, &["a", "b"], two_valleys);
    for round in 1..=3 {
        let on = |island: u32| {
            let mut all = found.candidates.iter();
            let is_of = |one: &&Candidate| one.round == round && one.island == Some(island);
            all.by_ref().filter(is_of).count()
        };
        let mut widths = [on(1), on(2), on(3)];
        widths.sort_unstable();
        assert_eq!(widths, [2, 2, 3], "round {round}");
    }
    let joining = Program {
        origin: "c".to_owned(),
        values: ["x", "y"]
            .map(|name| (name.to_owned(), "10".to_owned()))
            .into(),
        source: None,
    };
    let new = found.begin_with(vec![("c".to_owned(), joining)]);
    look(&mut found, &new, &options, two_valleys);
    let with_it: Vec<bool> = (found.islands.iter())
        .map(|members| members.contains(&new[0]))
        .collect();
    assert_eq!(with_it, [false, false, true]);
}

#[test]
fn a_candidate_without_the_reading_has_no_cell_and_a_failed_best_leaves_its_own() {
    let options = RoundsTable {
        cells: cells(&[50.0]),
        ..options(2)
    };
    let mut found = searched(&options, &["walker"], two_valleys);
    let (cell, index) = found.cells.first_key_value().unwrap();
    let (cell, index) = (*cell, *index);
    found.candidates[index].readings.remove("north");
    look_without(&mut found, index);
    assert_ne!(found.cells.get(&cell), Some(&index));
}

/// Looks at what is known once more, of which one has no readings.
fn look_without(archive: &mut Archive, without: usize) {
    let seen: Vec<(usize, Looked)> = (1..)
        .zip(0..archive.candidates.len())
        .map(|(place, index)| {
            let one = &archive.candidates[index];
            let looked = Looked {
                against: BTreeMap::new(),
                approach: String::new(),
                identity: None,
                failure: None,
                readings: one.readings.clone(),
                place: Some(place),
                fuel_place: (index != without).then_some(place),
                total: None,
                time_ns: None,
                passes: true,
            };
            (index, looked)
        })
        .collect();
    archive.fill_cells(&seen);
}
