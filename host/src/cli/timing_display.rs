//! Progress of a comparison of commands.

use super::options::Output;
use bakeoff_programs::News;
use bakeoff_render::escape::Plain;
use indicatif::ProgressBar;
use std::io::IsTerminal as _;

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
        let Some(bar) = &self.bar else {
            return;
        };
        match news {
            News::WarmingUp(name) => bar.set_message(format!("before it counts: {}", Plain(name))),
            News::Blocks {
                blocks,
                seconds,
                budget_seconds,
            } => bar.set_message(format!(
                "{blocks} blocks, {seconds:.0} s of at most {budget_seconds:.0} s"
            )),
        }
        bar.tick();
    }

    pub(super) fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}
