//! Reports of tasks by model, from run folders and from BizCompass's published result files.

mod notes;

use super::data::files;
use super::sets::{ItemSet, contents, whole_of, whole_sets};
use super::{QUESTIONS, answers};
use crate::runs::{Run, read_runs};
use qa_scoring::env::runs_programs;
use qa_scoring::load::{self, ModelSampling, Remark, ResultFile};
use qa_scoring::model_table::ModelTable;
use qa_scoring::score::{GradedItem, ResultSource};
use qa_scoring::{
    AnswerOutcome, Grader, Metric, QuestionType, SetReport, Settings, Task, report_of,
    score_results,
};
use run_engine::error::RunError;
use run_engine::files::regular;
use run_engine::plan::Plan;
use run_engine::plan::setting::leaves;
use run_engine::registry::Registry;
use run_engine::run_dir::manifest;
use run_engine::terminal::shown_path;
use run_engine::words::counted;
use serde_json::Value;
use sim_core::Digest;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The reports of a model on a task.
#[derive(Debug, Clone)]
pub struct MeasuredSet {
    /// The model: agent and method of a run with the settings of the method that are not the usual ones,
    /// or the folder of a published result file.
    pub model: String,
    /// How it was sampled.
    pub sampling: ModelSampling,
    /// Further settings on which the figures depend, by name; none for a published result file.
    pub settings: BTreeMap<String, String>,
    /// The model with those of `settings` in which the sets differ that were read together.
    pub variant: String,
    /// The same with the sampling, if the model was sampled in several ways: one row of a table.
    pub name: String,
    /// The task.
    pub task: Task,
    /// A report for each time that the questions were answered, such as each stream of a run, with all
    /// grades. [`per_question`](qa_scoring::aggregate::per_question) averages over them.
    pub reports: Vec<SetReport>,
    /// Of a published result file also the report by the letters that are stored in it, which Table 13 of
    /// the paper counts. The rule of the published inference misreads many replies of multiple choice.
    pub stored: Option<SetReport>,
    /// The first folder or file.
    pub place: PathBuf,
    /// What was odd in the file.
    pub remarks: Vec<Remark>,
}

impl MeasuredSet {
    /// The reports that Table 13 counts: by the stored letters where there are any.
    #[must_use]
    pub fn as_stored(&self) -> &[SetReport] {
        let stored = self.stored.as_ref().map(std::slice::from_ref);
        stored.unwrap_or(&self.reports)
    }

    /// Number of errors of the provider, and of all answers to questions with a right answer.
    #[must_use]
    pub fn errors(&self) -> (usize, usize) {
        let errors =
            |report: &SetReport| report.outcomes.get(&AnswerOutcome::ProviderError).copied();
        let found = self.reports.iter().filter_map(errors).sum();
        (
            found,
            self.reports.iter().map(|report| report.counted).sum(),
        )
    }

    /// Whether the provider failed every time, so that the figures say nothing about the model.
    #[must_use]
    pub fn has_only_errors(&self) -> bool {
        let (errors, answers) = self.errors();
        errors > 0 && errors == answers
    }
}

/// What folders hold.
#[derive(Debug, Clone, Default)]
pub struct Measured {
    /// The reports.
    pub sets: Vec<MeasuredSet>,
    /// What the reader of the figures should know about the folders.
    pub notes: Vec<String>,
}

/// The reports of run folders and of folders with published result files (single and multiple choice;
/// the replies in them are scored). Folders of one model, task, sampling and settings are put together; each seed is a
/// report of its own. A folder or file that is named twice, such as a folder and its parent, is taken once, and a note
/// says so.
///
/// # Errors
/// When a folder is neither, a file cannot be read, an item was answered twice with one seed, or two
/// result files are of the same model, task and sampling.
pub fn measured_sets(registry: &Registry, dirs: &[PathBuf]) -> Result<Measured, RunError> {
    let mut read = Measured::default();
    let mut seen = BTreeSet::new();
    let mut runs = Vec::new();
    for dir in dirs {
        if manifest::environment_of(dir).as_deref() == Some(QUESTIONS) {
            // By the real path: a folder may be named through a link, or together with its parent.
            let real = std::fs::canonicalize(dir).map_err(RunError::file(dir))?;
            if seen.insert(real) {
                for run in read_runs(&[dir.to_owned()])? {
                    add_run(registry, dir, &run, &mut runs)?;
                }
            } else {
                let note = format!("{} is named twice and used once", shown_path(dir));
                read.notes.push(note);
            }
            continue;
        }
        let mut files = result_files(dir)?;
        files.retain(|(_, file)| choice_of(file.task).is_some());
        if files.is_empty() {
            return Err(RunError::usage(format!(
                "{} is not the folder of a question run and holds no result files \
                 (DOMAIN/TYPE/MODEL/temT/top_kP/evaluation/questions_eval.json)",
                shown_path(dir)
            )));
        }
        let mut twice = 0;
        for (place, file) in files {
            let real = std::fs::canonicalize(&place).map_err(RunError::file(&place))?;
            if seen.insert(real) {
                add_result(place, file, &mut read.sets)?;
            } else {
                twice += 1;
            }
        }
        if twice > 0 {
            read.notes.push(format!(
                "{}: {} in a folder that is also named, each used once",
                shown_path(dir),
                counted(twice, "result file")
            ));
        }
    }
    // Several folders may be of one set, so the sets of runs come last and are put in order again.
    for run in put_together(runs)? {
        read.sets.push(run.set()?);
    }
    read.sets
        .sort_by_key(|set| dirs.iter().position(|dir| set.place.starts_with(dir)));
    name_sets(&mut read.sets);
    read.notes.extend(notes::notes(&read.sets));
    Ok(read)
}

/// Names the sets of each model by what differs among them. A setting that a set does not have, such as
/// the judge of a task that needs none, does not count as another value.
fn name_sets(sets: &mut [MeasuredSet]) {
    let mut values: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    let mut samplings: BTreeMap<&str, Vec<ModelSampling>> = BTreeMap::new();
    for set in sets.iter() {
        samplings.entry(&set.model).or_default().push(set.sampling);
        for (key, value) in &set.settings {
            values.entry((&set.model, key)).or_default().insert(value);
        }
    }
    let names: Vec<(String, String)> = sets
        .iter()
        .map(|set| {
            let differs = |key: &str| {
                let values = values.get(&(set.model.as_str(), key));
                values.is_some_and(|values| values.len() > 1)
            };
            let settings = set.settings.iter().filter(|(key, _)| differs(key));
            let settings: Vec<String> = settings
                .map(|(key, value)| format!("{key} {value}"))
                .collect();
            let several = samplings
                .get(set.model.as_str())
                .is_some_and(|all| all.iter().any(|other| *other != set.sampling));
            let sampling = several.then(|| set.sampling.to_string());
            let named = |parts: Vec<String>| match parts.as_slice() {
                [] => set.model.clone(),
                parts => format!("{} ({})", set.model, parts.join(", ")),
            };
            let all = sampling.into_iter().chain(settings.clone()).collect();
            (named(settings), named(all))
        })
        .collect();
    for (set, (variant, name)) in sets.iter_mut().zip(names) {
        set.variant = variant;
        set.name = name;
    }
}

/// Whether a folder holds published result files and is not the folder of a run.
#[must_use]
pub fn has_results(dir: &Path) -> bool {
    manifest::environment_of(dir).is_none()
        && result_files(dir).is_ok_and(|files| !files.is_empty())
}

/// The published result files below a folder, with their paths.
fn result_files(dir: &Path) -> Result<Vec<(PathBuf, ResultFile)>, RunError> {
    // The folders above `dir` may be part of the path that names the task.
    let above = std::fs::canonicalize(dir).map_err(RunError::file(dir))?;
    let of = |name: String| {
        let file = above.join(&name).to_str().and_then(ResultFile::of_path)?;
        Some((dir.join(name), file))
    };
    Ok(files(dir)?.into_iter().filter_map(of).collect())
}

/// The answers of a model to the questions of a task, from one or more folders.
struct Answered<'p> {
    task: Task,
    model: String,
    sampling: ModelSampling,
    settings: BTreeMap<String, String>,
    scoring: Settings,
    judged: bool,
    /// The grades of each seed and stream, with the folders that hold them.
    streams: BTreeMap<(u64, u64), Vec<(GradedItem, &'p Path)>>,
    /// The questions that were asked.
    questions: ItemSet,
    place: &'p Path,
}

impl Answered<'_> {
    fn is_like(&self, other: &Self) -> bool {
        self.task == other.task
            && self.model == other.model
            && self.sampling == other.sampling
            && self.settings == other.settings
    }

    /// Adds the answers of another folder.
    fn add(&mut self, other: Self) {
        for (stream, grades) in other.streams {
            self.streams.entry(stream).or_default().extend(grades);
        }
    }

    fn set(self) -> Result<MeasuredSet, RunError> {
        let mut reports = Vec::new();
        for ((seed, _), mut grades) in self.streams {
            // By name and not by number: streams and shards ask the same questions in orders of
            // their own.
            grades.sort_by(|(a, _), (b, _)| a.id.cmp(&b.id));
            let mut pairs = grades.iter().zip(grades.iter().skip(1));
            if let Some(((twice, one), (_, other))) = pairs.find(|((a, _), (b, _))| a.id == b.id) {
                return Err(RunError::usage(format!(
                    "{} and {} both hold the answer of {} to item {} of {} with seed {seed}; name one of the two \
                     folders",
                    shown_path(one),
                    shown_path(other),
                    self.model,
                    twice.id,
                    self.task
                )));
            }
            let grades = grades.into_iter().map(|(graded, _)| graded).collect();
            reports.push(report_of(self.task, &self.scoring, grades, self.judged));
        }
        Ok(MeasuredSet {
            variant: self.model.clone(),
            name: self.model.clone(),
            model: self.model,
            sampling: self.sampling,
            settings: self.settings,
            task: self.task,
            reports,
            stored: None,
            place: self.place.to_owned(),
            remarks: Vec::new(),
        })
    }
}

/// Puts the answers together that differ in their folder only. Which set of questions was asked is one of the settings,
/// but parts of a set (`--items`) count as that set.
fn put_together(runs: Vec<Answered<'_>>) -> Result<Vec<Answered<'_>>, RunError> {
    // By all else first: where a run differs in more, such as its examples, the names also say that it asked other
    // questions.
    let mut alike: Vec<Vec<Answered<'_>>> = Vec::new();
    for run in runs {
        let mut groups = alike.iter_mut();
        match groups.find(|group| group.iter().any(|held| held.is_like(&run))) {
            Some(held) => held.push(run),
            None => alike.push(vec![run]),
        }
    }
    let mut found: Vec<Answered<'_>> = Vec::new();
    for runs in alike {
        let sets = whole_sets(runs.iter().map(|run| run.questions.clone()).collect());
        for mut run in runs {
            if let Some(set) = whole_of(&sets, &run.questions) {
                let digest = Digest::of(&contents(set)).map_err(RunError::failed)?;
                let name = format!("questions of {}", run.task);
                run.settings.insert(name, short(digest));
            }
            match found.iter_mut().find(|held| held.is_like(&run)) {
                Some(held) => held.add(run),
                None => found.push(run),
            }
        }
    }
    Ok(found)
}

/// Adds the answers of a run of questions, those to each task by themselves.
fn add_run<'p>(
    registry: &Registry,
    path: &'p Path,
    run: &Run,
    runs: &mut Vec<Answered<'p>>,
) -> Result<(), RunError> {
    let plan = &run.plan;
    let dialect = plan.model.as_ref().map(|model| &model.dialect);
    // Either a setting of the model or a further field for its server.
    let further = || dialect?.extra.get("top_p")?.as_f64();
    let sampling = ModelSampling {
        temperature: dialect.and_then(|dialect| dialect.temperature),
        top_p: dialect.and_then(|dialect| dialect.top_p).or_else(further),
    };
    let method = plan.model.as_ref().map(|model| model.method.label());
    let model = match method {
        Some(method) => format!("{} {method}", plan.agent),
        None => plan.agent.clone(),
    };
    let mut all = answers(registry, run)?;
    all.sort_by_cached_key(|answered| answered.question.uid());
    // In the order of the questions, in which rows are resampled, and not in that of the tasks.
    let mut tasks: Vec<Answered<'p>> = Vec::new();
    for answered in all {
        let question = answered.question;
        let task = question.task;
        if tasks.last().is_none_or(|last| last.task != task) {
            tasks.push(Answered {
                task,
                model: model.clone(),
                sampling,
                settings: settings_of(plan, &question.scoring, task)?,
                scoring: question.scoring,
                judged: plan.seats.contains_key("judge"),
                streams: BTreeMap::new(),
                questions: ItemSet::new(),
                place: path,
            });
        }
        let Some(of_task) = tasks.last_mut() else {
            continue;
        };
        let digest = Digest::of(&question.item).map_err(RunError::failed)?;
        let id = question.item.id;
        of_task.questions.insert((id.clone(), digest));
        // A seed more is a repetition of the same questions, as a stream is.
        let stream = (plan.seed.0, answered.header.stream.unwrap_or(0));
        let grade = answered.grade;
        let grades = of_task.streams.entry(stream).or_default();
        grades.push((GradedItem { id, grade }, path));
    }
    runs.extend(tasks);
    Ok(())
}

/// The settings of a run on which its figures of a task depend, apart from agent, sampling and the named
/// settings of the method.
fn settings_of(
    plan: &Plan,
    scoring: &Settings,
    task: Task,
) -> Result<BTreeMap<String, String>, RunError> {
    let mut all = BTreeMap::new();
    if let Some(model) = &plan.model {
        let mut dialect = model.dialect.clone();
        // Sampling has a name of its own in the tables.
        (dialect.temperature, dialect.top_p) = (None, None);
        dialect.extra.remove("top_p");
        all.extend(values("", &dialect)?);
        all.extend(values("method ", &model.method)?);
        all.insert("feedback".to_owned(), model.feedback.to_string());
    }
    let mut put = |key: &str, value: String| all.insert(key.to_owned(), value);
    let config = |key: &str| {
        plan.config
            .get(key)
            .map_or_else(String::new, Value::to_string)
    };
    put("shots", config("shots"));
    put("roles", config("roles"));
    let routing = plan
        .routing
        .as_ref()
        .map(|routing| Digest::of(&routing.policy));
    let routing = routing.transpose().map_err(RunError::failed)?;
    put("policy", routing.map_or_else(|| "none".to_owned(), short));
    put("rules", scoring.profile.to_string());
    // Only what the metric of the task looks at: with another judge a set of letters is still the
    // same.
    match task.metric() {
        Metric::Letter | Metric::LetterSet => {
            let letters = scoring.letters.map(|letters| letters.to_string());
            put(
                "letters",
                letters.unwrap_or_else(|| "of the rules".to_owned()),
            );
        }
        Metric::Rouge => {
            put("stemming", scoring.stemming.to_string());
        }
        Metric::Judged | Metric::JudgedLabel(_) => {
            let judge = plan.seats.get("judge").map(|seat| seat.agent.clone());
            put("judge", judge.unwrap_or_else(|| "none".to_owned()));
            put("judges", scoring.judges.to_string());
        }
        Metric::Tags => {
            let tags = scoring.tags.map(|tags| tags.to_string());
            put("tags", tags.unwrap_or_else(|| "of the rules".to_owned()));
        }
        _ => {}
    }
    if runs_programs(task) {
        put("lenient", scoring.lenient.to_string());
        let executor = plan.seats.get("executor").map(|seat| seat.agent.clone());
        put("executor", executor.unwrap_or_else(|| "none".to_owned()));
    }
    Ok(all)
}

/// The first digits of a digest, enough to tell a few apart.
fn short(digest: Digest) -> String {
    digest.to_string().chars().take(8).collect()
}

/// The single values of a part of a plan by their keys, each with `prefix` before it.
fn values(prefix: &str, of: &impl serde::Serialize) -> Result<Vec<(String, String)>, RunError> {
    let found = leaves(&serde_json::to_value(of).map_err(RunError::failed)?);
    // What is not set is not another value, see `name_sets`.
    let is_set = |value: &Value| !value.is_null() && !value.is_object();
    let found = found.into_iter().filter(|(_, value)| is_set(value));
    let one = |(path, value): (String, Value)| {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        // A longer one, such as an instruction, would fill the name of a row.
        let text = if text.chars().count() > 24 {
            Digest::of(&text).map_or(text, short)
        } else {
            text
        };
        (format!("{prefix}{}", path.replace('.', " ")), text)
    };
    Ok(found.map(one).collect())
}

/// The kind of a task of single or multiple choice.
fn choice_of(task: Task) -> Option<QuestionType> {
    match task {
        Task::Knowledge(_, kind @ (QuestionType::Single | QuestionType::Multiple)) => Some(kind),
        _ => None,
    }
}

/// Adds a published result file of single or multiple choice.
fn add_result(
    place: PathBuf,
    file: ResultFile,
    sets: &mut Vec<MeasuredSet>,
) -> Result<(), RunError> {
    let Some(kind) = choice_of(file.task) else {
        return Ok(());
    };
    let is_same = |set: &&MeasuredSet| {
        set.task == file.task && set.model == file.model && set.sampling == file.sampling
    };
    // Not added up: each question would count twice.
    if let Some(other) = sets.iter().find(is_same) {
        return Err(RunError::usage(format!(
            "{} and {} are both of {}, {} and {}; name one of the two",
            shown_path(&other.place),
            shown_path(&place),
            file.model,
            file.sampling,
            file.task
        )));
    }
    let results = regular::loaded(&place, |bytes| load::results(kind, bytes))?;
    let mut grader = Grader::new(Settings::default());
    let mut score = |source| score_results(file.task, &results.records, source, &mut grader);
    let replies = score(ResultSource::Reply);
    let stored = score(ResultSource::Stored);
    sets.push(MeasuredSet {
        variant: file.model.clone(),
        name: file.model.clone(),
        model: file.model,
        sampling: file.sampling,
        settings: BTreeMap::new(),
        task: file.task,
        reports: vec![replies],
        stored: Some(stored),
        place,
        remarks: results.remarks,
    });
    Ok(())
}

/// Adds the figures of `sets` to a table, a row for each name. Sets of provider errors only have none.
pub fn add_sets(table: &mut ModelTable, sets: &[MeasuredSet]) {
    for set in sets.iter().filter(|set| !set.has_only_errors()) {
        let reports: Vec<&SetReport> = set.reports.iter().collect();
        table.add_reports(&set.name, &reports);
    }
}

/// Tables and folders that were put together.
#[derive(Debug, Clone, Default)]
pub struct Joined {
    /// The figures of all of them.
    pub table: ModelTable,
    /// The models with a figure in each source: a file, or the folders together.
    pub sources: Vec<(String, BTreeSet<String>)>,
    /// What the reader of the figures should know about the folders.
    pub notes: Vec<String>,
}

impl Joined {
    /// Adds a table of models under a name.
    pub fn add(&mut self, name: &str, table: &ModelTable) {
        let models = table.models().map(str::to_owned).collect();
        self.sources.push((name.to_owned(), models));
        self.table.merge(table);
    }

    /// Adds tables and folders: a file is CSV or JSON records with a column `model`, a folder is one that
    /// [`measured_sets`] reads.
    ///
    /// # Errors
    /// When a file or a folder cannot be read.
    pub fn add_paths(&mut self, registry: &Registry, paths: &[PathBuf]) -> Result<(), RunError> {
        let (dirs, tables): (Vec<PathBuf>, Vec<PathBuf>) =
            paths.iter().cloned().partition(|path| path.is_dir());
        if !dirs.is_empty() {
            let read = measured_sets(registry, &dirs)?;
            let mut table = ModelTable::default();
            add_sets(&mut table, &read.sets);
            let names: Vec<String> = dirs.iter().map(shown_path).collect();
            self.add(&names.join(", "), &table);
            self.notes.extend(read.notes);
        }
        for path in &tables {
            let name = shown_path(path);
            let mut table = ModelTable::default();
            table
                .read(&rows(path)?)
                .map_err(|e| RunError::usage(format!("{name}: {e}")))?;
            self.add(&name, &table);
        }
        Ok(())
    }

    /// The models of other sources that a source has no figure of, by source; sources that have all are
    /// left out.
    #[must_use]
    pub fn absent(&self) -> BTreeMap<&str, Vec<&str>> {
        self.sources
            .iter()
            .map(|(source, models)| {
                let all = self.table.models();
                let lacking = all.filter(|model| !models.contains(*model));
                (source.as_str(), lacking.collect::<Vec<_>>())
            })
            .filter(|(_, lacking)| !lacking.is_empty())
            .collect()
    }
}

/// The rows of a table file, CSV or JSON records.
///
/// # Errors
/// When the file cannot be read.
pub fn rows(path: &Path) -> Result<Vec<load::Row>, RunError> {
    regular::loaded(path, load::rows)
}
