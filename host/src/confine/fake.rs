//! For tests: children that do what no role does. A script takes the binary's place, says what a
//! child says, and goes on as it is told, behind no fence but with limits of its own: where the watch
//! over children is broken, a test fails instead of taking the machine.

use super::{Confinement, Host};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// No more CPU time or address space than a test may use.
const LIMITED: &str = "ulimit -t 20; ulimit -v 2500000";

/// Children that say that their fence stands, send these frames, and run `then`, a line of shell.
/// The script lies in `folder`.
pub(crate) async fn children(folder: &Path, frames: &[&[u8]], then: &str) -> Confinement {
    let program = folder.join("child");
    let mut said = vec![0; 4];
    for frame in frames {
        said.extend((frame.len() as u32).to_le_bytes());
        said.extend_from_slice(frame);
    }
    let said: String = said.iter().map(|byte| format!("\\{byte:03o}")).collect();
    let script = format!("#!/bin/sh\n{LIMITED}\nprintf '{said}'\n{then}\n");
    write(&program, &script);
    let host = Host {
        landlock_at_most: Some(0),
        seccomp: false,
        bubblewrap: false,
        groups: false,
        ..Host::with_program(program)
    };
    Confinement::allow_unconfined_on(host).await
}

/// Another process writes the file: were it open here while another test forks, it could not be
/// executed.
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
