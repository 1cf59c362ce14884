//! `boardroom qa build` and `boardroom qa label`: a model makes questions, or says what they ask for.

use super::data::Questions;
use super::judge::BackendJudge;
use agent_client::backend::AgentBackend;
use agent_client::request::{ModelRole, Slot};
use qa_scoring::construct::{ConstructionPlan, ConstructionReport, SourceText, build};
use qa_scoring::judge::Judge as _;
use qa_scoring::load::Labelled;
use qa_scoring::taxonomy::{classify_request, read_label, uid};
use run_engine::error::RunError;
use run_engine::files::regular;
use run_engine::terminal::shown_path;
use std::path::PathBuf;
use std::sync::Arc;

/// Reads texts to make questions from: one file each, named by its stem.
///
/// # Errors
/// When one cannot be read, is empty, or two have one name.
pub fn sources(paths: &[PathBuf]) -> Result<Vec<SourceText>, RunError> {
    let mut sources: Vec<SourceText> = Vec::new();
    for path in paths {
        let text = regular::text(path, regular::MOST_SMALL).map_err(RunError::file(path))?;
        if text.trim().is_empty() {
            return Err(RunError::usage(format!("{} is empty", shown_path(path))));
        }
        let Some(stem) = path.file_stem() else {
            return Err(RunError::usage(format!("{} has no name", shown_path(path))));
        };
        let name = stem.to_string_lossy().into_owned();
        if sources.iter().any(|source| source.name == name) {
            return Err(RunError::usage(format!(
                "two texts are called `{name}`, and questions are named by their text"
            )));
        }
        sources.push(SourceText { name, text });
    }
    Ok(sources)
}

/// Makes questions from texts with a model.
///
/// # Errors
/// When there is no runtime to ask it on.
pub fn make(
    sources: &[SourceText],
    plan: &ConstructionPlan,
    model: &Arc<dyn AgentBackend>,
) -> Result<ConstructionReport, RunError> {
    let runtime = run_engine::engine::model::ask::runtime()?;
    let mut report = ConstructionReport::default();
    for source in sources {
        let slot = Slot::new("build").child("", &source.name);
        let mut model = BackendJudge::new(
            Arc::clone(model),
            runtime.handle().clone(),
            ModelRole::Agent,
            slot,
        );
        // One source at a time, so that the slots of a text do not depend on the texts before it.
        let part = build(std::slice::from_ref(source), plan, &mut model);
        report.built.extend(part.built);
        report.dropped.extend(part.dropped);
    }
    Ok(report)
}

/// Labels the items of a task with a model, under their names over all tasks (`finance/FinCode:3`). An
/// item whose reply cannot be read has an empty label.
///
/// # Errors
/// When there is no runtime, or the model does not answer.
pub fn label(
    questions: &Questions,
    model: &Arc<dyn AgentBackend>,
) -> Result<Vec<Labelled>, RunError> {
    let runtime = run_engine::engine::model::ask::runtime()?;
    let task = questions.task;
    let name = task.to_string();
    let mut labels = Vec::new();
    for item in &questions.items {
        // By place, because items of one file may have the same name.
        let slot = Slot::new("label").child("", uid(&name, "item", labels.len()));
        let mut model = BackendJudge::new(
            Arc::clone(model),
            runtime.handle().clone(),
            ModelRole::Agent,
            slot,
        );
        let reply = model
            .ask(&classify_request(&name, item))
            .map_err(|e| RunError::Failed(format!("item `{}`: {e}", item.id)))?;
        labels.push(Labelled {
            id: task.uid(&item.id),
            label: read_label(&reply),
        });
    }
    Ok(labels)
}
