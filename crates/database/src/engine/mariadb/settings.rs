//! The settings of MariaDB and MySQL, with their reasons. All others keep the server's own default.

use super::Flavour;
use crate::client::Endpoint;
use crate::server::{Layout, ServerConfig, Setting};
use words::Synchronous;

/// Configuration file; it lies beside the data, so that a restored copy brings no other bed's settings along.
pub(crate) const FILE: &str = "mariadb.cnf";

/// The least that InnoDB takes with its page of 16 KiB, bytes.
const MEMORY_MIN_BYTES: u64 = 6 << 20;
/// Bounds of the redo log's size, bytes.
const LOG_MIN_BYTES: u64 = 128 << 20;
const LOG_MAX_BYTES: u64 = 16 << 30;
/// As for PostgreSQL.
const CONNECTIONS_MAX: u32 = 1000;

/// Further settings that can change a result, in print as the server has them.
pub(crate) const WATCHED: &[&str] = &[
    "version_comment",
    "innodb_page_size",
    "innodb_use_native_aio",
    "innodb_log_file_buffering",
    "innodb_log_write_ahead_size",
    "innodb_log_buffer_size",
    "innodb_checksum_algorithm",
    "innodb_adaptive_hash_index",
    "innodb_change_buffering",
    "innodb_read_io_threads",
    "innodb_write_io_threads",
    "innodb_max_dirty_pages_pct",
    "innodb_purge_threads",
    "innodb_lock_wait_timeout",
    "transaction_isolation",
    "tx_isolation",
    "thread_handling",
];

/// The printed settings of a server that is not ours.
pub(crate) const OF_EXISTING: &[&str] = &[
    "version",
    "version_comment",
    "innodb_buffer_pool_size",
    "innodb_flush_log_at_trx_commit",
    "innodb_flush_method",
    "innodb_doublewrite",
    "innodb_log_file_size",
    "innodb_redo_log_capacity",
    "innodb_io_capacity",
    "innodb_io_capacity_max",
    "innodb_page_size",
    "sync_binlog",
    "log_bin",
    "max_connections",
    "innodb_use_native_aio",
    "transaction_isolation",
    "tx_isolation",
    "character_set_server",
];

/// The redo log is as long as the memory is large: checkpoints keep pace while a bed is measured, whatever
/// the scale.
pub(crate) fn log_bytes(memory_bytes: u64) -> u64 {
    memory_bytes.clamp(LOG_MIN_BYTES, LOG_MAX_BYTES).next_multiple_of(16 << 20)
}

pub(crate) fn of(config: &ServerConfig, flavour: Flavour, version: &[u32]) -> Vec<Setting> {
    let spec = &config.spec;
    let memory_bytes = spec.memory_bytes.max(MEMORY_MIN_BYTES);
    let mut all = vec![Setting::new(
        "innodb_buffer_pool_size",
        memory_bytes,
        "the bed's memory, in whole chunks; at least 6 MiB",
    )];
    let capacity = if flavour == Flavour::MySql && version >= [8, 0, 30].as_slice() {
        "innodb_redo_log_capacity"
    } else {
        "innodb_log_file_size"
    };
    all.push(Setting::new(
        capacity,
        log_bytes(config.log_for_bytes()),
        "as much as the largest bed's memory, 128 MiB to 16 GiB: old pages are written while a bed is measured",
    ));
    if flavour == Flavour::MySql {
        // MariaDB chooses these itself.
        all.push(Setting::new(
            "innodb_buffer_pool_chunk_size",
            1 << 20,
            "memory is not rounded up to 128 MiB",
        ));
        all.push(Setting::new("innodb_buffer_pool_instances", 1, "the same for every size of memory"));
    }
    all.extend(durability(spec.synchronous, flavour, version));
    all.extend([
        Setting::new(
            "innodb_io_capacity",
            2000,
            "the default of 200 is a disk's: the drive is to set the pace, not the server",
        ),
        Setting::new("innodb_io_capacity_max", 20_000, "the same"),
        Setting::new("innodb_flush_neighbors", 0, "no extra pages are written for the sake of a disk's arm"),
        Setting::new("innodb_buffer_pool_dump_at_shutdown", "OFF", "a start is a cold start"),
        Setting::new("innodb_buffer_pool_load_at_startup", "OFF", "a start is a cold start"),
        Setting::new("skip_log_bin", "", "a bed is one server without replicas, and a commit is one sync"),
        Setting::new("max_connections", CONNECTIONS_MAX, "a connection for each of many users"),
        Setting::new(
            "max_prepared_stmt_count",
            1 << 20,
            "sysbench's users prepare nine statements for each of many tables",
        ),
        Setting::new("table_open_cache", 16_384, "every user's own handle on each of many tables stays open"),
        Setting::new("max_allowed_packet", 64 << 20, "loading in large pieces"),
        Setting::new("local_infile", "ON", "loading with LOAD DATA LOCAL"),
        Setting::new("character_set_server", "utf8mb4", "the same on every host"),
        Setting::new(
            "collation_server",
            "utf8mb4_bin",
            "bytes are compared, as the other engines are told to",
        ),
        Setting::new("skip_name_resolve", "ON", "no name server is asked"),
        Setting::new("default_time_zone", "+00:00", "the same on every host"),
    ]);
    all
}

/// The durability settings: the time at which written data is on the drive.
fn durability(synchronous: Synchronous, flavour: Flavour, version: &[u32]) -> Vec<Setting> {
    let at_commit = match synchronous {
        Synchronous::Full => 1,
        Synchronous::Normal => 2,
        Synchronous::Off => 0,
    };
    // From version 11 on MariaDB has no way of its own to leave out its syncs.
    let can_skip = flavour == Flavour::MySql || version < [11].as_slice();
    let method = if synchronous == Synchronous::Off && can_skip { "nosync" } else { "O_DIRECT" };
    vec![
        Setting::new(
            "innodb_flush_log_at_trx_commit",
            at_commit,
            "1: a commit waits for the drive; 2 (each second) and 0 where the experiment says normal and off",
        ),
        Setting::new(
            "innodb_flush_method",
            method,
            "past the host's cache, so that the memory is the bed's; nosync where the experiment says off",
        ),
        Setting::new("innodb_doublewrite", "ON", "no torn pages after a power cut, whatever the drive"),
    ]
}

/// The configuration file of an instance. `first`: there is no password yet, so that the network stays out.
pub(crate) fn file(layout: &Layout, settings: &[Setting], endpoint: &Endpoint, first: bool) -> String {
    let mut text = String::from("# Written by drivetrain at every start.\n[mysqld]\n");
    for setting in settings {
        let assignment =
            if setting.value.is_empty() { String::new() } else { format!(" = {}", setting.value) };
        text += &format!("# {}\n{}{assignment}\n", setting.why, setting.name);
    }
    let socket = endpoint.socket.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
    let places = [
        ("datadir", layout.data().display().to_string()),
        ("innodb_log_group_home_dir", layout.log().display().to_string()),
        ("tmpdir", layout.temporary().display().to_string()),
        ("pid_file", layout.data().join("server.pid").display().to_string()),
        ("socket", socket),
    ];
    for (name, value) in places {
        text += &format!("{name} = {}\n", quote(&value));
    }
    text += &format!("bind_address = 127.0.0.1\nport = {}\n", endpoint.port);
    text + if first { "skip_networking = ON\n" } else { "" }
}

/// Quotes keep spaces and `#`; a backslash begins an escape inside them.
fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::InstanceSpec;
    use crate::server::Needs;
    use emulate::Backing;

    fn value(
        memory_bytes: u64,
        synchronous: Synchronous,
        flavour: Flavour,
        version: &[u32],
        name: &str,
    ) -> Option<String> {
        let spec = InstanceSpec {
            dir: "d".into(),
            data: Backing::Real,
            log: Backing::Real,
            log_dir: None,
            memory_bytes,
            synchronous,
            page_cache: false,
        };
        of(&ServerConfig { spec, needs: Needs::default() }, flavour, version)
            .into_iter()
            .find(|setting| setting.name == name)
            .map(|setting| setting.value)
    }

    #[test]
    fn memory_and_log_follow_the_experiment() {
        let maria = |memory, name| value(memory, Synchronous::Full, Flavour::MariaDb, &[10, 11], name);
        assert_eq!(maria(32 << 20, "innodb_buffer_pool_size").as_deref(), Some("33554432"));
        assert_eq!(maria(32 << 20, "innodb_log_file_size").as_deref(), Some("134217728"));
        assert_eq!(maria(2 << 30, "innodb_log_file_size").as_deref(), Some("2147483648"));
        assert_eq!(maria(1, "innodb_buffer_pool_size").as_deref(), Some("6291456"));
        let mysql = |version: &[u32], name| value(2 << 30, Synchronous::Full, Flavour::MySql, version, name);
        assert_eq!(mysql(&[8, 0, 36], "innodb_log_file_size"), None);
        assert_eq!(mysql(&[8, 0, 36], "innodb_redo_log_capacity").as_deref(), Some("2147483648"));
        assert_eq!(mysql(&[8, 0, 11], "innodb_redo_log_capacity"), None);
    }

    #[test]
    fn what_a_commit_waits_for_follows_the_experiment() {
        let two = |synchronous, version: &[u32]| {
            let one = |name| value(1 << 30, synchronous, Flavour::MariaDb, version, name).unwrap();
            (one("innodb_flush_log_at_trx_commit"), one("innodb_flush_method"))
        };
        let words = |one: &str, other: &str| (one.to_owned(), other.to_owned());
        assert_eq!(two(Synchronous::Full, &[10, 11]), words("1", "O_DIRECT"));
        assert_eq!(two(Synchronous::Normal, &[10, 11]), words("2", "O_DIRECT"));
        assert_eq!(two(Synchronous::Off, &[10, 11]), words("0", "nosync"));
        assert_eq!(two(Synchronous::Off, &[11, 4]), words("0", "O_DIRECT"));
    }

    #[test]
    fn a_quote_in_a_path_stays_inside_its_quotes() {
        assert_eq!(quote("/a b\"#\\c"), "\"/a b\\\"#\\\\c\"");
    }
}
