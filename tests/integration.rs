//! Continuous integration: JUnit's XML, and the page of a job.

use crate::finished::CASES;
use crate::support::{CommandOutput, bakeoff, measuring_slot, run_bakeoff};
use std::fs;
use std::path::Path;

#[test]
fn a_run_is_junit_and_is_added_to_the_page_of_a_job() {
    let _slot = measuring_slot();
    let finished = CASES.copy();
    let page = finished.path("page.md");
    fs::write(&page, "before\n").unwrap();
    let of_page = |page: &Path| -> CommandOutput {
        let mut command = bakeoff(&["run", finished.dir(), "--quiet", "--format", "junit"]);
        let output = command.env("GITHUB_STEP_SUMMARY", page).output();
        output.unwrap().into()
    };
    let said = of_page(&page);
    assert!(said.ended_a_run(), "{}", said.stderr);
    assert!(said.stdout.starts_with("<?xml"), "{}", said.stdout);
    assert!(said.stdout.contains("<testcase"), "{}", said.stdout);
    let added = fs::read_to_string(&page).unwrap();
    let report = run_bakeoff(&["report", finished.dir(), "--format", "md"]).stdout;
    let heading = report.lines().next().unwrap();
    assert!(heading.starts_with("# "), "{report}");
    assert!(
        added.starts_with(&format!("before\n{heading}\n")),
        "{added}"
    );

    // That it cannot be written is said, and changes nothing.
    let not = of_page(Path::new("page.md"));
    assert_eq!(not.status, said.status);
    assert!(not.explains("no absolute path"), "{}", not.stderr);
}
