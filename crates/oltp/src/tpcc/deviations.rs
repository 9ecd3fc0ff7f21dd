//! The text to print with every result: the origin of the workload, and its deviations.

/// The wording that TPC policy asks of work derived from its benchmarks.
pub const DISCLAIMER: &str = "This workload is derived from the TPC-C Benchmark and is not comparable to published TPC-C Benchmark results, \
    as this implementation does not comply with all requirements of the TPC-C Benchmark.";

/// One place where the workload differs from TPC-C v5.11.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// The clause.
    pub clause: &'static str,
    /// The replacement.
    pub what: &'static str,
}

/// All deviations, by clause.
#[must_use]
pub fn deviations() -> &'static [Deviation] {
    &DEVIATIONS
}

/// The deviation of users whose keying and think times are multiplied.
pub const STRETCHED: [Deviation; 1] = [Deviation {
    clause: "5.2.5.2, 5.2.5.4",
    what: "keying and think times are those of the clauses times the factor `keyed_times` of the experiment",
}];

const DEVIATIONS: [Deviation; 14] = [
    Deviation {
        clause: "1.3",
        what: "in SQLite, which has no exact decimal type, money is kept in whole cents, taxes and discounts in ten-thousandths and dates in milliseconds since 1970, all as integers; servers keep decimals and timestamps",
    },
    Deviation {
        clause: "2.2.2",
        what: "there is no terminal and no menu: a virtual user is a thread or a task that calls the database, SQLite in its own process",
    },
    Deviation {
        clause: "2.4.1.1",
        what: "with home = \"all\" a user draws its warehouse anew for each transaction from the warehouses that it serves (HammerDB's \"use all warehouses\"); home = \"fixed\" follows the clause",
    },
    Deviation {
        clause: "2.4.1.5, 2.5.1.2",
        what: "a database of one warehouse has no remote lines and no remote payments",
    },
    Deviation {
        clause: "2.7.2",
        what: "Delivery is executed at once while its user waits: there is no queue, no result file and no 80 s limit; skipped districts are counted",
    },
    Deviation {
        clause: "3.4",
        what: "SQLite admits one writer at a time, so all transactions are serializable, and writers queue first come, first served; servers run at read committed with what is changed computed under its lock, which keeps the forbidden phenomena out of these transactions without serializable isolation",
    },
    Deviation {
        clause: "2.4.2, 2.5.2, 2.7.4",
        what: "in SQLite a transaction that has to wait for its turn to write reads the rows that it is going to change once before its turn, outside of the database transaction, so that the drive sees many users at once",
    },
    Deviation {
        clause: "4.2, 4.1.3",
        what: "the number of virtual users is chosen freely, not ten terminals per warehouse, and throughput per warehouse is not limited",
    },
    Deviation {
        clause: "4.2.2",
        what: "a scaled experiment uses fewer warehouses than a configuration of its throughput would need",
    },
    Deviation {
        clause: "5.2.5",
        what: "unless the experiment paces them, users neither key nor think: each sends the next transaction as soon as the last is answered",
    },
    Deviation {
        clause: "5.2.5.3",
        what: "response time limits are not enforced; the latencies are reported instead",
    },
    Deviation {
        clause: "5.5.1.2, 5.5.2",
        what: "the measured time is that of the experiment, not two hours of steady state with four checkpoints",
    },
    Deviation {
        clause: "3.5, 7",
        what: "durability is tested by cutting the power of the emulated drive or by killing the server; there is no test of a lost medium, no 60-day space and no price",
    },
    Deviation { clause: "9", what: "nobody has audited it, and results are called NOPM and TPM" },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_deviation_says_where_and_what() {
        for deviation in deviations() {
            assert!(deviation.clause.starts_with(|c: char| c.is_ascii_digit()), "{deviation:?}");
            assert!(deviation.what.len() > 20 && !deviation.what.ends_with('.'), "{deviation:?}");
            assert!(!deviation.what.contains("tpmC"), "{deviation:?}");
        }
        assert!(DISCLAIMER.contains("not comparable to published TPC-C Benchmark results"));
    }
}
