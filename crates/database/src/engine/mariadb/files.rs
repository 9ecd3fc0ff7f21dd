//! The files of MariaDB 10.6 to 11, MySQL 8 and their tools in their directories.

use super::settings;
use crate::server::Files;

pub(crate) const FILES: Files = Files {
    configuration: &[settings::FILE],
    sign: "ibdata1",
    data: DATA,
    log_link: None,
    log: &[],
    archives: &["backup.(sql|mbstream)[.(gz|zst|lz4)]"],
};

const DATA: &[&str] = &[
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
    // The backup tool's own files.
    "backup-my.cnf",
    "(xtrabackup|mariadb_backup)_(checkpoints|info|logfile|tablespaces|binlog_info|binlog_pos_innodb|slave_info|galera_info)",
];
