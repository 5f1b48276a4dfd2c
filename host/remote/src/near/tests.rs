use super::super::far::serve;
use super::*;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use tokio::sync::mpsc::unbounded_channel;

/// A folder here with a program in it that a test wrote for the far end.
struct Home {
    folder: tempfile::TempDir,
    program: tempfile::TempDir,
}

impl Home {
    fn new(script: &str) -> Self {
        let program = tempfile::tempdir().unwrap();
        let path = program.path().join("program");
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
        Self {
            folder: tempfile::tempdir().unwrap(),
            program,
        }
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.folder.path().join(name)).ok()
    }

    /// A command whose experiments are those of `x` and of the folder itself.
    fn command(&self, outputs: &[&str]) -> RemoteCommand {
        let folder = Folder::named_by_user(self.folder.path()).unwrap();
        let mut files = NamedFiles::default();
        files.add(&folder, ".").unwrap();
        RemoteCommand {
            arguments: vec!["an argument".to_owned(), "$HOME; 'x'".to_owned()],
            folder,
            files,
            wanted: ReturnedFiles {
                outputs: outputs.iter().map(|path| (*path).to_owned()).collect(),
                experiments: vec!["x".to_owned(), String::new()],
            },
            again: "bakeoff --on ssh:fast run x".to_owned(),
        }
    }

    /// Runs the program at the far end of two pipes in memory. Returns the outcome and what was printed.
    async fn run(&self, command: &RemoteCommand) -> (Result<RemoteOutcome, RemoteError>, String) {
        let (near, far) = tokio::io::duplex(1 << 16);
        let (near_in, near_out) = tokio::io::split(near);
        let (far_in, far_out) = tokio::io::split(far);
        let (_sender, mut interrupts) = unbounded_channel();
        let program = self.program.path().join("program");
        let mut said = String::new();
        let mut on_output = |stream: Stream, text: &[u8]| {
            said += &format!("{stream:?}: {}", String::from_utf8_lossy(text));
        };
        let pipes = (near_in, near_out);
        let (outcome, _) = tokio::join!(
            super::run(pipes, command, &mut interrupts, &mut on_output),
            serve(far_in, far_out, Path::new(&program))
        );
        (outcome, said)
    }
}

#[tokio::test]
async fn a_command_finds_its_files_and_what_it_writes_comes_back() {
    let home = Home::new(
        "cat x/in.txt; echo \"$1|$2\" >&2; mkdir -p x/.bakeoff/x out; echo new > x/.bakeoff/x/report.json\n\
         rm x/.bakeoff/x/old; echo saved > out/case; echo more > x/other; echo $BAKEOFF_AGAIN; exit 3",
    );
    home.write("x/in.txt", "input\n");
    home.write("x/.bakeoff/x/old", "old");
    home.write("x/.bakeoff/x/report.json", "before");
    let (outcome, said) = home.run(&home.command(&["out"])).await;
    let outcome = outcome.unwrap();
    assert_eq!(outcome.status, Some(3));
    assert_eq!((outcome.brought, outcome.placed.aside), (2, None));
    assert!(said.contains("bakeoff --on ssh:fast run x\n"), "{said}");
    assert_eq!(outcome.left, ["x/other"]);
    assert!(said.contains("Stdout: input\n"), "{said}");
    assert!(said.contains("Stderr: an argument|$HOME; 'x'\n"), "{said}");
    assert_eq!(
        home.read("x/.bakeoff/x/report.json").as_deref(),
        Some("new\n")
    );
    assert_eq!(home.read("out/case").as_deref(), Some("saved\n"));
    assert_eq!(home.read("x/.bakeoff/x/old"), None);
    assert_eq!(home.read("x/other"), None);
}

/// Runs a far end that sends these messages whatever it gets, and returns the outcome.
async fn lied_to(home: &Home, messages: Vec<ToNear>) -> Result<RemoteOutcome, RemoteError> {
    // Two pipes, so that one can end alone.
    let (near_in, far_out) = tokio::io::duplex(1 << 20);
    let (mut far_in, near_out) = tokio::io::duplex(1 << 20);
    let (_sender, mut interrupts) = unbounded_channel();
    let mut outgoing = Outgoing::new(far_out);
    let liar = async move {
        for message in &messages {
            // The near end may have had enough.
            let _ = outgoing.send(message).await;
        }
        drop(outgoing);
        let mut rest = tokio::io::sink();
        let _ = tokio::io::copy(&mut far_in, &mut rest).await;
    };
    let command = home.command(&["out"]);
    let near = async move {
        let pipes = (near_in, near_out);
        super::run(pipes, &command, &mut interrupts, &mut |_, _| {}).await
    };
    let (outcome, ()) = tokio::join!(near, liar);
    outcome
}

fn file(path: &str) -> ToNear {
    use super::super::messages::{FileHead, FilePart};
    ToNear::File(FilePart::Head(FileHead {
        path: path.to_owned(),
        bytes: 1,
        is_executable: true,
    }))
}

#[tokio::test]
async fn a_far_end_that_lies_leaves_nothing_here() {
    let home = Home::new("true");
    home.write("x/in.txt", "input");
    home.write("x/.bakeoff/x/report.json", "before");
    home.write("approaches/a.rs", "");
    let ended = || ToNear::Ended(Some(0));
    for messages in [
        vec![ended(), file("../x")],
        vec![ended(), file("/etc/passwd")],
        vec![ended(), file("x/in.txt")],
        vec![ended(), file("Makefile")],
        vec![ended(), file(".bakeoff")],
        vec![ended(), file("none/.bakeoff/x")],
        vec![ended(), file("approaches/.bakeoff/models.jsonl")],
        vec![ended(), file("x/.bakeoff/.git/config")],
        vec![ToNear::Gone("x/.bakeoff/x/report.json".to_owned())],
        vec![ended(), file("x/.bakeoff/../../../y")],
        vec![file("out")],
        vec![ended(), ended()],
        vec![ended(), ToNear::Gone("x/in.txt".to_owned())],
        vec![ToNear::Complete],
    ] {
        let about = format!("{messages:?}");
        let refused = lied_to(&home, messages).await.unwrap_err();
        assert!(
            matches!(refused, RemoteError::Unasked(_)),
            "{about}: {refused}"
        );
    }
    let refused = lied_to(&home, vec![ToNear::Refused("no room".to_owned())]).await;
    assert!(refused.unwrap_err().to_string().contains("no room"));
    for messages in [vec![], vec![ended()], vec![ended(), file("out")]] {
        let about = format!("{messages:?}");
        let cut = lied_to(&home, messages).await.unwrap_err();
        assert!(matches!(cut, RemoteError::Cut(_)), "{about}: {cut}");
    }
    assert_eq!(home.read("x/in.txt").as_deref(), Some("input"));
    assert_eq!(
        home.read("x/.bakeoff/x/report.json").as_deref(),
        Some("before")
    );
    let names = fs::read_dir(home.folder.path()).unwrap();
    assert_eq!(names.count(), 2);
}

#[tokio::test]
async fn a_command_ends_where_nobody_waits_for_it_any_more() {
    let home = Home::new("trap 'exit 0' INT; touch \"$0.began\"; while true; do sleep 0.05; done");
    let command = home.command(&[]);
    let (near, far) = tokio::io::duplex(1 << 16);
    let (far_in, far_out) = tokio::io::split(far);
    let program = home.program.path().join("program");
    let began = home.program.path().join("program.began");
    let served = tokio::spawn(async move { serve(far_in, far_out, &program).await });
    {
        let (near_in, near_out) = tokio::io::split(near);
        let (_sender, mut interrupts) = unbounded_channel();
        let mut nothing = |_: Stream, _: &[u8]| {};
        let waits = super::run((near_in, near_out), &command, &mut interrupts, &mut nothing);
        tokio::pin!(waits);
        while !began.exists() {
            let tick = tokio::time::sleep(std::time::Duration::from_millis(10));
            tokio::select! {
                ended = &mut waits => panic!("{ended:?}"),
                () = tick => {}
            }
        }
        // The near end is gone with the end of this block.
    }
    assert!(matches!(served.await.unwrap(), Err(RemoteError::Cut(_))));
}

#[tokio::test]
async fn who_interrupts_does_not_wait_for_an_end_that_takes_nothing() {
    let home = Home::new("true");
    home.write("x/large", &"x".repeat(1 << 20));
    let (near_in, _far_out) = tokio::io::duplex(64);
    let (_far_in, near_out) = tokio::io::duplex(64);
    let (sender, mut interrupts) = unbounded_channel();
    sender.send(()).unwrap();
    let command = home.command(&[]);
    let pipes = (near_in, near_out);
    let ended = super::run(pipes, &command, &mut interrupts, &mut |_, _| {}).await;
    assert!(matches!(ended, Err(RemoteError::Interrupted)), "{ended:?}");
}
