//! The largest files that are read.

/// The largest source file, in bytes. A prototype is a few kilobytes.
pub const SOURCE_BYTES_MAX: usize = 1 << 20;

/// The largest component that is read, in bytes. An interpreter packed with its program is 18 MB; a
/// prototype in Rust 30 KB.
pub const COMPONENT_BYTES_MAX: usize = 32 << 20;
