//! The one place where slcache writes files.
//!
//! An output appears whole or not at all, several of them together; it never
//! takes the place of a file that is read; and what is no regular file (a
//! terminal, `/dev/null`, a FIFO) is written into, never replaced. What is not
//! finished lies in a hidden folder, which goes away even after a kill: the
//! next output into the same place removes it.

mod error;
mod identity;
mod outputs;
mod place;
mod regular;
mod scratch;

pub use error::OutputError;
pub use outputs::Outputs;
pub use regular::open_regular;
pub use scratch::{remove_scratches, Scratch};
