//! One revision of a prototype: a source that was built, called and judged.

use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::report::CaseLabel;
use bakeoff_run::{RunError, Survey, SurveyedPrototype, SurveyedValues};
use bakeoff_runner::{Call, RepeatedCall};
use bakeoff_source::BuildInput;

/// The name of a prototype in messages; a model's own name for it is not used.
const FILE_SHOWN: &str = "prototype.rs";

/// The longest description of a failure that goes back to a model, in characters.
const MESSAGE_CHARS_MAX: usize = 4_000;

/// One revision of a prototype: its source, and the result of building and calling it.
#[derive(Clone, Debug, PartialEq)]
pub struct PrototypeAttempt {
    /// Source of the revision, in Rust.
    pub source: String,
    /// Result of building and calling the source.
    pub outcome: AttemptOutcome,
}

/// Result of building and calling a revision.
#[derive(Clone, Debug, PartialEq)]
pub enum AttemptOutcome {
    /// The source was built, every call was answered and accepted, and the check of a run passed.
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

/// Builds a source, makes `calls` of it, with `values` of its parameters, and checks it as a run does.
///
/// # Errors
/// The workload fails on its own, or something else fails that does not depend on the prototype.
pub(super) async fn attempt(
    survey: &Survey,
    source: String,
    values: &SurveyedValues,
    calls: &[(CaseIndex, u64)],
) -> Result<PrototypeAttempt, RunError> {
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
            None => match survey.check(&prototype).await? {
                None => AttemptOutcome::Passed {
                    fuel: made.iter().filter_map(|call| call.fuel).collect(),
                },
                Some((failure, call)) => of_check(survey, &prototype, &failure, call).await?,
            },
            Some(place) => {
                let input = calls.get(place).copied();
                of_wrong(survey, &prototype, input, &made[place]).await?
            }
        },
    };
    Ok(PrototypeAttempt { source, outcome })
}

/// Returns the outcome of a call that failed or was refused: by a smaller input, if there is one on which it fails, too.
async fn of_wrong(
    survey: &Survey,
    prototype: &SurveyedPrototype,
    input: Option<Call>,
    call: &RepeatedCall,
) -> Result<AttemptOutcome, RunError> {
    let class = class_of(call);
    if matches!(class, FailureClass::WrongAnswer | FailureClass::Trap)
        && let Some(smaller) = survey.smaller_failure(prototype).await?
    {
        let label = format!(
            "{}, smaller than what is measured",
            CaseLabel::Size(smaller.size)
        );
        return Ok(of_call(Some(label), &smaller.call, smaller.panic));
    }
    let panic = match input.filter(|_| class == FailureClass::Trap) {
        Some(input) => survey.panic_in(prototype, input).await,
        None => None,
    };
    Ok(of_call(label(survey, input), call, panic))
}

/// Returns the outcome of a check that found what the calls before it did not.
async fn of_check(
    survey: &Survey,
    prototype: &SurveyedPrototype,
    failure: &Failure,
    input: Option<Call>,
) -> Result<AttemptOutcome, RunError> {
    let Some(input) = input else {
        return Ok(of_failure(failure));
    };
    let again = survey
        .call_each(std::slice::from_ref(prototype), &[input])
        .await?;
    let again = again.into_iter().flatten().flatten().next();
    match again {
        Some(call) if call.error.is_some() => of_wrong(survey, prototype, Some(input), &call).await,
        again => {
            let label = label(survey, Some(input)).unwrap_or_default();
            let arguments = again.map(|call| call.arguments).unwrap_or_default();
            let message = format!("case {label}\narguments: {arguments}\n{}", failure.message);
            Ok(failed(failure.class, message))
        }
    }
}

/// Returns the label of an input's case, shortened.
fn label(survey: &Survey, input: Option<Call>) -> Option<String> {
    let label = survey.cases().get(input?.0)?;
    Some(label.to_string().chars().take(100).collect())
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

fn of_call(label: Option<String>, call: &RepeatedCall, panic: Option<String>) -> AttemptOutcome {
    let label = label.map_or_else(String::new, |label| format!("case {label}\n"));
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
