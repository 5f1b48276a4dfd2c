//! The folder in which this user's bakeoff keeps what can be made or fetched again.

use std::path::PathBuf;

/// Returns the folder of the cache: `bakeoff` in the platform's folder for caches (`$XDG_CACHE_HOME`, or `~/.cache`);
/// `None` if the platform names no such folder, or names it by a relative path, which would be another one in every folder
/// that one stands in.
pub fn cache_folder() -> Option<PathBuf> {
    use etcetera::BaseStrategy;
    let strategy = etcetera::choose_base_strategy().ok()?;
    let folder = strategy.cache_dir().join("bakeoff");
    folder.is_absolute().then_some(folder)
}
