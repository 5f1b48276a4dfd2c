//! The options of `bakeoff compare`.

use super::compiled_for::CompiledFor;
use super::effort::{self, Effort};
use super::options::Safety;
use super::regression::Unsure;
use super::whole_numbers;
use bakeoff_config::units;
use bakeoff_domain::plan::RunSeed;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Measures files against each other, without an experiment file: sources in Rust, C, C++ or Zig, and components, mixed.
/// Results are kept only with --out.
///
/// Nothing else need be said: the function that all have in common is called, its types are read off the
/// files, inputs are drawn at random, and the files judge each other. Where their answers
/// differ, the shortest such input is shown, and nothing is timed.
///
/// Or says what became different between two kept runs: each is `N` (run N of the experiment here),
/// `DIR:N`, or `DIR` (its last run). Nothing is run then.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff compare sort.rs heap.rs
  bakeoff compare sort.rs heap.wasm --call top-k --size 10000
  bakeoff compare sort.rs heap.rs --cases cases.toml
  bakeoff compare sort.rs heap.rs heap.wasm --wit wit --call top-k --workload workload.rs --size 16000,256000
  bakeoff compare sort.c heap.c --wit wit --call top-k
  bakeoff compare sort.rs heap.rs --wit wit --call top-k --cases cases.toml --budget 10s
  bakeoff compare old.wasm new.rs --wit wit --call top-k --cases cases.toml --fail-if-slower 2%
  bakeoff compare main HEAD --package codec            functions of a package at two revisions, here in git
  bakeoff compare v1.2 HEAD --package codec --call parse,lines::split --fail-if-slower 5%
  bakeoff compare 1 2                                  two kept runs of the experiment here
  bakeoff compare examples/top-k:1 examples/top-k:3 --format json

Exit status: 0 with an answer, 1 without one, 2 for a wrong command line, 3 if a file failed, 5 for an
error of the machine. With --fail-if-slower the test alone decides: 1 if a later file is surely slower, or
if that is not known (for example, because it failed), unless --unsure pass; 3 if it passes though a file
failed; otherwise 0.")]
pub(super) struct Arguments {
    /// The files, at least two: what ends in .wasm is a component, what ends in .rs is built. Or
    /// two runs: N, DIR:N or DIR. Or, with --package, two revisions
    #[arg(required = true, value_name = "FILE|RUN|REVISION")]
    pub(super) files: Vec<PathBuf>,
    /// Compare two revisions of the git repository here (`main HEAD`), instead of files: functions of this package, by its
    /// name in its Cargo.toml
    #[arg(long, value_name = "NAME")]
    pub(super) package: Option<String>,
    /// With --package: fetch the crates of its Cargo.lock from crates.io, unless they are here, and build them behind the
    /// fence
    #[arg(long, requires = "package")]
    pub(super) allow_crates: bool,
    /// The WIT: a file, or a folder of them, for --call; read off Rust files and components, if not given
    #[arg(long, value_name = "PATH")]
    pub(super) wit: Option<PathBuf>,
    /// The function that is called: top-k, or interface.function; the one that all files have in
    /// common, if not given. Of a package: one or several (parse,lines::split); those at the root of its library that can
    /// be called, if not given
    #[arg(long, value_name = "NAME")]
    pub(super) call: Option<String>,
    /// Workload that makes the inputs and judges the answers: Rust source, or a component
    #[arg(long, value_name = "FILE", requires = "sizes")]
    pub(super) workload: Option<PathBuf>,
    /// Sizes of inputs, separated by commas; chosen by what takes long enough, if not given
    #[arg(long = "size", value_name = "N", value_delimiter = ',',
          value_parser = whole_numbers::size)]
    pub(super) sizes: Vec<u32>,
    /// Calls and expected answers in a file, instead of a workload
    ///
    /// The file is TOML, with up to 256 cases in WAVE; `expect` in all of them or in none:
    ///   [[case]]
    ///   call = "top-k([3, 1, 2], 1)"
    ///   expect = "[3]"
    #[arg(long, value_name = "FILE", verbatim_doc_comment, conflicts_with_all = ["workload", "sizes"])]
    pub(super) cases: Option<PathBuf>,
    /// Inputs and orders follow from it, as in the run that reported it; random if not given
    #[arg(long, value_name = "N", value_parser = whole_numbers::run_seed)]
    pub(super) seed: Option<RunSeed>,
    /// Time for all of it but building: the search for differing inputs (a tenth at most), checks, timing (half at
    /// least): 500ms, 40s, 2min; if not given, until the answer is known, 20s at most
    #[arg(long, value_name = "TIME", value_parser = effort::parse_budget)]
    pub(super) budget: Option<Duration>,
    #[command(flatten)]
    pub(super) effort: Effort,
    /// Cores to use at once
    #[arg(long, value_name = "N", value_parser = whole_numbers::workers)]
    pub(super) workers: Option<u32>,
    /// Exit with 1 if a later file is slower than the first by more than this, or if that is not known
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    pub(super) fail_if_slower: Option<f64>,
    /// With --fail-if-slower: what follows if it is not known whether a file is slower
    #[arg(long, value_enum, default_value = "fail", requires = "fail_if_slower")]
    pub(super) unsure: Unsure,
    /// Where the files differ on a drawn input, the file in which its call is kept, for --cases
    #[arg(long, value_name = "FILE", conflicts_with_all = ["workload", "cases"])]
    pub(super) save_case: Option<PathBuf>,
    /// The file in which inputs that were timed are kept, up to 1 MiB of them, for --cases
    #[arg(long, value_name = "FILE", conflicts_with_all = ["workload", "cases"])]
    pub(super) save_inputs: Option<PathBuf>,
    #[command(flatten)]
    pub(super) compiled_for: CompiledFor,
    /// Build the sources for this machine, too, and run them as programs, behind a fence: both times, and where the
    /// order is another one
    #[arg(long)]
    pub(super) natively: bool,
    /// The folder in which results are kept
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    #[command(flatten)]
    pub(super) safety: Safety,
}

fn parse_percent(text: &str) -> Result<f64, String> {
    units::percent(text).map_err(|error| error.to_string())
}
