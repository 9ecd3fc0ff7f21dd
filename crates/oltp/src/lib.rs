//! Transactional workloads: the requests of users to a database, their pace, and the check that the database
//! still adds up afterwards.
//!
//! Invariant: what is asked (inputs, mix, random streams) knows no SQL, and the SQL knows nothing of pacing
//! or measuring. Everything random comes from a seed. An answer that did not come is counted as an error,
//! never as work done.

mod admin;
mod driver;
mod error;
pub mod scan;
mod together;
pub mod sysbench;
pub mod tpcc;
mod until;

pub use driver::{Asking, Control, Live, Pacing, Phase, Requests, Standstill, StartLine, StartPlace};
pub use together::Together;
pub use tpcc::{Deviation, deviations};
pub use until::Until;
