//! `evolve`: the search for an instruction.

use super::args::{AskArgs, MeansArgs, limits, setting};
use super::{Console, line};
use clap::Args;
use run_engine::engine::model::evolve::{EvolveRequest, evolve_instruction};
use run_engine::error::RunError;
use run_engine::plan::instruction::EvolvedFile;
use run_engine::registry::Registry;
use run_engine::words::number;
use serde_json::Value;
use sim_core::{Limits, Seed};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// What to search for, and where.
#[derive(Debug, Args)]
pub struct EvolveArgs {
    /// Environment, as `list` names it
    environment: String,
    /// Preset (the first by default)
    #[arg(long)]
    preset: Option<String>,
    /// Replace a setting: dotted path and JSON value
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    settings: Vec<(String, Value)>,
    /// The model that plays and proposes: openai:MODEL, anthropic:MODEL, replay:DIR
    #[arg(long)]
    agent: String,
    /// Seed of the search and of its instances; no run plays these instances
    #[arg(long, default_value_t = 0, value_parser = super::args::whole)]
    seed: u64,
    /// Instances from which instructions are made
    #[arg(long, default_value_t = 6)]
    train: usize,
    /// Instances on which instructions are compared
    #[arg(long, default_value_t = 6)]
    validation: usize,
    /// Maximum number of episodes that the search may play
    #[arg(long, default_value_t = 150)]
    metric_calls: usize,
    /// Maximum number of proposals [default: as many as the episodes allow]
    #[arg(long)]
    iterations: Option<usize>,
    /// Instruction to begin with: a text file, or the folder of an earlier search
    #[arg(long, value_name = "FILE")]
    first: Option<PathBuf>,
    /// Queries and attempts that an agent has in a period
    #[arg(long, value_name = "CALLS,TRIES", value_parser = limits)]
    limits: Option<Limits>,
    #[command(flatten)]
    ask: AskArgs,
    #[command(flatten)]
    means: MeansArgs,
    /// Folder to write: instruction.txt, evolved.json, calls.jsonl
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

pub(super) fn evolve(
    args: EvolveArgs,
    registry: &Registry,
    stop: &AtomicBool,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let request = EvolveRequest {
        environment: args.environment,
        preset: args.preset,
        settings: args.settings,
        agent: args.agent,
        seed: Seed(args.seed),
        train: args.train,
        validation: args.validation,
        metric_calls: args.metric_calls,
        iterations: args.iterations,
        first: args.first,
        limits: args.limits.unwrap_or_default(),
        model: args.ask.request(),
    };
    let file = evolve_instruction(registry, &request, &args.means.means(), &args.out, stop)?;
    console.print(&if args.json {
        line(&file)?
    } else {
        words(&file, &args.out)
    })
}

fn words(file: &EvolvedFile, out: &Path) -> String {
    let found = &file.found;
    let accepted = found.history.iter().filter(|step| step.accepted).count();
    let mut text = String::new();
    // Writing to a String cannot fail, hence the ignored results.
    let _ = writeln!(
        text,
        "{} of {} episodes, {} proposals, {accepted} accepted",
        found.metric_calls,
        file.budget,
        found.history.len()
    );
    let _ = writeln!(
        text,
        "mean on {} validation instances {} (first instruction {}); 1 is the reference",
        file.validation,
        number(found.mean),
        number(found.first_mean)
    );
    let _ = writeln!(text, "instruction in {}:\n", out.display());
    let _ = writeln!(text, "{}", found.instruction);
    text
}
