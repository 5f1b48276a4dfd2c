//! One revision of a prototype: a source that was built, called and judged.

use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_run::{RunError, Survey, SurveyedPrototype, Values};
use bakeoff_runner::RepeatedCall;
use bakeoff_source::BuildInput;

/// The name of a prototype in messages; a model's own name for it is not used.
const FILE_SHOWN: &str = "prototype.rs";

/// The longest description of a failure that goes back to a model, in characters.
const MESSAGE_CHARS_MAX: usize = 4_000;

/// One revision of a prototype: its source, and the result of building and calling it.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// Source of the revision, in Rust.
    pub source: String,
    /// Result of building and calling the source.
    pub outcome: AttemptOutcome,
}

/// Result of building and calling a revision.
#[derive(Clone, Debug, PartialEq)]
pub enum AttemptOutcome {
    /// The source was built, and every call was answered and accepted.
    Passed {
        /// The fuel of each call. Equal fuel on all calls is equal work.
        fuel: Vec<u64>,
    },
    /// The build failed, or a call gave no answer that the oracle accepts.
    Failed {
        /// The class of the failure, as reports name it.
        class: FailureClass,
        /// The error: the compiler's message, or the input of the call with the answer or failure.
        message: String,
    },
}

/// Builds a source and makes `calls` of it, with `values` of its parameters.
///
/// # Errors
/// The workload fails on its own, or something else fails that does not depend on the prototype.
pub(super) async fn attempt(
    survey: &Survey,
    source: String,
    values: &Values,
    calls: &[(CaseIndex, u64)],
) -> Result<Attempt, RunError> {
    let code = BuildInput::Source {
        path_shown: FILE_SHOWN.to_owned(),
        text: source.as_str().into(),
    };
    let prototype = SurveyedPrototype::new(FILE_SHOWN, code).with_values(values)?;
    let surveyed = survey
        .call_each(std::slice::from_ref(&prototype), calls)
        .await?;
    let outcome = match surveyed.into_iter().next() {
        None => failed(FailureClass::BuildFailed, String::new()),
        Some(Err(failure)) => of_failure(&failure),
        Some(Ok(made)) => match made.iter().position(|call| call.error.is_some()) {
            None => AttemptOutcome::Passed {
                fuel: made.iter().filter_map(|call| call.fuel).collect(),
            },
            Some(place) => {
                let case = calls.get(place).copied();
                let is_trap = class_of(&made[place]) == FailureClass::Trap;
                let panic = match case.filter(|_| is_trap) {
                    Some(call) => survey.panic_in(&prototype, call).await,
                    None => None,
                };
                of_call(survey, case.map(|(case, _)| case), &made[place], panic)
            }
        },
    };
    Ok(Attempt { source, outcome })
}

fn failed(class: FailureClass, message: String) -> AttemptOutcome {
    let message = message.chars().take(MESSAGE_CHARS_MAX).collect();
    AttemptOutcome::Failed { class, message }
}

fn of_failure(failure: &Failure) -> AttemptOutcome {
    let limit = failure.limit.as_ref();
    let limit = limit.map_or_else(String::new, |limit| format!("the limit is {limit}. "));
    failed(failure.class, format!("{limit}{}", failure.message))
}

fn class_of(call: &RepeatedCall) -> FailureClass {
    let error = call.error.as_ref();
    error.map_or(FailureClass::Trap, |error| error.class)
}

fn of_call(
    survey: &Survey,
    case: Option<CaseIndex>,
    call: &RepeatedCall,
    panic: Option<String>,
) -> AttemptOutcome {
    let label = case.and_then(|case| survey.cases().get(case));
    let label = label.map_or_else(String::new, |label| {
        let label: String = label.to_string().chars().take(100).collect();
        format!("case {label}\n")
    });
    let error = call.error.as_ref();
    let reason = panic.or_else(|| error.map(|error| error.message.clone()));
    let limit = error.and_then(|error| error.limit.as_ref());
    let mut message = format!("{label}arguments: {}\n", call.arguments);
    if let Some(answer) = &call.answer {
        message.push_str(&format!("answer: {answer}\n"));
    }
    if let Some(limit) = limit {
        message.push_str(&format!("limit: {limit}\n"));
    }
    message.push_str(&reason.unwrap_or_default());
    failed(class_of(call), message)
}
