//! E11: pairs that differ in how they allocate. Natively both use the allocator that prototypes are
//! given, in a memory of its own, so that what is compared is the work and not two allocators.

use super::families::Family;
use super::figures::{Demand, Figures, Unit};
use super::natively::{self, Allocator, Processor};
use super::ours::{self, by_ratio};
use super::quiet::Quiet;
use super::support::is_quick;
use super::{Failure, pairs};
use std::cmp::Ordering;

/// The runs of each family.
const RUNS: u64 = 5;
const RUNS_QUICK: u64 = 1;

/// The greatest factor between a ratio here and natively, either way.
const FACTOR_MAX: f64 = 1.3;

const fn family(name: &'static str, size: u32, prototypes: &'static [&'static str]) -> Family {
    Family {
        name,
        size,
        parameters: 1,
        prototypes,
        explanations: &[],
    }
}

const FAMILIES: [Family; 6] = [
    family("growing", 20_000, &["grows", "capacity"]),
    family("filtering", 40_000, &["collects", "counts"]),
    family("writing", 10_000, &["joins", "appends"]),
    family("runs", 20_000, &["grows", "pieces"]),
    family("mapping", 5_000, &["grows", "capacity", "ordered"]),
    family("trees", 5_000, &["boxes", "indexes"]),
];

/// Compares all pairs, in several runs.
pub(crate) fn allocating(figures: &mut Figures) -> Result<(), Failure> {
    let runs = if is_quick() { RUNS_QUICK } else { RUNS };
    let mut quiet = Quiet::new();
    let (mut furthest, mut reversed) = (1.0_f64, 0);
    for family in &FAMILIES {
        let natively = natively::times(family, Processor::This, Allocator::Ours)?;
        let mut here = Vec::new();
        for seed in 1..=runs {
            here.push(ours::one_race(family, seed, &mut quiet)?);
        }
        for (a, b) in pairs(family.prototypes.len()) {
            let native = natively[a] / natively[b];
            let pair = [family.prototypes[a], family.prototypes[b]];
            let verdicts = here
                .iter()
                .filter_map(|race| ours::row(race, pair[0], pair[1]));
            let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
            for verdict in verdicts {
                if let Some(ratio) = verdict.ratio {
                    least = least.min(ratio);
                    most = most.max(ratio);
                    let factor = ratio / native;
                    furthest = furthest.max(factor).max(1.0 / factor);
                }
                let order = by_ratio(native);
                let opposite = verdict.order == order.reverse();
                reversed += u32::from(order != Ordering::Equal && verdict.sure && opposite);
            }
            let name = format!("{}: {} ÷ {}", family.name, pair[0], pair[1]);
            println!("     {name:<34} {native:>6.2} natively {least:>6.2} to {most:.2} here");
        }
    }
    let what = format!("pairs that allocate, {runs} runs: sure verdicts against the native order");
    let demand = Demand::AtMost(0.0);
    figures.row("E11", &what, f64::from(reversed), Unit::One, demand);
    let what = "  greatest factor between the ratio here and natively";
    figures.row("E11", what, furthest, Unit::One, Demand::AtMost(FACTOR_MAX));
    Ok(())
}
