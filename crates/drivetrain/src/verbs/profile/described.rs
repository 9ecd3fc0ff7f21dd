//! The description of a drive by its user.

use device::catalogue::{CAPACITY_BYTES, NOT_STATED};
use notebook::Facts;
use study::profile::Described;

use super::ProfileArgs;
use crate::exit::Coded;
use crate::printable::in_one_line;

/// The source of numbers that the user gave.
const GIVEN: &str = "given to `drivetrain profile`";

/// Defaults where the user says nothing.
pub(super) struct Unsaid {
    /// Any text; what a name cannot hold becomes a dash.
    pub(super) name: String,
    /// The name for people; the name by default.
    pub(super) title: Option<String>,
    /// The maker and the interface; not stated by default.
    pub(super) maker: Option<String>,
    pub(super) interface: Option<String>,
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
    let or = |text: &Option<String>, default: Option<String>| text.clone().or(default);
    let given = args.capacity.map(|size| (size.bytes(), GIVEN.to_owned()));
    let not_stated = || NOT_STATED.to_owned();
    Ok(Described {
        title: or(&args.title, unsaid.title).unwrap_or_else(|| name.clone()),
        maker: or(&args.maker, unsaid.maker).unwrap_or_else(not_stated),
        interface: or(&args.interface, unsaid.interface).unwrap_or_else(not_stated),
        capacity: given.or(unsaid.capacity),
        from: args.source.clone().unwrap_or(unsaid.from),
        name,
    })
}

/// The description that the user gave, to be kept with the run of the loads.
pub(super) fn facts(args: &ProfileArgs) -> Facts {
    let capacity = args.capacity.map(|size| size.bytes().to_string());
    let given = [
        ("name", &args.name),
        ("title", &args.title),
        ("maker", &args.maker),
        ("interface", &args.interface),
        ("capacity_bytes", &capacity),
        ("source", &args.source),
    ];
    given.into_iter().filter_map(|(key, text)| Some((key.to_owned(), text.clone()?))).collect()
}

impl Unsaid {
    /// The description that was given when the loads were measured counts for a later fit as well.
    pub(super) fn or_as_before(self, facts: &Facts) -> Unsaid {
        let of = |key: &str| facts.get(key).cloned();
        let capacity = of("capacity_bytes").and_then(|bytes| bytes.parse().ok());
        Unsaid {
            name: of("name").unwrap_or(self.name),
            title: of("title").or(self.title),
            maker: of("maker").or(self.maker),
            interface: of("interface").or(self.interface),
            capacity: capacity.map(|bytes| (bytes, GIVEN.to_owned())).or(self.capacity),
            from: of("source").unwrap_or(self.from),
        }
    }
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
    if let Some(size) = args.capacity.filter(|size| !CAPACITY_BYTES.contains(&size.bytes())) {
        return Err(Coded::usage(format!("--capacity {size}: a drive holds 4 KiB to 1 EB")));
    }
    Ok(())
}

/// The character itself where a name can hold it, else a dash.
fn in_name(c: char) -> char {
    if c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.' | '_') { c } else { '-' }
}
