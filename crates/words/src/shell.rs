//! Words of the commands that answers, remarks and errors suggest, as a shell reads them.

use std::path::Path;

/// The text as one word of a shell.
#[must_use]
pub fn word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./,:@%{}".contains(c);
    // Shells expand `{a,b}` and `{1..3}`, and leave `{rank}` alone.
    let expands = word.contains('{') && (word.contains(',') || word.contains(".."));
    if !word.is_empty() && word.chars().all(is_plain) && !expands {
        return word.to_owned();
    }
    if word.chars().any(char::is_control) {
        return format!("$'{}'", word.chars().map(ansi_c).collect::<String>());
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A path as one word of a command: one that begins like an option stays a path.
#[must_use]
pub fn path(path: &Path) -> String {
    let text = path.display().to_string();
    word(&if text.starts_with('-') { format!("./{text}") } else { text })
}

/// A character inside `$'...'`: control characters by their numbers, so that a command stays one line.
fn ansi_c(c: char) -> String {
    match c {
        '\'' | '\\' => format!("\\{c}"),
        c if c.is_ascii_control() => format!("\\{:03o}", u32::from(c)),
        c if c.is_control() => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_split_them() {
        for (word, quoted) in [
            ("a.toml", "a.toml"),
            ("nvme=/mnt/{rank}", "nvme=/mnt/{rank}"),
            ("nvme=/mnt/{a,b}", "'nvme=/mnt/{a,b}'"),
            ("x{1..3}", "'x{1..3}'"),
            ("a,b..c", "a,b..c"),
            ("a b", "'a b'"),
            ("", "''"),
            ("it's", r"'it'\''s'"),
            ("x\n y: it's", r"$'x\012 y: it\'s'"),
            ("\u{1b}[31m", r"$'\033[31m'"),
        ] {
            assert_eq!(super::word(word), quoted);
        }
    }

    #[test]
    fn a_path_is_no_option() {
        let paths = ["-y", "a b;touch c", "/a/b.toml"].map(|name| path(Path::new(name)));
        assert_eq!(paths, ["./-y", "'a b;touch c'", "/a/b.toml"]);
    }
}
