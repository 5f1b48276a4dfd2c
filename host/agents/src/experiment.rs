//! The folder `.bakeoff/NAME` of a repository: worktrees, and what is kept of each.

use super::completion::Completion;
use super::error::AgentError;
use super::git::Git;
use super::record::{self, CompletionRequest, VariantRequest};
use super::round_record;
use super::task_record::{self, TaskList};
use super::test_patterns::{EXCEPT, matches};
use super::winner;
use super::worktree::{self, TOP};
use bakeoff_config::is_branch_part;
use bakeoff_files::{Folder, FolderEntryKind, UserKey};
use bakeoff_revision::Repository;
use std::fs::{File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The folder of worktrees in that of an experiment.
pub(crate) const WORKTREES: &str = "worktrees";
/// The folder of completions in that of an experiment.
pub(crate) const COMPLETIONS: &str = "completions";
/// The folder of results of experiments that are tasks, in that of an experiment with agents.
const RESULTS: &str = "experiments";
/// The file whose lock is held by whoever works in an experiment.
const LOCK: &str = "lock";
/// The most entries of a folder that are looked at.
pub(crate) const ENTRIES_MAX: usize = 100_000;
/// The deepest folders that are looked into.
const DEPTH_MAX: usize = 64;

/// Experiment with agents in a repository.
#[derive(Debug)]
pub struct AgentExperiment {
    /// Git, whose index belongs to one piece of work at a time.
    git: Mutex<Git>,
    pub(crate) folder: Folder,
    pub(crate) name: String,
}

/// State of a worktree.
#[derive(Clone, Debug)]
pub struct WorktreeState {
    /// Name of its experiment.
    pub experiment: String,
    /// Name of its variant.
    pub variant: String,
    /// Completion, if its agent has ended.
    pub completion: Option<Completion>,
    /// True for what an agent left that had failed, or had not ended, before another one began.
    pub is_aside: bool,
    /// The bytes of its files; `None` if there are too many to look at, or they cannot be looked at.
    pub bytes: Option<u64>,
}

fn repository(start: &Path) -> Result<Repository, AgentError> {
    Repository::above(start).map_err(|error| AgentError::Usage(error.to_string()))
}

/// Returns the names of the folders in a folder; none if there is no such folder.
fn folders(folder: &Folder, path: &str) -> Result<Vec<String>, AgentError> {
    let entries = match folder.below(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        below => below?.entries(ENTRIES_MAX)?.unwrap_or_default(),
    };
    let folders = entries
        .into_iter()
        .filter(|entry| entry.kind == FolderEntryKind::Folder);
    let names = folders.filter_map(|entry| entry.name.into_string().ok());
    Ok(names.filter(|name| is_branch_part(name)).collect())
}

impl AgentExperiment {
    /// Opens the experiment of this name in the repository of a folder, and makes its folder where it is missing.
    ///
    /// # Errors
    /// There is no repository that can be used, or the name is none.
    pub fn open(start: &Path, name: &str) -> Result<Self, AgentError> {
        if !is_branch_part(name) {
            return Err(AgentError::Usage(format!(
                "{name:?} is no name: letters, digits, `-`, `_` and single dots, at most 64"
            )));
        }
        let repository = repository(start)?;
        let top = Folder::named_by_user(repository.top())?.make(TOP)?;
        // Its files are no business of the repository, whose own settings stay as they are.
        match top.write_new(".gitignore", b"*\n") {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.into()),
            _ => {}
        }
        let folder = top.make(name)?;
        // What agents leave is nobody else's: a program that they gave the rights of whoever started them, too.
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o700))?;
        Ok(Self {
            git: Mutex::new(Git::open(repository)?),
            folder,
            name: name.to_owned(),
        })
    }

    /// Returns true for a folder in which no agent has left anything: it may be one of results.
    pub fn is_none_of_agents(path: &Path) -> bool {
        let has = |name| path.join(name).symlink_metadata().is_ok();
        path.symlink_metadata().is_ok() && !has(COMPLETIONS) && !has(task_record::FILE)
    }

    /// Opens the experiment of this name, whose agents have left something. Nothing is written.
    ///
    /// # Errors
    /// There is none; as for [`AgentExperiment::open`].
    pub fn existing(start: &Path, name: &str) -> Result<Self, AgentError> {
        let repository = repository(start)?;
        let top = Folder::named_by_user(repository.top())?;
        let is_there = is_branch_part(name)
            && (top.below(format!("{TOP}/{name}/{COMPLETIONS}")).is_ok()
                || top.has(format!("{TOP}/{name}/{}", task_record::FILE)));
        if !is_there {
            return Err(AgentError::Usage(format!(
                "there is no {TOP}/{name} in which an agent left something: `bakeoff worktrees` lists those that are there"
            )));
        }
        Ok(Self {
            git: Mutex::new(Git::open(repository)?),
            folder: top.below(format!("{TOP}/{name}"))?,
            name: name.to_owned(),
        })
    }

    /// Returns git for one piece of work; all others wait meanwhile.
    pub(crate) fn git(&self) -> MutexGuard<'_, Git> {
        self.git.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Holds the experiment until the returned file is dropped, so that nobody else works in it or removes it.
    ///
    /// # Errors
    /// Somebody holds it.
    pub fn hold(&self) -> Result<File, AgentError> {
        let mut options = OpenOptions::new();
        options.create(true).write(true).truncate(false);
        let path = self.folder.path().join(LOCK);
        // A link would lead elsewhere, and a pipe would wait for whoever reads it.
        if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
            return Err(AgentError::Usage(format!(
                "{} is no plain file, and nothing is written through it: remove it",
                path.display()
            )));
        }
        let file = options.open(path)?;
        match file.try_lock() {
            Ok(()) => {
                self.open_folders()?;
                // Without the key nothing of what agents leave could be kept.
                UserKey::of_results().map_err(AgentError::Machine)?;
                Ok(file)
            }
            Err(TryLockError::WouldBlock) => Err(AgentError::Usage(format!(
                "somebody works in {} now: wait until that has ended, or give another --name",
                self.folder.path().display()
            ))),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }

    /// Returns true if somebody holds the experiment.
    ///
    /// # Errors
    /// The file of the lock cannot be opened.
    pub(crate) fn is_held(&self) -> Result<bool, AgentError> {
        if !self.folder.has(LOCK) {
            return Ok(false);
        }
        match self.folder.open(LOCK)?.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(error.into()),
            Ok(()) => Ok(false),
        }
    }

    /// Refuses a wish that could not be carried out, before any agent is started: a variant that is there for another
    /// request, or a branch that is in the way.
    ///
    /// # Errors
    /// See above; the error says what to do.
    pub fn check(
        &self,
        request: &CompletionRequest,
        variants: &[VariantRequest],
    ) -> Result<(), AgentError> {
        self.check_parents()?;
        if self.task_list().is_some() {
            return Err(AgentError::Usage(format!(
                "{} has tasks of `bakeoff work`: give these variants another name by --name",
                self.folder.path().display()
            )));
        }
        for variant in variants {
            let kept = self.completion(&variant.name);
            let is_same = |(kept, completion): &(CompletionRequest, Completion)| {
                kept.is_same(request) && completion.idea == variant.idea
            };
            if kept.as_ref().is_some_and(|kept| !is_same(kept)) {
                return Err(AgentError::Usage(format!(
                    "{} has a variant {:?} already, of another task, idea, agent, base or verification: give this one \
                     another name by --name, or remove that by `bakeoff worktrees --remove {}` and its branch by `git \
                     branch -D {}`",
                    self.name,
                    variant.name,
                    self.name,
                    self.branch(&variant.name)
                )));
            }
            let branch = self.branch(&variant.name);
            if kept.is_none() && self.commit_of_branch(&branch).is_some() {
                return Err(AgentError::Usage(format!(
                    "there is a branch {branch:?} already: give this another name by --name, or remove it with `git \
                     branch -D {branch}`"
                )));
            }
        }
        Ok(())
    }

    /// Refuses a branch in the place of a folder of branches.
    pub(crate) fn check_parents(&self) -> Result<(), AgentError> {
        for parent in ["bakeoff".to_owned(), format!("bakeoff/{}", self.name)] {
            if self.commit_of_branch(&parent).is_some() {
                return Err(AgentError::Usage(format!(
                    "there is a branch {parent:?}, below which git can make no other: rename it with `git branch -m`"
                )));
            }
        }
        Ok(())
    }

    /// Returns the tasks that were worked on last; `None` if there are none with the user's seal.
    pub fn task_list(&self) -> Option<TaskList> {
        TaskList::read(&self.folder, &self.place())
    }

    /// Returns the patterns of tests that fit no file of a commit.
    ///
    /// # Errors
    /// Git fails.
    pub fn patterns_without_files(
        &self,
        base: &str,
        patterns: &[String],
    ) -> Result<Vec<String>, AgentError> {
        let arguments = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", base];
        let list = self.git().text(&arguments)?;
        let fits_none = |pattern: &&String| {
            let pattern = pattern.strip_prefix(EXCEPT).unwrap_or(pattern);
            !list.split('\0').any(|path| matches(pattern, path))
        };
        Ok(patterns.iter().filter(fits_none).cloned().collect())
    }

    /// Returns true if a variant's commit is on its branch.
    fn is_on_branch(&self, variant: &str, commit: &str) -> bool {
        let Some(tip) = self.commit_of_branch(&self.branch(variant)) else {
            return false;
        };
        let ancestry = ["merge-base", "--is-ancestor", commit, &tip];
        tip == commit || self.git().text(&ancestry).is_ok()
    }

    /// Returns the commit of a revision, to make worktrees from.
    ///
    /// # Errors
    /// There is no such revision, or it has submodules.
    pub fn base(&self, revision: &str) -> Result<String, AgentError> {
        let commit = self.commit_of(revision)?;
        worktree::refuse_submodules(&self.git(), &commit)?;
        Ok(commit)
    }

    fn commit_of(&self, revision: &str) -> Result<String, AgentError> {
        let wanted = format!("{revision}^{{commit}}");
        let arguments = [
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &wanted,
        ];
        let found = if revision.starts_with('-') {
            Err(AgentError::Usage(String::new()))
        } else {
            self.git().text(&arguments)
        };
        match found {
            Ok(commit) if commit.len() == 40 => Ok(commit),
            Err(AgentError::Machine(reason)) => Err(AgentError::Machine(reason)),
            _ if self.git().repository().is_shallow() => Err(AgentError::Usage(format!(
                "{revision:?} is no revision of this clone, which has a part of the history alone: `git fetch \
                 --unshallow` brings the rest"
            ))),
            _ => Err(AgentError::Usage(format!(
                "{revision:?} is no revision: a branch, a tag, HEAD~1 or the start of an id names one, and a repository \
                 without a commit has none"
            ))),
        }
    }

    /// Returns the folder of the experiment.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the path of the folder, which a seal is bound to.
    pub(crate) fn place(&self) -> String {
        self.folder.path().display().to_string()
    }

    /// Returns the kept completion of a variant, with the request that it answers.
    pub(crate) fn completion(&self, variant: &str) -> Option<(CompletionRequest, Completion)> {
        record::read(&self.folder, &self.place(), variant)
    }

    /// Makes the worktree of a variant. One that is there is set aside, unless it has nothing but the files of the base.
    pub(crate) fn make_worktree(&self, variant: &str, base: &str) -> Result<Folder, AgentError> {
        let git = self.git();
        let worktrees = self.folder.make(WORKTREES)?;
        if worktrees.has(variant) {
            let left = worktrees.below(variant);
            let left = left.ok().filter(|left| {
                let path = left.path();
                worktree::remove_inner(left).is_ok()
                    && worktree::refuse_unreadable(path).is_ok()
                    && worktree::differing(&git, base, path).is_ok_and(|paths| paths.is_empty())
            });
            match left {
                Some(left) => std::fs::remove_dir_all(left.path())?,
                None => drop(worktrees.set_aside(variant)?),
            }
        }
        let folder = worktrees.make_new(variant)?;
        match worktree::make(&git, base, &folder) {
            Ok(()) => Ok(folder),
            // A half of it is nobody's work, and would take the room that may be missing.
            Err(error) => {
                let _ = std::fs::remove_dir_all(folder.path());
                Err(error)
            }
        }
    }

    /// Returns the names of variants whose agents have ended.
    pub(crate) fn ended_variants(&self) -> Result<Vec<String>, AgentError> {
        folders(&self.folder, COMPLETIONS)
    }

    /// Returns the path of a variant's worktree from the top of the repository.
    pub(crate) fn worktree_path(&self, variant: &str) -> String {
        format!("{TOP}/{}/{WORKTREES}/{variant}", self.name)
    }

    /// Returns the path of the results of an experiment that is a task.
    pub(crate) fn results_of_task(&self, task: &str) -> io::Result<PathBuf> {
        Ok(self.folder.make(RESULTS)?.path().join(task))
    }

    /// Removes the worktree of a variant, if there is one.
    pub(crate) fn remove_worktree(&self, variant: &str) -> io::Result<()> {
        match self.worktree(variant) {
            Ok(folder) => std::fs::remove_dir_all(folder.path()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Opens the worktree of a variant.
    pub(crate) fn worktree(&self, variant: &str) -> io::Result<Folder> {
        self.folder.below(format!("{WORKTREES}/{variant}"))
    }

    /// Returns the commit of a variant's branch; `None` if there is no such branch.
    pub(crate) fn commit_of_branch(&self, branch: &str) -> Option<String> {
        let reference = format!("refs/heads/{branch}");
        let arguments = ["rev-parse", "--verify", "--quiet", &reference];
        self.git().text(&arguments).ok()
    }

    /// Returns the branch of a variant.
    pub(crate) fn branch(&self, variant: &str) -> String {
        format!("bakeoff/{}/{variant}", self.name)
    }

    /// Lists the worktrees of all experiments in the repository of a folder.
    ///
    /// # Errors
    /// There is no repository, or its folder cannot be read.
    pub fn list(start: &Path) -> Result<Vec<WorktreeState>, AgentError> {
        let top = Folder::named_by_user(repository(start)?.top())?;
        let mut states = Vec::new();
        for experiment in folders(&top, TOP)? {
            let folder = top.below(TOP)?.below(&experiment)?;
            let place = folder.path().display().to_string();
            for variant in folders(&folder, WORKTREES)? {
                // An agent may have closed it, until somebody works there again.
                let below = folder.below(format!("{WORKTREES}/{variant}"));
                let bytes = below.and_then(|below| bytes(&below, DEPTH_MAX));
                let completion = record::read(&folder, &place, &variant);
                states.push(WorktreeState {
                    experiment: experiment.clone(),
                    completion: completion.map(|(_, completion)| completion),
                    is_aside: is_aside(&variant),
                    bytes: bytes.unwrap_or_default(),
                    variant,
                });
            }
        }
        Ok(states)
    }

    /// Removes the worktrees and completions of the experiment. Branches stay.
    ///
    /// # Errors
    /// A worktree has what is not committed, and `force` is false; as for removing folders.
    pub fn remove(&self, force: bool) -> Result<Vec<String>, AgentError> {
        let held = self.hold()?;
        let variants = folders(&self.folder, WORKTREES)?;
        for variant in variants.iter().filter(|_| !force) {
            let completion = self.completion(variant).map(|(_, completion)| completion);
            let commit = completion.and_then(|completion| match completion.commit {
                None if completion.changes.is_empty() => Some(completion.base),
                Some(commit) if !self.is_on_branch(variant, &commit) => None,
                commit => commit,
            });
            let path = self.worktree(variant)?.path().to_owned();
            let is_kept = match &commit {
                Some(commit) => {
                    worktree::refuse_unreadable(&path).is_ok()
                        && worktree::differing(&self.git(), commit, &path)?.is_empty()
                }
                None => false,
            };
            if !is_kept {
                return Err(AgentError::Usage(format!(
                    "{} has what is not committed: look at it, but run no git in it, whose settings there may be an \
                     agent's, and remove it with --force",
                    path.display()
                )));
            }
        }
        for name in [WORKTREES, COMPLETIONS, RESULTS] {
            match std::fs::remove_dir_all(self.folder.below(name).map_or_else(
                |_| self.folder.path().join(name),
                |folder| folder.path().to_owned(),
            )) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
        self.folder.remove(winner::FILE)?;
        self.folder.remove(round_record::FILE)?;
        self.folder.remove(task_record::FILE)?;
        std::fs::remove_file(self.folder.path().join(LOCK))?;
        drop(held);
        // Fails if something else is in it, which stays.
        let _ = std::fs::remove_dir(self.folder.path());
        Ok(variants)
    }
}

/// Returns true for a name that a folder gets when it is set aside.
fn is_aside(name: &str) -> bool {
    let number = name.rsplit_once(".aside-").map(|(_, number)| number);
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}

/// Returns the bytes of all files below a folder; `None` if a folder has too many entries, or is too deep.
fn bytes(folder: &Folder, depth: usize) -> io::Result<Option<u64>> {
    let Some(entries) = folder.entries(ENTRIES_MAX)?.filter(|_| depth > 0) else {
        return Ok(None);
    };
    let mut sum = 0_u64;
    for entry in entries {
        if entry.kind == FolderEntryKind::Folder {
            match bytes(&folder.below(&entry.name)?, depth - 1)? {
                Some(below) => sum = sum.saturating_add(below),
                None => return Ok(None),
            }
        } else if let Some(found) = folder.look(&entry.name)? {
            sum = sum.saturating_add(found.bytes);
        }
    }
    Ok(Some(sum))
}
