//! Answers that several addresses give.

use super::page::problem;
use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

/// The kinds of content of a page, and of a sentence.
pub(crate) const HTML: &str = "text/html; charset=utf-8";
pub(crate) const TEXT: &str = "text/plain; charset=utf-8";

/// Returns an answer of a kind of content.
pub(crate) fn of_type(content: &'static str, body: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, content)], body.into()).into_response()
}

/// Returns the answer if too many ask at the same time.
pub(crate) fn busy() -> Response {
    let text = "Too many ask at the same time: load the page again in a moment.\n";
    (StatusCode::SERVICE_UNAVAILABLE, of_type(TEXT, text)).into_response()
}

/// Returns the answer to an id that no results have. `top` is the path to the first page.
pub(crate) fn no_such(top: &str) -> Response {
    let page = problem(
        top,
        "Not found",
        "There are no such results below the folder of this server any more.",
    );
    (StatusCode::NOT_FOUND, of_type(HTML, page)).into_response()
}
