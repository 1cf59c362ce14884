//! The program from outside: what a user types and what comes back.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs,
    unreachable_pub,
    reason = "tests"
)]

mod bad_input;
mod derived;
mod folders;
mod forgeries;
#[cfg(feature = "mcp")]
mod hall;
mod interviews;
mod kill;
#[cfg(feature = "mcp")]
mod leaks;
mod methods;
mod models;
mod office;
mod outputs;
mod person;
mod pools;
mod program;
mod qa;
mod route;
mod run;
mod scripts;
mod server;
mod sweeps;
#[cfg(unix)]
mod terminal;
#[cfg(feature = "mcp")]
mod wire;
