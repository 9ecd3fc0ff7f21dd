//! Recorded times. A change here changes the results of every experiment with a stored seed: say so in the
//! changelog when it is meant.

use device::{Drive, Op, catalogue};
use ground::Random;

#[test]
fn the_generator_is_xoshiro256_plus_plus_seeded_by_splitmix64() {
    let mut random = Random::new(0);
    assert_eq!(
        [0; 3].map(|_: u64| random.next_u64()),
        [5_987_356_902_031_041_503, 7_051_070_477_665_621_255, 6_633_766_593_972_829_180]
    );
}

fn latencies(name: &str, seed: u64) -> Vec<u64> {
    let spec = &catalogue::find(name).expect("in the catalogue").spec;
    let mut drive = Drive::new(spec, seed);
    let mut latencies = Vec::new();
    for step in 0..16u64 {
        let now_ns = 1_000_000 + step * 20_000;
        let (offset, len) = (step * 1_234_567 / 4096 * 4096, 4096 << (step % 4));
        let op = if step % 3 == 0 { Op::Write { offset, len } } else { Op::Read { offset, len } };
        latencies.push(drive.submit(now_ns, op) - now_ns);
    }
    latencies
}

#[test]
fn recorded_drives_keep_their_times() {
    let nvme = [
        25_000, 127_187, 115_138, 41_866, 204_759, 98_128, 32_229, 237_377, 83_131, 27_410, 101_598, 105_424,
        25_000, 95_599, 143_180, 41_866,
    ];
    assert_eq!(latencies("kingston-dc1500m-960g", 1), nvme);
    let sata = [
        45_000, 272_434, 179_521, 110_479, 228_964, 553_694, 104_742, 221_202, 2_605_899, 128_762, 276_735,
        1_323_046, 167_661, 274_323, 971_431, 216_187,
    ];
    assert_eq!(latencies("micron-5200-eco-1920g", 42), sata);
    let disks = [
        200_000, 7_941_205, 4_471_435, 238_230, 5_317_995, 5_590_047, 216_384, 4_171_370, 10_637_731,
        205_462, 3_834_813, 6_739_301, 201_845, 3_486_041, 5_221_129, 238_230,
    ];
    assert_eq!(latencies("raid10-10x15k-sas", 7), disks);
}
