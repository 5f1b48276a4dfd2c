//! An experiment that no file declares: files named on the command line.

use crate::error::CompareError;
use bakeoff_config::{APPROACHES_MAX, SIZES_MAX};
use bakeoff_domain::ids;
use bakeoff_domain::language::Language;
use bakeoff_domain::reference::ComponentReference;
use bakeoff_domain::spec::{
    Approach, AuthorWords, Code, DeclaredInterface, DeclaringPlace, Experiment, Inputs, Limits,
    Measure, ReportOptions, Workload,
};
use bakeoff_render::escape::Plain;
use bakeoff_source::language_of;
use std::path::{Path, PathBuf};

/// The most files of a folder among which a missing one's name is looked for.
const SIMILAR_TRIED_MAX: usize = 1_000;

/// Returns an experiment that compares approaches by the default criteria.
pub fn experiment(
    problem: String,
    interface: DeclaredInterface,
    inputs: Inputs,
    approaches: Vec<Approach>,
    measure: Measure,
    declared: DeclaringPlace,
) -> Experiment {
    Experiment {
        name: "compare".to_owned(),
        problem,
        interface,
        workload: Workload { inputs, seed: None },
        approaches,
        limits: Limits::default(),
        measure,
        evaluators: Vec::new(),
        aggregators: Vec::new(),
        crates: bakeoff_domain::crates::Crates::default(),
        simd: bakeoff_domain::simd::Simd::default(),
        edition: bakeoff_domain::edition::Edition::default(),
        criteria: bakeoff_config::default_criteria(),
        report: ReportOptions::default(),
        declared,
    }
}

/// Returns the sizes in ascending order, each once.
///
/// # Errors
/// There are no sizes, or too many.
pub fn sizes(given: &[u32]) -> Result<Vec<u32>, CompareError> {
    let mut sizes = given.to_vec();
    sizes.sort_unstable();
    sizes.dedup();
    match sizes.len() {
        1..=SIZES_MAX => Ok(sizes),
        count => Err(CompareError::usage(format!(
            "1 to {SIZES_MAX} sizes are measured, not {count}"
        ))),
    }
}

/// Returns the code of a file. A missing file is an error here, not a failed variant.
///
/// # Errors
/// The file is missing, or neither source nor component.
pub fn code(file: &Path) -> Result<Code, CompareError> {
    let shown = file.display().to_string();
    let shown = Plain(&shown);
    if is_crate(file) {
        return Err(CompareError::usage(no_crate(file)));
    }
    if file.is_dir() {
        return Err(CompareError::usage(format!(
            "{shown} is a folder: name files, Rust sources (.rs) or components (.wasm)"
        )));
    }
    if !file.is_file() {
        let advice = match (similar_file(file), file.extension()) {
            (Some(similar), _) => format!("; there is {}", Plain(&similar)),
            (None, Some(_)) => String::new(),
            (None, None) => "; revisions of a package are compared with --package NAME".to_owned(),
        };
        return Err(CompareError::usage(format!(
            "there is no file {shown}{advice}"
        )));
    }
    code_of(file)
}

/// Returns the file in the same folder whose name is nearest to that of a missing one, if it is near.
fn similar_file(missing: &Path) -> Option<String> {
    let wanted = missing.file_name()?.to_str()?;
    let folder = match missing.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let entries = folder.read_dir().ok()?.take(SIMILAR_TRIED_MAX).flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let names: Vec<String> = names.collect();
    let name = bakeoff_config::nearest(wanted, names.iter().map(String::as_str))?;
    Some(missing.with_file_name(name).display().to_string())
}

/// Returns true if types can be read off an approach: off Rust and components.
pub(crate) fn is_typed(approach: &Approach) -> bool {
    matches!(language_of(&approach.code), None | Some(Language::Rust))
}

/// Refuses sources in C, C++ and Zig alone: these have to fit the interface of the others.
pub(crate) fn refuse_untyped(approaches: &[Approach]) -> Result<(), CompareError> {
    if approaches.iter().any(is_typed) {
        return Ok(());
    }
    Err(CompareError::usage(
        "no interface can be read off sources in C, C++ and Zig alone: give one with --wit DIR --call NAME, or a Rust file or \
         component of the same function beside them (docs/languages.md)",
    ))
}

/// Returns true if a folder is that of a crate, and not that of an experiment.
pub fn is_crate(folder: &Path) -> bool {
    folder.join("Cargo.toml").is_file() && !folder.join("bakeoff.toml").is_file()
}

/// Returns the message that refuses the folder of a crate in the place of a file, with the ways to compare crates.
pub fn no_crate(folder: &Path) -> String {
    let shown = folder.display().to_string();
    format!(
        "{} is the folder of a crate, and files are compared: Rust sources (.rs), each with the standard library \
         alone, and components (.wasm). Crates that a source uses are allowed by an experiment (`bakeoff init DIR`): \
         `crates = [\"NAME@VERSION\"]` under [build] in its bakeoff.toml. A crate of your own becomes a component by \
         cargo (docs/languages.md), which is compared like a file, or is the `component` of an [[approach]]",
        Plain(&shown)
    )
}

/// Returns an approach for each file, named by the file's stem if that is unique, and otherwise as the user wrote it.
///
/// # Errors
/// There are too few files or too many; one is missing, or neither source nor component; two names read alike.
pub fn approaches(files: &[PathBuf]) -> Result<Vec<Approach>, CompareError> {
    let count = files.len();
    if !(2..=APPROACHES_MAX).contains(&count) {
        return Err(CompareError::usage(format!(
            "2 to {APPROACHES_MAX} files are compared, not {count}: `bakeoff compare a.rs b.rs`"
        )));
    }
    let stem = |file: &PathBuf| {
        let stem = file.file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    };
    let stems: Vec<String> = files.iter().map(stem).collect();
    let named = |(file, stem): (&PathBuf, &String)| {
        let namesakes = stems.iter().filter(|other| *other == stem).count();
        let name = match namesakes {
            1 => stem.clone(),
            _ => file.display().to_string(),
        };
        Ok(approach(name, code(file)?))
    };
    let approaches = files.iter().zip(&stems).map(named);
    let approaches = approaches.collect::<Result<Vec<Approach>, CompareError>>()?;
    refuse_names_alike(&approaches)?;
    Ok(approaches)
}

/// Returns an approach of nothing but a name and its code.
pub fn approach(name: String, code: Code) -> Approach {
    Approach {
        name,
        description: None,
        code,
        grants: Vec::new(),
        sweep: Vec::new(),
        words: AuthorWords::default(),
    }
}

/// Refuses approaches whose names look alike to a reader. Names with the same id are numbered apart.
fn refuse_names_alike(approaches: &[Approach]) -> Result<(), CompareError> {
    let names: Vec<&str> = approaches.iter().map(|one| one.name.as_str()).collect();
    let known: Vec<(String, String)> = names
        .iter()
        .map(|name| (ids::look(name), ids::slug(name)))
        .collect();
    for (later, (look, slug)) in known.iter().enumerate() {
        let alike =
            |(other_look, other_slug): &(String, String)| other_look == look && other_slug != slug;
        if let Some(earlier) = known[..later].iter().position(alike) {
            let message = bakeoff_config::read_alike(names[earlier], names[later]);
            return Err(CompareError::usage(format!(
                "{message}; rename one of the files"
            )));
        }
    }
    Ok(())
}

/// Returns the code that a user names: a component in a registry, a file that is a component if its name ends in `.wasm`, or
/// a source if it ends as one in a language that is built.
///
/// # Errors
/// The name ends as that of neither; the error says what to do.
pub fn code_of(file: &Path) -> Result<Code, CompareError> {
    let reference = file
        .to_str()
        .filter(|text| ComponentReference::is_meant(text));
    if let Some(text) = reference {
        return Ok(match ComponentReference::parse(text) {
            Ok(reference) => Code::Reference(reference),
            // Refused where it is read, without being shown: it may hold a password.
            Err(_) => Code::Source(file.to_owned()),
        });
    }
    if file.extension().is_some_and(|end| end == "wasm") {
        return Ok(Code::Component(file.to_owned()));
    }
    if Language::of(file).is_some() {
        return Ok(Code::Source(file.to_owned()));
    }
    let shown = file.display().to_string();
    Err(CompareError::usage(format!(
        "{} is no source in {} and no component (.wasm), to which other languages are compiled (docs/languages.md)",
        Plain(&shown),
        Language::LIST
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_ascend_and_come_once() {
        assert_eq!(sizes(&[9, 3, 9]).ok(), Some(vec![3, 9]));
        assert!(sizes(&[]).is_err());
        let many: Vec<u32> = (1..=SIZES_MAX as u32 + 1).collect();
        assert!(sizes(&many).is_err());
    }

    #[test]
    fn namesakes_are_called_by_their_paths() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            path
        };
        let files = [file("old/heap.rs"), file("new/heap.rs"), file("sort.wasm")];
        let names: Vec<String> = approaches(&files)
            .unwrap()
            .into_iter()
            .map(|approach| approach.name)
            .collect();
        assert!(names[0].ends_with("old/heap.rs") && names[1].ends_with("new/heap.rs"));
        assert_eq!(names[2], "sort");
        assert!(approaches(&[folder.path().join("none.rs")]).is_err());
        assert!(approaches(&[file("heap.py")]).is_err());
    }

    #[test]
    fn a_file_in_a_language_that_is_not_built_is_no_source() {
        for name in ["x.go", "x.py", "x.java", "x.js", "sum.C", "Makefile", ""] {
            let said = code_of(Path::new(name)).unwrap_err().to_string();
            let begins = format!("{name} is no source in Rust (.rs), C (.c)");
            assert!(said.starts_with(&begins), "{said}");
            assert!(said.contains("docs/languages.md"), "{said}");
        }
        let is_source = |name: &str| matches!(code_of(Path::new(name)), Ok(Code::Source(_)));
        for name in ["x.rs", "x.c", "x.cxx", "x.zig", "oci://me:secret@host/x"] {
            assert!(is_source(name), "{name}");
        }
    }

    #[test]
    fn case_97_file_names_that_look_alike() {
        let folder = tempfile::tempdir().unwrap();
        let named = |names: [&str; 2]| {
            let files = names.map(|name| {
                let path = folder.path().join(name);
                std::fs::write(&path, "").unwrap();
                path
            });
            approaches(&files)
        };
        for (other, place) in [
            ("s\u{43e}rt.rs", "character 2, U+006F and U+043E"),
            ("sort\u{200b}.rs", "character 5, the end and U+200B"),
        ] {
            let said = format!("{:?}", named(["sort.rs", other]).unwrap_err());
            let words = said.split_whitespace().filter(|word| *word != "│");
            let said = words.collect::<Vec<&str>>().join(" ");
            assert!(
                said.contains("read alike") && said.contains(place),
                "{said}"
            );
        }
        for other in ["Sort.rs", "sort-.rs", "sort.wasm", "heap.rs"] {
            assert!(named(["sort.rs", other]).is_ok(), "{other}");
        }
    }
}
