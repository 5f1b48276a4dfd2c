//! Crates whose native code takes what it may not, and what programs of the user's leave where bakeoff is killed.

use super::{Place, answer, confinement};
use crate::confine::probe::is_alive;
use crate::support::bakeoff;
use bakeoff_compile::BuildLimits;
use std::path::PathBuf;
use std::time::Duration;

/// Ways to keep what no file shows: `mib` asks for so many MiB, in files of 16.
const FILLS: &str = "
use std::io::Write;
fn fill(mib: usize, keep: &dyn Fn(std::fs::File, String)) {
    let folder = std::env::var(\"OUT_DIR\").unwrap();
    for number in 0..mib / 16 {
        let path = format!(\"{folder}/{number}\");
        let mut file = std::fs::File::options().read(true).write(true).create(true).open(&path).unwrap();
        for _ in 0..16 { file.write_all(&vec![1; 1 << 20]).unwrap(); }
        keep(file, path);
    }
    // Without a bound, it would be as if nothing had happened.
    std::thread::sleep(std::time::Duration::from_secs(20));
}
extern \"C\" { fn mmap(at: usize, bytes: usize, protection: i32, flags: i32, file: i32, offset: i64) -> usize; }
";

/// A script whose first thread ends, so that the kernel shows nothing under its number, while another one goes on.
const GOES_ON: &str = "
extern \"C\" { fn syscall(number: i64, ...) -> i64; }
fn main() {
    std::thread::spawn(go_on);
    unsafe { syscall(if cfg!(target_arch = \"x86_64\") { 60 } else { 93 }, 0); }
}
";

#[tokio::test]
async fn case_177_crate_fills_disk() {
    let removed = "std::fs::remove_file(path).unwrap(); std::mem::forget(file)";
    let mapped = |bytes: &str| {
        format!(
            "std::fs::remove_file(path).unwrap(); use std::os::fd::AsRawFd; \
             unsafe {{ mmap(0, {bytes}, 1, 1, file.as_raw_fd(), 0); }} drop(file)"
        )
    };
    // Each pair may hold half a megabyte.
    let sockets = "drop(file); std::fs::remove_file(path).unwrap(); \
                   for _ in 0..16 { std::mem::forget(std::os::unix::net::UnixStream::pair().unwrap()); }";
    for (name, keep, main) in [
        ("files", "drop(file); drop(path)", ""),
        ("removed", removed, ""),
        ("mapped", &mapped("16 << 20"), ""),
        ("in-part", &mapped("4096"), ""),
        ("sockets", sockets, ""),
        ("gone", removed, GOES_ON),
    ] {
        let place = Place::new();
        let start = match main {
            "" => "fn main()",
            _ => "fn go_on()",
        };
        let script =
            format!("{FILLS}{main}\n{start} {{ fill(192, &|file, path| {{ {keep} }}); }}\n");
        place.publish(name, "", &[("build.rs", &script), ("src/lib.rs", "")]);
        let crates = place.fetched(&[name]);
        let limits = BuildLimits {
            folder_bytes: 128 << 20,
            ..BuildLimits::default()
        };
        let refused = place.open(&crates, &confinement().await, limits).await;
        let said = match refused {
            Err(error) => error.to_string(),
            Ok(_) => "it was built".to_owned(),
        };
        assert!(
            said.contains("it keeps more than 134217728 bytes in its folder"),
            "{name}: {said}"
        );
    }
}

/// What a crate tries so that nobody sees the memory that it holds, and to read what is kept beside a file: a bit for
/// each that works.
const HIDES: &str = "
extern \"C\" { fn memfd_create(name: *const u8, flags: u32) -> i32; fn prctl(what: i32, value: usize) -> i32;
    fn syscall(number: i64, ...) -> i64; fn sendmsg(file: i32, message: *const u8, flags: i32) -> isize;
    fn getxattr(path: *const u8, name: *const u8, value: *mut u8, size: usize) -> isize;
    fn mmap(at: usize, bytes: usize, protection: i32, flags: i32, file: i32, offset: i64) -> usize;
    fn unshare(what: i32) -> i32;
    fn fallocate(file: i32, mode: i32, offset: i64, bytes: i64) -> i32;
    fn vmsplice(pipe: i32, pieces: *const [usize; 2], count: usize, flags: u32) -> isize; }
fn hidden() -> u32 {
    let pair = std::os::unix::net::UnixStream::pair().unwrap();
    use std::os::fd::AsRawFd;
    let message = [0_u64; 8];
    let (_end, pipe) = std::io::pipe().unwrap();
    let piece = [message.as_ptr() as usize, 8];
    unsafe {
        u32::from(memfd_create(b\"x\\0\".as_ptr(), 0) >= 0)
            | u32::from(prctl(4, 0) == 0) << 1
            | u32::from(syscall(447, 0) >= 0) << 2
            | u32::from(sendmsg(pair.0.as_raw_fd(), message.as_ptr().cast(), 0) >= 0) << 3
            | u32::from({
                getxattr(b\"/\\0\".as_ptr(), b\"user.x\\0\".as_ptr(), std::ptr::null_mut(), 0);
                // Refused (EPERM), and not just absent.
                std::io::Error::last_os_error().raw_os_error() != Some(1)
            }) << 4
            // Shared memory without a file, of which a page is left mapped.
            | u32::from(mmap(0, 1 << 20, 3, 0x21, -1, 0) != usize::MAX) << 5
            // Open files of a thread's own.
            | u32::from(unshare(0x400) == 0) << 6
            | u32::from(syscall(436, 900, 901, 2) == 0) << 7
            // Pages in a pipe.
            | u32::from(vmsplice(pipe.as_raw_fd(), &piece, 1, 0) >= 0) << 8
            // Room on the disk beyond the end of a file, all at once: no file system has that here.
            | u32::from({
                let path = std::env::temp_dir().join(\"room\");
                let file = std::fs::File::create(path).unwrap();
                fallocate(file.as_raw_fd(), 1, 0, 1 << 30) == 0
                    || std::io::Error::last_os_error().raw_os_error() != Some(95)
            }) << 9
    }
}
";

/// In a build script, and in a macro, which runs in the compiler of a prototype.
#[tokio::test]
async fn case_178_crate_fills_memfd() {
    let place = Place::new();
    let script = format!(
        "{HIDES}\nfn main() {{ let out = std::env::var(\"OUT_DIR\").unwrap();\n\
         std::fs::write(out + \"/made.rs\", format!(\"{{}}u32\", hidden())).unwrap(); }}\n"
    );
    let library = format!(
        "extern crate proc_macro;\n{HIDES}\n#[proc_macro]\npub fn got(_: proc_macro::TokenStream) -> \
         proc_macro::TokenStream {{ format!(\"{{}}u32\", hidden() * 4096 + include!(concat!(env!(\"OUT_DIR\"), \
         \"/made.rs\"))).parse().unwrap() }}\n"
    );
    place.publish(
        "hides",
        "[lib]\nproc-macro = true\n",
        &[("build.rs", &script), ("src/lib.rs", &library)],
    );
    let crates = place.fetched(&["hides"]);
    let limits = BuildLimits::default();
    let built = place.open(&crates, &confinement().await, limits).await;
    let says = "pub fn number(_: u32) -> u32 { hides::got!() }\n";
    assert_eq!(answer(Some(built.unwrap()), says).await.unwrap(), 0);
}

/// The toolchain's own cargo, in whose place a script waits for ever. What it started itself, as cargo does with git,
/// has left its session.
#[test]
fn case_179_killed_vendor_leaves_cargo() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    place.publish("sized", "", &[("src/lib.rs", "")]);
    place.experiment(&["sized@1"], "");
    let rustc = std::process::Command::new("rustc")
        .args(["--print", "sysroot"])
        .current_dir("/")
        .output()
        .unwrap();
    let sysroot = PathBuf::from(String::from_utf8(rustc.stdout).unwrap().trim());
    // A toolchain like the user's, with another cargo.
    let other = place.path("toolchain");
    std::fs::create_dir_all(other.join("bin")).unwrap();
    std::os::unix::fs::symlink(sysroot.join("lib"), other.join("lib")).unwrap();
    let rustc = format!(
        "#!/bin/sh\nexec {0}/bin/rustc --sysroot={1} \"$@\"\n",
        sysroot.display(),
        other.display()
    );
    place.write("toolchain/bin/rustc", &rustc);
    place.write(
        "toolchain/bin/cargo",
        "#!/bin/sh\nsetsid sh -c 'echo $$ >> ../../../../pids; sleep 86400' &\n\
         echo $$ >> ../../../../pids\nexec sleep 86400\n",
    );
    for program in ["rustc", "cargo"] {
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(other.join("bin").join(program), executable).unwrap();
    }
    let mut child = bakeoff(&["vendor"])
        .current_dir(place.path("experiment"))
        .env("CARGO_HOME", place.path("home"))
        .env("BAKEOFF_CACHE_DIR", place.path("cache"))
        .env("RUSTC", other.join("bin/rustc"))
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    ends_with_killed(&mut child, &place.path("pids"));
    // And the next one removes the folder.
    let said = place.run(&["vendor"]);
    assert_eq!(said.status, 0, "{}", said.stderr);
    let left: Vec<String> = std::fs::read_dir(place.path("cache/crates"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("bakeoff-work-"))
        .collect();
    assert_eq!(left, Vec::<String>::new());
}

/// Kills bakeoff as soon as a file has the numbers of a program and of what that detached; then both must end.
fn ends_with_killed(bakeoff: &mut std::process::Child, pids: &std::path::Path) {
    let until = std::time::Instant::now() + Duration::from_secs(60);
    let pids = loop {
        let said = std::fs::read_to_string(pids).unwrap_or_default();
        let pids: Vec<u32> = said.lines().filter_map(|it| it.parse().ok()).collect();
        if pids.len() == 2 {
            break pids;
        }
        assert!(
            std::time::Instant::now() < until,
            "the program was not started: {said}"
        );
        std::thread::sleep(Duration::from_millis(10));
    };
    assert!(pids.iter().all(|pid| is_alive(*pid)));
    bakeoff.kill().unwrap();
    bakeoff.wait().unwrap();
    while pids.iter().any(|pid| is_alive(*pid)) {
        assert!(
            std::time::Instant::now() < until,
            "what was started is still there: {pids:?}"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A program that answers as a model runs with the user's rights, and may leave its session.
#[test]
fn what_a_command_detaches_ends_with_a_killed_bakeoff() {
    let place = Place::new();
    place.experiment(&[], "pub fn number(_: u32) -> u32 { 42 }");
    let script = format!(
        "cd '{}'; setsid sh -c 'echo $$ >> pids; sleep 86400' & echo $$ >> pids; exec sleep 86400",
        place.path("").display()
    );
    let mut child = bakeoff(&["generate", "--approaches=1", "--provider=command"])
        .args(["--tokens=90000", "--command=/bin/sh", "--command=-c"])
        .arg(format!("--command={script}"))
        .arg(place.path("experiment"))
        .env("BAKEOFF_CACHE_DIR", place.path("cache"))
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    ends_with_killed(&mut child, &place.path("pids"));
}

/// A build script that loops, and what it started under another name, while bakeoff is killed.
#[test]
fn a_build_script_ends_with_a_killed_bakeoff() {
    ends_with_bakeoff("");
}

/// The same, after the script did what it could to stop the builder, which would then not end what it started.
#[test]
fn a_build_script_that_stops_its_builder_ends_with_a_killed_bakeoff() {
    ends_with_bakeoff(
        "extern \"C\" { fn kill(pid: i32, signal: i32) -> i32; fn getpgrp() -> i32; }
        for signal in [19, 20, 21, 22] { unsafe { kill(getpgrp(), signal); } }",
    );
}

fn ends_with_bakeoff(first: &str) {
    let place = Place::new();
    let script = "fn main() {
        println!(\"cargo::rerun-if-changed=build.rs\");
        extern \"C\" { fn fork() -> i32; fn setsid() -> i32; fn prctl(what: i32, ...) -> i32; }
        unsafe {
            if fork() == 0 { setsid(); if fork() == 0 { prctl(15, b\"kworker/9:9\\0\".as_ptr()); } }
        }
        FIRST
        let out = std::env::var(\"OUT_DIR\").unwrap();
        std::fs::write(format!(\"{out}/alive-{}\", std::process::id()), \"\").unwrap();
        loop { std::thread::sleep(std::time::Duration::from_millis(20)); }
    }\n";
    let script = script.replace("FIRST", first);
    place.publish("stays", "", &[("build.rs", &script), ("src/lib.rs", "")]);
    place.experiment(&["stays@1"], "pub fn number(_: u32) -> u32 { 42 }");
    assert_eq!(place.run(&["vendor"]).status, 0);
    let temporary = place.path("temporary");
    for signal in ["KILL", "TERM"] {
        let _ = std::fs::remove_dir_all(&temporary);
        std::fs::create_dir(&temporary).unwrap();
        let mut child = bakeoff(&["run", "--quiet"])
            .current_dir(place.path("experiment"))
            .env("CARGO_HOME", place.path("home"))
            .env("BAKEOFF_CACHE_DIR", place.path("cache"))
            .env("TMPDIR", &temporary)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let until = std::time::Instant::now() + Duration::from_secs(120);
        while scripts(&place.path("")).len() < 3 {
            assert!(
                std::time::Instant::now() < until,
                "no script: {:?}",
                child.try_wait()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        let pid = child.id().to_string();
        let kill = std::process::Command::new("kill")
            .args(["-s", signal, &pid])
            .status();
        assert!(kill.unwrap().success());
        child.wait().unwrap();
        while !scripts(&place.path("")).is_empty() {
            assert!(
                std::time::Instant::now() < until,
                "{signal}: {:?}",
                scripts(&place.path(""))
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// The processes that run a build script of a folder, whatever they call themselves.
fn scripts(folder: &std::path::Path) -> Vec<PathBuf> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let programs =
        processes.filter_map(|process| std::fs::read_link(process.path().join("exe")).ok());
    let of_folder = programs.filter(|program| program.starts_with(folder));
    of_folder
        .filter(|program| program.to_string_lossy().contains("build-script"))
        .collect()
}

/// A lock that is a second name of a file of the user's, which cargo would quote where it cannot use it.
#[test]
fn case_193_lock_is_a_second_name() {
    let place = Place::new();
    place.publish("sized", "", &[("src/lib.rs", "")]);
    place.experiment(&["sized@1"], "pub fn number(_: u32) -> u32 { 42 }");
    let package = "[[package]]\nname = \"bakeoff-crates\"\nversion = \"0.0.0\"\n";
    let sized = "[[package]]\nname = \"sized\"\nversion = \"1.0.0\"\n";
    let of_registry = "source = \"registry+https://github.com/rust-lang/crates.io-index\"\n";
    for secret in [
        "canary\n".to_owned(),
        "package = \"canary\"\n".to_owned(),
        "package = [\"canary\"]\n".to_owned(),
        "version = \"canary\"\npackage = []\n".to_owned(),
        "[[package]]\nname = \"canary\"\nversion = \"1.0.0\"\n".repeat(2),
        format!(
            "version = 4\n{package}dependencies = [\"sized\"]\n{sized}source = \"canary\"\nchecksum = \"{}\"\n",
            "0f".repeat(32)
        ),
        format!(
            "version = 4\n{package}dependencies = [\"sized\"]\n{sized}{of_registry}checksum = \"canary\"\n"
        ),
    ] {
        let lock = place.path("experiment/bakeoff.lock");
        place.write("secret", &secret);
        std::fs::hard_link(place.path("secret"), &lock).unwrap();
        for command in [["vendor", "."], ["run", "."]] {
            let said = place.run(&command);
            assert_eq!(said.status, 2, "{command:?}, {secret}: {}", said.stderr);
            let names_file = said.explains("bakeoff.lock");
            assert!(command[0] == "run" || names_file, "{}", said.stderr);
            let all = said.stdout + &said.stderr;
            assert!(!all.contains("canary"), "{command:?}, {secret}: {all}");
        }
        std::fs::remove_file(&lock).unwrap();
        assert_eq!(
            std::fs::read_to_string(place.path("secret")).unwrap(),
            secret
        );
    }
}
