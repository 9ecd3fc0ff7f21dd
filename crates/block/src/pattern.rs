//! The patterns of a stream's offsets: their numbers with bounds, and the places that a worker draws by them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ground::{Permutation, Random, Zipf, mix};

use crate::generate::{choose, share_ends};
use crate::job::IO_SIZE_BYTES_MIN;
use crate::scatter::Scatter;

/// Draws of a bell that may fall outside before its middle is taken.
const DRAWS_MAX: u32 = 16;

/// The choice of a stream's offsets.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// One after the other, from the start again after the end. Workers share the cursor unless each has its
    /// own.
    Sequential,
    /// Like sequential, but each I/O begins this many bytes after the last.
    Stride {
        /// Bytes between the starts of neighbours, a multiple of 512.
        step_bytes: u64,
    },
    /// Every position equally likely, with replacement.
    Uniform,
    /// From the end of the region to its start; each I/O begins this many bytes before the last.
    Backward {
        /// Bytes between the starts of neighbours, a multiple of 512.
        step_bytes: u64,
    },
    /// Every position once in random order, then again in another order. Workers share the order.
    Shuffled,
    /// The self-similar law: a share `h` of the positions gets 1 - h of the I/Os, and so on within both;
    /// scattered.
    Pareto {
        /// Above 0 and below 1.
        h: f64,
    },
    /// A normal distribution around the middle of the region; draws outside the region are repeated.
    Normal {
        /// Standard deviation as a share of the region, above 0.
        deviation: f64,
    },
    /// Zones with gaps between them: this many bytes are moved within one, sequentially from its front and
    /// again from its front, or at random; then the next begins behind the gap.
    Zones {
        /// Bytes of a zone, a multiple of 512.
        range_bytes: u64,
        /// Bytes between the end of a zone and the beginning of the next, a multiple of 512.
        skip_bytes: u64,
        /// Bytes that are moved in a zone.
        transfer_bytes: u64,
        /// Anywhere in the zone instead of from its front on.
        random: bool,
    },
    /// Bands from the start of the region: (share of the positions, share of the I/Os), uniform within each.
    Bands(Vec<(f64, f64)>),
    /// The k-th most popular position is chosen with probability proportional to 1 / k^theta; popular
    /// positions are scattered over the region.
    Zipf {
        /// Exponent, above 0 and up to [`Zipf::THETA_MAX`].
        theta: f64,
    },
    /// The first `share` of the region receives `access` of the I/Os, the rest the others; uniform within
    /// both.
    HotSpot {
        /// Part of the region that is hot, above 0 and below 1.
        share: f64,
        /// Part of the I/Os that go there, 0 to 1.
        access: f64,
    },
}

impl Pattern {
    /// The fault of its numbers, and the remedy.
    pub(crate) fn fault(&self) -> Option<(String, &'static str)> {
        match self {
            Pattern::Zipf { theta } if !Zipf::is_theta(*theta) => {
                Some((format!("zipf exponent {theta:?}"), "use above 0 and up to 5"))
            }
            Pattern::Pareto { h } if !(*h > 0.0 && *h < 1.0) => {
                Some((format!("pareto parameter {h}"), "use above 0 and below 1"))
            }
            Pattern::Normal { deviation } if !(*deviation > 0.0 && deviation.is_finite()) => {
                Some((format!("deviation {deviation}"), "use above 0"))
            }
            Pattern::HotSpot { share, .. } if !(*share > 0.0 && *share < 1.0) => {
                Some((format!("hot share {share}"), "use above 0 and below 1"))
            }
            Pattern::HotSpot { access, .. } if !(0.0..=1.0).contains(access) => {
                Some((format!("hot access share {access}"), "use 0 to 1"))
            }
            Pattern::Zones { range_bytes, skip_bytes, transfer_bytes, .. }
                if *range_bytes == 0
                    || *transfer_bytes == 0
                    || (range_bytes | skip_bytes) % u64::from(IO_SIZE_BYTES_MIN) != 0 =>
            {
                let what = format!("zones of {range_bytes} bytes with gaps of {skip_bytes} bytes");
                Some((what, "use multiples of 512 bytes, and move some bytes in each zone"))
            }
            Pattern::Bands(bands) if !bands_fit(bands) => {
                Some(("bands".to_owned(), "give 1 to 64 bands whose shares are above 0"))
            }
            Pattern::Stride { step_bytes } | Pattern::Backward { step_bytes }
                if *step_bytes == 0 || step_bytes % u64::from(IO_SIZE_BYTES_MIN) != 0 =>
            {
                Some((format!("stride of {step_bytes} bytes"), "use a multiple of 512 bytes"))
            }
            _ => None,
        }
    }
}

/// The places of I/Os of one size.
#[derive(Debug)]
pub(crate) struct Places {
    /// Bytes of an I/O.
    pub(crate) bytes: u32,
    /// Number of aligned offsets at which an I/O of this size fits.
    positions: u64,
    /// Length after which a sequential stream starts again.
    pub(crate) usable: u64,
    zipf: Option<Zipf>,
    scatter: Scatter,
    /// First positions of the bands, and of the part behind the last one.
    bands: Vec<u64>,
}

/// A pattern within a span, as a worker draws from it.
#[derive(Debug)]
pub(crate) struct Placing {
    state: PatternState,
    /// Bytes of the span.
    length: u64,
    align: u64,
    seed: u64,
}

#[derive(Debug)]
enum PatternState {
    Sequential {
        step: Option<u64>,
    },
    Backward {
        step: u64,
    },
    Uniform,
    Shuffled,
    Zipf,
    /// The exponent log h / log(1 - h) of the self-similar law (Gray et al., SIGMOD 1994).
    Pareto(f64),
    Normal(f64),
    /// Upper ends of the bands' shares of a u64 draw.
    Bands(Vec<u64>),
    Zones(Zones),
}

/// Zones with gaps between them, in bytes.
#[derive(Debug)]
struct Zones {
    range: u64,
    /// From the beginning of one to the beginning of the next.
    step: u64,
    transfer: u64,
    count: u64,
    random: bool,
}

impl PatternState {
    fn new(pattern: &Pattern, length: u64, largest: u64) -> PatternState {
        match pattern {
            Pattern::Sequential => PatternState::Sequential { step: None },
            Pattern::Stride { step_bytes } => PatternState::Sequential { step: Some(*step_bytes) },
            Pattern::Backward { step_bytes } => PatternState::Backward { step: *step_bytes },
            Pattern::Uniform => PatternState::Uniform,
            Pattern::Shuffled => PatternState::Shuffled,
            Pattern::Zipf { .. } => PatternState::Zipf,
            Pattern::Pareto { h } => PatternState::Pareto(h.ln() / (1.0 - h).ln()),
            Pattern::Normal { deviation } => PatternState::Normal(*deviation),
            Pattern::HotSpot { access, .. } => PatternState::Bands(share_ends(&[*access, 1.0 - access])),
            Pattern::Zones { range_bytes, skip_bytes, transfer_bytes, random } => {
                let step = range_bytes + skip_bytes;
                let count = length.saturating_sub(largest) / step + 1;
                let (range, transfer) = (*range_bytes, *transfer_bytes);
                PatternState::Zones(Zones { range, step, transfer, count, random: *random })
            }
            Pattern::Bands(bands) => {
                let accesses: Vec<f64> = bands.iter().map(|band| band.1).collect();
                PatternState::Bands(share_ends(&accesses))
            }
        }
    }
}

impl Placing {
    /// `largest_bytes`: of the stream's I/Os.
    pub(crate) fn new(pattern: &Pattern, length: u64, align: u64, largest_bytes: u32, seed: u64) -> Placing {
        let state = PatternState::new(pattern, length, u64::from(largest_bytes));
        Placing { state, length, align, seed }
    }

    /// The places of I/Os of `bytes`; `usable` is the length after which a sequential stream starts again.
    pub(crate) fn places(&self, pattern: &Pattern, bytes: u32, usable: u64) -> Places {
        let positions = (self.length - u64::from(bytes)) / self.align + 1;
        let zipf = match pattern {
            Pattern::Zipf { theta } => Some(Zipf::new(positions, *theta)),
            _ => None,
        };
        let (scatter, bands) = (Scatter::new(positions), bands(pattern, positions));
        Places { bytes, positions, usable, zipf, scatter, bands }
    }

    /// The place of the next I/O, in bytes from the start of the span.
    #[inline]
    pub(crate) fn next(&self, places: &Places, cursor: &AtomicU64, random: &mut Random) -> u64 {
        match &self.state {
            PatternState::Sequential { step } => self.sequential(cursor, places, step.unwrap_or(0)),
            PatternState::Backward { step } => self.backward(cursor, places.bytes, *step),
            PatternState::Uniform => random.below(places.positions) * self.align,
            PatternState::Zones(zones) => self.in_zone(zones, cursor, places.bytes, random),
            PatternState::Shuffled => self.shuffled(cursor, places.positions) * self.align,
            PatternState::Zipf => {
                let rank = places.zipf.as_ref().map_or(0, |zipf| zipf.draw(random));
                places.scatter.position(rank) * self.align
            }
            PatternState::Pareto(exponent) => {
                let rank = (places.positions as f64 * random.unit().powf(*exponent)) as u64;
                places.scatter.position(rank.min(places.positions - 1)) * self.align
            }
            PatternState::Normal(deviation) => normal(places.positions, *deviation, random) * self.align,
            PatternState::Bands(ends) => places.in_band(choose(ends, random), random) * self.align,
        }
    }

    /// The end of the last I/O, or the start when nothing fits behind it.
    pub(crate) fn going_on(&self, last_end: u64, bytes: u32) -> u64 {
        let place = last_end.next_multiple_of(self.align);
        if place + u64::from(bytes) > self.length { 0 } else { place }
    }

    fn shuffled(&self, cursor: &AtomicU64, positions: u64) -> u64 {
        let drawn = cursor.fetch_add(1, Relaxed);
        let round = mix(self.seed ^ mix(drawn / positions));
        Permutation::new(positions, round).position(drawn % positions)
    }

    /// Takes the next stretch of a sequential stream. The cursor only ever grows; its value modulo the usable
    /// length is the place, so that workers never need more than one atomic addition.
    #[inline]
    fn sequential(&self, cursor: &AtomicU64, places: &Places, step: u64) -> u64 {
        let bytes = u64::from(places.bytes);
        let step = if step > 0 { step } else { bytes.next_multiple_of(self.align) };
        let place = cursor.fetch_add(step, Relaxed) % places.usable;
        if place + bytes > self.length { 0 } else { place }
    }

    /// The cursor counts bytes: they say which zone it is, and where in it a walk has come to.
    fn in_zone(&self, zones: &Zones, cursor: &AtomicU64, bytes: u32, random: &mut Random) -> u64 {
        let moved = cursor.fetch_add(u64::from(bytes), Relaxed);
        let start = moved / zones.transfer % zones.count * zones.step;
        let bytes = u64::from(bytes);
        let room = zones.range.min(self.length - start).saturating_sub(bytes);
        let place = if zones.random {
            random.below(room / self.align + 1) * self.align
        } else {
            let whole = (zones.range - zones.range % bytes).max(bytes);
            moved % zones.transfer % whole
        };
        start + if place > room { 0 } else { place }
    }

    /// As sequential, from the last place where an I/O of these bytes fits towards the start.
    fn backward(&self, cursor: &AtomicU64, bytes: u32, step: u64) -> u64 {
        let last = (self.length - u64::from(bytes)) / self.align * self.align;
        let steps = last / step + 1;
        last - cursor.fetch_add(1, Relaxed) % steps * step
    }
}

impl Places {
    /// A position within a band.
    fn in_band(&self, band: usize, random: &mut Random) -> u64 {
        let (first, end) = (self.bands[band], self.bands[band + 1]);
        (first + random.below((end - first).max(1))).min(self.positions - 1)
    }
}

/// A position under a bell around the middle, drawn again where it falls outside.
fn normal(positions: u64, deviation: f64, random: &mut Random) -> u64 {
    for _ in 0..DRAWS_MAX {
        let place = 0.5 + deviation * random.normal();
        if (0.0..1.0).contains(&place) {
            return ((positions as f64 * place) as u64).min(positions - 1);
        }
    }
    positions / 2
}

/// First positions of the bands and the number of positions behind the last; every band has one at least
/// where there are enough.
fn bands(pattern: &Pattern, positions: u64) -> Vec<u64> {
    let shares: Vec<f64> = match pattern {
        Pattern::HotSpot { share, .. } => vec![*share, 1.0 - share],
        Pattern::Bands(bands) => bands.iter().map(|band| band.0).collect(),
        _ => return Vec::new(),
    };
    let total: f64 = shares.iter().sum();
    let count = shares.len() as u64;
    let (mut sum, mut firsts) = (0.0, vec![0]);
    for (index, share) in shares.iter().enumerate() {
        sum += share / total;
        let behind = count - 1 - index as u64;
        let last = firsts[index];
        let end = (positions as f64 * sum).round() as u64;
        firsts.push(end.max(last + 1).min(positions.saturating_sub(behind).max(last)));
    }
    firsts[shares.len()] = positions;
    firsts
}

fn bands_fit(bands: &[(f64, f64)]) -> bool {
    let fits = |part: f64| part.is_finite() && part > 0.0;
    (1..=64).contains(&bands.len()) && bands.iter().all(|&(share, access)| fits(share) && fits(access))
}
