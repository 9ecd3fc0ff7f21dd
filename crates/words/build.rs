//! Lists the files of messages, so that a new file needs no line of code.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../locales/en").canonicalize()?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "ftl") {
            files.push(path);
        }
    }
    files.sort();
    let mut list = "&[\n".to_owned();
    for path in &files {
        let name = path.file_stem().unwrap_or_default();
        writeln!(
            list,
            "    ({:?}, include_str!({:?})),",
            name.display().to_string(),
            path.display().to_string()
        )?;
    }
    list.push(']');
    fs::write(Path::new(&env::var("OUT_DIR")?).join("english.rs"), list)?;
    Ok(())
}
