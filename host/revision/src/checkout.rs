//! The files of a revision, for the parent: a child reads them by git.

use super::contents;
use super::error::RevisionError;
use super::own_settings;
use super::protocol::{
    ANSWER_BYTES_MAX, BYTES_MAX, FILE_BYTES_MAX, GitAnswer, GitTask, ROLE, WrittenTree, is_id,
};
use super::repository::Repository;
use bakeoff_confine::{ChildJob, Confinement, Fence, Processes, Rlimits};
use bakeoff_files::{Scratch, SearchPath};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest name of a revision, in bytes.
const NAME_BYTES_MAX: usize = 256;
/// The longest time that git may take.
const WALL: Duration = Duration::from_secs(120);
/// Address space of one process, in bytes: packs are mapped.
const ADDRESS_SPACE_BYTES: u64 = 4 << 30;
/// Resident memory of all processes, in bytes.
const RESIDENT_BYTES_MAX: u64 = 2 << 30;
/// Processes at a time: the child, and git.
const PROCESSES_MAX: usize = 4;
/// Folders of git and of the libraries that it needs.
const SYSTEM: [&str; 5] = ["/usr", "/bin", "/lib", "/lib64", "/nix/store"];

/// The files of a repository at one revision, in a temporary folder that lasts as long as this value.
#[derive(Debug)]
pub struct Checkout {
    /// The id of the commit: 40 or 64 hexadecimal digits.
    pub commit: String,
    /// The SHA-256 of the paths and contents of its files, as 64 hexadecimal digits.
    pub contents: String,
    folder: Scratch,
    left_out: Vec<String>,
    manifests: Vec<String>,
    sources: Vec<String>,
}

impl Checkout {
    /// Has git read the files of a revision, in a child of its own that may do nothing else.
    ///
    /// # Errors
    /// There is no git or no such revision, or it cannot be read.
    pub async fn read(
        confinement: &Confinement,
        repository: &Repository,
        revision: &str,
    ) -> Result<Self, RevisionError> {
        let is_name = (1..=NAME_BYTES_MAX).contains(&revision.len())
            && !revision.starts_with('-')
            && !revision.chars().any(char::is_control);
        if !is_name {
            return Err(RevisionError::Name(revision.chars().take(80).collect()));
        }
        let git = SearchPath::of_user().find("git");
        let git = git.ok_or(RevisionError::NoGit)?;
        let machine = |error: &dyn std::fmt::Display| RevisionError::Machine(error.to_string());
        let no_folder = |error| {
            RevisionError::Machine(format!(
                "cannot make a folder for {revision:?}: {error}; make room in {}, or name another folder by TMPDIR",
                std::env::temp_dir().display()
            ))
        };
        let folder = Scratch::new().map_err(no_folder)?;
        let settings = Scratch::new().map_err(no_folder)?;
        own_settings::link(repository.common_dir(), settings.work()).map_err(no_folder)?;
        let task = GitTask {
            git: git.clone(),
            git_dir: repository.git_dir().to_owned(),
            common_dir: repository.common_dir().to_owned(),
            settings: settings.work().to_owned(),
            revision: revision.to_owned(),
            tree: folder.work().to_owned(),
        };
        let task = postcard::to_stdvec(&task).map_err(|error| machine(&error))?;
        let payload = [task.as_slice()];
        let fence = fence(&git, repository, &[folder.work(), settings.work()]);
        let mut job = ChildJob::new(ROLE, &payload, fence);
        job.frame_bytes_max = ANSWER_BYTES_MAX;
        job.output_bytes_max = ANSWER_BYTES_MAX as u64;
        job.rss_bytes_max = Some(RESIDENT_BYTES_MAX);
        // A folder is counted by the blocks of its files.
        job.folder_bytes_max = Some(2 * BYTES_MAX);
        let child = confinement.clone().without_outer_layer().spawn(job).await;
        let mut child = child.map_err(|error| machine(&error))?;
        let frame = tokio::time::timeout(WALL, child.next_frame()).await;
        let failed = |reason: String| RevisionError::Git {
            revision: revision.to_owned(),
            reason,
        };
        let Ok(frame) = frame else {
            child.kill();
            child.finish().await;
            return Err(failed(format!(
                "git takes more than {} s: `git fsck` says whether the repository is whole, and `git gc` packs it",
                WALL.as_secs()
            )));
        };
        let exit = child.finish().await;
        let frame = frame.ok().flatten();
        let answer = frame.and_then(|frame| postcard::from_bytes::<GitAnswer>(&frame).ok());
        match answer {
            Some(GitAnswer::Written(written)) if is_usable(&written) => Ok(Self {
                contents: contents::digest(folder.work())
                    .map_err(|error| failed(format!("its files cannot be read: {error}")))?,
                commit: written.commit,
                folder,
                left_out: written.left_out,
                manifests: written.manifests,
                sources: written.sources,
            }),
            Some(GitAnswer::NoCommit) => Err(failed(format!(
                "there is no such revision{}",
                if repository.is_shallow() {
                    ": this clone has a part of the history alone, and `git fetch --unshallow` brings the rest"
                } else {
                    ": a branch, a tag, HEAD~1 or the start of an id names one, and `git fetch` brings what is elsewhere"
                }
            ))),
            Some(GitAnswer::Failed(reason)) if repository.has_alternates() => Err(failed(format!(
                "{reason}; this clone borrows objects of another repository, which is not read: `git repack -a -d` \
                 copies them, and then objects/info/alternates can be removed"
            ))),
            Some(GitAnswer::Failed(reason)) => Err(failed(reason)),
            Some(GitAnswer::Written(_)) | None => Err(failed(format!(
                "git ended without a result ({:?})",
                exit.cause
            ))),
        }
    }

    /// Returns the folder below which the files lie.
    pub fn folder(&self) -> &Path {
        self.folder.work()
    }

    /// Returns paths that were left out: submodules, links that lead to no file of the tree, and large files; some of
    /// them, if there are many.
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// Returns the paths of sources of Rust, in their order: all, or the first 4,000.
    pub fn sources(&self) -> &[String] {
        &self.sources
    }

    /// Returns the paths of the manifests of cargo.
    pub(super) fn manifests(&self) -> &[String] {
        &self.manifests
    }

    #[cfg(test)]
    pub(super) fn of_files(folder: Scratch, manifests: &[&str]) -> Self {
        Self {
            commit: "0".repeat(40),
            contents: String::new(),
            folder,
            left_out: Vec::new(),
            sources: Vec::new(),
            manifests: manifests.iter().map(|&path| path.to_owned()).collect(),
        }
    }
}

/// Returns true if a child's answer has the form that it has to have.
fn is_usable(written: &WrittenTree) -> bool {
    let named = [&written.left_out, &written.manifests, &written.sources];
    is_id(&written.commit)
        && named
            .into_iter()
            .flatten()
            .all(|path| super::paths::checked(path.as_bytes()).is_some())
}

/// Returns the fence of git: it reads the repository's own folder and not the working tree, writes temporary folders, of
/// which the first is the one it works in, and reaches no network.
fn fence(git: &Path, repository: &Repository, folders: &[&Path; 2]) -> Fence {
    let system = SYSTEM.iter().map(PathBuf::from);
    let mut execute: Vec<PathBuf> = system.filter(|path| path.exists()).collect();
    execute.push(git.to_owned());
    Fence {
        execute,
        read: vec![
            repository.git_dir().to_owned(),
            repository.common_dir().to_owned(),
        ],
        write: folders
            .iter()
            .copied()
            .chain([Path::new("/dev/null")])
            .map(Path::to_owned)
            .collect(),
        working_dir: folders[0].to_owned(),
        processes: Processes::Spawn {
            at_most: PROCESSES_MAX,
        },
        rlimits: Rlimits {
            address_space_bytes: Some(ADDRESS_SPACE_BYTES),
            cpu_soft_s: Some(WALL.as_secs()),
            cpu_hard_s: Some(WALL.as_secs() + 5),
            file_bytes: Some(FILE_BYTES_MAX),
            open_files: Some(1_024),
        },
    }
}
