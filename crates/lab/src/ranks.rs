//! Several machines at one run: every rank conducts its share with its own notebook, and the lead merges
//! their cells.

mod agreed;
mod membership;
mod meeting;
mod share;
mod scale_out;

mod rank;

mod compare;
mod join;
mod hosts;
mod lead;

pub use agreed::Terms;
pub(crate) use agreed::{run_of, work_dir_of};
pub use join::{Joined, Part};
pub(crate) use lead::kept_by;
pub use lead::{Led, lead, resume_led, was_led};
pub(crate) use meeting::CellMeeting;
pub use membership::Membership;
pub use rank::{Worker, serve_rank};
pub use scale_out::check_alone;
pub use share::check_shares;
pub(crate) use share::{experiment_of, share_of};
