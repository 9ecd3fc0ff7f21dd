//! The lead as a rank hears it. A cut link closes no pipe: only the silence tells that the lead is gone.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use ground::Clock;

/// Time between two looks at what was heard.
const LOOK: Duration = Duration::from_secs(1);

/// The longest silence of a lead that has not given its own limit yet.
const FIRST_SILENCE: Duration = Duration::from_secs(60);

/// The messages of the lead, counted.
#[derive(Debug)]
pub(super) struct Lead {
    heard: AtomicU64,
    silence_ms: AtomicU64,
    is_silent: AtomicBool,
    /// The rank has ended, and nobody watches any more.
    ends: AtomicBool,
}

impl Lead {
    /// One that was not heard yet.
    pub(super) fn new() -> Lead {
        let silence_ms = AtomicU64::new(FIRST_SILENCE.as_millis() as u64);
        Lead {
            heard: AtomicU64::new(0),
            silence_ms,
            is_silent: AtomicBool::new(false),
            ends: AtomicBool::new(false),
        }
    }

    /// The longest silence from now on.
    pub(super) fn may_be_silent(&self, silence: Duration) {
        self.silence_ms.store(silence.as_millis() as u64, Ordering::Release);
    }

    /// A message came.
    pub(super) fn hear(&self) {
        self.heard.fetch_add(1, Ordering::Release);
    }

    /// True if the lead was silent for longer than it may be.
    pub(super) fn is_silent(&self) -> bool {
        self.is_silent.load(Ordering::Acquire)
    }

    /// The rank ends.
    pub(super) fn end(&self) {
        self.ends.store(true, Ordering::Release);
    }

    /// True if the rank has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.ends.load(Ordering::Acquire)
    }

    /// Starts a thread that calls `on_gone` when the lead is silent for longer than it may be. It counts its
    /// own looks: a process that was stopped and goes on has looked once, and hears what came meanwhile.
    pub(super) fn watch(self: &Arc<Lead>, on_gone: Arc<dyn Fn() + Send + Sync>) {
        let lead = Arc::clone(self);
        std::thread::spawn(move || {
            let (mut before, mut waited) = (0, Duration::ZERO);
            while !lead.has_ended() {
                let heard = lead.heard.load(Ordering::Acquire);
                waited = if heard == before { waited + LOOK } else { Duration::ZERO };
                before = heard;
                if waited > Duration::from_millis(lead.silence_ms.load(Ordering::Acquire)) {
                    lead.is_silent.store(true, Ordering::Release);
                    on_gone();
                    break;
                }
                Clock::Wall.sleep(LOOK);
            }
        });
    }
}
