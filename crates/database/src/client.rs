//! The needs of a server's client: address and credentials, limits of waiting for an answer, and the check
//! that the server is still the same one.

mod blocking;
mod bounded;
mod endpoint;
mod hang_up;
mod life;

pub(crate) use blocking::{ANSWER_LIMIT, Blocking, SAMPLE_LIMIT};
pub(crate) use bounded::{ANSWER_MOST_BYTES, Bounded, Heard, TOO_LONG, connect as connect_socket};
pub use endpoint::{Endpoint, Secret};
pub use hang_up::HangUp;
pub(crate) use life::LIFE_LIMIT;
pub use life::Life;
