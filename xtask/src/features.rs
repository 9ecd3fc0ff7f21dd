//! The optional features that tests are built with: all whose needs this machine has.

use testkit::programs::{NEEDED, Needed};

/// Features that need nothing but the compiler.
const ALWAYS: [&str; 2] = ["drivetrain/otlp", "drivetrain/parquet"];
/// Ranks of MPI.
const MPI: &str = "drivetrain/mpi";
/// Its programs: ranks, the headers of an MPI, and libclang, which reads them.
const OF_MPI: [&str; 3] = ["mpirun", "mpicc", "libclang.so"];

/// The features as cargo takes them, and the reason why one is left out.
#[must_use]
pub fn of_tests() -> (String, Option<String>) {
    chosen(&|program: &Needed| program.find().is_some())
}

/// The features that need nothing but the compiler.
#[must_use]
pub fn without_libraries() -> String {
    ALWAYS.join(",")
}

fn chosen(is_here: &dyn Fn(&Needed) -> bool) -> (String, Option<String>) {
    let of_mpi = NEEDED.iter().filter(|needed| OF_MPI.contains(&needed.program));
    let missing: Vec<&str> = of_mpi.filter(|needed| !is_here(needed)).map(|needed| needed.package).collect();
    let mut features = without_libraries();
    if missing.is_empty() {
        features = format!("{features},{MPI}");
        return (features, None);
    }
    (features, Some(format!("the ranks of MPI are not tested: {} is missing", missing.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feature_that_lacks_its_library_is_left_out_and_named() {
        assert_eq!(chosen(&|_| true), ("drivetrain/otlp,drivetrain/parquet,drivetrain/mpi".to_owned(), None));
        let (features, why) = chosen(&|needed| needed.program != "mpicc");
        assert_eq!(features, "drivetrain/otlp,drivetrain/parquet");
        assert_eq!(why.unwrap(), "the ranks of MPI are not tested: libopenmpi-dev is missing");
    }
}
