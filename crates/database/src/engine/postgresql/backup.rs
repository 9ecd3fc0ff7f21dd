//! PostgreSQL's own tools: `pg_basebackup` for the files, `pg_dump` and `pg_restore` for the contents.

use std::fs;
use std::process::Command;

use ground::Clock;

use super::Program;
use super::files::LOG_LINK;
use crate::backup::tool::{self, Manner, Tool, Wanted};
use crate::backup::{BackupError, BackupMethod, CopyParts, stream_into};
use crate::client::Endpoint;
use crate::error::DatabaseError;
use crate::machine::Tree;
use crate::server::{BackupJob, BackupTools, RestoreJob, remove_trees};

/// Rates that `pg_basebackup` takes, KiB per second.
const RATE_KIB: (u64, u64) = (32, 1 << 20);
/// The dump's file.
const DUMP: &str = "backup.dump";
/// Tables that are loaded at the same time.
const RESTORE_JOBS: &str = "--jobs=2";
/// Archives of a compressed backup of the files.
const ARCHIVES: [&str; 2] = ["base.tar.gz", "pg_wal.tar.gz"];

impl Program {
    fn tool(&self, name: &'static str) -> Result<Tool, BackupError> {
        let names: &'static [&'static str] = match name {
            "pg_dump" => &["pg_dump"],
            "pg_restore" => &["pg_restore"],
            _ => &["pg_basebackup"],
        };
        let wanted = Wanted { names, package: "postgresql-client", numbers: 1 };
        tool::find(&wanted, &self.found.program, &self.version)
    }
}

impl BackupTools for Program {
    fn back_up(&self, job: &BackupJob<'_>) -> Result<String, DatabaseError> {
        let tool = match job.request.method {
            BackupMethod::Physical => self.tool("pg_basebackup")?,
            BackupMethod::Logical => self.tool("pg_dump")?,
        };
        let mut command = job.account.command(&tool.program);
        enter(&mut command, job.endpoint);
        match job.request.method {
            BackupMethod::Physical => base_backup(command, job)?,
            BackupMethod::Logical => dump(command, job)?,
        }
        Ok(tool.version_line)
    }

    fn bring_back(&self, job: &RestoreJob<'_>) -> Result<CopyParts, DatabaseError> {
        let start = Clock::Wall.stopwatch();
        let (data, log) = (job.layout.data(), job.layout.log());
        if !job.manifest.compressed {
            let parts = [
                (Tree::list(job.files, Some(LOG_LINK))?, job.files.to_owned(), &data, &job.layout.dir),
                (
                    Tree::list(&job.files.join(LOG_LINK), None)?,
                    job.files.join(LOG_LINK),
                    &log,
                    &job.layout.log_home,
                ),
            ];
            for (tree, from, to, home) in &parts {
                tree.copy(from, to, home, Some(job.account))?;
            }
            let copied = start.elapsed();
            for (tree, _, to, _) in &parts {
                tree.settle(to)?;
            }
            return Ok(CopyParts::copied(copied, start.elapsed() - copied));
        }
        for (archive, dir) in ARCHIVES.iter().zip([&data, &log]) {
            job.account.create_dir(dir)?;
            let mut command = job.account.command("tar");
            command.arg("-xzf").arg("-").arg("-C").arg(dir);
            let path = job.files.join(archive);
            let file = fs::File::open(&path).map_err(DatabaseError::io("opening", &path))?;
            command.stdin(file);
            tool::run(command, &Manner::plain(job.watch, &job.layout.dir))?;
        }
        // The archive has the log's folder without the log.
        remove_trees(&[data.join(LOG_LINK)])?;
        let copied = start.elapsed();
        Tree::list(&data, None)?.settle(&data)?;
        Ok(CopyParts::copied(copied, start.elapsed() - copied))
    }

    fn load_back(&self, job: &RestoreJob<'_>) -> Result<(), DatabaseError> {
        let mut command = job.account.command(self.tool("pg_restore")?.program);
        enter(&mut command, job.endpoint);
        command.args(["--exit-on-error", RESTORE_JOBS, "--dbname"]).arg(&job.endpoint.database);
        command.arg(job.files.join(DUMP));
        tool::run(command, &Manner::plain(job.watch, &job.layout.dir))
    }
}

/// Through the socket, where the server's account and root need no password.
fn enter(command: &mut Command, endpoint: &Endpoint) {
    let host = endpoint.socket_dir().map_or_else(|| endpoint.host.clone(), |dir| dir.display().to_string());
    command.arg("--host").arg(host).arg(format!("--port={}", endpoint.port));
    command.arg("--username").arg(&endpoint.user).arg("--no-password");
}

fn base_backup(mut command: Command, job: &BackupJob<'_>) -> Result<(), DatabaseError> {
    // A checkpoint that is spread out would measure the server's patience.
    command.args(["--checkpoint=fast", "--wal-method=stream"]).arg("--pgdata").arg(job.files);
    if job.request.compress {
        command.args(["--format=tar", "--gzip", "--compress=1"]);
    } else {
        command.arg("--format=plain");
    }
    if let Some(rate) = job.request.rate_limit_bytes_per_s {
        command.arg(format!("--max-rate={}k", (rate >> 10).clamp(RATE_KIB.0, RATE_KIB.1)));
    }
    tool::run(command, &Manner::of(job.request, job.watch, true))
}

fn dump(mut command: Command, job: &BackupJob<'_>) -> Result<(), DatabaseError> {
    command.args(["--format=custom", if job.request.compress { "--compress=1" } else { "--compress=0" }]);
    command.arg("--dbname").arg(&job.endpoint.database);
    let to = job.files.join(DUMP);
    match job.request.rate_limit_bytes_per_s {
        None => {
            command.arg("--file").arg(&to);
            tool::run(command, &Manner::of(job.request, job.watch, true))
        }
        rate => stream_into(command, &to, false, rate, &Manner::of(job.request, job.watch, false)),
    }
}

/// Statements that sum up one table: independent of the order of rows, and of where they lie.
pub(super) fn sum_statement(schema: &str, table: &str) -> String {
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    format!(
        "select count(*) as rows, coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) as sum from {}.{} t",
        quoted(schema),
        quoted(table)
    )
}

/// Every table of our database; not the temporary ones of other sessions, which come and go.
pub(super) const TABLES: &str = "select schemaname, tablename from pg_tables where schemaname <> 'information_schema' \
    and schemaname not like 'pg\\_%' order by 1, 2";

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn names_are_quoted() {
        assert!(sum_statement("public", "a\"b").ends_with("from \"public\".\"a\"\"b\" t"));
    }

    #[test]
    fn the_tools_come_in_through_the_socket() {
        let socket = Some(Path::new("/tmp/x/.s.PGSQL.5").to_owned());
        let endpoint = Endpoint { socket, ..Endpoint::of_test(5) };
        let mut command = Command::new("pg_dump");
        enter(&mut command, &endpoint);
        let arguments: Vec<_> = command.get_args().map(|a| a.to_string_lossy().into_owned()).collect();
        assert_eq!(arguments, ["--host", "/tmp/x", "--port=5", "--username", "u", "--no-password"]);
    }
}
