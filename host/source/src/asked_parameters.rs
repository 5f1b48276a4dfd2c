//! Check that a source asks for the parameters that its approach sweeps. A parameter that no code asks for would
//! make variants that are all the same.

use super::code::BuildInput;
use bakeoff_domain::failure::{Failure, FailureClass, Phase};
use bakeoff_domain::language::Language;
use bakeoff_domain::spec::Approach;

/// The function by which a source asks for the value of a parameter.
const ASKS: &str = "param::get";

/// Returns the code if it is a component, or Rust source that asks for every parameter of its approach.
///
/// # Errors
/// `build-failed`: a source never names one of the parameters, and computes no names while it runs.
pub(super) fn with_asked_parameters(
    approach: &Approach,
    code: BuildInput,
) -> Result<BuildInput, Failure> {
    let BuildInput::Source { path_shown, text } = &code else {
        return Ok(code);
    };
    if makes_up_names(text) {
        return Ok(code);
    }
    let mut names = approach.sweep.iter().map(|parameter| &*parameter.name);
    let Some(name) = names.find(|name| !text.contains(&format!("\"{name}\""))) else {
        return Ok(code);
    };
    let message = format!(
        "{path_shown} never asks for `{name}`, which the `sweep` of this approach has values of: its variants would \
         all be the same. {}, or leave the parameter out",
        match code.language() {
            Some(Language::C | Language::Cpp | Language::Zig) =>
                "Ask `wasi_config_store_get` for it (docs/languages.md)".to_owned(),
            _ => format!("Add `let {name}: TYPE = crate::bakeoff::param::get(\"{name}\");`"),
        }
    );
    Err(Failure {
        class: FailureClass::BuildFailed,
        message,
        phase: Phase::Build,
        limit: None,
    })
}

/// Returns true if a source asks for a parameter by a name that is no literal, so that it may be any name.
fn makes_up_names(text: &str) -> bool {
    text.split(ASKS).skip(1).any(|after| {
        let argument = after.split_once('(').map_or("", |(_, argument)| argument);
        !argument.trim_start().starts_with('"')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::spec::{AuthorWords, Code, Parameter};

    fn checked(text: &str) -> Result<BuildInput, Failure> {
        let parameter = |name: &str| Parameter {
            name: name.to_owned(),
            values: Vec::new(),
        };
        let approach = Approach {
            name: "heap".to_owned(),
            description: None,
            code: Code::Source("heap.rs".into()),
            grants: Vec::new(),
            sweep: vec![parameter("arity"), parameter("fill")],
            words: AuthorWords::default(),
        };
        let code = BuildInput::Source {
            path_shown: "heap.rs".to_owned(),
            text: text.into(),
        };
        with_asked_parameters(&approach, code)
    }

    #[test]
    fn a_parameter_that_no_source_asks_for_is_an_error_with_the_line_that_asks() {
        let failure = checked("let a: u8 = param::get(\"arity\");").unwrap_err();
        let line = "Add `let fill: TYPE = crate::bakeoff::param::get(\"fill\");`";
        assert!(failure.message.contains(line), "{}", failure.message);
        assert_eq!(failure.class, FailureClass::BuildFailed);
    }

    #[test]
    fn a_source_may_ask_in_its_own_way() {
        let both = "param::get::<u8>(\"arity\"); let f: f64 = param::get( \"fill\" );";
        assert!(checked(both).is_ok());
        assert!(
            checked("for name in [\"ar\"] { param::get::<u8>(&format!(\"{name}ity\")); }").is_ok()
        );
    }
}
