//! The addresses of the server, and the permission that each request needs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use notebook::{Notebook, RunId};
use serde::Deserialize;

use crate::answer::{Answer, Failed, failures_as_json, page};
use crate::asked::{InPath, Query};
use crate::compare::Pair;
use crate::course::Courses;
use crate::figures::Wanted;
use crate::guard::{Guard, OWN_HEADER};
use crate::list::Listed;
use crate::now::Now;
use crate::place::noted;
use crate::reader::Readers;
use crate::stop::{Stop, leave_request, stop_path};
use crate::stream::events;
use crate::{assets, compare, documents, figures, list, metrics, pages, sentences};

/// The things that every request needs.
pub(crate) struct Shared {
    pub(crate) notebook: PathBuf,
    pub(crate) guard: Guard,
    /// The running cell, kept for the pages that follow it.
    pub(crate) courses: Courses,
    /// The open streams.
    pub(crate) readers: Readers,
}

/// The state that a handler takes.
pub(crate) type Context = State<Arc<Shared>>;

/// The addresses and their answers.
pub(crate) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/", get(index))
        .route("/run/{run}", get(report_page))
        .route("/run/{run}/live", get(live_page))
        .route("/compare", get(compare_page))
        .route("/trend", get(trend_page))
        .route("/assets/{name}", get(asset))
        .route("/api/runs", get(runs))
        .route("/api/run/{run}", get(run))
        .route("/api/run/{run}/cell/{number}", get(cell))
        .route("/api/run/{run}/now", get(now))
        .route("/api/run/{run}/seconds", get(seconds))
        .route("/api/run/{run}/figure/{name}", get(figure))
        .route("/events", get(events))
        .route("/stop/{when}", post(stop))
        .route("/metrics", get(prometheus))
        .fallback(unknown)
        .layer(middleware::from_fn(failures_as_json))
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), guarded))
        .layer(middleware::from_fn(noted))
        .with_state(shared)
}

/// Refuses requests without permission, and gives every answer its headers.
async fn guarded(State(shared): Context, request: Request, next: Next) -> Response {
    // Two names are two requests in one: programs between a browser and here may each take another.
    if request.headers().get_all(header::HOST).iter().count() > 1 {
        let why = "a request names one host, and this one names several";
        return (StatusCode::BAD_REQUEST, why).into_response();
    }
    if !shared.guard.admits(request.headers(), request.uri().query()) {
        let why = "this address needs the token that `drivetrain serve` printed, or the server's own name";
        return (StatusCode::FORBIDDEN, why).into_response();
    }
    let with_token = request.uri().query().is_some_and(|query| query.contains("token="));
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let mut set = |name: header::HeaderName, value: &str| {
        if let (false, Ok(value)) = (headers.contains_key(&name), value.parse()) {
            headers.insert(name, value);
        }
    };
    set(
        header::CONTENT_SECURITY_POLICY,
        &format!(
            "default-src 'self'; script-src 'self' {}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; \
             form-action 'self'; frame-ancestors 'none'",
            report::script_source()
        ),
    );
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::REFERRER_POLICY, "no-referrer");
    set(header::CACHE_CONTROL, "no-store");
    if let (true, Some(cookie)) = (with_token, shared.guard.cookie()) {
        set(header::SET_COOKIE, &cookie);
    }
    response
}

/// Answers in a thread of its own.
async fn aside(shared: Arc<Shared>, work: impl FnOnce(&Shared) -> Answer + Send + 'static) -> Answer {
    let answered = tokio::task::spawn_blocking(move || work(&shared));
    answered.await.unwrap_or_else(|error| Err(Failed(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())))
}

/// Reads the notebook in a thread of its own.
async fn read(shared: Arc<Shared>, work: impl FnOnce(&Notebook, &Path) -> Answer + Send + 'static) -> Answer {
    aside(shared, move |shared| work(&Notebook::open_existing(&shared.notebook)?, &shared.notebook)).await
}

async fn index(State(shared): Context, Query(listed): Query<Listed>) -> Answer {
    read(shared, move |notebook, path| Ok(page(&list::page(notebook, path.display().to_string(), &listed)?)))
        .await
}

async fn report_page(State(shared): Context, InPath(run): InPath<i64>) -> Answer {
    read(shared, move |notebook, _| {
        let html = report::render_html(notebook, RunId(run))?;
        Ok(axum::response::Html(html).into_response())
    })
    .await
}

async fn live_page(State(shared): Context, InPath(run): InPath<i64>) -> Answer {
    read(shared, move |notebook, _| {
        let run = notebook.run(RunId(run))?;
        let started = run.started_at.chars().take(16).collect::<String>().replace('T', " ");
        Ok(page(&pages::Live {
            run: run.id,
            name: report::in_short(&run).to_owned(),
            title: run.title.clone(),
            started,
            realm: report::realm_and_scale(&run.realm, run.scale),
            resume: format!(
                "drivetrain resume {} --notebook {}",
                run.id,
                words::shell::path(notebook.path())
            ),
            words: sentences::for_scripts(),
        }))
    })
    .await
}

async fn compare_page(State(shared): Context, Query(pair): Query<Pair>) -> Answer {
    read(shared, move |notebook, _| compare::answer(notebook, &pair)).await
}

async fn runs(State(shared): Context, Query(listed): Query<Listed>) -> Answer {
    read(shared, move |notebook, _| Ok(Json(list::runs(notebook, &listed)?).into_response())).await
}

/// A run whose experiment is asked about.
#[derive(Deserialize)]
struct Of {
    run: i64,
}

async fn trend_page(State(shared): Context, Query(of): Query<Of>) -> Answer {
    read(shared, move |notebook, _| {
        let html = report::trend(notebook, RunId(of.run))?.to_html(report::Links::Served)?;
        Ok(axum::response::Html(html).into_response())
    })
    .await
}

async fn run(State(shared): Context, InPath(run): InPath<i64>) -> Answer {
    read(shared, move |notebook, _| Ok(Json(documents::run(notebook, RunId(run))?).into_response())).await
}

async fn now(State(shared): Context, InPath(run): InPath<i64>) -> Answer {
    read(shared, move |notebook, path| {
        Ok(Json(documents::now(notebook, RunId(run), &Now::of(path))?).into_response())
    })
    .await
}

async fn cell(State(shared): Context, InPath((run, number)): InPath<(i64, u32)>) -> Answer {
    read(shared, move |notebook, _| match documents::series(notebook, RunId(run), number)? {
        Some(document) => Ok(Json(document).into_response()),
        None => Err(Failed(StatusCode::NOT_FOUND, format!("run {run} has no cell {number}"))),
    })
    .await
}

/// The seconds of the running cell, of which `figure/now` is drawn.
async fn seconds(State(shared): Context, InPath(run): InPath<i64>) -> Answer {
    aside(shared, move |shared| {
        let open = || Notebook::open_existing(&shared.notebook);
        let document =
            shared.courses.with(RunId(run), open, |course| documents::course(RunId(run), course))?;
        document
            .map(|document| Json(document).into_response())
            .ok_or_else(|| Failed(StatusCode::NOT_FOUND, format!("no cell of run {run} is under way")))
    })
    .await
}

async fn figure(
    State(shared): Context,
    InPath((run, name)): InPath<(i64, String)>,
    Query(wanted): Query<Wanted>,
) -> Answer {
    aside(shared, move |shared| figures::figure(shared, RunId(run), &name, &wanted)).await
}

async fn prometheus(State(shared): Context) -> Answer {
    read(shared, |notebook, path| {
        let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
        Ok((kind, metrics::text(notebook, path)?).into_response())
    })
    .await
}

/// Leaves a request to stop for the run under way.
async fn stop(State(shared): Context, InPath(when): InPath<String>, headers: HeaderMap) -> Answer {
    let Some(stop) = Stop::from_word(&when) else {
        return Err(Failed(StatusCode::NOT_FOUND, format!("`{when}` is neither `cell` nor `now`")));
    };
    if !headers.contains_key(OWN_HEADER) {
        return Err(Failed(
            StatusCode::FORBIDDEN,
            format!("a request to stop needs the header {OWN_HEADER}"),
        ));
    }
    read(shared, move |notebook, path| {
        if !notebook.is_being_written() {
            return Err(Failed(StatusCode::CONFLICT, "no run is under way".to_owned()));
        }
        leave_request(path, stop).map_err(|error| {
            let path = stop_path(path);
            match error.kind() {
                std::io::ErrorKind::AlreadyExists => {
                    let why = format!(
                        "{} is not drivetrain's and in the place of requests: move it away",
                        path.display()
                    );
                    Failed(StatusCode::CONFLICT, why)
                }
                _ => Failed(StatusCode::INTERNAL_SERVER_ERROR, format!("{}: {error}", path.display())),
            }
        })?;
        Ok(StatusCode::ACCEPTED.into_response())
    })
    .await
}

async fn unknown() -> Failed {
    Failed(StatusCode::NOT_FOUND, "there is no such page; all runs are at /".to_owned())
}

async fn asset(InPath(name): InPath<String>) -> Answer {
    assets::asset(&name).ok_or_else(|| Failed(StatusCode::NOT_FOUND, format!("there is no file `{name}`")))
}
