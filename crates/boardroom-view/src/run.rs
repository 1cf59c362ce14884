//! What lists need of a run: its plan, and a few numbers of each record.

use crate::calls::CallIndex;
use crate::lines::{self, LineAt};
use run_engine::error::RunError;
use run_engine::files::lock;
use run_engine::files::run_file;
use run_engine::files::store::{CALLS, TIMES};
use run_engine::plan::Plan;
use run_engine::plan::setting::Setting;
use run_engine::registry::Registry;
use run_engine::run_dir::stamp::VerifyStatus;
use run_engine::run_dir::{failures_in, manifest, record_of};
use run_report::listing::{RunStatus, is_open};
use sim_core::{Causes, Digest};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// A run folder, as far as it was read.
#[derive(Debug, Clone)]
pub(crate) struct RunView {
    pub(crate) id: String,
    /// The folder below the directory that is shown.
    pub(crate) place: String,
    pub(crate) dir: PathBuf,
    pub(crate) about: Arc<About>,
    /// Shared by all copies, of which every page makes one: a run may have a million records.
    pub(crate) records: Arc<Vec<RecordView>>,
    pub(crate) calls: Arc<CallIndex>,
    pub(crate) verified: String,
    /// The files as they were when `verified` was found.
    verified_files: Option<Arc<Vec<FileState>>>,
    /// The manifest as it was when `about` was read: a finished run may get more records.
    manifest: Arc<FileState>,
    pub(crate) status: RunStatus,
    /// The mean distance to the reference, once it is computed.
    pub(crate) gap: Gap,
    read_to: u64,
    call_length: u64,
}

/// What the manifest says.
#[derive(Debug)]
pub(crate) struct About {
    /// The plan.
    pub(crate) plan: Plan,
    pub(crate) preset: String,
    /// Digest of the configuration, made once because every page asks for it.
    config: Option<Digest>,
    pub(crate) agent: String,
    pub(crate) method: String,
    /// Number of planned records; absent if none is stated.
    pub(crate) total: Option<u64>,
    pub(crate) started_unix: u64,
    /// What the servers of its models refused, in one line each.
    pub(crate) refusals: Vec<String>,
}

/// The mean distance of the scores to the reference.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Gap {
    /// It has not been computed for the records that there are.
    Open,
    /// Mean regret, and the normalised score where there is a baseline.
    Known(f64, Option<f64>),
    /// There is none, for this reason.
    None(String),
}

/// A record in a list.
#[derive(Debug, Clone)]
pub(crate) struct RecordView {
    pub(crate) at: LineAt,
    /// Number of the episode, with the number of the trial if it is not the first.
    pub(crate) name: String,
    pub(crate) episode: u64,
    /// Digest of the instance.
    pub(crate) instance: String,
    pub(crate) trial: u32,
    pub(crate) score: Option<f64>,
    /// Inputs of an episode.
    pub(crate) inputs: u64,
    pub(crate) forfeits: u64,
    /// Causes of the agent's replies.
    pub(crate) causes: Causes,
    /// Causes of the replies of a judge, an interviewer and others, by role.
    pub(crate) others: BTreeMap<String, Causes>,
    pub(crate) ending: String,
    /// Unit of work of its calls.
    pub(crate) unit: String,
}

impl RecordView {
    fn read(at: LineAt, line: &[u8]) -> Option<Self> {
        let record = record_of(line).ok()?;
        let tally = record.tally();
        let (header, score) = (record.header, record.score);
        let trial = header.trial;
        let mut name = header.episode.to_string();
        // The teams of a class play the trials of one episode.
        let unit = if header.agent == "classroom" {
            format!("classroom/team{}", trial.saturating_add(1))
        } else {
            format!("episode/-{name}")
        };
        if trial > 0 {
            name = format!("{name}, trial {trial}");
        }
        let others = tally.causes_of_others.into_iter();
        Some(Self {
            at,
            name,
            episode: header.episode,
            instance: header.instance.to_string(),
            trial,
            score: score.is_scored().then(|| score.value()),
            inputs: record.entries.len() as u64,
            forfeits: u64::from(tally.forfeits),
            causes: tally.causes,
            others: others
                .map(|(role, causes)| (role.to_owned(), causes))
                .collect(),
            ending: record.ending.to_string().replace('_', " "),
            unit,
        })
    }
}

/// A file, with its length and the time of its last change if it is there.
#[derive(Debug, PartialEq)]
struct FileState(PathBuf, Option<(u64, Option<SystemTime>)>);

impl FileState {
    fn of(path: PathBuf) -> Self {
        let about = run_file::about(&path);
        let state = about.map(|about| (about.len(), about.modified().ok()));
        Self(path, state)
    }
}

impl About {
    fn read(dir: &Path) -> Result<Self, RunError> {
        let manifest = manifest::read(dir, manifest::value(dir)?)?;
        let refusals = manifest.refusals();
        let mut plan = manifest.plan;
        plan.attach(dir);
        let model = plan.model.as_ref();
        Ok(Self {
            preset: plan.preset.clone(),
            config: Digest::of(&plan.config).ok(),
            agent: plan.cast(),
            method: model.map_or_else(String::new, |model| model.method.name.clone()),
            total: plan.asked(),
            started_unix: manifest.started_unix,
            refusals,
            plan,
        })
    }
}

impl RunView {
    /// Reads the run in `dir`, which is at `place` below the directory that is shown.
    pub(crate) fn read(dir: &Path, place: &str) -> Result<Self, RunError> {
        // Take the file state before the manifest is read, so that a change in between is noticed the next time.
        let manifest = Arc::new(FileState::of(dir.join(manifest::MANIFEST)));
        let mut view = Self {
            id: crate::name::id(place),
            place: place.to_owned(),
            dir: dir.to_owned(),
            about: Arc::new(About::read(dir)?),
            records: Arc::default(),
            calls: Arc::default(),
            verified: String::new(),
            verified_files: None,
            manifest,
            status: RunStatus::Unfinished,
            gap: Gap::Open,
            read_to: 0,
            call_length: 0,
        };
        view.refresh()?;
        Ok(view)
    }

    /// The same run, whose preset is named with the settings that are not those of the preset.
    pub(crate) fn with_preset(mut self, environments: &Registry) -> Self {
        let preset = Setting::shown(environments, &self.about.plan);
        // Only here: copies of the view share `about` later on.
        if let Some(about) = Arc::get_mut(&mut self.about) {
            about.preset = preset;
        }
        self
    }

    /// Path of the record file.
    pub(crate) fn record_file(&self) -> PathBuf {
        self.dir.join(Plan::RECORDS)
    }

    /// Whether the manifest has changed since it was read.
    pub(crate) fn is_other_run(&self) -> bool {
        *self.manifest != FileState::of(self.dir.join(manifest::MANIFEST))
    }

    /// Reads what was added to the records since the last call; gives whether anything changed.
    pub(crate) fn refresh(&mut self) -> Result<bool, RunError> {
        let path = self.record_file();
        let length = lines::length(&path);
        let before = (self.status, self.records.len(), self.verified.clone());
        // A shorter file was written anew: the places of its lines are no longer those known.
        if length < self.read_to {
            (self.records, self.read_to) = (Arc::default(), 0);
        }
        if length > self.read_to {
            let (mut found, from) = (Vec::new(), self.read_to);
            let end = lines::each(&path, from, |at, line| {
                // A line that is not a record is passed over: `verify` names it, and the page goes
                // on.
                found.extend(RecordView::read(at, line));
            });
            self.read_to = end.map_err(RunError::file(&path))?;
            // Copies of a view share the list until it grows: a page in progress keeps the one that
            // it began with.
            Arc::make_mut(&mut self.records).extend(found);
            // A gap is that of all records, so new ones mean a new one.
            self.gap = Gap::Open;
        }
        self.refresh_verified();
        self.status = self.status_now();
        // The lengths of both: a time is written after its call, and a page shows both.
        let calls = lines::length(&self.dir.join(CALLS)) + lines::length(&self.dir.join(TIMES));
        let grown = std::mem::replace(&mut self.call_length, calls) != calls;
        Ok(grown || before != (self.status, self.records.len(), self.verified.clone()))
    }

    /// Reads what was added to the calls, which can be much longer than the records.
    pub(crate) fn refresh_calls(&mut self) -> Result<(), RunError> {
        // A policy asks nobody: a file of calls in its folder is not part of the run.
        let plan = &self.about.plan;
        let asks_nobody = !plan.asks_models() && plan.agent != "classroom";
        if asks_nobody || self.calls.is_current(&self.dir) {
            return Ok(());
        }
        let calls = Arc::make_mut(&mut self.calls);
        calls.refresh(&self.dir).map_err(RunError::file(&self.dir))
    }

    /// Finds out whether the folder matches its stamp, if one of the files involved has changed: that reads
    /// all of them.
    fn refresh_verified(&mut self) {
        // Taken before they are read: what changes in between is noticed the next time.
        let files = VerifyStatus::files(&self.dir).map(|files| {
            let states = files.into_iter().map(FileState::of);
            states.collect::<Vec<_>>()
        });
        if let (Ok(files), Some(before)) = (&files, &self.verified_files)
            && *files == **before
        {
            return;
        }
        let verified = VerifyStatus::of_all(std::iter::once(self.dir.as_path()));
        self.verified = verified.map_or_else(|e| e.to_string(), |status| status.to_string());
        self.verified_files = files.ok().map(Arc::new);
    }

    /// The status, as `boardroom runs` shows it.
    fn status_now(&self) -> RunStatus {
        let records = self.records.len() as u64;
        let is_open = is_open(&self.about.plan, records);
        let is_running = lock::is_being_written(&self.dir);
        RunStatus::of(records, self.about.total, is_open, is_running)
    }

    /// Causes of the agent's replies in all records and of its failures, and the causes of the other roles by role.
    ///
    /// # Errors
    /// When the list of failures cannot be read.
    pub(crate) fn causes(&self) -> Result<(Causes, BTreeMap<String, Causes>), RunError> {
        let (mut sum, mut others) = (Causes::default(), BTreeMap::<String, Causes>::new());
        for record in self.records.iter() {
            sum.add(&record.causes);
            for (role, causes) in &record.others {
                others.entry(role.clone()).or_default().add(causes);
            }
        }
        for failure in failures_in(&self.dir)? {
            failure.count(&mut sum, &mut others);
        }
        Ok((sum, others))
    }

    /// Mean score of the records that have one.
    pub(crate) fn mean(&self) -> Option<f64> {
        let scores: Vec<f64> = self.records.iter().filter_map(|r| r.score).collect();
        sim_core::stats::mean(&scores)
    }

    /// What the runs of one task have in common.
    pub(crate) fn task(&self) -> (&str, &str, Option<Digest>) {
        let about = &self.about;
        (&about.plan.environment, &about.preset, about.config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::{
        Ending, Entry, EpisodeRecord, Header, Incident, Input, Score, Seed, Stored as _, UNSCORED,
    };

    const AT: LineAt = LineAt {
        offset: 0,
        length: 1,
    };

    fn line(agent: &str, trial: u32, score: Score) -> Vec<u8> {
        let digest = Digest::of_bytes(b"");
        let header = Header {
            trial,
            ..Header::new("game", 1, digest, digest, Seed(0), 5, agent)
        };
        let entry = |input| Entry {
            period: 0,
            seat: None,
            input,
            action: None,
            reply: String::new(),
            query: 0,
            dropped: 0,
            causes: Causes::default(),
        };
        let entries = [Input::Act(1.into()), Input::Forfeit, Input::Restart];
        let record = EpisodeRecord {
            schema: EpisodeRecord::SCHEMA,
            header,
            entries: entries.map(entry).to_vec(),
            ending: Ending::Complete,
            score,
            digest,
        };
        serde_json::to_vec(&record).unwrap()
    }

    #[test]
    fn forfeits_are_told_from_other_inputs() {
        let record = RecordView::read(AT, &line("model", 0, Score::new(-2.5).unwrap())).unwrap();
        assert_eq!((record.inputs, record.forfeits), (3, 1));
        assert_eq!((record.score, record.episode), (Some(-2.5), 5));
        assert_eq!((&*record.name, &*record.unit), ("5", "episode/-5"));
        assert!(RecordView::read(AT, b"{\"header\":{}}").is_none());
    }

    #[test]
    fn an_episode_without_a_score_shows_none() {
        let incident = Incident {
            code: UNSCORED.to_owned(),
            period: 0,
            note: "no judge".to_owned(),
        };
        let score = Score::new(0.0).unwrap().incidents([incident]);
        let record = RecordView::read(AT, &line("model", 0, score)).unwrap();
        assert_eq!(record.score, None);
    }

    #[test]
    fn trials_have_names_of_their_own_and_a_team_has_the_calls_of_its_models() {
        let of = |agent: &str, trial: u32| {
            let record =
                RecordView::read(AT, &line(agent, trial, Score::new(0.0).unwrap())).unwrap();
            (record.name, record.unit)
        };
        let pair = |name: &str, unit: &str| (name.to_owned(), unit.to_owned());
        assert_eq!(of("classroom", 0), pair("5", "classroom/team1"));
        assert_eq!(of("classroom", 2), pair("5, trial 2", "classroom/team3"));
        assert_eq!(of("mcp", 1), pair("5, trial 1", "episode/-5"));
    }
}
