use super::*;
use crate::Op;

fn entry(name: &str) -> &'static Entry {
    volume(name).expect("a volume").unwrap_or_else(|why| panic!("{name}: {why}"))
}

fn refusal(name: &str) -> String {
    volume(name).expect("a volume").expect_err(name)
}

fn fact(entry: &Entry, key: &str) -> f64 {
    entry
        .facts
        .iter()
        .find(|fact| fact.key == key)
        .unwrap_or_else(|| panic!("no {key}"))
        .value
        .parse()
        .unwrap()
}

#[test]
fn limits_follow_from_the_published_rules() {
    for (name, iops, mb_per_s) in [
        ("aws-ebs-gp2:size=20GiB", 100.0, 134.2),
        ("aws-ebs-gp2:size=1000GiB", 3000.0, 262.1),
        ("aws-ebs-gp2:size=16TiB", 16_000.0, 262.1),
        ("aws-ebs-gp3:size=1GiB", 3000.0, 131.1),
        ("aws-ebs-gp3:size=500GiB,iops=6000,throughput=250MiB/s", 6000.0, 262.1),
        ("aws-ebs-io2:size=100GiB,iops=50000", 50_000.0, 4194.3),
        ("azure-premium-ssd:size=512GiB", 2300.0, 150.0),
        ("azure-premium-ssd:size=513GiB", 5000.0, 200.0),
        ("azure-premium-ssd-v2:size=100GiB,iops=8000,throughput=500MB/s", 8000.0, 500.0),
        ("gcp-pd-ssd:size=100GiB", 9000.0, 302.0),
        ("gcp-hyperdisk-balanced:size=100GiB,iops=10000", 10_000.0, 146.8),
    ] {
        let entry = entry(name);
        assert_eq!(fact(entry, "limit.operations"), iops, "{name}");
        assert!((fact(entry, "limit.bandwidth") - mb_per_s).abs() < 0.1, "{name}: {:?}", entry.facts);
        assert_eq!(super::super::find(&entry.name), Some(entry), "{name}");
        assert!(entry.facts.iter().all(|fact| fact.source.len() > 8), "{name}");
    }
}

#[test]
fn what_is_not_sold_is_refused_with_what_is() {
    for (name, words) in [
        ("aws-ebs-gp3", "needs its size"),
        ("aws-ebs-gp3:size=500", "is no amount"),
        ("aws-ebs-gp3:size=10GiB,iops=6000", "3000 to 5000"),
        ("aws-ebs-gp3:size=100GiB,throughput=900MiB/s", "125 to 750"),
        ("aws-ebs-gp3:size=100GiB,colour=red", "`colour` cannot be bought"),
        ("aws-ebs-gp3:size=100GiB,size=1GiB", "given twice"),
        ("aws-ebs-gp2:size=100GiB,iops=3000", "follows from the size"),
        ("aws-ebs-gp2:size=17TiB", "1 to 16384 GiB"),
        ("aws-ebs-io2:size=100GiB", "give iops"),
    ] {
        assert!(refusal(name).contains(words), "{name}: {}", refusal(name));
    }
    assert!(volume("kingston-dc1500m-960g").is_none() && !is_volume("aws-ebs"));
}

/// AWS prints the seconds that the credits of a gp2 volume last: 2000 s at 100 GiB, 5.4 million / (3000 -
/// 300).
#[test]
fn credits_last_as_long_as_aws_prints() {
    let buckets = &entry("aws-ebs-gp2:size=100GiB").spec.limits;
    // Operations alone, 64 at a time.
    let mut limits = crate::limit::Limits::new(&buckets[..2]);
    let (mut now_ns, mut passed) = (0, 0.0);
    while now_ns as f64 / 1e9 < passed / 3000.0 + 1.0 {
        now_ns += limits.pass(now_ns, Op::Read { offset: 0, len: 16 << 20 });
        passed += 64.0;
    }
    assert!((1990..2015).contains(&(now_ns / 1_000_000_000)), "{now_ns}");
}
