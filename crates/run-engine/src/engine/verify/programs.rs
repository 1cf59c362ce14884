//! Runs the programs of a folder again.

use crate::error::RunError;
use crate::executor::{self, Python};
use crate::plan::source::InstanceSource;
use crate::run_dir::outcome::{Check, Verified};
use crate::run_dir::{Folder, record_of};
use crate::words::counted;
use qa_scoring::env::EXECUTOR;
use qa_scoring::snippet::SnippetReply;
use serde_json::Value;
use sim_core::error::clip;
use sim_core::{ConfigError, DynPolicy as _, EpisodeRecord, Input, TextReply};

/// What verification does with the programs that a run executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Programs {
    /// Nothing: it takes their values from the records.
    #[default]
    Recorded,
    /// It runs them again and compares their values with those in the records.
    Run,
}

/// The programs of a record.
#[derive(Debug, Default)]
struct RunAgain {
    same: u64,
    /// Programs whose value says nothing: they time out, or their value differs from run to run.
    unclear: u64,
    /// What is wrong with the first one whose value differs.
    wrong: Option<String>,
}

/// What was found in the records of `folder`.
pub(super) fn check(
    found: &mut Verified,
    folder: &Folder,
    source: &InstanceSource<'_>,
    programs: Programs,
) -> Result<(), RunError> {
    let what = "the values of programs";
    if programs == Programs::Recorded {
        let why =
            "they are taken from the records; `verify --run-programs` runs the programs again";
        found.leave(Check::Decisions, what, why);
        return Ok(());
    }
    if let Err(e) = executor::check() {
        found.leave(
            Check::Decisions,
            what,
            format!("programs cannot be run here: {e}"),
        );
        return Ok(());
    }
    let scanned = folder.scan_lines(|number, line| {
        // The replay reports lines that are not records, and games that cannot be played.
        let record = record_of(line).ok();
        let run = record.and_then(|record| run_again(source, &record).ok());
        Ok((number, run.unwrap_or_default()))
    })?;
    let (mut same, mut unclear) = (0, 0);
    for (number, run) in scanned.results {
        same += run.same;
        unclear += run.unclear;
        if let Some(what) = run.wrong {
            found.find(
                Check::Decisions,
                format!("episodes.jsonl line {number}"),
                what,
            );
        }
    }
    if unclear > 0 {
        let programs = counted(unclear, "program");
        let why = "they time out, cannot be run here, or their values differ from run to run";
        found.leave(Check::Decisions, format!("the values of {programs}"), why);
    }
    if same > 0 && !found.failed(Check::Decisions) {
        let programs = counted(same, "program");
        found.prove(Check::Decisions, format!("the values of {programs}"));
    }
    Ok(())
}

/// Runs the programs in `record`, each where its seat was asked.
fn run_again(source: &InstanceSource<'_>, record: &EpisodeRecord) -> Result<RunAgain, RunError> {
    let mut env = source.case(record.header.episode)?.open()?;
    let mut all = RunAgain::default();
    for entry in &record.entries {
        if let Input::Act(stored) = &entry.input
            && entry.seat.as_ref() == Some(&EXECUTOR)
            && env.turn() == EXECUTOR
        {
            let Ok(stored) = value_of(stored) else {
                let what = "the record has no value for its program";
                all.wrong.get_or_insert_with(|| what.to_owned());
                env.apply(&entry.input);
                continue;
            };
            let run = || value_of(&Python.act(&*env)?);
            let made = run()?;
            // The second run comes last, because each may take as long as the time limit: only a
            // value that differs, and that no time-out explains, is worth it. A program that draws
            // without a seed then differs from itself.
            if is_same(&stored, &made) {
                all.same += 1;
            } else if is_timeout(&stored)
                || is_timeout(&made)
                || matches!(made, SnippetReply::Unsupported { .. })
                || !is_same(&made, &run()?)
            {
                all.unclear += 1;
            } else if all.wrong.is_none() {
                all.wrong = Some(format!(
                    "the program gives {} here, the record holds {}",
                    words(&made),
                    words(&stored)
                ));
            }
        }
        env.apply(&entry.input);
    }
    Ok(all)
}

/// The reply in an action of the executor.
fn value_of(action: &Value) -> Result<SnippetReply, RunError> {
    let text = TextReply::of(action).and_then(|reply| reply.text);
    let text = text.unwrap_or_default();
    let read = serde_json::from_str(&text);
    Ok(read.map_err(|e| ConfigError::new("executor", e.to_string()))?)
}

/// Two failures are the same: versions of Python word their messages differently, and no grade depends on the words.
fn is_same(one: &SnippetReply, other: &SnippetReply) -> bool {
    match (one, other) {
        (SnippetReply::Failed { .. }, SnippetReply::Failed { .. }) => true,
        // As text: a value that is not a number equals itself.
        (one, other) => serde_json::to_string(one).ok() == serde_json::to_string(other).ok(),
    }
}

fn is_timeout(reply: &SnippetReply) -> bool {
    matches!(reply, SnippetReply::Failed { reason } if reason == "timeout")
}

fn words(reply: &SnippetReply) -> String {
    match reply {
        SnippetReply::Value(value) => format!("`{}`", clip(&value.text())),
        SnippetReply::Failed { reason } => format!("a failure ({})", clip(reason)),
        SnippetReply::Unsupported { what } => format!("`unsupported` ({})", clip(what)),
    }
}
