//! Fuel by function: where in a source the fuel of its calls goes. It is counted in a build of its own, and never in
//! calls that are timed.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most functions that are named: the largest.
const FUNCTIONS_MAX: usize = 8;

/// The least share of the fuel of a function that is named.
const SHARE_MIN: f64 = 0.01;

/// The longest name of a function, in characters.
const NAME_CHARS_MAX: usize = 100;

/// The name for code that stands at no line of the source.
const LIBRARIES: &str = "libraries";

/// The pieces of a component's code whose passes are counted, and the functions of its source that they are of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FuelMap {
    /// Number of counters.
    pub points: u32,
    /// The functions of the source that have code.
    pub functions: Vec<SourceFunction>,
    /// Units of fuel at the points, each as often as it has functions.
    pub pieces: Vec<PieceFuel>,
}

/// A function of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFunction {
    /// Name of the function; empty for code of the source that is in none.
    pub name: String,
    /// The first line, from 1.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

/// Fuel of a piece of code that one function has in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PieceFuel {
    /// The point of the piece.
    pub point: u32,
    /// The index of the function; `None` for code at no line of the source.
    pub function: Option<u32>,
    /// Units of fuel of a pass.
    pub units: u32,
}

/// Fuel of calls by the functions of a source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FuelByFunction {
    /// Units of fuel of all calls, as far as code was counted.
    pub fuel: u64,
    /// The functions with the most of it, the largest first. Code at no line of the source has the name `libraries`
    /// and no lines.
    pub functions: Vec<FunctionFuel>,
}

/// Fuel of calls in one function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FunctionFuel {
    /// Name of the function: `relax`, or `Grid::step`.
    pub function: String,
    /// First and last line of the function in the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<[u32; 2]>,
    /// Share of the fuel, from 0 to 1, without that of functions that it calls.
    pub share: f64,
}

impl FuelMap {
    /// Returns the fuel of calls that passed each point so often. Where the code has no source nothing is told but the
    /// sum.
    pub fn by_function(&self, counts: &[u64]) -> FuelByFunction {
        let mut by_function: BTreeMap<Option<u32>, u64> = BTreeMap::new();
        for piece in &self.pieces {
            let count = counts.get(piece.point as usize).copied().unwrap_or(0);
            let fuel = by_function.entry(piece.function).or_default();
            *fuel = fuel.saturating_add(count.saturating_mul(u64::from(piece.units)));
        }
        let all = by_function
            .values()
            .fold(0_u64, |all, fuel| all.saturating_add(*fuel));
        let mut functions = Vec::new();
        for (index, fuel) in by_function {
            let share = fuel as f64 / all.max(1) as f64;
            let known = index.map(|index| self.functions.get(index as usize));
            // A number that no function has is damage.
            let (Some(function), true) = (
                known.map_or(Some(None), |one| one.map(Some)),
                share >= SHARE_MIN,
            ) else {
                continue;
            };
            functions.push(FunctionFuel {
                function: function.map_or_else(|| LIBRARIES.to_owned(), SourceFunction::shown_name),
                lines: function.map(|one| [one.first, one.last]),
                share: (share * 1e3).round() / 1e3,
            });
        }
        // Of equals the first ones of the source come first, and libraries last.
        functions.sort_by(|a, b| {
            let place = |one: &FunctionFuel| one.lines.map_or(u32::MAX, |[first, _]| first);
            b.share.total_cmp(&a.share).then(place(a).cmp(&place(b)))
        });
        if self.functions.is_empty() {
            functions.clear();
        }
        functions.truncate(FUNCTIONS_MAX);
        FuelByFunction {
            fuel: all,
            functions,
        }
    }
}

impl SourceFunction {
    /// Returns the name as it is told: without what a terminal obeys, and not too long.
    fn shown_name(&self) -> String {
        let visible = |c: char| if c.is_control() { ' ' } else { c };
        let name: String = self
            .name
            .chars()
            .take(NAME_CHARS_MAX)
            .map(visible)
            .collect();
        if name.is_empty() {
            "in no function".to_owned()
        } else {
            name
        }
    }
}

impl FunctionFuel {
    /// Returns the share in words: `71 % in relax (lines 12–19)`.
    pub fn sentence(&self) -> String {
        let percent = (self.share * 100.0).round();
        match self.lines {
            None => format!("{percent} % in {}", self.function),
            Some([first, last]) if first == last => {
                format!("{percent} % in {} (line {first})", self.function)
            }
            Some([first, last]) => {
                format!("{percent} % in {} (lines {first}–{last})", self.function)
            }
        }
    }
}

impl FuelByFunction {
    /// Returns the shares in words, the largest first; `None` where nothing is known of functions.
    pub fn sentence(&self) -> Option<String> {
        let shares: Vec<String> = self.functions.iter().map(FunctionFuel::sentence).collect();
        (!shares.is_empty()).then(|| shares.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(name: &str, first: u32, last: u32) -> SourceFunction {
        SourceFunction {
            name: name.to_owned(),
            first,
            last,
        }
    }

    fn piece(point: u32, function: Option<u32>, units: u32) -> PieceFuel {
        PieceFuel {
            point,
            function,
            units,
        }
    }

    #[test]
    fn fuel_is_counted_by_function_and_the_largest_comes_first() {
        let map = FuelMap {
            points: 3,
            functions: vec![function("solve", 1, 9), function("Grid::step", 12, 19)],
            pieces: vec![
                piece(0, Some(0), 10),
                piece(0, None, 5),
                piece(1, Some(1), 7),
                piece(2, Some(0), 1_000),
            ],
        };
        let fuel = map.by_function(&[2, 10, 0]);
        assert_eq!(fuel.fuel, 100);
        assert_eq!(
            fuel.sentence().unwrap(),
            "70 % in Grid::step (lines 12–19), 20 % in solve (lines 1–9), 10 % in libraries"
        );
        // Where a source does next to nothing itself, that is told.
        let sorting = FuelMap {
            points: 1,
            pieces: vec![piece(0, Some(0), 1), piece(0, None, 999)],
            ..map.clone()
        };
        let shares = sorting.by_function(&[1]).sentence();
        assert_eq!(shares.unwrap(), "100 % in libraries");
        // Calls that passed nothing, and counts of points that there are not.
        assert_eq!(map.by_function(&[]), FuelByFunction::default());
        assert_eq!(map.by_function(&[u64::MAX; 9]).fuel, u64::MAX);
    }

    #[test]
    fn small_shares_and_more_than_eight_functions_are_left_out() {
        let functions: Vec<SourceFunction> = (0..20)
            .map(|one| function(&format!("f{one}"), one + 1, one + 1))
            .collect();
        let pieces = (0..20).map(|one| piece(one, Some(one), 1));
        let map = FuelMap {
            points: 20,
            functions,
            pieces: pieces.collect(),
        };
        let mut counts = [100_u64; 20];
        (counts[3], counts[4]) = (900, 1);
        let fuel = map.by_function(&counts);
        let names: Vec<&str> = fuel.functions.iter().map(|one| &*one.function).collect();
        assert_eq!(names, ["f3", "f0", "f1", "f2", "f5", "f6", "f7", "f8"]);
        assert_eq!(fuel.functions[1].sentence(), "4 % in f0 (line 1)");
        let few = map.by_function(&[990, 9, 1]);
        assert_eq!(few.functions.len(), 1, "{few:?}");
    }

    #[test]
    fn names_are_data_and_without_a_source_nothing_is_told_but_the_sum() {
        let long = "ü".repeat(1_000);
        let map = FuelMap {
            points: 2,
            functions: vec![
                function(&format!("\u{1b}[2J{long}"), 1, 1),
                function("", 3, 3),
            ],
            pieces: vec![piece(0, Some(0), 1), piece(1, Some(1), 1)],
        };
        let fuel = map.by_function(&[2, 1]);
        let name = &fuel.functions[0].function;
        assert!(name.chars().count() == NAME_CHARS_MAX && !name.contains('\u{1b}'));
        assert_eq!(fuel.functions[1].function, "in no function");
        let bare = FuelMap {
            pieces: vec![piece(0, None, 3), piece(1, Some(7), 1)],
            functions: Vec::new(),
            ..map
        };
        assert_eq!(
            bare.by_function(&[2, 4]),
            FuelByFunction {
                fuel: 10,
                functions: Vec::new()
            }
        );
    }
}
