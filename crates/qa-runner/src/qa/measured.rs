//! Reports of tasks by model, from run folders and from BizCompass's published result files.

use super::data::files;
use super::folder::{QaDir, records};
use qa_scoring::load::{self, Remark};
use qa_scoring::model_table::ModelTable;
use qa_scoring::score::{GradedItem, ResultSource};
use qa_scoring::{
    Domain, Grader, QuestionType, SetReport, Settings, Task, report_of, score_results,
};
use run_engine::error::RunError;
use run_engine::files::regular;
use run_engine::run_dir::{RunPlan as _, manifest};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How a model was sampled; what is not known is absent.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct ModelSampling {
    /// Temperature, 0 to 2.
    pub temperature: Option<f64>,
    /// Share of the probability from which tokens are drawn, 0 to 1.
    pub top_p: Option<f64>,
}

/// The report of a model on a task.
#[derive(Debug, Clone)]
pub struct MeasuredSet {
    /// The model: agent and method of a run, or the folder of a published result file.
    pub model: String,
    /// How it was sampled.
    pub sampling: ModelSampling,
    /// The report with all grades.
    pub report: SetReport,
    /// The first folder or file.
    pub place: PathBuf,
    /// What was odd in the file.
    pub remarks: Vec<Remark>,
}

/// A published result file, by the names of its folders.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultFile {
    /// The task.
    pub task: Task,
    /// The model's folder.
    pub model: String,
    /// Temperature and top-p.
    pub sampling: ModelSampling,
}

impl ResultFile {
    /// The file of a path such as
    /// `Econ/single/llama3-8b-instruct/tem0.8/top_k0.95/evaluation/questions_eval.json`; the folder
    /// `top_k` holds top-p. `None` for other paths.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let parts: Vec<&str> = path.split('/').collect();
        let [
            ..,
            domain,
            kind,
            model,
            temperature,
            top_p,
            "evaluation",
            "questions_eval.json",
        ] = parts.as_slice()
        else {
            return None;
        };
        let domain = Domain::ALL
            .into_iter()
            .find(|it| it.folder().eq_ignore_ascii_case(domain))?;
        let kind = QuestionType::ALL.into_iter().find(|it| {
            it.name().eq_ignore_ascii_case(kind) || it.folder().eq_ignore_ascii_case(kind)
        })?;
        let top_p = top_p
            .strip_prefix("top_k")
            .or_else(|| top_p.strip_prefix("top_p"))?;
        Some(Self {
            task: Task::Knowledge(domain, kind),
            model: (*model).to_owned(),
            sampling: ModelSampling {
                temperature: Some(temperature.strip_prefix("tem")?.parse().ok()?),
                top_p: Some(top_p.parse().ok()?),
            },
        })
    }
}

/// The reports of run folders and of folders with published result files (single and multiple choice;
/// their stored letters are scored). Folders of one model, sampling and task are put together.
///
/// # Errors
/// When a folder is neither, a file cannot be read, or an item was answered twice in one stream.
pub fn measured_sets(dirs: &[PathBuf]) -> Result<Vec<MeasuredSet>, RunError> {
    let mut sets = Vec::new();
    for dir in dirs {
        if manifest::kind_of(dir) == Some(super::plan::QaPlan::KEY) {
            add_run(dir, &mut sets)?;
        } else {
            let before = sets.len();
            add_results(dir, &mut sets)?;
            if sets.len() == before {
                return Err(RunError::usage(format!(
                    "{} is not the folder of a question run and holds no result files \
                     (DOMAIN/TYPE/MODEL/temT/top_kP/evaluation/questions_eval.json)",
                    dir.display()
                )));
            }
        }
    }
    Ok(sets)
}

/// Whether a folder holds published result files and is not the folder of a run.
#[must_use]
pub fn has_results(dir: &Path) -> bool {
    manifest::kind_of(dir).is_none() && result_files(dir).is_ok_and(|files| !files.is_empty())
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

/// Adds the tasks of a question run.
fn add_run(path: &Path, sets: &mut Vec<MeasuredSet>) -> Result<(), RunError> {
    let dir = QaDir::read(path)?;
    let plan = dir.plan();
    let dialect = serde_json::to_value(&plan.dialect);
    let dialect = dialect.map_err(|e| RunError::Failed(format!("{}: {e}", path.display())))?;
    // Either a setting of the model or a further field for its server.
    let top_p = ["/top_p", "/extra/top_p"]
        .into_iter()
        .find_map(|place| dialect.pointer(place)?.as_f64());
    let sampling = ModelSampling {
        temperature: plan.dialect.temperature,
        top_p,
    };
    let model = format!("{} {}", plan.agent, plan.method.name);
    let mut tasks: BTreeMap<Task, Vec<GradedItem>> = BTreeMap::new();
    for (record, grade) in records(&dir)?.into_values() {
        let header = &record.header;
        let parsed = header.item.split_once(':');
        let Some((task, id)) = parsed.and_then(|(task, id)| Some((task.parse().ok()?, id))) else {
            return Err(RunError::usage(format!(
                "{}: `{}` is not a question of a known task",
                path.display(),
                header.item
            )));
        };
        // Several streams measure the same item more precisely, so all their answers are kept.
        let id = match header.stream {
            0 => id.to_owned(),
            stream => format!("{id} (stream {stream})"),
        };
        tasks
            .entry(task)
            .or_default()
            .push(GradedItem { id, grade });
    }
    for (task, mut grades) in tasks {
        let known = sets.iter().position(|set| {
            set.report.task == task && set.model == model && set.sampling == sampling
        });
        if let Some(place) = known {
            let earlier = sets.swap_remove(place);
            grades.extend(earlier.report.grades);
        }
        grades.sort_by(|a, b| a.id.cmp(&b.id));
        let mut pairs = grades.iter().zip(grades.iter().skip(1));
        if let Some((twice, _)) = pairs.find(|(a, b)| a.id == b.id) {
            return Err(RunError::usage(format!(
                "{}: {model} answered item {} of {task} in another folder as well; name one of the two",
                path.display(),
                twice.id
            )));
        }
        sets.push(MeasuredSet {
            model: model.clone(),
            sampling,
            report: report_of(task, &plan.scoring, grades, plan.judge.is_some()),
            place: path.to_owned(),
            remarks: Vec::new(),
        });
    }
    Ok(())
}

/// Adds the published result files of single and multiple choice below a folder.
fn add_results(dir: &Path, sets: &mut Vec<MeasuredSet>) -> Result<(), RunError> {
    for (place, file) in result_files(dir)? {
        let Task::Knowledge(_, kind @ (QuestionType::Single | QuestionType::Multiple)) = file.task
        else {
            continue;
        };
        let bytes = regular::bytes(&place, regular::MOST_DATA).map_err(RunError::file(&place))?;
        let results = load::results(kind, &bytes)
            .map_err(|e| RunError::usage(format!("{}: {e}", place.display())))?;
        let mut grader = Grader::new(Settings::default());
        let report = score_results(
            file.task,
            &results.records,
            ResultSource::Stored,
            &mut grader,
        );
        sets.push(MeasuredSet {
            model: file.model,
            sampling: file.sampling,
            report,
            place,
            remarks: results.remarks,
        });
    }
    Ok(())
}

/// Adds the figures of `sets` to a table. A model that was sampled in several ways has a row for each.
pub fn add_sets(table: &mut ModelTable, sets: &[MeasuredSet]) {
    for set in sets {
        let several = sets
            .iter()
            .any(|other| other.model == set.model && other.sampling != set.sampling);
        let name = if several {
            format!("{} ({})", set.model, set.sampling)
        } else {
            set.model.clone()
        };
        table.add_report(&name, &set.report);
    }
}

impl std::fmt::Display for ModelSampling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = |value: Option<f64>| value.map_or_else(|| "?".to_owned(), |v| v.to_string());
        write!(
            f,
            "T {}, top-p {}",
            shown(self.temperature),
            shown(self.top_p)
        )
    }
}

/// Adds tables and folders to a table of models: a file is CSV or JSON records with a column
/// `model`, a folder is one that [`measured_sets`] reads.
///
/// # Errors
/// When a file or a folder cannot be read.
pub fn add_to(table: &mut ModelTable, paths: &[PathBuf]) -> Result<(), RunError> {
    let (dirs, tables): (Vec<PathBuf>, Vec<PathBuf>) =
        paths.iter().cloned().partition(|path| path.is_dir());
    add_sets(table, &measured_sets(&dirs)?);
    for path in &tables {
        table
            .read(&rows(path)?)
            .map_err(|e| RunError::usage(format!("{}: {e}", path.display())))?;
    }
    Ok(())
}

/// The rows of a table file, CSV or JSON records.
///
/// # Errors
/// When the file cannot be read.
pub fn rows(path: &Path) -> Result<Vec<load::Row>, RunError> {
    let bytes = regular::bytes(path, regular::MOST_DATA).map_err(RunError::file(path))?;
    load::rows(&bytes).map_err(|e| RunError::usage(format!("{}: {e}", path.display())))
}
