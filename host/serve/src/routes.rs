//! The addresses of the server, and its answers.

use super::access::{Decision, parameter};
use super::actions::actions;
use super::answers::{HTML, TEXT, busy, no_such, of_type};
use super::app::App;
use super::changes::Change;
use super::list_page::list_page;
use super::page::{FORM_POLICY, POLICY, REPORT_POLICY, SCRIPT, STYLE, problem};
use super::peer::Peer;
use super::places::Place;
use super::run_page::run_page;
use super::stream;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::sse::{KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::sync::Arc;
use std::time::Instant;

/// Returns the routes of a server. Every request is decided on before any of them sees it.
pub(crate) fn routes(app: Arc<App>) -> Router {
    let path = app.access.path();
    let at = |rest: &str| format!("{path}{rest}");
    Router::new()
        .route(&at(""), get(list))
        .route(&at("events"), get(list_events))
        .route(
            &at("style.css"),
            get(async || of_type("text/css; charset=utf-8", STYLE.as_str())),
        )
        .route(
            &at("script.js"),
            get(async || of_type("text/javascript; charset=utf-8", SCRIPT)),
        )
        .route(&at("runs/{id}/"), get(run))
        .route(&at("runs/{id}/events"), get(run_events))
        .route(&at("runs/{id}/report"), get(last_report))
        .route(&at("runs/{id}/report/{run}"), get(report))
        .merge(actions(&app))
        .fallback(async || (StatusCode::NOT_FOUND, of_type(TEXT, "Nothing is here.\n")))
        .layer(from_fn_with_state(app.clone(), guard))
        .with_state(app)
}

/// Refuses whoever may not read, and gives every answer the headers that keep other pages out.
async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<Peer>().copied();
    let is_own = || peer.is_some_and(|peer| peer.is_own(app.access.port()));
    let spends = |token: &str| app.access.one_time.spend(token, Instant::now(), is_own);
    let decision = app
        .access
        .decide((request.method(), request.uri(), request.headers()), spends);
    let mut response = match decision {
        Decision::Pass => next.run(request).await,
        Decision::Enter => {
            let headers = [
                (header::LOCATION, app.access.path()),
                (header::SET_COOKIE, app.access.cookie()),
            ];
            (StatusCode::SEE_OTHER, headers).into_response()
        }
        Decision::Refuse(status, why) => {
            (status, of_type(TEXT, format!("{why}\n"))).into_response()
        }
    };
    let headers = response.headers_mut();
    // With `no-referrer`, browsers would not say of a form where it is from.
    let (policy, referrer) = match app.controls {
        Some(_) => (FORM_POLICY, "same-origin"),
        None => (POLICY, "no-referrer"),
    };
    headers
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static(policy));
    for (name, value) in [
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, referrer),
        (header::CACHE_CONTROL, "no-store"),
        (
            header::HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
        (
            header::HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn list(State(app): State<Arc<App>>) -> Response {
    match app.list().await {
        Some(list) => of_type(HTML, list_page(&app.root, &list)),
        None => busy(),
    }
}

async fn list_events(State(app): State<Arc<App>>) -> Response {
    match app.viewers.clone().try_acquire_owned() {
        Ok(permit) => events(stream::of_list(app, permit)),
        Err(_) => busy(),
    }
}

fn events(stream: stream::PageEvents) -> Response {
    Sse::new(stream)
        .keep_alive(KeepAlive::default())
        .into_response()
}

async fn run(State(app): State<Arc<App>>, Path(id): Path<String>) -> Response {
    let found = app.live.ask(move |monitor| {
        let place = monitor.place(&id)?;
        let update = monitor.update(&id, None)?;
        Some((place, update))
    });
    match found.await {
        None => busy(),
        Some(None) => no_such("../../"),
        Some(Some((place, Ok(update)))) => {
            let beside = app.beside_run(&place, &update.state);
            let answer = app.answer(&place, &update.state).await;
            of_type(HTML, run_page(&place, &update.state, answer, beside))
        }
        Some(Some((place, Err(error)))) => {
            let name = super::list_page::shown(place.experiment());
            let controls = app.controls.as_ref();
            let change = controls.and_then(|controls| controls.change(place.experiment(), ""));
            let text = match change {
                Some(Change::Failed(why)) => format!("{why} – {error}"),
                _ => error.to_string(),
            };
            let page = problem("../../", &name, &text);
            (StatusCode::INTERNAL_SERVER_ERROR, of_type(HTML, page)).into_response()
        }
    }
}

async fn run_events(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let last = headers
        .get("last-event-id")
        .and_then(|value| value.to_str().ok());
    // A browser that lost its connection says the number of the last event that it has.
    let after = last.or_else(|| parameter(&uri, "after")).unwrap_or("0");
    let Ok(after) = after.parse() else {
        let text = "The number of an event is a whole number.\n";
        return (StatusCode::BAD_REQUEST, of_type(TEXT, text)).into_response();
    };
    match app.viewers.clone().try_acquire_owned() {
        Ok(permit) => events(stream::of_run(app, id, after, permit)),
        Err(_) => busy(),
    }
}

async fn last_report(State(app): State<Arc<App>>, Path(id): Path<String>) -> Response {
    report_of(&app, id, None, "../../").await
}

async fn report(State(app): State<Arc<App>>, Path((id, run)): Path<(String, String)>) -> Response {
    match run.parse() {
        Ok(run) => report_of(&app, id, Some(run), "../../../").await,
        Err(_) => no_such("../../../"),
    }
}

/// Returns the page of a report as it is: it has a policy of its own.
async fn report_of(app: &App, id: String, run: Option<i64>, top: &str) -> Response {
    let place: Option<Place> = match app.live.ask(move |monitor| monitor.place(&id)).await {
        Some(place) => place,
        None => return busy(),
    };
    let Some(place) = place else {
        return no_such(top);
    };
    match app
        .reports
        .ask(move |reports| reports.page(&place, run))
        .await
    {
        None => busy(),
        Some(Ok(Some(page))) => {
            let policy = [(header::CONTENT_SECURITY_POLICY, REPORT_POLICY)];
            (policy, of_type(HTML, page.to_string())).into_response()
        }
        Some(Ok(None)) => {
            let text = "This run has no report: it has not ended, or there is no such run.";
            (
                StatusCode::NOT_FOUND,
                of_type(HTML, problem(top, "No report", text)),
            )
                .into_response()
        }
        Some(Err(reason)) => {
            let page = problem(top, "No report", &reason);
            (StatusCode::INTERNAL_SERVER_ERROR, of_type(HTML, page)).into_response()
        }
    }
}
