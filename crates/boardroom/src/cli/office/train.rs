//! `office train`: tasks as training data, in the forms of the paper's listings.
//!
//! A supervised example is the system prompt and the request as an agent gets them, and the right
//! steps as the reply. A preference pair has the same prompt, the right steps as the chosen reply,
//! and steps with one mistake as the rejected one. The paper splits its examples 4:1; here every
//! fifth task is for testing, and pairs are made of the others only.

use super::{CompanyArgs, Console, drawn, line, make_empty};
use clap::Args;
use enterprise_sandbox::Spec;
use enterprise_sandbox::tasks::{Attempt, Mutation, mutations};
use run_engine::error::RunError;
use run_engine::terminal::shown_path;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Arguments of `office train`.
#[derive(Debug, Args)]
pub struct TrainArgs {
    #[command(flatten)]
    company: CompanyArgs,
    /// Number of tasks; every fifth is for testing
    #[arg(long, default_value_t = 1_000)]
    count: u64,
    /// Number of preference pairs
    #[arg(long, default_value_t = 1_200)]
    pairs: usize,
    /// Seed of the tasks
    #[arg(long, default_value_t = 0, value_parser = super::args::whole)]
    seed: u64,
    /// Folder for sft-train.jsonl, sft-test.jsonl and dpo-train.jsonl
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// One task of five is for testing.
const TEST: u64 = 5;

/// Mistakes that somebody might make who tries to do the task; the others (nothing at all, a post
/// that nobody asked for, an answer without keys) teach nothing about its steps.
const MISTAKES: [Mutation; 7] = [
    Mutation::WriteDropped,
    Mutation::FieldAltered,
    Mutation::FactDropped,
    Mutation::FactAltered,
    Mutation::RefusalMissing,
    Mutation::WrongClass,
    Mutation::UndueRefusal,
];

/// What was written.
#[derive(Debug, Serialize)]
struct Made {
    sft_train: usize,
    sft_test: usize,
    dpo_train: usize,
}

/// A run as a reply: one call a line, the ending last.
fn reply(attempt: &Attempt) -> Value {
    json!({"role": "assistant", "content": attempt.text()})
}

pub(super) fn train(
    args: &TrainArgs,
    spec: &Spec,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let config = args.company.config(spec)?;
    make_empty(&args.output)?;
    let (mut sft_train, mut sft_test) = (Vec::new(), Vec::new());
    let mut wrong: Vec<(Vec<Value>, Value, Vec<Value>)> = Vec::new();
    let kind = spec.clone().boxed();
    for index in 0..args.count {
        let instance = drawn(spec, &config, (args.seed, index))?;
        let value = serde_json::to_value(&instance).map_err(RunError::failed)?;
        // Through the environment, so that the prompt is the one that an agent gets.
        let prompt = kind.load(&value)?.open()?.briefing();
        let prompt = vec![
            json!({"role": "system", "content": prompt.system}),
            json!({"role": "user", "content": prompt.opening}),
        ];
        let chosen = reply(&instance.right());
        let messages: Vec<Value> = prompt.iter().cloned().chain([chosen.clone()]).collect();
        let example = line(&json!({"messages": messages}))?;
        if index % TEST == TEST - 1 {
            sft_test.push(example);
            continue;
        }
        sft_train.push(example);
        let rejected = mutations(&instance.task)
            .into_iter()
            .filter(|a| a.mutation.is_some_and(|m| MISTAKES.contains(&m)))
            .map(|a| reply(&a))
            .collect();
        wrong.push((prompt, chosen, rejected));
    }
    // One mistake of every task before the second of any.
    let most = wrong.iter().map(|(_, _, r)| r.len()).max().unwrap_or(0);
    let mut pairs = Vec::new();
    for place in 0..most {
        for (prompt, chosen, rejected) in &wrong {
            if let (Some(rejected), true) = (rejected.get(place), pairs.len() < args.pairs) {
                let pair = json!({"prompt": prompt, "chosen": [chosen], "rejected": [rejected]});
                pairs.push(line(&pair)?);
            }
        }
    }
    let made = Made {
        sft_train: sft_train.len(),
        sft_test: sft_test.len(),
        dpo_train: pairs.len(),
    };
    for (name, lines) in [
        ("sft-train.jsonl", sft_train),
        ("sft-test.jsonl", sft_test),
        ("dpo-train.jsonl", pairs),
    ] {
        run_engine::files::run_file::replace(&args.output.join(name), &lines.concat(), false)?;
    }
    console.print(&match args.json {
        true => line(&made)?,
        false => format!(
            "{} examples for training and {} for testing, {} preference pairs in {}\n",
            made.sft_train,
            made.sft_test,
            made.dpo_train,
            shown_path(&args.output)
        ),
    })
}
