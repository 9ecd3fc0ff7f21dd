//! The data of order entry: the population of a warehouse, and the random numbers that it is drawn from.

pub(super) mod generate;
pub(super) mod money;
pub(super) mod names;
pub(super) mod nurand;
pub(super) mod population;
pub(super) mod stream;
pub(super) mod tables;
pub(super) mod text;
