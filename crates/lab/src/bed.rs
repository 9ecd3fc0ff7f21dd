//! A bed: its engines and their instances, brought to the same state before every cell.

pub(crate) mod ready;
pub(crate) mod instances;
pub(crate) mod fleet;
pub(crate) mod existing;
pub(crate) mod reset;
pub(crate) mod lives;
