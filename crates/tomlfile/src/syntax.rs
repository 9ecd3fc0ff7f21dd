//! Text that is not TOML.

use crate::diagnostic::Fault;

/// A fault of the TOML text itself, with what to do about the kinds that are met most.
pub(crate) fn syntax_fault(error: &toml::de::Error) -> Fault {
    let message = error.message().to_owned();
    let help = if message.contains("duplicate key") {
        "a table holds each key once: remove one of the two"
    } else if message.contains("quoted") {
        "put text between quotation marks; numbers, lists [..] and tables {..} stand without"
    } else if message.contains("unclosed") || message.contains("expected `") {
        "close what was opened"
    } else {
        "the file must be TOML: lines `key = value`, headers [table] or [[list of tables]], text in quotation marks"
    };
    Fault { span: error.span().unwrap_or(0..0), message, label: String::new(), help: Some(help.to_owned()) }
}
