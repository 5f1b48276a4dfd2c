//! The functions of world `workload`.

use super::error::InterfaceError;
use super::export::Export;
use super::function::{Function, Param};
use super::type_mismatch::type_mismatch;
use super::types::{Type, Unsupported};

/// The form in which `generate` returns the arguments of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentsForm {
    /// A tuple with one item for each parameter.
    Tuple,
    /// The value of the only parameter.
    Single,
}

/// The parameters of `generate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputRequest {
    /// A size and a seed: `generate: func(size: u32, seed: u64) -> …`
    SizeAndSeed,
    /// The name of an instance: `generate: func(instance: string) -> …`
    Instance,
}

impl InputRequest {
    /// Returns the other of the two requests.
    pub fn other(self) -> Self {
        match self {
            Self::SizeAndSeed => Self::Instance,
            Self::Instance => Self::SizeAndSeed,
        }
    }

    fn params(self) -> Vec<Param> {
        let param = |(name, ty): (&str, &'static str)| Param {
            name: name.to_owned(),
            ty: Type::Plain(ty),
        };
        match self {
            Self::SizeAndSeed => [("size", "u32"), ("seed", "u64")].map(param).to_vec(),
            Self::Instance => vec![param(("instance", "string"))],
        }
    }
}

/// The functions of world `workload`, whose types fit the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkloadFunctions {
    /// The form in which `generate` returns the arguments.
    pub arguments: ArgumentsForm,
    /// `generate: func(size: u32, seed: u64) -> …`, or `generate: func(instance: string) -> …`
    pub generate: Function,
    /// `check: func(…, answer: …) -> result<_, string>`. Without it, the answers of prototypes are only
    /// compared with each other.
    pub check: Option<Function>,
    /// `assess: func(…, answer: …) -> list<tuple<string, f64>>`, if answers have measurable qualities.
    pub assess: Option<Function>,
}

/// Finds the workload's functions and compares their types with the call's.
pub(super) fn find_functions(
    call: &Function,
    request: InputRequest,
    exports: &[Export],
) -> Result<WorkloadFunctions, InterfaceError> {
    let lack = match (call.params.is_empty(), &call.result) {
        (true, _) => "takes nothing",
        (_, None) => "returns nothing",
        (_, Some(answer)) => return find_with_answer(call, answer, request, exports),
    };
    Err(InterfaceError::NothingToCheck {
        call: call.name.clone(),
        lack,
    })
}

fn find_with_answer(
    call: &Function,
    answer: &Type,
    request: InputRequest,
    exports: &[Export],
) -> Result<WorkloadFunctions, InterfaceError> {
    let wanted = wanted_generate(call, request, ArgumentsForm::Tuple);
    let (generate, arguments) = match &call.params[..] {
        // One parameter: its plain value, or a tuple of one item.
        [_] => {
            let single = wanted_generate(call, request, ArgumentsForm::Single);
            let found = find("generate", &single, exports)?;
            match type_mismatch(&found, &wanted) {
                None => (found, ArgumentsForm::Tuple),
                Some(_) => (compare(found, &single, call)?, ArgumentsForm::Single),
            }
        }
        _ => (
            compare(find("generate", &wanted, exports)?, &wanted, call)?,
            ArgumentsForm::Tuple,
        ),
    };
    let check = optional("check", &wanted_check(call, answer), exports, call)?;
    let assess = optional("assess", &wanted_assess(call, answer), exports, call)?;
    Ok(WorkloadFunctions {
        arguments,
        generate,
        check,
        assess,
    })
}

/// Returns the function of a workload that fits the call, by its name; `None` for other names, or if the call has no
/// result.
pub(super) fn wanted(call: &Function, name: &str) -> Option<Function> {
    let answer = call.result.as_ref()?;
    match (name, call.params.as_slice()) {
        ("generate", [_]) => {
            let request = InputRequest::SizeAndSeed;
            Some(wanted_generate(call, request, ArgumentsForm::Single))
        }
        ("generate", _) => {
            let request = InputRequest::SizeAndSeed;
            Some(wanted_generate(call, request, ArgumentsForm::Tuple))
        }
        ("check", _) => Some(wanted_check(call, answer)),
        ("assess", _) => Some(wanted_assess(call, answer)),
        _ => None,
    }
}

fn wanted_check(call: &Function, answer: &Type) -> Function {
    let verdict = Type::Result(None, Some(Box::new(Type::Plain("string"))));
    judge("check", call, answer, verdict)
}

fn wanted_assess(call: &Function, answer: &Type) -> Function {
    let quality = Type::Tuple(vec![Type::Plain("string"), Type::Plain("f64")]);
    judge("assess", call, answer, Type::List(Box::new(quality)))
}

/// Finds a function that may be missing, but must fit if it is there.
fn optional(
    name: &'static str,
    wanted: &Function,
    exports: &[Export],
    call: &Function,
) -> Result<Option<Function>, InterfaceError> {
    if exports.iter().any(|export| is_named(export, name)) {
        Ok(Some(compare(find(name, wanted, exports)?, wanted, call)?))
    } else {
        Ok(None)
    }
}

fn wanted_generate(call: &Function, request: InputRequest, arguments: ArgumentsForm) -> Function {
    let types: Vec<Type> = call.params.iter().map(|param| param.ty.clone()).collect();
    Function {
        name: "generate".to_owned(),
        params: request.params(),
        result: Some(match (arguments, &types[..]) {
            (ArgumentsForm::Single, [only]) => only.clone(),
            _ => Type::Tuple(types),
        }),
    }
}

/// Makes a function that takes the call's parameters and its answer.
fn judge(name: &str, call: &Function, answer: &Type, result: Type) -> Function {
    let mut params = call.params.clone();
    params.push(Param {
        name: "answer".to_owned(),
        ty: answer.clone(),
    });
    Function {
        name: name.to_owned(),
        params,
        result: Some(result),
    }
}

fn is_named(export: &Export, name: &str) -> bool {
    export.interface.is_none() && export.name == name
}

fn find(
    name: &'static str,
    wanted: &Function,
    exports: &[Export],
) -> Result<Function, InterfaceError> {
    match exports.iter().find(|export| is_named(export, name)) {
        None => Err(InterfaceError::WorkloadMissing {
            function: name,
            wanted: wanted.to_string(),
        }),
        Some(export) => {
            export
                .function
                .clone()
                .map_err(|reason: Unsupported| InterfaceError::Unsupported {
                    function: name.to_owned(),
                    reason,
                })
        }
    }
}

fn compare(
    found: Function,
    wanted: &Function,
    call: &Function,
) -> Result<Function, InterfaceError> {
    let Some(mismatch) = type_mismatch(&found, wanted) else {
        return Ok(found);
    };
    let note = mismatch
        .note
        .map_or(String::new(), |note| format!(" ({note})"));
    Err(InterfaceError::WorkloadMisfit {
        function: match &*found.name {
            "generate" => "generate",
            "check" => "check",
            _ => "assess",
        },
        call: call.signature(),
        difference: format!("it is {}{note}", mismatch.found),
        wanted: wanted.to_string(),
    })
}
