//! `bakeoff serve`: who may read, what is shown, and a run that is followed while it goes on.

mod changing;
mod client;
mod copying;
mod large;
mod opening;
mod refused;

use crate::finished::TOP_K;
use crate::support::{bakeoff, measuring_slot, run_bakeoff};
use crate::timed::{GOOD, WIT, WORKLOAD};
use client::{Response, Server, events, until};
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Markup in the place of a name.
const HOSTILE: &str = "<img src=x onerror=alert(1)>";

/// Writes a small experiment of two approaches.
fn experiment(folder: &Path, name: &str, budget: &str) {
    let write = |file: &str, text: &str| fs::write(folder.join(file), text).unwrap();
    write("total.wit", WIT);
    write("workload.rs", WORKLOAD);
    write("one.rs", GOOD);
    write(
        "two.rs",
        &GOOD.replace("    let", "    std::hint::black_box(&values);\n    let"),
    );
    write(
        "bakeoff.toml",
        &format!(
            "name = \"{name}\"\nproblem = \"Fold numbers: {name}\"\n\
             interface = {{ wit = \"total.wit\", call = \"total\" }}\n\
             workload = {{ source = \"workload.rs\", sizes = [200000, 400000] }}\n\
             measure = {{ budget = \"{budget}\", practical = 0.0001, precision = 0.0001 }}\n\
             approach = [{{ name = \"one\", source = \"one.rs\" }}, {{ name = \"{name}\", source = \"two.rs\" }}]\n"
        ),
    );
}

fn is_refused(response: &Response, status: u16) {
    assert_eq!(response.status, status, "{response:?}");
    assert!(
        !response.body.contains("top-k") && response.body.lines().count() <= 1,
        "{response:?}"
    );
    assert!(!response.has_header("set-cookie"), "{response:?}");
}

#[test]
fn without_the_token_nothing_is_read() {
    let finished = TOP_K.copy();
    let (server, other) = (Server::start(finished.dir()), Server::start(finished.dir()));
    let own = server.enter();
    let pages = [
        "/".to_owned(),
        own.path.clone(),
        format!("{}events", own.path),
        format!("{}style.css", own.path),
    ];
    for page in &pages {
        is_refused(&server.get(page, &[]), 404);
        let foreign = ("Cookie", other.enter().cookie);
        is_refused(&server.get(page, &[foreign]), 404);
        let guessed = ("Cookie", format!("bakeoff={}", "0".repeat(64)));
        is_refused(&server.get(page, &[guessed]), 404);
    }
    let token = other.address.split_once("token=").unwrap().1;
    is_refused(&server.get(&format!("/?token={token}"), &[]), 404);
    is_refused(&server.get("/?token=", &[]), 404);
    // The same with the cookie is the list.
    let list = server.get(&own.path, &[("Cookie", own.cookie.clone())]);
    assert!(
        list.status == 200 && list.body.contains("top-k"),
        "{list:?}"
    );
    for (name, value) in [
        ("x-frame-options", "DENY"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-store"),
    ] {
        assert_eq!(list.header(name), value);
    }
    assert!(
        list.header("content-security-policy")
            .contains("default-src 'none'")
    );
    let entered = server.get(
        &format!("/?{}", server.address.split_once('?').unwrap().1),
        &[],
    );
    assert_eq!(
        (entered.status, entered.header("location")),
        (303, own.path.as_str())
    );
    let cookie = entered.header("set-cookie");
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"),
        "{cookie}"
    );
}

#[test]
fn other_hosts_other_pages_and_other_methods_get_nothing() {
    let finished = TOP_K.copy();
    let server = Server::start(finished.dir());
    let own = server.enter();
    let cookie = || ("Cookie", own.cookie.clone());
    let port = server.port();
    for (name, value) in [
        ("Host", format!("rebound.example:{port}")),
        ("Host", "127.0.0.1".to_owned()),
        ("Host", format!("127.0.0.1:{}", port ^ 1)),
        ("Origin", "http://evil.example".to_owned()),
        ("Origin", "null".to_owned()),
        ("Origin", format!("http://127.0.0.1:{}", port ^ 1)),
        ("Sec-Fetch-Site", "cross-site".to_owned()),
        ("Sec-Fetch-Site", "same-site".to_owned()),
    ] {
        for path in [own.path.clone(), server.entry()] {
            is_refused(&server.get(&path, &[cookie(), (name, value.clone())]), 403);
        }
    }
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"] {
        is_refused(&server.request(method, &own.path, &[cookie()]), 405);
    }
    let localhost = [
        cookie(),
        ("Host", format!("localhost:{port}")),
        ("Sec-Fetch-Site", "same-origin".to_owned()),
    ];
    assert_eq!(server.get(&own.path, &localhost).status, 200);
}

#[test]
fn the_list_has_the_answer_and_the_report_is_that_of_the_command() {
    let finished = TOP_K.copy();
    let server = Server::start(finished.dir());
    let list = server.page("");
    assert!(
        list.body.contains("finished") && list.body.contains("heap"),
        "{}",
        list.body
    );
    assert!(
        list.body.contains("class=\"answer winner\""),
        "{}",
        list.body
    );
    let run = server.run_path(&list);
    let page = server.page(&run);
    assert!(page.body.contains("Run 1 is finished."), "{}", page.body);
    assert!(
        page.body.contains("the run is finished after"),
        "{}",
        page.body
    );
    let report = server.page(&format!("{run}report"));
    let said = run_bakeoff(&["report", finished.dir(), "--format", "html"]);
    assert_eq!(report.body, said.stdout);
    assert_eq!(server.page(&format!("{run}report/1")).body, said.stdout);
    assert!(
        report
            .header("content-security-policy")
            .contains("frame-ancestors 'none'")
    );
    for nothing in ["report/2", "report/x", "x"] {
        assert_eq!(server.page(&format!("{run}{nothing}")).status, 404);
    }
    assert_eq!(server.page("runs/0123456789abcdef/").status, 404);
    // A page asks for nothing that is elsewhere.
    for body in [
        list.body,
        page.body,
        server.page("style.css").body,
        server.page("script.js").body,
    ] {
        assert!(
            !body.contains("http://") && !body.contains("https://"),
            "{body}"
        );
    }
}

#[test]
fn hostile_names_are_text_in_every_page() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join(HOSTILE);
    fs::create_dir(&folder).unwrap();
    experiment(&folder, HOSTILE, "2 s");
    let ran = run_bakeoff(&["run", folder.to_str().unwrap(), "--quiet"]);
    assert!(ran.ended_a_run(), "{}", ran.stderr);
    let server = Server::start(root.path().to_str().unwrap());
    let list = server.page("");
    let run = server.run_path(&list);
    let (page, report) = (server.page(&run), server.page(&format!("{run}report")));
    for shown in [list, page, report] {
        assert_eq!(shown.status, 200);
        assert!(!shown.body.contains("<img"), "{}", shown.body);
        assert!(
            shown.body.contains("&lt;img src=x onerror=alert(1)&gt;"),
            "{}",
            shown.body
        );
    }
    let sent = events(&mut server.follow(&run, &[], 0), |found| {
        found.parts().contains_key("runs")
    });
    let parts = sent.parts();
    assert!(
        parts.values().all(|html| !html.contains("<img")),
        "{parts:?}"
    );
}

#[test]
fn a_run_is_followed_without_a_gap_and_a_killed_server_harms_no_run() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("later");
    fs::create_dir(&folder).unwrap();
    experiment(&folder, "later", "8 s");
    let path = root.path().to_str().unwrap();
    let (server, mut killed) = (Server::start(path), Server::start(path));
    assert!(
        server
            .page("")
            .body
            .contains("No experiment has results yet.")
    );
    let _slot = measuring_slot();
    let mut run = bakeoff(&["run", folder.to_str().unwrap(), "--quiet"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // It began after the servers did.
    let list = until(|| Some(server.page("")).filter(|list| list.body.contains("runs now")));
    let address = server.run_path(&list);
    let first = events(&mut server.follow(&address, &[], 0), |found| {
        found.ids().len() >= 5
    });
    // Another viewer is there when its server is killed.
    let mut other = killed.follow(&address, &[], 0);
    events(&mut other, |found| !found.ids().is_empty());
    killed.kill();
    let last = *first.ids().last().unwrap();
    let mut again = server.follow(&address, &[("Last-Event-ID", last.to_string())], 0);
    let rest = events(&mut again, |found| {
        found.text.contains("bakeoff:run:complete")
    });
    assert!([0, 1].contains(&run.wait().unwrap().code().unwrap()));
    let ids: Vec<u64> = first.ids().into_iter().chain(rest.ids()).collect();
    let log = fs::read_to_string(folder.join(".bakeoff/later/events.jsonl")).unwrap();
    let complete = log
        .lines()
        .position(|line| line.contains("bakeoff:run:complete"))
        .unwrap() as u64;
    assert_eq!(ids, (1..=ids.len() as u64).collect::<Vec<u64>>());
    assert!(ids.len() as u64 > complete, "{} of {complete}", ids.len());
    // Who leads was said while it went on.
    let standings = rest.part_texts("standings");
    assert!(
        standings
            .iter()
            .any(|text| text.contains(" leads") && text.contains("is being timed")),
        "{standings:?}"
    );
    assert!(
        standings
            .iter()
            .any(|text| text.contains("class=\"earlier\"")),
        "{standings:?}"
    );
    until(|| {
        server
            .page(&address)
            .body
            .contains("Run 1 is finished.")
            .then_some(())
    });
    let ahead = events(&mut server.follow(&address, &[], 1_000_000), |found| {
        found.text.contains("event: reset")
    });
    assert!(ahead.ids().is_empty());
}

#[test]
fn links_are_not_followed() {
    let finished = TOP_K.copy();
    let root = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(finished.dir(), root.path().join("linked")).unwrap();
    let inner = root.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let results = Path::new(finished.dir()).join(".bakeoff");
    std::os::unix::fs::symlink(results, inner.join(".bakeoff")).unwrap();
    let server = Server::start(root.path().to_str().unwrap());
    let list = server.page("");
    assert!(
        list.body.contains("No experiment has results yet."),
        "{}",
        list.body
    );
    // The folder itself is its user's word.
    let linked = Server::start(root.path().join("linked").to_str().unwrap());
    assert!(linked.page("").body.contains("top-k"));
}

#[test]
fn a_damaged_database_is_one_row() {
    let finished = TOP_K.copy();
    let damaged = Path::new(finished.dir()).join("damaged");
    fs::create_dir(&damaged).unwrap();
    fs::write(damaged.join("bakeoff.db"), "no database").unwrap();
    let server = Server::start(finished.dir());
    let list = server.page("");
    assert!(
        list.body.contains("cannot be read") && list.body.contains("class=\"answer winner\""),
        "{}",
        list.body
    );
    let row = list
        .body
        .split("<li>")
        .find(|row| row.contains(">damaged</a>"))
        .unwrap();
    let id = row
        .split("runs/")
        .nth(1)
        .unwrap()
        .split('/')
        .next()
        .unwrap();
    let page = server.page(&format!("runs/{id}/"));
    assert!(
        page.status == 500 && page.body.contains("damaged"),
        "{page:?}"
    );
}

#[test]
fn what_is_no_file_in_the_place_of_a_database_has_a_row_that_says_so() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| {
        let folder = root.path().join(name).join(".bakeoff/x");
        fs::create_dir_all(&folder).unwrap();
        folder.join("bakeoff.db")
    };
    let pipe = std::process::Command::new("mkfifo")
        .arg(at("pipe"))
        .status();
    assert!(pipe.unwrap().success());
    fs::create_dir(at("folder")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", at("link")).unwrap();
    fs::write(at("text"), "seconds,count").unwrap();
    let server = Server::start(root.path().to_str().unwrap());
    let list = server.page("").body;
    for (name, reason) in [
        ("pipe", "is not a plain file"),
        ("folder", "is not a plain file"),
        ("link", "is a link"),
        ("text", "it is text, and no database"),
    ] {
        let row = list
            .split("<li>")
            .find(|row| row.contains(&format!(">{name}</a>")));
        let row = row.unwrap_or_else(|| panic!("no row of {name}: {list}"));
        assert!(
            row.contains("cannot be read") && row.contains(reason),
            "{row}"
        );
    }
}

#[test]
fn results_from_elsewhere_are_marked_before_a_run_of_them_has_finished_and_sorted_by_no_time_of_theirs()
 {
    let root = tempfile::tempdir().unwrap();
    for (name, time) in [("own", None), ("other", Some("9999-12-31T23:59:59.999Z"))] {
        let folder = root.path().join(name);
        fs::create_dir(&folder).unwrap();
        experiment(&folder, name, "2 s");
        fs::write(folder.join("two.rs"), "no Rust").unwrap();
        fs::write(folder.join("one.rs"), "no Rust").unwrap();
        run_bakeoff(&["run", folder.to_str().unwrap(), "--quiet"]);
        let Some(time) = time else { continue };
        // Nothing but a change of somebody else's that no seal covers.
        let file = folder.join(format!(".bakeoff/{name}/bakeoff.db"));
        let db = rusqlite::Connection::open(file).unwrap();
        let changed = db.execute("UPDATE run SET updated = ?1, status = 'failed'", [time]);
        assert!(changed.unwrap() > 0);
    }
    let server = Server::start(root.path().to_str().unwrap());
    let list = server.page("").body;
    let row = |name: &str| list.find(&format!(">{name}</a>")).unwrap();
    assert!(row("own") < row("other"), "{list}");
    assert_eq!(list.matches("come from elsewhere").count(), 1, "{list}");
    assert!(
        list.find("come from elsewhere").unwrap() > row("other"),
        "{list}"
    );
}

#[test]
fn slow_and_large_requests_end_and_others_are_served() {
    let root = tempfile::tempdir().unwrap();
    let server = Server::start(root.path().to_str().unwrap());
    let connect = || {
        let stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        stream
    };
    let mut slow: Vec<TcpStream> = (0..40).map(|_| connect()).collect();
    for stream in &mut slow {
        stream.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
    }
    let mut large = connect();
    // The server may end it before all is written.
    let _ = large.write_all(format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(1 << 20)).as_bytes());
    let mut answer = Vec::new();
    let _ = large.read_to_end(&mut answer);
    assert!(
        answer.is_empty() || answer.starts_with(b"HTTP/1.1 4"),
        "{answer:?}"
    );
    // A first line that is too long is refused while its end is waited for.
    let mut long = connect();
    long.write_all(format!("GET /{}", "x".repeat(20 << 10)).as_bytes())
        .unwrap();
    let mut answer = String::new();
    long.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 414 "), "{answer}");
    assert_eq!(server.page("").status, 200);
    let started = Instant::now();
    for stream in &mut slow {
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(!answer.starts_with(b"HTTP/1.1 2"), "{answer:?}");
    }
    assert!(started.elapsed() < Duration::from_secs(50), "they end");
}

#[test]
fn a_folder_that_is_none_and_a_port_that_is_taken_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let missing = root.path().join("missing");
    let refused = run_bakeoff(&["serve", missing.to_str().unwrap()]);
    assert!(
        refused.status == 2 && refused.explains("name a folder with experiments in it"),
        "{}",
        refused.stderr
    );
    let server = Server::start(root.path().to_str().unwrap());
    let port = server.port().to_string();
    let refused = run_bakeoff(&["serve", root.path().to_str().unwrap(), "--port", &port]);
    assert!(
        refused.status == 2 && refused.explains("without --port, a free one is taken"),
        "{}",
        refused.stderr
    );
    let refused = run_bakeoff(&["serve", "--format", "csv"]);
    assert_eq!(refused.status, 2, "{}", refused.stderr);
}
