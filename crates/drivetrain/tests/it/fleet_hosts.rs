//! A fleet over ssh: hosts with a network, processes, a name and files of their own, whose links can be cut
//! and whose power can fail. Each is a set of namespaces with an sshd, so they need root.

#![allow(clippy::print_stdout)] // The drawn moments are printed.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use ground::Random;
use testkit::need;

use crate::common::{Ran, Scratch};
use crate::fleet::{done, ended, long, open, start, values, wait_until};
use crate::fleet_faults::faults;

/// Builds the inside of a host and becomes its sshd. Arguments: its name, its directory.
const INSIDE: &str = r#"
    hostname "$1" && mount -t tmpfs tmpfs /run && mkdir /run/sshd && ip link set lo up || exit 99
    exec /usr/sbin/sshd -D -f "$2/sshd_config" -E "$2/sshd.log"
"#;

/// A host. All of its processes end with it.
struct Host {
    name: String,
    address: String,
    /// The end of its link on this machine.
    link: String,
    directory: PathBuf,
    namespaces: Child,
}

impl Host {
    /// Starts a host with `more` in the environment of its commands; `None` on a machine that may not have
    /// one.
    fn start(scratch: &Scratch, number: u32, more: &str) -> Option<Host> {
        need::root()?;
        need::program("sshd")?;
        need::program("ip")?;
        let name = format!("host{number}");
        let directory = scratch.path().join(&name);
        std::fs::create_dir_all(&directory).unwrap();
        write_files(scratch, &directory, more);
        let mut command = Command::new("unshare");
        command.args([
            "--net",
            "--uts",
            "--pid",
            "--fork",
            "--kill-child",
            "--mount-proc",
            "sh",
            "-c",
            INSIDE,
        ]);
        command.arg("sh").arg(&name).arg(&directory).stdout(Stdio::null()).stderr(Stdio::piped());
        let namespaces = command.spawn().unwrap();
        // A /30 of 10.64.0.0/10 for each host of each test program of this machine.
        let block = (std::process::id() * 8 + number) % (1 << 20) * 4;
        let at =
            |last: u32| format!("10.{}.{}.{}", 64 + (block >> 16), (block >> 8) & 255, (block & 255) + last);
        let link = format!("dt{}-{number}", std::process::id());
        let mut host = Host { name, address: at(2), link, directory, namespaces };
        need::given(host.connect(&at(1)))?;
        Some(host)
    }

    /// Lays the link and waits for sshd.
    fn connect(&mut self, outside: &str) -> Result<(), String> {
        let mut inside = None;
        wait_until("the namespaces are made", || {
            inside = self.init();
            inside.is_some() || self.namespaces.try_wait().unwrap().is_some()
        });
        let inside = inside.ok_or("network namespaces cannot be made here")?.to_string();
        ip(&["link", "add", &self.link, "type", "veth", "peer", "name", "eth0", "netns", &inside])?;
        ip(&["addr", "add", &format!("{outside}/30"), "dev", &self.link])?;
        ip(&["link", "set", &self.link, "up"])?;
        for inner in [
            &["addr", "add", &format!("{}/30", self.address), "dev", "eth0"][..],
            &["link", "set", "eth0", "up"],
        ] {
            let status = Command::new("nsenter").args(["-t", &inside, "-n", "ip"]).args(inner).status();
            assert!(status.unwrap().success(), "{inner:?}");
        }
        let address = format!("{}:22", self.address);
        wait_until("sshd listens", || std::net::TcpStream::connect(&address).is_ok());
        Ok(())
    }

    /// Its first process, as this machine numbers it, once it is in a network of its own.
    fn init(&self) -> Option<u32> {
        let of = |pid: u32| std::fs::read_link(format!("/proc/{pid}/ns/net")).ok();
        let pid = self.namespaces.id();
        let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
        let child = children.split_whitespace().next()?.parse().ok()?;
        (of(child)? != of(std::process::id())?).then_some(child)
    }

    /// The processes of drivetrain on it.
    fn ranks(&self) -> Vec<u32> {
        let Some(own) = self.init().and_then(|pid| std::fs::read_link(format!("/proc/{pid}/ns/net")).ok())
        else {
            return Vec::new();
        };
        let is_rank = |pid: &u32| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            std::fs::read_link(format!("/proc/{pid}/ns/net")).is_ok_and(|net| net == own)
                && line.windows(6).any(|part| part == b"worker")
        };
        let all = std::fs::read_dir("/proc").unwrap();
        let pids = all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        pids.filter(is_rank).collect()
    }

    fn set_link(&self, state: &str) {
        ip(&["link", "set", &self.link, state]).unwrap();
    }

    /// Nothing of it is left, and nobody is told.
    fn lose_power(mut self) -> PathBuf {
        self.namespaces.kill().unwrap();
        self.namespaces.wait().unwrap();
        std::mem::take(&mut self.directory)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.namespaces.kill(); // A host without power is off.
        let _ = self.namespaces.wait();
        let _ = ip(&["link", "del", &self.link]); // It may have gone with the host.
    }
}

fn ip(arguments: &[&str]) -> Result<(), String> {
    let output = Command::new("ip").args(arguments).output().unwrap();
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// The keys of all hosts, and what one of them reads: the program in its PATH starts in its directory.
fn write_files(scratch: &Scratch, directory: &Path, more: &str) {
    for key in ["key", "hostkey"].map(|name| scratch.path().join(name)) {
        if !key.exists() {
            let mut command = Command::new("ssh-keygen");
            command.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(key);
            assert!(command.status().unwrap().success());
        }
    }
    let (all, own) = (scratch.path().display(), directory.display());
    let program = directory.join("drivetrain");
    let binary = env!("CARGO_BIN_EXE_drivetrain");
    std::fs::write(&program, format!("#!/bin/sh\ncd {own} && exec {binary} \"$@\"\n")).unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let config = format!(
        "HostKey {all}/hostkey\nAuthorizedKeysFile {all}/key.pub\nPidFile none\nStrictModes no\nUsePAM no\n\
         PasswordAuthentication no\nPermitRootLogin prohibit-password\n\
         SetEnv PATH={own}:/usr/bin:/bin DRIVETRAIN_RUNTIME_DIR={own}/notes {more}\n"
    );
    std::fs::write(directory.join("sshd_config"), config).unwrap();
}

/// The arguments of a run on these hosts.
fn on<'a>(hosts: &'a str, ssh: &'a str) -> [&'a str; 9] {
    ["run", "x.toml", "--seed=7", "--hosts", hosts, "--ssh", ssh, "--silence", "6"]
}

fn ssh(scratch: &Scratch) -> String {
    let all = scratch.path().display();
    format!(
        "ssh -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile={all}/known -o LogLevel=ERROR -i {all}/key"
    )
}

fn both(one: &Host, two: &Host) -> String {
    format!("{},{}", one.address, two.address)
}

#[test]
fn hosts_over_ssh_are_one_load_generator() {
    let scratch = Scratch::with("x.toml", &long().replace("[200, 300]", "[200]"));
    let Some(one) = Host::start(&scratch, 1, "") else { return };
    let Some(two) = Host::start(&scratch, 2, "DRIVETRAIN_DATE_OFF_MS=500") else { return };
    let (hosts, ssh) = (both(&one, &two), ssh(&scratch));
    let ran = scratch.run(&on(&hosts, &ssh)).expect(0);
    assert!(ran.stderr.contains("fleet of 2 ranks"), "{}", ran.stderr);
    let whole = open(&scratch, "drivetrain.db");
    let parts = [0, 1].map(|rank| {
        values(&open(&scratch, &format!("host{}/drivetrain.rank-{rank}.db", rank + 1)), "latency_count")
    });
    let sums = values(&whole, "latency_count");
    assert_eq!(sums.len(), 2);
    for (cell, sum) in sums.iter().enumerate() {
        assert_eq!(*sum, parts[0][cell] + parts[1][cell]);
    }
    let (offsets, errors) = (values(&whole, "clock_offset_host_2"), values(&whole, "clock_error_host_2"));
    for (offset, error) in offsets.iter().zip(&errors) {
        // The readings of date and clock are not one.
        assert!((offset - 500.0).abs() <= error + 0.5, "{offset} +- {error}");
    }
    let shown = scratch.run(&["compare", "--json"]).expect(0).json();
    let told = &shown["hosts"][0]["hosts"];
    assert_eq!(
        (told[0]["host"].as_str(), told[1]["host"].as_str()),
        (Some(&*one.address), Some(&*two.address))
    );
}

#[test]
fn a_link_may_be_cut_at_any_moment_and_leaves_no_rank_behind_it() {
    let mut random = Random::new(testkit::seed());
    for fault in 0..faults() {
        let scratch = Scratch::with("x.toml", &long());
        let Some(one) = Host::start(&scratch, 3, "") else { return };
        let Some(two) = Host::start(&scratch, 4, "") else { return };
        let (hosts, ssh) = (both(&one, &two), ssh(&scratch));
        let lead = start(&scratch, &on(&hosts, &ssh));
        // From the first word to the last: such a run takes ten seconds.
        let after = Duration::from_millis(random.below(11_000));
        println!("fault {fault}: cut after {after:?}");
        std::thread::sleep(after);
        two.set_link("down");
        let (code, stderr) = ended(lead);
        assert!(matches!(code, Some(0 | 1 | 7)), "fault {fault}: {code:?} {stderr}");
        assert!(code != Some(1) || stderr.contains(&format!("rank 1 ({})", two.address)), "{stderr}");
        // Its own limit is twice as long, and its last seconds are for its files.
        wait_until("the rank ends without a word from its lead", || two.ranks().is_empty());
        wait_until("the other ends with its input", || one.ranks().is_empty());
        two.set_link("up");
        let kept = done(&scratch, "drivetrain.db");
        assert!(done(&scratch, "host4/drivetrain.rank-1.db") >= kept, "fault {fault}");
        if code == Some(1) && scratch.path().join("drivetrain.db").exists() {
            resumes(scratch.run(&["resume"]), &scratch);
        }
    }
}

#[test]
fn a_host_without_power_is_named_and_resume_goes_on_when_it_is_back() {
    let scratch = Scratch::with("x.toml", &long());
    let Some(one) = Host::start(&scratch, 5, "") else { return };
    let Some(two) = Host::start(&scratch, 6, "") else { return };
    let (hosts, ssh) = (both(&one, &two), ssh(&scratch));
    let lead = start(&scratch, &on(&hosts, &ssh));
    wait_until("the first cell is done", || done(&scratch, "drivetrain.db") > 0);
    let (name, address) = (two.name.clone(), two.address.clone());
    let directory = two.lose_power();
    let (code, stderr) = ended(lead);
    assert_eq!(code, Some(1), "{name}: {stderr}");
    assert!(stderr.contains(&format!("rank 1 ({address})")), "{stderr}");
    wait_until("the other ends with its input", || one.ranks().is_empty());
    assert!(directory.join("drivetrain.rank-1.db").exists());
    let two = Host::start(&scratch, 6, "").unwrap();
    assert_eq!(two.address, address);
    resumes(scratch.run(&["resume"]), &scratch);
    assert!(two.ranks().is_empty() && one.ranks().is_empty());
}

/// Every cell is done.
fn resumes(ran: Ran, scratch: &Scratch) {
    let ran = ran.expect(0);
    assert!(ran.stderr.contains("fleet of 2 ranks"), "{}", ran.stderr);
    assert_eq!(done(scratch, "drivetrain.db"), 4);
}
