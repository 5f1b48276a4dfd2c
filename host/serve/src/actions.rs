//! The addresses that change something, where the user gave leave. Each takes a form with the token of this server, and
//! goes on to a page that says what came of it.

use super::answers::{HTML, TEXT, busy, no_such, of_type};
use super::app::App;
use super::change_forms::SentForm;
use super::change_page::change_page;
use super::changes::Change;
use super::controls::{Controls, Work};
use super::form::{FORM_BYTES_MAX, Form};
use super::live::RunState;
use super::race_clock::Measuring;
use super::secret::is_equal;
use super::target::Target;
use axum::extract::{Path, Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use std::sync::Arc;
use std::time::Duration;

/// The kind of content that forms are sent as.
const FORM: &str = "application/x-www-form-urlencoded";
/// The longest time that a form may take to arrive.
const FORM_TIME_MAX: Duration = Duration::from_secs(20);

/// Returns the routes of the controls; none where the user gave no leave.
pub(crate) fn actions(app: &Arc<App>) -> Router<Arc<App>> {
    let Some(controls) = &app.controls else {
        return Router::new();
    };
    let at = |rest: &str| format!("{}change/{{id}}/{rest}", app.access.path());
    let mut changing = Router::new();
    for (name, read) in WORKS {
        let act = move |state, id, form, controls| act((name, read), state, id, form, controls);
        changing = changing.route(&at(name), post(act));
    }
    changing
        .route_layer(from_fn_with_state(app.clone(), read_form))
        .route(&at(""), get(page))
        .layer(Extension(controls.clone()))
}

/// Reads a form as a change, or says what is wrong with it.
type ReadWork = fn(&Form) -> Result<Work, String>;

/// The changes by their addresses.
const WORKS: [(&str, ReadWork); 6] = [
    ("run", |form| {
        Ok(Work::Run {
            is_fresh: !form.word("fresh").is_empty(),
            budget: given(form.word("budget")),
        })
    }),
    ("stop", |_| Ok(Work::Stop)),
    ("add", |form| {
        Ok(Work::Add {
            name: required(form, "name")?,
            description: form.word("description").to_owned(),
            ending: match form.word("language") {
                "rs" => "rs",
                "c" => "c",
                "cpp" => "cpp",
                "zig" => "zig",
                _ => return Err("The language is none of Rust, C, C++ and Zig.".to_owned()),
            },
            source: match form.text("source") {
                source if source.trim().is_empty() && form.word("description").is_empty() => {
                    return Err(
                        "There is no source: paste one, or describe the idea, for a model to write."
                            .to_owned(),
                    );
                }
                source if source.trim().is_empty() && form.word("name").contains('=') => {
                    return Err("The name of an idea has no `=`.".to_owned());
                }
                source if source.trim().is_empty() => String::new(),
                source => source.to_owned(),
            },
        })
    }),
    ("withdraw", |form| {
        Ok(Work::Withdraw {
            name: required(form, "name")?,
        })
    }),
    ("pick", |form| {
        Ok(Work::Pick {
            copy: given(form.word("copy")),
        })
    }),
    ("copy", |form| {
        Ok(Work::Copy {
            name: required(form, "folder")?,
            text: form.text("text").to_owned(),
        })
    }),
];

fn given(word: &str) -> Option<String> {
    (!word.is_empty()).then(|| word.to_owned())
}

fn required(form: &Form, field: &str) -> Result<String, String> {
    given(form.word(field)).ok_or_else(|| format!("The field `{field}` is empty."))
}

/// Reads the form of a request, and refuses one without the token of this server. Its sender has the cookie already.
async fn read_form(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    if request.method() != Method::POST {
        // Nothing else is answered here.
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let content = parts.headers.get(header::CONTENT_TYPE);
    let kind = content
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case(FORM) {
        return refused(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "Only a form of this server's pages changes anything.",
        );
    }
    let body =
        tokio::time::timeout(FORM_TIME_MAX, axum::body::to_bytes(body, FORM_BYTES_MAX)).await;
    let Ok(Ok(body)) = body else {
        return refused(
            StatusCode::PAYLOAD_TOO_LARGE,
            "The form has more than 4 MiB, or did not arrive: add such a source by `bakeoff add`.",
        );
    };
    let form = match Form::parse(&body) {
        Ok(form) => form,
        Err(why) => return refused(StatusCode::BAD_REQUEST, &why),
    };
    if !is_equal(form.text("token"), app.access.form_token()) {
        let why = "The form is not from a page of this server: open the address that it printed, and send it from there.";
        return refused(StatusCode::FORBIDDEN, why);
    }
    parts.extensions.insert(form);
    next.run(Request::from_parts(parts, axum::body::Body::empty()))
        .await
}

fn refused(status: StatusCode, why: &str) -> Response {
    (status, of_type(TEXT, format!("{why}\n"))).into_response()
}

/// Returns the experiment of an id; `None` if there is none, an error if too many ask. An experiment that had its first run
/// since the id was given out has another id: that of its results.
async fn target(app: &App, id: String) -> Result<Option<Target>, Response> {
    let root = app.root.clone();
    let found = app.live.ask(move |monitor| {
        if let Some(place) = monitor.place(&id) {
            return Some(Target::of_results(&root, &place));
        }
        if let Some(place) = monitor.experiment(&id) {
            return Some(Target::of_experiment(&root, &place));
        }
        let places = monitor.results_of(&id);
        let targets = places.iter().map(|place| Target::of_results(&root, place));
        // Of several, those that the experiment has under its name of now come last.
        targets.max_by_key(|target| target.declared.is_ok())
    });
    found.await.ok_or_else(busy)
}

/// Returns the state of the last run of an experiment; `None` where there is none, or it cannot be read.
async fn state(app: &App, target: &Target) -> Option<RunState> {
    if !target.has_results {
        return None;
    }
    let id = target.id.clone();
    let update = app.live.ask(move |monitor| monitor.update(&id, None)).await;
    Some(update.flatten()?.ok()?.state)
}

async fn page(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Extension(controls): Extension<Arc<Controls>>,
) -> Response {
    match target(&app, id.clone()).await {
        Ok(Some(target)) if target.id != id => {
            see(format!("{}change/{}/", app.access.path(), target.id))
        }
        Ok(Some(target)) => {
            let state = state(&app, &target).await;
            let began = state.map_or_else(String::new, |state| state.began);
            let change = controls.change(&target.folder, &began);
            of_type(
                HTML,
                change_page(&target, change.as_ref(), None, app.access.form_token()),
            )
        }
        Ok(None) => no_such("../../"),
        Err(busy) => busy,
    }
}

async fn act(
    (action, read): (&'static str, ReadWork),
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Extension(form): Extension<Form>,
    Extension(controls): Extension<Arc<Controls>>,
) -> Response {
    let target = match target(&app, id).await {
        Ok(Some(target)) => target,
        Ok(None) => return no_such("../../"),
        Err(busy) => return busy,
    };
    let top = app.access.path();
    let id = target.id.clone();
    let after = if target.has_results {
        format!("{top}runs/{id}/")
    } else {
        top.clone()
    };
    let page_of = target.clone();
    // What was typed is not lost: it stands in the form once more.
    let refused = |status: StatusCode, why: String| {
        let (refused, sent) = (
            Change::Failed(why),
            SentForm {
                action,
                form: &form,
            },
        );
        let token = app.access.form_token();
        let page = change_page(&page_of, Some(&refused), Some(&sent), token);
        (status, of_type(HTML, page)).into_response()
    };
    let work = match read(&form) {
        Ok(work) => work,
        Err(why) => return refused(StatusCode::UNPROCESSABLE_ENTITY, why),
    };
    let measuring = match state(&app, &target).await {
        Some(state) => state.measuring(),
        None => Measuring::default(),
    };
    let Some(accepted) = controls.begin(target, work, measuring) else {
        let why = "Another change of this experiment goes on: send this one when it is done.";
        return refused(StatusCode::CONFLICT, why.to_owned());
    };
    match accepted.await {
        Ok(Err(why)) => refused(StatusCode::UNPROCESSABLE_ENTITY, why),
        // It was taken; what comes of it stands on the page that follows.
        Ok(Ok(())) | Err(_) => see(after),
    }
}

/// Sends the browser on to a page, which it gets.
fn see(address: String) -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, address)]).into_response()
}
