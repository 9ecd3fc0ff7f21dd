//! The names of the numbers of a drive. A number has the message `drive-KEY`, after its key in a drive's file
//! without the unit: `drive-read-units` for `read.units`.

use crate::kept::lines;
use crate::say::text;

/// The file of `locales` that holds them.
const NUMBERS: &str = "drive";

/// The name of a number by its key without the unit; `None` for one that this build does not know.
pub fn drive_number(key: &str) -> Option<&'static str> {
    let id = format!("drive-{}", key.replace('.', "-"));
    messages().any(|known| known == id).then(|| text(&id))
}

/// The messages of the numbers.
pub(crate) fn messages() -> impl Iterator<Item = &'static str> {
    lines(NUMBERS).map(|(id, _)| id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_named_by_its_key() {
        assert_eq!(drive_number("read.units"), Some("units that read at once"));
        assert_eq!(drive_number("write.rate_4k"), Some("steady 4KiB writes"));
        assert_eq!(drive_number("a.key_of_later"), None);
    }
}
