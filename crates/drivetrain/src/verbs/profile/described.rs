//! The description of a drive by its user.

use study::profile::Described;

use super::ProfileArgs;
use crate::exit::Coded;
use crate::printable::in_one_line;

/// Defaults where the user says nothing.
pub(super) struct Unsaid {
    /// Any text; what a name cannot hold becomes a dash.
    pub(super) name: String,
    /// The name for people; the name by default.
    pub(super) title: Option<String>,
    /// Usable bytes, and where that number comes from.
    pub(super) capacity: Option<(u64, String)>,
    /// Where the numbers come from.
    pub(super) from: String,
}

/// The drive as the arguments describe it.
///
/// # Errors
/// Exit code 2 for a name that no experiment could write, and for texts of several lines.
pub(super) fn described(args: &ProfileArgs, unsaid: Unsaid) -> anyhow::Result<Described> {
    let of_text = || {
        let dashed: String = unsaid.name.to_lowercase().chars().map(in_name).collect();
        let parts: Vec<&str> = dashed.split('-').filter(|part| !part.is_empty()).collect();
        let joined = parts.join("-");
        // Names of drives begin with a letter.
        if joined.starts_with(|c: char| c.is_ascii_lowercase()) { joined } else { format!("drive-{joined}") }
    };
    let name: String = args.name.clone().unwrap_or_else(of_text);
    check(args)?;
    let or = |text: &Option<String>, default: &str| text.clone().unwrap_or_else(|| default.to_owned());
    let given = args.capacity.map(|size| (size.bytes(), "given to `drivetrain profile`".to_owned()));
    Ok(Described {
        title: or(&args.title, unsaid.title.as_ref().unwrap_or(&name)),
        maker: or(&args.maker, "not stated"),
        interface: or(&args.interface, "not stated"),
        capacity: given.or(unsaid.capacity),
        from: or(&args.source, &unsaid.from),
        name,
    })
}

/// Checks the words of the arguments, before anything is measured.
///
/// # Errors
/// Exit code 2 for a name that no experiment could write, and for texts of several lines.
pub(super) fn check(args: &ProfileArgs) -> anyhow::Result<()> {
    if let Some(name) =
        args.name.as_ref().filter(|name| name.is_empty() || name.chars().any(|c| in_name(c) != c))
    {
        return Err(Coded::usage(format!(
            "`{}` cannot be a name: use small letters, digits, `-`, `.` and `_`",
            in_one_line(name)
        )));
    }
    let texts = [&args.title, &args.maker, &args.interface, &args.source];
    if texts.into_iter().flatten().any(|text| text.trim().is_empty() || text.contains(char::is_control)) {
        return Err(Coded::usage(
            "--title, --maker, --interface and --source are one line each, and not empty",
        ));
    }
    Ok(())
}

/// The character itself where a name can hold it, else a dash.
fn in_name(c: char) -> char {
    if c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.' | '_') { c } else { '-' }
}
