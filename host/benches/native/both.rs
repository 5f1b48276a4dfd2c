//! `run --natively` on the families: how many orders of components that are other ones by `rustc -O` it corrects.
//!
//! The native order of a pair is that of the quickest calls of programs by `rustc -O`, for any x86-64 and with the system's
//! allocator, as in the rest of this bench, and counts if it is more than 2 δ away from 1. Verdicts are those of one run of
//! each family, of the components and of the programs.

use super::families::{FAMILIES, Family};
use super::figures::{Demand, Figures, Unit};
use super::natively::{self, Allocator, Processor};
use super::ours::{Verdict, by_ratio, one_race_both, row};
use super::{Failure, pairs};
use serde_json::Value;
use std::cmp::Ordering;

/// Numbers of pairs that are apart natively.
#[derive(Default)]
struct Counts {
    /// All of them.
    all: u32,
    /// With a sure order as components, as programs, and as both.
    sure: [u32; 3],
    /// With two sure orders that differ.
    opposite: u32,
    /// Pairs whose sure or estimated order as components is another one than natively.
    wrong: u32,
    /// Of these, whose sure order as programs is the native one.
    corrected: u32,
    /// Of these, without a sure order as programs.
    no_call: u32,
    /// Of these, whose sure order as programs is not the native one either.
    kept: u32,
    /// Pairs whose order as components is the native one, and whose sure order as programs is not.
    spoilt: u32,
}

/// Runs the families, or those that are named.
pub(crate) fn both(named: &[String], figures: &mut Figures) -> Result<(), Failure> {
    let is_named = |family: &&Family| named.iter().any(|name| name == family.name);
    let some_named = FAMILIES.iter().any(|family| is_named(&family));
    let mut counts = Counts::default();
    for family in FAMILIES
        .iter()
        .filter(|family| !some_named || is_named(family))
    {
        let times = natively::times(family, Processor::Any, Allocator::System)?;
        let report = one_race_both(family, 1)?;
        for (a, b) in pairs(family.prototypes.len()) {
            let pair = [family.prototypes[a], family.prototypes[b]];
            counts.take(family, pair, times[a] / times[b], &report);
        }
    }
    counts.show(figures);
    Ok(())
}

impl Counts {
    fn take(&mut self, family: &Family, pair: [&str; 2], native: f64, report: &Value) {
        let of = |report: &Value| row(report, pair[0], pair[1]);
        let (components, programs) = (of(report), of(&report["natively"]));
        let shown = |verdict: &Option<Verdict>| match verdict {
            Some(verdict) => format!(
                "{:.2}{}",
                verdict.ratio.unwrap_or(f64::NAN),
                if verdict.sure { "" } else { " (not sure)" }
            ),
            None => "–".to_owned(),
        };
        println!(
            "     {}: {} ÷ {}: {native:.2} by rustc, {} as components, {} by --natively",
            family.name,
            pair[0],
            pair[1],
            shown(&components),
            shown(&programs)
        );
        let wanted = by_ratio(native);
        if wanted == Ordering::Equal {
            return;
        }
        self.all += 1;
        let sure = |verdict: &Option<Verdict>| {
            let sure = verdict.as_ref().filter(|verdict| verdict.sure);
            sure.map(|verdict| verdict.order)
                .filter(|order| *order != Ordering::Equal)
        };
        let (as_component, as_program) = (sure(&components), sure(&programs));
        let both = as_component.zip(as_program);
        let known = [as_component.is_some(), as_program.is_some(), both.is_some()];
        for (count, known) in self.sure.iter_mut().zip(known) {
            *count += u32::from(known);
        }
        self.opposite += u32::from(both.is_some_and(|(one, other)| one != other));
        let order = components.map_or(Ordering::Equal, |verdict| verdict.order);
        if order == wanted {
            self.spoilt += u32::from(as_program == Some(wanted.reverse()));
            return;
        }
        self.wrong += 1;
        match as_program {
            Some(order) if order == wanted => self.corrected += 1,
            Some(_) => self.kept += 1,
            None => self.no_call += 1,
        }
    }

    fn show(&self, figures: &mut Figures) {
        let mut row = |what: &str, count: u32| {
            figures.row("E4", what, f64::from(count), Unit::One, Demand::None);
        };
        row("--natively: pairs that are apart by rustc -O", self.all);
        row("  with a sure order as components", self.sure[0]);
        row("  with a sure order natively", self.sure[1]);
        row("  with both", self.sure[2]);
        row("  with two sure orders that differ", self.opposite);
        row("  of another order as components", self.wrong);
        row("    corrected by --natively", self.corrected);
        row("    of which it makes no call", self.no_call);
        row("    not corrected", self.kept);
        row("  right as components and surely not natively", self.spoilt);
    }
}
