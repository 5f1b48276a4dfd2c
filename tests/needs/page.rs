//! The core that is checked in for the page of a report is the one of this source.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(program);
    let output = command.args(arguments).current_dir(root()).output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether this machine makes the same bytes: with the toolchain that the repository names, on the
/// architecture on which they were made.
pub(crate) fn can_be_built() -> bool {
    let pinned = std::fs::read_to_string(root().join("rust-toolchain.toml")).unwrap_or_default();
    let rustc = output("rustc", &["-vV"]).unwrap_or_default();
    let line = |name: &str| {
        let lines = rustc.lines();
        lines
            .filter_map(|line| line.strip_prefix(name))
            .next()
            .unwrap_or("?")
            .to_owned()
    };
    let target = [
        "--print",
        "target-libdir",
        "--target",
        "wasm32-unknown-unknown",
    ];
    let target = output("rustc", &target).unwrap_or_default();
    pinned.contains(&format!("\"{}\"", line("release: ")))
        && line("host: ") == "x86_64-unknown-linux-gnu"
        && Path::new(target.trim()).is_dir()
        && output("bash", &["--version"]).is_some()
        && output("gzip", &["--version"]).is_some()
}

pub(crate) fn the_core_in_the_page_is_that_of_this_source() {
    let folder = tempfile::tempdir().unwrap();
    let built = folder.path().join("core.wasm.gz");
    let mut script = Command::new("bash");
    script.arg(".ci/page-core").arg(&built).current_dir(root());
    let output = script.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let kept = root().join("host/render/src/page/core.wasm.gz");
    let (built, kept) = (unpacked(&built), unpacked(&kept));
    assert!(
        built == kept,
        "host/render/src/page/core.wasm.gz is not what this source makes; .ci/page-core makes it anew"
    );
}

/// The content of a compressed file: how well it is compressed depends on gzip.
fn unpacked(file: &Path) -> Vec<u8> {
    let mut command = Command::new("gzip");
    command.arg("-dc").arg(file).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut content = Vec::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_end(&mut content)
        .unwrap();
    assert!(child.wait().unwrap().success());
    content
}
