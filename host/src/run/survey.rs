//! Calls of all approaches on the same inputs, before anything is raced: do their answers agree, and how
//! much work is an input of each size?

use super::context::{RunContext, runner_error};
use super::error::RunError;
use super::options::HostOptions;
use crate::compile::BuildKind;
use crate::config::LoadedExperiment;
use crate::measure::{self, RepeatInput, RepeatedCall};
use crate::source::RunFiles;
use bakeoff_domain::failure::Failure;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::plan::RunSeed;
use std::sync::Arc;
use tokio::task::JoinSet;

/// The calls of one approach, in the order in which they were asked for, or why it was not called. There
/// are fewer than were asked for if one broke a limit: it is the last.
pub type SurveyedCalls = Result<Vec<RepeatedCall>, Failure>;

/// Builds every approach, and makes the same calls of each, every one on a fresh instance with fuel
/// counted: a case and the seed of the input. The results are in the order of the approaches.
///
/// # Errors
/// See [`RunError`]; the workload failed, or something that does not depend on the approaches.
pub async fn survey(
    loaded: &LoadedExperiment,
    host: &HostOptions,
    calls: &[(CaseIndex, u64)],
    report: &mut (dyn FnMut(&str) + Send),
) -> Result<Vec<SurveyedCalls>, RunError> {
    let files = RunFiles::read(loaded)?;
    let context =
        Arc::new(RunContext::open(loaded, &files, host, RunSeed::default(), report).await?);
    let calls: Arc<[(CaseIndex, u64)]> = calls.into();
    let mut surveys = JoinSet::new();
    for (place, code) in files.code.into_iter().enumerate() {
        let (context, calls) = (Arc::clone(&context), Arc::clone(&calls));
        surveys.spawn(async move {
            let code = match code {
                Ok(code) => code,
                Err(failure) => return (place, Ok(Err(failure))),
            };
            let request = context.prototype(code, BuildKind::Release);
            let built = match context.tools.builder.build(&request).await {
                Ok(built) => built,
                Err(failure) => return (place, Ok(Err(failure))),
            };
            let input = RepeatInput {
                checked: &built.checked,
                diagnostic: false,
                files: None,
            };
            let core = context
                .cores
                .get(place % context.cores.len().max(1))
                .copied();
            let made = measure::repeat(&context.config, input, &calls, core).await;
            (place, made.map(Ok))
        });
    }
    let mut surveyed: Vec<Option<SurveyedCalls>> = Vec::new();
    while let Some(joined) = surveys.join_next().await {
        let (place, made) = joined.map_err(|error| RunError::Machine(error.to_string()))?;
        let made = made.map_err(|error| runner_error(loaded, error))?;
        if surveyed.len() <= place {
            surveyed.resize_with(place + 1, || None);
        }
        surveyed[place] = Some(made);
    }
    Ok(surveyed.into_iter().flatten().collect())
}
