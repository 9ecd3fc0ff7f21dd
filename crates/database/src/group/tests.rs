use super::*;

/// A machine whose controllers all lie in `dir`.
fn machine(dir: &Path, version: u8) -> impl Fn(&str) -> Option<Controller> {
    let (own, top) = (dir.join("own"), dir.to_owned());
    move |_| Some(Controller { version, groups: vec![own.clone(), top.clone()] })
}

fn drive(scheduler: &str) -> Drive {
    Drive { number: "254:0".to_owned(), scheduler: Some(scheduler.to_owned()) }
}

fn all_rules() -> [Rule; 3] {
    let drive = drive("mq-deadline");
    [Rule::Cpus(0.5), Rule::Memory(1 << 27), Rule::Throttle { drive, bytes_per_s: 1000 }]
}

#[test]
fn version_one_is_told_in_its_own_words() {
    let temp = tempfile::tempdir().unwrap();
    let group = Group::make_in(&machine(temp.path(), 1), "drivetrain-1-1", &all_rules()).unwrap();
    let dir = temp.path().join("drivetrain-1-1");
    assert_eq!(group.path(), Some(dir.as_path()), "there is no group of our own: the next one up is taken");
    let read = |file: &str| fs::read_to_string(dir.join(file)).unwrap();
    assert_eq!((read("cpu.cfs_period_us"), read("cpu.cfs_quota_us")), ("100000".into(), "50000".into()));
    assert_eq!(read("memory.limit_in_bytes"), "134217728");
    assert_eq!(read("blkio.throttle.read_bps_device"), "254:0 1000");
    assert_eq!(read("blkio.throttle.write_bps_device"), "254:0 1000");
    let words = group.in_words();
    assert_eq!(words, "0.5 processors, 128 MiB of memory, 0.0 MB/s each way (control groups, version 1)");
    fs::write(dir.join("cpu.stat"), "nr_periods 9\nnr_throttled 2\nthrottled_time 1500000000\n").unwrap();
    fs::write(dir.join("memory.max_usage_in_bytes"), "4096\n").unwrap();
    fs::write(dir.join("memory.oom_control"), "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n").unwrap();
    let counters = ThrottleCounters { held_back_s: 1.5, memory_peak_bytes: 4096, killed: 3 };
    assert_eq!(group.throttling(), counters);
    group.lift();
    assert_eq!((read("cpu.cfs_quota_us"), read("memory.limit_in_bytes")), ("-1".into(), "-1".into()));
}

#[test]
fn version_two_has_one_group_whose_parent_passes_the_controllers_on() {
    let temp = tempfile::tempdir().unwrap();
    fs::create_dir(temp.path().join("own")).unwrap();
    let group = Group::make_in(&machine(temp.path(), 2), "drivetrain-1-2", &all_rules()).unwrap();
    let dir = temp.path().join("own/drivetrain-1-2");
    assert_eq!(group.path(), Some(dir.as_path()));
    let read = |file: &str| fs::read_to_string(dir.join(file)).unwrap();
    assert_eq!((read("cpu.max"), read("memory.max")), ("50000 100000".into(), "134217728".into()));
    assert_eq!(read("io.max"), "254:0 rbps=1000 wbps=1000");
    group.lift();
    assert_eq!((read("cpu.max"), read("memory.max")), ("max".into(), "max".into()));
    assert_eq!(fs::read_to_string(temp.path().join("own/cgroup.subtree_control")).unwrap(), "+io");
}

#[test]
fn what_is_missing_and_what_is_forbidden_are_told_apart() {
    let none = |_: &str| None;
    let message = Group::make_in(&none, "x", &[Rule::Cpus(1.0)]).unwrap_err().to_string();
    assert_eq!(message, "not available here: no control groups have the controller `cpu`");
    let temp = tempfile::tempdir().unwrap();
    fs::create_dir_all(temp.path().join("x/cpu.cfs_period_us")).unwrap();
    fs::remove_dir_all(temp.path().join("x")).unwrap();
    fs::write(temp.path().join("x"), "a file stands in the way").unwrap();
    let message = Group::make_in(&machine(temp.path(), 1), "x", &[Rule::Cpus(1.0)]).unwrap_err().to_string();
    assert!(message.contains("not permitted here") && message.contains("run as root"), "{message}");
}

#[test]
fn weights_need_somebody_who_honours_them() {
    let temp = tempfile::tempdir().unwrap();
    let weigh = |version: u8, scheduler: &str| {
        let name = format!("drivetrain-1-w{version}{scheduler}");
        let rule = Rule::Weight(drive(scheduler));
        let controller = machine(temp.path(), version)("io").unwrap();
        Group::make_in(&machine(temp.path(), version), &name, std::slice::from_ref(&rule))
            .map(|_| rule.files(&controller).unwrap().remove(0))
            .map_err(|error| error.to_string())
    };
    assert_eq!(weigh(1, "bfq"), Ok(("blkio.bfq.weight", "1".to_owned())));
    assert_eq!(weigh(2, "bfq"), Ok(("io.bfq.weight", "1".to_owned())));
    let message = weigh(1, "mq-deadline").unwrap_err();
    assert!(
        message.contains("there is no io.cost") && message.contains("scheduler mq-deadline"),
        "{message}"
    );
    fs::write(temp.path().join("io.cost.qos"), "254:0 enable=0 ctrl=auto\n").unwrap();
    assert!(weigh(2, "none").unwrap_err().contains("switched off"));
    fs::write(temp.path().join("io.cost.qos"), "254:0 enable=1 ctrl=auto\n").unwrap();
    assert_eq!(weigh(2, "none"), Ok(("io.weight", "default 1".to_owned())));
}

#[test]
fn only_groups_of_ours_are_removed_for_a_dead_process() {
    let temp = tempfile::tempdir().unwrap();
    let here = [rustix::fs::statfs(temp.path()).unwrap().f_type];
    let path = |name: &str| temp.path().join(name);
    for name in
        ["drivetrain-7-0", "drivetrain-7-1", "drivetrain-7-x", "drivetrain-7", "somebody", "drivetrain-7-2"]
    {
        fs::create_dir(path(name)).unwrap();
    }
    fs::write(path("drivetrain-7-2/member"), "").unwrap();
    std::os::unix::fs::symlink(path("somebody"), path("drivetrain-7-3")).unwrap();
    assert!(remove_dead_in(&here, &path("drivetrain-7-0")).unwrap());
    assert!(!remove_dead_in(&here, &path("drivetrain-7-0")).unwrap(), "it is gone");
    for name in ["drivetrain-7-x", "drivetrain-7", "somebody", "drivetrain-7-3"] {
        assert!(!remove_dead_in(&here, &path(name)).unwrap(), "{name}");
    }
    assert!(remove_dead_in(&here, &path("drivetrain-7-2")).is_err(), "somebody is in it");
    assert!(!remove_dead(&path("drivetrain-7-1")).unwrap(), "this is no file system of control groups");
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 6);
}
