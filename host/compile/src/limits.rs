//! The limits of a build, each with the reason for its number, and the default edition of Rust.

use std::time::Duration;

/// The edition in which files are compiled, unless an experiment chooses another one for its approaches.
pub const EDITION: &str = "2024";

/// The most functions of all modules of a component. Half a million empty ones cost Cranelift 23 s
/// and 2.8 GB; interpreters have about 20,000.
pub const FUNCTIONS_MAX: u32 = 100_000;

/// The largest body of one function, in bytes. A body of 6.8 MB cost 33 s and 3.8 GB, because
/// register allocation grows faster than the body; the main loop of an interpreter has 0.2 MB.
pub const FUNCTION_BYTES_MAX: usize = 1 << 20;

/// The most locals of one function. Functions compiled by rustc have hundreds; the format allows 50,000.
pub const LOCALS_MAX: u32 = 5_000;

/// The most bytes of one body times its locals. 1 MB with 49,000 locals (5 · 10¹⁰) passed 9 GiB;
/// the main loop of an interpreter is at 2 · 10⁸.
pub const BODY_TIMES_LOCALS_MAX: u64 = 2_000_000_000;

/// The most modules and components within a component, itself included. Components nest, and each
/// nested one may be instantiated by the ones around it. A component made by componentize-py has a
/// module for each native library, about twenty, and one for each native extension of a package: 246
/// for a large collection of packages.
pub const MODULES_MAX: u32 = 512;

/// The most instances that a component makes when it is started. Twenty nested components of two
/// instances each would be a million. The parser admits as many in one component.
pub const INSTANCES_MAX: u64 = 1_000;

/// The most imports or exports that a summary lists.
pub const NAMES_MAX: usize = 256;

/// The longest name in a summary, in bytes.
pub const NAME_BYTES_MAX: usize = 256;

/// The address space of the child and of the compiler it starts, in bytes, each. A prototype's
/// build has 180 MB resident.
pub const ADDRESS_SPACE_BYTES: u64 = 3 << 30;

/// CPU time of one process of a build, in seconds, at which it gets SIGXCPU. A prototype takes
/// 0.25.
pub const CPU_SOFT_S: u64 = 30;

/// CPU time of one process of a build, in seconds, at which it is killed.
pub const CPU_HARD_S: u64 = 35;

/// Wall time of a build, after which the parent kills it. The work of a build is bounded by CPU time,
/// which does not depend on what else runs; this limit ends a build that waits for something that never
/// comes. It is 20 times the CPU limit, so that no build on a busy machine is taken for such a one.
pub const WALL: Duration = Duration::from_secs(20 * CPU_SOFT_S);

/// The largest file that a build may write, in bytes.
pub const FILE_BYTES: u64 = 64 << 20;

/// The most that the folder of a build may hold, in bytes. The folder of a prototype has some megabytes; a macro of
/// a crate may write there, too.
pub const FOLDER_BYTES_MAX: u64 = 512 << 20;

/// The most resident memory of all processes of a build together, in bytes. A process that uses all of
/// its address space leaves the others next to nothing.
pub const RESIDENT_BYTES_MAX: u64 = 3 << 30;

/// The most that the processes of a build may write to stderr, in bytes. The compiler's diagnostics go to
/// the child, so this is a panic or a fault at most.
pub const STDERR_BYTES_MAX: usize = 256 << 10;

/// Processes of a build at a time: the child, rustc, the linker's driver, the linker.
pub const PROCESSES_MAX: usize = 8;

/// The most bytes of diagnostics in the form that people read.
pub const DIAGNOSTICS_BYTES_MAX: usize = 256 << 10;

/// The most bytes of diagnostics as JSON, which repeats each message's source lines
/// and macro expansions, about eight times what people read.
pub const DIAGNOSTICS_JSON_BYTES_MAX: usize = 2 << 20;

/// The longest message of a failure, in bytes: what a person still reads.
pub const MESSAGE_BYTES_MAX: usize = 16 << 10;

/// The largest event of a child, in bytes: diagnostics, or two lists of [`NAMES_MAX`]
/// names of [`NAME_BYTES_MAX`] bytes. Code comes in frames of its own.
pub const EVENT_BYTES_MAX: usize = 1 << 20;

/// The most bytes that a child may send back: machine code for both profiles, and the component.
pub const OUTPUT_BYTES_MAX: u64 = 512 << 20;
