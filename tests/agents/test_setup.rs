//! Files that decide how tests run, and are no tests.

use super::{OBEYS, agents, command, repository, row};
use serde_json::json;

#[test]
fn a_named_pattern_adds_to_the_usual_names_and_one_that_fits_no_file_is_a_note() {
    let Some(repository) = repository() else {
        return;
    };
    let variants = ["weak=echo 'echo 4' >add.sh; echo true >tests/run.sh"];
    let with_tests = |name: &str, pattern: &str| {
        let more = [
            "--verify",
            "sh tests/run.sh",
            "--name",
            name,
            "--tests",
            pattern,
        ];
        agents(&repository, &variants, OBEYS, &more)
    };
    let added = with_tests("added", "golden/**");
    let report = added.json();
    assert_eq!(row(&report, "weak")["outcome"], "verification-failed");
    let note = "note: --tests \"golden/**\" fits no file of the base";
    assert!(added.explains(note), "{}", added.stderr);
    // A task that is to change tests needs them taken away.
    let taken = with_tests("taken", "!tests/**");
    let report = taken.json();
    assert_eq!(row(&report, "weak")["outcome"], "passed");
    assert!(!taken.explains("fits no file"), "{}", taken.stderr);
}

#[test]
fn case_264_tests_that_are_switched_off_by_what_runs_them_are_said() {
    let Some(repository) = repository() else {
        return;
    };
    repository.write(".env", "RUN=tests/run.sh\n");
    repository.commit();
    let variants = [
        "off=echo 'echo 4' >add.sh; echo RUN=/dev/null >.env; mkdir .cargo; echo x >.cargo/config.toml",
        "good=echo 'expr $1 + $2' >add.sh",
    ];
    let verify = ["--verify", ". ./.env; sh $RUN"];
    let output = agents(&repository, &variants, OBEYS, &verify);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let report = output.json();
    let off = row(&report, "off");
    assert_eq!(off["outcome"], "passed", "{off}");
    let changed = &off["changes"]["test_setup"];
    assert_eq!(changed, &json!([".cargo/config.toml", ".env"]), "{off}");
    assert_eq!(off["changes"]["tests"], json!([]));
    let good = &row(&report, "good")["changes"];
    assert!(good["test_setup"].is_null(), "{good}");
    // A person reads the same, and agents that have ended are not asked again.
    for format in ["human", "md"] {
        let mut again = vec!["agents", "Do it", "--agent", OBEYS, "--format", format];
        for variant in variants {
            again.extend(["--variant", variant]);
        }
        again.extend(verify);
        let again = command(&repository, &again);
        let said = "off changed how tests may run: ";
        assert!(again.stdout.contains(said), "{}", again.stdout);
        assert!(
            !again.stdout.contains("good changed"),
            "{}{}",
            again.stdout,
            again.stderr
        );
    }
    // Where the user names it, it is a test beside those of the usual names, and the base's is used.
    let named = ["--name", "named", "--tests", ".env"];
    let report = agents(
        &repository,
        &variants,
        OBEYS,
        &[verify, [named[0], named[1]], [named[2], named[3]]].concat(),
    );
    let report = report.json();
    let off = row(&report, "off");
    assert_eq!(off["outcome"], "verification-failed", "{off}");
    assert_eq!(off["changes"]["tests"], json!([".env"]));
    assert_eq!(off["changes"]["test_setup"], json!([".cargo/config.toml"]));
}
