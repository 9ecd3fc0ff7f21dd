//! The place of the transactions' logic.

/// The place of the transactions' logic: the client or the server. The results are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// In the client, which sends prepared statements: as most applications work.
    #[default]
    Statements,
    /// In functions on the server, one round trip each: as HammerDB and the published studies work.
    Procedures,
}

impl Mode {
    /// The name of the mode in results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Statements => "statements",
            Self::Procedures => "procedures",
        }
    }
}
