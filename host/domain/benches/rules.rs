//! What single rules of the verdicts are worth: obvious differences (E16), total times (E17), what each rule costs and
//! saves (E18), and whether advice is true (E19).
//!
//! ```text
//! cargo bench -p bakeoff-domain --bench rules [-- [RACES] [e19] [--json FILE]]
//! ```
//!
//! 1,000 races a row unless said otherwise, E19 alone with `e19`; rows of E16 say how many they have. Everything follows from seeds and
//! `trace/busy.trace`.

mod ablation;
mod bulk;
mod figures;
mod machine;
mod obvious;
mod prospects;
mod random;
mod recorded;
mod tails;
mod trace;

use figures::Figures;
use trace::Trace;

/// The trace that ships.
const BUSY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/trace/busy.trace");
/// Races of a row unless the command line says otherwise.
const RACES: u64 = 1_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let races = std::env::args().find_map(|argument| argument.parse().ok());
    let races: u64 = races.unwrap_or(RACES).max(10);
    let bytes = std::fs::read(BUSY).map_err(|error| format!("{BUSY}: {error}"))?;
    let trace = Trace::read(&bytes).map_err(|error| format!("{BUSY}: {error}"))?;
    let mut figures = Figures::begin();
    if std::env::args().any(|argument| argument == "e19") {
        prospects::advice(&trace, races, &mut figures);
        return Ok(figures.finish()?);
    }
    // False claims by blocks are rare: many races are needed to see any, and each is short.
    obvious::identical(20 * races, &mut figures);
    obvious::recorded(&trace, 4 * races, &mut figures);
    obvious::differences(races, &mut figures);
    ablation::rules(&trace, races, &mut figures);
    tails::against_totals(races / 5, &mut figures);
    prospects::advice(&trace, races, &mut figures);
    Ok(figures.finish()?)
}
