//! What others named or left: plain files.
//!
//! A path from an experiment, or one that lies in its folder, may lead to anything. So files are opened
//! here, as what they have to be.

mod plain;

pub use plain::{not_plain, open_plain, read_bounded};
