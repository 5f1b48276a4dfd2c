//! Spending on a model so far, and its limits, in a file beside the record: for other programs to show.

use super::request::Purpose;
use super::usage::UsageTotals;
use bakeoff_files::{Folder, parse_json_of};
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The largest file, in bytes, and the most values of it.
const BYTES_MAX: u64 = 1 << 20;
const VALUES_MAX: usize = 1 << 14;

/// Name of the record of an experiment's exchanges with models.
pub const RECORD_FILE: &str = "models.jsonl";

/// Spending of the questions of an experiment so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spending {
    /// The provider and its model.
    pub model: String,
    /// Calls that were paid for, also by processes before this one.
    pub calls: u64,
    /// Tokens of these calls.
    pub tokens: u64,
    /// Cost of these calls in US dollars; `None` if a price is not known.
    pub usd: Option<f64>,
    /// True if some replies were cut off or not counted: tokens and cost are the most that the calls can have taken.
    pub upper_bound: bool,
    /// The most tokens of all calls.
    pub tokens_max: Option<u64>,
    /// The most US dollars of all calls.
    pub usd_max: Option<f64>,
    /// The questions that are under way.
    pub under_way: Vec<AskedQuestion>,
}

/// A question that is under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedQuestion {
    /// Purpose of the question.
    pub purpose: Purpose,
    /// Subject of the question.
    pub subject: String,
}

/// Converts millionths of a dollar to dollars.
fn usd(microdollars: u64) -> f64 {
    microdollars as f64 / 1e6
}

impl Spending {
    /// Returns the spending on this model, within these limits (tokens, and millionths of a dollar).
    pub(super) fn new(
        model: &str,
        spent: &UsageTotals,
        (tokens_max, microdollars_max): (Option<u64>, Option<u64>),
        under_way: Vec<AskedQuestion>,
    ) -> Self {
        let usage = &spent.usage;
        Self {
            model: model.to_owned(),
            calls: spent.calls,
            tokens: usage.tokens(),
            usd: (!usage.unpriced).then(|| usd(usage.microdollars)),
            upper_bound: usage.upper_bound,
            tokens_max,
            usd_max: microdollars_max.map(usd),
            under_way,
        }
    }

    /// Reads the file beside a record, which a process left there or is writing now. Returns it, with true if that
    /// process is still at work. The folder may have come from anybody.
    ///
    /// # Errors
    /// There is no such file, or it cannot be read.
    pub fn read(record: &Path) -> io::Result<(Self, bool)> {
        Self::read_in(
            &Folder::of_file(record)?,
            record.file_name().unwrap_or_default(),
        )
    }

    /// Reads the file beside a record of this name in an open folder, as [`Spending::read`] does.
    ///
    /// # Errors
    /// There is no such file, or it cannot be read.
    pub fn read_in(folder: &Folder, record: &OsStr) -> io::Result<(Self, bool)> {
        let bytes = folder.read(beside(Path::new(record)), BYTES_MAX)?;
        let bytes = bytes.ok_or_else(|| io::Error::other("it is too large"))?;
        let spending = Self::parse(&bytes)?;
        // Whoever writes to the record holds its lock.
        let is_asking = folder
            .open(record)
            .is_ok_and(|file| file.try_lock_shared().is_err());
        Ok((spending, is_asking))
    }

    /// Parses the content of such a file.
    ///
    /// # Errors
    /// The bytes are no such file.
    pub(super) fn parse(bytes: &[u8]) -> io::Result<Self> {
        parse_json_of(bytes, VALUES_MAX).map_err(io::Error::other)
    }

    /// Replaces the file beside a record.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn write(&self, record: &Path) -> io::Result<()> {
        let new = Folder::of_file(record)?.new_private_file(beside(record))?;
        new.file().write_all(&serde_json::to_vec(self)?)?;
        new.put_in_place()
    }
}

/// The name of the file beside a record: `models.progress.json` for `models.jsonl`.
fn beside(record: &Path) -> PathBuf {
    Path::new(record.file_name().unwrap_or_default()).with_extension("progress.json")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_is_written_is_read_and_whether_anybody_asks() {
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("models.jsonl");
        assert!(Spending::read(&record).is_err());
        let file = fs::File::create(&record).unwrap();
        let mut spent = UsageTotals {
            calls: 2,
            ..UsageTotals::default()
        };
        spent.usage.output_tokens = 9;
        spent.usage.microdollars = 1_500;
        let under_way = vec![AskedQuestion {
            purpose: Purpose::Repair,
            subject: "approach 2".to_owned(),
        }];
        let bounds = (Some(100), Some(2_000_000));
        let written = Spending::new("openai m", &spent, bounds, under_way);
        written.write(&record).unwrap();
        assert_eq!((written.usd, written.usd_max), (Some(0.0015), Some(2.0)));
        let read = || Spending::read(&record).unwrap();
        assert_eq!(read(), (written.clone(), false));
        file.lock().unwrap();
        assert_eq!(read(), (written, true));
        spent.usage.unpriced = true;
        let unpriced = Spending::new("openai m", &spent, (None, None), Vec::new());
        assert_eq!((unpriced.usd, unpriced.usd_max), (None, None));
    }

    #[test]
    fn what_somebody_else_wrote_there_is_no_harm() {
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("models.jsonl");
        for forged in ["{", "[]", "{\"calls\": -1}"] {
            fs::write(folder.path().join(beside(&record)), forged).unwrap();
            assert!(Spending::read(&record).is_err(), "{forged}");
        }
        fs::remove_file(folder.path().join(beside(&record))).unwrap();
        let outside = tempfile::tempdir().unwrap();
        let other = outside.path().join("x");
        fs::write(&other, "{}").unwrap();
        std::os::unix::fs::symlink(other, folder.path().join(beside(&record))).unwrap();
        assert!(Spending::read(&record).is_err());
    }
}
