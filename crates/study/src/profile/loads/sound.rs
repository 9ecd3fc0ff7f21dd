//! Numbers that noise has put into contradiction are brought together, so that every fit is a possible drive.

use device::DriveSpec;

/// Longest latency of a drive, ns: a minute.
const TIME_MAX_NS: u64 = 60_000_000_000;

/// Makes the drive a possible one; a good one stays as it is.
pub(super) fn make(spec: &mut DriveSpec) {
    let least_per_s = |per_s: f64| if per_s.is_nan() { f64::INFINITY } else { per_s.max(1.0) };
    spec.read_bandwidth_bytes_per_s = least_per_s(spec.read_bandwidth_bytes_per_s).max(4096.0);
    spec.write_bandwidth_bytes_per_s = least_per_s(spec.write_bandwidth_bytes_per_s).max(8192.0);
    let mut least_ns = 1;
    for point in &mut spec.read_latency {
        let transfer_ns = (point.size_bytes as f64 / spec.read_bandwidth_bytes_per_s * 1e9).ceil() as u64;
        point.latency_ns = point.latency_ns.max(transfer_ns).max(least_ns).min(TIME_MAX_NS);
        least_ns = point.latency_ns;
    }
    let latency_ns = spec.read_latency_ns(4096);
    spec.read_4k_per_s = least_per_s(spec.read_4k_per_s).max(1e9 / latency_ns);
    let most_units = (latency_ns * spec.read_4k_per_s / 1e9).clamp(1.0, 65_536.0).floor() as u32;
    spec.read_units = spec.read_units.clamp(1, most_units);
    spec.read_8k_per_s = spec.read_8k_per_s.map(|per_s| {
        let slowest = f64::from(spec.read_units) / spec.read_latency_ns(8192) * 1e9;
        per_s.max(slowest).clamp(1.0, spec.read_4k_per_s)
    });
    spec.sequential_read_ns = spec.sequential_read_ns.map(|ns| ns.min(latency_ns as u64));
    spec.write_4k_per_s = least_per_s(spec.write_4k_per_s).min(spec.write_bandwidth_bytes_per_s / 4096.0);
    let most = spec.write_4k_per_s.min(spec.write_bandwidth_bytes_per_s / 8192.0);
    spec.write_8k_per_s = least_per_s(spec.write_8k_per_s).min(most);
    let transfer_ns = 4096.0 / spec.write_bandwidth_bytes_per_s * 1e9;
    spec.write_ack_ns = spec.write_ack_ns.max(transfer_ns.ceil() as u64).min(TIME_MAX_NS);
    spec.flush_ns = spec.flush_ns.min(TIME_MAX_NS);
    spec.write_buffer_bytes = spec.write_buffer_bytes.min(1 << 40);
}
