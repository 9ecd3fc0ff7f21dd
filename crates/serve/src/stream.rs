//! The stream of a run's events.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::{Stream, StreamExt as _};

use crate::follow::{Follower, Line};
use crate::routes::Context;

/// The interval at which a stream looks for new lines of the feed.
const LOOK: Duration = Duration::from_millis(300);
/// The time after which a browser that lost the stream asks for it again.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The feed as server-sent events. Each browser reads the file at its own pace, so a slow one costs the run
/// nothing and this server one buffer. A browser that comes back names the last event that it has.
pub(crate) async fn events(
    State(shared): Context,
    headers: HeaderMap,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let last = headers.get("last-event-id").and_then(|place| place.to_str().ok()).unwrap_or_default();
    let reader = Arc::clone(&shared.readers);
    let state = (Follower::after(&shared.notebook, last), VecDeque::<Line>::new(), reader);
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
