//! A comparison of commands as it is kept in a folder: how it was made, and every run that counts, from which its report
//! follows again.
//!
//! The file is JSON lines: the version of the format with the user's seal, how the comparison was made, and a line for each
//! block with its runs in their order. The seal is that of all that stands behind the first line.

use super::blocks::{CommandRun, TimingOutcome};
use super::kept_options::{KeptCommand, KeptOptions, MeasuredMachine};
use super::measure::Sums;
use super::options::{Decides, TimedCommand, TimingOptions};
use bakeoff_confine::ProgramMeasurement;
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::series::{
    BlockValue, SeriesEnd, SeriesFacts, SeriesRace, SeriesReport, SeriesSettings, SeriesVariant,
    ValueError, conclude,
};
use bakeoff_files::{Folder, UserKey, parse_json};
use serde::{Deserialize, Serialize};
use std::io::{self, Write as _};

/// The file of a comparison in the folder that it is kept in.
pub const KEPT_FILE: &str = "time.jsonl";
/// Version of the format.
const VERSION: u32 = 1;
/// The largest file that is written and read, in bytes: 64 commands with 20,000 runs each have 100 MB.
const BYTES_MAX: u64 = 256 << 20;
/// The largest line on how a comparison was made, in bytes: of each pair of commands, both names are in its report.
const FACTS_BYTES_MAX: usize = 4 << 20;
/// The most notes.
const NOTES_MAX: usize = 64;
/// The purpose of the seal.
const PURPOSE: &[u8] = b"bakeoff-time-1\0";
/// The most pairs of runs in all blocks together of a comparison from elsewhere, so that its report takes a minute at most.
const FOREIGN_PAIRS_MAX: usize = 10_000_000;

/// Origin of a comparison that was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptOrigin {
    /// It carries the user's seal.
    Own,
    /// Anybody may have written it.
    Elsewhere,
}

/// The reason why no comparison is read from a folder.
#[derive(Debug, thiserror::Error)]
pub enum KeptError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] io::Error),
    /// There is no key for the seal, in words.
    #[error("{0}")]
    Key(String),
    /// It is of another version.
    #[error("it has version {0} of the format, and this bakeoff reads version 1: use a later one")]
    Version(u32),
    /// It is not what a comparison leaves, in words.
    #[error("it is no comparison that was kept: {0}")]
    Wrong(String),
}

/// A comparison that was kept.
#[derive(Clone, Debug)]
pub struct KeptTiming {
    /// Options that it was made with.
    pub options: KeptOptions,
    /// Its commands.
    pub commands: Vec<KeptCommand>,
    runs: Vec<CommandRun>,
    ended: SeriesEnd,
    notes: Vec<String>,
    block_seconds: Option<f64>,
    seed: RunSeed,
}

/// The first line.
#[derive(Serialize, Deserialize)]
struct Head {
    bakeoff_time: u32,
    seal: String,
}

/// The second line.
#[derive(Serialize, Deserialize)]
struct Facts {
    options: KeptOptions,
    commands: Vec<KeptCommand>,
    ended: SeriesEnd,
    notes: Vec<String>,
    block_seconds: Option<f64>,
    seed: RunSeed,
}

/// A run in the line of its block: command, value, wall time, CPU time, peak memory.
#[derive(Serialize, Deserialize)]
struct KeptRun(usize, f64, u64, u64, u64);

impl KeptTiming {
    /// Returns a comparison that has ended, to be kept.
    pub fn of(
        commands: &[TimedCommand],
        options: &TimingOptions,
        outcome: &TimingOutcome,
        machine: MeasuredMachine,
    ) -> Self {
        let variants = outcome.report.variants.iter();
        let named = commands.iter().zip(variants).zip(&outcome.files);
        Self {
            options: KeptOptions::of(commands, options, machine),
            commands: named
                .map(|((command, variant), files)| {
                    KeptCommand::of(command, variant.failure.clone(), files.clone())
                })
                .collect(),
            runs: outcome.runs.clone(),
            ended: outcome.report.ended,
            notes: outcome.notes.clone(),
            block_seconds: outcome.report.block_seconds,
            seed: options.seed,
        }
    }

    /// Writes the comparison into a folder, with the user's seal.
    ///
    /// # Errors
    /// There is one already, the file cannot be written, or there is no key.
    pub fn write(&self, folder: &Folder) -> Result<(), KeptError> {
        let body = self.body()?;
        let key = UserKey::of_results().map_err(KeptError::Key)?;
        let head = Head {
            bakeoff_time: VERSION,
            seal: key.seal(&[PURPOSE, &body]),
        };
        let new = folder.new_file(KEPT_FILE)?;
        let mut file = new.file();
        serde_json::to_writer(&mut file, &head).map_err(io::Error::from)?;
        file.write_all(b"\n")?;
        file.write_all(&body)?;
        Ok(new.put_where_free()?)
    }

    fn body(&self) -> io::Result<Vec<u8>> {
        let facts = Facts {
            options: self.options.clone(),
            commands: self.commands.clone(),
            ended: self.ended,
            notes: self.notes.clone(),
            block_seconds: self.block_seconds,
            seed: self.seed,
        };
        let mut body = serde_json::to_vec(&facts)?;
        if body.len() > FACTS_BYTES_MAX {
            return Err(io::Error::other("the commands are longer than 4 MiB"));
        }
        for block in self.runs.chunk_by(|one, next| one.block == next.block) {
            let runs = block.iter().map(|run| {
                KeptRun(
                    run.command,
                    run.value,
                    run.wall_ns,
                    run.cpu_ns,
                    run.peak_bytes,
                )
            });
            body.push(b'\n');
            serde_json::to_writer(&mut body, &runs.collect::<Vec<_>>())?;
        }
        body.push(b'\n');
        Ok(body)
    }

    /// Reads the comparison of a folder, and whose it is; `None` if there is none.
    ///
    /// # Errors
    /// What lies there is no such file, or says what no comparison says.
    pub fn read(folder: &Folder) -> Result<Option<(Self, KeptOrigin)>, KeptError> {
        let bytes = match folder.read(KEPT_FILE, BYTES_MAX) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read?,
        };
        let bytes = bytes.ok_or_else(|| wrong("it has more than 256 MiB"))?;
        // Without a key nothing is the user's own.
        Self::parse(&bytes, UserKey::of_results().ok().as_ref()).map(Some)
    }

    /// Parses the file of a comparison, which is the user's own if it carries the seal by this key.
    ///
    /// # Errors
    /// As for [`KeptTiming::read`].
    pub fn parse(bytes: &[u8], key: Option<&UserKey>) -> Result<(Self, KeptOrigin), KeptError> {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let (head, body) = bytes.split_at(end.ok_or_else(|| wrong("it ends in its first line"))?);
        let body = &body[1..];
        let head: Head = parse_json(head).map_err(|error| wrong(format!("line 1: {error}")))?;
        if head.bakeoff_time != VERSION {
            return Err(KeptError::Version(head.bakeoff_time));
        }
        let mut lines = body
            .strip_suffix(b"\n")
            .unwrap_or(body)
            .split(|byte| *byte == b'\n');
        let facts = Facts::parse(lines.next().unwrap_or_default())?;
        let count = facts.commands.len();
        let is_own = key.is_some_and(|key| key.is_seal(&[PURPOSE, body], &head.seal));
        let mut runs = Vec::new();
        let mut pairs = 0;
        for (block, line) in lines.enumerate() {
            let at = |what: &str| wrong(format!("line {}: {what}", block + 3));
            if block >= facts.options.runs_max as usize {
                return Err(at("there are more blocks than there may be"));
            }
            let of_block: Vec<KeptRun> =
                parse_json(line).map_err(|error| at(&error.to_string()))?;
            let is_wrong = |(place, run): (usize, &KeptRun)| {
                let mut before = of_block[..place].iter();
                run.0 >= count || before.any(|other| other.0 == run.0)
            };
            if of_block.is_empty()
                || of_block.len() > count
                || of_block.iter().enumerate().any(is_wrong)
            {
                return Err(at(
                    "a block has each command once at most, and one at least",
                ));
            }
            pairs += of_block.len() * (of_block.len() - 1) / 2;
            if !is_own && pairs > FOREIGN_PAIRS_MAX {
                return Err(at(
                    "there are more pairs than are worked out for somebody else",
                ));
            }
            let run = |(position, run): (usize, KeptRun)| CommandRun {
                command: run.0,
                block: block as u32,
                position: position as u32,
                value: run.1,
                wall_ns: run.2,
                cpu_ns: run.3,
                peak_bytes: run.4,
            };
            runs.extend(of_block.into_iter().enumerate().map(run));
        }
        let origin = if is_own {
            KeptOrigin::Own
        } else {
            KeptOrigin::Elsewhere
        };
        let kept = Self {
            options: facts.options,
            commands: facts.commands,
            runs,
            ended: facts.ended,
            notes: facts.notes,
            block_seconds: facts.block_seconds,
            seed: facts.seed,
        };
        Ok((kept, origin))
    }

    /// Concludes the report anew from the runs.
    ///
    /// # Errors
    /// A value cannot be compared.
    pub fn report(&self) -> Result<SeriesReport, KeptError> {
        let decides = self.options.decides.decides().map_err(KeptError::Wrong)?;
        let mut race = SeriesRace::new(SeriesSettings {
            variants: self.commands.len(),
            cases: 1,
            quantity: decides.quantity(),
            confidence: self.options.confidence,
            practical: self.options.practical,
            blocks_max: self.options.runs_max,
            resolution: decides.resolution(),
            margin: self.options.margin,
        });
        let mut sums = vec![Sums::default(); self.commands.len()];
        for block in self.runs.chunk_by(|one, next| one.block == next.block) {
            let values = block.iter().map(|run| BlockValue {
                variant: run.command,
                case: 0,
                value: run.value,
            });
            let values: Vec<BlockValue> = values.collect();
            race.push(&values)
                .map_err(|(_, error)| wrong(kept_value(error)))?;
            for run in block {
                sums[run.command].add(&ProgramMeasurement {
                    wall_ns: run.wall_ns,
                    cpu_ns: run.cpu_ns,
                    peak_bytes: run.peak_bytes,
                });
            }
        }
        for (index, command) in self.commands.iter().enumerate() {
            if command.failure.is_some() {
                race.withdraw(index);
            }
        }
        Ok(conclude(&mut race, self.facts(&sums, &decides)))
    }

    fn facts(&self, sums: &[Sums], decides: &Decides) -> SeriesFacts {
        let variant = |(command, sums): (&KeptCommand, &Sums)| SeriesVariant {
            name: command.name.clone(),
            command: Some(command.command.clone()),
            failure: command.failure.clone(),
            values: Vec::new(),
            also: sums.also(decides),
        };
        SeriesFacts {
            variants: self.commands.iter().zip(sums).map(variant).collect(),
            cases: Vec::new(),
            ended: self.ended,
            order: None,
            notes: self.notes.clone(),
            block_seconds: self.block_seconds,
            seed: Some(self.seed),
        }
    }
}

impl Facts {
    fn parse(line: &[u8]) -> Result<Self, KeptError> {
        if line.len() > FACTS_BYTES_MAX {
            return Err(wrong("line 2 has more than 4 MiB"));
        }
        let facts: Self = parse_json(line).map_err(|error| wrong(format!("line 2: {error}")))?;
        facts
            .options
            .check(&facts.commands)
            .map_err(KeptError::Wrong)?;
        if facts.notes.len() > NOTES_MAX
            || facts.block_seconds.is_some_and(|seconds| seconds <= 0.0)
        {
            return Err(wrong(
                "line 2: it has too many notes, or blocks that took no time",
            ));
        }
        Ok(facts)
    }
}

/// Returns why no comparison keeps a value. What helps with rows does not help here.
fn kept_value(error: ValueError) -> String {
    match error {
        ValueError::NotPositive(value) => format!(
            "the value {value} is not above 0, and every value that is kept is. The file is damaged or forged: measure \
             again, into another folder (`bakeoff time … --out DIR`)"
        ),
        other => other.to_string(),
    }
}

fn wrong(what: impl Into<String>) -> KeptError {
    KeptError::Wrong(what.into())
}
