//! The resources of a process outside its memory (mounts, control groups, socket directories, servers). They
//! are noted before they are created: after a kill, the next process of the same user finds the note and
//! removes the resource.
//!
//! A note is a small file in a private folder of the user ([`home`]). Its process holds a lock on it, which
//! the kernel releases when the process dies, however it dies. The note also contains the id and the start
//! time of the process and the boot of the machine. Only if both say that the process is gone is a note
//! [`Dead`], and only the process that holds a dead note may act on it.
//!
//! A note says what *may* be there. It never proves that the thing there is ours: each kind of thing has its
//! own proof, which is checked by the crate that makes and removes things of that kind.
//!
//! Invariant: nothing but notes of our own user is read, written or removed here, and no path in a note is
//! ever touched.

mod home;
mod entry;
mod note;
mod dead;
mod process;

pub use dead::{Count, Dead, count, dead, living};
pub use entry::{Entry, EntryKind};
pub use home::{NoPlace, VARIABLE, check_trust};
pub use note::{Note, check};
