//! `bakeoff compare REVISION REVISION --package NAME` on a public crate with a change that is known, and on functions of which
//! none changed.
//!
//! ```text
//! cargo bench -p bakeoff --bench revisions [-- [public | unchanged] [--runs N] [--budget TIME] [--quick] [--json FILE]]
//! ```
//!
//! `public`: two versions of `strsim`, fetched by cargo from crates.io, as two revisions of a repository. The changelog of the
//! later one says which functions take less time; a loop around each, built by cargo for this machine, says how much.
//! Whether the verdict says the same, in both directions: what became faster is a regression the other way round.
//!
//! `unchanged`: twenty functions, `N` times (40), with so much time for each (1 s). Once their file only moved, so that all
//! of them are the same code; once a number of each is another one that no call comes to, so that they are other code and the
//! same work. In how many runs any of them is said to be faster or slower.

#[path = "../../domain/benches/figures/mod.rs"]
mod figures;
mod public;
mod repository;
mod unchanged;

use figures::Figures;

/// Any error that ends the bench.
type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let asked = |name: &str| std::env::args().any(|argument| argument == name);
    let (only_public, only_unchanged) = (asked("public"), asked("unchanged"));
    let runs = match after("--runs") {
        Some(runs) => runs.parse()?,
        None if asked("--quick") => 4,
        None => 40,
    };
    let mut figures = Figures::begin();
    if only_public || !only_unchanged {
        public::run(&mut figures)?;
    }
    if only_unchanged || !only_public {
        let budget = after("--budget").unwrap_or_else(|| "1s".to_owned());
        unchanged::run(&mut figures, runs, &budget)?;
    }
    Ok(figures.finish()?)
}

/// Returns the argument after an option.
fn after(option: &str) -> Option<String> {
    let mut arguments = std::env::args().skip_while(|argument| argument != option);
    arguments.nth(1)
}
