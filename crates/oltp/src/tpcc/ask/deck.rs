//! The mix: which transaction comes next.

use std::fmt;

use super::profile::Profile;
use crate::tpcc::data::stream::Stream;

/// The five transactions of clause 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TransactionKind {
    /// Enter an order (2.4): mid-weight, read-write, frequent.
    NewOrder,
    /// Take a payment (2.5): light, read-write, frequent.
    Payment,
    /// Ask for a customer's last order (2.6): mid-weight, read-only, rare.
    OrderStatus,
    /// Deliver the oldest order of each district (2.7): read-write, rare.
    Delivery,
    /// Count the recently sold items that run short (2.8): heavy, read-only, rare.
    StockLevel,
}

impl TransactionKind {
    /// All five, in the order of clause 2.
    pub const ALL: [Self; 5] =
        [Self::NewOrder, Self::Payment, Self::OrderStatus, Self::Delivery, Self::StockLevel];

    /// Their names, in the same order: the classes by which the driver counts.
    pub(crate) const NAMES: [&'static str; 5] =
        ["new_order", "payment", "order_status", "delivery", "stock_level"];

    /// The name that metrics and histograms bear.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

impl fmt::Display for TransactionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Cards of a deck (5.2.4.2).
const CARDS: usize = 23;

/// A deck of 23 cards, one per virtual user, shuffled whenever it is used up: the mix is exact over every
/// deck, so that 43.5 % are New-Order.
#[derive(Clone, Debug)]
pub(crate) struct Deck {
    cards: [TransactionKind; CARDS],
    next: usize,
    profile: Profile,
}

impl Deck {
    pub(crate) fn new(profile: Profile) -> Self {
        use TransactionKind::{Delivery, NewOrder, OrderStatus, Payment, StockLevel};
        let mut cards = [NewOrder; CARDS];
        cards[10..20].fill(Payment);
        cards[20..].copy_from_slice(&[OrderStatus, Delivery, StockLevel]);
        Self { cards, next: CARDS, profile }
    }

    /// Turns the next card.
    pub(crate) fn next(&mut self, stream: &mut Stream) -> TransactionKind {
        let kind = self.peek(stream);
        self.next += 1;
        kind
    }

    /// Looks at the next card without turning it.
    pub(crate) fn peek(&mut self, stream: &mut Stream) -> TransactionKind {
        if self.next == CARDS {
            self.refill(stream);
        }
        self.cards[self.next]
    }

    /// A whole deck; without one, a single card.
    fn refill(&mut self, stream: &mut Stream) {
        if self.profile.is_standard() {
            stream.shuffle(&mut self.cards);
            self.next = 0;
            return;
        }
        self.next = CARDS - 1;
        self.cards[self.next] = match stream.uniform(1, CARDS as u32) {
            1..=10 => TransactionKind::NewOrder,
            11..=20 => TransactionKind::Payment,
            21 => TransactionKind::OrderStatus,
            22 => TransactionKind::Delivery,
            _ => TransactionKind::StockLevel,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_vectors() {
        let (mut deck, mut stream) = (Deck::new(Profile::Standard), Stream::new(42, 0));
        let turned: String = (0..46).map(|_| deck.next(&mut stream).name().chars().next().unwrap()).collect();
        assert_eq!(turned, GOLDEN);
    }

    const GOLDEN: &str = "nppnnoppsnnnnppdnnpnpppppnonpnpnpnnnppnnppndsp";

    #[test]
    fn every_deck_holds_the_exact_mix() {
        let (mut deck, mut stream) = (Deck::new(Profile::Standard), Stream::new(1, 0));
        for _ in 0..50 {
            let mut counts = [0; 5];
            for _ in 0..CARDS {
                let kind = deck.next(&mut stream);
                counts[TransactionKind::ALL.iter().position(|&k| k == kind).unwrap()] += 1;
            }
            assert_eq!(counts, [10, 10, 1, 1, 1]);
        }
    }

    #[test]
    fn drawn_cards_keep_the_odds_and_no_deck() {
        let (mut deck, mut stream) = (Deck::new(Profile::HammerdbLike), Stream::new(1, 0));
        let mut counts = [0; 5];
        let mut exact_decks = 0;
        for _ in 0..10_000 {
            let mut orders = 0;
            for _ in 0..CARDS {
                let peeked = deck.peek(&mut stream);
                let kind = deck.next(&mut stream);
                assert_eq!(kind, peeked);
                counts[kind as usize] += 1;
                orders += u32::from(kind == TransactionKind::NewOrder);
            }
            exact_decks += u32::from(orders == 10);
        }
        for (count, share) in counts.into_iter().zip([10.0, 10.0, 1.0, 1.0, 1.0]) {
            let drawn = f64::from(count) / 10_000.0;
            assert!((drawn / share - 1.0).abs() < 0.05, "{drawn} of {share}");
        }
        assert!(exact_decks < 3_000, "a binomial draw hits 10 of 23 in about 16 of 100");
    }
}
