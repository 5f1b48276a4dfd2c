//! E4: is what is faster here also faster natively? Seven families of algorithms, each prototype
//! built twice from one source: by bakeoff, and by `rustc -O` for this machine.
//!
//! ```text
//! cargo bench -p bakeoff --bench native -- [FAMILY …] [--json FILE] [--quick]
//! ```
//!
//! The sources stand in `host/benches/families`. Natively every prototype runs in processes of its
//! own that take turns, and counts with the median over the processes of its quickest call; ours is
//! what `bakeoff run` reports. Kendall's τ_b is over all pairs that are more than 2 δ (2 %) apart
//! natively; a pair is tied on our side if it is called a tie, or is not sure and within 2 δ. Run it
//! on a quiet machine. Every pair whose order differs is listed, with the explanation that was found
//! for it, if there is one.

mod families;
#[path = "../../domain/benches/figures/mod.rs"]
mod figures;
mod natively;
mod ours;
#[path = "../support/mod.rs"]
mod support;

use families::{FAMILIES, Family};
use figures::{Demand, Figures, Unit};
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
    let mut all = Agreement::default();
    let mut unexplained = Agreement::default();
    let (mut disagreements, mut opposed) = (Vec::new(), 0_u32);
    for family in FAMILIES
        .iter()
        .filter(|family| !some_named || named(family))
    {
        let native = natively::times(family)?;
        let ours = ours::verdicts(family)?;
        let mut agreement = Agreement::default();
        for (a, b) in pairs(family.prototypes.len()) {
            let ratio = native[a] / native[b];
            let verdict = &ours[&(a, b)];
            let pair = [family.prototypes[a], family.prototypes[b]];
            println!(
                "     {:<36} {ratio:>8.2} natively {:>8.2} here {}",
                format!("{}: {} ÷ {}", family.name, pair[0], pair[1]),
                verdict.ratio.unwrap_or(f64::NAN),
                if verdict.sure { "" } else { "(not sure)" }
            );
            if ratio.max(1.0 / ratio) <= APART {
                continue;
            }
            let here = verdict.order;
            let natively = ratio.total_cmp(&1.0);
            agreement.count(here, natively);
            let why = family.explanation(pair);
            if why.is_none() {
                unexplained.count(here, natively);
            }
            opposed += u32::from(verdict.sure && here == natively.reverse());
            if here != natively {
                let why = why.unwrap_or("not explained yet");
                disagreements.push(format!(
                    "{}: {} ÷ {}: {ratio:.2} natively, {:.2} here: {why}",
                    family.name,
                    pair[0],
                    pair[1],
                    verdict.ratio.unwrap_or(f64::NAN)
                ));
            }
        }
        let what = format!("{}: pairs that agree", family.name);
        let share = 100.0 * f64::from(agreement.concordant) / f64::from(agreement.pairs().max(1));
        figures.row("E4", &what, share, Unit::PerCent, Demand::None);
        all.add(&agreement);
    }
    let what = "all families: Kendall's τ_b";
    let demand = Demand::AtLeast(TAU_MIN);
    figures.row("E4", what, all.tau_b(), Unit::One, demand);
    let what = "  without pairs whose difference is explained";
    figures.row("", what, unexplained.tau_b(), Unit::One, Demand::None);
    let what = "orders that differ and are not explained";
    let count = f64::from(unexplained.discordant + unexplained.tied);
    figures.row("E4", what, count, Unit::One, Demand::AtMost(0.0));
    let what = "sure verdicts that are the other way round natively";
    let count = f64::from(opposed);
    figures.row("", what, count, Unit::One, Demand::None);
    println!("\nOrders that differ: {}", disagreements.len());
    for disagreement in disagreements {
        println!(" • {disagreement}");
    }
    Ok(figures.finish()?)
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

    fn add(&mut self, other: &Self) {
        self.concordant += other.concordant;
        self.discordant += other.discordant;
        self.tied += other.tied;
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
