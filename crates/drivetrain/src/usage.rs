//! Command lines that clap answers by itself: help, the version, and wrong usage.

use clap::error::ErrorKind;
use serde_json::json;

use crate::console::{Color, Console};
use crate::exit::Exit;

/// Prints clap's message, as a document if one was requested.
pub(crate) fn answer(error: &clap::Error) -> Exit {
    answer_to(error, &Console::new(wants_json(std::env::args_os()), false, Color::Never))
}

/// As [`answer`], for a console that is there.
pub(crate) fn answer_to(error: &clap::Error, console: &Console) -> Exit {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let text = error.to_string();
            match (console.json(), error.kind()) {
                (true, ErrorKind::DisplayVersion) => {
                    console
                        .document(&json!({ "version": text.trim_end().trim_start_matches("drivetrain ") }));
                }
                (true, _) => console.document(&json!({ "help": text })),
                // Ours to the last word, and clap knows the colours of the terminal.
                (false, _) => {
                    let _ = error.print(); // A closed pipe has seen enough.
                }
            }
            Exit::Done
        }
        _ => {
            console.fault(error.to_string().trim_end(), Exit::Usage);
            Exit::Usage
        }
    }
}

/// True if `--json` is among the arguments: clap parsed none of them.
fn wants_json(arguments: impl IntoIterator<Item = std::ffi::OsString>) -> bool {
    let options = arguments.into_iter().skip(1).take_while(|argument| argument != "--");
    options
        .into_iter()
        .any(|argument| argument == "--json" || argument.to_string_lossy().starts_with("--json="))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_is_found_before_and_after_the_verb_and_not_behind_the_dashes() {
        let wants = |line: &str| wants_json(line.split(' ').map(Into::into));
        assert!(wants("drivetrain --json ls --frobnicate") && wants("drivetrain ls --frobnicate --json"));
        assert!(!wants("drivetrain ls") && !wants("drivetrain run -- --json"));
    }
}
