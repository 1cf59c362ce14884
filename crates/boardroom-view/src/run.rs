//! What lists need of a run: its plan, and a few numbers of each record.

use crate::calls::CallIndex;
use crate::lines::{self, LineAt};
use agent_client::meter::Used;
use qa_runner::interview::plan::InterviewPlan;
use qa_runner::labels::Labels;
use qa_runner::qa::plan::QaPlan;
use run_engine::registry::Registry;
use run_engine::error::RunError;
use run_engine::files::lock;
use run_engine::files::run_file;
use run_engine::files::store::{CALLS, TIMES};
use run_engine::plan::Plan;
use run_engine::plan::setting::Setting;
use run_engine::run_dir::stamp::VerifyStatus;
use run_engine::run_dir::{Manifest, RunPlan, failures_in, manifest, refusals};
use run_report::listing::{RunStatus, is_open, planned};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use sim_core::{Causes, Digest, Stored as _};
use std::collections::BTreeMap;
use std::fmt;
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
    /// Shared by all copies, of which every page makes one.
    pub(crate) records: Arc<Vec<RecordView>>,
    pub(crate) calls: Arc<CallIndex>,
    pub(crate) verified: String,
    /// The files as they were when `verified` was found.
    checked: Option<Arc<Vec<FileState>>>,
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
    /// The plan of a run of episodes; `None` for questions and interviews.
    pub(crate) plan: Option<Plan>,
    /// Name of the environment, or of the kind of items.
    pub(crate) environment: String,
    pub(crate) preset: String,
    pub(crate) agent: String,
    pub(crate) method: String,
    /// Number of planned records; absent if none is stated.
    pub(crate) total: Option<u64>,
    pub(crate) started_unix: u64,
    /// Capability and difficulty of questions, where the run was routed by them.
    pub(crate) labels: Labels,
    records: &'static str,
    /// What a record is about: an episode, a question or an interview.
    unit: &'static str,
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
    /// Number of the episode, or name of the item; with the number of the trial if it is not the first.
    pub(crate) name: String,
    pub(crate) episode: Option<u64>,
    /// Digest of the instance or item.
    pub(crate) instance: String,
    pub(crate) trial: u64,
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

#[derive(Deserialize)]
struct Slim {
    header: SlimHeader,
    #[serde(default)]
    entries: Entries,
    #[serde(default)]
    ending: String,
    #[serde(default)]
    score: Option<SlimScore>,
    #[serde(default)]
    grade: Option<SlimGrade>,
    #[serde(default)]
    interview: Option<SlimInterview>,
    /// Usage of models; present in records of questions and interviews.
    #[serde(default)]
    used: Option<Used>,
}

#[derive(Deserialize)]
struct SlimHeader {
    #[serde(default)]
    episode: Option<u64>,
    #[serde(default)]
    instance: Option<String>,
    #[serde(default)]
    digest: Option<String>,
    #[serde(default)]
    item: Option<String>,
    #[serde(default)]
    set: String,
    #[serde(default)]
    stream: Option<u64>,
    #[serde(default)]
    place: Option<u64>,
    #[serde(default)]
    trial: u64,
    #[serde(default)]
    agent: String,
}

#[derive(Deserialize)]
struct SlimScore {
    value: f64,
}

#[derive(Deserialize)]
struct SlimGrade {
    #[serde(default)]
    score: Option<f64>,
}

#[derive(Deserialize)]
struct SlimInterview {
    #[serde(default)]
    panel: Option<SlimPanel>,
    #[serde(default)]
    ended: String,
}

#[derive(Deserialize)]
struct SlimPanel {
    #[serde(default)]
    scores: Option<SlimMarks>,
}

#[derive(Deserialize)]
struct SlimMarks {
    overall: f64,
}

/// Counts of the entries of a record, which are not kept.
#[derive(Default)]
struct Entries {
    inputs: u64,
    forfeits: u64,
    causes: Causes,
}

#[derive(Deserialize)]
struct SlimEntry {
    input: IsForfeit,
    #[serde(default)]
    causes: Causes,
}

struct IsForfeit(bool);

impl<'de> Deserialize<'de> for IsForfeit {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct See;
        impl<'de> Visitor<'de> for See {
            type Value = IsForfeit;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an input")
            }
            fn visit_str<E>(self, text: &str) -> Result<IsForfeit, E> {
                Ok(IsForfeit(text == "forfeit"))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<IsForfeit, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(IsForfeit(false))
            }
        }
        from.deserialize_any(See)
    }
}

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct See;
        impl<'de> Visitor<'de> for See {
            type Value = Entries;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of entries")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Entries, A::Error> {
                let mut counts = Entries::default();
                while let Some(entry) = list.next_element::<SlimEntry>()? {
                    counts.inputs += 1;
                    counts.forfeits += u64::from(entry.input.0);
                    counts.causes.add(&entry.causes);
                }
                Ok(counts)
            }
        }
        from.deserialize_seq(See)
    }
}

impl RecordView {
    fn read(at: LineAt, line: &[u8]) -> Option<Self> {
        let slim: Slim = serde_json::from_slice(line).ok()?;
        let header = slim.header;
        let number = |n: Option<u64>| n.unwrap_or_default();
        let trial = header.trial;
        let (mut name, unit) = match (header.item, header.episode) {
            (Some(item), _) => {
                let (set, stream) = (&header.set, number(header.stream));
                let place = number(header.place);
                (item, format!("{set}{stream}/trial{trial}/place{place}"))
            }
            // The teams of a class play the trials of one episode.
            (None, Some(episode)) if header.agent == "classroom" => {
                let team = trial.saturating_add(1);
                (episode.to_string(), format!("classroom/team{team}"))
            }
            (None, Some(episode)) => (episode.to_string(), format!("episode/-{episode}")),
            (None, None) => return None,
        };
        if trial > 0 {
            name = format!("{name}, trial {trial}");
        }
        let interview = slim.interview;
        let marks = interview
            .as_ref()
            .and_then(|i| i.panel.as_ref()?.scores.as_ref());
        let overall = marks.map(|marks| marks.overall);
        let graded = slim.grade.and_then(|grade| grade.score);
        let used = slim.used.as_ref();
        let of_item = used.map(Used::causes);
        let others = used.into_iter().flat_map(Used::others);
        let others = others.map(|(role, causes)| (role.name().to_owned(), causes.clone()));
        let ended = interview.map(|interview| interview.ended);
        Some(Self {
            at,
            name,
            episode: header.episode,
            instance: header.instance.or(header.digest).unwrap_or_default(),
            trial,
            score: slim.score.map(|score| score.value).or(graded).or(overall),
            inputs: slim.entries.inputs,
            forfeits: slim.entries.forfeits,
            causes: of_item.unwrap_or(slim.entries.causes),
            others: others.collect(),
            ending: ended.unwrap_or(slim.ending).replace('_', " "),
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
        let value = manifest::value(dir)?;
        let started_unix = value.get("started_unix").and_then(Value::as_u64);
        let started_unix = started_unix.unwrap_or_default();
        let learnt = value.get("learnt").map(BTreeMap::deserialize);
        let learnt = learnt
            .transpose()
            .map_err(|e| RunError::usage(format!("the manifest, `learnt`: {e}")))?;
        let refusals = refusals(&learnt.unwrap_or_default());
        if manifest::kind(&value) == Some(Plan::KEY) {
            let read = Manifest::read(value);
            let plan = read.map_err(|e| RunError::usage(e.to_string()))?.plan;
            let method = plan.model.as_ref().and_then(|model| {
                let model = serde_json::to_value(model).ok()?;
                let name = model.pointer("/method/name")?.as_str()?.to_owned();
                Some(name)
            });
            return Ok(Self {
                environment: plan.environment.clone(),
                preset: plan.preset.clone(),
                agent: plan.cast(),
                method: method.unwrap_or_default(),
                total: planned(&plan),
                started_unix,
                labels: Labels::new(),
                records: Plan::RECORDS,
                unit: Plan::UNIT,
                refusals,
                plan: Some(plan),
            });
        }
        let Some(kind) = manifest::kind(&value) else {
            return Err(RunError::usage("the manifest has no plan that is known"));
        };
        let plan = value.get(kind).unwrap_or(&Value::Null);
        let text = |path: &str| {
            let found = plan.pointer(path).and_then(Value::as_str);
            found.unwrap_or_default().to_owned()
        };
        let agent = match text("/agent") {
            none if none.is_empty() => text("/candidate"),
            agent => agent,
        };
        Ok(Self {
            plan: None,
            environment: kind.to_owned(),
            preset: text("/data"),
            agent,
            method: text("/method/name"),
            total: match kind {
                InterviewPlan::KEY => stored_plan::<InterviewPlan>(plan).map(|plan| plan.asked()),
                // The plan names files outside the folder, which are not opened to show it.
                _ => value.pointer("/units/folder").and_then(Value::as_u64),
            },
            started_unix,
            labels: plan
                .pointer("/routing/labels")
                .and_then(|labels| Labels::deserialize(labels).ok())
                .unwrap_or_default(),
            records: "items.jsonl",
            unit: if kind == InterviewPlan::KEY {
                InterviewPlan::UNIT
            } else {
                QaPlan::UNIT
            },
            refusals,
        })
    }
}

/// The plan in the manifest of a run; `None` if it cannot be run. Does not lock the folder.
fn stored_plan<P: RunPlan>(plan: &Value) -> Option<P> {
    let plan: P = serde_json::from_value(plan.clone()).ok()?;
    plan.check_stored().ok()?;
    Some(plan)
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
            checked: None,
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
        let plan = self.about.plan.as_ref();
        let preset = plan.map(|plan| Setting::shown(environments, plan));
        if let (Some(preset), Some(about)) = (preset, Arc::get_mut(&mut self.about)) {
            about.preset = preset;
        }
        self
    }

    /// Path of the record file.
    pub(crate) fn record_file(&self) -> PathBuf {
        self.dir.join(self.about.records)
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
        if length < self.read_to {
            (self.records, self.read_to) = (Arc::default(), 0);
        }
        if length > self.read_to {
            let (mut found, from) = (Vec::new(), self.read_to);
            let end = lines::each(&path, from, |at, line| {
                found.extend(RecordView::read(at, line));
            });
            self.read_to = end.map_err(RunError::file(&path))?;
            Arc::make_mut(&mut self.records).extend(found);
            self.gap = Gap::Open;
        }
        self.refresh_verified();
        self.status = self.status_now();
        let calls = lines::length(&self.dir.join(CALLS)) + lines::length(&self.dir.join(TIMES));
        let grown = std::mem::replace(&mut self.call_length, calls) != calls;
        Ok(grown || before != (self.status, self.records.len(), self.verified.clone()))
    }

    /// Reads what was added to the calls, which can be much longer than the records.
    pub(crate) fn refresh_calls(&mut self) -> Result<(), RunError> {
        // A policy asks nobody: a file of calls in its folder is not part of the run.
        let has_none = |plan: &Plan| !plan.asks_models() && plan.agent != "classroom";
        let asks_nobody = self.about.plan.as_ref().is_some_and(has_none);
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
        if let (Ok(files), Some(before)) = (&files, &self.checked)
            && *files == **before
        {
            return;
        }
        let verified = VerifyStatus::of_all(std::iter::once(self.dir.as_path()));
        self.verified = verified.map_or_else(|e| e.to_string(), |status| status.to_string());
        self.checked = files.ok().map(Arc::new);
    }

    /// The status, as `boardroom runs` shows it.
    fn status_now(&self) -> RunStatus {
        let records = self.records.len() as u64;
        let plan = self.about.plan.as_ref();
        let is_open = plan.is_some_and(|plan| is_open(plan, records));
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
        for failure in failures_in(&self.dir, self.about.unit)? {
            failure.count(&mut sum, &mut others);
        }
        Ok((sum, others))
    }

    /// Mean score of the records that have one.
    pub(crate) fn mean(&self) -> Option<f64> {
        let scores: Vec<f64> = self.records.iter().filter_map(|r| r.score).collect();
        sim_core::stats::mean(&scores)
    }

    /// The digest that stands for the settings under which the runs of one task are alike.
    pub(crate) fn task(&self) -> (String, String, Option<Digest>) {
        let about = &self.about;
        let config = about
            .plan
            .as_ref()
            .map(|plan| Digest::of(&plan.config).ok());
        (
            about.environment.clone(),
            about.preset.clone(),
            config.flatten(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forfeits_are_told_from_other_inputs() {
        let line = br#"{"header":{"episode":4,"instance":"ab","trial":0},"entries":[{"period":0,"input":{"act":{"quantity":4}},"reply":"x","causes":{"said":1,"filtered":2}},{"period":1,"input":"forfeit","reply":"y"},{"period":1,"input":"restart","reply":"y"}],"ending":"complete","score":{"value":-2.5,"metrics":{}}}"#;
        let at = LineAt {
            offset: 0,
            length: 1,
        };
        let record = RecordView::read(at, line).unwrap();
        assert_eq!((record.inputs, record.forfeits), (3, 1));
        assert_eq!((record.causes.total(), record.causes.not_said()), (3, 2));
        assert_eq!((record.score, record.episode), (Some(-2.5), Some(4)));
        assert_eq!((&*record.name, &*record.unit), ("4", "episode/-4"));
        assert!(RecordView::read(at, b"{\"header\":{}}").is_none());
    }

    #[test]
    fn trials_have_names_of_their_own_and_a_team_has_the_calls_of_its_models() {
        let at = LineAt {
            offset: 0,
            length: 1,
        };
        let of = |agent: &str, trial: u64| {
            let line = format!(
                r#"{{"header":{{"episode":5,"instance":"ab","trial":{trial},"agent":"{agent}"}}}}"#
            );
            let record = RecordView::read(at, line.as_bytes()).unwrap();
            (record.name, record.unit)
        };
        let pair = |name: &str, unit: &str| (name.to_owned(), unit.to_owned());
        assert_eq!(of("classroom", 0), pair("5", "classroom/team1"));
        assert_eq!(of("classroom", 2), pair("5, trial 2", "classroom/team3"));
        assert_eq!(of("mcp", 1), pair("5, trial 1", "episode/-5"));
    }
}
