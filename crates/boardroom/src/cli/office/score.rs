//! `office score`: success of runs by kind of task, and the marks of a model as judge.

use super::{Console, line};
use crate::cli::args::{Heat, opened_at};
use crate::office::{breakdown, judge_run};
use clap::Args;
use enterprise_sandbox::tasks::breakdown::Breakdown;
use enterprise_sandbox::tasks::judge::Judging;
use run_engine::error::RunError;
use run_engine::plan::options::ModelOptions;
use run_report::runs::read_runs;
use serde::Serialize;
use std::path::PathBuf;

/// Arguments of `office score`.
#[derive(Debug, Args)]
pub struct ScoreArgs {
    /// Run folders; shards of one run count as one
    #[arg(required = true)]
    dirs: Vec<PathBuf>,
    /// Also let a model mark every episode from 1 to 5, and print how far it agrees with the score:
    /// openai:MODEL, anthropic:MODEL or replay:DIR
    #[arg(long, value_name = "MODEL")]
    judge: Option<String>,
    /// Sampling temperature of the judge, or `omitted`, which sends none [default: 0]
    #[arg(long, value_name = "T", requires = "judge")]
    judge_temperature: Option<Heat>,
    /// Folder for the judge's replies; requests whose reply is in it are not sent again
    #[arg(long, value_name = "DIR", requires = "judge")]
    calls: Option<PathBuf>,
    /// Print one JSON object per run
    #[arg(long)]
    json: bool,
}

/// The results of a run.
#[derive(Serialize)]
struct Scored {
    #[serde(flatten)]
    found: Breakdown,
    #[serde(skip_serializing_if = "Option::is_none")]
    judge: Option<Judging>,
}

pub(super) fn score(args: &ScoreArgs, console: &mut Console<'_>) -> Result<(), RunError> {
    let runs = read_runs(&args.dirs)?;
    let judge = args.judge.as_deref();
    let judge = judge
        .map(|name| {
            let (heat, calls) = (args.judge_temperature, args.calls.as_deref());
            opened_at(heat, name, &ModelOptions::default(), calls)
        })
        .transpose()?;
    for run in runs {
        let (judging, marks) = match &judge {
            None => (None, Vec::new()),
            Some(judge) => {
                let (judging, marks) = judge_run(console.registry, &run, judge)?;
                (Some(judging), marks)
            }
        };
        let scored = Scored {
            found: breakdown(console.registry, &run, &marks)?,
            judge: judging,
        };
        console.print(&match (args.json, &scored.judge) {
            (true, _) => line(&scored)?,
            (false, None) => scored.found.to_string(),
            (false, Some(judging)) => format!("{}{judging}", scored.found),
        })?;
    }
    Ok(())
}
