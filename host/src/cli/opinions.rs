//! `[judge]` of an experiment: a run asks a model for its opinion of the sources, if its user consents.

use super::failure::Failure;
use super::leave::{Leave, leave_on_terminal, named};
use super::model_news;
use super::options::Output;
use crate::library::check_places;
use crate::library::generation::opinions_in;
use bakeoff_config::{LoadedExperiment, Policy};
use bakeoff_propose::ModelJudge;
use bakeoff_provider::Models;
use bakeoff_render::escape::Plain;
use bakeoff_run::Judge;
use std::sync::Arc;

/// The folder of the record.
const PLACES: [&str; 1] = [".bakeoff/"];

/// The model that the user lets be asked for opinions.
pub(super) struct OpenedJudge {
    models: Arc<Models>,
    /// The judge of a run.
    pub(super) judge: Arc<dyn Judge>,
}

impl OpenedJudge {
    /// Says what the user should know of the replies.
    pub(super) fn say_warnings(&self, say: &mut dyn FnMut(&str)) {
        for warning in self.models.warnings() {
            say(&Plain(&warning).to_string());
        }
    }
}

/// Opens the model that an experiment wants opinions of; `None` if it wants none, or the user does not consent.
///
/// # Errors
/// An option is missing, or the host's policy forbids it.
pub(super) fn open(
    leave: &Leave,
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
    check_places(&loaded.dir, &PLACES)?;
    let record = opinions_in(&loaded.dir)?;
    let models = leave.open(&wanted.asked, ("opinions", record), loaded, policy)?;
    let models = Arc::new(model_news::told(models, output, None));
    let judge = Arc::new(ModelJudge::new(&models));
    Ok(Some(OpenedJudge { models, judge }))
}
