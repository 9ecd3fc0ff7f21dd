//! What servers put into their directories, path by path: PostgreSQL 13 to 17, MariaDB 10.6 to 11, MySQL 8,
//! their logs of changes, and what their backup tools write. Whatever else lies there was put by somebody,
//! and is not deleted.

use std::io::Read as _;
use std::path::Path;

use disk::{Dir, FileKind};

use super::pattern::{is_dir, is_file};

/// PostgreSQL's data directory, without its log.
const POSTGRESQL: &[&str] = &[
    "PG_VERSION",
    "postgresql.conf",
    "postgresql.auto.conf[.tmp]",
    "pg_(hba|ident).conf",
    "postmaster.(opts|pid)",
    "current_logfiles[.tmp]",
    "(backup_label|tablespace_map)[.old]",
    "backup_manifest[.tmp]",
    "(recovery|standby).signal",
    "base/<n>/[t<n>_]<n>[_(fsm|vm|init)][.<n>]",
    "base/<n>/<n>[_(fsm|vm|init)].relaid",
    "base/<n>/PG_VERSION",
    "base/<n>/pg_filenode.map[.tmp]",
    "base/<n>/pg_internal.init[.<n>]",
    "base/pgsql_tmp/pgsql_tmp<n>.<n>",
    "base/pgsql_tmp/pgsql_tmp<n>.<n>.(sharedfileset|fileset)/<p>.<n>",
    "global/[t<n>_]<n>[_(fsm|vm|init)][.<n>]",
    "global/pg_control",
    "global/pg_filenode.map[.tmp]",
    "global/pg_internal.init[.<n>]",
    "global/config_exec_params[.new]",
    "pg_(xact|subtrans|notify|commit_ts|serial)/<X>",
    "pg_multixact/(members|offsets)/<X>",
    "pg_logical/replorigin_checkpoint[.tmp]",
    "pg_logical/snapshots/<X>-<X>.snap[.<n>.tmp]",
    "pg_logical/mappings/map-<x>-<x>-<X>_<X>-<x>-<x>",
    "pg_replslot/<w>[.tmp]/state[.tmp]",
    "pg_replslot/<w>[.tmp]/xid-<n>-lsn-<X>-<X>.(snap|spill)",
    "pg_snapshots/<X>-<X>-<n>[.tmp]",
    "pg_stat/(global|pgstat|pg_stat_statements|db_<n>).(stat|tmp)",
    "pg_stat_tmp/(global|pgstat|pgss_query_texts|db_<n>).(stat|tmp)",
    "pg_twophase/<X>",
    "pg_dynshmem/mmap.<n>",
    "pg_tblspc/",
    "pg_replslot/",
];

/// PostgreSQL's log of changes.
const LOG: &[&str] = &[
    "<X24>[.partial]",
    "<X24>.<X8>.backup",
    "<X8>.history",
    "xlogtemp.<n>",
    "RECOVERY(XLOG|HISTORY)",
    "archive_status/<X24>[.partial].(done|ready)",
    "archive_status/<X24>.<X8>.backup.(done|ready)",
    "archive_status/<X8>.history.(done|ready)",
    "summaries/<X>.summary",
    "summaries/temp.summary",
    "archive_status/",
    "summaries/",
];

/// The directories of MariaDB and MySQL.
const MARIADB: &[&str] = &[
    "(ibdata|ibtmp|ib_logfile|undo)<n>",
    "undo_<n>",
    "(ibdata<n>|ibtmp<n>|undo<n>|undo_<n>|aria_log).relaid",
    "ib_buffer_pool[.incomplete]",
    "aria_log_control",
    "aria_log.<n8>",
    "multi-master.info",
    "(mysql|mariadb)_upgrade_info",
    "ddl_recovery[-backup].log",
    "(ddl|tc).log",
    "auto.cnf",
    "server.pid",
    "binlog.(<n>|index)",
    "#ib_<n>_<n>.[b]dblwr",
    "mysql.ibd",
    "(ca|ca-key|client-cert|client-key|server-cert|server-key|private_key|public_key).pem",
    "#innodb_temp/temp_<n>.ibt",
    "#innodb_redo/#ib_redo<n>[_tmp]",
    "#innodb_temp/",
    "#innodb_redo/",
    "(mysql|performance_schema|sys|test|drivetrain)/db.opt",
    "(mysql|performance_schema|sys|test|drivetrain)/<t>.(ibd|frm|MAI|MAD|MYI|MYD|CSV|CSM|TRG|TRN|TMD|TMM|TMP)",
    "(mysql|performance_schema|sys|test|drivetrain)/<t>.(par|isl|ARZ|sdi|cfg|ibu|new|ren|del|relaid)",
    "(mysql|performance_schema|sys|test|drivetrain)/",
    // Temporary tables.
    "#sql<t>[.(MAI|MAD|MYI|MYD|ibd|frm)]",
    // What the backup tool leaves for itself.
    "backup-my.cnf",
    "(xtrabackup|mariadb_backup)_(checkpoints|info|logfile|tablespaces|binlog_info|binlog_pos_innodb|slave_info|galera_info)",
];

/// What tools write in place of files: archives, streams and dumps.
const ARCHIVES: &[&str] = &[
    "backup.(dump|sql|mbstream)[.(gz|zst|lz4)]",
    "(base|pg_wal).tar[.gz]",
    "<n>.tar[.gz]",
    "backup_manifest[.tmp]",
];

/// A link that PostgreSQL's creation makes, to its log.
const LOG_LINK: &str = "pg_wal";

/// Whose directory it is. All together where one that was cut off in its creation does not say.
#[derive(Debug)]
pub(crate) struct Layouts(Vec<&'static [&'static str]>, bool);

impl Layouts {
    /// Those that can explain what is in `dir`.
    pub(crate) fn of(dir: &Dir) -> std::io::Result<Self> {
        let is_there = |name: &str| Ok::<_, std::io::Error>(dir.facts(name.as_ref())?.is_some());
        Ok(if is_there("PG_VERSION")? {
            Self(vec![POSTGRESQL], true)
        } else if is_there("ibdata1")? {
            Self(vec![MARIADB], false)
        } else {
            Self(vec![POSTGRESQL, LOG, MARIADB, ARCHIVES], true)
        })
    }

    /// Whether a server or a tool of its puts an entry of this path, below the directory, and kind there.
    pub(crate) fn explain(&self, path: &str, kind: FileKind) -> bool {
        let in_log = path.strip_prefix("pg_wal/").filter(|_| self.1);
        let any = |rule: fn(&str, &str) -> bool| {
            let own = self.0.iter().flat_map(|patterns| patterns.iter()).any(|pattern| rule(pattern, path));
            own || in_log.is_some_and(|path| LOG.iter().any(|pattern| rule(pattern, path)))
        };
        match kind {
            FileKind::File => any(is_file),
            FileKind::Dir => any(is_dir) || (self.1 && path == LOG_LINK),
            FileKind::Link => self.1 && path == LOG_LINK,
            FileKind::Other => false,
        }
    }
}

/// Whether a file at the top is what the kernel leaves of a server that it stopped.
pub(crate) fn is_core_dump(dir: &Dir, path: &str) -> bool {
    if !is_file("core[.<n>]", path) {
        return false;
    }
    let mut head = [0; 18];
    let opened = dir.open_file(Path::new(path).as_os_str(), false);
    // An ELF file of type 4.
    opened.is_ok_and(|mut file| file.read_exact(&mut head).is_ok())
        && head.starts_with(b"\x7fELF")
        && u16::from_ne_bytes([head[16], head[17]]) == 4
}
