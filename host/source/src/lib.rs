//! The sources of a run: code, interface, workload, cases and granted files, each read once and
//! identified by its content from then on.
//!
//! This module handles bytes only. Components are parsed by a builder child process, which also
//! checks that each has the problem's world.

mod asked_parameters;
mod bounds;
mod code;
mod folders;
mod grant;
mod image_manifest;
pub mod interface;
mod module_lines;
mod neighbours;
mod run_files;
mod token_constants;
mod tokens;
mod vendored_components;

pub use bounds::{COMPONENT_BYTES_MAX, SOURCE_BYTES_MAX};
pub use code::{
    BuildInput, content_address, digest_of_parts, language_of, oversize_component, read_code,
    read_component,
};
pub use folders::{FolderNode, FolderPlace, FolderProgram, Folders, PackedFolders, StartedProgram};
pub use grant::{
    DEPTH_MAX, ENTRIES_MAX, GRANTED_BYTES_MAX, GrantError, GrantedFolder, read_granted,
};
pub use image_manifest::{
    CONFIG_MEDIA_TYPE, Descriptor, ImageManifest, LAYER_MEDIA_TYPE, MANIFEST_BYTES_MAX,
    MANIFEST_MEDIA_TYPE, ManifestError,
};
pub use module_lines::in_own_files;
pub use run_files::{Manifest, NamedContent, RestoreError, RunFiles, shared_folder};
pub use token_constants::token_constants;
pub use tokens::{Piece, pieces};
pub use vendored_components::{VendoredComponents, read_code_or_vendored};
