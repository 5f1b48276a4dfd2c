//! The interface of functions in Rust source and in components, where no WIT is given: the function that is
//! meant, its types, and the WIT and the random inputs that follow from them.

use super::constants::Constants;
use super::signature::Signature;
use super::struct_fields::{StructFields, fields_apart};
use super::wit_names::{escaped, identifier, wit_name};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A public function of a source file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublicFunction {
    /// The name in Rust.
    pub name: String,
    /// The types of parameters and result, or the reason why WIT has no counterpart for them.
    pub signature: Result<Signature, String>,
    /// The text before and behind a variable's name that passes its value, by parameter, so that the variable can be
    /// used again: `&` before, or `.clone()` behind. `None` if a parameter takes more than that.
    pub passing: Option<Vec<(String, String)>>,
    /// True if all enums of the file that are in answers implement `Debug`.
    pub is_shown: bool,
    /// The structs of the file in its types, in the order in which they come.
    pub structs: Vec<StructFields>,
    /// Arguments that examples and tests in the file call it with, in WAVE: `[3, 1, 2], 1`.
    pub examples: Vec<String>,
}

/// The content of a source file that was read, as far as it matters for an interface.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadFile {
    /// The public functions, in their order.
    pub functions: Vec<PublicFunction>,
    /// Public functions that cannot be called.
    pub uncallable: Vec<UncallableFunction>,
    /// The numbers and texts that stand in the file.
    pub constants: Constants,
}

/// A public function that cannot be called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UncallableFunction {
    /// The name in Rust.
    pub name: String,
    /// The reason, in words that follow the name: `is async`.
    pub why: String,
}

impl fmt::Display for UncallableFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.why)
    }
}

/// A source file with its public functions, or a component with those that it exports.
#[derive(Clone, Debug)]
pub struct ComparedFile {
    /// The file, as the user names it.
    pub shown: String,
    /// True for a component, whose names cannot be changed.
    pub is_component: bool,
    /// The public functions.
    pub functions: Vec<PublicFunction>,
    /// Public functions that cannot be called.
    pub uncallable: Vec<UncallableFunction>,
}

/// The interface that several files share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DerivedInterface {
    /// The function as WIT names it.
    pub call: String,
    /// The files whose only function has another name, with that name.
    pub renamed: Vec<(String, String)>,
    /// The function of each file.
    pub(super) functions: Vec<(String, PublicFunction)>,
    pub(super) signature: Signature,
}

impl DerivedInterface {
    /// Finds the function that all files have, by its Rust or WIT name if one is given, and the common part of its
    /// signatures. If each file has exactly one function, those are meant, whatever their names, and the first file's
    /// name is taken. If a component is among the files, its names of the function and its parameters are taken.
    ///
    /// # Errors
    /// There is no such function or more than one, its types have no counterpart in WIT, or the types differ;
    /// the error says where, and what to do.
    pub fn find(files: &[ComparedFile], name: Option<&str>) -> Result<Self, String> {
        let (name, each_alone) = match name {
            Some(name) => (name.replace('-', "_"), false),
            None => match only_names(files) {
                Some(first) => (first, true),
                None => (shared_name(files)?, false),
            },
        };
        let call = wit_name(&name);
        let is_meant = |function: &PublicFunction| function.name == name;
        let reads_alike =
            |function: &PublicFunction| !is_meant(function) && wit_name(&function.name) == call;
        for file in files {
            let mut functions = file.functions.iter();
            let other = functions.find(|function| reads_alike(function));
            if let Some(other) = other.filter(|_| file.functions.iter().any(is_meant)) {
                return Err(format!(
                    "{} has {name} and {}, which are both called {call} in WIT: rename one of them",
                    file.shown, other.name
                ));
            }
        }
        let mut common: Option<(Signature, &ComparedFile)> = None;
        let mut renamed = Vec::new();
        let mut meant = Vec::new();
        for file in files {
            let mut functions = file.functions.iter();
            let found = functions
                .find(|function| is_meant(function) || reads_alike(function) || each_alone);
            if let Some(other) = found.filter(|function| function.name != name) {
                if file.is_component {
                    return Err(format!(
                        "{} exports {}, and another component {call}: components of one name can be compared",
                        file.shown,
                        other.name.replace('_', "-")
                    ));
                }
                renamed.push((file.shown.clone(), other.name.clone()));
            }
            let found = found.ok_or_else(|| match cannot_call(file, &name) {
                Some(why) => format!("{}: {why}", file.shown),
                None => format!(
                    "{} has no public function {name}; {}",
                    file.shown,
                    offer(file)
                ),
            })?;
            meant.push((file.shown.clone(), found.clone()));
            let signature = found.signature.clone().map_err(|reason| {
                let advice = if file.is_component {
                    "give its interface with --wit"
                } else {
                    "let it take and return numbers, strings, lists, options, tuples, and structs and enums of the file \
                     that are public with all their fields"
                };
                format!(
                    "{}: {name} cannot be called from outside: {reason}; {advice}",
                    file.shown
                )
            })?;
            common = Some(match common {
                None => (signature, file),
                Some((known, first)) => {
                    let own = meant.iter().find(|(shown, _)| *shown == first.shown);
                    if let Some((_, function)) = own
                        && let Some(apart) = fields_apart(
                            (&first.shown, &function.structs),
                            (&file.shown, &found.structs),
                        )
                    {
                        return Err(apart);
                    }
                    let unified = known.unified(&signature).ok_or_else(|| {
                        let own = meant.iter().find(|(shown, _)| *shown == first.shown);
                        let own = own.map_or(&name, |(_, function)| &function.name);
                        if *own != found.name {
                            return format!(
                                "the files have one public function each, of other names and types: {} has {own}: \
                                 {known}, and {} has {}: {signature}; give the functions that do the same one name and \
                                 the same types{}",
                                first.shown,
                                file.shown,
                                found.name,
                                known.enums_apart(&signature, (&first.shown, &file.shown))
                            );
                        }
                        format!(
                            "{name} is not the same function in all files: {} has {known}, {} has \
                             {signature}; make them alike{}",
                            first.shown,
                            file.shown,
                            known.enums_apart(&signature, (&first.shown, &file.shown))
                        )
                    })?;
                    // The glue renames for a source; the names of a component are fixed.
                    if file.is_component && !first.is_component {
                        (unified.named_as(signature), file)
                    } else {
                        (unified, first)
                    }
                }
            });
        }
        let (signature, _) = common.ok_or("there is no file")?;
        if signature.parameters.is_empty() {
            return Err(format!(
                "{name} takes nothing, so that there are no inputs on which answers could be compared: give it a \
                 parameter, such as the number that it begins with"
            ));
        }
        Ok(Self {
            call,
            renamed,
            functions: meant,
            signature: signature.decided(),
        })
    }

    /// Returns the signature of the function.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Returns the interface as WIT: the worlds `prototype` and `workload`. The export `check`, by which a workload
    /// judges answers, is a comment unless `judges` is true.
    pub fn wit(&self, judges: bool) -> String {
        let Signature { parameters, result } = &self.signature;
        let arguments = match parameters.as_slice() {
            [(_, one)] => one.to_string(),
            several => {
                let shapes: Vec<String> =
                    several.iter().map(|(_, shape)| shape.to_string()).collect();
                format!("tuple<{}>", shapes.join(", "))
            }
        };
        let parameters: Vec<String> = (parameters.iter().enumerate())
            .map(|(place, (name, shape))| format!("{}: {shape}", identifier(name, place)))
            .collect();
        let call = escaped(&self.call);
        let answer = if parameters
            .iter()
            .any(|parameter| parameter.starts_with("answer:"))
        {
            "returned"
        } else {
            "answer"
        };
        let comment = if judges { "" } else { "// To judge answers: " };
        let given = parameters.iter().map(|parameter| format!("{parameter}, "));
        let given: String = given.collect();
        let check =
            format!("{comment}export check: func({given}{answer}: {result}) -> result<_, string>;");
        let parameters = parameters.join(", ");
        let (declared, used) = self.signature.declared_enums();
        format!(
            "package bakeoff:compared;\n\n{declared}\
             world prototype {{\n{used}  export {call}: func({parameters}) -> {result};\n}}\n\n\
             world workload {{\n{used}  export generate: func(size: u32, seed: u64) -> {arguments};\n  {check}\n}}\n"
        )
    }
}

/// Returns the name of the only public function that all files have.
fn shared_name(files: &[ComparedFile]) -> Result<String, String> {
    let Some((first, rest)) = files.split_first() else {
        return Err("there is no file".to_owned());
    };
    let shared: Vec<&str> = first
        .functions
        .iter()
        .map(|function| &*function.name)
        .filter(|name| {
            let has = |file: &ComparedFile| file.functions.iter().any(|other| other.name == *name);
            rest.iter().all(has)
        })
        .collect();
    match shared.as_slice() {
        [one] => Ok((*one).to_owned()),
        [] => {
            let functions = files.iter().flat_map(|file| &file.functions);
            let elsewhere: Vec<&str> = functions.map(|function| &*function.name).collect();
            let offer = |file: &ComparedFile| {
                let why = elsewhere.iter().find_map(|name| cannot_call(file, name));
                why.unwrap_or_else(|| offer(file))
            };
            let offers: Vec<String> = files
                .iter()
                .map(|file| format!("{}: {}", file.shown, offer(file)))
                .collect();
            Err(format!(
                "the files have no public function in common ({}); give one the same name in all of them",
                offers.join("; ")
            ))
        }
        several => Err(format!(
            "the files have several public functions in common: {}; say which one with --call",
            several.join(", ")
        )),
    }
}

/// Returns the name of the first component's function, or else of the first file's, if every file has exactly one
/// function. `None` too if another file has a function of that name that cannot be called.
fn only_names(files: &[ComparedFile]) -> Option<String> {
    let alone = files.iter().all(|file| file.functions.len() == 1);
    let component = files.iter().find(|file| file.is_component);
    let first = component.or(files.first())?.functions.first()?;
    // A file whose function of that name cannot be called is reported with the reason instead.
    let is_elsewhere = files
        .iter()
        .any(|file| cannot_call(file, &first.name).is_some());
    (alone && !is_elsewhere).then(|| first.name.clone())
}

/// The most functions that cannot be called that a message names, each with its reason.
const UNCALLABLE_SHOWN_MAX: usize = 4;

/// Returns the reason why the function of this name in a file cannot be called; `None` if it can, or there is none.
fn cannot_call(file: &ComparedFile, name: &str) -> Option<String> {
    let is_callable = file.functions.iter().any(|function| function.name == name);
    let mut uncallable = file.uncallable.iter();
    let found = uncallable.find(|function| function.name == name && !is_callable)?;
    Some(format!(
        "{found} and cannot be called; add a plain `pub fn` of another name at the top of the file that calls it"
    ))
}

/// Returns the public functions of a file, in words for a message.
fn offer(file: &ComparedFile) -> String {
    let names: Vec<&str> = file
        .functions
        .iter()
        .map(|function| &*function.name)
        .collect();
    match names.as_slice() {
        [] if !file.uncallable.is_empty() => format!(
            "none of its public functions can be called: {}; add a plain `pub fn` at the top of the file that calls it",
            (file.uncallable.iter().take(UNCALLABLE_SHOWN_MAX))
                .map(UncallableFunction::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        ),
        [] => "it has no `pub fn`".to_owned(),
        names => format!("it has {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interface::{Interface, Shape, WitFile};

    fn file(shown: &str, functions: &[(&str, Vec<Shape>, Shape)]) -> ComparedFile {
        let functions = functions
            .iter()
            .map(|(name, parameters, result)| PublicFunction {
                name: (*name).to_owned(),
                passing: None,
                structs: Vec::new(),
                examples: Vec::new(),
                is_shown: true,
                signature: Ok(Signature {
                    parameters: parameters
                        .iter()
                        .map(|shape| ("list".to_owned(), shape.clone()))
                        .collect(),
                    result: result.clone(),
                }),
            });
        ComparedFile {
            is_component: false,
            shown: shown.to_owned(),
            uncallable: Vec::new(),
            functions: functions.collect(),
        }
    }

    fn numbers() -> Shape {
        Shape::list(Shape::plain("s32"))
    }

    fn generic() -> Shape {
        Shape::list(Shape::Any("T".to_owned()))
    }

    #[test]
    fn the_function_that_all_share_is_meant_and_one_file_decides_types_for_another() {
        let files = [
            file(
                "a.rs",
                &[
                    ("sort", vec![generic()], generic()),
                    ("helper", vec![], numbers()),
                ],
            ),
            file("b.rs", &[("sort", vec![numbers()], numbers())]),
        ];
        let found = DerivedInterface::find(&files, None).unwrap();
        assert_eq!(
            found.signature().to_string(),
            "func(list: list<s32>) -> list<s32>"
        );
        let wit = WitFile {
            name: "compared.wit".into(),
            text: found.wit(true),
        };
        let interface = Interface::parse(vec![wit], &found.call).unwrap();
        assert_eq!(
            interface.call().function.to_string(),
            "sort: func(list: list<s32>) -> list<s32>"
        );
    }

    #[test]
    fn a_component_gives_its_names_and_sources_take_them_over() {
        let source = file("a.rs", &[("order", vec![generic()], generic())]);
        let mut component = file("b.wasm", &[("sort", vec![numbers()], numbers())]);
        component.is_component = true;
        if let Ok(signature) = &mut component.functions[0].signature {
            signature.parameters[0].0 = "the-items".to_owned();
        }
        let found = DerivedInterface::find(&[source.clone(), component.clone()], None).unwrap();
        assert_eq!((&*found.call, &*found.renamed[0].1), ("sort", "order"));
        assert_eq!(
            found.signature().to_string(),
            "func(the-items: list<s32>) -> list<s32>"
        );
        let mut another = component.clone();
        another.functions[0].name = "sort_all".to_owned();
        let error = DerivedInterface::find(&[source, component, another], None).unwrap_err();
        assert!(error.contains("exports sort-all"), "{error}");
    }

    #[test]
    fn what_is_not_shared_or_not_the_same_is_named() {
        let one = file("a.rs", &[("sort", vec![numbers()], numbers())]);
        let other = file("b.rs", &[("order", vec![numbers()], numbers())]);
        let found = DerivedInterface::find(&[one.clone(), other.clone()], None).unwrap();
        assert_eq!(found.call, "sort");
        assert_eq!(found.renamed, [("b.rs".to_owned(), "order".to_owned())]);
        let with_helper = file(
            "b.rs",
            &[
                ("order", vec![numbers()], numbers()),
                ("helper", vec![], numbers()),
            ],
        );
        let error = DerivedInterface::find(&[one.clone(), with_helper], None).unwrap_err();
        assert!(
            error.contains("a.rs: it has sort; b.rs: it has order"),
            "{error}"
        );
        let error = DerivedInterface::find(&[one.clone(), other], Some("sort")).unwrap_err();
        assert!(
            error.starts_with("b.rs has no public function sort"),
            "{error}"
        );
        let text = file("c.rs", &[("sort", vec![Shape::plain("string")], numbers())]);
        let error = DerivedInterface::find(&[one.clone(), text], None).unwrap_err();
        assert!(error.contains("c.rs has func(list: string)"), "{error}");
        let words = file(
            "d.rs",
            &[("words", vec![Shape::plain("string")], numbers())],
        );
        let error = DerivedInterface::find(&[one, words], None).unwrap_err();
        for part in [
            "a.rs has sort: func(list: list<s32>)",
            "d.rs has words: func(list: string)",
            "give the functions that do the same one name",
        ] {
            assert!(error.contains(part), "{error}");
        }
        let both = [("a", vec![], numbers()), ("b", vec![], numbers())];
        let files = [file("a.rs", &both), file("b.rs", &both)];
        let error = DerivedInterface::find(&files, None).unwrap_err();
        assert!(
            error.contains("a, b") && error.contains("--call"),
            "{error}"
        );
    }
}
