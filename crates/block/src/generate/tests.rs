use proptest::prelude::*;

use super::*;
use crate::job::{EngineKind, Pattern, Shape, SizeMix, Stream, Target};

fn generator_of(streams: Vec<Stream>, length: u64, seed: u64, align: Option<u32>) -> Generator {
    let spans = vec![Span { start: 0, length }; streams.len()];
    let mut job = Job::new(
        streams[0].clone(),
        Shape::ClosedLoop { depth: 1 },
        EngineKind::Null,
        Target::AddressSpace { size_bytes: length },
    );
    job.streams = streams;
    job.seed = seed;
    job.align_bytes = align;
    let cursors = cursors(&job);
    Generator::new(&job, &spans, cursors, 0)
}

fn stream(pattern: Pattern, read_share: f64, sizes: SizeMix) -> Stream {
    Stream::new("s", pattern, read_share, sizes)
}

#[test]
fn equal_seeds_give_equal_ios_and_the_golden_ones() {
    let draw = |seed| {
        let mut generator =
            generator_of(vec![stream(Pattern::Uniform, 0.5, SizeMix::fixed(4096))], 1 << 30, seed, None);
        (0..4).map(|_| generator.next()).map(|io| (io.offset / 4096, io.op.writes())).collect::<Vec<_>>()
    };
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1), draw(2));
    assert_eq!(draw(1), GOLDEN);
}

/// From a reference implementation of the generator and the two draws of each I/O.
const GOLDEN: [(u64, bool); 4] = [(245_595, true), (213_967, false), (67_341, false), (64_977, true)];

#[test]
fn sequential_goes_on_and_wraps() {
    let mut generator =
        generator_of(vec![stream(Pattern::Sequential, 1.0, SizeMix::fixed(4096))], 3 * 4096 + 512, 1, None);
    let offsets: Vec<u64> = (0..5).map(|_| generator.next().offset / 4096).collect();
    assert_eq!(offsets, [0, 1, 2, 0, 1]);
}

#[test]
fn shares_of_reads_sizes_and_streams_come_out() {
    let mix = SizeMix::mix([(4096, 3.0), (8192, 1.0)]);
    let mut heavy = stream(Pattern::Uniform, 0.7, mix);
    heavy.weight = 4.0;
    let light = stream(Pattern::Sequential, 0.0, SizeMix::fixed(65536));
    let mut generator = generator_of(vec![heavy, light], 1 << 30, 5, None);
    let ios: Vec<Io> = (0..100_000).map(|_| generator.next()).collect();
    let share = |of: &dyn Fn(&Io) -> bool| ios.iter().filter(|io| of(io)).count() as f64 / 1e5;
    for (name, found, wanted) in [
        ("heavy stream", share(&|io| io.stream == 0), 0.8),
        ("reads", share(&|io| !io.op.writes()), 0.8 * 0.7),
        ("4 KiB", share(&|io| io.length == 4096), 0.8 * 0.75),
        ("8 KiB", share(&|io| io.length == 8192), 0.8 * 0.25),
    ] {
        assert!((found - wanted).abs() < 0.01, "{name}: {found}, wanted {wanted}");
    }
    assert!(ios.iter().filter(|io| io.stream == 1).all(|io| io.op.writes() && io.length == 65536));
}

#[test]
fn the_hot_spot_gets_its_share_of_accesses() {
    let pattern = Pattern::HotSpot { share: 0.2, access: 0.8 };
    let mut generator = generator_of(vec![stream(pattern, 1.0, SizeMix::fixed(4096))], 1000 * 4096, 3, None);
    let hot = (0..100_000).filter(|_| generator.next().offset < 200 * 4096).count() as f64 / 1e5;
    assert!((hot - 0.8).abs() < 0.01, "{hot}");
}

#[test]
fn zipf_prefers_few_positions_that_lie_scattered() {
    let mut generator =
        generator_of(vec![stream(Pattern::Zipf { theta: 1.1 }, 1.0, SizeMix::fixed(4096))], 1 << 30, 3, None);
    let mut counts = std::collections::BTreeMap::new();
    (0..100_000).for_each(|_| *counts.entry(generator.next().offset).or_insert(0u32) += 1);
    let mut by_count: Vec<(u32, u64)> = counts.iter().map(|(offset, count)| (*count, *offset)).collect();
    by_count.sort_unstable_by(|a, b| b.cmp(a));
    assert!(by_count[0].0 > 10_000, "{:?}", by_count[0]);
    assert!(by_count[0].1.abs_diff(by_count[1].1) > 100 << 20, "{:?}", &by_count[..2]);
}

proptest! {
    #[test]
    fn every_io_is_aligned_and_inside_its_span(
        seed: u64,
        kind in 0..4,
        sectors in 1u32..64,
        more_sectors in 1u32..64,
        start in 0u64..1000,
        extra in 0u64..5000,
        aligned: bool,
        theta in 0.1f64..3.0,
        share in 0.01f64..0.99,
    ) {
        let sizes = SizeMix::mix([(sectors * 512, 1.0), (more_sectors * 512, 2.0)]);
        let pattern = match kind {
            0 => Pattern::Sequential,
            1 => Pattern::Uniform,
            2 => Pattern::Zipf { theta },
            _ => Pattern::HotSpot { share, access: 1.0 - share },
        };
        let span = Span { start: start * 512, length: u64::from(sizes.largest_bytes()) + extra };
        let mut job = Job::new(
            stream(pattern, share, sizes),
            Shape::ClosedLoop { depth: 1 },
            EngineKind::Null,
            Target::AddressSpace { size_bytes: 0 },
        );
        job.seed = seed;
        job.align_bytes = aligned.then_some(1024);
        let align = u64::from(job.align_bytes.unwrap_or(512 * sectors.min(more_sectors)));
        let mut generator = Generator::new(&job, &[span], cursors(&job), 0);
        for _ in 0..100 {
            let io = generator.next();
            prop_assert!(io.offset >= span.start);
            prop_assert!(io.offset + u64::from(io.length) <= span.start + span.length, "{io:?} in {span:?}");
            prop_assert_eq!((io.offset - span.start) % align, 0);
        }
    }
}

/// Shares of 100,000 I/Os that fall into each tenth of the region.
fn tenths(pattern: Pattern) -> Vec<f64> {
    let length = 1 << 30;
    let mut generator = generator_of(vec![stream(pattern, 1.0, SizeMix::fixed(4096))], length, 7, None);
    let mut tenths = vec![0.0; 10];
    (0..100_000).for_each(|_| tenths[(generator.next().offset * 10 / length) as usize] += 1e-5);
    tenths
}

#[test]
fn bands_and_bells_get_their_shares() {
    let bands = tenths(Pattern::Bands(vec![(0.1, 0.5), (0.2, 0.3), (0.7, 0.2)]));
    for (tenth, wanted) in bands.iter().zip([0.5, 0.15, 0.15].into_iter().chain([0.2 / 7.0; 7])) {
        assert!((tenth - wanted).abs() < 0.01, "{bands:?}");
    }
    let bell = tenths(Pattern::Normal { deviation: 0.1 });
    assert!((bell[4] + bell[5] - 0.683).abs() < 0.01 && (bell[4] - bell[5]).abs() < 0.01, "{bell:?}");
    assert!(tenths(Pattern::Normal { deviation: 1.0 }).iter().all(|tenth| *tenth > 0.08));
}

#[test]
fn pareto_is_self_similar() {
    let mut generator = generator_of(
        vec![stream(Pattern::Pareto { h: 0.2 }, 1.0, SizeMix::fixed(4096))],
        1000 * 4096,
        3,
        None,
    );
    let mut counts = vec![0u32; 1000];
    (0..100_000).for_each(|_| counts[(generator.next().offset / 4096) as usize] += 1);
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let top: u32 = counts[..200].iter().sum();
    assert!((f64::from(top) / 1e5 - 0.8).abs() < 0.02, "{top}");
}

#[test]
fn shuffled_hits_every_position_once_a_round() {
    let mut generator =
        generator_of(vec![stream(Pattern::Shuffled, 1.0, SizeMix::fixed(4096))], 100 * 4096, 3, None);
    let mut orders = Vec::new();
    for _ in 0..3 {
        let order: Vec<u64> = (0..100).map(|_| generator.next().offset / 4096).collect();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..100));
        orders.push(order);
    }
    assert!(orders[0] != orders[1] && orders[1] != orders[2]);
}

#[test]
fn strides_step_and_a_share_goes_on() {
    let mut stride = generator_of(
        vec![stream(Pattern::Stride { step_bytes: 65536 }, 1.0, SizeMix::fixed(4096))],
        1 << 20,
        3,
        None,
    );
    let offsets: Vec<u64> = (0..17).map(|_| stride.next().offset >> 16).collect();
    assert_eq!(offsets, (0..16).chain([0]).collect::<Vec<u64>>());
    let mut back = generator_of(
        vec![stream(Pattern::Backward { step_bytes: 65536 }, 1.0, SizeMix::fixed(65536))],
        4 * 65536 + 512,
        3,
        None,
    );
    let offsets: Vec<u64> = (0..5).map(|_| back.next().offset >> 16).collect();
    assert_eq!(offsets, [3, 2, 1, 0, 3]);
    let mut half = stream(Pattern::Uniform, 1.0, SizeMix::fixed(4096));
    half.pattern_share = 0.5;
    let mut generator = generator_of(vec![half], 1 << 30, 3, None);
    let offsets: Vec<u64> = (0..10_000).map(|_| generator.next().offset).collect();
    let on = offsets.windows(2).filter(|pair| pair[1] == pair[0] + 4096).count();
    assert!((4_800..5_200).contains(&on), "{on}");
}

#[test]
fn writes_have_their_own_sizes_and_workers_their_own_regions() {
    let mut mixed = stream(Pattern::Uniform, 0.5, SizeMix::fixed(4096));
    mixed.write_sizes = Some(SizeMix::fixed(65536));
    mixed.write_through = true;
    let mut generator = generator_of(vec![mixed], 1 << 20, 3, None);
    for io in (0..1000).map(|_| generator.next()) {
        assert_eq!(io.length, if io.op == Op::WriteThrough { 65536 } else { 4096 });
        assert!(io.offset + u64::from(io.length) <= 1 << 20);
    }
    let mut own = stream(Pattern::Sequential, 1.0, SizeMix::fixed(4096));
    own.own_cursor = Some(8192);
    let spans = [Span { start: 4096, length: 1 << 20 }];
    let target = Target::AddressSpace { size_bytes: 2 << 20 };
    let job = Job::new(own, Shape::ClosedLoop { depth: 1 }, EngineKind::Null, target);
    let shared = cursors(&job);
    for worker in 0..3 {
        let mut generator = Generator::new(&job, &spans, shared.clone(), worker);
        assert_eq!(
            [generator.next().offset, generator.next().offset],
            [4096 + worker * 8192, 8192 + worker * 8192]
        );
    }
}
