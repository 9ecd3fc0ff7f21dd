//! Faults of files that people write: shown with line and caret, all at once, with the word that was probably
//! meant.
//!
//! Invariant: texts and places in, texts out. Nothing is opened, and no password and no control character is
//! shown.

mod diagnostic;
mod secret;
mod suggest;
mod syntax;

pub use diagnostic::{Diagnostic, Diagnostics, Fault, Lines};
pub use secret::passwords;
pub use suggest::{Words, listed, nearest};
pub use syntax::syntax_fault;
