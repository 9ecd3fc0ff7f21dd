//! Without root: mounts, and servers on modelled drives. Run by root, the commands run as the account without
//! rights that every machine has.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::watched::Watched;
use crate::common::{self, Ran, Scratch};
use crate::ends::wait_for_a_cell;
use crate::servers::ONE_BED;
use testkit::need;

/// The account without rights.
const NOBODY: u32 = 65_534;

/// Opens `/dev/fuse` to users in a mount namespace of the command's own, as distributions do for all, and
/// goes on as that account.
const AS_NOBODY: &str = r#"
    mount -t tmpfs -o mode=755 tmpfs "$1" && mknod -m 666 "$1/fuse" c 10 229 && mount --bind "$1/fuse" /dev/fuse || exit 99
    shift; exec setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"
"#;

/// A folder of that account with its own notes.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    if need::is_root() {
        for name in ["", "dev", "home"] {
            let path = scratch.path().join(name);
            fs::create_dir_all(&path).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        std::os::unix::fs::chown(scratch.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        std::os::unix::fs::chown(scratch.path().join("home"), Some(NOBODY), Some(NOBODY)).unwrap();
    }
    scratch
}

/// The binary with these arguments, as an ordinary user, even if root runs the tests.
fn command(scratch: &Scratch, arguments: &[&str]) -> Command {
    let own = scratch.command(arguments);
    if !need::is_root() {
        return own;
    }
    // The build's folders need not be open to others; the program itself is.
    let program = scratch.path().join("drivetrain");
    if !program.exists() {
        fs::copy(own.get_program(), &program).unwrap();
    }
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "private", "sh", "-c", AS_NOBODY, "sh"]);
    command.arg(scratch.path().join("dev")).arg(&program).args(arguments).current_dir(scratch.path());
    let home = scratch.path().join("home");
    command
        .env("NO_COLOR", "1")
        .env("DRIVETRAIN_LANGUAGE", "en")
        .env("HOME", &home)
        .env("DRIVETRAIN_RUNTIME_DIR", home.join("notes"));
    command.env_remove("DRIVETRAIN_NOTEBOOK");
    command
}

/// As [`command`], of a user who may not mount.
fn without_mounts(scratch: &Scratch, arguments: &[&str]) -> Command {
    let own = command(scratch, arguments); // Puts the program in its place.
    if !need::is_root() {
        return own;
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"]);
    command.arg(scratch.path().join("drivetrain")).args(arguments).current_dir(scratch.path());
    own.get_envs().for_each(|(name, value)| {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    });
    command
}

fn run(scratch: &Scratch, arguments: &[&str]) -> Ran {
    Ran::from(command(scratch, arguments).output().unwrap())
}

/// The mounts of the user. On a machine where not even root can mount, the test expects the refusal.
#[track_caller]
fn mounts() -> Option<()> {
    let can = emulate::fuse::check();
    if let Err(why) = &can {
        assert!(why.to_string().contains("use real storage"), "{why}");
    }
    need::program("fusermount3").and(need::given(can))
}

#[test]
fn a_directory_is_mounted_for_its_own_user_alone() {
    let Some(()) = mounts() else { return };
    let scratch = scratch();
    for name in ["bytes", "m"] {
        fs::create_dir(scratch.path().join(name)).unwrap();
        if need::is_root() {
            std::os::unix::fs::chown(scratch.path().join(name), Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
    let mut command = command(&scratch, &["mount", "--drive", "dc1500m", "bytes", "m", "--json"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut told = String::new();
    while !told.contains("Ctrl-C unmounts") {
        assert!(stderr.read_line(&mut told).unwrap() > 0, "it ended: {told}");
    }
    let table = fs::read_to_string(format!("/proc/{}/mountinfo", child.id())).unwrap();
    // The namespace begins with whatever others had mounted when it was made.
    let place = scratch.path().join("m").display().to_string();
    let mounted = table.lines().find(|line| line.contains("drivetrain:") && line.contains(&place));
    let mounted = mounted.expect("it is mounted");
    assert!(!mounted.contains("allow_other"), "{mounted}");
    // As the user sees it, through the namespace of the process.
    let file = Path::new("/proc")
        .join(child.id().to_string())
        .join("root")
        .join(scratch.path().strip_prefix("/").unwrap())
        .join("m");
    if !need::is_root() {
        fs::write(file.join("a"), "kept").unwrap();
    }
    writeln!(child.stdin.as_mut().unwrap(), "quit").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{told}");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["mounts"][0]["errors"], 0, "{document:#}");
}

#[test]
fn servers_stand_on_modelled_drives() {
    let Some(()) = mounts() else { return };
    for (engine, program) in [("postgresql", "initdb"), ("mariadb", "mariadbd")] {
        let Some(_) = need::program(program) else { continue };
        let scratch = scratch();
        let modelled = "{ emulated = \"kingston-dc1500m-960g\", path = \".\" }";
        let text = ONE_BED.replace("{ real = \".\" }", modelled).replace("postgresql", engine);
        scratch.write("x.toml", &text);
        let ran = run(&scratch, &[&["run", "x.toml", "--json"], &common::PACED[..]].concat());
        let ran = ran.expect(0).json();
        for cell in ran["cells"].as_array().unwrap() {
            assert_eq!(cell["state"], "done", "{engine}: {cell:#}");
            let syncs = cell["metrics"]["drive_sync_latency_mean"]["value"].as_f64();
            assert!(syncs > Some(0.0), "{engine}: its drive was charged: {cell:#}");
        }
        assert!(!scratch.path().join("drivetrain-data").exists(), "{engine}");
    }
}

#[test]
fn what_an_ordinary_user_lacks_is_named() {
    // Only root can take something away; `emulate`'s own tests state the words for each case.
    let (Some(()), Some(())) = (mounts(), need::root()) else { return };
    let scratch = scratch();
    fs::create_dir(scratch.path().join("m")).unwrap();
    let output = without_mounts(&scratch, &["mount", "--drive", "free", "m"]).output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{words}");
    // The mode of the device here decides which of the two comes first.
    assert!(words.contains("chmod 666 /dev/fuse") || words.contains("no_new_privs"), "{words}");
    assert!(!words.contains("allow_other"), "{words}");
}

/// A killed run, whose notebook is made read-only for a while.
#[test]
fn a_notebook_that_cannot_be_written_is_left_alone_and_resumed_once_it_can() {
    let scratch = scratch();
    let text = common::QUICK.replace("repeats = 2", "repeats = 1").replace("[1, 2]", "[1]");
    scratch.write("x.toml", &text.replace("\"1s\"", "\"3s\""));
    let user = |arguments: &[&str]| Ran::from(without_mounts(&scratch, arguments).output().unwrap());
    let quiet = |command: &mut Command| command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut child = quiet(&mut without_mounts(&scratch, &["run", "x.toml"]));
    wait_for_a_cell(&scratch);
    child.kill().unwrap();
    child.wait().unwrap();
    let notebook = scratch.path().join("drivetrain.db");
    let set_mode = |mode| fs::set_permissions(&notebook, fs::Permissions::from_mode(mode)).unwrap();
    let files = || {
        let names = fs::read_dir(scratch.path()).unwrap().map(|entry| entry.unwrap().file_name());
        names.collect::<std::collections::BTreeSet<_>>()
    };
    let refused_without_a_trace = |arguments: &[&str]| {
        let before = files();
        let refused = user(arguments);
        assert_ne!(refused.code, Some(0), "{refused:#?}");
        assert!(refused.stderr.contains("read-only"), "{}", refused.stderr);
        assert_eq!(files(), before, "{arguments:?}");
    };

    // The kill left a log, which is read as it is.
    set_mode(0o444);
    assert_eq!(user(&["ls", "--json"]).expect(0).json()[0]["state"], "killed");
    refused_without_a_trace(&["resume"]);
    set_mode(0o644);

    user(&["clean", "--run", "1"]).expect(0);
    assert!(!files().iter().any(|name| name == "drivetrain-data" || name == "drivetrain.db-shm"));
    set_mode(0o444);
    for arguments in [&["resume"][..], &["resume", "--record", "traces"], &["run", "x.toml"]] {
        refused_without_a_trace(arguments);
    }
    let before = files();
    assert_eq!(user(&["ls", "--json"]).expect(0).json()[0]["state"], "killed");
    assert_eq!(files(), before);
    set_mode(0o644);
    user(&["resume"]).expect(0);
}

/// A request of the account without rights, as curl makes it; the whole answer, empty where the connection is
/// refused.
fn asked_by_nobody(address: &str, method: &str, path: &str) -> String {
    const ASK: &str = "exec 3<>\"/dev/tcp/$1/$2\" || exit 0
        printf '%s %s HTTP/1.1\\r\\nHost: localhost\\r\\n' \"$3\" \"$4\" >&3
        printf 'x-drivetrain: 1\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n' >&3
        cat <&3";
    let (host, port) = address.split_once(':').unwrap();
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "bash", "-c", ASK, "bash"]);
    let output = command.args([host, port, method, path]).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn another_user_neither_sees_nor_stops_a_run() {
    let Some(()) = need::root() else { return };
    let scratch = Scratch::with("x.toml", common::QUICK);
    fs::set_permissions(scratch.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let mut run =
        Watched::run(&scratch, &["x.toml", "--set", "design.repeats=1", "--set", "workload.measure=2s"]);
    run.events_until("live");
    for (method, path) in [("GET", "/"), ("GET", "/api/runs"), ("POST", "/stop/now")] {
        let answer = asked_by_nobody(&run.address, method, path);
        assert!(!answer.contains("200 OK") && !answer.contains("202 "), "{method} {path}: {answer}");
        assert!(!answer.contains("x.toml"), "{method} {path}: {answer}");
    }
    assert!(run.ask("GET", "/api/runs").contains("200 OK"), "its own user is answered");
    // A request to stop that somebody else left beside the notebook.
    let stop = scratch.path().join("drivetrain.db-stop");
    fs::write(&stop, "now").unwrap();
    std::os::unix::fs::chown(&stop, Some(NOBODY), Some(NOBODY)).unwrap();
    assert_eq!(run.child.wait().unwrap().code(), Some(0), "the run goes on to its end");
    assert!(stop.exists(), "the file of somebody else stays");
}

#[test]
fn a_device_without_rights_is_told_as_one_without_rights() {
    let Some(()) = need::root() else { return };
    let scratch = scratch();
    let device = scratch.path().join("device");
    assert!(Command::new("mknod").arg(&device).args(["b", "7", "211"]).status().unwrap().success());
    fs::set_permissions(&device, fs::Permissions::from_mode(0o600)).unwrap();
    let output = without_mounts(&scratch, &["profile", "device"]).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("Permission denied") && !told.contains("is not there"), "{told}");
}
