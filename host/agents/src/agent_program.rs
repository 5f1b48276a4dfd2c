//! The program of an agent, where it is a file of the worktree.

use super::error::AgentError;
use super::experiment::AgentExperiment;
use bakeoff_programs::CommandLine;

/// Mode of a file in git that may be started.
const EXECUTABLE: &str = "100755";
/// Mode of a link in git.
const LINK: &str = "120000";

impl AgentExperiment {
    /// Refuses an agent whose program is named by a path in the worktree, where a commit has no file there that can be
    /// started: no agent of any variant could be.
    ///
    /// # Errors
    /// See above; git fails.
    pub fn check_agent(&self, base: &str, agent: &CommandLine) -> Result<(), AgentError> {
        let program = agent.program().to_string_lossy();
        if program.starts_with('/') {
            return Ok(());
        }
        let refused = |what: &str, how: &str| {
            Err(AgentError::Usage(format!(
                "--agent {:?} names a file of the worktree, which has the files of the base alone, and {program:?} {what}: \
                 {how}, or name it by its absolute path, with --read PATH for what lies outside the folders of the system",
                agent.text()
            )))
        };
        let parts = program.split('/');
        let path: Vec<&str> = parts
            .filter(|part| !part.is_empty() && *part != ".")
            .collect();
        if path.contains(&"..") {
            return refused(
                "leads out of it",
                "name it from the top of the repository, without `..`",
            );
        }
        let path = path.join("/");
        let arguments = ["ls-tree", "-z", "--full-tree", base, "--", &path];
        let found = self.git().text(&arguments)?;
        // Where a link leads to is seen when it is started.
        match found.split(' ').next() {
            Some(EXECUTABLE | LINK) => Ok(()),
            None | Some("") => refused("is not committed there", "commit it"),
            Some(_) => refused(
                "is no file there that may be started",
                "have its mode committed by `git update-index --chmod=+x`",
            ),
        }
    }
}
