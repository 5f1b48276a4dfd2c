//! The prototypes as native code: one program for each family, one process for each measurement.

use super::Failure;
use super::families::Family;
use super::support::{is_quick, median};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Processes of each prototype, and for a quick answer.
const PROCESSES: usize = 9;
const PROCESSES_QUICK: usize = 3;

/// Calls in a process.
const CALLS: u32 = 25;

/// The folder of the sources.
pub(crate) fn folder(family: &Family) -> PathBuf {
    let families = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/families");
    families.join(family.name)
}

/// By prototype: the median over processes of its quickest call, in nanoseconds.
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
    for seed in 0..processes {
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
    let (mut modules, mut arms) = (String::new(), String::new());
    let (input, arguments) = match family.parameters {
        1 => ("a", "a.clone()"),
        _ => ("(a, b)", "a.clone(), b.clone()"),
    };
    for (index, name) in family.prototypes.iter().enumerate() {
        std::fs::copy(
            from.join(format!("{name}.rs")),
            to.join(format!("{name}.rs")),
        )?;
        modules.push_str(&format!("mod {name};\n"));
        arms.push_str(&format!(
            "{index} => measure(|| ({arguments}), |input| {}),\n",
            match family.parameters {
                1 => format!("{name}::solve(input)"),
                _ => format!("{name}::solve(input.0, input.1)"),
            }
        ));
    }
    let size = family.size;
    let main = format!(
        "mod bakeoff;\nmod workload;\n{modules}\n\
         use std::hash::{{DefaultHasher, Hash, Hasher}};\n\
         fn measure<I, O: Hash>(mut input: impl FnMut() -> I, solve: impl Fn(I) -> O) {{\n\
         let (mut least, mut hasher) = (u128::MAX, DefaultHasher::new());\n\
         for call in 0..{CALLS} {{\n\
         let input = std::hint::black_box(input());\n\
         let start = std::time::Instant::now();\n\
         let answer = std::hint::black_box(solve(input));\n\
         least = least.min(start.elapsed().as_nanos());\n\
         if call == 0 {{ answer.hash(&mut hasher); }}\n\
         }}\n\
         println!(\"{{least}} {{}}\", hasher.finish());\n}}\n\
         fn main() {{\n\
         let mut numbers = std::env::args().skip(1).map(|text| text.parse::<u64>().unwrap());\n\
         let (which, seed) = (numbers.next().unwrap(), numbers.next().unwrap());\n\
         let {input} = workload::generate({size}, seed);\n\
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
