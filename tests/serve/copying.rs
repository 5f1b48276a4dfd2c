//! `bakeoff serve --allow-run`: a copy of an experiment that is run from the list, and a run that cannot begin.

use super::changing::{change_path, experiment, page_with, path, run_and_change, sends_on};
use super::client::{Server, until};
use crate::support::{measuring_slot, run_bakeoff};
use std::fs;

#[test]
fn a_copy_has_another_parameter_and_runs() {
    let root = experiment("first");
    let server = Server::start_with(path(&root), &["--allow-run"]);
    let change = change_path(&server.page(""));
    let form = server.page(&change).body;
    assert!(form.contains("sizes = [20000, 40000]"), "{form}");
    let text = fs::read_to_string(root.path().join("first/bakeoff.toml")).unwrap();
    let other = text
        .replace("[20000, 40000]", "[10000]")
        .replace("\"first\"", "\"second\"")
        .replace("10 min", "500 ms");
    // As a browser sends lines.
    let sent = other.replace('\n', "\r\n");
    sends_on(&server.post(
        &format!("{change}copy"),
        &[("folder", "second"), ("text", &sent)],
    ));
    page_with(&server, &change, "The copy second is there");
    let written = fs::read_to_string(root.path().join("second/bakeoff.toml")).unwrap();
    assert_eq!(written, other);
    let list = page_with(&server, "", ">second</a>");
    let _slot = measuring_slot();
    let id = list
        .split("<li>")
        .find(|entry| entry.contains(">second</a>"));
    let id = id.unwrap().split("href=\"change/").nth(1).unwrap();
    let id = id.split('/').next().unwrap();
    sends_on(&server.post(&format!("change/{id}/run"), &[]));
    let (run, _) = run_and_change(&server);
    page_with(&server, &run, "is finished.");
    let report = root.path().join("second/.bakeoff/second/report.html");
    until(|| report.exists().then_some(()));
}

#[test]
fn a_run_that_cannot_begin_says_why_and_a_leave_without_the_first_one_is_refused() {
    let root = experiment("fails");
    let file = root.path().join("fails/bakeoff.toml");
    let text = fs::read_to_string(&file).unwrap();
    let program = text.replace("source = \"slow.rs\"", "command = [\"sh\", \"slow.rs\"]");
    fs::write(&file, &program).unwrap();
    let server = Server::start_with(path(&root), &["--allow-run"]);
    let change = change_path(&server.page(""));
    sends_on(&server.post(&format!("{change}run"), &[]));
    // The leave for programs is the user's, where the server is started.
    page_with(&server, &change, "The run failed:");
    let page = server.page(&change).body;
    assert!(page.contains("--programs"), "{page}");
    for leave in ["--programs", "--allow-unconfined", "--generate"] {
        let refused = run_bakeoff(&["serve", path(&root), leave]);
        assert!(
            refused.status == 2 && refused.explains("add --allow-run"),
            "{leave}: {}",
            refused.stderr
        );
    }
}
