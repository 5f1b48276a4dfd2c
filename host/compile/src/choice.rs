//! The choice of the compiler: found once, by an absolute path, whatever lies in folders that an
//! experiment could bring.
//!
//! rustup's `rustc` obeys the folder in which it is started, and files above it. So it is asked in the
//! root folder only, with an environment of a few variables, and builds run the toolchain's own compiler.

use super::toolchain_error::ToolchainError;
use bakeoff_confine::{Keeper, kept, kill_with_parent};
use bakeoff_files::{SearchPath, owned_by_others};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use tokio::process::Command;

/// Variables that name the user's own folders. They are passed on if they are absolute.
const FOLDERS: [&str; 3] = ["HOME", "RUSTUP_HOME", "CARGO_HOME"];

/// Variables of proxies, certificates and servers that a download by rustup needs.
const NETWORK: [&str; 12] = [
    "ALL_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "all_proxy",
    "https_proxy",
    "http_proxy",
    "no_proxy",
    "RUSTUP_DIST_SERVER",
    "RUSTUP_UPDATE_ROOT",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
];

/// The reason why a compiler was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolchainChoice {
    /// Named by the variable `RUSTC`.
    Named,
    /// The compiler that bakeoff was built with.
    BuiltWith,
    /// The user's default: the compiler behind the `rustc` on the search path.
    Default,
    /// There is no compiler: components alone can be built.
    Missing,
}

impl ToolchainChoice {
    /// Returns the reason in words, to follow the compiler's version; empty if there is no compiler.
    pub fn words(self) -> &'static str {
        match self {
            Self::Named => "named by RUSTC",
            Self::BuiltWith => "the one that bakeoff was built with",
            Self::Default => "the default of this user",
            Self::Missing => "",
        }
    }
}

/// Variables and search path of the user that decide about the toolchain.
#[derive(Clone, Debug, Default)]
pub(super) struct Programs {
    /// The variable `RUSTC`.
    pub(super) named: Option<OsString>,
    /// The folder of the toolchain that bakeoff was built with.
    pub(super) built_with: Option<PathBuf>,
    pub(super) path: SearchPath,
    /// Variables for the programs of the toolchain.
    pub(super) environment: Vec<(OsString, OsString)>,
    /// The folder of rustup, with its toolchains.
    pub(super) rustup_home: Option<PathBuf>,
    /// True if a missing compilation target is added by rustup.
    pub(super) adds_target: bool,
}

impl Programs {
    /// Reads the user's environment.
    pub(super) fn of_user(adds_target: bool) -> Self {
        let absolute = |name: &&str| {
            let value = std::env::var_os(name)?;
            Path::new(&value)
                .is_absolute()
                .then(|| ((*name).into(), value))
        };
        let folders: Vec<(OsString, OsString)> = FOLDERS.iter().filter_map(absolute).collect();
        let folder = |name: &str| {
            let found = folders.iter().find(|(known, _)| *known == *name);
            found.map(|(_, value)| PathBuf::from(value))
        };
        let in_home = || Some(folder("HOME")?.join(".rustup"));
        let rustup_home = folder("RUSTUP_HOME").or_else(in_home);
        let network = NETWORK
            .iter()
            .filter_map(|name| Some(((*name).into(), std::env::var_os(name)?)));
        let path = SearchPath::of_user();
        let searched = [("PATH".into(), path.to_variable())];
        let environment = folders.into_iter().chain(network).chain(searched).collect();
        Self {
            named: std::env::var_os("RUSTC").filter(|name| !name.is_empty()),
            built_with: option_env!("BAKEOFF_BUILT_WITH").map(PathBuf::from),
            path,
            environment,
            rustup_home,
            adds_target,
        }
    }

    /// Returns a command in the root folder, with the few variables that it may have.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        kill_with_parent(command.as_std_mut());
        self.prepared(command)
    }

    /// Returns a command as [`Programs::command`] does, under a keeper, for a program that starts others: all of them
    /// end with it, and with bakeoff.
    ///
    /// # Errors
    /// This system has no keepers.
    pub(super) fn kept_command(&self, program: &Path) -> io::Result<Command> {
        Ok(self.prepared(kept(program)?.into()))
    }

    fn prepared(&self, mut command: Command) -> Command {
        command
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .current_dir("/")
            .stdin(Stdio::null());
        command
    }

    /// Runs a program, and returns the text that it prints.
    pub(super) async fn output_of(
        &self,
        program: &Path,
        arguments: &[&str],
    ) -> Result<String, ToolchainError> {
        let failed = |reason: String| ToolchainError::NoCompiler {
            reason: format!("`{} {}` {reason}", program.display(), arguments.join(" ")),
        };
        let output = self.command(program).args(arguments).output().await;
        let output = output.map_err(|error| failed(format!("cannot be started ({error})")))?;
        if !output.status.success() {
            let stderr = String::from_utf8_lossy(&output.stderr);
            let last = stderr.lines().last().unwrap_or_default().trim();
            return Err(failed(format!("failed ({last})")));
        }
        String::from_utf8(output.stdout).map_err(|_| failed("printed invalid UTF-8".to_owned()))
    }

    /// Chooses a compiler: returns its own path, its toolchain's folder, and the reason.
    pub(super) async fn choose(
        &self,
    ) -> Result<(PathBuf, PathBuf, ToolchainChoice), ToolchainError> {
        if let Some(named) = &self.named {
            let named = PathBuf::from(named);
            if !named.is_absolute() {
                let reason = format!(
                    "RUSTC is `{}`, which is no absolute path: what it names would depend on the \
                     folder that bakeoff is started in",
                    named.display()
                );
                return Err(ToolchainError::NoCompiler { reason });
            }
            let (rustc, sysroot) = self.behind(named).await?;
            return Ok((rustc, sysroot, ToolchainChoice::Named));
        }
        let built_with = match &self.built_with {
            None => "which toolchain bakeoff was built with is not known".to_owned(),
            Some(sysroot) => match usable(sysroot) {
                Ok((rustc, sysroot)) => return Ok((rustc, sysroot, ToolchainChoice::BuiltWith)),
                Err(why) => format!("the one that bakeoff was built with cannot be used ({why})"),
            },
        };
        let Some(default) = self.path.find("rustc") else {
            let reason = format!(
                "{built_with}, and there is no `rustc` in a folder of PATH that is absolute, outside \
                 of this folder, and closed to other users"
            );
            return Err(ToolchainError::NoCompiler { reason });
        };
        let (rustc, sysroot) = self.behind(default).await?;
        Ok((rustc, sysroot, ToolchainChoice::Default))
    }

    /// Returns the compiler behind a program that may be rustup's, and its toolchain's folder.
    async fn behind(&self, program: PathBuf) -> Result<(PathBuf, PathBuf), ToolchainError> {
        let asked = self.output_of(&program, &["--print", "sysroot"]).await?;
        let sysroot = resolved(PathBuf::from(asked.trim()));
        let own = sysroot.join("bin/rustc");
        // Without a compiler in the folder, the one that was asked is not rustup's.
        let rustc = if own.is_file() { own } else { program };
        Ok((rustc, sysroot))
    }
}

/// Runs a [kept command](Programs::kept_command) to its end. If the future is dropped, the program ends with all that
/// it started.
pub(super) async fn output_of_kept(mut command: Command) -> io::Result<Output> {
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let keeper = child.id().map(Keeper::of).transpose()?;
    let output = child.wait_with_output().await;
    drop(keeper);
    output
}

/// Returns the folders of the user's compilers and of the programs that find them, as far as they are known without
/// running one.
pub fn toolchain_folders() -> Vec<PathBuf> {
    let programs = Programs::of_user(false);
    // The folder above rustup's own programs is no toolchain, and has the keys of registries.
    let sysroot_of = |rustc: &Path| {
        let sysroot = resolved(rustc.to_owned()).parent()?.parent()?.to_owned();
        sysroot.join("lib/rustlib").is_dir().then_some(sysroot)
    };
    let named = programs.named.map(PathBuf::from);
    let named = named.and_then(|rustc| sysroot_of(&rustc));
    let default = programs.path.find("rustc");
    let default = default.and_then(|rustc| sysroot_of(&rustc));
    // A folder above the user's own files is none of programs.
    let home = programs.environment.iter().find(|(name, _)| name == "HOME");
    let is_above =
        |folder: &PathBuf| home.is_some_and(|(_, home)| Path::new(home).starts_with(folder));
    let searched = programs.path.to_variable();
    let searched: Vec<PathBuf> = std::env::split_paths(&searched)
        .filter(|folder| !is_above(folder))
        .collect();
    let own = [named, programs.built_with, programs.rustup_home, default];
    own.into_iter().flatten().chain(searched).collect()
}

/// Returns the compiler in the folder of a toolchain with that folder, if it is still there and no other user owns it.
/// Write permissions are not checked: users that had them when bakeoff was built with it could have changed bakeoff
/// itself.
fn usable(sysroot: &Path) -> Result<(PathBuf, PathBuf), String> {
    let rustc = sysroot.join("bin/rustc");
    match owned_by_others(&rustc) {
        Err(_) => Err(format!("{} is gone", rustc.display())),
        Ok(Some(why)) => Err(why),
        Ok(None) => {
            let sysroot = resolved(sysroot.to_owned());
            Ok((sysroot.join("bin/rustc"), sysroot))
        }
    }
}

/// Resolves symbolic links, if the path exists: a fence may not include their targets.
pub(super) fn resolved(path: PathBuf) -> PathBuf {
    std::fs::canonicalize(&path).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::super::scripted_toolchain::scripted;
    use super::*;
    use std::fs;

    #[tokio::test]
    async fn the_toolchain_that_bakeoff_was_built_with_comes_before_the_default() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("toolchains/fake").canonicalize();
        let mut programs = scripted(folder.path(), "exit 1");
        let own = own.unwrap_or_else(|_| {
            folder
                .path()
                .canonicalize()
                .unwrap()
                .join("toolchains/fake")
        });
        let (_, sysroot, why) = programs.choose().await.unwrap();
        assert_eq!((sysroot, why), (own.clone(), ToolchainChoice::Default));

        let built_with = folder.path().join("built-with");
        fs::create_dir_all(built_with.join("bin")).unwrap();
        fs::copy(own.join("bin/rustc"), built_with.join("bin/rustc")).unwrap();
        programs.built_with = Some(built_with.clone());
        let (rustc, _, why) = programs.choose().await.unwrap();
        assert_eq!(why, ToolchainChoice::BuiltWith);
        assert!(rustc.ends_with("built-with/bin/rustc"), "{rustc:?}");

        // It is gone: the default.
        fs::remove_dir_all(&built_with).unwrap();
        let (_, _, why) = programs.choose().await.unwrap();
        assert_eq!(why, ToolchainChoice::Default);
        programs.path = SearchPath::default();
        let error = programs.choose().await.unwrap_err().to_string();
        assert!(error.contains("built-with/bin/rustc is gone"), "{error}");
        assert!(error.contains("https://rustup.rs"), "{error}");
    }

    #[tokio::test]
    async fn a_compiler_that_is_named_is_the_only_choice_and_has_an_absolute_path() {
        let folder = tempfile::tempdir().unwrap();
        let mut programs = scripted(folder.path(), "exit 1");
        programs.named = Some(folder.path().join("bin/rustc").into());
        assert_eq!(programs.choose().await.unwrap().2, ToolchainChoice::Named);
        for relative in ["rustc", "bin/rustc", "./rustc"] {
            programs.named = Some(relative.into());
            let error = programs.choose().await.unwrap_err().to_string();
            assert!(error.contains(&format!("RUSTC is `{relative}`")), "{error}");
            assert!(error.contains("absolute path"), "{error}");
        }
        programs.named = Some("/nonexistent/rustc".into());
        let error = programs.choose().await.unwrap_err().to_string();
        assert!(error.contains("/nonexistent/rustc --print"), "{error}");
    }

    /// A `rustc` like rustup's own, which looks for files in and above the working folder.
    #[tokio::test]
    async fn programs_start_in_the_root_folder_with_few_variables() {
        let programs = Programs {
            environment: vec![("HOME".into(), "/home/ann".into())],
            ..Programs::default()
        };
        let said = programs
            .output_of(Path::new("/bin/sh"), &["-c", "pwd; env"])
            .await;
        let said = said.unwrap();
        let mut lines: Vec<&str> = said.lines().collect();
        lines.retain(|line| !line.starts_with("_=") && !line.starts_with("SHLVL="));
        assert_eq!(lines, ["/", "HOME=/home/ann", "PWD=/"]);
    }
}
