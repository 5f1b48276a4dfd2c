//! Call of the compiler for Zig in the child, and the module above the user's.

use super::zig::Zig;
use super::zig_bindings;
use crate::build_protocol::BuildKind;
use bakeoff_domain::simd::Simd;
use std::process::Command;

/// Name of the user's file where it is compiled.
pub(crate) const SOURCE_ZIG: &str = "source.zig";

/// Name of the declarations' file.
pub(super) const BINDINGS_ZIG: &str = "prototype.zig";

/// Name of the file of [`ROOT`].
pub(super) const ROOT_ZIG: &str = "root.zig";

/// The module that is compiled: it brings the functions of the user's, and has a panic end the call as a trap, since there is
/// nowhere to write a text.
pub(super) const ROOT: &str = "pub const panic = @import(\"std\").debug.no_panic;\n\
                               comptime {\n    _ = @import(\"source\");\n}\n";

/// Features of WebAssembly that Rust has by default.
const CPU: &str = "generic+bulk_memory+mutable_globals+sign_ext+nontrapping_fptoint";

/// Flags for all builds.
const FLAGS: [&str; 14] = [
    "build-obj",
    "-target",
    "wasm32-wasi",
    "-lc",
    "-fllvm",
    "-fsingle-threaded",
    "-fno-stack-protector",
    "-ffunction-sections",
    "-fdata-sections",
    "-freference-trace=0",
    "--color",
    "off",
    // Both are written, and the folder of the build is all that may be.
    "--cache-dir",
    "zig-cache",
];

/// Returns the command that compiles the user's file to `source.o`, in the folder of the build.
pub(super) fn command(zig: &Zig, kind: BuildKind, simd: Simd) -> Command {
    let cpu = match simd {
        Simd::On => format!("-mcpu={CPU}+simd128"),
        Simd::Off => format!("-mcpu={CPU}"),
    };
    let mut command = Command::new(&zig.path);
    command
        .args(FLAGS)
        .args(["--global-cache-dir", "zig-cache", "--zig-lib-dir"])
        .arg(&zig.library)
        .arg(cpu)
        .args(match kind {
            BuildKind::Release => ["-OReleaseFast", "-fstrip"],
            BuildKind::Diagnostic | BuildKind::FunctionFuel => ["-OReleaseFast", "-fno-strip"],
            BuildKind::Coverage => ["-ODebug", "-fno-strip"],
        })
        .args(["--dep", "source"])
        .arg(format!("-Mroot={ROOT_ZIG}"))
        .args(["--dep", zig_bindings::MODULE])
        .arg(format!("-Msource={SOURCE_ZIG}"))
        .arg(format!("-M{}={BINDINGS_ZIG}", zig_bindings::MODULE))
        .arg("-femit-bin=source.o");
    command
}
