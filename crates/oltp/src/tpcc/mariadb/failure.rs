//! The meaning of an error of MariaDB for the run.

use mysql_async::Error;

use crate::admin::mariadb::words;
use crate::driver::Failure;

pub(super) fn failure(error: Error) -> Failure {
    let message = words(&error);
    let Error::Server(answer) = &error else {
        return match error {
            Error::Io(_) | Error::Driver(_) => Failure::Lost(message),
            _ => Failure::Error { kind: "unexpected value", message },
        };
    };
    match answer.code {
        1213 => Failure::Retry("deadlock"),
        1205 => Failure::Retry("lock wait timeout"),
        // The row was changed since it was read (innodb_snapshot_isolation).
        1020 => Failure::Retry("serialization failure"),
        // The server shuts down, killed the connection, or is being started.
        1053 | 1077 | 1079 | 1080 | 1152 | 1159 | 1161 | 1184 | 1927 => Failure::Lost(message),
        // Disk full, a file cannot be read or written, a table is damaged.
        3 | 126 | 1021 | 1026 | 1030 | 1034 | 1035 | 1114 | 1194 | 1712 => Failure::Fatal(message),
        1062 | 1451 | 1452 | 1048 | 4025 => Failure::Error { kind: "constraint violated", message },
        _ => Failure::Error { kind: "statement failed", message },
    }
}

/// A row that must be there is not.
pub(super) fn missing(what: &str) -> Failure {
    Failure::Error { kind: "missing row", message: format!("{what} is not there") }
}

/// A value that does not fit its column.
pub(super) fn odd(error: impl std::fmt::Display) -> Failure {
    Failure::Error { kind: "unexpected value", message: error.to_string() }
}
