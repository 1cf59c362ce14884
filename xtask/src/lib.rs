//! The project's own chores, run as `cargo xtask <chore>`.
//!
//! | chore | does |
//! |---|---|
//! | `ci` | every check that a change must pass, in order, stopping at the first failure |
//! | `tidy` | the rules of the house that no compiler knows, such as which crate may know which |
//! | `rings` | which files depend on each other in a cycle |
//! | `fresh` | clones the last commit into an empty folder and does there what the README says |
//! | `outside` | uses each library from a package outside the workspace |
//! | `fuzz` | mutated inputs for everything that reads from outside |
//! | `replicate` | figures of papers and of other programs, and ours beside them |
//! | `bench` | runs the benches and writes their page |
//! | `browser` | a large report, opened in Chromium |
//! | `peers` | the same work by other programs |
//! | `clients` | other people's MCP clients play against `boardroom serve` |
//! | `live-llm` | fetches a small model and its server, and runs the tests against it |
//!
//! The checks of [`tidy`] are functions from a [`Project`](project::Project) to findings. They run
//! as ordinary tests of this crate too, so a plain `cargo test` covers them.

#![expect(clippy::print_stdout, reason = "a chore talks to the terminal")]

pub mod bench;
pub mod browser;
pub mod built;
pub mod cache;
pub mod ci;
pub mod clients;
pub mod command;
pub mod fresh;
pub mod fuzz;
pub mod live_llm;
pub mod markdown;
pub mod npm;
pub mod outside;
pub mod peers;
pub mod project;
pub mod python;
pub mod replicate;
pub mod rust_code;
pub mod step;
pub mod tidy;
