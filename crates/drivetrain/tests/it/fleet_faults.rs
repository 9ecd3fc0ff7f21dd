//! Ranks that are killed or stopped at any moment: the lead ends soon and names them, nobody stays behind,
//! and `resume` completes what was begun.

#![allow(clippy::print_stdout)] // The drawn faults are printed.

use std::time::Duration;

use ground::Random;

use crate::common::Scratch;
use crate::fleet::{done, ended, is_alive, long, send, ssh, start, wait_until, workers};

/// The number of faults: `DRIVETRAIN_KILLS=100` gives as many, in a few seconds each.
pub(crate) fn faults() -> u32 {
    std::env::var("DRIVETRAIN_KILLS").ok().and_then(|count| count.parse().ok()).unwrap_or(1)
}

/// Processes that work in the directory of a trial: whatever ranks started starts there as well.
fn strays(scratch: &Scratch) -> Vec<u32> {
    let own = std::fs::canonicalize(scratch.path()).unwrap();
    let pid_of = |entry: std::io::Result<std::fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse().ok();
    let is_there = |pid: &u32| {
        std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == own) && is_alive(*pid)
    };
    std::fs::read_dir("/proc").unwrap().filter_map(pid_of).filter(is_there).collect()
}

/// A fault of one rank.
#[derive(Clone, Copy, Debug)]
enum Fault {
    Kill,
    /// It never goes on.
    Stop,
    /// It goes on after ten seconds: later than the lead waits.
    Pause,
    /// Its disk is full from its n-th write on.
    Full(u64),
}

impl Fault {
    fn draw(random: &mut Random) -> Fault {
        match random.below(8) {
            0 => Fault::Stop,
            1 => Fault::Pause,
            2 | 3 => Fault::Full(1 + random.below(150)),
            _ => Fault::Kill,
        }
    }

    /// The environment of the rank.
    fn exports(self) -> String {
        let Fault::Full(write) = self else { return ":".to_owned() };
        format!("export DRIVETRAIN_FAULT=full@{write}")
    }

    fn strike(self, pid: u32) {
        match self {
            Fault::Kill => send(pid, "-KILL"),
            Fault::Stop => send(pid, "-STOP"),
            Fault::Pause => {
                send(pid, "-STOP");
                std::thread::spawn(move || {
                    std::thread::sleep(Duration::from_secs(10));
                    // The lead has ended it, and its number is not another's yet.
                    let _ = std::process::Command::new("kill").args(["-CONT", &pid.to_string()]).output();
                });
            }
            Fault::Full(_) => {}
        }
    }
}

#[test]
fn a_rank_may_die_at_any_moment() {
    let seed = testkit::seed();
    let mut random = Random::new(seed);
    for number in 0..faults() {
        let scratch =
            Scratch::with("x.toml", &long().replace("\"2s\"", "\"1s\"").replace("[200, 300]", "[200]"));
        let (rank, fault) = (random.below(3) as usize, Fault::draw(&mut random));
        // From the first word to the last: such a run takes three seconds.
        let after = Duration::from_millis(random.below(3500));
        println!("fault {number}: {fault:?} of rank {rank} after {after:?}");
        let host = ["a", "b", "c"][rank];
        let lead = start(&scratch, &on_hosts(&ssh(&scratch, host, &fault.exports())));
        wait_until("the ranks are there", || workers(&lead).len() == 3);
        let ranks = workers(&lead);
        std::thread::sleep(after);
        if ranks.len() == 3 && is_alive(ranks[rank]) {
            fault.strike(ranks[rank]);
        }
        let (code, stderr) = ended(lead);
        // It may have been over before.
        assert!(matches!(code, Some(0 | 1 | 7)), "fault {number}: {code:?} {stderr}");
        assert!(
            code != Some(1) || stderr.contains(&format!("rank {rank} ({host})")),
            "fault {number}: {stderr}"
        );
        wait_until("no rank outlives its lead", || !ranks.iter().any(|pid| is_alive(*pid)));
        assert_eq!(strays(&scratch), Vec::<u32>::new(), "fault {number}");
        if scratch.path().join("drivetrain.db").exists() && code == Some(1) {
            let kept = done(&scratch, "drivetrain.db");
            for rank in 0..3 {
                assert!(done(&scratch, &format!("drivetrain.rank-{rank}.db")) >= kept, "fault {number}");
            }
            ssh(&scratch, host, ":");
            scratch.run(&["resume"]).expect(0);
            assert_eq!(done(&scratch, "drivetrain.db"), 2, "fault {number}");
        }
    }
}

/// A run on the hosts a, b and c, reached by this program.
fn on_hosts(ssh: &str) -> [&str; 11] {
    let program = env!("CARGO_BIN_EXE_drivetrain");
    ["run", "x.toml", "--seed=7", "--hosts", "a,b,c", "--ssh", ssh, "--program", program, "--silence", "6"]
}

#[test]
fn a_hung_command_in_place_of_ssh_is_ended_with_all_that_it_started() {
    let scratch = Scratch::with("x.toml", &long());
    let script = "#!/bin/sh\necho $$ > pid-of-script\nsleep 1000 &\necho $! > pid-of-child\nwait\n";
    let path = scratch.write("ssh.sh", script);
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let lead = start(&scratch, &["run", "x.toml", "--hosts", "a", "--ssh", &path.display().to_string()]);
    let pid =
        |name: &str| std::fs::read_to_string(scratch.path().join(name)).ok()?.trim().parse::<u32>().ok();
    wait_until("the script sleeps", || pid("pid-of-child").is_some());
    crate::common::interrupt(&lead);
    let (code, stderr) = ended(lead);
    assert_eq!(code, Some(130), "{stderr}");
    for name in ["pid-of-script", "pid-of-child"] {
        wait_until(name, || !is_alive(pid(name).unwrap()));
    }
}
