//! The controls of an experiment on pages: the buttons beside a run, an entry of the list, and the page with all forms.

use super::change_forms::{SentForm, button, forms, sent_again};
use super::changes::Change;
use super::live::RunState;
use super::page::form_page;
use super::places::Place;
use super::target::Target;
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

/// Returns the page on which an experiment is run and changed. A form that was refused comes first, with what was typed.
pub(crate) fn change_page(
    target: &Target,
    change: Option<&Change>,
    refused: Option<&SentForm<'_>>,
    token: &str,
) -> String {
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
        Ok(declared) => markup.push_str(&forms(declared, refused, token)),
        Err(why) => {
            let why = clipped(why, MESSAGE_CHARS_MAX);
            let is_said = matches!(change, Some(Change::Failed(text)) if *text == why);
            if !is_said {
                let _ = writeln!(markup, "<p class=\"what message\">{}</p>", Html(&why));
            }
            markup.push_str(&refused.map_or_else(String::new, |sent| sent_again(sent, token)));
            markup.push_str(&button("stop", token, "stop", "Stop the run that goes on"));
        }
    }
    form_page(&title, &markup)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::Form;
    use crate::target::DeclaredParts;
    use std::path::PathBuf;
    use std::time::Duration;

    #[test]
    fn texts_of_others_are_escaped_in_forms() {
        let hostile = "</textarea><script>alert(1)</script>\"' x=";
        let place = Place::new(PathBuf::from(hostile));
        let mut target = Target {
            id: place.id.clone(),
            folder: place.below.clone(),
            results: place.clone(),
            has_results: true,
            declared: Ok(DeclaredParts::made(
                hostile,
                hostile,
                Duration::from_secs(60),
            )),
        };
        let failed = Change::Failed(hostile.to_owned());
        let typed = "%3C/textarea%3E%3Cscript%3Ealert(1)%3C/script%3E%22'+x%3D";
        let form = [
            "name",
            "description",
            "source",
            "text",
            "folder",
            "copy",
            "budget",
        ]
        .map(|field| format!("{field}={typed}"))
        .join("&");
        let form = Form::parse(form.as_bytes()).unwrap();
        assert_eq!(form.text("name"), hostile);
        let sent = ["run", "add", "withdraw", "pick", "copy"].map(|action| SentForm {
            action,
            form: &form,
        });
        let mut pages = vec![
            change_page(&target, Some(&failed), None, "t0"),
            entry(&place, Some(&failed), "t0"),
            beside_run(&place, &RunState::default(), Some(&failed), "t0"),
        ];
        let refused = sent.iter();
        pages.extend(refused.map(|sent| change_page(&target, Some(&failed), Some(sent), "t0")));
        target.declared = Err(hostile.to_owned());
        pages.push(change_page(&target, None, None, "t0"));
        let refused = sent.iter();
        pages.extend(refused.map(|sent| change_page(&target, None, Some(sent), "t0")));
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
