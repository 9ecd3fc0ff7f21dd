//! The proofs of order entry: the consistency conditions, orders that must outlive a crash, and tables that
//! others loaded.

pub(super) mod check;
pub(super) mod durability;
pub(super) mod adopt;
