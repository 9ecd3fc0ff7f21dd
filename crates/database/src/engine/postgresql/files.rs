//! The files of PostgreSQL 13 to 17 and its tools in their directories.

use super::settings;
use crate::server::Files;

/// The place of the write-ahead log in the data directory: a link that its creation makes.
pub(super) const LOG_LINK: &str = "pg_wal";

pub(crate) const FILES: Files = Files {
    configuration: &[settings::FILE, settings::LOGIN_FILE, settings::NAMES_FILE],
    sign: "PG_VERSION",
    data: DATA,
    log_link: Some(LOG_LINK),
    log: LOG,
    archives: &[
        "backup.dump[.(gz|zst|lz4)]",
        "(base|pg_wal).tar[.gz]",
        "<n>.tar[.gz]",
        "backup_manifest[.tmp]",
    ],
};

const DATA: &[&str] = &[
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
