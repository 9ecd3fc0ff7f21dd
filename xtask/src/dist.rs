//! `cargo xtask dist`: what users install who have no Rust. One program without debug information, which lies
//! beside it; man pages, completions and the licences of all that is inside; a Debian package of these; and
//! with `--check` a run of the demo from that package in a clean root.
//!
//! Everything lies in `target/distribution`. The program is linked statically if the musl target is there.

#![allow(clippy::print_stdout)] // A part of a command line program: its answer goes to stdout.

mod clean_root;
mod notice;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use crate::features;

const MUSL: &str = "x86_64-unknown-linux-musl";
/// The variable with the flags of that target's compiler.
const MUSL_FLAGS: &str = "CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_RUSTFLAGS";
/// The folder in the compiler's own directory that makes its linker known to a C compiler.
const GCC_LD: &str = "lib/rustlib/x86_64-unknown-linux-gnu/bin/gcc-ld";
/// The limit for the installed program: it had 28.0 MB when this was written, of which the tables and code of
/// unwinding take about a quarter. A panic in a drive or a parser must stay an error, so they remain.
const LARGEST_BYTES: u64 = 28_500_000;
/// The version of cargo-deb that is installed where there is none, as cargo takes it.
const CARGO_DEB: &str = "^3.8";

/// The arguments of a call.
#[derive(Debug, PartialEq, Eq)]
pub struct Asked {
    /// The profile of cargo; `dev` for a check that need not wait for the optimizer.
    profile: String,
    checks: bool,
}

impl Asked {
    /// True for a build that only tries the way to the package.
    fn is_development(&self) -> bool {
        self.profile == "dev"
    }

    /// Reads `[--profile NAME] [--check]`.
    ///
    /// # Errors
    /// For a word that is not known, or an option without its value.
    pub fn from_arguments(mut arguments: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let mut asked = Self { profile: "dist".to_owned(), checks: false };
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--profile" => asked.profile = arguments.next().context("--profile needs a value")?,
                "--check" => asked.checks = true,
                other => bail!("{other} is not known; dist takes --profile NAME and --check"),
            }
        }
        Ok(asked)
    }
}

/// Makes everything, and checks it where asked to.
///
/// # Errors
/// When a program is missing, a build fails, or the package does not run in a clean root.
pub fn run(root: &Path, asked: &Asked) -> anyhow::Result<()> {
    let dist = root.join("target/distribution");
    let files = dist.join("files");
    if files.exists() {
        fs::remove_dir_all(&files).with_context(|| format!("removing {}", files.display()))?;
    }
    fs::create_dir_all(files.join("man"))?;
    // A development build shares the libraries of the tests' build, so it is linked as they are.
    let target = if asked.is_development() { None } else { static_target() };
    if target.is_none() && !asked.is_development() {
        println!(
            "linked dynamically: `rustup target add {MUSL}` and musl-gcc (Debian: musl-tools) make it static"
        );
    }
    let built = build(root, &asked.profile, target)?;
    let program = files.join("drivetrain");
    split(&built, &program, &dist.join("drivetrain.debug"))?;
    pages(&program, &files)?;
    fs::write(files.join("NOTICE"), notice::text(root)?).context("writing NOTICE")?;
    let package = debian(root, &dist, asked)?;
    for file in [&program, &package] {
        println!("{:>7.1} MB  {}", fs::metadata(file)?.len() as f64 / 1e6, file.display());
    }
    if !asked.is_development() && fs::metadata(&program)?.len() > LARGEST_BYTES {
        bail!("{} is larger than {:.0} MB", program.display(), LARGEST_BYTES as f64 / 1e6);
    }
    if asked.checks {
        clean_root::check(&package, target.is_some())?;
    }
    Ok(())
}

/// The musl target, where it is installed with its C compiler.
fn static_target() -> Option<&'static str> {
    let installed = Command::new("rustup").args(["target", "list", "--installed"]).output().ok()?;
    let has_target = String::from_utf8_lossy(&installed.stdout).lines().any(|line| line == MUSL);
    let compiler = Command::new("musl-gcc").arg("--version").output();
    (has_target && compiler.is_ok_and(|answer| answer.status.success())).then_some(MUSL)
}

/// The compiler's own linker folds functions of equal code; the system's linker is the second choice.
/// Both write the addresses to correct at the start in the packed form, which takes a hundredth of the room.
fn link_flags() -> String {
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output().map(|answer| answer.stdout);
    let sysroot = String::from_utf8_lossy(&sysroot.unwrap_or_default()).trim().to_owned();
    let folder = Path::new(&sysroot).join(GCC_LD);
    let own = if folder.join("ld.lld").exists() {
        format!("-Clink-arg=-B{} -Clink-arg=-fuse-ld=lld -Clink-arg=-Wl,--icf=all ", folder.display())
    } else {
        String::new()
    };
    format!("{own}-Clink-arg=-Wl,-z,pack-relative-relocs")
}

/// Compiles the program; its path.
fn build(root: &Path, profile: &str, target: Option<&str>) -> anyhow::Result<PathBuf> {
    let mut cargo = cargo(root);
    // Chosen from the whole workspace, so that the libraries of the tests' build serve again.
    cargo.args(["build", "--locked", "--workspace", "--bin", "drivetrain", "--profile", profile]);
    let mut place = root.join("target");
    if let Some(target) = target {
        cargo.args(["--target", target]).env(MUSL_FLAGS, link_flags());
        place.push(target);
    }
    if profile == "dev" {
        // With the features of the tests, without the library of MPI that only they need.
        cargo.args(["--features", &features::without_libraries()]);
    }
    done(&mut cargo, "compiling drivetrain")?;
    // Cargo calls the folder of its profile `dev` by another name.
    Ok(place.join(if profile == "dev" { "debug" } else { profile }).join("drivetrain"))
}

/// Copies the program without its debug information, which goes into a file of its own.
fn split(built: &Path, program: &Path, debug: &Path) -> anyhow::Result<()> {
    let objcopy = |arguments: &[&str], from: &Path, to: &Path| {
        done(Command::new("objcopy").args(arguments).arg(from).arg(to), "taking the debug information apart")
    };
    objcopy(&["--only-keep-debug"], built, debug)?;
    let link = format!("--add-gnu-debuglink={}", debug.display());
    objcopy(&["--strip-all", &link], built, program)
}

/// Man pages and completions, told by the program itself.
fn pages(program: &Path, files: &Path) -> anyhow::Result<()> {
    done(Command::new(program).current_dir(files).args(["man", "man", "--quiet"]), "writing the man pages")?;
    for page in fs::read_dir(files.join("man"))? {
        // As Debian wants them.
        done(Command::new("gzip").args(["--best", "--no-name"]).arg(page?.path()), "packing a man page")?;
    }
    let shells = [("bash", "drivetrain.bash"), ("fish", "drivetrain.fish"), ("zsh", "_drivetrain")];
    for (shell, file) in shells {
        let script = Command::new(program).current_dir(files).args(["completions", shell]).output()?;
        if !script.status.success() {
            bail!("completions for {shell}: {}", String::from_utf8_lossy(&script.stderr));
        }
        fs::write(files.join(file), script.stdout)?;
    }
    Ok(())
}

/// The Debian package of `target/distribution/files`; its path.
fn debian(root: &Path, dist: &Path, asked: &Asked) -> anyhow::Result<PathBuf> {
    let package = dist.join("drivetrain.deb");
    let tools = root.join("target/tools");
    let own = tools.join("bin/cargo-deb");
    let found =
        Command::new("cargo-deb").arg("--version").output().is_ok_and(|answer| answer.status.success());
    let program = if found { PathBuf::from("cargo-deb") } else { own };
    if !found && !program.exists() {
        println!("installing cargo-deb into {}", tools.display());
        let mut install = cargo(root);
        // It runs once: the optimizer would take longer than it saves.
        install.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0").env("CARGO_PROFILE_RELEASE_LTO", "off");
        // The lints of this workspace are not those of another package.
        install.env_remove("RUSTC_WORKSPACE_WRAPPER");
        install.args(["install", "cargo-deb", "--version", CARGO_DEB, "--locked", "--quiet", "--root"]);
        done(install.arg(&tools), "installing cargo-deb")?;
    }
    let mut deb = Command::new(program);
    deb.current_dir(root).args(["--package", "drivetrain", "--no-build", "--no-strip", "--output"]);
    deb.arg(&package);
    if asked.is_development() {
        // The best compression of a program of this profile takes 40 processor seconds.
        deb.arg("--fast");
    }
    done(&mut deb, "making the package")?;
    Ok(package)
}

fn cargo(root: &Path) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root);
    cargo
}

/// Runs a command to its end.
fn done(command: &mut Command, doing: &str) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("{doing}: {command:?}"))?;
    if !status.success() {
        bail!("{doing}: {command:?} failed ({status})");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read() {
        let read = |words: &[&str]| Asked::from_arguments(words.iter().map(|word| (*word).to_owned()));
        assert_eq!(read(&[]).unwrap(), Asked { profile: "dist".to_owned(), checks: false });
        let dev = read(&["--check", "--profile", "dev"]).unwrap();
        assert_eq!(dev, Asked { profile: "dev".to_owned(), checks: true });
        assert!(read(&["--profile"]).unwrap_err().to_string().contains("needs a value"));
        assert!(read(&["--fast"]).unwrap_err().to_string().contains("--fast is not known"));
    }
}
