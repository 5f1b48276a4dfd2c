//! An earlier experiment that a new one is to be like: what counts there, how it is measured, and an example of its form
//! for the model. Its folder may have come from anybody: it is read through an open handle, never through a link, within
//! bounds, and what stands in it is material for the model.

use super::new_criteria::CriteriaOrigin;
use crate::library::generation::GenerationError;
use bakeoff_config::{FILE_BYTES_MAX, FILE_NAME, is_of_any_experiment};
use bakeoff_domain::spec::{Code, Criterion, Experiment, Inputs, Limits, Measure};
use bakeoff_files::Folder;
use bakeoff_propose::NewExperiment;
use bakeoff_render::escape::Plain;
use bakeoff_source::content_address;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

/// The most bytes of WIT that are told, and the most entries of its folder.
const WIT_BYTES_MAX: u64 = 32 << 10;
const WIT_ENTRIES_MAX: usize = 64;

/// The largest workload that is told, in bytes.
const WORKLOAD_BYTES_MAX: u64 = 32 << 10;

/// The parts that are taken from an earlier experiment.
#[derive(Debug)]
pub(crate) struct LikeExperiment {
    /// Text of its form, as a model is told of it.
    pub(crate) example: String,
    /// Its criteria that every experiment has readings for.
    criteria: Vec<Criterion>,
    limits: Limits,
    measure: Measure,
    /// Its criteria that not every experiment has readings for.
    left: Vec<Criterion>,
}

impl LikeExperiment {
    /// Reads the experiment in a folder that the option of this name names.
    ///
    /// # Errors
    /// The folder has no experiment file that can be used, or a file that it names is a link, no text, or too large.
    pub(crate) fn read(option: &str, dir: &Path) -> Result<Self, GenerationError> {
        read(option, dir)
    }

    /// Returns a sentence on what is taken over; of criteria, where the user gave none.
    pub(crate) fn sentence(&self, with_criteria: bool) -> String {
        let names = |list: &[Criterion]| {
            let names = list.iter().map(|one| Plain(&one.name).to_string());
            names.collect::<Vec<String>>().join(", ")
        };
        let budget = bakeoff_config::show_duration(self.measure.budget);
        let listed = if self.criteria.is_empty() || !with_criteria {
            String::new()
        } else {
            format!("{}, ", names(&self.criteria))
        };
        let mut sentence = format!("taken over are {listed}the limits and a budget of {budget}");
        if !self.left.is_empty() && with_criteria {
            let _ = write!(
                sentence,
                "; left out, since not every experiment has readings for it: {}",
                names(&self.left)
            );
        }
        sentence
    }

    /// Returns its criteria, unless none of them can be taken over.
    pub(crate) fn decided(&self) -> Option<(CriteriaOrigin, Vec<Criterion>)> {
        let criteria = self.criteria.clone();
        (!criteria.is_empty()).then_some((CriteriaOrigin::Like, criteria))
    }

    /// Returns a new experiment with its limits and options of measuring.
    pub(crate) fn applied_to(&self, new: NewExperiment) -> NewExperiment {
        NewExperiment {
            limits: self.limits,
            measure: self.measure,
            ..new
        }
    }

    /// Returns a text that identifies it.
    pub(crate) fn identity(&self) -> String {
        let taken = [
            self.example.clone(),
            bakeoff_config::criteria_text(&self.criteria),
            bakeoff_config::limits_text(&self.limits),
            bakeoff_config::measure_text(&self.measure),
        ];
        format!(", like {}", content_address(taken.concat().as_bytes()))
    }
}

fn read(option: &str, dir: &Path) -> Result<LikeExperiment, GenerationError> {
    let shown = dir.display().to_string();
    let wrong = |name: &Path, why: &str| {
        GenerationError::Usage(format!(
            "{option} {}: {}: {why}",
            Plain(&shown),
            Plain(&name.display().to_string())
        ))
    };
    let opened = Folder::named_by_user(dir);
    let folder = opened.map_err(|error| wrong(Path::new("."), &error.to_string()))?;
    let text = |name: &Path, bytes_max: u64| -> Result<String, GenerationError> {
        let bytes = folder.read(name, bytes_max);
        let bytes = bytes.map_err(|error| wrong(name, &error.to_string()))?;
        let bytes = bytes.ok_or_else(|| {
            let most = bytes_max >> 10;
            wrong(
                name,
                &format!("it has more than {most} KiB, which is too much for an example"),
            )
        })?;
        String::from_utf8(bytes).map_err(|_| wrong(name, "it is no text in UTF-8"))
    };
    let file = text(Path::new(FILE_NAME), FILE_BYTES_MAX)?;
    let name = dir.join(FILE_NAME).display().to_string();
    let experiment = bakeoff_config::parse(&file, &name)?;
    if experiment.is_in_words() {
        return Err(GenerationError::Usage(format!(
            "{option} {}: it is a question in words, which has no interface, limits or measuring to take over: name an \
             experiment that is measured",
            Plain(&shown)
        )));
    }
    let wit = &experiment.interface.wit;
    let wit_files = wit_files(&folder, wit).map_err(|error| wrong(wit, &error.to_string()))?;
    let mut example = format!("Its problem:\n{}\n", experiment.problem.trim_end());
    for file in wit_files {
        let _ = write!(
            example,
            "\nIts interface, in WIT:\n{}\n",
            text(&file, WIT_BYTES_MAX)?
        );
        if example.len() as u64 > 2 * WIT_BYTES_MAX {
            return Err(wrong(
                wit,
                "it has more WIT than 32 KiB, which is too much for an example",
            ));
        }
    }
    let _ = writeln!(example, "\nThe function: {}", experiment.interface.call);
    if let Some(Code::Source(source)) = experiment.workload.inputs.code() {
        let workload = text(source, WORKLOAD_BYTES_MAX)?;
        let _ = write!(example, "\nIts workload:\n{}\n", workload.trim_end());
    }
    if let Inputs::Generated { sizes, .. } = &experiment.workload.inputs {
        let _ = writeln!(example, "\nIts sizes: {sizes:?}");
    }
    Ok(taken(experiment, example))
}

/// Returns the files of an interface: that of this path, or those in the folder of this path.
fn wit_files(folder: &Folder, wit: &Path) -> io::Result<Vec<PathBuf>> {
    if folder
        .look(wit)?
        .is_some_and(|found| found.kind != bakeoff_files::FolderEntryKind::Folder)
    {
        return Ok(vec![wit.to_owned()]);
    }
    let entries = folder.below(wit)?.entries(WIT_ENTRIES_MAX)?;
    let entries =
        entries.ok_or_else(|| io::Error::other("it has too many files for an example"))?;
    let names = entries.into_iter().map(|entry| entry.name);
    let is_wit =
        |name: &std::ffi::OsString| Path::new(name).extension().is_some_and(|end| end == "wit");
    Ok(names.filter(is_wit).map(|name| wit.join(name)).collect())
}

/// Takes from an experiment what another one can have as well.
fn taken(experiment: Experiment, example: String) -> LikeExperiment {
    let (criteria, left): (Vec<Criterion>, Vec<Criterion>) =
        (experiment.criteria.into_iter()).partition(|one| is_of_any_experiment(&one.source));
    let counts = criteria.iter().any(|one| one.weight > 0.0);
    let (criteria, left) = if counts {
        (criteria, left)
    } else {
        (Vec::new(), [criteria, left].concat())
    };
    LikeExperiment {
        example,
        criteria,
        limits: experiment.limits,
        measure: experiment.measure,
        left,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn examples(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../examples")
            .join(name)
    }

    fn refused(dir: &Path) -> String {
        match LikeExperiment::read("--like", dir) {
            Err(GenerationError::Usage(message)) => message,
            other => panic!("{other:?}"),
        }
    }

    /// A copy of an example, as somebody may send it.
    fn sent() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("wit")).unwrap();
        for file in ["bakeoff.toml", "workload.rs", "wit/top-k.wit"] {
            fs::copy(examples("top-k").join(file), folder.path().join(file)).unwrap();
        }
        folder
    }

    #[test]
    fn what_counts_and_the_form_are_taken_over_and_the_rest_is_named() {
        let like = LikeExperiment::read("--like", &examples("bin-packing")).unwrap();
        let loaded = bakeoff_config::load(&examples("bin-packing")).unwrap();
        let (origin, criteria) = like.decided().unwrap();
        assert_eq!(origin, CriteriaOrigin::Like);
        assert!(criteria.len() < loaded.experiment.criteria.len());
        let new = like.applied_to(NewExperiment::usual("x"));
        assert_eq!(new.measure, loaded.experiment.measure);
        assert_eq!(new.limits, loaded.experiment.limits);
        assert!(like.sentence(true).contains("left out"));
        for part in ["package ", "pub fn generate", "Its problem"] {
            assert!(like.example.contains(part), "{part}: {}", like.example);
        }
    }

    #[test]
    fn case_225_earlier_experiment_with_links() {
        let outside = tempfile::tempdir().unwrap();
        let secret = outside.path().join("secret");
        fs::write(&secret, "token = s3cret").unwrap();
        for file in ["bakeoff.toml", "workload.rs", "wit/top-k.wit", "wit"] {
            let folder = sent();
            let at = folder.path().join(file);
            if at.is_dir() {
                fs::remove_dir_all(&at).unwrap();
                std::os::unix::fs::symlink(outside.path(), &at).unwrap();
            } else {
                fs::remove_file(&at).unwrap();
                std::os::unix::fs::symlink(&secret, &at).unwrap();
            }
            let said = refused(folder.path());
            assert!(said.contains("is a link"), "{file}: {said}");
            assert!(!said.contains("s3cret"), "{file}: {said}");
        }
    }

    #[test]
    fn case_226_earlier_experiment_without_end() {
        let folder = sent();
        fs::write(folder.path().join("workload.rs"), "/".repeat(33 << 10)).unwrap();
        assert!(refused(folder.path()).contains("workload.rs: it has more than 32 KiB"));
        fs::write(folder.path().join("workload.rs"), [0xff, 0xfe]).unwrap();
        assert!(refused(folder.path()).contains("no text in UTF-8"));
        let folder = sent();
        for number in 0..=WIT_ENTRIES_MAX {
            fs::write(folder.path().join(format!("wit/{number}.wit")), "").unwrap();
        }
        assert!(refused(folder.path()).contains("too many files"));
        let folder = sent();
        for number in 0..4 {
            let file = folder.path().join(format!("wit/{number}.wit"));
            fs::write(file, " ".repeat(20 << 10)).unwrap();
        }
        assert!(refused(folder.path()).contains("more WIT"));
        let folder = sent();
        fs::write(folder.path().join(FILE_NAME), "#".repeat((1 << 20) + 1)).unwrap();
        assert!(refused(folder.path()).contains("bakeoff.toml"));
        // A pipe is not waited for.
        fs::remove_file(folder.path().join("workload.rs")).unwrap();
        let folder = sent();
        let pipe = folder.path().join("workload.rs");
        fs::remove_file(&pipe).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        assert!(refused(folder.path()).contains("workload.rs"));
    }
}
