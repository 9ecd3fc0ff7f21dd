//! A drive from measured loads: fitted, judged by loads that the fit did not see, and written.

use std::path::Path;
use std::sync::atomic::Ordering;

use disk::Output;
use notebook::{Notebook, RunId};
use serde_json::{Value, json};
use study::profile::{
    Circumstances, Described, Fitted, KeptFit, LoadJudgement, MeasuredLoads, can_show_limit, fit_loads,
    judge_loads, surroundings_of_run,
};
use words::shell;

use super::described::{Unsaid, described};
use super::{ProfileArgs, again_there, numbers};
use crate::console::Console;
use crate::exit::Coded;
use crate::verbs::drives;
use crate::{outputs, signals};

/// A fitted drive with everything about it.
pub(super) struct Profile {
    described: Described,
    circumstances: Circumstances,
    /// Numbers of the cells that ran on a busy machine.
    busy: Vec<u32>,
    /// Loads that it was fitted to.
    loads: usize,
    fitted: Fitted,
    judgement: LoadJudgement,
    /// Where it was written, and what.
    written: Option<(String, String)>,
}

/// Fits a drive to the loads of a run.
///
/// # Errors
/// Exit code 2 for loads that make no drive, and for names that cannot be; 130 when it was to stop.
pub(super) fn make(
    args: &ProfileArgs,
    (notebook, run): (&Notebook, RunId),
    measured: &MeasuredLoads,
    console: &Console,
) -> anyhow::Result<Profile> {
    let no_drive = |error: study::profile::UnfitLoads| {
        Coded::usage(format!("the loads of run {run} make no drive: {error}"))
    };
    let surroundings = surroundings_of_run(notebook, run)?;
    let stored = notebook.run(run)?;
    let label = notebook.beds(run)?.into_iter().next().and_then(|bed| bed.label);
    let name = surroundings.name.or(label).unwrap_or_else(|| stored.name.clone());
    let sets = notebook.fact_sets(run)?;
    let kept = sets.into_iter().find(|(scope, _)| scope == study::profile::FACTS);
    let unsaid = Unsaid {
        maker: None,
        interface: None,
        title: surroundings.title,
        capacity: surroundings.capacity.map(|(bytes, from)| (bytes, from.to_owned())),
        from: match measured.missing {
            0 => format!("{}, run {}", stored.name, stored.key()),
            missing => format!("{}, run {}, without {missing} of its cells", stored.name, stored.key()),
        },
        name,
    };
    let described = described(args, unsaid.or_as_before(&kept.map(|(_, facts)| facts).unwrap_or_default()))?;
    let fitted = fit_loads(&measured.loads).map_err(no_drive)?;
    if !can_show_limit(&measured.loads) {
        console.warn(
            "a limit in front of the drive, such as that of a cloud volume, could not show: that needs random reads of two \
             sizes for 6 s or more; measure for longer, at a greater --scale",
        );
    }
    if fitted.is_without_writes() {
        let rest = if measured.missing > 0 { "; `drivetrain resume` measures the missing cells" } else { "" };
        console.warn(&format!("{}{rest}", study::profile::WITHOUT_WRITES));
    }
    console.note("judging the fit: each tenth of the loads is left out in turn");
    let stop = signals::flag();
    let judgement = judge_loads(&measured.loads, &mut |_, _| !stop.load(Ordering::Relaxed))
        .map_err(no_drive)?
        .ok_or_else(|| Coded::interrupted("stopped before the fit was judged; the loads are kept"))?;
    let pauses = study::profile::pauses(&measured.loads, &fitted.spec.limits).map(|found| found.to_string());
    Ok(Profile {
        described,
        circumstances: Circumstances { pauses, ..surroundings.circumstances },
        busy: surroundings.busy,
        loads: measured.loads.len(),
        fitted,
        judgement,
        written: None,
    })
}

impl Profile {
    /// Writes the drive's file.
    ///
    /// # Errors
    /// An entry that every verb would refuse is not written.
    pub(super) fn write(&mut self, output: Output) -> anyhow::Result<()> {
        let drive =
            study::profile::write_loads(&self.described, &self.circumstances, &self.fitted, &self.judgement);
        device::catalogue::parse(&drive, &self.described.name).map_err(|faults| {
            Coded::faulty(format!("error: the loads make no drive\n{}", faults.render(false)))
        })?;
        let path = output.path().display().to_string();
        output.write(drive.as_bytes()).map_err(outputs::coded)?;
        self.written = Some((path, drive));
        Ok(())
    }

    /// Keeps the fit with the run of its loads, where its report finds it. A notebook that cannot be written
    /// is told, and the fit is good all the same.
    pub(super) fn keep(&self, notebook: &Notebook, run: RunId, console: &Console) {
        let fit = KeptFit::of(&self.described.title, self.loads, &self.fitted, &self.judgement);
        if let Err(error) = fit.keep(notebook, run) {
            console
                .warn(&format!("the fit is not kept with run {run}, whose report does not show it: {error}"));
        }
        if let Some((_, text)) = &self.written {
            again_there::note(text, (notebook, run), console);
        }
    }

    /// The circumstances of the measurement, as the drive's file has them.
    pub(super) fn circumstances(&self) -> String {
        let Circumstances { scale, date, machine, preconditioned, filled, beside, pauses } =
            &self.circumstances;
        let lines = [
            ("shortened to", scale),
            ("measured", date),
            ("on", machine),
            ("written before", preconditioned),
            ("filled", filled),
            ("beside", beside),
            ("pauses", pauses),
        ];
        let line = |(name, words): (&str, &Option<String>)| Some(format!("{name:15} {}\n", words.as_ref()?));
        lines.into_iter().filter_map(line).collect()
    }

    /// The remedy for cells that ran on a busy machine.
    pub(super) fn busy(&self, run: RunId, path: &Path) -> Option<String> {
        let cells: Vec<String> = self.busy.iter().map(u32::to_string).collect();
        let again = || crate::ending::command("resume", run, &format!("--cells {}", cells.join(",")), path);
        (!cells.is_empty()).then(|| {
            format!(
                "other programs took more than a fifth of the processors or a tenth of the drive beside {} of the loads; measure those again once it is quiet:\n  {}",
                cells.len(),
                again()
            )
        })
    }

    /// Tells the next command, and warns of an inaccurate drive that was written.
    pub(super) fn tell_next(&self, run: RunId, path: &Path, console: &Console) {
        console.answer(&self.next(run, path));
        if let Some((file, text)) = &self.written
            && let Ok(entry) = device::catalogue::parse(text, file)
        {
            drives::warn_of_error(file, &entry, console);
        }
    }

    /// The next command.
    fn next(&self, run: RunId, path: &Path) -> String {
        match &self.written {
            Some((file, _)) => {
                format!("written to {file}\nnext: drivetrain drives {}", shell::path(Path::new(file)))
            }
            None => format!("next: {}", super::from_run(run, None, path)),
        }
    }

    /// The same for programs.
    pub(super) fn document(&self) -> Value {
        let judgement = &self.judgement;
        let point = |point: &study::profile::JudgedPoint| json!({ "load": point.shape.to_string(), "side": point.side.name(), "mean": point.mean, "p50": point.p50, "p95": point.p95, "p99": point.p99 });
        let [numbers, words] = numbers::document(&self.fitted);
        json!({
            "name": self.described.name,
            "mean_error": numbers::errors_document(&judgement.mean),
            "p50_error": numbers::errors_document(&judgement.p50),
            "p95_error": numbers::errors_document(&judgement.p95),
            "p99_error": numbers::errors_document(&judgement.p99),
            "points": judgement.points.iter().map(point).collect::<Vec<_>>(),
            "systematic": judgement.systematic.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "worst": judgement.worst().iter().map(|worst| json!({ "load": worst.shape.to_string(), "side": worst.side.name(), "figure": worst.figure_name(), "error": worst.error })).collect::<Vec<_>>(),
            "not_judged": judgement.alone.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "numbers": numbers,
            "words": words,
            "scale": self.circumstances.scale,
            "date": self.circumstances.date,
            "machine": self.circumstances.machine,
            "preconditioned": self.circumstances.preconditioned,
            "filled": self.circumstances.filled,
            "beside": self.circumstances.beside,
            "pauses": self.circumstances.pauses,
            "busy_cells": self.busy,
            "written": self.written.as_ref().map(|(file, _)| file),
        })
    }
}
