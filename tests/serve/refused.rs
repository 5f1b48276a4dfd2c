//! `bakeoff serve --allow-run`: forms that are refused, and what was typed into them.

use super::HOSTILE;
use super::changing::{change_path, experiment, is_refused_with, page_with, path, sends_on};
use super::client::Server;
use crate::timed::GOOD;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn what_forms_say_is_no_option_and_leads_nowhere() {
    let root = experiment("held");
    let server = Server::start_with(path(&root), &["--allow-run"]);
    let change = change_path(&server.page(""));
    let text = fs::read_to_string(root.path().join("held/bakeoff.toml")).unwrap();
    let source = ("source", GOOD);
    let rust = ("language", "rs");
    let before = files(root.path());
    for (action, fields, why) in [
        ("run", vec![("budget", "1 s --programs")], "the budget"),
        ("run", vec![("budget", "0")], "the budget"),
        (
            "withdraw",
            vec![("name", "--help")],
            "there is no approach --help",
        ),
        (
            "withdraw",
            vec![("name", HOSTILE)],
            "there is no approach &lt;img",
        ),
        ("withdraw", vec![], "`name` is empty"),
        ("add", vec![("name", "x"), rust], "There is no source"),
        (
            "add",
            vec![("name", "x"), ("language", "sh"), source],
            "none of Rust, C, C++ and Zig",
        ),
        (
            "add",
            vec![("name", "one"), rust, source],
            "there is an approach one already",
        ),
        (
            "add",
            vec![("name", "x"), rust, source],
            "has the same content",
        ),
        ("pick", vec![("copy", "../x")], "a name has 1 to 100"),
        ("pick", vec![("copy", "--help")], "a name has 1 to 100"),
        (
            "copy",
            vec![("folder", "../x"), ("text", &text)],
            "a name has 1 to 100",
        ),
        (
            "copy",
            vec![("folder", ".bakeoff"), ("text", &text)],
            "a name has 1 to 100",
        ),
        (
            "copy",
            vec![("folder", "bakeoff.db"), ("text", &text)],
            "would not be found",
        ),
        (
            "copy",
            vec![("folder", "target"), ("text", &text)],
            "would not be found",
        ),
        (
            "copy",
            vec![("folder", "held"), ("text", &text)],
            "something called held already",
        ),
        (
            "copy",
            vec![("folder", "x"), ("text", "name = 1")],
            "to be corrected first",
        ),
    ] {
        let refused = server.post(&format!("{change}{action}"), &fields);
        is_refused_with(&refused, why);
        let of_command = refused.body.contains("--name") || refused.body.contains("/tmp");
        assert!(!of_command, "{action}: {refused:?}");
        assert!(!refused.body.contains("<img"), "{action}: {refused:?}");
        assert_eq!(files(root.path()), before, "{action} {fields:?}");
    }
    // A name that looks like a path or an option is a name.
    for (name, file) in [("../../x", "x.rs"), ("--help", "help.rs")] {
        let source = format!("// {name}\n{GOOD}");
        let fields = [("name", name), rust, ("source", &*source)];
        sends_on(&server.post(&format!("{change}add"), &fields));
        page_with(&server, &change, &format!("{name} was added."));
        let added = root.path().join("held/approaches").join(file);
        assert_eq!(fs::read_to_string(added).unwrap(), source);
    }
}

#[test]
fn a_refused_form_has_what_was_typed_and_can_be_sent_once_it_is_corrected() {
    let root = experiment("typed");
    let server = Server::start_with(path(&root), &["--allow-run"]);
    let change = change_path(&server.page(""));
    let source = format!("// </textarea><script>alert(1)</script>\n{GOOD}");
    let fields = |name: &'static str| {
        [
            ("name", name),
            ("description", "An \"idea\" & more."),
            ("language", "rs"),
            ("source", &*source),
        ]
    };
    let refused = server.post(&format!("{change}add"), &fields("one"));
    is_refused_with(&refused, "there is an approach one already");
    let form = refused.body.split("</form>").next().unwrap();
    assert!(
        form.contains("action=\"add\"")
            && form.contains("value=\"one\"")
            && form.contains("value=\"An &#34;idea&#34; &#38; more.\""),
        "{form}"
    );
    let sent = form.split("<textarea").nth(1).unwrap();
    let sent = sent.split_once(">\n").unwrap().1;
    let sent = sent.strip_suffix("</textarea></p>\n<p><button id=\"do-add\">Add</button></p>\n");
    // As a browser reads it.
    let mut read = sent.unwrap_or_else(|| panic!("{form}")).to_owned();
    for (code, letter) in [(60, "<"), (62, ">"), (34, "\""), (39, "'"), (38, "&")] {
        read = read.replace(&format!("&#{code};"), letter);
    }
    assert_eq!(read, source);
    // The others are as they were, and the page that is loaded anew has none of it.
    assert_eq!(
        refused.body.matches("value=\"one\"").count(),
        2,
        "{refused:?}"
    );
    assert!(!server.page(&change).body.contains("alert(1)"));
    sends_on(&server.post(&format!("{change}add"), &fields("other")));
    page_with(&server, &change, "other was added.");
    // Also where the experiment itself cannot be read any more.
    let file = root.path().join("typed/bakeoff.toml");
    fs::write(&file, "name = 1").unwrap();
    let refused = server.post(&format!("{change}add"), &fields("third"));
    is_refused_with(&refused, "is to be corrected first");
    assert!(
        refused.body.contains("value=\"third\"") && refused.body.contains("&#60;script&#62;"),
        "{refused:?}"
    );
}

/// The paths of all files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}
