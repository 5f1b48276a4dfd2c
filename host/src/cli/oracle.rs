//! `bakeoff check DIR`: tests whether the oracle of an experiment can be believed.

use super::failure::Failure;
use super::fuel_shares::{self, FuelOutput};
use super::options::{Format, Output, Safety};
use super::{Status, show};
use bakeoff_config::Policy;
use bakeoff_domain::coverage::Coverage;
use bakeoff_domain::failure::Failure as Failed;
use bakeoff_domain::oracle::{Belief, Change, OracleTest, shortened, shortened_pair};
use bakeoff_domain::report::CaseLabel;
use bakeoff_domain::spec::Source;
use bakeoff_render::escape::Plain;
use bakeoff_run::{Survey, SurveyedCoverage};
use serde::Serialize;
use std::path::Path;
use unicode_width::UnicodeWidthStr;

/// Number of inputs of each case on which answers are changed: one more than it takes to see that
/// they vary.
pub(super) const INPUTS_OF_EACH: u32 = 3;

/// The most cases on which answers are changed, the first ones.
pub(super) const CASES_MAX: usize = 16;

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

/// Tests the oracle of an experiment with the answers of its approaches, and counts fuel by function if that is wanted.
pub(super) async fn run(
    experiment: &Path,
    wants_fuel: bool,
    safety: &Safety,
    output: &Output,
) -> Result<Status, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let mut loaded = bakeoff_config::load(experiment)?;
    let policy = Policy::of_host()?;
    policy.apply_to(&mut loaded)?;
    loaded.has_code()?;
    let host = safety.host_options(policy)?;
    let mut say = output.reporter();
    let survey = Survey::open(&loaded, &host, &mut say).await?;
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
    let name = experiment.display().to_string();
    match output.format {
        Format::Json => show::write_json(&OracleOutput {
            experiment: &name,
            cases: survey.cases(),
            inputs: inputs.len(),
            holes: test.holes(),
            accepted_share: test.accepted_share(),
            coverage: covered.iter().map(CoverageOutput::of).collect(),
            fuel_by_function: (fuel.as_ref()).map(|fuel| fuel.iter().map(FuelOutput::of).collect()),
            test: &test,
        })?,
        _ => {
            let failed: Vec<&str> = test.not_accepted.iter().map(|one| &*one.approach).collect();
            // Whoever does not build is named with the reason already.
            let known = |one: &&SurveyedCoverage| {
                one.coverage.is_ok() || !failed.contains(&one.approach.as_str())
            };
            let covered: Vec<_> = covered.iter().filter(known).collect();
            let text = text(&name, &test, survey.cases()) + &coverage_text(&covered);
            let fuel = fuel.as_deref().map(fuel_shares::text);
            show::write(&(text + &fuel.unwrap_or_default()))?;
        }
    }
    // Whoever has numbers for how good an answer is may accept a worse one.
    let mut criteria = loaded.experiment.criteria.iter();
    let has_holes = !criteria.any(|criterion| matches!(criterion.source, Source::Assess(_)))
        && !test.holes().is_empty();
    Ok(match test.belief {
        Belief::Tested | Belief::Absent if !has_holes => Status::Done,
        _ => Status::NoAnswer,
    })
}

/// Returns the code that the inputs reach as text.
fn coverage_text(covered: &[&SurveyedCoverage]) -> String {
    if covered.is_empty() {
        return String::new();
    }
    let names = covered.iter().map(|one| Plain(&one.approach).to_string());
    let names: Vec<String> = names.collect();
    let width = names.iter().map(|name| name.width()).max().unwrap_or(0);
    let mut text =
        "\nCode that the inputs reach; what no input reaches, nobody has checked:\n".to_owned();
    for (one, name) in covered.iter().zip(names) {
        let what = match &one.coverage {
            Ok(coverage) => coverage.sentence(),
            Err(failure) => {
                let line = failure.message.lines().next().unwrap_or_default();
                format!("not known: {}", Plain(line))
            }
        };
        let blanks = " ".repeat(width - name.width());
        text += &format!("  {name}{blanks}  {what}\n");
    }
    text
}

/// Returns the whole result as text.
pub(super) fn text(name: &str, test: &OracleTest, cases: &[CaseLabel]) -> String {
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
