//! Characters that are no text.

/// True for a character that a terminal obeys instead of showing: C0 and C1 controls, DEL, and those that
/// turn the direction of writing. Line ends and tabs are layout.
#[must_use]
pub fn is_order(c: char) -> bool {
    let turns =
        matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (c.is_control() && c != '\n' && c != '\t')
}

#[cfg(test)]
mod tests {
    use super::is_order;

    #[test]
    fn controls_and_turns_are_orders_and_layout_is_text() {
        assert!(
            ['\0', '\u{7}', '\u{1b}', '\r', '\u{7f}', '\u{9b}', '\u{61c}', '\u{202e}']
                .into_iter()
                .all(is_order)
        );
        assert!(!['a', ' ', '\n', '\t', '\u{a0}', '\u{2026}', '가'].into_iter().any(is_order));
    }
}
