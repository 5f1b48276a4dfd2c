//! The command that continues an interrupted run.

use bakeoff_remote::AGAIN_VARIABLE;
use bakeoff_render::escape::ShellWord;
use std::ffi::OsString;

/// Returns this command line, quoted for a shell; of a command that another machine sent here, the one of that machine.
pub(super) fn command() -> String {
    let sent = std::env::var(AGAIN_VARIABLE).ok();
    let sent = sent.filter(|command| command.starts_with("bakeoff "));
    sent.unwrap_or_else(|| of(std::env::args_os().skip(1)))
}

/// Returns these arguments as a `bakeoff` command without `--fresh`, which would start over instead
/// of continuing.
fn of(arguments: impl Iterator<Item = OsString>) -> String {
    let mut words = vec!["bakeoff".to_owned()];
    let mut options = true;
    for argument in arguments {
        options &= argument != "--";
        if !(options && argument == "--fresh") {
            words.push(ShellWord(&argument.to_string_lossy()).to_string());
        }
    }
    words.join(" ")
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
