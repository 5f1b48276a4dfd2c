//! Functions of an interface, with their types written out.

use super::types::{Type, Unsupported};
use wit_parser::Resolve;

/// A parameter: its name and its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// The name, as WIT has it.
    pub name: String,
    /// The type, written out.
    pub ty: Type,
}

/// A function of an interface, with its types written out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The name, as WIT has it: `top-k`.
    pub name: String,
    /// The parameters.
    pub params: Vec<Param>,
    /// The result, if any.
    pub result: Option<Type>,
}

/// The declaration in WIT: `top-k: func(values: list<s64>, k: u32) -> list<s64>`.
impl std::fmt::Display for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.name, self.signature())
    }
}

impl Function {
    /// Writes out the types of a function of a resolved package.
    ///
    /// # Errors
    /// The function is async, a method, or has a type that cannot be passed.
    pub fn of(resolve: &Resolve, function: &wit_parser::Function) -> Result<Self, Unsupported> {
        if function.kind.is_async() {
            return Err(Unsupported::Async);
        }
        if let Some(resource) = function.kind.resource() {
            let name = resolve.types[resource].name.clone();
            return Err(Unsupported::Resource(name.unwrap_or_default()));
        }
        Self::named(resolve, &function.name, function, function)
    }

    /// Makes the function of a resource that is called in parts: the first takes its parameters, the last
    /// returns its result.
    ///
    /// # Errors
    /// One of the types cannot be passed.
    pub(super) fn of_session(
        resolve: &Resolve,
        name: &str,
        first: &wit_parser::Function,
        last: &wit_parser::Function,
    ) -> Result<Self, Unsupported> {
        Self::named(resolve, name, first, last)
    }

    fn named(
        resolve: &Resolve,
        name: &str,
        takes: &wit_parser::Function,
        returns: &wit_parser::Function,
    ) -> Result<Self, Unsupported> {
        let param = |param: &wit_parser::Param| {
            Ok(Param {
                name: param.name.clone(),
                ty: Type::of(resolve, &param.ty)?,
            })
        };
        let result = returns.result.as_ref();
        Ok(Self {
            name: name.to_owned(),
            params: takes.params.iter().map(param).collect::<Result<_, _>>()?,
            result: result.map(|ty| Type::of(resolve, ty)).transpose()?,
        })
    }

    /// Returns true if an argument or the result may hold a string.
    pub fn has_strings(&self) -> bool {
        let params = self.params.iter().map(|param| &param.ty);
        params.chain(&self.result).any(Type::has_strings)
    }

    /// Returns the signature in WIT: `func(values: list<s64>, k: u32) -> list<s64>`.
    pub fn signature(&self) -> String {
        let param = |param: &Param| format!("{}: {}", param.name, param.ty);
        self.with_params(self.params.iter().map(param).collect())
    }

    /// Returns the signature without the names of parameters, on which a component's type does not depend:
    /// `func(list<s64>, u32) -> list<s64>`.
    pub fn types(&self) -> String {
        self.with_params(
            self.params
                .iter()
                .map(|param| param.ty.to_string())
                .collect(),
        )
    }

    fn with_params(&self, params: Vec<String>) -> String {
        let result = self
            .result
            .as_ref()
            .map_or(String::new(), |ty| format!(" -> {ty}"));
        format!("func({}){result}", params.join(", "))
    }
}
