//! A child for tests: a shell script in place of the binary, which sends prepared frames and then runs a
//! line of shell. It has no fence, but limits of its own, so that a broken watchdog fails a test instead of
//! exhausting the machine.

use bakeoff_confine::{Confinement, ProbeConfig};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// CPU time in seconds and address space in KiB that a script may use.
const ULIMITS: &str = "ulimit -t 20; ulimit -v 2500000";

/// A confinement whose children report that their fence is up, send `frames`, and run `then`, a line
/// of shell. The script is written into `folder`.
pub(crate) async fn confinement(folder: &Path, frames: &[&[u8]], then: &str) -> Confinement {
    let program = folder.join("child");
    let mut bytes = vec![0; 4];
    for frame in frames {
        bytes.extend((frame.len() as u32).to_le_bytes());
        bytes.extend_from_slice(frame);
    }
    let bytes: String = bytes.iter().map(|byte| format!("\\{byte:03o}")).collect();
    let script = format!("#!/bin/sh\n{ULIMITS}\nprintf '{bytes}'\n{then}\n");
    write(&program, &script);
    let host = ProbeConfig {
        landlock_at_most: Some(0),
        seccomp: false,
        bubblewrap: false,
        groups: false,
        ..ProbeConfig::with_program(program)
    };
    Confinement::allow_unconfined_on(host).await
}

/// Writes the script by another process: were it open for writing here while another test forks, it
/// could not be executed.
fn write(program: &Path, script: &str) {
    let mut writer = Command::new("/bin/sh")
        .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
        .arg(program)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = writer.stdin.take().unwrap();
    stdin.write_all(script.as_bytes()).unwrap();
    drop(stdin);
    assert!(writer.wait().unwrap().success());
}
