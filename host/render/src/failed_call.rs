//! The call that failed, in words.

use super::escape::{ShellPath, ShellWord};
use bakeoff_domain::language::Language;
use bakeoff_domain::report::{CaseLabel, FailedCall, Report, VariantReport};
use std::path::Path;

/// Names the call that failed, and the command that makes it again.
pub(super) fn failed_call(report: &Report, variant: &VariantReport) -> Option<String> {
    let FailedCall { case, seed } = variant.failed_call.as_ref()?;
    // Whoever makes the input again asks for its size, and the seed says which texts it has.
    let generated = case.generated_from(*seed);
    let label = generated.map_or_else(|| case.to_string(), |(size, _)| size.to_string());
    let (named, seed) = match case {
        CaseLabel::Size(_) | CaseLabel::Texts(_) => {
            let (size, seed) = generated.unwrap_or_default();
            (
                format!("size {size}, seed {seed}"),
                format!(" --seed {seed}"),
            )
        }
        // The name alone says which input it is.
        CaseLabel::Instance { .. } => (
            format!("instance {}", super::clipped(&label, 200)),
            String::new(),
        ),
        // The call itself is the input.
        CaseLabel::Call(_) => (super::clipped(&label, 200), String::new()),
    };
    let word = match place_of_long(report, case, &label) {
        Some(place) => format!("'#{place}'"),
        None => ShellWord(&label).to_string(),
    };
    let parameters = variant.parameters.iter();
    let parameters = parameters
        .map(|(name, value)| format!(" --parameter {}", ShellWord(&format!("{name}={value}"))));
    let parameters: String = parameters.collect();
    // Those of an experiment file are never as long; those of a forged report may be.
    let seed = if parameters.len() <= CALL_CHARS_MAX {
        seed + &parameters
    } else {
        seed
    };
    if report.experiment.by_sources {
        return Some(format!(
            "The call: {named}. To make it again: {}; then, in that folder: bakeoff check {} --case {}{seed}",
            init(report),
            ShellWord(&made_file(report, variant)),
            word,
        ));
    }
    let options = &report.experiment.options;
    let folder = if options.is_empty() {
        "in the experiment's folder"
    } else {
        "in the same folder as before"
    };
    let options = options.iter().map(|word| format!(" {}", ShellWord(word)));
    // What is neither source nor component is a program, which runs with leave only.
    let file = &variant.file;
    let is_component = file.ends_with(".wasm") || file.starts_with("oci://");
    let is_program = !is_component && Language::of(Path::new(file)).is_none();
    let leave = if is_program { " --programs" } else { "" };
    Some(format!(
        "The call: {named}. To make it again, {folder}: bakeoff check {} --case {}{seed}{leave}{}",
        ShellPath(&variant.file),
        word,
        options.collect::<String>()
    ))
}

/// The longest call that a command spells out, in characters.
const CALL_CHARS_MAX: usize = 1_000;

/// Returns the place, from 1, of a call that is too long for a command line, among the report's
/// cases.
fn place_of_long(report: &Report, case: &CaseLabel, label: &str) -> Option<usize> {
    let is_long = matches!(case, CaseLabel::Call(_)) && label.len() > CALL_CHARS_MAX;
    let mut cases = report.experiment.cases.iter();
    let place = cases.position(|one| one == case).filter(|_| is_long)?;
    Some(place + 1)
}

/// Returns the file of a variant in the experiment that [`init`] makes.
fn made_file(report: &Report, variant: &VariantReport) -> String {
    let variants = report.variants.iter();
    let sources: Vec<&str> = variants.map(|one| &*one.file).collect();
    let mut variants = report.variants.iter();
    let place = variants.position(|one| one.id == variant.id);
    let file = place.and_then(|place| approach_files(&sources).into_iter().nth(place));
    file.unwrap_or_default()
}

/// Returns the command that makes an experiment of the sources that were compared.
fn init(report: &Report) -> String {
    let files = report.variants.iter();
    let files = files.map(|variant| format!(" {}", ShellPath(&variant.file)));
    let options = report.experiment.options.iter();
    let options = options.map(|word| format!(" {}", ShellWord(word)));
    let words: String = files.chain(options).collect();
    format!("bakeoff init compared --from{words}")
}

/// Returns the files of the approaches in an experiment that `bakeoff init` makes of sources. Those of one name have that
/// of their folder in front, or their place if that does not tell them apart.
pub fn approach_files(sources: &[&str]) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for (place, source) in sources.iter().enumerate() {
        let mut parts = source.rsplit('/');
        let name = parts.next().unwrap_or(source);
        let is_shared = |other: &&&str| other.rsplit('/').next() == Some(name);
        let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_');
        let folder = parts.next().filter(|folder| !folder.is_empty());
        let folder = folder.filter(|folder| folder.chars().all(is_plain));
        let mut file = match folder {
            Some(folder) if sources.iter().filter(is_shared).count() > 1 => {
                format!("approaches/{folder}-{name}")
            }
            _ => format!("approaches/{name}"),
        };
        if files.contains(&file) {
            file = format!("approaches/{}-{name}", place + 1);
        }
        files.push(file);
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::tests::named;

    #[test]
    fn files_of_one_name_are_told_apart_by_their_folders() {
        let files = |sources: &[&str]| approach_files(sources).join(" ");
        assert_eq!(
            files(&["a/x.rs", "y.rs"]),
            "approaches/x.rs approaches/y.rs"
        );
        assert_eq!(
            files(&["old/slug.rs", "new/slug.rs", "slug.rs"]),
            "approaches/old-slug.rs approaches/new-slug.rs approaches/slug.rs"
        );
        assert_eq!(
            files(&["../x.rs", "a/b/x.rs", "c/b/x.rs"]),
            "approaches/x.rs approaches/b-x.rs approaches/3-x.rs"
        );
    }

    #[test]
    fn a_long_call_is_named_by_its_place() {
        let mut report = named("x");
        let long = CaseLabel::Call(format!("f([{}])", "1, ".repeat(900)));
        report.experiment.cases = vec![CaseLabel::Call("f([])".to_owned()), long.clone()];
        report.variants[0].failed_call = Some(FailedCall {
            case: long,
            seed: 0,
        });
        let text = failed_call(&report, &report.variants[0]).unwrap();
        assert!(text.contains("--case '#2'"), "{text}");
        assert!(text.len() < 1_000, "{text}");
    }

    #[test]
    fn the_command_has_the_options_of_an_experiment_without_a_file_quoted() {
        let mut report = named("x");
        report.variants[0].file = "my sort.rs".to_owned();
        report.variants[0].failed_call = Some(FailedCall {
            case: CaseLabel::Size(64_000),
            seed: 7,
        });
        let said = |report: &Report| failed_call(report, &report.variants[0]).unwrap();
        assert_eq!(
            said(&report),
            "The call: size 64000, seed 7. To make it again, in the experiment's folder: bakeoff check \
             'my sort.rs' --case 64000 --seed 7"
        );
        let swept = std::collections::BTreeMap::from([("a".to_owned(), "1 2".to_owned())]);
        report.variants[0].parameters = swept;
        assert!(
            said(&report).ends_with("--seed 7 --parameter 'a=1 2'"),
            "{}",
            said(&report)
        );
        report.variants[0].parameters.clear();
        let options = ["--wit", "it's wit", "--call", "f", "--workload", "w.rs"];
        report.experiment.options = options.map(str::to_owned).to_vec();
        assert!(
            said(&report).ends_with(
                r"in the same folder as before: bakeoff check 'my sort.rs' --case 64000 --seed 7 --wit 'it'\''s wit' --call f --workload w.rs"
            ),
            "{}",
            said(&report)
        );
        report.experiment.by_sources = true;
        report.experiment.options = ["--call", "f"].map(str::to_owned).to_vec();
        report.variants[0].file = "some/my sort.rs".to_owned();
        report.variants.truncate(1);
        assert_eq!(
            said(&report),
            "The call: size 64000, seed 7. To make it again: bakeoff init compared --from 'some/my \
             sort.rs' --call f; then, in that folder: bakeoff check 'approaches/my sort.rs' --case 64000 --seed 7"
        );
    }
}
