//! A smaller input on which a prototype fails, drawn by the experiment's own workload.

use super::super::child_work::Repeat;
use super::super::error::RunError;
use super::{Survey, SurveyedPrototype, fixed_inputs};
use bakeoff_compile::BuildKind;
use bakeoff_domain::failure::FailureClass;
use bakeoff_measure::RunnerConfig;
use bakeoff_runner::{Call, CallTexts, RepeatedCall, Requests, RunnerInputs};
use std::sync::Arc;
use std::time::Duration;

/// The sizes that are tried.
const SIZES: [u32; 12] = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32];

/// Number of inputs of each size.
const INPUTS_OF_EACH: u32 = 16;

/// The time for all calls.
const TIME_MAX: Duration = Duration::from_secs(5);

/// A call on a small input that fails, or whose answer is refused.
#[derive(Clone, Debug)]
pub struct SmallerFailure {
    /// Size of the input.
    pub size: u32,
    /// The call, with arguments and answer as a whole.
    pub call: RepeatedCall,
    /// The report of the panic, if it ended in one.
    pub panic: Option<String>,
}

impl Survey {
    /// Calls a prototype on inputs that are smaller than those of the experiment, and returns the first call that the
    /// oracle refuses or that fails; `None` if there is none, or if inputs are not drawn by their size. The inputs are the
    /// same every time.
    ///
    /// # Errors
    /// Something failed that does not depend on the prototype. That the workload cannot draw inputs so small is no error.
    pub async fn smaller_failure(
        &self,
        prototype: &SurveyedPrototype,
    ) -> Result<Option<SmallerFailure>, RunError> {
        let RunnerInputs::Workload {
            requests: Requests::Sizes(own),
            ..
        } = &self.context.config.inputs
        else {
            return Ok(None);
        };
        let least = own.first().map_or(u32::MAX, |asked| asked.size);
        let sizes: Vec<u32> = SIZES.into_iter().filter(|size| *size < least).collect();
        if sizes.is_empty() {
            return Ok(None);
        }
        let mut inputs = self.context.config.inputs.clone();
        if let RunnerInputs::Workload { requests, .. } = &mut inputs {
            *requests = Requests::of_sizes(&sizes, &[]);
        }
        let config = RunnerConfig {
            inputs,
            ..self.context.config.clone()
        };
        let calls: Arc<[Call]> = fixed_inputs("smaller", sizes.len(), INPUTS_OF_EACH).collect();
        let work = |prototype| Repeat {
            prototype,
            calls: Arc::clone(&calls),
            left: Some(TIME_MAX),
            texts: CallTexts::Whole,
        };
        let prototypes = (std::slice::from_ref(prototype), BuildKind::Release);
        let made = match self.each(&config, prototypes, work).await {
            Ok(made) => made,
            Err(RunError::Workload { .. } | RunError::WorkloadRun { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let made = made.into_iter().flatten().flatten();
        let mut failing = made.zip(calls.iter());
        let Some((call, input)) = failing.find(|(call, _)| call.error.is_some()) else {
            return Ok(None);
        };
        let is_trap = call
            .error
            .as_ref()
            .is_some_and(|error| error.class == FailureClass::Trap);
        let panic = if is_trap {
            self.panic_with(&config, prototype, *input).await
        } else {
            None
        };
        Ok(Some(SmallerFailure {
            size: sizes[input.0],
            call,
            panic,
        }))
    }
}
