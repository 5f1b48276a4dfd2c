//! Bundles: a run packed as one file for another machine, and unpacked from one.
//!
//! ```text
//! manifest.json                 every other file with size and digest
//! evidence.json                 the declaration, and the result of every stage
//! replicas.jsonl                raw samples, one replica a line
//! report.json
//! contents/SHA256               every file that was measured, and the components that ran
//! ```

use super::kept_run::{KeptRun, KeptRunError};
use super::validate::check_bundle;
use crate::{Evidence, Record, of_components};
use bakeoff_config::MEASURE_REPLICAS_MAX;
use bakeoff_domain::measurement::Replica;
use bakeoff_domain::report::Report;
use bakeoff_files::{Scratch, open_plain, parse_json, parse_json_of};
use bakeoff_store::bundle::{self, BundleError, BundleManifest, VERSION};
use bakeoff_store::{Files, StoreError};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;

/// The most bytes of a replica as a line of JSON: more than the four million samples that any plan
/// may draw take.
const LINE_BYTES_MAX: u64 = 512 << 20;
/// The most bytes of each of the other JSON files.
const JSON_BYTES_MAX: u64 = 64 << 20;
/// The most values of a replica: eight of each sample.
const LINE_VALUES_MAX: usize = 8 * (4 << 20);

const EVIDENCE: &str = "evidence.json";
const REPLICAS: &str = "replicas.jsonl";
const REPORT: &str = "report.json";
/// The folder of the contents, each named by its digest.
const CONTENTS: &str = "contents/";

/// The reason why a run could not be packed.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// The contents cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The bundle cannot be written or read.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// An approach was granted files, which the user may have no right to pass on.
    #[error(
        "{approach} was granted files, and a bundle holds none of those: take the grant out, run \
        again, and pack that run"
    )]
    Granted {
        /// The name of the approach.
        approach: String,
    },
}

/// Packs a finished run into a new file. Nothing is built or run.
///
/// # Errors
/// See [`PackError`].
pub fn pack(kept: &KeptRun, out: &Path) -> Result<BundleManifest, PackError> {
    let record = &kept.evidence.record;
    let mut approaches = record.experiment.approaches.iter();
    if let Some(approach) = approaches.find(|approach| !approach.grants.is_empty()) {
        return Err(PackError::Granted {
            approach: approach.name.clone(),
        });
    }
    let staging = Scratch::new().map_err(|source| io("create", Path::new("a folder"), source))?;
    let mut staged = Staged {
        folder: staging.work(),
        paths: Vec::new(),
    };
    staged.evidence(kept)?;
    staged.contents(kept)?;
    let about = BundleManifest {
        version: VERSION,
        experiment: record.experiment.name.clone(),
        run: record.run,
        bakeoff: env!("CARGO_PKG_VERSION").to_owned(),
        files: Vec::new(),
    };
    Ok(bundle::pack(about, staging.work(), staged.paths, out)?)
}

/// Files that are being collected for a bundle.
struct Staged<'a> {
    folder: &'a Path,
    paths: Vec<String>,
}

impl Staged<'_> {
    fn put(&mut self, path: &str, bytes: &[u8]) -> Result<(), BundleError> {
        let to = self.folder.join(path);
        std::fs::write(&to, bytes).map_err(|source| io("write", &to, source))?;
        self.paths.push(path.to_owned());
        Ok(())
    }

    fn evidence(&mut self, kept: &KeptRun) -> Result<(), BundleError> {
        let json = |value: serde_json::Result<Vec<u8>>| {
            value.map_err(|error| io("write", Path::new(EVIDENCE), error.into()))
        };
        let evidence = &kept.evidence;
        self.put(
            EVIDENCE,
            &json(serde_json::to_vec_pretty(&evidence.record))?,
        )?;
        // A bundle has the evidence of the components alone.
        let report = of_components(&kept.report);
        self.put(REPORT, &json(serde_json::to_vec_pretty(&report))?)?;
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

    /// Adds every file that was measured, and the components that ran as far as they were stored.
    fn contents(&mut self, kept: &KeptRun) -> Result<(), PackError> {
        let into = Files::named_by_user(self.folder)?.contents();
        let mut digests = BTreeSet::new();
        for bytes in kept.files.contents() {
            digests.insert(into.put(bytes)?);
        }
        for build in &kept.evidence.record.builds {
            let digest = build.value.digest.as_deref();
            if let Some(code) = digest.and_then(|digest| kept.component(digest)) {
                digests.insert(into.put(code.bytes())?);
            }
        }
        let paths = digests
            .into_iter()
            .map(|digest| format!("{CONTENTS}{digest}"));
        self.paths.extend(paths);
        Ok(())
    }
}

/// Unpacks a bundle into an empty folder, and restores the run from it. A bundle may be forged, so
/// everything in it is validated.
///
/// # Errors
/// The bundle is refused or cannot be parsed: [`BundleError`].
pub fn unpack(file: &Path, into: &Path) -> Result<KeptRun, BundleError> {
    let manifest = bundle::unpack(file, into)?;
    let malformed = |reason: String| BundleError::Malformed {
        file: file.to_owned(),
        reason,
    };
    for packed in &manifest.files {
        let name = packed.path.strip_prefix(CONTENTS);
        if name.is_some_and(|name| name != packed.sha256) {
            return Err(malformed(format!(
                "{} has other content than its name says",
                packed.path
            )));
        }
    }
    let record: Record = read_json(into, EVIDENCE).map_err(malformed)?;
    let report: Report = read_json(into, REPORT).map_err(malformed)?;
    let replicas = read_replicas(&into.join(REPLICAS)).map_err(malformed)?;
    check_bundle(&record, &report, &replicas).map_err(malformed)?;
    let evidence = Evidence {
        record,
        replicas,
        natively: None,
    };
    let contents = Files::named_by_user(into)
        .map_err(|error| malformed(error.to_string()))?
        .contents();
    KeptRun::put_together(evidence, report, contents)
        .map_err(|error: KeptRunError| malformed(error.to_string()))
}

fn read_json<T: serde::de::DeserializeOwned>(folder: &Path, name: &str) -> Result<T, String> {
    let mut bytes = Vec::new();
    open_plain(&folder.join(name))
        .and_then(|file| file.take(JSON_BYTES_MAX).read_to_end(&mut bytes))
        .map_err(|error| format!("{name}: {error}"))?;
    parse_json(&bytes).map_err(|error| format!("{name} cannot be understood ({error})"))
}

fn read_replicas(path: &Path) -> Result<Vec<Replica>, String> {
    let wrong =
        |error: &dyn std::fmt::Display| format!("{REPLICAS} cannot be understood ({error})");
    let file = open_plain(path).map_err(|error| wrong(&error))?;
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
        replicas.push(parse_json_of(&line, LINE_VALUES_MAX).map_err(|error| wrong(&error))?);
    }
}

fn io(action: &'static str, path: &Path, source: std::io::Error) -> BundleError {
    BundleError::Io {
        action,
        path: path.to_owned(),
        source,
    }
}
