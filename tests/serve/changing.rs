//! `bakeoff serve --allow-run`: who may change something, and what comes of it.

use super::client::{PATIENCE, Response, Server, encoded, until};
use crate::support::{bakeoff, measuring_slot};
use crate::timed::{GOOD, WIT, WORKLOAD};
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A way that takes three times as long.
const SLOW: &str = "pub fn total(values: Vec<u64>) -> u64 {
    let mix = |sum: u64, value: &u64| (sum ^ value).rotate_left(7).wrapping_mul(0x9E37_79B9);
    for _ in 0..2 { std::hint::black_box(values.iter().fold(0, mix)); }
    values.iter().fold(0, mix)
}
";

/// A folder with an experiment that has no results: its budget is larger than any test waits for, and is used up, since two
/// of its approaches are the same work.
pub(super) fn experiment(name: &str) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join(name);
    fs::create_dir(&folder).unwrap();
    let write = |file: &str, text: &str| fs::write(folder.join(file), text).unwrap();
    write("total.wit", WIT);
    write("workload.rs", WORKLOAD);
    write("one.rs", GOOD);
    write(
        "two.rs",
        &GOOD.replace("    let", "    std::hint::black_box(&values);\n    let"),
    );
    write("slow.rs", SLOW);
    write(
        "bakeoff.toml",
        &format!(
            "name = \"{name}\"\nproblem = \"Fold numbers.\"\n[interface]\nwit = \"total.wit\"\ncall = \"total\"\n\
             [workload]\nsource = \"workload.rs\"\nsizes = [20000, 40000]\n\
             [measure]\nbudget = \"10 min\"\npractical = 0.0001\nprecision = 0.0001\n\
             [[approach]]\nname = \"one\"\nsource = \"one.rs\"\n[[approach]]\nname = \"two\"\nsource = \"two.rs\"\n[[approach]]\nname = \"slow\"\nsource = \"slow.rs\"\n"
        ),
    );
    root
}

pub(super) fn path(root: &TempDir) -> &str {
    root.path().to_str().unwrap()
}

/// The address of the forms of the only experiment of a list, which has no results.
pub(super) fn change_path(list: &Response) -> String {
    let rest = list.body.split("href=\"change/").nth(1);
    let rest = rest.unwrap_or_else(|| panic!("no experiment: {}", list.body));
    format!("change/{}/", rest.split('/').next().unwrap())
}

/// The address of the forms of the only run of a list, once there is one.
pub(super) fn run_and_change(server: &Server) -> (String, String) {
    until(|| server.page("").body.contains("href=\"runs/").then_some(()));
    let run = server.run_path(&server.page(""));
    let change = run.replace("runs/", "change/");
    (run, change)
}

/// Waits until a page has a text, and returns the page.
pub(super) fn page_with(server: &Server, page: &str, text: &str) -> String {
    let started = Instant::now();
    loop {
        let body = server.page(page).body;
        if body.contains(text) {
            return body;
        }
        assert!(started.elapsed() < PATIENCE, "no `{text}`: {body}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

pub(super) fn sends_on(response: &Response) {
    assert_eq!(response.status, 303, "{response:?}");
}

#[test]
fn other_pages_other_servers_and_whoever_has_no_token_start_and_change_nothing() {
    let root = experiment("kept");
    let server = Server::start_with(path(&root), &["--allow-run"]);
    let other = Server::start_with(path(&root), &["--allow-run"]);
    let file = root.path().join("kept/bakeoff.toml");
    let before = fs::read_to_string(&file).unwrap();
    let own = server.enter();
    let list = server.page("");
    let change = change_path(&list);
    let token = Server::form_token(&list);
    let others = Server::form_token(&other.page(""));
    let port = server.port();
    let entry = server.entry();
    let address_token = entry.split('=').nth(1).unwrap();
    let cookie = ("Cookie", own.cookie.clone());
    let origin = ("Origin", format!("http://127.0.0.1:{port}"));
    let form = (
        "Content-Type",
        "application/x-www-form-urlencoded".to_owned(),
    );
    let host = |name: &str| ("Host", name.to_owned());
    let from = |name: &str| ("Origin", name.to_owned());
    let site = |name: &str| ("Sec-Fetch-Site", name.to_owned());
    let kind = |name: &str| ("Content-Type", name.to_owned());
    let body = |token: &str| {
        encoded(&[
            ("name", "one"),
            ("folder", "copied"),
            ("text", &before),
            ("language", "rs"),
            ("source", "x"),
            ("token", token),
        ])
    };
    let good = body(&token);
    let attacks = [
        (vec![origin.clone(), form.clone()], good.clone(), 404),
        (
            vec![
                ("Cookie", other.enter().cookie),
                origin.clone(),
                form.clone(),
            ],
            good.clone(),
            404,
        ),
        (vec![cookie.clone(), form.clone()], good.clone(), 403),
        (
            vec![cookie.clone(), from("http://evil.example"), form.clone()],
            good.clone(),
            403,
        ),
        (
            vec![cookie.clone(), from("null"), form.clone()],
            good.clone(),
            403,
        ),
        (
            vec![
                cookie.clone(),
                from(&format!("http://127.0.0.1:{}", other.port())),
                form.clone(),
            ],
            good.clone(),
            403,
        ),
        (
            vec![
                cookie.clone(),
                origin.clone(),
                form.clone(),
                site("cross-site"),
            ],
            good.clone(),
            403,
        ),
        (
            vec![cookie.clone(), origin.clone(), form.clone(), site("none")],
            good.clone(),
            403,
        ),
        (
            vec![
                cookie.clone(),
                origin.clone(),
                form.clone(),
                host("rebound.example"),
            ],
            good.clone(),
            403,
        ),
        (vec![cookie.clone(), origin.clone()], good.clone(), 415),
        (
            vec![cookie.clone(), origin.clone(), kind("text/plain")],
            good.clone(),
            415,
        ),
        (
            vec![
                cookie.clone(),
                origin.clone(),
                kind("multipart/form-data; boundary=x"),
            ],
            good.clone(),
            415,
        ),
        (
            vec![cookie.clone(), origin.clone(), form.clone()],
            encoded(&[("name", "one")]),
            403,
        ),
        (
            vec![cookie.clone(), origin.clone(), form.clone()],
            body(&others),
            403,
        ),
        (
            vec![cookie.clone(), origin.clone(), form.clone()],
            body(address_token),
            403,
        ),
        (
            vec![cookie.clone(), origin.clone(), form.clone()],
            body(own.cookie.split('=').nth(1).unwrap()),
            403,
        ),
        (
            vec![cookie.clone(), origin.clone(), form.clone()],
            format!("{good}&token={token}"),
            400,
        ),
        (
            vec![cookie.clone(), origin.clone(), form.clone()],
            format!("{good}&x={}", "x".repeat(5 << 20)),
            413,
        ),
    ];
    for action in ["run", "stop", "add", "withdraw", "pick", "copy"] {
        let to = format!("{}{change}{action}", own.path);
        for (headers, body, status) in &attacks {
            let answer = server.send_body(&to, headers, body);
            assert_eq!(answer.status, *status, "{action} {headers:?}: {answer:?}");
        }
        // No address does anything by being opened.
        let opened = format!("{to}?{good}");
        let answer = server.get(&opened, &[cookie.clone(), site("same-origin")]);
        assert_eq!(answer.status, 405, "{answer:?}");
    }
    // A server that only shows takes no form at all, with the right token or without.
    let shows = Server::start(path(&root));
    let to = format!("{}{change}run", shows.enter().path);
    let headers = [
        ("Cookie", shows.enter().cookie),
        ("Origin", format!("http://127.0.0.1:{}", shows.port())),
        form.clone(),
    ];
    assert_eq!(shows.send_body(&to, &headers, &good).status, 405);
    assert!(!shows.page("").body.contains("<form"));
    assert!(!root.path().join("kept/.bakeoff").exists(), "no run began");
    assert!(!root.path().join("copied").exists());
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    let policy = server.page(&change);
    let policy = policy.header("content-security-policy");
    assert!(policy.contains("form-action 'self'") && policy.contains("frame-ancestors 'none'"));
}

#[test]
fn a_run_that_a_page_starts_lives_on_without_its_server_and_is_stopped_and_gone_on_with_by_the_next()
 {
    let root = experiment("lives");
    let mut killed = Server::start_with(path(&root), &["--allow-run", "--programs"]);
    let _slot = measuring_slot();
    let list = killed.page("");
    assert!(list.body.contains("no run yet"), "{}", list.body);
    sends_on(&killed.post(
        &format!("{}run", change_path(&list)),
        &[("budget", "9 min")],
    ));
    let (run, change) = run_and_change(&killed);
    let page = page_with(&killed, &run, "is being timed");
    // The address that it had before its first run leads on.
    let old = killed.page(&change_path(&list));
    let to = format!("{}{change}", killed.enter().path);
    assert_eq!((old.status, old.header("location")), (303, &*to), "{old:?}");
    // It has what the user said where the server was started, and what the form said.
    assert!(
        page.contains("--programs") && page.contains("9 min"),
        "{page}"
    );
    killed.kill();
    let server = Server::start_with(path(&root), &["--allow-run"]);
    let before = page_with(&server, &run, "replica 1 is stored");
    assert!(before.contains("Run 1 goes on"), "{before}");
    // From a page that was open before its first run.
    let old = format!("{}stop", change_path(&list));
    sends_on(&server.post_from(&change, &old, &[]));
    page_with(&server, &run, "What is finished is kept, and it can go on.");
    let page = page_with(&server, &run, "Run 1 was interrupted.");
    assert!(!page.contains("is being timed"), "{page}");
    // Somebody else goes on with it: that it was stopped is not true any more, and is not said.
    let folder = root.path().join("lives");
    let mut terminal = bakeoff(&["run", folder.to_str().unwrap(), "--quiet", "--budget=8min"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let page = page_with(&server, &run, "Run 1 goes on");
    assert!(!page.contains("it can go on."), "{page}");
    sends_on(&server.post(&format!("{change}stop"), &[]));
    page_with(&server, &run, "What is finished is kept, and it can go on.");
    assert_eq!(terminal.wait().unwrap().code(), Some(130));
    // Nothing that was finished is done again, and it ends: at once, as it was told to.
    sends_on(&server.post(&format!("{change}run"), &[("budget", "100 ms")]));
    let page = page_with(&server, &run, "is finished.");
    assert!(
        page.contains("is built already: that is kept from before"),
        "{page}"
    );
    let refused = server.post(&format!("{change}pick"), &[]);
    is_refused_with(&refused, "nothing to pick");
    let page = server.page(&run).body;
    assert!(!page.contains("nothing to pick"), "{page}");
    // Without one of the two that are the same work.
    sends_on(&server.post(&format!("{change}withdraw"), &[("name", "two")]));
    page_with(&server, &run, "two was withdrawn");
    sends_on(&server.post(&format!("{change}run"), &[]));
    let page = page_with(&server, &run, "Run 2 is finished.");
    assert!(!page.contains("two was withdrawn"), "{page}");
    let page = page_with(&server, &run, "<h2>Answer</h2>");
    assert!(
        page.contains("class=\"answer winner\"><p>Take one"),
        "{page}"
    );
    sends_on(&server.post(&format!("{change}pick"), &[("copy", "best.rs")]));
    page_with(&server, &run, "one is recommended");
    let copied = fs::read_to_string(root.path().join("lives/best.rs")).unwrap();
    assert_eq!(copied, GOOD);
    let refused = server.post(&format!("{change}pick"), &[("copy", "best.rs")]);
    is_refused_with(&refused, "there is something called best.rs already");
    assert!(refused.body.contains("value=\"best.rs\""), "{refused:?}");
    sends_on(&server.post(&format!("{change}stop"), &[]));
    page_with(&server, &run, "No run went on.");
    // Without a source, a model is to write it.
    let add = format!("{change}add");
    let described = [
        ("name", "told"),
        ("description", "An idea."),
        ("language", "rs"),
    ];
    sends_on(&server.post(&add, &described));
    page_with(
        &server,
        &run,
        "This server asks none, as it was started without --generate",
    );
    let file = fs::read_to_string(root.path().join("lives/bakeoff.toml")).unwrap();
    assert!(
        file.ends_with("description = \"An idea.\"\nwrite = true\n"),
        "{file}"
    );
}

#[test]
fn an_approach_that_is_added_while_a_run_goes_on_is_ranked_and_another_one_withdrawn() {
    let root = experiment("grows");
    let server = Server::start_with(path(&root), &["--allow-run"]);
    let _slot = measuring_slot();
    let folder = root.path().join("grows");
    let mut terminal = bakeoff(&["run", folder.to_str().unwrap(), "--quiet", "--budget=8min"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (run, change) = run_and_change(&server);
    page_with(&server, &run, "replica 1 is stored");
    let pasted = SLOW.replace("0..2", "0..1");
    let fields = [
        ("name", "pasted <i>"),
        ("description", "Once more."),
        ("language", "rs"),
        ("source", &*pasted),
    ];
    sends_on(&server.post(&format!("{change}add"), &fields));
    let page = page_with(&server, &run, "The run was stopped for that, and goes on");
    assert!(page.contains("pasted &lt;i&gt; was added."), "{page}");
    assert_eq!(terminal.wait().unwrap().code(), Some(130));
    // It goes on with the time that its command line gave it.
    page_with(&server, &run, "--budget=480000ms");
    page_with(&server, &run, "replica 1 is stored");
    // A raised budget is what the page counts down from.
    sends_on(&server.post(&format!("{change}run"), &[("budget", "180min")]));
    let page = page_with(&server, &run, "--budget=180min");
    let left = |page: &str| -> Option<u32> {
        let left = page
            .split("at most ")
            .find_map(|rest| rest.split_once(" s of measuring left"));
        left?.0.parse().ok()
    };
    let left = until(|| left(&server.page(&run).body).filter(|left| *left > 480));
    assert!((10_000..=10_800).contains(&left), "{left}: {page}");
    // Some of its replicas are kept by now.
    page_with(&server, &run, "<td>leads</td>");
    sends_on(&server.post(&format!("{change}run"), &[("budget", "100 ms")]));
    page_with(&server, &run, "is finished.");
    let page = page_with(
        &server,
        &run,
        "Its budget of 100 ms was used up before, by the ",
    );
    let row = "<th scope=\"row\">pasted &lt;i&gt;</th>";
    assert!(page.contains(row), "{page}");
    // It is written a moment later.
    let file = until(|| fs::read_to_string(folder.join(".bakeoff/grows/report.json")).ok());
    let report: serde_json::Value = serde_json::from_str(&file).unwrap();
    let variants = report["variants"].as_array().unwrap();
    let found = variants.iter().find(|one| one["name"] == "pasted <i>");
    assert!(
        found.is_some_and(|one| one["rank"].is_object() || one["rank"].is_number()),
        "{variants:#?}"
    );
    sends_on(&server.post(&format!("{change}withdraw"), &[("name", "slow")]));
    page_with(
        &server,
        &run,
        "slow was withdrawn; its file stays. The next run has that.",
    );
    let text = fs::read_to_string(folder.join("bakeoff.toml")).unwrap();
    assert!(!text.contains("\"slow\"") && folder.join("slow.rs").exists());
}

/// Holds that a form was refused with this reason, on a page that has its forms.
pub(super) fn is_refused_with(refused: &Response, why: &str) {
    assert_eq!(refused.status, 422, "{refused:?}");
    assert!(
        refused.body.contains("role=\"alert\"")
            && refused.body.contains(why)
            && refused.body.contains("<form "),
        "{why}: {refused:?}"
    );
}
