//! Ideas of the user's own, given to `bakeoff explore`.

use super::failure::Failure;
use crate::library::generation::ideas::Ideas;
use clap::Args;

/// Ideas of the user's own.
#[derive(Debug, Args)]
pub(super) struct OwnIdeas {
    /// An idea of your own that is written: a name, and what it is; repeated for each. Without --approaches, nothing more
    /// is asked for
    #[arg(long = "idea", value_name = "NAME=TEXT", value_parser = idea)]
    ideas: Vec<(String, String)>,
}

/// Parses an idea of the user's: `functional=Pure functions.`
pub(super) fn idea(text: &str) -> Result<(String, String), String> {
    let (name, description) = text.split_once('=').unwrap_or((text, ""));
    let (name, description) = (name.trim(), description.trim());
    if description.is_empty() {
        return Err("it says nothing of the idea: write NAME=TEXT".to_owned());
    }
    if name.is_empty() || name.chars().count() > bakeoff_config::NAME_CHARS_MAX {
        return Err("it does not begin with a name: write NAME=TEXT".to_owned());
    }
    if description.chars().count() > bakeoff_config::PROSE_CHARS_MAX {
        return Err(format!(
            "its text has more than {} characters",
            bakeoff_config::PROSE_CHARS_MAX
        ));
    }
    Ok((name.to_owned(), description.to_owned()))
}

impl OwnIdeas {
    /// Returns the ideas.
    pub(super) fn ideas(&self) -> Ideas {
        Ideas(self.ideas.clone())
    }

    /// Refuses ideas that cannot be told apart, too many of them, and a request for nothing.
    pub(super) fn check(&self, more: Option<u32>) -> Result<(), Failure> {
        if self.ideas.is_empty() && more == Some(0) {
            return Err(Failure::usage(
                "--approaches 0 asks for nothing without an --idea of your own",
            ));
        }
        Ok(self.ideas().check(more.unwrap_or(0))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(ideas: &[&str]) -> OwnIdeas {
        let ideas = ideas.iter().map(|text| idea(text).unwrap());
        OwnIdeas {
            ideas: ideas.collect(),
        }
    }

    #[test]
    fn an_idea_is_a_name_and_a_text() {
        assert_eq!(idea("a = b=c"), Ok(("a".to_owned(), "b=c".to_owned())));
        for wrong in ["a", "a=", "=b", &format!("{}=b", "x".repeat(101))] {
            assert!(idea(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ideas_are_told_apart_and_bounded() {
        assert!(own(&["a=1", "b=2"]).check(Some(8)).is_ok());
        assert!(own(&["a=1", "b=2"]).check(Some(9)).is_err());
        assert!(own(&["a b=1", "A-B=2"]).check(None).is_err());
        assert!(own(&["Plain=1"]).check(None).is_err());
        assert!(own(&["combination 1=1"]).check(None).is_err());
        assert!(own(&[]).check(Some(0)).is_err());
        assert!(own(&[]).check(None).is_ok() && own(&["a=1"]).check(Some(0)).is_ok());
    }
}
