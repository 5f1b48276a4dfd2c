//! bakeoff as a library, in a program of its own: children are the same program, so this one says first what
//! it is. Whatever versions promise is used here by its name and type, so that a change shows.

mod exploring;
mod generating;
mod kept;

use bakeoff::{
    AgentOutcome, AgentResult, Agents, AgentsReport, Comparison, ComparisonResult, Error,
    ErrorKind, Experiment, JudgeOptions, Judgement, NotTimed, Outcome, Report, Status, TimeVerdict,
    Verdict,
};
use libtest_mimic::{Arguments, Trial};
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn main() -> ExitCode {
    if let Some(status) = bakeoff::enter_if_child() {
        return status;
    }
    let trials = vec![
        trial("a_program_runs_an_experiment_and_reads_its_report", runs),
        trial(
            "what_is_kept_of_a_run_is_reported_and_verified",
            kept::is_verified,
        ),
        trial("an_oracle_is_checked", kept::has_a_checked_oracle),
        trial(
            "approaches_that_a_model_writes_are_run",
            generating::what_passes_is_run,
        ),
        trial(
            "what_a_program_has_generated_is_what_the_command_says",
            generating::is_what_the_command_says,
        ),
        trial(
            "a_model_that_cannot_be_asked_is_an_error_with_its_kind",
            generating::what_cannot_be_asked_is_an_error,
        ),
        trial(
            "what_a_program_has_explored_is_what_the_command_says",
            exploring::is_what_the_command_says,
        ),
        trial(
            "what_cannot_be_explored_is_an_error_with_its_kind",
            exploring::what_cannot_be_asked_is_an_error,
        ),
        trial(
            "a_question_in_words_is_answered_for_a_program_as_by_the_command",
            exploring::is_answered_in_words_as_the_command_does,
        ),
        trial("what_stops_a_run_leaves_what_is_finished", stops),
        trial("who_asks_to_stop_does_not_wait_for_a_build", stops_at_once),
        trial("files_are_compared_without_an_experiment", files),
        trial(
            "what_cannot_be_run_is_an_error_with_its_place",
            cannot_be_run,
        ),
        trial("somebodys_values_are_judged", judges),
        trial("agents_leave_branches_of_which_one_is_the_best", agents),
        trial("the_example_says_what_the_command_line_says", example),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn trial(name: &str, test: fn()) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}

/// A function that adds up, once as it should and once wrongly, and one that does the work twice.
fn experiment() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    fs::create_dir(folder.path().join("wit")).unwrap();
    write(
        "wit/sums.wit",
        "package test:sums;\nworld prototype { export total: func(values: list<u32>) -> u64; }\n",
    );
    write(
        "cases.toml",
        &format!(
            "[[case]]\ncall = \"total({:?})\"\nexpect = \"1999000\"\n",
            (0..2_000).collect::<Vec<u32>>()
        ),
    );
    let spins = |rounds: u32, more: u64| {
        format!(
            "pub fn total(values: Vec<u32>) -> u64 {{\n    let mut state = 1u64;\n    \
             for _ in 0..{rounds} {{ state ^= state << 13; state ^= state >> 7; state ^= state << 17; }}\n    \
             let sum: u64 = values.iter().map(|value| u64::from(*value)).sum();\n    \
             sum + u64::from(state == 0) + {more}\n}}\n"
        )
    };
    write("quick.rs", &spins(100_000, 0));
    write("slow.rs", &spins(400_000, 0));
    write("wrong.rs", &spins(100_000, 1));
    write(
        "bakeoff.toml",
        "name = \"sums\"\nproblem = \"Add up.\"\ninterface = { wit = \"wit\", call = \"total\" }\n\
         workload = { cases = \"cases.toml\" }\nmeasure = { precision = 0.5 }\napproach = [\n  \
         { name = \"quick\", source = \"quick.rs\" },\n  { name = \"slow\", source = \"slow.rs\" },\n  \
         { name = \"wrong\", source = \"wrong.rs\" },\n]\n",
    );
    folder
}

fn files() {
    let folder = experiment();
    let file = |name: &str| folder.path().join(name);
    let compared = |names: [&str; 2]| -> Result<ComparisonResult, Error> {
        let files = names.map(file);
        let comparison = Comparison::of_files(files)?.seed("7")?;
        comparison.budget(Duration::from_secs(8)).run()
    };
    let ComparisonResult::Timed(report) = compared(["quick.rs", "slow.rs"]).unwrap() else {
        panic!("the files do the same, and one takes four times as long");
    };
    let time = report.by_time("quick", "slow").unwrap();
    assert_ne!(time.verdict, Verdict::Slower, "{}", report.answer());
    let ComparisonResult::Untimed(untimed) = compared(["quick.rs", "wrong.rs"]).unwrap() else {
        panic!("the files differ");
    };
    let _: &NotTimed = &untimed;
    assert!(untimed.is_disagreement() && untimed.outcome() == "disagreement");
    let answers: Vec<(&str, &str)> = untimed.answers().collect();
    assert_eq!(answers, [("quick", "0"), ("wrong", "1")]);
    assert_eq!(untimed.call(), Some("total([])"));
    fs::write(file("kept.toml"), untimed.case().unwrap()).unwrap();
    let kept = Comparison::of_files(["quick.rs", "wrong.rs"].map(file));
    let kept = kept.unwrap().cases(file("kept.toml")).call("total").run();
    let words = match kept.unwrap() {
        ComparisonResult::Timed(report) => report.text(),
        ComparisonResult::Untimed(reason) => reason.text(),
        _ => String::new(),
    };
    assert!(words.contains("isagree"), "{words}");
    fs::write(
        file("broken.rs"),
        "pub fn total(values: Vec<u32>) -> u64 { values }",
    )
    .unwrap();
    let error = compared(["quick.rs", "broken.rs"]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Experiment);
    assert!(error.to_string().contains("mismatched types"), "{error}");
    let one = Comparison::of_files([file("quick.rs")]).unwrap().run();
    assert!(one.unwrap_err().to_string().contains("2 to 64 files"));
}

fn agents() {
    let folder = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(folder.path()).args(arguments);
        command.output().is_ok_and(|output| output.status.success())
    };
    if !git(&["init", "--quiet"]) {
        return;
    }
    fs::create_dir(folder.path().join("tests")).unwrap();
    fs::write(folder.path().join("add.sh"), "echo $(($1 + $2))\n").unwrap();
    let test = "[ \"$(sh add.sh 1 2)\" = 3 ]\n";
    fs::write(folder.path().join("tests/run.sh"), test).unwrap();
    assert!(git(&["add", "."]));
    let who = ["-c", "user.name=a", "-c", "user.email=a@localhost"];
    let commit = ["commit", "--quiet", "--no-gpg-sign", "-m", "a"];
    assert!(git(&[&who[..], &commit].concat()));
    let agents: Agents = Agents::new(folder.path(), "Do it", "sh -c 'eval \"$(tail -n 1)\"'")
        .variant("good", "echo 'expr $1 + $2' >add.sh")
        .variant("wrong", "echo 'echo 4' >add.sh; echo true >tests/run.sh")
        .variant("fails", "exit 3")
        .verify("sh tests/run.sh")
        .at_once(1)
        .time(Duration::from_secs(300));
    let report: AgentsReport = agents.run().unwrap();
    assert_eq!(report.best(), Some("bakeoff/agents/good"));
    assert_eq!(report.reason(), "");
    let results: Vec<AgentResult<'_>> = report.results().collect();
    let outcomes: Vec<(&str, AgentOutcome)> = results
        .iter()
        .map(|result| (result.variant(), result.outcome()))
        .collect();
    assert_eq!(
        outcomes,
        [
            ("good", AgentOutcome::Passed),
            ("wrong", AgentOutcome::VerificationFailed),
            ("fails", AgentOutcome::AgentFailed),
        ]
    );
    assert_eq!(results[0].branch(), Some("bakeoff/agents/good"));
    assert!(results[2].reason().contains("status 3"));
    assert!(results[1].json().contains("tests/run.sh"));
    assert!(git(&["rev-parse", "--verify", "bakeoff/agents/good"]));
    let refused = |agents: Agents| agents.run().unwrap_err();
    let named = refused(Agents::new(folder.path(), "x", "true").variant("a/b", ""));
    assert_eq!(named.kind(), ErrorKind::Experiment);
    assert!(named.to_string().contains("is no name of a variant"));
    let rounds = refused(agents.clone().rounds(9));
    assert!(rounds.to_string().contains("1 to 8 rounds"), "{rounds}");
    let unverified = Agents::new(folder.path(), "x", "true").variant("a", "");
    assert!(
        refused(unverified.rounds(2))
            .to_string()
            .contains("`verify`")
    );
    let stopped = Agents::new(folder.path(), "x", "sleep 4327").variant("a", "");
    let stopped = stopped.name("stopped");
    stopped.stopper()();
    assert_eq!(stopped.run().unwrap_err().kind(), ErrorKind::Stopped);
}

fn judges() {
    let row = |block: u32| {
        let [a, b] = [0.5, 0.75].map(|score| score + 0.001 * f64::from(block % 5));
        format!("a,{block},{a}\nb,{block},{b}\n")
    };
    let rows = "variant,block,value\n".to_owned() + &(0..200).map(row).collect::<String>();
    let options: JudgeOptions = JudgeOptions::default()
        .higher_is_better()
        .range(0.0, 1.0)
        .named("accuracy", "")
        .practical(0.02);
    let judgement: Judgement = bakeoff::judge(rows.as_bytes(), &options).unwrap();
    assert_eq!(judgement.winner(), Some("b"));
    assert_eq!(judgement.unbeaten(), ["b"]);
    assert!(
        judgement
            .answer()
            .starts_with("Take b: in accuracy it is higher by 0.25")
    );
    assert!(judgement.warnings()[0].starts_with("The order was not drawn"));
    assert!(judgement.json().contains("\"winner\": \"b\""));
    let error: Error = bakeoff::judge("variant,value\na,x\n".as_bytes(), &options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Experiment);
    assert!(error.to_string().contains("line 2"), "{error}");
}

fn cache() -> std::path::PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache")
}

fn runs() {
    let folder = experiment();
    let results = folder.path().join("results");
    let events: Arc<Mutex<Vec<String>>> = Arc::default();
    let heard = events.clone();
    let experiment: Experiment = Experiment::open(folder.path())
        .unwrap()
        .budget(Duration::from_secs(60))
        .workers(2)
        .results(&results)
        .cache(cache())
        .fresh()
        .seed("7")
        .unwrap()
        .on_event(move |line: &str| heard.lock().unwrap().push(line.to_owned()));
    assert_eq!(experiment.name(), "sums");
    let report: Report = experiment.run().unwrap();

    assert_eq!(report.outcome(), Outcome::Winner, "{}", report.text());
    assert_eq!(report.winner(), Some("quick"));
    assert_eq!(report.tied().count(), 0);
    assert!(
        report.answer().starts_with("Take quick: "),
        "{}",
        report.answer()
    );
    let ids: Vec<&str> = report.variants().map(|variant| variant.id()).collect();
    assert_eq!(ids, ["quick", "slow", "wrong"]);
    let quick = report.variant("quick").unwrap();
    assert_eq!((quick.name(), quick.rank()), ("quick", Some(1)));
    assert_eq!(quick.status(), Status::Ranked);
    assert_eq!(quick.score("performance"), Some(10.0));
    assert!(quick.total() > report.variant("slow").unwrap().total());
    assert!(quick.reading("time") > Some(0.0) && quick.reason().is_none());
    let wrong = report.variant("wrong").unwrap();
    assert_eq!((wrong.status(), wrong.rank()), (Status::Failed, None));
    assert!(wrong.reason().unwrap().contains("1999001"), "{wrong:?}");

    let time: TimeVerdict = report.by_time("quick", "slow").unwrap();
    assert_eq!(time.verdict, Verdict::Faster);
    let mirrored = report.by_time("slow", "quick").unwrap();
    assert_eq!(mirrored.verdict, Verdict::Slower);
    assert_eq!(mirrored.ratio, time.ratio.map(f64::recip));
    assert_eq!(mirrored.low, time.high.map(f64::recip));
    assert!(mirrored.low < mirrored.high, "{mirrored:?}");
    assert_eq!(report.by_time("quick", "wrong"), None);

    let written = |name: &str| fs::read_to_string(results.join(name)).unwrap();
    assert_eq!(written("report.json"), report.json());
    assert!(report.html().contains("</html>") && report.markdown().contains("quick"));
    let lines = events.lock().unwrap();
    assert!(!lines.is_empty());
    assert_eq!(
        written("events.jsonl").lines().collect::<Vec<_>>(),
        lines.iter().map(String::as_str).collect::<Vec<_>>()
    );
}

fn stops() {
    let folder = experiment();
    let results = folder.path().join("results");
    let open = || {
        let opened = Experiment::open(folder.path().join("bakeoff.toml")).unwrap();
        opened.results(&results).cache(cache())
    };
    let stopped = open();
    let stop = stopped.stopper();
    let stopped = stopped.on_event(move |line: &str| {
        if line.contains("bakeoff:check:complete") {
            stop();
        }
    });
    let error: Error = stopped.run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Stopped, "{error}");
    let report = open().run().unwrap();
    assert_eq!(report.winner(), Some("quick"));
    let events = fs::read_to_string(results.join("events.jsonl")).unwrap();
    let checked = |id: &str| {
        let done = events.lines().filter(|line| {
            line.contains("bakeoff:check:complete") && line.contains(&format!("{id:?}"))
        });
        done.filter(|line| line.contains("\"new\"")).count()
    };
    assert_eq!(["quick", "slow"].map(checked), [1, 1], "{events}");
}

fn stops_at_once() {
    let folder = experiment();
    // The compiler evaluates it until its time is over.
    let endless = "#![allow(long_running_const_eval)]\nconst fn spin() -> u64 { let mut n = 0u64; loop { n = n.wrapping_add(1); if \
                   n == u64::MAX { return n } } }\npub fn total(_: Vec<u32>) -> u64 { const END: u64 = spin(); END }\n";
    for file in ["quick.rs", "slow.rs", "wrong.rs"] {
        fs::write(folder.path().join(file), format!("// {file}\n{endless}")).unwrap();
    }
    let opened = Experiment::open(folder.path()).unwrap().cache(cache());
    let stop = opened.stopper();
    let results = folder.path().join("results");
    let stopped = opened.results(&results).on_event(move |line: &str| {
        if line.contains("bakeoff:build:start") {
            stop();
        }
    });
    assert_eq!(stopped.run().unwrap_err().kind(), ErrorKind::Stopped);
    let events = fs::read_to_string(results.join("events.jsonl")).unwrap();
    assert!(events.contains("bakeoff:build:start"), "{events}");
    assert!(
        !events.contains("bakeoff:variant:failed") && !events.contains("bakeoff:build:complete"),
        "{events}"
    );
}

fn cannot_be_run() {
    let folder = experiment();
    let missing = Experiment::open(folder.path().join("nowhere")).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::Experiment);
    assert!(
        missing.to_string().contains("there is no experiment"),
        "{missing}"
    );
    let file = folder.path().join("bakeoff.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("precision", "precisoin")).unwrap();
    let wrong = Experiment::open(folder.path()).unwrap_err().to_string();
    assert!(
        wrong.contains("precisoin") && wrong.contains("precision"),
        "{wrong}"
    );
    fs::write(&file, text).unwrap();
    let seed = Experiment::open(folder.path()).unwrap().seed("\u{1b}[2J");
    let seed = seed.unwrap_err().to_string();
    assert!(!seed.contains('\u{1b}'), "{seed}");
    fs::write(folder.path().join("results"), "no folder").unwrap();
    let opened = Experiment::open(folder.path()).unwrap();
    let blocked = opened.results(folder.path().join("results")).cache(cache());
    assert_eq!(blocked.run().unwrap_err().kind(), ErrorKind::Machine);
    // It blocks, and may be called where a runtime is, if that allows blocking.
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let inside = runtime.block_on(async { Experiment::open("/nowhere").is_err() });
    assert!(inside);
}

fn example() {
    let folder = experiment();
    let results = folder.path().join("results");
    let binary = std::env::current_exe().unwrap();
    let built = binary.parent().unwrap().with_file_name("examples");
    let output = Command::new(built.join("which"))
        .args([folder.path(), &results])
        .env(
            "XDG_CACHE_HOME",
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("home"),
        )
        .env("BAKEOFF_POLICY", "")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        said.starts_with("1. quick\n2. slow\n-  wrong: failed\nTake quick: "),
        "{said}"
    );
    let report = Command::new(env!("CARGO_BIN_EXE_bakeoff"))
        .args([Path::new("report"), &results, Path::new("-q")])
        .output()
        .unwrap();
    assert!(
        said.ends_with(&*String::from_utf8_lossy(&report.stdout)),
        "{said}"
    );
}
