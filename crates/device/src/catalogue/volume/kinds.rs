//! The kinds of volumes, and the published rules of their limits.

use super::{Limits, MIB, Purchase, VolumeKind};

const EBS_GP: &str = "AWS EBS user guide, General Purpose SSD volumes";
const EBS_PIOPS: &str = "AWS EBS user guide, Provisioned IOPS SSD volumes";
const AZURE: &str = "Azure documentation, scalability targets of Premium SSD managed disks";
const AZURE_V2: &str = "Azure documentation, Premium SSD v2: 1 GiB to 64 TiB";
const GCP: &str =
    "rules of Google Cloud for SSD Persistent Disk, not compared with its documentation; a guess";
const HYPERDISK: &str =
    "rules of Google Cloud for Hyperdisk Balanced, not compared with its documentation; a guess";

macro_rules! file {
    ($name:literal) => {
        include_str!(concat!("../../../../../catalogue/volumes/", $name, ".toml"))
    };
}

/// All kinds, by provider.
pub(crate) static KINDS: [VolumeKind; 7] = [
    VolumeKind {
        name: "aws-ebs-gp2",
        file: file!("aws-ebs-gp2"),
        rule: "3 IOPS per GiB, 100 to 16000; below 1000 GiB bursts to 3000 from 5.4 million credits; 128 to 250 MiB/s",
        source: EBS_GP,
        example: "aws-ebs-gp2:size=200GiB",
        smallest_gib: 1.0,
        largest_gib: 16_384.0,
        limits: gp2,
    },
    VolumeKind {
        name: "aws-ebs-gp3",
        file: file!("aws-ebs-gp3"),
        rule: "3000 IOPS and 125 MiB/s; bought up to 80000 IOPS (500 per GiB) and 2000 MiB/s (0.25 MiB/s per IOPS)",
        source: EBS_GP,
        example: "aws-ebs-gp3:size=500GiB,iops=6000,throughput=250MiB/s",
        smallest_gib: 1.0,
        largest_gib: 65_536.0,
        limits: gp3,
    },
    VolumeKind {
        name: "aws-ebs-io2",
        file: file!("aws-ebs-io2"),
        rule: "IOPS as bought, 100 to 256000 (1000 per GiB); 0.256 MiB/s per IOPS up to 4000 MiB/s",
        source: EBS_PIOPS,
        example: "aws-ebs-io2:size=500GiB,iops=20000",
        smallest_gib: 4.0,
        largest_gib: 65_536.0,
        limits: io2,
    },
    VolumeKind {
        name: "azure-premium-ssd",
        file: file!("azure-premium-ssd"),
        rule: "by size, P1 (120 IOPS, 25 MB/s) to P80 (20000 IOPS, 900 MB/s); to 512 GiB bursts of 30 min to 3500 IOPS, 170 MB/s",
        source: AZURE,
        example: "azure-premium-ssd:size=512GiB",
        smallest_gib: 1.0,
        largest_gib: 32_767.0,
        limits: azure_premium,
    },
    VolumeKind {
        name: "azure-premium-ssd-v2",
        file: file!("azure-premium-ssd-v2"),
        rule: "3000 IOPS and 125 MB/s; bought up to 80000 IOPS (500 per GiB) and 1200 MB/s (0.25 MB/s per IOPS)",
        source: AZURE_V2,
        example: "azure-premium-ssd-v2:size=500GiB,iops=10000,throughput=400MB/s",
        smallest_gib: 1.0,
        largest_gib: 65_536.0,
        limits: azure_premium_v2,
    },
    VolumeKind {
        name: "gcp-pd-ssd",
        file: file!("gcp-pd-ssd"),
        rule: "6000 IOPS and 240 MiB/s, and 30 IOPS and 0.48 MiB/s per GiB; up to 100000 IOPS and 1200 MiB/s",
        source: GCP,
        example: "gcp-pd-ssd:size=500GiB",
        smallest_gib: 10.0,
        largest_gib: 65_536.0,
        limits: pd_ssd,
    },
    VolumeKind {
        name: "gcp-hyperdisk-balanced",
        file: file!("gcp-hyperdisk-balanced"),
        rule: "3000 IOPS and 140 MiB/s; bought up to 160000 IOPS (500 per GiB) and 2400 MiB/s (0.25 MiB/s per IOPS)",
        source: HYPERDISK,
        example: "gcp-hyperdisk-balanced:size=500GiB,iops=10000,throughput=400MiB/s",
        smallest_gib: 4.0,
        largest_gib: 65_536.0,
        limits: hyperdisk,
    },
];

/// A number that may be bought between two bounds.
fn within(what: &str, asked: Option<f64>, least: f64, most: f64) -> Result<f64, String> {
    let value = asked.unwrap_or(least);
    let most = most.max(least);
    if (least..=most * (1.0 + 1e-9)).contains(&value) {
        Ok(value)
    } else {
        Err(format!("{what} of {value} cannot be bought for this volume: {least} to {most}"))
    }
}

/// A number that follows from the size and cannot be bought.
fn not_sold(what: &str, asked: Option<f64>) -> Result<(), String> {
    asked.map_or(Ok(()), |_| Err(format!("{what} follows from the size and cannot be bought; leave it out")))
}

fn gp2(gib: f64, bought: &Purchase) -> Result<Limits, String> {
    not_sold("iops", bought.iops)?;
    not_sold("throughput", bought.bytes_per_s)?;
    let base = (3.0 * gib).clamp(100.0, 16_000.0);
    // 128 MiB/s up to 170 GiB, 250 MiB/s from 334 GiB on; between them 250 MiB/s while credits last, which
    // the operations' credits already bound.
    let mib_per_s = if gib <= 170.0 { 128.0 } else { 250.0 };
    let burst = (base < 3000.0).then_some((5.4e6, 3000.0));
    Ok(Limits {
        operations_burst: burst,
        operation_bytes: Some(262_144.0),
        ..Limits::steady(base, mib_per_s * MIB)
    })
}

fn gp3(gib: f64, bought: &Purchase) -> Result<Limits, String> {
    let iops = within("iops", bought.iops, 3000.0, (500.0 * gib).min(80_000.0))?;
    let mib = bought.bytes_per_s.map(|bytes| bytes / MIB);
    let mib = within("throughput in MiB/s", mib, 125.0, (0.25 * iops).min(2000.0))?;
    Ok(Limits { operation_bytes: Some(262_144.0), ..Limits::steady(iops, mib * MIB) })
}

fn io2(gib: f64, bought: &Purchase) -> Result<Limits, String> {
    not_sold("throughput", bought.bytes_per_s)?;
    if bought.iops.is_none() {
        return Err("give iops: an io2 volume has as many as were bought".to_owned());
    }
    let iops = within("iops", bought.iops, 100.0, (1000.0 * gib).min(256_000.0))?;
    Ok(Limits { operation_bytes: Some(262_144.0), ..Limits::steady(iops, (0.256 * iops).min(4000.0) * MIB) })
}

/// Sizes in GiB with their IOPS and MB/s, P1 to P80.
const PREMIUM: [(f64, f64, f64); 14] = [
    (4.0, 120.0, 25.0),
    (8.0, 120.0, 25.0),
    (16.0, 120.0, 25.0),
    (32.0, 120.0, 25.0),
    (64.0, 240.0, 50.0),
    (128.0, 500.0, 100.0),
    (256.0, 1100.0, 125.0),
    (512.0, 2300.0, 150.0),
    (1024.0, 5000.0, 200.0),
    (2048.0, 7500.0, 250.0),
    (4096.0, 7500.0, 250.0),
    (8192.0, 16_000.0, 500.0),
    (16_384.0, 18_000.0, 750.0),
    (32_767.0, 20_000.0, 900.0),
];

fn azure_premium(gib: f64, bought: &Purchase) -> Result<Limits, String> {
    not_sold("iops", bought.iops)?;
    not_sold("throughput", bought.bytes_per_s)?;
    let tier = PREMIUM.iter().find(|(size, _, _)| gib <= *size).ok_or("has 32767 GiB at most")?;
    let (size, iops, mb) = *tier;
    // Credits of a burst of 30 minutes: what passes beyond the steady rate in that time.
    let burst = |peak: f64, base: f64| (size <= 512.0).then_some(((peak - base) * 1800.0, peak));
    Ok(Limits {
        operations_burst: burst(3500.0, iops),
        bytes_burst: burst(170e6, mb * 1e6),
        ..Limits::steady(iops, mb * 1e6)
    })
}

fn azure_premium_v2(gib: f64, bought: &Purchase) -> Result<Limits, String> {
    let iops = within("iops", bought.iops, 3000.0, (500.0 * gib).min(80_000.0))?;
    let mb = bought.bytes_per_s.map(|bytes| bytes / 1e6);
    let mb = within("throughput in MB/s", mb, 125.0, (0.25 * iops).min(1200.0))?;
    Ok(Limits::steady(iops, mb * 1e6))
}

fn pd_ssd(gib: f64, bought: &Purchase) -> Result<Limits, String> {
    not_sold("iops", bought.iops)?;
    not_sold("throughput", bought.bytes_per_s)?;
    let iops = (6000.0 + 30.0 * gib).min(100_000.0);
    Ok(Limits::steady(iops, (240.0 + 0.48 * gib).min(1200.0) * MIB))
}

fn hyperdisk(gib: f64, bought: &Purchase) -> Result<Limits, String> {
    let least = (500.0 * gib).min(3000.0);
    let iops = within("iops", bought.iops, least, (500.0 * gib).min(160_000.0))?;
    let mib = bought.bytes_per_s.map(|bytes| bytes / MIB);
    let mib = within("throughput in MiB/s", mib, 140.0, (0.25 * iops).min(2400.0))?;
    Ok(Limits::steady(iops, mib * MIB))
}
