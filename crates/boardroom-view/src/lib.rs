//! A local, read-only page over all run folders below a directory, and the same page as static files.
//!
//! ```text
//! run folders ─► Site (what changed is read again) ─► pages ─► server (loopback) or export (files)
//! ```
//!
//! Nothing is written into a run folder and no lock is taken, so a run in progress can be watched. Every
//! page is complete HTML; its one script only filters, moves the focus, and fetches the page again when
//! the server says that a run has changed.

#![deny(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss
)]

mod calls;
mod export;
mod first_difference;
mod lines;
mod name;
mod page;
mod run;
mod search;
mod server;
mod site;
mod turns;

pub use export::{Exported, export};
pub use server::serve;
pub use site::Site;
