//! The interface of an engine for a virtual user: one call per transaction. Engines implement it; the model
//! in the tests does too.

use super::input::Input;
use crate::tpcc::data::money::Cents;
use crate::tpcc::data::population::DISTRICTS;

pub(crate) use crate::driver::Failure;

/// A connection that executes transactions.
pub(crate) trait Terminal {
    /// Executes one transaction to its end: committed, or rolled back on purpose, or failed and rolled back.
    fn execute(&mut self, input: &Input) -> Result<Executed, Failure>;
}

/// A transaction that ended as it should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Executed {
    /// The user's screen.
    pub(crate) screen: Screen,
    /// Time in the queue of writers, ns; `None` for transactions that only read.
    pub(crate) waited_ns: Option<u64>,
}

/// An answer as order entry counts it.
pub(crate) trait Answered {
    /// The user's screen.
    fn screen(&self) -> &Screen;

    /// Time in the queue of writers, ns, where the engine has one.
    fn waited_ns(&self) -> Option<u64> {
        None
    }
}

impl Answered for Executed {
    fn screen(&self) -> &Screen {
        &self.screen
    }

    fn waited_ns(&self) -> Option<u64> {
        self.waited_ns
    }
}

impl Answered for Screen {
    fn screen(&self) -> &Screen {
        self
    }
}

/// The output data of a transaction (2.4.3.3 and its like): proof that the whole profile was done, and the
/// acknowledgement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Screen {
    NewOrder(OrderScreen),
    /// "Item number is not valid": rolled back (2.4.2.3).
    InvalidItem,
    Payment(PaymentScreen),
    OrderStatus(StatusScreen),
    Delivery(DeliveryScreen),
    /// Items below the threshold.
    StockLevel(u32),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OrderScreen {
    pub(crate) order: u32,
    pub(crate) total: Cents,
    pub(crate) last_name: String,
    pub(crate) credit: String,
    pub(crate) lines: Vec<OrderLineScreen>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OrderLineScreen {
    pub(crate) name: String,
    pub(crate) price: Cents,
    pub(crate) amount: Cents,
    pub(crate) stock_quantity: i64,
    /// B when both I_DATA and S_DATA contain ORIGINAL, else G.
    pub(crate) brand_generic: char,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PaymentScreen {
    pub(crate) customer: u32,
    pub(crate) balance: Cents,
    /// The first 200 characters of C_DATA when the credit is bad.
    pub(crate) data: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StatusScreen {
    pub(crate) customer: u32,
    pub(crate) balance: Cents,
    pub(crate) order: u32,
    pub(crate) carrier: Option<u32>,
    pub(crate) lines: Vec<StatusLine>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StatusLine {
    pub(crate) item: u32,
    pub(crate) supply_warehouse: u32,
    pub(crate) quantity: u32,
    pub(crate) amount: Cents,
    pub(crate) delivered: bool,
}

/// The order delivered in each district; `None` where all were delivered already (2.7.4.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DeliveryScreen(pub(crate) [Option<u32>; DISTRICTS as usize]);

/// An order whose commit has returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Acknowledged {
    /// O_W_ID.
    pub warehouse: u32,
    /// O_D_ID.
    pub district: u32,
    /// O_ID.
    pub order: u32,
}

impl Acknowledged {
    /// The order that the answer to `input` acknowledges: every New-Order that was not rolled back.
    pub(crate) fn of(input: &Input, answer: &Screen) -> Option<Self> {
        let (Input::NewOrder(asked), Screen::NewOrder(screen)) = (input, answer) else { return None };
        Some(Self { warehouse: asked.warehouse, district: asked.district, order: screen.order })
    }
}
