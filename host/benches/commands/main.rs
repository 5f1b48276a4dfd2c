//! `bakeoff time` on commands that do the same work, and on commands whose ratio is known; hyperfine on the same
//! pairs, if it is in the search path.
//!
//! ```text
//! cargo bench -p bakeoff --bench commands [-- [identical | known] [--quick] [--json FILE]]
//! BAKEOFF=FILE cargo bench -p bakeoff --bench commands         another build of bakeoff
//! ```
//!
//! `identical`: ten pairs of commands that do truly the same work under another look, or beside a neighbour, 20 times
//! each, in turns, every second time the other way round. A sure winner is a mistake; a tie is right; no call is no
//! answer. After each run of bakeoff hyperfine has the same pair for as many runs as fit into the same time. It gives no
//! verdict: a reader is taken to see a difference if 1 lies outside of its ratio's ±, and, in the next column, if
//! Welch's test on its times says so at 5 %. `÷ time` is what hyperfine took over what bakeoff took.
//!
//! `known`: twelve pairs, four times each, with the default budget. `true` is the ratio of the work, `found` the median
//! of what was reported, in which starting a process is contained. `÷ hyperfine` is the time of the whole
//! command over that of hyperfine with its defaults on the same pair.
//!
//! All needs nothing but the standard library, `rustc` for the program that is timed (`worker.rs`), and `dd`, `env`,
//! `sh` and `sleep`. What each single comparison said goes to stderr.

mod identical;
mod json;
mod known;
mod programs;
mod statistics;
mod tools;

use programs::Programs;
use std::path::PathBuf;
use tools::Tools;

/// Any error that ends the bench.
type Failure = Box<dyn std::error::Error>;

/// Returns true if a word is among the arguments.
fn is_asked(word: &str) -> bool {
    std::env::args().any(|argument| argument == word)
}

/// Returns true if rough results will do.
fn is_quick() -> bool {
    is_asked("--quick")
}

fn main() -> Result<(), Failure> {
    let (only_identical, only_known) = (is_asked("identical"), is_asked("known"));
    let programs = Programs::build()?;
    let tools = Tools::find(programs.path("hyperfine.json"))?;
    if !tools.has_hyperfine() {
        println!("hyperfine is not in the search path: bakeoff alone");
    }
    let mut figures = Figures::begin();
    if only_identical || !only_known {
        identical::run(&programs, &tools, &mut figures)?;
    }
    if only_known || !only_identical {
        known::run(&programs, &tools, &mut figures)?;
    }
    Ok(figures.finish()?)
}

/// The demand on a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Demand {
    AtMost(f64),
    AtLeast(f64),
    None,
}

/// Figures as they come in.
pub(crate) struct Figures {
    json: Option<PathBuf>,
    rows: Vec<String>,
    lines: Vec<String>,
}

impl Figures {
    /// Returns no figures yet. The file is the argument after `--json`.
    pub(crate) fn begin() -> Self {
        let mut arguments = std::env::args_os().skip_while(|argument| argument != "--json");
        Self {
            json: arguments.nth(1).map(PathBuf::from),
            rows: Vec::new(),
            lines: Vec::new(),
        }
    }

    pub(crate) fn per_cent(&mut self, what: &str, value: f64, demand: Demand) {
        self.add(what, value, "%", demand);
    }

    /// Keeps a ratio or a count.
    pub(crate) fn row(&mut self, what: &str, value: f64, demand: Demand) {
        self.add(what, value, "", demand);
    }

    fn add(&mut self, what: &str, value: f64, unit: &str, demand: Demand) {
        let (sign, key, limit, met) = match demand {
            Demand::AtMost(most) => ("≤", "at_most", most, Some(value <= most)),
            Demand::AtLeast(least) => ("≥", "at_least", least, Some(value >= least)),
            Demand::None => ("", "", f64::NAN, None),
        };
        let (number, wanted, word) = match met {
            Some(met) => (
                format!("{value:.2} {unit}"),
                format!("{sign} {limit} {unit}"),
                if met { "yes" } else { "NO" },
            ),
            None => (format!("{value:.2} {unit}"), String::new(), ""),
        };
        self.lines
            .push(format!("{what:<58} {number:>10}   {wanted:<10} {word}"));
        let demand = met.map_or("null".to_owned(), |_| format!("{{\"{key}\": {limit}}}"));
        let met = met.map_or("null".to_owned(), |met| met.to_string());
        self.rows.push(format!(
            "{{\"id\": \"\", \"what\": \"{what}\", \"value\": {value}, \"unit\": \"{unit}\", \
             \"demand\": {demand}, \"met\": {met}}}"
        ));
    }

    /// Prints all figures, and writes them as JSON if that was asked for.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn finish(self) -> std::io::Result<()> {
        println!("{:<58} {:>10}   {:<10} met", "", "found", "demand");
        for line in &self.lines {
            println!("{line}");
        }
        match self.json {
            Some(file) => std::fs::write(file, format!("[\n{}\n]\n", self.rows.join(",\n"))),
            None => Ok(()),
        }
    }
}
