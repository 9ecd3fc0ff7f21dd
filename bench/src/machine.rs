//! What a reader must know about the machine to judge a figure.

use std::fs;

/// Processor, count, kernel and load in one line.
pub(crate) fn describe() -> String {
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = field(&cpus, "model name").unwrap_or_else(|| "unknown processor".to_owned());
    let count = std::thread::available_parallelism().map_or(0, usize::from);
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{model}, {count} CPUs, Linux {}, {}", kernel.trim(), load())
}

/// Load average over the last minute: above 1 means that something else was running.
pub(crate) fn load() -> String {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    format!("load {}", load.split_whitespace().next().unwrap_or("unknown"))
}

/// Seconds for which CPUs were busy with anything since the machine started, all CPUs together; 0 where that is unknown.
pub(crate) fn busy_s() -> f64 {
    /// Unit of /proc/stat (USER_HZ).
    const TICKS_PER_S: f64 = 100.0;
    let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
    let line = stat.lines().next().unwrap_or_default();
    let ticks: Vec<f64> = line.split_whitespace().skip(1).filter_map(|field| field.parse().ok()).collect();
    // user nice system IDLE IOWAIT irq softirq steal
    [0, 1, 2, 5, 6, 7].into_iter().filter_map(|index| ticks.get(index)).sum::<f64>() / TICKS_PER_S
}

fn field(text: &str, key: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(key))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_names_a_kernel_and_a_load() {
        let text = describe();
        assert!(text.contains("Linux ") && text.contains("load "), "{text}");
        assert_eq!(field("a : x\nmodel name\t: Z80\n", "model name").as_deref(), Some("Z80"));
    }
}
