//! Connections to a container that is started for one command, by `docker` or `podman`.
//!
//! The container has no network, no folder of this machine and no capabilities. Its image is here already: nothing is
//! fetched. An image of a release has the program; any other one with a shell gets it through the same pipe.

use super::connection::{Connection, Connector, FirstAnswer};
use super::error::RemoteError;
use super::program::SentProgram;
use super::stderr::OnStderr;
use bakeoff_files::SearchPath;
use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};

/// Names of the programs that start containers; the first that is there is taken.
const ENGINES: [&str; 2] = ["docker", "podman"];

/// The version of this program, which an image of its release names in its label.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Name and tag of the image of this program's release.
const OWN_IMAGE: &str = concat!("bakeoff:", env!("CARGO_PKG_VERSION"));

/// The place of the program in an image that has the label.
const OWN_PROGRAM: &str = "/usr/bin/bakeoff";

/// The longest name of an image, in bytes.
const IMAGE_BYTES_MAX: usize = 512;

/// Template of what is asked of an image: its system, its processor, and its label.
const FACTS: &str =
    "{{.Os}}/{{.Architecture}}/{{with .Config.Labels}}{{index . \"bakeoff.version\"}}{{end}}";

/// Options of every container: it is removed at its end, and reaches nothing but its pipes.
const OPTIONS: [&str; 9] = [
    "run",
    "--interactive",
    "--rm",
    // A name that is not here could be anybody's in a registry.
    "--pull=never",
    "--network=none",
    "--cap-drop=all",
    "--security-opt=no-new-privileges",
    // The output is messages, files among them: no copy of it is kept.
    "--log-driver=none",
    // Ctrl-C is passed on as a message.
    "--sig-proxy=false",
];

/// Variables that engines set in containers by themselves. An address of a proxy may hold a password.
const PROXIES: [&str; 10] = [
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "FTP_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "ftp_proxy",
    "no_proxy",
    "all_proxy",
];

/// The image that a user named: `container:IMAGE`, or `container` for that of this program's release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerTarget(String);

impl ContainerTarget {
    /// Takes the name of an image, with a registry, a tag or a digest if need be; `None` if it could be something else.
    pub(crate) fn new(image: Option<&str>) -> Option<Self> {
        let Some(image) = image else {
            return Some(Self(OWN_IMAGE.to_owned()));
        };
        let is_name = |c: char| c.is_ascii_alphanumeric() || "._-/:@".contains(c);
        // A name that begins with a dash would be an option.
        let begins = image.starts_with(|c: char| c.is_ascii_alphanumeric());
        let is_image = begins && image.len() <= IMAGE_BYTES_MAX && image.chars().all(is_name);
        is_image.then(|| Self(image.to_owned()))
    }

    /// Returns the image's name.
    pub fn image(&self) -> &str {
        &self.0
    }
}

/// A way to a container.
pub(crate) struct Container {
    engine: PathBuf,
    search_path: OsString,
    image: String,
    program: SentProgram,
    on_stderr: OnStderr,
}

/// The facts of an image.
struct ImageFacts {
    /// Its system and processor, as `uname -sm` names them.
    machine: String,
    /// True if it has the program of this version.
    has_program: bool,
}

impl Container {
    /// Finds what starts containers, and the program that is to run there: `binary`, or this one.
    ///
    /// # Errors
    /// There is neither `docker` nor `podman` on the user's search path, or the program cannot be read.
    pub(crate) fn new(
        target: &ContainerTarget,
        binary: Option<&Path>,
        on_stderr: OnStderr,
    ) -> Result<Self, RemoteError> {
        let path = SearchPath::of_user();
        let engine = ENGINES.into_iter().find_map(|name| path.find(name));
        let engine = engine.ok_or_else(|| {
            RemoteError::Start(
                "there is neither `docker` nor `podman` on the search path: install one of them"
                    .to_owned(),
            )
        })?;
        Ok(Self {
            engine,
            search_path: path.to_variable(),
            image: target.image().to_owned(),
            program: SentProgram::new(binary)?,
            on_stderr,
        })
    }

    /// Starts a container, with the program in it.
    ///
    /// # Errors
    /// There is no such image here, it is for another processor, or the program does not start in it.
    pub(crate) async fn connect(&self, argument: &str) -> Result<Connection, RemoteError> {
        let facts = self.facts().await?;
        let is_own = facts.has_program && !self.program.is_named;
        // What an image has itself is for the image's processor, so that a program of another system need not run there.
        if !is_own || cfg!(target_os = "linux") {
            self.program.check_runs_on(&self.image, &facts.machine)?;
        }
        let mut arguments: Vec<String> = OPTIONS.into_iter().map(str::to_owned).collect();
        arguments.extend(PROXIES.map(|name| format!("--env={name}=")));
        let answer = if is_own {
            arguments.push(format!("--entrypoint={OWN_PROGRAM}"));
            arguments.extend([self.image.clone(), argument.to_owned()]);
            self.start(&arguments)?.first_answer(None).await?
        } else {
            let program = self.program.open()?;
            let bytes = program.metadata()?.len();
            arguments.push("--entrypoint=/bin/sh".to_owned());
            arguments.extend([self.image.clone(), "-c".to_owned()]);
            arguments.push(self.script(bytes, argument));
            self.start(&arguments)?.first_answer(Some(program)).await?
        };
        let engine = self.engine_name();
        match answer {
            FirstAnswer::FarEnd(connection) => Ok(*connection),
            FirstAnswer::Other((text, Some(0))) => Err(RemoteError::Start(format!(
                "a container of {} answers with something else: {:?}",
                self.image,
                text.trim()
            ))),
            FirstAnswer::Other(_) => Err(RemoteError::Start(format!(
                "a container of {} does not start the program; what {engine} says of it stands above. The image needs \
                 `/bin/sh`, `head`, `mktemp` and `sha256sum`, or the program of this version ({OWN_IMAGE})",
                self.image
            ))),
        }
    }

    /// Returns the shell's commands that take the program from the pipe, check it and become it.
    fn script(&self, bytes: u64, argument: &str) -> String {
        let digest = &self.program.digest;
        format!(
            "t=$(mktemp -d) && head -c {bytes} >\"$t/bakeoff\" && case \"$(sha256sum \"$t/bakeoff\")\" in {digest}*) \
             chmod 700 \"$t/bakeoff\" && exec \"$t/bakeoff\" {argument};; *) echo the program came changed or in part;; esac"
        )
    }

    async fn facts(&self) -> Result<ImageFacts, RemoteError> {
        let format = format!("--format={FACTS}");
        let arguments = ["image", "inspect", &format, &self.image].map(str::to_owned);
        let (text, status) = self.start(&arguments)?.text(&[]).await?;
        let mut parts = text.trim().splitn(3, '/');
        let facts = (parts.next(), parts.next(), parts.next());
        let (Some(system), Some(processor), Some(version)) = facts else {
            return Err(self.no_image());
        };
        if status != Some(0) {
            return Err(self.no_image());
        }
        Ok(ImageFacts {
            machine: machine(system, processor),
            has_program: version == VERSION,
        })
    }

    fn no_image(&self) -> RemoteError {
        let engine = self.engine_name();
        let next = if self.image == OWN_IMAGE {
            format!(
                "load that of this release (`{engine} load -i bakeoff-image-….tar.gz`), or name another one as `container:IMAGE`"
            )
        } else {
            format!("fetch it with `{engine} pull {}`", self.image)
        };
        RemoteError::Start(format!(
            "{engine} cannot tell of an image {}; what it says stands above. Nothing is fetched by itself: {next}",
            self.image
        ))
    }

    fn engine_name(&self) -> &str {
        let name = self.engine.file_name().and_then(|name| name.to_str());
        name.unwrap_or_default()
    }

    fn start(&self, arguments: &[String]) -> Result<Connector, RemoteError> {
        let mut command = std::process::Command::new(&self.engine);
        command
            .args(arguments)
            .env("PATH", &self.search_path)
            // Ctrl-C reaches the processes of a terminal's group, and must not end what it is passed on through.
            .process_group(0);
        Connector::start(command, self.engine_name(), &self.on_stderr)
    }
}

/// Returns the system and processor of an image as `uname -sm` names them.
fn machine(system: &str, processor: &str) -> String {
    let system = if system == "linux" { "Linux" } else { system };
    let processor = match processor {
        "amd64" => "x86_64",
        "arm64" => "aarch64",
        other => other,
    };
    format!("{system} {processor}")
}
