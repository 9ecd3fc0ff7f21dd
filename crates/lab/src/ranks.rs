//! Several machines at one run: every rank conducts its share with its own notebook, and the lead merges
//! their cells.

mod rank;

mod compare;
mod join;
mod hosts;
mod lead;

pub use join::{Joined, Part};
pub use lead::{Led, lead, resume_led};
pub use rank::{Worker, serve_rank};
