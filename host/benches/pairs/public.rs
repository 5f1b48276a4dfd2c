//! Ordinary functions with small mistakes: which of these are found, how soon, and whether any is seen where none is.

use super::figures::{Demand, Figures, Unit};
use super::mutants::{Mistake, Mutant, mutants};
use super::{Failure, compare};
use std::collections::BTreeMap;
use std::path::Path;

/// The functions, several in a file.
const FILES: [&str; 3] = [
    include_str!("public/numbers.rs"),
    include_str!("public/lists.rs"),
    include_str!("public/texts.rs"),
];

/// Mistakes in each function; one with `--quick`.
const MISTAKES: usize = 3;

/// With `--quick`, so many functions share one copy.
const COPIES_QUICK: usize = 5;

/// The seconds in which a difference is shown on an idle machine, and the CPU seconds that it may take.
const SECONDS_DEMANDED: f64 = 1.5;
const CPU_SECONDS_DEMANDED: f64 = 3.0;

/// The functions of this bench, each with its documentation.
fn functions() -> Vec<String> {
    let blocks = |text: &'static str| text.split("\n}\n").filter(|block| !block.trim().is_empty());
    FILES
        .into_iter()
        .flat_map(blocks)
        .map(|function| format!("{}\n}}\n", function.trim()))
        .collect()
}

/// The Rust files of a folder, in the order of their names, without their unit tests.
fn files(folder: &Path) -> Result<Vec<String>, Failure> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            paths.push(path);
        }
    }
    paths.sort();
    let mut texts = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(path)?;
        // Where characters have several bytes, places in tokens are not those in the text.
        if !text.is_ascii() {
            continue;
        }
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        texts.push(format!("{}\n", code.trim_end()));
    }
    Ok(texts)
}

/// Compares the functions of this bench, or the files of a folder, with copies in which there are mistakes, and with
/// copies in which there is none. Files that cannot be compared with a copy are counted and left out.
pub(crate) fn find_mistakes(
    figures: &mut Figures,
    is_quick: bool,
    folder: Option<&Path>,
) -> Result<(), Failure> {
    let count = if is_quick { 1 } else { MISTAKES };
    let (mut walls, mut cpus) = (Vec::new(), Vec::new());
    // By mistake: how many were found, of how many.
    let mut by_mistake: BTreeMap<Mistake, (u32, u32)> = BTreeMap::new();
    let (mut false_differences, mut copies) = (0.0, 0.0);
    let sources = match folder {
        Some(folder) => files(folder)?,
        None => functions(),
    };
    let mut refused = 0;
    for (place, right) in sources.into_iter().enumerate() {
        let with_copy = folder.is_some() || !is_quick || place % COPIES_QUICK == 0;
        if with_copy {
            match compare(&right, &copy(&right)) {
                Ok((said, _)) if said["outcome"] == "disagreement" => {
                    copies += 1.0;
                    false_differences += 1.0;
                    println!("     FALSE: {right}");
                }
                Ok((said, _)) if folder.is_none() || said["verdicts"].is_array() => copies += 1.0,
                Err(error) if folder.is_none() => return Err(error),
                _ => {
                    refused += 1;
                    continue;
                }
            }
        }
        for mutant in drawn(&right, place as u64).into_iter().take(count) {
            let cpu = cpu_seconds()?;
            let Ok((said, seconds)) = compare(&right, &mutant.source(&right)) else {
                continue;
            };
            let cpu = cpu_seconds()? - cpu;
            if said["outcome"] == "build-failed" {
                continue;
            }
            let (found, all) = by_mistake.entry(mutant.mistake).or_default();
            *all += 1;
            if said["outcome"] == "disagreement" {
                *found += 1;
                walls.push(seconds);
                cpus.push(cpu);
            } else {
                let name = mutant.mistake.name();
                println!(
                    "     not found, or no mistake: {name}: {}",
                    mutant.line(&right)
                );
            }
        }
    }
    if refused > 0 {
        println!("     files that cannot be compared: {refused}");
    }
    for mistake in Mistake::ALL {
        let (found, all) = by_mistake.get(&mistake).copied().unwrap_or_default();
        println!("     {:<30} {found} of {all}", mistake.name());
    }
    let (found, all) = by_mistake
        .values()
        .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let share = 100.0 * f64::from(found) / f64::from(all.max(1));
    let what = "mistakes in ordinary functions that are found";
    figures.row("", what, share, Unit::PerCent, Demand::AtLeast(90.0));
    let what = "differences seen in copies without a mistake";
    let demand = Demand::AtMost(0.0);
    figures.row(
        "",
        what,
        false_differences / f64::max(copies, 1.0) * 100.0,
        Unit::PerCent,
        demand,
    );
    let what = "time to a difference, of what is demanded: median";
    let ratio = median(&mut walls) / SECONDS_DEMANDED;
    figures.row("", what, ratio, Unit::One, Demand::AtMost(1.0));
    let what = "CPU time to a difference, of what is demanded: median";
    let ratio = median(&mut cpus) / CPU_SECONDS_DEMANDED;
    figures.row("", what, ratio, Unit::One, Demand::AtMost(1.0));
    Ok(())
}

/// The mistakes that can be made in a function, in an order that follows from a seed, of all kinds in turn.
fn drawn(right: &str, seed: u64) -> Vec<Mutant> {
    let mut state = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut below = |bound: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % bound.max(1)
    };
    let mut all = mutants(right);
    for last in (1..all.len()).rev() {
        all.swap(last, below(last + 1));
    }
    let turn = below(Mistake::ALL.len());
    let mut drawn = Vec::new();
    for kind in 0..Mistake::ALL.len() {
        let mistake = Mistake::ALL[(kind + turn) % Mistake::ALL.len()];
        drawn.extend(all.iter().find(|mutant| mutant.mistake == mistake).cloned());
    }
    drawn
}

/// The same function, set otherwise and with a step that does nothing, so that it is another component.
fn copy(right: &str) -> String {
    let set = right.replace("    ", "\t");
    match set.split_once("{\n") {
        Some((head, body)) => {
            format!("// A copy.\n{head}{{\n\tstd::hint::black_box(0u8);\n{body}")
        }
        None => set,
    }
}

/// The CPU time of all children that ended so far.
fn cpu_seconds() -> Result<f64, Failure> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = stat.rsplit_once(')').ok_or("no fields of this process")?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    // The 16th and 17th of all fields, in hundredths of a second.
    let ticks = |place: usize| fields.get(place).and_then(|text| text.parse::<f64>().ok());
    let both = ticks(13).zip(ticks(14)).ok_or("no times of children")?;
    Ok((both.0 + both.1) / 100.0)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
