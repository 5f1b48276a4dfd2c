//! Compilation of source to objects by one call of `rustc`, and their linking to a core module, in the child.

use super::build_folder::{OBJECTS_FILE, write_input};
use super::build_protocol::{BuildKind, BuildTask, Compiler};
use super::diagnostics::DiagnosticContext;
use super::failures::cut;
use super::glue::{self, ROOT_FILE};
use super::limits::EDITION;
use super::link;
use super::scrub::TOOLCHAIN_SHOWN;
use super::tool::{self, ToolOutput};
use bakeoff_domain::edition::Edition;
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_domain::simd::Simd;
use bakeoff_source::interface::{Interface, World};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The file that stands for the compiler's job server, and below it its content. Without a job server the
/// compiler makes a pipe, which a source could include, and wait for.
const JOBS_FILE: &str = "jobs";
const JOBS: [u8; 64] = [b'+'; 64];

/// The environment of the compiler. A source can read all of it by `env!`.
pub(super) const ENVIRONMENT: [(&str, &str); 2] = [
    ("TMPDIR", "."),
    ("MAKEFLAGS", "-j --jobserver-auth=fifo:jobs"),
];

/// The flags that decide the generated code, for both kinds of build; part of the cache key.
///
/// One codegen unit: the bindings are inlined into their callers, and the same source
/// gives the same bytes.
pub(super) const FLAGS: [&str; 10] = [
    "--crate-name=guest",
    // No library: for that, the compiler would start a linker.
    "--crate-type=staticlib",
    "--target=wasm32-unknown-unknown",
    "-Copt-level=3",
    "-Cpanic=abort",
    "-Ccodegen-units=1",
    "--cap-lints=allow",
    "--error-format=json",
    "--diagnostic-width=100",
    "--color=never",
];

/// The edition that is tried for a file with errors, to find out whether the newer edition causes them.
const EARLIER_EDITION: Edition = Edition::Rust2021;

/// The most CPU time of a build after which a file with errors is tried in another edition.
const EARLIER_EDITION_CPU_MAX: Duration = Duration::from_secs(5);
/// Returns the flag for features of WebAssembly that the compiler may use beside the usual ones; part of the cache
/// key.
pub(super) fn feature_flag(simd: Simd) -> &'static str {
    match simd {
        Simd::On => "-Ctarget-feature=+simd128",
        Simd::Off => "-Ctarget-feature=-simd128",
    }
}

/// Returns the edition in which a source is compiled; part of the cache key.
pub(super) fn edition(compiler: &Compiler, world: World) -> Edition {
    match world {
        World::Prototype => compiler.edition,
        _ => Edition::default(),
    }
}

/// Returns the flags of a kind of build, in addition to [`FLAGS`].
pub(super) fn kind_flags(kind: BuildKind) -> &'static [&'static str] {
    match kind {
        BuildKind::Release => &[],
        BuildKind::Diagnostic => &["-Cdebuginfo=line-tables-only"],
        // Of two options of a name the last one counts. Without optimisation each line keeps code of its own, which
        // checks nothing more than the code that is measured.
        BuildKind::Coverage => &[
            "-Cdebuginfo=line-tables-only",
            "-Copt-level=0",
            "-Cdebug-assertions=off",
            "-Coverflow-checks=off",
        ],
        // Code of a macro stands at the line that calls it.
        BuildKind::FunctionFuel => &[
            "-Cdebuginfo=line-tables-only",
            "-Ccollapse-macro-debuginfo=yes",
        ],
    }
}

/// A module that the compiler made.
pub(super) struct Compiled {
    pub(super) module: Vec<u8>,
    /// True if the user's file has a global allocator.
    pub(super) own_allocator: bool,
}

/// Compiles a user's file with the crate around it.
pub(super) fn compile(
    interface: &Interface,
    task: &BuildTask,
    text: &str,
    compiler: &Compiler,
    scratch: &Path,
) -> Result<Compiled, Failure> {
    let build = glue::GlueOptions {
        kind: task.kind,
        parameters: task.parameters,
    };
    let files = glue::generate(interface, task.world, build, text)?;
    write_crate(&files, task, text, scratch)?;

    let compiled = |condition| run(compiler, task, scratch, Attempt::Build { condition });
    let mut output = compiled(None)?;
    let own_allocator = has_two_allocators(&output);
    let condition = own_allocator.then_some(glue::OWN_ALLOCATOR);
    if own_allocator {
        output = compiled(condition)?;
    }
    let context = DiagnosticContext {
        interface,
        task,
        text,
        compiler,
        scratch,
    };
    if !output.status.success() {
        let mut failure = context.explain(&output);
        let is_newest = edition(compiler, task.world) != EARLIER_EDITION;
        let is_quick = output.cpu <= EARLIER_EDITION_CPU_MAX;
        if failure.class == FailureClass::BuildFailed && is_newest && is_quick {
            let earlier = run(
                compiler,
                task,
                scratch,
                Attempt::EarlierEdition { condition },
            );
            if earlier.is_ok_and(|output| output.status.success()) {
                failure.message = with_edition_note(&failure.message, task.world);
            }
        }
        return Err(failure);
    }
    let module = link::link(interface, task, compiler, scratch)?;
    Ok(Compiled {
        module,
        own_allocator,
    })
}

/// Writes the files of a generated crate, the user's file, and that which stands for the compiler's job server.
pub(super) fn write_crate(
    files: &[(&'static str, String)],
    task: &BuildTask,
    text: &str,
    scratch: &Path,
) -> Result<(), Failure> {
    for (name, text) in files {
        write_input(scratch, name, text.as_bytes())?;
    }
    write_input(scratch, glue::user_file(task.world), text.as_bytes())?;
    write_jobs(scratch)
}

/// Writes the file that stands for the compiler's job server.
pub(super) fn write_jobs(scratch: &Path) -> Result<(), Failure> {
    write_input(scratch, JOBS_FILE, &JOBS)
}

/// Returns true if the file has a global allocator of its own. Only the compiler can tell, since a macro
/// may write it, and it gives this error no code.
fn has_two_allocators(output: &ToolOutput) -> bool {
    let message = b"cannot define multiple global allocators";
    !output.status.success() && memchr::memmem::find(&output.stderr, message).is_some()
}

/// The purpose of a run of the compiler, with a `cfg` condition of the generated crate.
#[derive(Clone, Copy)]
enum Attempt {
    /// A build that makes code.
    Build { condition: Option<&'static str> },
    /// A check whether the file has errors in an earlier edition as well.
    EarlierEdition { condition: Option<&'static str> },
}

/// Returns the message for a file that has no errors in the earlier edition.
fn with_edition_note(message: &str, world: World) -> String {
    let earlier = EARLIER_EDITION.name();
    let remedy = match world {
        World::Prototype => format!(
            ", or compile it in that edition: `--edition {earlier}`, or `edition = \"{earlier}\"` under [build] in an \
             experiment"
        ),
        _ => String::new(),
    };
    format!(
        "{}\n\nhelp: this file has errors in edition {EDITION} of Rust, in which files are compiled, and none in \
         edition {earlier}: change what the newer edition does not allow{remedy}",
        cut(message)
    )
}

/// Returns the compiler's command for an edition, whose output has no path of this machine.
pub(super) fn command(compiler: &Compiler, edition: Edition, scratch: &Path) -> Command {
    let remap = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
    let mut command = Command::new(&compiler.rustc);
    command
        .arg(format!("--sysroot={}", compiler.sysroot.display()))
        .arg(format!("--edition={}", edition.name()))
        // Where rust-src is installed, the compiler would put its path into messages of panics.
        .arg(remap(&compiler.sysroot, TOOLCHAIN_SHOWN))
        .arg(remap(scratch, "."));
    command
}

/// Runs the compiler.
fn run(
    compiler: &Compiler,
    task: &BuildTask,
    scratch: &Path,
    attempt: Attempt,
) -> Result<ToolOutput, Failure> {
    let (condition, is_earlier) = match attempt {
        Attempt::Build { condition } => (condition, false),
        Attempt::EarlierEdition { condition } => (condition, true),
    };
    let edition = if is_earlier {
        EARLIER_EDITION
    } else {
        edition(compiler, task.world)
    };
    let mut command = command(compiler, edition, scratch);
    command
        .args(FLAGS)
        .arg(feature_flag(compiler.simd))
        .args(is_earlier.then_some("--emit=metadata"))
        .args(kind_flags(task.kind))
        .args(crate_flags(task))
        .args(panic_path_flag(task))
        .args(condition.map(|name| format!("--cfg={name}")))
        .args(["-o", OBJECTS_FILE, ROOT_FILE]);
    tool::run(&mut command, &ENVIRONMENT, scratch)
}

/// Returns the flags for the crates that a source may use.
pub(super) fn crate_flags(task: &BuildTask) -> Vec<String> {
    let Some(crates) = &task.crates else {
        return Vec::new();
    };
    let externs = crates.externs.iter();
    let externs = externs.map(|(name, file)| format!("--extern={name}={}", file.display()));
    let folder = format!("-Ldependency={}", crates.folder.display());
    externs.chain([folder]).collect()
}

/// Returns the flag that makes panics name the user's file as the user does, in diagnostic builds.
/// Release builds do not contain the name, so that the same code gives the same component wherever
/// the file lies.
fn panic_path_flag(task: &BuildTask) -> Option<String> {
    (task.kind == BuildKind::Diagnostic).then(|| shown_path_flag(task))
}

/// Returns the flag that makes panics name the user's file as the user does.
pub(super) fn shown_path_flag(task: &BuildTask) -> String {
    let file = glue::user_file(task.world);
    // The compiler takes what follows the last `=` as the new name.
    let shown = task.path_shown.replace('=', "_");
    format!("--remap-path-prefix={file}={shown}")
}
