//! The runs below a folder, one line each: what they are, how far they came, what they scored.

use crate::runs::walk::find_runs;
use crate::text_table::TextTable;
use run_engine::clock::day_of;
use run_engine::error::RunError;
use run_engine::files::lock;
use run_engine::plan::Plan;
use run_engine::plan::agent::is_served;
use run_engine::plan::setting::Setting;
use run_engine::registry::Registry;
use run_engine::run_dir::members::SWEEP;
use run_engine::run_dir::{Folder, manifest};
use run_engine::terminal::{shell_path, shown_name, shown_path};
use run_engine::words::fine;
use serde::Serialize;
use sim_core::error::one_line;
use std::path::{Path, PathBuf};

/// How far a run came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum RunStatus {
    /// Every unit has a record.
    Finished,
    /// Units have no record, and `resume` does them; or it is not stated how many units there are.
    Unfinished,
    /// Games of a person, of a class or of MCP clients, which `resume` does not play.
    Open,
    /// A process is writing it.
    Running,
    /// Its files cannot be read, or hold a record twice or more records than were planned.
    #[default]
    Unreadable,
}

impl RunStatus {
    /// The status of a run with `records` of `planned` records; `planned` is `None` if the folder states no number.
    /// `is_open` says that `resume` does not play the missing ones, and `is_running` that a process is writing the
    /// folder ([`lock::is_being_written`]).
    #[must_use]
    pub fn of(records: u64, planned: Option<u64>, is_open: bool, is_running: bool) -> Self {
        match planned {
            _ if is_running => Self::Running,
            Some(planned) if records > planned => Self::Unreadable,
            _ if is_open => Self::Open,
            Some(planned) if records == planned => Self::Finished,
            _ => Self::Unfinished,
        }
    }
}

/// Whether a run with `plan` and `records` records has or will have games that `resume` does not play: games of clients
/// or a class, and games of a person, which `play` continues.
#[must_use]
pub fn is_open(plan: &Plan, records: u64) -> bool {
    let is_person = ["human", "own:"]
        .iter()
        .any(|name| plan.agent.starts_with(name));
    let is_missing = || plan.asked().is_some_and(|planned| records < planned);
    is_served(&plan.agent) || (is_person && is_missing())
}

/// A run below a folder.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct RunEntry {
    /// Its folder.
    pub folder: PathBuf,
    /// How far it came.
    pub status: RunStatus,
    /// Environment; absent if it cannot be read.
    pub environment: Option<String>,
    /// Preset with the settings that are not its own, likewise.
    pub preset: Option<String>,
    /// Who played, likewise.
    pub agent: Option<String>,
    /// Method of its model, where one is asked.
    pub method: Option<String>,
    /// Number of records; absent if it cannot be read. Of a run that is being written it is known after
    /// [`lock::read_running`].
    pub records: Option<u64>,
    /// Number of units that the folder is to hold; absent where no number is stated.
    pub planned: Option<u64>,
    /// Mean score of the records; absent where none has a score.
    pub score: Option<f64>,
    /// Start of the run \[seconds since 1970-01-01 UTC\].
    pub started_unix: Option<u64>,
    /// Why it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The runs below `home`, the newest first.
///
/// # Errors
/// When `home` does not exist or a folder cannot be listed. A run that cannot be read is listed as such.
pub fn list_runs(home: &Path, environments: &Registry) -> Result<Vec<RunEntry>, RunError> {
    let found = find_runs(&[home.to_owned()])?;
    let entries = found.runs.iter().map(|path| entry(path, environments));
    let mut all: Vec<RunEntry> = entries.collect();
    // Runs of one second keep the order of their names.
    all.sort_by_key(|entry| std::cmp::Reverse(entry.started_unix));
    Ok(all)
}

/// The newest run below `home` that [`resume`](RunStatus::Unfinished) can finish; where it belongs to a
/// sweep, the folder of the sweep.
///
/// # Errors
/// As [`list_runs`].
pub fn newest_unfinished(
    home: &Path,
    environments: &Registry,
) -> Result<Option<PathBuf>, RunError> {
    let all = list_runs(home, environments)?.into_iter();
    let mut unfinished = all.filter(|entry| entry.status == RunStatus::Unfinished);
    Ok(unfinished.next().map(|entry| {
        // The sweep as a whole: it also begins the members that have no folder yet.
        let sweep = entry
            .folder
            .parent()
            .filter(|above| above.join(SWEEP).exists());
        sweep.map_or_else(|| entry.folder.clone(), Path::to_owned)
    }))
}

/// The runs as a table.
#[must_use]
pub fn table(runs: &[RunEntry]) -> String {
    let columns = ["run", "started", "status", "episodes", "score", "what"];
    let rows = runs.iter().map(|run| {
        let parts = [&run.environment, &run.preset, &run.agent];
        let parts: Vec<&str> = parts
            .into_iter()
            .filter_map(|part| part.as_deref())
            .collect();
        let episodes = match (run.records, run.planned) {
            (Some(records), Some(planned)) => format!("{records} of {planned}"),
            (Some(records), None) => records.to_string(),
            (None, _) => String::new(),
        };
        // Names of many tasks fill lines; `--json` has all of them.
        let method = run.method.as_ref();
        let method = method.map_or_else(String::new, |name| format!(", method {name}"));
        let what = match &run.error {
            Some(error) => one_line(&shown_name(error), 200),
            None => one_line(&shown_name(&(parts.join(" ") + &method)), 80),
        };
        vec![
            shown_path(&run.folder),
            run.started_unix.map_or_else(String::new, day_of),
            run.status.to_string(),
            episodes,
            run.score.map_or_else(String::new, fine),
            what,
        ]
    });
    TextTable::new("", columns, rows).ending_in_words().text()
}

fn entry(path: &Path, environments: &Registry) -> RunEntry {
    // Read by itself, so that a run that cannot be read has its date all the same.
    let begun = manifest::value(path).ok();
    let entry = RunEntry {
        folder: path.to_owned(),
        started_unix: begun.and_then(|value| value.get("started_unix")?.as_u64()),
        ..RunEntry::default()
    };
    // Asked before the records are read. A run that ends in between is then shown as running, which
    // is past; asked afterwards it would be shown as unfinished, which is wrong.
    let is_running = lock::is_being_written(path);
    match read(entry.clone(), environments) {
        Ok((read, is_open)) => RunEntry {
            status: RunStatus::of(
                read.records.unwrap_or_default(),
                read.planned,
                is_open,
                is_running,
            ),
            ..read
        },
        Err(RunError::Busy(_)) => RunEntry {
            status: RunStatus::Running,
            ..entry
        },
        Err(e) => RunEntry {
            error: Some(e.to_string()),
            ..entry
        },
    }
}

/// `entry` with what its folder says, and whether `resume` does not play what is missing.
fn read(entry: RunEntry, environments: &Registry) -> Result<(RunEntry, bool), RunError> {
    let path = &entry.folder;
    let folder = Folder::read(path)?;
    let plan = folder.plan();
    let rows = folder.scan(|record| {
        let (header, score) = (record.header, record.score);
        let value = score.is_scored().then(|| score.value());
        Ok(((header.episode, header.trial), value))
    })?;
    let (mut places, scores): (Vec<(u64, u32)>, Vec<Option<f64>>) =
        rows.results.into_iter().unzip();
    let records = scores.len() as u64;
    let scores: Vec<f64> = scores.into_iter().flatten().collect();
    if let Some(episode) = first_repeated(&mut places) {
        let fault = format!("episode {episode} has two records");
        return Err(damaged(path, &fault));
    }
    let planned = plan.asked();
    if let Some(planned) = planned.filter(|planned| records > *planned) {
        let fault = format!("it holds {records} records, and {planned} were planned");
        return Err(damaged(path, &fault));
    }
    let entry = RunEntry {
        environment: Some(plan.environment.clone()),
        preset: Some(Setting::shown(environments, plan)),
        agent: Some(plan.cast()),
        method: plan.method(),
        records: Some(records),
        planned,
        score: sim_core::stats::mean(&scores),
        ..entry
    };
    Ok((entry, is_open(plan, records)))
}

fn damaged(path: &Path, fault: &str) -> RunError {
    let dir = shell_path(path);
    RunError::usage(format!("{fault}; `boardroom verify {dir}` names the lines"))
}

/// The first episode that occurs twice among `places` (episode and repetition), which are sorted for that.
fn first_repeated(places: &mut [(u64, u32)]) -> Option<u64> {
    // Records of a whole run are in order already.
    if !places.is_sorted() {
        places.sort_unstable();
    }
    let mut pairs = places.windows(2);
    pairs.find_map(|pair| match pair {
        [one, other] if one == other => Some(one.0),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::RunStatus::{self, Finished, Open, Running, Unfinished, Unreadable};

    #[test]
    fn a_run_is_finished_only_if_it_is_known_how_many_units_it_has() {
        for (records, planned, [is_open, is_running], status) in [
            (4, Some(4), [false, false], Finished),
            (3, Some(4), [false, false], Unfinished),
            (5, Some(4), [false, false], Unreadable),
            (0, None, [false, false], Unfinished),
            (4, None, [false, false], Unfinished),
            (4, None, [true, false], Open),
            (4, Some(4), [false, true], Running),
        ] {
            let found = RunStatus::of(records, planned, is_open, is_running);
            assert_eq!(found, status, "{records} {planned:?}");
        }
    }
}
