//! The providers of a run that asks models: the one for all questions, and the one for repairs if that is another.

use super::environment::Environment;
use super::error::OpenError;
use super::live::Provider;
use super::options::{ModelOptions, ProviderKind};
use super::request::Purpose;
use super::secret::Secrets;
use bakeoff_files::SearchPath;

/// The providers of a run.
#[derive(Debug)]
pub(super) struct LiveModels {
    pub(super) usual: Provider,
    /// The provider of repairs, if it is another one.
    pub(super) repairs: Option<Provider>,
}

impl LiveModels {
    /// Opens the providers of the options, and returns their keys too.
    ///
    /// # Errors
    /// An option is missing, or does not fit the others.
    pub(super) fn open(
        options: &ModelOptions,
        environment: Environment<'_>,
        path: &SearchPath,
    ) -> Result<(Self, Secrets), OpenError> {
        let (usual, mut secrets) = Provider::open(options, environment, path)?;
        let repairs = match &options.repairs {
            None => None,
            Some(wanted) => {
                let is_same = wanted.provider == options.provider;
                let is_told = options.command.iter().any(|word| word.contains("{model}"));
                if is_same && wanted.provider == ProviderKind::Command && !is_told {
                    return Err(OpenError::Options(
                        "the command is not told its model, so repairs would be asked of the same one: pass `{model}` to \
                         the option of it that chooses one, or leave out the model for repairs"
                            .to_owned(),
                    ));
                }
                // An address is that of one provider.
                let base_url = options.base_url.clone().filter(|_| is_same);
                let options = ModelOptions {
                    provider: wanted.provider,
                    model: Some(wanted.model.clone()),
                    base_url,
                    ..options.clone()
                };
                let (repairs, more) = Provider::open(&options, environment, path)?;
                secrets.extend(more);
                Some(repairs)
            }
        };
        Ok((Self { usual, repairs }, secrets))
    }

    /// Returns the provider that is asked for a purpose.
    pub(super) fn of(&self, purpose: Purpose) -> &Provider {
        match &self.repairs {
            Some(repairs) if purpose == Purpose::Repair => repairs,
            _ => &self.usual,
        }
    }

    /// Returns the providers with their models in words.
    pub(super) fn name(&self) -> String {
        match &self.repairs {
            Some(repairs) => format!("{}, repairs by {}", self.usual.name, repairs.name),
            None => self.usual.name.clone(),
        }
    }
}
