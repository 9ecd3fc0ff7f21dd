//! Loads beside which other programs were busy are measured once more without being asked for, as by
//! `resume --cells`.

use lab::{Again, Event, Finished, Interrupt, LabError, Observer, World};
use notebook::Notebook;
use study::profile::surroundings_of_run;

/// The most repetitions: a machine that stays busy is told, and not waited for.
const TIMES_MOST: u32 = 2;

/// Measures the loads of a run that ended once more, as long as other programs were busy beside them.
///
/// # Errors
/// As of a resumed run.
pub(super) fn while_busy(
    notebook: &mut Notebook,
    first: Finished,
    world: &World,
    interrupt: &Interrupt,
    observer: &dyn Observer,
) -> Result<Finished, LabError> {
    let mut finished = first;
    for time in 1..=TIMES_MOST {
        if finished.left > 0 || finished.left_behind.is_some() || interrupt.requested() {
            break;
        }
        // Surroundings that cannot be read are told when the drive is fitted.
        let busy = surroundings_of_run(notebook, finished.run).map(|around| around.busy).unwrap_or_default();
        if busy.is_empty() {
            break;
        }
        let cells = if busy.len() == 1 { "1 load" } else { &format!("{} loads", busy.len()) };
        observer.event(Event::Warning {
            text: format!(
                "other programs took more than a fifth of the processors or a tenth of the drive beside {cells}: measured once more ({time} of {TIMES_MOST} times at most)"
            ),
        });
        let again = Again { repeats: None, cells: busy.iter().map(|number| number - 1).collect() };
        let beds = study::Values::calibrated();
        finished = lab::resume((finished.run, &again), &beds, notebook, world, interrupt, observer)?;
    }
    Ok(finished)
}
