//! Ranks that are killed or stopped at any moment: the lead ends soon and names them, nobody stays behind,
//! and `resume` completes what was begun.

#![allow(clippy::print_stdout)] // The drawn faults are printed.

use std::time::Duration;

use ground::Random;

use crate::common::Scratch;
use crate::fleet::{RUN, done, ended, is_alive, long, send, start, wait_until, workers};

/// The number of faults: `DRIVETRAIN_KILLS=100` gives as many, in a few seconds each.
fn faults() -> u32 {
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

#[test]
fn a_rank_may_die_at_any_moment() {
    let seed = testkit::seed();
    let mut random = Random::new(seed);
    for fault in 0..faults() {
        let scratch =
            Scratch::with("x.toml", &long().replace("\"2s\"", "\"1s\"").replace("[200, 300]", "[200]"));
        let lead = start(&scratch, &[&RUN[..], &["--silence", "6"]].concat());
        wait_until("the ranks are there", || workers(&lead).len() == 3);
        // From the first word to the last: such a run takes three seconds.
        let after = Duration::from_millis(random.below(3500));
        let (rank, signal) = (random.below(3) as usize, if random.below(4) == 0 { "-STOP" } else { "-KILL" });
        let ranks = workers(&lead);
        std::thread::sleep(after);
        println!("fault {fault}: {signal} of rank {rank} after {after:?}");
        if ranks.len() == 3 && is_alive(ranks[rank]) {
            send(ranks[rank], signal);
        }
        let (code, stderr) = ended(lead);
        // It may have been over before.
        assert!(matches!(code, Some(0 | 1 | 7)), "fault {fault}: {code:?} {stderr}");
        assert!(
            code != Some(1) || stderr.contains(&format!("rank {rank} (localhost)")),
            "fault {fault}: {stderr}"
        );
        wait_until("no rank outlives its lead", || !ranks.iter().any(|pid| is_alive(*pid)));
        assert_eq!(strays(&scratch), Vec::<u32>::new(), "fault {fault}");
        if scratch.path().join("drivetrain.db").exists() && code == Some(1) {
            let kept = done(&scratch, "drivetrain.db");
            for rank in 0..3 {
                assert!(done(&scratch, &format!("drivetrain.rank-{rank}.db")) >= kept, "fault {fault}");
            }
            scratch.run(&["resume"]).expect(0);
            assert_eq!(done(&scratch, "drivetrain.db"), 2, "fault {fault}");
        }
    }
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
