//! Parses the command line of `cargo xtask` and calls the library.

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use xtask::{
    bench, browser, building, ci, clients, command, fresh, fuzz, live_llm, outside, papers, peers,
    quirks, replicate, step, tidy, wheel,
};

/// Repository tasks.
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
    /// Checks the repository's rules: layers, file length, sources of data, links and others
    Tidy,
    /// Lists the files that depend on each other in a cycle larger than `tidy` allows
    Rings,
    /// Clones the last commit into an empty folder and runs the README's two commands there
    Fresh,
    /// Runs mutated inputs through all code that reads external data, and stores those that fail
    Fuzz(FuzzArgs),
    /// Packages each library crate and runs its README's examples outside the workspace
    Outside {
        /// Only these crates
        crates: Vec<String>,
    },
    /// Plays the runs of fixtures/replication/runs.txt, compares their figures with given ones and writes
    /// docs/replication.md
    Replicate {
        /// Compares the page with the computed figures; nothing is written
        #[arg(long)]
        check: bool,
    },
    /// Runs the small plans of the papers with a scripted model and checks that `boardroom paper`
    /// fills every cell
    Papers {
        /// Only these papers
        papers: Vec<String>,
        /// Folder for the runs, the tables and the drawings
        #[arg(long, value_name = "DIR", default_value = "target/papers")]
        out: PathBuf,
    },
    /// Runs the benches and writes docs/benchmarks.md
    Bench {
        /// Only these benches; the figures of the others are kept
        benches: Vec<String>,
        /// Warm-up time of each figure
        #[arg(long, value_name = "SECONDS", default_value_t = 0.3)]
        warm_up: f64,
        /// Measurement time of each figure
        #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
        measurement: f64,
        /// Number of samples of each figure, at least 10
        #[arg(long, default_value_t = 20)]
        samples: u32,
        /// Measures nothing; writes the page from docs/benchmarks.json
        #[arg(long)]
        page: bool,
        /// Measures no times; compares the instruction counts of ten kernels with
        /// docs/instruction-counts.json (needs valgrind)
        #[arg(long, conflicts_with_all = ["benches", "page"])]
        check: bool,
        /// With --check: writes the counts instead of comparing them
        #[arg(long, requires = "check")]
        write: bool,
    },
    /// Measures what builds and tests cost, and writes docs/building.md
    Building {
        /// Only these rows; the figures of the others are kept
        rows: Vec<String>,
        /// Measures nothing; writes the page from docs/building.json
        #[arg(long)]
        page: bool,
    },
    /// Opens a report of 10,000 episodes and the pages of `boardroom view` in Chromium and checks them
    Browser {
        /// Folder for the screenshots
        #[arg(long, value_name = "DIR", default_value = "target/browser")]
        out: PathBuf,
    },
    /// Runs the commands of docs/tutorials and takes their pictures again, in Chromium
    Tutorials,
    /// Runs the same work in other programs (Python, from PyPI) and writes the ratios
    Peers {
        /// Number of runs of each program; the programs alternate
        #[arg(long, default_value_t = 5)]
        rounds: u32,
    },
    /// Lets third-party MCP clients (from PyPI and npm) play against `boardroom serve`
    Clients,
    /// Builds the Python package, installs it into a fresh environment and runs its tests
    Python {
        /// Without optimisation, from the artefacts of ordinary builds: quick to build, for tests only
        #[arg(long)]
        dev: bool,
        /// The wheel carries the program `boardroom`
        #[arg(long)]
        with_program: bool,
        /// Also test this extra with its framework, in an environment of its own; may be given several
        /// times. The wheel then carries the program
        #[arg(long, value_name = "NAME", value_parser = wheel::EXTRAS.to_vec())]
        extra: Vec<String>,
        /// Also train PPO on the Beer Game (the extra sb3, whose torch has 5.5 GB)
        #[arg(long)]
        ppo: bool,
        /// Number of drawn episodes of each environment that lanes, single environments and records must
        /// play alike
        #[arg(long, value_name = "N")]
        episodes: Option<u32>,
        /// Also measure steps per second
        #[arg(long, conflicts_with = "dev")]
        bench: bool,
    },
    /// Plays against model servers that behave as providers document and people report, and prints a table
    Quirks {
        /// Only the behaviours whose names hold this text
        name: Option<String>,
    },
    /// Downloads a small real model and its server into a cache, and runs the live tests with it
    LiveLlm {
        /// Records the cassettes of the ordinary tests again
        #[arg(long)]
        record: bool,
    },
}

/// Targets and duration of the fuzzing.
#[derive(Debug, clap::Args)]
struct FuzzArgs {
    /// Lists the targets and ends
    #[arg(long, exclusive = true)]
    list: bool,
    /// Minutes for all targets together; with `--sizes`, at least one round of all elements is played
    #[arg(long, default_value_t = 1.0)]
    minutes: f64,
    /// Seed of the mutations
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Number of concurrent processes
    #[arg(long, default_value_t = 2)]
    workers: u32,
    /// Only this target; may be given several times
    #[arg(long)]
    target: Vec<String>,
    /// Runs this case of the target again and prints its input
    #[arg(long, requires = "target")]
    case: Option<u64>,
    /// Repeats one element of each input to 1, 10 and 100 MB, and reports more than linear time or 1 GB of memory
    #[arg(long)]
    sizes: bool,
    /// Runs this file as an input of the target; may be given several times
    #[arg(long, value_name = "FILE", requires = "target")]
    input: Vec<String>,
}

impl FuzzArgs {
    /// The arguments for the fuzzer.
    fn words(&self) -> Vec<String> {
        if self.list {
            return vec!["list".to_owned()];
        }
        let mut words = vec!["run".to_owned()];
        let mut add = |option: &str, value: String| words.extend([option.to_owned(), value]);
        add("--minutes", self.minutes.to_string());
        add("--seed", self.seed.to_string());
        add("--workers", self.workers.to_string());
        for target in &self.target {
            add("--target", target.clone());
        }
        if let Some(case) = self.case {
            add("--case", case.to_string());
        }
        for input in &self.input {
            add("--input", input.clone());
        }
        if self.sizes {
            words.push("--sizes".to_owned());
        }
        words
    }
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
        Chore::Rings => tidy::print_rings(&root),
        Chore::Browser { out } => browser::look(&root, &root.join(out)),
        Chore::Tutorials => browser::tutorials::pictures(&root),
        Chore::Building { page: true, .. } => {
            building::write_page(&root, &building::Store::read(&root)?)
        }
        Chore::Building { rows, page: false } => building::run(&root, rows),
        Chore::Fresh => fresh::run(&root),
        Chore::Fuzz(args) => fuzz::run(&root, &args.words()),
        Chore::Clients => clients::run(&root),
        Chore::Python {
            dev,
            with_program,
            extra,
            ppo,
            episodes,
            bench,
        } => {
            let mut extras = extra.clone();
            if *ppo && !extras.iter().any(|name| name == "sb3") {
                extras.push("sb3".to_owned());
            }
            let wheel = wheel::Wheel {
                release: !dev,
                with_program: *with_program || !extras.is_empty(),
            };
            let more = wheel::More {
                extras,
                ppo: *ppo,
                episodes: *episodes,
                bench: *bench,
            };
            wheel::check(&root, wheel, &more).map(|_| ())
        }
        Chore::Quirks { name } => quirks::suite(&root, name.as_deref()),
        Chore::LiveLlm { record } => live_llm::suite(Path::new(&root), *record),
        Chore::Outside { crates } => outside::run(&root, crates),
        Chore::Papers { papers, out } => papers::run(&root, papers, &root.join(out)),
        Chore::Replicate { check } => replicate::run(&root, *check),
        Chore::Bench {
            check: true, write, ..
        } => bench::counts::run(&root, *write),
        Chore::Bench { page: true, .. } => bench::write_page(&root, &bench::Store::read(&root)?),
        Chore::Bench {
            benches,
            warm_up,
            measurement,
            samples,
            page: false,
            check: false,
            ..
        } => {
            let timing = bench::Timing {
                warm_up: *warm_up,
                measurement: *measurement,
                samples: *samples,
            };
            bench::run(&root, benches, timing)
        }
        Chore::Peers { rounds } => peers::run(&root, *rounds),
    }
}
