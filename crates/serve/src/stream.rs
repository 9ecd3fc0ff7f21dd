//! The stream of a run's events.

use std::collections::VecDeque;
use std::io::{Error, ErrorKind};
use std::time::Duration;

use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::StreamExt as _;

use crate::follow::{Follower, Line};
use crate::place::Holder;
use crate::reader::STREAMS_MAX;
use crate::routes::Context;

/// The interval at which a stream looks for new lines of the feed.
const LOOK: Duration = Duration::from_millis(300);
/// The time after which a browser that lost the stream asks for it again.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// The seconds after which a program that got no stream may ask again.
const RETRY_AFTER_S: &str = "5";

/// The feed as server-sent events. Each browser reads the file at its own pace, so a slow one costs the run
/// nothing and this server one buffer. A browser that comes back names the last event that it has.
pub(crate) async fn events(
    State(shared): Context,
    ConnectInfo(Holder(slot)): ConnectInfo<Holder>,
    headers: HeaderMap,
) -> Response {
    let Some(reader) = shared.readers.take(slot) else {
        let why = format!(
            "all {STREAMS_MAX} places of /events are taken: close a live page, or read /api/run/RUN/now or /metrics, which always have a place\n"
        );
        // It gives up its place of a connection at once, too.
        let told = [(header::RETRY_AFTER, RETRY_AFTER_S), (header::CONNECTION, "close")];
        return (StatusCode::SERVICE_UNAVAILABLE, told, why).into_response();
    };
    let last = headers.get("last-event-id").and_then(|place| place.to_str().ok()).unwrap_or_default();
    let state = (Follower::after(&shared.notebook, last), VecDeque::<Line>::new(), reader);
    let lines = futures_util::stream::unfold(state, |(mut follower, mut lines, mut reader)| async {
        loop {
            // An error ends the connection, and with it the place of one who never reads.
            if reader.is_gone() {
                let gone = Error::new(ErrorKind::TimedOut, "the reader reads nothing");
                return Some((Err(gone), (follower, lines, reader)));
            }
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
    Sse::new(stream).keep_alive(KeepAlive::default()).into_response()
}
