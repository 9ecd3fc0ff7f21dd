//! What bounds a cell.

use crate::word::words;

words! {
    /// What bounded a cell: the answer to "why not double?".
    pub enum Limiter {
        /// Most waited for reads or writes of the drive.
        Drive = "drive",
        /// Most waited until the log of transactions was on the drive.
        LogFlush = "log flush",
        /// Most waited for each other.
        Locks = "locks",
        /// The processors had no time left for the database and its clients.
        Cpu = "CPU",
        /// The load generator took the processors, so the storage was not measured.
        Client = "client",
        /// The kernel's way to the storage took the processors.
        Kernel = "kernel",
        /// Programs that are no part of the measurement took the processors.
        OtherPrograms = "other programs",
        /// The rate that was asked for was kept.
        Pacing = "pacing",
        /// Nothing was answered for a large part of the time while requests waited.
        NoAnswer = "no answer",
        /// Waits inside a modelled engine that no load changes.
        FixedWaits = "fixed waits",
        /// Most waited for the network between client and server.
        Network = "network",
        /// No cell said what bounded it.
        NotKnown = "not known",
    }
}
