//! The verification of a finished run, for a program.

use bakeoff_render::escape::Plain;
use bakeoff_run::audit;
use bakeoff_run::audit::FigureOutcome;

/// The verification of a finished run: each figure that it rests on, with what is found here now.
#[derive(Clone, Debug, PartialEq)]
pub struct Verification {
    verification: audit::Verification,
}

/// A figure that differs from the one that was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference<'a> {
    /// The subject of the figure: the id of a variant, `inputs`, `verdicts`, …
    pub about: &'a str,
    /// The name of the figure.
    pub figure: &'a str,
    /// The stored value.
    pub kept: &'a str,
    /// The value found now.
    pub here: &'a str,
}

impl Verification {
    pub(crate) fn new(verification: audit::Verification) -> Self {
        Self { verification }
    }

    /// Returns true if no figure differs. Some may be of a kind that cannot be repeated here, as times are.
    pub fn is_reproduced(&self) -> bool {
        self.verification.differ == 0
    }

    /// Returns the number of figures that were reproduced.
    pub fn reproduced(&self) -> usize {
        self.verification.reproduced
    }

    /// Returns the number of figures that cannot be repeated here.
    pub fn not_repeated(&self) -> usize {
        self.verification.not_repeated
    }

    /// Returns the figures that differ. Their texts are those of the run: escape them for wherever they are shown.
    pub fn differences(&self) -> impl Iterator<Item = Difference<'_>> {
        let figures = self.verification.figures.iter();
        figures.filter_map(|one| match &one.outcome {
            FigureOutcome::Differs { kept, here } => Some(Difference {
                about: &one.about,
                figure: &one.figure,
                kept,
                here,
            }),
            _ => None,
        })
    }

    /// Returns all figures as JSON, as `bakeoff verify --format json` has them.
    pub fn json(&self) -> String {
        bakeoff_render::indented_json(&self.verification)
    }

    /// Returns every figure by its subject, and the totals, as text without control characters.
    pub fn text(&self) -> String {
        text(&self.verification)
    }
}

/// Returns every figure by its subject, and the totals, as text.
fn text(verification: &audit::Verification) -> String {
    let mut text = String::new();
    let mut about: Option<&str> = None;
    for figure in &verification.figures {
        if about != Some(&figure.about) {
            text += &format!("{}\n", Plain(&figure.about));
            about = Some(&figure.about);
        }
        let name = Plain(&figure.figure).to_string();
        text += &match &figure.outcome {
            FigureOutcome::Reproduced { value } => {
                format!("  {name:<34}  reproduced  {}\n", Plain(value))
            }
            FigureOutcome::ReproducedToLastDigits { kept, here } => format!(
                "  {name:<34}  reproduced but for the last digits: {}, here {}\n",
                Plain(kept),
                Plain(here)
            ),
            FigureOutcome::Differs { kept, here } => format!(
                "  {name:<34}  DIFFERS: kept is {}, here is {}\n",
                Plain(kept),
                Plain(here)
            ),
            FigureOutcome::NotRepeated { why } => {
                format!("  {name:<34}  not repeated here: {}\n", Plain(why))
            }
        };
    }
    let of = format!(
        "run {} of {}",
        verification.run,
        Plain(&verification.experiment)
    );
    let elsewhere = verification.machines.iter();
    let elsewhere = elsewhere.map(|one| {
        format!(
            "checks by worker {}: {}\n",
            Plain(&one.machine),
            one.tasks - one.lost
        )
    });
    let counts = format!(
        "{} figures reproduced, {} differ, {} not repeated here",
        verification.reproduced, verification.differ, verification.not_repeated
    );
    text + &format!("\n{of}: {counts}\n") + &elsewhere.collect::<String>()
}
