//! Help: verbs grouped by what a person wants, global options in one place, examples at the end of each verb.

use clap::{Arg, Command, CommandFactory as _};
use textwrap::{Options, WordSplitter};

use crate::cli::Cli;
use crate::exit::EXIT_CODES;
use crate::verbs::{GROUPS, examples};

/// The place of everything in the help of the program.
const TEMPLATE: &str = "{about-with-newline}\n{usage-heading} {usage}{after-help}";
/// The last line of the help of each verb.
const MORE: &str = "Options of every verb: drivetrain help options";
/// Columns that the lists of verbs and options keep to, so that no terminal breaks their lines.
const WIDTH: usize = 80;

/// The command line as it is parsed: help as people read it.
pub(crate) fn command() -> Command {
    let after_help = format!(
        "{}\n\n{}\n\n{}\n\n{EXIT_CODES}",
        groups(&Cli::command()),
        options(),
        examples::section(examples::FIRST)
    );
    let globals: Vec<String> = globals().iter().map(|option| option.get_id().to_string()).collect();
    let hidden = globals
        .iter()
        .fold(Cli::command(), |command, name| command.mut_arg(name, |option| option.hide(true)));
    hidden
        .mut_subcommands(|verb| with_examples(verb, MORE))
        .help_template(TEMPLATE)
        .override_usage("drivetrain [OPTIONS] VERB [ARGUMENTS]")
        .after_help(after_help)
}

/// The command line for man pages and completions: every option at every verb.
pub(crate) fn reference() -> Command {
    let after_help = format!("{}\n\n{EXIT_CODES}", examples::section(examples::FIRST));
    Cli::command().mut_subcommands(|verb| with_examples(verb, "")).after_help(after_help)
}

/// The options that every verb takes, as a section of help.
pub(crate) fn options() -> String {
    let only = Command::new("drivetrain")
        .disable_help_flag(true)
        .help_template("{options}")
        .next_line_help(false)
        .term_width(WIDTH)
        .args(globals())
        .arg(Arg::new("help").long("help").short('h').num_args(0).help("Print help; `-h` prints a summary"))
        .arg(Arg::new("version").long("version").short('V').num_args(0).help("Print the version"));
    let rendered = only.clone().render_help().to_string();
    format!("Options of every verb:\n{}", rendered.trim_end())
}

fn globals() -> Vec<Arg> {
    Cli::command().get_arguments().filter(|option| option.is_global_set()).cloned().collect()
}

/// The verbs with their purposes, group by group.
fn groups(command: &Command) -> String {
    let width = command.get_subcommands().map(|verb| verb.get_name().len()).max().unwrap_or(0);
    let line = |name: &&str| {
        let verb = command.find_subcommand(name)?;
        let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
        Some(format!("\n  {name:width$}  {}", wrapped(&about, width + 4)))
    };
    let group = |(head, verbs): &(&str, &[&str])| {
        format!("{head}:{}", verbs.iter().filter_map(line).collect::<String>())
    };
    GROUPS.iter().map(group).collect::<Vec<_>>().join("\n\n")
}

/// A text in lines that begin at a column.
fn wrapped(text: &str, column: usize) -> String {
    let width = Options::new(WIDTH - column).word_splitter(WordSplitter::NoHyphenation);
    textwrap::wrap(text, width).join(&format!("\n{:column$}", ""))
}

/// A verb whose help ends with its examples, and a last line.
fn with_examples(verb: Command, last: &str) -> Command {
    let remarks = verb.get_after_help().map(ToString::to_string);
    let examples = Some(examples::of(verb.get_name())).filter(|examples| !examples.is_empty());
    let last = Some(last.to_owned()).filter(|last| !last.is_empty());
    let parts = [remarks, examples.map(examples::section), last];
    verb.after_help(parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_verb_is_in_one_group() {
        for verb in Cli::command().get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let holds = |(_, verbs): &&(&str, &[&str])| verbs.contains(&verb.get_name());
            assert_eq!(GROUPS.iter().filter(holds).count(), 1, "{}", verb.get_name());
        }
        let shown = Cli::command().get_subcommands().filter(|verb| !verb.is_hide_set()).count();
        let known = GROUPS.iter().map(|(_, verbs)| verbs.len()).sum::<usize>();
        assert_eq!(known, shown, "no group names what is no verb");
    }

    #[test]
    fn options_of_every_verb_are_told_once() {
        let mut whole = command();
        let text = whole.render_long_help().to_string();
        assert_eq!(text.matches("--notebook <FILE>").count(), 1, "{text}");
        for verb in whole.get_subcommands_mut() {
            let text = verb.render_long_help().to_string();
            assert!(!text.contains("--notebook <FILE>") && text.trim_end().ends_with(MORE), "{text}");
        }
        assert!(reference().render_long_help().to_string().contains("--notebook"));
    }
}
