//! A recorded episode as text to read.

use crate::engine::episodes::RecordChoice;
use crate::error::RunError;
use crate::plan::agent::is_served;
use crate::plan::source::InstanceSource;
use crate::registry::Registry;
use crate::run_dir::Folder;
use crate::terminal::shown_name;
use serde_json::Value;
use sim_core::{EpisodeRecord, Input, TextReply, ToolEnvironment};
use std::fmt::Write as _;

/// The record `asked` of a run folder as text to read.
///
/// # Errors
/// When the folder holds no such record or it does not replay.
pub fn transcript(
    registry: &Registry,
    folder: &Folder,
    asked: RecordChoice,
) -> Result<String, RunError> {
    let plan = &folder.manifest.plan;
    let source = InstanceSource::of(registry.kind(&plan.environment)?, plan)?;
    let (record, count) = folder.first(|header| asked.is(header))?;
    let Some(record) = record else {
        return Err(RunError::usage(match (asked.episode, asked.trial) {
            (Some(index), Some(trial)) => format!("episode {index} has no record of trial {trial}"),
            (None, Some(trial)) => format!("no episode has a record of trial {trial}"),
            (Some(index), None) => format!(
                "episode {index} has no record; {} of {} planned episodes have one",
                count,
                plan.total()
            ),
            (None, None) => "there is no record yet".to_owned(),
        }));
    };
    transcript_of(&source, &record)
}

/// A record as text to read, with every answer.
///
/// # Errors
/// When its instance cannot be opened.
pub fn transcript_of(
    source: &InstanceSource<'_>,
    record: &EpisodeRecord,
) -> Result<String, RunError> {
    let case = source.case(record.header.episode)?;
    let mut env = case.open()?;
    let mut out = String::new();
    // Writing to a String cannot fail, hence the ignored results.
    let header = &record.header;
    let named = case
        .labels()
        .pop()
        .map(|(name, value)| format!(" ({name} {})", shown_name(&value)));
    let _ = writeln!(
        out,
        "{} episode {}{}{}, played by {}\n",
        shown_name(&header.environment),
        header.episode,
        named.unwrap_or_default(),
        // Only clients of a server play an episode more than once.
        if header.agent.split(", ").next().is_some_and(is_served) {
            format!(", trial {}", header.trial)
        } else {
            String::new()
        },
        shown_name(&header.agent),
    );
    if env.ask().is_some() {
        said(&mut *env, record, &mut out);
    } else {
        played(&mut *env, record, &mut out);
    }
    let _ = writeln!(
        out,
        "\nscore {}",
        crate::words::number(record.score.value())
    );
    let again = match env.score() {
        // By bits: the same inputs give the same score, so any difference at all means that one of
        // them was changed.
        Ok(score) if score.value().to_bits() == record.score.value().to_bits() => None,
        Ok(score) => Some(crate::words::number(score.value())),
        Err(e) => Some(e.to_string()),
    };
    if let Some(again) = again {
        let _ = writeln!(
            out,
            "  this score is not that of the inputs above, which is {again}; `boardroom verify` checks the folder"
        );
    }
    for (name, value) in record.score.metrics() {
        let _ = writeln!(
            out,
            "  {} {}",
            shown_name(name),
            crate::words::number(*value)
        );
    }
    for incident in record.score.all_incidents() {
        let period = incident.period.saturating_add(1);
        let _ = write!(out, "  {} in period {period}", shown_name(&incident.code));
        // Not every code needs a reason.
        let _ = match incident.note.as_str() {
            "" => writeln!(out),
            note => writeln!(out, ": {}", indented(note)),
        };
    }
    Ok(out)
}

/// The turns of an episode, each with the answer of the environment.
fn played(env: &mut dyn ToolEnvironment, record: &EpisodeRecord, out: &mut String) {
    let _ = writeln!(out, "    {}\n", indented(&env.briefing().system));
    for entry in &record.entries {
        let unit = env.period().unit;
        let seat = entry
            .seat
            .as_ref()
            .map_or_else(String::new, |seat| format!(", {}", shown_name(seat.name())));
        let _ = writeln!(out, "{unit} {}{seat}", entry.period.saturating_add(1));
        let _ = writeln!(out, "  > {}", indented(&words(&entry.input)));
        // Records hold inputs only; the answers are computed again, which also shows them as the agent saw them.
        let reply = env.apply(&entry.input);
        if !reply.text().is_empty() {
            let _ = writeln!(out, "    {}", indented(reply.text()));
        }
        if env.is_over() || env.period().index != entry.period {
            for (seat, outcome) in env.outcomes() {
                let _ = writeln!(
                    out,
                    "  {} in {unit} {}: {}",
                    shown_name(seat.name()),
                    entry.period.saturating_add(1),
                    indented(&fields(&outcome))
                );
            }
        }
    }
}

/// The messages of an episode whose seats are asked in words: what it is about, what each seat said, how it ended, and
/// the right answer.
fn said(env: &mut dyn ToolEnvironment, record: &EpisodeRecord, out: &mut String) {
    let about = env.retold().unwrap_or_default();
    let _ = writeln!(out, "    {}\n", indented(&about.task));
    let mut end = String::new();
    for entry in &record.entries {
        let seat = entry.seat.clone().unwrap_or_else(|| env.turn());
        let reply = match &entry.input {
            Input::Act(action) => TextReply::of(action),
            _ => None,
        };
        let text = reply.as_ref().map(TextReply::in_words);
        let text = text.unwrap_or_else(|| words(&entry.input));
        let _ = writeln!(out, "{}: {}\n", shown_name(seat.name()), indented(&text));
        if let Some(answer) = reply.and_then(|reply| reply.answer) {
            let _ = writeln!(out, "answer {}\n", indented(&answer));
        }
        // The last reply says how it ended; those before it are told to the next seat, whose words
        // follow.
        end = env.apply(&entry.input).text().to_owned();
    }
    if !end.is_empty() {
        let _ = writeln!(out, "    {}", indented(&end));
    }
    let told = env.retold().unwrap_or_default();
    if let Some(truth) = told.truth {
        let _ = writeln!(out, "right answer {}", indented(&truth));
    }
    if !told.feedback.is_empty() {
        let _ = writeln!(out, "outcome: {}", indented(&told.feedback));
    }
}

/// A text that may come from outside: all its lines but the first are indented, so that none of them looks like a line
/// of the program.
fn indented(text: &str) -> String {
    let text = text.trim_end();
    text.replace('\n', "\n    ").replace("\n    \n", "\n\n")
}

/// The fields of an object as `name value`, separated by commas.
fn fields(value: &Value) -> String {
    let Some(fields) = value.as_object() else {
        return value.to_string();
    };
    let fields = fields.iter().map(|(name, value)| format!("{name} {value}"));
    fields.collect::<Vec<_>>().join(", ")
}

fn words(input: &Input) -> String {
    match input {
        Input::Call { tool, arguments } => format!("{} {arguments}", shown_name(tool)),
        Input::Say { text } => format!("says: {text}"),
        Input::Act(action) => action.to_string(),
        Input::Restart => "restarts the period".to_owned(),
        Input::Forfeit => "does not act".to_owned(),
    }
}
