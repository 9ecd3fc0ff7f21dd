//! The shipped experiments of block I/O.

use super::Named;

pub(super) const BLOCK: [Named; 11] = [
    Named {
        name: "kingston-dc1500m/fio-steady",
        title: "One NVMe and one SATA drive after steady state, second by second (published fio tests)",
        summary: "4K 75 % reads second by second and 256K sequential on one drive each; see --scale",
        text: include_str!("../../../../experiments/kingston-dc1500m/fio-steady.toml"),
    },
    Named {
        name: "kingston-dc1500m/hcibench",
        title: "Mixed, read and write sweeps over block sizes from six machines (published HCIBench tests)",
        summary: "70/30 mix, reads and writes over block sizes by six workers; see --scale",
        text: include_str!("../../../../experiments/kingston-dc1500m/hcibench.toml"),
    },
    Named {
        name: "storagereview-skhynix/four-corners",
        title: "Four corners: latency against throughput, 10 to 120 % of the maximum (published vdbench tests)",
        summary: "the maximum of four corners, then 10 to 120 % of it: latency against throughput; see --scale",
        text: include_str!("../../../../experiments/storagereview-skhynix/four-corners.toml"),
    },
    Named {
        name: "storagereview-skhynix/vdi",
        title: "Virtual desktops: boot, login and steady work (synthetic approximations)",
        summary: "boot, login and steady work of desktops, synthetic approximations with sources; see --scale",
        text: include_str!("../../../../experiments/storagereview-skhynix/vdi.toml"),
    },
    Named {
        name: "iodrive-2009/sqlio",
        title: "8 KiB random and 256 KiB sequential I/O by depth, ioDrive and disk array (published SQLIO tests)",
        summary: "8K random and 256K sequential by depth on an ioDrive and a disk array; see --scale",
        text: include_str!("../../../../experiments/iodrive-2009/sqlio.toml"),
    },
    Named {
        name: "iodrive-2009/checkpoint-bursts",
        title: "Page reads between and inside checkpoint bursts, ioDrive and disk array (published Iometer tests)",
        summary: "page reads inside and between bursts of 10,000 pages every 60 s and every 10 s; see --scale",
        text: include_str!("../../../../experiments/iodrive-2009/checkpoint-bursts.toml"),
    },
    Named {
        name: "snia-pts/iops",
        title: "IOPS by block size and share of reads, in the steady state (after the SNIA PTS)",
        summary: "shares of reads x block sizes in rounds until steady; PTS-shaped below full size; see --scale",
        text: include_str!("../../../../experiments/snia-pts/iops.toml"),
    },
    Named {
        name: "snia-pts/throughput",
        title: "Sequential throughput in the steady state (after the SNIA PTS)",
        summary: "sequential 1024 and 128 KiB in rounds until steady; PTS-shaped below full size; see --scale",
        text: include_str!("../../../../experiments/snia-pts/throughput.toml"),
    },
    Named {
        name: "snia-pts/latency",
        title: "Latency of one I/O at a time in the steady state (after the SNIA PTS)",
        summary: "one I/O at a time in rounds until steady; PTS-shaped below full size; see --scale",
        text: include_str!("../../../../experiments/snia-pts/latency.toml"),
    },
    Named {
        name: "snia-pts/write-saturation",
        title: "Write saturation: random 4 KiB writes from the first to the last (after the SNIA PTS)",
        summary: "random 4K writes from the first on, with what was written; PTS-shaped below full size; see --scale",
        text: include_str!("../../../../experiments/snia-pts/write-saturation.toml"),
    },
    Named {
        name: "sql-server-streams",
        title: "The four streams of SQL Server: pages, checkpoints, log, read-ahead",
        summary: "pages, checkpoint bursts, log with its own drive, read-ahead: what the log waits for; see --scale",
        text: include_str!("../../../../experiments/sql-server-streams.toml"),
    },
];
