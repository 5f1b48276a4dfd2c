//! E4: is what is faster here also faster natively? Seven families of algorithms, each prototype
//! built from one source by bakeoff and by `rustc -O`, the latter twice: for any x86-64, which is what
//! it does by default, and for this processor, which components are compiled for as well.
//!
//! ```text
//! cargo bench -p bakeoff --bench native -- [FAMILY …] [--json FILE] [--quick]
//! ```
//!
//! The sources stand in `host/benches/families`. Natively every prototype runs in processes of its
//! own that take turns, and counts with the quickest call on each input; ours is what `bakeoff run`
//! reports. Kendall's τ_b is over all pairs that are more than 2 δ (2 %) apart natively; a pair is
//! tied on our side if it is called a tie, or is not sure and within 2 δ. Run it on a quiet machine.
//! Every pair whose order differs is listed, with the explanation that was found for it, if there is
//! one.

mod families;
#[path = "../../domain/benches/figures/mod.rs"]
mod figures;
mod natively;
mod ours;
#[path = "../support/quick.rs"]
mod quick;

use families::{FAMILIES, Family};
use figures::{Demand, Figures, Unit};
use natively::Processor;
use ours::Verdict;
use std::cmp::Ordering;

/// Pairs nearer than this natively do not count: 2 δ.
const APART: f64 = 1.02;
/// What τ_b has to be.
const TAU_MIN: f64 = 0.9;

/// Anything that keeps a bench from going on, in words.
type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let named: Vec<String> = std::env::args().skip(1).collect();
    let named = |family: &&Family| named.iter().any(|name| name == family.name);
    let some_named = FAMILIES.iter().any(|family| named(&family));
    let mut figures = Figures::begin();
    let mut sides = [
        Side::new(Processor::Any, "any x86-64"),
        Side::new(Processor::This, "this processor"),
    ];
    for family in FAMILIES
        .iter()
        .filter(|family| !some_named || named(family))
    {
        let mut natively = Vec::new();
        for side in &sides {
            natively.push(natively::times(family, side.processor)?);
        }
        let ours = ours::verdicts(family)?;
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
            println!(" natively {here:>6.2} here {unsure}");
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

/// What is found out natively, and how it goes with what is found out here.
struct Side {
    processor: Processor,
    name: &'static str,
    all: Agreement,
    unexplained: Agreement,
    /// Sure verdicts that are the other way round natively.
    opposed: u32,
    /// Pairs whose order differs, in words.
    differ: Vec<String>,
}

impl Side {
    fn new(processor: Processor, name: &'static str) -> Self {
        Self {
            processor,
            name,
            all: Agreement::default(),
            unexplained: Agreement::default(),
            opposed: 0,
            differ: Vec::new(),
        }
    }

    /// Holds our verdict on a pair against its native ratio.
    fn hold(&mut self, verdict: &Verdict, ratio: f64, name: &str, why: Option<&str>) {
        if ratio.max(1.0 / ratio) <= APART {
            return;
        }
        let (here, natively) = (verdict.order, ratio.total_cmp(&1.0));
        self.all.count(here, natively);
        if why.is_none() {
            self.unexplained.count(here, natively);
        }
        self.opposed += u32::from(verdict.sure && here == natively.reverse());
        if here != natively {
            let (why, ours) = (why.unwrap_or("not explained yet"), verdict.ratio);
            let ours = ours.unwrap_or(f64::NAN);
            let told = format!("{name}: {ratio:.2} natively, {ours:.2} here: {why}");
            self.differ.push(told);
        }
    }

    fn show(&self, figures: &mut Figures) {
        let count = |count: u32| f64::from(count);
        let what = format!("{}: Kendall's τ_b of {} pairs", self.name, self.all.pairs());
        let demand = Demand::AtLeast(TAU_MIN);
        figures.row("E4", &what, self.all.tau_b(), Unit::One, demand);
        let what = "  pairs that agree";
        let share = 100.0 * count(self.all.concordant) / count(self.all.pairs().max(1));
        figures.row("", what, share, Unit::PerCent, Demand::None);
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

/// How often both sides say the same of a pair that is not tied natively.
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

    /// (C − D) / √((C + D + T) (C + D)): ties are on our side only (Kendall 1945). 1 if nothing
    /// counts.
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
