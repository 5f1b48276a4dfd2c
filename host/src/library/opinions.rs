//! Opinions of a model on the sources of a run: the model that may be asked, and the record of what it was asked.

use super::error::Error;
use super::generation::{GenerationError, ModelOptions, identity, opinions_in};
use super::written_files::{PlaceError, check_places};
use bakeoff_config::{AskedModel, GenerateBounds, LoadedExperiment, Policy};
use bakeoff_domain::generate::ProviderKind;
use bakeoff_propose::ModelJudge;
use bakeoff_provider::Models;
use bakeoff_render::escape::Plain;
use bakeoff_run::Judge;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folder of the record.
const PLACES: [&str; 1] = [".bakeoff/"];

/// A model that the user lets be asked for opinions.
pub(crate) struct OpenedJudge {
    models: Arc<Models>,
    /// The judge of a run.
    pub(crate) judge: Arc<dyn Judge>,
}

impl OpenedJudge {
    pub(crate) fn new(models: Models) -> Self {
        let models = Arc::new(models);
        Self {
            judge: Arc::new(ModelJudge::new(&models)),
            models,
        }
    }

    /// Says what the user should know of the replies.
    pub(crate) fn say_warnings(&self, say: &mut dyn FnMut(&str)) {
        for warning in self.models.warnings() {
            say(&Plain(&warning).to_string());
        }
    }

    /// Returns what is doubtful about the record and the replies.
    pub(super) fn doubts(&self) -> Vec<String> {
        let notices = self.models.notices().iter().cloned();
        notices.chain(self.models.warnings()).collect()
    }
}

/// Returns the path of the record of an experiment's opinions, once nothing hinders that it is written.
///
/// # Errors
/// It cannot be written.
pub(crate) fn record_of_opinions(dir: &Path) -> Result<PathBuf, PlaceError> {
    check_places(dir, &PLACES)?;
    opinions_in(dir)
}

/// Opens the model that a program lets be asked for the opinions that an experiment wants.
///
/// # Errors
/// The experiment wants none, or those of another model; the host's policy forbids it; or the model cannot be opened.
pub(super) fn open(
    model: &ModelOptions,
    loaded: &LoadedExperiment,
    policy: &Policy,
) -> Result<OpenedJudge, Error> {
    let Some(wanted) = &loaded.judge else {
        return Err(Error::experiment(
            "`Experiment::judge`: the experiment has no [judge], and no criterion `from = \"judge\"`",
        ));
    };
    policy.permit_models("`Experiment::judge`")?;
    let model = named_by(model, &wanted.asked, &loaded.dir)?;
    let model = bounded(model, &wanted.asked, policy.generate_bounds());
    let record = record_of_opinions(&loaded.dir).map_err(GenerationError::Place)?;
    Ok(OpenedJudge::new(model.open(&record)?))
}

/// Returns the options of the model that `[judge]` names, whose votes are kept under that name.
///
/// # Errors
/// The program names another one.
fn named_by(
    model: &ModelOptions,
    wanted: &AskedModel,
    dir: &Path,
) -> Result<bakeoff_provider::ModelOptions, Error> {
    let given = model.checked_options()?;
    let named = identity(wanted.provider, wanted.model.as_deref());
    if model.identity() != named {
        return Err(Error::experiment(format!(
            "`Experiment::judge`: [judge] names {named}, and the program lets {} be asked: name the same model in both",
            model.identity()
        )));
    }
    let cassette = wanted.cassette.as_ref().map(|file| dir.join(file));
    if wanted.provider == ProviderKind::Replay && !is_same(&given.cassette, &cassette) {
        let shown = cassette.as_deref().unwrap_or(dir).display();
        return Err(Error::experiment(format!(
            "`Experiment::judge`: the replies that [judge] names are in {shown}: name that file"
        )));
    }
    Ok(bakeoff_provider::ModelOptions {
        cassette_within: cassette.is_some().then(|| dir.to_owned()),
        cassette,
        ..given.clone()
    })
}

/// Returns true if both paths lead to the same place, as they are written.
fn is_same(a: &Option<PathBuf>, b: &Option<PathBuf>) -> bool {
    let whole = |path: &Option<PathBuf>| {
        path.as_deref()
            .and_then(|path| std::path::absolute(path).ok())
    };
    whole(a) == whole(b)
}

/// Bounds the cost by what the program says, or else the experiment, and by the host's policy.
fn bounded(
    model: bakeoff_provider::ModelOptions,
    wanted: &AskedModel,
    bounds: GenerateBounds,
) -> ModelOptions {
    let own = GenerateBounds {
        microdollars: model.microdollars_max,
        tokens: model.tokens_max,
    };
    let bounds = bounds_of(own, wanted, bounds);
    ModelOptions::with(bakeoff_provider::ModelOptions {
        tokens_max: bounds.tokens,
        microdollars_max: bounds.microdollars,
        ..model
    })
}

/// Returns the bounds of a user's own, or else of an experiment, within those of the host's policy.
pub(crate) fn bounds_of(
    own: GenerateBounds,
    wanted: &AskedModel,
    policy: GenerateBounds,
) -> GenerateBounds {
    GenerateBounds {
        microdollars: least(
            own.microdollars.or(wanted.microdollars_max),
            policy.microdollars,
        ),
        tokens: least(own.tokens.or(wanted.tokens_max), policy.tokens),
    }
}

/// Returns the smaller of two bounds, each of which may be missing.
fn least(own: Option<u64>, most: Option<u64>) -> Option<u64> {
    match (own, most) {
        (Some(own), Some(most)) => Some(own.min(most)),
        (own, most) => own.or(most),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replay(model: Option<&str>) -> AskedModel {
        AskedModel {
            provider: ProviderKind::Replay,
            model: model.map(str::to_owned),
            repairs: None,
            microdollars_max: Some(500),
            tokens_max: None,
            calls_at_once: 1,
            cassette: Some("replies.jsonl".into()),
        }
    }

    #[test]
    fn only_the_model_and_the_replies_that_judge_names_are_taken() {
        let dir = Path::new("/experiment");
        let named = |model: ModelOptions, wanted: &AskedModel| {
            named_by(&model, wanted, dir).map_err(|error| error.to_string())
        };
        let given = ModelOptions::replay("/experiment/./replies.jsonl");
        let options = named(given, &replay(None)).unwrap();
        assert_eq!(
            options.cassette.as_deref(),
            Some(&*dir.join("replies.jsonl"))
        );
        assert_eq!(options.cassette_within.as_deref(), Some(dir));
        let other = named(ModelOptions::replay("/tmp/other.jsonl"), &replay(None));
        assert!(
            other
                .unwrap_err()
                .contains("are in /experiment/replies.jsonl")
        );
        let other = named(ModelOptions::new("anthropic", "m"), &replay(None));
        assert!(
            other
                .unwrap_err()
                .contains("names replay, and the program lets anthropic m")
        );
        let unusable = named(ModelOptions::new("nobody", "m"), &replay(None));
        assert!(unusable.unwrap_err().contains("no provider"));
    }

    #[test]
    fn the_program_may_say_another_bound_and_the_policys_holds_all_the_same() {
        let bounds = |own: Option<u64>, policy: Option<u64>| {
            let given = ModelOptions::replay("r.jsonl").options().clone();
            let given = bakeoff_provider::ModelOptions {
                microdollars_max: own,
                ..given
            };
            let policy = GenerateBounds {
                microdollars: policy,
                tokens: Some(9),
            };
            let bounded = bounded(given, &replay(None), policy);
            assert_eq!(bounded.options().tokens_max, Some(9));
            bounded.options().microdollars_max
        };
        assert_eq!(bounds(None, None), Some(500));
        assert_eq!(bounds(Some(700), None), Some(700));
        assert_eq!(bounds(Some(700), Some(600)), Some(600));
        assert_eq!(bounds(None, Some(600)), Some(500));
    }

    #[test]
    fn the_hosts_bound_holds_whatever_the_user_says() {
        assert_eq!(least(Some(5), Some(3)), Some(3));
        assert_eq!(least(Some(2), Some(3)), Some(2));
        assert_eq!(least(None, Some(3)), Some(3));
        assert_eq!(least(None, None), None);
    }
}
