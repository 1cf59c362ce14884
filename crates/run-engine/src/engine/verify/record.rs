//! Verifies one record.

use crate::engine::episode::EpisodeRunner;
use crate::engine::others::Others;
use crate::plan::agent::AgentSpec;
use crate::run_dir::outcome::Check;
use crate::run_dir::record_of;
use sim_core::bytes::{canonical_json, canonical_text};
use sim_core::difference::differences;
use sim_core::{Ending, EpisodeRecord, Header, strict};

/// The result of checking a line of the record file.
pub(super) struct Stored {
    /// Number of the line, from 1.
    pub(super) number: u64,
    /// Its episode, if the line is a record.
    pub(super) episode: Option<u64>,
    /// Its repetition of the episode, from 0.
    pub(super) trial: u32,
    /// What is wrong with it.
    pub(super) wrong: Option<(Check, String)>,
}

type Wrong = (Check, String);

/// Plays the record in `line` again. If the line is not a record, `remedy` tells the user how to play
/// the episode.
pub(super) fn judge(
    table: &EpisodeRunner<'_>,
    remedy: &str,
    (number, line): (u64, &[u8]),
) -> Stored {
    let text = line.strip_suffix(b"\n").unwrap_or(line);
    if let Some(episode) = written_alike(table, text) {
        return Stored {
            number,
            episode: Some(episode),
            trial: 0,
            wrong: None,
        };
    }
    let (episode, trial, wrong) = match record_of(line) {
        Err((column, what)) => {
            let column = column.map_or_else(String::new, |c| format!("column {c}: "));
            let what =
                format!("{column}{what}; the line is not a record: remove it, then {remedy}");
            (None, 0, Some((Check::Records, what)))
        }
        Ok(record) => (
            Some(record.header.episode),
            record.header.trial,
            again(table, &record, text).err(),
        ),
    };
    Stored {
        number,
        episode,
        trial,
        wrong,
    }
}

/// The episode of a line that is exactly the one that the program writes when the policy of the plan plays it. Nothing
/// else is left to check then, and playing takes less time than reading a record.
fn written_alike(table: &EpisodeRunner<'_>, text: &[u8]) -> Option<u64> {
    let plan = table.plan;
    let AgentSpec::Policy(_) = &table.agent else {
        return None;
    };
    if plan.runs_programs() {
        // Their values are in the record, which has to be read for them.
        return None;
    }
    let episode = episode_in(text).filter(|episode| plan.holds(*episode))?;
    let case = table.case(episode).ok()?;
    let played = table.play(&*case, episode, false).ok()?;
    let line = serde_json::to_string(&played.record).ok()?;
    (line.as_bytes() == text).then_some(episode)
}

/// The number after the first `"episode":` of a line; a guess, which the comparison of the whole line confirms.
fn episode_in(text: &[u8]) -> Option<u64> {
    const KEY: &[u8] = b"\"episode\":";
    let key = text.windows(KEY.len()).position(|part| part == KEY)?;
    let rest = text.get(key + KEY.len()..)?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(rest.get(..digits)?).ok()?.parse().ok()
}

fn again(table: &EpisodeRunner<'_>, record: &EpisodeRecord, text: &[u8]) -> Result<(), Wrong> {
    let plan = table.plan;
    let index = record.header.episode;
    let of_the_set = |what: String| (Check::Records, what);
    if !plan.holds(index) {
        return Err(of_the_set(format!(
            "its episode is not in the plan: this is {}, of {} episodes in total",
            plan.shard,
            plan.total()
        )));
    }
    let case = table.case(index).map_err(|e| of_the_set(e.to_string()))?;
    let mut header = table.header(&*case, index);
    match &table.agent {
        // The digest of a script needs its file; without it, the record's own stands.
        AgentSpec::LostScript { .. } => header.settings = record.header.settings,
        // A server plays an episode as often as it is asked to.
        AgentSpec::Client | AgentSpec::Classroom => header.trial = record.header.trial,
        _ => {}
    }
    if let Some(what) = other_header(&record.header, &header) {
        return Err(of_the_set(format!(
            "its header differs from that of the plan: {what}"
        )));
    }
    let plays = matches!(table.agent, AgentSpec::Policy(_) | AgentSpec::Script { .. });
    let mut decided = None;
    if plays {
        match table.play_again(&*case, record) {
            // One comparison proves header, inputs, answers and score together. Only a record that differs is replayed
            // to find out which of them is wrong.
            Ok(played) if is_written(&played.record, text) => return Ok(()),
            Ok(played) => decided = Some(difference(record, &played.record)),
            Err(e) => decided = Some(e.to_string()),
        }
    }
    // The record differs from what the agent does; the replay shows whether it is a valid game.
    let of_the_replay = |what: String| (Check::Replay, what);
    let env = case.open().map_err(|e| of_the_replay(e.to_string()))?;
    let made = record.remake(env, plan.limits);
    let made = made.map_err(|e| of_the_replay(e.to_string()))?;
    // Unfinished games do not count: an agent could stop while its score is good and so raise its mean.
    if record.ending == Ending::Abandoned {
        let what = "the game was not played to its end; only finished games have a record";
        return Err(of_the_replay(what.to_owned()));
    }
    if !is_written(&made, text) {
        let what = "the line differs from the line that the program writes for this game";
        return Err(of_the_replay(what.to_owned()));
    }
    let asked = |entry: &sim_core::Entry| {
        entry.query != 0 || entry.dropped != 0 || !entry.causes.is_empty()
    };
    if !matches!(table.agent, AgentSpec::Model) && record.entries.iter().any(asked) {
        let what =
            "only records of models have `query`, `dropped` and `causes`, but no model played";
        return Err(of_the_replay(what.to_owned()));
    }
    if matches!(
        table.agent,
        AgentSpec::Client | AgentSpec::Classroom | AgentSpec::Human
    ) {
        let kind = table.source.kind();
        let differs = Others::differs(plan, kind, &*case, record);
        decided = differs.unwrap_or_else(|e| Some(e.to_string()));
    }
    match decided {
        None => Ok(()),
        Some(what) => Err((
            Check::Decisions,
            format!("{} decides differently: {what}", plan.cast()),
        )),
    }
}

/// Whether `text` equals what the program writes for `record`, apart from the order of keys.
fn is_written(record: &EpisodeRecord, text: &[u8]) -> bool {
    serde_json::to_string(record).is_ok_and(|line| line.as_bytes() == text)
        || canonical(text).is_some_and(|text| canonical_json(record).as_ref() == Ok(&text))
}

fn canonical(text: &[u8]) -> Option<String> {
    strict::json(text).ok().map(|value| canonical_text(&value))
}

/// The first place where the decisions in a record differ from those of its agent.
fn difference(record: &EpisodeRecord, played: &EpisodeRecord) -> String {
    let mut pairs = record.entries.iter().zip(&played.entries);
    let unlike = pairs.find(|(stored, made)| stored != made);
    match unlike {
        Some((stored, _)) => format!("first in period {}", stored.period.saturating_add(1)),
        None => format!(
            "{} inputs, not {}",
            played.entries.len(),
            record.entries.len()
        ),
    }
}

/// The fields in which a header differs from the one that the plan gives.
fn other_header(stored: &Header, planned: &Header) -> Option<String> {
    if stored == planned {
        return None;
    }
    let (stored, planned) = (serde_json::to_value(stored), serde_json::to_value(planned));
    Some(match (stored, planned) {
        (Ok(stored), Ok(planned)) => {
            differences(&stored, &planned, ["stored", "of the plan"]).join("; ")
        }
        (Err(e), _) | (_, Err(e)) => e.to_string(),
    })
}
