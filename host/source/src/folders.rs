//! The files that a component is granted, as a tree in memory, with the values of its parameters.
//!
//! The parent copies the files and sends the copy to a runner inside its request; it lives in the
//! runner's memory. So a runner opens no file for it, no other process can change the copy, and
//! nothing is left of it when the runner ends, in whatever way.

use super::code::content_address;
use bakeoff_domain::spec::CallTiming;
use bakeoff_files::FoundProgram;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The granted folders of a component, each at the path where the component finds it, and the values of
/// its parameters.
#[derive(Clone, Debug, Default)]
pub struct Folders {
    tree: Tree,
    /// The contents of all files, one after the other.
    data: Arc<[u8]>,
}

/// A file or folder of a [`Folders`], by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FolderPlace(u32);

impl FolderPlace {
    /// Returns a number that no other place of the same folders has.
    pub fn number(self) -> u64 {
        u64::from(self.0)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Tree {
    mounts: Vec<(String, u32)>,
    nodes: Vec<Node>,
    parameters: BTreeMap<String, String>,
    program: Option<FolderProgram>,
}

/// A program that stands for a component, with its command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderProgram {
    /// The command: an interpreter, or the file itself, and the arguments.
    pub command: Vec<String>,
    /// The file that is the program, as the command names it.
    pub file: String,
    /// The bytes of that file.
    pub bytes: Vec<u8>,
    /// The interpreter as it is on this machine, since with another one what a program takes is not the same; `None` if
    /// the file is started itself.
    pub interpreter: Option<FoundProgram>,
    /// The part of a call that counts as its time.
    pub timing: CallTiming,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Node {
    /// The start and length of the contents, in bytes.
    File(u64, u64),
    /// The entries in the order of their names, each with the index of its node.
    Folder(Vec<(String, u32)>),
}

/// The file or folder at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderNode<'a> {
    /// A file with its contents.
    File(&'a [u8]),
    /// A folder with this many entries.
    Folder(usize),
}

impl Folders {
    /// Returns an empty builder.
    pub(super) fn builder() -> FoldersBuilder {
        FoldersBuilder::default()
    }

    /// Returns the path of each granted folder, with its place.
    pub fn mounts(&self) -> impl Iterator<Item = (&str, FolderPlace)> {
        let mounts = self.tree.mounts.iter();
        mounts.map(|(at, node)| (at.as_str(), FolderPlace(*node)))
    }

    /// Returns true if no folder is granted.
    pub fn is_empty(&self) -> bool {
        self.tree.mounts.is_empty()
    }

    /// Returns the same folders with these values of parameters.
    #[must_use]
    pub fn with_parameters(&self, parameters: &BTreeMap<String, String>) -> Self {
        let mut granted = self.clone();
        granted.tree.parameters.clone_from(parameters);
        granted
    }

    /// Returns the same folders for a program, which stands for the component that is granted them.
    #[must_use]
    pub fn with_program(&self, program: FolderProgram) -> Self {
        let mut granted = self.clone();
        granted.tree.program = Some(program);
        granted
    }

    /// Returns the program that stands for the component, if there is one.
    pub fn program(&self) -> Option<&FolderProgram> {
        self.tree.program.as_ref()
    }

    /// Returns the values of the parameters, by name.
    pub fn parameters(&self) -> &BTreeMap<String, String> {
        &self.tree.parameters
    }

    /// Returns the file or folder at a place.
    pub fn at(&self, place: FolderPlace) -> FolderNode<'_> {
        match self.node(place) {
            Some(Node::File(start, len)) => {
                let start = usize::try_from(*start).unwrap_or(usize::MAX);
                let len = usize::try_from(*len).unwrap_or(usize::MAX);
                let contents = start
                    .checked_add(len)
                    .and_then(|end| self.data.get(start..end));
                FolderNode::File(contents.unwrap_or_default())
            }
            Some(Node::Folder(entries)) => FolderNode::Folder(entries.len()),
            None => FolderNode::Folder(0),
        }
    }

    /// Returns the entry of a folder by its index, in the order of names.
    pub fn entry(&self, folder: FolderPlace, number: usize) -> Option<(&str, FolderPlace)> {
        let (name, node) = self.entries(folder).get(number)?;
        Some((name, FolderPlace(*node)))
    }

    /// Returns the entry of a folder by its name.
    pub fn named(&self, folder: FolderPlace, name: &str) -> Option<FolderPlace> {
        let entries = self.entries(folder);
        let found = entries.binary_search_by(|(other, _)| other.as_str().cmp(name));
        found.ok().map(|index| FolderPlace(entries[index].1))
    }

    /// Returns the size of all files together, in bytes.
    pub fn bytes(&self) -> u64 {
        self.data.len() as u64
    }

    fn node(&self, place: FolderPlace) -> Option<&Node> {
        self.tree.nodes.get(place.0 as usize)
    }

    fn entries(&self, folder: FolderPlace) -> &[(String, u32)] {
        match self.node(folder) {
            Some(Node::Folder(entries)) => entries,
            _ => &[],
        }
    }

    /// Serialises folders and parameters, for [`Folders::from_bytes`].
    ///
    /// # Errors
    /// The tree cannot be serialised. No tree made here causes this.
    pub fn to_bytes(&self) -> Result<Vec<u8>, postcard::Error> {
        let tree = postcard::to_stdvec(&self.tree)?;
        let length = (tree.len() as u64).to_le_bytes();
        Ok([&length[..], &tree, &self.data].concat())
    }

    /// Reads the bytes that [`Folders::to_bytes`] wrote.
    ///
    /// # Errors
    /// The bytes are not such a tree.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let (length, rest) = bytes
            .split_first_chunk::<8>()
            .ok_or("granted files without a header")?;
        let length =
            usize::try_from(u64::from_le_bytes(*length)).map_err(|error| error.to_string())?;
        let (tree, data) = rest
            .split_at_checked(length)
            .ok_or("granted files that are shorter than their header")?;
        Ok(Self {
            tree: postcard::from_bytes(tree).map_err(|error| error.to_string())?,
            data: data.into(),
        })
    }

    /// Serialises folders and parameters with their digest, to be sent to runners.
    ///
    /// # Errors
    /// As for [`Folders::to_bytes`].
    pub fn pack(&self) -> Result<PackedFolders, postcard::Error> {
        let bytes = self.to_bytes()?;
        Ok(PackedFolders {
            digest: content_address(&bytes),
            bytes: bytes.into(),
            program: self.program().map(|program| StartedProgram {
                interpreter: program.interpreter.as_ref().map(|one| one.path.clone()),
            }),
        })
    }
}

/// Granted folders and parameters as bytes, with their digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedFolders {
    /// The bytes that [`Folders::from_bytes`] reads.
    pub bytes: Arc<[u8]>,
    /// SHA-256 over paths, names, contents and parameters, in hexadecimal; part of the keys of results.
    pub digest: String,
    /// The program, if they are those of one.
    pub program: Option<StartedProgram>,
}

/// A program as it is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartedProgram {
    /// The path of the interpreter; `None` if the program is started itself.
    pub interpreter: Option<String>,
}

/// A [`Folders`] being put together.
#[derive(Debug, Default)]
pub(super) struct FoldersBuilder {
    tree: Tree,
    data: Vec<u8>,
}

impl FoldersBuilder {
    /// Adds a file with its contents, and returns its place.
    pub(super) fn file(&mut self, contents: &[u8]) -> FolderPlace {
        let start = self.data.len() as u64;
        self.data.extend_from_slice(contents);
        self.node(Node::File(start, contents.len() as u64))
    }

    /// Adds a folder of entries that were added before, and returns its place.
    pub(super) fn folder(&mut self, mut entries: Vec<(String, FolderPlace)>) -> FolderPlace {
        entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        let entries = entries.into_iter().map(|(name, place)| (name, place.0));
        let entries = entries.collect();
        self.node(Node::Folder(entries))
    }

    /// Makes a folder visible to the component at a path.
    pub(super) fn mount(&mut self, at: &str, folder: FolderPlace) {
        self.tree.mounts.push((at.to_owned(), folder.0));
    }

    /// Returns the number of files and folders so far.
    pub(super) fn count(&self) -> usize {
        self.tree.nodes.len()
    }

    /// Returns the size of all files so far, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.data.len() as u64
    }

    pub(super) fn finish(self) -> Folders {
        Folders {
            tree: self.tree,
            data: self.data.into(),
        }
    }

    fn node(&mut self, node: Node) -> FolderPlace {
        let place = FolderPlace(self.tree.nodes.len() as u32);
        self.tree.nodes.push(node);
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_found_again_in_its_bytes() {
        let mut builder = Folders::builder();
        let b = builder.file(b"bee");
        let a = builder.file(b"");
        let inner = builder.folder(vec![("b".into(), b)]);
        let root = builder.folder(vec![("inner".into(), inner), ("a".into(), a)]);
        builder.mount("/data", root);
        let written = builder.finish();
        let packed = written.pack().unwrap();
        let read = Folders::from_bytes(&packed.bytes).unwrap();
        assert_eq!(read.pack().unwrap(), packed);
        let (at, root) = read.mounts().next().unwrap();
        assert_eq!(at, "/data");
        assert_eq!(read.entry(root, 0).unwrap().0, "a");
        let inner = read.named(root, "inner").unwrap();
        assert_eq!(read.at(inner), FolderNode::Folder(1));
        let file = read.named(inner, "b").unwrap();
        assert_eq!(read.at(file), FolderNode::File(b"bee"));
        assert_eq!(read.named(root, "b"), None);
        assert!(Folders::from_bytes(b"short").is_err());
    }

    #[test]
    fn parameters_are_part_of_what_is_granted() {
        let of = |value: &str| {
            let parameters = BTreeMap::from([("arity".to_owned(), value.to_owned())]);
            Folders::default()
                .with_parameters(&parameters)
                .pack()
                .unwrap()
        };
        let two = Folders::from_bytes(&of("2").bytes).unwrap();
        assert_eq!(two.parameters()["arity"], "2");
        assert_ne!(of("2").digest, of("4").digest);
    }
}
