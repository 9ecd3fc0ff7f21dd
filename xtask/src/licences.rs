//! `cargo xtask licences`: every dependency has a licence, a source and a name that `deny.toml` allows. It
//! needs no network, and runs as a test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use serde_json::Value;
use spdx::{Expression, ParseMode};

/// One package of the lock file.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// As its manifest says; empty where it says nothing.
    pub(crate) licence: String,
    /// The folder of its sources.
    pub(crate) folder: PathBuf,
    /// `None` for a package of the workspace.
    source: Option<String>,
}

/// The rules of `deny.toml`.
struct Rules {
    licences: Vec<String>,
    names_denied: Vec<String>,
    registries: Vec<String>,
}

/// All faults, one line each.
///
/// # Errors
/// When `deny.toml` cannot be read, or cargo does not answer.
pub fn examine(root: &Path) -> anyhow::Result<Vec<String>> {
    let rules = Rules::read(&root.join("deny.toml"))?;
    Ok(packages(root)?.iter().flat_map(|package| rules.faults(package)).collect())
}

/// All packages of the lock file.
pub(crate) fn packages(root: &Path) -> anyhow::Result<Vec<Package>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let answer = Command::new(cargo)
        .current_dir(root)
        .args(["metadata", "--format-version", "1", "--locked"])
        .output()
        .context("asking cargo for the packages")?;
    if !answer.status.success() {
        bail!("cargo metadata failed: {}", String::from_utf8_lossy(&answer.stderr).trim());
    }
    let document: Value = serde_json::from_slice(&answer.stdout).context("reading cargo's answer")?;
    document["packages"].as_array().context("cargo's answer has no packages")?.iter().map(package).collect()
}

fn package(value: &Value) -> anyhow::Result<Package> {
    let text = |key: &str| value[key].as_str().map(str::to_owned);
    let manifest = PathBuf::from(text("manifest_path").context("a package without a manifest")?);
    Ok(Package {
        name: text("name").context("a package without a name")?,
        version: text("version").context("a package without a version")?,
        licence: text("license").unwrap_or_default(),
        folder: manifest.parent().map(Path::to_owned).unwrap_or_default(),
        source: text("source"),
    })
}

impl Rules {
    fn read(path: &Path) -> anyhow::Result<Self> {
        let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        let document: toml::Table = text.parse().with_context(|| format!("reading {}", path.display()))?;
        let list = |table: &str, key: &str| -> anyhow::Result<Vec<toml::Value>> {
            let list = document.get(table).and_then(|table| table.get(key)?.as_array());
            list.cloned().with_context(|| format!("{} has no list `{key}` in [{table}]", path.display()))
        };
        let texts = |values: Vec<toml::Value>| values.iter().filter_map(text_of).collect();
        Ok(Self {
            licences: texts(list("licenses", "allow")?),
            names_denied: texts(list("bans", "deny")?),
            registries: texts(list("sources", "allow-registry")?),
        })
    }

    fn faults(&self, package: &Package) -> Vec<String> {
        let Some(source) = &package.source else { return Vec::new() };
        let who = format!("{} {}", package.name, package.version);
        let mut faults = Vec::new();
        if !self.registries.iter().any(|registry| source.strip_prefix("registry+") == Some(registry)) {
            faults.push(format!("{who}: its source {source} is not in `allow-registry`"));
        }
        if self.names_denied.contains(&package.name) {
            faults.push(format!(
                "{who}: `deny` names it; `cargo tree --invert {}` shows its users",
                package.name
            ));
        }
        match Expression::parse_mode(&package.licence, ParseMode::LAX) {
            Ok(licence) if licence.evaluate(|one| self.allows(&one.license.to_string())) => {}
            Ok(_) => faults.push(format!("{who}: no licence of `{}` is in `allow`", package.licence)),
            Err(error) => faults.push(format!("{who}: its licence `{}`: {}", package.licence, error.reason)),
        }
        faults
    }

    fn allows(&self, licence: &str) -> bool {
        self.licences.iter().any(|allowed| allowed == licence)
    }
}

/// A text, or the name of a table.
fn text_of(value: &toml::Value) -> Option<String> {
    value.as_str().or_else(|| value.get("name")?.as_str()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(licence: &str, source: &str) -> Package {
        let (name, version) = ("p".to_owned(), "1.0.0".to_owned());
        let source = Some(source.to_owned());
        Package { name, version, licence: licence.to_owned(), folder: PathBuf::new(), source }
    }

    #[test]
    fn every_dependency_keeps_the_rules() {
        assert_eq!(examine(&crate::workspace_root()).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn a_package_against_the_rules_is_named_with_its_fault() {
        let rules = Rules {
            licences: vec!["MIT".to_owned(), "Zlib".to_owned()],
            names_denied: vec!["q".to_owned()],
            registries: vec!["https://a".to_owned()],
        };
        let faults = |licence: &str, source: &str| rules.faults(&of(licence, source)).join("; ");
        assert_eq!(faults("MIT/Apache-2.0", "registry+https://a"), "");
        assert_eq!(faults("MIT AND Zlib", "registry+https://a"), "");
        assert!(faults("MIT AND Apache-2.0", "registry+https://a").contains("is in `allow`"));
        assert!(faults("GPL-3.0-only", "registry+https://a").starts_with("p 1.0.0: no licence of"));
        assert!(faults("", "registry+https://a").contains("its licence ``"));
        assert!(faults("MIT", "git+https://a").contains("`allow-registry`"));
        let denied = Package { name: "q".to_owned(), ..of("MIT", "registry+https://a") };
        assert!(rules.faults(&denied)[0].contains("cargo tree --invert q"));
    }
}
