//! The clocks of the ranks against that of the lead, by round trips.

use std::time::Duration;

use super::{Coordinator, Watch};
use crate::error::FleetError;
use crate::meeting::Meeting;
use crate::member::date_ns;
use crate::message::{Down, Up};
use crate::offset::{Offset, Sample};

/// Round trips to a rank before each start.
const ROUND_TRIPS: usize = 8;

impl Coordinator {
    /// Measures the offset of each of these ranks' clocks. The longest round trip.
    ///
    /// # Errors
    /// As [`words`](Coordinator::words).
    pub(super) fn measure_clocks(
        &mut self,
        ranks: &[u32],
        watch: &dyn Watch,
    ) -> Result<Duration, FleetError> {
        let mut longest_ns = 0;
        for &rank in ranks {
            let mut samples = Vec::with_capacity(ROUND_TRIPS);
            for _ in 0..ROUND_TRIPS {
                samples.push(self.round_trip(rank, watch)?);
            }
            let trips_ns = samples.iter().map(Sample::round_trip_ns);
            longest_ns = trips_ns.fold(longest_ns, u64::max);
            self.links[rank as usize].offset = Offset::of(&samples).unwrap_or_default();
        }
        Ok(Duration::from_nanos(longest_ns))
    }

    fn round_trip(&mut self, rank: u32, watch: &dyn Watch) -> Result<Sample, FleetError> {
        self.forgive_own_absence();
        self.pings += 1;
        let asked = self.pings;
        let (sent_date_ns, sent_ns) = (date_ns(&self.clock), self.clock.now_ns());
        self.links[rank as usize].send(&Down::Ping { number: asked });
        let mut waits_since_ns = sent_ns;
        while self.clock.since(waits_since_ns) < self.limits.silence {
            if let Some(incoming) = self.next_incoming() {
                let received_ns = incoming.at_ns;
                if let Some(Up::Pong { number, clock_ns: there_ns, date_ns: there_date_ns }) =
                    self.take(incoming, Meeting::Ready, watch)?
                    && number == asked
                {
                    return Ok(Sample { sent_ns, received_ns, sent_date_ns, there_ns, there_date_ns });
                }
            }
            waits_since_ns += self.forgive_own_absence();
        }
        Err(self.give_up(rank, Meeting::Ready, "no answer", self.limits.silence))
    }
}
