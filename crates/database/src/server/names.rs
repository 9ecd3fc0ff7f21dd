//! What servers put into their directories. Whatever else lies there was put by somebody, and is not deleted.

use std::fs;
use std::path::Path;

/// Names at the top of PostgreSQL's data directory that do not begin with `pg_` or `PG_`.
const POSTGRESQL: [&str; 8] = [
    "base",
    "global",
    "postgresql.conf",
    "postgresql.auto.conf",
    "postmaster.opts",
    "postmaster.pid",
    "current_logfiles",
    "log",
];
/// Beginnings of names at the top of the directories of MariaDB and MySQL, of PostgreSQL's log, and of what backup tools leave.
const OTHERS: [&str; 27] = [
    "ibdata",
    "ib_",
    "ibtmp",
    "undo",
    "aria_log",
    "#",
    "multi-master.info",
    "mysql",
    "mariadb",
    "auto.cnf",
    "ddl_recovery",
    "tc.log",
    "server.pid",
    "performance_schema",
    "sys",
    "binlog.",
    "private_key",
    "archive_status",
    "summaries",
    "xlogtemp.",
    "backup.",
    "backup_",
    "backup-my.cnf",
    "base.tar",
    "xtrabackup_",
    "tablespace_map",
    "ddl.log",
];
/// Endings of names of tables and of keys, wherever they lie.
const ENDINGS: [&str; 24] = [
    ".ibd", ".ibu", ".ibt", ".frm", ".opt", ".MAI", ".MAD", ".MYI", ".MYD", ".CSV", ".CSM", ".TRG", ".TRN",
    ".par", ".isl", ".ARZ", ".sdi", ".cfg", ".pem", ".dblwr", ".flag", ".new", ".ren", ".del",
];

/// One thing in a server's directory `root` that no server puts there; looked for at its top and one level below.
pub(crate) fn stranger(root: &Path) -> Option<String> {
    let postgresql = root.join("PG_VERSION").exists();
    for (name, is_dir) in entries(root) {
        // All together: a directory that was cut off in its creation does not say whose it is.
        let known = POSTGRESQL.contains(&name.as_str())
            || name.starts_with("pg_")
            || name.starts_with("PG_")
            || OTHERS.iter().any(|start| name.starts_with(start))
            || is_log_segment(&name);
        // What a server leaves that the kernel stopped.
        let known = known || name == "core" || name.starts_with("core.");
        let known_ending = |name: &str| ENDINGS.iter().any(|ending| name.ends_with(ending));
        if known || (!is_dir && !postgresql && known_ending(&name)) {
            continue;
        }
        if postgresql || !is_dir {
            return Some(name);
        }
        // A directory of MariaDB's is a database: tables and nothing else.
        let foreign =
            |(below, is_dir): &(String, bool)| *is_dir || !(known_ending(below) || below.starts_with("#sql"));
        if let Some((below, _)) = entries(&root.join(&name)).into_iter().find(foreign) {
            return Some(format!("{name}/{below}"));
        }
    }
    None
}

/// A file of PostgreSQL's log: 24 hexadecimal digits, or the history of a timeline.
fn is_log_segment(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    [8, 24].contains(&stem.len()) && stem.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Names in `dir`, sorted, and whether each is a directory; none when it cannot be read.
fn entries(dir: &Path) -> Vec<(String, bool)> {
    let is_dir = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let entry = |entry: fs::DirEntry| (entry.file_name().to_string_lossy().into_owned(), is_dir(&entry));
    let mut names: Vec<_> = fs::read_dir(dir).into_iter().flatten().flatten().map(entry).collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(names: &[&str]) -> Option<String> {
        let temp = tempfile::tempdir().unwrap();
        for name in names {
            let path = temp.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        stranger(temp.path())
    }

    #[test]
    fn knows_what_servers_write() {
        assert_eq!(with(&["PG_VERSION", "base/1/1259", "pg_xact/0000", "postgresql.conf"]), None);
        assert_eq!(with(&["000000010000000000000001", "00000002.history", "archive_status/x.done"]), None);
        assert_eq!(
            with(&[
                "ibdata1",
                "aria_log_control",
                "tpcc/db.opt",
                "tpcc/stock.ibd",
                "mysql/user.frm",
                "ib_logfile0"
            ]),
            None
        );
        assert_eq!(with(&["base/1/1259", "pg_wal", "core"]), None);
        assert_eq!(with(&[]), None);
    }

    #[test]
    fn names_what_somebody_else_wrote() {
        assert_eq!(with(&["PG_VERSION", "base/1", "thesis.tex"]).as_deref(), Some("thesis.tex"));
        assert_eq!(with(&["ibdata1", "thesis.tex"]).as_deref(), Some("thesis.tex"));
        assert_eq!(
            with(&["ibdata1", "work/stock.ibd", "work/thesis.tex"]).as_deref(),
            Some("work/thesis.tex")
        );
        assert_eq!(with(&["ibdata1", "work/deep/stock.ibd"]).as_deref(), Some("work/deep"));
        assert_eq!(with(&["notes/a.txt"]).as_deref(), Some("notes/a.txt"));
    }
}
