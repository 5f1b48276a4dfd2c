//! Compilation of an experiment's sources: its crates, which are built first, and the features of WebAssembly.

use super::error::RunError;
use super::options::Tools;
use bakeoff_compile::{Clang, CratesError};
use bakeoff_config::{ConfigPlace, LoadedExperiment, read_lock};
use bakeoff_domain::crates::LockedCrate;
use bakeoff_domain::edition::Edition;
use bakeoff_domain::language::Language;
use bakeoff_domain::simd::Simd;
use bakeoff_domain::spec::Experiment;
use bakeoff_source::language_of;
use std::sync::Arc;

/// Returns the tools for an experiment: they build with the crates that it allows, and with vectors and in the newest
/// edition unless it says otherwise.
///
/// # Errors
/// The crates were not fetched, or cannot be built; the error points at them.
pub(super) async fn allow(
    tools: Tools,
    loaded: &LoadedExperiment,
    report: &mut (dyn FnMut(&str) + Send),
) -> Result<Tools, RunError> {
    let Experiment {
        crates,
        simd,
        edition,
        ..
    } = &loaded.experiment;
    let tools = with_clang(tools, &loaded.experiment).await?;
    if crates.is_empty() && simd.is_default() && edition.is_default() {
        return Ok(tools);
    }
    let builder = Arc::into_inner(tools.builder);
    let builder = builder.ok_or_else(|| RunError::Machine("the builder is in use".to_owned()))?;
    let builder = builder.compiling_for(*simd, *edition);
    // Its first line is what reports show, and all of it is in the keys of results.
    let (first, rest) = tools
        .compiler
        .split_once('\n')
        .unwrap_or((&tools.compiler, ""));
    let compiler = match (simd, edition) {
        (Simd::On, Edition::Rust2024) => tools.compiler.clone(),
        _ => format!("{first}{}{}\n{rest}", simd.note(), edition.note()),
    };
    if crates.is_empty() {
        return Ok(Tools {
            builder: Arc::new(builder),
            compiler,
            ..tools
        });
    }
    report("building the crates that the experiment allows, unless they are kept");
    let builder = builder.allow(crates).await.map_err(|error| {
        let help = match &error {
            CratesError::NotFetched | CratesError::Lock(_) => {
                "run `bakeoff vendor` for this experiment: it fetches them"
            }
            CratesError::Build(_) => {
                "after a change of versions or features, run `bakeoff vendor` again; otherwise take a version that \
                 builds for WebAssembly without a system, or leave the crate out"
            }
            CratesError::NoCargo(_) => "use a toolchain of https://rustup.rs",
            CratesError::Machine(reason) => return RunError::Machine(reason.clone()),
        };
        loaded.wrong(ConfigPlace::Crates, &error.to_string(), "for these", help).into()
    })?;
    Ok(Tools {
        builder: Arc::new(builder),
        compiler,
        ..tools
    })
}

/// Returns the tools with the compilers for C, C++ and Zig, if an approach is written in one of these and they are there. Where it is
/// not, builds of these approaches fail, and say so.
async fn with_clang(tools: Tools, experiment: &Experiment) -> Result<Tools, RunError> {
    let languages = experiment.approaches.iter();
    let languages: Vec<Language> = languages.filter_map(|one| language_of(&one.code)).collect();
    if languages.iter().all(|language| *language == Language::Rust) {
        return Ok(tools);
    }
    let Ok(clang) = Clang::find().await else {
        return Ok(tools);
    };
    if !languages.contains(&Language::Zig) {
        return tools.with_clang(clang);
    }
    tools.with_clang(clang.with_zig_if_there().await)
}

/// Returns the exact versions of all crates.
///
/// # Errors
/// The lock cannot be read.
pub(super) fn locked(loaded: &LoadedExperiment) -> Result<Vec<LockedCrate>, RunError> {
    let crates = &loaded.experiment.crates;
    if crates.is_empty() {
        return Ok(Vec::new());
    }
    let lock = read_lock(&crates.lock, &crates.allowed).map_err(|error| {
        let help = "run `bakeoff vendor` for this experiment";
        loaded.wrong(ConfigPlace::Crates, &error.to_string(), "for these", help)
    })?;
    Ok(lock.all)
}
