//! Limits of an instance that no experiment changes.

/// The most core instances of one component. A component of componentize-py has one instance for each native library
/// and each native extension, which share one memory and one table: about twenty without packages, 246 more for a large
/// collection of them.
pub(super) const INSTANCES_MAX: usize = 512;

/// The most tables and memories of one component, each. A component of one module needs one of them;
/// wit-component's adapters a few more.
pub(super) const TABLES_MAX: usize = 32;

/// The most handles that an instance may hold at a time: files, streams, pollables.
pub(super) const HANDLES_MAX: usize = 1_000;

/// The most calls of host functions in one call of an export. A million of them take a fraction of a
/// second.
pub(super) const HOST_CALLS_MAX: u64 = 1_000_000;

/// The longest message of an error, in bytes: a length that a person still reads.
pub const MESSAGE_BYTES_MAX: usize = 16 << 10;
