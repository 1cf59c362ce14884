//! Verifying a folder of episodes.

use super::TRIED;
use super::models;
use super::programs::{self, Programs};
use super::record::{Stored, judge};
use super::references;
use crate::engine::episode::EpisodeRunner;
use crate::error::RunError;
use crate::plan::Plan;
use crate::plan::agent::{AgentSpec, is_served};
use crate::plan::setting::Setting;
use crate::plan::source::InstanceSource;
use crate::registry::Registry;
use crate::run_dir::outcome::{Check, Verified};
use crate::run_dir::progress::Progress;
use crate::run_dir::{Folder, failures_in};
use crate::terminal::shell_path;
use std::collections::{BTreeMap, BTreeSet};

/// Checks the plan, the set of records, every record, the decisions and the references.
///
/// # Errors
/// When a file cannot be read, or the program was not given what the plan names.
pub(crate) fn verify(
    registry: &Registry,
    folder: &Folder,
    programs: Programs,
) -> Result<Verified, RunError> {
    let plan = &folder.manifest.plan;
    let mut found = Verified {
        records: folder.records()?,
        // A server opens games as long as clients ask for them.
        planned: plan.asked(),
        ..Verified::default()
    };
    let agent = AgentSpec::of_record(&plan.agent);
    let checked = agent.and_then(|agent| plan.check_for(registry, &agent).map(|()| agent));
    let agent = match checked {
        Ok(agent) => agent,
        // A company or questions that the command was not given are its error. As a finding they
        // would accuse the folder.
        Err(e) if e.is_missing() => return Err(e),
        Err(e) => {
            found.find(Check::Manifest, "manifest.json", e.to_string());
            found.leave(Check::Replay, "the records", "the plan cannot be played");
            return Ok(found);
        }
    };
    let kind = registry.kind(&plan.environment)?;
    // The name of a preset proves nothing of the settings: anyone can write it beside others.
    let setting = Setting::of(kind, plan);
    let words = setting.words();
    if setting.settings.is_empty() {
        found.prove(Check::Manifest, "the plan");
    } else {
        let what = format!("the plan, which is `{}` with {words}", setting.preset);
        found.prove(Check::Manifest, what);
    }
    let source = InstanceSource::of(kind, plan)?;
    given(plan, &source)?;
    let table = EpisodeRunner::with(plan, &source, agent)?;
    let remedy = folder.how_to_finish();
    let scanned = folder.scan_lines(|number, line| Ok(judge(&table, &remedy, (number, line))))?;
    found.torn = scanned.torn;
    let mut stored: BTreeSet<u64> = BTreeSet::new();
    let mut trials = BTreeSet::new();
    let mut order = Vec::new();
    for Stored {
        number,
        episode,
        trial,
        wrong,
    } in scanned.results
    {
        let of = episode.map_or_else(String::new, |episode| format!(" (episode {episode})"));
        let place = format!("episodes.jsonl line {number}{of}");
        if let Some((check, what)) = wrong {
            found.find(check, &*place, what);
        }
        let Some(episode) = episode.filter(|episode| plan.holds(*episode)) else {
            continue;
        };
        // Also for a second record of an episode: the order of the file is checked as it stands.
        order.push(episode);
        stored.insert(episode);
        if !trials.insert((episode, trial)) {
            let twice =
                "an earlier line is a record of the same episode: remove one of the two lines";
            found.find(Check::Records, place, twice);
        }
    }
    complete(&mut found, &table, folder, &stored)?;
    in_order(&mut found, folder, &table.agent, &order);
    if !found.failed(Check::Replay) && !order.is_empty() {
        found.prove(Check::Replay, "header, answers and score of every record");
    }
    if plan.runs_programs() {
        programs::check(&mut found, folder, &source, programs)?;
    }
    decisions(&mut found, folder, &table, &stored)?;
    let episodes: Vec<u64> = stored.into_iter().collect();
    references::check(&mut found, kind, &source, folder, &episodes)?;
    Ok(found)
}

/// Checks that the program has what the plan names, such as an imported company. What it lacks is an option of the
/// command and says nothing of the folder.
fn given(plan: &Plan, source: &InstanceSource<'_>) -> Result<(), RunError> {
    let first = plan.indices().next();
    let opened = first.map(|first| source.case(first).and_then(|case| Ok(case.open()?)));
    match opened {
        Some(Err(error)) if error.is_missing() => Err(error),
        _ => Ok(()),
    }
}

/// Whether this program alone plays: then the records are in the order of the plan.
fn is_ordered(plan: &Plan) -> bool {
    plan.agent != "human" && !is_served(&plan.agent)
}

/// Whether every episode of the plan is there; where some are not, whether a run that was cut off
/// leaves such a gap.
fn complete(
    found: &mut Verified,
    table: &EpisodeRunner<'_>,
    folder: &Folder,
    stored: &BTreeSet<u64>,
) -> Result<(), RunError> {
    let plan = table.plan;
    if is_ordered(plan) {
        gaps(found, table, folder, stored)?;
    }
    if plan.shard.count > 1 {
        let why = format!("this folder holds {}", plan.shard);
        found.leave(Check::Records, "the other shards", why);
    }
    if found.planned.is_some() {
        found.claim_records();
    } else if !found.failed(Check::Records) {
        let why = "clients play as many games as they like";
        found.leave(Check::Records, "that no game is missing", why);
    }
    Ok(())
}

/// Checks each episode without a record that comes before one with a record: records are written in
/// order, so the episode failed, or its record was removed.
fn gaps(
    found: &mut Verified,
    table: &EpisodeRunner<'_>,
    folder: &Folder,
    stored: &BTreeSet<u64>,
) -> Result<(), RunError> {
    let plan = table.plan;
    let planned = plan.in_order();
    let last = planned.iter().rposition(|k| stored.contains(k));
    let before = last.into_iter().flat_map(|last| planned.iter().take(last));
    let mut tried = 0;
    // What a stopped run of a model leaves: the beginning of the episode, or the reason.
    let mut begun = BTreeSet::new();
    if plan.asks_models() {
        begun = Progress::kept_in(folder.path())?;
        let failed = failures_in(folder.path())?.into_iter();
        begun.extend(failed.filter_map(|failure| failure.unit.parse::<u64>().ok()));
    }
    // Streams of which an episode failed or was interrupted: the later ones were not begun, while
    // other streams went on.
    let mut cut = BTreeSet::new();
    for episode in before.filter(|k| !stored.contains(k)) {
        tried += 1;
        if tried > TRIED {
            let why = format!("only the first {TRIED} were checked");
            found.leave(Check::Records, "the remaining gaps", why);
            break;
        }
        // A policy fails deterministically, so playing the episode tells whether it could have a record. A model
        // cannot be asked again; there the traces of a stopped run are the evidence.
        let taken_out = match &table.agent {
            // A program that cannot be run here says nothing of the machine that played.
            AgentSpec::Policy(_) if plan.runs_programs() => false,
            AgentSpec::Policy(_) | AgentSpec::Script { .. } => {
                let case = table.case(*episode);
                case.is_ok_and(|case| table.play(&*case, *episode, false).is_ok())
            }
            AgentSpec::Model => {
                let stream = plan.stream(*episode);
                let stopped = stream.is_some_and(|stream| cut.contains(&stream));
                if begun.contains(episode) {
                    cut.extend(stream);
                }
                !begun.contains(episode) && !stopped
            }
            AgentSpec::LostScript { .. }
            | AgentSpec::Own { .. }
            | AgentSpec::Python
            | AgentSpec::Human
            | AgentSpec::Client
            | AgentSpec::Classroom => false,
        };
        if taken_out {
            // A method that learns cannot play an episode before those that it has already learnt from.
            let what = if plan.stream(*episode).is_some() {
                "it has no record, but later episodes of its stream have: its record was removed; play the run \
                 again in another folder"
                    .to_owned()
            } else {
                format!(
                    "it has no record, but later episodes have: its record was removed, or it was not \
                     played yet (`boardroom resume {}` plays it)",
                    shell_path(folder.path())
                )
            };
            found.find(Check::Records, format!("episode {episode}"), what);
        }
    }
    Ok(())
}

/// The first line, from 0, whose episode its stream met before that of an earlier line: a stream begins an episode
/// only when the one before it has its record.
fn behind_its_row(plan: &Plan, order: &[u64]) -> Option<usize> {
    plan.streams?;
    let mut places = BTreeMap::new();
    for row in plan.rows() {
        let met = row.episodes.into_iter().enumerate();
        places.extend(met.map(|(place, index)| (index, (row.number, place))));
    }
    let mut last: BTreeMap<u64, usize> = BTreeMap::new();
    order.iter().position(|index| {
        let Some((row, place)) = places.get(index) else {
            return false;
        };
        let before = last.insert(*row, *place);
        before.is_some_and(|before| before > *place)
    })
}

/// Whether the records of a whole run stand in the order of its plan.
fn in_order(found: &mut Verified, folder: &Folder, agent: &AgentSpec, order: &[u64]) {
    let plan = &folder.manifest.plan;
    if !is_ordered(plan) {
        if order.len() > 1 {
            let why = "games are stored in the order in which they ended";
            found.leave(Check::Order, "the order of records", why);
        }
        return;
    }
    if let Some(line) = behind_its_row(plan, order) {
        let place = format!("{} line {}", Plan::RECORDS, line + 1);
        let what = "comes earlier in its stream than a record before it";
        return found.find(Check::Order, place, what);
    }
    let planned = plan.in_order().into_iter().zip(0_u64..);
    let places: BTreeMap<u64, u64> = planned.collect();
    let places: Vec<_> = order.iter().map(|episode| places.get(episode)).collect();
    // A policy or a script fails at an episode either always or never, so `resume` never adds a record late.
    let may_fail =
        !matches!(agent, AgentSpec::Policy(_) | AgentSpec::Script { .. }) || plan.runs_programs();
    found.claim_order(folder, &places, may_fail);
}

/// Checks that the inputs are those that the agent chooses, as far as this can be known.
fn decisions(
    found: &mut Verified,
    folder: &Folder,
    table: &EpisodeRunner<'_>,
    stored: &BTreeSet<u64>,
) -> Result<(), RunError> {
    let plan = table.plan;
    let proven = match &table.agent {
        AgentSpec::Policy(_) => format!("the decisions of {}", plan.cast()),
        AgentSpec::Script { .. } => format!("the inputs of {}", plan.agent),
        AgentSpec::LostScript { why, .. } => {
            let why = format!("its file: {why}");
            found.leave(Check::Decisions, "the inputs of a script", why);
            return Ok(());
        }
        agent @ (AgentSpec::Human | AgentSpec::Client | AgentSpec::Classroom) => {
            let whose = match agent {
                AgentSpec::Human => "a person",
                AgentSpec::Client => "MCP clients",
                _ => "a classroom",
            };
            let what = format!("the decisions of {whose}");
            found.leave(Check::Decisions, what, "no program can derive them");
            return others(found, table, stored);
        }
        AgentSpec::Own { name, .. } => {
            let what = format!("the decisions of `{name}`");
            let why = "only the program that ran it has this agent";
            found.leave(Check::Decisions, what, why);
            return Ok(());
        }
        // It plays no seat under test.
        AgentSpec::Python => return Ok(()),
        AgentSpec::Model => {
            return models::verify(table, folder, found);
        }
    };
    if !found.failed(Check::Decisions) && !stored.is_empty() {
        found.prove(Check::Decisions, proven);
    }
    Ok(())
}

/// Says that the decisions of the policies beside people and clients are proven, if there are such policies.
fn others(
    found: &mut Verified,
    table: &EpisodeRunner<'_>,
    stored: &BTreeSet<u64>,
) -> Result<(), RunError> {
    let Some(first) = stored.first().filter(|_| !found.failed(Check::Decisions)) else {
        return Ok(());
    };
    let seats = table.case(*first)?.open()?.seats();
    let cast = table.plan.cast_beside(table.source.kind(), &seats);
    if !cast.is_empty() {
        found.prove(Check::Decisions, format!("the decisions of {cast}"));
    }
    Ok(())
}
