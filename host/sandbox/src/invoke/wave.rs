//! Calls and values as text, in WAVE: the notation of the component model's own tools.

use super::shape::Shape;
use super::signature::CallTypes;
use super::value::Value;
use bakeoff_domain::oracle::around_difference;
use wasmtime::component::wasm_wave::{self, untyped::UntypedFuncCall};
use wasmtime::component::{Type, Val};

/// The longest rendering of a value, in characters. Longer ones have an ellipsis before their end, which may be the
/// part that matters.
const RENDERED_MAX: usize = 200;
/// The characters of a longer one that are kept at its end.
const RENDERED_END: usize = 60;

/// A text that is not a call, or has other types.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WaveError {
    /// A text that is not WAVE, or of another type.
    #[error("{0}")]
    Syntax(String),
    /// A call of another function.
    #[error("calls `{found}`, but the experiment calls `{wanted}`")]
    OtherFunction {
        /// The function that the text calls.
        found: String,
        /// The function that the experiment calls.
        wanted: String,
    },
    /// An expected answer for a function without a result.
    #[error("the function has no result to compare with")]
    NoResult,
}

/// Parses `top-k([3, 1, 2], 1)` into the arguments of `function`.
///
/// # Errors
/// The text is not WAVE, calls something else, or has arguments of other types.
pub fn parse_call(text: &str, function: &str, ty: &CallTypes) -> Result<Vec<Value>, WaveError> {
    let syntax = |error: wasm_wave::parser::ParserError| WaveError::Syntax(error.to_string());
    let call = UntypedFuncCall::parse(text).map_err(syntax)?;
    if call.name() != function {
        return Err(WaveError::OtherFunction {
            found: call.name().to_owned(),
            wanted: function.to_owned(),
        });
    }
    let types: &[Type] = &ty.params;
    let values: Vec<Val> = call.to_wasm_params(types.iter()).map_err(syntax)?;
    Ok(values
        .into_iter()
        .zip(types)
        .map(|(val, ty)| Value::from_val(val, Shape::of(ty).as_ref()))
        .collect())
}

/// Parses `[3]` into an answer of `ty`.
///
/// # Errors
/// The text is not WAVE or of another type, or the function has no result.
pub fn parse_result(text: &str, ty: &CallTypes) -> Result<Value, WaveError> {
    let ty = ty.result.as_ref().ok_or(WaveError::NoResult)?;
    let val = Val::from_wave(ty, text).map_err(|error| WaveError::Syntax(error.to_string()))?;
    Ok(Value::from_val(val, Shape::of(ty).as_ref()))
}

/// Renders a value in WAVE, as a whole. `None` if it has no notation.
pub fn whole(value: &Value) -> Option<String> {
    value.to_val().to_wave().ok()
}

/// Renders a value in WAVE, cut to [`RENDERED_MAX`] characters.
pub fn render(value: &Value) -> String {
    shortened(text(value))
}

/// Renders two values in WAVE, each cut to [`RENDERED_MAX`] characters around their first difference.
pub fn render_both(one: &Value, other: &Value) -> (String, String) {
    around_difference(&text(one), &text(other), RENDERED_MAX)
}

fn text(value: &Value) -> String {
    whole(value).unwrap_or_else(|| "(a value that has no notation)".to_owned())
}

fn shortened(text: String) -> String {
    let count = text.chars().count();
    if count <= RENDERED_MAX {
        return text;
    }
    let first: String = text.chars().take(RENDERED_MAX - RENDERED_END).collect();
    let last: String = text.chars().skip(count - RENDERED_END).collect();
    format!("{first} … {last}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_keeps_its_beginning_and_its_end() {
        let short = "é".repeat(RENDERED_MAX);
        assert_eq!(shortened(short.clone()), short);
        let long = format!("[{}, 7]", "1, ".repeat(500));
        let cut = shortened(long);
        assert!(cut.starts_with("[1, 1") && cut.ends_with(", 7]") && cut.contains(" … "));
        assert_eq!(cut.chars().count(), RENDERED_MAX + 3);
    }
}
