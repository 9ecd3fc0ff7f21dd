//! Rows of columns on a terminal.

use unicode_width::UnicodeWidthStr as _;

/// The rows as lines of aligned columns, two spaces apart: numbers to the right, words to the left.
pub(crate) fn aligned(rows: &[Vec<String>], is_number: impl Fn(usize) -> bool) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            let space = " ".repeat(width - cell.width());
            if is_number(column) { format!("{space}{cell}") } else { format!("{cell}{space}") }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_to_the_right_and_wide_characters_take_two_columns() {
        let rows = [["bed", "NOPM"], ["\u{c2dc}\u{d5d8}", "9"], ["x", "12,345"]];
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect();
        let lines = aligned(&rows, |column| column == 1);
        assert_eq!(lines, ["bed     NOPM", "\u{c2dc}\u{d5d8}       9", "x     12,345"]);
    }
}
