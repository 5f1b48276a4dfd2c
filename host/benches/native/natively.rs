//! The native times of the prototypes: one program for each family, one process for each
//! measurement.

use super::Failure;
use super::families::Family;
use super::support::is_quick;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The number of processes of each prototype.
const PROCESSES: usize = 5;
const PROCESSES_QUICK: usize = 2;

/// The number of inputs, the same for all processes, and of calls of each process on each of them.
/// bakeoff has another input for every call, and some prototypes take twice as long on one as on
/// the next.
const INPUTS: usize = 48;
const CALLS: u32 = 3;

/// The instructions that the native program may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Processor {
    /// Those that every x86-64 processor has, which is the default of `rustc`.
    Any,
    /// Those that this processor has, which is what components are compiled for.
    This,
}

/// The allocator of the native program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allocator {
    /// The system's.
    System,
    /// The one that prototypes are given, in a memory of its own.
    Ours,
}

/// Lines that make the allocator of prototypes that of a native program.
const OURS: &str = include_str!("ours_natively.rs");

/// Returns the folder of the sources.
pub(crate) fn folder(family: &Family) -> PathBuf {
    let families = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/families");
    families.join(family.name)
}

/// Returns a time in nanoseconds for each prototype: the quickest call on each input, of all calls
/// of all processes, summed over the inputs. A disturbance only ever makes a call longer.
pub(crate) fn times(
    family: &Family,
    processor: Processor,
    allocator: Allocator,
) -> Result<Vec<f64>, Failure> {
    let built = tempfile::tempdir()?;
    let program = build(family, processor, allocator, built.path())?;
    let processes = if is_quick() {
        PROCESSES_QUICK
    } else {
        PROCESSES
    };
    let mut quickest = vec![vec![f64::INFINITY; INPUTS]; family.prototypes.len()];
    let mut answers = Vec::new();
    for _ in 0..processes {
        for (prototype, quickest) in quickest.iter_mut().enumerate() {
            let output = Command::new(&program).arg(prototype.to_string()).output()?;
            let said = String::from_utf8(output.stdout)?;
            let (answer, times) = said.trim().split_once(' ').ok_or("no time was printed")?;
            for (quickest, time) in quickest.iter_mut().zip(times.split(' ')) {
                *quickest = quickest.min(time.parse()?);
            }
            answers.push(answer.to_owned());
        }
    }
    answers.dedup();
    if answers.len() != 1 {
        return Err(format!("{}: the prototypes disagree natively", family.name).into());
    }
    let total = |times: Vec<f64>| times.iter().sum();
    Ok(quickest.into_iter().map(total).collect())
}

/// Compiles one program with all prototypes and the workload, and returns its path.
fn build(
    family: &Family,
    processor: Processor,
    allocator: Allocator,
    to: &Path,
) -> Result<PathBuf, Failure> {
    let guest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../guest-sdk/src");
    std::fs::copy(guest.join("random.rs"), to.join("bakeoff.rs"))?;
    let allocator = match allocator {
        Allocator::System => "",
        Allocator::Ours => {
            std::fs::copy(guest.join("allocator.rs"), to.join("allocator.rs"))?;
            OURS
        }
    };
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
        "mod bakeoff;\nmod workload;\n{modules}\n{allocator}\n\
         use std::hash::{{DefaultHasher, Hash, Hasher}};\n\
         fn measure<I: Clone, O: Hash>(inputs: &[I], solve: impl Fn(I) -> O) {{\n\
         let (mut times, mut hasher) = (String::new(), DefaultHasher::new());\n\
         for input in inputs {{\n\
         let mut least = u128::MAX;\n\
         for call in 0..{CALLS} {{\n\
         let input = std::hint::black_box(input.clone());\n\
         let start = std::time::Instant::now();\n\
         let answer = std::hint::black_box(solve(input));\n\
         least = least.min(start.elapsed().as_nanos());\n\
         if call == 0 {{ answer.hash(&mut hasher); }}\n\
         }}\n\
         times += &format!(\" {{least}}\");\n\
         }}\n\
         println!(\"{{}}{{times}}\", hasher.finish());\n}}\n\
         fn main() {{\n\
         let which: u32 = std::env::args().nth(1).unwrap().parse().unwrap();\n\
         let inputs: Vec<_> = (0..{inputs}).map(|seed| workload::generate({size}, seed)).collect();\n\
         match which {{\n{arms}_ => panic!(\"no such prototype\"),\n}}\n}}\n"
    );
    std::fs::write(to.join("main.rs"), main)?;
    let processor = match processor {
        Processor::Any => "x86-64",
        Processor::This => "native",
    };
    let output = Command::new("rustc")
        .args(["-C", &format!("target-cpu={processor}")])
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
