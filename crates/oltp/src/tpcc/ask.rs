//! The questions of order entry: which transaction comes next, its input, and the answer that a user sees.

pub(super) mod deck;
pub(super) mod profile;
pub(super) mod input;
pub(super) mod terminal;
pub(super) mod bands;
pub(super) mod mode;
pub(super) mod commit;
