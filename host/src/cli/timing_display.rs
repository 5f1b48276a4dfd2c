//! Progress of a comparison of commands.

use super::options::Output;
use bakeoff_programs::{CommandStanding, News};
use bakeoff_render::clipped;
use bakeoff_render::escape::Plain;
use indicatif::ProgressBar;
use std::io::IsTerminal as _;

/// The most characters of a name.
const NAME_CHARS_MAX: usize = 40;

/// Progress on stderr, for a terminal alone: a line that is replaced.
pub(super) struct TimingDisplay {
    bar: Option<ProgressBar>,
}

impl TimingDisplay {
    pub(super) fn new(output: &Output) -> Self {
        let shows = !output.quiet && std::io::stderr().is_terminal();
        Self {
            bar: shows.then(|| {
                let bar = ProgressBar::new_spinner();
                // A steady tick would take a core from what is timed more often than news come.
                bar.set_message("starting");
                bar
            }),
        }
    }

    pub(super) fn show(&mut self, news: &News<'_>) {
        if let Some(bar) = &self.bar {
            bar.set_message(message(news));
            bar.tick();
        }
    }

    pub(super) fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// A name in a line of progress.
fn short(name: &str) -> String {
    Plain(&clipped(name, NAME_CHARS_MAX)).to_string()
}

fn message(news: &News<'_>) -> String {
    match news {
        News::WarmingUp(name) => format!("before it counts: {}", short(name)),
        News::Blocks {
            blocks,
            seconds,
            budget_seconds,
            standing,
        } => {
            let left = (budget_seconds - seconds).max(0.0);
            let known = standing.map(|standing| format!("; {}", known(standing)));
            format!(
                "{blocks} blocks in {seconds:.0} s, {left:.0} s left at most{}",
                known.unwrap_or_default()
            )
        }
    }
}

/// Verdicts so far, in the words of the progress of a run.
fn known(standing: &CommandStanding) -> String {
    let CommandStanding {
        decided,
        pairs,
        ahead,
        open,
    } = standing;
    let mut text = format!("{decided} of {pairs} pairs decided");
    if let Some(ahead) = ahead {
        text += &format!(", nobody beats {}", short(ahead));
    }
    if let Some(open) = open {
        text += &format!("; open: {} against {}", short(&open.a), short(&open.b));
        if let Some(span) = &open.span {
            text += &format!(", {span}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_programs::OpenCommandPair;

    #[test]
    fn progress_says_what_is_known_and_what_time_is_left() {
        let standing = CommandStanding {
            decided: 2,
            pairs: 3,
            ahead: None,
            open: Some(OpenCommandPair {
                a: "a\u{1b}[31m".to_owned(),
                b: "b".repeat(60),
                span: Some("from 3 % less to 1 % more time".to_owned()),
            }),
        };
        let news = |standing| News::Blocks {
            blocks: 12,
            seconds: 3.2,
            budget_seconds: 30.0,
            standing,
        };
        assert_eq!(message(&news(None)), "12 blocks in 3 s, 27 s left at most");
        let text = message(&news(Some(&standing)));
        let begin = "12 blocks in 3 s, 27 s left at most; 2 of 3 pairs decided; open: a";
        assert!(text.starts_with(begin), "{text}");
        assert!(
            text.ends_with("…, from 3 % less to 1 % more time"),
            "{text}"
        );
        assert!(!text.contains('\u{1b}'), "{text}");
        let ahead = CommandStanding {
            ahead: Some("a".to_owned()),
            open: None,
            ..standing
        };
        assert!(message(&news(Some(&ahead))).ends_with("decided, nobody beats a"));
    }
}
