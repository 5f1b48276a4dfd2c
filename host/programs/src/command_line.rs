//! A command as it is typed: a program with its arguments, or a line for a shell.

use rustix::fs::Access;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// The program that starts commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shell {
    /// Commands are started directly if none of them needs a shell; else all of them by `sh -c`, so that none has an
    /// advantage.
    IfNeeded,
    /// Commands are started directly.
    None,
    /// All commands are started by this program, which takes a line behind `-c`; it may have arguments of its own.
    Program(String),
}

/// A command that can be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    text: String,
    words: Vec<OsString>,
    is_by_shell: bool,
}

/// An error in a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandLineError {
    /// There is nothing to start.
    #[error("the command is empty: give a program, and its arguments behind it")]
    Empty,
    /// A quote or a backslash is without its end.
    #[error(
        "the command {0:?} has a quotation without its end: close it, or write \\ before the quote"
    )]
    Quote(String),
    /// There is no such program.
    #[error(
        "there is no program {0}: neither a file of that name, nor one in a folder of PATH that may be started"
    )]
    NoProgram(String),
    /// A byte that no argument can have.
    #[error("the command {0:?} has a zero byte in it, which no argument can have")]
    Zero(String),
}

/// Place that a command is started in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StartFolder {
    /// The current folder.
    Current,
    /// Another one, in which a program that is named by a relative path is looked for when it is started.
    Another,
}

/// The shell that is used where one is needed.
const DEFAULT_SHELL: &str = "sh";

/// Words that only a shell understands at the beginning of a command.
const BUILT_IN: [&str; 20] = [
    ".", ":", "alias", "break", "case", "cd", "eval", "exec", "exit", "export", "for", "if",
    "read", "set", "source", "trap", "ulimit", "umask", "until", "while",
];

impl CommandLine {
    /// Returns the command of this text. `by_shell` is the shell that starts it, if one does.
    ///
    /// # Errors
    /// It is empty, or a quotation has no end.
    fn new(
        text: &str,
        by_shell: Option<&str>,
        start: StartFolder,
    ) -> Result<Self, CommandLineError> {
        if text.trim().is_empty() {
            return Err(CommandLineError::Empty);
        }
        if text.contains('\0') {
            return Err(CommandLineError::Zero(text.to_owned()));
        }
        let split =
            |text: &str| shlex::split(text).ok_or_else(|| CommandLineError::Quote(text.to_owned()));
        let words = match by_shell {
            None => split(text)?,
            Some(shell) => {
                let mut words = split(shell)?;
                words.extend(["-c".to_owned(), text.to_owned()]);
                words
            }
        };
        if words.is_empty() {
            return Err(CommandLineError::Empty);
        }
        let is_there = start == StartFolder::Another && is_relative(&words[0]);
        let program = if is_there {
            Some(words[0].clone().into())
        } else {
            found(&words[0], std::env::var_os("PATH"))
        };
        let program = program.ok_or_else(|| CommandLineError::NoProgram(words[0].clone()))?;
        let arguments = words.into_iter().skip(1).map(OsString::from);
        Ok(Self {
            text: text.to_owned(),
            words: std::iter::once(program).chain(arguments).collect(),
            is_by_shell: by_shell.is_some(),
        })
    }

    /// Returns the commands of these texts, all of which are started in the same way. Their programs are looked for
    /// here, so that no run looks through the folders of PATH.
    ///
    /// # Errors
    /// One of them is empty, a quotation has no end, or there is no such program.
    pub fn all(texts: &[String], shell: &Shell) -> Result<Vec<Self>, CommandLineError> {
        Self::all_in(texts, shell, StartFolder::Current)
    }

    /// Returns the commands of these texts as [`CommandLine::all`] does, to be started in another folder: a program that is
    /// named by a relative path is one of that folder, and may be made there yet.
    ///
    /// # Errors
    /// As for [`CommandLine::all`].
    pub fn all_elsewhere(texts: &[String], shell: &Shell) -> Result<Vec<Self>, CommandLineError> {
        Self::all_in(texts, shell, StartFolder::Another)
    }

    fn all_in(
        texts: &[String],
        shell: &Shell,
        start: StartFolder,
    ) -> Result<Vec<Self>, CommandLineError> {
        let by_shell = by_shell(texts, shell);
        let line = |text: &String| Self::new(text, by_shell, start);
        texts.iter().map(line).collect()
    }

    /// Returns the command of a text as [`CommandLine::all`] does.
    ///
    /// # Errors
    /// As for [`CommandLine::all`].
    pub fn one(text: &String, shell: &Shell) -> Result<Self, CommandLineError> {
        let by_shell = by_shell(std::slice::from_ref(text), shell);
        Self::new(text, by_shell, StartFolder::Current)
    }

    /// Returns the command of a text as [`CommandLine::all_elsewhere`] does.
    ///
    /// # Errors
    /// As for [`CommandLine::all`].
    pub fn one_elsewhere(text: &String, shell: &Shell) -> Result<Self, CommandLineError> {
        let by_shell = by_shell(std::slice::from_ref(text), shell);
        Self::new(text, by_shell, StartFolder::Another)
    }

    /// Returns a command that does nothing and is started as these are.
    pub(crate) fn that_does_nothing(shell: &Shell, texts: &[String]) -> Option<Self> {
        let text = match shell {
            Shell::Program(_) => ":",
            Shell::IfNeeded if texts.iter().any(|text| needs_shell(text)) => ":",
            Shell::IfNeeded | Shell::None => "true",
        };
        let shell = if text == ":" && *shell == Shell::IfNeeded {
            &Shell::Program(DEFAULT_SHELL.to_owned())
        } else {
            shell
        };
        Self::all(&[text.to_owned()], shell).ok()?.pop()
    }

    /// The command as it was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns true if a shell starts it, whose status says whether it could.
    pub fn is_by_shell(&self) -> bool {
        self.is_by_shell
    }

    /// The program that is started.
    pub fn program(&self) -> &OsStr {
        &self.words[0]
    }

    /// Its arguments.
    pub fn arguments(&self) -> &[OsString] {
        &self.words[1..]
    }
}

fn is_program(place: &PathBuf) -> bool {
    place.is_file() && rustix::fs::access(place, Access::EXEC_OK).is_ok()
}

/// Returns the shell that starts these commands, if one does.
fn by_shell<'a>(texts: &[String], shell: &'a Shell) -> Option<&'a str> {
    match shell {
        Shell::None => None,
        Shell::Program(program) => Some(program),
        Shell::IfNeeded => texts
            .iter()
            .any(|text| needs_shell(text))
            .then_some(DEFAULT_SHELL),
    }
}

/// Returns true if a word names a program by a path that begins in the folder it is started in.
fn is_relative(name: &str) -> bool {
    name.contains('/') && !name.starts_with('/')
}

/// Returns the path of a program, as a shell would find it.
fn found(name: &str, path: Option<OsString>) -> Option<OsString> {
    if name.contains('/') {
        return is_program(&PathBuf::from(name)).then(|| name.into());
    }
    let path = path?;
    let mut places = std::env::split_paths(&path).map(|folder| folder.join(name));
    places.find(is_program).map(PathBuf::into_os_string)
}

/// Returns true if a text means something else to a shell than a program with its arguments.
fn needs_shell(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let assigns = first
        .split_once('=')
        .is_some_and(|(name, _)| name.chars().all(|c| c.is_alphanumeric() || c == '_'));
    assigns || BUILT_IN.contains(&first) || has_special(text)
}

fn has_special(text: &str) -> bool {
    let mut quote = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (Some('\''), _) => {}
            (_, '\\') => drop(characters.next()),
            (_, '$' | '`') => return true,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(character),
            (
                None,
                '|' | '&' | ';' | '<' | '>' | '(' | ')' | '*' | '?' | '[' | '~' | '{' | '#' | '\n',
            ) => return true,
            (None, _) => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, shell: &Shell) -> Vec<String> {
        let line = CommandLine::all(&[text.to_owned()], shell).unwrap();
        let words = line[0].words.iter();
        let mut words: Vec<String> = words
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        words[0] = words[0].rsplit('/').next().unwrap().to_owned();
        words
    }

    #[test]
    fn a_program_with_arguments_needs_no_shell() {
        let split = |text| words(text, &Shell::IfNeeded);
        assert_eq!(split("sleep 0.1"), ["sleep", "0.1"]);
        assert_eq!(
            split("env -c 'print(1); print(2)' \"a b\" c\\ d"),
            ["env", "-c", "print(1); print(2)", "a b", "c d"]
        );
        for text in [
            "a | b",
            "a > b",
            "cat *.txt",
            "X=1 a",
            "cd x",
            "echo $HOME",
            "a \"$x\"",
            "a; b",
        ] {
            assert_eq!(split(text), ["sh", "-c", text]);
        }
    }

    #[test]
    fn if_one_needs_a_shell_all_are_started_by_it() {
        let texts = ["true".to_owned(), "true | true".to_owned()];
        let lines = CommandLine::all(&texts, &Shell::IfNeeded).unwrap();
        assert!(lines.iter().all(|line| line.words[1] == "-c"));
        let nothing = CommandLine::that_does_nothing(&Shell::IfNeeded, &texts).unwrap();
        assert_eq!(nothing.words[1..], ["-c", ":"]);
        let nothing = CommandLine::that_does_nothing(&Shell::None, &texts).unwrap();
        assert_eq!((nothing.words.len(), nothing.text()), (1, "true"));
        assert_eq!(
            words("a | b", &Shell::Program("sh -e".to_owned())),
            ["sh", "-e", "-c", "a | b"]
        );
    }

    #[test]
    fn a_program_of_another_folder_may_be_made_there_yet() {
        let elsewhere =
            |text: &str| CommandLine::all_elsewhere(&[text.to_owned()], &Shell::IfNeeded);
        let line = elsewhere("./made/later x").unwrap();
        assert_eq!(line[0].program(), "./made/later");
        assert!(elsewhere("/no/such/program").is_err());
        assert!(elsewhere("no-such-program").is_err());
    }

    #[test]
    fn what_cannot_be_started_is_an_error() {
        let error = |text: &str| CommandLine::all(&[text.to_owned()], &Shell::None).unwrap_err();
        assert_eq!(error(" "), CommandLineError::Empty);
        assert_eq!(error("a 'b"), CommandLineError::Quote("a 'b".to_owned()));
        assert_eq!(
            error("no-such-program x"),
            CommandLineError::NoProgram("no-such-program".to_owned())
        );
        assert!(matches!(
            error("/etc/passwd"),
            CommandLineError::NoProgram(_)
        ));
        assert_eq!(error("a\0"), CommandLineError::Zero("a\0".to_owned()));
    }
}
