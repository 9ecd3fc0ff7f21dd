//! The shipped experiments of backups, neighbours, scans and fragmentation.

use super::Named;

pub(super) const OPERATIONS: [Named; 9] = [
    Named {
        name: "kingston-dc1500m/test-4",
        title: "Backup and restore on NVMe or SATA (published test 4)",
        summary: "backup and restore, three cycles, every restore proven; see --scale",
        text: include_str!("../../../../experiments/kingston-dc1500m/test-4.toml"),
    },
    Named {
        name: "kingston-dc1500m/test-4-postgresql",
        title: "Backup and restore on NVMe or SATA on PostgreSQL (published test 4)",
        summary: "backup and restore, three cycles, every restore proven: --storage nvme=PATH --storage eco=PATH; see --scale",
        text: include_str!("../../../../experiments/kingston-dc1500m/test-4-postgresql.toml"),
    },
    Named {
        name: "kingston-dc1500m/test-4-mariadb",
        title: "Backup and restore on NVMe or SATA on MariaDB (published test 4)",
        summary: "backup and restore, three cycles, every restore proven: --storage nvme=PATH --storage eco=PATH; see --scale",
        text: include_str!("../../../../experiments/kingston-dc1500m/test-4-mariadb.toml"),
    },
    Named {
        name: "kingston-dc1500m/test-5",
        title: "Backups next door: what do they do to transactions? (test 5, corrected)",
        summary: "the same victims alone, together, beside backups and with a limit; see --scale",
        text: include_str!("../../../../experiments/kingston-dc1500m/test-5.toml"),
    },
    Named {
        name: "kingston-dc1500m/test-5-postgresql",
        title: "Backups next door: what do they do to transactions? on PostgreSQL (test 5, corrected)",
        summary: "the same victims alone, together, beside backups and with a limit: --storage nvme=PATH --storage eco=PATH; see --scale",
        text: include_str!("../../../../experiments/kingston-dc1500m/test-5-postgresql.toml"),
    },
    Named {
        name: "kingston-dc1500m/test-5-mariadb",
        title: "Backups next door: what do they do to transactions? on MariaDB (test 5, corrected)",
        summary: "the same victims alone, together, beside backups and with a limit: --storage nvme=PATH --storage eco=PATH; see --scale",
        text: include_str!("../../../../experiments/kingston-dc1500m/test-5-mariadb.toml"),
    },
    Named {
        name: "kingston-dc1500m/test-5-as-published",
        title: "Backups next door, as published on PostgreSQL (test 5)",
        summary: "twelve victims, then eight beside four backups, and why that shows no slowdown: --storage nvme=PATH --storage eco=PATH",
        text: include_str!("../../../../experiments/kingston-dc1500m/test-5-as-published.toml"),
    },
    Named {
        name: "iodrive-2009/index-scan-vs-lookup",
        title: "Index lookups or a full scan, on disks and on flash (published 2009)",
        summary: "the same rows by a scan and by an index, 0.01 % to 100 %, on a modelled ioDrive and ten disks; see --scale",
        text: include_str!("../../../../experiments/iodrive-2009/index-scan-vs-lookup.toml"),
    },
    Named {
        name: "iodrive-2009/fragmentation",
        title: "Do fragmented files still matter? (published 2009)",
        summary: "cold scans of a table in one piece, in pieces of 1 MiB and of 64 KiB; see --scale",
        text: include_str!("../../../../experiments/iodrive-2009/fragmentation.toml"),
    },
];
