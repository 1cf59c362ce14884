//! Parses the command line of the fuzzer; `cargo xtask fuzz` starts it.
//!
//! `fuzz run` drives, `fuzz work` and `fuzz keep` are what it starts itself as.

use anyhow::{Result, ensure};
use clap::{Parser, Subcommand};
use fuzz::drive::{Found, Wanted, drive, input_of, keep, play_case, play_files};
use fuzz::report::table;
use fuzz::target::{TARGETS, Target, named};
use fuzz::work::{Job, work};
use sim_core::Seed;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Mutated inputs for everything that reads from outside.
#[derive(Debug, Parser)]
#[command(name = "fuzz")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Names the targets
    List,
    /// Plays targets for a while, or single inputs again
    Run(RunArgs),
    /// A worker: plays inputs and tells what becomes of each
    #[command(hide = true)]
    Work {
        target: String,
        #[arg(long)]
        seed: u64,
        #[command(flatten)]
        job: Job,
    },
    /// Writes the input of a case
    #[command(hide = true)]
    Keep {
        target: String,
        #[arg(long)]
        seed: u64,
        #[arg(long)]
        case: u64,
        #[arg(long)]
        shrink: bool,
        #[arg(long)]
        output: PathBuf,
    },
}

#[derive(Debug, clap::Args)]
struct RunArgs {
    /// How long, for all targets together [minutes]; with `--sizes`, at least one round of all elements is played
    #[arg(long, default_value_t = 1.0)]
    minutes: f64,
    /// Seed of the mutations
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Processes at a time
    #[arg(long, default_value_t = 2)]
    workers: u32,
    /// Only this target; may be given several times
    #[arg(long)]
    target: Vec<String>,
    /// Plays this case of the target again and prints its input
    #[arg(long, requires = "target")]
    case: Option<u64>,
    /// Repeats one element of an input to 1, 10 and 100 MB instead of mutating inputs
    #[arg(long, conflicts_with = "input")]
    sizes: bool,
    /// Plays these files as inputs of the target
    #[arg(
        long,
        value_name = "FILE",
        requires = "target",
        conflicts_with = "case"
    )]
    input: Vec<PathBuf>,
    /// Folder for the inputs that fail
    #[arg(long, value_name = "DIR", default_value = "target/fuzz")]
    folder: PathBuf,
}

fn main() -> ExitCode {
    // The program starts itself to run snippets; here that is this program.
    let mut words = std::env::args().skip(1);
    if words
        .next()
        .is_some_and(|word| word == python_snippets::WORKER_COMMAND)
    {
        let error = python_snippets::enter_jail(&words.next().unwrap_or_default());
        let _ = writeln!(std::io::stderr(), "error: {error}");
        return ExitCode::FAILURE;
    }
    match run(&Arguments::parse().command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether nothing failed.
fn run(command: &Command) -> Result<bool> {
    match command {
        Command::List => {
            for target in TARGETS {
                writeln!(std::io::stdout(), "{:<11} {}", target.name, target.about)?;
            }
            Ok(true)
        }
        Command::Run(args) => start(args),
        Command::Work { target, seed, job } => {
            work(named(target)?, Seed(*seed), job, &mut std::io::stdout())?;
            Ok(true)
        }
        Command::Keep {
            target,
            seed,
            case,
            shrink,
            output,
        } => {
            keep(named(target)?, *seed, *case, *shrink, output)?;
            Ok(true)
        }
    }
}

fn start(args: &RunArgs) -> Result<bool> {
    std::fs::create_dir_all(&args.folder)?;
    let folder = std::path::absolute(&args.folder)?;
    let targets: Vec<&'static Target> = if args.target.is_empty() {
        TARGETS.iter().collect()
    } else {
        let named = args.target.iter().map(|name| named(name));
        named.collect::<Result<_>>()?
    };
    let found = match (targets.as_slice(), args.case) {
        ([target], Some(case)) if args.sizes => play_case(target, args.seed, case, true, &folder)?,
        ([target], Some(case)) => again(target, args.seed, case, &folder)?,
        ([target], None) if !args.input.is_empty() => play_files(target, &args.input, &folder)?,
        _ => {
            ensure!(
                args.case.is_none() && args.input.is_empty(),
                "a case or a file is of one target"
            );
            drive(&Wanted {
                targets,
                seed: args.seed,
                workers: args.workers,
                seconds: args.minutes * 60.0,
                sizes: args.sizes,
                folder: folder.clone(),
            })?
        }
    };
    clear(&folder);
    let text = table(&found.tallies, &found.failures);
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(found.failures.is_empty())
}

/// Plays a case again and prints its input.
fn again(target: &'static Target, seed: u64, case: u64, folder: &Path) -> Result<Found> {
    std::io::stdout().write_all(&input_of(target, seed, case, folder)?)?;
    writeln!(std::io::stdout(), "\n")?;
    play_case(target, seed, case, false, folder)
}

/// Removes the folders that workers of this process worked in.
fn clear(folder: &Path) {
    let own = format!("work-{}-", std::process::id());
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(&own) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}
