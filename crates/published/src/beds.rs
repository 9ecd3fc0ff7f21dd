//! The beds of the studies: what a bed's file says, `study` reads.

/// The name and the text of each bed's file.
pub const BED_FILES: [(&str, &str); 7] = [
    ("kingston-nvme.toml", include_str!("../../../catalogue/beds/kingston-nvme.toml")),
    ("kingston-sata.toml", include_str!("../../../catalogue/beds/kingston-sata.toml")),
    ("kingston-sata-dc500m.toml", include_str!("../../../catalogue/beds/kingston-sata-dc500m.toml")),
    ("storagereview-nvme.toml", include_str!("../../../catalogue/beds/storagereview-nvme.toml")),
    ("storagereview-sata.toml", include_str!("../../../catalogue/beds/storagereview-sata.toml")),
    ("iodrive.toml", include_str!("../../../catalogue/beds/iodrive.toml")),
    ("iodrive-disks.toml", include_str!("../../../catalogue/beds/iodrive-disks.toml")),
];

/// The names of the beds, which are those of their files.
pub fn bed_names() -> Vec<&'static str> {
    BED_FILES.iter().map(|(file, _)| file.trim_end_matches(".toml")).collect()
}
