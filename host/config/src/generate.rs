//! `[generate]`: approaches that a model is asked for.
//!
//! An experiment may come from anybody. So its file names no program, no address and no file outside of its
//! folder, and the table alone asks no model: the user gives leave for that on the command line.

use super::error::Finding;
use super::options::{duration, whole};
use super::paths::{self, FileKind, FileRef};
use super::section::{Amount, Number, Section};
use bakeoff_domain::generate::{Depth, Diversity, ProviderKind};
use serde::Serialize;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

/// The most approaches that a model is asked for.
pub const GENERATED_APPROACHES_MAX: u32 = 10;

/// The most repairs of one approach: requests to write code anew that failed.
pub const REPAIRS_MAX: u32 = 10;

/// The most calls of a model at the same time.
pub const CALLS_AT_ONCE_MAX: u32 = 64;

/// Bounds of the time for one approach.
const APPROACH_TIME: RangeInclusive<Duration> =
    Duration::from_secs(1)..=Duration::from_secs(86_400);

/// Bounds of a budget, in US dollars.
const USD: RangeInclusive<f64> = 0.000_001..=1_000_000.0;

/// The longest name of a model, in bytes.
const MODEL_BYTES_MAX: usize = 200;

/// Options of an experiment for approaches that a model is asked for: the table `[generate]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Generate {
    /// The provider that answers. The program of a command is named by the user, not by the file.
    pub provider: ProviderKind,
    /// The model, by the provider's name for it.
    pub model: Option<String>,
    /// The number of approaches; `None` leaves it to the plan.
    pub approaches: Option<u32>,
    /// The budget of a run, in millionths of a US dollar.
    pub microdollars_max: Option<u64>,
    /// The budget of a run, in tokens.
    pub tokens_max: Option<u64>,
    /// The number of repairs of one approach: requests to write code anew that failed.
    pub repairs: u32,
    /// The most calls at the same time.
    pub calls_at_once: u32,
    /// The time for one approach with all its repairs.
    pub timeout: Duration,
    /// The depth of the prototypes: sketches, proofs of concept, or production-ready code.
    pub depth: Depth,
    /// The diversity of the approaches: how much they should differ.
    pub diversity: Diversity,
    /// A file with wishes for every prototype, relative to the experiment's folder.
    pub instructions: Option<PathBuf>,
    /// The file of replies, for a replay, relative to the experiment's folder.
    pub cassette: Option<PathBuf>,
}

/// The options that decide which approaches are asked for. Budgets and times are left out: a run that is given
/// more of them goes on with the same approaches.
#[derive(Serialize)]
struct Wanted<'a> {
    provider: &'static str,
    model: Option<&'a str>,
    approaches: Option<u32>,
    repairs: u32,
    depth: Depth,
    diversity: Diversity,
}

impl Generate {
    /// Returns a text of all options that decide which approaches are asked for, to be compared with that of another
    /// run.
    pub fn wanted(&self) -> String {
        let wanted = Wanted {
            provider: self.provider.name(),
            model: self.model.as_deref(),
            approaches: self.approaches,
            repairs: self.repairs,
            depth: self.depth,
            diversity: self.diversity,
        };
        serde_json::to_string(&wanted).unwrap_or_default()
    }
}

/// `[generate]`
pub(super) fn generate(
    mut section: Section<'_>,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> Option<Generate> {
    let providers = [
        ProviderKind::Anthropic,
        ProviderKind::OpenAi,
        ProviderKind::Ollama,
        ProviderKind::Command,
        ProviderKind::Replay,
    ]
    .map(|kind| (kind.name(), kind));
    section.missing(
        "provider",
        "it says who is asked",
        "provider = \"anthropic\"",
        found,
    );
    let provider = section.choice("provider", &providers, found);
    let model = section.text("model", found);
    let approaches = approaches(&mut section, found);
    let microdollars_max = usd(&mut section, found);
    let tokens_max = tokens(&mut section, found);
    let repairs = whole(&mut section, "repairs", 0..=i64::from(REPAIRS_MAX), found);
    let calls = 1..=i64::from(CALLS_AT_ONCE_MAX);
    let calls_at_once = whole(&mut section, "calls_at_once", calls, found);
    let timeout = duration(&mut section, "timeout_per_approach", APPROACH_TIME, found);
    let depths = [
        ("sketch", Depth::Sketch),
        ("proof-of-concept", Depth::ProofOfConcept),
        ("production-ready", Depth::ProductionReady),
    ];
    let depth = section.choice("depth", &depths, found);
    let spreads = [
        ("low", Diversity::Low),
        ("medium", Diversity::Medium),
        ("high", Diversity::High),
    ];
    let diversity = section.choice("diversity", &spreads, found);
    let mut file = |key: &'static str, section: &mut Section<'_>, found: &mut Vec<Finding>| {
        let named = section.text(key, found)?;
        let named = paths::relative(&named, FileKind::Told, found)?;
        files.push(named.clone());
        Some(named.path)
    };
    let instructions = file("instructions", &mut section, found);
    let cassette = file("cassette", &mut section, found);
    for (key, why) in [
        (
            "command",
            "give the program with `bakeoff run --generate --command`: what a file names is run by nobody",
        ),
        (
            "base_url",
            "give the address with `bakeoff run --generate --base-url`: nothing is sent to where a file says",
        ),
    ] {
        if let Some(span) = section.key(key) {
            found.push(Finding::new(
                span,
                format!("`{key}` cannot stand in an experiment, which may come from anybody"),
                "not from a file",
                why,
            ));
        }
    }
    if let Some(model) = &model
        && (model.value.len() > MODEL_BYTES_MAX
            || !model.value.bytes().all(|byte| byte.is_ascii_graphic()))
    {
        found.push(Finding::new(
            model.span.clone(),
            "`model` is no name of a model",
            "impossible value",
            format!("it has up to {MODEL_BYTES_MAX} letters, digits and signs"),
        ));
    }
    if let Some(provider) = &provider {
        let is_replay = provider.value == ProviderKind::Replay;
        if is_replay != section.key("cassette").is_some() {
            found.push(Finding::new(
                provider.span.clone(),
                "a replay has a `cassette`, and every other provider has none",
                "this provider",
                "write `provider = \"replay\"` with `cassette = \"replies.jsonl\"`, or remove `cassette`",
            ));
        }
    }
    section.close(found);
    let provider = provider?.value;
    Some(Generate {
        provider,
        model: model.map(|at| at.value.to_owned()),
        approaches,
        microdollars_max,
        tokens_max,
        repairs: repairs.map_or(2, |at| at.value.unsigned_abs() as u32),
        calls_at_once: calls_at_once.map_or(provider.calls_at_once(), |at| {
            at.value.unsigned_abs() as u32
        }),
        timeout: timeout.map_or(Duration::from_secs(1200), |at| at.value),
        depth: depth.map(|at| at.value).unwrap_or_default(),
        diversity: diversity.map(|at| at.value).unwrap_or_default(),
        instructions,
        cassette,
    })
}

/// `usd`, in millionths.
pub(super) fn usd(section: &mut Section<'_>, found: &mut Vec<Finding>) -> Option<u64> {
    let usd = section.number("usd", found)?;
    let value = usd.value.to_f64();
    if USD.contains(&value) {
        return Some((value * 1e6).round() as u64);
    }
    found.push(Finding::new(
        usd.span,
        "`usd` is out of bounds",
        "impossible value",
        "it lies between 0.000001 and 1000000",
    ));
    None
}

/// `tokens`
pub(super) fn tokens(section: &mut Section<'_>, found: &mut Vec<Finding>) -> Option<u64> {
    let at = whole(section, "tokens", 1..=i64::MAX, found)?;
    Some(at.value.unsigned_abs())
}

/// `"auto"`, or a number of approaches.
fn approaches(section: &mut Section<'_>, found: &mut Vec<Finding>) -> Option<u32> {
    let at = section.amount("approaches", "\"auto\" or a number of approaches", found)?;
    let most = i64::from(GENERATED_APPROACHES_MAX);
    match at.value {
        Amount::Text("auto") => None,
        Amount::Number(Number::Integer(count)) if (0..=most).contains(&count) => {
            u32::try_from(count).ok()
        }
        _ => {
            found.push(Finding::new(
                at.span,
                format!("`approaches` is neither \"auto\" nor a whole number from 0 to {most}"),
                "impossible value",
                "write `approaches = \"auto\"` to leave it to the plan, or `approaches = 4`",
            ));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::experiment::decode;

    fn findings(table: &str) -> Vec<String> {
        let text = format!(
            "name = \"x\"\nproblem = \"y\"\n[interface]\nwit = \"wit\"\ncall = \"f\"\n[workload]\nsource = \"w.rs\"\n\
             sizes = [9]\n[[approach]]\nname = \"a\"\nsource = \"a.rs\"\n[generate]\n{table}"
        );
        let found = decode(&text).found.into_iter();
        found.map(|one| one.message).collect()
    }

    #[test]
    fn case_143_a_file_names_no_program_and_no_address() {
        assert_eq!(findings("provider = \"command\""), Vec::<String>::new());
        for (table, key) in [
            (
                "provider = \"command\"\ncommand = [\"sh\", \"-c\", \"x\"]",
                "`command`",
            ),
            (
                "provider = \"openai\"\nbase_url = \"http://127.0.0.1:1/v1\"",
                "`base_url`",
            ),
        ] {
            let found = findings(table);
            let said = found
                .iter()
                .any(|one| one.contains(key) && one.contains("from anybody"));
            assert!(said, "{found:?}");
        }
    }

    #[test]
    fn case_144_files_that_a_model_is_told_lie_in_the_folder() {
        for path in ["../secret", "/etc/passwd", "a/../../secret"] {
            let told = format!("provider = \"ollama\"\ninstructions = \"{path}\"");
            assert_eq!(findings(&told).len(), 1, "{path}");
            let replayed = format!("provider = \"replay\"\ncassette = \"{path}\"");
            assert_eq!(findings(&replayed).len(), 1, "{path}");
        }
    }

    #[test]
    fn values_have_bounds() {
        for wrong in [
            "approaches = 11",
            "approaches = -1",
            "approaches = \"many\"",
            "usd = 0",
            "usd = nan",
            "tokens = 0",
            "repairs = 11",
            "timeout_per_approach = \"0 s\"",
            "depth = \"deep\"",
            "diversity = \"none\"",
            "model = \"a b\"",
            "cassette = \"x\"",
        ] {
            let found = findings(&format!("provider = \"ollama\"\n{wrong}"));
            assert_eq!(found.len(), 1, "{wrong}: {found:?}");
        }
        assert_eq!(findings("provider = \"replay\"").len(), 1);
        assert_eq!(findings("").len(), 1);
    }
}
