//! In the child: from source to a core module, by one call of `rustc`.

use super::child::children_cpu;
use super::diagnostics;
use super::glue::{self, ROOT_FILE};
use super::limits::{CPU_SOFT_S, DIAGNOSTICS_JSON_BYTES_MAX, FILE_BYTES};
use super::order::{Compiler, Kind, Order, build_failure, with_limit};
use super::verdict::{NO_BOUND, is_cpu_limit};
use crate::confine::dies_with_parent;
use crate::interface::Interface;
use bakeoff_domain::failure::{Failure, FailureClass};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

/// The file that the compiler writes.
const OUTPUT_FILE: &str = "out.wasm";

/// The flags that decide what code comes out, for both kinds of build. Part of the cache's key.
///
/// One unit of code generation: the bindings are inlined into their callers, and the same source
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

/// The flags of a kind of build, beside [`FLAGS`].
pub(super) fn kind_flags(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Release => &["-Cstrip=symbols"],
        Kind::Diagnostic => &["-Cdebuginfo=line-tables-only", "-Cstrip=none"],
    }
}

/// Compiles a user's file with the crate around it.
pub(super) fn compile(
    interface: &Interface,
    order: &Order,
    text: &str,
    compiler: &Compiler,
    scratch: &Path,
) -> Result<Vec<u8>, Failure> {
    let files = glue::generate(interface, order.world, order.kind)?;
    let write = |name: &str, text: &str| {
        std::fs::write(scratch.join(name), text).map_err(|error| {
            let message = format!("cannot write {name} into the build's folder: {error}");
            build_failure(FailureClass::MachineFailed, message)
        })
    };
    for (name, text) in &files {
        write(name, text)?;
    }
    write(glue::user_file(order.world), text)?;

    let said = run(compiler, order, scratch)?;
    let reading = diagnostics::Reading {
        interface,
        order,
        text,
        scratch,
    };
    if !said.status.success() {
        return Err(reading.explain(&said));
    }
    read_output(&scratch.join(OUTPUT_FILE)).map_err(|error| broken(OUTPUT_FILE, &error))
}

/// The file itself, not what a link in its place leads to, and no more of it than a build may write.
fn read_output(path: &Path) -> std::io::Result<Vec<u8>> {
    let file = std::fs::OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW)
        .open(path)?;
    let mut bytes = Vec::new();
    file.take(FILE_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn broken(what: &str, error: &std::io::Error) -> Failure {
    let message = format!("the build's folder cannot be used: {what}: {error}");
    build_failure(FailureClass::BuildCrashed, message)
}

/// What the compiler left: how it ended, what CPU time it had, and what it said.
pub(super) struct Said {
    pub(super) status: ExitStatus,
    pub(super) cpu: Duration,
    pub(super) stderr: Vec<u8>,
}

fn run(compiler: &Compiler, order: &Order, scratch: &Path) -> Result<Said, Failure> {
    let remap = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
    let mut command = Command::new(&compiler.rustc);
    command
        .arg(format!("--sysroot={}", compiler.sysroot.display()))
        .args(FLAGS)
        .args(kind_flags(order.kind))
        // Where rust-src is installed, the compiler would put its path into messages of panics.
        .arg(remap(&compiler.sysroot, "/rust"))
        .arg(remap(scratch, "."))
        .args(shown_in_panics(order))
        .args(["-o", OUTPUT_FILE, ROOT_FILE])
        .env_clear()
        .env("TMPDIR", scratch)
        .current_dir(scratch)
        // Pipes that are closed at once: behind the fence there is no /dev/null.
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = dies_with_parent(&mut command).spawn().map_err(|error| {
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
    let overflown = stderr.len() as u64 > within;
    if overflown || matches!(read, Some(Err(_))) {
        // It may have ended by itself meanwhile; what matters is that it has ended.
        drop(child.kill());
    }
    let status = child.wait().map_err(|error| broken("rustc", &error))?;
    if overflown {
        let message = format!("the compiler said more than {within} bytes about this file");
        let failure = build_failure(FailureClass::BuildOutputLimit, message);
        return Err(with_limit(failure, format!("diagnostics = {within} bytes")));
    }
    Ok(Said {
        status,
        cpu: children_cpu(),
        stderr,
    })
}

/// In a diagnostic build, panics name the user's file as the user does. Otherwise its name is no
/// part of what is compiled, so that the same code is the same component wherever it is kept.
fn shown_in_panics(order: &Order) -> Option<String> {
    let file = glue::user_file(order.world);
    // The compiler takes what follows the last `=` as the new name.
    let shown = order.path_shown.replace('=', "_");
    (order.kind == Kind::Diagnostic).then(|| format!("--remap-path-prefix={file}={shown}"))
}

/// Why a compiler ended that a signal ended, or that said outside its diagnostics why it did.
pub(super) fn ended_by_limit(said: &Said, said_raw: &str) -> Option<Failure> {
    let memory = [
        "memory allocation of",
        "out of memory",
        "Cannot allocate memory",
        "bad_alloc",
    ];
    if memory.iter().any(|words| said_raw.contains(words)) {
        let message = "the compiler needs more memory for this file than a build may have";
        let limit = format!(
            "address space = {} bytes",
            super::limits::ADDRESS_SPACE_BYTES
        );
        return Some(with_limit(
            build_failure(FailureClass::BuildMemory, message),
            limit,
        ));
    }
    let (class, message, limit) = match said.status.signal()? {
        signal if is_cpu_limit(signal, said.cpu) => (
            FailureClass::BuildTimeout,
            "the compiler needs more time for this file than a build may have".to_owned(),
            Some(format!("cpu = {CPU_SOFT_S} s")),
        ),
        libc::SIGXFSZ => (
            FailureClass::BuildOutputLimit,
            "the compiler writes a larger file than a build may".to_owned(),
            Some(format!("file = {FILE_BYTES} bytes")),
        ),
        libc::SIGKILL => (
            FailureClass::BuildCrashed,
            format!("the compiler was killed on this file, {NO_BOUND}"),
            None,
        ),
        signal => (
            FailureClass::BuildCrashed,
            format!("the compiler died on this file, by signal {signal}"),
            None,
        ),
    };
    let failure = build_failure(class, message);
    Some(match limit {
        Some(limit) => with_limit(failure, limit),
        None => failure,
    })
}
