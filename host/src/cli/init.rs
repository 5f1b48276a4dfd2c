//! `bakeoff init`: writes an experiment, a small one or that of given sources.

mod of_sources;

use super::failure::Failure;
use super::options::{Output, Safety};
use super::starting_files::{self, Start, StartLanguage};
use super::{Status, claude_command, show, whole_numbers};
use crate::library::cannot_write;
use bakeoff_files::{Folder, is_link, read_bounded};
use bakeoff_render::escape::{Plain, ShellPath};
use clap::Args;
use std::path::{Path, PathBuf};

/// Writes a small experiment that runs: two ways to count the distinct numbers of a list. Or, with --from,
/// one that compares sources of your own, as `bakeoff compare` does: interface and workload are files that
/// you can read, change and run
///
/// No file is overwritten.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff init my-question
  bakeoff run my-question
  bakeoff init my-question --from sort.rs heap.rs
  bakeoff init my-question --language c                    its approaches in C (or cpp, zig)
  bakeoff init my-question --evaluator panics              with an evaluator of your own
  bakeoff init my-question --aggregator summary            with a section of your own in the report
  bakeoff init my-question --workload inputs               with a workload that also says how good an answer is
  bakeoff init my-question --proposer grid                 then: bakeoff generate … --proposer
  bakeoff init --claude                                    only a slash command of Claude Code
  bakeoff init my-question --from sort.rs heap.rs --call top-k --workload workload.rs --size 1000,16000")]
pub(super) struct Arguments {
    /// The folder to write to; it is created if needed
    #[arg(default_value = ".")]
    dir: PathBuf,
    /// Writes an evaluator of this name too, which works; in a folder with an experiment, nothing else. The
    /// names `branches` and `source-size` give those that count branches and nesting, and tokens
    #[arg(long, value_name = "NAME", value_parser = guest_name, conflicts_with = "from")]
    evaluator: Option<String>,
    /// Writes an aggregator of this name too, which works: it adds a section to the report. In a folder with an
    /// experiment, nothing else
    #[arg(long, value_name = "NAME", value_parser = guest_name, conflicts_with = "from")]
    aggregator: Option<String>,
    /// Language of the approaches that are written
    #[arg(long, value_enum, value_name = "LANGUAGE", default_value = "rust", conflicts_with_all = ["from", "workload", "claude"])]
    language: StartLanguage,
    /// Sources that become the approaches, at least two
    #[arg(long, value_name = "FILE", num_args = 1..)]
    from: Vec<PathBuf>,
    /// The function that is called; the one that all files have in common, if not given
    #[arg(long, value_name = "NAME", requires = "from")]
    call: Option<String>,
    /// The WIT that has this function, for sources in C, C++ and Zig alone: a file, or a folder of them
    #[arg(long, value_name = "PATH", requires = "call")]
    wit: Option<PathBuf>,
    /// Writes a proposer of this name too, which works: further approaches, made by a program. In a folder with
    /// an experiment, nothing else. The name `grid` gives the one that makes the grid of a sweep finer,
    /// `improve` the one that has a model improve the best of the last run
    #[arg(long, value_name = "NAME", value_parser = guest_name, conflicts_with = "from")]
    proposer: Option<String>,
    /// With --from, the file that makes the inputs and judges the answers; inputs are random by their types, if
    /// not given. Without, the name of a workload that is written: it makes inputs, checks and assesses answers
    #[arg(long, value_name = "FILE|NAME")]
    workload: Option<PathBuf>,
    /// The workload that is written makes fixed inputs, by their names
    #[arg(long, requires = "workload", conflicts_with = "from")]
    instances: bool,
    /// Sizes of inputs, separated by commas; chosen by what takes long enough, if not given
    #[arg(long = "size", value_name = "N", value_delimiter = ',', value_parser = whole_numbers::size,
          requires = "from")]
    sizes: Vec<u32>,
    /// Calls and expected answers in a file, instead of a workload
    #[arg(long, value_name = "FILE", conflicts_with_all = ["workload", "sizes"], requires = "from")]
    cases: Option<PathBuf>,
    /// Write nothing but the command /parallel-experiment of Claude Code: .claude/commands/parallel-experiment.md
    #[arg(long, conflicts_with_all = ["from", "evaluator", "aggregator", "proposer", "workload"])]
    claude: bool,
    /// With --claude: replace a command that is there and differs
    #[arg(long, requires = "claude")]
    overwrite: bool,
    #[command(flatten)]
    safety: Safety,
}

/// The files of the small experiment, by their path in the folder.
const FILES: [(&str, &str); 5] = [
    ("bakeoff.toml", include_str!("template/bakeoff.toml")),
    (
        "wit/count-distinct.wit",
        include_str!("template/count-distinct.wit"),
    ),
    ("workload.rs", include_str!("template/workload.rs")),
    ("approaches/sort.rs", include_str!("template/sort.rs")),
    ("approaches/table.rs", include_str!("template/table.rs")),
];

/// Parses the name of an evaluator, an aggregator, a proposer or a workload.
fn guest_name(text: &str) -> Result<String, String> {
    if bakeoff_config::is_evaluator_name(text) {
        Ok(text.to_owned())
    } else {
        Err("a name has 1 to 64 of a-z, 0-9 and `-`".to_owned())
    }
}

pub(super) async fn run(arguments: &Arguments, output: &Output) -> Result<Status, Failure> {
    if arguments.claude {
        return claude_command::write(&arguments.dir, arguments.overwrite);
    }
    if !arguments.from.is_empty() && arguments.workload.is_some() && arguments.sizes.is_empty() {
        return Err(Failure::usage(
            "the sizes of the inputs are missing: --size N",
        ));
    }
    if arguments.from.is_empty() {
        let mut files = FILES
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .to_vec();
        starting_files::in_language(&mut files, arguments.language);
        let next = "Run it, then replace it by your own question:";
        let has_experiment = arguments.dir.join(bakeoff_config::FILE_NAME).exists();
        if let Some(name) = arguments.named_workload()? {
            if has_experiment {
                return Err(Failure::usage(format!(
                    "{} has a workload already, whose functions follow from its WIT: write to another folder, and \
                     take from there what you need",
                    Plain(
                        &arguments
                            .dir
                            .join(bakeoff_config::FILE_NAME)
                            .display()
                            .to_string()
                    )
                )));
            }
            starting_files::with_workload(&mut files, &name, arguments.instances);
        }
        let evaluator = arguments
            .evaluator
            .iter()
            .map(|name| starting_files::evaluator(name));
        let aggregator = arguments
            .aggregator
            .iter()
            .map(|name| starting_files::aggregator(name));
        let starts: Vec<Start> = evaluator.chain(aggregator).collect();
        let lines: Vec<&str> = starts.iter().map(|start| start.lines.as_str()).collect();
        let lines = lines.join("\n");
        let own = starts
            .iter()
            .map(|start| (start.file.clone(), start.text.to_owned()));
        let proposer = arguments.proposer.as_deref().map(starting_files::proposer);
        let asked = proposer.as_ref().map(|(file, _)| {
            let (dir, file) = (arguments.dir.display(), arguments.dir.join(file));
            let (dir, file) = (dir.to_string(), file.display().to_string());
            let (dir, file) = (ShellPath(&dir), ShellPath(&file));
            format!("Ask the proposer for approaches, after a run or before:\n  bakeoff generate {dir} --proposer {file}\n\n")
        });
        let asked = asked.unwrap_or_default();
        let proposer = proposer.map(|(file, text)| (file, text.to_owned()));
        let own: Vec<(String, String)> = own.chain(proposer).collect();
        if !own.is_empty() && has_experiment {
            let added = if starts.is_empty() {
                "Run it:".to_owned()
            } else {
                let file = bakeoff_config::FILE_NAME;
                let time = time_too(&arguments.dir.join(file), &lines);
                format!("Add these lines to {file}, and run it:\n\n{lines}{time}")
            };
            return write_all(&arguments.dir, &own, &format!("{asked}{added}"));
        }
        if !starts.is_empty() {
            files[0].1 += &format!("\n{lines}");
        }
        files.extend(own);
        let next = &format!("{asked}{next}");
        return write_all(&arguments.dir, &files, next);
    }
    let made = arguments.of_sources(output).await?;
    let next = match made.disagreement {
        None => "Run it:".to_owned(),
        Some(why) => format!("{why}\n\nWhen they do the same on the inputs that you mean, run it:"),
    };
    write_all(&arguments.dir, &made.files, &next)
}

/// Returns the lines that make time go on to count, if they are needed: without them, it counts only where a file has
/// no criterion of its own.
fn time_too(file: &Path, lines: &str) -> String {
    let text = read_bounded(file, bakeoff_config::FILE_BYTES_MAX)
        .ok()
        .flatten()
        .unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let has_criteria = |text: &str| {
        let mut lines = text.lines().map(str::trim_start);
        lines.any(|line| line.starts_with("[[criterion]]") || line.starts_with("criterion"))
    };
    if has_criteria(&text) || !has_criteria(lines) {
        String::new()
    } else {
        "\n# It had no criterion: time counted by itself, and does no more without these lines.\n\
                  [[criterion]]\nname = \"performance\"\nweight = 1.0\nfrom = \"time\"\n"
            .to_owned()
    }
}

impl Arguments {
    /// Returns the name of the workload that is to be written: without --from, `--workload` is a name and not a file.
    fn named_workload(&self) -> Result<Option<String>, Failure> {
        let name = self.workload.as_deref().map(Path::to_string_lossy);
        name.map(|name| guest_name(&name).map_err(|why| {
            let name = Plain(&name).to_string();
            Failure::usage(format!("--workload {name} names no workload that could be written: {why}; a file of yours goes with --from"))
        }))
        .transpose()
    }
}

fn write_all(dir: &Path, files: &[(String, String)], next: &str) -> Result<Status, Failure> {
    // Checked before anything is written, so that an error leaves the folder as it was.
    for (name, _) in files {
        let path = dir.join(name);
        let below = Path::new(name).ancestors().skip(1);
        let below = below.filter(|folder| !folder.as_os_str().is_empty());
        if let Some(link) = below
            .map(|folder| dir.join(folder))
            .find(|folder| is_link(folder))
        {
            return Err(Failure::usage(format!(
                "{} is a link, and nothing is written through links: choose another folder",
                Plain(&link.display().to_string())
            )));
        }
        if path.symlink_metadata().is_ok() {
            return Err(Failure::usage(format!(
                "{} exists already: choose another name or another folder",
                Plain(&path.display().to_string())
            )));
        }
    }
    let mut text = String::new();
    let folder = Folder::made_by_user(dir).map_err(|error| cannot_write(dir, &error))?;
    for (name, content) in files {
        let path = dir.join(name);
        let shown = path.display().to_string();
        folder
            .write_new(name, content.as_bytes())
            .map_err(|error| cannot_write(&path, &error))?;
        text += &format!("wrote {}\n", Plain(&shown));
    }
    let named = dir.display().to_string();
    let command = if dir == Path::new(".") {
        "bakeoff run".to_owned()
    } else {
        format!("bakeoff run {}", ShellPath(&named))
    };
    show::write(&format!("{text}\n{next}\n  {command}\n"))?;
    Ok(Status::Done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn nothing_is_written_through_a_link_to_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let (dir, victim) = (folder.path().join("dir"), folder.path().join("victim"));
        fs::create_dir(&dir).unwrap();
        fs::create_dir(&victim).unwrap();
        std::os::unix::fs::symlink(&victim, dir.join("wit")).unwrap();
        let files = ["bakeoff.toml", "wit/x.wit"].map(|name| (name.to_owned(), String::new()));
        assert!(write_all(&dir, &files, "").is_err());
        assert_eq!(fs::read_dir(&victim).unwrap().count(), 0);
        assert!(!dir.join("bakeoff.toml").exists());
    }
}
