//! Lists the languages and their files of messages, so that a new language or file needs no line of code.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let locales = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../locales").canonicalize()?;
    println!("cargo::rerun-if-changed={}", locales.display());
    let mut list = "[\n".to_owned();
    // English is the first: it is spoken where no other language is asked for.
    let mut folders = sorted(&locales)?;
    folders.retain(|folder| folder.is_dir());
    folders.sort_by_key(|folder| !folder.ends_with("en"));
    for folder in folders {
        println!("cargo::rerun-if-changed={}", folder.display());
        writeln!(list, "    ({:?}, &[", stem(&folder))?;
        for file in sorted(&folder)?.iter().filter(|path| path.extension().is_some_and(|e| e == "ftl")) {
            writeln!(list, "        ({:?}, include_str!({:?})),", stem(file), file.display().to_string())?;
        }
        list.push_str("    ]),\n");
    }
    list.push(']');
    fs::write(Path::new(&env::var("OUT_DIR")?).join("languages.rs"), list)?;
    Ok(())
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
