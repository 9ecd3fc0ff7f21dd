//! (purpose and invariant to be written)
