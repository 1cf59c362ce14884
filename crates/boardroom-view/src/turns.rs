//! An episode as a conversation: what was shown, what a model said, what was decided, and the answers.

use crate::calls::{CallIndex, Spent};
use crate::lines;
use crate::run::{RecordView, RunView};
use crate::site::{Site, episode};
use agent_client::message::Arguments;
use agent_client::reply::Reply;
use agent_client::store::StoredCall;
use pictures::{Picture, as_pictures};
use run_engine::error::RunError;
use run_engine::files::store::CALLS;
use run_engine::plan::source::InstanceSource;
use run_engine::run_dir::record_of;
use run_engine::terminal::{shown, shown_name, shown_path};
use run_engine::words::{counted, number};
use run_report::picture::not_drawn;
use run_report::questions::LabelledRow;
use run_report::questions::plots::run_plots;
use serde::Serialize;
use serde_json::Value;
use sim_core::{Cause, Causes, Entry, EpisodeRecord, Input, Seat, TextReply, ToolReply};
use std::collections::BTreeMap;

/// Characters of a text that are shown at once; the rest is behind a click.
const AT_ONCE: usize = 3_000;

/// A text of any length, its control characters as escapes.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Text {
    /// The beginning.
    pub(crate) head: String,
    /// The whole text, where it is longer than the beginning.
    pub(crate) whole: Option<String>,
    /// Its length \[characters\].
    pub(crate) length: String,
}

impl Text {
    pub(crate) fn new(text: &str) -> Self {
        let text = shown(text);
        let end = text.char_indices().nth(AT_ONCE).map(|(at, _)| at);
        Self {
            head: text
                .get(..end.unwrap_or(text.len()))
                .unwrap_or_default()
                .to_owned(),
            whole: end.map(|_| text.clone().into_owned()),
            length: number(text.chars().count() as f64),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.head.is_empty()
    }
}

/// A recorded call of a model.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Said {
    /// Role and place (`agent · query 1`).
    who: String,
    /// Cause of the reply in words; empty if it was said.
    cause: &'static str,
    /// What the model was sent last, where it is not what the environment showed.
    asked: Option<Text>,
    thinking: Option<Text>,
    text: Option<Text>,
    /// Tool calls, one line each.
    calls: Vec<Text>,
    /// The answer as received, where it is not a reply.
    fault: Option<Text>,
    cost: String,
}

/// An input and its answer.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Given {
    /// Number of the entry in the record.
    pub(crate) entry: usize,
    pub(crate) words: Text,
    reply: Text,
    refused: bool,
    forfeit: bool,
}

/// A turn of a seat.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Turn {
    /// Number of its first entry.
    entry: usize,
    title: String,
    shown: Text,
    said: Vec<Said>,
    given: Vec<Given>,
    /// What happened to every seat, after the last turn of a period.
    outcomes: Vec<String>,
    /// Causes of the agent's replies in words; empty if all were said.
    causes: String,
    cost: String,
    #[serde(skip)]
    spent: Spent,
    refused: bool,
}

/// An episode, ready to be shown.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Conversation {
    system: Text,
    turns: Vec<Turn>,
    score: String,
    metrics: Vec<(String, String)>,
    incidents: Vec<String>,
    pictures: Vec<Picture>,
    /// Calls that belong to no turn: memory, summaries.
    others: Vec<Said>,
    cost: String,
    ending: String,
    /// Why replies and plots are missing, where the record cannot be played again.
    fault: Option<String>,
}

/// Tokens and cost in words; empty where no model was asked.
pub(crate) fn spent_words(spent: &Spent) -> String {
    let totals = &spent.totals;
    if totals.requests == 0 {
        return String::new();
    }
    let usd = totals.cost.dollars();
    let cost = if usd > 0.0 {
        format!(", {} USD", number(usd))
    } else {
        String::new()
    };
    format!(
        "{}, {} + {} tokens{cost}{}",
        counted(totals.requests, "request"),
        number(totals.usage.input as f64),
        number(totals.usage.output as f64),
        time_words(spent)
    )
}

/// The time of the answers in words: of one answer, or of several together and on average; empty where no
/// time is known.
fn time_words(spent: &Spent) -> String {
    let seconds = |ms: f64| number((ms / 10.0).round() / 100.0);
    let all = spent.ms as f64;
    match spent.timed {
        0 => String::new(),
        1 => format!(", {} s", seconds(all)),
        n => format!(
            ", {} s ({} s an answer)",
            seconds(all),
            seconds(all / n as f64)
        ),
    }
}

/// Causes of replies in words; empty where all were said.
pub(crate) fn causes_words(causes: &Causes) -> String {
    match causes.not_said() {
        0 => String::new(),
        _ => format!("replies: {causes}"),
    }
}

/// An input in words.
pub(crate) fn input_words(input: &Input) -> String {
    match input {
        Input::Call { tool, arguments } => format!("{} {arguments}", shown_name(tool)),
        Input::Say { text } => format!("says: {text}"),
        Input::Act(action) => match TextReply::of(action) {
            Some(reply) => reply.in_words(),
            None => action.to_string(),
        },
        Input::Restart => "restarts the period".to_owned(),
        Input::Forfeit => "does not act (forfeit)".to_owned(),
    }
}

/// The record of a run at `record`.
pub(crate) fn read_episode(run: &RunView, record: &RecordView) -> Result<EpisodeRecord, RunError> {
    let path = run.record_file();
    let line = lines::one(&path, record.at).map_err(RunError::file(&path))?;
    episode(&line).map_err(|e| e.at(&format!("{}: ", shown_path(&path))))
}

/// A call and what it cost.
type CallShown = (Said, Spent);

/// The entry at which the turn of a call began, and the place of the call in the turn or, where it belongs to
/// none, in the record. `rest` is the slot after the unit of work.
fn place_of<'a>(rest: &'a str, unit: &str, entries: &[Entry]) -> (Option<usize>, &'a str) {
    let (first, after) = rest.split_once('/').unwrap_or((rest, ""));
    let number = |part: &str| part.strip_prefix("turn").and_then(|n| n.parse().ok());
    if let Some(turn) = number(first) {
        return (Some(turn), after);
    }
    // The slots of a class name the seat and what the game waited for, and then the only turn of a copy of the game:
    // `brewery/turn3/turn0/query1`; `cfo/turn0.4/turn0/query1` after four changes of the seat.
    let (turn, last) = after.split_once('/').unwrap_or((after, ""));
    let (turn, changes) = match turn.split_once('.') {
        Some((turn, changes)) => (turn, changes.parse::<usize>().ok()),
        None => (turn, None),
    };
    if unit.starts_with("classroom/")
        && let Some(period) = number(turn)
    {
        let (mut before, mut changed) = (None, 0);
        let entry = entries.iter().position(|entry| {
            let seat = entry.seat.as_ref();
            let is_other = before.replace(seat).is_some_and(|before| before != seat);
            changed += usize::from(is_other);
            entry.period as usize == period
                && seat.is_none_or(|seat| seat.name() == first)
                && changes.is_none_or(|changes| changes == changed)
        });
        return (entry, last.strip_prefix("turn0/").unwrap_or(last));
    }
    (None, first)
}

/// The calls of a record.
#[derive(Default)]
struct Calls {
    /// By the entry at which their turn began.
    by_turn: BTreeMap<usize, Vec<CallShown>>,
    /// Those of no turn.
    others: Vec<Said>,
    /// What all of them cost.
    spent: Spent,
}

fn calls(run: &RunView, unit: &str, shown: &str, entries: &[Entry]) -> Calls {
    let path = run.dir.join(CALLS);
    let mut found = Calls::default();
    for at in run.calls.of(unit) {
        let Ok(line) = lines::one(&path, *at) else {
            continue;
        };
        let Ok(call) = serde_json::from_slice::<StoredCall>(&line) else {
            continue;
        };
        let slot = call.slot.as_str();
        let rest = slot
            .get(unit.len()..)
            .unwrap_or_default()
            .trim_start_matches('/');
        let (turn, place) = place_of(rest, unit, entries);
        let (said, spent) = (
            said(&run.calls, &call, place, shown),
            spent(&run.calls, &call),
        );
        found.spent.add_all(&spent);
        match turn {
            Some(turn) => found.by_turn.entry(turn).or_default().push((said, spent)),
            None => found.others.push(said),
        }
    }
    found
}

fn spent(index: &CallIndex, call: &StoredCall) -> Spent {
    let mut spent = Spent::default();
    spent.add(call.usage.as_ref(), index.cost(call), index.ms(&call.key));
    spent
}

fn said(index: &CallIndex, call: &StoredCall, place: &str, shown: &str) -> Said {
    let role = serde_json::to_value(call.role).ok();
    let role = role
        .as_ref()
        .and_then(Value::as_str)
        .unwrap_or("model")
        .to_owned();
    let kind = index.kind(&call.backend);
    let reply = kind.map(|kind| kind.decode(call.answer.clone()));
    // What the model was sent last is mostly what the environment has just shown, and stands above
    // it.
    let asked = last_message(&call.request).filter(|text| !shown.contains(text.trim()));
    let mut said = Said {
        who: if place.is_empty() {
            role
        } else {
            format!("{role} · {place}")
        },
        cause: match call.cause {
            Cause::Said => "",
            cause => cause.words(),
        },
        asked: asked.map(|text| Text::new(&text)),
        cost: spent_words(&spent(index, call)),
        ..Said::default()
    };
    match reply {
        Some(Ok(reply)) => fill(&mut said, &reply),
        _ => {
            // An error of the server, or an answer of an API that is not known here.
            said.fault = Some(Text::new(&format!(
                "status {}: {}",
                call.status, call.answer
            )))
        }
    }
    said
}

fn fill(said: &mut Said, reply: &Reply) {
    let text = |text: &str| Some(Text::new(text)).filter(|text| !text.is_empty());
    said.thinking = reply.thinking.as_deref().and_then(text);
    said.text = text(&reply.said.text);
    said.calls = reply
        .said
        .calls
        .iter()
        .map(|call| {
            let arguments = match &call.arguments {
                Arguments::Json { value } => value.to_string(),
                Arguments::Broken { text, .. } => text.clone(),
            };
            Text::new(&format!("{} {arguments}", shown_name(&call.name)))
        })
        .collect();
}

/// The text of the last message of a request, in either API.
fn last_message(request: &Value) -> Option<String> {
    let last = request.get("messages")?.as_array()?.last()?;
    match last.get("content")? {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| {
                // The result of a tool has its text under `content`.
                let text = part.get("text").or_else(|| part.get("content"))?;
                text.as_str().map(str::to_owned)
            });
            let texts: Vec<String> = texts.collect();
            Some(texts.join("\n")).filter(|text| !text.is_empty())
        }
        _ => None,
    }
}

/// The episode in `record` of `run`.
///
/// # Errors
/// When the record cannot be read. An episode that cannot be played again, such as one of another
/// version, is shown with its inputs alone.
pub(crate) fn conversation(
    site: &Site,
    run: &RunView,
    record: &RecordView,
) -> Result<Conversation, RunError> {
    let played = read_episode(run, record)?;
    let mut shown = Conversation {
        score: number(played.score.value()),
        ending: record.ending.clone(),
        ..Conversation::default()
    };
    for (name, value) in played.score.metrics() {
        shown.metrics.push((name.replace('_', " "), number(*value)));
    }
    for incident in played.score.all_incidents() {
        let period = incident.period.saturating_add(1);
        let words = format!("{} in period {period}: {}", incident.code, incident.note);
        shown.incidents.push(words);
    }
    if let Err(e) = replay(site, run, record, &played, &mut shown) {
        // Shown and not returned: what was decided stands in the record itself and can be read without a replay.
        shown.fault = Some(e.to_string());
        // What was played before the fault would look like a shorter episode.
        shown.turns.clear();
        let mut calls = calls(run, &record.unit, "", &played.entries);
        shown.cost = spent_words(&calls.spent);
        for (number, entry) in played.entries.iter().enumerate() {
            let seat = entry
                .seat
                .as_ref()
                .map_or_else(String::new, |s| format!(", {s}"));
            let title = format!("period {}{seat}", entry.period.saturating_add(1));
            let mut turn = Turn {
                entry: number,
                title,
                causes: causes_words(&entry.causes),
                ..Turn::default()
            };
            take_calls(&mut turn, calls.by_turn.remove(&number));
            turn.given.push(given(number, &entry.input, None));
            shown.turns.push(turn);
        }
        shown.others = calls.others;
    }
    Ok(shown)
}

/// Adds calls of a model to a turn.
fn take_calls(turn: &mut Turn, calls: Option<Vec<CallShown>>) {
    for (said, spent) in calls.into_iter().flatten() {
        turn.spent.add_all(&spent);
        turn.said.push(said);
    }
    turn.cost = spent_words(&turn.spent);
}

fn given(entry: usize, input: &Input, reply: Option<&ToolReply>) -> Given {
    Given {
        entry,
        words: Text::new(&input_words(input)),
        reply: reply.map_or_else(Text::default, |reply| Text::new(reply.text())),
        refused: reply.is_some_and(ToolReply::is_rejected),
        forfeit: *input == Input::Forfeit,
    }
}

/// Plays the record again and writes down what was shown.
fn replay(
    site: &Site,
    run: &RunView,
    record: &RecordView,
    played: &EpisodeRecord,
    into: &mut Conversation,
) -> Result<(), RunError> {
    let plan = &run.about.plan;
    let spec = site.registry().kind(&plan.environment)?;
    if spec.version() != plan.version {
        return Err(RunError::usage(format!(
            "the record is of version {} of its environment, this program has version {}, so replies and \
             plots are not shown",
            plan.version,
            spec.version()
        )));
    }
    let case = InstanceSource::of(spec, plan)?.case(played.header.episode)?;
    let mut env = case.open()?;
    let first = env.briefing();
    let told = format!("{}\n{}", first.system, first.opening);
    let mut calls = calls(run, &record.unit, &told, &played.entries);
    into.cost = spent_words(&calls.spent);
    let mut turn: Option<Turn> = None;
    for (number, entry) in played.entries.iter().enumerate() {
        let period = env.period();
        // An interviewer or a judge has other rules than the agent.
        if into.system.is_empty() && env.turn().role() == Seat::AGENT.role() {
            into.system = Text::new(&env.briefing().system);
        }
        if turn.is_none() {
            let seat = entry
                .seat
                .as_ref()
                .map_or_else(String::new, |s| format!(", {s}"));
            let total = period
                .total
                .map_or_else(String::new, |n| format!(" of {n}"));
            let title = format!(
                "{} {}{total}{seat}",
                period.unit,
                entry.period.saturating_add(1)
            );
            let opening = env.briefing().opening;
            let mut begun = Turn {
                entry: number,
                title,
                shown: Text::new(&opening),
                causes: causes_words(&entry.causes),
                ..Turn::default()
            };
            let told = Text::new(opening.trim());
            take_calls(&mut begun, calls.by_turn.remove(&number));
            // What the environment showed is not repeated as what the model was sent. Compared again here, because calls are
            // read before the replay and know the first opening only.
            for said in &mut begun.said {
                said.asked = said
                    .asked
                    .take()
                    .filter(|asked| asked.head.trim() != told.head.trim());
            }
            turn = Some(begun);
        }
        let (seat, before) = (env.turn(), period.index);
        let reply = env.apply(&entry.input);
        let Some(running) = &mut turn else { continue };
        // After a restart of the period the model is asked anew within the same turn.
        take_calls(running, calls.by_turn.remove(&number));
        running
            .given
            .push(given(number, &entry.input, Some(&reply)));
        running.refused |= reply.is_rejected();
        // A turn ends with its period also where the seat stays: a game of one seat has a turn for
        // each period.
        let over = env.is_over() || env.period().index != before;
        if over {
            let outcome = |(seat, value): (sim_core::Seat, Value)| format!("{seat}: {value}");
            running.outcomes = env.outcomes().into_iter().map(outcome).collect();
        }
        if over || env.turn() != seat {
            into.turns.extend(turn.take());
        }
    }
    into.turns.extend(turn);
    let late = calls.by_turn.into_values().flatten().map(|(said, _)| said);
    into.others = late.chain(calls.others).collect();
    into.pictures = as_pictures(&case.plots(played)?).map_err(not_drawn)?;
    Ok(())
}

/// Most records of a run that are read for the plots of its page.
const MOST_PLOTTED: usize = 5_000;

/// The plots of a run whose instances have labels, over its first records; none of other runs, whose episodes have plots
/// of their own.
///
/// # Errors
/// When the instances cannot be made, or a plot cannot be drawn. A record that cannot be read is left out.
pub(crate) fn run_pictures(site: &Site, run: &RunView) -> Result<Vec<Picture>, RunError> {
    let plan = &run.about.plan;
    let spec = site.registry().kind(&plan.environment)?;
    let source = InstanceSource::of(spec, plan)?;
    // The first episode of a shard has the number of the shard.
    if source.case(plan.shard.index)?.labels().is_empty() {
        return Ok(Vec::new());
    }
    let path = run.record_file();
    let first = run.records.iter().take(MOST_PLOTTED);
    let rows = first.filter_map(|record| {
        let line = lines::one(&path, record.at).ok()?;
        LabelledRow::read(&source, &record_of(&line).ok()?).ok()
    });
    let rows: Vec<LabelledRow> = rows.collect();
    as_pictures(&run_plots(&rows, &site.labels_of(run))).map_err(not_drawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_long_texts_are_cut() {
        let text = Text::new("a\u{0}b\u{1b}[2J\u{202e}");
        assert!(
            !text.head.contains(['\u{0}', '\u{1b}', '\u{202e}']),
            "{text:?}"
        );
        assert_eq!(text.whole, None);
        let long = Text::new(&"é".repeat(AT_ONCE + 1));
        assert_eq!(long.head.chars().count(), AT_ONCE);
        assert_eq!(long.whole.unwrap().chars().count(), AT_ONCE + 1);
    }

    #[test]
    fn the_calls_of_a_class_belong_to_the_turn_of_their_seat() {
        let entry = |period: u32, seat: &'static str| Entry {
            period,
            seat: Some(sim_core::Seat::named(seat)),
            input: Input::Forfeit,
            action: None,
            reply: String::new(),
            query: 0,
            dropped: 0,
            causes: Causes::default(),
        };
        let seats = ["retailer", "brewery"];
        let entries: Vec<Entry> = (0..2)
            .flat_map(|period| seats.map(|seat| entry(period, seat)))
            .collect();
        let of = |rest, unit| place_of(rest, unit, &entries);
        let team = "classroom/team1";
        let slot = "brewery/turn1/turn0/query1";
        assert_eq!(of(slot, team), (Some(3), "query1"));
        assert_eq!(of("brewery/turn9/turn0/query1", team), (None, "query1"));
        // Where seats have several turns in a period.
        let slot = "retailer/turn0.2/turn0/query1";
        let talk = [(0, "retailer"), (0, "brewery"), (0, "retailer")].map(|(at, of)| entry(at, of));
        assert_eq!(place_of(slot, team, &talk), (Some(2), "query1"));
        assert_eq!(of("turn2/query1", "episode/-0"), (Some(2), "query1"));
        assert_eq!(of("memory/query1", "episode/-0"), (None, "memory"));
    }

    #[test]
    fn the_last_message_of_either_api_is_found() {
        let open = serde_json::json!({"messages": [{"role": "user", "content": "one"}]});
        assert_eq!(last_message(&open).as_deref(), Some("one"));
        let blocks = serde_json::json!({"messages": [
            {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "tool_result", "content": "b"}]}
        ]});
        assert_eq!(last_message(&blocks).as_deref(), Some("a\nb"));
        assert_eq!(last_message(&serde_json::json!({})), None);
    }
}
