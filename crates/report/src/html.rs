//! Sentences as markup.

use crate::lines::bound;
use crate::svg::escape;

/// Prose as markup: escaped, numbers bound to their units, with the text between backticks set as code.
pub(crate) fn prose(text: &str) -> String {
    let mut html = String::new();
    for (index, part) in text.split('`').enumerate() {
        if index % 2 == 1 {
            html.push_str(&format!("<code>{}</code>", escape(part)));
        } else {
            html.push_str(&escape(&bound(part)));
        }
    }
    html
}

/// Markup that a reader opens.
pub(crate) fn details(summary: &str, body: &str) -> String {
    format!("<details><summary>{}</summary>{body}</details>", escape(summary))
}

/// A list of sentences as markup; nothing for no sentence.
pub(crate) fn list(sentences: &[String]) -> String {
    if sentences.is_empty() {
        return String::new();
    }
    let items: String = sentences.iter().map(|sentence| format!("<li>{}</li>", prose(sentence))).collect();
    format!("<ul class=\"plain\">{items}</ul>")
}
