//! An experiment that is made of sources, for `bakeoff init --from`.

use super::Arguments;
use crate::cli::failure::Failure;
use crate::cli::options::Output;
use bakeoff_compare::{
    Agreement, Derived, KnownInterface, SearchBounds, approaches, code, experiment, sizes,
    timed_sizes, undrawable_interface,
};
use bakeoff_config::{NewApproach, Policy};
use bakeoff_domain::language::Language;
use bakeoff_domain::spec::{Approach, Code, DeclaringPlace, Experiment, Measure};
use bakeoff_files::Reach;
use bakeoff_render::approach_files;
use bakeoff_render::escape::Plain;
use bakeoff_source::interface::{DrawnInputs, InputRequest, Interface, WitFile};
use bakeoff_source::{BuildInput, language_of, read_code};
use std::path::Path;

/// Sizes of the inputs of an experiment whose sources do not do the same.
const SIZES: [u32; 2] = [8, 1_000];

/// An experiment that is made of sources.
pub(super) struct SourceExperiment {
    pub(super) files: Vec<(String, String)>,
    /// The reason why the experiment has no answer as it is.
    pub(super) disagreement: Option<String>,
}

/// The file of cases or the workload of an experiment: its path there, and its text.
type InputFile = (String, String);

/// The interface of an experiment that is made of sources.
struct MadeInterface {
    call: String,
    /// The files of its WIT, by their paths in the experiment.
    files: Vec<(String, String)>,
    origin: WitOrigin,
}

/// The origin of the WIT of an experiment that is made of sources.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WitOrigin {
    /// Written by the types of the function, with a world for the workload.
    Types,
    /// The user's own, as it is.
    User,
}

impl Arguments {
    /// Makes an experiment of the sources that were given.
    pub(super) async fn of_sources(&self, output: &Output) -> Result<SourceExperiment, Failure> {
        let host = self.safety.host_options(Policy::of_host()?)?;
        let approaches = approaches(&self.from)?;
        if let Some((interface, inputs)) = self.undrawable()? {
            return self.of_users_wit(&approaches, &interface, inputs);
        }
        let known = KnownInterface {
            call: self.call.as_deref(),
            wit: self.wit.as_deref(),
            sources: None,
        };
        let mut derived = Derived::read(&approaches, known, &host).await?;
        let own = self.workload.as_deref().map(code).transpose()?;
        if let Some(own) = &own {
            derived.take_oracle_of(own).await?;
        }
        let mut disagreement = None;
        let sizes = match self.sizes.is_empty() {
            false => sizes(&self.sizes)?,
            true if self.cases.is_some() => Vec::new(),
            true => {
                let first = first_experiment(&derived, &approaches);
                let seed = bakeoff_run::draw_seed()?;
                let bounds = SearchBounds::default();
                let mut say = output.reporter();
                let look = derived.first_look(first, None, seed, bounds, &mut say);
                match look.await? {
                    Agreement::Same { sizes, .. } => sizes,
                    Agreement::Not(why) => {
                        disagreement = Some(why.text().trim_end().to_owned());
                        SIZES.to_vec()
                    }
                }
            }
        };
        let inputs = match self.own_inputs()? {
            Some(own) => own,
            None => {
                let text = derived.found.workload(&DrawnInputs::default());
                ("workload.rs".to_owned(), text)
            }
        };
        let call = derived.found.call.clone();
        let interface = MadeInterface {
            files: vec![(format!("wit/{call}.wit"), derived.wit_text()?)],
            call,
            origin: WitOrigin::Types,
        };
        Ok(SourceExperiment {
            files: files(interface, &approaches, &sizes, inputs)?,
            disagreement,
        })
    }

    /// Returns the interface of the user's WIT and the inputs that were given, if none could be drawn for its function.
    fn undrawable(&self) -> Result<Option<(Interface, InputFile)>, Failure> {
        let (Some(wit), Some(call)) = (&self.wit, &self.call) else {
            return Ok(None);
        };
        match undrawable_interface(wit, call)? {
            Some(interface) => Ok(self.own_inputs()?.map(|inputs| (interface, inputs))),
            None => Ok(None),
        }
    }

    /// Makes an experiment with the user's WIT and inputs, from which nothing is derived.
    fn of_users_wit(
        &self,
        approaches: &[Approach],
        interface: &Interface,
        inputs: InputFile,
    ) -> Result<SourceExperiment, Failure> {
        let sizes = if self.cases.is_some() {
            Vec::new()
        } else {
            let fit = interface.workload(InputRequest::SizeAndSeed);
            fit.map_err(|error| Failure::usage(error.to_string()))?;
            sizes(&self.sizes)?
        };
        let named = self.wit.as_deref().unwrap_or(Path::new(""));
        let interface = MadeInterface {
            call: interface.call().path(),
            files: wit_files(named, interface.files()),
            origin: WitOrigin::User,
        };
        Ok(SourceExperiment {
            files: files(interface, approaches, &sizes, inputs)?,
            disagreement: None,
        })
    }

    /// Returns the file of cases, or else the workload, that was given.
    fn own_inputs(&self) -> Result<Option<InputFile>, Failure> {
        if let Some(cases) = &self.cases {
            let text = text_of(&Code::Source(cases.clone()))?;
            return Ok(Some(("cases.toml".to_owned(), text)));
        }
        let Some(workload) = &self.workload else {
            return Ok(None);
        };
        let own = code(workload)?;
        let text = text_of(&own)?;
        if language_of(&own) != Some(Language::Rust) {
            return Err(Failure::usage(format!(
                "{} is no Rust source, as which alone a workload is built",
                Plain(&workload.display().to_string())
            )));
        }
        Ok(Some(("workload.rs".to_owned(), text)))
    }
}

/// Returns the files of an experiment, by their paths in its folder.
fn files(
    interface: MadeInterface,
    approaches: &[Approach],
    sizes: &[u32],
    inputs: InputFile,
) -> Result<Vec<(String, String)>, Failure> {
    let text = experiment_file(&interface.call, interface.origin, approaches, sizes);
    let mut files = vec![("bakeoff.toml".to_owned(), text)];
    files.extend(interface.files);
    files.push(inputs);
    for (approach, file) in approaches.iter().zip(files_of(approaches)) {
        files.push((file, text_of(&approach.code)?));
    }
    Ok(files)
}

/// Returns the files of a WIT that the user named, by their paths in the experiment: of a folder as they lie in it.
fn wit_files(named: &Path, files: &[WitFile]) -> Vec<(String, String)> {
    let place = |file: &WitFile| {
        let path = Path::new(&file.name);
        let below = path.strip_prefix(named).unwrap_or(path);
        if below == Path::new("") {
            let stem = path.file_stem().unwrap_or_default();
            format!("wit/{}.wit", stem.to_string_lossy())
        } else {
            format!("wit/{}", below.display())
        }
    };
    let files = files.iter();
    files.map(|file| (place(file), file.text.clone())).collect()
}

/// Returns the experiment in which the files are first called on random inputs.
fn first_experiment(derived: &Derived, approaches: &[Approach]) -> Experiment {
    experiment(
        String::new(),
        derived.interface(),
        derived.inputs(timed_sizes(&derived.found), Vec::new()),
        approaches.to_vec(),
        Measure::default(),
        DeclaringPlace::BySources,
    )
}

fn text_of(code: &Code) -> Result<String, Failure> {
    match read_code(code, Path::new(""), Reach::Anywhere)
        .map_err(|failure| Failure::variant(&failure))?
    {
        BuildInput::Source { text, .. } => Ok(text.to_string()),
        _ => Err(Failure::usage(format!(
            "{} is no Rust source, of which alone an experiment is made; name a component in the \
             experiment file of `bakeoff init` (`component = \"FILE\"`)",
            Plain(&code.path().display().to_string())
        ))),
    }
}

/// Returns the text of the experiment file. Without sizes, inputs come from a file of cases.
fn experiment_file(
    call: &str,
    origin: WitOrigin,
    approaches: &[Approach],
    sizes: &[u32],
) -> String {
    let (types, check) = match origin {
        WitOrigin::Types => (
            "its types were read off the sources",
            "With a\n# `check` it judges answers (uncomment the line in wit/ that exports it); else",
        ),
        WitOrigin::User => (
            "its types are those of the WIT",
            "With a\n# `check`, which world `workload` in wit/ then exports, it judges answers; else",
        ),
    };
    let inputs = match sizes {
        [] => "# Each case may say what is expected; else the approaches judge each other.\n\
               [workload]\ncases = \"cases.toml\"\n"
            .to_owned(),
        sizes => format!(
            "# `generate` makes the inputs, one for each size and seed: change it if you mean others. {check} the approaches judge \
             each other. Instead of\n\
             # both lines, `cases = \"cases.toml\"` names a file of calls and expected answers.\n\
             [workload]\nsource = \"workload.rs\"\nsizes = {sizes:?}\n"
        ),
    };
    let text = format!(
        "name = {}\nproblem = \"Which of these takes less time?\"\n\n\
         # The function that every approach has; {types}.\n\
         [interface]\nwit = \"wit\"\ncall = {}\n\n{inputs}",
        quoted(call),
        quoted(call),
    );
    let files = files_of(approaches);
    let approaches = approaches.iter().zip(files);
    let approaches = approaches.map(|(approach, source)| NewApproach {
        name: approach.name.clone(),
        description: String::new(),
        words: approach.words.clone(),
        source,
        sweep: approach.sweep.clone(),
    });
    let approaches: Vec<NewApproach> = approaches.collect();
    bakeoff_config::with_approaches(&text, &approaches)
        + "\n[measure]\nbudget = \"20 s\"\n\n\
            # What counts, and how much. Other sources: peak-memory, source-lines, fuel, component-size, …\n\
            [[criterion]]\nname = \"performance\"\nweight = 1.0\nfrom = \"time\"\n"
}

/// Returns the file of each approach in the experiment.
fn files_of(approaches: &[Approach]) -> Vec<String> {
    let paths = approaches.iter();
    let paths: Vec<String> = paths
        .map(|approach| approach.code.path().display().to_string())
        .collect();
    approach_files(&paths.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Returns a text as a string of TOML, which takes those of JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::spec::Inputs;
    use std::fs;

    #[test]
    fn the_experiment_file_of_sources_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            path
        };
        let file = at("from/quick \"one\".rs");
        fs::write(&file, "").unwrap();
        let other = at("from/b.rs");
        fs::write(&other, "").unwrap();
        let found = approaches(&[file, other]).unwrap();
        let text = experiment_file("sort", WitOrigin::Types, &found, &[1_000, 16_000]);
        fs::write(at("bakeoff.toml"), &text).unwrap();
        fs::write(at("wit/sort.wit"), "").unwrap();
        fs::write(at("workload.rs"), "").unwrap();
        for name in ["approaches/quick \"one\".rs", "approaches/b.rs"] {
            fs::write(at(name), "").unwrap();
        }
        let loaded = bakeoff_config::load(folder.path()).unwrap();
        let names: Vec<_> = loaded
            .experiment
            .approaches
            .iter()
            .map(|one| &*one.name)
            .collect();
        assert_eq!(names, ["quick \"one\"", "b"]);
        let inputs = &loaded.experiment.workload.inputs;
        assert!(matches!(inputs, Inputs::Generated { sizes, .. } if sizes.len() == 2));
    }
    #[test]
    fn a_wit_of_the_user_keeps_its_names() {
        let placed = |named: &str, names: &[&str]| {
            let file = |name: &&str| WitFile {
                name: (*name).to_owned(),
                text: String::new(),
            };
            let files: Vec<WitFile> = names.iter().map(file).collect();
            let places = wit_files(Path::new(named), &files).into_iter();
            places.map(|(place, _)| place).collect::<Vec<String>>()
        };
        assert_eq!(placed("a/paint.txt", &["a/paint.txt"]), ["wit/paint.wit"]);
        assert_eq!(
            placed("../a/", &["../a/x.wit", "../a/deps/b/y.wit"]),
            ["wit/x.wit", "wit/deps/b/y.wit"]
        );
        assert_eq!(placed(".", &["./x.wit"]), ["wit/x.wit"]);
    }
}
