//! Programs that answer.

use super::*;
use bakeoff_files::WorkingFolder;
use std::ffi::OsStr;

/// Opens a command whose program is the system's shell.
fn open_shell(script: &str, change: impl FnOnce(&mut ModelOptions)) -> Result<Models, OpenError> {
    let mut options = ModelOptions {
        command: ["sh", "-c", script].map(str::to_owned).to_vec(),
        timeout: Duration::from_secs(60),
        ..ModelOptions::new(ProviderKind::Command)
    };
    change(&mut options);
    let lookup = |name: &str| match name {
        "HOME" => Some("/home/someone".into()),
        "ANTHROPIC_API_KEY" | "OTHER" => Some(KEY.into()),
        _ => None,
    };
    let path = SearchPath::of(OsStr::new("/usr/bin:/bin"), &WorkingFolder::default());
    Models::open_with(options, Environment::new(&lookup), &path)
}

fn shell(script: &str) -> Models {
    open_shell(script, |_| {}).unwrap()
}

#[test]
fn a_command_gets_the_prompt_an_empty_folder_and_no_environment_but_what_is_named() {
    block_on(async {
        let script = r#"input=$(cat | head -c 9); printf '{"text": "%s|%s|%s"}' "$input" "$(ls -A)" "$(env | cut -d= -f1 | sort | tr '\n' ' ')""#;
        let text = shell(script).ask(&request("")).await.unwrap()["text"].clone();
        let text = text.as_str().unwrap();
        assert!(text.starts_with("Be brief.||"), "{text}");
        assert!(
            text.contains(" PATH ") && text.contains(" TMPDIR "),
            "{text}"
        );
        assert!(
            !text.contains("API_KEY") && !text.contains("OTHER"),
            "{text}"
        );

        // What is named for it is there, and removed from what it says.
        let script = r#"cat > /dev/null; printf '{"text": "%s %s"}' "$OTHER" "$ANTHROPIC_API_KEY""#;
        let models = open_shell(script, |options| {
            options.command_env = vec!["OTHER".to_owned()]
        })
        .unwrap();
        assert_eq!(models.ask(&request("")).await, Ok(answer("[key removed] ")));
        let error = open_shell("", |options| {
            options.command_env = vec!["MISSING".to_owned()]
        });
        assert!(error.unwrap_err().to_string().contains("MISSING"));
    });
}

#[test]
fn an_agents_count_and_cost_are_booked_and_without_them_the_most_it_can_have_been() {
    block_on(async {
        let script = r#"cat > /dev/null; echo '{"type": "result", "subtype": "success", "is_error": false,
            "result": "{\"text\": \"a\"}", "total_cost_usd": 0.25, "usage": {"input_tokens": 10,
            "output_tokens": 20, "cache_read_input_tokens": 30, "cache_creation_input_tokens": 40}}'"#;
        let models = shell(script);
        assert_eq!(models.ask(&request("")).await, Ok(answer("a")));
        let usage = models.spent().total.usage;
        assert_eq!((usage.tokens(), usage.microdollars), (100, 250_000));
        assert!(!usage.upper_bound && !usage.unpriced);

        let models = shell(r#"cat > /dev/null; echo '{"text": "a"}'"#);
        models.ask(&request("")).await.unwrap();
        let spent = models.spent().total;
        assert_eq!((spent.upper_bound_calls, spent.unpriced_calls), (1, 1));
        assert_eq!(spent.usage.output_tokens, 500);
    });
}

#[test]
fn a_budget_of_money_is_given_to_a_command_that_keeps_within_it() {
    block_on(async {
        let script = r#"cat > /dev/null; printf '{"text": "%s %s"}' "$0" "$1""#;
        let limited = |options: &mut ModelOptions| {
            options.microdollars_max = Some(1_500_000);
            options
                .command
                .extend(["{max_usd}", "{max_tokens}"].map(str::to_owned));
        };
        let models = open_shell(script, limited).unwrap();
        assert_eq!(models.ask(&request("")).await, Ok(answer("1.500000 500")));
        let spent = models.spent().total;
        assert_eq!(
            (spent.usage.microdollars, spent.upper_bound_calls),
            (1_500_000, 1)
        );
        let error = models.ask(&request("")).await.unwrap_err();
        assert_eq!(error.class(), "budget-exhausted");
        let error = open_shell(script, |options| options.microdollars_max = Some(1)).unwrap_err();
        assert!(error.to_string().contains("{max_usd}"), "{error}");
    });
}

#[test]
fn a_command_that_fails_or_never_ends_or_writes_too_much_has_its_class() {
    block_on(async {
        for (script, class, reason) in [
            (
                "echo 'no \u{1b}[31mlogin' >&2; exit 3",
                "reply-cut",
                "exit status: 3: no \u{fffd}[31mlogin",
            ),
            ("kill -9 $$", "reply-cut", "signal: 9"),
            ("cat /dev/zero", "reply-too-long", "what is read"),
            ("printf '\\377\\376'", "invalid-reply", "not UTF-8"),
            ("true", "invalid-reply", "empty"),
        ] {
            let models = shell(script);
            let error = models.ask(&request("")).await.unwrap_err();
            assert_eq!(error.class(), class, "{script}: {error}");
            assert!(error.to_string().contains(reason), "{script}: {error}");
            assert!(models.spent().total.upper_bound_calls >= 1);
        }
    });
}

#[test]
fn a_command_is_killed_at_its_time_limit_with_all_that_it_started() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pids");
        let script = format!(
            "sleep 1000 & one=$!; setsid sleep 1000 & echo $$ $one $! > {}; wait",
            file.display()
        );
        let short = |options: &mut ModelOptions| options.timeout = Duration::from_millis(800);
        let error = open_shell(&script, short)
            .unwrap()
            .ask(&request(""))
            .await
            .unwrap_err();
        assert_eq!(error.class(), "model-timeout");
        assert_eq!(gone(&file), 3);
    });
}

/// The detached process has left its session and closed its streams, and answers nobody.
#[test]
fn what_a_command_detaches_ends_with_it() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pids");
        let script = format!(
            "cat > /dev/null; setsid sleep 1000 <&- >&- 2>&- & echo $! > {}; echo '{{\"text\": \"a\"}}'",
            file.display()
        );
        assert_eq!(shell(&script).ask(&request("")).await, Ok(answer("a")));
        assert_eq!(gone(&file), 1);
    });
}

/// Waits until the processes whose numbers are in a file have ended, and returns how many there
/// were.
fn gone(file: &std::path::Path) -> usize {
    let pids = std::fs::read_to_string(file).unwrap();
    for pid in pids.split_whitespace() {
        let is_alive = || {
            let status = std::fs::read_to_string(format!("/proc/{pid}/stat"));
            status.is_ok_and(|status| !status.contains(") Z "))
        };
        while is_alive() {
            std::thread::yield_now();
        }
    }
    pids.split_whitespace().count()
}

#[test]
fn a_program_that_the_folder_or_others_could_choose_is_refused() {
    for (program, reason) in [
        ("./agent", "relative path"),
        ("bin/agent", "relative path"),
        ("no-such-program", "no folder of PATH"),
        ("/no/such/program", "cannot be found"),
    ] {
        let error = open_shell("", |options| options.command = vec![program.to_owned()]);
        let error = error.unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    let error = open_shell("", |options| options.command.clear()).unwrap_err();
    assert!(error.to_string().contains("no command"), "{error}");
}
