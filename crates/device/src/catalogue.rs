//! Drives with the source of every number, and the file format that a user's own drive is written in.
//!
//! A drive file is TOML. Every key names its unit, and every value is a number or, with where it comes from,
//! `{ value = 98_000, source = "datasheet", guess = true }`:
//!
//! ```
//! let text = r#"
//! [drive]
//! name = "my-sata"
//! capacity_gb = 960
//! [link]
//! duplex = "half"
//! queue_limit = 32
//! read_bandwidth_mb_per_s = 550
//! write_bandwidth_mb_per_s = 520
//! [read]
//! latency_4k_us = { value = 120, source = "measured at depth 1" }
//! rate_4k_per_s = 95_000
//! rate_depth = 32 # the depth at which that rate is reached; without it the rate is the limit
//! [write]
//! ack_us = 45
//! rate_4k_per_s = 30_000 # steady state, not fresh out of the box
//! [flush]
//! power_loss_protection = true
//! "#;
//! let entry = device::catalogue::parse(text, "my-sata.toml")?;
//! assert_eq!(entry.spec.write_ack_ns, 45_000);
//! # Ok::<(), tomlfile::Diagnostics>(())
//! ```
//!
//! A missing quantity has a default, which the entry's facts show as a guess.

mod assemble;
mod document;
mod limits;
mod map;
pub(crate) mod quantities;
mod volume;

use std::sync::{LazyLock, OnceLock};

use tomlfile::{Diagnostics, nearest};

use crate::DriveSpec;

pub use volume::{is_volume, spelled, volume};

/// The bytes that a drive or volume can hold: a page at least, and at most more than any has.
pub const CAPACITY_BYTES: std::ops::RangeInclusive<u64> = 4096..=1_000_000_000_000_000_000;

/// Maker or interface of a drive whose file does not have it.
pub const NOT_STATED: &str = "not stated";

/// One drive of the catalogue, or of a user's file.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Name by which experiments refer to it.
    pub name: String,
    /// Name for people.
    pub title: String,
    /// The maker.
    pub maker: String,
    /// The interface, such as `NVMe, PCIe 3.0 x4`.
    pub interface: String,
    /// Usable bytes.
    pub capacity_bytes: u64,
    /// Bytes that the maker warrants may be written over the drive's life, where known.
    pub endurance_bytes_written: Option<u64>,
    /// Every number as the file has it, with its source, in the order of the file; then the defaults of the
    /// missing ones.
    pub facts: Vec<Fact>,
    /// The numbers for the model.
    pub spec: DriveSpec,
    /// A mark of the numbers and of the defaults of missing ones, as 16 hexadecimal digits. Their order,
    /// units, spelling, sources and intervals do not count, and digits beyond the ninth neither.
    pub numbers_mark: String,
    /// The known error of the model, where the drive was fitted.
    pub accuracy: Option<Accuracy>,
}

/// The number of a drive model's numbers, and of those that are not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reliability {
    /// All numbers and words of the model. What the drive is called and how large it is are none.
    pub numbers: usize,
    /// Those that are guesses.
    pub guesses: usize,
    /// Those that the data did not say.
    pub open: usize,
}

impl Entry {
    /// The reliability of the numbers of the model.
    #[must_use]
    pub fn reliability(&self) -> Reliability {
        let of_model = || self.facts.iter().filter(|fact| !fact.key.starts_with("drive."));
        Reliability {
            numbers: of_model().count(),
            guesses: of_model().filter(|fact| fact.guess).count(),
            open: of_model().filter(|fact| !fact.is_identified).count(),
        }
    }

    /// The certificate of the model beside the drive itself, where the file has one.
    #[must_use]
    pub fn certificate(&self) -> Option<&str> {
        let circumstances = &self.accuracy.as_ref()?.circumstances;
        circumstances.iter().find(|(key, _)| *key == "certificate").map(|(_, words)| words.as_str())
    }

    /// True if the certificate was measured with the numbers that the file has now, false for others; `None`
    /// without a certificate, and for one that does not say its numbers.
    #[must_use]
    pub fn is_certificate_of_these(&self) -> Option<bool> {
        let marked = self.accuracy.as_ref()?.certified_numbers.as_ref()?;
        let numbers = marked.split('-').next()?;
        self.certificate().map(|_| numbers.eq_ignore_ascii_case(&self.numbers_mark))
    }

    /// True if the text of the certificate is the one that was written with it, false if somebody edited it;
    /// `None` without a certificate, and for one that bears no mark of its text.
    #[must_use]
    pub fn is_certificate_as_written(&self) -> Option<bool> {
        let (_, text) = self.accuracy.as_ref()?.certified_numbers.as_ref()?.split_once('-')?;
        self.certificate().map(|certificate| text.eq_ignore_ascii_case(&text_mark(certificate)))
    }

    /// The mark for the certificate that the file has: of its numbers and of the certificate's text. It shows
    /// an edit by mistake, and is no signature.
    #[must_use]
    pub fn certificate_mark(&self) -> Option<String> {
        self.certificate().map(|text| format!("{}-{}", self.numbers_mark, text_mark(text)))
    }
}

fn text_mark(text: &str) -> String {
    format!("{:016x}", text.bytes().fold(ground::FNV_START, |hash, b| ground::fnv1a(hash, u64::from(b))))
}

/// One number of a drive and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Its name, by table and key without the unit, such as `read.latency_4k`.
    pub key: String,
    /// The number as written.
    pub value: String,
    /// Its unit, such as `us`; empty for a pure number.
    pub unit: String,
    /// Its source.
    pub source: String,
    /// True for a guess.
    pub guess: bool,
    /// False where the data do not say: the model then takes the value that stands here, which its source
    /// explains.
    pub is_identified: bool,
    /// The interval that the number lies in, in its unit, where one is known.
    pub interval: Option<(String, String)>,
}

impl Fact {
    /// The source, or why the data do not say the number, without the words that mark it as not identified.
    #[must_use]
    pub fn source_alone(&self) -> &str {
        let is_marked = !self.is_identified;
        self.source.strip_prefix("not identified: ").filter(|_| is_marked).unwrap_or(&self.source)
    }
}

/// The error of a drive's model at points that its fit did not see, as its file has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Accuracy {
    /// The data that the drive was fitted to.
    pub from: String,
    /// The way the error was found.
    pub method: String,
    /// Points predicted.
    pub points: u64,
    /// Percent of the median read latency: the median error, and the error that nine in ten points keep.
    pub p50_percent: (f64, f64),
    /// The same of the 95th percentile.
    pub p95_percent: (f64, f64),
    /// The same of the mean, where it was judged.
    pub mean_percent: Option<(f64, f64)>,
    /// The same of the 99th percentile, where it was judged.
    pub p99_percent: Option<(f64, f64)>,
    /// The worst predictions and the circumstances of the measurement as key and words, such as `date`,
    /// `machine` or `preconditioned`.
    pub circumstances: Vec<(&'static str, String)>,
    /// The mark of the numbers that the certificate was measured with, as [`Entry::numbers_mark`], and
    /// after a dash that of its text.
    pub certified_numbers: Option<String>,
}

impl Accuracy {
    /// The figures that were judged, each with its median error and the error that nine in ten points keep,
    /// percent.
    #[must_use]
    pub fn rows(&self) -> Vec<(&'static str, (f64, f64))> {
        let rows = [
            ("mean", self.mean_percent),
            ("p50", Some(self.p50_percent)),
            ("p95", Some(self.p95_percent)),
            ("p99", self.p99_percent),
        ];
        rows.into_iter().filter_map(|(name, percent)| Some((name, percent?))).collect()
    }

    /// The error that nine in ten points of a good model keep, percent.
    pub const GOOD_PERCENT: f64 = 35.0;

    /// The figure whose stated error is largest, and the error that nine in ten points keep, percent; `None`
    /// for a good model. A fit to loads is judged by mean and p99, a fit to a map by its percentiles.
    #[must_use]
    pub fn beyond_good(&self) -> Option<(&'static str, f64)> {
        let is_of_loads = self.mean_percent.is_some() || self.p99_percent.is_some();
        let counts = |name: &str| !is_of_loads || matches!(name, "mean" | "p99");
        let errors = self.rows().into_iter().filter(|(name, _)| counts(name));
        let worst = errors.map(|(name, (_, nine))| (name, nine)).max_by(|a, b| a.1.total_cmp(&b.1));
        worst.filter(|(_, nine)| *nine > Self::GOOD_PERCENT)
    }
}

/// The name of a drive that an experiment names by its file, by its purchase or by the catalogue's name: that
/// of the file or of the kind of volume. Slashes of a purchase, such as `250MiB/s`, are those of no path.
#[must_use]
pub fn short_name(drive: &str) -> &str {
    if is_volume(drive) {
        return drive.split_once(':').map_or(drive, |(kind, _)| kind);
    }
    let name = drive.rsplit('/').next().unwrap_or(drive);
    name.strip_suffix(".toml").unwrap_or(name)
}

/// The drive files of the catalogue, fastest interface first and the drive that costs nothing last.
const FILES: [(&str, &str); 14] = [
    ("kingston-dc1500m-960g.toml", include_str!("../../../catalogue/drives/kingston-dc1500m-960g.toml")),
    ("skhynix-pe6011.toml", include_str!("../../../catalogue/drives/skhynix-pe6011.toml")),
    ("aws-i3-2xlarge.toml", include_str!("../../../catalogue/drives/aws-i3-2xlarge.toml")),
    ("aws-i3en-3xlarge.toml", include_str!("../../../catalogue/drives/aws-i3en-3xlarge.toml")),
    ("aws-im4gn-4xlarge.toml", include_str!("../../../catalogue/drives/aws-im4gn-4xlarge.toml")),
    ("fusionio-iodrive-80.toml", include_str!("../../../catalogue/drives/fusionio-iodrive-80.toml")),
    ("kingston-dc500m-1920g.toml", include_str!("../../../catalogue/drives/kingston-dc500m-1920g.toml")),
    ("micron-5200-eco-1920g.toml", include_str!("../../../catalogue/drives/micron-5200-eco-1920g.toml")),
    ("skhynix-se4011.toml", include_str!("../../../catalogue/drives/skhynix-se4011.toml")),
    (
        "aws-ebs-gp3-1000g-16000iops.toml",
        include_str!("../../../catalogue/drives/aws-ebs-gp3-1000g-16000iops.toml"),
    ),
    ("gcp-pd-ssd-2tb.toml", include_str!("../../../catalogue/drives/gcp-pd-ssd-2tb.toml")),
    ("raid10-10x15k-sas.toml", include_str!("../../../catalogue/drives/raid10-10x15k-sas.toml")),
    ("toshiba-dt01aca200.toml", include_str!("../../../catalogue/drives/toshiba-dt01aca200.toml")),
    ("free.toml", include_str!("../../../catalogue/drives/free.toml")),
];

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let read =
        |(file, text): &(&str, &str)| parse(text, file).expect("a test reads every file of the catalogue");
    FILES.iter().map(read).collect()
});

/// Drives of the user's own catalogue.
static OWN: OnceLock<Vec<Entry>> = OnceLock::new();

/// Adds the drives of the user's own catalogue to those of this process, once: a second call has no effect,
/// and a name of the built-in catalogue stays with its drive.
pub fn add_own(entries: Vec<Entry>) {
    let known = |name: &str| ENTRIES.iter().any(|entry| entry.name == name) || is_volume(name);
    let own = entries.into_iter().filter(|entry| !known(&entry.name)).collect();
    // The first call counts.
    let _ = OWN.set(own);
}

/// The drives that the user has added.
#[must_use]
pub fn own() -> &'static [Entry] {
    OWN.get().map_or(&[], Vec::as_slice)
}

/// All drives of the catalogue: those built in, then the user's own.
pub fn all() -> impl Iterator<Item = &'static Entry> {
    ENTRIES.iter().chain(own())
}

/// Names of all drives of the catalogue.
#[must_use]
pub fn names() -> Vec<&'static str> {
    all().map(|entry| entry.name.as_str()).collect()
}

/// The table of a drive's independent properties: keys, meanings, bounds and defaults, as Markdown.
#[must_use]
pub fn properties() -> String {
    crate::property::table()
}

/// The key of a drive's file without its unit: `read.latency_4k` of `read.latency_4k_us`; `None` for one that
/// no file has.
#[must_use]
pub fn without_unit(key: &str) -> Option<&'static str> {
    let (table, key) = key.split_once('.')?;
    let has = |quantity: &&quantities::Quantity| {
        quantity.table() == table && quantity.spellings().iter().any(|spelling| spelling == key)
    };
    quantities::quantities().find(has).map(|quantity| quantity.name)
}

/// The kinds of cloud volumes with their rules and an example of each: names that need a purchase.
pub fn volume_kinds() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    volume::KINDS.iter().map(|kind| (kind.name, kind.rule, kind.example))
}

/// The drive of that name, or the volume of that name and purchase.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    all().find(|entry| entry.name == name).or_else(|| volume(name)?.ok())
}

/// The name of the catalogue that was probably meant by `name`: one that contains it, or one spelt much like
/// it.
#[must_use]
pub fn suggest(name: &str) -> Option<&'static str> {
    let asked = name.to_lowercase();
    let contains = |known: &&str| asked.len() >= 3 && known.contains(asked.as_str());
    let known = || names().into_iter().chain(volume_kinds().map(|(name, _, _)| name));
    known().find(contains).or_else(|| nearest(&asked, known()))
}

/// Reads a drive file; `file` is its name, for messages.
///
/// # Errors
/// Everything in the file that cannot be, each with its place and what is allowed: TOML that does not parse,
/// unknown keys (with the ones probably meant), keys without their units, missing numbers; of a file without
/// these, an impossible drive.
pub fn parse(text: &str, file: &str) -> Result<Entry, Diagnostics> {
    assemble::entry(document::read(text)).map_err(|faults| Diagnostics::new(file, text, faults))
}

#[cfg(test)]
mod tests;
