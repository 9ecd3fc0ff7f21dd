//! The numbers of rows of a warehouse.

/// Districts of a warehouse (clause 1.2).
pub(crate) const DISTRICTS: u32 = 10;

/// Cardinalities of clause 4.2.2. Anything but [`Population::STANDARD`] is for tests: it keeps every rule and
/// every code path, with few rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Population {
    /// Items, and so rows of stock in each warehouse.
    pub items: u32,
    /// Customers of a district; as many orders are loaded.
    pub customers: u32,
    /// Last names: the first customers of a district bear them in sequence.
    pub names: u32,
}

impl Population {
    /// Clause 4.2.2: 100,000 items, 3,000 customers in a district, 1,000 last names.
    pub const STANDARD: Self = Self { items: 100_000, customers: 3_000, names: 1_000 };

    /// For tests: loaded in milliseconds.
    pub const MINIATURE: Self = Self { items: 100, customers: 30, names: 10 };

    /// Number of the first loaded order that is not delivered yet: the last 30 % are not (2,101 of 3,000).
    pub(crate) fn first_undelivered(self) -> u32 {
        self.customers - self.customers * 3 / 10 + 1
    }

    /// The reason why a database of this shape cannot be made, if it cannot.
    pub(crate) fn fault(self) -> Option<String> {
        let Self { items, customers, names } = self;
        let fits = (15..=100_000).contains(&items)
            && (10..=3_000).contains(&customers)
            && (1..=1_000).contains(&names)
            && names <= customers;
        (!fits).then(|| format!("a population of {items} items, {customers} customers and {names} names is outside of 15..=100,000, 10..=3,000 and 1..=1,000 with no more names than customers"))
    }
}

impl Default for Population {
    fn default() -> Self {
        Self::STANDARD
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_nine_hundred_orders_are_undelivered() {
        assert_eq!(Population::STANDARD.first_undelivered(), 2_101);
        assert_eq!(Population::MINIATURE.first_undelivered(), 22);
    }

    #[test]
    fn impossible_shapes_are_named() {
        assert_eq!(Population::STANDARD.fault(), None);
        assert_eq!(Population::MINIATURE.fault(), None);
        let fault = Population { names: 31, ..Population::MINIATURE }.fault().unwrap();
        assert!(fault.contains("31 names"), "{fault}");
    }
}
