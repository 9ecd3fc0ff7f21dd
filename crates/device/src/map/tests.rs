use super::*;

fn map() -> ReadMap {
    ReadMap {
        reads_per_s: vec![0.0, 1000.0, 2000.0],
        write_bytes_per_s: vec![0.0, 1e8],
        p50_ns: vec![1e5, 1e5, 4e5, 2e5, f64::NAN, f64::NAN],
        p95_ns: vec![2e5, 2e5, 8e5, 2e5, f64::NAN, f64::NAN],
    }
}

/// Latencies of reads at a steady rate beside writes, sorted, after the rates have settled.
fn latencies(map: &ReadMap, reads_per_s: u64, written_per_s: u64) -> Vec<u64> {
    let mut loaded = Loaded::new(map);
    let mut random = ground::Random::new(1);
    let (mut latencies, mut next_write) = (Vec::new(), 0);
    for read in 0..20_000u64 {
        let now_ns = read * 1_000_000_000 / reads_per_s;
        while written_per_s > 0 && next_write <= now_ns {
            loaded.write(next_write, 131_072);
            next_write += 131_072 * 1_000_000_000 / written_per_s;
        }
        let latency_ns = loaded.read(now_ns, random.next_u64());
        if read >= 10_000 {
            latencies.push(latency_ns);
        }
    }
    latencies.sort_unstable();
    latencies
}

fn near(got: u64, wanted: f64, tolerance: f64) -> bool {
    (got as f64 / wanted - 1.0).abs() < tolerance
}

#[test]
fn reads_have_the_quantiles_of_their_place() {
    for (reads, written, p50, p95) in [
        (1000, 0, 1e5, 2e5),
        (2000, 0, 4e5, 8e5),
        // Half way, the logarithms are half way.
        (1500, 0, 2e5, 4e5),
        // Beyond the map its edge counts.
        (4000, 0, 4e5, 8e5),
        // Unknown points have the latency of the slower neighbour.
        (2000, 100_000_000, 4e5, 8e5),
    ] {
        let sorted = latencies(&map(), reads, written);
        let quantile = |q: f64| sorted[((sorted.len() - 1) as f64 * q) as usize];
        assert!(near(quantile(0.5), p50, 0.04), "{reads}, {written}: p50 {}", quantile(0.5));
        assert!(near(quantile(0.95), p95, 0.06), "{reads}, {written}: p95 {}", quantile(0.95));
    }
}

#[test]
fn maps_that_cannot_be_are_unsound() {
    assert!(map().is_sound());
    let spoilt: [fn(&mut ReadMap); 9] = [
        |map| map.p50_ns[0] = -1e5,
        |map| map.reads_per_s = vec![0.0],
        |map| map.reads_per_s[1] = 3000.0,
        |map| map.write_bytes_per_s[0] = f64::NAN,
        |map| map.p50_ns.truncate(5),
        |map| map.p95_ns[0] = 1e4,
        |map| map.p95_ns[0] = f64::NAN,
        |map| map.p50_ns[0] = 0.0,
        |map| map.p50_ns.fill(f64::NAN),
    ];
    for (case, spoil) in spoilt.into_iter().enumerate() {
        let mut map = map();
        spoil(&mut map);
        assert!(!map.is_sound(), "case {case}");
    }
}

#[test]
fn a_place_on_an_uneven_axis_is_found() {
    let axis = Axis::new(&[0.0, 1.0, 10.0, 100.0]);
    for (value, place) in
        [(-1.0, (0, 0.0)), (0.5, (0, 0.5)), (1.0, (1, 0.0)), (55.0, (2, 0.5)), (1e9, (2, 1.0))]
    {
        assert_eq!(axis.place(value), place, "{value}");
    }
    assert_eq!(Axis::new(&[5.0]).place(9.0), (0, 0.0));
}
