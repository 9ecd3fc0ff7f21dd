//! The meetings of one cell: ready, start, done.
//!
//! All ranks agree on a moment that is still to come. A load whose seconds can count from that moment does
//! so, however late its threads wake: the phases of all ranks are then the same span of time, and what a late
//! rank missed is missing in its figures. Its delay is measured beside it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use block::Beginning;
use fleet::{Done, FleetError, Start};
use notebook::{CellRecord, CellState};
use parking_lot::Mutex;
use words::Reason;

use crate::error::LabError;
use crate::membership::Membership;
use crate::world::CLOCK_OF_OTHERS;

/// The meetings of the running cell. A kind calls [`start`](CellMeeting::start) when its load is ready, or
/// [`ready`](Beginning::ready) and [`begins`](Beginning::begins) where the load waits for the moment itself,
/// and [`done`](CellMeeting::done) when it is over, before anything is checked; only the first call of each
/// counts. Whatever a cell leaves out is made up for at its end, so that nobody waits for it.
#[derive(Clone, Debug)]
pub(crate) struct CellMeeting {
    membership: Membership,
    state: Arc<Mutex<State>>,
    is_off: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct State {
    started: bool,
    ended: bool,
    done: Done,
    due_ns: Option<u64>,
    off: Option<String>,
    error: Option<FleetError>,
}

impl CellMeeting {
    pub(crate) fn new(membership: &Membership) -> CellMeeting {
        CellMeeting { membership: membership.clone(), state: Arc::default(), is_off: Arc::default() }
    }

    /// A cell begins.
    pub(crate) fn begin(&self) {
        *self.state.lock() = State::default();
        self.is_off.store(false, Ordering::Release);
    }

    /// True if the load is to end at once: it did not start, or the lead is gone.
    pub(crate) fn is_off(&self) -> bool {
        self.is_off.load(Ordering::Acquire)
    }

    /// Returns at the moment at which all ranks start; the seconds of the load count from the return.
    pub(crate) fn start(&self) {
        self.start_or(None);
    }

    fn start_or(&self, fault: Option<&str>) {
        let Some(due_ns) = self.ready_or(fault) else { return };
        CLOCK_OF_OTHERS.sleep_until(due_ns);
        self.begins();
        let mut state = self.state.lock();
        state.done.counts_after_ns = state.done.late_ns.unwrap_or(0);
    }

    /// The moment that all ranks agree on, for the first who asks.
    fn ready_or(&self, fault: Option<&str>) -> Option<u64> {
        let mut state = self.state.lock();
        if std::mem::replace(&mut state.started, true) {
            return None;
        }
        match self.membership.fleet().start(fault) {
            Ok(Start::Now) => return None,
            Ok(Start::At { due_ns }) => {
                state.due_ns = Some(due_ns);
                return state.due_ns;
            }
            Ok(Start::Off { why }) => state.off = Some(why),
            Err(error) => state.error = Some(error),
        }
        self.is_off.store(true, Ordering::Release);
        None
    }

    /// The load of this rank is over; returns when those of all are.
    pub(crate) fn done(&self) {
        let mut state = self.state.lock();
        if std::mem::replace(&mut state.ended, true) || state.error.is_some() {
            return;
        }
        state.done.after_ns = state.due_ns.map(|due_ns| CLOCK_OF_OTHERS.now_ns().saturating_sub(due_ns));
        if let Err(error) = self.membership.fleet().done(state.done) {
            state.error = Some(error);
            self.is_off.store(true, Ordering::Release);
        }
    }

    /// The end of the cell: the meetings that it left out, and what they say about its record.
    ///
    /// # Errors
    /// [`LabError::Fleet`] when the lead is gone.
    pub(crate) fn end(&self, record: CellRecord) -> Result<CellRecord, LabError> {
        // A kind without a load that starts at one moment has no fault.
        self.start_or(record.reasons.text().as_deref());
        self.done();
        let mut state = self.state.lock();
        match (state.error.take(), state.off.take()) {
            (Some(error), _) => Err(error.into()),
            // Its own reasons say more than those of the others.
            (None, Some(why)) if record.state == CellState::Done || record.reasons.is_empty() => {
                let reasons = Reason::FleetNotStarted { why }.into();
                Ok(CellRecord { state: CellState::Invalid, reasons, ..record })
            }
            (None, _) => Ok(record),
        }
    }
}

impl Beginning for CellMeeting {
    fn ready(&self) -> Option<u64> {
        self.ready_or(None)
    }

    fn begins(&self) {
        let mut state = self.state.lock();
        if let (Some(due_ns), None) = (state.due_ns, state.done.late_ns) {
            state.done.late_ns = Some(CLOCK_OF_OTHERS.now_ns().saturating_sub(due_ns));
        }
    }
}
