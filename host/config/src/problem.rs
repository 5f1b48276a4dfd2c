//! Parsing of `[interface]`, `[workload]` and `[[approach]]`.

use super::error::{Finding, quoted};
use super::grant;
use super::instances::{self, Names};
use super::paths::{self, FileKind, FileRef};
use super::program;
use super::section::{At, Section, integer};
use super::sweep;
use bakeoff_domain::ids;
use bakeoff_domain::spec::{Approach, Code, Inputs, Interface, Workload};
use bakeoff_domain::variant::VARIANTS_MAX;
use std::ops::Range;

/// The most approaches of an experiment.
pub const APPROACHES_MAX: usize = 64;
/// The most sizes of a workload.
pub const SIZES_MAX: usize = 32;
/// The most characters of a name.
pub const NAME_CHARS_MAX: usize = 100;
/// The most characters of the problem or a description.
pub const PROSE_CHARS_MAX: usize = 4000;

/// Returns a text that is neither empty nor too long, and reports any other.
pub(super) fn prose(
    at: Option<At<&str>>,
    key: &str,
    chars_max: usize,
    found: &mut Vec<Finding>,
) -> Option<At<String>> {
    let at = at?;
    let chars = at.value.chars().count();
    let wrong = if at.value.trim().is_empty() {
        "is empty".to_owned()
    } else if chars > chars_max {
        format!("has {chars} characters")
    } else {
        return Some(At {
            value: at.value.to_owned(),
            span: at.span,
        });
    };
    found.push(Finding::new(
        at.span,
        format!("`{key}` {wrong}"),
        "impossible value",
        format!("it has 1 to {chars_max} characters"),
    ));
    None
}

/// Reads `[interface]`.
pub(super) fn interface(
    mut section: Section<'_>,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> Option<Interface> {
    let wit = section.text("wit", found);
    section.missing("wit", "it declares the function", "wit = \"wit\"", found);
    let call = section.text("call", found);
    section.missing("call", "it names the function", "call = \"top-k\"", found);
    section.close(found);

    let wit = wit.and_then(|wit| paths::relative(&wit, FileKind::Wit, found));
    files.extend(wit.clone());
    let call = call.and_then(|call| called(call, found));
    Some(Interface {
        wit: wit?.path,
        call: call?,
    })
}

/// Reads `call`, the called function as WIT names it: `top-k`, or `api.top-k` and
/// `example:top-k/api@1.0.0.top-k` for a function of an interface.
fn called(at: At<&str>, found: &mut Vec<Finding>) -> Option<String> {
    if at.value.len() <= NAME_CHARS_MAX && is_call(at.value) {
        return Some(at.value.to_owned());
    }
    let dashed = at.value.replace('_', "-");
    let help = if dashed != at.value && is_call(&dashed) {
        format!("WIT joins words by `-`: write \"{dashed}\"")
    } else {
        "write it as in the WIT: \"top-k\", or \"interface.function\"".to_owned()
    };
    found.push(Finding::new(
        at.span,
        format!("`call` cannot be {}", quoted(at.value)),
        "not a name in WIT",
        help,
    ));
    None
}

/// Returns true if a text has the form of a function's name in WIT. A later check says whether it exists.
fn is_call(text: &str) -> bool {
    let is_word = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_alphabetic())
            && word.chars().all(|c| c.is_ascii_alphanumeric())
    };
    let (interface, function) = match text.rsplit_once('.') {
        Some((interface, function)) => (Some(interface), function),
        None => (None, text),
    };
    let of_interface = |c: char| c.is_ascii_alphanumeric() || "-:/@.+".contains(c);
    function.split('-').all(is_word)
        && interface.is_none_or(|name| !name.is_empty() && name.chars().all(of_interface))
}

/// Reads `[workload]`.
pub(super) fn workload(
    mut section: Section<'_>,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> Option<Workload> {
    let code = code(&mut section, files, found);
    let cases = section.text("cases", found);
    let sizes = sizes(&mut section, found);
    let names = instances::instances(&mut section, files, found);
    let seed = seed(&mut section, found);
    let place = |key: &str| section.key(key);
    let (cases_at, sizes_at, names_at) = (place("cases"), place("sizes"), place("instances"));
    let code_at = place("source").or_else(|| place("component"));
    let header = section.span.clone();
    section.close(found);

    let cases = cases.and_then(|cases| paths::relative(&cases, FileKind::Cases, found));
    files.extend(cases.clone());
    if let (Some(sizes), Some(names)) = (&sizes_at, &names_at) {
        found.push(
            Finding::new(
                names.clone(),
                "`sizes` and `instances` are both given",
                "one of the two",
                "code makes inputs of these sizes, or those of these names: remove one",
            )
            .with_other(sizes.clone(), "the other"),
        );
    }
    match (code_at, cases_at, sizes_at.or(names_at.clone())) {
        (Some(code), Some(cases), _) => found.push(
            Finding::new(
                cases,
                "the workload has code and cases",
                "one of the two",
                "inputs are generated by code or listed as cases: remove one",
            )
            .with_other(code, "the other"),
        ),
        (None, Some(_), Some(names)) if names_at.is_some() => found.push(Finding::new(
            names,
            "`instances` has no meaning with `cases`",
            "instances are for code that makes inputs by their names",
            "remove `instances`: each case of the file is measured",
        )),
        (None, Some(_), Some(sizes)) => found.push(Finding::new(
            sizes,
            "`sizes` has no meaning with `cases`",
            "sizes are for code that generates inputs",
            "remove `sizes`: each case of the file is measured",
        )),
        (Some(code), None, None) => found.push(Finding::new(
            code,
            "`sizes` is missing in `workload`: the code is asked for inputs of these sizes",
            "code without sizes",
            "add a line like `sizes = [1_000, 16_000]`; or `instances = [\"small-1\", \"small-2\"]` for \
             inputs that are fixed and have names",
        )),
        (None, None, _) => found.push(Finding::new(
            header,
            "the workload has neither code nor cases",
            "no inputs here",
            "add a line like `source = \"workload.rs\"`, `component = \"workload.wasm\"` or \
             `cases = \"cases.toml\"`",
        )),
        _ => {}
    }
    let inputs = match (code, cases) {
        (Some(code), None) if names_at.is_some() => match names? {
            Names::Listed(names) => Inputs::Instances {
                code,
                names,
                file: None,
            },
            Names::InFile(file) => Inputs::Instances {
                code,
                names: Vec::new(),
                file: Some(file),
            },
        },
        (Some(code), None) => Inputs::Generated {
            code,
            sizes: sizes?,
        },
        (None, Some(cases)) => Inputs::Cases(cases.path),
        _ => return None,
    };
    Some(Workload { inputs, seed })
}

/// Reads `source` or `component`; `None` if neither is there. Both together are a finding.
pub(super) fn code(
    section: &mut Section<'_>,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> Option<Code> {
    let source = section.text("source", found);
    let component = section.text("component", found);
    if let (Some(source), Some(component)) = (section.key("source"), section.key("component")) {
        found.push(
            Finding::new(
                component,
                "`source` and `component` are both given",
                "one of the two",
                "code comes from a source or from a component: remove one",
            )
            .with_other(source, "the other"),
        );
    }
    let source = source.and_then(|path| paths::relative(&path, FileKind::Source, found));
    let component = component.and_then(|path| paths::relative(&path, FileKind::Component, found));
    files.extend(source.clone());
    files.extend(component.clone());
    match (source, component) {
        (Some(source), None) => Some(Code::Source(source.path)),
        (None, Some(component)) => Some(Code::Component(component.path)),
        _ => None,
    }
}

/// Reads `source`, `component` or `command` of an approach; `None` if none is there. Two of them are a finding.
fn code_or_program(
    section: &mut Section<'_>,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> Option<Code> {
    let code = code(section, files, found);
    let program = program::command(section, files, found);
    let Some(command_at) = section.key("command") else {
        return code;
    };
    let file_at = section.key("source").or_else(|| section.key("component"));
    let refused = |at, what: &str, help: &str| Finding::new(at, what, "beside `command`", help);
    if let Some(file_at) = file_at {
        found.push(
            refused(
                command_at,
                "the approach has `command` and another code",
                "an approach is a program, a source or a component: remove one",
            )
            .with_other(file_at, "the other"),
        );
        return None;
    }
    if let Some(sweep_at) = section.key("sweep") {
        found.push(refused(
            sweep_at,
            "a program has no `sweep`",
            "make an approach of each value, which the program gets as an argument",
        ));
    }
    program.map(Code::Program)
}

/// Reads `sizes`: whole numbers that ascend.
fn sizes(section: &mut Section<'_>, found: &mut Vec<Finding>) -> Option<Vec<u32>> {
    let list = section.array(
        "sizes",
        "a list of whole numbers like `[1_000, 16_000]`",
        found,
    )?;
    let wrong = |span: &Range<usize>, why: String| {
        Finding::new(
            span.clone(),
            why,
            "impossible value",
            format!("sizes are 1 to {SIZES_MAX} whole numbers from 1 to 4294967295, ascending"),
        )
    };
    if list.value.is_empty() || list.value.len() > SIZES_MAX {
        let count = list.value.len();
        found.push(wrong(&list.span, format!("`sizes` has {count} elements")));
        return None;
    }
    let mut sizes: Vec<u32> = Vec::new();
    for one in &list.value {
        let size = integer(one.value).and_then(|size| u32::try_from(size).ok());
        match (size, sizes.last()) {
            (None | Some(0), _) => {
                found.push(wrong(
                    &one.span,
                    "`sizes` has an element that is no size".into(),
                ));
                return None;
            }
            (Some(size), Some(&last)) if size == last => {
                found.push(wrong(&one.span, format!("the size {size} is there twice")));
                return None;
            }
            (Some(size), Some(&last)) if size < last => {
                found.push(wrong(&one.span, format!("the size {size} follows {last}")));
                return None;
            }
            (Some(size), _) => sizes.push(size),
        }
    }
    Some(sizes)
}

/// Reads `seed`.
fn seed(section: &mut Section<'_>, found: &mut Vec<Finding>) -> Option<u64> {
    let at = section.integer("seed", found)?;
    let seed = u64::try_from(at.value).ok();
    if seed.is_none() {
        found.push(Finding::new(
            at.span,
            "`seed` is negative",
            "impossible value",
            "it is a whole number from 0 to 9223372036854775807",
        ));
    }
    seed
}

/// The spans of an approach.
#[derive(Clone, Debug, Default)]
pub(super) struct ApproachPlace {
    /// The span of the code.
    pub(super) code: Range<usize>,
    /// The spans of the grants, in order.
    pub(super) grants: Vec<Range<usize>>,
}

/// Reads all `[[approach]]`, with their spans; `None` if one of them is invalid.
pub(super) fn approaches(
    sections: Vec<Section<'_>>,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> Option<(Vec<Approach>, Vec<ApproachPlace>)> {
    let wanted = sections.len();
    let mut taken: Vec<At<String>> = Vec::new();
    let (mut list, mut places) = (Vec::new(), Vec::new());
    for mut section in sections {
        let name = section.text("name", found);
        section.missing("name", "reports call it by that", "name = \"heap\"", found);
        let description = section.text("description", found);
        let code = code_or_program(&mut section, files, found);
        let place = ["source", "component", "command"];
        let place = place.into_iter().find_map(|key| section.key(key));
        if place.is_none() {
            found.push(Finding::new(
                section.span.clone(),
                "this approach has no code",
                "neither `source` nor `component` nor `command` here",
                "add a line like `source = \"approaches/heap.rs\"`, `component = \"heap.wasm\"` or \
                 `command = [\"python3\", \"heap.py\"]`",
            ));
        }
        let grants = grant::grants(&mut section, files, found);
        let sweep_at = section.key("sweep");
        let sweep = sweep::sweep(&mut section, found);
        section.close(found);
        let name = prose(name, "name", NAME_CHARS_MAX, found);
        let description = match description {
            Some(text) => prose(Some(text), "description", PROSE_CHARS_MAX, found)
                .map(|text| Some(text.value)),
            None => Some(None),
        };
        if let Some(name) = &name {
            refuse_duplicate(&mut taken, name, found);
        }
        if let (Some(name), Some(description), Some(code), Some(place), Some(grants), Some(sweep)) =
            (name, description, code, place, grants, sweep)
        {
            let (grants, grant_places) = grants.into_iter().unzip();
            list.push(Approach {
                name: name.value,
                description,
                code,
                grants,
                sweep,
            });
            refuse_too_many(&list, sweep_at, found);
            places.push(ApproachPlace {
                code: place,
                grants: grant_places,
            });
        }
    }
    (list.len() == wanted).then_some((list, places))
}

/// Refuses the approach that brings the number of variants above the limit of an experiment.
fn refuse_too_many(list: &[Approach], sweep: Option<Range<usize>>, found: &mut Vec<Finding>) {
    let counts = list.iter().map(Approach::variants);
    let count = counts.fold(0, usize::saturating_add);
    let before = count.saturating_sub(list.last().map_or(0, Approach::variants));
    if count > VARIANTS_MAX && before <= VARIANTS_MAX {
        found.push(Finding::new(
            sweep.unwrap_or_default(),
            format!("with this sweep there are {count} variants, and {VARIANTS_MAX} is the most"),
            "too many combinations",
            "give the parameters fewer values, or make several experiments of it",
        ));
    }
}

/// The help for two names with the same id.
const KEPT_AS: &str = "rename one: case, spaces and punctuation do not tell names apart";

/// Refuses two approaches whose names have the same id, or look the same.
fn refuse_duplicate(taken: &mut Vec<At<String>>, name: &At<String>, found: &mut Vec<Finding>) {
    let alike = |other: &&At<String>| {
        ids::slug(&other.value) == ids::slug(&name.value)
            || ids::look(&other.value) == ids::look(&name.value)
    };
    let Some(other) = taken.iter().find(alike) else {
        taken.push(name.clone());
        return;
    };
    let shown = (quoted(&other.value), quoted(&name.value));
    let id = ids::slug(&name.value);
    let (message, way_out) = if other.value == name.value {
        (format!("two approaches are called {}", shown.1), KEPT_AS)
    } else if ids::slug(&other.value) == id {
        (
            format!("{} and {} would both be kept as `{id}`", shown.0, shown.1),
            KEPT_AS,
        )
    } else {
        (
            read_alike(&other.value, &name.value),
            "rename one: spaces of other kinds, characters that cannot be seen, and letters that \
             look like others do not tell names apart",
        )
    };
    found.push(
        Finding::new(name.span.clone(), message, "the second one", way_out)
            .with_other(other.span.clone(), "the first one"),
    );
}

/// Returns the message that two names would be mistaken for each other, and where they differ.
pub fn read_alike(one: &str, other: &str) -> String {
    let (place, differs) = ids::first_difference(one, other);
    format!(
        "{} and {} read alike: they differ in character {place}, {differs}",
        quoted(one),
        quoted(other)
    )
}
