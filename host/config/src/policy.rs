//! The host's policy: the permissions of experiments on this machine. An experiment may come from
//! anyone; the policy is a file of the machine's owner.
//!
//! | key | value | without it |
//! |---|---|---|
//! | `[grant]` `folders` | absolute paths: files are granted from below these only, also by absolute paths; an empty list grants nothing | the experiment's own folder |
//! | `[limits]` `memory`, `fuel`, `wall`, `output` | the most that an experiment may set, as in its own file | what an experiment's file can say |
//! | `[generate]` `allow` | `false`: `bakeoff run --generate` is refused | `true` |
//! | … `usd`, `tokens` | the most that a run may spend on models, whatever the experiment or the user says | no limit |
//! | `[programs]` `allow` | `true`: programs of experiments run without being asked for; `false`: never | with `--programs` |
//! | `[components]` `wasi` | `false`: components that users bring may not import WASI | `true` |
//! | `[build]` `crates` | `false`: an experiment that allows crates is refused | `true` |
//! | `[confinement]` `allow_unconfined` | `false`: `--allow-unconfined` is refused | `true` |
//! | `[workers]` `nats`, `creds`, `ca`, `recheck` | a server of workers on other machines that every `bakeoff run` uses, files for it, and the share of answers that are worked out here, too | none |

use super::error::{ConfigError, Finding, Findings, quoted};
use super::experiment::{ConfigPlace, LimitKey, syntax};
use super::load::LoadedExperiment;
use super::section::{At, Section};
use super::text_file::read;
use super::units::{show_bytes, show_duration};
use super::{asked_model, error, options};
use bakeoff_files::{Reach, WorkingFolder};
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

mod summary;
mod task_limits;
mod workers;

pub use workers::PolicyWorkers;

/// The environment variable that names another policy file; an empty value means no file.
pub const POLICY_VARIABLE: &str = "BAKEOFF_POLICY";

/// The most folders of a policy.
const FOLDERS_MAX: usize = 64;

/// The permissions of experiments on this machine.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// The file's name and text; `None` without a file.
    file: Option<(String, String)>,
    folders: Option<At<Vec<PathBuf>>>,
    memory_bytes: Option<At<u64>>,
    fuel: Option<At<u64>>,
    wall: Option<At<Duration>>,
    output_bytes: Option<At<u64>>,
    wasi: Option<At<bool>>,
    crates: Option<At<bool>>,
    programs: Option<At<bool>>,
    /// True if the user gave leave to run programs.
    programs_allowed: bool,
    allow_unconfined: Option<At<bool>>,
    generate: Option<At<bool>>,
    generate_bounds: GenerateBounds,
    workers: Option<At<PolicyWorkers>>,
}

/// The most that a run may spend on models; `None` for no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GenerateBounds {
    /// The most dollars, in millionths of a US dollar.
    pub microdollars: Option<u64>,
    /// The most tokens.
    pub tokens: Option<u64>,
}

/// A folder that the policy permits to grant. Nothing outside of `home` is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermittedFolder {
    /// The host's folder that the policy allows, or the experiment's own.
    pub home: PathBuf,
    /// The granted folder, relative to `home`.
    pub folder: PathBuf,
}

/// Refuses a policy file that lies in the folder that bakeoff is started in, into which `XDG_CONFIG_HOME` or
/// `HOME` may point: that folder would choose its own permissions.
fn refuse_of_folder(file: &Path, working: &WorkingFolder) -> Result<(), ConfigError> {
    if working.has(file) {
        Err(ConfigError::Refused(format!(
            "the policy {} lies in the folder that bakeoff is started in, which would choose what it \
             may have itself: let XDG_CONFIG_HOME and HOME point elsewhere, or name the file with \
             {POLICY_VARIABLE}",
            file.display()
        )))
    } else {
        Ok(())
    }
}

impl Policy {
    /// Reads the policy of this host: the file that [`POLICY_VARIABLE`] names, or `bakeoff/policy.toml` in
    /// the user's folder for configuration, or the defaults where that does not exist.
    ///
    /// # Errors
    /// The file cannot be read, is invalid, or lies in the folder that bakeoff is started in.
    pub fn of_host() -> Result<Self, ConfigError> {
        use etcetera::BaseStrategy;
        match std::env::var_os(POLICY_VARIABLE) {
            Some(name) if name.is_empty() => Ok(Self::default()),
            Some(name) if Path::new(&name).is_relative() => Err(ConfigError::Refused(format!(
                "{POLICY_VARIABLE} is {}, which is no absolute path: the folder that bakeoff is \
                 started in would choose the policy",
                name.display()
            ))),
            Some(name) => Self::load(Path::new(&name)),
            None => {
                let Ok(strategy) = etcetera::choose_base_strategy() else {
                    return Ok(Self::default());
                };
                let file = strategy.config_dir().join("bakeoff/policy.toml");
                // A file that is there and cannot be read is an error: it may forbid something.
                match std::fs::symlink_metadata(&file) {
                    Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::default()),
                    _ => {
                        refuse_of_folder(&file, &WorkingFolder::current())?;
                        Self::load(&file)
                    }
                }
            }
        }
    }

    /// Returns the folders below which files may be granted by absolute paths.
    pub fn granted_folders(&self) -> impl Iterator<Item = &Path> {
        let folders = self.folders.iter().flat_map(|folders| &folders.value);
        folders.map(PathBuf::as_path)
    }

    /// Returns the path at which the policy of this host is looked for, whether the file exists or not; `None` if
    /// there is no folder for it, or the variable names no absolute path.
    pub fn file_of_host() -> Option<PathBuf> {
        use etcetera::BaseStrategy;
        match std::env::var_os(POLICY_VARIABLE) {
            Some(name) => Some(PathBuf::from(name)).filter(|file| file.is_absolute()),
            None => {
                let strategy = etcetera::choose_base_strategy().ok()?;
                Some(strategy.config_dir().join("bakeoff/policy.toml"))
            }
        }
    }

    /// Reads the policy in a file.
    ///
    /// # Errors
    /// The file cannot be read, or is invalid.
    pub fn load(file: &Path) -> Result<Self, ConfigError> {
        let text = read(file, "policy", Reach::Anywhere)?;
        Self::parse(&text, &file.display().to_string())
    }

    /// Parses the text of a policy. `name` is its name in messages.
    ///
    /// # Errors
    /// [`ConfigError::Invalid`] with all findings.
    pub fn parse(text: &str, name: &str) -> Result<Self, ConfigError> {
        let invalid = |found: Vec<Finding>| ConfigError::Invalid(Findings::new(name, text, found));
        let table = syntax(text).map_err(invalid)?;
        let mut found = Vec::new();
        let mut root = Section::new("the policy", table.get_ref(), 0..0);
        let mut policy = Self {
            file: Some((name.to_owned(), text.to_owned())),
            ..Self::default()
        };
        if let Some(mut grant) = root.section("grant", &mut found) {
            policy.folders = folders(&mut grant, &mut found);
            grant.close(&mut found);
        }
        if let Some(mut limits) = root.section("limits", &mut found) {
            policy.memory_bytes = options::memory(&mut limits, &mut found);
            policy.fuel = options::fuel(&mut limits, &mut found);
            policy.wall = options::wall(&mut limits, &mut found);
            policy.output_bytes = options::output(&mut limits, &mut found);
            limits.close(&mut found);
        }
        if let Some(mut components) = root.section("components", &mut found) {
            policy.wasi = components.flag("wasi", &mut found);
            components.close(&mut found);
        }
        if let Some(mut programs) = root.section("programs", &mut found) {
            policy.programs = programs.flag("allow", &mut found);
            programs.close(&mut found);
        }
        if let Some(mut build) = root.section("build", &mut found) {
            policy.crates = build.flag("crates", &mut found);
            build.close(&mut found);
        }
        if let Some(mut section) = root.section("generate", &mut found) {
            policy.generate = section.flag("allow", &mut found);
            policy.generate_bounds = GenerateBounds {
                microdollars: asked_model::usd(&mut section, &mut found),
                tokens: asked_model::tokens(&mut section, &mut found),
            };
            section.close(&mut found);
        }
        if let Some(mut confinement) = root.section("confinement", &mut found) {
            policy.allow_unconfined = confinement.flag("allow_unconfined", &mut found);
            confinement.close(&mut found);
        }
        if let Some(mut section) = root.section("workers", &mut found) {
            policy.workers = workers::workers(&mut section, &mut found);
            section.close(&mut found);
        }
        root.close(&mut found);
        if found.is_empty() {
            Ok(policy)
        } else {
            Err(invalid(found))
        }
    }

    /// Returns true if components of users may import WASI.
    pub fn allows_wasi(&self) -> bool {
        self.wasi.as_ref().is_none_or(|allowed| allowed.value)
    }

    /// Returns the policy with the user's leave to run the programs of an experiment.
    ///
    /// # Errors
    /// The policy forbids it; the error names its line.
    pub fn with_programs(mut self) -> Result<Self, ConfigError> {
        self.permitted(self.programs.as_ref(), "--programs")?;
        self.programs_allowed = true;
        Ok(self)
    }

    /// Returns an error if a key is off, which refuses an option.
    fn permitted(&self, key: Option<&At<bool>>, option: &str) -> Result<(), ConfigError> {
        match key {
            Some(At { value: false, span }) => Err(ConfigError::Refused(format!(
                "{option} is refused by the host's policy, {}",
                self.line(span)
            ))),
            _ => Ok(()),
        }
    }

    /// Returns true if the programs of an experiment may be run: the user gave leave, or the host's policy allows it.
    pub fn allows_programs(&self) -> bool {
        self.programs_allowed || matches!(self.programs, Some(At { value: true, .. }))
    }

    /// Checks that `--allow-unconfined` may be used.
    ///
    /// # Errors
    /// The policy forbids it; the error names its line.
    pub fn permit_unconfined(&self) -> Result<(), ConfigError> {
        self.permitted(self.allow_unconfined.as_ref(), "--allow-unconfined")
    }

    /// Checks that a package of a repository may be built, whose build scripts and macros run behind the fence as those of
    /// crates do.
    ///
    /// # Errors
    /// The policy forbids crates; the error names its line.
    pub fn permit_packages(&self) -> Result<(), ConfigError> {
        self.permitted(self.crates.as_ref(), "--package")
    }

    /// Checks that a run may ask a model for approaches or opinions, for which the user gives leave by `flag`.
    ///
    /// # Errors
    /// The policy forbids it; the error names its line.
    pub fn permit_models(&self, flag: &str) -> Result<(), ConfigError> {
        self.permitted(self.generate.as_ref(), flag)
    }

    /// Returns the most that a run may spend on models.
    pub fn generate_bounds(&self) -> GenerateBounds {
        self.generate_bounds
    }

    /// Applies the policy to an experiment. Defaults are lowered to what the policy allows; limits of a
    /// recorded run stay.
    ///
    /// # Errors
    /// The experiment or the recorded run asks for more than the policy allows. The error points at the
    /// place, and names the line of the policy.
    pub fn apply_to(&self, loaded: &mut LoadedExperiment) -> Result<(), ConfigError> {
        let mut limits = loaded.experiment.limits;
        let bytes = |bytes: &u64| show_bytes(*bytes);
        self.apply_limit(
            loaded,
            LimitKey::Memory,
            &mut limits.memory_bytes,
            &self.memory_bytes,
            bytes,
        )?;
        self.apply_limit(
            loaded,
            LimitKey::Fuel,
            &mut limits.fuel,
            &self.fuel,
            u64::to_string,
        )?;
        let time = |time: &Duration| show_duration(*time);
        self.apply_limit(loaded, LimitKey::Wall, &mut limits.wall, &self.wall, time)?;
        self.apply_limit(
            loaded,
            LimitKey::Output,
            &mut limits.output_bytes,
            &self.output_bytes,
            bytes,
        )?;
        loaded.experiment.limits = limits;
        if let Some(At { value: false, span }) = &self.crates
            && !loaded.experiment.crates.is_empty()
        {
            let message = "the experiment allows crates, and the host's policy does not";
            let help = format!("{} says so; leave the crates out", self.line(span));
            return Err(loaded.wrong(ConfigPlace::Crates, message, "these", &help));
        }
        for (approach, declared) in loaded.experiment.approaches.iter().enumerate() {
            for (index, grant) in declared.grants.iter().enumerate() {
                let place = ConfigPlace::Grant(approach, index);
                self.permit(&grant.folder, &loaded.dir, |message, help| {
                    loaded.wrong(place, message, "granted here", help)
                })?;
            }
        }
        Ok(())
    }

    /// Lowers a default to the most that the policy allows, and refuses a declared or recorded limit above it.
    fn apply_limit<T: PartialOrd + Copy>(
        &self,
        loaded: &LoadedExperiment,
        key: LimitKey,
        value: &mut T,
        most: &Option<At<T>>,
        show: impl Fn(&T) -> String,
    ) -> Result<(), ConfigError> {
        let Some(most) = most.as_ref().filter(|most| *value > most.value) else {
            return Ok(());
        };
        if !loaded.fixes(key) {
            *value = most.value;
            return Ok(());
        }
        let message = format!(
            "`{}` is {}, and the host's policy allows {} at most",
            key.name(),
            show(value),
            show(&most.value)
        );
        let instead = if loaded.is_recorded() {
            "the run was made with more, and can be repeated only where that is allowed"
        } else {
            "ask for less"
        };
        let help = format!("{} says so; {instead}", self.line(&most.span));
        Err(loaded.wrong(
            ConfigPlace::Limit(key),
            &message,
            "more than is allowed",
            &help,
        ))
    }

    /// Returns the folder to read for a granted folder of an experiment in `dir`, if the policy permits it.
    ///
    /// # Errors
    /// The policy does not permit it; `refuse` makes the error from a message and a help.
    pub fn permit(
        &self,
        folder: &Path,
        dir: &Path,
        refuse: impl Fn(&str, &str) -> ConfigError,
    ) -> Result<PermittedFolder, ConfigError> {
        let shown = quoted(&folder.display().to_string());
        let Some(allowed) = &self.folders else {
            if folder.is_absolute() {
                let message = format!("the folder {shown} is not the experiment's own");
                let help = "put it into the experiment's folder; or name one above it in `folders` \
                            of the host's policy, docs/security.md says where that is";
                return Err(refuse(&message, help));
            }
            return Ok(PermittedFolder {
                home: dir.to_owned(),
                folder: folder.to_owned(),
            });
        };
        let unread = |error: std::io::Error| {
            let message = format!("the folder {shown} cannot be looked up: {error}");
            refuse(&message, "check the spelling")
        };
        // Without links on either side: a granted folder could leave the permitted one through a link.
        let real = dir.join(folder).canonicalize().map_err(unread)?;
        for home in &allowed.value {
            let home = home.canonicalize().unwrap_or_else(|_| home.clone());
            let Ok(inside) = real.strip_prefix(&home) else {
                continue;
            };
            let inside = if inside.as_os_str().is_empty() {
                Path::new(".")
            } else {
                inside
            };
            return Ok(PermittedFolder {
                folder: inside.to_owned(),
                home,
            });
        }
        let message = format!("the host's policy does not let {shown} be granted");
        let help = format!("{} names the folders that can be", self.line(&allowed.span));
        Err(refuse(&message, &help))
    }

    /// Returns the server of workers that this policy names, with its place there as `FILE:LINE`.
    pub fn workers(&self) -> Option<(&PolicyWorkers, String)> {
        let workers = self.workers.as_ref()?;
        Some((&workers.value, self.line(&workers.span)))
    }

    /// Returns the location of a span in the policy's file, as `FILE:LINE`.
    fn line(&self, span: &Range<usize>) -> String {
        let Some((name, text)) = &self.file else {
            return "the defaults".to_owned();
        };
        let before = text.get(..span.start).unwrap_or_default();
        let line = 1 + before.matches('\n').count();
        format!("{}:{line}", error::inert(name))
    }
}

/// Reads `folders` of `[grant]`.
fn folders(section: &mut Section<'_>, found: &mut Vec<Finding>) -> Option<At<Vec<PathBuf>>> {
    let list = section.array("folders", "a list of absolute paths", found)?;
    let mut folders = Vec::new();
    for one in list.value.iter().take(FOLDERS_MAX + 1) {
        let path = one.value.as_str().map(Path::new);
        match path.filter(|path| path.is_absolute() && folders.len() < FOLDERS_MAX) {
            Some(path) => folders.push(path.to_owned()),
            None => found.push(Finding::new(
                one.span.clone(),
                "`folders` has an element that is no absolute path, or too many of them",
                "this one",
                format!("it is a list of up to {FOLDERS_MAX} paths like \"/srv/data\""),
            )),
        }
    }
    Some(At {
        value: folders,
        span: list.span,
    })
}

#[cfg(test)]
mod tests;
