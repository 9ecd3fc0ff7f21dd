//! Keys of the file, each declared once: the declaration reads, bounds, writes and describes it.

pub(crate) mod reader;

pub(crate) mod written;

pub(crate) mod form;

pub(crate) mod key;

pub(crate) mod table;

pub(crate) mod choice;

pub(crate) mod schema;
