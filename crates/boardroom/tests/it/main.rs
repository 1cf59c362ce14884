//! The program as a user calls it: arguments in, output and exit code out.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::needless_pass_by_value,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs,
    unreachable_pub,
    reason = "tests"
)]

mod bad_input;
mod cast;
#[cfg(all(feature = "mcp", target_os = "linux"))]
mod class_kept;
#[cfg(feature = "mcp")]
mod classroom;
mod daily;
mod derived;
mod evolve;
#[cfg(all(feature = "mcp", feature = "view", target_os = "linux"))]
mod flood;
#[cfg(unix)]
mod folder_files;
mod folders;
#[cfg(unix)]
mod foreign_names;
mod forgeries;
mod gaps;
mod interviews;
mod keys;
mod kill;
#[cfg(feature = "mcp")]
mod leaks;
mod messages;
mod method_settings;
mod methods;
mod mixed;
mod models;
#[cfg(target_os = "linux")]
mod named_files;
mod needless;
mod office;
mod office_models;
mod outages;
mod outputs;
mod papers;
mod participants;
mod person;
mod plots;
mod pools;
mod prepared;
mod program;
mod qa;
mod quirks;
mod recorded;
mod references;
mod replies;
mod route;
mod run;
mod scripts;
#[cfg(feature = "mcp")]
mod serve_equals_run;
#[cfg(feature = "mcp")]
mod served_seats;
mod server;
#[cfg(feature = "mcp")]
mod sessions;
#[cfg(target_os = "linux")]
mod signals;
mod sweeps;
#[cfg(unix)]
mod terminal;
#[cfg(feature = "tls")]
mod tls;
#[cfg(feature = "view")]
mod view;
mod weak;
mod what_agents_see;
#[cfg(feature = "mcp")]
mod wire;
mod wording;
