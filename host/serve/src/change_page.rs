//! The forms of the controls: the buttons beside a run, and the page on which an experiment is run and changed. They work without
//! scripts, and each carries the token of its server.

use super::controls::Change;
use super::live::RunState;
use super::page::form_page;
use super::places::Place;
use super::target::{Declared, Target};
use bakeoff_domain::is_active;
use bakeoff_render::clipped;
use bakeoff_render::escape::Html;
use std::fmt::Write as _;

/// The most characters of a message.
const MESSAGE_CHARS_MAX: usize = 4_000;

/// Returns the last change of an experiment as markup; nothing where there is none.
pub(crate) fn outcome(change: Option<&Change>) -> String {
    let (class, role, text) = match change {
        None => return String::new(),
        Some(Change::GoesOn(text)) => ("soft", "status", *text),
        Some(Change::Done(text)) => ("done", "status", text.as_str()),
        Some(Change::Failed(text)) => ("what", "alert", text.as_str()),
    };
    let text = clipped(text, MESSAGE_CHARS_MAX);
    format!(
        "<p class=\"{class} message\" role=\"{role}\">{}</p>\n",
        Html(&text)
    )
}

/// Returns what stands beside a run: its last change, a button that stops it or goes on with it, and the way to all else.
pub(crate) fn beside_run(
    place: &Place,
    state: &RunState,
    change: Option<&Change>,
    token: &str,
) -> String {
    let id = &place.id;
    let mut out = outcome(change);
    let to = format!("../../change/{id}");
    out.push_str("<div class=\"controls\">\n");
    if state.holder.is_some() {
        out.push_str(&button(&format!("{to}/stop"), token, "stop", "Stop it"));
    } else if place.kept().is_some() {
        let label = if state.progress.status == bakeoff_store::RunStatus::Finished {
            "Run it again"
        } else {
            "Go on with it"
        };
        out.push_str(&button(&format!("{to}/run"), token, "go-on", label));
    }
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<a id=\"to-change\" href=\"{to}/\">Budget, approaches, a copy</a>\n</div>"
    );
    out
}

/// Returns an experiment without results as an entry of the list.
pub(crate) fn entry(place: &Place, change: Option<&Change>, token: &str) -> String {
    let id = &place.id;
    let path = super::list_page::shown(&place.below);
    let button = button(
        &format!("change/{id}/run"),
        token,
        &format!("run-{id}"),
        "Run it",
    );
    format!(
        "<li>\n<h2><a id=\"to-{id}\" href=\"change/{id}/\">{}</a> <span class=\"state open\">no run yet</span></h2>\n\
         {}<div class=\"controls\">\n{button}</div>\n</li>\n",
        Html(&path),
        outcome(change),
    )
}

/// Returns the page on which an experiment is run and changed.
pub(crate) fn change_page(target: &Target, change: Option<&Change>, token: &str) -> String {
    let title = target.title();
    let mut markup = format!("<h1>{}</h1>\n", Html(&title));
    if target.has_results {
        let _ = writeln!(
            markup,
            "<p><a href=\"../../runs/{}/\">Its run</a></p>",
            target.id
        );
    }
    markup.push_str(&outcome(change));
    match &target.declared {
        Ok(declared) => markup.push_str(&forms(declared, token)),
        Err(why) => {
            let why = clipped(why, MESSAGE_CHARS_MAX);
            let _ = writeln!(markup, "<p class=\"what message\">{}</p>", Html(&why));
            markup.push_str(&button("stop", token, "stop", "Stop the run that goes on"));
        }
    }
    form_page(&title, &markup)
}

/// Returns a text as a browser sends it back, character by character: what would be markup, and what is not seen, is
/// written by its number.
fn exact(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\t' => written.push(letter),
            '&' | '<' | '>' | '"' | '\'' => {
                let _ = write!(written, "&#{};", u32::from(letter));
            }
            _ if is_active(letter) => {
                let _ = write!(written, "&#{};", u32::from(letter));
            }
            _ => written.push(letter),
        }
    }
    written
}

fn forms(declared: &Declared, token: &str) -> String {
    let budget = bakeoff_config::units::show_duration(declared.budget);
    let run = format!(
        "<p>Results that are kept are not measured again. A run that goes on is stopped first, after its replica.</p>\n\
         {}<p><label><input type=\"checkbox\" name=\"fresh\" value=\"yes\"> Start over; earlier results stay</label></p>\n",
        input(
            "budget",
            "Time for measuring",
            &format!("placeholder=\"{}\" maxlength=\"40\"", Html(&budget))
        ),
    );
    let add = format!(
        "<p>If a run goes on, it is stopped, and goes on with the new approach: nothing that is finished is lost, and all are \
         timed anew beside it. Without a source, a model writes it from its idea, if this server was started with \
         <code>--generate</code>; otherwise it stays unwritten, and nothing else is kept from running.</p>\n\
         {}{}<p><label>Language <select name=\"language\"><option value=\"rs\">Rust</option><option value=\"c\">C</option>\
         <option value=\"cpp\">C++</option></select></label></p>\n\
         <p><label for=\"source\">Source</label>\n<textarea id=\"source\" name=\"source\" rows=\"16\" \
         spellcheck=\"false\"></textarea></p>\n",
        input("name", "Name", "maxlength=\"100\" required"),
        input("description", "Idea, in a sentence", "maxlength=\"4000\""),
    );
    let options: String = declared
        .approaches
        .iter()
        .map(|name| format!("<option value=\"{}\">{}</option>", exact(name), Html(name)))
        .collect();
    let withdraw = format!(
        "<p>Its file and what was found of it stay.</p>\n<p><label>Approach <select name=\"name\">{options}</select></label></p>\n"
    );
    let pick = format!(
        "<p>Where the code of the recommended variant is, as it was measured.</p>\n{}",
        input(
            "copy",
            "Copy it to a new file of the experiment’s folder",
            "maxlength=\"100\" placeholder=\"none\""
        )
    );
    // A line end at the beginning of a text area is none of its text.
    let copy = format!(
        "<p>A new folder beside this one with the same files, and this experiment file: change what is to be different.</p>\n\
         {}<p><label for=\"text\">Experiment file</label>\n<textarea id=\"text\" name=\"text\" rows=\"24\" required \
         spellcheck=\"false\">\n{}</textarea></p>\n",
        input(
            "folder",
            "Name of the new folder",
            "maxlength=\"100\" required"
        ),
        exact(&declared.text)
    );
    [
        form("run", token, "Run it", "Run, or go on", &run),
        form("stop", token, "Stop", "Stop the run", ""),
        form("add", token, "Add", "Add an approach", &add),
        form(
            "withdraw",
            token,
            "Withdraw",
            "Withdraw an approach",
            &withdraw,
        ),
        form("pick", token, "Pick", "Pick the recommended code", &pick),
        form(
            "copy",
            token,
            "Copy",
            "Take a copy with another parameter",
            &copy,
        ),
    ]
    .concat()
}

/// Returns a form under a heading.
fn form(action: &str, token: &str, label: &str, heading: &str, fields: &str) -> String {
    format!(
        "<h2>{heading}</h2>\n<form method=\"post\" action=\"{action}\">\n{}{fields}<p><button id=\"do-{action}\">{label}</button></p>\n</form>\n",
        hidden(token)
    )
}

/// Returns a button that is a form of its own.
fn button(action: &str, token: &str, id: &str, label: &str) -> String {
    format!(
        "<form method=\"post\" action=\"{action}\">{}<button id=\"{id}\">{label}</button></form>\n",
        hidden(token)
    )
}

fn hidden(token: &str) -> String {
    format!("<input type=\"hidden\" name=\"token\" value=\"{token}\">")
}

fn input(name: &str, label: &str, more: &str) -> String {
    format!(
        "<p><label for=\"in-{name}\">{label}</label>\n<input id=\"in-{name}\" name=\"{name}\" autocomplete=\"off\" {more}></p>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;
    use std::time::Duration;

    #[test]
    fn what_a_browser_sends_back_is_what_stands_in_the_file() {
        let file = "a\t= '\u{200d}'\n<b> & \"\u{1b}\u{202e}";
        let written = exact(file);
        assert!(!written.contains(['<', '"', '\u{1b}', '\u{202e}']));
        let mut read = String::new();
        let mut rest = &*written;
        while let Some((before, after)) = rest.split_once("&#") {
            let (number, after) = after.split_once(';').unwrap();
            read += before;
            read.push(char::from_u32(number.parse().unwrap()).unwrap());
            rest = after;
        }
        assert_eq!(read + rest, file);
    }

    #[test]
    fn texts_of_others_are_escaped_in_forms() {
        let hostile = "</textarea><script>alert(1)</script>\"' x=";
        let place = Place::new(PathBuf::from(hostile));
        let mut target = Target {
            id: place.id.clone(),
            folder: place.below.clone(),
            results: place.clone(),
            has_results: true,
            declared: Ok(Declared::made(hostile, hostile, Duration::from_secs(60))),
        };
        let failed = Change::Failed(hostile.to_owned());
        let mut pages = vec![
            change_page(&target, Some(&failed), "t0"),
            entry(&place, Some(&failed), "t0"),
            beside_run(&place, &RunState::default(), Some(&failed), "t0"),
        ];
        target.declared = Err(hostile.to_owned());
        pages.push(change_page(&target, None, "t0"));
        for page in pages {
            assert!(
                !page.contains("<script>") && !page.contains("\"' x="),
                "{page}"
            );
            assert!(page.contains("&lt;script&gt;"), "{page}");
            let (forms, tokens) = (
                page.matches("<form ").count(),
                page.matches("value=\"t0\"").count(),
            );
            assert_eq!(forms, tokens, "each form has the token: {page}");
        }
    }
}
