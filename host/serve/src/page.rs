//! The frame of a page, and its style and script, which come from this server alone.

use bakeoff_render::escape::Html;
use std::sync::LazyLock;

/// The style of all pages: that of a report, with what a report does not have.
pub(crate) static STYLE: LazyLock<String> =
    LazyLock::new(|| [bakeoff_render::PAGE_STYLE, include_str!("serve.css")].concat());

/// The script of all pages, which puts the parts that the server sends into their places.
pub(crate) const SCRIPT: &str = include_str!("serve.js");

/// Policy of a page: style, script and events come from this server, and nothing comes from elsewhere.
pub(crate) const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; \
                                 img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Policy of the page of a report, beside the one that it carries itself.
pub(crate) const REPORT_POLICY: &str = "connect-src 'none'; object-src 'none'; frame-src 'none'; base-uri 'none'; \
                                        form-action 'none'; frame-ancestors 'none'";

/// The same policy for a server whose pages have forms, which go to itself.
pub(crate) const FORM_POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; \
                                      img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// Has a browser without scripts load a page anew, after some seconds.
const RELOAD: &str = r#"<meta http-equiv="refresh" content="5">"#;

/// The sentence about results of others.
pub(crate) const ELSEWHERE: &str = "These results come from elsewhere: they are shown as they were found, and may have \
                                    been written by anybody.";

/// A page, without its frame.
pub(crate) struct PageContent<'a> {
    /// Title, as text.
    pub(crate) title: &'a str,
    /// Path from the page to the first one: empty, or `../../`.
    pub(crate) top: &'a str,
    /// Address of the events of the page, relative to it.
    pub(crate) events: String,
    /// Content of the page, as markup.
    pub(crate) markup: String,
}

/// Returns a page that follows the events of its address.
pub(crate) fn page(content: &PageContent<'_>) -> String {
    let PageContent {
        title,
        top,
        events,
        markup,
    } = content;
    let back = match *top {
        "" => String::new(),
        top => format!("<nav><a href=\"{top}\">All experiments</a></nav>\n"),
    };
    let reload = format!("<noscript>{RELOAD}</noscript>");
    let body = format!(
        r#"{back}<main data-events="{events}">
{markup}</main>
<p id="connection" role="status"></p>
<script src="{top}script.js"></script>
"#,
        events = Html(events),
    );
    document(top, title, &reload, &body)
}

/// Returns a document with this title, a way to load it anew, and this body.
fn document(top: &str, title: &str, reload: &str, body: &str) -> String {
    format!(
        r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
{reload}
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{top}style.css">
<title>{title} – bakeoff</title>
</head>
<body>
{body}</body>
</html>
"#,
        title = Html(title),
    )
}

/// Returns a page with forms, which is not loaded anew by itself. `markup` is its content.
pub(crate) fn form_page(title: &str, markup: &str) -> String {
    let body = format!(
        "<nav><a href=\"../../\">All experiments</a></nav>\n<main class=\"forms\">\n{markup}</main>\n"
    );
    document("../../", title, "", &body)
}

/// Returns an element that the script finds by its id.
pub(crate) fn part(id: &str, markup: &str) -> String {
    format!("<div id=\"{id}\">\n{markup}</div>\n")
}

/// Returns a page that says why there is nothing to show, and looks again by itself.
pub(crate) fn problem(top: &str, title: &str, text: &str) -> String {
    let body = format!(
        r#"<nav><a href="{top}">All experiments</a></nav>
<main>
<h1>{title}</h1>
<p class="what">{text}</p>
</main>
"#,
        title = Html(title),
        text = Html(text),
    );
    document(top, title, RELOAD, &body)
}
