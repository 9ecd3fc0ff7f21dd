//! The server: one thread that answers requests, and streams the feed of a run.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use askama::Template;
use axum::extract::{Path as InPath, Query, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use futures_util::{Stream, StreamExt as _};
use notebook::{Notebook, NotebookError, RunId};
use report::ReportError;
use serde::Deserialize;
use words::say;

use crate::door::Door;
use crate::error::ServeError;
use crate::feed::{Stop, leave_request, stop_path};
use crate::follow::{Follower, Line};
use crate::guard::{Guard, OWN_HEADER};
use crate::now::Now;
use crate::{assets, documents, metrics, pages};

/// The interval at which a stream looks for new lines of the feed.
const LOOK: Duration = Duration::from_millis(300);
/// The time after which a browser that lost the stream asks for it again.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// The interval at which the server sees that it is to end.
const TICK: Duration = Duration::from_millis(100);

/// The time in which readers of a stream may learn that their run has ended before the server goes.
const FAREWELL: Duration = Duration::from_secs(1);

/// The holders of the count of readers that are none: the server twice.
const OWN_READERS: usize = 2;

/// The contents and the address of a server.
#[derive(Clone, Debug)]
pub struct Site {
    /// The notebook.
    pub notebook: PathBuf,
    /// Where to listen; port 0 takes any that is free.
    pub listen: SocketAddr,
}

/// A server that listens, and answers as long as this value lives.
pub struct Server {
    address: String,
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<Result<(), ServeError>>>,
}

impl Server {
    /// Begins to listen.
    ///
    /// # Errors
    /// When the address is in use or cannot be listened at.
    pub fn start(site: &Site) -> Result<Self, ServeError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let entered = runtime.enter();
        let door = Door::open(site.listen).map_err(|error| ServeError::of_listening(site.listen, error))?;
        drop(entered);
        let bound = door.address()?;
        let guard = Guard::for_address(bound);
        let address = format!("http://{bound}/{}", guard.query());
        let shared = Arc::new(Shared { notebook: site.notebook.clone(), guard, readers: Arc::default() });
        let stop = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name("web".to_owned());
        let thread = thread.spawn(move || answer(runtime, door, shared, &ends))?;
        Ok(Self { address, stop, thread: Some(thread) })
    }

    /// The address for a browser, with the token where one is needed.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Answers until `stop`.
    ///
    /// # Errors
    /// When the server failed.
    pub fn until(mut self, stop: &AtomicBool) -> Result<(), ServeError> {
        while !stop.load(Ordering::Acquire) && self.thread.as_ref().is_some_and(|t| !t.is_finished()) {
            ground::Clock::Wall.sleep(TICK);
        }
        self.stop.store(true, Ordering::Release);
        let ended = self.thread.take().map(std::thread::JoinHandle::join);
        ended.map_or(Ok(()), |ended| ended.unwrap_or(Ok(())))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // Its requests have been answered; there is nobody to tell.
        }
    }
}

/// The things that every request needs.
struct Shared {
    notebook: PathBuf,
    guard: Guard,
    /// Each open stream holds one more.
    readers: Arc<()>,
}

type Context = State<Arc<Shared>>;

/// Answers in one thread. Notebooks are read in others, so that one long report stops nobody else.
fn answer(
    runtime: tokio::runtime::Runtime,
    door: Door,
    shared: Arc<Shared>,
    stop: &Arc<AtomicBool>,
) -> Result<(), ServeError> {
    let ended = runtime.block_on(async {
        let readers = Arc::clone(&shared.readers);
        let until = async {
            while !stop.load(Ordering::Acquire) {
                tokio::time::sleep(TICK).await;
            }
            // Pages leave the stream of a run that has ended; other readers may stay for ever.
            let has_readers = async {
                while Arc::strong_count(&readers) > OWN_READERS {
                    tokio::time::sleep(TICK).await;
                }
            };
            let _ = tokio::time::timeout(FAREWELL, has_readers).await;
        };
        tokio::select! {
            served = async { axum::serve(door, router(shared)).await } => served,
            () = until => Ok(()),
        }
    });
    runtime.shutdown_timeout(TICK);
    Ok(ended?)
}

fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/", get(index))
        .route("/run/{run}", get(report_page))
        .route("/run/{run}/live", get(live_page))
        .route("/compare", get(compare_page))
        .route("/assets/{name}", get(asset))
        .route("/api/runs", get(runs))
        .route("/api/run/{run}", get(run))
        .route("/api/run/{run}/cell/{number}", get(cell))
        .route("/api/run/{run}/now", get(now))
        .route("/events", get(events))
        .route("/stop/{when}", post(stop))
        .route("/metrics", get(prometheus))
        .fallback(unknown)
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), guarded))
        .with_state(shared)
}

/// Refuses requests without permission, and gives every answer its headers.
async fn guarded(State(shared): Context, request: Request, next: Next) -> Response {
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

/// An answer that could not be made.
struct Failed(StatusCode, String);

impl From<NotebookError> for Failed {
    fn from(error: NotebookError) -> Self {
        let status = match error {
            NotebookError::NoSuchRun { .. } => StatusCode::NOT_FOUND,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self(status, error.to_string())
    }
}

impl From<ReportError> for Failed {
    fn from(error: ReportError) -> Self {
        match error {
            ReportError::Notebook(error) => error.into(),
            other => Self(StatusCode::UNPROCESSABLE_ENTITY, other.to_string()),
        }
    }
}

impl axum::response::IntoResponse for Failed {
    fn into_response(self) -> Response {
        let why = self.1.clone();
        (self.0, page(&pages::Failed { why })).into_response()
    }
}

type Answer = Result<Response, Failed>;

fn page(template: &impl Template) -> Response {
    match template.render() {
        Ok(text) => axum::response::Html(text).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

/// Reads the notebook in a thread of its own.
async fn read(shared: Arc<Shared>, work: impl FnOnce(&Notebook, &Path) -> Answer + Send + 'static) -> Answer {
    let read = tokio::task::spawn_blocking(move || {
        let notebook = Notebook::open_existing(&shared.notebook)?;
        work(&notebook, &shared.notebook)
    });
    read.await.unwrap_or_else(|error| Err(Failed(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())))
}

/// A part of the list of runs.
#[derive(Deserialize)]
struct Part {
    before: Option<i64>,
    count: Option<u32>,
}

async fn index(State(shared): Context, Query(part): Query<Part>) -> Answer {
    read(shared, move |notebook, path| {
        let before = part.before.map(RunId);
        let mut runs = notebook.latest_runs(before, pages::RUNS + 1)?;
        let is_whole = runs.len() <= pages::RUNS as usize;
        runs.truncate(pages::RUNS as usize);
        let older = runs.last().map(|run| run.id).filter(|_| !is_whole);
        let count = words::decimals(notebook.run_count()? as f64, 0);
        Ok(page(&pages::Index {
            notebook: path.display().to_string(),
            runs,
            count: say!("serve-count", count),
            has_newer: before.is_some(),
            older,
        }))
    })
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
            name: run.name.clone(),
            title: run.title.clone(),
            started,
            words: pages::words(),
        }))
    })
    .await
}

/// Two runs by their numbers.
#[derive(Deserialize)]
struct Pair {
    a: i64,
    b: i64,
}

async fn compare_page(State(shared): Context, Query(pair): Query<Pair>) -> Answer {
    read(shared, move |notebook, _| {
        let (first, second) = (RunId(pair.a), RunId(pair.b));
        let comparison = report::compare_runs((notebook, first), (notebook, second), &[])?;
        Ok(page(&pages::Compare { first, second, text: comparison.to_text() }))
    })
    .await
}

async fn runs(State(shared): Context, Query(part): Query<Part>) -> Answer {
    read(shared, move |notebook, _| {
        let (before, count) = (part.before.map(RunId), part.count.unwrap_or(u32::MAX));
        Ok(Json(notebook.latest_runs(before, count)?).into_response())
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

async fn prometheus(State(shared): Context) -> Answer {
    read(shared, |notebook, path| {
        let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
        Ok((kind, metrics::text(notebook, path)?).into_response())
    })
    .await
}

/// The feed as server-sent events. Each browser reads the file at its own pace, so a slow one costs the run
/// nothing and this server one buffer. A browser that comes back names the last event that it has.
async fn events(
    State(shared): Context,
    headers: HeaderMap,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let last = headers.get("last-event-id").and_then(|place| place.to_str().ok()).unwrap_or_default();
    let reader = Arc::clone(&shared.readers);
    let state = (Follower::after(&shared.notebook, last), std::collections::VecDeque::<Line>::new(), reader);
    let lines = futures_util::stream::unfold(state, |(mut follower, mut lines, reader)| async {
        loop {
            if let Some(Line { text, place }) = lines.pop_front() {
                return Some((Ok(Event::default().id(place).data(text)), (follower, lines, reader)));
            }
            lines.extend(follower.next());
            if lines.is_empty() {
                tokio::time::sleep(LOOK).await;
            }
        }
    });
    let first = Ok(Event::default().retry(LOOK_AGAIN).comment("a line for each event of the run"));
    let stream = futures_util::stream::once(std::future::ready(first)).chain(lines);
    Sse::new(stream).keep_alive(KeepAlive::default())
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
