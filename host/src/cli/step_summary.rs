//! The page of a job of GitHub Actions, to which the report of a comparison is added.

use super::show::{self, Sources};
use bakeoff_domain::report::Report;
use bakeoff_render::escape::Markdown;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The variable that names the file of the job's page, which is Markdown.
const VARIABLE: &str = "GITHUB_STEP_SUMMARY";
/// The most bytes that are added: the page has room for 1 MiB of each step.
const BYTES_MAX: usize = 768 << 10;

/// Adds the report to the job's page, where there is one. The page repeats what the command writes
/// elsewhere, so a page that cannot be written is a message on stderr, and no failure.
pub(super) fn append(report: &Report, sources: &Sources) {
    append_if_there(|| page(report, sources));
}

/// Adds a text in Markdown to the job's page, where there is one and the text has room.
pub(super) fn append_text(text: &str) {
    append_if_there(|| text.chars().take(BYTES_MAX / 4).collect());
}

fn append_if_there(page: impl FnOnce() -> String) {
    let Some(file) = std::env::var_os(VARIABLE).map(PathBuf::from) else {
        return;
    };
    if file.as_os_str().is_empty() {
        return;
    }
    if let Err(why) = write(&file, &page()) {
        anstream::eprintln!("the summary of this step is not written: {VARIABLE} is {why}");
    }
}

/// Returns the report as Markdown, or its answer alone if that is too long.
fn page(report: &Report, sources: &Sources) -> String {
    let whole = bakeoff_render::markdown(report, &show::options_plain(sources.clone()));
    if whole.len() <= BYTES_MAX {
        whole
    } else {
        let [name, answer] = [&report.experiment.name, &report.recommendation.text];
        format!("# {}\n\n{}\n", Markdown(name), Markdown(answer))
    }
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    let shown = bakeoff_render::escape::Plain(&file.to_string_lossy()).to_string();
    if !file.is_absolute() {
        return Err(format!("{shown}, which is no absolute path"));
    }
    let failed = |error| format!("{shown}: {error}");
    let mut options = OpenOptions::new();
    let mut open = options
        .append(true)
        .create(true)
        .open(file)
        .map_err(failed)?;
    open.write_all(format!("{text}\n").as_bytes())
        .map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_stays_and_only_an_absolute_path_is_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("page.md");
        std::fs::write(&file, "before\n").unwrap();
        write(&file, "# one").unwrap();
        write(&file, "# two").unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(text, "before\n# one\n# two\n");
        let why = write(Path::new("page.md"), "x").unwrap_err();
        assert!(why.contains("no absolute path"), "{why}");
        assert!(!Path::new("page.md").exists());
        let why = write(folder.path(), "x").unwrap_err();
        assert!(why.contains("directory"), "{why}");
    }
}
