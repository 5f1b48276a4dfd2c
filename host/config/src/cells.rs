//! `cells` of `[rounds]`: the readings whose ranges each keep the best candidate.

use super::error::{Finding, quoted};
use super::evaluators;
use super::fields::criterion::ASSESS_PREFIX;
use super::fields::kinds::MAGNITUDE_MAX;
use super::fields::rounds::{BOUNDS, BY, CELL_SOURCES, CELLS, MIGRATE_EVERY};
use super::section::{At, Section, number};
use super::units;
use bakeoff_domain::report::{CELL_AXES_MAX, CELLS_MAX, CellAxis};
use bakeoff_domain::spec::{EVALUATOR_PREFIX, Source};
use toml::de::DeValue;

/// An example of a valid list.
const EXAMPLE: &str = CELLS.example;

/// Reads `cells`; empty if there are none, or if a finding says why they cannot be.
pub(super) fn cells(section: &mut Section<'_>, found: &mut Vec<Finding>) -> Vec<CellAxis> {
    let before = found.len();
    let wanted = format!("a list of tables: `{EXAMPLE}`");
    let Some(list) = section.array(&CELLS, &wanted, found) else {
        return Vec::new();
    };
    let mut axes: Vec<CellAxis> = Vec::new();
    for one in list.value {
        match one.value.as_table() {
            Some(table) => axes.extend(axis(Section::new("`cells`", table, one.span), found)),
            None => found.push(Finding::new(
                one.span,
                "`cells` has an element that is no table",
                "this is no reading with its bounds",
                format!("write `{EXAMPLE}`"),
            )),
        }
    }
    if found.len() > before {
        return Vec::new();
    }
    let count: usize = axes.iter().map(CellAxis::ranges).product();
    let wrong = match axes.as_slice() {
        [] => Some("`cells` is empty".to_owned()),
        more if more.len() > CELL_AXES_MAX => Some(format!(
            "`cells` go by {} readings, and {CELL_AXES_MAX} is the most",
            more.len()
        )),
        [first, second] if first.by == second.by => {
            Some(format!("`cells` go by {} twice", quoted(&first.by)))
        }
        _ if count > CELLS_MAX => Some(format!(
            "there are {count} cells, and {CELLS_MAX} is the most"
        )),
        _ => None,
    };
    match wrong {
        Some(why) => {
            let help = format!("write one or two different readings with few bounds: `{EXAMPLE}`");
            found.push(Finding::new(list.span, why, "impossible value", help));
            Vec::new()
        }
        None => axes,
    }
}

/// Refuses what says of cells and islands what cannot be; the number of parents and of islands are given if they stand there.
pub(super) fn refuse_contradictions(
    section: &Section<'_>,
    (parents, islands): (Option<u32>, Option<u32>),
    found: &mut Vec<Finding>,
) {
    let several = islands.is_some_and(|islands| islands > 1);
    let contradictions = [
        (
            MIGRATE_EVERY.key,
            !several,
            "`migrate_every` has no meaning: there is one island",
            "nobody to copy to",
            "add `islands = 3`, or remove the key",
        ),
        (
            CELLS.key,
            several,
            "`cells` and `islands` are two ways to keep different programs in play",
            "beside `islands`",
            "choose one of them, and remove the other",
        ),
        (
            CELLS.key,
            parents == Some(1),
            "with `cells`, the first parent is the best of all, and others are drawn from cells: one parent leaves none to draw",
            "beside `parents = 1`",
            "write `parents = 3`, or remove `cells`",
        ),
    ];
    for (key, is_wrong, message, label, help) in contradictions {
        if let Some(place) = section.key(key).filter(|_| is_wrong) {
            found.push(Finding::new(place, message, label, help));
        }
    }
}

/// Reads a reading that makes cells.
fn axis(mut table: Section<'_>, found: &mut Vec<Finding>) -> Option<CellAxis> {
    let by = table.text(&BY, found);
    table.missing_field(&BY, "it says which reading makes cells", found);
    let by = by.and_then(|by| source(&by, found));
    let bounds = table.array(&BOUNDS, "a list of numbers in ascending order", found);
    let why = "it says where one cell ends and the next begins";
    table.missing_field(&BOUNDS, why, found);
    table.close(found);
    let (by, bounds) = (by?, bounds?);
    let is_bytes = matches!(by.as_str(), "peak-memory" | "component-size");
    let read: Option<Vec<f64>> = (bounds.value.iter())
        .map(|one| bound(one.value, is_bytes))
        .collect();
    let read = read.filter(|list| {
        !list.is_empty()
            && list.len() < CELLS_MAX
            && list.iter().all(|one| one.abs() <= MAGNITUDE_MAX)
            && list.is_sorted_by(|low, high| low < high)
    });
    if read.is_none() {
        let bytes = if is_bytes {
            ", or amounts like \"1 MiB\""
        } else {
            ""
        };
        found.push(Finding::new(
            bounds.span,
            format!("`bounds` of {} are no bounds", quoted(&by)),
            "impossible value",
            format!(
                "write 1 to {} numbers in ascending order, of up to {MAGNITUDE_MAX:e}{bytes}: `bounds = [20, 40, 80]`",
                CELLS_MAX - 1
            ),
        ));
    }
    Some(CellAxis { by, bounds: read? })
}

/// Reads a bound; of bytes also with a unit.
fn bound(value: &DeValue<'_>, is_bytes: bool) -> Option<f64> {
    if let (Some(text), true) = (value.as_str(), is_bytes) {
        return units::bytes(text).ok().map(|bytes| bytes as f64);
    }
    number(value).map(|number| number.to_f64())
}

/// Reads the source of a reading that is known before anything is timed.
fn source(by: &At<&str>, found: &mut Vec<Finding>) -> Option<String> {
    let name = by.value;
    if CELL_SOURCES.contains(&name) {
        return Some(name.to_owned());
    }
    if let Some(criterion) = name.strip_prefix(EVALUATOR_PREFIX) {
        let source = evaluators::source(criterion, &by.span, found)?;
        return Some(Source::Evaluator(source).name());
    }
    if name
        .strip_prefix(ASSESS_PREFIX)
        .is_some_and(|name| !name.is_empty())
    {
        return Some(name.to_owned());
    }
    let is_late = Source::BUILT_IN.iter().any(|(known, _)| *known == name);
    let why = if is_late || name == "judge" {
        format!(
            "{} is not known when a candidate gets its cell",
            quoted(name)
        )
    } else {
        format!("no reading is called {}", quoted(name))
    };
    found.push(Finding::new(
        by.span.clone(),
        why,
        "no reading for cells",
        format!(
            "it is one of {}, assess:NAME or evaluator:NAME",
            CELL_SOURCES.join(", ")
        ),
    ));
    None
}

#[cfg(test)]
mod tests {
    use super::super::experiment::decode;
    use super::*;

    fn read(list: &str) -> (Vec<CellAxis>, String) {
        let text = format!(
            "name = \"x\"\nproblem = \"y\"\n[interface]\nwit = \"wit\"\ncall = \"f\"\n[workload]\nsource = \"w.rs\"\n\
             sizes = [9]\n[[approach]]\nname = \"a\"\nsource = \"a.rs\"\n[rounds]\ncells = {list}\n"
        );
        let decoded = decode(&text);
        let found: Vec<String> = decoded.found.into_iter().map(|one| one.message).collect();
        let cells = decoded.rounds.map(|rounds| rounds.cells);
        (cells.unwrap_or_default(), found.join("\n"))
    }

    #[test]
    fn cells_have_one_or_two_readings_with_bounds() {
        let (cells, found) = read(
            "[{ by = \"assess:turns\", bounds = [1, 2.5] }, { by = \"peak-memory\", bounds = [\"1 MiB\", \"4 MiB\"] }]",
        );
        assert_eq!(found, "");
        let shown: Vec<(&str, &[f64])> = cells
            .iter()
            .map(|axis| (axis.by.as_str(), axis.bounds.as_slice()))
            .collect();
        let mebibyte = f64::from(1 << 20);
        assert_eq!(
            shown,
            [
                ("assess:turns", &[1.0, 2.5][..]),
                ("peak-memory", &[mebibyte, 4.0 * mebibyte][..])
            ]
        );
    }

    #[test]
    fn what_makes_no_cells_is_named() {
        for (list, why) in [
            ("[]", "`cells` is empty"),
            ("7", "`cells` in"),
            ("[7]", "an element that is no table"),
            (
                "[{ by = \"fuel\", bounds = [1] }, { by = \"source-lines\", bounds = [1] }, \
                 { by = \"peak-memory\", bounds = [1] }]",
                "go by 3 readings",
            ),
            ("[{ bounds = [1] }]", "`by` is missing"),
            ("[{ by = \"fuel\" }]", "`bounds` is missing"),
            ("[{ by = \"fuel\", bounds = [] }]", "are no bounds"),
            ("[{ by = \"fuel\", bounds = [2, 1] }]", "are no bounds"),
            ("[{ by = \"fuel\", bounds = [1, 1] }]", "are no bounds"),
            ("[{ by = \"fuel\", bounds = [nan] }]", "are no bounds"),
            ("[{ by = \"fuel\", bounds = [\"1 MiB\"] }]", "are no bounds"),
            ("[{ by = \"time\", bounds = [1] }]", "is not known when"),
            ("[{ by = \"luck\", bounds = [1] }]", "no reading is called"),
            (
                "[{ by = \"assess:\", bounds = [1] }]",
                "no reading is called",
            ),
            (
                "[{ by = \"fuel\", bounds = [1], width = 3 }]",
                "does not know the key",
            ),
            (
                "[{ by = \"fuel\", bounds = [1] }, { by = \"fuel\", bounds = [2] }]",
                "go by `fuel` twice",
            ),
            (
                "[{ by = \"fuel\", bounds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }, \
                 { by = \"source-lines\", bounds = [1, 2, 3, 4, 5, 6, 7, 8, 9] }]",
                "there are 110 cells",
            ),
        ] {
            let (cells, found) = read(list);
            assert!(found.contains(why), "{list}: {found}");
            assert_eq!(cells, [], "{list}");
        }
    }
}
