//! `--otlp`: the metrics of a run for a collector. A build without the feature `otlp` refuses the option, and
//! takes no notice of the variable, which is meant for every program of a machine.

use std::path::Path;

use crate::console::Console;
use crate::exit::Coded;

/// True if the address comes from the command line and not from the environment.
fn is_asked_for() -> bool {
    std::env::args_os().any(|argument| argument.to_string_lossy().starts_with("--otlp"))
}

/// Begins to send, where an address is given; ends with the value.
///
/// # Errors
/// Exit code 2 for an option that names no collector. An address of the environment that cannot be used is
/// told, and the run goes on.
#[cfg(feature = "otlp")]
pub(crate) fn start(
    address: Option<&str>,
    notebook: &Path,
    console: &Console,
) -> anyhow::Result<Option<serve::Exporter>> {
    let Some(address) = address.filter(|address| !address.is_empty()) else { return Ok(None) };
    let collector = match serve::Collector::new(address) {
        Ok(collector) => collector,
        Err(why) if is_asked_for() => return Err(Coded::usage(format!("--otlp {address}: {why}"))),
        Err(why) => {
            console.warn(&format!("OTEL_EXPORTER_OTLP_ENDPOINT={address}: {why}; no metrics are sent"));
            return Ok(None);
        }
    };
    let console = *console;
    let exporter = serve::Exporter::start(notebook, &collector, move |text| console.warn(text));
    Ok(Some(exporter?))
}

/// Refuses the option.
///
/// # Errors
/// Exit code 2, if the option was given.
#[cfg(not(feature = "otlp"))]
pub(crate) fn start(address: Option<&str>, _notebook: &Path, _console: &Console) -> anyhow::Result<()> {
    match address.filter(|_| is_asked_for()) {
        None => Ok(()),
        Some(_) => Err(Coded::usage(
            "--otlp: this build sends no metrics; build one with `--features otlp`, or let a collector read /metrics of `drivetrain serve`",
        )),
    }
}
