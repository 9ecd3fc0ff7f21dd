//! Offsets between clocks by round trips.

/// A round trip to a rank: the moments on the lead's clock, and the clocks of the rank in between. All ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The question leaves, on the lead's clock.
    pub sent_ns: u64,
    /// The answer is there, on the lead's clock.
    pub received_ns: u64,
    /// The date of the lead when the question left, since 1970.
    pub sent_date_ns: i64,
    /// The rank's clock.
    pub there_ns: u64,
    /// The rank's date, since 1970.
    pub there_date_ns: i64,
}

impl Sample {
    pub(crate) fn round_trip_ns(&self) -> u64 {
        self.received_ns.saturating_sub(self.sent_ns)
    }
}

/// The offset of a rank's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offset {
    /// The rank's clock minus the lead's, ns.
    pub clock_ns: i64,
    /// The rank's date minus the lead's, ns.
    pub date_ns: i64,
    /// Neither is further off than this, ns: half of the round trip.
    pub error_ns: u64,
}

impl Offset {
    /// The offset by the round trip that took the least time; `None` without any.
    ///
    /// Cristian 1989, "Probabilistic clock synchronization": the rank read its clock at some moment of the
    /// round trip, so the middle of it is wrong by at most half. The shortest has the least error, as in the
    /// clock filter of NTP (RFC 5905, section 10).
    #[must_use]
    pub fn of(samples: &[Sample]) -> Option<Offset> {
        let best = samples.iter().min_by_key(|sample| sample.round_trip_ns())?;
        let half_ns = best.round_trip_ns() / 2;
        let middle_ns = best.sent_ns + half_ns;
        Some(Offset {
            clock_ns: best.there_ns.wrapping_sub(middle_ns) as i64,
            date_ns: best.there_date_ns - best.sent_date_ns - half_ns as i64,
            error_ns: best.round_trip_ns().div_ceil(2),
        })
    }

    /// A moment of the lead's clock on the rank's.
    #[must_use]
    pub fn there(&self, at_ns: u64) -> u64 {
        at_ns.saturating_add_signed(self.clock_ns)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample(sent_ns: u64, out_ns: u64, back_ns: u64, clock_ns: i64, date_ns: i64) -> Sample {
        let there_ns = (sent_ns + out_ns).wrapping_add_signed(clock_ns);
        Sample {
            sent_ns,
            received_ns: sent_ns + out_ns + back_ns,
            sent_date_ns: 1_000,
            there_ns,
            there_date_ns: 1_000 + out_ns as i64 + date_ns,
        }
    }

    #[test]
    fn an_even_way_gives_the_offset_exactly_and_the_shortest_counts() {
        let samples = [
            sample(5_000_000_000, 900_000, 100, 77_000, 500_000_000),
            sample(6_000_000_000, 20_000, 20_000, 77_000, 500_000_000),
        ];
        let offset = Offset::of(&samples).unwrap();
        assert_eq!(offset, Offset { clock_ns: 77_000, date_ns: 500_000_000, error_ns: 20_000 });
        assert_eq!(offset.there(10), 77_010);
        assert_eq!(Offset::of(&[]), None);
    }

    proptest! {
        #[test]
        fn the_error_bounds_the_offset(
            ways in proptest::collection::vec((1_u64..50_000_000, 1_u64..50_000_000), 1..9),
            clock_ns in -4_000_000_000_i64..4_000_000_000,
            date_ns in -900_000_000_i64..900_000_000,
        ) {
            let samples: Vec<Sample> =
                ways.iter().map(|(out, back)| sample(5_000_000_000, *out, *back, clock_ns, date_ns)).collect();
            let offset = Offset::of(&samples).unwrap();
            prop_assert!(offset.clock_ns.abs_diff(clock_ns) <= offset.error_ns);
            prop_assert!(offset.date_ns.abs_diff(date_ns) <= offset.error_ns);
        }
    }
}
