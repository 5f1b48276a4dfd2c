//! Files that somebody else may have named or left: folders and plain files, programs, temporary folders, and the
//! user's keys.
//!
//! A path from an experiment, or one that lies in its folder, may lead to anything. So files are opened here, by
//! the kind that they have to be, and programs are looked for here, in folders where nobody else can put one.

mod cache_folder;
mod changeable;
mod folder;
mod interpreter;
mod json;
mod new_file;
#[cfg(test)]
mod pipe;
mod plain;
mod programs;
mod reach;
mod remove_tree;
mod scratch;
mod user_key;
mod working;

pub use cache_folder::cache_folder;
pub use changeable::{others_can_change, owned_by_others};
pub use folder::{
    Folder, FolderEntry, FolderEntryKind, FoundEntry, LinkedPlace, is_link, leaves_folder,
};
pub use interpreter::{entries_named, files_of_interpreter, files_of_program};
pub use json::{JSON_VALUES_MAX, JsonError, parse_json, parse_json_of};
pub use new_file::{NewFile, write_new};
pub use plain::{not_plain, open_plain, read_bounded};
pub use programs::{FoundProgram, SearchPath};
pub use reach::Reach;
pub use scratch::{Scratch, remove_abandoned, remove_abandoned_below};
pub use user_key::{MAC_BYTES, UserKey, own_folder};
pub use working::WorkingFolder;
