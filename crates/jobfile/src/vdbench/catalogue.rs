//! Every keyword of vdbench that workloads on files and devices use, and its treatment here.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use tomlfile::Words;

use crate::source::Handling::{self, Noted, Refused, Silent, Used};

/// The kind of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DefinitionKind {
    General,
    Host,
    Storage,
    Work,
    Run,
    FileSystem,
    FileWork,
    Replay,
}

/// First keywords that tell a vdbench file from others.
pub(crate) const DEFINITIONS: [&str; 8] = ["sd", "wd", "rd", "fsd", "fwd", "hd", "rg", "compratio"];

const ONE_HOST: &str = "all I/O comes from this host";
const DATA: &str =
    "blocks carry drivetrain's own offset, generation and checksum, and are verified at the end of the run";
const COMMAND: &str = "drivetrain runs no commands of a parameter file";

type Entry = (&'static str, Handling);

#[rustfmt::skip]
const GENERAL: &[Entry] = &[
    ("compratio", Used), ("compression", Used), ("dedupratio", Used), ("validate", Used), ("journal", Used),
    ("dedupunit", Silent), ("dedupsets", Silent), ("deduphotsets", Silent), ("dedupflipflop", Silent), ("dedupacross", Silent),
    ("dedupseed", Silent), ("dedup", Used), ("debug", Silent), ("data_errors", Silent), ("messagescan", Silent), ("message", Silent),
    ("report", Silent), ("histogram", Silent), ("monitor", Silent), ("timeout", Silent), ("port", Silent), ("patterns", Noted(DATA)),
    ("pattern", Noted(DATA)), ("abort_failed_skew", Silent), ("formatsds", Silent), ("formatxfersize", Silent),
    ("create_anchors", Silent), ("concatenate", Refused("SDs that are put together to one are not supported")),
    ("concatenatesds", Refused("SDs that are put together to one are not supported")),
    ("startcmd", Refused(COMMAND)), ("endcmd", Refused(COMMAND)), ("start_cmd", Refused(COMMAND)), ("end_cmd", Refused(COMMAND)),
    ("loop", Noted("`design.repeats` says how often everything is run")), ("swat", Silent), ("ios_per_jvm", Silent),
    ("showlba", Silent), ("force_error_after", Silent), ("pacing", Silent), ("psrset", Silent), ("misc", Silent),
    ("include", Used), ("fwd_thread_adjust", Silent), ("report_run_totals", Silent), ("warmup", Silent), ("time", Silent),
];

#[rustfmt::skip]
const STORAGE: &[Entry] = &[
    ("sd", Used), ("lun", Used), ("size", Used), ("threads", Used), ("openflags", Used), ("range", Used), ("hitarea", Used),
    ("offset", Used), ("align", Used), ("count", Used), ("journal", Used), ("validate", Used), ("compratio", Used), ("dedupratio", Used),
    ("host", Noted(ONE_HOST)), ("hd", Noted(ONE_HOST)), ("hosts", Noted(ONE_HOST)), ("instance", Silent), ("stripe", Silent),
    ("replay", Refused("traces are replayed by `drivetrain replay TRACE TARGET`")), ("resetbus", Refused("resets are not supported")),
    ("resetlun", Refused("resets are not supported")), ("streams", Used), ("dedup", Used), ("dedupunit", Silent), ("dedupsets", Silent),
    ("scsi_lun_reset", Refused("resets are not supported")), ("scsi_bus_reset", Refused("resets are not supported")),
    ("tape", Refused("tapes are not supported")),
];

#[rustfmt::skip]
const WORK: &[Entry] = &[
    ("wd", Used), ("sd", Used), ("xfersize", Used), ("rdpct", Used), ("readpct", Used), ("seekpct", Used), ("skew", Used), ("rhpct", Used),
    ("whpct", Used), ("range", Used), ("stride", Used), ("streams", Used), ("iorate", Used), ("threads", Used), ("openflags", Used),
    ("hitarea", Used), ("priority", Silent), ("host", Noted(ONE_HOST)), ("hd", Noted(ONE_HOST)), ("hosts", Noted(ONE_HOST)),
    ("hotband", Used), ("writepct", Used), ("user", Refused("workloads that are written in Java are not supported")),
    ("sdcount", Silent), ("endcmd", Refused(COMMAND)), ("startcmd", Refused(COMMAND)),
];

const TREES: &str = "files of changing number or size are not supported: write a run for each";
const DIRECTORIES: &str = "operations on directories, names and attributes are not supported";

#[rustfmt::skip]
const FILE_SYSTEM: &[Entry] = &[
    ("fsd", Used), ("anchor", Used), ("depth", Used), ("width", Used), ("files", Used), ("size", Used), ("totalsize", Used),
    ("distribution", Used), ("openflags", Used), ("count", Used), ("journal", Used), ("validate", Used), ("compratio", Used),
    ("dedupratio", Used), ("shared", Silent), ("mask", Silent), ("cleanup", Silent), ("log", Silent), ("dedupunit", Silent),
    ("dedupsets", Silent), ("host", Noted(ONE_HOST)), ("hd", Noted(ONE_HOST)), ("hosts", Noted(ONE_HOST)),
    ("workingsetsize", Refused("a working set that is smaller than the files is not supported: use fewer files")),
    ("wss", Refused("a working set that is smaller than the files is not supported: use fewer files")),
    ("streams", Refused("streams within files are not supported: use one fwd for each")),
];

#[rustfmt::skip]
const FILE_WORK: &[Entry] = &[
    ("fwd", Used), ("fsd", Used), ("operation", Used), ("operations", Used), ("fileio", Used), ("fileselect", Used), ("xfersize", Used),
    ("rdpct", Used), ("readpct", Used), ("skew", Used), ("threads", Used), ("openflags", Used), ("host", Noted(ONE_HOST)), ("hd", Noted(ONE_HOST)),
    ("hosts", Noted(ONE_HOST)), ("stopafter", Noted("a file is left when it has been gone over once")), ("target", Refused(DIRECTORIES)),
    ("dircount", Refused(DIRECTORIES)), ("priority", Silent), ("startcmd", Refused(COMMAND)), ("endcmd", Refused(COMMAND)),
];

#[rustfmt::skip]
const RUN: &[Entry] = &[
    ("rd", Used), ("wd", Used), ("sd", Used), ("iorate", Used), ("curve", Used), ("elapsed", Used), ("interval", Used), ("warmup", Used),
    ("distribution", Used), ("threads", Used), ("forthreads", Used), ("xfersize", Used), ("forxfersize", Used), ("rdpct", Used),
    ("readpct", Used), ("forrdpct", Used), ("seekpct", Used), ("forseekpct", Used), ("rhpct", Used), ("forrhpct", Used), ("whpct", Used),
    ("forwhpct", Used), ("hitarea", Used), ("forhitarea", Used), ("openflags", Used), ("range", Used), ("maxdata", Used), ("streams", Used),
    ("skew", Silent), ("compratio", Used), ("dedupratio", Used), ("forcompratio", Refused("a sweep over compression is not supported")),
    ("fordedupratio", Refused("a sweep over duplicates is not supported")),
    ("pause", Noted("there is no pause between runs: every cell begins after the last one has ended")),
    ("stopcurve", Noted("the curve is run to its end")), ("report", Silent), ("histogram", Silent), ("replay", Refused("traces are replayed by `drivetrain replay TRACE TARGET`")),
    ("startcmd", Refused(COMMAND)), ("endcmd", Refused(COMMAND)), ("start_cmd", Refused(COMMAND)), ("end_cmd", Refused(COMMAND)),
    ("format", Used), ("fwd", Used), ("operation", Used), ("operations", Used), ("foroperations", Used), ("fileio", Used),
    ("fileselect", Used), ("fsd", Noted("the files are those of the fwd")),
    ("fordepth", Refused(TREES)), ("forwidth", Refused(TREES)), ("forfiles", Refused(TREES)), ("forsize", Refused(TREES)),
    ("forfilesize", Refused(TREES)), ("forwss", Refused(TREES)), ("stopafter", Noted("a file is left when it has been gone over once")), ("hosts", Noted(ONE_HOST)), ("host", Noted(ONE_HOST)),
    ("abort_failed_skew", Silent), ("monitor", Silent), ("stride", Used), ("journal", Used), ("validate", Used),
];

/// The kind of definition that this keyword begins.
pub(super) fn kind(key: &str) -> DefinitionKind {
    match key {
        "hd" => DefinitionKind::Host,
        "sd" => DefinitionKind::Storage,
        "wd" => DefinitionKind::Work,
        "rd" => DefinitionKind::Run,
        "fsd" => DefinitionKind::FileSystem,
        "fwd" => DefinitionKind::FileWork,
        "rg" => DefinitionKind::Replay,
        _ => DefinitionKind::General,
    }
}

fn table(kind: DefinitionKind) -> &'static [Entry] {
    match kind {
        DefinitionKind::Storage => STORAGE,
        DefinitionKind::Work => WORK,
        DefinitionKind::Run => RUN,
        DefinitionKind::FileSystem => FILE_SYSTEM,
        DefinitionKind::FileWork => FILE_WORK,
        _ => GENERAL,
    }
}

/// The keywords of every kind, for a search of similar ones.
static WORDS: LazyLock<BTreeMap<DefinitionKind, Words<'static>>> = LazyLock::new(|| {
    let kinds = DEFINITIONS.iter().map(|first| kind(first));
    kinds.map(|kind| (kind, Words::of(table(kind).iter().map(|(name, _)| *name)))).collect()
});

/// The keyword that is meant: written out, or shortened to a beginning that only it has. With another one's
/// name for it replaced.
///
/// # Errors
/// The remedy for an unknown one.
pub(super) fn find(kind: DefinitionKind, key: &str) -> Result<Entry, String> {
    let table = table(kind);
    let key = match key {
        "openflag" => "openflags",
        "thread" => "threads",
        "readpct" => "rdpct",
        "wrpct" => "writepct",
        "xfersizes" => "xfersize",
        "forxfersizes" => "forxfersize",
        "sizes" if kind == DefinitionKind::FileSystem => "size",
        "fwdrate" if kind == DefinitionKind::Run => "iorate",
        "host" | "hd" if kind == DefinitionKind::Run => "hosts",
        "compression" => "compratio",
        other => other,
    };
    if let Some(found) = table.iter().find(|(name, _)| *name == key) {
        return Ok(*found);
    }
    let beginning: Vec<&Entry> =
        table.iter().filter(|(name, _)| key.len() >= 2 && name.starts_with(key)).collect();
    match beginning.as_slice() {
        [only] => Ok(**only),
        [first, rest @ ..] if rest.iter().all(|(name, _)| name == &first.0) => Ok(**first),
        [first, second, ..] => {
            Err(format!("it may be short for `{}` or `{}`: write it out", first.0, second.0))
        }
        [] => {
            let near = WORDS.get(&kind).and_then(|words| words.nearest(key));
            Err(near.map_or_else(
                || "remove it, or correct it after vdbench's manual".to_owned(),
                |name| format!("did you mean `{name}`?"),
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_may_be_shortened() {
        assert_eq!(find(DefinitionKind::Run, "el").map(|e| e.0), Ok("elapsed"));
        assert_eq!(find(DefinitionKind::Run, "in").map(|e| e.0), Ok("interval"));
        assert_eq!(find(DefinitionKind::Work, "xf").map(|e| e.0), Ok("xfersize"));
        assert!(find(DefinitionKind::Run, "for").is_err_and(|help| help.contains("write it out")));
        assert!(find(DefinitionKind::Work, "xfresize").is_err_and(|help| help.contains("`xfersize`")));
    }
}
