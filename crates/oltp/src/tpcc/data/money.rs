//! Exact money and rates. No float ever holds either.

use std::fmt;

/// An amount of money in cents. Columns of money hold these as integers in SQLite (which has no exact decimal
/// type) and are `numeric(12,2)` where an engine has one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cents(pub(crate) i64);

/// A tax or discount in ten-thousandths, 0 to 10,000: `numeric(4,4)` where an engine has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rate(pub(crate) i64);

impl fmt::Display for Cents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let cents = self.0.unsigned_abs();
        write!(f, "{sign}{}.{:02}", cents / 100, cents % 100)
    }
}

/// Total of an order (2.4.2.2): sum(OL_AMOUNT) x (1 - C_DISCOUNT) x (1 + W_TAX + D_TAX), rounded half up to a
/// cent.
pub(crate) fn order_total(lines: Cents, discount: Rate, warehouse_tax: Rate, district_tax: Rate) -> Cents {
    const ONE: i128 = 10_000;
    let scaled = i128::from(lines.0)
        * (ONE - i128::from(discount.0))
        * (ONE + i128::from(warehouse_tax.0 + district_tax.0));
    let cents = (scaled + ONE * ONE / 2) / (ONE * ONE);
    Cents(i64::try_from(cents).expect("an order's total is a few thousand dollars"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_print_with_two_digits() {
        let printed = [0, 5, -5, 123, -1_000, 499_999].map(|cents| Cents(cents).to_string());
        assert_eq!(printed, ["0.00", "0.05", "-0.05", "1.23", "-10.00", "4999.99"]);
    }

    #[test]
    fn totals_are_exact() {
        // 100.00 less 10 % plus 5 % and 3 %: 97.20.
        assert_eq!(order_total(Cents(10_000), Rate(1_000), Rate(500), Rate(300)), Cents(9_720));
        // 0.01 x 1.5 rounds up, 0.01 x 1.4 down.
        assert_eq!(order_total(Cents(1), Rate(0), Rate(2_500), Rate(2_500)), Cents(2));
        assert_eq!(order_total(Cents(1), Rate(0), Rate(2_000), Rate(2_000)), Cents(1));
        assert_eq!(order_total(Cents(1_500_000), Rate(5_000), Rate(2_000), Rate(2_000)), Cents(1_050_000));
    }
}
