//! Playing records again, to trust them or to read them.
//!
//! ```text
//!  folder ─► manifest ─► episodes ─► other files, stamp ─► Verified
//!                           │
//!                           ├► models: decisions derived again from the stored calls
//!                           ├► programs: run again where that is asked for
//!                           └► references: a sample searched again
//! ```

pub mod calls;
pub mod derive;
pub(crate) mod episodes;
pub(crate) mod files;
pub mod lines;
pub mod memory;
mod models;
mod programs;
mod record;
mod references;
pub mod transcript;

pub use programs::Programs;
pub use transcript::{transcript, transcript_of};

/// Maximum number of units without a record that are run again to see whether they end.
const TRIED: u64 = 1_000;
