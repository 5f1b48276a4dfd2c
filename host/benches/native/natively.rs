//! The prototypes as native code: one program for each family, one process for each measurement.

use super::Failure;
use super::families::Family;
use super::support::{is_quick, median};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Processes of each prototype, and for a quick answer.
const PROCESSES: usize = 9;
const PROCESSES_QUICK: usize = 3;

/// Inputs of a process, and calls on each of them, of which the quickest counts.
const INPUTS: usize = 8;
const CALLS: u32 = 8;

/// The folder of the sources.
pub(crate) fn folder(family: &Family) -> PathBuf {
    let families = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/families");
    families.join(family.name)
}

/// By prototype: the median over processes of its quickest calls, summed over the same inputs for
/// all, in nanoseconds.
pub(crate) fn times(family: &Family) -> Result<Vec<f64>, Failure> {
    let built = tempfile::tempdir()?;
    let program = build(family, built.path())?;
    let processes = if is_quick() {
        PROCESSES_QUICK
    } else {
        PROCESSES
    };
    let mut quickest: Vec<Vec<f64>> = vec![Vec::new(); family.prototypes.len()];
    let mut answers = Vec::new();
    for process in 0..processes {
        let seed = process * INPUTS;
        for (prototype, times) in quickest.iter_mut().enumerate() {
            let output = Command::new(&program)
                .args([prototype.to_string(), seed.to_string()])
                .output()?;
            let said = String::from_utf8(output.stdout)?;
            let (time, answer) = said.trim().split_once(' ').ok_or("no time was printed")?;
            times.push(time.parse()?);
            answers.push((seed, answer.to_owned()));
        }
    }
    // The same seed has the same answer, whoever gives it.
    answers.sort();
    answers.dedup();
    if answers.len() != processes {
        return Err(format!("{}: the prototypes disagree natively", family.name).into());
    }
    Ok(quickest.into_iter().map(median).collect())
}

/// Compiles one program that holds all prototypes and the workload.
fn build(family: &Family, to: &Path) -> Result<PathBuf, Failure> {
    let random = Path::new(env!("CARGO_MANIFEST_DIR")).join("../guest-sdk/src/random.rs");
    std::fs::copy(random, to.join("bakeoff.rs"))?;
    let from = folder(family);
    std::fs::copy(from.join("workload.rs"), to.join("workload.rs"))?;
    let (size, inputs) = (family.size, INPUTS);
    let (mut modules, mut arms) = (String::new(), String::new());
    for (index, name) in family.prototypes.iter().enumerate() {
        std::fs::copy(
            from.join(format!("{name}.rs")),
            to.join(format!("{name}.rs")),
        )?;
        modules.push_str(&format!("mod {name};\n"));
        let call = match family.parameters {
            1 => format!("{name}::solve(input)"),
            _ => format!("{name}::solve(input.0, input.1)"),
        };
        arms.push_str(&format!("{index} => measure(&inputs, |input| {call}),\n"));
    }
    let main = format!(
        "mod bakeoff;\nmod workload;\n{modules}\n\
         use std::hash::{{DefaultHasher, Hash, Hasher}};\n\
         fn measure<I: Clone, O: Hash>(inputs: &[I], solve: impl Fn(I) -> O) {{\n\
         let (mut total, mut hasher) = (0, DefaultHasher::new());\n\
         for input in inputs {{\n\
         let mut least = u128::MAX;\n\
         for call in 0..{CALLS} {{\n\
         let input = std::hint::black_box(input.clone());\n\
         let start = std::time::Instant::now();\n\
         let answer = std::hint::black_box(solve(input));\n\
         least = least.min(start.elapsed().as_nanos());\n\
         if call == 0 {{ answer.hash(&mut hasher); }}\n\
         }}\n\
         total += least;\n\
         }}\n\
         println!(\"{{total}} {{}}\", hasher.finish());\n}}\n\
         fn main() {{\n\
         let mut numbers = std::env::args().skip(1).map(|text| text.parse::<u64>().unwrap());\n\
         let (which, seed) = (numbers.next().unwrap(), numbers.next().unwrap());\n\
         let seeds = seed..seed + {inputs};\n\
         let inputs: Vec<_> = seeds.map(|seed| workload::generate({size}, seed)).collect();\n\
         match which {{\n{arms}_ => panic!(\"no such prototype\"),\n}}\n}}\n"
    );
    std::fs::write(to.join("main.rs"), main)?;
    let output = Command::new("rustc")
        .args([
            "--edition",
            "2024",
            "-O",
            "-C",
            "codegen-units=1",
            "main.rs",
            "-o",
            "program",
        ])
        .current_dir(to)
        .output()?;
    match output.status.success() {
        true => Ok(to.join("program")),
        false => Err(String::from_utf8_lossy(&output.stderr).into()),
    }
}
