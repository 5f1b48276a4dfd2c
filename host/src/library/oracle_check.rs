//! The test of an experiment's oracle, for a program.

use super::fuel_shares::{self, FuelOutput};
use super::named_rows::{named_rows, not_known};
use bakeoff_config::LoadedExperiment;
use bakeoff_domain::coverage::Coverage;
use bakeoff_domain::failure::Failure as Failed;
use bakeoff_domain::oracle::{Belief, Change, OracleTest, shortened, shortened_pair};
use bakeoff_domain::report::CaseLabel;
use bakeoff_domain::spec::Source;
use bakeoff_render::escape::Plain;
use bakeoff_run::{HostOptions, RunError, Survey, SurveyedCoverage, SurveyedFuel};
use serde::Serialize;

/// Number of inputs of each case on which answers are changed: one more than it takes to see that
/// they vary.
const INPUTS_OF_EACH: u32 = 3;

/// The most cases on which answers are changed, the first ones.
const CASES_MAX: usize = 16;

/// The test of an oracle: answers of the approaches were changed a little, and what it says of them was counted; and the code
/// that the inputs reach.
#[derive(Debug)]
pub struct OracleCheck {
    experiment: String,
    cases: Vec<CaseLabel>,
    inputs: usize,
    test: OracleTest,
    covered: Vec<SurveyedCoverage>,
    fuel: Option<Vec<SurveyedFuel>>,
    has_holes: bool,
}

impl OracleCheck {
    /// Tests the oracle of an experiment, and counts fuel by function if that is wanted.
    ///
    /// # Errors
    /// The workload does not build or fails, or the machine does.
    pub(crate) async fn of(
        loaded: &LoadedExperiment,
        host: &HostOptions,
        wants_fuel: bool,
        say: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Self, RunError> {
        let survey = Survey::open(loaded, host, say).await?;
        let inputs = survey.inputs(INPUTS_OF_EACH, CASES_MAX);
        say("changing answers, and asking the oracle");
        let test = survey.test_oracle(&inputs).await?;
        say("looking which code the inputs reach");
        let covered = survey.coverage(&inputs).await?;
        let fuel = if wants_fuel {
            say("counting fuel by function");
            Some(survey.function_fuel(&survey.fuel_inputs()).await?)
        } else {
            None
        };
        // Whoever has numbers for how good an answer is may accept a worse one.
        let mut criteria = loaded.experiment.criteria.iter();
        let has_holes = !criteria.any(|criterion| matches!(criterion.source, Source::Assess(_)))
            && !test.holes().is_empty();
        Ok(Self {
            experiment: loaded.experiment.name.clone(),
            cases: survey.cases().to_vec(),
            inputs: inputs.len(),
            test,
            covered,
            fuel,
            has_holes,
        })
    }

    /// Returns true if the oracle agrees with itself and with approaches that agree, and refuses wrong answers, or there is
    /// none that could be tested.
    pub fn is_believed(&self) -> bool {
        matches!(self.test.belief, Belief::Tested | Belief::Absent) && !self.has_holes
    }

    /// Returns what is to be thought of the oracle in a sentence.
    pub fn sentence(&self) -> String {
        self.test.sentence()
    }

    /// Returns the share of the changed answers that the oracle accepts, from 0 to 1; `None` where none was changed.
    pub fn accepted_share(&self) -> Option<f64> {
        self.test.accepted_share()
    }

    /// Returns the whole result as JSON, as `bakeoff check DIR --format json` has it.
    pub fn json(&self) -> String {
        self.json_of(&self.experiment)
    }

    /// Returns the same with another name of the experiment.
    pub(crate) fn json_of(&self, experiment: &str) -> String {
        bakeoff_render::indented_json(&OracleOutput {
            experiment,
            cases: &self.cases,
            inputs: self.inputs,
            holes: self.test.holes(),
            accepted_share: self.test.accepted_share(),
            coverage: self.covered.iter().map(CoverageOutput::of).collect(),
            fuel_by_function: (self.fuel.as_ref())
                .map(|fuel| fuel.iter().map(FuelOutput::of).collect()),
            test: &self.test,
        })
    }

    /// Returns the whole result as text without control characters.
    pub fn text(&self) -> String {
        self.text_of(&self.experiment)
    }

    /// Returns the same with another name of the experiment.
    pub(crate) fn text_of(&self, experiment: &str) -> String {
        let failed = self.test.not_accepted.iter();
        let failed: Vec<&str> = failed.map(|one| &*one.approach).collect();
        // Whoever does not build is named with the reason already.
        let known = |one: &&SurveyedCoverage| {
            one.coverage.is_ok() || !failed.contains(&one.approach.as_str())
        };
        let covered: Vec<_> = self.covered.iter().filter(known).collect();
        let fuel = self.fuel.as_deref().map(fuel_shares::text);
        let text = text(experiment, &self.test, &self.cases) + &coverage_text(&covered);
        text + &fuel.unwrap_or_default()
    }
}

/// The result in JSON.
#[derive(Serialize)]
struct OracleOutput<'a> {
    experiment: &'a str,
    /// The labels of the cases. Findings name a case by its index here.
    cases: &'a [CaseLabel],
    /// Number of inputs on which each approach was called.
    inputs: usize,
    /// The kinds of change that are accepted in every answer, with the number of these answers.
    holes: Vec<(Change, u64)>,
    /// The share of the changed answers that are accepted.
    accepted_share: Option<f64>,
    /// The code of each approach that the inputs reach.
    coverage: Vec<CoverageOutput<'a>>,
    /// The fuel of each approach by the functions of its source, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    fuel_by_function: Option<Vec<FuelOutput<'a>>>,
    #[serde(flatten)]
    test: &'a OracleTest,
}

/// The code of an approach that the inputs reach, in JSON.
#[derive(Serialize)]
struct CoverageOutput<'a> {
    approach: &'a str,
    #[serde(flatten)]
    coverage: Option<&'a Coverage>,
    /// The share that is reached.
    share: Option<f64>,
    /// The reason why the code is not known.
    failure: Option<&'a Failed>,
}

impl<'a> CoverageOutput<'a> {
    fn of(covered: &'a SurveyedCoverage) -> Self {
        let coverage = covered.coverage.as_ref();
        Self {
            approach: &covered.approach,
            coverage: coverage.ok(),
            share: coverage.ok().and_then(Coverage::share),
            failure: coverage.err(),
        }
    }
}

/// Returns the code that the inputs reach as text.
fn coverage_text(covered: &[&SurveyedCoverage]) -> String {
    let row = |one: &SurveyedCoverage| match &one.coverage {
        Ok(coverage) => coverage.sentence(),
        Err(failure) => not_known(failure),
    };
    let rows = covered.iter().map(|one| (one.approach.as_str(), row(one)));
    let heading = "Code that the inputs reach; what no input reaches, nobody has checked";
    named_rows(heading, &rows.collect::<Vec<_>>())
}

/// Returns the whole result as text.
fn text(name: &str, test: &OracleTest, cases: &[CaseLabel]) -> String {
    let mut text = format!("{}: {}\n", Plain(name), test.sentence());
    let place = |case: usize, seed: u64| {
        let label = cases
            .get(case)
            .map_or_else(String::new, CaseLabel::to_string);
        let drawn = matches!(
            cases.get(case),
            Some(CaseLabel::Size(_) | CaseLabel::Texts(_))
        );
        let seed = if drawn {
            format!(", seed {seed}")
        } else {
            String::new()
        };
        format!("case {}{seed}", Plain(&shortened(&label)))
    };
    for found in &test.contradictions {
        let (at, what) = (place(found.case, found.seed), Plain(&found.what));
        text += &format!("  {at}, {}: {what}\n", Plain(&found.approach));
    }
    for found in &test.doubtful {
        text += &format!(
            "  {}: {} answer {}; the oracle: {}\n",
            place(found.case, found.seed),
            Plain(&found.approaches.join(" and ")),
            Plain(&shortened(&found.answer)),
            Plain(&found.reason)
        );
    }
    if !test.accepted.is_empty() {
        text +=
            "\nAccepted although changed; each is a hole in `check`, unless it is right as well:\n";
        for (change, counts) in &test.by_change {
            if counts.accepted == 0 {
                continue;
            }
            text += &format!("  {change}: {} of {}\n", counts.accepted, counts.changed);
            for example in test.accepted.iter().filter(|one| one.change == *change) {
                let (changed, answer) = shortened_pair(&example.changed, &example.answer);
                text += &format!(
                    "    {}, {}: {} for {}\n",
                    place(example.case, example.seed),
                    Plain(&example.approach),
                    Plain(&changed),
                    Plain(&answer)
                );
            }
        }
    }
    if test.changes.failed > 0 {
        text += &format!(
            "\nIt fails on {} changed answers instead of refusing them; whoever gives one has no result.\n",
            test.changes.failed
        );
    }
    if !test.inputs.is_empty() {
        text += "\nInputs that say little:\n";
        for note in &test.inputs {
            text += &format!("  {}\n", Plain(&note.sentence(cases)));
        }
    }
    if !test.not_accepted.is_empty() {
        text += "\nApproaches that do not pass:\n";
        for failed in &test.not_accepted {
            let at = match (failed.case, failed.seed) {
                (Some(case), Some(seed)) => format!("{}: ", place(case, seed)),
                _ => String::new(),
            };
            let (name, why) = (
                Plain(&failed.approach),
                failed.reason.lines().next().unwrap_or_default(),
            );
            text += &format!("  {name}: {at}{}\n", Plain(why));
        }
    }
    text
}
