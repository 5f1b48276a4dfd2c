//! One call of an experiment's first approach, made again outside a run. Nothing is stored.

use super::context::{RunContext, runner_error};
use super::error::RunError;
use super::grants::read_granted;
use super::options::HostOptions;
use bakeoff_compile::BuildKind;
use bakeoff_config::LoadedExperiment;
use bakeoff_domain::failure::Failure;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::variant;
use bakeoff_measure::RepeatInput;
use bakeoff_runner::{CallTexts, RepeatedCall};
use bakeoff_source::{BuildInput, RunFiles};

/// The outcome of a call that was made again.
#[derive(Debug)]
pub enum RepeatOutcome {
    /// The prototype could not be built.
    NotBuilt(Failure),
    /// The call was made.
    Called {
        /// Outcome of the call.
        call: RepeatedCall,
        /// True if an oracle, or an expected answer, tells right answers from wrong ones.
        has_oracle: bool,
    },
}

/// Builds the first approach, with its panics reported if it is source, and makes the call whose
/// input follows from the case and the seed, on a fresh instance.
///
/// # Errors
/// See [`RunError`]; the workload failed, or something else that does not depend on the prototype.
pub async fn repeat(
    loaded: &LoadedExperiment,
    host: &HostOptions,
    call: (CaseIndex, u64),
    report: &mut (dyn FnMut(&str) + Send),
) -> Result<RepeatOutcome, RunError> {
    let files = RunFiles::read(loaded, &host.vendored())?;
    let variants = variant::declare(&loaded.experiment.approaches);
    let granted = read_granted(loaded, &host.policy, &variants, &files.code)?;
    let context = RunContext::open(loaded, &files, host, RunSeed::default(), report).await?;
    let Some(code) = files.code.into_iter().next() else {
        return Err(RunError::Machine(
            "there is no prototype to call".to_owned(),
        ));
    };
    let code = match code {
        Ok(code) => code,
        Err(failure) => return Ok(RepeatOutcome::NotBuilt(failure)),
    };
    let swept = variants
        .first()
        .is_some_and(|one| !one.parameters.is_empty());
    let diagnostic = matches!(code, BuildInput::Source { .. });
    let kind = if diagnostic {
        BuildKind::Diagnostic
    } else {
        BuildKind::Release
    };
    let built = match context
        .tools
        .builder
        .build(&context.prototype(code, kind, swept))
        .await
    {
        Ok(built) => built,
        Err(failure) => return Ok(RepeatOutcome::NotBuilt(failure)),
    };
    let input = RepeatInput {
        checked: &built.checked,
        diagnostic,
        files: granted.first().and_then(Option::as_ref),
        texts: CallTexts::Shortened,
    };
    let calls = bakeoff_measure::repeat(&context.config, input, &[call], None, None)
        .await
        .map_err(|error| runner_error(loaded, error))?;
    Ok(RepeatOutcome::Called {
        call: calls.into_iter().next().unwrap_or_default(),
        has_oracle: context.config.inputs.has_oracle(),
    })
}
