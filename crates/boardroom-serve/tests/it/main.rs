//! The server over HTTP, in this process: tokens and host, OpenEnv, and the classroom.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::needless_pass_by_value,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    missing_docs,
    unreachable_pub,
    reason = "tests"
)]

mod classroom;
mod client;
mod host;
mod openenv;
mod slow_bodies;
