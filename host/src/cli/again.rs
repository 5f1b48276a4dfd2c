//! The command that continues an interrupted run.

use std::ffi::OsString;

/// Returns this command line, quoted for a shell.
pub(super) fn command() -> String {
    of(std::env::args_os().skip(1))
}

/// Returns the arguments as a command, without `--fresh`, which would start over instead of
/// continuing.
fn of(arguments: impl Iterator<Item = OsString>) -> String {
    let mut words = vec!["bakeoff".to_owned()];
    let mut options = true;
    for argument in arguments {
        options &= argument != "--";
        if !(options && argument == "--fresh") {
            words.push(quoted(argument.to_string_lossy().into_owned()));
        }
    }
    words.join(" ")
}

/// Returns a word quoted so that a shell reads it unchanged.
fn quoted(text: String) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:%+".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again(words: &[&str]) -> String {
        of(words.iter().map(OsString::from))
    }

    #[test]
    fn options_stay_and_words_are_quoted() {
        let words = [
            "run",
            "my tests",
            "--out",
            "it's/here",
            "--workers=1",
            "--allow-unconfined",
        ];
        assert_eq!(
            again(&words),
            r"bakeoff run 'my tests' --out 'it'\''s/here' --workers=1 --allow-unconfined"
        );
        assert_eq!(again(&["run", ""]), "bakeoff run ''");
    }

    #[test]
    fn starting_over_is_not_said_again() {
        assert_eq!(again(&["run", "--fresh", "x"]), "bakeoff run x");
        assert_eq!(
            again(&["run", "--", "--fresh"]),
            "bakeoff run -- --fresh",
            "a folder of that name"
        );
    }
}
