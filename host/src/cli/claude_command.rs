//! `bakeoff init --claude`: a slash command of Claude Code.

use super::Status;
use super::failure::Failure;
use super::show;
use crate::library::{cannot_write, check_places, replace};
use bakeoff_files::Folder;
use bakeoff_render::escape::Plain;
use std::io::ErrorKind;
use std::path::Path;

/// The file of the command, in the folder of a project.
const FILE: &str = ".claude/commands/parallel-experiment.md";

/// The lines that Claude Code reads of the command.
const HEAD: &str = "---\n\
    description: Try several ways to solve a problem with bakeoff, and take the best\n\
    argument-hint: [the problem, how many approaches, wanted ones]\n\
    ---\n\n";

/// The lines with what the user said behind the command.
const SAID: &str = "\nWhat the user said: $ARGUMENTS\n";

/// Writes the command into a project. A file that is there stays, unless it is to be overwritten.
///
/// # Errors
/// The file is there and differs, or it cannot be written.
pub(super) fn write(dir: &Path, overwrites: bool) -> Result<Status, Failure> {
    let text = format!("{HEAD}{}{SAID}", crate::mcp::PARALLEL_EXPERIMENT_TEXT);
    let path = dir.join(FILE);
    let shown = path.display().to_string();
    check_places(dir, &[".claude/", ".claude/commands/", FILE])?;
    let folder = Folder::made_by_user(dir).map_err(|error| cannot_write(dir, &error))?;
    let failed = |error: &std::io::Error| cannot_write(&path, error);
    match folder.write_new(FILE, text.as_bytes()) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let has = folder.read(FILE, text.len() as u64);
            if !overwrites && !has.is_ok_and(|has| has.as_deref() == Some(text.as_bytes())) {
                return Err(Failure::usage(format!(
                    "{} is there already, and is not what would be written: --overwrite replaces it",
                    Plain(&shown)
                )));
            }
            replace(&path, &text).map_err(|error| failed(&error))?;
        }
        written => written.map_err(|error| failed(&error))?,
    }
    show::write(&format!(
        "wrote {}\n\nGive Claude Code the tools, and begin with /parallel-experiment:\n  claude mcp add bakeoff -- bakeoff \
         mcp --root .\n",
        Plain(&shown)
    ))?;
    Ok(Status::Done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_command_that_was_changed_stays_unless_it_is_to_be_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        write(folder.path(), false).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("---\ndescription: ") && text.ends_with("$ARGUMENTS\n"));
        write(folder.path(), false).unwrap();
        fs::write(&file, "mine").unwrap();
        assert!(write(folder.path(), false).is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
        write(folder.path(), true).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }

    #[test]
    fn nothing_is_written_through_links() {
        let [folder, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(other.path(), folder.path().join(".claude")).unwrap();
        for overwrites in [false, true] {
            assert!(write(folder.path(), overwrites).is_err());
        }
        assert_eq!(fs::read_dir(other.path()).unwrap().count(), 0);
    }
}
