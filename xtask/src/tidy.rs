//! Rules that no compiler checks: length, headers, banned words, one title a page, floors, machine paths,
//! messages.

mod ground;
mod house;
mod sentences;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;

/// Longest source file, in lines: what a reader can hold in the head.
const LINES_MAX: usize = 600;

/// Floor of every crate, as in ARCHITECTURE.md: a crate uses only floors below its own.
const FLOORS: &[(&str, u8)] = &[
    ("ground", 0),
    ("disk", 0),
    ("words", 0),
    ("tomlfile", 0),
    (FOR_TESTS, 1),
    ("remains", 1),
    ("measure", 1),
    ("device", 1),
    ("published", 1),
    ("experiment", 2),
    ("host", 2),
    ("block", 2),
    ("emulate", 2),
    ("jobfile", 3),
    ("database", 3),
    ("simulate", 3),
    ("oltp", 4),
    ("notebook", 5),
    ("fleet", 5),
    ("lab", 6),
    ("study", 6),
    ("report", 7),
    ("serve", 8),
    ("drivetrain", 9),
];

/// The crate that only tests and `xtask` depend on.
const FOR_TESTS: &str = "testkit";

/// Checks the tree below `root` and returns every fault as `path:line: what`.
///
/// # Errors
/// When a file cannot be read.
pub fn examine(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut faults = Vec::new();
    let mut sources = Vec::new();
    for path in files(root)? {
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let Ok(text) = std::fs::read_to_string(&path) else { continue }; // Pictures are not text.
        faults.extend(any_text(&name, &text));
        match path.extension().and_then(|e| e.to_str()) {
            Some("rs") => faults.extend(rust(&name, &text)),
            Some("md") => faults.extend(markdown(&name, &text)),
            _ => {}
        }
        if name.ends_with(".rs") || name.ends_with(".html") {
            faults.extend(sentences::apart::apart(&name, &text));
            sources.push((name, text));
        }
    }
    faults.extend(sentences::messages(root, &sources)?);
    faults.extend(floors(root)?);
    faults.extend(architecture(root)?);
    Ok(faults)
}

/// Files of the tree that a person wrote: all but build output, inputs for fuzzing and hidden folders other
/// than `.ci`.
fn files(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| format!("reading {}", folder.display()))? {
            let path = entry?.path();
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_owned();
            let skipped = matches!(name.as_str(), "target" | "drivetrain-data" | "corpus")
                || (name.starts_with('.') && name != ".ci");
            match path.is_dir() {
                true if !skipped => folders.push(path),
                false if !skipped && name != "Cargo.lock" => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    Ok(found)
}

fn any_text(name: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let snapshot =
        name.ends_with(".snap") || name.contains("/fixtures/") || name.contains("proptest-regressions");
    // Written in two halves so that this file does not find itself.
    let machine_paths = [["/wo", "rk/"].concat(), ["/ro", "ot/"].concat()];
    for (index, line) in text.lines().enumerate() {
        let place = format!("{name}:{}", index + 1);
        if !snapshot && line.ends_with([' ', '\t']) {
            faults.push(format!("{place}: space at the end of the line"));
        }
        if machine_paths.iter().any(|path| line.contains(path.as_str())) {
            faults.push(format!("{place}: a path of one machine"));
        }
    }
    faults
}

fn rust(name: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let lines = text.lines().count();
    if lines > LINES_MAX {
        faults.push(format!("{name}:{lines}: longer than {LINES_MAX} lines; split it, one idea per file"));
    }
    let header = text.lines().find(|l| !l.trim().is_empty()).unwrap_or_default();
    if !header.starts_with("//!") && !name.ends_with("/tests.rs") {
        faults.push(format!("{name}:1: no `//!` header that says what the file is for"));
    }
    if name.ends_with("src/lib.rs") && name.starts_with("crates/") && !text.contains("Invariant") {
        faults.push(format!("{name}:1: the crate's header names no invariant"));
    }
    let banned = [
        ["to", "do!("].concat(),
        ["unimple", "mented!("].concat(),
        ["db", "g!("].concat(),
        ["#[ig", "nore"].concat(),
        ["#[should_", "panic"].concat(),
    ];
    for (index, line) in text.lines().enumerate() {
        if let Some(word) = banned.iter().find(|word| line.contains(word.as_str())) {
            faults.push(format!("{name}:{}: `{word}` must not stay", index + 1));
        }
    }
    faults.extend(whole_trees(name, text));
    faults.extend(house::functions(name, text));
    faults.extend(house::comments(name, text));
    faults.extend(house::openings(name, text));
    faults.extend(house::papers(name, text));
    faults.extend(house::metrics(name, text));
    faults.extend(ground::clocks_and_generators(name, text));
    faults.extend(ground::world(name, text));
    faults
}

/// Removal goes file by file: outside of tests no call removes a directory with all its contents.
fn whole_trees(name: &str, text: &str) -> Vec<String> {
    let is_test = name.contains("/tests/") || name.ends_with("/tests.rs") || name.ends_with("_tests.rs");
    if !name.starts_with("crates/") || is_test {
        return Vec::new();
    }
    let calls = [["remove_dir", "_all"].concat(), ["Command::new(\"r", "m\")"].concat()];
    let tests = ["#[cfg(", "test)]\nmod tests {"].concat();
    let product = text.split(tests.as_str()).next().unwrap_or_default();
    let lines = product.lines().enumerate();
    let found = lines.filter(|(_, line)| calls.iter().any(|call| line.contains(call.as_str())));
    let fault = |index: usize| {
        format!("{name}:{}: removes a directory with whatever is in it; go file by file", index + 1)
    };
    found.map(|(index, _)| fault(index)).collect()
}

fn markdown(name: &str, text: &str) -> Vec<String> {
    let mut code = false;
    let titles = text
        .lines()
        .filter(|line| {
            code ^= line.starts_with("```");
            !code && line.starts_with("# ")
        })
        .count();
    if titles == 1 { Vec::new() } else { vec![format!("{name}:1: {titles} titles (`# `); a page has one")] }
}

/// Holds the `[dependencies]` of every crate to the floors.
fn floors(root: &Path) -> anyhow::Result<Vec<String>> {
    let floor_of: BTreeMap<&str, u8> = FLOORS.iter().copied().collect();
    let mut faults = Vec::new();
    for entry in std::fs::read_dir(root.join("crates"))? {
        let manifest = entry?.path().join("Cargo.toml");
        let parsed: toml::Table = toml::from_str(&std::fs::read_to_string(&manifest)?)?;
        let name = parsed["package"]["name"].as_str().unwrap_or_default().to_owned();
        let Some(&own) = floor_of.get(name.as_str()) else {
            faults.push(format!(
                "crates/{name}/Cargo.toml:1: no floor is known for this crate; add it to xtask/src/tidy.rs"
            ));
            continue;
        };
        let dependencies = parsed.get("dependencies").and_then(|d| d.as_table()).cloned().unwrap_or_default();
        for used in dependencies.keys() {
            if floor_of.get(used.as_str()).is_some_and(|&floor| floor >= own) {
                faults.push(format!(
                    "crates/{name}/Cargo.toml:1: uses `{used}`, which is not on a floor below"
                ));
            }
            if used == FOR_TESTS {
                faults.push(format!("crates/{name}/Cargo.toml:1: uses `{used}` outside of tests"));
            }
        }
    }
    Ok(faults)
}

/// Every crate has its place in the code map.
fn architecture(root: &Path) -> anyhow::Result<Vec<String>> {
    let map = std::fs::read_to_string(root.join("ARCHITECTURE.md")).context("reading ARCHITECTURE.md")?;
    let missing = FLOORS.iter().filter(|(name, _)| !map.contains(&format!("`{name}`")));
    Ok(missing.map(|(name, _)| format!("ARCHITECTURE.md:1: does not mention `{name}`")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_tidy() {
        let faults = examine(&crate::workspace_root()).expect("the tree can be read");
        assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    }

    #[test]
    fn faults_are_found() {
        assert_eq!(rust("x.rs", "fn main() {}\n").len(), 1, "no header");
        assert_eq!(rust("x.rs", &format!("//! x\n{}!(1);\n", ["db", "g"].concat())).len(), 1, "banned word");
        assert_eq!(rust("x.rs", &format!("//! x\n{}", "\n".repeat(LINES_MAX))).len(), 1, "too long");
        let whole = format!("//! x\nfs::{}(dir);\n", ["remove_dir", "_all"].concat());
        assert_eq!(rust("crates/lab/src/x.rs", &whole).len(), 1, "a directory with whatever is in it");
        assert_eq!(rust("crates/lab/src/x/tests.rs", &whole).len(), 0, "tests may");
        let tested = format!("//! x\n#[cfg(test)]\nmod tests {{\n{whole}}}\n");
        assert_eq!(rust("crates/lab/src/x.rs", &tested).len(), 0, "tests may");
        assert_eq!(markdown("x.md", "# One\n# Two\n").len(), 1, "two titles");
        assert_eq!(markdown("x.md", "# One\n```\n# comment\n```\n"), Vec::<String>::new());
        assert_eq!(any_text("x", "a \n").len(), 1, "trailing space");
    }
}
