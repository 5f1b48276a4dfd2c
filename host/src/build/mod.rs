//! Building: from source, or from a component that a user brings, to compiled code that a runner
//! loads.
//!
//! The parent ([`Builder`]) starts one confined child per build and hands it an order; the child
//! generates bindings, calls `rustc`, makes a component, looks into it, and compiles it. The parent
//! never reads what comes out, except for a short description of bounded size.

mod bounds;
mod builder;
mod cache;
mod calibrator;
mod child;
mod compile;
mod component;
mod diagnostics;
mod glue;
mod imports;
mod inspect;
mod instances;
mod layout;
pub mod limits;
mod order;
mod parsers;
mod scratch;
mod toolchain;
mod trial;
mod verdict;
mod world;

pub use builder::{Builder, Built, CodeBytes, Request, source_lines};
pub use cache::{CACHE_BYTES_MAX, Cache, CacheError};
pub use child::builder_role;
pub use glue::DIAGNOSTIC_IMPORT;
pub use imports::{Provision, WasiImports, provision};
pub(crate) use inspect::oversize;
pub(crate) use layout::SCHEME as LAYOUT_SCHEME;
pub use order::Kind;
pub use parsers::{calibrator, examine, reads_as_event, reads_as_order};
pub use toolchain::{TARGET, Toolchain, ToolchainError};
pub use trial::fit;
