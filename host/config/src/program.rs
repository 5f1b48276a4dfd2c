//! `command`: a program in any language as an approach.

use super::error::{ConfigError, Finding, quoted};
use super::fields::approach::{COMMAND, WORD_BYTES_MAX, WORDS_MAX};
use super::paths::{self, FileKind, FileRef};
use super::section::{At, Section};
use bakeoff_domain::spec::{CallTiming, ProgramCode};
use std::path::Path;

/// The most bytes of an option before the file.
const OPTION_BYTES_MAX: usize = 40;

/// A command, as the help shows one.
const EXAMPLE: &str = "it is a list like `[\"python3\", \"top_k.py\"]` or `[\"./top-k\"]`: a program on the search path, or a \
                       file of the experiment, and its arguments, one of which names the file";

/// Reads `command`; `None` if it is not there, or wrong.
///
/// The file is the first argument that begins with no `-`, or the program itself if that is named with a `/`.
pub(super) fn command(
    section: &mut Section<'_>,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> Option<ProgramCode> {
    let list = section.array(&COMMAND, "a list of words", found)?;
    let mut words = Vec::new();
    for word in &list.value {
        let text = word.value.as_str().filter(|text| is_word(text));
        let Some(text) = text else {
            found.push(Finding::new(
                word.span.clone(),
                "this is no word of a command",
                "impossible value",
                "words are texts of 1 to 4096 bytes without control characters",
            ));
            return None;
        };
        words.push(At {
            value: text,
            span: word.span.clone(),
        });
    }
    let wrong = |span, why: String| Finding::new(span, why, "impossible value", EXAMPLE);
    let Some(first) = words.first().filter(|_| words.len() <= WORDS_MAX) else {
        let count = words.len();
        found.push(wrong(list.span, format!("`command` has {count} words")));
        return None;
    };
    let is_own = first.value.contains('/');
    let mut arguments = words.iter().skip(1);
    let place = if is_own {
        Some(0)
    } else {
        arguments
            .position(|word| !word.value.starts_with('-'))
            .map(|place| place + 1)
    };
    let Some(place) = place else {
        let name = quoted(first.value);
        found.push(wrong(
            first.span.clone(),
            format!("`command` starts {name}, and names no file of the experiment"),
        ));
        return None;
    };
    let is_plain = |word: &&At<&str>| !word.value.starts_with('-') || is_option(word.value);
    if let Some(code) = words[..place].iter().find(|word| !is_plain(word)) {
        found.push(Finding::new(
            code.span.clone(),
            format!("the option {} may hold code", quoted(code.value)),
            "before the file",
            "options before the file are letters, digits and `-_=.`: put code into the file, which is what the report shows",
        ));
        return None;
    }
    if !is_file_name(words[place].value) {
        let name = quoted(words[place].value);
        found.push(Finding::new(
            words[place].span.clone(),
            format!("the file {name} has a name that may be code"),
            "impossible value",
            "names of programs are letters, digits and `-_.+@/`",
        ));
        return None;
    }
    let file = paths::relative(&words[place], FileKind::Program, found)?;
    files.push(file.clone());
    let mut command: Vec<String> = words.iter().map(|word| word.value.to_owned()).collect();
    command[place] = file.path.display().to_string();
    Some(ProgramCode {
        file: file.path,
        command,
        timing: CallTiming::Answer,
    })
}

/// Refuses a recorded program that no experiment file could declare.
///
/// # Errors
/// The command is none, or names a program by its path, or the file lies elsewhere.
pub(super) fn check_recorded(program: &ProgramCode) -> Result<(), ConfigError> {
    let words = &program.command;
    let names_file = |word: &String| Path::new(word) == program.file;
    let is_command = (1..=WORDS_MAX).contains(&words.len())
        && words.iter().all(|word| is_word(word))
        && words.iter().any(names_file)
        && program.file.to_str().is_some_and(is_file_name)
        && (names_file(&words[0]) || !words[0].contains('/'))
        && words
            .iter()
            .take_while(|word| !names_file(word))
            .skip(1)
            .all(|word| is_option(word));
    if !is_command {
        let shown = quoted(&words.join(" "));
        return Err(ConfigError::Refused(format!(
            "the recorded command {shown} is none that an experiment can have"
        )));
    }
    paths::check_recorded_program(&program.file)
}

/// Returns true if a word is an option that holds no code, which would run in place of the file.
fn is_option(word: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=.".contains(c);
    word.starts_with('-') && word.len() <= OPTION_BYTES_MAX && word.chars().all(is_plain)
}

/// Returns true if the name of a file is no code, which an interpreter would run in its place behind an option that says so.
fn is_file_name(name: &str) -> bool {
    name.chars()
        .all(|c| c.is_alphanumeric() || "-_.+@/".contains(c))
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.len() <= WORD_BYTES_MAX && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(command: &str) -> Option<ProgramCode> {
        let text = format!(
            "name = 'x'\nproblem = '?'\n[interface]\nwit = 'a.wit'\ncall = 'f'\n[workload]\n\
             source = 'w.rs'\nsizes = [1]\n[[approach]]\nname = 'a'\ncommand = {command}\n"
        );
        let experiment = crate::parse(&text, "t").ok()?;
        experiment.approaches[0].code.program().cloned()
    }

    #[test]
    fn the_file_is_the_first_argument_that_is_no_option_or_what_is_started_itself() {
        for (command, file, interpreter) in [
            (
                "['python3', '-u', 'a/./b.py', 'c.py']",
                "a/b.py",
                Some("python3"),
            ),
            ("['./top-k', 'a.py']", "top-k", None),
            ("['bin/top-k']", "bin/top-k", None),
        ] {
            let program = declared(command).unwrap();
            assert_eq!(program.file, Path::new(file));
            assert_eq!(program.interpreter(), interpreter);
            check_recorded(&program).unwrap();
        }
        assert!(declared("['perl', '-w', '--x=1.5', 'a.pl', '-e(1)']").is_some());
        for code in ["'-cprint(1)'", "'-e 1'", "'-I./lib'"] {
            assert!(
                declared(&format!("['perl', {code}, 'a.pl']")).is_none(),
                "{code}"
            );
        }
        for none in [
            "['python3']",
            "['-u', '-x']",
            "[\"a\\u0007\", 'b']",
            "['python3', '-c', 'import os;print(1)']",
            "['perl', '-e', 'print 1']",
            "['/bin/sh', 'a']",
        ] {
            assert!(declared(none).is_none(), "{none}");
        }
    }

    #[test]
    fn what_no_file_could_declare_is_not_taken_from_a_record() {
        let recorded = |file: &str, command: &[&str]| {
            check_recorded(&ProgramCode {
                file: file.into(),
                command: command.iter().map(|word| (*word).to_owned()).collect(),
                timing: CallTiming::Answer,
            })
        };
        assert!(recorded("a.py", &["python3", "a.py"]).is_ok());
        for (file, command) in [
            ("../a.py", &["python3", "../a.py"][..]),
            ("/a.py", &["python3", "/a.py"]),
            ("a.py", &["../../bin/python3", "a.py"]),
            ("a.py", &["python3"]),
            ("a.py", &[]),
            ("print(1)", &["python3", "-c", "print(1)"]),
        ] {
            assert!(recorded(file, command).is_err(), "{file} {command:?}");
        }
    }
}
