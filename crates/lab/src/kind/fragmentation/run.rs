//! One cell of fragmentation: the same table in one piece or in many, and cold scans of it.

use std::path::PathBuf;
use words::{EventKind, FileSystem, Happening, Metric, PhaseName, Reason, Reasons, Step};

use database::image::Image;
use database::{Instance, InstanceSpec};
use experiment::{Fragmentation, Size};
use host::Extents;
use notebook::{CellRecord, CellState, Phase};
use oltp::Until;
use oltp::scan::{Path, Table};

use crate::bed::fleet::FirstState;
use crate::bed::instances;
use crate::bed::reset;
use crate::conductor::Conductor;
use crate::event::Event;
use crate::kind::scan;
use crate::metrics::{Metrics, event, phase};
use crate::needs::memory;
use crate::order::CellKey;
use crate::storage::seal;
use crate::watch::measurements;
use crate::watch::meter::Meter;

/// Cold scans of one cell: a single one would be at the mercy of whatever else the drive does.
const SCANS: u32 = 3;
/// Room of a file system of our own, in sizes of the database: the copy, the laid-out files, the filler, and
/// the log.
const IMAGE_SIZES: u64 = 5;
const IMAGE_MIN_BYTES: u64 = 1 << 30;

pub(super) fn cell(
    conductor: &Conductor<'_>,
    key: CellKey,
    asked: &Fragmentation,
) -> Result<CellRecord, Reasons> {
    let clock = conductor.clock().stopwatch();
    conductor.observer.event(Event::Phase { name: PhaseName::Reset });
    let seed = conductor.cell_seed(key);
    let bed = &conductor.experiment.bed[key.bed];
    let golden = conductor.golden(key);
    let image = make_image(conductor, key, asked)?;
    let spec = spec(conductor, key, seed, image.as_ref())?;
    reset::remove_dir(&spec.dir).map_err(|e| Step::Reset.failed(e))?;
    let limits = memory::limits_of(conductor.experiment, bed);
    let mut instance =
        instances::make_limited(conductor, spec, &limits).map_err(|e| Step::Reset.failed(e))?;
    seal::check(&golden).map_err(|e| Step::Reset.failed(e))?;
    let copied = instance.restore(&golden).map_err(|e| Step::Reset.failed(e))?;
    let before = extents(&*instance)?;
    // Level 0 is the file in one piece.
    let piece = key.level.checked_sub(1).map(|index| asked.fragments[index]);
    conductor.observer.event(Event::Phase { name: PhaseName::LayOut });
    instance.lay_out(piece.map(|Size(bytes)| bytes)).map_err(|e| Step::LayOut.failed(e))?;
    let after = extents(&*instance)?;
    let reset_s = clock.seconds();
    conductor.meeting.start();
    let meter = Meter::start(&conductor.sampler, &[], || 0);
    let mut metrics = Metrics::default();
    let (phases, times) = cold_scans(conductor, asked, &mut *instance, &meter, &mut metrics)?;
    let seen = meter.stop();
    conductor.meeting.done();
    let settings = instance.settings();
    let (data_bytes, file_system) = (instance.size_bytes(), file_system_of(&*instance));
    instance.stop().map_err(|e| e.to_string())?;
    drop(instance);
    drop(image);
    add_layout(&mut metrics, before, after);
    if !times.is_empty() {
        let mean_s = times.iter().sum::<f64>() / times.len() as f64;
        metrics.add(Metric::ColdScanTime, mean_s);
        metrics.add(Metric::ColdScanBandwidth, data_bytes as f64 / 1e6 / mean_s);
    }
    let done = times.len() as u32;
    let stopped = (done < SCANS).then_some(Reason::StoppedAfterScans { done, all: SCANS });
    seen.add_totals(&mut metrics, None);
    metrics.add(Metric::ResetTime, reset_s);
    let mut events = measurements::settings_and_reset(&settings, FirstState::Copied(copied.method), reset_s);
    let layout = Happening::Layout {
        file_system,
        as_copied: before.fragments,
        as_laid_out: after.fragments,
        extents: after.extents,
        piece_kib: mean_kib(after),
    };
    events.push(event(EventKind::Layout, layout));
    Ok(CellRecord {
        state: if stopped.is_some() { CellState::Interrupted } else { CellState::Done },
        reasons: stopped.into_iter().collect(),
        phases,
        measurements: metrics.0,
        series: seen.series(None),
        events,
        ..CellRecord::default()
    })
}

/// Phases and times, s, of the scans of a cell.
type Scans = (Vec<Phase>, Vec<f64>);

/// The scans with their phases and times, s; fewer when the user stopped them.
fn cold_scans(
    conductor: &Conductor<'_>,
    asked: &Fragmentation,
    instance: &mut dyn Instance,
    meter: &Meter,
    metrics: &mut Metrics,
) -> Result<Scans, Reasons> {
    let table = Table { rows: asked.rows, row_bytes: asked.row_bytes };
    let (mut phases, mut times) = (Vec::new(), Vec::new());
    for number in 1..=SCANS {
        instance.cool().map_err(|e| Step::EmptyCaches.failed(e))?;
        conductor.observer.event(Event::Phase { name: PhaseName::ColdScan });
        let start_s = meter.now_s();
        let until = Until::stopped(conductor.interrupt.flag());
        let read = scan::read(conductor, instance, (table, 1.0), Path::Scan, &until);
        if read.is_err() && conductor.interrupt.requested() {
            break;
        }
        let read = read?;
        phases.push(phase(PhaseName::Scan.numbered(number), start_s, meter.now_s()));
        times.push(read.answer.elapsed.as_secs_f64());
        if number == SCANS {
            read.add_to(metrics, words::Read::LastScan);
        }
    }
    Ok((phases, times))
}

fn add_layout(metrics: &mut Metrics, before: Extents, after: Extents) {
    metrics.add(Metric::FragmentsAsCopied, before.fragments as f64);
    metrics.add(Metric::Fragments, after.fragments as f64);
    metrics.add(Metric::Extents, after.extents as f64);
    metrics.add(Metric::FragmentSize, mean_kib(after));
}

fn mean_kib(extents: Extents) -> f64 {
    extents.bytes as f64 / 1024.0 / (extents.fragments.max(1)) as f64
}

/// The pieces of all files that hold tables.
fn extents(instance: &dyn Instance) -> Result<Extents, Reason> {
    let mut all = Extents::default();
    for file in instance.data_files().map_err(Reason::error)? {
        let unknown = |error: std::io::Error| {
            let (file, error) = (file.display().to_string(), error.to_string());
            Reason::PiecesUnknown { file, error }
        };
        all = all.and(host::extents(&file).map_err(unknown)?);
    }
    Ok(all)
}

fn file_system_of(instance: &dyn Instance) -> FileSystem {
    let file = instance.data_files().ok().and_then(|files| files.into_iter().next());
    let name = file.as_deref().and_then(host::filesystem);
    name.map_or(FileSystem::Unknown, |name| FileSystem::Named { name })
}

/// The file system that the workload asks for, as large as the test needs it.
fn make_image(
    conductor: &Conductor<'_>,
    key: CellKey,
    asked: &Fragmentation,
) -> Result<Option<Image>, String> {
    let Some(kind) = asked.filesystem else { return Ok(None) };
    let bed = &conductor.experiment.bed[key.bed];
    let row_bytes = u64::from(asked.row_bytes) + 100;
    let bytes = (u64::from(asked.rows) * row_bytes * IMAGE_SIZES).max(IMAGE_MIN_BYTES);
    let dir = conductor.work.image(bed);
    Image::make(&dir, &kind.to_string(), bytes).map(Some).map_err(|e| e.to_string())
}

fn spec(
    conductor: &Conductor<'_>,
    key: CellKey,
    seed: u64,
    image: Option<&Image>,
) -> Result<InstanceSpec, Reason> {
    let spec = instances::for_cell(conductor, key.bed, seed).into_iter().next();
    let spec = spec.ok_or(Reason::NoInstance)?;
    let dir: PathBuf = image.map_or(spec.dir.clone(), |image| image.root().join("instance"));
    Ok(InstanceSpec { dir, ..spec })
}
