//! Malformed files of beds, parameters, calibrations and printed numbers: each shows all of its faults at
//! once, with carets and the word probably meant.

use study::{Values, audit, bed};

/// The faults of a file that is refused.
fn faults<T: std::fmt::Debug>(read: Result<T, tomlfile::Diagnostics>) -> String {
    read.expect_err("the file is malformed").to_string()
}

macro_rules! shows {
    ($name:literal, $faults:expr) => {
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!($name, $faults);
        });
    };
}

#[test]
fn a_malformed_bed() {
    let text = r#"naem = "my-bed"
title = "3 nodes"
parameters = "sata"

[hosts]
count = 0
cores = "20"
memory_gib = 768

[datastore]
groups_per_host = 1
cache = "micron-5200-eco-1920gb"
capacity = "none"
capacity_drives = 2
failures_to_tolerate = 0
stripe_widht = 1
link_gbit_per_s = -10
hop_us = 80
buffer_gb = 600
read_hit_ratio = 1.5

[array]
level = "raid5"
drive = "free"
drives = 1
"#;
    shows!("bed", faults(bed::parse(text, "my-bed.toml")));
}

#[test]
fn a_bed_without_storage() {
    let text = "name = \"a\"\ntitle = \"a\"\nparameters = \"a\"\nhosts = { count = 1, cores = 1, threads = 1, memory_gib = 1 }\n";
    shows!("bed-without-storage", faults(bed::parse(text, "my-bed.toml")));
    shows!("bed-not-toml", faults(bed::parse("name = bed\n[hosts\n", "my-bed.toml")));
}

#[test]
fn malformed_parameters() {
    let text = r#"[[parameter]]
name = "pool_share"
value = 0.95
low = 0.5
high = 0.9
spread = 0
what = "share of the memory that is buffer pool"
source = "datasheet"

[[parameter]]
name = "pool_share"
valeu = 0.7
low = 0.5
high = "0.9"
spread = 0.3
what = "the same"

[parameters]
"#;
    shows!("parameters", faults(study::parse_parameters(text, "parameters.toml")));
}

#[test]
fn a_malformed_calibration() {
    let text = r#"[values]
"pool_share" = 7
"nvme.wait_uss" = 450
"nvme.wait_us" = "450"
"speed" = 1

[alternatives]
"#;
    shows!("calibration", faults(Values::uncalibrated().with_file(text, "calibrated.toml")));
}

#[test]
fn a_malformed_study() {
    let text = r#"study = "mine"

[[number]]
id = "N1"
metrc = "p99 latency"
value = "fast"

[[number]]
id = "N1"
metric = " "
value = "1.84 Q"
remark = "a key that nobody reads"

[[bed]]
id = "any fact of its own"

[number_of_drives]
count = 3

[[drives]]
count = 3

[statement]
text = "faster"

[[claim]]
text = "4x lower"
numbers = ["N1"]
verdict = "rigth"
formul = "N1 / N2"
"#;
    shows!("study", faults(audit::file(text, "my-study.toml")));
}
