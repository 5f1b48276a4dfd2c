//! E4: the agreement between bakeoff's order of prototypes and their native order. Ten families of
//! algorithms, each prototype built from one source by bakeoff and by `rustc -O`, the latter three
//! times: for any x86-64 processor, which is its default; for this processor, which components are
//! compiled for as well; and for this one with the allocator that prototypes are given.
//!
//! ```text
//! cargo bench -p bakeoff --bench native -- [FAMILY …] [--json FILE] [--quick]
//! cargo bench -p bakeoff --bench native -- natively [FAMILY …] [--json FILE] [--quick]
//! cargo bench -p bakeoff --bench native -- allocating [--json FILE] [--quick]
//! ```
//!
//! `natively` holds what `bakeoff run --natively` says of each pair against both.
//!
//! `allocating` is E11: pairs that differ in how they allocate, with one allocator on both sides.
//!
//! The sources are in `host/benches/families`. The native time of a prototype is that of its
//! quickest call on each input, in processes of its own that alternate; ours is what `bakeoff run`
//! reports. Kendall's τ_b is over all pairs that are more than 2 δ (2 %) apart natively; a pair is
//! tied on our side if its verdict is a tie, or is not sure and within 2 δ. Every pair whose order
//! differs is listed, with the explanation that was found for it, if there is one.
//!
//! Quickest calls are undisturbed ones, but a report includes the disturbances of the machine. So
//! τ_b is also given for the ratios in those replicas alone that had a quiet core.

mod allocating;
mod both;
mod families;
#[path = "../../domain/benches/figures/mod.rs"]
mod figures;
mod natively;
mod ours;
mod quiet;
#[path = "../support/mod.rs"]
mod support;

use families::{FAMILIES, Family};
use figures::{Demand, Figures, Unit};
use natively::{Allocator, Processor};
use ours::{Verdict, by_ratio};
use quiet::Quiet;
use std::cmp::Ordering;

/// The least native ratio of a pair that counts: 2 δ.
const APART: f64 = 1.02;
/// The demand on τ_b.
const TAU_MIN: f64 = 0.9;

/// Any error that ends the bench.
type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let named: Vec<String> = std::env::args().skip(1).collect();
    if named.iter().any(|name| name == "allocating") {
        let mut figures = Figures::begin();
        allocating::allocating(&mut figures)?;
        return Ok(figures.finish()?);
    }
    if named.iter().any(|name| name == "natively") {
        let mut figures = Figures::begin();
        both::both(&named, &mut figures)?;
        return Ok(figures.finish()?);
    }
    let named = |family: &&Family| named.iter().any(|name| name == family.name);
    let some_named = FAMILIES.iter().any(|family| named(&family));
    let mut quiet = Quiet::new();
    let mut figures = Figures::begin();
    let mut sides = [
        Side::new(Processor::Any, Allocator::System, "any x86-64"),
        Side::new(Processor::This, Allocator::System, "this processor"),
        Side::new(Processor::This, Allocator::Ours, "this, our allocator"),
    ];
    for family in FAMILIES
        .iter()
        .filter(|family| !some_named || named(family))
    {
        let mut natively = Vec::new();
        for side in &sides {
            natively.push(natively::times(family, side.processor, side.allocator)?);
        }
        let ours = ours::verdicts(family, &mut quiet)?;
        for (a, b) in pairs(family.prototypes.len()) {
            let verdict = &ours[&(a, b)];
            let pair = [family.prototypes[a], family.prototypes[b]];
            let name = format!("{}: {} ÷ {}", family.name, pair[0], pair[1]);
            let here = verdict.ratio.unwrap_or(f64::NAN);
            let unsure = if verdict.sure { "" } else { "(not sure)" };
            print!("     {name:<34}");
            for (side, times) in sides.iter_mut().zip(&natively) {
                let ratio = times[a] / times[b];
                print!(" {ratio:>6.2}");
                side.hold(verdict, ratio, &name, family.explanation(pair));
            }
            let quiet = verdict.quiet.unwrap_or(f64::NAN);
            println!(" natively {here:>6.2} here, {quiet:>6.2} on a quiet core {unsure}");
        }
    }
    for side in &sides {
        side.show(&mut figures);
    }
    for side in &sides {
        println!("\nOrders that differ, {}: {}", side.name, side.differ.len());
        for difference in &side.differ {
            println!(" • {difference}");
        }
    }
    Ok(figures.finish()?)
}

/// The native times of one target, compared with our verdicts.
struct Side {
    processor: Processor,
    allocator: Allocator,
    name: &'static str,
    /// The agreement of the ratios as reported.
    reported: Agreement,
    /// The agreement of the ratios in replicas with a quiet core.
    quiet: Agreement,
    /// The same without pairs whose difference is explained.
    unexplained: Agreement,
    /// The number of sure verdicts that are the opposite natively.
    opposed: u32,
    /// The pairs whose order differs, as text.
    differ: Vec<String>,
}

impl Side {
    fn new(processor: Processor, allocator: Allocator, name: &'static str) -> Self {
        Self {
            processor,
            allocator,
            name,
            reported: Agreement::default(),
            quiet: Agreement::default(),
            unexplained: Agreement::default(),
            opposed: 0,
            differ: Vec::new(),
        }
    }

    /// Compares our verdict on a pair with its native ratio.
    fn hold(&mut self, verdict: &Verdict, ratio: f64, name: &str, why: Option<&str>) {
        let (here, natively) = (verdict.order, by_ratio(ratio));
        if natively == Ordering::Equal {
            return;
        }
        let quiet = verdict.quiet.map_or(here, by_ratio);
        self.reported.count(here, natively);
        self.quiet.count(quiet, natively);
        if why.is_none() {
            self.unexplained.count(quiet, natively);
        }
        self.opposed += u32::from(verdict.sure && here == natively.reverse());
        if here != natively || quiet != natively {
            let why = match (why, quiet == natively) {
                (_, true) => "not so on a quiet core",
                (Some(why), false) => why,
                (None, false) => "not explained yet",
            };
            let shown = |ratio: Option<f64>| ratio.unwrap_or(f64::NAN);
            self.differ.push(format!(
                "{name}: {ratio:.2} natively, {:.2} here, {:.2} on a quiet core: {why}",
                shown(verdict.ratio),
                shown(verdict.quiet)
            ));
        }
    }

    fn show(&self, figures: &mut Figures) {
        let count = |count: u32| f64::from(count);
        let demand = Demand::AtLeast(TAU_MIN);
        for (agreement, of) in [
            (&self.reported, "as reported"),
            (&self.quiet, "on a quiet core"),
        ] {
            let (name, pairs) = (self.name, agreement.pairs());
            let what = format!("{name}, {of}: Kendall's τ_b of {pairs} pairs");
            figures.row("E4", &what, agreement.tau_b(), Unit::One, demand);
            let share = 100.0 * count(agreement.concordant) / count(pairs.max(1));
            let what = "  pairs that agree";
            figures.row("", what, share, Unit::PerCent, Demand::None);
        }
        let what = "  without pairs whose difference is explained";
        figures.row("", what, self.unexplained.tau_b(), Unit::One, Demand::None);
        let what = "  orders that differ and are not explained";
        let left = count(self.unexplained.discordant + self.unexplained.tied);
        figures.row("E4", what, left, Unit::One, Demand::AtMost(0.0));
        let what = "  sure verdicts that are the other way round natively";
        figures.row("", what, count(self.opposed), Unit::One, Demand::None);
    }
}

fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |a| (a + 1..count).map(move |b| (a, b)))
}

/// The number of pairs, not tied natively, on which both sides agree or differ.
#[derive(Default)]
struct Agreement {
    concordant: u32,
    discordant: u32,
    tied: u32,
}

impl Agreement {
    fn count(&mut self, here: Ordering, natively: Ordering) {
        match here {
            Ordering::Equal => self.tied += 1,
            _ if here == natively => self.concordant += 1,
            _ => self.discordant += 1,
        }
    }

    fn pairs(&self) -> u32 {
        self.concordant + self.discordant + self.tied
    }

    /// Returns Kendall's τ_b, (C − D)
    /// √((C + D + T) (C + D)): ties are on our side only (Kendall 1945). 1 if no pair counts.
    fn tau_b(&self) -> f64 {
        let decided = f64::from(self.concordant + self.discordant);
        let all = f64::from(self.pairs());
        match all > 0.0 && decided > 0.0 {
            true => {
                (f64::from(self.concordant) - f64::from(self.discordant)) / (all * decided).sqrt()
            }
            false => 1.0,
        }
    }
}
