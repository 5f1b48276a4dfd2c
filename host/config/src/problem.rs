//! Parsing of `[interface]`, `[workload]` and `[[approach]]`.

use super::error::{Finding, quoted};
use super::fields::approach::{self, COMMAND, DESCRIPTION, NAME, NAME_CHARS_MAX, SWEEP, TEXT};
use super::fields::field::Field;
use super::fields::kinds::File;
use super::fields::problem::{
    CALL, CASES, COMPONENT, INSTANCES, SEED, SIZES, SIZES_MAX, SOURCE, WIT,
};
use super::grant;
use super::instances::{self, Names};
use super::paths::{self, FileKind, FileRef};
use super::program;
use super::prose::{optional, prose, words};
use super::reference;
use super::section::{At, Section, integer};
use super::sweep;
use super::wished_approaches::{WishedApproach, wish};
use bakeoff_domain::ids;
use bakeoff_domain::spec::{Approach, Code, DeclaredInterface, Inputs, Workload};
use bakeoff_domain::variant::VARIANTS_MAX;
use std::ops::Range;

/// The fields of a source and of a component.
pub(super) type CodeFields = (&'static Field<File>, &'static Field<File>);

/// The fields for the code of an approach.
const APPROACH_CODE: CodeFields = (&approach::SOURCE, &approach::COMPONENT);
/// The fields for the code of a workload.
const WORKLOAD_CODE: CodeFields = (&SOURCE, &COMPONENT);

/// Returns the span of the key of a source, or else of a component.
pub(super) fn code_place(
    section: &Section<'_>,
    (source, component): CodeFields,
) -> Option<Range<usize>> {
    section.key(source).or_else(|| section.key(component))
}

/// Reads `[interface]`.
pub(super) fn interface(
    mut section: Section<'_>,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> Option<DeclaredInterface> {
    let wit = section.text(&WIT, found);
    section.missing_field(&WIT, "it declares the function", found);
    let call = section.text(&CALL, found);
    section.missing_field(&CALL, "it names the function", found);
    section.close(found);

    let wit = wit.and_then(|wit| paths::relative(&wit, FileKind::Wit, found));
    files.extend(wit.clone());
    let call = call.and_then(|call| called(call, found));
    Some(DeclaredInterface {
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
    let code = code(&mut section, WORKLOAD_CODE, files, found);
    let cases = section.text(&CASES, found);
    let sizes = sizes(&mut section, found);
    let names = instances::instances(&mut section, files, found);
    let seed = seed(&mut section, found);
    let cases_at = section.key(&CASES);
    let (sizes_at, names_at) = (section.key(&SIZES), section.key(&INSTANCES));
    let code_at = code_place(&section, WORKLOAD_CODE);
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
            texts: Vec::new(),
        },
        (None, Some(cases)) => Inputs::Cases(cases.path),
        _ => return None,
    };
    Some(Workload { inputs, seed })
}

/// Reads `source` or `component`; `None` if neither is there. Both together are a finding.
pub(super) fn code(
    section: &mut Section<'_>,
    fields: CodeFields,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> Option<Code> {
    code_of(section, fields, FileKind::Source, files, found)
}

/// Reads `source`, a file of this kind, or `component`.
fn code_of(
    section: &mut Section<'_>,
    (source_field, component_field): CodeFields,
    kind: FileKind,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> Option<Code> {
    let source = section.text(source_field, found);
    let component = section.text(component_field, found);
    let both = (section.key(source_field), section.key(component_field));
    if let (Some(source), Some(component)) = both {
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
    let source = source.and_then(|path| paths::relative(&path, kind, found));
    files.extend(source.clone());
    let component = component.and_then(|named| reference::component(&named, files, found));
    match (source, component) {
        (Some(source), None) => Some(Code::Source(source.path)),
        (None, component) => component,
        (Some(_), Some(_)) => None,
    }
}

/// Reads `source`, `component` or `command` of an approach; `None` if none is there. Two of them are a finding.
fn code_or_program(
    section: &mut Section<'_>,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> Option<Code> {
    let code = code_of(section, APPROACH_CODE, FileKind::Prototype, files, found);
    let program = program::command(section, files, found);
    let Some(command_at) = section.key(&COMMAND) else {
        return code;
    };
    let file_at = code_place(section, APPROACH_CODE);
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
    if let Some(sweep_at) = section.key(&SWEEP) {
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
    let wanted = "a list of whole numbers like `[1_000, 16_000]`";
    let list = section.array(&SIZES, wanted, found)?;
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
    let at = section.integer(&SEED, found)?;
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

/// All approaches of a file.
pub(super) struct Approaches {
    pub(super) list: Vec<Approach>,
    /// The spans of those in the list.
    pub(super) places: Vec<ApproachPlace>,
    /// The approaches without code, which a model is to write.
    pub(super) wished: Vec<WishedApproach>,
}

/// Reads all `[[approach]]`; `None` if one of them is invalid. Of those that are searched there may be any number of
/// combinations.
pub(super) fn approaches(
    sections: Vec<Section<'_>>,
    is_searched: bool,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> Option<Approaches> {
    let wanted = sections.len();
    let mut taken: Vec<At<String>> = Vec::new();
    let (mut list, mut places, mut wished) = (Vec::new(), Vec::new(), Vec::new());
    for mut section in sections {
        let name = section.text(&NAME, found);
        section.missing_field(&NAME, "reports call it by that", found);
        let description = section.text(&DESCRIPTION, found);
        let wish = wish(&mut section, files, found);
        refuse_text(&mut section, found);
        let code = code_or_program(&mut section, files, found);
        let place = code_place(&section, APPROACH_CODE).or_else(|| section.key(&COMMAND));
        if place.is_none() && wish.is_none() {
            found.push(Finding::new(
                section.span.clone(),
                "this approach has no code",
                "neither `source` nor `component` nor `command` here",
                "add a line like `source = \"approaches/heap.rs\"`, `component = \"heap.wasm\"` or \
                 `command = [\"python3\", \"heap.py\"]`; or `write = true`, for a model to write it",
            ));
        }
        let grants = grant::grants(&mut section, files, found);
        let sweep_at = section.key(&SWEEP);
        let sweep = sweep::sweep(&mut section, found);
        let words = words(&mut section, found);
        section.close(found);
        let name = prose(name, &NAME, found);
        let description = optional(description, &DESCRIPTION, found);
        if let Some(name) = &name {
            refuse_duplicate(&mut taken, name, found);
        }
        let prose = name.zip(description).zip(words);
        if let (Some(wish), Some(((name, description), words))) = (wish, prose.clone()) {
            wished.push(wish.approach(name.value, description, words));
            continue;
        }
        if let (
            Some(((name, description), words)),
            Some(code),
            Some(place),
            Some(grants),
            Some(sweep),
        ) = (prose, code, place, grants, sweep)
        {
            let (grants, grant_places) = grants.into_iter().unzip();
            list.push(Approach {
                name: name.value,
                description,
                code,
                grants,
                sweep,
                words,
            });
            if !is_searched {
                refuse_too_many(&list, sweep_at, found);
            }
            places.push(ApproachPlace {
                code: place,
                grants: grant_places,
            });
        }
    }
    (list.len() + wished.len() == wanted).then_some(Approaches {
        list,
        places,
        wished,
    })
}

/// Refuses `text` of an approach that is run.
fn refuse_text(section: &mut Section<'_>, found: &mut Vec<Finding>) {
    if let Some(place) = section.pass_over(&TEXT) {
        found.push(Finding::new(
            place,
            "`text` belongs to a question in words",
            "no meaning here",
            "remove it, or write `kind = \"opinion\"` at the top of the file, where nothing is run",
        ));
    }
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
            "give the parameters fewer values, or add [rounds], which tries some of them",
        ));
    }
}

/// The help for two names with the same id.
const KEPT_AS: &str = "rename one: case, spaces and punctuation do not tell names apart";

/// Refuses two approaches whose names have the same id, or look the same.
pub(super) fn refuse_duplicate(
    taken: &mut Vec<At<String>>,
    name: &At<String>,
    found: &mut Vec<Finding>,
) {
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
