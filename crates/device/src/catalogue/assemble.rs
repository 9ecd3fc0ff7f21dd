//! From quantities to a drive: missing quantities, their defaults, and the check that such a drive can exist.

use tomlfile::Fault;

use super::document::{Document, Given};
use super::quantities::{READ_LATENCIES, quantities};
use super::{Accuracy, CAPACITY_BYTES, Entry, Fact, NOT_STATED};
use crate::property::{PROPERTIES, Property};
use crate::spec::{CollectionBurst, DriveSpec, Duplex, ReadLatency, read_limit_from, reads_per_s_at};

/// The default of a number that a file omits, as people write it, and its reason.
struct StandIn {
    name: &'static str,
    written: String,
    unit: &'static str,
    why: &'static str,
}

/// Numbers that a measured map takes the place of, beside the units.
const REPLACED: [&str; 6] = [
    "read.tail_ratio",
    "read.piece",
    "read.slowdown_by_writes",
    "interference.delay",
    "interference.exponent",
    "interference.queued_write_share",
];

/// Median error and the error of nine in ten points, of mean, p50, p95 and p99.
const ERRORS: [[&str; 2]; 4] = [
    ["profile.mean_error_median", "profile.mean_error_nine_in_ten"],
    ["profile.p50_error_median", "profile.p50_error_nine_in_ten"],
    ["profile.p95_error_median", "profile.p95_error_nine_in_ten"],
    ["profile.p99_error_median", "profile.p99_error_nine_in_ten"],
];

/// Keys in which a file tells the worst predictions and the circumstances of its measurement.
const CIRCUMSTANCES: [&str; 9] = [
    "profile.worst",
    "profile.scale",
    "profile.date",
    "profile.machine",
    "profile.preconditioned",
    "profile.filled",
    "profile.beside",
    "profile.pauses",
    "profile.certificate",
];

/// More than any drive is warranted for.
const ENDURANCE_MAX_BYTES: f64 = 1e19;
/// The most characters of a name: it is that of a file as well, with an end, and of beds.
const NAME_MAX: usize = 100;

struct Assembly {
    document: Document,
    defaults: Vec<StandIn>,
}

/// Puts an entry together from the contents of a file.
pub(super) fn entry(document: Result<Document, Vec<Fault>>) -> Result<Entry, Vec<Fault>> {
    let mut assembly = Assembly { document: document?, defaults: Vec::new() };
    let name = assembly.drive_name();
    let capacity_bytes = assembly.required("drive.capacity");
    assembly.sizes();
    let spec = assembly.spec();
    let accuracy = assembly.accuracy();
    let Assembly { mut document, defaults } = assembly;
    let mut impossible = if document.faults().is_empty() { spec.faults() } else { spec.out_of_range() };
    if !document.faults().is_empty() {
        // A number that is missing or cannot be read has a fault of its own.
        impossible.retain(|error| document.number(&error.quantity).is_some());
    }
    for error in impossible {
        let problem = format!("{}: {}", error.quantity, error.problem);
        document.fault_at(&error.quantity, problem, error.allowed.as_str());
    }
    if !document.faults().is_empty() {
        return Err(document.into_faults());
    }
    let text = |key: &str, or: &str| document.text(key).unwrap_or(or).to_owned();
    Ok(Entry {
        title: text("drive.title", &name),
        maker: text("drive.maker", NOT_STATED),
        interface: text("drive.interface", NOT_STATED),
        capacity_bytes: capacity_bytes as u64,
        endurance_bytes_written: document.number("drive.endurance").map(|bytes| bytes as u64),
        facts: facts(&document, &defaults),
        numbers_mark: numbers_mark(&document, &defaults),
        spec,
        accuracy,
        name,
    })
}

fn facts(document: &Document, defaults: &[StandIn]) -> Vec<Fact> {
    let given = document.given.iter().filter(|given| is_number(given)).map(Given::fact);
    let map = document.map.iter().map(super::map::Given::fact);
    let stand_ins = defaults.iter().map(|default| Fact {
        key: default.name.to_owned(),
        value: default.written.clone(),
        unit: default.unit.to_owned(),
        source: format!("default: {}", default.why),
        guess: true,
        is_identified: true,
        interval: None,
    });
    given.chain(map).chain(stand_ins).collect()
}

/// False for names of the drive and for what is known of its model.
fn is_number(given: &Given) -> bool {
    let names = ["drive.name", "drive.title", "drive.maker", "drive.interface"];
    !names.contains(&given.key()) && !given.key().starts_with("profile.")
}

/// A mark that another value of any number changes.
fn numbers_mark(document: &Document, defaults: &[StandIn]) -> String {
    let given = document.given.iter().filter(|given| is_number(given));
    let given = given.map(|given| format!("{}={}\n", given.key(), given.canonical()));
    let map = document.map.iter().map(|map| format!("map={}\n", map.fact().value));
    let defaults = defaults.iter().map(|default| format!("{}={}\n", default.name, default.written));
    let mut lines: Vec<String> = given.chain(map).chain(defaults).collect();
    lines.sort_unstable();
    let hashed = |hash, line: &String| line.bytes().fold(hash, |hash, b| ground::fnv1a(hash, u64::from(b)));
    format!("{:016x}", lines.iter().fold(ground::FNV_START, hashed))
}

impl Assembly {
    fn drive_name(&mut self) -> String {
        let Some(name) = self.document.text("drive.name").map(str::to_owned) else {
            let allowed = "write [drive] and name = \"my-drive\" below it";
            self.document.missing("drive.name", "the drive has no name", allowed);
            return String::new();
        };
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.' | '_');
        if !name.chars().all(plain) {
            let allowed = "use small letters, digits, `-`, `.` and `_`; the name for people is `title`";
            self.document.fault_at("drive.name", format!("\"{name}\" cannot be a name"), allowed);
        }
        let length = name.chars().count();
        if length > NAME_MAX {
            let problem = format!("a name of {length} characters is too long");
            self.document.fault_at("drive.name", problem, format!("give at most {NAME_MAX} characters"));
        }
        name
    }

    /// The bounds of capacity and endurance.
    fn sizes(&mut self) {
        let bytes = |document: &Document, name| document.number(name).unwrap_or(4096.0);
        if bytes(&self.document, "drive.capacity") < *CAPACITY_BYTES.start() as f64 {
            let allowed = "give its usable size, such as capacity_gb = 960";
            self.document.fault_at("drive.capacity", "the drive holds nothing", allowed);
        }
        let most = [
            (
                "drive.capacity",
                *CAPACITY_BYTES.end() as f64,
                "at most 1 EB, which is capacity_gb = 1_000_000_000",
            ),
            ("drive.endurance", ENDURANCE_MAX_BYTES, "at most 10 EB, which is endurance_tb = 10_000_000"),
        ];
        for (name, most, allowed) in most {
            if bytes(&self.document, name) > most {
                let problem = format!("{name}: {} is out of range", self.document.written(name));
                self.document.fault_at(name, problem, format!("give {allowed}"));
            }
        }
    }

    /// A number that must be there; not a number where it is not, which has been reported.
    fn required(&mut self, name: &'static str) -> f64 {
        let number = self.document.number(name);
        if number.is_none() {
            self.missing(name);
        }
        number.unwrap_or(f64::NAN)
    }

    fn missing(&mut self, name: &'static str) {
        let quantity = quantities().find(|quantity| quantity.name == name);
        let spellings = quantity.map(|quantity| quantity.spellings().join(" or ")).unwrap_or_default();
        let table = quantity.map_or("", |quantity| quantity.table());
        let allowed = format!("add {spellings} below [{table}]");
        self.document.missing(name, format!("`{name}` is missing"), allowed);
    }

    /// The value in the file, or else the default, which is recorded. `written` and `unit` are for people.
    fn or(
        &mut self,
        name: &'static str,
        number: f64,
        written: (String, &'static str),
        why: &'static str,
    ) -> f64 {
        if let Some(given) = self.document.number(name) {
            return given;
        }
        self.defaults.push(StandIn { name, written: written.0, unit: written.1, why });
        number
    }

    fn spec(&mut self) -> DriveSpec {
        let points = READ_LATENCIES.iter().filter_map(|(name, size_bytes)| {
            let latency_ns = self.document.number(name)? as u64;
            Some(ReadLatency { size_bytes: *size_bytes, latency_ns })
        });
        let read_latency: Vec<ReadLatency> = points.collect();
        let latency_ns = self.required("read.latency_4k");
        let read_bandwidth = self.required("link.read_bandwidth");
        let mut spec = DriveSpec {
            read_latency,
            duplex: self.duplex(),
            queue_limit: whole(self.required("link.queue_limit")),
            read_bandwidth_bytes_per_s: read_bandwidth,
            write_bandwidth_bytes_per_s: self.required("link.write_bandwidth"),
            ..DriveSpec::free()
        };
        self.reads(&mut spec, latency_ns);
        self.writes(&mut spec);
        self.flush(&mut spec);
        spec.limits = super::limits::buckets(&mut self.document);
        for property in PROPERTIES {
            self.property(&mut spec, property);
        }
        spec.read_map = self.document.map.as_ref().map(|given| given.map.clone());
        spec
    }

    fn property(&mut self, spec: &mut DriveSpec, property: &'static Property) {
        let name = property.quantity.name;
        if self.document.map.is_some() && REPLACED.contains(&name) {
            return self.replaced(name);
        }
        let given = match &property.default {
            Some(default) => {
                let written = (default.written.to_owned(), default.unit);
                Some(self.or(name, default.value, written, default.why))
            }
            None => self.document.number(name),
        };
        if let Some(value) = given {
            property.set(spec, value);
        }
    }

    /// A number that the map takes the place of.
    fn replaced(&mut self, name: &'static str) {
        if self.document.number(name).is_some() {
            let problem = format!("`{name}` has no effect beside [map]");
            self.document.fault_at(name, problem, "leave it out, or leave [map] out");
        }
    }

    /// The table `[profile]`: whole or not there. Errors of mean and p99 and the circumstances may be left
    /// out.
    fn accuracy(&mut self) -> Option<Accuracy> {
        let needed = ["profile.from", "profile.method", "profile.points"];
        let has = |document: &Document, name: &str| document.text(name).is_some();
        let is_there =
            quantities().any(|quantity| quantity.table() == "profile" && has(&self.document, quantity.name));
        if !is_there {
            return None;
        }
        for name in needed.into_iter().chain(ERRORS[1]).chain(ERRORS[2]) {
            if !has(&self.document, name) {
                self.missing(name);
            }
        }
        for [median, nine] in [ERRORS[0], ERRORS[3]] {
            match (has(&self.document, median), has(&self.document, nine)) {
                (true, false) => self.missing(nine),
                (false, true) => self.missing(median),
                _ => {}
            }
        }
        let percent = |names: [&'static str; 2]| {
            let [median, nine] = names.map(|name| self.document.number(name));
            median.zip(nine)
        };
        let [mean_percent, p50, p95, p99_percent] = ERRORS.map(percent);
        for (names, percent) in ERRORS.iter().zip([mean_percent, p50, p95, p99_percent]) {
            if percent.is_some_and(|(median, nine)| median > nine) {
                let problem = "the median error is larger than that of nine in ten points";
                self.document.fault_at(names[0], problem, "give the errors of the same points");
                return None;
            }
        }
        let text = |name: &str| self.document.text(name).unwrap_or_default().to_owned();
        let circumstance = |name: &'static str| {
            let key = name.split_once('.').map_or(name, |(_, key)| key);
            self.document.text(name).map(|words| (key, words.to_owned()))
        };
        Some(Accuracy {
            from: text(needed[0]),
            method: text(needed[1]),
            points: self.document.number(needed[2]).unwrap_or(0.0) as u64,
            p50_percent: p50.unwrap_or_default(),
            p95_percent: p95.unwrap_or_default(),
            mean_percent,
            p99_percent,
            circumstances: CIRCUMSTANCES.into_iter().filter_map(circumstance).collect(),
            certified_numbers: self.document.text("profile.certified_numbers").map(str::to_owned),
        })
    }

    fn duplex(&mut self) -> Duplex {
        match self.document.text("link.duplex") {
            Some("half") => Duplex::Half,
            Some("full") => Duplex::Full,
            Some(other) => {
                let problem = format!("\"{other}\" is no kind of link");
                let allowed = "give \"half\" (SATA) or \"full\" (PCIe, SAS)";
                self.document.fault_at("link.duplex", problem, allowed);
                Duplex::Full
            }
            None => {
                self.missing("link.duplex");
                Duplex::Full
            }
        }
    }

    fn reads(&mut self, spec: &mut DriveSpec, latency_ns: f64) {
        let rate_4k = self.required("read.rate_4k");
        // Six tenths of the latency in the unit leaves the rest to controller and interface.
        let likely = if rate_4k.is_finite() {
            (0.6 * latency_ns * rate_4k / 1e9).floor().clamp(1.0, 65_536.0)
        } else {
            1.0
        };
        let why = "as many as keep one read 60 % of its latency";
        if self.document.map.is_some() {
            self.replaced("read.units");
            spec.read_units = 1;
        } else {
            spec.read_units = whole(self.or("read.units", likely, (likely.to_string(), ""), why));
        }
        spec.read_4k_per_s = self.read_limit("read.rate_4k", rate_4k, spec, latency_ns);
        if let Some(rate_8k) = self.document.number("read.rate_8k") {
            // Without any latency, which has been reported, there is none for 8 KiB.
            let latency_8k_ns = if latency_ns.is_nan() { latency_ns } else { spec.read_latency_ns(8192) };
            spec.read_8k_per_s = Some(self.read_limit("read.rate_8k", rate_8k, spec, latency_8k_ns));
        }
    }

    /// The limit at unbounded depth that gives the rate at `read.rate_depth`; without that depth the rate
    /// itself.
    fn read_limit(&mut self, name: &str, rate: f64, spec: &DriveSpec, latency_ns: f64) -> f64 {
        let Some(depth) = self.document.number("read.rate_depth") else { return rate };
        if rate.is_nan() || latency_ns.is_nan() || rate.is_infinite() || rate < 1.0 {
            return rate;
        }
        if depth < 1.0 {
            self.document.fault_at("read.rate_depth", "nothing is read at depth 0", "give 1 or more");
            return rate;
        }
        // More than the drive takes at once waits at the host and adds nothing.
        let depth = whole(depth).min(spec.queue_limit);
        if depth == 0 {
            // The queue limit is at fault and refused with the other impossible numbers.
            return rate;
        }
        if let Some(limit) = read_limit_from(rate, depth, spec.read_units, latency_ns) {
            return limit;
        }
        let most = reads_per_s_at(depth, spec.read_units, f64::INFINITY, latency_ns);
        let least =
            reads_per_s_at(depth, spec.read_units, f64::from(spec.read_units) / latency_ns * 1e9, latency_ns);
        let problem = format!(
            "{rate} reads/s at depth {depth} cannot be: with {latency_ns:.0} ns at depth 1 and {} units it is {least:.0} to {most:.0}",
            spec.read_units
        );
        let allowed = "change the rate, read.rate_depth, read.units or the latency";
        self.document.fault_at(name, problem, allowed);
        rate
    }

    fn writes(&mut self, spec: &mut DriveSpec) {
        spec.write_ack_ns = self.required("write.ack") as u64;
        spec.write_4k_per_s = self.required("write.rate_4k");
        let half = spec.write_4k_per_s / 2.0;
        spec.write_8k_per_s =
            self.or("write.rate_8k", half, (half.to_string(), "1/s"), "half the 4 KiB rate: the same bytes");
        let every = self.document.number("write.burst_every");
        let length = self.document.number("write.burst_length");
        match (every, length) {
            (Some(_), None) => self.missing("write.burst_length"),
            (None, Some(_)) => self.missing("write.burst_every"),
            _ => {}
        }
        let burst = |(every, length): (f64, f64)| CollectionBurst {
            every_bytes: every as u64,
            length_ns: length as u64,
        };
        spec.collection_burst = every.zip(length).map(burst);
    }

    fn flush(&mut self, spec: &mut DriveSpec) {
        let name = "flush.power_loss_protection";
        let Some(protected) = self.document.flag(name) else { return self.missing(name) };
        spec.power_loss_protection = protected;
        spec.flush_ns = match protected {
            true => self.document.number("flush.cost").unwrap_or(0.0) as u64,
            false => self.required("flush.cost") as u64,
        };
    }
}

/// A count from a number that the document has already checked to be whole and not negative.
fn whole(number: f64) -> u32 {
    number as u32
}
