//! `[judge]` of an experiment: a run asks a model for its opinion of the sources, if its user consents.

use super::consent_options::{ConsentOptions, leave_on_terminal, named};
use super::failure::Failure;
use super::model_news;
use super::options::Output;
use crate::library::opinions::{OpenedJudge, record_of_opinions};
use bakeoff_config::{LoadedExperiment, Policy};

/// Opens the model that an experiment wants opinions of; `None` if it wants none, or the user does not consent.
///
/// # Errors
/// An option is missing, or the host's policy forbids it.
pub(super) fn open(
    leave: &ConsentOptions,
    loaded: &LoadedExperiment,
    policy: &Policy,
    output: &Output,
) -> Result<Option<OpenedJudge>, Failure> {
    let Some(wanted) = &loaded.judge else {
        return if leave.judge {
            Err(Failure::usage(
                "--judge: the experiment has no [judge], and no criterion `from = \"judge\"`",
            ))
        } else {
            Ok(None)
        };
    };
    if !leave.judge && !leave_on_terminal(&wanted.asked, "its opinion of the sources", output)? {
        output.reporter()(&format!(
            "{} is not asked for opinions ([judge]): `bakeoff run --judge` lets it be",
            named(&wanted.asked)
        ));
        return Ok(None);
    }
    policy.permit_models("--judge")?;
    let record = record_of_opinions(&loaded.dir)?;
    let models = leave.open(&wanted.asked, ("opinions", record), loaded, policy)?;
    let models = model_news::told(models, output, None);
    Ok(Some(OpenedJudge::new(models)))
}
