//! An experiment file that its user may have changed while a model was asked.

use super::error::GenerationError;
use crate::library::written_files::{cannot_write, replace};
use bakeoff_config::LoadedExperiment;
use bakeoff_render::escape::Plain;
use std::path::Path;

/// Writes an experiment file anew with what `change` makes of it as it is now. `before` is the experiment as it was when
/// the model was asked.
///
/// # Errors
/// It was changed into what cannot be read, or it cannot be written. Whatever the model wrote is in files beside it.
pub(crate) fn change(
    file: &Path,
    before: &LoadedExperiment,
    say: &mut dyn FnMut(&str),
    change: impl FnOnce(&LoadedExperiment) -> String,
) -> Result<(), GenerationError> {
    let now = bakeoff_config::load(file);
    let now = now.map_err(|error| {
        let shown = file.display().to_string();
        GenerationError::Usage(format!(
            "{} was changed while the model was asked, and cannot be read any more. What it wrote is in `approaches`; \
             mend the file, and the same command goes on, without paying again. {error}",
            Plain(&shown)
        ))
    })?;
    if now.text != before.text {
        say(
            "the experiment file was changed while the model was asked: what it has now stays, and is added to",
        );
    }
    let text = change(&now);
    bakeoff_config::parse(&text, &file.display().to_string())?;
    if text != now.text {
        replace(file, &text).map_err(|error| cannot_write(file, &error))?;
    }
    Ok(())
}
