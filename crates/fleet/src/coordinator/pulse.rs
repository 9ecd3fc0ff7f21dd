//! The lead's signs of life: a thread of their own gives them, so that a lead that merges results or waits
//! for its disk is not taken for gone.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crate::connection::Outbox;
use crate::frame::encode;
use crate::message::Down;

/// Time between two signs of life.
const BEAT: Duration = Duration::from_secs(1);

/// Signs of life to every rank, until it is dropped. The ways to the ranks close after that.
pub(super) struct Pulse {
    _ends: Sender<()>,
}

impl Pulse {
    pub(super) fn over(ranks: Vec<Outbox>) -> Pulse {
        let (ends, ended) = channel::<()>();
        std::thread::spawn(move || {
            let alive = encode(&Down::Alive);
            while ended.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                // A rank that is gone is found when something is expected of it.
                ranks.iter().for_each(|rank| drop(rank.send(alive.clone())));
            }
        });
        Pulse { _ends: ends }
    }
}
