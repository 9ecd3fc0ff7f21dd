//! `drivetrain worker`: a rank of a fleet, started by `run --hosts` and not by people. It speaks with its
//! lead over standard input and output, and ends when standard input closes.

use std::io::{Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fleet::{Callbacks, Fleet as _, Hello, Member};
use ground::{Clock, Stopwatch};
use lab::{Event, Interrupt, Observer, Worker, World};

use crate::console::Console;
use crate::exit::Exit;
use crate::hosts;
use crate::signals;
use crate::verbs::run;

/// A worker whose lead is gone has so long to put its servers and files in order.
const END_MAX: Duration = Duration::from_secs(20);

/// The share of a data set that is loaded is told so often.
const LOADING_EVERY: Duration = Duration::from_millis(500);

/// Runs a rank over standard input and output.
pub(crate) fn worker(console: &Console) -> anyhow::Result<Exit> {
    over((std::io::stdin(), std::io::stdout()), console)
}

/// Runs a rank that has this process for itself.
pub(crate) fn over(
    pipes: (impl Read + Send + 'static, impl Write + Send + 'static),
    console: &Console,
) -> anyhow::Result<Exit> {
    let interrupt = signals::listen(*console, signals::OF_CELLS)?;
    let ends = interrupt.clone();
    serve(pipes, &interrupt, Box::new(move || end(&ends)))
}

/// Runs a rank in the process of its lead, which hears its errors.
#[cfg(feature = "mpi")]
pub(crate) fn beside_lead(pipes: (impl Read + Send + 'static, impl Write + Send + 'static)) {
    let interrupt = Interrupt::new();
    let ends = interrupt.clone();
    let _ = serve(pipes, &interrupt, Box::new(move || stop(&ends, true)));
}

fn serve(
    pipes: (impl Read + Send + 'static, impl Write + Send + 'static),
    interrupt: &Interrupt,
    on_gone: Box<dyn Fn() + Send + Sync>,
) -> anyhow::Result<Exit> {
    let stops = interrupt.clone();
    let callbacks = Callbacks { on_stop: Box::new(move |at_once| stop(&stops, at_once)), on_gone };
    let hello = Hello { version: hosts::build(), machine: machine(), pid: std::process::id() };
    let member = Arc::new(Member::join(hello, pipes, date_off_ns(), callbacks)?);
    let observer = Tells { member: Arc::clone(&member), told: Mutex::new(Clock::Wall.stopwatch()) };
    let worker = Worker {
        member,
        directory: std::env::current_dir().ok().and_then(|path| path.into_os_string().into_string().ok()),
        world: World::of(run::clock()),
        source: &study::Values::calibrated(),
        interrupt,
        observer: &observer,
    };
    Ok(match lab::serve_rank(&worker) {
        Ok(finished) if finished.left == 0 => Exit::Done,
        Ok(_) => Exit::Interrupted,
        // The lead has heard it, and says it with the rank.
        Err(error) => Exit::of(&error.into()),
    })
}

fn stop(interrupt: &Interrupt, at_once: bool) {
    if !interrupt.requested() {
        interrupt.request();
    }
    if at_once && !interrupt.at_once() {
        interrupt.request();
    }
}

/// The lead is gone: everything ends at once, and at last by force.
fn end(interrupt: &Interrupt) {
    stop(interrupt, true);
    std::thread::spawn(|| {
        Clock::Wall.sleep(END_MAX);
        std::process::exit(Exit::Interrupted as i32);
    });
}

/// The name that the machine gives itself.
fn machine() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned()
}

/// A difference of the date for tests of hosts whose clocks differ: `DRIVETRAIN_DATE_OFF_MS`.
fn date_off_ns() -> i64 {
    let text = std::env::var("DRIVETRAIN_DATE_OFF_MS").unwrap_or_default();
    text.parse::<i64>().unwrap_or(0).saturating_mul(1_000_000)
}

/// Tells the lead what its user should know.
struct Tells {
    member: Arc<Member>,
    /// Since a share of a data set was told.
    told: Mutex<Stopwatch>,
}

impl Tells {
    fn loading(&self, what: &str, share: f64) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.elapsed() >= LOADING_EVERY {
            *told = Clock::Wall.stopwatch();
            self.member.loading(what, share);
        }
    }
}

impl Observer for Tells {
    fn event(&self, event: Event) {
        match event {
            Event::Live(live) => self.member.show(live),
            Event::Warning { text } => self.member.tell(true, &text),
            // The work of all ranks is told once.
            Event::Did { what } if self.member.rank() == 0 => self.member.tell(false, &what),
            Event::Loading { what, share } if self.member.rank() == 0 => self.loading(&what, share),
            _ => {}
        }
    }
}
