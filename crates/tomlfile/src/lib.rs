//! Files that people write: values are read with their places, and faults are shown with line and caret, all
//! at once, with the word that was probably meant.
//!
//! Invariant: texts and places in, texts out. Nothing is opened, and no password and no control character is
//! shown.

mod diagnostic;
mod keys;
mod reader;
mod secret;
mod suggest;
mod syntax;
mod table;
mod value;

pub use diagnostic::{Diagnostic, Diagnostics, Fault, Lines};
pub use keys::Keys;
pub use reader::{Fields, Node, Reader, document, last_key, read};
pub use secret::passwords;
pub use suggest::{Words, listed, nearest, short};
pub use value::{amount, filled, one_of, tables, texts, whole};
