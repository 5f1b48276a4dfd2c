//! The model that a table of the experiment file names: `[generate]`, `[judge]`.
//!
//! An experiment may come from anybody. So its file names no program, no address and no file outside of its folder,
//! and no table asks a model: the user gives leave for that on the command line.

use super::amounts::whole;
use super::error::Finding;
use super::fields::field::Field;
use super::fields::generate::{
    CALLS_AT_ONCE, CASSETTE, MODEL, MODEL_BYTES_MAX, PROVIDER, TOKENS, USD,
};
use super::fields::kinds::{File, Text};
use super::paths::{self, FileKind, FileRef};
use super::section::{At, Section};
use bakeoff_domain::generate::ProviderKind;
use std::path::PathBuf;

/// Model that writes anew what failed when it was tried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairModel {
    /// The provider that answers.
    pub provider: ProviderKind,
    /// The model, by the provider's name for it.
    pub model: String,
}

/// A model that an experiment names, and what it may cost.
#[derive(Clone, Debug, PartialEq)]
pub struct AskedModel {
    /// The provider that answers. The program of a command is named by the user, not by the file.
    pub provider: ProviderKind,
    /// The model, by the provider's name for it.
    pub model: Option<String>,
    /// The model that is asked for repairs in its place, if there is one.
    pub repairs: Option<RepairModel>,
    /// The budget of a run, in millionths of a US dollar.
    pub microdollars_max: Option<u64>,
    /// The budget of a run, in tokens.
    pub tokens_max: Option<u64>,
    /// The most calls at the same time.
    pub calls_at_once: u32,
    /// The file of replies, for a replay, relative to the experiment's folder.
    pub cassette: Option<PathBuf>,
}

impl AskedModel {
    /// Reads the model of a table, for which the user gives leave by `flag`.
    pub(super) fn read(
        section: &mut Section<'_>,
        flag: &str,
        files: &mut Vec<FileRef>,
        found: &mut Vec<Finding>,
    ) -> Option<Self> {
        section.missing_field(&PROVIDER, "it says who is asked", found);
        let provider = section.choice(&PROVIDER, found);
        let model = model_name(&MODEL, section, found);
        let microdollars_max = usd(section, found);
        let tokens_max = tokens(section, found);
        let calls_at_once = whole(section, &CALLS_AT_ONCE, found);
        let cassette = file(&CASSETTE, section, files, found);
        refuse_powers(section, flag, found);
        if let Some(provider) = &provider {
            let is_replay = provider.value == ProviderKind::Replay;
            if is_replay != section.key(&CASSETTE).is_some() {
                found.push(Finding::new(
                    provider.span.clone(),
                    "a replay has a `cassette`, and every other provider has none",
                    "this provider",
                    "write `provider = \"replay\"` with `cassette = \"replies.jsonl\"`, or remove `cassette`",
                ));
            }
        }
        let provider = provider?.value;
        Some(Self {
            provider,
            model: model.map(|at| at.value),
            repairs: None,
            microdollars_max,
            tokens_max,
            calls_at_once: calls_at_once.map_or(provider.calls_at_once(), |at| {
                at.value.unsigned_abs() as u32
            }),
            cassette,
        })
    }
}

/// Reads the name of a model.
pub(super) fn model_name(
    field: &Field<Text>,
    section: &mut Section<'_>,
    found: &mut Vec<Finding>,
) -> Option<At<String>> {
    let named = section.text(field, found)?;
    let is_name = named.value.len() <= MODEL_BYTES_MAX
        && named.value.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_name {
        found.push(Finding::new(
            named.span.clone(),
            format!("`{}` is no name of a model", field.key),
            "impossible value",
            format!("it has up to {MODEL_BYTES_MAX} letters, digits and signs"),
        ));
    }
    Some(At {
        value: named.value.to_owned(),
        span: named.span,
    })
}

/// Refuses the keys for a program and an address.
fn refuse_powers(section: &Section<'_>, flag: &str, found: &mut Vec<Finding>) {
    for (key, what, option, why) in [
        (
            "command",
            "program",
            "--command",
            "what a file names is run by nobody",
        ),
        (
            "base_url",
            "address",
            "--base-url",
            "nothing is sent to where a file says",
        ),
    ] {
        if let Some(span) = section.key(key) {
            found.push(Finding::new(
                span,
                format!("`{key}` cannot stand in an experiment, which may come from anybody"),
                "not from a file",
                format!("give the {what} with `bakeoff run {flag} {option}`: {why}"),
            ));
        }
    }
}

/// Reads the name of a file that a model is told, or that stands for one.
pub(super) fn file(
    field: &Field<File>,
    section: &mut Section<'_>,
    files: &mut Vec<FileRef>,
    found: &mut Vec<Finding>,
) -> Option<PathBuf> {
    let named = section.text(field, found)?;
    let named = paths::relative(&named, FileKind::Told, found)?;
    files.push(named.clone());
    Some(named.path)
}

/// `usd`, in millionths.
pub(super) fn usd(section: &mut Section<'_>, found: &mut Vec<Finding>) -> Option<u64> {
    let usd = section.number(&USD, found)?;
    let value = usd.value.to_f64();
    if USD.kind.0.contains(&value) {
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
    let at = whole(section, &TOKENS, found)?;
    Some(at.value.unsigned_abs())
}
