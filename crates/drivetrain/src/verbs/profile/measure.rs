//! A target is measured by a named experiment, which makes it a run like any other: with a plan, progress,
//! Ctrl-C, resume and a report. Then its cells become loads.

use std::path::{Path, PathBuf};

use disk::Output;
use experiment::{Experiment, Scale, Size, WHOLE, Workload};
use ground::Clock;
use lab::{Finished, World};
use notebook::{Facts, Labels, Notebook};
use serde_json::Value;
use study::profile::{Load, MeasuredLoads};
use words::NoteKind;

use super::fit::{self, Profile};
use super::target::{self, Target};
use super::{ProfileArgs, again, again_there, described, loads};
use crate::allow_uring::UringArgs;
use crate::console::Console;
use crate::ending;
use crate::exit::{Coded, Exit};
use crate::outputs;
use crate::source::{Resolved, draw_seed};
use crate::verbs::drives;
use crate::verbs::report::ReportFile;
use crate::verbs::run::{self, Beside};
use crate::verbs::show;
use crate::{input, notebooks, signals};

/// The time of a measurement beside that of its loads.
const BESIDES: &str =
    ", and longer: the file is filled first, and loads beside which other programs are busy are repeated";
/// The same of a shortened one.
const BESIDES_A_TRY: &str = ", and longer: the file is filled first";

/// Measures the target of the arguments.
pub(super) fn measure(args: &ProfileArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let target = Target::of(args)?;
    // Words that cannot be must not cost an hour of measuring.
    described::check(args)?;
    let resolved =
        resolve(args, of_length(args), console, &mut |experiment| target.take(experiment, args.size))?;
    // A model needs no waiting, and this machine adds nothing to its times.
    let clock = if target.is_modelled() { run::virtual_clock() } else { Clock::Wall };
    let world = World { destroy: args.destroy.orders()?, ..World::of(clock) };
    lab::check(&resolved.experiment)?;
    target::check(&resolved.experiment)?;
    lab::check_devices(&resolved.experiment, &world.destroy)?;
    let mut outputs = outputs::beside_notebook(path, args.force, console);
    args.loads.iter().for_each(|loads| outputs.keep(loads, "the loads"));
    outputs::keep_drives(&mut outputs, outputs::drives_of(&resolved.experiment));
    let place = ReportFile::plan(args.report.as_deref(), &mut outputs)?;
    let output = args.output.as_ref().map(|file| outputs.plan(file, outputs::DRIVE)).transpose();
    let output = output.map_err(outputs::coded)?;
    let (caution, filled) = (target.caution(), target.filled());
    caution.iter().for_each(|caution| console.warn(caution));
    let interrupt = signals::listen(*console, signals::OF_CELLS)?;
    // Shortened loads are no model of a drive, so it is not worth while to wait for a quiet machine.
    let is_a_try = resolved.scale < 1.0;
    let beside = Beside {
        labels: Labels::default(),
        uring: UringArgs::default(),
        page: &args.page,
        is_here: false,
        besides: match (target.is_modelled(), is_a_try) {
            (true, _) => " of virtual time",
            (false, true) => BESIDES_A_TRY,
            (false, false) => BESIDES,
        },
    };
    let request = run::request(resolved, world);
    let read_before = host::own_read_bytes();
    let (notebook, finished) =
        run::conducted(&request, &beside, (path, &interrupt), console, |notebook, feed| {
            let finished = lab::run(&request, notebook, &interrupt, feed)?;
            if is_a_try {
                return Ok(finished);
            }
            again::while_busy(notebook, finished, &request.world, &interrupt, feed)
        })?;
    // Without the facts a report would take loads of the user's own for any block I/O.
    let mut facts = Facts::from([(study::profile::LOADS.to_owned(), request.name.clone())]);
    facts.extend(described::facts(args));
    facts.extend(args.output.as_ref().map(|file| (OUTPUT.to_owned(), file.display().to_string())));
    facts.extend(filled.map(|filled| (study::profile::FILLED.to_owned(), filled)));
    notebook.add_fact_set(finished.run, study::profile::FACTS, &facts)?;
    let read = host::own_read_bytes().zip(read_before).map(|(after, before)| after.saturating_sub(before));
    let measured = study::profile::loads_of_run(&notebook, finished.run)?;
    let cached = read.filter(|_| !target.is_modelled()).and_then(|read| cached(&measured, read));
    cached.iter().for_each(|caution| console.warn(caution));
    for caution in caution.into_iter().chain(cached) {
        notebook.add_note(finished.run, NoteKind::Warning, caution.as_str())?;
    }
    conclude(args, (&notebook, path, &finished), &measured, (place, output), console)
}

/// The fact that names the drive's file that was asked for.
pub(super) const OUTPUT: &str = "output";

/// A storage that gave fewer bytes than this share of the measured reads: the rest came from memory.
const FROM_STORAGE: f64 = 0.5;

/// A warning about reads that did not come from storage.
fn cached(measured: &MeasuredLoads, from_storage_bytes: u64) -> Option<String> {
    let bytes = |load: &Load| {
        load.reads.as_ref().map_or(0.0, |reads| reads.latency.len() as f64) * load.block_bytes as f64
    };
    let read_bytes: f64 = measured.loads.iter().map(bytes).sum();
    (from_storage_bytes as f64 <= FROM_STORAGE * read_bytes && read_bytes > 0.0).then(|| {
        format!(
            "of {:.0} MB that were read, {:.0} MB came from storage: a page cache answered in spite of O_DIRECT; profile the device \
             below, or another file system",
            read_bytes / 1e6,
            from_storage_bytes as f64 / 1e6
        )
    })
}

/// Refuses to replace a drive's file with a certificate, which belongs to the numbers of the file.
fn keeps_certificate(file: &Path, force: bool) -> anyhow::Result<()> {
    let is_file = file.symlink_metadata().is_ok_and(|found| found.is_file());
    match is_file.then(|| drives::of_file(file)) {
        Some(Ok((entry, _))) if !force && entry.certificate().is_some() => Err(Coded::refused(format!(
            "{}: it has a certificate, which a new fit would remove; name another file, or add --force to replace it",
            file.display()
        ))),
        _ => Ok(()),
    }
}

/// A drive from the loads of a run that measured before.
pub(super) fn from_run(
    args: &ProfileArgs,
    run: &str,
    path: &Path,
    console: &Console,
) -> anyhow::Result<Exit> {
    let notebook = notebooks::open(path)?;
    let run = notebooks::chosen(&notebook, Some(run))?;
    args.output.iter().try_for_each(|file| keeps_certificate(file, args.force.force))?;
    let leave = |file: &PathBuf| again_there::leave(args.force, (&notebook, run), file);
    let force = args.output.as_ref().map_or(args.force, leave);
    let mut outputs = outputs::beside_notebook(path, force, console);
    let output = args.output.as_ref().map(|file| outputs.plan(file, outputs::DRIVE)).transpose();
    let output = output.map_err(outputs::coded)?;
    signals::listen(*console, signals::OF_OTHERS)?;
    let measured = study::profile::loads_of_run(&notebook, run)?;
    let mut profile = fit::make(args, (&notebook, run), &measured, console)?;
    output.map(|output| profile.write(output)).transpose()?;
    profile.keep(&notebook, run, console);
    profile.busy(run, path).iter().for_each(|words| console.warn(words));
    if console.json() {
        let mut document = serde_json::json!({ "run": run.0 });
        document["fit"] = profile.document();
        document["loads"] = loads::document(&measured);
        console.document(&document);
    } else {
        console.answer(&report::profile_in_full(&notebook, run)?);
        console.answer(&profile.circumstances());
        profile.tell_next(run, path, console);
    }
    Ok(Exit::Done)
}

/// The experiment of this name, or of the user's file, with its target put in.
pub(super) fn resolve(
    args: &ProfileArgs,
    name: &str,
    console: &Console,
    put: &mut dyn FnMut(&mut Experiment) -> anyhow::Result<()>,
) -> anyhow::Result<Resolved> {
    let (name, text) = source(args, name)?;
    let mut experiment = experiment::parse_with(&text, &name, &args.set)
        .map_err(|faults| Coded::faulty(faults.render(console.color())))?;
    let scale: Scale =
        args.scale.parse().map_err(|error| Coded::usage(format!("--scale {}: {error}", args.scale)))?;
    let scaled = experiment::scale(&experiment, scale);
    experiment = scaled.experiment;
    let by_rule = files(&experiment);
    // A size that the user gives is not scaled, nor one that the room leaves.
    put(&mut experiment)?;
    let (used, mut statement) = (files(&experiment), scaled.statement);
    if used != by_rule {
        let sizes = used.iter().filter(|size| **size != WHOLE).map(Size::to_string);
        statement = statement.with_files_of(sizes.reduce(|first, next| format!("{first}, {next}")));
    }
    if let Some(engine) = args.engine {
        for workload in &mut experiment.workload {
            if let Workload::Block(block) = workload {
                block.engine = engine.into();
            }
        }
    }
    let seed = args.seed.or(experiment.design.seed).unwrap_or_else(draw_seed);
    let toml = experiment::to_toml(&experiment);
    let made = format!("{name}, as this target and --scale make it");
    experiment::parse(&toml, &made).map_err(|faults| Coded::faulty(faults.render(console.color())))?;
    Ok(Resolved { name, experiment, toml, scale: scaled.scale, statement, seed })
}

/// The sizes of the files of block loads, each once.
fn files(experiment: &Experiment) -> Vec<Size> {
    let mut sizes = Vec::new();
    for workload in &experiment.workload {
        if let Workload::Block(block) = workload
            && !sizes.contains(&block.size)
        {
            sizes.push(block.size);
        }
    }
    sizes
}

/// The loads of the length that was asked for.
fn of_length(args: &ProfileArgs) -> &'static str {
    match (args.quick, args.full) {
        (true, _) => "profile/quick",
        (_, true) => "profile/full",
        _ => "profile/standard",
    }
}

/// The loads by name and text: those of a name, or of the user's own file.
fn source(args: &ProfileArgs, name: &str) -> anyhow::Result<(String, String)> {
    if let Some(file) = &args.loads {
        return Ok((file.display().to_string(), input::text(file)?));
    }
    let named = experiment::find_named(name).ok_or_else(|| Coded::usage(format!("no loads `{name}`")))?;
    Ok((named.name.to_owned(), named.text.to_owned()))
}

/// Fits a drive, writes it and the report, and prints the fit and the loads; after an interrupt the loads
/// that are there, and how to go on.
fn conclude(
    args: &ProfileArgs,
    (notebook, path, finished): (&Notebook, &Path, &Finished),
    measured: &MeasuredLoads,
    (place, output): (ReportFile, Option<Output>),
    console: &Console,
) -> anyhow::Result<Exit> {
    let run = finished.run;
    let is_whole = finished.left == 0;
    // A drive of the loads that happened to count would look like one of all.
    let counts = is_whole && finished.invalid == 0;
    if is_whole && !counts {
        console.warn(&not_fitted(finished, path));
    }
    let fitted = counts.then(|| fit::make(args, (notebook, run), measured, console)).transpose();
    // Measured loads are told even where they make no drive.
    let (mut profile, mut failed) = match fitted {
        Ok(profile) => (profile, None),
        Err(error) => (None, Some(error)),
    };
    if let (Some(profile), Some(output)) = (&mut profile, output) {
        failed = profile.write(output).err();
    }
    profile.iter().for_each(|profile| profile.keep(notebook, run, console));
    let written = place.write(notebook, path, run, console);
    profile.iter().filter_map(|profile| profile.busy(run, path)).for_each(|words| console.warn(&words));
    if console.json() {
        let mut document = show::document(notebook, run)?;
        document["fit"] = profile.as_ref().map_or(Value::Null, Profile::document);
        document["loads"] = loads::document(measured);
        document["report"] = written.as_ref().map_or(Value::Null, |file| file.display().to_string().into());
        document["resume"] = if is_whole { Value::Null } else { run::resume_line(path, run).into() };
        console.document(&document);
    } else {
        console.answer(&report::profile_in_full(notebook, run)?);
        profile.iter().for_each(|profile| console.answer(&profile.circumstances()));
        if let Ok(file) = &written {
            console.answer(&words::say!("ending-report", file = file.display().to_string()));
        }
        profile.iter().for_each(|profile| profile.tell_next(run, path, console));
        if !is_whole {
            console.answer(&run::left_line(path, run, finished.left));
        }
    }
    written?;
    if let Some(left) = &finished.left_behind {
        console.warn(&left.to_string());
    }
    failed.map_or(Ok(run::exit_of(finished)), Err)
}

/// Says why no drive was fitted although every load ran, and what to do.
fn not_fitted(finished: &Finished, path: &Path) -> String {
    let (run, invalid) = (finished.run, finished.invalid);
    format!(
        "no drive was fitted: {invalid} of the {} loads do not count (`{}` says why); measure them again with `{}`, or fit the others with `{}`",
        finished.done + invalid,
        ending::command("show", run, "--full", path),
        ending::command("resume", run, "--cells", path),
        ending::command("profile --from-run", run, "-o FILE", path)
    )
}
