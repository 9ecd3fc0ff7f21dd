//! The published procedures as loads on simulated beds, and the figures that come of them.

mod figure;

use simulate::{
    Bed, BlockLoad, Burst, CopyKind, Driver, Load, NS_PER_S, Pacing, Scan, SimulateError, Window, run,
    run_block, run_copy, run_scan,
};

use crate::bed::{self, BedError};
use crate::parameter::Values;

pub use figure::{Figures, ProcedureFigure};

const GIB: u64 = 1 << 30;

/// A published procedure on one bed.
#[derive(Clone, Debug, PartialEq)]
pub struct Procedure {
    /// Its name: the study's procedure, and the bed where a procedure ran on several.
    pub name: String,
    /// The bed of the catalogue.
    pub bed: String,
    /// The work.
    pub work: Work,
}

/// The work of a procedure.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// Order entry.
    OrderEntry(Load),
    /// Block requests.
    Block(BlockLoad),
    /// A backup and then a restore of a database of this many bytes.
    Copy(u64),
    /// A scan of a table.
    Scan(Scan),
}

/// The reason why a procedure cannot be simulated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProcedureError {
    /// Its bed cannot be.
    #[error(transparent)]
    Bed(#[from] BedError),
    /// Its load cannot be put on the bed.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
}

/// The care of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// To a precision of 1 %.
    Full,
    /// To a precision of 2 %, for the many steps of a fit.
    Brief,
}

/// Order entry of the Kingston tests on this many machines: 16 processors, 32 GB, 1200 warehouses and 89
/// users each, five minutes.
pub(crate) fn kingston(machines: u32) -> Load {
    Load {
        machines,
        backup_machines: 0,
        backup_cycles: 0,
        backup_pause_ns: 0,
        backup_every_ns: 0,
        backup_limit_bytes_per_s: None,
        vcpus: 16,
        memory_bytes: 32 * GIB,
        warehouses: 1200,
        users: 89,
        driver: Driver::Local,
        pacing: Pacing::None,
        window: Window::published(120, 300),
    }
}

fn long(machines: u32, backup_machines: u32) -> Load {
    Load {
        backup_machines,
        backup_cycles: 10,
        backup_pause_ns: 100 * NS_PER_S,
        window: Window::published(1800, 18_000),
        ..kingston(machines)
    }
}

/// HCIBench: 6 machines with 8 disks each and 4 requests on each disk, 30 minutes.
fn hcibench(size: u32, read_share: f64, is_sequential: bool, values: &Values) -> BlockLoad {
    BlockLoad {
        machines: 6,
        disks: 8,
        disk_bytes: (values.get("hci_disk_gb").unwrap_or(100.0) * 1e9) as u64,
        depth: 4,
        sizes: vec![(size, 1.0)],
        read_share,
        is_sequential,
        rate_per_s: None,
        burst: None,
        window: Window { least_ns: 3 * NS_PER_S, ..Window::published(0, 1800) },
    }
}

/// Threads on each drive of a server for itself.
fn on_drives(drives: u32, depth: u32, size: u32, read_share: f64, is_sequential: bool) -> BlockLoad {
    BlockLoad {
        machines: drives,
        disks: 1,
        disk_bytes: 500_000_000_000,
        depth,
        sizes: vec![(size, 1.0)],
        read_share,
        is_sequential,
        rate_per_s: None,
        burst: None,
        window: Window { least_ns: NS_PER_S, ..Window::published(10, 300) },
    }
}

/// Requests of the full clone boot: 13.8 kB on average, which 4 and 32 KiB give in this mix.
const VDI_SIZES: [(u32, f64); 2] = [(4096, 0.66), (32_768, 0.34)];

/// Requests of the second VDI profile: 19 kB on average.
const VDI_2_SIZES: [(u32, f64); 2] = [(4096, 0.47), (32_768, 0.53)];

/// All procedures, with the numbers that no study prints from `values`.
#[must_use]
pub fn procedures(values: &Values) -> Vec<Procedure> {
    let mut all = Vec::new();
    kingston_tests(&mut all);
    hci_tests(&mut all, values);
    fio_tests(&mut all);
    storagereview_tests(&mut all, values);
    iodrive_tests(&mut all, values);
    all
}

fn add(all: &mut Vec<Procedure>, name: &str, bed: &str, work: Work) {
    all.push(Procedure { name: name.to_owned(), bed: bed.to_owned(), work });
}

fn kingston_tests(all: &mut Vec<Procedure>) {
    let order_entry = Work::OrderEntry;
    let remote =
        |memory_gib: u64| Load { driver: Driver::Remote, memory_bytes: memory_gib * GIB, ..kingston(1) };
    let stress =
        Load { vcpus: 40, users: 128, warehouses: 2000, window: Window::published(600, 1200), ..kingston(1) };
    add(all, "K-1a", "kingston-nvme", order_entry(remote(128)));
    add(all, "K-1b", "kingston-nvme", order_entry(remote(32)));
    add(all, "K-1c", "kingston-nvme", order_entry(kingston(1)));
    add(all, "K-2a", "kingston-nvme", order_entry(kingston(1)));
    add(all, "K-2b", "kingston-sata-dc500m", order_entry(kingston(1)));
    add(all, "K-2c", "kingston-sata", order_entry(kingston(1)));
    add(all, "K-3a", "kingston-nvme", order_entry(stress.clone()));
    add(all, "K-3b", "kingston-sata", order_entry(stress));
    add(all, "K-4a", "kingston-nvme", Work::Copy(157_000_000_000));
    add(all, "K-4b", "kingston-sata", Work::Copy(157_000_000_000));
    add(all, "K-5a", "kingston-nvme", order_entry(long(12, 0)));
    add(all, "K-5b", "kingston-sata", order_entry(long(9, 0)));
    add(all, "K-5c", "kingston-nvme", order_entry(long(8, 4)));
    add(all, "K-5d", "kingston-sata", order_entry(long(6, 3)));
}

fn hci_tests(all: &mut Vec<Procedure>, values: &Values) {
    for (short, bed) in [("nvme", "kingston-nvme"), ("sata", "kingston-sata")] {
        let block = |size, reads, sequential| Work::Block(hcibench(size, reads, sequential, values));
        add(all, &format!("K-hci-mix-4k/{short}"), bed, block(4096, 0.7, false));
        add(all, &format!("K-hci-mix-64k/{short}"), bed, block(65_536, 0.7, false));
        add(all, &format!("K-hci-read/{short}"), bed, block(131_072, 1.0, true));
        add(all, &format!("K-hci-write/{short}"), bed, block(131_072, 0.0, true));
    }
}

/// One drive by itself at depth 32; the study had a DC1500M of twice the size, of which the catalogue has the
/// 960 GB one.
fn fio_tests(all: &mut Vec<Procedure>) {
    for (short, bed) in [("nvme", "drive:kingston-dc1500m-960g"), ("sata", "drive:micron-5200-eco-1920g")] {
        let block = |size, reads, sequential| Work::Block(on_drives(1, 32, size, reads, sequential));
        add(all, &format!("K-fio-a/{short}"), bed, block(4096, 0.75, false));
        add(all, &format!("K-fio-b-read/{short}"), bed, block(262_144, 1.0, true));
        add(all, &format!("K-fio-b-write/{short}"), bed, block(262_144, 0.0, true));
    }
}

fn storagereview_tests(all: &mut Vec<Procedure>, values: &Values) {
    for (short, bed, drives) in [("nvme", "storagereview-nvme", 4), ("sata", "storagereview-sata", 8)] {
        let block =
            |depth, size, reads, sequential| Work::Block(on_drives(drives, depth, size, reads, sequential));
        add(all, &format!("SR-4c-rr/{short}"), bed, block(128, 4096, 1.0, false));
        add(all, &format!("SR-4c-rw/{short}"), bed, block(128, 4096, 0.0, false));
        add(all, &format!("SR-4c-sr/{short}"), bed, block(32, 65_536, 1.0, true));
        add(all, &format!("SR-4c-sw/{short}"), bed, block(16, 65_536, 0.0, true));
        let mut vdi = on_drives(drives, 32, 4096, values.get("vdi_read_share").unwrap_or(0.8), false);
        vdi.sizes = VDI_SIZES.to_vec();
        add(all, &format!("SR-vdi-1/{short}"), bed, Work::Block(vdi.clone()));
        vdi.sizes = VDI_2_SIZES.to_vec();
        add(all, &format!("SR-vdi-2/{short}"), bed, Work::Block(vdi));
    }
}

fn iodrive_tests(all: &mut Vec<Procedure>, values: &Values) {
    let sqlio = |reads| BlockLoad { disk_bytes: 40_000_000_000, ..on_drives(1, 32, 8192, reads, false) };
    add(all, "IOD-sqlio-read", "iodrive", Work::Block(sqlio(1.0)));
    add(all, "IOD-sqlio-write", "iodrive", Work::Block(sqlio(0.0)));
    // Steady page reads with bursts of 10,000 pages.
    let pattern = |period_s: u64, measure_s: u64, depth| BlockLoad {
        depth,
        burst: Some(Burst { pages: 10_000, every_ns: period_s * NS_PER_S, depth: 64 }),
        window: Window { least_ns: measure_s * NS_PER_S, ..Window::published(10, measure_s) },
        ..sqlio(1.0)
    };
    add(all, "IOD-iometer-hdd", "iodrive-disks", Work::Block(pattern(60, 180, 64)));
    add(all, "IOD-iometer-ssd", "iodrive", Work::Block(pattern(10, 30, 16)));
    let get = |name: &str| values.get(name).unwrap_or(0.0);
    let scan = |pages, rows| Scan {
        pages,
        rows,
        ahead_pages: 64,
        depth: 16,
        in_order: true,
        touches_per_row: 0.0,
        threads: 8,
        late_share: get("iod.late_share"),
        page_ns: get("iod.cpu_per_page_ns"),
        row_ns: get("iod.cpu_per_row_ns"),
    };
    add(all, "IOD-scan", "iodrive", Work::Scan(scan(1_002_491, LOOKUP_ROWS)));
    // A row of the other index leads to a path of pages down the clustered one, and its page is fetched
    // wherever it lies.
    let lookup = Scan {
        touches_per_row: LOOKUP_PAGES,
        ahead_pages: 1,
        depth: 32,
        in_order: false,
        ..scan(1_006_198, LOOKUP_ROWS)
    };
    add(all, "IOD-lookup", "iodrive", Work::Scan(lookup));
    add(all, "IOD-frag", "iodrive", Work::Scan(scan(579_712, 40_000_000)));
    add(all, "IOD-nofrag", "iodrive", Work::Scan(scan(579_712, 40_000_000)));
}

/// Rows of the table of the lookup, which the study does not give: logical reads of a path of five pages for
/// each would be those printed.
const LOOKUP_ROWS: u64 = 2_208_000;
const LOOKUP_PAGES: f64 = 5.0;

impl Procedure {
    /// Simulates it with these parameters and seed.
    ///
    /// # Errors
    /// When its bed or its load cannot be.
    pub fn simulate(&self, values: &Values, care: Care, seed: u64) -> Result<Figures, ProcedureError> {
        let bed = bed::find(&self.bed, values)?;
        self.simulate_on(&bed, care, seed)
    }

    /// Simulates it on a bed of the caller's.
    ///
    /// # Errors
    /// When its load cannot be put on the bed.
    pub fn simulate_on(&self, bed: &Bed, care: Care, seed: u64) -> Result<Figures, ProcedureError> {
        match &self.work {
            Work::OrderEntry(load) => order_entry(bed, load, care, seed),
            Work::Block(load) => block(bed, load, care, seed),
            Work::Copy(bytes) => copies(bed, *bytes, seed),
            Work::Scan(scan) => scans(bed, scan, seed),
        }
    }
}

/// Cards of new order in the deck.
const NEW_ORDER_SHARE: f64 = 10.0 / 23.0;

fn order_entry(bed: &Bed, load: &Load, care: Care, seed: u64) -> Result<Figures, ProcedureError> {
    let window = if care == Care::Brief { load.window.brief(load.machines) } else { load.window };
    let outcome = run(bed, &Load { window, ..load.clone() }, seed)?;
    // The deck is fixed, so all transactions tell the rate of new orders better than these alone do.
    let nopm = outcome.transactions_per_minute() * NEW_ORDER_SHARE;
    let tpm = nopm * bed.database.batches_per_new_order;
    let reads_ns = outcome.reads.mean_ns();
    let (reads, writes) = (outcome.reads_per_s(), outcome.writes_per_s());
    let mean_ns = (reads_ns * reads + outcome.write_latency_ns() * writes) / (reads + writes).max(1.0);
    Ok(Figures::from([
        (ProcedureFigure::Nopm, nopm),
        (ProcedureFigure::Tpm, tpm),
        (ProcedureFigure::TpmPerUser, tpm / f64::from(load.users)),
        (ProcedureFigure::CpuIdle, outcome.cpu_idle * 100.0),
        (ProcedureFigure::ReadIops, reads),
        (ProcedureFigure::WriteIops, writes),
        (ProcedureFigure::ReadMs, reads_ns / 1e6),
        (ProcedureFigure::WriteMs, outcome.write_latency_ns() / 1e6),
        (ProcedureFigure::LatencyMs, mean_ns / 1e6),
        (ProcedureFigure::BackupMbPerS, outcome.backup_bytes as f64 / outcome.measured_s / 1e6),
    ]))
}

fn block(bed: &Bed, load: &BlockLoad, care: Care, seed: u64) -> Result<Figures, ProcedureError> {
    let mut window = load.window;
    if care == Care::Brief && load.burst.is_none() {
        window.least_ns /= 4;
        window.precision = 0.02;
    }
    let outcome = run_block(bed, &BlockLoad { window, ..load.clone() }, seed)?;
    let bandwidth = outcome.bandwidth_bytes_per_s();
    let mut figures = Figures::from([
        (ProcedureFigure::Iops, outcome.iops()),
        (ProcedureFigure::LatencyMs, outcome.latency_mean_ns() / 1e6),
        (ProcedureFigure::GbPerS, bandwidth / 1e9),
        (ProcedureFigure::MbPerS, bandwidth / 1e6),
        (ProcedureFigure::CalmReads, outcome.calm_reads_per_s),
    ]);
    if let Some(reads) = outcome.burst_reads_per_s {
        figures.insert(ProcedureFigure::BurstReads, reads);
    }
    Ok(figures)
}

fn copies(bed: &Bed, bytes: u64, seed: u64) -> Result<Figures, ProcedureError> {
    let backup = run_copy(bed, CopyKind::Backup, bytes, None, seed)?;
    let restore = run_copy(bed, CopyKind::Restore, bytes, None, seed)?;
    let mb_per_s = |seconds: f64| bytes as f64 / seconds / 1e6;
    Ok(Figures::from([
        (ProcedureFigure::BackupS, backup.elapsed_s),
        (ProcedureFigure::BackupMbPerS, mb_per_s(backup.elapsed_s)),
        (ProcedureFigure::BackupMs, backup.latency.mean_ns() / 1e6),
        (ProcedureFigure::RestoreS, restore.elapsed_s),
        (ProcedureFigure::RestoreMbPerS, mb_per_s(restore.elapsed_s)),
        (ProcedureFigure::RestoreMs, restore.latency.mean_ns() / 1e6),
    ]))
}

fn scans(bed: &Bed, scan: &Scan, seed: u64) -> Result<Figures, ProcedureError> {
    let outcome = run_scan(bed, scan, seed)?;
    Ok(Figures::from([
        (ProcedureFigure::ElapsedMs, outcome.elapsed_s * 1e3),
        (ProcedureFigure::CpuMs, outcome.cpu_s * 1e3),
        (ProcedureFigure::Scans, outcome.scans as f64),
        (ProcedureFigure::LogicalReads, outcome.logical_reads),
        (ProcedureFigure::PhysicalReads, outcome.physical_reads),
        (ProcedureFigure::AheadReads, outcome.ahead_reads),
    ]))
}
