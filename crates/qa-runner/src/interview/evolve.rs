//! The search for an instruction on interviews: `boardroom evolve consulting`.

use super::plan::VERSION;
use agent_client::interview::{
    CaseStudy, InterviewSettings, InterviewTeam, InterviewTrials, split,
};
use agent_client::method::TrialSource;
use agent_client::wire::Dialect;
use run_engine::engine::model::backends::Models;
use run_engine::engine::model::evolve::{SearchRequest, search, write_found};
use run_engine::error::RunError;
use run_engine::plan::instruction::EvolvedFile;
use run_engine::plan::model::{ModelPlan, RunBudget};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A request for a search on interviews.
#[derive(Debug)]
pub struct InterviewSearch {
    /// The cases; those for training are drawn from them with the seed, as `run consulting --split` does.
    pub cases: Vec<CaseStudy>,
    /// The choice of cases, in words.
    pub preset: String,
    /// How the candidate answers.
    pub model: ModelPlan,
    /// The model that interviews; by rules if absent.
    pub interviewer: Option<Dialect>,
    /// The models that judge; by rules if there are none.
    pub judges: Vec<Dialect>,
    /// How an interview is held.
    pub settings: InterviewSettings,
    /// Model, seed, sizes and budget.
    pub search: SearchRequest,
}

/// Searches for an instruction and writes it to the folder `out`. Returns it with remarks on the cases.
/// As with [`evolve_instruction`], the same request continues a search that was cut off.
///
/// [`evolve_instruction`]: run_engine::engine::model::evolve::evolve_instruction
///
/// # Errors
/// When there are too few cases, a model fails for good, or the budget is spent.
pub fn evolve_on_interviews(
    request: InterviewSearch,
    means: &RunBudget,
    out: &Path,
    stop: &AtomicBool,
) -> Result<(EvolvedFile, Vec<String>), RunError> {
    let InterviewSearch {
        cases,
        preset,
        model,
        interviewer,
        judges,
        settings,
        search: wanted,
    } = request;
    let first = wanted.first()?;
    let (train, validation) = wanted.sizes()?;
    let (count, needed) = (cases.len(), train + validation);
    if count < needed {
        return Err(RunError::usage(format!(
            "there are {count} cases, too few for --train {train} and --validation {validation}"
        )));
    }
    let (chosen, left) = split(cases, wanted.seed, needed);
    let mut remarks = Vec::new();
    if left.is_empty() {
        remarks.push("no case is left for a test".to_owned());
    }
    // The catalogue is sorted by length, and both halves get cases of every length.
    let order = wanted.seed.child("evolve", 0).order(0, chosen.len());
    let mut drawn = order.iter().filter_map(|place| chosen.get(*place)).cloned();
    let training: Vec<CaseStudy> = drawn.by_ref().take(train).collect();
    let validating: Vec<CaseStudy> = drawn.collect();
    // Only now: a request that cannot work leaves no files behind.
    std::fs::create_dir_all(out).map_err(RunError::file(out))?;
    let dialects: Vec<&Dialect> = std::iter::once(&model.dialect)
        .chain(&interviewer)
        .chain(&judges)
        .collect();
    let models = Models::open(&wanted.agent, &dialects, means, Some(out))?;
    let mut backends = (0..dialects.len()).map(|place| models.backend(place));
    let mut next = || {
        backends
            .next()
            .unwrap_or_else(|| Err(RunError::Failed("there is no model to ask".to_owned())))
    };
    let agent = next()?;
    let other_side = InterviewTeam {
        interviewer: interviewer.as_ref().map(|_| next()).transpose()?,
        judges: judges.iter().map(|_| next()).collect::<Result<_, _>>()?,
    };
    let names = |cases: &[CaseStudy]| cases.iter().map(|case| case.id.clone()).collect();
    let (training_items, validation_items) = (names(&training), names(&validating));
    let trials: Arc<dyn TrialSource> = Arc::new(InterviewTrials {
        agent: Arc::clone(&agent),
        other_side,
        settings,
        train: training,
        validation: validating,
    });
    let found = search(&trials, &agent, &wanted, &first, means, out, stop)?;
    let file = EvolvedFile {
        environment: "consulting".to_owned(),
        version: VERSION,
        preset,
        agent: model.dialect.name(),
        seed: wanted.seed,
        train,
        validation,
        training_items,
        validation_items,
        budget: wanted.metric_calls,
        found,
    };
    write_found(out, &file)?;
    Ok((file, remarks))
}
