//! What it takes to be a server's client: where the server listens and who may enter, how long an answer is
//! waited for, and whether the server is still the one that it was.

mod blocking;
mod endpoint;
mod hang_up;
mod life;

pub(crate) use blocking::{ANSWER_LIMIT, Blocking, SAMPLE_LIMIT};
pub use endpoint::{Endpoint, Secret};
pub use hang_up::HangUp;
pub(crate) use life::LIFE_LIMIT;
pub use life::Life;
