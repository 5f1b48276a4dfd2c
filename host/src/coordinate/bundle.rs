//! What goes into a bundle, and how a run is put together from one again.
//!
//! ```text
//! manifest.json                 every other file with size and digest
//! evidence.json                 what was asked, and what every stage found out
//! replicas.jsonl                raw samples, one replica a line
//! report.json
//! components/ID.wasm            what ran
//! sources/ID.rs                 what it was built from
//! workload.wasm                 what made the inputs and judged the answers
//! inputs/…                      WIT, workload or cases, and the experiment file for people
//! ```

use super::evidence::{Evidence, Record};
use super::sound::check;
use super::verify::Given;
use super::workshop::{Means, Workshop};
use super::{Candidate, RunError, keys};
use crate::build::{CodeBytes, Kind, Request};
use crate::config::{Loaded, MEASURE_REPLICAS_MAX};
use crate::interface::{WitFile, World};
use crate::store;
use crate::store::bundle::{self, BundleError, Manifest, VERSION};
use bakeoff_domain::ids;
use bakeoff_domain::measurement::Replica;
use bakeoff_domain::report::Report;
use bakeoff_domain::spec::{Code, Experiment, Inputs};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::Arc;

/// Most bytes of a replica as a line of JSON: four million samples are more than any plan draws.
const LINE_BYTES_MAX: u64 = 512 << 20;
/// Most bytes of the other files of JSON, each.
const JSON_BYTES_MAX: u64 = 64 << 20;

/// Why a run could not be packed.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// The inputs cannot be prepared as for a run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The bundle cannot be written or read.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// An approach was granted files, which may not be the user's to hand on.
    #[error(
        "{approach} was granted files, and a bundle holds none of those: take the grant out, run \
        again, and pack that run"
    )]
    Granted {
        /// The approach.
        approach: String,
    },
    /// What is there is not what the run was made from.
    #[error(
        "{what} is not what run {run} was made from: put it back as it was, or run again and \
        pack the new run"
    )]
    Changed {
        /// What changed.
        what: String,
        /// The run.
        run: i64,
    },
}

/// How a run is packed.
pub struct Packing<'a> {
    /// The run.
    pub given: Given<'a>,
    /// The text of the experiment file, for people; empty if there is none.
    pub text: &'a str,
    /// With what its builds are found again.
    pub means: Means,
}

/// Packs a finished run into a new file.
///
/// # Errors
/// What the run was made from is not at hand any more; the bundle cannot be written.
pub async fn pack(
    packing: &Packing<'_>,
    out: &Path,
    say: &mut (dyn FnMut(&str) + Send),
) -> Result<Manifest, PackError> {
    let Given {
        loaded, evidence, ..
    } = &packing.given;
    let seed = evidence.report.experiment.seed;
    let mut approaches = evidence.record.experiment.approaches.iter();
    if let Some(approach) = approaches.find(|approach| !approach.grants.is_empty()) {
        return Err(PackError::Granted {
            approach: approach.name.clone(),
        });
    }
    let workshop = Workshop::open(loaded, &packing.means, seed, say).await?;
    let keys = keys::Keys::new(&loaded.experiment, &workshop)
        .map_err(|error| RunError::Engine(format!("{error:#}")))?;
    same_inputs(&evidence.record, &keys)?;
    let staging =
        tempfile::tempdir().map_err(|source| io("create", Path::new("a folder"), source))?;
    let mut staged = Staged {
        folder: staging.path(),
        paths: Vec::new(),
    };
    staged.evidence(evidence)?;
    staged.inputs(packing, &workshop)?;
    for candidate in Candidate::read_all(&loaded.experiment.approaches, &loaded.dir) {
        staged.candidate(packing, &workshop, &candidate).await?;
    }
    let about = Manifest {
        version: VERSION,
        experiment: evidence.record.experiment.name.clone(),
        run: evidence.record.run,
        bakeoff: env!("CARGO_PKG_VERSION").to_owned(),
        files: Vec::new(),
    };
    Ok(bundle::pack(about, staging.path(), staged.paths, out)?)
}

/// Whether interface, workload, limits and the seed of the checks are those of the run.
fn same_inputs(record: &Record, keys: &keys::Keys) -> Result<(), PackError> {
    let Some(gate) = record.gates.first() else {
        return Ok(());
    };
    for (name, here) in keys.gate("").inputs() {
        let same = store::input(&gate.inputs, name) == Some(here);
        if !same && ["interface", "workload", "limits", "check-seed"].contains(&name.as_str()) {
            return Err(PackError::Changed {
                what: format!("the {name}"),
                run: record.run,
            });
        }
    }
    Ok(())
}

/// Where the source of a variant is in a bundle.
pub(super) fn source_path(id: &str) -> String {
    format!("sources/{id}.rs")
}

fn component_path(id: &str) -> String {
    format!("components/{id}.wasm")
}

/// Where the component that makes inputs is.
const WORKLOAD: &str = "workload.wasm";
const WIT: &str = "inputs/wit";
const CASES: &str = "inputs/cases.toml";
const EVIDENCE: &str = "evidence.json";
const REPLICAS: &str = "replicas.jsonl";
const REPORT: &str = "report.json";

/// Files on their way into a bundle.
struct Staged<'a> {
    folder: &'a Path,
    paths: Vec<String>,
}

impl Staged<'_> {
    fn put(&mut self, path: &str, bytes: &[u8]) -> Result<(), BundleError> {
        let to = self.folder.join(path);
        let folder = to.parent().unwrap_or(self.folder);
        let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&to, bytes));
        written.map_err(|source| io("write", &to, source))?;
        self.paths.push(path.to_owned());
        Ok(())
    }

    fn evidence(&mut self, evidence: &Evidence) -> Result<(), BundleError> {
        let json = |value: serde_json::Result<Vec<u8>>| {
            value.map_err(|error| io("write", Path::new(EVIDENCE), error.into()))
        };
        self.put(
            EVIDENCE,
            &json(serde_json::to_vec_pretty(&evidence.record))?,
        )?;
        self.put(REPORT, &json(serde_json::to_vec_pretty(&evidence.report))?)?;
        let path = self.folder.join(REPLICAS);
        let write = || -> std::io::Result<()> {
            let mut lines = std::io::BufWriter::new(std::fs::File::create(&path)?);
            for replica in &evidence.replicas {
                serde_json::to_writer(&mut lines, replica)?;
                lines.write_all(b"\n")?;
            }
            lines.flush()
        };
        write().map_err(|source| io("write", &path, source))?;
        self.paths.push(REPLICAS.to_owned());
        Ok(())
    }

    fn inputs(&mut self, packing: &Packing<'_>, workshop: &Workshop) -> Result<(), PackError> {
        let loaded = packing.given.loaded;
        let files: &[WitFile] = workshop.interface.files();
        for (name, file) in keys::among_themselves(files).into_iter().zip(files) {
            self.put(&format!("{WIT}/{name}"), file.text.as_bytes())?;
        }
        if !packing.text.is_empty() {
            self.put("inputs/bakeoff.toml", packing.text.as_bytes())?;
        }
        if let Some(workload) = &workshop.workload {
            self.put(WORKLOAD, &workload.component)?;
        }
        let (from, to) = match &loaded.experiment.workload.inputs {
            Inputs::Cases(path) => (path, CASES),
            Inputs::Generated {
                code: Code::Source(path),
                ..
            } => (path, "inputs/workload.rs"),
            Inputs::Generated { .. } => return Ok(()),
        };
        let from = loaded.dir.join(from);
        let mut bytes = Vec::new();
        std::fs::File::open(&from)
            .and_then(|file| file.take(JSON_BYTES_MAX).read_to_end(&mut bytes))
            .map_err(|source| io("read", &from, source))?;
        self.put(to, &bytes)?;
        Ok(())
    }

    /// The source of a variant and the component that ran.
    async fn candidate(
        &mut self,
        packing: &Packing<'_>,
        workshop: &Workshop,
        candidate: &Candidate,
    ) -> Result<(), PackError> {
        let evidence = packing.given.evidence;
        let Some(build) = evidence.record.build(&candidate.id) else {
            return Ok(());
        };
        let changed = || PackError::Changed {
            what: format!("the code of {}", candidate.id),
            run: evidence.record.run,
        };
        let source = build.inputs.iter().find(|(name, _)| name == "source");
        let digest = keys::digest([candidate.code_bytes()]);
        if source.is_none_or(|(_, kept)| *kept != digest) {
            return Err(changed());
        }
        if let Some(text) = candidate.source() {
            self.put(&source_path(&candidate.id), text.as_bytes())?;
        } else {
            self.put(&component_path(&candidate.id), candidate.code_bytes())?;
            return Ok(());
        }
        let (Some(kept), Some(code)) = (&build.value.digest, candidate.code.clone()) else {
            return Ok(());
        };
        if let Some(CodeBytes::Component { bytes, .. }) =
            packing.given.prototypes.component(&candidate.id, kept)
        {
            self.put(&component_path(&candidate.id), &bytes)?;
            return Ok(());
        }
        let request = Request {
            interface: Arc::clone(&workshop.interface),
            world: World::Prototype,
            code,
            kind: Kind::Release,
        };
        match workshop.tools.builder.build(&request).await {
            Ok(built) if built.digest == *kept => {
                self.put(&component_path(&candidate.id), &built.component)?;
                Ok(())
            }
            _ => Err(changed()),
        }
    }
}

/// A bundle, unpacked.
pub struct Unpacked {
    /// What it says of itself.
    pub manifest: Manifest,
    /// What the run found out.
    pub evidence: Evidence,
    /// The experiment, with the paths of the bundle.
    pub loaded: Loaded,
}

/// Unpacks a bundle into an empty folder, and puts the run together again. Everything in it may be
/// made up: it is taken only if it could be a run.
///
/// # Errors
/// It is refused or cannot be understood: [`BundleError`].
pub fn unpack(file: &Path, into: &Path) -> Result<Unpacked, BundleError> {
    let manifest = bundle::unpack(file, into)?;
    let malformed = |reason: String| BundleError::Malformed {
        file: file.to_owned(),
        reason,
    };
    let record: Record = read_json(into, EVIDENCE).map_err(malformed)?;
    let report: Report = read_json(into, REPORT).map_err(malformed)?;
    let replicas = read_replicas(&into.join(REPLICAS)).map_err(malformed)?;
    check(&record, &report, &replicas).map_err(malformed)?;
    let experiment = portable(&record);
    let loaded = Loaded::recorded(experiment, into.to_owned(), &[])
        .map_err(|error| malformed(error.to_string()))?;
    Ok(Unpacked {
        manifest,
        evidence: Evidence {
            record,
            report,
            replicas,
        },
        loaded,
    })
}

/// The experiment with the paths of a bundle.
fn portable(record: &Record) -> Experiment {
    let mut experiment = record.experiment.clone();
    experiment.interface.wit = WIT.into();
    match &mut experiment.workload.inputs {
        Inputs::Generated { code, .. } => *code = Code::Component(WORKLOAD.into()),
        Inputs::Cases(path) => *path = CASES.into(),
    }
    let names = experiment.approaches.iter();
    let ids = ids::unique(names.map(|approach| approach.name.as_str()));
    for (approach, id) in experiment.approaches.iter_mut().zip(ids) {
        let built = record
            .build(&id)
            .and_then(|build| build.value.digest.as_ref());
        approach.code = match (&approach.code, built) {
            (Code::Source(_), None) => Code::Source(source_path(&id).into()),
            _ => Code::Component(component_path(&id).into()),
        };
    }
    experiment
}

fn read_json<T: serde::de::DeserializeOwned>(folder: &Path, name: &str) -> Result<T, String> {
    let mut bytes = Vec::new();
    std::fs::File::open(folder.join(name))
        .and_then(|file| file.take(JSON_BYTES_MAX).read_to_end(&mut bytes))
        .map_err(|error| format!("{name}: {error}"))?;
    serde_json::from_slice(&bytes).map_err(|error| format!("{name} cannot be understood ({error})"))
}

fn read_replicas(path: &Path) -> Result<Vec<Replica>, String> {
    let wrong =
        |error: &dyn std::fmt::Display| format!("{REPLICAS} cannot be understood ({error})");
    let file = std::fs::File::open(path).map_err(|error| wrong(&error))?;
    let mut lines = BufReader::new(file);
    let mut replicas = Vec::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut limited = (&mut lines).take(LINE_BYTES_MAX);
        let length = limited
            .read_until(b'\n', &mut line)
            .map_err(|error| wrong(&error))?;
        if length == 0 {
            return Ok(replicas);
        }
        if replicas.len() >= MEASURE_REPLICAS_MAX as usize {
            return Err(wrong(&format!("more than {MEASURE_REPLICAS_MAX} replicas")));
        }
        replicas.push(serde_json::from_slice(&line).map_err(|error| wrong(&error))?);
    }
}

fn io(action: &'static str, path: &Path, source: std::io::Error) -> BundleError {
    BundleError::Io {
        action,
        path: path.to_owned(),
        source,
    }
}
