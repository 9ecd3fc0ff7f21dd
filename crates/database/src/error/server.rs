//! Errors of finding, creating, starting, reaching and stopping a server.

use std::path::PathBuf;

/// An error: the fault, the place and the next step. It never contains a password.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// No installation was found.
    #[error(
        "{engine} was not found (looked in {looked}); install the package `{package}`, or set {variable} to the folder with its programs"
    )]
    NotFound {
        /// The engine and the versions that would do.
        engine: String,
        /// The places of the search.
        looked: String,
        /// The distribution's package.
        package: &'static str,
        /// The environment variable that names a folder.
        variable: &'static str,
    },
    /// The environment names a folder that will not do.
    #[error("{variable} is {path}, which holds no `{missing}`; set it to the folder with the server's programs", path = path.display())]
    WrongFolder {
        /// The environment variable.
        variable: &'static str,
        /// Its value.
        path: PathBuf,
        /// The program that is not there.
        missing: String,
    },
    /// The power of real storage cannot be cut.
    #[error(
        "cutting the power needs emulated storage, and {engine} uses real storage; crash the server instead"
    )]
    NoPowerCut {
        /// The engine.
        engine: &'static str,
    },
    /// Another drivetrain has the directory.
    #[error("{dir} is in use by another drivetrain (process {pid}); wait for it, end it, or name another directory", dir = dir.display())]
    Busy {
        /// The directory.
        dir: PathBuf,
        /// The process that holds it, in its own words.
        pid: String,
    },
    /// The server's account cannot get to its directory.
    #[error(
        "the server runs as `{account}` (never as root), and {closed} is closed to that account; name a directory elsewhere, or open it with: chmod a+x {closed}",
        closed = closed.display()
    )]
    Unreachable {
        /// The account.
        account: String,
        /// The first directory on the way that it may not enter.
        closed: PathBuf,
    },
    /// The memory asked for is more than there is.
    #[error(
        "a server with {asked_bytes} bytes of memory was asked for, {available_bytes} are available; ask for less (`memory`), or free some"
    )]
    NoMemory {
        /// Memory of the instance and the server's other needs.
        asked_bytes: u64,
        /// The memory left on the machine or in the control group.
        available_bytes: u64,
    },
    /// The port is somebody else's.
    #[error(
        "port {port} on 127.0.0.1 is taken by another program; name another port, or none to get a free one"
    )]
    PortTaken {
        /// The port.
        port: u16,
    },
    /// A new instance could not be made.
    #[error("creating a {engine} instance in {dir}: {why}{log}", dir = dir.display())]
    Creation {
        /// The engine.
        engine: &'static str,
        /// The instance's directory.
        dir: PathBuf,
        /// The event.
        why: String,
        /// The last lines that were printed.
        log: String,
    },
    /// The server ended instead of starting.
    #[error("{engine} in {dir} did not start: {why}{log}", dir = dir.display())]
    DiedAtStart {
        /// The engine.
        engine: &'static str,
        /// The instance's directory.
        dir: PathBuf,
        /// The end of the process.
        why: String,
        /// The last lines of its log.
        log: String,
    },
    /// The server ended while it was in use.
    #[error("{engine} in {dir} is dead: {why}{log}", dir = dir.display())]
    Died {
        /// The engine.
        engine: &'static str,
        /// The instance's directory.
        dir: PathBuf,
        /// The end of the process.
        why: String,
        /// The last lines of its log.
        log: String,
    },
    /// The server did not end when asked to.
    #[error("{engine} in {dir} did not stop within {waited_s} s and was killed; it recovers at the next start{log}", dir = dir.display())]
    DidNotStop {
        /// The engine.
        engine: &'static str,
        /// The instance's directory.
        dir: PathBuf,
        /// The time waited.
        waited_s: u64,
        /// The last lines of its log.
        log: String,
    },
    /// A restore was cut off, so the directory holds no database.
    #[error("the database in {dir} was being restored when drivetrain ended; restore it again", dir = dir.display())]
    Unfinished {
        /// The instance's directory.
        dir: PathBuf,
    },
    /// The files are those of another engine or major version.
    #[error("{dir} holds a database of {found}, and this is {have}; load it again, or install {found}", dir = dir.display())]
    OtherVersion {
        /// The directory.
        dir: PathBuf,
        /// The program that wrote the files.
        found: String,
        /// The installed program.
        have: String,
    },
    /// A data directory with links that a copy would not follow.
    #[error("{path} leads out of the data directory (a tablespace?); such a database cannot be copied", path = path.display())]
    LeadsOut {
        /// The link.
        path: PathBuf,
    },
    /// The address of an existing server is not one.
    #[error("{why}; write it as {example}")]
    WrongUrl {
        /// The fault, without the password.
        why: String,
        /// One that would do.
        example: String,
    },
    /// A password where every user of the machine can read it.
    #[error(
        "the address has a password in it, which everybody who lists processes can read; leave it out and set {variable}"
    )]
    PasswordInUrl {
        /// The environment variable that holds the password.
        variable: &'static str,
    },
    /// The engine is no server.
    #[error("{engine} is built in and has no server")]
    BuiltIn {
        /// The engine.
        engine: &'static str,
    },
    /// Nobody answers at the address.
    #[error(
        "cannot reach {engine} at {address}: {why}; check host and port, and that the server runs and listens there"
    )]
    Unreached {
        /// The engine.
        engine: &'static str,
        /// Host and port, or socket.
        address: String,
        /// The system's answer.
        why: String,
    },
    /// Something answers at the address, and not as the engine does.
    #[error(
        "{engine}, {doing}: what came from {address} is no answer of {engine}: {why}; check that {engine} listens at this address and port \
         with nothing between that changes what it says, and look into its log"
    )]
    Strange {
        /// The engine.
        engine: &'static str,
        /// Host and port, or socket.
        address: String,
        /// The failed action.
        doing: &'static str,
        /// The server's answer, or the fault in it.
        why: String,
    },
    /// The server is there and will take connections soon.
    #[error("{engine} at {address} is starting: {why}; try again when it is up")]
    Starting {
        /// The engine.
        engine: &'static str,
        /// Host and port, or socket.
        address: String,
        /// The server's answer.
        why: String,
    },
    /// User or password are wrong.
    #[error(
        "{engine} at {address} refused user `{user}`: {why}; check the user, and the password in {variable}"
    )]
    WrongPassword {
        /// The engine.
        engine: &'static str,
        /// Host and port, or socket.
        address: String,
        /// The user.
        user: String,
        /// The server's answer.
        why: String,
        /// The environment variable that holds the password.
        variable: &'static str,
    },
    /// The database that the URL names does not exist.
    #[error(
        "{engine} at {address} has no database `{database}`: name one that exists in the URL, or create it (CREATE DATABASE {database})"
    )]
    NoDatabase {
        /// The engine.
        engine: &'static str,
        /// Host and port, or socket.
        address: String,
        /// The name.
        database: String,
    },
    /// The user may not do this.
    #[error("{doing}: user `{user}` lacks a privilege: {why}; {fix}")]
    NoPrivilege {
        /// The failed action.
        doing: &'static str,
        /// The user.
        user: String,
        /// The server's answer.
        why: String,
        /// The statement that grants it.
        fix: String,
    },
    /// The server is older than the supported versions.
    #[error("{engine} at {place} is version {found}; {needed} is needed")]
    TooOld {
        /// The engine.
        engine: &'static str,
        /// Its place.
        place: String,
        /// Its version.
        found: String,
        /// The lowest supported versions.
        needed: &'static str,
    },
    /// A statement failed or the connection was lost.
    #[error("{engine}, {doing}: {why}")]
    Statement {
        /// The engine.
        engine: &'static str,
        /// The failed action.
        doing: &'static str,
        /// The server's answer.
        why: String,
    },
    /// It was stopped from outside.
    #[error("{engine}, {doing}: stopped before its end")]
    Stopped {
        /// The engine.
        engine: &'static str,
        /// The action.
        doing: &'static str,
    },
    /// No answer in time.
    #[error(
        "{engine}, {doing}: no answer within {waited_s} s; check address and port, and look into the server's log"
    )]
    NoAnswer {
        /// The engine.
        engine: &'static str,
        /// The failed action.
        doing: &'static str,
        /// The time waited.
        waited_s: u64,
    },
    /// Something that only an own server allows.
    #[error(
        "{doing}: the server at {address} was not created by drivetrain, so it is not touched; load the workload again instead"
    )]
    NotOurs {
        /// The request.
        doing: &'static str,
        /// Host and port, or socket.
        address: String,
    },
}

impl ServerError {
    /// True if a short wait may help: the server is coming up.
    pub(crate) fn is_not_yet(&self) -> bool {
        matches!(self, Self::Unreached { .. } | Self::Starting { .. } | Self::NoAnswer { .. })
    }
}
