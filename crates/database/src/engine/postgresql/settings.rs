//! The settings of PostgreSQL, with their reasons. All others keep the server's own default.

use crate::client::Endpoint;
use crate::server::{Layout, ServerConfig, Setting};
use words::Synchronous;

/// Configuration file; it lies beside the data, so that a restored copy brings no other bed's settings along.
pub(crate) const FILE: &str = "postgresql.conf";
pub(crate) const LOGIN_FILE: &str = "pg_hba.conf";
pub(crate) const NAMES_FILE: &str = "pg_ident.conf";

/// The least that is of use, bytes: the server starts with 128 KiB, but then runs out of pages that nobody
/// holds.
const MEMORY_MIN_BYTES: u64 = 2 << 20;
/// Bounds of the log's size, bytes.
const LOG_MIN_BYTES: u64 = 256 << 20;
const LOG_MAX_BYTES: u64 = 32 << 30;
/// Connections that the server takes, for it and MariaDB alike: the largest published step has 500 users, and
/// each may have two.
const CONNECTIONS_MAX: u32 = 1000;

/// Further settings that can change a result, in print as the server has them.
pub(crate) const WATCHED: &[&str] = &[
    "block_size",
    "wal_block_size",
    "wal_segment_size",
    "wal_sync_method",
    "data_checksums",
    "checkpoint_timeout",
    "wal_compression",
    "wal_init_zero",
    "wal_recycle",
    "bgwriter_delay",
    "bgwriter_lru_maxpages",
    "effective_io_concurrency",
    "autovacuum",
    "default_transaction_isolation",
    "effective_cache_size",
    "work_mem",
    "debug_io_direct",
    "io_method",
];

/// The printed settings of a server that is not ours.
pub(crate) const OF_EXISTING: &[&str] = &[
    "shared_buffers",
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "wal_level",
    "max_wal_size",
    "min_wal_size",
    "checkpoint_timeout",
    "checkpoint_completion_target",
    "wal_buffers",
    "max_connections",
    "huge_pages",
    "jit",
    "block_size",
    "wal_sync_method",
    "data_checksums",
    "wal_compression",
    "autovacuum",
    "default_transaction_isolation",
    "effective_cache_size",
    "work_mem",
    "synchronous_standby_names",
];

/// Log between checkpoints may grow to twice the memory: enough to gather writes, little enough for
/// checkpoints to happen while a bed is measured (clause 5.5.2.2 asks for them), whatever the scale.
pub(crate) fn log_bytes(memory_bytes: u64) -> u64 {
    memory_bytes.saturating_mul(2).clamp(LOG_MIN_BYTES, LOG_MAX_BYTES).next_multiple_of(16 << 20)
}

pub(crate) fn of(config: &ServerConfig) -> Vec<Setting> {
    let on = |yes: bool| if yes { "on" } else { "off" };
    let spec = &config.spec;
    let memory_bytes = spec.memory_bytes.max(MEMORY_MIN_BYTES);
    vec![
        Setting::new(
            "shared_buffers",
            format!("{}kB", memory_bytes / 8192 * 8),
            "the bed's memory, at least 2 MiB; the host's page cache may still answer what it misses",
        ),
        Setting::new(
            "fsync",
            on(spec.synchronous != Synchronous::Off),
            "off only where the experiment says synchronous = \"off\"",
        ),
        Setting::new(
            "synchronous_commit",
            on(spec.synchronous == Synchronous::Full),
            "on: a commit waits for the drive; off where the experiment says normal or off",
        ),
        Setting::new("full_page_writes", "on", "no torn pages after a power cut, whatever the drive"),
        match config.needs.backups {
            false => Setting::new("wal_level", "minimal", "a bed is one server without replicas or archive"),
            true => Setting::new("wal_level", "replica", "a backup of the files needs the fuller log"),
        },
        match config.needs.backups {
            false => Setting::new("max_wal_senders", 0, "no replicas"),
            true => Setting::new(
                "max_wal_senders",
                8,
                "a backup takes two, one for the files and one for the log",
            ),
        },
        Setting::new(
            "wal_buffers",
            "16MB",
            "the most that the server would choose, so that memory alone varies with memory",
        ),
        Setting::new(
            "max_wal_size",
            mib(log_bytes(config.log_for_bytes())),
            "twice the largest bed's memory, 256 MiB to 32 GiB: checkpoints happen while a bed is measured",
        ),
        Setting::new(
            "min_wal_size",
            mib(log_bytes(config.log_for_bytes())),
            "all of it is kept as recycled segments: a server that has run for long fills no new ones with zeros",
        ),
        Setting::new(
            "checkpoint_completion_target",
            0.9,
            "checkpoints are spread out; the default since version 14",
        ),
        Setting::new("log_checkpoints", "on", "the kept log says when they were"),
        Setting::new("max_connections", CONNECTIONS_MAX, "a connection for each of many users"),
        Setting::new("huge_pages", "off", "the same for every bed, whatever the host has set aside"),
        Setting::new("jit", "off", "no compilation in the middle of a check"),
        Setting::new("update_process_title", "off", "saves a system call per statement"),
        Setting::new("timezone", "UTC", "the same on every host"),
        Setting::new("log_timezone", "UTC", "the same on every host"),
        Setting::new("lc_messages", "C", "errors in one language"),
        Setting::new("password_encryption", "scram-sha-256", "the default since version 14"),
        Setting::new("ssl", "off", "loopback only"),
    ]
}

fn mib(bytes: u64) -> String {
    format!("{}MB", bytes >> 20)
}

/// The configuration files of an instance.
pub(crate) fn files(
    layout: &Layout,
    config: &ServerConfig,
    endpoint: &Endpoint,
) -> Vec<(&'static str, String)> {
    let mut text = String::from("# Written by drivetrain at every start.\n");
    for setting in of(config) {
        text += &format!("{} = {}  # {}\n", setting.name, quote(&setting.value), setting.why);
    }
    let path = |name: &str| quote(&layout.file(name).display().to_string());
    let socket_dir = endpoint.socket_dir().map(|dir| dir.display().to_string()).unwrap_or_default();
    text += &format!(
        "listen_addresses = '127.0.0.1'\nport = {}\nunix_socket_directories = {}\nhba_file = {}\nident_file = {}\n",
        endpoint.port,
        quote(&socket_dir),
        path(LOGIN_FILE),
        path(NAMES_FILE),
    );
    text += "logging_collector = off\nlog_destination = 'stderr'\nlog_line_prefix = '%m [%p] '\n";
    // Through the socket's folder come only root and the server's own account; everybody on the host can
    // reach the port.
    let login = "local all all trust\nlocal replication all trust\nhost all all 127.0.0.1/32 scram-sha-256\n";
    vec![(FILE, text), (LOGIN_FILE, login.to_owned()), (NAMES_FILE, String::new())]
}

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::InstanceSpec;
    use crate::server::Needs;
    use emulate::Backing;

    fn config(memory_bytes: u64, synchronous: Synchronous) -> ServerConfig {
        let spec = InstanceSpec {
            dir: "d".into(),
            data: Backing::Real,
            log: Backing::Real,
            log_dir: None,
            memory_bytes,
            synchronous,
            page_cache: false,
        };
        ServerConfig { spec, needs: Needs::default() }
    }

    fn value(config: &ServerConfig, name: &str) -> String {
        of(config).into_iter().find(|setting| setting.name == name).unwrap().value
    }

    #[test]
    fn memory_and_log_follow_the_experiment() {
        let small = config(32 << 20, Synchronous::Full);
        assert_eq!(value(&small, "shared_buffers"), "32768kB");
        assert_eq!(
            (value(&small, "max_wal_size"), value(&small, "min_wal_size")),
            ("256MB".to_owned(), "256MB".to_owned())
        );
        let large = config(2 << 30, Synchronous::Full);
        assert_eq!(
            (value(&large, "max_wal_size"), value(&large, "min_wal_size")),
            ("4096MB".to_owned(), "4096MB".to_owned())
        );
        let beside_it =
            ServerConfig { needs: Needs { log_for_bytes: Some(2 << 30), ..Needs::default() }, ..small };
        assert_eq!(
            (value(&beside_it, "shared_buffers"), value(&beside_it, "max_wal_size")),
            ("32768kB".to_owned(), "4096MB".to_owned())
        );
        assert_eq!(value(&config(1, Synchronous::Full), "shared_buffers"), "2048kB");
    }

    #[test]
    fn what_a_commit_waits_for_follows_the_experiment() {
        let two = |synchronous| {
            let config = config(1 << 30, synchronous);
            (value(&config, "fsync"), value(&config, "synchronous_commit"))
        };
        let words = |one: &str, other: &str| (one.to_owned(), other.to_owned());
        assert_eq!(two(Synchronous::Full), words("on", "on"));
        assert_eq!(two(Synchronous::Normal), words("on", "off"));
        assert_eq!(two(Synchronous::Off), words("off", "off"));
    }

    #[test]
    fn a_quote_in_a_path_stays_inside_its_quotes() {
        assert_eq!(quote("/it's\\here"), "'/it''s\\\\here'");
    }
}
