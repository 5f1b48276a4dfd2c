//! Progress on stderr: a bar for each stage, on a terminal; a line for each stage elsewhere.

use super::options::Output;
use crate::config::Loaded;
use crate::events::{Envelope, Event, Origin, Stage};
use bakeoff_domain::verdict::Verdict;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What is shown while a run goes on.
pub(super) struct Display {
    shown: Arc<Mutex<Shown>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Nothing.
    Quiet,
    /// Every event as a line.
    Events,
    /// Bars that move.
    Bars,
    /// A line for each stage and what is worth knowing at once.
    Lines,
}

struct Shown {
    kind: Kind,
    bar: ProgressBar,
    budget: Duration,
    failed: u32,
    /// Whether there were results to go on with.
    resumed: bool,
    /// Results of the stage at hand that were not found out again.
    kept: u32,
}

impl Display {
    /// Decides by the options and by what stderr is.
    pub(super) fn new(output: &Output, loaded: &Loaded) -> Self {
        let kind = if output.quiet {
            Kind::Quiet
        } else if output.verbose {
            Kind::Events
        } else if std::io::stderr().is_terminal() {
            Kind::Bars
        } else {
            Kind::Lines
        };
        let budget = loaded.experiment.measure.budget;
        let shown = Shown {
            kind,
            bar: ProgressBar::hidden(),
            budget,
            failed: 0,
            resumed: false,
            kept: 0,
        };
        Self {
            shown: Arc::new(Mutex::new(shown)),
        }
    }

    /// Hears the events of the run.
    pub(super) fn listener(&self) -> impl FnMut(&Envelope) + Send + 'static {
        let shown = Arc::clone(&self.shown);
        move |envelope: &Envelope| {
            shown
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .hear(envelope);
        }
    }

    /// Says what happens before there are events.
    pub(super) fn sayer(&self) -> impl FnMut(&str) + Send + 'static {
        let quiet = self
            .shown
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .kind
            == Kind::Quiet;
        move |text: &str| {
            if !quiet {
                anstream::eprintln!("{text}");
            }
        }
    }

    /// Clears what moves.
    pub(super) fn finish(&self) {
        self.shown
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .bar
            .finish_and_clear();
    }
}

impl Shown {
    fn hear(&mut self, envelope: &Envelope) {
        self.count_kept(&envelope.event);
        match self.kind {
            Kind::Quiet => {}
            Kind::Events => {
                let line = serde_json::to_string(envelope).unwrap_or_default();
                anstream::eprintln!("{line}");
            }
            Kind::Bars => self.move_bar(&envelope.event),
            Kind::Lines => self.line(&envelope.event),
        }
    }

    fn count_kept(&mut self, event: &Event) {
        match event {
            Event::RunResumed { .. } => self.resumed = true,
            Event::StageStart { .. } => self.kept = 0,
            Event::CheckComplete {
                origin: Origin::Kept,
                ..
            }
            | Event::ReplicaComplete {
                origin: Origin::Kept,
                ..
            } => self.kept += 1,
            _ => {}
        }
    }

    /// How much of a stage that is over was not done again.
    fn kept_of(&self, event: &Event) -> Option<String> {
        let what = match event {
            Event::StageComplete {
                stage: Stage::Check,
            } => "checks",
            Event::StageComplete {
                stage: Stage::Measure,
            } => "replicas",
            _ => return None,
        };
        let shown = self.resumed && self.kept > 0;
        shown.then(|| format!("kept from before: {} {what}", self.kept))
    }

    fn move_bar(&mut self, event: &Event) {
        match event {
            Event::StageStart { stage, steps } => self.start_bar(*stage, *steps),
            Event::StageComplete { .. } => self.bar.finish_and_clear(),
            Event::ReplicaComplete { live, index, .. } => {
                self.bar
                    .set_message(format!("replica {}, {live} racing", index + 1));
            }
            _ => {}
        }
        for news in news(event).into_iter().chain(self.kept_of(event)) {
            self.bar.println(format!("  {news}"));
        }
        if is_step(event) {
            self.bar.inc(1);
        }
    }

    fn start_bar(&mut self, stage: Stage, steps: u64) {
        // Replicas end when there is a verdict: a bar of their limit would mislead, so the clock runs.
        let (bar, style) = match stage {
            Stage::Measure => {
                let style = format!(
                    "{{spinner}} measuring   {{elapsed}} of at most {:?}  {{msg}}",
                    self.budget
                );
                (
                    ProgressBar::new_spinner(),
                    ProgressStyle::with_template(&style),
                )
            }
            stage => {
                let style = format!("{:>11}   {{bar:24}} {{pos}}/{{len}}", title(stage));
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
        self.bar = bar;
    }

    fn line(&mut self, event: &Event) {
        if let Event::StageStart { stage, steps } = event {
            match stage {
                Stage::Measure => anstream::eprintln!("measuring, {:?} at most", self.budget),
                Stage::Score => {}
                stage => anstream::eprintln!("{} {steps}", title(*stage)),
            }
        }
        for news in news(event).into_iter().chain(self.kept_of(event)) {
            anstream::eprintln!("  {news}");
        }
        self.failed += u32::from(matches!(event, Event::VariantFailed { .. }));
    }
}

fn title(stage: Stage) -> &'static str {
    match stage {
        Stage::Build => "building",
        Stage::Check => "checking",
        Stage::Measure => "measuring",
        Stage::Score => "scoring",
    }
}

fn is_step(event: &Event) -> bool {
    matches!(
        event,
        Event::BuildComplete { .. } | Event::CheckComplete { .. } | Event::VariantFailed { .. }
    )
}

/// What is worth a line of its own at once. Ids are safe to show as they are; messages of failures
/// come from outside, and wait for the report.
fn news(event: &Event) -> Option<String> {
    match event {
        Event::VariantFailed {
            variant_id,
            failure,
        } => Some(format!(
            "{variant_id}: {} ({})",
            failure.class,
            phase(failure.phase)
        )),
        Event::VerdictChanged {
            a,
            b,
            case: None,
            verdict,
            ..
        } => match verdict {
            Verdict::Beats => Some(format!("{a} beats {b}")),
            Verdict::Beaten => Some(format!("{b} beats {a}")),
            Verdict::Tie => Some(format!("{a} and {b} tie")),
            Verdict::NoCall => None,
        },
        Event::RunResumed { kept, .. } => Some(format!("going on: {kept} results are kept")),
        Event::InputChanged {
            variant_id,
            stage,
            inputs,
        } => Some(changed(variant_id.as_deref(), *stage, inputs)),
        Event::PilotComplete {
            origin: Origin::Kept,
            ..
        } => None,
        Event::Warning { message } => Some(message.clone()),
        _ => None,
    }
}

/// What changed, and what is done again for it. The names of inputs are our own words.
fn changed(variant: Option<&str>, stage: Stage, inputs: &[String]) -> String {
    let inputs: Vec<&str> = inputs
        .iter()
        .map(|input| match input.as_str() {
            "measure" => "settings of the measurement",
            other => other,
        })
        .collect();
    let again = match (stage, variant) {
        (Stage::Build, None) => "all are built again",
        (Stage::Build, Some(_)) => "it is built again",
        (Stage::Check, None) => "all are checked again",
        (Stage::Check, Some(_)) => "it is checked again",
        (Stage::Measure | Stage::Score, _) => "all are measured again",
    };
    let of = variant.map_or_else(String::new, |id| format!(" of {id}"));
    format!(
        "changed since the last run: {}{of}; {again}",
        inputs.join(", ")
    )
}

fn phase(phase: bakeoff_domain::failure::Phase) -> &'static str {
    use bakeoff_domain::failure::Phase;
    match phase {
        Phase::Build => "while building",
        Phase::Load => "while loading",
        Phase::Check => "while being checked",
        Phase::Measure => "while being timed",
    }
}
