//! Lists the migrations, so that a new one needs no line of code.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = fs::read_dir(&folder)?
        .map(|entry| Ok(entry?.path().display().to_string()))
        .collect::<Result<Vec<_>, std::io::Error>>()?;
    files.retain(|path| Path::new(path).extension().is_some_and(|extension| extension == "sql"));
    // Their names begin with their numbers.
    files.sort();
    let mut list = "&[\n".to_owned();
    for path in &files {
        writeln!(list, "    include_str!({path:?}),")?;
    }
    list.push(']');
    fs::write(Path::new(&env::var("OUT_DIR")?).join("migrations.rs"), list)?;
    Ok(())
}
