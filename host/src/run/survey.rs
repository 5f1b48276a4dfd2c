//! Calls of all approaches on the same inputs, before anything is raced: do their answers agree, and how
//! much work is an input of each size?

use super::context::{RunContext, runner_error};
use super::error::RunError;
use super::options::HostOptions;
use crate::compile::{BuildKind, BuiltComponent};
use crate::config::LoadedExperiment;
use crate::measure::{self, RepeatInput, RepeatedCall};
use crate::source::{BuildInput, RunFiles};
use bakeoff_domain::failure::Failure;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::plan::RunSeed;
use std::sync::Arc;
use tokio::task::JoinSet;

/// The calls of one approach, in the order in which they were asked for, or why it was not called. There
/// are fewer than were asked for if one broke a limit: it is the last.
pub type SurveyedCalls = Result<Vec<RepeatedCall>, Failure>;

/// The approaches of an experiment, which can be called.
pub struct Survey<'a> {
    loaded: &'a LoadedExperiment,
    context: Arc<RunContext>,
    code: Vec<Result<BuildInput, Failure>>,
}

impl<'a> Survey<'a> {
    /// Reads the files of an experiment, and builds what is not an approach.
    ///
    /// # Errors
    /// See [`RunError`].
    pub async fn open(
        loaded: &'a LoadedExperiment,
        host: &HostOptions,
        report: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Self, RunError> {
        let files = RunFiles::read(loaded)?;
        let context = RunContext::open(loaded, &files, host, RunSeed::default(), report).await?;
        Ok(Self {
            loaded,
            context: Arc::new(context),
            code: files.code,
        })
    }

    /// Builds every approach, and makes the same calls of each, every one on a fresh instance with fuel
    /// counted: a case and the seed of the input. The results are in the order of the approaches.
    ///
    /// # Errors
    /// See [`RunError`]; the workload failed, or something that does not depend on the approaches.
    pub async fn call_all(
        &self,
        calls: &[(CaseIndex, u64)],
    ) -> Result<Vec<SurveyedCalls>, RunError> {
        let calls: Arc<[(CaseIndex, u64)]> = calls.into();
        let mut surveys = JoinSet::new();
        for (place, code) in self.code.iter().cloned().enumerate() {
            let (context, calls) = (Arc::clone(&self.context), Arc::clone(&calls));
            surveys.spawn(async move {
                let built = match build(&context, code, BuildKind::Release).await {
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
        let mut surveyed: Vec<Option<SurveyedCalls>> = vec![None; self.code.len()];
        while let Some(joined) = surveys.join_next().await {
            let (place, made) = joined.map_err(|error| RunError::Machine(error.to_string()))?;
            let made = made.map_err(|error| runner_error(self.loaded, error))?;
            surveyed[place] = Some(made);
        }
        Ok(surveyed.into_iter().flatten().collect())
    }

    /// Makes a call on which an approach trapped once more in its diagnostic build, which reports a panic:
    /// what it says, if it says something.
    pub async fn panic_of(&self, approach: usize, call: (CaseIndex, u64)) -> Option<String> {
        let code = self.code.get(approach)?.clone();
        let built = build(&self.context, code, BuildKind::Diagnostic).await;
        let config = &self.context.config;
        let reports = measure::diagnose(config, &built.ok()?.checked, &[call]).await;
        reports.ok()?.pop()
    }
}

async fn build(
    context: &RunContext,
    code: Result<BuildInput, Failure>,
    kind: BuildKind,
) -> Result<Arc<BuiltComponent>, Failure> {
    let request = context.prototype(code?, kind);
    context.tools.builder.build(&request).await
}
