//! Repository tasks, run as `cargo xtask <task>`.
//!
//! | task | does |
//! |---|---|
//! | `ci` | every check that a change must pass, in order, stopping at the first failure |
//! | `tidy` | the repository's rules that no compiler checks, such as allowed dependencies |
//! | `rings` | lists files that depend on each other in a cycle |
//! | `fresh` | clones the last commit into an empty folder and runs the README's commands there |
//! | `outside` | packages each library, and uses it from outside the workspace |
//! | `fuzz` | mutated inputs for all code that reads external data |
//! | `replicate` | compares our figures with those of papers and of other programs |
//! | `papers` | runs the small plans of the papers with a scripted model and checks their tables |
//! | `bench` | runs the benches and writes their page |
//! | `browser` | opens a large report and the viewer in Chromium |
//! | `tutorials` | runs the commands of the tutorials and takes their pictures again |
//! | `peers` | measures the same work in other programs |
//! | `clients` | third-party MCP clients play against `boardroom serve` |
//! | `quirks` | plays against model servers with the behaviours that people report, and prints a table |
//! | `live-llm` | downloads a small model and its server, and runs the tests against it |
//!
//! The checks of [`tidy`] are functions from a [`Project`](project::Project) to findings. They run
//! as ordinary tests of this crate too, so a plain `cargo test` includes them.

#![expect(clippy::print_stdout, reason = "a chore talks to the terminal")]

pub mod bench;
pub mod browser;
pub mod building;
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
pub mod papers;
pub mod peers;
pub mod project;
pub mod python;
pub mod quirks;
pub mod replicate;
pub mod rust_code;
pub mod step;
pub mod tidy;
pub mod wheel;
