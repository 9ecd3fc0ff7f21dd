//! The inputs of commands, and the messages about unreadable ones: pipes, missing files, foreign words.

use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::{BLOCK, SMALL, Scratch, interrupt};

/// Waits until the process catches Ctrl-C.
fn wait_until_it_listens(child: &mut Child) {
    let status = format!("/proc/{}/status", child.id());
    loop {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it listened");
        let text = std::fs::read_to_string(&status).unwrap();
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
        if u64::from_str_radix(caught, 16).unwrap() & (1 << (libc::SIGINT - 1)) != 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn pipe(scratch: &Scratch, name: &str) {
    let made = Command::new("mkfifo").arg(scratch.path().join(name)).status().unwrap();
    assert!(made.success());
}

#[test]
fn a_trace_that_nobody_writes_ends_with_the_first_signal() {
    let scratch = Scratch::new();
    std::fs::write(scratch.path().join("file"), vec![1; 1 << 20]).unwrap();
    for begun in [false, true] {
        let mut command = scratch.command(&["replay", "/dev/stdin", "file", "--reads-only", "--buffered"]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        wait_until_it_listens(&mut child);
        // Its writer says something, and then nothing any more.
        let mut writer = child.stdin.take().unwrap();
        if begun {
            writer.write_all(b"time,op,offset,size\n0,read,0,4096\n").unwrap();
        }
        interrupt(&child);
        assert_eq!(child.wait().unwrap().code(), Some(130), "begun: {begun}");
        drop(writer);
    }
}

#[test]
fn a_trace_comes_through_a_pipe() {
    let scratch = Scratch::new();
    std::fs::write(scratch.path().join("file"), vec![1; 1 << 20]).unwrap();
    let mut command =
        scratch.command(&["replay", "/dev/stdin", "file", "--reads-only", "--buffered", "--fast", "--json"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"time,op,offset,size\n0,read,0,4096\n1,read,4096,4096\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (output.status.code(), &document["read_latency_us"]["count"]),
        (Some(0), &2.into()),
        "{document:#}"
    );
}

#[test]
fn pipes_in_the_place_of_other_files_are_no_reason_to_wait() {
    let scratch = Scratch::with("x.toml", &BLOCK.replace("kingston-dc1500m-960g", "pipe.toml"));
    pipe(&scratch, "pipe.toml");
    scratch.write("job.fio", "include pipe.toml\n[job]\nrw=read\n");
    std::fs::write(scratch.path().join("file"), vec![1; 1 << 20]).unwrap();
    let ran = scratch.run(&["run", "x.toml"]).expect(2);
    assert!(ran.stderr.contains("is a pipe or a device"), "{ran:#?}");
    scratch.run(&["import-job", "job.fio"]).expect(2);
    for reader in [
        &["drives", "--check", "pipe.toml"][..],
        &["profile", ".", "--loads", "pipe.toml"],
        &["profile", "--from-map", "pipe.toml"],
        &["profile", "--from-map", "/dev/zero"],
        &["run", "pipe.toml"],
        &["audit", "pipe.toml"],
        &["import", "pipe.toml"],
        &["import", "pipe.toml", "--format", "fio"],
        &["replay", "pipe.toml", "file", "--reads-only"],
        &["replay", "/dev/zero", "file", "--reads-only"],
    ] {
        let told = scratch.run(reader).expect(2).stderr;
        assert!(told.contains("is a pipe or a device"), "{reader:?}: {told}");
    }
    let _ = scratch.run(&["verify", "file", "--journal", "pipe.toml"]);
    scratch.run(&["verify", "pipe.toml", "--journal", "file"]).expect(1);
    scratch.run(&["ls", "--notebook", "pipe.toml"]).expect(1);
}

#[test]
fn a_cause_is_told_once() {
    let scratch = Scratch::new();
    for (arguments, cause) in [
        (&["block", "--rw", "randwrite", "none/file"][..], "No such file"),
        (&["mount", "--drive", "free", "none", "none"], "No such file"),
        (&["replay", "none", "none"], "No such file"),
        (&["show", "--notebook", "none.db"], "none.db"),
        (&["import", "none.db"], "none.db"),
        (&["run", "none.toml"], "none.toml"),
    ] {
        let ran = scratch.run(arguments);
        assert_ne!(ran.code, Some(0), "{ran:#?}");
        assert!(ran.stderr.matches(cause).count() <= 1, "{arguments:?}: {}", ran.stderr);
    }
    std::fs::create_dir(scratch.path().join("m")).unwrap();
    let twice = scratch.run(&["mount", "--drive", "free", ".", "m", ".", "./m"]).expect(2).stderr;
    assert!(twice.contains("./m: named twice as a mount point"), "{twice}");
    let missing = scratch.run(&["import", "none.db"]).expect(2);
    assert!(missing.stderr.contains("none.db: No such file"), "{}", missing.stderr);
}

/// A server of PostgreSQL's protocol that refuses everybody with these words.
fn refusing_server(words: &'static str) -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 1024]);
            let fields = format!("SFATAL\0VFATAL\0C28000\0M{words}\0\0");
            let mut message = vec![b'E'];
            message.extend_from_slice(&(fields.len() as u32 + 4).to_be_bytes());
            message.extend_from_slice(fields.as_bytes());
            let _ = stream.write_all(&message);
        }
    });
    port
}

#[test]
fn what_a_server_says_is_one_line_of_ours() {
    let port = refusing_server("go away\nerror: all is lost\r\n\u{1b}[2Jdone");
    let text = SMALL.replace("treatment = [\"storage\"]", "treatment = []").replace(
        "engine = \"sqlite\"",
        &format!("engine = \"postgresql\"\nurl = \"postgresql://nobody@127.0.0.1:{port}/none\""),
    );
    let scratch = Scratch::with("x.toml", &text);
    let ran = scratch.run(&["run", "x.toml"]).expect(1);
    let told = ran.stderr.lines().filter(|line| line.contains("all is lost"));
    let (errors, cells): (Vec<&str>, Vec<&str>) = told.partition(|line| line.starts_with("error: "));
    assert!(cells.iter().all(|line| line.starts_with('[') && line.contains("go away\\nerror")), "{cells:#?}");
    assert_eq!(errors.len(), 1, "{}", ran.stderr);
    assert!(
        errors[0].starts_with("error: ") && errors[0].contains("go away\\nerror: all is lost"),
        "{errors:?}"
    );
    assert!(!ran.stderr.contains('\u{1b}') && !ran.stderr.contains('\r'), "{ran:#?}");
}

#[test]
fn an_import_that_cannot_be_leaves_no_notebook() {
    let scratch = Scratch::with("x.toml", BLOCK);
    scratch.run(&["run", "x.toml", "--realm", "simulated", "--set", "design.repeats=1"]).expect(0);
    let itself = scratch.run(&["import", "drivetrain.db"]).expect(1);
    assert!(itself.stderr.contains("copied into itself"), "{}", itself.stderr);
    assert_eq!(scratch.run(&["ls", "--json"]).expect(0).json().as_array().unwrap().len(), 1);
    let bytes = std::fs::read(scratch.path().join("drivetrain.db")).unwrap();
    let pages = bytes.len() / 4096;
    let mut damaged = bytes.clone();
    damaged[4096 * (pages - 1)..].fill(0x55);
    std::fs::write(scratch.path().join("damaged.db"), damaged).unwrap();
    scratch.run(&["import", "damaged.db", "--notebook", "new.db"]).expect(1);
    let left: Vec<String> = std::fs::read_dir(scratch.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("new.db"))
        .collect();
    assert!(left.iter().all(|name| name.ends_with("-lock") || name.ends_with(".lock")), "{left:?}");
    // One that was there stays.
    scratch.run(&["import", "drivetrain.db", "--notebook", "other.db"]).expect(0);
    scratch.run(&["import", "damaged.db", "--notebook", "other.db"]).expect(1);
    assert!(scratch.path().join("other.db").exists());
}
