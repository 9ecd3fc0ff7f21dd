//! Whole beds in virtual time: the same plan, the same notebook and the same metrics as a measured run, marked simulated.

use std::collections::BTreeMap;

use experiment::{Experiment, Tpcc, Workload};
use measure::Histogram;
use notebook::{Cell, CellRecord, CellState, NewBed, NewRun, Notebook, Phase, PublishedNumber, RunId};
use simulate::{Bed, Load, Outcome, Values, Window, Work};

use crate::cell::{cell_seed, invalid};
use crate::metrics::{Metrics, one};
use crate::opening::{new_run, planned_cells, published_number};
use crate::order::{CellKey, cells_in_order};
use crate::plan::describe;
use crate::request::{Finished, Request};
use crate::result_line::result_line;
use crate::{Event, Interrupt, LabError, Observer, limiter};

/// The word that marks simulated runs and beds in a notebook.
pub(crate) const REALM: &str = "simulated";

/// One bed of the experiment as it is simulated: the bed and the load that the study put on it.
struct Simulated {
    bed: Bed,
    load: Load,
}

/// Simulates an experiment and keeps it in `notebook`: the beds of its published test, or a host with the drive that a bed names.
///
/// # Errors
/// When a bed cannot be simulated at all, or a workload is of a kind that the simulation does not know.
pub fn simulate(
    request: &Request,
    notebook: &mut Notebook,
    interrupt: &Interrupt,
    observer: &dyn Observer,
) -> Result<Finished, LabError> {
    let values = Values::calibrated();
    let beds = beds(&request.experiment, &values)?;
    let run_record = NewRun { realm: REALM.to_owned(), ..new_run(request, &[]) };
    let run =
        notebook.start_run(&run_record, &new_beds(&request.experiment, &beds), &planned_cells(request))?;
    describe_run(notebook, run, &request.experiment, &beds, &values)?;
    go(notebook, run, &request.experiment, request.seed, &beds, (interrupt, observer))
}

/// Goes on with a simulated run.
///
/// # Errors
/// As [`simulate`].
pub(crate) fn resume(
    run: RunId,
    seed: u64,
    experiment: &Experiment,
    notebook: &mut Notebook,
    watch: (&Interrupt, &dyn Observer),
) -> Result<Finished, LabError> {
    let beds = beds(experiment, &Values::calibrated())?;
    notebook.reset_unfinished(run)?;
    go(notebook, run, experiment, seed, &beds, watch)
}

fn go(
    notebook: &mut Notebook,
    run: RunId,
    experiment: &Experiment,
    seed: u64,
    beds: &[Simulated],
    (interrupt, observer): (&Interrupt, &dyn Observer),
) -> Result<Finished, LabError> {
    let cells = notebook.cells(run)?;
    let keys = cells_in_order(experiment, seed);
    let open: Vec<&Cell> = cells.iter().filter(|c| c.state == CellState::Planned).collect();
    let expected = std::time::Duration::from_millis(300);
    observer.event(Event::Started {
        left: open.len(),
        total: cells.len(),
        expected: expected * open.len() as u32,
    });
    for cell in open {
        if interrupt.requested() {
            break;
        }
        let key = keys[cell.position as usize];
        let (number, total, what) = (cell.position as usize + 1, cells.len(), describe(experiment, key));
        observer.event(Event::CellStarted { number, total, what: what.clone(), expected });
        notebook.begin_cell(cell.id)?;
        let record = simulate_cell(experiment, key, seed, &beds[key.bed]);
        notebook.record_cell(cell.id, &record)?;
        let (result, valid) = (result_line(&record), record.state == CellState::Done);
        observer.event(Event::CellDone { number, total, what, result, valid });
    }
    crate::request::finish(notebook, run)
}

fn beds(experiment: &Experiment, values: &Values) -> Result<Vec<Simulated>, LabError> {
    for workload in &experiment.workload {
        if !matches!(workload, Workload::Tpcc(_)) {
            return Err(LabError::Experiment {
                what: format!("workload `{}` is not simulated", workload.name()),
                place: format!("[[workload]] of kind {}", workload.kind()),
                fix: "run it on emulated or real storage, or choose an experiment of order entry".to_owned(),
            });
        }
    }
    experiment.bed.iter().map(|bed| simulated_bed(experiment, bed, values)).collect()
}

fn simulated_bed(
    experiment: &Experiment,
    bed: &experiment::Bed,
    values: &Values,
) -> Result<Simulated, LabError> {
    let fault = |why: String| LabError::Drive { bed: bed.name.clone(), why };
    let published =
        experiment.published.as_deref().and_then(|name| experiment::published::test_of(name, &bed.name));
    if let Some(test) = published {
        let procedure = simulate::procedures(values).into_iter().find(|procedure| procedure.name == test);
        if let Some(procedure) = procedure
            && let Work::OrderEntry(load) = procedure.work
        {
            let bed = Bed::find(&procedure.bed, values).map_err(|error| fault(error.to_string()))?;
            return Ok(Simulated { bed, load });
        }
    }
    let Some(entry) = crate::beds::choose(experiment, bed)?.entry().cloned() else {
        let why = "real storage cannot be simulated; name a drive of the catalogue with { emulated = ... }, or an experiment with a published test";
        return Err(fault(why.to_owned()));
    };
    let bed = Bed::of_drive(&entry.name, &entry.spec, entry.capacity_bytes, values)
        .map_err(|error| fault(error.to_string()))?;
    let load = generic_load();
    Ok(Simulated { bed, load })
}

/// A machine of four processors, for beds that no study describes.
fn generic_load() -> Load {
    Load {
        machines: 1,
        backup_machines: 0,
        backup_cycles: 0,
        backup_pause_ns: 0,
        vcpus: 4,
        memory_bytes: 1 << 30,
        warehouses: 1,
        users: 1,
        driver: simulate::Driver::Local,
        window: Window::published(2, 10),
        failure: None,
    }
}

fn simulate_cell(experiment: &Experiment, key: CellKey, seed: u64, on: &Simulated) -> CellRecord {
    let Workload::Tpcc(tpcc) = &experiment.workload[key.workload] else {
        return invalid("this kind of workload is not simulated".to_owned());
    };
    let load = load(experiment, key, tpcc, &on.load);
    match simulate::run(&on.bed, &load, cell_seed(seed, key)) {
        Ok(outcome) => record(&on.bed, &load, &outcome),
        Err(error) => invalid(error.to_string()),
    }
}

/// The study's load with what the experiment says now: its levels, and whatever was set or scaled.
fn load(experiment: &Experiment, key: CellKey, tpcc: &Tpcc, on: &Load) -> Load {
    let bed = &experiment.bed[key.bed];
    let database = experiment.database.as_ref();
    Load {
        users: tpcc.virtual_users[key.level],
        warehouses: tpcc.warehouses,
        memory_bytes: experiment.memory_of(bed).map_or(on.memory_bytes, |memory| memory.0),
        machines: database.map_or(1, |d| d.instances).max(on.machines),
        window: Window::published(tpcc.ramp_up.0.as_secs(), tpcc.measure.0.as_secs().max(1)),
        ..on.clone()
    }
}

fn record(bed: &Bed, load: &Load, outcome: &Outcome) -> CellRecord {
    let limiter = limiter::of_simulation(&outcome.time, outcome.cpu_idle);
    let state = if outcome.lost.is_some() { CellState::Invalid } else { CellState::Done };
    let event = |kind: &str, message: String| notebook::Event { kind: kind.to_owned(), count: 1, message };
    CellRecord {
        state,
        reason: outcome.lost.clone(),
        limiter: Some(limiter.name.to_owned()),
        limiter_detail: Some(limiter.detail),
        phases: phases(outcome),
        measurements: metrics(bed, load, outcome).0,
        series: series(outcome),
        histograms: histograms(outcome),
        events: vec![event(
            "simulated",
            format!(
                "{:.1} s of virtual time stand for {:.0} s: the 95 % interval of the throughput is {:.1} % wide on either side",
                outcome.measured_s,
                load.window.measure_ns as f64 / 1e9,
                outcome.precision * 100.0
            ),
        )],
        ..CellRecord::default()
    }
}

fn phases(outcome: &Outcome) -> Vec<Phase> {
    let phase = |name: &str, start_s: f64, end_s: f64| Phase { name: name.to_owned(), start_s, end_s };
    let (settled_s, measured_s) = (outcome.settled_s, outcome.measured_s);
    vec![phase("ramp-up", 0.0, settled_s), phase("measure", settled_s, settled_s + measured_s)]
}

fn metrics(bed: &Bed, load: &Load, outcome: &Outcome) -> Metrics {
    let mut metrics = Metrics::default();
    let machines = f64::from(outcome.machines);
    let tpm = outcome.transactions_per_minute();
    metrics.add("nopm", outcome.nopm(), "1/min");
    metrics.add("tpm", tpm, "1/min");
    metrics.add("tpm_per_user", tpm / f64::from(load.users), "1/min");
    let batches = outcome.nopm() * bed.database.batches_per_new_order;
    metrics.add("tpm_batches", batches, "1/min");
    metrics.add("tpm_batches_per_user", batches / f64::from(load.users), "1/min");
    metrics.add_latency("latency", &outcome.latency());
    for (kind, histogram) in &outcome.per {
        metrics.add_latency(&format!("{}_latency", kind.name()), histogram);
    }
    let transactions = (outcome.transactions() as f64).max(1.0);
    metrics.add("reads_per_transaction", outcome.reads.len() as f64 / transactions, "I/O");
    let writes = (outcome.writes.len() + outcome.log_writes.len()) as f64;
    metrics.add("writes_per_transaction", writes / transactions, "I/O");
    metrics.add("ios_per_transaction", (outcome.reads.len() as f64 + writes) / transactions, "I/O");
    metrics.add("read_bytes_per_transaction", outcome.read_bytes as f64 / transactions, "B");
    metrics.add("written_bytes_per_transaction", outcome.written_bytes as f64 / transactions, "B");
    metrics.add("read_iops", outcome.reads_per_s(), "1/s");
    metrics.add("write_iops", outcome.writes_per_s(), "1/s");
    for (name, histogram) in drive_waits(outcome) {
        if !histogram.is_empty() {
            metrics.add(&format!("{name}_latency_mean"), histogram.mean_ns() / 1e3, "us");
            metrics.add(&format!("{name}_latency_p99"), histogram.quantile_ns(0.99) as f64 / 1e3, "us");
        }
    }
    metrics.add("cpu_idle", outcome.cpu_idle * 100.0, "%");
    let per_transaction_us = |ns: u64| ns as f64 / 1e3 / transactions;
    metrics.add("engine_cpu_per_transaction", per_transaction_us(outcome.time.cpu_ns), "us");
    metrics.add(
        "backup_bandwidth",
        outcome.backup_bytes as f64 / outcome.measured_s / 1e6 / machines,
        "MB/s",
    );
    metrics.add("simulated_s", outcome.measured_s, "s");
    metrics.add("precision", outcome.precision * 100.0, "%");
    metrics
}

fn drive_waits(outcome: &Outcome) -> [(&'static str, Histogram); 2] {
    let mut writes = outcome.writes.clone();
    writes.merge(&outcome.log_writes);
    [("drive_read", outcome.reads.clone()), ("drive_write", writes)]
}

fn histograms(outcome: &Outcome) -> Vec<(String, Histogram)> {
    let mut kept = vec![("latency".to_owned(), outcome.latency())];
    kept.extend(outcome.per.iter().map(|(kind, histogram)| (kind.name().to_owned(), histogram.clone())));
    kept.extend(drive_waits(outcome).into_iter().map(|(name, histogram)| (name.to_owned(), histogram)));
    kept.retain(|(_, histogram)| !histogram.is_empty());
    kept
}

/// Whole simulated seconds; the last one is cut short where the simulation stopped.
fn series(outcome: &Outcome) -> Vec<measure::Series> {
    let whole = (outcome.settled_s + outcome.measured_s) as usize;
    let machines = f64::from(outcome.machines);
    let (all, orders) = (outcome.timeline_all.seconds(), outcome.timeline_new_order.seconds());
    let per_minute = |count: u64| count as f64 * 60.0 / machines;
    vec![
        one("tpm", "1/min", all.iter().take(whole).map(|s| per_minute(s.count))),
        one("nopm", "1/min", orders.iter().take(whole).map(|s| per_minute(s.count))),
        one("latency_mean", "ms", all.iter().take(whole).map(|s| s.mean_ns / 1e6)),
        one("latency_p99", "ms", all.iter().take(whole).map(|s| s.p99_ns as f64 / 1e6)),
    ]
}

fn new_beds(experiment: &Experiment, beds: &[Simulated]) -> Vec<NewBed> {
    let describe = |(bed, on): (&experiment::Bed, &Simulated)| NewBed {
        name: bed.name.clone(),
        label: bed.label.clone(),
        realm: REALM.to_owned(),
        storage_summary: format!("{} (simulated)", on.bed.title),
        facts: bed.setup.clone(),
    };
    experiment.bed.iter().zip(beds).map(describe).collect()
}

/// What is known before the first cell: the beds with their parameters, how far to trust them, the published numbers.
fn describe_run(
    notebook: &mut Notebook,
    run: RunId,
    experiment: &Experiment,
    beds: &[Simulated],
    values: &Values,
) -> Result<(), LabError> {
    for (bed, on) in experiment.bed.iter().zip(beds) {
        notebook.add_fact_set(run, &format!("bed:{}", bed.name), &bed_facts(experiment, bed, on))?;
    }
    let parameters = values.iter().map(|(name, value)| (name.to_owned(), value.to_string())).collect();
    notebook.add_fact_set(run, "simulated-parameters", &parameters)?;
    notebook.add_note(run, "model", MODEL)?;
    notebook.add_note(run, "disclaimer", oltp::DISCLAIMER)?;
    if let Some(description) = &experiment.description {
        notebook.add_note(run, "description", description)?;
    }
    let Some(name) = &experiment.published else { return Ok(()) };
    for confound in experiment::published::confounds(name) {
        let text = format!(
            "{}: {} against {}: {}",
            confound.factor, confound.side_a, confound.side_b, confound.effect
        );
        notebook.add_note(run, "published-confound", &text)?;
    }
    let numbers = experiment::published::of(name).into_iter().filter_map(|number| number.in_our_words());
    let numbers: Vec<PublishedNumber> = numbers.map(published_number).map(counted_alike).collect();
    notebook.add_published(run, &numbers)?;
    Ok(())
}

/// The study's TPM counts batch requests of SQL Server, and so does the simulation beside its transactions.
fn counted_alike(mut number: PublishedNumber) -> PublishedNumber {
    let ours = match number.metric.as_str() {
        "tpm" => "tpm_batches",
        "tpm_per_user" => "tpm_batches_per_user",
        _ => return number,
    };
    number.metric = ours.to_owned();
    number.note = "Batch requests, 4.6 for each new order, in both.".to_owned();
    number
}

const MODEL: &str = "Everything here is simulated: users, processors, buffer pool, log, datastore and drives in virtual time, by parameters \
    that were fitted to the studies' printed numbers (`drivetrain published` prints them with the errors). Numbers that were \
    fitted are no predictions; `drivetrain calibrate --leave-one-out` shows how far off the model is for tests that it was not fitted to";

fn bed_facts(experiment: &Experiment, bed: &experiment::Bed, on: &Simulated) -> BTreeMap<String, String> {
    let mut facts = BTreeMap::from([
        ("storage.realm".to_owned(), REALM.to_owned()),
        ("storage.drive".to_owned(), on.bed.title.clone()),
        ("simulated.bed".to_owned(), on.bed.name.clone()),
        ("simulated.processors".to_owned(), on.load.vcpus.to_string()),
        ("simulated.driver".to_owned(), format!("{:?}", on.load.driver).to_lowercase()),
        ("database.engine".to_owned(), "SQL Server (simulated)".to_owned()),
    ]);
    if let Some(memory) = experiment.memory_of(bed) {
        facts.insert("memory".to_owned(), memory.to_string());
    }
    facts
}
