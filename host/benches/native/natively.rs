//! The native times of the prototypes: one program for each, as each is a component of its own, and
//! one process for each measurement. The compiler inlines less of what two prototypes share.

use super::Failure;
use super::families::Family;
use super::support::is_quick;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The number of processes of each prototype.
const PROCESSES: usize = 5;
const PROCESSES_QUICK: usize = 2;

/// The number of inputs, the same for all processes, and of rounds of each process over all of them.
/// bakeoff has another input for every call, and some prototypes take twice as long on one as on
/// the next. An input that comes twice in a row is no measure: by the second call the processor has
/// learned its branches, and run-length coding takes a third of the time.
const INPUTS: usize = 48;
const ROUNDS: u32 = 3;

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
    let programs = build(family, processor, allocator, built.path())?;
    let processes = if is_quick() {
        PROCESSES_QUICK
    } else {
        PROCESSES
    };
    let mut quickest = vec![vec![f64::INFINITY; INPUTS]; family.prototypes.len()];
    let mut answers = Vec::new();
    for _ in 0..processes {
        for (prototype, quickest) in quickest.iter_mut().enumerate() {
            let output = Command::new(&programs[prototype]).output()?;
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

/// Compiles a program with the workload for each prototype, and returns their paths.
fn build(
    family: &Family,
    processor: Processor,
    allocator: Allocator,
    to: &Path,
) -> Result<Vec<PathBuf>, Failure> {
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
    let processor = match processor {
        Processor::Any => "x86-64",
        Processor::This => "native",
    };
    let mut programs = Vec::new();
    for name in family.prototypes {
        std::fs::copy(
            from.join(format!("{name}.rs")),
            to.join(format!("{name}.rs")),
        )?;
        let call = match family.parameters {
            1 => format!("{name}::solve(input)"),
            _ => format!("{name}::solve(input.0, input.1)"),
        };
        // A hasher of its own: where the prototype uses the standard one too, it is not inlined there.
        let main = format!(
            "mod bakeoff;\nmod workload;\nmod {name};\n\n{allocator}\n\
             use std::hash::{{Hash, Hasher}};\n\
             struct Digest(u64);\n\
             impl Hasher for Digest {{\n\
             fn finish(&self) -> u64 {{ self.0 }}\n\
             fn write(&mut self, bytes: &[u8]) {{\n\
             for byte in bytes {{ self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3); }}\n\
             }}\n}}\n\
             fn main() {{\n\
             let inputs: Vec<_> = (0..{inputs}).map(|seed| workload::generate({size}, seed)).collect();\n\
             let mut least = vec![u128::MAX; inputs.len()];\n\
             let mut digest = Digest(0xcbf2_9ce4_8422_2325);\n\
             for round in 0..{ROUNDS} {{\n\
             for (input, least) in inputs.iter().zip(&mut least) {{\n\
             let input = std::hint::black_box(input.clone());\n\
             let start = std::time::Instant::now();\n\
             let answer = std::hint::black_box({call});\n\
             *least = (*least).min(start.elapsed().as_nanos());\n\
             if round == 0 {{ answer.hash(&mut digest); }}\n\
             }}\n\
             }}\n\
             let times: String = least.iter().map(|least| format!(\" {{least}}\")).collect();\n\
             println!(\"{{}}{{times}}\", digest.finish());\n}}\n"
        );
        let program = format!("program_{name}");
        std::fs::write(to.join("main.rs"), main)?;
        let output = Command::new("rustc")
            .args(["-C", &format!("target-cpu={processor}")])
            .args(["--edition", "2024", "-O", "-C", "codegen-units=1"])
            .args(["main.rs", "-o", &program])
            .current_dir(to)
            .output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        programs.push(to.join(program));
    }
    Ok(programs)
}
