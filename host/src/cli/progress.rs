//! Progress on stderr: a bar for each stage on a terminal, otherwise a line.

use super::options::Output;
use bakeoff_config::LoadedExperiment;
use bakeoff_domain::failure::Phase;
use bakeoff_domain::report::words;
use bakeoff_domain::variant;
use bakeoff_render::escape::{Json, Lines, Plain};
use bakeoff_store::events::{
    Envelope, Event, Origin, Stage, checked_cases, line, standings, title,
};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::collections::{BTreeMap, HashMap};
use std::io::IsTerminal as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The largest number of variants that a bar names.
const UNDER_WAY_MAX: usize = 3;

/// The width of the bar of the budget.
const BUDGET_CELLS: usize = 16;

/// Least duration of builds and checks from which on they get a line.
const LONG: Duration = Duration::from_secs(2);

/// The progress display of a run.
pub(super) struct Display {
    view: Arc<Mutex<ProgressView>>,
}

/// Form in which progress is displayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProgressMode {
    /// No output.
    Quiet,
    /// A line for each event.
    Events,
    /// A progress bar for each stage.
    Bars,
    /// A line for each stage and for important events.
    Lines,
}

/// The state of the display.
struct ProgressView {
    mode: ProgressMode,
    bar: ProgressBar,
    /// The stage of the bar.
    bar_stage: Option<Stage>,
    budget: Duration,
    /// Name of each variant that is declared, by its id.
    names: HashMap<String, String>,
    /// True if the run reuses earlier results.
    resumed: bool,
    /// Number of reused results of the current stage.
    reused: u32,
    /// Start of building and checking.
    since: Instant,
    /// Variants that are being built or checked, by id, each with the text that the bar shows.
    under_way: BTreeMap<String, String>,
}

impl Display {
    /// Returns a display that fits the options and stderr.
    pub(super) fn new(output: &Output, loaded: &LoadedExperiment) -> Self {
        let mode = if output.quiet {
            ProgressMode::Quiet
        } else if output.verbose {
            ProgressMode::Events
        } else if std::io::stderr().is_terminal() {
            ProgressMode::Bars
        } else {
            ProgressMode::Lines
        };
        let measure = &loaded.experiment.measure;
        let declared = variant::declare(&loaded.experiment.approaches);
        let names = words::variant_names(declared.iter()).into_iter();
        let names = names.map(|(id, name)| (id.to_owned(), Plain(&name).to_string()));
        let view = ProgressView {
            mode,
            bar: ProgressBar::hidden(),
            bar_stage: None,
            budget: measure.budget,
            names: names.collect(),
            resumed: false,
            reused: 0,
            since: Instant::now(),
            under_way: BTreeMap::new(),
        };
        Self {
            view: Arc::new(Mutex::new(view)),
        }
    }

    /// Returns a sink that displays the events of the run.
    pub(super) fn listener(&self) -> impl FnMut(&Envelope) + Send + 'static {
        let view = Arc::clone(&self.view);
        move |envelope: &Envelope| {
            view.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .on_event(envelope);
        }
    }

    /// Removes the progress bar.
    pub(super) fn finish(&self) {
        self.view
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .bar
            .finish_and_clear();
    }
}

impl ProgressView {
    fn on_event(&mut self, envelope: &Envelope) {
        // A variant that was generated meanwhile is known by its id.
        let name = |id: &str| self.names.get(id).cloned().unwrap_or_else(|| id.to_owned());
        let event = envelope.event.named(name);
        self.count_reused(&event);
        self.follow(&event);
        match self.mode {
            ProgressMode::Quiet => {}
            ProgressMode::Events => {
                let line = serde_json::to_string(envelope).unwrap_or_default();
                anstream::eprintln!("{}", Json(&line));
            }
            ProgressMode::Bars => self.update_bar(&event),
            ProgressMode::Lines => self.print_lines(&event),
        }
    }

    fn count_reused(&mut self, event: &Event) {
        match event {
            Event::RunResumed { .. } => self.resumed = true,
            Event::StageStart { .. } => self.reused = 0,
            Event::CheckComplete {
                origin: Origin::Kept,
                ..
            }
            | Event::ReplicaComplete {
                origin: Origin::Kept,
                ..
            } => self.reused += 1,
            _ => {}
        }
    }

    /// Notes which variants are being built or checked, and since when.
    fn follow(&mut self, event: &Event) {
        match event {
            Event::StageStart {
                stage: Stage::Build,
                ..
            } => {
                self.since = Instant::now();
                self.under_way.clear();
            }
            Event::BuildStart { variant_id } | Event::CheckStart { variant_id } => {
                self.under_way
                    .insert(variant_id.clone(), variant_id.clone());
            }
            Event::CheckProgress { variant_id, .. } => {
                let text = checked_cases(event).unwrap_or_default();
                self.under_way.insert(variant_id.clone(), text);
            }
            Event::BuildComplete { variant_id, .. }
            | Event::CheckComplete { variant_id, .. }
            | Event::VariantFailed { variant_id, .. } => {
                self.under_way.remove(variant_id);
            }
            _ => {}
        }
    }

    /// Returns the variants that are being built or checked, for the end of a bar.
    fn under_way(&self) -> String {
        let names = self.under_way.values().cloned().collect();
        words::listed(names, UNDER_WAY_MAX)
    }

    /// Returns a line on the finished builds and checks, if they took long.
    fn duration_line(&self, event: &Event) -> Option<String> {
        let Event::StageComplete {
            stage: Stage::Check,
        } = event
        else {
            return None;
        };
        let took = self.since.elapsed();
        (took >= LONG).then(|| format!("built and checked in {:.0} s", took.as_secs_f64()))
    }

    /// Returns a line on the reused results of a finished stage.
    fn reused_line(&self, event: &Event) -> Option<String> {
        let what = match event {
            Event::StageComplete {
                stage: Stage::Check,
            } => "checks",
            Event::StageComplete {
                stage: Stage::Measure,
            } => "replicas",
            _ => return None,
        };
        let is_worth_a_line = self.resumed && self.reused > 0;
        is_worth_a_line.then(|| format!("reused {} {what}", self.reused))
    }

    fn update_bar(&mut self, event: &Event) {
        match event {
            Event::StageStart { stage, steps } => self.start_bar(*stage, *steps),
            Event::StageComplete { stage } if self.bar_stage == Some(*stage) => {
                self.bar.finish_and_clear();
            }
            event => {
                if let Some(text) = standings(event) {
                    self.bar.set_message(text);
                }
            }
        }
        if !self.under_way.is_empty() {
            self.bar.set_message(self.under_way());
        }
        for line in self.lines(event) {
            self.bar.println(format!("  {line}"));
        }
        match (step(event), self.bar_stage) {
            (Some(step), Some(stage)) if step == stage => self.bar.inc(1),
            // A variant whose build failed is not checked, though the bar counted it.
            (Some(Stage::Build), Some(Stage::Check))
                if matches!(event, Event::VariantFailed { .. }) =>
            {
                self.bar.dec_length(1);
            }
            _ => {}
        }
    }

    /// Returns the lines on an event, and on the stage that it ends.
    fn lines(&self, event: &Event) -> impl Iterator<Item = String> {
        let of_stage = self
            .reused_line(event)
            .into_iter()
            .chain(self.duration_line(event));
        // A warning may quote what somebody else wrote.
        let line = line(event).map(|line| Lines(&line).to_string());
        line.into_iter().chain(of_stage)
    }

    fn start_bar(&mut self, stage: Stage, steps: u64) {
        let (bar, style) = match stage {
            // Measuring usually ends before the largest number of replicas: the bar is that of the budget.
            Stage::Measure => {
                let budget = self.budget;
                let style = format!(
                    "  measuring   {{budget}} {{elapsed}} of at most {budget:?}\n  {{wide_msg}}"
                );
                let style = ProgressStyle::with_template(&style).map(|style| {
                    style.with_key(
                        "budget",
                        move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                            // Writing to a string cannot fail.
                            let _ = out.write_str(&budget_bar(state.elapsed(), budget));
                        },
                    )
                });
                (ProgressBar::new_spinner(), style)
            }
            stage => {
                let style = format!(
                    "{:>11}   {{bar:24}} {{pos}}/{{len}}  {{elapsed}}  {{msg}}",
                    title(stage)
                );
                (
                    ProgressBar::new(steps),
                    ProgressStyle::with_template(&style),
                )
            }
        };
        bar.set_draw_target(ProgressDrawTarget::stderr());
        if let Ok(style) = style {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        self.bar.finish_and_clear();
        self.bar = bar;
        self.bar_stage = Some(stage);
    }

    fn print_lines(&self, event: &Event) {
        if let Event::StageStart { stage, steps } = event {
            match stage {
                Stage::Measure => anstream::eprintln!("measuring, {:?} at most", self.budget),
                Stage::Check | Stage::Score => {}
                Stage::Build if *steps == 1 => {
                    anstream::eprintln!("building and checking 1 variant");
                }
                Stage::Build => anstream::eprintln!("building and checking {steps} variants"),
            }
        }
        for line in checked_cases(event).into_iter().chain(self.lines(event)) {
            anstream::eprintln!("  {line}");
        }
    }
}

/// Returns the used part of the budget, as a bar.
fn budget_bar(used: Duration, budget: Duration) -> String {
    let share = used.as_secs_f64() / budget.as_secs_f64().max(f64::MIN_POSITIVE);
    let cells = (share.min(1.0) * BUDGET_CELLS as f64) as usize;
    "█".repeat(cells) + &"░".repeat(BUDGET_CELLS - cells)
}

/// Returns the stage of which an event is a step, if that stage has a bar.
fn step(event: &Event) -> Option<Stage> {
    match event {
        Event::BuildComplete { .. } => Some(Stage::Build),
        Event::CheckComplete { .. } => Some(Stage::Check),
        Event::VariantFailed { failure, .. } => match failure.phase {
            Phase::Build | Phase::Load => Some(Stage::Build),
            Phase::Check => Some(Stage::Check),
            Phase::Measure => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view() -> ProgressView {
        ProgressView {
            mode: ProgressMode::Quiet,
            bar: ProgressBar::hidden(),
            bar_stage: None,
            budget: Duration::from_secs(5),
            names: HashMap::new(),
            resumed: false,
            reused: 0,
            since: Instant::now(),
            under_way: BTreeMap::new(),
        }
    }

    #[test]
    fn a_check_under_way_shows_its_variant_and_how_many_cases_are_done() {
        let mut view = view();
        let id = |id: &str| id.to_owned();
        let progress = |done| Event::CheckProgress {
            variant_id: id("sort"),
            done,
            cases: 7,
        };
        for variant_id in [id("sort"), id("heap")] {
            view.follow(&Event::CheckStart { variant_id });
        }
        assert_eq!(view.under_way(), "heap and sort");
        view.follow(&progress(3));
        assert_eq!(view.under_way(), "heap and sort: 3 of 7 cases checked");
        let last = checked_cases(&progress(7)).unwrap();
        assert_eq!(last, "sort: all cases checked, now many calls in a row");
        view.follow(&Event::CheckComplete {
            variant_id: id("sort"),
            origin: Origin::New,
            trials: 98,
            pure: None,
        });
        assert_eq!(view.under_way(), "heap");
    }

    #[test]
    fn the_bar_of_the_budget_is_full_when_it_is_used_up() {
        let bar = |used| budget_bar(Duration::from_secs(used), Duration::from_secs(20));
        assert_eq!(bar(0), "░".repeat(BUDGET_CELLS));
        assert_eq!(bar(10).matches('█').count(), BUDGET_CELLS / 2);
        assert_eq!(bar(30), "█".repeat(BUDGET_CELLS));
        assert_eq!(
            budget_bar(Duration::ZERO, Duration::ZERO),
            "░".repeat(BUDGET_CELLS)
        );
    }

    #[test]
    fn checks_that_took_long_say_so() {
        let mut view = view();
        let done = |stage| Event::StageComplete { stage };
        assert_eq!(view.duration_line(&done(Stage::Check)), None);
        let Some(before) = Instant::now().checked_sub(Duration::from_secs(9)) else {
            return;
        };
        view.since = before;
        assert_eq!(
            view.duration_line(&done(Stage::Check)).unwrap(),
            "built and checked in 9 s"
        );
        assert_eq!(view.duration_line(&done(Stage::Measure)), None);
    }
}
