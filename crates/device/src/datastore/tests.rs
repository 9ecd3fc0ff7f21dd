use super::*;
use crate::catalogue;
use proptest::prelude::*;

fn nvme() -> DatastoreSpec {
    let drive = &catalogue::find("kingston-dc1500m-960g").expect("it is in the catalogue").spec;
    DatastoreSpec {
        hosts: 4,
        cache: drive.clone(),
        cache_tier: CacheTier::WriteBuffer,
        buffer_bytes: 600_000_000_000,
        capacity_drives: 2,
        link_bytes_per_s: 5e9,
        hop_ns: 50_000,
        stack_read_ns: 250_000,
        stack_write_ns: 250_000,
        group_read: LinearCost { fixed_ns: 4_000.0, byte_ns: 0.2 },
        group_write: LinearCost { fixed_ns: 20_000.0, byte_ns: 0.0 },
        component_bytes: 255_000_000_000,
        ..DatastoreSpec::of_drive(drive, 960_000_000_000)
    }
}

/// Operations per second of `depth` callers with 4 KiB, `read_share` of them reads.
fn rate(store: &mut Datastore, objects: &[ObjectId], depth: usize, read_share: f64) -> f64 {
    let mut next: Vec<u64> = vec![0; depth];
    let (mut random, mut done, mut now) = (ground::Random::new(1), 0u64, 0);
    while now < 200_000_000 {
        let turn = (0..depth).min_by_key(|&caller| next[caller]).expect("there are callers");
        now = next[turn];
        let offset = random.below(1 << 35) & !4095;
        let is_read = random.unit() < read_share;
        let op = if is_read { Op::Read { offset, len: 4096 } } else { Op::Write { offset, len: 4096 } };
        let host = turn as u32 % store.spec().hosts;
        next[turn] = store.submit(now, host, objects[turn % objects.len()], op).expect("the data is there");
        done += 1;
    }
    done as f64 / (now as f64 / 1e9)
}

#[test]
fn the_disk_group_saturates_not_the_drive() {
    let mut store = Datastore::new(&nvme(), 1).expect("it can exist");
    let objects: Vec<ObjectId> = (0..48).map(|_| store.create(50_000_000_000).expect("it fits")).collect();
    let iops = rate(&mut store, &objects, 192, 0.7);
    // Four groups, 0.7 x 4.8 us + 0.3 x 20 us of work for each operation: 427,000 a second at most.
    assert!((300_000.0..427_000.0).contains(&iops), "{iops}");
}

/// Micron's published vSAN 6.7 mixes on 5200 ECO: 4 nodes, 2 groups each, FTT 1, 512 outstanding, 4K random
/// beyond the cache. The work of a group is set from the ends of the scale; the mixes between are
/// predictions.
#[test]
fn published_mixes_on_5200_eco_follow_from_their_ends() {
    let eco = &catalogue::find("micron-5200-eco-1920g").expect("it is in the catalogue").spec;
    let spec = DatastoreSpec {
        hosts: 4,
        groups_per_host: 2,
        capacity_drives: 4,
        failures_to_tolerate: 1,
        cache: crate::DriveSpec::free(),
        cache_tier: CacheTier::WriteBuffer,
        buffer_bytes: 600_000_000_000,
        capacity_bytes: 3_840_000_000_000,
        component_bytes: 255_000_000_000,
        link_bytes_per_s: 3.1e9,
        hop_ns: 50_000,
        stack_read_ns: 150_000,
        stack_write_ns: 150_000,
        group_read: LinearCost { fixed_ns: 22_000.0, byte_ns: 0.0 },
        group_write: LinearCost { fixed_ns: 78_400.0, byte_ns: 0.0 },
        ..DatastoreSpec::of_drive(eco, 3_840_000_000_000)
    };
    for (read_share, published) in [(0.0, 51e3), (0.3, 66e3), (0.5, 90e3), (0.7, 134e3), (1.0, 363e3)] {
        let mut store = Datastore::new(&spec, 1).expect("it can exist");
        let objects: Vec<ObjectId> =
            (0..128).map(|_| store.create(50_000_000_000).expect("it fits")).collect();
        let iops = rate(&mut store, &objects, 512, read_share);
        assert!((iops / published - 1.0).abs() < 0.12, "{read_share}: {iops:.0} against {published}");
    }
}

/// Bytes destaged for each byte written at random over `disks` of 20 GB, of which the buffers of four groups
/// hold 180 GB each.
fn destaged_share(disks: usize) -> f64 {
    let mut store = Datastore::new(&nvme(), 1).expect("it can exist");
    let objects: Vec<ObjectId> = (0..disks).map(|_| store.create(20_000_000_000).expect("it fits")).collect();
    // A fifth of a second that represents most of an hour.
    store.hasten(1e4);
    rate(&mut store, &objects, 64, 0.0);
    let traffic = store.traffic();
    traffic.destaged_bytes as f64 / (traffic.writes * 4096) as f64
}

#[test]
fn what_fits_the_write_buffers_is_written_over_in_them() {
    assert!(destaged_share(24) < 0.01, "120 GB in each group");
    // 360 GB in each: the buffer holds every second byte.
    let half = destaged_share(72);
    assert!((0.4..0.65).contains(&half), "{half}");
    assert!(destaged_share(144) > half + 0.15);
}

#[test]
fn a_failed_host_is_rebuilt_while_the_load_goes_on() {
    let spec = DatastoreSpec { failures_to_tolerate: 1, rebuild_bytes_per_s: 1e9, ..nvme() };
    let mut store = Datastore::new(&spec, 3).expect("it can exist");
    let object = store.create(100_000_000_000).expect("it fits");
    let small = store.create(1_000_000_000).expect("it fits");
    for host in 0..3 {
        store.fail(0, Part::Host(host));
        for of in [object, small] {
            let read = store.submit(1_000, 3, of, Op::Read { offset: 0, len: 4096 });
            if host == 0 {
                assert!(read.is_ok());
            }
        }
        if host == 0 && store.rebuild_left_bytes() > 0 {
            let left = store.rebuild_left_bytes();
            store
                .submit(1_000_000_000, 3, object, Op::Read { offset: 0, len: 4096 })
                .expect("a replica is left");
            assert!(store.rebuild_left_bytes() < left);
            assert!(store.traffic().rebuilt_bytes > 900_000_000);
        }
    }
}

#[test]
fn without_replicas_the_data_of_a_failed_drive_is_gone() {
    let mut store = Datastore::new(&nvme(), 3).expect("it can exist");
    let objects: Vec<ObjectId> = (0..8).map(|_| store.create(10_000_000_000).expect("it fits")).collect();
    store.fail(0, Part::CacheDrive(0));
    let lost = objects.iter().filter(|&&o| store.submit(1, 1, o, Op::Read { offset: 0, len: 4096 }).is_err());
    // Eight objects on eight equally empty drives: two of them lie in the lost group.
    assert_eq!(lost.count(), 2);
}

#[test]
fn more_data_than_room_is_refused_with_what_is_free() {
    let mut store = Datastore::new(&nvme(), 3).expect("it can exist");
    let error = store.create(9_000_000_000_000).expect_err("eight drives of 960 GB");
    assert!(error.to_string().contains("does not fit"), "{error}");
}

#[test]
fn hosts_groups_and_drives_have_the_limits_of_the_paper() {
    for (hosts, groups, drives, good) in
        [(64, 5, 7, true), (65, 1, 1, false), (1, 6, 1, false), (1, 1, 8, false), (0, 1, 1, false)]
    {
        let spec = DatastoreSpec { hosts, groups_per_host: groups, capacity_drives: drives, ..nvme() };
        assert_eq!(Datastore::new(&spec, 1).is_ok(), good, "{hosts} {groups} {drives}");
    }
    assert!(Datastore::new(&DatastoreSpec { hosts: 2, failures_to_tolerate: 1, ..nvme() }, 1).is_err());
}

#[test]
fn a_mirror_reads_from_both_and_survives_one() {
    let drive = catalogue::find("skhynix-se4011").expect("it is in the catalogue").spec.clone();
    let spec = ArraySpec {
        level: RaidLevel::Raid10,
        drive,
        drives: 4,
        stripe_bytes: 65_536,
        cache_bytes: 0,
        cache_ack_ns: 0,
        controller_ns: 20_000,
    };
    let mut array = Array::new(&spec, 1).expect("it can exist");
    array.fail(0);
    assert!(array.submit(0, 0, Op::Read { offset: 0, len: 4096 }).is_some());
    array.fail(1);
    assert!(array.submit(0, 0, Op::Read { offset: 0, len: 4096 }).is_none());
    assert!(array.submit(0, 0, Op::Read { offset: 65_536, len: 4096 }).is_some());
    assert!(Array::new(&ArraySpec { drives: 3, ..spec }, 1).is_err());
}

proptest! {
    #[test]
    fn nothing_completes_before_it_is_submitted_and_equal_seeds_agree(
        seed in any::<u64>(), hosts in 1u32..6, ops in prop::collection::vec((0u64..1 << 36, 1u32..1 << 18, any::<bool>()), 1..80)
    ) {
        let spec = DatastoreSpec { hosts, ..nvme() };
        let (mut a, mut b) = (Datastore::new(&spec, seed).expect("valid"), Datastore::new(&spec, seed).expect("valid"));
        let (x, y) = (a.create(1 << 36).expect("fits"), b.create(1 << 36).expect("fits"));
        for (step, (offset, len, write)) in ops.into_iter().enumerate() {
            let now = step as u64 * 10_000;
            let op = if write { Op::Write { offset, len } } else { Op::Read { offset, len } };
            let done = a.submit(now, step as u32 % hosts, x, op).expect("there");
            prop_assert!(done >= now);
            prop_assert_eq!(done, b.submit(now, step as u32 % hosts, y, op).expect("there"));
        }
    }
}
