//! A description of an episode in words, for memories.

use sim_core::bytes::canonical_text;
use sim_core::{Entry, Input, Score, Seat, ToolEnvironment, ToolReply};
use std::fmt::Write as _;

/// Maximum length of an answer in the description \[characters\].
const LONGEST: usize = 600;

/// Describes the actions of an episode and their results, from its log: decisions with their
/// outcome, refusals with their reason. Queries are left out.
///
/// `env` is freshly opened from the same instance. Replaying the log, instead of storing text
/// during play, makes the description the same whether or not the episode was interrupted.
///
/// With `seat`, only what happened in the turns of that seat. One line for each input, with the number of its
/// period from 1; texts longer than 600 characters are cut.
#[must_use]
pub fn retell(env: Box<dyn ToolEnvironment>, entries: &[Entry], seat: Option<&Seat>) -> String {
    retell_until(env, entries, seat, true, None)
}

/// As [`retell`], for the periods before `until` only, and without the answers of the environment
/// unless `answers` is set.
#[must_use]
pub fn retell_until(
    mut env: Box<dyn ToolEnvironment>,
    entries: &[Entry],
    seat: Option<&Seat>,
    answers: bool,
    until: Option<u32>,
) -> String {
    let mut story = String::new();
    for entry in entries {
        let period = env.period();
        // Before the entry is applied, as the periods from there on are not to be told.
        if until.is_some_and(|until| period.index >= until) {
            break;
        }
        let in_turn = env.turn();
        // Applied also where another seat played, since the state depends on all of them.
        let reply = env.apply(&entry.input);
        if seat.is_some_and(|seat| *seat != in_turn) {
            continue;
        }
        let what = match &entry.input {
            Input::Call { tool, arguments } => format!("{tool}({})", canonical_text(arguments)),
            Input::Say { text } => format!("said: {}", clip(text)),
            Input::Act(action) => canonical_text(action),
            Input::Restart => continue,
            Input::Forfeit => "no decision was made".to_owned(),
        };
        let (verb, text) = match &reply {
            ToolReply::Shown { .. } => continue,
            ToolReply::Rejected { message, .. } => ("refused", message.as_str()),
            other => ("result", other.text()),
        };
        let (unit, number, what) = (period.unit, period.index + 1, clip(&what));
        // Writing to a String cannot fail.
        let _ = if answers {
            writeln!(story, "{unit} {number}: {what} -> {verb}: {}", clip(text))
        } else {
            writeln!(story, "{unit} {number}: {what}")
        };
    }
    story
}

/// The metrics of a score that the agents of `env` may know, one line each.
///
/// An agent plays all seats, so it knows what any of them [sees](sim_core::Environment::sees_metric).
#[must_use]
pub fn retell_metrics(env: &dyn ToolEnvironment, score: &Score) -> String {
    let seats = env.seats();
    let lines: Vec<String> = score
        .metrics()
        .iter()
        .filter(|(name, _)| seats.iter().any(|seat| env.sees_metric(seat, name)))
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    lines.join("\n")
}

fn clip(text: &str) -> String {
    crate::error::one_line(text, LONGEST)
}
