//! Run of cargo in the child, without a network, on sources that were fetched before.

use super::package;
use super::product::{Message, Product, collect, messages};
use super::protocol::{CratesEvent, CratesTask, ROLE, WantedLibraries};
use crate::failures::cut;
use bakeoff_confine::{Frames, Role, kill_with_parent};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};

/// The arguments of cargo, whatever is built.
const ARGUMENTS: [&str; 5] = [
    "--release",
    "--lib",
    "--jobs=2",
    "--color=never",
    "--message-format=json",
];

/// The release profile of a package of the user's, over what its manifest says: as prototypes are compiled.
const PROFILE: [(&str, &str); 8] = [
    ("OPT_LEVEL", "3"),
    ("CODEGEN_UNITS", "1"),
    ("LTO", "off"),
    ("PANIC", "abort"),
    ("DEBUG", "false"),
    ("DEBUG_ASSERTIONS", "false"),
    ("OVERFLOW_CHECKS", "false"),
    ("INCREMENTAL", "false"),
];

/// The search path, with the host's linker, which build scripts and macros need.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The most bytes that are read of cargo's output.
const SAID_BYTES_MAX: u64 = 16 << 20;

/// Returns the role of children that build crates, for [`enter_if_child`](bakeoff_confine::enter_if_child).
pub fn crates_role() -> Role {
    Role {
        before_fence: Role::nothing,
        name: ROLE,
        run: serve,
    }
}

fn serve(payload: &[u8], frames: &mut Frames) -> Result<(), String> {
    let task: CratesTask = postcard::from_bytes(payload).map_err(|error| error.to_string())?;
    let (event, contents) = match build(&task) {
        Ok((externs, files)) => {
            let (names, contents): (Vec<_>, Vec<_>) = files.into_iter().unzip();
            let files = names;
            (CratesEvent::Built { externs, files }, contents)
        }
        Err(reason) => (CratesEvent::Failed(cut(&reason)), Vec::new()),
    };
    let bytes = postcard::to_stdvec(&event).map_err(|error| error.to_string())?;
    frames.send(&bytes).map_err(|error| error.to_string())?;
    for content in contents {
        frames.send(&content).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn build(task: &CratesTask) -> Result<Product, String> {
    let unwritten = |error: io::Error| format!("cannot write into the build's folder: {error}");
    let scratch = &task.scratch;
    let folder = |name: &str| scratch.join(name);
    if let WantedLibraries::Allowed { crates, lock, .. } = &task.wanted {
        package::write(&folder("package"), crates, Some(lock)).map_err(unwritten)?;
    }
    std::fs::create_dir_all(folder("home")).map_err(unwritten)?;
    std::fs::create_dir_all(folder("tmp")).map_err(unwritten)?;
    let settings = settings(&task.sources)?;
    std::fs::write(folder("home/config.toml"), settings).map_err(unwritten)?;
    let (answers, said) = (folder("answers"), folder("said"));
    let status =
        run(task, &answers, &said).map_err(|error| format!("cannot run cargo: {error}"))?;
    let messages = messages(&read_text(&answers));
    if !status.success() {
        return Err(explain(&messages, &read_text(&said), task));
    }
    collect(task, &messages)
}

/// Returns cargo's settings, by which it takes crates from the folder of sources and is offline.
fn settings(sources: &Path) -> Result<String, String> {
    let shown = sources.display().to_string();
    if shown.contains(['\'', '\n']) {
        return Err(format!(
            "the folder of the crates, {shown}, has a name that cargo cannot be told"
        ));
    }
    Ok(format!(
        "[source.crates-io]\nreplace-with = 'kept'\n[source.kept]\ndirectory = '{shown}'\n[net]\noffline = true\n"
    ))
}

fn run(task: &CratesTask, answers: &Path, said: &Path) -> io::Result<std::process::ExitStatus> {
    let (closed, stdin) = UnixStream::pair()?;
    drop(closed);
    let remap = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
    // Cargo reads from the compiler's warnings what the target can do, so there is no flag that silences them.
    let remapped = [
        remap(&task.sources, "/crates"),
        remap(&task.scratch, "/crates"),
        remap(&task.sysroot, "/rust"),
    ];
    let mut flags: Vec<String> = task.features.iter().cloned().chain(remapped).collect();
    let target = format!("--target={}", task.target);
    let mut command = Command::new(&task.cargo);
    command.env_clear();
    match &task.wanted {
        WantedLibraries::Allowed { .. } => {
            command
                .args(["build", "--frozen"])
                .args(ARGUMENTS)
                .arg(target)
                .current_dir(task.scratch.join("package"));
        }
        WantedLibraries::Package {
            manifest,
            files,
            library,
        } => {
            flags.push(remap(files, "/package"));
            command
                // A lock of the working tree may be that of a later revision: cargo takes of it what fits.
                .args(["rustc", "--offline", "--crate-type=lib"])
                .args(ARGUMENTS)
                .arg(target)
                .arg("--manifest-path")
                .arg(manifest)
                // A panic does not know its line then, so that code which only moved in its file stays the same.
                .args(["--", "-Zlocation-detail=none"])
                .env("RUSTC_BOOTSTRAP", library)
                .envs(PROFILE.map(|(name, value)| (format!("CARGO_PROFILE_RELEASE_{name}"), value)))
                // Cargo takes settings from the folder that it is started in.
                .current_dir(task.scratch.join("home"));
        }
    }
    command
        .env("PATH", PATH)
        .env("HOME", task.scratch.join("home"))
        .env("CARGO_HOME", task.scratch.join("home"))
        .env("CARGO_TARGET_DIR", task.scratch.join("target"))
        .env("TMPDIR", task.scratch.join("tmp"))
        .env("RUSTC", &task.rustc)
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"))
        .stdin(Stdio::from(OwnedFd::from(stdin)))
        .stdout(File::create(answers)?)
        .stderr(File::create(said)?);
    kill_with_parent(&mut command).spawn()?.wait()
}

/// Reads a file as text, without following a link; empty if it cannot be read.
fn read_text(path: &Path) -> String {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut options = std::fs::OpenOptions::new();
    let opened = options.read(true).custom_flags(libc::O_NOFOLLOW).open(path);
    let mut bytes = Vec::new();
    if let Ok(file) = opened {
        let _ = file.take(SAID_BYTES_MAX).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the reason why cargo failed: the compiler's first error with the crate that has it, or else cargo's own
/// message.
fn explain(messages: &[Message], said: &str, task: &CratesTask) -> String {
    let failed = messages.iter().find_map(|message| {
        let diagnostic = message
            .message
            .as_ref()
            .filter(|one| one.level == "error")?;
        let shown = message.package_id.rsplit('#').next().unwrap_or_default();
        let text = diagnostic.rendered.as_deref().unwrap_or_default();
        Some(format!(
            "{} does not compile for {}:\n{text}",
            shown.replace('@', " "),
            task.target
        ))
    });
    let text = failed.unwrap_or_else(|| {
        let from = said.find("error:").unwrap_or(0);
        said[from..].to_owned()
    });
    let mut named = vec![
        (&task.scratch, "."),
        (&task.sources, "/crates"),
        (&task.sysroot, "/rust"),
    ];
    if let WantedLibraries::Package { files, .. } = &task.wanted {
        named.push((files, "/package"));
    }
    let text = named.iter().fold(text, |text, (path, shown)| {
        text.replace(&path.display().to_string(), shown)
    });
    text.trim_end().to_owned()
}
