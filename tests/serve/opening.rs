//! `bakeoff serve --open`: a browser, and what the address on its command line is worth to others.

use super::client::{Server, until};
use crate::finished::TOP_K;
use crate::support::bakeoff;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::Stdio;
use tempfile::TempDir;

/// A folder with a browser, a script of `sh`, that writes down what it was called with.
fn browser() -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (program, called) = (folder.path().join("browser"), folder.path().join("called"));
    let script = format!(
        "printf '%s\\n' \"$@\" > {0}.new\nmv {0}.new {0}\n",
        called.display()
    );
    fs::write(&program, script).unwrap();
    (folder, program, called)
}

#[test]
fn a_browser_gets_an_address_that_counts_once_and_is_not_the_one_that_lasts() {
    let finished = TOP_K.copy();
    let (_folder, program, called) = browser();
    let named = format!("/nonexistent/browser:sh {} --new %s", program.display());
    let server = Server::start_by(finished.dir(), &["--open"], |command| {
        command.env("BROWSER", &named);
    });
    let words = until(|| fs::read_to_string(&called).ok());
    let mut words = words.lines();
    assert_eq!(words.next(), Some("--new"));
    let address = words.next().unwrap();
    assert_eq!(words.next(), None);
    let port = server.port();
    let entry = address.strip_prefix(&format!("http://127.0.0.1:{port}"));
    let entry = entry.unwrap_or_else(|| panic!("another server: {address}"));
    assert_ne!(entry, server.entry());
    // Pages that guess it, or know it, do not make it void.
    for (name, value) in [
        ("Sec-Fetch-Site", "cross-site".to_owned()),
        ("Origin", "http://evil.example".to_owned()),
        ("Host", format!("rebound.example:{port}")),
    ] {
        let refused = server.get(entry, &[(name, value)]);
        assert_eq!(refused.status, 403, "{refused:?}");
    }
    let started = [("Sec-Fetch-Site", "none".to_owned())];
    let entered = server.get(entry, &started);
    let path = server.enter().path;
    assert_eq!(
        (entered.status, entered.header("location")),
        (303, &*path),
        "{entered:?}"
    );
    let cookie = entered.header("set-cookie").split(';').next().unwrap();
    let list = server.get(&path, &[("Cookie", cookie.to_owned())]);
    assert!(
        list.status == 200 && list.body.contains("top-k"),
        "{list:?}"
    );
    // Whoever read it in the list of processes gets what a wrong token gets.
    let again = server.get(entry, &started);
    let wrong = server.get("/?token=0", &started);
    assert_eq!((again.status, &again.body), (404, &wrong.body));
    assert!(!again.has_header("set-cookie"), "{again:?}");
}

#[test]
fn where_no_browser_can_be_started_the_server_says_so_and_serves() {
    let finished = TOP_K.copy();
    for (browser, why) in [
        (
            "/nonexistent/browser",
            "/nonexistent/browser cannot be started",
        ),
        ("false", "false failed (exit status: 1)"),
        ("", "BROWSER names no browser"),
    ] {
        let messages = tempfile::NamedTempFile::new().unwrap();
        let mut server = bakeoff(&["serve", finished.dir(), "--open", "--color=never"])
            .env("BROWSER", browser)
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .stdout(Stdio::piped())
            .stderr(messages.reopen().unwrap())
            .spawn()
            .unwrap();
        let mut address = String::new();
        let mut output = BufReader::new(server.stdout.take().unwrap());
        output.read_line(&mut address).unwrap();
        let server = Server::of(server, address.trim());
        let said = || fs::read_to_string(messages.path()).unwrap();
        let message = until(|| Some(said()).filter(|said| said.ends_with('\n')));
        assert!(
            message.starts_with("no browser was opened: ")
                && message.contains(why)
                && message.contains(&format!("open {} by hand", server.address)),
            "{browser}: {message}"
        );
        assert_eq!(server.page("").status, 200);
    }
}
