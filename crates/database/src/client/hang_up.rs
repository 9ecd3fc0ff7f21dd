//! Lets a caller stop waiting for a server.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The interval at which a waiting client checks for a stop.
pub(crate) const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// Becomes true once, for all clones. It goes with the [`Endpoint`](crate::client::Endpoint), so that every
/// connection made to it knows of it.
#[derive(Clone, Debug, Default)]
pub struct HangUp(Arc<AtomicBool>);

impl HangUp {
    /// Asked for as soon as `flag` becomes true.
    #[must_use]
    pub fn when(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }

    /// True if the wait must end.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// Returns when waiting is over. Needs a runtime with a clock.
    pub async fn asked(&self) {
        while !self.is_asked() {
            tokio::time::sleep(LOOK_INTERVAL).await;
        }
    }
}

/// No part of an address: two endpoints are the same place whatever waits there.
impl PartialEq for HangUp {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for HangUp {}
