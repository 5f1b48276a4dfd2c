use super::*;

fn parse(text: &str) -> Result<Vec<AgentTask>, String> {
    parse_agent_tasks(text, "tasks.toml").map_err(|error| error.in_lines())
}

/// Returns a text of tasks with these names and what they wait for.
fn text(tasks: &[(&str, &[&str])]) -> String {
    let one = |(name, after): &(&str, &[&str])| {
        format!("[[task]]\nname = {name:?}\nprompt = \"Do it.\"\nafter = {after:?}\n")
    };
    tasks.iter().map(one).collect()
}

#[test]
fn tasks_come_after_those_that_they_wait_for_and_keep_the_order_of_the_file() {
    let tasks = parse(&text(&[
        ("d", &["b", "a"]),
        ("c", &[]),
        ("b", &["a"]),
        ("a", &[]),
    ]))
    .unwrap();
    let names: Vec<&str> = tasks.iter().map(|task| task.name.as_str()).collect();
    assert_eq!(names, ["c", "a", "b", "d"]);
    assert_eq!(tasks[3].after, [1, 2]);
    assert_eq!((tasks[0].priority, tasks[0].estimate_minutes), (0, 10.0));
    let one = parse(
        "[[task]]\nname = \"a\"\nprompt = '''\nFirst.\n\tThen.\n'''\npriority = -3\nestimate = 2.5\ncheck = \"true\"\n\
         [[task]]\nname = \"b\"\nprompt = \"x\"\nafter = \"a\"\ncheck = [\"a\", \"b\"]\n",
    )
    .unwrap();
    assert_eq!((one[0].priority, one[0].estimate_minutes), (-3, 2.5));
    assert_eq!(one[0].work, TaskWork::Agent("First.\n\tThen.\n".to_owned()));
    assert_eq!(one[0].checks, ["true"]);
    assert_eq!((&one[1].after[..], one[1].checks.len()), (&[0][..], 2));
}

#[test]
fn what_cannot_be_worked_off_is_refused_by_name_and_line() {
    for (wrong, why) in [
        (String::new(), "`task` is missing"),
        ("task = []\n".to_owned(), "lists no task"),
        (
            text(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"])]),
            "line 6: these tasks wait for each other in a circle: `b` waits for `c` waits for `b`",
        ),
        (
            text(&[("a", &["a"])]),
            "line 4: the task `a` waits for itself",
        ),
        (
            text(&[("parser", &[]), ("b", &["parsr"])]),
            "line 8: the task `b` waits for `parsr`, which is no task",
        ),
        (
            text(&[("a", &[]), ("A", &[])]),
            "line 6: two tasks are named `A`",
        ),
        (
            text(&[("result", &[])]),
            "line 2: `result` cannot name a task",
        ),
        ("[[task]]\nname = \"a\"\n".to_owned(), "`prompt` is missing"),
        (
            "[[task]]\nname = \"a\"\nprompt = \"x\"\npromt = \"y\"\n".to_owned(),
            "line 4: `[[task]]` does not know the key `promt`",
        ),
        (
            "[[task]]\nname = \"a\"\nprompt = \"x\"\nestimate = 0\n".to_owned(),
            "line 4: `estimate` cannot be 0",
        ),
        (
            "[[task]]\nname = \"a\"\nprompt = \"x\"\nestimate = nan\n".to_owned(),
            "`estimate` cannot be NaN",
        ),
        (
            "[[task]]\nname = \"a\"\nprompt = \"x\"\npriority = 101\n".to_owned(),
            "`priority` cannot be 101",
        ),
        (
            "[[task]]\nname = \"a\"\nprompt = \"x\"\ncheck = [1]\n".to_owned(),
            "line 4: `check`",
        ),
        (
            "[[task]]\nname = \"a\"\nprompt = \"x\"\ncheck = \" \"\n".to_owned(),
            "`check` is empty",
        ),
        ("[[task]\n".to_owned(), "line 1: this is not TOML"),
    ] {
        let error = parse(&wrong).unwrap_err();
        assert!(error.contains(why), "{error}\n{wrong}");
    }
}

#[test]
fn case_248_names_that_lead_elsewhere_and_texts_without_end_are_refused() {
    for name in [
        "../a",
        "a/b",
        "/etc",
        "..",
        ".git",
        "-a",
        "a.lock",
        "a\\u001b[2J",
        "ä",
        "a b",
    ] {
        let error = parse(&format!("[[task]]\nname = \"{name}\"\nprompt = \"x\"\n")).unwrap_err();
        assert!(error.contains("is no name of a task"), "{error}");
        assert!(!error.contains('\u{1b}'), "{error}");
    }
    let long = "x".repeat(PROMPT_CHARS_MAX + 1);
    for (prompt, why) in [
        (long.as_str(), "more than 16000 characters"),
        ("a\\u001b[2Jb", "control characters"),
        ("a\\u0000b", "control characters"),
        ("  ", "is empty"),
    ] {
        let error = parse(&format!("[[task]]\nname = \"a\"\nprompt = \"{prompt}\"\n")).unwrap_err();
        assert!(error.contains(why), "{error}");
    }
    let names: Vec<String> = (0..=AGENT_TASKS_MAX)
        .map(|number| format!("t{number}"))
        .collect();
    let many: Vec<(&str, &[&str])> = names.iter().map(|name| (name.as_str(), &[][..])).collect();
    assert_eq!(parse(&text(&many[1..])).unwrap().len(), AGENT_TASKS_MAX);
    let error = parse(&text(&many)).unwrap_err();
    assert!(error.contains("64 is the most"), "{error}");
    let checks = vec!["true"; CHECKS_MAX + 1];
    let many = format!("[[task]]\nname = \"a\"\nprompt = \"x\"\ncheck = {checks:?}\n");
    assert!(parse(&many).unwrap_err().contains("8 is the most"));
}

#[test]
fn names_are_those_of_a_folder_and_a_branch() {
    for good in ["functional", "a", "v1.2", "A_b-c"] {
        assert!(is_branch_part(good), "{good}");
    }
    for bad in [
        "", "..", "a..b", ".a", "a/b", "a.lock", "a.", "-a", "a b", "ä",
    ] {
        assert!(!is_branch_part(bad), "{bad}");
    }
    assert!(!is_branch_part(&"a".repeat(65)));
}

#[test]
fn a_task_may_be_an_experiment_whose_winner_becomes_a_file() {
    let task = |lines: &str| parse(&format!("[[task]]\nname = \"a\"\n{lines}\n"));
    let one = task("experiment = \"e/sum.toml\"\ninto = \"src/sum.rs\"").unwrap();
    let expected = TaskWork::Experiment {
        file: "e/sum.toml".to_owned(),
        into: "src/sum.rs".to_owned(),
    };
    assert_eq!(one[0].work, expected);
    for (wrong, why) in [
        ("experiment = \"e.toml\"", "`into` is missing"),
        ("prompt = \"x\"\ninto = \"y\"", "`into` is for the winner"),
        (
            "prompt = \"x\"\nexperiment = \"e.toml\"\ninto = \"y\"",
            "and this one has both",
        ),
        ("experiment = \"e\"\ninto = \"y\"", "`experiment` is no"),
        ("", "`prompt` is missing"),
    ] {
        let refusal = task(wrong).unwrap_err();
        assert!(refusal.contains(why), "{wrong}: {refusal}");
    }
}

#[test]
fn case_255_paths_of_an_experiment_and_its_winner_that_lead_elsewhere_are_refused() {
    for path in [
        "../x.toml",
        "/x.toml",
        "a/../x.toml",
        "a//x.toml",
        ".git/x.toml",
        ".bakeoff/x.toml",
        "-x.toml",
        "a\\\\x.toml",
        "c:x.toml",
        "a\\nx.toml",
        "",
    ] {
        for (file, into) in [(path, "y"), ("e.toml", path)] {
            let text =
                format!("[[task]]\nname = \"a\"\nexperiment = \"{file}\"\ninto = \"{into}\"\n");
            assert!(parse(&text).is_err(), "{text}");
        }
    }
}
