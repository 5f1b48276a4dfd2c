//! Builds: from source, or from a component that a user brings, to compiled code that a runner loads.
//!
//! The parent ([`Builder`]) starts one confined child per build and sends it a task; the child
//! generates bindings, calls `rustc`, makes a component, inspects it, and compiles it. Of the output
//! the parent reads only a short summary of bounded size.

mod archive;
mod build_folder;
mod build_protocol;
mod build_worker;
mod builder;
mod c;
mod cache;
mod calibrator;
mod changed_inside;
mod child;
mod child_job;
mod child_output;
mod choice;
mod collections;
mod component;
mod component_functions;
mod component_origins;
mod conversion;
mod coverage;
mod crates;
mod decoded_world;
mod diagnostics;
pub mod engine;
mod exit_failure;
mod export_names;
mod failures;
mod filled_bindings;
mod function_arguments;
mod function_fuel;
mod fuzz_entry;
mod glue;
mod host_tools;
mod imports;
mod inspect;
mod instances;
mod layout;
pub mod limits;
mod link;
mod logical_lines;
mod marks;
mod module_counts;
mod native;
mod native_child;
mod native_glue;
mod object_names;
mod own_modules;
mod own_world;
mod passed_type;
mod portable_build;
mod precompile;
mod record;
mod request;
mod reserve;
mod rust_caller;
mod rust_constants;
mod rust_examples;
mod rust_function;
mod rust_mutations;
mod rust_structs;
mod rust_tables;
mod rust_types;
mod rust_values;
mod rustc;
#[cfg(test)]
mod scripted_toolchain;
mod scrub;
mod session_glue;
mod shared_libraries;
mod signatures;
mod source_functions;
mod target;
mod tool;
mod toolchain;
mod toolchain_error;
mod trial_build;
mod uncalled_functions;
mod unreadable_file;
mod world_check;

// Both rooms whose children these tests stand in for share it.
#[cfg(test)]
#[path = "../../confine/testing/scripted_child.rs"]
mod scripted_child;

#[cfg(test)]
#[path = "../../confine/testing/keeper_before_main.rs"]
mod keeper_before_main;

pub use build_protocol::BuildKind;
pub use builder::{Builder, RememberedInputs};
pub use c::{Clang, NoClang, NoZig, header as c_header, zig_module};
pub use cache::{CACHE_BYTES_MAX, Cache, CacheError};
pub use child::builder_role;
pub use child_output::BuiltComponent;
pub use choice::ToolchainChoice;
pub use choice::toolchain_folders;
pub use component_origins::{CodeOrigin, ComponentOrigins};
pub use coverage::{COVERAGE_EXPORT, COVERAGE_MARK_BYTES_MAX, COVERAGE_SCHEME};
pub use crates::{
    BuildLimits, BuiltCrates, CratesError, LibraryTarget, OwnPackage, VendorError, crates_role,
    vendor, vendor_locked,
};
pub use function_fuel::{FUEL_EXPORT, FUEL_MARK_BYTES_MAX, FUEL_SCHEME};
pub use fuzz_entry::{calibrator, is_build_event, is_build_task, validate_prototype};
pub use glue::{COMPLETIONS_IMPORT, DIAGNOSTIC_IMPORT, EVALUATOR_IMPORT, PARAMETER_IMPORTS};
pub use imports::{ImportSupport, WasiImports, import_support};
pub use layout::SCHEME as LAYOUT_SCHEME;
pub use logical_lines::LINES_RULE;
pub use marks::MARKED_INSTANCES_MAX;
pub use native_child::native_role;
pub use portable_build::{NotBuiltElsewhere, is_portable_build};
pub use precompile::TimedCode;
pub use record::BuildRecord;
pub use request::BuildRequest;
pub use reserve::SCHEME as RESERVE_SCHEME;
pub use rust_caller::CalledFunction;
pub use rust_mutations::Mutation;
pub use signatures::{
    FileKind, caller_source, inline_module, read_public_functions, reader_role, small_changes,
};
pub use toolchain::Toolchain;
pub use toolchain_error::{TARGET, ToolchainError};
pub use trial_build::usable_confinement;
pub use unreadable_file::{SourcePlace, Unreadable};
