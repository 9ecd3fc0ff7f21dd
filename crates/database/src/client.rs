//! The needs of a server's client: address and credentials, limits of waiting for an answer, and the check
//! that the server is still the same one.

mod blocking;
mod endpoint;
mod hang_up;
mod life;

pub(crate) use blocking::{ANSWER_LIMIT, Blocking, SAMPLE_LIMIT};
pub use endpoint::{Endpoint, Secret};
pub use hang_up::HangUp;
pub(crate) use life::LIFE_LIMIT;
pub use life::Life;
