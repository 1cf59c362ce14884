//! Parses the command line of `cargo xtask` and calls the library.

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::path::Path;
use std::process::ExitCode;
use xtask::{bench, ci, command, fresh, live_llm, step, tidy};

/// The project's own chores.
#[derive(Debug, Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    disable_help_subcommand = true
)]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Debug, Subcommand)]
enum Chore {
    /// Every check that a change must pass; stops at the first failure
    Ci {
        /// Leaves out this step; may be given several times
        #[arg(long, value_name = "STEP", value_parser = ci::STEP_NAMES.to_vec())]
        skip: Vec<String>,
    },
    /// The rules of the house: layers, file length, sources of data, links and the like
    Tidy,
    /// Clones the last commit into an empty folder and runs the README's two commands there
    Fresh,
    /// Runs the benches; what follows goes to `cargo bench`, such as `--bench beer_game`
    Bench {
        /// Arguments for `cargo bench`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Fetches a small real model and its server into a cache, and runs the live tests against it
    LiveLlm {
        /// Records the cassettes of the ordinary tests anew
        #[arg(long)]
        record: bool,
    },
}

fn main() -> ExitCode {
    match run(&Arguments::parse().chore) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(chore: &Chore) -> Result<()> {
    let root = command::workspace_root()?;
    match chore {
        Chore::Ci { skip } => step::run_all(&ci::steps(&root), skip),
        Chore::Tidy => tidy::report(&root),
        Chore::Fresh => fresh::run(&root),
        Chore::LiveLlm { record } => live_llm::suite(Path::new(&root), *record),
        Chore::Bench { arguments } => bench::run(Path::new(&root), arguments),
    }
}
