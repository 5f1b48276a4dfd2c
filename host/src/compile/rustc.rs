//! In the child: from source to a core module, by one call of `rustc`.

use super::build_protocol::{BuildKind, BuildTask, Compiler};
use super::diagnostics::{CompilerOutput, DiagnosticContext};
use super::failures::{build_failure, with_limit};
use super::glue::{self, ROOT_FILE};
use super::limits::{DIAGNOSTICS_JSON_BYTES_MAX, FILE_BYTES};
use crate::confine::{cpu_time, kill_with_parent};
use crate::interface::Interface;
use bakeoff_domain::failure::{Failure, FailureClass};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// The name of the compiler's output file.
const OUTPUT_FILE: &str = "out.wasm";

/// The flags that decide the generated code, for both kinds of build. Part of the cache key.
///
/// One codegen unit: the bindings are inlined into their callers, and the same source
/// gives the same bytes.
pub(super) const FLAGS: [&str; 12] = [
    "--edition=2024",
    "--crate-name=guest",
    "--crate-type=cdylib",
    "--target=wasm32-unknown-unknown",
    "-Copt-level=3",
    "-Cpanic=abort",
    "-Ccodegen-units=1",
    "-Ctarget-feature=+simd128",
    "--cap-lints=allow",
    "--error-format=json",
    "--diagnostic-width=100",
    "--color=never",
];

/// The flags of a kind of build, in addition to [`FLAGS`].
pub(super) fn kind_flags(kind: BuildKind) -> &'static [&'static str] {
    match kind {
        BuildKind::Release => &["-Cstrip=symbols"],
        BuildKind::Diagnostic => &["-Cdebuginfo=line-tables-only", "-Cstrip=none"],
    }
}

/// A module that the compiler made.
pub(super) struct Compiled {
    pub(super) module: Vec<u8>,
    /// Whether the user's file has a global allocator.
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
    let files = glue::generate(interface, task.world, task.kind, text)?;
    let write = |name: &str, text: &str| {
        std::fs::write(scratch.join(name), text).map_err(|error| {
            let message = format!("cannot write {name} into the build's folder: {error}");
            build_failure(FailureClass::MachineFailed, message)
        })
    };
    for (name, text) in &files {
        write(name, text)?;
    }
    write(glue::user_file(task.world), text)?;

    let mut output = run(compiler, task, scratch, None)?;
    let own_allocator = has_two_allocators(&output);
    if own_allocator {
        output = run(compiler, task, scratch, Some(glue::OWN_ALLOCATOR))?;
    }
    let context = DiagnosticContext {
        interface,
        task,
        text,
        scratch,
    };
    if !output.status.success() {
        return Err(context.explain(&output));
    }
    let module = read_output(&scratch.join(OUTPUT_FILE))
        .map_err(|error| folder_failure(OUTPUT_FILE, &error))?;
    Ok(Compiled {
        module,
        own_allocator,
    })
}

/// Reads the output file, without following a link, and no more than a build may write.
fn read_output(path: &Path) -> std::io::Result<Vec<u8>> {
    let file = std::fs::OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW)
        .open(path)?;
    let mut bytes = Vec::new();
    file.take(FILE_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn folder_failure(what: &str, error: &std::io::Error) -> Failure {
    let message = format!("the build's folder cannot be used: {what}: {error}");
    build_failure(FailureClass::BuildCrashed, message)
}

/// Returns true if the file has a global allocator of its own. Only the compiler can tell, since a macro
/// may write it, and it gives this error no code.
fn has_two_allocators(output: &CompilerOutput) -> bool {
    let message = b"cannot define multiple global allocators";
    !output.status.success() && memchr::memmem::find(&output.stderr, message).is_some()
}

/// Runs the compiler, under a condition that the generated crate knows.
fn run(
    compiler: &Compiler,
    task: &BuildTask,
    scratch: &Path,
    condition: Option<&str>,
) -> Result<CompilerOutput, Failure> {
    let remap = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
    let mut command = Command::new(&compiler.rustc);
    command
        .arg(format!("--sysroot={}", compiler.sysroot.display()))
        .args(FLAGS)
        .args(kind_flags(task.kind))
        // Where rust-src is installed, the compiler would put its path into messages of panics.
        .arg(remap(&compiler.sysroot, "/rust"))
        .arg(remap(scratch, "."))
        .args(panic_path_flag(task))
        .args(condition.map(|name| format!("--cfg={name}")))
        .args(["-o", OUTPUT_FILE, ROOT_FILE])
        .env_clear()
        .env("TMPDIR", scratch)
        .current_dir(scratch)
        // Pipes that are closed at once: behind the fence there is no /dev/null.
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = kill_with_parent(&mut command).spawn().map_err(|error| {
        let message = format!("cannot start {}: {error}", compiler.rustc.display());
        build_failure(FailureClass::MachineFailed, message)
    })?;
    drop((child.stdin.take(), child.stdout.take()));
    let mut stderr = Vec::new();
    let within = DIAGNOSTICS_JSON_BYTES_MAX as u64;
    let read = child
        .stderr
        .take()
        .map(|pipe| pipe.take(within + 1).read_to_end(&mut stderr));
    let overflowed = stderr.len() as u64 > within;
    if overflowed || matches!(read, Some(Err(_))) {
        // It may have ended by itself meanwhile, which is fine.
        drop(child.kill());
    }
    let status = child
        .wait()
        .map_err(|error| folder_failure("rustc", &error))?;
    if overflowed {
        let message =
            format!("the compiler wrote more than {within} bytes of diagnostics about this file");
        let failure = build_failure(FailureClass::BuildOutputLimit, message);
        return Err(with_limit(failure, format!("diagnostics = {within} bytes")));
    }
    Ok(CompilerOutput {
        status,
        cpu: cpu_time::children(),
        stderr,
    })
}

/// The flag that makes panics name the user's file as the user does, in diagnostic builds. Release
/// builds do not contain the name, so that the same code gives the same component wherever it is kept.
fn panic_path_flag(task: &BuildTask) -> Option<String> {
    let file = glue::user_file(task.world);
    // The compiler takes what follows the last `=` as the new name.
    let shown = task.path_shown.replace('=', "_");
    (task.kind == BuildKind::Diagnostic).then(|| format!("--remap-path-prefix={file}={shown}"))
}
