//! The forms by which an experiment is run and changed. They work without scripts, each carries the token of its server, and
//! one that was refused has what was typed.

use super::form::Form;
use super::target::DeclaredParts;
use bakeoff_domain::is_active;
use bakeoff_render::escape::Html;
use std::fmt::Write as _;

/// The forms, in their order, by the address that each is sent to.
const ACTIONS: [&str; 6] = ["run", "stop", "add", "withdraw", "pick", "copy"];
/// The languages of a source that is pasted, by the endings of their files.
const LANGUAGES: [(&str, &str); 4] = [("rs", "Rust"), ("c", "C"), ("cpp", "C++"), ("zig", "Zig")];

/// A form that was sent, and refused.
pub(crate) struct SentForm<'a> {
    /// Address of the form.
    pub(crate) action: &'a str,
    /// Its fields as they were typed.
    pub(crate) form: &'a Form,
}

/// Returns all forms: that which was refused first, with what was typed.
pub(crate) fn forms(
    declared: &DeclaredParts,
    refused: Option<&SentForm<'_>>,
    token: &str,
) -> String {
    let first = refused.map_or_else(String::new, |sent| {
        form(sent.action, Some(declared), Some(sent.form), token)
    });
    let is_other = |action: &&str| refused.is_none_or(|sent| sent.action != *action);
    let others = ACTIONS.into_iter().filter(is_other);
    let others: String = others
        .map(|action| form(action, Some(declared), None, token))
        .collect();
    first + &others
}

/// Returns the form that was refused, where nothing is known of its experiment.
pub(crate) fn sent_again(sent: &SentForm<'_>, token: &str) -> String {
    form(sent.action, None, Some(sent.form), token)
}

/// Returns a form under its heading, with what was typed.
fn form(
    action: &str,
    declared: Option<&DeclaredParts>,
    typed: Option<&Form>,
    token: &str,
) -> String {
    let typed = |field: &str| typed.map_or("", |form| form.text(field));
    let (heading, label, fields) = match action {
        "run" => ("Run, or go on", "Run it", run(declared, typed)),
        "add" => ("Add an approach", "Add", add(typed)),
        "withdraw" => (
            "Withdraw an approach",
            "Withdraw",
            withdraw(declared, typed),
        ),
        "pick" => ("Pick the recommended code", "Pick", pick(typed)),
        "copy" => (
            "Take a copy with another parameter",
            "Copy",
            copy(declared, typed),
        ),
        _ => ("Stop the run", "Stop", String::new()),
    };
    format!(
        "<h2>{heading}</h2>\n<form method=\"post\" action=\"{action}\">\n{}{fields}<p><button id=\"do-{action}\">{label}</button></p>\n</form>\n",
        hidden(token)
    )
}

fn run<'a>(declared: Option<&DeclaredParts>, typed: impl Fn(&str) -> &'a str) -> String {
    let budget = declared.map(|declared| bakeoff_config::units::show_duration(declared.budget));
    let checked = if typed("fresh").is_empty() {
        ""
    } else {
        " checked"
    };
    format!(
        "<p>Results that are kept are not measured again. A run that goes on is stopped first, after its replica.</p>\n\
         {}<p><label><input type=\"checkbox\" name=\"fresh\" value=\"yes\"{checked}> Start over; earlier results stay</label></p>\n",
        input(
            ("budget", typed("budget")),
            "Time for measuring",
            &format!(
                "placeholder=\"{}\" maxlength=\"40\"",
                Html(&budget.unwrap_or_default())
            )
        ),
    )
}

fn add<'a>(typed: impl Fn(&str) -> &'a str) -> String {
    let languages = LANGUAGES.map(|(ending, name)| option(ending, name, typed("language")));
    format!(
        "<p>If a run goes on, it is stopped, and goes on with the new approach: nothing that is finished is lost, and all are \
         timed anew beside it. Without a source, a model writes it from its idea, if this server was started with \
         <code>--generate</code>; otherwise it stays unwritten, and nothing else is kept from running.</p>\n\
         {}{}<p><label>Language <select name=\"language\">{}</select></label></p>\n{}",
        input(
            ("name", typed("name")),
            "Name",
            "maxlength=\"100\" required"
        ),
        input(
            ("description", typed("description")),
            "Idea, in a sentence",
            "maxlength=\"4000\""
        ),
        languages.concat(),
        area(("source", typed("source")), "Source", "rows=\"16\""),
    )
}

fn withdraw<'a>(declared: Option<&DeclaredParts>, typed: impl Fn(&str) -> &'a str) -> String {
    let name = typed("name");
    let options: String = match declared {
        Some(declared) => {
            let names = declared.approaches.iter();
            names.map(|one| option(one, one, name)).collect()
        }
        None => option(name, name, name),
    };
    format!(
        "<p>Its file and what was found of it stay.</p>\n<p><label>Approach <select name=\"name\">{options}</select></label></p>\n"
    )
}

fn pick<'a>(typed: impl Fn(&str) -> &'a str) -> String {
    format!(
        "<p>Where the code of the recommended variant is, as it was measured.</p>\n{}",
        input(
            ("copy", typed("copy")),
            "Copy it to a new file of the experiment’s folder",
            "maxlength=\"100\" placeholder=\"none\""
        )
    )
}

fn copy<'a>(declared: Option<&'a DeclaredParts>, typed: impl Fn(&str) -> &'a str) -> String {
    let text = match typed("text") {
        "" => declared.map_or("", |declared| &declared.text),
        text => text,
    };
    format!(
        "<p>A new folder beside this one with the same files, and this experiment file: change what is to be different.</p>\n\
         {}{}",
        input(
            ("folder", typed("folder")),
            "Name of the new folder",
            "maxlength=\"100\" required"
        ),
        area(("text", text), "Experiment file", "rows=\"24\" required"),
    )
}

/// Returns a button that is a form of its own.
pub(crate) fn button(action: &str, token: &str, id: &str, label: &str) -> String {
    format!(
        "<form method=\"post\" action=\"{action}\">{}<button id=\"{id}\">{label}</button></form>\n",
        hidden(token)
    )
}

fn hidden(token: &str) -> String {
    format!("<input type=\"hidden\" name=\"token\" value=\"{token}\">")
}

/// Returns a field of one line, by its name and its value.
fn input((name, value): (&str, &str), label: &str, more: &str) -> String {
    let value = exact(value);
    format!(
        "<p><label for=\"in-{name}\">{label}</label>\n<input id=\"in-{name}\" name=\"{name}\" value=\"{value}\" autocomplete=\"off\" \
         {more}></p>\n"
    )
}

/// Returns a field of several lines, by its name and its value.
fn area((name, value): (&str, &str), label: &str, more: &str) -> String {
    // A line end at the beginning of a text area is none of its text.
    format!(
        "<p><label for=\"{name}\">{label}</label>\n<textarea id=\"{name}\" name=\"{name}\" {more} spellcheck=\"false\">\n{}</textarea></p>\n",
        exact(value)
    )
}

/// Returns a choice, which is made if it is the value that was typed.
fn option(value: &str, label: &str, typed: &str) -> String {
    let selected = if value == typed { " selected" } else { "" };
    format!(
        "<option value=\"{}\"{selected}>{}</option>",
        exact(value),
        Html(label)
    )
}

/// Returns a text as a browser sends it back, character by character: what would be markup, and what is not seen, is
/// written by its number.
fn exact(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\t' => written.push(letter),
            '&' | '<' | '>' | '"' | '\'' => {
                // Writing to a string cannot fail.
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

#[cfg(test)]
mod tests {
    use super::*;
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
    fn a_refused_form_comes_first_with_each_of_its_fields_and_no_other_has_them() {
        let declared = DeclaredParts::made("name = 1", "one", Duration::from_secs(60));
        for (action, fields, values) in [
            (
                "run",
                "budget=9+hours&fresh=yes",
                vec!["value=\"9 hours\"", "value=\"yes\" checked"],
            ),
            (
                "add",
                "name=n%22&description=d&language=cpp&source=%0Aline+1%0A%3C%2Ftextarea%3E",
                vec![
                    "value=\"n&#34;\"",
                    "value=\"d\"",
                    "value=\"cpp\" selected",
                    ">\n\nline 1\n&#60;/textarea&#62;</textarea>",
                ],
            ),
            ("withdraw", "name=one", vec!["value=\"one\" selected"]),
            ("pick", "copy=..%2Fx", vec!["value=\"../x\""]),
            (
                "copy",
                "folder=a+b&text=name+%3D+2",
                vec!["value=\"a b\"", ">\nname = 2</textarea>"],
            ),
        ] {
            let form = Form::parse(fields.as_bytes()).unwrap();
            let sent = SentForm {
                action,
                form: &form,
            };
            let page = forms(&declared, Some(&sent), "t0");
            let first = page.split("</form>").next().unwrap();
            let alone = sent_again(&sent, "t0");
            assert!(first.contains(&format!("action=\"{action}\"")), "{first}");
            for value in values {
                assert!(first.contains(value), "{value}: {first}");
                assert!(alone.contains(value), "{value}: {alone}");
                assert_eq!(page.matches(value).count(), 1, "{value}: {page}");
            }
            let plain = forms(&declared, None, "t0");
            assert_eq!(page.matches("<form ").count(), ACTIONS.len());
            assert_eq!(plain.matches("<form ").count(), ACTIONS.len());
            assert!(plain.starts_with("<h2>Run, or go on</h2>"), "{plain}");
        }
    }
}
